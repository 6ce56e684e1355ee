// tests/engine/stall_sampler_test.cpp: samples of where warps wait, joined from what CUPTI says,
// and taken on a GPU.
#include "profiling/engine/measure/samples/stall_sampler.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "profiling/engine/measure/measurer.h"
#include "scenes/base/source.h"
#include "scenes/catalogue.h"
#include "tests/engine/gpu_fixture.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

TEST(StallSamples, ReasonsAreCuptisWithoutWhatAllBeginWith) {
  EXPECT_EQ(stall_reason_name("smsp__pcsamp_warps_issue_stalled_long_scoreboard"),
            std::pair(std::string("long_scoreboard"), false));
  EXPECT_EQ(stall_reason_name("smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued"),
            std::pair(std::string("long_scoreboard"), true));
  EXPECT_EQ(stall_reason_name("another").first, "another");
}

TEST(StallSamples, JoinBothCountsOfAReasonAndTheFunctionsWithinAKernel) {
  GatheredSamples gathered;
  gathered.counts[{"k", 16}] = {{1, 40}, {2, 30}, {3, 5}};
  gathered.counts[{"$k$slow", 32}] = {{1, 7}};
  gathered.counts[{"other", 0}] = {{1, 9}, {2, 9}};
  const ReasonNames names = {
      {1, {"long_scoreboard", false}}, {2, {"long_scoreboard", true}}, {3, {"selected", false}}};
  const StallSamples samples = stall_samples_of(gathered, names, {{"k", 0}, {"$k$slow", 256}});
  ASSERT_EQ(samples.instructions.size(), 2u);
  EXPECT_EQ(samples.instructions[0].offset, 16u);
  EXPECT_EQ(samples.instructions[0].counts, (std::vector<StallCount>{{0, 40, 30}, {1, 5, 0}}));
  EXPECT_EQ(samples.instructions[1].offset, 288u);
  EXPECT_EQ(samples.elsewhere, 9);  // once, not also those of the second count
  EXPECT_EQ(samples.reasons, (std::vector<std::string>{"long_scoreboard", "selected"}));
  EXPECT_EQ(samples_of_all(samples), 52);
}

TEST(StallSamples, AreTakenMoreOftenOfAShorterRun) {
  EXPECT_EQ(sampling_period_log2(0), sampling_period_log2(1e3));
  int last = 0;
  for (double ns = 1e3; ns < 1e9; ns *= 2) {
    const int period = sampling_period_log2(ns);
    EXPECT_GE(period, last);
    EXPECT_GE(period, 5);  // what CUPTI takes
    EXPECT_LE(period, 31);
    last = period;
  }
}

TEST(StallSampler, WithoutADriverGivesAnEnvironmentErrorWithARemedy) {
  if (load_cuda_driver()) GTEST_SKIP() << "this machine has a driver";
  const Result<std::unique_ptr<StallSampler>> sampler = StallSampler::create(nullptr);
  if (sampler) GTEST_SKIP() << "libcupti loads without a driver";
  EXPECT_EQ(sampler.error().kind, ErrorKind::environment);
  const Capability capability = samples_capability(sampler);
  EXPECT_EQ(capability.name, "samples");
  EXPECT_NE(capability.reason, "");
  EXPECT_NE(capability.remedy, "");
}

class GpuSamples : public RangesReachCupti {
 protected:
  // What a measurer says of a job. Only one kind of measurer is made in a process: after counters
  // no sample comes.
  static std::vector<Measurement> answers(ProfilerUse use, const Job& job, Result<void>& done) {
    std::vector<Measurement> points;
    const Result<std::unique_ptr<Measurer>> measurer = Measurer::create(0, use);
    if (!measurer) {
      done = tl::unexpected(measurer.error());
      return points;
    }
    JobChannel channel;
    channel.interrupted = [] { return false; };
    channel.send = [&](Message message) {
      if (auto* m = std::get_if<Measurement>(&message)) points.push_back(std::move(*m));
    };
    done = (*measurer)->run(job, channel);
    return points;
  }

  static Job sample_job() {
    Job job;
    job.job = 1;
    job.scene = "patterns";
    job.variant = "copy";
    job.work = MeasureJob{.counters = "samples", .time = false};
    for (const char* file : {"patterns/copy.cu", "patterns/reference.cu"}) {
      const Result<std::vector<KernelSource>> texts = sources_on_disk()(file);
      EXPECT_TRUE(texts);
      if (texts) job.sources.insert(job.sources.end(), texts->begin(), texts->end());
    }
    return job;
  }
};

TEST_F(GpuSamples, OfACopyWaitForItsLoad) {
  if (!load_cuda_driver()) GTEST_SKIP() << "this machine has no driver";
  Result<void> done;
  const auto points = answers(ProfilerUse::samples, sample_job(), done);
  if (!done && done.error().kind == ErrorKind::environment) GTEST_SKIP() << sentence(done.error());
  ASSERT_TRUE(done) << sentence(done.error());
  ASSERT_FALSE(points.empty());
  const std::vector<StepRecord>& steps = points.back().steps;
  const auto own = std::find_if(steps.begin(), steps.end(), [](const StepRecord& step) {
    return !step.samples.instructions.empty();
  });
  ASSERT_NE(own, steps.end()) << steps.size() << " steps; " << points.back().verdict.sentence;
  const StallSamples& samples = own->samples;
  for (const MetricValue& missing : samples.missing) ADD_FAILURE() << missing.reason;
  EXPECT_GT(samples_of_all(samples), 1000);
  EXPECT_GT(samples.multiprocessors, 0);
  std::int64_t memory = 0;
  for (const InstructionSamples& at : samples.instructions) {
    EXPECT_LT(static_cast<std::int64_t>(at.offset), samples.code_bytes);
    for (const StallCount& count : at.counts) {
      EXPECT_LE(count.not_issued, count.samples);
      if (samples.reasons.at(count.reason) == "long_scoreboard") memory += count.samples;
    }
  }
  EXPECT_GT(memory, samples_of_all(samples) / 4);
}

TEST_F(GpuSamples, AnEngineThatSamplesDoesNothingElse) {
  if (!load_cuda_driver()) GTEST_SKIP() << "this machine has no driver";
  Job job = sample_job();
  job.work = MeasureJob{};
  Result<void> done;
  static_cast<void>(answers(ProfilerUse::samples, job, done));
  ASSERT_FALSE(done);
  if (done.error().kind == ErrorKind::environment) GTEST_SKIP() << sentence(done.error());
  EXPECT_THAT(done.error().remedy, HasSubstr("without --samples"));
}

}  // namespace
}  // namespace warpscope
