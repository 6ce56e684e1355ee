// tests/engine/training_test.cpp: a training runs in slices, stops, resumes to the bit, and learns
// the curve of the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "profiling/engine/compile/compiler.h"
#include "profiling/engine/process/job_queue.h"
#include "scenes/autoencoder/net.h"
#include "scenes/autoencoder/training/training_set.h"
#include "scenes/base/half.h"
#include "scenes/catalogue.h"
#include "scenes/host/random.h"
#include "tests/engine/training_parts.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const Scene& scene() { return *built_in_catalogue().find("autoencoder").value(); }
Configuration axes_of(const Job& job) { return *configured(scene(), job.variant, job.axes); }

std::vector<double> doubles_of(const std::vector<std::uint8_t>& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return {values.begin(), values.end()};
}

// The weights that a training begins with: its state before the first step.
std::vector<std::uint8_t> first_weights(const Job& job) {
  TrainingQuestions at_once;
  at_once.interrupted = [](const Answers&) { return true; };
  return EmulatedTraining().run(job, at_once).weights();
}

// The same training in double precision.
std::vector<double> reference_curve(const Job& job, int steps) {
  const Configuration axes = axes_of(job);
  const autoencoder::Net net(axes);
  const std::int64_t batch = axes.integer("batch");
  const TrainingSet set =
      autoencoder::training_set(axes, std::stoll(job.as<TrainJob>()->training.at("samples")))
          .value();
  std::vector<double> weights = doubles_of(first_weights(job)), losses;
  std::vector<float> pixels(static_cast<std::size_t>(net.image_values()));
  for (int step = 0; step < steps; ++step) {
    set.fill(step % (set.samples / batch) * batch, pixels);
    const std::vector<double> images(pixels.begin(), pixels.end());
    const auto pass = net.forward(weights, images);
    losses.push_back(net.loss(pass, images).value);
    const auto slopes = net.backward(pass, weights, images);
    std::vector<double> next = weights;
    for (std::int64_t i = 0; i < net.parameters(); ++i)
      next[static_cast<std::size_t>(i)] -= axes.real("lr") * net.gradient(pass, slopes, i).value;
    weights = std::move(next);
  }
  return losses;
}

class Rung : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (Result<std::string> version = nvrtc_version(); !version)
      GTEST_SKIP() << sentence(version.error());
  }
};
INSTANTIATE_TEST_SUITE_P(Training, Rung,
                         testing::Values("cpu_sequential", "step_naive", "step_nchw",
                                         "step_im2col_loop", "step_im2col_strided",
                                         "step_fused_bf16"));
// It has the layout and the steps of the one before, with other products.
INSTANTIATE_TEST_SUITE_P(SlowTraining, Rung, testing::Values("step_fused_tf32"));

// Two epochs of four steps: each batch comes back.
TEST_P(Rung, LearnsTheCurveOfTheReference) {
  const Job job = training_job(GetParam(), {{"lr", "0.05"}}, {{"epochs", "2"}});
  const Answers answers = EmulatedTraining().run(job);
  ASSERT_FALSE(answers.failed) << sentence(answers.error);
  const Series loss = answers.curve("loss");
  const std::vector<double> expected = reference_curve(job, 8);
  ASSERT_EQ(loss.y.size(), expected.size());
  const std::string name = GetParam();
  const double share = name.ends_with("bf16") ? 5e-2 : name.ends_with("tf32") ? 1e-2 : 1e-4;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(loss.x[i], static_cast<double>(i + 1));
    EXPECT_LE(std::abs(loss.y[i] - expected[i]), share * expected[i]) << "step " << i + 1;
  }
}

TEST_P(Rung, DescendsOnARepeatedBatch) {
  const Job job = training_job(GetParam(), {{"lr", "0.05"}}, {{"samples", "2"}, {"epochs", "8"}});
  const Series loss = EmulatedTraining().run(job).curve("loss");
  ASSERT_EQ(loss.y.size(), 8u);
  for (std::size_t i = 1; i < loss.y.size(); ++i) EXPECT_LT(loss.y[i], loss.y[i - 1]) << i;
}

TEST_P(Rung, ResumesToTheWeightsOfAnUnbrokenRun) {
  const Job job = training_job(GetParam(), {{"lr", "0.05"}}, {{"epochs", "2"}});
  const Answers whole = EmulatedTraining().run(job);
  ASSERT_FALSE(whole.failed) << sentence(whole.error);
  TrainingQuestions three_steps;
  three_steps.interrupted = [](const Answers& until) { return until.states().size() >= 3; };
  const Answers broken = EmulatedTraining().run(job, three_steps);
  ASSERT_FALSE(broken.failed) << sentence(broken.error);
  ASSERT_EQ(broken.states().back().step, 3);
  ASSERT_NE(broken.weights(), whole.weights());
  Job rest = job;
  rest.as<TrainJob>()->resume = broken.states().back();
  const Answers resumed = EmulatedTraining().run(rest);
  EXPECT_EQ(resumed.weights(), whole.weights());
  // Weights: what a rung that sums its loss by atomics says of a loss may differ by a rounding.
  EXPECT_EQ(resumed.states().back().step, 8);
}

// In the middle of a kernel, too: what is kept is of a whole step.
TEST_P(Rung, KeepsTheWeightsOfAWholeStepWhereverItIsInterrupted) {
  const Job job = training_job(GetParam(), {{"lr", "0.05"}}, {{"epochs", "1"}});
  std::map<std::int64_t, std::vector<std::uint8_t>> whole = {{0, first_weights(job)}};
  int asked_in_all = 0;
  TrainingQuestions counts;
  counts.interrupted = [&](const Answers&) { return ++asked_in_all < 0; };
  for (const TrainingState& state : EmulatedTraining().run(job, counts).states())
    whole[state.step] = state.weights;
  ASSERT_EQ(whole.size(), 5u);
  std::set<std::int64_t> seen;
  constexpr int kPlaces = 5;  // of four steps: no place comes back in each step
  for (int place = 1; place <= kPlaces; ++place) {
    int asked = 0;
    TrainingQuestions once;
    once.interrupted = [&](const Answers&) { return ++asked >= place * asked_in_all / kPlaces; };
    const Answers answers = EmulatedTraining().run(job, once);
    ASSERT_FALSE(answers.failed) << sentence(answers.error);
    const TrainingState state = answers.states().back();
    seen.insert(state.step);
    EXPECT_EQ(state.weights, whole.at(state.step)) << "interrupted at question " << asked;
  }
  EXPECT_GE(seen.size(), 3u);
}

TEST_P(Rung, LeavesTheWeightsToTheBitAtARateOfZero) {
  const Job job = training_job(GetParam(), {{"lr", "0"}}, {{"epochs", "1"}});
  const Answers answers = EmulatedTraining().run(job);
  ASSERT_FALSE(answers.failed) << sentence(answers.error);
  EXPECT_EQ(answers.weights(), first_weights(job));
}

// Curves as well: the processor adds its loss in one order.
TEST(Training, GoesOnAtEveryStepAsIfItHadNotStopped) {
  const Job job = training_job("cpu_sequential", {{"lr", "0.05"}});
  const Answers whole = EmulatedTraining().run(job);
  for (std::size_t stop = 1; stop < 12; ++stop) {
    TrainingQuestions asked;
    asked.interrupted = [&](const Answers& until) { return until.states().size() >= stop; };
    Answers merged = EmulatedTraining().run(job, asked);
    Job rest = job;
    rest.as<TrainJob>()->resume = merged.states().back();
    const Answers resumed = EmulatedTraining().run(rest);
    merged.said.insert(merged.said.end(), resumed.said.begin(), resumed.said.end());
    EXPECT_EQ(merged.weights(), whole.weights()) << stop;
    for (const char* name : {"loss", "train", "test", "psnr"}) {
      EXPECT_EQ(merged.curve(name).x, whole.curve(name).x) << name << " stopped at " << stop;
      EXPECT_EQ(merged.curve(name).y, whole.curve(name).y) << name << " stopped at " << stop;
      EXPECT_FALSE(merged.curve(name).partial);
    }
  }
}

TEST(Training, HasACurveOfStepsAndOfEpochs) {
  const Answers answers = EmulatedTraining().run(training_job("cpu_sequential", {{"lr", "0.05"}}));
  EXPECT_EQ(answers.curve("loss").x.size(), 12u);
  EXPECT_EQ(answers.curve("train").x, (std::vector<double>{1, 2, 3}));
  // Before the first step there is something to see as well.
  EXPECT_EQ(answers.curve("test").x, (std::vector<double>{0, 1, 2, 3}));
  const Series loss = answers.curve("loss"), train = answers.curve("train"),
               test = answers.curve("test"), psnr = answers.curve("psnr");
  EXPECT_NEAR(train.y[0], (loss.y[0] + loss.y[1] + loss.y[2] + loss.y[3]) / 4, 1e-12);
  for (std::size_t i = 0; i < psnr.y.size(); ++i)
    EXPECT_NEAR(psnr.y[i], 10 * std::log10(1 / test.y[i]), 1e-9);
  EXPECT_LT(test.y.back(), test.y.front());
}

TEST(Training, TimesEpochsThatItRanAsAWhole) {
  const Job job = training_job("cpu_sequential", {{"lr", "0.05"}});
  const Series whole = EmulatedTraining().run(job).curve(kEpochTime);
  EXPECT_EQ(whole.x, (std::vector<double>{4, 8, 12}));
  EXPECT_EQ(whole.unit, "s");
  for (const double seconds : whole.y) EXPECT_GT(seconds, 0);
  // There are four steps per epoch: a training resumed after the sixth step has only one whole
  // epoch, the third.
  TrainingQuestions asked;
  asked.interrupted = [&](const Answers& until) {
    return !until.states().empty() && until.states().back().step >= 6;
  };
  Job rest = job;
  rest.as<TrainJob>()->resume = EmulatedTraining().run(job, asked).states().back();
  ASSERT_EQ(rest.as<TrainJob>()->resume->step, 6);
  EXPECT_EQ(EmulatedTraining().run(rest).curve(kEpochTime).x, (std::vector<double>{12}));
}

TEST(Training, LetsOthersRunBetweenTwoStepsAndLosesNothing) {
  const Job job = training_job("cpu_sequential", {{"lr", "0.05"}});
  const Answers whole = EmulatedTraining().run(job);
  EmulatedTraining training;
  TrainingQuestions busy;
  busy.others_wait = [] { return true; };
  Answers all;
  int slices = 0;
  do {
    const Answers slice = training.run(job, busy);
    ASSERT_FALSE(slice.failed) << sentence(slice.error);
    all.said.insert(all.said.end(), slice.said.begin(), slice.said.end());
    all.goes_on = slice.goes_on;
    // What runs between leaves its mark in other buffers alone.
    Job other = training_job("cpu_sequential", {{"seed", "7"}});
    other.job = 2;
    training.run(other);
    ++slices;
  } while (all.goes_on && slices < 100);
  EXPECT_EQ(slices, 12);
  EXPECT_EQ(all.weights(), whole.weights());
  EXPECT_EQ(all.curve("loss").y, whole.curve("loss").y);
}

TEST(Training, StopsWhereTheLossGrowsAndNamesStepAndRate) {
  Job job = training_job("cpu_sequential", {{"lr", "0.3"}});
  const std::size_t count = first_weights(job).size() / sizeof(float);
  // N(0, 1) is several times the spread at which a network learns. With most random seeds all ReLUs
  // die, and the biases after them still learn.
  Answers answers;
  for (std::uint64_t seed = 1; seed < 100 && !answers.failed; ++seed) {
    TrainingState wild;
    for (std::size_t i = 0; i < count; ++i) {
      const auto value = static_cast<float>(RandomStream(seed, 1).normal(i));
      const auto* bytes = reinterpret_cast<const std::uint8_t*>(&value);
      wild.weights.insert(wild.weights.end(), bytes, bytes + sizeof value);
    }
    job.as<TrainJob>()->resume = wild;
    answers = EmulatedTraining().run(job);
  }
  ASSERT_TRUE(answers.failed);
  EXPECT_THAT(sentence(answers.error),
              AllOf(HasSubstr("the loss grew to"), HasSubstr("with a learning rate of 0.3")));
  EXPECT_THAT(sentence(answers.error), HasSubstr("lower lr"));
  EXPECT_THAT(sentence(answers.error), HasSubstr("[out, 3, 3, in]"));
  EXPECT_FALSE(answers.goes_on);
  // Training cannot resume from the step that went wrong.
  const Series loss = answers.curve("loss");
  ASSERT_FALSE(answers.states().empty());
  EXPECT_LT(answers.states().back().step, 12);
  EXPECT_THAT(sentence(answers.error),
              HasSubstr("at step " + std::to_string(answers.states().back().step + 1) + ","));
  EXPECT_EQ(loss.y.size(), static_cast<std::size_t>(answers.states().back().step));
}

// 60000 steps of epochs of 6 in a curve of 20000: every third step would be of two batches alone.
TEST(Training, ALongCurveHasLossesOfEveryBatch) {
  std::map<std::int64_t, int> batches, stretches;
  for (std::int64_t step = 1; step <= 6000; ++step) {
    EXPECT_TRUE(is_on_curve(step, 1)) << step;
    if (!is_on_curve(step, 3)) continue;
    ++batches[step % 6];
    ++stretches[(step - 1) / 3];
  }
  EXPECT_EQ(stretches.size(), 2000u) << "one of each three";
  ASSERT_EQ(batches.size(), 6u);
  for (const auto& [batch, count] : batches) EXPECT_NEAR(count, 2000.0 / 6, 70) << batch;
}

TEST(Training, DivergesWithALossThatIsNoNumberOrAHundredTimesTheFirst) {
  EXPECT_THAT(diverged(37, std::nan(""), 0.1, 0.1),
              HasSubstr("NaN or infinite at step 37, with a learning rate of 0.1"));
  EXPECT_THAT(diverged(2, INFINITY, 0.1, 0.1), HasSubstr("NaN or infinite"));
  EXPECT_THAT(diverged(3, 11, 0.1, 0.1), HasSubstr("110 times that of the first step"));
  EXPECT_EQ(diverged(3, 9.9, 0.1, 0.1), "");
}

TEST(Training, ShowsWhatItMakesOfImages) {
  const std::vector<Picture> pictures =
      EmulatedTraining().run(training_job("cpu_sequential")).pictures();
  ASSERT_GE(pictures.size(), 6u);  // three before the first step, three after the last
  std::set<std::string> names;
  for (const Picture& picture : pictures) {
    names.insert(picture.name);
    EXPECT_EQ(picture.rgb.size(), 3u * static_cast<std::size_t>(picture.width) * picture.height);
  }
  EXPECT_EQ(names, (std::set<std::string>{"filters", "latents", "reconstructions"}));
  // Their first row is the images that are held out, as they are drawn.
  const Picture& last = *std::find_if(pictures.rbegin(), pictures.rend(),
                                      [](const Picture& p) { return p.name == "reconstructions"; });
  const Job job = training_job("cpu_sequential");
  std::vector<float> pixels(2 * 3 * 64);
  autoencoder::training_set(axes_of(job), 8)->fill(8, pixels);
  for (const std::size_t channel : {0u, 1u, 2u})
    EXPECT_EQ(last.rgb[channel], std::lround(255 * pixels[64 * channel]));
}

// The pictures come from the same weights, whatever a rung's layout is.
TEST_P(Rung, ShowsTheSamePictures) {
  const auto drawn = [](const char* variant) {
    const Job job = training_job(variant, {{"lr", "0"}}, {{"epochs", "1"}});
    return EmulatedTraining().run(job).pictures();
  };
  const std::vector<Picture> expected = drawn("cpu_sequential"), found = drawn(GetParam());
  ASSERT_EQ(found.size(), expected.size());
  // A product of bfloat16 has 2⁻⁷ of an error, of 255 two, and a byte is rounded.
  const int most = std::string(GetParam()).ends_with("bf16") ? 3 : 1;
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].rgb.size(), expected[i].rgb.size());
    for (std::size_t at = 0; at < found[i].rgb.size(); ++at)
      ASSERT_NEAR(found[i].rgb[at], expected[i].rgb[at], most) << found[i].name << " " << at;
  }
}

TEST(Training, GivesTheCodesOfWhatIsHeldOut) {
  Job job = training_job("cpu_sequential");
  job.as<TrainJob>()->latents = true;
  std::int64_t images = 0;
  for (const Message& message : EmulatedTraining().run(job).said) {
    const auto* latents = std::get_if<Latents>(&message);
    if (latents == nullptr) continue;
    EXPECT_EQ(latents->first, images);
    EXPECT_EQ(latents->shape, (std::vector<std::int64_t>{2, 2, 2, 2}));
    EXPECT_EQ(latents->values.size(), 4u * 2 * 2 * 2 * 2);
    images += latents->shape.front();
  }
  EXPECT_EQ(images, 2);
}

TEST(Training, RefusesWhatCannotBeTrained) {
  const auto refusal = [](Job job) {
    const Answers answers = EmulatedTraining().run(job);
    EXPECT_TRUE(answers.failed);
    return sentence(answers.error);
  };
  EXPECT_THAT(refusal(training_job("cpu_sequential", {{"batch", "16"}})),
              HasSubstr("8 samples are fewer than a batch of 16"));
  EXPECT_THAT(refusal(training_job("step_naive_faulty")), HasSubstr("wrong on purpose"));
  EXPECT_THAT(refusal(training_job("naive_nhwc")), HasSubstr("not a whole training step"));
  Job other = training_job("cpu_sequential");
  other.as<TrainJob>()->resume = TrainingState{};
  other.as<TrainJob>()->resume->weights.resize(12);
  EXPECT_THAT(refusal(other), HasSubstr("the weights have 12 bytes, and 1644 are expected"));
  EXPECT_THAT(
      refusal(training_job("step_nchw", {{"batch", "8"}, {"size", "32"}, {"channels", "256"}}, {})),
      HasSubstr("would take minutes in the emulator"));
}

Job queued(std::int64_t number, const std::string& tag) {
  Job job;
  job.job = number;
  job.tag = tag;
  return job;
}

TEST(JobQueue, PutsAJobThatGoesOnBehindThoseThatWait) {
  JobQueue queue;
  queue.push(queued(1, "train"));
  queue.pop();
  EXPECT_FALSE(queue.others_wait());
  queue.push(queued(2, "live/a"));
  queue.push(queued(3, "live/b"));
  EXPECT_TRUE(queue.others_wait());
  EXPECT_EQ(queue.next(1).size(), 1u);
  EXPECT_EQ(queue.next(5).at(1).job, 3) << "and they still wait";
  queue.set_aside();
  EXPECT_EQ(queue.pop()->job, 2);
  EXPECT_EQ(queue.pop()->job, 3);
  EXPECT_EQ(queue.pop()->job, 1);
  EXPECT_FALSE(queue.interrupted());
}

TEST(JobQueue, InterruptsAJobThatWasSetAsideWhenItRunsAgain) {
  for (const bool first : {false, true}) {
    JobQueue queue;
    queue.push(queued(1, "train"));
    queue.pop();
    queue.set_aside();
    Job newer = queued(2, "train");
    newer.first = first;
    EXPECT_FALSE(queue.push(newer)) << "it has to end first";
    while (queue.pop()->job != 1) {
      EXPECT_FALSE(queue.interrupted()) << "nothing takes the place of the newer one";
      queue.finish();
    }
    EXPECT_TRUE(queue.interrupted());
    EXPECT_FALSE(queue.cancelled());
  }
  {
    JobQueue queue;
    queue.push(queued(1, "train"));
    queue.pop();
    queue.push(queued(2, "live"));
    queue.push(queued(3, "train"));
    queue.set_aside();
    EXPECT_EQ(queue.pop()->job, 1) << "it ends before what takes its place begins";
    EXPECT_TRUE(queue.interrupted());
  }
  JobQueue queue;
  queue.push(queued(1, "train"));
  queue.pop();
  queue.set_aside();
  EXPECT_FALSE(queue.cancel(1)) << "it is not done by taking it out";
  EXPECT_EQ(queue.pop()->job, 1);
  EXPECT_TRUE(queue.interrupted());
  EXPECT_TRUE(queue.cancelled());
}

}  // namespace
}  // namespace warpscope
