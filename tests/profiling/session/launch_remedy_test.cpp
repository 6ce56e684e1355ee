// tests/profiling/session/launch_remedy_test.cpp: which axis mends a launch that fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiling/points/occupancy.h"
#include "profiling/session/remedy.h"
#include "scenes/catalogue.h"

namespace warpscope {
namespace {

using testing::ElementsAre;
using testing::Pair;

Axis whole(const char* name, Binding binds, std::int64_t value, std::vector<double> stops = {}) {
  Axis axis = number_axis(name, name, "1", "An axis of a test.", AxisKind::integer, AxisScale::log,
                          binds, 1, 1024, value);
  axis.stops = std::move(stops);
  return axis;
}

TEST(NearestRunnable, StepsByWhatAVariantAsksFor) {
  const Scene& scene = *built_in_catalogue().find("csrmm").value();
  const Configuration axes = default_configuration(scene.axes);
  const Axis& n = *find_axis(scene.axes, "n");
  const auto near = [&](const char* variant, std::int64_t value) {
    return nearest_runnable(scene, *find_variant(scene, variant), axes, n, value, {});
  };
  // float4_columns reads four columns at once.
  EXPECT_EQ(near("float4_columns", 44), 44);
  EXPECT_EQ(near("float4_columns", 45), 44);
  EXPECT_EQ(near("float4_columns", 47), 48);
  EXPECT_EQ(near("warp_row_zero_test", 45), 45);
}

// One variant whose blocks have `threads` threads and ask for `bytes` of shared memory a thread.
class LaunchRemedy : public testing::Test {
 protected:
  LaunchRemedy() {
    scene_.name = "scene";
    scene_.admit = [](const Configuration&) { return Result<void>{}; };
    Variant v;
    v.name = "wide";
    v.steps = [this](const Workload& w) -> std::vector<Step> {
      const std::int64_t threads = w.integer(threads_axis_);
      const std::int64_t bytes = bytes_axis_.empty() ? 0 : w.integer(bytes_axis_);
      static_cast<void>(w.fact("nnz"));
      return {{"clear", Phase::run, Memset{"y", 0}},
              {"sum", Phase::run,
               KernelLaunch{"a.cu", "k", {}, {{1, 1, 1}, {threads, 1, 1}, threads * bytes}}}};
    };
    scene_.variants = {v};
  }
  StepRecord record(int registers) const {
    StepRecord step;
    step.name = "sum";
    step.kind = "kernel";
    step.source = "a.cu";
    step.entry = "k";
    step.launch = std::get<KernelLaunch>(scene_.variants[0].steps(workload()).at(1).action).launch;
    step.resources = KernelResources{};
    step.resources->registers_per_thread = registers;
    return step;
  }
  Workload workload() const {
    return {for_variant(scene_.axes, default_configuration(scene_.axes), "wide"), {{"nnz", 4}}};
  }
  std::map<std::string, std::string> mended(int registers) const {
    const auto change =
        launch_remedy(scene_, scene_.variants[0], workload(), {record(registers)}, DeviceLimits{});
    return change ? change->values : std::map<std::string, std::string>{};
  }
  Scene scene_;
  std::string threads_axis_ = "block", bytes_axis_;
};

TEST_F(LaunchRemedy, IsTheNearestMarkAtWhichTheKernelStarts) {
  scene_.axes = {whole("block", Binding::launch_shape, 512, {64, 128, 256, 512})};
  EXPECT_THAT(mended(255), ElementsAre(Pair("block", "256")));
  EXPECT_TRUE(mended(128).empty()) << "it starts";
  // Without marks powers of two are tried.
  scene_.axes = {whole("block", Binding::launch_shape, 768)};
  EXPECT_THAT(mended(255), ElementsAre(Pair("block", "256")));
}

TEST_F(LaunchRemedy, PrefersWhatIsTheVariantsOwn) {
  scene_.axes = {whole("other", Binding::launch_shape, 512, {64, 512}),
                 whole("block", Binding::launch_shape, 512, {64, 256, 512})};
  scene_.axes[1].of_variants = {"wide"};
  EXPECT_THAT(mended(255), ElementsAre(Pair("block", "256")));
  // An axis of the problem that is compiled in is nobody's remedy: it is another problem.
  scene_.axes[1].of_variants.clear();
  scene_.axes[1].binds = Binding::compile_time;
  EXPECT_TRUE(mended(255).empty());
}

TEST_F(LaunchRemedy, TakesNoValueThatAConstraintOrTheSceneRefuses) {
  scene_.axes = {whole("block", Binding::launch_shape, 512, {64, 128, 256, 512})};
  scene_.variants[0].constraints.push_back(
      {"blocks of 256 are not known", [](const Workload& w, const DeviceLimits&) {
         return w.integer("block") == 256 ? std::optional<std::string>("it is 256") : std::nullopt;
       }});
  EXPECT_THAT(mended(255), ElementsAre(Pair("block", "128")));
  scene_.admit = [](const Configuration& axes) -> Result<void> {
    if (axes.integer("block") != 128) return {};
    return failure(ErrorKind::usage, "128 is not admitted", "block");
  };
  EXPECT_THAT(mended(255), ElementsAre(Pair("block", "64")));
}

TEST_F(LaunchRemedy, MendsSharedMemoryByTheAxisThatAsksForIt) {
  bytes_axis_ = "stages";
  scene_.axes = {whole("block", Binding::launch_shape, 256, {256}),
                 whole("stages", Binding::compile_time, 1024, {512, 768, 1024})};
  scene_.axes[1].of_variants = {"wide"};
  EXPECT_THAT(mended(32), ElementsAre(Pair("stages", "768")));
}

TEST_F(LaunchRemedy, IsNoneWhereNothingStartsOrFactsAreMissing) {
  scene_.axes = {whole("block", Binding::launch_shape, 512, {384, 512})};
  EXPECT_TRUE(mended(255).empty());
  scene_.axes = {whole("block", Binding::launch_shape, 512, {256, 512})};
  const StepRecord step = record(255);
  Workload bare = workload();
  bare.facts.clear();
  EXPECT_FALSE(launch_remedy(scene_, scene_.variants[0], bare, {step}, DeviceLimits{}));
  const auto verdict = launch_verdict(scene_, scene_.variants[0], bare, {step}, DeviceLimits{});
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->remedy, "choose a smaller block, or cap its registers with __launch_bounds__");
}

}  // namespace
}  // namespace warpscope
