// profiling/engine/training/learning.h: one training, from its first step to its last, in slices.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "profiling/engine/training/place.h"

// A slice ends with a whole step: where others wait, where the job is interrupted, or with the last
// one. What is said of the training between: the loss of each step, at the end of an epoch its mean
// and that of the images held out, pictures every few seconds, and its state.
//
//   Result<std::unique_ptr<Learning>> learning = Learning::begin(job, scene, variant, open);
//   while (!*(*learning)->slice(channel)) others();

namespace warpscope {

class Learning {
 public:
  // error: usage (a state of another training, a setting that is none), input (images), what
  // opening the place says.
  static Result<std::unique_ptr<Learning>> begin(const Job& job, const Scene& scene,
                                                 const Variant& variant,
                                                 const OpenTrainingPlace& open);
  // True: it is over, to its end or interrupted, and its state was sent. error: input (the loss
  // became no number, or grew), what a step says.
  Result<bool> slice(const JobChannel& channel);

  const TrainingState& state() const { return state_; }  // but for the weights

 private:
  using Clock = std::chrono::steady_clock;
  enum class Ran { whole, interrupted };

  Learning(const Job& job, const Scene& scene, const Variant& variant)
      : job_(job), scene_(scene), variant_(variant), training_(*scene.training) {}
  Result<void> prepare(const OpenTrainingPlace& open);
  Result<void> take_weights();
  Result<Ran> step(const JobChannel& channel);
  Result<Ran> end_epoch(const JobChannel& channel);
  // The mean of the loss over all images held out; pictures of the first batch, where they are due.
  Result<Ran> look_at_held_out(const JobChannel& channel, bool pictures, double& loss);
  Result<Ran> run_batch(const JobChannel& channel, std::int64_t first, bool loss_alone,
                        double& loss);
  Result<void> send_pictures(const JobChannel& channel);
  Result<Ran> send_latents(const JobChannel& channel);
  Result<void> send_state(const JobChannel& channel);
  void send_progress(const JobChannel& channel);
  void add_point(const std::string& curve, double x, double y);
  void send_curves(const JobChannel& channel, bool goes_on);
  // Says all that there is to say at the end.
  Result<bool> end(const JobChannel& channel, bool interrupted);
  std::int64_t batches() const { return set_.samples / batch_; }  // of an epoch

  const Job job_;
  const Scene& scene_;
  const Variant& variant_;
  const Training& training_;
  std::unique_ptr<TrainingPlace> place_;
  TrainingSet set_;
  TrainingState state_;
  std::int64_t batch_ = 0, every_ = 1;  // steps between two points of the curve
  bool begun_ = false, of_weights_ = false;
  struct Curve {
    std::string name, label, along, unit;
    std::vector<double> x, y;  // not sent yet
    bool sent = false;
  };
  std::vector<Curve> curves_;     // in the order in which a person looks at them
  double busy_s_ = 0;             // in slices
  std::int64_t own_steps_ = 0;    // in this process
  double epoch_s_ = 0;            // of the steps of the epoch under way that this process ran …
  std::int64_t epoch_steps_ = 0;  // … and how many those are
  Clock::time_point slice_began_, curves_at_, pictures_at_, state_at_, progress_at_;
};

// Whether the loss of a step, from 1, is a point of its curve: of each `every` steps one, which
// lies anywhere among them. Steps at one distance would be of the same few batches of every epoch.
bool is_on_curve(std::int64_t step, std::int64_t every);

// Why a training with this loss goes nowhere; empty: it does not.
std::string diverged(std::int64_t step, double loss, double first_loss, double rate);

}  // namespace warpscope
