// tests/engine/led_invariants_test.cpp: what must hold between outputs of `led`, on the emulator.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "scenes/base/kernel_parts.h"
#include "scenes/base/texts/code_id.h"
#include "scenes/led/grouping.h"
#include "scenes/led/inputs.h"
#include "scenes/led/led.h"
#include "tests/engine/staged_scene.h"

namespace warpscope {
namespace {

using Edit = std::function<void(Inputs&)>;

// Outputs of variants at one configuration whose inputs an edit has changed after they were made.
class Panel {
 public:
  Panel(const Changes& changes, Edit edit = nullptr) : scene_(led_scene()) {
    if (edit) {
      // The group made last sees all arrays.
      scene_.input_groups.push_back(
          {"edit",
           {},
           {"frames", "values"},
           {"frames"},
           [edit](const Configuration&, Inputs& inputs, Facts&) -> Result<void> {
             edit(inputs);
             return {};
           }});
    }
    const Configuration axes = configuration_of(scene_, with_defaults(scene_.axes, {}),
                                                {{"leds", "11"},
                                                 {"channels", "2"},
                                                 {"height", "70"},
                                                 {"width", "96"},
                                                 {"block", "32"},
                                                 {"frames", "3"},
                                                 {"leds_per_block", "4"}},
                                                changes);
    const Result<void> set = stage_.set(scene_, axes);
    EXPECT_TRUE(set) << sentence(set.error());
  }

  std::vector<float> output(const std::string& variant) {
    return values_after<float>(stage_, *find_variant(scene_, variant), "out");
  }

  // Names of the variants that run here and are meant to be right.
  std::vector<std::string> variants() const {
    std::vector<std::string> names;
    for (const Variant& v : scene_.variants) {
      if (v.expected_fault || !applies(v, stage_.workload().axes)) continue;
      if (calls_library(v, stage_.workload())) continue;
      if (!unavailable(v, stage_.workload(), {})) names.push_back(v.name);
    }
    return names;
  }
  EmulatedStage& stage() { return stage_; }
  const Scene& scene() const { return scene_; }

 private:
  Scene scene_;
  EmulatedStage stage_;
};

using LedInvariants = CompilingTest;

constexpr std::size_t kFrame = 2 * 70 * 96, kOutputs = 11 * 2;  // of one frame

TEST_F(LedInvariants, TheSeedsBatchEqualsItsRepeatedFramesToTheBit) {
  for (const char* width : {"16", "4"}) {
    Panel panel(Changes{{"load_width", width}});
    const std::vector<float> repeated = panel.output("single_frame_repeated");
    EXPECT_GT(repeated.at(0), 0);
    EXPECT_EQ(repeated, panel.output("grid3d_shared_pattern"));
  }
}

TEST_F(LedInvariants, PermutingFramesPermutesOutputs) {
  Panel plain({});
  Panel permuted({}, [](Inputs& inputs) {
    const auto frames = inputs.at("frames").as<float>();
    std::rotate(frames.begin(), frames.begin() + kFrame, frames.end());
  });
  for (const std::string& variant : plain.variants()) {
    std::vector<float> expected = plain.output(variant);
    std::rotate(expected.begin(), expected.begin() + kOutputs, expected.end());
    EXPECT_EQ(expected, permuted.output(variant)) << variant;
  }
}

TEST_F(LedInvariants, DoublingAFrameDoublesItsOutputsExactly) {
  Panel plain({});
  Panel doubled({}, [](Inputs& inputs) {
    for (float& pixel : inputs.at("frames").as<float>().subspan(kFrame, kFrame)) pixel *= 2;
  });
  for (const std::string& variant : plain.variants()) {
    std::vector<float> expected = plain.output(variant);
    for (std::size_t i = kOutputs; i < 2 * kOutputs; ++i) expected[i] *= 2;
    EXPECT_EQ(expected, doubled.output(variant)) << variant;
  }
}

TEST_F(LedInvariants, OnePixelReturnsThePatternsValueThere) {
  constexpr std::size_t kRow = 40, kColumn = 48;
  Panel panel({}, [](Inputs& inputs) {
    const auto frames = inputs.at("frames").as<float>();
    std::ranges::fill(frames, 0.0f);
    for (std::size_t c = 0; c < 2; ++c) frames[kFrame + (c * 70 + kRow) * 96 + kColumn] = 1;
  });
  Inputs inputs;
  Facts facts;
  const Configuration& axes = panel.stage().workload().axes;
  ASSERT_TRUE(led::generate_positions(axes, inputs, facts));
  ASSERT_TRUE(led::generate_values(axes, inputs, facts));
  const auto positions = inputs.at("positions").as<std::int32_t>();
  const auto values = inputs.at("values").as<float>();
  std::vector<float> expected(3 * kOutputs, 0.0f);
  int hit = 0;
  for (std::size_t block = 0; block < kOutputs; ++block) {
    const std::size_t row = kRow - static_cast<std::size_t>(positions[2 * block]),
                      column = kColumn - static_cast<std::size_t>(positions[2 * block + 1]);
    if (row >= 32 || column >= 32) continue;
    ++hit;
    expected[kOutputs + block % 11 * 2 + block / 11] = values[(block * 32 + row) * 32 + column];
  }
  ASSERT_GT(hit, 3);
  for (const std::string& variant : panel.variants()) {
    const std::vector<float> out = panel.output(variant);
    ASSERT_EQ(out.size(), expected.size());
    // TF32 parts leave out bits of one pattern value as well.
    const bool parts = variant.starts_with("window_tensor_core");
    const double bound =
        parts ? tolerance_of(*find_variant(panel.scene(), variant), axes).magnitude : 0;
    for (std::size_t i = 0; i < out.size(); ++i)
      EXPECT_TRUE(std::abs(out[i] - expected[i]) <= bound * expected[i]) << variant << " " << i;
  }
}

TEST_F(LedInvariants, PlanarIsInterleavedTransposed) {
  Panel interleaved({}), planar(Changes{{"output", "planar"}});
  for (const std::string& variant : interleaved.variants()) {
    const std::vector<float> from = interleaved.output(variant), to = planar.output(variant);
    ASSERT_EQ(from.size(), to.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      const std::size_t f = i / kOutputs, n = i % kOutputs / 2, c = i % 2;
      EXPECT_EQ(from[i], to[(f * 2 + c) * 11 + n]) << variant;
    }
  }
}

// LEDs given in the opposite order, patterns and positions alike.
TEST_F(LedInvariants, TheOrderOfTheLedsChangesNothingButTheOrder) {
  Panel plain({});
  const auto reversed_in_channels = [](auto all, std::size_t size) {
    for (std::size_t c = 0; c < 2; ++c) {
      for (std::size_t n = 0; n < 11 / 2; ++n)
        std::swap_ranges(all.begin() + static_cast<std::ptrdiff_t>((c * 11 + n) * size),
                         all.begin() + static_cast<std::ptrdiff_t>((c * 11 + n + 1) * size),
                         all.begin() + static_cast<std::ptrdiff_t>((c * 11 + 10 - n) * size));
    }
  };
  Panel reversed({}, [&](Inputs& inputs) {
    reversed_in_channels(inputs.at("positions").as<std::int32_t>(), 2);
    reversed_in_channels(inputs.at("values").as<float>(), 32 * 32);
  });
  for (const std::string& variant : plain.variants()) {
    const std::vector<float> from = plain.output(variant), to = reversed.output(variant);
    for (std::size_t i = 0; i < from.size(); ++i) {
      const std::size_t f = i / kOutputs, n = i % kOutputs / 2, c = i % 2;
      // A window's top decides which lane takes which row: the order of adding may differ.
      EXPECT_NEAR(from[i], to[(f * 11 + 10 - n) * 2 + c], 1e-5 * from[i]) << variant;
    }
  }
}

// 0 · Inf and 0 · NaN are NaN, for that LED and channel alone.
TEST_F(LedInvariants, ANonFinitePatternUnderAZeroFrameGivesNaN) {
  Panel panel({}, [](Inputs& inputs) {
    std::ranges::fill(inputs.at("frames").as<float>(), 0.0f);
    inputs.at("values").as<float>()[3 * 1024 + 77] = std::numeric_limits<float>::quiet_NaN();
    inputs.at("values").as<float>()[5 * 1024] = std::numeric_limits<float>::infinity();
  });
  for (const std::string& variant : panel.variants()) {
    const std::vector<float> out = panel.output(variant);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const bool touched = i % 2 == 0 && (i % kOutputs / 2 == 3 || i % kOutputs / 2 == 5);
      EXPECT_TRUE(touched ? std::isnan(out[i]) : out[i] == 0) << variant << " " << i;
    }
  }
}

// The step of ours before a product in a library. Nine frames are not a whole tile of it, and a
// block of 20 is not a whole pass.
TEST_F(LedInvariants, PatchesHoldThePixelsUnderEveryBlockFrameByFrame) {
  constexpr std::size_t kBlock = 20, kFrames = 9;
  for (const char* rule : {"uniform", "per-channel"}) {
    Panel panel(Changes{{"block", "20"}, {"frames", "9"}, {"positions", rule}});
    EmulatedStage::View view;
    view.step = "gather patches";
    const auto run = panel.stage().run(*find_variant(panel.scene(), "cublas_batched"), view);
    ASSERT_TRUE(run) << sentence(run.error());
    for (const Fault& fault : run->faults) ADD_FAILURE() << fault.sentence;
    Inputs inputs;
    Facts facts;
    const Configuration& axes = panel.stage().workload().axes;
    ASSERT_TRUE(led::generate_positions(axes, inputs, facts));
    ASSERT_TRUE(led::generate_frames(axes, inputs, facts));
    const auto positions = inputs.at("positions").as<std::int32_t>();
    const auto frames = inputs.at("frames").as<float>();
    const auto bytes = panel.stage().bytes_of("patches");
    std::vector<float> patches(bytes.size() / sizeof(float));
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(patches.data()));
    ASSERT_EQ(patches.size(), kOutputs * kBlock * kBlock * kFrames);
    int wrong = 0;
    for (std::size_t i = 0; i < patches.size(); ++i) {
      const std::size_t f = i % kFrames, pixel = i / kFrames % (kBlock * kBlock),
                        block = i / kFrames / (kBlock * kBlock);
      const std::size_t row = static_cast<std::size_t>(positions[2 * block]) + pixel / kBlock,
                        column =
                            static_cast<std::size_t>(positions[2 * block + 1]) + pixel % kBlock;
      wrong += patches[i] != frames[f * kFrame + (block / 11 * 70 + row) * 96 + column];
    }
    EXPECT_EQ(wrong, 0) << rule;
  }
}

// Tensor cores multiply pixels outside a block by zero, which makes NaN of infinity.
TEST_F(LedInvariants, ANonFinitePixelReachesOnlyTheBlocksOverIt) {
  constexpr std::size_t kRow = 40, kColumn = 48;
  Panel plain({});
  Panel poisoned({}, [](Inputs& inputs) {
    const auto frames = inputs.at("frames").as<float>();
    frames[kFrame + kRow * 96 + kColumn] = std::numeric_limits<float>::infinity();
  });
  Inputs inputs;
  Facts facts;
  ASSERT_TRUE(led::generate_positions(plain.stage().workload().axes, inputs, facts));
  const auto positions = inputs.at("positions").as<std::int32_t>();
  for (const std::string& variant : plain.variants()) {
    const std::vector<float> expected = plain.output(variant), out = poisoned.output(variant);
    const double bound =
        tolerance_of(*find_variant(plain.scene(), variant), plain.stage().workload().axes)
            .magnitude;
    int hit = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::size_t f = i / kOutputs, n = i % kOutputs / 2, c = i % 2;
      const std::size_t row = kRow - static_cast<std::size_t>(positions[2 * n]),
                        column = kColumn - static_cast<std::size_t>(positions[2 * n + 1]);
      if (f == 1 && c == 0 && row < 32 && column < 32) {
        ++hit;
        EXPECT_FALSE(std::isfinite(out[i])) << variant << " " << i;
      } else {
        EXPECT_TRUE(std::abs(out[i] - expected[i]) <= 2 * bound * expected[i])
            << variant << " " << i << ": " << out[i];
      }
    }
    EXPECT_TRUE(hit > 1 && hit < 11) << variant;
  }
}

void expect_correct(Panel& panel, const char* name) {
  const Variant& variant = *find_variant(panel.scene(), name);
  ASSERT_FALSE(unavailable(variant, panel.stage().workload(), {})) << name;
  const auto run = panel.stage().run(variant, {});
  ASSERT_TRUE(run) << name << ": " << sentence(run.error());
  for (const Fault& fault : run->faults) ADD_FAILURE() << name << ": " << fault.sentence;
  const auto verdict = panel.stage().check(variant);
  ASSERT_TRUE(verdict) << name << ": " << sentence(verdict.error());
  EXPECT_EQ(verdict->outcome, Outcome::correct) << name << ": " << verdict->sentence;
}

// More groups and tiles of frames than blocks: a block takes three turns, forth, back and forth,
// and in the last most have none.
TEST_F(LedInvariants, TensorCoresTakeTheGroupsInTurns) {
  for (const char* dtype : {"fp32", "uint8"}) {
    Panel panel(Changes{{"leds", "1100"},
                        {"block", "16"},
                        {"frames", "9"},
                        {"height", "60"},
                        {"dtype", dtype},
                        {"positions", "per-channel"}});
    const std::vector<Step> steps =
        find_variant(panel.scene(), "window_tensor_core")->steps(panel.stage().workload());
    const std::int64_t blocks = std::get<KernelLaunch>(steps.back().action).launch.grid.x;
    const std::int64_t works =
        2 * ceil_divide(1100, led::core_tuning(panel.stage().workload().axes).group) * 2;
    EXPECT_TRUE(works > 2 * blocks && works < 3 * blocks) << works;
    expect_correct(panel, "window_tensor_core");
  }
}

// Items in the order of their work, each LED of each channel once, where its block is.
TEST_F(LedInvariants, ItemsForTensorCoresAreTheGroupsByTheirWork) {
  Panel panel(Changes{{"leds", "45"}, {"positions", "per-channel"}});
  static_cast<void>(panel.output("window_tensor_core"));
  Inputs inputs;
  Facts facts;
  const Configuration& axes = panel.stage().workload().axes;
  ASSERT_TRUE(led::generate_positions(axes, inputs, facts));
  const auto positions = inputs.at("positions").as<std::int32_t>();
  const auto ints = [&](const char* name) {
    const auto bytes = panel.stage().bytes_of(name);
    std::vector<std::int32_t> values(bytes.size() / 4);
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(values.data()));
    return values;
  };
  const std::vector<std::int32_t> windows = ints("item_windows"), leds = ints("item_leds");
  const auto size = static_cast<std::size_t>(led::core_tuning(axes).group);
  ASSERT_EQ(leds.size(), windows.size() * size);
  std::set<std::pair<int, int>> seen;
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  for (std::size_t item = 0; item < windows.size() / 4; ++item) {
    const std::int32_t* const window = &windows[4 * item];
    std::int64_t work = 8LL * window[2] * window[3];
    for (std::size_t k = 0; k < size; ++k) {
      const std::int32_t* const led = &leds[4 * (item * size + k)];
      if (led[0] < 0) continue;
      const auto at = static_cast<std::size_t>(2 * (led[3] * 45 + led[0]));
      EXPECT_TRUE(seen.emplace(led[3], led[0]).second);
      EXPECT_EQ(led[3] * 70 + positions[at], window[0] + led[1]);
      EXPECT_EQ(positions[at + 1], window[1] + led[2]);
      EXPECT_TRUE(led[1] >= 0 && led[1] + 32 <= window[2] && led[2] + 32 <= window[3]);
      work += 32 * 32;
    }
    EXPECT_LE(work, last) << item;
    last = work;
  }
  EXPECT_EQ(seen.size(), 90u);
}

// 255² · 176² is a little below 2³¹, and the next block of whole copies is refused.
TEST_F(LedInvariants, TheLargestSumOfBytesFitsTheTensorCores) {
  Panel panel(Changes{{"dtype", "uint8"},
                      {"sums", "raw uint32"},
                      {"block", "176"},
                      {"height", "180"},
                      {"width", "192"},
                      {"leds", "1"},
                      {"channels", "1"},
                      {"frames", "2"}},
              [](Inputs& inputs) {
                std::ranges::fill(inputs.at("values").as<std::uint8_t>(), 255);
                std::ranges::fill(inputs.at("frames").as<std::uint8_t>(), 255);
              });
  expect_correct(panel, "window_tensor_core");
  const auto bytes = panel.stage().bytes_of("out");
  std::uint32_t out = 0;
  std::copy_n(bytes.begin(), sizeof out, reinterpret_cast<std::byte*>(&out));
  EXPECT_EQ(out, 255u * 255u * 176u * 176u);
}

// LEDs all over a long frame: windows as wide as it, taken in several passes; rows that long copies
// fill and rows that they do not.
TEST_F(LedInvariants, WindowsAsWideAsTheFrameAreTakenInPasses) {
  const std::pair<const char*, const char*> forms[] = {
      {"fp32", "1200"}, {"uint8", "1200"}, {"uint8", "1204"}};
  for (const auto& [dtype, width] : forms) {
    const Changes changes = {{"height", "40"},     {"width", width}, {"frames", "8"},
                             {"strip_rows", "16"}, {"stages", "4"},  {"leds_per_block", "16"},
                             {"dtype", dtype}};
    Panel panel(changes, [](Inputs& inputs) {
      const auto positions = inputs.at("positions").as<std::int32_t>();
      for (std::size_t i = 0; i < positions.size(); i += 2) {
        positions[i] = i % 4 == 0 ? 0 : 8;
        positions[i + 1] = static_cast<int>(i) * 29 % 293 * 4;
      }
    });
    EmulatedStage::View view;
    view.sums = false;
    for (const char* name : {"window_strips", "window_boxes", "window_tensor_core"}) {
      const Variant& variant = *find_variant(panel.scene(), name);
      if (unavailable(variant, panel.stage().workload(), {})) continue;
      const auto run = panel.stage().run(variant, view);
      ASSERT_TRUE(run) << name << ": " << sentence(run.error());
      EXPECT_TRUE(run->faults.empty()) << name << " " << dtype << " " << width;
      const auto verdict = panel.stage().check(variant);
      ASSERT_TRUE(verdict) << name << ": " << sentence(verdict.error());
      EXPECT_EQ(verdict->outcome, Outcome::correct)
          << name << " " << dtype << " " << width << ": " << verdict->sentence;
    }
  }
}

// The device's prepare steps against the host's groups.
TEST_F(LedInvariants, GroupsOnTheDeviceEqualTheHosts) {
  for (const char* rule : {"uniform", "per-channel", "clustered"}) {
    Panel panel(Changes{{"positions", rule}, {"leds", "29"}});
    static_cast<void>(panel.output("window_strips"));
    Inputs inputs;
    Facts facts;
    const Configuration& axes = panel.stage().workload().axes;
    ASSERT_TRUE(led::generate_positions(axes, inputs, facts));
    const led::Groups groups = led::make_groups(inputs.at("positions").as<std::int32_t>(), axes, 4);
    const auto ints = [&](const char* name) {
      const auto bytes = panel.stage().bytes_of(name);
      std::vector<std::int32_t> values(bytes.size() / 4);
      std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(values.data()));
      return values;
    };
    EXPECT_EQ(ints("order"), groups.order) << rule;
    const std::vector<std::int32_t> windows = ints("windows");
    ASSERT_EQ(windows.size(), 4 * groups.windows.size());
    for (std::size_t g = 0; g < groups.windows.size(); ++g) {
      const led::Window w{windows[4 * g], windows[4 * g + 1], windows[4 * g + 2],
                          windows[4 * g + 3]};
      EXPECT_EQ(w, groups.windows[g]) << rule << " " << g;
    }
  }
}

}  // namespace
}  // namespace warpscope
