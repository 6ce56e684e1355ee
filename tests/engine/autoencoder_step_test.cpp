// tests/engine/autoencoder_step_test.cpp: what must hold of whole training steps of `autoencoder`,
// on the emulator.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

#include "profiling/engine/run/emulated/emulated_stage.h"
#include "scenes/autoencoder/autoencoder.h"
#include "scenes/autoencoder/inputs/inputs.h"
#include "scenes/autoencoder/inputs/net_reference.h"
#include "scenes/autoencoder/net.h"
#include "scenes/autoencoder/shapes.h"
#include "scenes/base/element_inputs.h"
#include "scenes/base/step_buffers.h"
#include "tests/engine/staged_scene.h"

namespace warpscope {
namespace {

using Floats = std::vector<float>;

// Steps of the tiny network at one configuration.
class Tiny {
 public:
  explicit Tiny(const Changes& changes = {}) : scene_(autoencoder_scene()) {
    Changes all = {
        {"part", "step"}, {"batch", "2"}, {"channels", "4"}, {"size", "8"}, {"search", "on"}};
    for (const auto& [axis, value] : changes) all[axis] = value;
    const auto axes = with_values(scene_.axes, default_configuration(scene_.axes), all);
    EXPECT_TRUE(axes) << sentence(axes.error());
    axes_ = *axes;
    const Result<void> made = stage_.set(scene_, axes_);
    EXPECT_TRUE(made) << sentence(made.error());
  }

  // Those that run here, but for the exhibit, and for choices, which run one of the others.
  std::vector<Variant> levels() const {
    std::vector<Variant> all;
    for (const Variant& v : scene_.variants) {
      if (applies(v, axes_) && !v.choice && !v.expected_fault && !unavailable(v, workload(), {}))
        all.push_back(v);
    }
    return all;
  }
  const Variant& variant(const char* name) const { return *find_variant(scene_, name); }

  // error: none is expected.
  void run(const Variant& variant) {
    EmulatedStage::View view;
    view.sums = false;
    const auto ran = stage_.run(variant, view);
    ASSERT_TRUE(ran) << variant.name << ": " << sentence(ran.error());
    for (const Fault& fault : ran->faults) ADD_FAILURE() << variant.name << ": " << fault.sentence;
  }
  Verdict verdict(const Variant& variant) {
    run(variant);
    const Result<Verdict> verdict = stage_.check(variant);
    EXPECT_TRUE(verdict) << variant.name << ": " << sentence(verdict.error());
    return verdict.value_or(Verdict{});
  }
  template <typename T = float>
  std::vector<T> buffer(const std::string& name) const {
    const auto bytes = stage_.bytes_of(name);
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  // An input or a state as it begins.
  Floats made(const std::string& name) const {
    for (const BufferSpec& buffer : autoencoder::buffers(workload())) {
      if (buffer.name != name) continue;
      Floats values(static_cast<std::size_t>(buffer.count));
      autoencoder::make_elements(workload(), name, 0, std::as_writable_bytes(std::span(values)));
      return values;
    }
    return {};
  }
  Workload workload() const { return {axes_, {}}; }
  const Configuration& axes() const { return axes_; }
  const Scene& scene() const { return scene_; }

 private:
  Scene scene_;
  Configuration axes_;
  EmulatedStage stage_;
};

using AutoencoderStep = CompilingTest;

void expect_every_level_is_right(const std::vector<Changes>& all_sizes) {
  for (const Changes& sizes : all_sizes) {
    Tiny tiny(sizes);
    const std::vector<Variant> levels = tiny.levels();
    EXPECT_EQ(levels.size(), sizes.count("batch") && sizes.at("batch") == "1" ? 11u : 10u)
        << "the CPU takes one image";
    for (const Variant& variant : levels) {
      const Verdict verdict = tiny.verdict(variant);
      EXPECT_EQ(verdict.outcome, Outcome::correct)
          << variant.name << " at " << problem_key(tiny.scene().axes, tiny.axes()) << ": "
          << verdict.sentence;
      // Loss, gradients and parameters, each element of them.
      EXPECT_EQ(verdict.checked_elements, 1 + 2 * autoencoder::parameter_count(tiny.axes()));
    }
  }
}

// Odd batches and other channels: the scene's hard cases. The second has maps of 1×1 pixels.
TEST_F(AutoencoderStep, EveryLevelIsRightAtSmallSizes) {
  expect_every_level_is_right(
      {{}, {{"batch", "1"}, {"channels", "2"}, {"size", "4"}, {"lr", "1"}}});
}

using SlowAutoencoderStep = CompilingTest;

TEST_F(SlowAutoencoderStep, EveryLevelIsRightAtSmallAndRaggedSizes) {
  expect_every_level_is_right(
      {{{"batch", "1"}, {"size", "12"}}, {{"channels", "2"}, {"size", "4"}, {"lr", "1"}}});
}

// Channels above a tile of 32 and of 64, products whose sums are shared out, and pixels that fill
// no tile of 128.
TEST_F(AutoencoderStep, TheFusedStepIsRightInTilesOf128) {
  Tiny tiny({{"channels", "72"}, {"size", "12"}, {"batch", "5"}});
  for (const char* name : {"step_fused_fp32", "step_fused_winograd"}) {
    const Verdict verdict = tiny.verdict(tiny.variant(name));
    EXPECT_EQ(verdict.outcome, Outcome::correct) << name << ": " << verdict.sentence;
    EXPECT_EQ(verdict.checked_elements, 1 + 2 * autoencoder::parameter_count(tiny.axes()));
  }
}

TEST_F(AutoencoderStep, TheFusedStepGivesTheSameBitsTwice) {
  Tiny tiny({{"channels", "6"}, {"batch", "3"}});
  const Variant& variant = tiny.variant("step_fused_fp32");
  EXPECT_TRUE(variant.repeatable);
  tiny.run(variant);
  const Floats loss = tiny.buffer("loss"), gradients = tiny.buffer("gradients");
  tiny.run(variant);
  EXPECT_EQ(tiny.buffer("loss"), loss);
  EXPECT_EQ(tiny.buffer("gradients"), gradients);
}

TEST_F(AutoencoderStep, TheSeedsFaultyChainHasTheRightLossAndWrongGradients) {
  Tiny tiny;
  const Verdict wrong = tiny.verdict(tiny.variant("step_naive_faulty"));
  EXPECT_EQ(wrong.outcome, Outcome::wrong);
  EXPECT_GT(wrong.mismatches, autoencoder::parameter_count(tiny.axes()));
  const Floats faulty = tiny.buffer("gradients");
  const float loss = tiny.buffer("loss").front();
  tiny.run(tiny.variant("step_naive"));
  EXPECT_NEAR(tiny.buffer("loss").front(), loss, 1e-6 * loss);
  const Floats right = tiny.buffer("gradients");
  ASSERT_EQ(faulty.size(), right.size());
  std::size_t other = 0;
  for (std::size_t i = 0; i < right.size(); ++i)
    other += std::abs(faulty[i] - right[i]) > 1e-3f * std::abs(right[i]) ? 1 : 0;
  EXPECT_GT(other, right.size() * 9 / 10);
}

// A step that loses one of its parts is detected, whichever part it is: one part of nine, from the
// part `from`, or each of them.
constexpr std::size_t kEachPart = 1, kOneOfNine = 9;
void expect_wrong_without(const char* name, int least, std::size_t every, std::size_t from = 0) {
  // There are enough windows that some have no positive sum, so that the ReLU after a pool's
  // gradient has an effect.
  Tiny tiny({{"channels", "8"}, {"batch", "3"}});
  const Variant& whole = tiny.variant(name);
  const std::vector<Step> steps = whole.steps(tiny.workload());
  EmulatedStage stage;
  ASSERT_TRUE(stage.set(tiny.scene(), tiny.axes()));
  int left_out = 0;
  for (std::size_t i = from; i < steps.size(); i += every) {
    if (std::holds_alternative<HostCopy>(steps[i].action)) continue;
    Variant maimed = whole;
    maimed.steps = [&steps, i](const Workload&) {
      std::vector<Step> fewer = steps;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      return fewer;
    };
    EmulatedStage::View view;
    view.sums = false;
    ASSERT_TRUE(stage.run(maimed, view)) << steps[i].name;
    const Result<Verdict> verdict = stage.check(maimed);
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->outcome, Outcome::wrong) << name << " without " << steps[i].name;
    ++left_out;
  }
  EXPECT_GE(left_out, least);
}

TEST_F(AutoencoderStep, WithoutOneOfItsPartsItIsWrong) {
  expect_wrong_without("step_nchw", 3, kOneOfNine, 0);
  expect_wrong_without("step_fused_fp32", 2, kOneOfNine, 1);
  expect_wrong_without("step_fused_winograd", 3, kOneOfNine, 2);
}

TEST_F(AutoencoderStep, WithoutOneOfItsKernelsAStepOnTensorCoresIsWrong) {
  expect_wrong_without("step_fused_tf32", 2, kOneOfNine, 3);
  expect_wrong_without("step_fused_bf16", 2, kOneOfNine, 4);
}

TEST_F(SlowAutoencoderStep, WithoutAnyOneOfItsPartsItIsWrong) {
  expect_wrong_without("step_nchw", 31, kEachPart);
  expect_wrong_without("step_fused_fp32", 22, kEachPart);
  expect_wrong_without("step_fused_winograd", 31, kEachPart);
  expect_wrong_without("step_fused_tf32", 19, kEachPart);
  expect_wrong_without("step_fused_bf16", 19, kEachPart);
}

// Steps aside as late as a graph may run them: before one that joins, or at the end.
std::vector<Step> aside_late(const std::vector<Step>& steps) {
  std::vector<Step> order, waiting;
  const auto let_all_run = [&] {
    std::ranges::move(waiting, std::back_inserter(order));
    waiting.clear();
  };
  for (const Step& step : steps) {
    if (step.joins) let_all_run();
    (step.aside ? waiting : order).push_back(step);
  }
  let_all_run();
  return order;
}

// Whether the steps read what nobody wrote, or give wrong results.
bool is_found_out(const Tiny& tiny, Variant variant, const std::vector<Step>& steps) {
  variant.steps = [&steps](const Workload&) { return steps; };
  EmulatedStage stage;
  EXPECT_TRUE(stage.set(tiny.scene(), tiny.axes()));
  EmulatedStage::View view;
  view.sums = false;
  const Result<EmulatedStage::Run> run = stage.run(variant, view);
  EXPECT_TRUE(run) << sentence(run.error());
  const Result<Verdict> verdict = stage.check(variant);
  return run && verdict && (!run->faults.empty() || verdict->outcome == Outcome::wrong);
}

void expect_the_bits_of_a_chain(const std::vector<const char*>& names) {
  const Changes sizes = {{"channels", "8"}, {"batch", "3"}};
  Changes off = sizes, on = sizes;
  off["branches"] = "off";
  on["branches"] = "on";
  Tiny chain(off), tiny(on);
  for (const char* name : names) {
    const Variant& whole = tiny.variant(name);
    EXPECT_FALSE(has_branches(whole.steps(chain.workload())));
    const std::vector<Step> steps = whole.steps(tiny.workload());
    EXPECT_EQ(std::ranges::count_if(steps, &Step::aside), 8) << "filters, a sum, four gradients "
                                                                "of weights and two SGD updates";
    EXPECT_EQ(std::ranges::count_if(steps, &Step::joins), 1);
    chain.run(whole);
    Variant late = whole;
    late.steps = [&steps](const Workload&) { return aside_late(steps); };
    for (const Variant& order : {whole, late}) {
      EXPECT_EQ(tiny.verdict(order).outcome, Outcome::correct) << name;
      for (const char* output : {"loss", "gradients", "parameters"})
        EXPECT_EQ(tiny.buffer(output), chain.buffer(output)) << name << " " << output;
    }
    // Were the first product not to wait for its filters, or a later one to need what lies aside.
    std::vector<Step> none_joins = steps, one_more = steps;
    for (Step& step : none_joins) step.joins = false;
    for (Step& step : one_more) step.aside = step.aside || step.name == "Conv4 dgrad";
    for (const std::vector<Step>& wrong : {none_joins, one_more})
      EXPECT_TRUE(is_found_out(tiny, whole, aside_late(wrong))) << name;
  }
}

// The steps of all three are in one order, and wait for each other at the same places.
TEST_F(AutoencoderStep, BranchesGiveTheBitsOfAChainHoweverTheyRun) {
  expect_the_bits_of_a_chain({"step_fused_bf16"});
}
TEST_F(SlowAutoencoderStep, BranchesGiveTheBitsOfAChainHoweverTheyRun) {
  expect_the_bits_of_a_chain({"step_fused_tf32x3", "step_fused_tf32"});
}

using Names = std::vector<const char*>;
void expect_right_shares(const std::map<const char*, Names>& by_blocks) {
  for (const auto& [blocks, names] : by_blocks) {
    Tiny tiny({{"channels", "12"}, {"size", "12"}, {"batch", "5"}, {"share_blocks", blocks}});
    for (const char* name : names) {
      const Variant& variant = tiny.variant(name);
      int clusters = 0;
      for (const Step& step : variant.steps(tiny.workload())) {
        const auto* kernel = std::get_if<KernelLaunch>(&step.action);
        if (kernel == nullptr || kernel->entry != "tensor_wgrad") continue;
        EXPECT_EQ(kernel->launch.grid.z % kernel->launch.cluster.z, 0) << step.name;
        EXPECT_EQ(std::to_string(kernel->launch.cluster.z), blocks) << step.name;
        ++clusters;
      }
      EXPECT_EQ(clusters, 4) << name;
      const Verdict verdict = tiny.verdict(variant);
      EXPECT_EQ(verdict.outcome, Outcome::correct) << name << ": " << verdict.sentence;
      EXPECT_EQ(verdict.checked_elements, 1 + 2 * autoencoder::parameter_count(tiny.axes()));
    }
  }
}

// The smaller and the larger cluster, each with products of another kind.
TEST_F(AutoencoderStep, SharesThatAClusterAddsUpAreThoseOfOneBlock) {
  expect_right_shares({{"2", {"step_fused_tf32x3"}}, {"4", {"step_fused_bf16"}}});
}
TEST_F(SlowAutoencoderStep, SharesThatAClusterAddsUpAreThoseOfOneBlock) {
  expect_right_shares({{"2", {"step_fused_tf32", "step_fused_bf16"}},
                       {"4", {"step_fused_tf32", "step_fused_tf32x3"}}});
}

TEST_F(AutoencoderStep, WithALearningRateOfZeroEveryWeightKeepsItsBits) {
  Tiny tiny({{"lr", "0"}, {"batch", "1"}});
  for (const Variant& variant : tiny.levels()) {
    tiny.run(variant);
    for (const char* name : {"parameters", "parameters_nhwc"}) {
      const Floats before = tiny.made(name), after = tiny.buffer(name);
      ASSERT_EQ(before.size(), after.size());
      EXPECT_EQ(std::memcmp(before.data(), after.data(), before.size() * sizeof(float)), 0)
          << variant.name;
    }
    EXPECT_NE(tiny.buffer("gradients").front(), 0.0f) << variant.name;
  }
}

TEST_F(AutoencoderStep, BothLayoutsOfTheParametersAreOneNetwork) {
  Tiny tiny;
  const Floats nchw = tiny.made("parameters"), nhwc = tiny.made("parameters_nhwc");
  std::vector<bool> met(nchw.size());
  for (std::size_t i = 0; i < nhwc.size(); ++i) {
    const auto from =
        static_cast<std::size_t>(autoencoder::as_nchw(tiny.axes(), static_cast<std::int64_t>(i)));
    ASSERT_LT(from, nchw.size());
    EXPECT_FALSE(met[from]);
    met[from] = true;
    EXPECT_EQ(nhwc[i], nchw[from]) << i;
  }
  // Conv2's filter to output 1: the tap after the next, of input 2 of 4, lies 2 · 4 + 2 further.
  const std::int64_t first = autoencoder::tensors_of(tiny.axes())[2].first + 36;
  EXPECT_EQ(autoencoder::as_nchw(tiny.axes(), first + 2 * 4 + 2), first + 2 * 9 + 2);
}

// Losses of steps on one batch that begin where the step before ended.
Floats curve_of(Tiny& tiny, const Variant& variant, int count) {
  Variant many = variant;
  many.steps = [&variant, count](const Workload& w) {
    std::vector<Step> all;
    for (int s = 0; s < count; ++s) {
      bool on_device = false;  // where its loss stays
      for (Step& step : variant.steps(w)) {
        const bool has_loss = buffers_of(step).count("loss") != 0;
        if (has_loss) on_device = std::holds_alternative<KernelLaunch>(step.action);
        all.push_back(std::move(step));
      }
      if (on_device)
        all.push_back({"copy", Phase::run, HostCopy{"loss", HostCopy::Direction::to_host}});
      const auto from = static_cast<std::size_t>(s);
      HostStep keep;
      keep.function = {{"loss"}, {"losses"}, [from](HostBuffers& buffers) -> Result<void> {
                         elements_in<float>(buffers.at("losses"))[from] =
                             elements_in<float>(buffers.at("loss"))[0];
                         return {};
                       }};
      // Where no step brings it to the host.
      if (variant.own_kernels)
        all.push_back({"loss", Phase::run, HostCopy{"loss", HostCopy::Direction::to_host}});
      all.push_back({"keep", Phase::run, std::move(keep)});
    }
    return all;
  };
  many.scratch = [&variant, count](const Workload& w) {
    std::vector<BufferSpec> all = variant.scratch(w);
    all.push_back({"losses", ElementType::f32, count, BufferRole::scratch, {count}, "losses"});
    return all;
  };
  tiny.run(many);
  return tiny.buffer("losses");
}

std::vector<double> doubles_of(const Floats& values) { return {values.begin(), values.end()}; }

// Four steps: the weights of each come from the gradients of the step before.
TEST_F(AutoencoderStep, EveryLevelLearnsWhatTheReferenceDoes) {
  constexpr int kSteps = 4;
  int in_tf32 = 0, in_bf16 = 0;
  // Each once: the processor takes one image, a library eight channels.
  std::set<std::string> learnt;
  for (const auto& [batch, channels] : {std::pair("2", "4"), {"1", "4"}, {"2", "8"}}) {
    Tiny tiny({{"lr", "0.05"}, {"batch", batch}, {"channels", channels}});
    const autoencoder::Net net(tiny.axes());
    std::vector<double> parameters = doubles_of(tiny.made("parameters")), losses;
    const std::vector<double> images = doubles_of(tiny.made("x"));
    const double lr = static_cast<double>(static_cast<float>(tiny.axes().real("lr")));
    for (int s = 0; s < kSteps; ++s) {
      const auto pass = net.forward(parameters, images);
      const auto slopes = net.backward(pass, parameters, images);
      losses.push_back(net.loss(pass, images).value);
      for (std::size_t i = 0; i < parameters.size(); ++i)
        parameters[i] -= lr * net.gradient(pass, slopes, static_cast<std::int64_t>(i)).value;
    }
    EXPECT_LT(losses.back(), 0.97 * losses.front()) << "it learns";
    for (const Variant& variant : tiny.levels()) {
      if (!learnt.insert(variant.name).second) continue;
      const bool tf32 = variant.reference.starts_with("direct_tf32"),
                 bf16 = variant.reference == "direct_bf16";
      const double share = bf16 ? 5e-2 : tf32 ? 1e-2 : 1e-4;  // of a loss
      in_tf32 += tf32 ? 1 : 0;
      in_bf16 += bf16 ? 1 : 0;
      const Floats curve = curve_of(tiny, variant, kSteps);
      ASSERT_EQ(curve.size(), losses.size()) << variant.name;
      for (std::size_t s = 0; s < curve.size(); ++s) {
        EXPECT_NEAR(curve[s], losses[s], share * losses[s]) << variant.name << " step " << s;
        if (s == 0) continue;
        EXPECT_LT(curve[s], curve[s - 1]) << variant.name << " step " << s;
      }
    }
  }
  EXPECT_EQ(in_tf32, 3) << "ours and the library's in two layouts";
  EXPECT_EQ(in_bf16, 1);
  EXPECT_EQ(learnt.size(), 14u);
}

// The kernels of the reference are compared with the host's network, which shares no code with
// them.
TEST_F(AutoencoderStep, TheDevicesReferenceIsTheHosts) {
  for (const Changes& sizes : {Changes{}, Changes{{"batch", "3"}, {"channels", "6"}}}) {
    Tiny tiny(sizes);
    const Workload w = tiny.workload();
    for (const Reference& reference : tiny.scene().references) {
      std::vector<BufferSpec> parts = reference_parts_of(autoencoder::buffers(w));
      for (BufferSpec& kept : reference.scratch(w)) parts.push_back(std::move(kept));
      // A variant that runs the kernels of the reference into scratch of its own.
      Variant device = tiny.variant("step_nchw");
      device.steps = reference.steps;
      device.scratch = [parts](const Workload&) { return parts; };
      tiny.run(device);
      Inputs inputs;
      make_element_inputs(tiny.scene(), w, inputs);
      const bool nhwc = reference.name.ends_with("_nhwc");
      for (const char* output : {"loss", "gradients", nhwc ? "parameters_nhwc" : "parameters"}) {
        const std::string name = output;
        const auto sums = tiny.buffer<double>(name + ".reference"),
                   magnitudes = tiny.buffer<double>(name + ".magnitude"),
                   accumulations = tiny.buffer<double>(name + ".accumulation");
        std::vector<std::int64_t> elements(sums.size());
        std::iota(elements.begin(), elements.end(), 0);
        std::vector<ReferenceValue> values(elements.size());
        reference.host(w, inputs, name, elements, values);
        ASSERT_FALSE(values.empty());
        for (std::size_t i = 0; i < values.size(); ++i) {
          ASSERT_NEAR(sums[i], values[i].value, 1e-13) << reference.name << " " << name << " " << i;
          ASSERT_NEAR(magnitudes[i], values[i].magnitude, 1e-12) << name << " " << i;
          ASSERT_NEAR(accumulations[i], values[i].accumulation, 1e-9 * values[i].accumulation)
              << name << " " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace warpscope
