// tests/scenes/autoencoder_step_test.cpp: sizes, work, limits and tags of a whole training step of
// `autoencoder` hold.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "scenes/autoencoder/autoencoder.h"
#include "scenes/autoencoder/inputs/inputs.h"
#include "scenes/autoencoder/inputs/net_reference.h"
#include "scenes/autoencoder/shapes.h"
#include "scenes/base/step_buffers.h"

namespace warpscope {
namespace {

using namespace autoencoder;
using Changes = std::map<std::string, std::string>;

const Scene& scene() {
  static const Scene made = autoencoder_scene();
  return made;
}

Workload workload(Changes changes) {
  changes.insert({"part", "step"});
  const auto axes = with_values(scene().axes, with_defaults(scene().axes, {}), changes);
  EXPECT_TRUE(axes) << sentence(axes.error());
  return {*axes, {}};
}

double term(const char* id, const Workload& w, const char* variant) {
  for (const WorkTerm& row : scene().work_terms) {
    if (row.id == id) return evaluate(row, w, *find_variant(scene(), variant)).value();
  }
  ADD_FAILURE() << id;
  return 0;
}

std::string why_not(const char* variant, const Changes& changes, const DeviceLimits& device = {}) {
  return unavailable(*find_variant(scene(), variant), workload(changes), device).value_or("");
}

// But for choices, which run one of the others.
std::vector<const Variant*> levels() {
  std::vector<const Variant*> all;
  for (const Variant& v : scene().variants) {
    if (applies(v, workload({}).axes) && !v.choice) all.push_back(&v);
  }
  return all;
}

// Whether a level has few launches: layers no longer run one by one.
bool fused(const Variant& level) {
  return level.name.starts_with("step_fused") || level.name == "step_graph";
}

// 64 images: three times the forward pass, without the gradient of the image.
TEST(AutoencoderStepSizes, HasTheFlopsAndColumnsOfTheFormulas) {
  const Workload w = workload({});
  double forward = 0;
  for (const std::string& layer : conv_layers())
    forward += term("model.flops", workload({{"part", "conv"}, {"layer", layer}}), "naive_nhwc");
  EXPECT_NEAR(forward / 1e9, 22.35, 0.005);
  // Without five ninths of Conv4 and Conv5, in all three directions: 17.6 fewer. By Winograd's
  // windows of 4×4 outputs with a quarter of Conv2 and Conv3, and 25/144 of Conv4. On tensor cores
  // Conv1's weights get their gradients of a quarter of its places, those of the pool's maxima:
  // 0.68 fewer.
  for (const Variant* level : levels()) {
    const double expected = !fused(*level)                         ? 66.14
                            : level->name == "step_fused_winograd" ? 16.21
                            : level->accuracy.starts_with("f32")   ? 48.52
                                                                   : 47.84;
    EXPECT_NEAR(term("model.flops", w, level->name.c_str()) / 1e9, expected, 0.005) << level->name;
  }
  EXPECT_EQ(term("model.flops", w, "step_nchw"), 3 * forward - 18.0 * 64 * 3 * 256 * 1024);
  // Written, and read again.
  EXPECT_NEAR(2 * term("model.column_bytes", w, "step_im2col_loop") / 1e9, 5.12, 0.01);
  // 0.79 MB of images; 751 875 parameters read and written, their gradients written; one loss.
  EXPECT_EQ(term("model.dram_bytes", w, "step_nchw"), 4.0 * (64 * 3072 + 3 * 751875 + 1));
}

TEST(AutoencoderStepSizes, KeepsTheMapsThatItsLayersHave) {
  const Workload w = workload({});
  const double plane = 64.0 * 1024, quarter = plane / 4, sixteenth = plane / 16;
  // Each map and its gradient: Conv1 and Up2, Conv4 and Pool1, Up1 and Conv2, Conv3 and Pool2,
  // Conv5; and the pools' winners.
  const double maps = 2 * (2 * 256 * plane + 2 * 256 * quarter + 2 * 128 * quarter +
                           2 * 128 * sixteenth + 3 * plane) +
                      256 * quarter + 128 * sixteenth;
  const double outside = 3 * plane + 3 * 751875 + 1;  // images, two layouts, gradients, the loss
  EXPECT_EQ(term("model.peak_bytes", w, "step_nchw"), 4 * (maps + outside));
  EXPECT_EQ(term("model.peak_bytes", w, "step_naive"), 4 * (maps + outside + 3 * plane));
  // Conv5's columns, 576 MiB.
  EXPECT_EQ(
      term("model.peak_bytes", w, "step_im2col_loop") - term("model.peak_bytes", w, "step_nchw"),
      576.0 * (1 << 20));
  for (const Variant* level : levels()) {
    std::int64_t bytes = 0;
    for (const std::vector<BufferSpec>& some : {buffers(w), level->scratch(w)}) {
      for (const BufferSpec& buffer : some) bytes += buffer.count * element_bytes(buffer.type);
    }
    EXPECT_EQ(term("model.peak_bytes", w, level->name.c_str()), static_cast<double>(bytes));
  }
}

TEST(AutoencoderStepSizes, RefusesBatchesThatAreTooLarge) {
  EXPECT_EQ(why_not("step_nchw", {{"batch", "255"}}), "");
  EXPECT_EQ(why_not("step_nchw", {{"batch", "256"}}), "grid z holds 65535 layers, needs 65536");
  EXPECT_EQ(why_not("step_nchw", {{"batch", "1024"}, {"channels", "2"}}), "");
  EXPECT_EQ(why_not("step_im2col_loop", {{"batch", "910"}}), "");
  EXPECT_NE(why_not("step_im2col_strided", {{"batch", "911"}}).find("im2col has a 32-bit index"),
            std::string::npos);
  DeviceLimits small;
  small.free_bytes = 3LL << 30;
  EXPECT_EQ(why_not("step_im2col_loop", {}, small), "");
  const std::string full = why_not("step_im2col_loop", {{"batch", "128"}}, small);
  EXPECT_NE(full.find("1152 MiB of them columns"), std::string::npos) << full;
  EXPECT_NE(full.find("3072 MiB are free"), std::string::npos) << full;
  EXPECT_EQ(why_not("cpu_sequential", {{"batch", "1"}}), "");
  EXPECT_EQ(why_not("cpu_sequential", {}), "the CPU takes one image, and the batch has 64");
  EXPECT_TRUE(find_variant(scene(), "cpu_sequential")->measured_once);
}

// Nobody waits for seconds who did not ask for them.
TEST(AutoencoderStepSizes, AreComparedWithTheNaiveStepAndNotWithTheProcessors) {
  const Configuration axes = workload({}).axes;
  EXPECT_EQ(levels().front()->name, "cpu_sequential");
  EXPECT_EQ(variant_at(scene(), axes, "")->name, "step_naive");
  EXPECT_EQ(variant_at(scene(), axes, scene().baseline)->name, "step_naive");
  EXPECT_EQ(variant_at(scene(), axes, "cpu_sequential")->name, "cpu_sequential");
}

// The estimate that is compared with the free memory counts the maps of the reference as well.
TEST(AutoencoderStepSizes, EstimatesTheReferencesMaps) {
  const Workload w = workload({});
  std::int64_t bytes = 0;
  for (const BufferSpec& buffer : buffers(w)) {
    bytes += buffer.count * 4;
    if (buffer.role != BufferRole::input) bytes += buffer.count * 3 * 8;
  }
  for (const BufferSpec& buffer : net_scratch(w)) {
    EXPECT_EQ(buffer.type, ElementType::f64) << buffer.name;
    bytes += buffer.count * 8;
  }
  EXPECT_EQ(scene().estimate_bytes(w.axes), bytes);
  EXPECT_TRUE(scene().references.front().host_reaches(workload({{"batch", "4"}})));
  EXPECT_FALSE(scene().references.front().host_reaches(w));
}

TEST(AutoencoderStepSizes, TagsEveryStepWithItsLayerAndPhase) {
  const std::set<std::string> layers = {"Conv1",   "Conv2", "Conv3",  "Conv4", "Conv5",
                                        "Pool1",   "Pool2", "Up1",    "Up2",   "images",
                                        "targets", "loss",  "weights"};
  const Workload w = workload({{"batch", "3"}});
  for (const Variant* level : levels()) {
    std::set<std::string> names, met;
    std::map<std::string, int> phases;
    for (const Step& step : level->steps(w)) {
      EXPECT_TRUE(names.insert(step.name).second) << level->name << " " << step.name;
      ASSERT_EQ(step.tags.size(), 2u) << step.name;
      EXPECT_EQ(layers.count(step.tags.at("layer")), 1u) << step.name;
      met.insert(step.tags.at("layer"));
      ++phases[step.tags.at("phase")];
    }
    EXPECT_GE(met.size(), fused(*level) ? 7u : 10u) << level->name;
    // forward, backward, wgrad, dgrad, update; what goes back through pools is fused away.
    EXPECT_EQ(phases.size(), fused(*level) ? 4u : 5u) << level->name;
    // A launch a tensor; in two branches as soon as a few layers' gradients are there.
    const std::vector<Step> steps = level->steps(w);
    const bool branches = std::any_of(steps.begin(), steps.end(), std::mem_fn(&Step::aside));
    const bool at_once = fused(*level) || level->name.starts_with("step_cudnn");
    EXPECT_EQ(phases["update"], branches ? 3 : at_once ? 1 : 10) << level->name;
  }
}

// What tables of layers add up.
TEST(AutoencoderStepSizes, TheWorkOfItsStepsIsThatOfTheWhole) {
  const Workload w = workload({});
  for (const Variant* level : levels()) {
    double products = 0, all = 0, wgrad = 0;
    for (const Step& step : level->steps(w)) {
      ASSERT_EQ(step.work.count("model.flops"), 1u) << step.name;
      ASSERT_EQ(step.work.count("model.dram_bytes"), 1u) << step.name;
      const double flops = step.work.at("model.flops");
      const bool convolves = step.tags.at("layer").starts_with("Conv");
      if (convolves && step.tags.at("phase") != "update") products += flops;
      if (step.tags.at("layer") == "Conv2" && step.tags.at("phase") == "wgrad") wgrad += flops;
      all += flops;
    }
    const bool faulty = level->expected_fault != nullptr;  // it has a gradient of the image as well
    const double image = faulty ? 18.0 * 64 * 3 * 256 * 1024 : 0;
    EXPECT_NEAR(products, term("model.flops", w, level->name.c_str()) + image, 1) << level->name;
    // 36 products for sixteen outputs' nine taps, or 36 for those of four.
    const double products_of_four = level->name == "step_fused_winograd" ? 9 : 36;
    EXPECT_NEAR(wgrad, products_of_four / 2 * 64 * 256 * 128 * 256, 1) << level->name;
    EXPECT_GT(all, products) << "the loss and the update have arithmetic as well";
  }
}

// What a kernel touches other steps touch too: looked at alone, it takes all of it from stand-ins.
TEST(AutoencoderStepSizes, StandInForAllThatAKernelTouchesButTheImages) {
  const Workload w = workload({});
  for (const Variant* level : levels()) {
    for (const Step& step : level->steps(w)) {
      if (!std::holds_alternative<KernelLaunch>(step.action)) continue;
      std::set<std::string> touched = buffers_of(step);
      touched.erase("x");
      for (const StandIn& stand_in : step.stand_ins) touched.erase(stand_in.buffer);
      EXPECT_TRUE(touched.empty()) << level->name << " " << step.name << " " << *touched.begin();
    }
  }
}

// Five forward, four to inputs, five to weights.
TEST(AutoencoderStepSizes, MultipliesFourteenTimesAnImageByColumns) {
  const Workload w = workload({});
  const auto products = [&](const char* variant) {
    int count = 0;
    for (const Step& step : find_variant(scene(), variant)->steps(w))
      count += std::holds_alternative<LibraryCall>(step.action) ? 1 : 0;
    return count;
  };
  EXPECT_EQ(products("step_im2col_loop"), 14 * 64);
  EXPECT_EQ(products("step_im2col_strided"), 9 * 64 + 5);
}

// No copy, no map before a pool, none after an upsampling, no columns; and few launches.
TEST(AutoencoderStepSizes, OfAFusedStepKeepLittleInMemory) {
  const Workload w = workload({});
  for (const char* name : {"step_fused_fp32", "step_graph"}) {
    const Variant& variant = *find_variant(scene(), name);
    EXPECT_TRUE(variant.repeatable);
    int launches = 0;
    for (const Step& step : variant.steps(w)) {
      EXPECT_FALSE(std::holds_alternative<HostCopy>(step.action)) << step.name;
      launches += step.phase == Phase::run ? 1 : 0;
    }
    EXPECT_LE(launches, 30);
    EXPECT_LT(term("model.peak_bytes", w, name), term("model.peak_bytes", w, "step_nchw") / 2);
  }
  for (const char* name : {"step_graph", "step_fused_winograd"})
    EXPECT_EQ(find_variant(scene(), name)->submission(w.axes), Submission::graph) << name;
}

TEST(AutoencoderStepSizes, BringsTheSeedsCopies) {
  for (const char* variant : {"step_naive", "step_nchw", "step_im2col_loop"}) {
    std::string copies;
    for (const Step& step : find_variant(scene(), variant)->steps(workload({}))) {
      const auto* copy = std::get_if<HostCopy>(&step.action);
      if (copy == nullptr) continue;
      copies += copy->buffer + (copy->direction == HostCopy::Direction::to_host ? "↓" : "↑");
    }
    EXPECT_EQ(copies, "x↑x↑loss↓loss↑loss↓") << variant;
  }
}

}  // namespace
}  // namespace warpscope
