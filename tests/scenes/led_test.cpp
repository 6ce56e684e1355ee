// tests/scenes/led_test.cpp: inputs, groups, reference, constraints and work model of `led` hold.
#include "scenes/led/led.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "scenes/led/grouping.h"
#include "scenes/led/inputs.h"
#include "scenes/led/shapes.h"
#include "scenes/led/steps.h"

namespace warpscope {
namespace {

using Changes = std::map<std::string, std::string>;

const Scene& scene() {
  static const Scene made = led_scene();
  return made;
}

Configuration configured(const Changes& changes) {
  const auto axes = with_values(scene().axes, default_configuration(scene().axes), changes);
  EXPECT_TRUE(axes) << sentence(axes.error());
  return *axes;
}

// A panel of 40 LEDs on frames of 100×120.
Changes small(Changes changes = {}) {
  changes.merge(Changes{{"leds", "40"},
                        {"channels", "2"},
                        {"height", "100"},
                        {"width", "120"},
                        {"block", "32"},
                        {"frames", "3"}});
  return changes;
}

struct Made {
  Workload w;
  Inputs inputs;
  std::span<const std::int32_t> positions() const {
    return inputs.at("positions").as<std::int32_t>();
  }
};

Made make(const Changes& changes) {
  Made made{{configured(changes), {}}, {}};
  const auto groups = regenerate_inputs(scene(), nullptr, made.w.axes, made.inputs, made.w.facts);
  EXPECT_TRUE(groups) << sentence(groups.error());
  return made;
}

std::optional<double> term(const std::string& id, const Workload& w, const char* variant) {
  for (const WorkTerm& row : scene().work_terms) {
    if (row.id == id) return row.formula(w, *find_variant(scene(), variant));
  }
  ADD_FAILURE() << "no term " << id;
  return std::nullopt;
}

TEST(LedInputs, PlaceEveryBlockInsideTheFrameAtAColumnOfFour) {
  for (const char* rule : {"uniform", "sorted", "clustered", "grid-jitter", "per-channel"}) {
    const Made made = make(small({{"positions", rule}}));
    std::set<std::pair<int, int>> places;
    for (std::size_t i = 0; i < made.positions().size(); i += 2) {
      const int row = made.positions()[i], column = made.positions()[i + 1];
      EXPECT_TRUE(row >= 0 && row <= 68 && column >= 0 && column <= 88 && column % 4 == 0) << rule;
      places.emplace(row, column);
    }
    EXPECT_GT(places.size(), 20u) << rule << ": LEDs are placed, not left in a corner";
    EXPECT_EQ(made.w.fact("column_quads"), 1) << rule;
    const auto half = made.positions().size() / 2;
    const bool shared = std::equal(made.positions().begin(),
                                   made.positions().begin() + static_cast<std::ptrdiff_t>(half),
                                   made.positions().begin() + static_cast<std::ptrdiff_t>(half));
    EXPECT_EQ(shared, rule != std::string("per-channel")) << rule;
  }
}

TEST(LedInputs, SortedPositionsAreTheUniformOnesInAnotherOrder) {
  const Made uniform = make(small()), sorted = make(small({{"positions", "sorted"}}));
  const auto pairs = [](const Made& made) {
    std::multiset<std::pair<int, int>> all;
    for (std::size_t i = 0; i < made.positions().size(); i += 2)
      all.emplace(made.positions()[i], made.positions()[i + 1]);
    return all;
  };
  EXPECT_EQ(pairs(uniform), pairs(sorted));
  EXPECT_FALSE(std::ranges::equal(uniform.positions(), sorted.positions()));
}

TEST(LedInputs, CountPixelsUnderAtLeastOneBlock) {
  const Made made = make(small({{"positions", "per-channel"}, {"leds", "5"}}));
  std::set<std::tuple<std::size_t, int, int>> covered;
  for (std::size_t i = 0; i < made.positions().size(); i += 2) {
    for (int r = 0; r < 32; ++r) {
      for (int k = 0; k < 32; ++k)
        covered.emplace(i / 10, made.positions()[i] + r, made.positions()[i + 1] + k);
    }
  }
  EXPECT_EQ(made.w.fact("covered_pixels"), static_cast<double>(covered.size()));
}

TEST(LedInputs, PatternsAndFramesStayBetweenZeroAndOne) {
  for (const char* picture : {"plasma", "gradient", "moving ring"}) {
    const Made made = make(small({{"picture", picture}}));
    for (const char* name : {"values", "frames"}) {
      const auto all = made.inputs.at(name).as<float>();
      const auto [least, most] = std::ranges::minmax(all);
      EXPECT_TRUE(least >= 0 && most <= 1 && most > 0.4 && least < 0.5) << picture << " " << name;
    }
    const auto frames = made.inputs.at("frames").as<float>();
    const std::size_t size = frames.size() / 3;
    EXPECT_FALSE(std::equal(frames.begin(), frames.begin() + static_cast<std::ptrdiff_t>(size),
                            frames.begin() + static_cast<std::ptrdiff_t>(size)))
        << picture << " stands still";
  }
}

TEST(LedInputs, QuantiseByTheSeedsRuleOrWithoutBias) {
  EXPECT_EQ(led::quantised(1.0f, true), 254);
  EXPECT_EQ(led::quantised(0.999f, true), 253);
  EXPECT_EQ(led::quantised(-1.0f, true), 0);
  EXPECT_EQ(led::quantised(2.0f, false), 255);
  EXPECT_EQ(led::quantised(0.5f, false), 128);
  const Made seed = make(small({{"dtype", "uint8"}}));
  const Made rounded = make(small({{"dtype", "uint8"}, {"quantise", "255 rounded"}}));
  // Truncation loses half a step on average where the pattern is not zero, rounding nothing.
  EXPECT_LT(seed.w.fact("quantisation_bias"), -0.0005);
  EXPECT_LT(std::abs(rounded.w.fact("quantisation_bias")), 0.0005);
  EXPECT_LE(rounded.w.fact("quantisation_error"), 0.5 / 255 + 1e-6);
  EXPECT_LE(seed.w.fact("quantisation_error"), 2.0 / 255);
}

TEST(LedInputs, RefuseABlockOverTheBorderWithItsPlace) {
  const Configuration axes = configured(small({{"leds", "2"}}));
  std::vector<std::int32_t> positions = {0, 0, 0, 0, 0, 0, 69, 4};
  const auto bottom = led::validate_positions(positions, axes);
  ASSERT_FALSE(bottom);
  for (const char* part : {"LED 1", "channel 1", "row 69", "column 4", "100×120"})
    EXPECT_NE(sentence(bottom.error()).find(part), std::string::npos) << part;
  positions = {0, 0, -1, 0, 0, 0, 0, 0};
  EXPECT_FALSE(led::validate_positions(positions, axes));
  positions = {68, 88, 0, 0, 0, 0, 0, 0};
  EXPECT_TRUE(led::validate_positions(positions, axes));
}

TEST(LedGroups, AreAllLedsOnceUnderWindowsThatHoldTheirBlocks) {
  for (const std::int64_t size : {1, 4, 16, 24, 32}) {
    const Made made = make(small({{"positions", "per-channel"}, {"leds", "45"}}));
    const led::Groups groups = led::make_groups(made.positions(), made.w.axes, size);
    const std::int64_t per_channel = ceil_divide(45, size);
    ASSERT_EQ(groups.windows.size(), static_cast<std::size_t>(2 * per_channel));
    for (std::int64_t c = 0; c < 2; ++c) {
      std::set<std::int32_t> seen;
      for (std::int64_t i = 0; i < 45; ++i) {
        const std::int32_t n = groups.order[static_cast<std::size_t>(c * 45 + i)];
        seen.insert(n);
        const led::Window& w = groups.windows[static_cast<std::size_t>(c * per_channel + i / size)];
        const auto at = static_cast<std::size_t>(2 * (c * 45 + n));
        const int row = made.positions()[at], column = made.positions()[at + 1];
        EXPECT_TRUE(w.row <= row && row + 32 <= w.row + w.rows);
        EXPECT_TRUE(w.column <= column && column + 32 <= w.column + w.columns);
        EXPECT_TRUE(w.row >= 0 && w.row + w.rows <= 100 && w.column >= 0);
        EXPECT_LE(w.column + w.columns, 120);
      }
      EXPECT_EQ(seen.size(), 45u);
    }
  }
}

// Bytes are copied 16 at a time where the frame's rows allow it, and 4 at a time elsewhere.
TEST(LedGroups, WindowsOfBytesBeginWhereALongCopyMayBegin) {
  const auto alignment = [](const char* width, const char* dtype) {
    return led::window_alignment(configured(small({{"width", width}, {"dtype", dtype}})));
  };
  EXPECT_EQ(alignment("128", "uint8"), 16);
  EXPECT_EQ(alignment("120", "uint8"), 4);
  EXPECT_EQ(alignment("120", "fp32"), 4);
}

// The specification's own grouping, a k-d split, reuses a pixel 6.4 times at 16 LEDs a group and
// 4.2 times at 8; bands come within a tenth of it.
TEST(LedGroups, ReusePixelsAsOftenAsASplitByHalves) {
  for (const auto& [size, reuse] : std::map<std::string, double>{{"8", 4.2}, {"16", 6.4}}) {
    Made made{{configured({{"leds_per_block", size}}), {}}, {}};
    ASSERT_TRUE(led::generate_positions(made.w.axes, made.inputs, made.w.facts));
    ASSERT_TRUE(led::measure_groups(made.w.axes, made.inputs, made.w.facts));
    const double found = *term("model.window_reuse", made.w, "window_strips");
    EXPECT_GT(found, 0.9 * reuse) << size;
    EXPECT_LT(found, 1.2 * reuse) << size;
  }
}

// Written the other way round than the reference: every pixel asks which blocks lie over it.
TEST(LedReference, EqualsAWalkOverPixels) {
  for (const Changes& more :
       {Changes{}, Changes{{"positions", "per-channel"}, {"output", "planar"}},
        Changes{{"dtype", "uint8"}}, Changes{{"dtype", "uint8"}, {"sums", "raw uint32"}}}) {
    Changes changes = small(more);
    changes["leds"] = "4";
    const Made made = make(changes);
    const bool bytes = led::integers(made.w.axes);
    const auto at = [&](const char* name, std::size_t i) {
      return bytes ? static_cast<double>(made.inputs.at(name).as<std::uint8_t>()[i])
                   : static_cast<double>(made.inputs.at(name).as<float>()[i]);
    };
    std::vector<double> sums(3 * 4 * 2);
    for (std::size_t f = 0; f < 3; ++f) {
      for (std::size_t c = 0; c < 2; ++c) {
        for (std::size_t pixel = 0; pixel < 100 * 120; ++pixel) {
          for (std::size_t n = 0; n < 4; ++n) {
            const auto place = made.positions().subspan(2 * (c * 4 + n), 2);
            const std::size_t row = pixel / 120 - static_cast<std::size_t>(place[0]);
            const std::size_t column = pixel % 120 - static_cast<std::size_t>(place[1]);
            if (row >= 32 || column >= 32) continue;  // also where the difference wraps
            const std::size_t to =
                led::planar(made.w.axes) ? (f * 2 + c) * 4 + n : (f * 4 + n) * 2 + c;
            sums[to] += at("values", ((c * 4 + n) * 32 + row) * 32 + column) *
                        at("frames", (f * 2 + c) * 100 * 120 + pixel);
          }
        }
      }
    }
    const double scale = bytes && !led::raw_sums(made.w.axes) ? 255 * 255 : 1;
    std::vector<std::int64_t> elements;
    for (std::size_t i = 0; i < sums.size(); ++i) elements.push_back(static_cast<std::int64_t>(i));
    std::vector<ReferenceValue> values(sums.size(), {-1e9, -1e9, -1e9});  // poison
    find_reference(scene(), "exact")->host(made.w, made.inputs, "out", elements, values);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      EXPECT_NEAR(values[i].value, sums[i] / scale, 1e-12 * sums[i]) << i;
      EXPECT_EQ(values[i].magnitude, values[i].value) << "all factors are positive";
    }
  }
}

TEST(LedVariants, AreHeldToF32BoundsOrToTheInteger) {
  const Variant& strips = *find_variant(scene(), "window_strips");
  EXPECT_DOUBLE_EQ(tolerance_of(strips, configured({})).magnitude, 1e-5);
  const Tolerance bytes = tolerance_of(strips, configured({{"dtype", "uint8"}}));
  EXPECT_TRUE(bytes.magnitude == 0 && bytes.reference == std::ldexp(1.0, -23));
  const Tolerance raw =
      tolerance_of(strips, configured({{"dtype", "uint8"}, {"sums", "raw uint32"}}));
  EXPECT_TRUE(raw.magnitude == 0 && raw.reference == 0 && raw.absolute == 0);
}

std::string reason(const char* variant, const Changes& changes) {
  const Made made = make(small(changes));
  return unavailable(*find_variant(scene(), variant), made.w, {}).value_or("");
}

TEST(LedVariants, SayWhyTheyCannotRun) {
  EXPECT_NE(reason("single_frame_repeated", {{"block", "48"}}).find("of 48 rows 32"),
            std::string::npos);
  EXPECT_NE(reason("window_strips", {{"width", "122"}}).find("divisible by 4"), std::string::npos);
  EXPECT_NE(reason("window_strips", {{"block", "30"}}).find("block is 30"), std::string::npos);
  EXPECT_NE(reason("grid3d_shared_pattern", {{"dtype", "uint8"}, {"sums", "raw uint32"}})
                .find("no raw sums"),
            std::string::npos);
  const Changes huge = {{"block", "256"}, {"height", "256"}, {"width", "256"}, {"leds", "1"}};
  EXPECT_NE(reason("grid2d_frame_loop", huge).find("256 KB"), std::string::npos);
  EXPECT_NE(reason("pattern_in_registers", huge).find("128 values a thread"), std::string::npos);
  EXPECT_EQ(reason("window_strips", huge), "");
  EXPECT_EQ(reason("direct_global", {{"width", "122"}, {"block", "30"}}), "");
}

TEST(LedVariants, TheFaultyLessonIsWrongExactlyWhereAWarpHasNoFrame) {
  const Variant& faulty = *find_variant(scene(), "frames_per_warp_early_exit");
  for (const char* frames : {"1", "7", "9", "12"})
    EXPECT_TRUE(faulty.expected_fault({configured({{"frames", frames}}), {}})) << frames;
  for (const char* frames : {"8", "16", "64"})
    EXPECT_FALSE(faulty.expected_fault({configured({{"frames", frames}}), {}})) << frames;
  for (const Variant& variant : scene().variants)
    EXPECT_EQ(static_cast<bool>(variant.expected_fault), &variant == &faulty) << variant.name;
}

TEST(LedVariants, PicksByReuseAndAlignment) {
  const auto picked = [](const Changes& changes) {
    return led::pick_by_shape(make(small(changes)).w).variant;
  };
  EXPECT_EQ(picked({}), "window_boxes");
  EXPECT_EQ(picked({{"dtype", "uint8"}}), "window_strips") << "rows of 120 bytes fit no tensor map";
  EXPECT_EQ(picked({{"leds", "1"}}), "pattern_in_registers");
  EXPECT_EQ(picked({{"width", "121"}}), "direct_global");
}

// Every buffer of the ring is inside the shared memory that the launch asks for, and two blocks fit
// a multiprocessor.
TEST(LedVariants, StripsFitTwiceWhateverTheWindows) {
  for (const char* rows : {"4", "8", "16"}) {
    for (const char* stages : {"2", "4"}) {
      for (const char* dtype : {"fp32", "uint8"}) {
        const Made made = make({{"leds", "3"},
                                {"frames", "8"},
                                {"strip_rows", rows},
                                {"stages", stages},
                                {"dtype", dtype}});
        const led::WindowStrips form = led::window_strips_form(made.w);
        EXPECT_GE(form.shared_bytes, form.stages * form.strip_rows * form.frame_tile * form.pitch *
                                         led::shape_of(made.w.axes).value_bytes);
        EXPECT_LE(form.shared_bytes, 114 * 1024);
        EXPECT_EQ(form.pitch % 32, 0);
      }
    }
  }
}

// The figures of the scene's specification at its default: 3008 LEDs, B 64, 480×800, three
// channels, eight frames.
TEST(LedWork, EqualsTheWorkedFiguresOfTheDefault) {
  Workload w{configured({}), {}};
  w.facts = {{"covered_pixels", 0.99 * 480 * 800 * 3}, {"window_pixels", 564 * 10200.0}};
  const double products = 8.0 * 3008 * 3 * 4096;
  EXPECT_DOUBLE_EQ(*term("model.flops", w, "window_strips"), 2 * products);
  EXPECT_NEAR(*term("model.dram_bytes", w, "window_strips"), 185.1e6, 0.5e6);
  EXPECT_NEAR(*term("model.dram_bytes", w, "single_frame_repeated"), 185.1e6 + 7 * 147.8e6, 1.5e6);
  EXPECT_NEAR(*term("model.l2_bytes", w, "pattern_in_registers"), 184.8e-6 * 7.2e12, 2e6);
  EXPECT_NEAR(*term("model.l2_bytes", w, "single_frame_repeated"), 329e-6 * 7.2e12, 5e6);
  EXPECT_NEAR(*term("model.l2_bytes", w, "window_strips"), 46e-6 * 7.2e12, 4e6);
  // 1.13 ms of stores and 0.28 ms of reads on 132 multiprocessors at 1.98 GHz.
  EXPECT_NEAR(*term("model.shared_wavefronts", w, "grid3d_shared_pattern") / (132 * 1.98e9),
              1.41e-3, 0.01e-3);
  EXPECT_NEAR(*term("model.window_reuse", w, "leds_per_block"), 6.4, 0.05);
  EXPECT_DOUBLE_EQ(*term("model.l1_bytes", w, "window_strips"), 4 * products);
  EXPECT_DOUBLE_EQ(*term("model.l1_bytes", w, "single_frame_repeated"), 8 * products);
  EXPECT_FALSE(term("model.window_reuse", w, "direct_global"));
  EXPECT_FALSE(term("model.quantisation_error", w, "direct_global"));
  w.axes.set("dtype", std::string("uint8"));
  EXPECT_NEAR(*term("model.dram_bytes", w, "dp4a_registers"), 46.5e6, 0.5e6);
  EXPECT_NEAR(*term("model.l2_bytes", w, "dp4a_registers"), 46.2e-6 * 7.2e12, 1e6);
}

TEST(LedScene, AdmitsNoBlockLargerThanTheFrameAndNamesNothingToDo) {
  EXPECT_FALSE(scene().admit(configured({{"block", "128"}, {"height", "100"}})));
  EXPECT_FALSE(scene().admit(configured({{"leds", "262144"}, {"block", "256"}})));
  for (const Changes& empty : {small({{"leds", "0"}}), small({{"frames", "0"}})}) {
    const Made made = make(empty);
    EXPECT_TRUE(scene().nothing_to_do(made.w));
    EXPECT_EQ(led::shape_of(made.w.axes).outputs(), 0);
  }
}

}  // namespace
}  // namespace warpscope
