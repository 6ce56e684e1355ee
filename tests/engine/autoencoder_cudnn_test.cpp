// tests/engine/autoencoder_cudnn_test.cpp: what must hold of the rows of `autoencoder` that call
// cuDNN, without a device: their calls, what those compute on the host, and what a missing library
// says.
#include <algorithm>
#include <cmath>
#include <set>

#include "profiling/engine/cuda/cudnn.h"
#include "profiling/engine/cuda/cudnn/cudnn_library.h"
#include "scenes/autoencoder/autoencoder.h"
#include "tests/engine/staged_scene.h"

namespace warpscope {
namespace {

// The rows of one configuration that call cuDNN.
class Rows {
 public:
  explicit Rows(const Changes& changes) : scene_(autoencoder_scene()) {
    const auto axes = with_values(scene_.axes, default_configuration(scene_.axes), changes);
    EXPECT_TRUE(axes) << sentence(axes.error());
    axes_ = *axes;
  }
  std::vector<Variant> all() const {
    std::vector<Variant> found;
    for (const Variant& v : scene_.variants) {
      if (v.name.find("cudnn") != std::string::npos && applies(v, axes_) &&
          !unavailable(v, workload(v), {}))
        found.push_back(v);
    }
    return found;
  }
  Workload workload(const Variant& variant) const {
    return {for_variant(scene_.axes, axes_, variant.name), {}};
  }
  Verdict verdict(const Variant& variant) {
    const Result<void> made = stage_.set(scene_, workload(variant).axes);
    EXPECT_TRUE(made) << sentence(made.error());
    EmulatedStage::View view;
    view.sums = false;
    const auto ran = stage_.run(variant, view);
    EXPECT_TRUE(ran) << variant.name << ": " << sentence(ran.error());
    const Result<Verdict> verdict = stage_.check(variant);
    EXPECT_TRUE(verdict) << variant.name << ": " << sentence(verdict.error());
    return verdict.value_or(Verdict{});
  }
  const Scene& scene() const { return scene_; }
  const Configuration& axes() const { return axes_; }

 private:
  Scene scene_;
  Configuration axes_;
  EmulatedStage stage_;
};

std::vector<LibraryCall> calls_of(const Variant& variant, const Workload& workload) {
  std::vector<LibraryCall> calls;
  for (const Step& step : variant.steps(workload)) {
    if (const auto* call = std::get_if<LibraryCall>(&step.action)) calls.push_back(*call);
  }
  return calls;
}

using AutoencoderCudnn = CompilingTest;

TEST_F(AutoencoderCudnn, EveryRowIsRightInEveryLayerAndDirection) {
  for (const char* layer : {"Conv1", "Conv2", "Conv3", "Conv4", "Conv5"}) {
    for (const char* direction : {"forward", "dgrad", "wgrad"}) {
      for (const Changes& sizes : {Changes{{"batch", "2"}, {"channels", "4"}, {"size", "8"}},
                                   Changes{{"batch", "3"}, {"channels", "10"}, {"size", "12"}}}) {
        Changes changes = sizes;
        changes["layer"] = layer;
        changes["direction"] = direction;
        Rows rows(changes);
        const std::vector<Variant> all = rows.all();
        EXPECT_EQ(all.size(), direction == std::string("forward") ? 4u : 2u);
        for (const Variant& variant : all) {
          const Verdict verdict = rows.verdict(variant);
          EXPECT_EQ(verdict.outcome, Outcome::correct)
              << variant.name << " at " << problem_key(rows.scene().axes, rows.axes()) << ": "
              << verdict.sentence;
          EXPECT_GT(verdict.checked_elements, 0);
        }
      }
    }
  }
}

TEST_F(AutoencoderCudnn, PoolsAreRightInEitherDirection) {
  for (const char* layer : {"Pool1", "Pool2"}) {
    for (const char* pass : {"forward", "backward"}) {
      for (const Changes& sizes : {Changes{{"batch", "2"}, {"channels", "4"}, {"size", "8"}},
                                   Changes{{"batch", "3"}, {"channels", "10"}, {"size", "12"}}}) {
        Changes changes = sizes;
        changes.insert({{"part", "pool"}, {"pool_layer", layer}, {"pass", pass}});
        Rows rows(changes);
        const std::vector<Variant> all = rows.all();
        ASSERT_EQ(all.size(), 1u);
        EXPECT_EQ(all.front().name, "cudnn_pooling");
        const Verdict verdict = rows.verdict(all.front());
        EXPECT_EQ(verdict.outcome, Outcome::correct)
            << layer << " " << pass << ": " << verdict.sentence;
        EXPECT_GT(verdict.checked_elements, 0);
      }
    }
  }
}

// A pool is wrong without the library's call, or without the steps around it.
TEST_F(AutoencoderCudnn, APoolThatLosesAStepIsWrong) {
  for (const char* pass : {"forward", "backward"}) {
    const Changes changes = {
        {"part", "pool"}, {"pass", pass}, {"batch", "2"}, {"channels", "4"}, {"size", "8"}};
    Rows rows(changes);
    const Variant whole = rows.all().at(0);
    const std::vector<Step> steps = whole.steps(rows.workload(whole));
    ASSERT_EQ(steps.size(), 2u);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      Variant maimed = whole;
      maimed.steps = [&steps, i](const Workload&) { return std::vector<Step>{steps[1 - i]}; };
      Rows fresh(changes);
      EXPECT_NE(fresh.verdict(maimed).outcome, Outcome::correct)
          << pass << " without " << steps[i].name;
    }
  }
}

// What the host makes of TF32 is within the bound of TF32 and beyond that of f32.
TEST_F(AutoencoderCudnn, RoundedFactorsAreBeyondTheBoundOfF32) {
  for (const char* direction : {"forward", "dgrad", "wgrad"}) {
    Rows rows({{"layer", "Conv2"},
               {"direction", direction},
               {"batch", "2"},
               {"channels", "8"},
               {"size", "8"}});
    Variant tf32 = *find_variant(rows.scene(), "cudnn_tf32");
    tf32.tolerance_at = find_variant(rows.scene(), "cudnn_fp32")->tolerance_at;
    EXPECT_EQ(rows.verdict(tf32).outcome, Outcome::wrong) << direction;
  }
}

TEST_F(AutoencoderCudnn, WholeStepsAreRight) {
  for (const Changes& sizes :
       {Changes{{"batch", "2"}, {"channels", "8"}, {"size", "8"}},
        Changes{{"batch", "3"}, {"channels", "16"}, {"size", "4"}, {"lr", "1"}},
        Changes{{"batch", "1"}, {"channels", "8"}, {"size", "12"}, {"seed", "7"}}}) {
    Changes changes = sizes;
    changes["part"] = "step";
    Rows rows(changes);
    ASSERT_EQ(rows.all().size(), 3u);
    for (const Variant& variant : rows.all()) {
      const Verdict verdict = rows.verdict(variant);
      EXPECT_EQ(verdict.outcome, Outcome::correct)
          << variant.name << " at " << problem_key(rows.scene().axes, rows.axes()) << ": "
          << verdict.sentence;
    }
  }
}

// The wider bound of TF32 still finds a step that lacks one of its parts.
TEST_F(AutoencoderCudnn, AStepInTf32ThatLosesAPartIsWrong) {
  for (const char* name : {"step_cudnn_tf32", "step_cudnn_tf32_nhwc"}) {
    Rows rows({{"part", "step"}, {"batch", "3"}, {"channels", "8"}, {"size", "8"}});
    const Variant& whole = *find_variant(rows.scene(), name);
    const std::vector<Step> steps = whole.steps(rows.workload(whole));
    for (std::size_t i = 0; i < steps.size(); ++i) {
      Variant maimed = whole;
      maimed.steps = [&steps, i](const Workload&) {
        std::vector<Step> fewer = steps;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        return fewer;
      };
      Rows fresh({{"part", "step"}, {"batch", "3"}, {"channels", "8"}, {"size", "8"}});
      EXPECT_EQ(fresh.verdict(maimed).outcome, Outcome::wrong)
          << name << " without " << steps[i].name;
    }
    EXPECT_GT(steps.size(), 30u) << name;
  }
}

TEST_F(AutoencoderCudnn, AStepInTf32IsBeyondTheBoundOfF32) {
  Rows rows({{"part", "step"}, {"batch", "2"}, {"channels", "8"}, {"size", "8"}});
  Variant tf32 = *find_variant(rows.scene(), "step_cudnn_tf32");
  tf32.reference = "direct";
  EXPECT_EQ(rows.verdict(tf32).outcome, Outcome::wrong);
}

TEST_F(AutoencoderCudnn, TheSearchIsAnAxisOfTheseRowsAndAsksTheLibrary) {
  Rows rows({{"layer", "Conv3"}, {"batch", "2"}, {"channels", "8"}, {"size", "8"}});
  const Axis* search = find_axis(rows.scene().axes, "search");
  ASSERT_NE(search, nullptr);
  for (const Variant& variant : rows.all()) {
    EXPECT_TRUE(of_variant(*search, variant.name)) << variant.name;
    for (const auto& [typed, wanted] : {std::pair("on", 1.0), {"off", 0.0}}) {
      const auto axes = configured(rows.scene(), variant.name, {{"search", typed}});
      ASSERT_TRUE(axes);
      const std::vector<LibraryCall> calls = calls_of(variant, {*axes, {}});
      ASSERT_FALSE(calls.empty());
      EXPECT_EQ(calls.front().numbers.at("search"), wanted) << variant.name;
    }
  }
  EXPECT_FALSE(of_variant(*search, "nchw_grid2d"));
}

// A step calls one convolution for each layer and direction that it needs, in one precision and one
// layout.
TEST_F(AutoencoderCudnn, AStepsConvolutionsAreAllTheLibrarys) {
  Rows rows({{"part", "step"}, {"batch", "2"}, {"channels", "8"}, {"size", "8"}});
  for (const auto& [name, precision, innermost] : {std::tuple("step_cudnn_fp32", ".fp32", 0.0),
                                                   {"step_cudnn_tf32", ".tf32", 0.0},
                                                   {"step_cudnn_tf32_nhwc", ".tf32", 1.0}}) {
    const Variant& step = *find_variant(rows.scene(), name);
    std::map<std::string, int> count;
    for (const LibraryCall& call : calls_of(step, rows.workload(step))) {
      ++count[call.name];
      EXPECT_EQ(call.numbers.at("channels_innermost"), innermost) << call.name;
      EXPECT_EQ(call.numbers.at("direct"), 0) << call.name;
    }
    const std::string conv = "cudnn.conv";
    EXPECT_EQ(count, (std::map<std::string, int>{{conv + "_bias_relu" + precision, 5},
                                                 {conv + ".wgrad" + precision, 5},
                                                 {conv + ".dgrad" + precision, 4}}))
        << name;
  }
}

// It is prepared like our steps: nothing is copied, everything is one graph, and the SGD update is
// one launch.
TEST_F(AutoencoderCudnn, AStepIsPreparedAsOursAre) {
  Rows rows({{"part", "step"}, {"batch", "2"}, {"channels", "8"}, {"size", "8"}});
  for (const Variant& step : rows.all()) {
    const Workload w = rows.workload(step);
    EXPECT_EQ(step.submission(w.axes), Submission::graph) << step.name;
    int updates = 0;
    for (const Step& one : step.steps(w)) {
      EXPECT_FALSE(std::holds_alternative<HostCopy>(one.action)) << step.name << " " << one.name;
      if (one.tags.at("phase") == "update") ++updates;
    }
    EXPECT_EQ(updates, 1) << step.name;
  }
}

TEST_F(AutoencoderCudnn, TensorsOutOfStepWithSixteenBytesAreNamed) {
  Rows rows({{"part", "step"}, {"batch", "2"}, {"channels", "4"}, {"size", "8"}});
  EXPECT_TRUE(rows.all().empty());
  const Variant& step = *find_variant(rows.scene(), "step_cudnn_fp32");
  const auto reason = unavailable(step, rows.workload(step), {});
  ASSERT_TRUE(reason);
  // 28 · 4 numbers of Conv1, 9 · 4 · 2 + 2 of Conv2.
  EXPECT_EQ(*reason, "the library reads 16 bytes at a time, and w of Conv3 begins at byte 744");
  const auto remedy = step.constraints.front().remedy(rows.workload(step), {});
  ASSERT_TRUE(remedy);
  EXPECT_EQ(remedy->values.at("channels"), "8");
}

#if __has_include(<cudnn.h>)

TEST(Cudnn, ALibraryThatIsMissingIsOneSentenceWithTheRemedy) {
  const Result<CudnnTable> missing = load_cudnn_table({"libcudnn_of_nobody.so.9"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::environment);
  EXPECT_NE(missing.error().what.find("the library cannot be loaded (libcudnn_of_nobody.so.9"),
            std::string::npos)
      << missing.error().what;
  EXPECT_NE(missing.error().remedy.find("libcudnn9-dev-cuda-13"), std::string::npos);
  const Capability capability = library_capability("cudnn", missing.error());
  EXPECT_FALSE(capability.available);
  EXPECT_EQ(capability.reason, missing.error().what);
}

TEST(Cudnn, AnotherLibraryUnderItsNameLacksFunctions) {
  const Result<CudnnTable> other = load_cudnn_table({"libz.so.1"});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().what, "libcudnn lacks a function this build calls");
}

TEST(Cudnn, ItsVersionStandsAmongTheCapabilities) {
  const std::vector<Capability> all = library_capabilities();
  const auto found =
      std::find_if(all.begin(), all.end(), [](const Capability& c) { return c.name == "cudnn"; });
  ASSERT_NE(found, all.end());
  if (!found->available) GTEST_SKIP() << found->reason;
  EXPECT_EQ(found->version.substr(0, 2), "9.");
  EXPECT_EQ(library_version("cudnn"), found->version);
}

#endif

}  // namespace
}  // namespace warpscope
