// tests/engine/training_gpu_test.cpp: rungs learn on a device what the processor's learns, and
// resume to the bit.
#include <cmath>

#include "profiling/engine/training/device_place.h"
#include "tests/engine/gpu_fixture.h"
#include "tests/engine/training_parts.h"

namespace warpscope {
namespace {

class GpuTraining : public GpuTest {
 protected:
  Answers run(const Job& job, const TrainingQuestions& asked = {}) {
    Emulation nobody;
    TrainingRunner runner(nobody, [this](const Job& of, const Scene& scene, const Variant& variant,
                                         const Configuration& axes) {
      return open_device_place(*device_, *kernels_, of, scene, variant, axes);
    });
    return answers_of(runner, job, asked);
  }
};

constexpr const char* kRungs[] = {"cpu_sequential", "step_naive", "step_nchw", "step_im2col_loop",
                                  "step_im2col_strided"};

TEST_F(GpuTraining, LearnsTheCurveOfTheProcessor) {
  const Texts axes = {{"batch", "16"}, {"channels", "16"}, {"size", "32"}, {"lr", "0.05"}};
  const Texts training = {{"samples", "64"}, {"epochs", "5"}};
  const Series expected =
      EmulatedTraining().run(training_job("cpu_sequential", axes, training)).curve("loss");
  ASSERT_EQ(expected.y.size(), 20u);
  for (const char* rung : kRungs) {
    const Answers answers = run(training_job(rung, axes, training));
    ASSERT_FALSE(answers.failed) << rung << ": " << sentence(answers.error);
    const Series loss = answers.curve("loss");
    ASSERT_EQ(loss.y.size(), expected.y.size()) << rung;
    for (std::size_t i = 0; i < loss.y.size(); ++i)
      EXPECT_LE(std::abs(loss.y[i] - expected.y[i]), 1e-4 * expected.y[i]) << rung << " " << i + 1;
    EXPECT_FALSE(loss.point.device_uuid.empty());
  }
}

TEST_F(GpuTraining, ResumesToTheWeightsOfAnUnbrokenRun) {
  for (const char* rung : kRungs) {
    const Job job = training_job(rung, {{"lr", "0.05"}, {"size", "32"}, {"channels", "16"}});
    const Answers whole = run(job);
    ASSERT_FALSE(whole.failed) << rung << ": " << sentence(whole.error);
    TrainingQuestions three_steps;
    three_steps.interrupted = [](const Answers& until) { return until.states().size() >= 3; };
    Job rest = job;
    rest.as<TrainJob>()->resume = run(job, three_steps).states().back();
    ASSERT_EQ(rest.as<TrainJob>()->resume->step, 3);
    EXPECT_EQ(run(rest).weights(), whole.weights()) << rung;
  }
}

TEST_F(GpuTraining, LeavesTheWeightsToTheBitAtARateOfZero) {
  for (const char* rung : kRungs) {
    TrainingQuestions at_once;
    at_once.interrupted = [](const Answers&) { return true; };
    const Job job = training_job(rung, {{"lr", "0"}}, {{"epochs", "1"}});
    EXPECT_EQ(run(job).weights(), run(job, at_once).weights()) << rung;
  }
}

}  // namespace
}  // namespace warpscope
