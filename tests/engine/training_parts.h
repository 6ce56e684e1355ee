// tests/engine/training_parts.h: a training as an emulating engine runs it, without its process.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "profiling/engine/run/emulation.h"
#include "profiling/engine/training/emulated_place.h"
#include "profiling/engine/training/training_runner.h"
#include "profiling/session/outcomes.h"

namespace warpscope {

using Texts = std::map<std::string, std::string>;

// The texts of all kernels that a variant's steps launch.
std::vector<KernelSource> sources_of(const std::string& scene, const std::string& variant,
                                     const Texts& axes);

// A training of `autoencoder` of images of 8×8 and 4 channels.
Job training_job(const std::string& variant, Texts axes = {}, Texts training = {});

struct Answers {
  std::vector<Message> said;
  Error error;  // of what ended it
  bool failed = false, goes_on = false;

  std::vector<TrainingState> states() const;
  const std::vector<std::uint8_t>& weights() const;  // of the last state
  // As a session would have it.
  Series curve(const std::string& name) const;
  std::vector<Picture> pictures() const;
};

// Asked between steps. `interrupted`: with the answers until now.
struct TrainingQuestions {
  std::function<bool(const Answers&)> interrupted = [](const Answers&) { return false; };
  std::function<bool()> others_wait = [] { return false; };
};

// What a runner says of a job.
Answers answers_of(TrainingRunner& runner, const Job& job, const TrainingQuestions& asked);

class EmulatedTraining {
 public:
  EmulatedTraining() : runner_(emulation_, open_emulated_place) {}
  // One slice; more of it where the job was set aside.
  Answers run(const Job& job, const TrainingQuestions& asked = {});

 private:
  Emulation emulation_;
  TrainingRunner runner_;
};

}  // namespace warpscope
