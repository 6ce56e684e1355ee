// tests/engine/row_choice_gpu_test.cpp: automatic choices time their candidates on a device, and
// remember them.
#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "profiling/engine/measure/measurer.h"
#include "scenes/base/source.h"
#include "scenes/choice_scenes.h"
#include "tests/engine/gpu_fixture.h"
#include "tests/profiling/tuning/own_cache.h"

namespace warpscope {
namespace {

class GpuRowChoices : public OwnCache {
 protected:
  void SetUp() override {
    OwnCache::SetUp();
    inject_nvtx();
    auto measurer = Measurer::create(0, ProfilerUse::none);
    if (!measurer) GTEST_SKIP() << sentence(measurer.error());
    measurer_ = std::move(*measurer);
  }
  Measurement measured(const std::string& scene, const std::string& variant, ChooseBy by) {
    const Result<std::vector<KernelSource>> sources = sources_of_scene(scene);
    EXPECT_TRUE(sources) << sentence(sources.error());
    Job job;
    job.job = 1;
    job.scene = scene;
    job.variant = variant;
    job.work = MeasureJob{.choose = by};
    job.time_limit_s = 0.05;
    job.sources = sources.value_or(std::vector<KernelSource>{});
    Measurement last;
    JobChannel channel;
    channel.send = [&last](const Message& message) {
      if (const auto* m = std::get_if<Measurement>(&message)) last = *m;
    };
    channel.interrupted = [] { return false; };
    const Result<void> done = measurer_->run(job, channel);
    EXPECT_TRUE(done) << scene << ": " << sentence(done.error());
    return last;
  }

  std::unique_ptr<Measurer> measurer_;
};

TEST_F(GpuRowChoices, TimeTheirCandidatesOnceAndRunTheFastest) {
  for (const ChoiceScene& about : choice_scenes()) {
    const std::string row = about.rows.front();
    const Measurement first = measured(about.scene, row, ChooseBy::measure);
    EXPECT_EQ(first.verdict.outcome, Outcome::correct) << about.scene << first.verdict.sentence;
    ASSERT_TRUE(first.picked) << about.scene;
    EXPECT_EQ(first.picked->reason, PickReason::measured) << about.scene;
    EXPECT_EQ(first.picked->tried.size(), kTimedRows) << about.scene;
    const TriedRow* taken = nullptr;
    for (const TriedRow& tried : first.picked->tried) {
      if (tried.row == first.picked->row) taken = &tried;
    }
    ASSERT_TRUE(taken != nullptr && taken->ns) << about.scene;
    for (const TriedRow& tried : first.picked->tried) {
      EXPECT_LE(*taken->ns, tried.ns.value_or(*taken->ns)) << about.scene;
    }
    // What ran is what was picked: its own time is that of the trial.
    const auto& time = about.cold ? first.cold : first.warm;
    ASSERT_TRUE(time) << about.scene;
    EXPECT_NEAR(time->median_ns / *taken->ns, 1, 0.2) << about.scene;
    const Measurement second = measured(about.scene, row, ChooseBy::measure);
    ASSERT_TRUE(second.picked) << about.scene;
    EXPECT_EQ(second.picked->reason, PickReason::remembered) << about.scene;
    EXPECT_EQ(second.picked->row, first.picked->row) << about.scene;
    EXPECT_EQ(second.verdict.outcome, Outcome::correct) << about.scene;
  }
  EXPECT_EQ(files_in("choices").size(), choice_scenes().size());
}

TEST_F(GpuRowChoices, TakeTheTablesRowWhereThatIsAsked) {
  const Measurement point = measured("csrmm", "auto", ChooseBy::table);
  ASSERT_TRUE(point.picked);
  EXPECT_EQ(point.picked->reason, PickReason::table);
  EXPECT_THAT(files_in("choices"), testing::IsEmpty());
}

}  // namespace
}  // namespace warpscope
