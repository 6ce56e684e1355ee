// tests/engine/step_kinds_gpu_test.cpp: every kind of step, buffer and submission on a device.
#include <gmock/gmock.h>

#include <algorithm>

#include "profiling/engine/measure/measurer.h"
#include "scenes/base/element_inputs.h"
#include "tests/engine/gpu_fixture.h"
#include "tests/engine/step_scenes.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

class GpuStepKinds : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    // Neither is closed, as the device of GpuTest is not.
    static const auto* catalogue = new Catalogue(step_scenes());
    static auto* measurer = new Result<std::unique_ptr<Measurer>>(
        Measurer::create(0, ProfilerUse::counters, *catalogue));
    scenes_ = &catalogue->scenes();
    ASSERT_TRUE(*measurer) << sentence(measurer->error());
    measurer_ = (*measurer)->get();
  }

  Measurement measured(const std::string& scene, const std::string& variant,
                       const std::string& counters = "none", bool live = false,
                       JobKind kind = JobKind::measure) {
    Job job;
    job.job = 1;
    job.sources = {step_kernels()};
    job.work = work_of(kind);
    job.scene = scene;
    job.variant = variant;
    if (auto* measure = job.as<MeasureJob>()) {
      measure->counters = counters;
      measure->live = live;
    }
    job.time_limit_s = 0.2;
    said_.clear();
    JobChannel channel;
    channel.send = [&](const Message& message) { said_.push_back(message); };
    channel.interrupted = [] { return false; };
    const Result<void> done = measurer_->run(job, channel);
    EXPECT_TRUE(done) << variant << ": " << sentence(done.error());
    const std::vector<Measurement> all = of<Measurement>();
    return all.empty() ? Measurement{} : all.back();
  }
  template <typename T>
  std::vector<T> of() const {
    std::vector<T> found;
    for (const Message& message : said_) {
      if (const T* one = std::get_if<T>(&message)) found.push_back(*one);
    }
    return found;
  }
  bool counts() const {
    for (const Capability& capability : measurer_->capabilities()) {
      if (capability.name == "counters") return capability.available;
    }
    return false;
  }

  const std::vector<Scene>* scenes_ = nullptr;
  Measurer* measurer_ = nullptr;
  std::vector<Message> said_;
};

TEST_F(GpuStepKinds, VariantsAreRightBeforeAndAfterTimingThoughTheyChangeTheirState) {
  for (const char* variant : {"stream", "graph", "on_host", "both"}) {
    const Measurement m = measured("training", variant);
    ASSERT_EQ(m.verdict.outcome, Outcome::correct) << variant << ": " << m.verdict.sentence;
    EXPECT_EQ(m.verdict.checked_elements, 202) << variant;
    ASSERT_TRUE(m.warm) << variant;
    EXPECT_GT(m.warm->median_ns, 0) << variant;
    EXPECT_EQ(m.submission,
              variant == std::string("graph") ? Submission::graph : Submission::stream);
    for (const StepRecord& step : m.steps) EXPECT_TRUE(step.time_ns) << variant << " " << step.name;
    EXPECT_EQ(of<Series>().size(), 1u) << variant;
    EXPECT_EQ(of<Picture>().size(), 1u) << variant;
  }
  EXPECT_EQ(measured("training", "forgets_to_learn").verdict.outcome, Outcome::wrong);
  EXPECT_TRUE(of<Series>().empty());
}

// Repeated alone, take_places writes after the end of its list.
TEST_F(GpuStepKinds, StepsAfterAClearedCounterAreTimedInTheOrderOfTheRun) {
  const Measurement m = measured("constants", "takes_places");
  ASSERT_EQ(m.verdict.outcome, Outcome::correct) << m.verdict.sentence;
  ASSERT_EQ(m.steps.size(), 4u);
  for (const StepRecord& step : m.steps) {
    EXPECT_TRUE(step.time_ns) << step.name;
    EXPECT_EQ(step.how, "one run per sample, after the steps before it") << step.name;
  }
}

TEST_F(GpuStepKinds, TagsStandAtTheStepsAndNamesStayWhatTheyAre) {
  const Measurement m = measured("training", "stream");
  ASSERT_EQ(m.steps.size(), 3u);
  EXPECT_EQ(m.steps[1].name, "step 1");
  EXPECT_EQ(m.steps[1].tags.at("phase"), "training");
  EXPECT_EQ(m.steps[1].tags.at("step"), "1");
}

TEST_F(GpuStepKinds, AGraphIsCapturedOnceAndTimedByItsNodes) {
  const Measurement m = measured("training", "graph");
  ASSERT_EQ(m.verdict.outcome, Outcome::correct) << m.verdict.sentence;
  ASSERT_TRUE(m.prepare_ns);
  const auto capture = std::find_if(m.steps.begin(), m.steps.end(),
                                    [](const auto& s) { return s.name == "capture graph"; });
  ASSERT_NE(capture, m.steps.end());
  EXPECT_EQ(capture->phase, Phase::prepare);
  EXPECT_GE(*m.prepare_ns, *capture->time_ns);
  double sum = 0;
  for (const StepRecord& step : m.steps) {
    if (step.phase != Phase::run) continue;
    EXPECT_THAT(step.how, HasSubstr("nodes")) << step.name;
    sum += *step.time_ns;
  }
  // Its kernels, without the gaps between them, take no longer than the replay.
  EXPECT_LT(sum, 1.2 * m.warm->median_ns);
}

TEST_F(GpuStepKinds, AGraphCountsWhatItsStepsCountOnAStream) {
  if (!counts()) GTEST_SKIP() << "this machine gives no counters";
  const Measurement m = measured("training", "graph", "inst.executed,l1.requests_load");
  ASSERT_EQ(m.verdict.outcome, Outcome::correct) << m.verdict.sentence;
  for (const LogLine& line : of<LogLine>()) ADD_FAILURE() << line.text;
  for (const char* id : {"inst.executed", "l1.requests_load"}) {
    double steps = 0;
    for (const StepRecord& step : m.steps) {
      if (step.phase != Phase::run) continue;
      EXPECT_THAT(step.how, HasSubstr("counters of the same steps on a stream"));
      ASSERT_TRUE(value_of(step.metrics, id)) << step.name;
      steps += *value_of(step.metrics, id);
    }
    ASSERT_TRUE(value_of(m.metrics, id));
    EXPECT_NEAR(*value_of(m.metrics, id), steps, 0.005 * steps) << id;
    EXPECT_GT(steps, 0);
  }
}

TEST_F(GpuStepKinds, CountersOfAStateThatChangesAreOfItsBeginning) {
  if (!counts()) GTEST_SKIP() << "this machine gives no counters";
  const Measurement m = measured("training", "stream", "standard");
  EXPECT_EQ(m.verdict.outcome, Outcome::correct) << m.verdict.sentence;
  EXPECT_TRUE(value_of(m.metrics, "inst.executed"));
}

TEST_F(GpuStepKinds, NewCountersGiveNumbers) {
  if (!counts()) GTEST_SKIP() << "this machine gives no counters";
  const Measurement m = measured("training", "stream", "full");
  ASSERT_FALSE(m.steps.empty());
  for (const char* id : {"local.sectors_load", "local.sectors_store", "inst.per_cycle",
                         "inst.branches", "inst.branches_divergent", "stall.mio_throttle",
                         "stall.math_pipe_throttle", "stall.branch_resolving", "stall.drain",
                         "stall.no_instruction", "stall.imc_miss", "stall.membar", "stall.sleeping",
                         "stall.dispatch_stall", "stall.misc", "stall.tex_throttle"}) {
    const MetricValue* value = find_value(m.steps[0].metrics, id);
    ASSERT_NE(value, nullptr) << id;
    EXPECT_TRUE(value->value) << id << ": " << value->reason;
  }
  EXPECT_EQ(value_of(m.steps[0].metrics, "local.sectors_load"), 0) << "nothing is spilled here";
  EXPECT_GT(*value_of(m.steps[0].metrics, "inst.branches"), 0);
}

TEST_F(GpuStepKinds, ARunOnTheHostIsTimedByItsClockAndNotWhileASliderMoves) {
  const Measurement m = measured("training", "on_host", "standard");
  ASSERT_EQ(m.verdict.outcome, Outcome::correct) << m.verdict.sentence;
  EXPECT_FALSE(m.cold);
  EXPECT_THAT(find_value(m.metrics, "time.cold")->reason, HasSubstr("host's clock"));
  EXPECT_THAT(find_value(m.metrics, "inst.executed")->reason, HasSubstr("runs on the host"));
  EXPECT_EQ(m.warm->runs_per_sample, 1);
  ASSERT_EQ(m.steps.size(), 1u);
  EXPECT_EQ(m.steps[0].kind, "host");
  EXPECT_EQ(m.steps[0].source, "-O2, one thread");
  const Measurement moving = measured("training", "on_host", "none", true);
  EXPECT_EQ(moving.verdict.outcome, Outcome::cannot_run);
  EXPECT_TRUE(moving.partial);
  EXPECT_THAT(moving.verdict.sentence, HasSubstr("while a slider moves"));
}

TEST_F(GpuStepKinds, ATimelineShowsCopiesFromAndToTheHost) {
  measured("training", "both", "none", false, JobKind::timeline);
  const std::vector<Timeline> timelines = of<Timeline>();
  ASSERT_EQ(timelines.size(), 1u);
  for (const char* name : {"copy to the host", "copy to the device"}) {
    EXPECT_TRUE(std::any_of(timelines[0].activities.begin(), timelines[0].activities.end(),
                            [&](const auto& a) { return a.name == name && a.bytes == 400; }))
        << name;
  }
  EXPECT_TRUE(std::any_of(timelines[0].ranges.begin(), timelines[0].ranges.end(),
                          [](const auto& r) { return r.name == "halve"; }));
}

TEST_F(GpuStepKinds, PartsBitsAndReportedErrorsAreAsOnTheEmulator) {
  const Measurement m = measured("pieces", "pieces");
  EXPECT_EQ(m.verdict.outcome, Outcome::correct);
  EXPECT_EQ(m.verdict.sentence, "every bit of 200 elements of c equals the reference");
  ASSERT_EQ(m.reported.size(), 1u);
  EXPECT_EQ(m.reported[0].mismatches, 1);
  EXPECT_EQ(m.reported[0].worst_error_ratio, 2);
  const Measurement early = measured("pieces", "ends_early");
  EXPECT_EQ(early.verdict.outcome, Outcome::wrong);
  EXPECT_EQ(early.verdict.sentence,
            "199 of 200 elements of c are bit-equal; the farthest, at c[199], by 1: -48260969 "
            "in place of -48260968");
  const Measurement beyond = measured("pieces", "beyond");
  EXPECT_EQ(beyond.verdict.outcome, Outcome::launch_failed);
  EXPECT_THAT(beyond.verdict.sentence, HasSubstr("is not inside the 800 bytes of c"));
}

TEST_F(GpuStepKinds, ConstantsAreAsOnTheEmulator) {
  for (const char* variant : {"filled", "refilled"}) {
    const Measurement m = measured("constants", variant);
    EXPECT_EQ(m.verdict.outcome, Outcome::correct) << variant << ": " << m.verdict.sentence;
    EXPECT_EQ(m.steps.front().source, "f to constant table");
  }
  EXPECT_NE(measured("constants", "too_large").verdict.outcome, Outcome::correct);
  EXPECT_NE(measured("constants", "no_such_array").verdict.outcome, Outcome::correct);
}

TEST_F(GpuStepKinds, InputsMadeOnTheDeviceEqualTheHostsBitForBit) {
  const Scene& scene = (*scenes_)[1];
  kernels_->use(sources_among({step_kernels()}));
  Stage stage(*device_, *kernels_);
  for (const std::int64_t n : {std::int64_t{1}, std::int64_t{1000}, std::int64_t{3'000'001}}) {
    Configuration axes = default_configuration(scene.axes);
    axes.set("n", n);
    axes.set("cuts", std::string("0,0"));
    const Result<void> set = stage.set(scene, axes);
    ASSERT_TRUE(set) << sentence(set.error());
    Result<Stage::Bound> bound = stage.bind(scene.variants[0]);
    ASSERT_TRUE(bound) << sentence(bound.error());
    const Result<std::vector<std::byte>> device = stage.bytes_of(*bound, "a");
    ASSERT_TRUE(device);
    Inputs inputs;
    make_element_inputs(scene, stage.workload(), inputs);
    const std::span<const std::byte> host = inputs.at("a").bytes();
    EXPECT_TRUE(std::equal(device->begin(), device->end(), host.begin(), host.end())) << n;
  }
}

TEST_F(GpuStepKinds, ALibraryCallsFunctionLeavesWhatTheLibraryLeaves) {
  for (const char* variant : {"with_function", "without"}) {
    const Measurement m = measured("library", variant);
    if (m.verdict.outcome == Outcome::cannot_run) GTEST_SKIP() << m.verdict.sentence;
    EXPECT_EQ(m.verdict.outcome, Outcome::correct) << variant << ": " << m.verdict.sentence;
  }
}

}  // namespace
}  // namespace warpscope
