// tests/scenes/led_test.cpp: inputs, groups, reference, constraints and work model of `led` hold.
#include "scenes/led/led.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "scenes/led/block_places.h"
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
  const auto axes = with_values(scene().axes, with_defaults(scene().axes, {}), changes);
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
    if (row.id == id) return evaluate(row, w, *find_variant(scene(), variant));
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
  // Three TF32 products have the bound of f32; one has not.
  const auto of = [](const char* variant, const Changes& changes) {
    return tolerance_of(*find_variant(scene(), variant), configured(changes));
  };
  EXPECT_DOUBLE_EQ(of("window_tensor_core", {}).magnitude, 1e-5);
  EXPECT_DOUBLE_EQ(of("window_tensor_core_1", {}).magnitude, 2e-3);
  EXPECT_EQ(of("window_tensor_core", {{"dtype", "uint8"}}).magnitude, 0);
}

TEST(LedVariants, ProductsBelowTheSmallestNormalNumberMayBeZero) {
  // Seen where a pattern's tail lies alone: 0 in place of 8.1e-39, 2.8e-44 in place of 3.6e-44. A
  // lost product of 1e-33 is a mistake.
  for (const char* variant : {"direct_global", "cusparse_csr", "window_tensor_core_1"}) {
    const Tolerance bound =
        tolerance_of(*find_variant(scene(), variant), configured({{"block", "64"}}));
    EXPECT_GT(bound.absolute, 8.1e-39) << variant;
    EXPECT_LT(bound.absolute, 1e-33) << variant;
  }
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
                .find("raw sums would be wrong"),
            std::string::npos);
  const Changes huge = {{"block", "256"}, {"height", "256"}, {"width", "256"}, {"leds", "1"}};
  EXPECT_NE(reason("grid2d_frame_loop", huge).find("256 KB"), std::string::npos);
  EXPECT_NE(reason("pattern_in_registers", huge).find("128 values per thread"), std::string::npos);
  EXPECT_EQ(reason("window_strips", huge), "");
  EXPECT_EQ(reason("direct_global", {{"width", "122"}, {"block", "30"}}), "");
  EXPECT_NE(reason("cublas_batched", {{"dtype", "uint8"}}).find("unsigned"), std::string::npos);
  EXPECT_EQ(reason("cublas_batched", {}), "");
  Changes bytes = {{"dtype", "uint8"}, {"block", "192"}, {"height", "192"}, {"width", "192"}};
  EXPECT_NE(reason("window_tensor_core", bytes).find("overflow: block is 192"), std::string::npos);
  bytes["block"] = "176";
  EXPECT_EQ(reason("window_tensor_core", bytes), "");
  bytes["block"] = "36";
  EXPECT_NE(reason("window_tensor_core", bytes).find("36 bytes"), std::string::npos);
  bytes["width"] = "188";
  EXPECT_NE(reason("window_tensor_core", bytes).find("188 bytes"), std::string::npos);
}

TEST(LedVariants, PatchesThatDoNotFitAreRefusedWithTheirSize) {
  const Variant& batched = *find_variant(scene(), "cublas_batched");
  const Workload w{configured({}), {}};
  DeviceLimits device;
  EXPECT_FALSE(unavailable(batched, w, device));
  // 4·F·N·C·B² and 4·F·N·C bytes.
  device.free_bytes = 4LL * 8 * 3008 * 3 * (4096 + 1);
  EXPECT_FALSE(unavailable(batched, w, device));
  --device.free_bytes;
  EXPECT_EQ(unavailable(batched, w, device).value_or(""), "patches need 1.2 GB, 1.2 GB are free");
}

// Row c·N + n of the product, frame f, has its place in out.
TEST(LedVariants, BatchedProductsGoToTheirLedAndChannel) {
  for (const char* output : {"interleaved", "planar"}) {
    const Workload w{configured(small({{"output", output}})), {}};
    const led::Shape s = led::shape_of(w.axes);
    std::map<std::int64_t, std::int64_t> place_of_row;  // in frame 0
    for (const Step& step : find_variant(scene(), "cublas_batched")->steps(w)) {
      const auto* kernel = std::get_if<KernelLaunch>(&step.action);
      if (kernel == nullptr || kernel->entry != "rows_to_outputs") continue;
      const auto number = [&](std::size_t i) {
        return std::int64_t{std::get<std::int32_t>(kernel->arguments.at(i))};
      };
      const std::int64_t row_bytes = 4 * s.frames;
      const std::int64_t first_row =
          std::get<BufferArgument>(kernel->arguments.at(0)).offset_bytes / row_bytes;
      EXPECT_EQ(number(3), s.frames);
      EXPECT_EQ(number(4), s.blocks());
      for (std::int64_t r = 0; r < number(2); ++r)
        place_of_row[first_row + r] = number(5) + r * number(6);
    }
    ASSERT_EQ(place_of_row.size(), static_cast<std::size_t>(s.blocks()));
    for (const auto& [row, place] : place_of_row) {
      const std::int64_t c = row / s.leds, n = row % s.leds;
      EXPECT_EQ(place, led::planar(w.axes) ? c * s.leds + n : n * s.channels + c) << row;
    }
  }
}

TEST(LedVariants, TheFaultyLessonIsWrongExactlyWhereAWarpHasNoFrame) {
  const Variant& faulty = *find_variant(scene(), "frames_per_warp_early_exit");
  for (const char* frames : {"1", "7", "9", "12"})
    EXPECT_TRUE(faulty.expected_fault({configured({{"frames", frames}}), {}})) << frames;
  for (const char* frames : {"8", "16", "64"})
    EXPECT_FALSE(faulty.expected_fault({configured({{"frames", frames}}), {}})) << frames;
  EXPECT_FALSE(applies(faulty, configured({}))) << "it is an exhibit";
  EXPECT_TRUE(applies(faulty, configured({{"broken", "on"}})));
  for (const Variant& variant : scene().variants)
    EXPECT_EQ(static_cast<bool>(variant.expected_fault), &variant == &faulty) << variant.name;
}

// The reading that was recorded, and the text's: no constant B, an argument, no shared bytes asked.
TEST(LedVariants, ReadTheSeedAsItsTextSaysOrAsItWasRecordedFirst) {
  for (const char* variant : {"single_frame_repeated", "grid3d_shared_pattern"}) {
    const auto kernel_at = [&](const Changes& changes) {
      Workload w = make(changes).w;
      const Configuration typed =
          *with_values(scene().axes, default_configuration(scene().axes), changes);
      w.axes = for_variant(scene().axes, typed, variant);
      return std::get<KernelLaunch>(find_variant(scene(), variant)->steps(w).front().action);
    };
    const KernelLaunch text = kernel_at({{"leds", "3"}, {"frames", "2"}});
    const KernelLaunch recorded = kernel_at(
        {{"leds", "3"}, {"frames", "2"}, {"block_known", "compile time"}, {"load_width", "4"}});
    EXPECT_EQ(recorded.entry, variant);
    EXPECT_TRUE(text.entry.ends_with("_run_time")) << text.entry;
    EXPECT_NE(std::find(text.defines.begin(), text.defines.end(),
                        std::pair<std::string, std::string>("LOAD_WIDTH", "16")),
              text.defines.end());
    EXPECT_EQ(text.arguments.size(), recorded.arguments.size() + 1);
    EXPECT_EQ(text.launch.dynamic_shared_bytes, 0);
    for (const auto& [name, value] : text.defines) EXPECT_NE(name, "B");
  }
  const auto said = [](const char* block, const char* known, const char* copy = "one by one") {
    Workload w = make({{"leds", "2"}, {"block", block}, {"block_known", known}}).w;
    w.axes.set("copy", std::string(copy));
    return unavailable(*find_variant(scene(), "grid3d_shared_pattern"), w, {}).value_or("");
  };
  EXPECT_EQ(said("64", "run time"), "");
  EXPECT_EQ(said("96", "compile time"), "");
  EXPECT_EQ(said("96", "run time"),
            "a block of 96×96 would be written past the end of the published 64×64 shared array");
  EXPECT_EQ(said("64", "run time", "as listed"), "");
  EXPECT_EQ(said("64", "compile time", "as listed"),
            "the published loop copies the pattern with a side that is a run-time argument");
}

TEST(LedVariants, CopyThePatternAsItIsListedWhereTheSideIsAnArgument) {
  const auto kernel_at = [&](const Changes& changes) {
    Workload w = make({{"leds", "3"}, {"frames", "2"}}).w;
    const Configuration typed =
        *with_values(scene().axes, default_configuration(scene().axes), changes);
    w.axes = for_variant(scene().axes, typed, "grid3d_shared_pattern");
    return std::get<KernelLaunch>(
        find_variant(scene(), "grid3d_shared_pattern")->steps(w).front().action);
  };
  const KernelLaunch listed = kernel_at({{"copy", "as listed"}}), apart = kernel_at({});
  EXPECT_EQ(listed.entry, "grid3d_listed_copy");
  EXPECT_EQ(apart.entry, "grid3d_run_time");
  EXPECT_EQ(listed.defines, apart.defines);
  EXPECT_EQ(listed.arguments.size(), apart.arguments.size());
  EXPECT_EQ(kernel_at({{"copy", "as listed"}, {"load_width", "4"}}).entry, listed.entry);
}

// What it picks follows fitted costs; whatever it is, it runs there as that row does.
TEST(LedVariants, PickByShapeRunsTheRowThatItNames) {
  const Variant& pick = *find_variant(scene(), "pick_by_shape");
  for (const Changes& changes : std::vector<Changes>{{},
                                                     {{"frames", "5"}},
                                                     {{"leds", "1"}, {"frames", "1"}},
                                                     {{"dtype", "uint8"}},
                                                     {{"dtype", "uint8"}, {"leds", "1000"}},
                                                     {{"width", "121"}}}) {
    const Workload w = make(small(changes)).w;
    const std::string choice = pick.choice(w);
    SCOPED_TRACE(choice);
    const std::string label = choice.substr(0, choice.find(": "));
    const auto picked = std::ranges::find(scene().variants, label, &Variant::label);
    ASSERT_NE(picked, scene().variants.end());
    const Workload own{for_variant(scene().axes, w.axes, picked->name), w.facts};
    EXPECT_TRUE(applies(*picked, own.axes));
    EXPECT_FALSE(unavailable(*picked, own, {}));
    EXPECT_EQ(pick.steps(w).size(), picked->steps(own).size());
  }
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

// Windows of a few LEDs far apart are as wide as the frame, those of many are narrow.
TEST(LedVariants, PixelsForTensorCoresFitWhateverTheWindows) {
  for (const char* dtype : {"fp32", "uint8"}) {
    for (const char* leds : {"3", "300", "3008"}) {
      for (const char* block : {"16", "64", "128"}) {
        const Made made = make({{"leds", leds},
                                {"block", block},
                                {"width", "1600"},
                                {"frames", "9"},
                                {"channels", "1"},
                                {"dtype", dtype}});
        const led::WindowTensorCore form = led::window_tensor_core_form(made.w);
        EXPECT_TRUE(form.boxes >= 1 && form.stages >= 2) << dtype << leds << block;
        const led::CoreTuning tuning = led::core_tuning(made.w.axes);
        const led::Shape s = led::shape_of(made.w.axes);
        EXPECT_GE(form.shared_bytes,
                  form.stages * tuning.strip_rows *
                      (form.boxes * 8 * 64 + tuning.group * s.block * s.value_bytes));
        EXPECT_FALSE(unavailable(*find_variant(scene(), "window_tensor_core"), made.w, {}));
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
  EXPECT_NEAR(*term("model.l2_gather_bytes", w, "pattern_in_registers"), 184.8e-6 * 7.2e12, 2e6);
  EXPECT_NEAR(*term("model.l2_gather_bytes", w, "single_frame_repeated"), 329e-6 * 7.2e12, 5e6);
  EXPECT_NEAR(*term("model.l2_gather_bytes", w, "window_strips"), 46e-6 * 7.2e12, 4e6);
  EXPECT_NEAR(*term("model.window_reuse", w, "leds_per_block"), 6.4, 0.05);
  EXPECT_DOUBLE_EQ(*term("model.operand_bytes", w, "window_strips"), 4 * products);
  EXPECT_DOUBLE_EQ(*term("model.operand_bytes", w, "single_frame_repeated"), 8 * products);
  EXPECT_FALSE(term("model.window_reuse", w, "direct_global"));
  EXPECT_FALSE(term("model.quantisation_error", w, "direct_global"));
  // On tensor cores a pixel is read once for 16 LEDs: 564 windows of 10.2 k pixels.
  w.facts["core_pixels"] = w.facts["window_pixels"];
  EXPECT_NEAR(*term("model.l2_gather_bytes", w, "window_tensor_core"), 46e-6 * 7.2e12, 4e6);
  EXPECT_NEAR(*term("model.operand_bytes", w, "window_tensor_core"), 148e6 + 185e6, 2e6);
  w.axes.set("dtype", std::string("uint8"));
  EXPECT_NEAR(*term("model.dram_bytes", w, "dp4a_registers"), 46.5e6, 0.5e6);
  EXPECT_NEAR(*term("model.l2_gather_bytes", w, "dp4a_registers"), 46.2e-6 * 7.2e12, 1e6);
}

TEST(LedWork, CountsTheSectorsUnderBlocksWindowsAndBoxes) {
  // One block of 8×8 at row 2, column 4 of frames of 16×16. f32: rows of 64 bytes, the block's 32
  // bytes begin in the middle of a sector: two sectors each, in 8 rows of 2 frames. So do window
  // and box, which ends with the frame: 48 bytes of a row. With two frames side by side a row of
  // the block is 64 bytes from a whole sector on.
  Changes changes = {{"leds", "1"},   {"channels", "1"}, {"height", "16"},
                     {"width", "16"}, {"block", "8"},    {"frames", "2"}};
  const auto facts_of = [](const Changes& of) {
    const Configuration axes = configured(of);
    Inputs inputs;
    HostArray positions(ElementType::i32, 2);
    positions.as<std::int32_t>()[0] = 2, positions.as<std::int32_t>()[1] = 4;
    inputs["positions"] = std::move(positions);
    Facts facts;
    EXPECT_TRUE(led::measure_box_groups(axes, inputs, facts));
    EXPECT_TRUE(led::measure_sectors(axes, inputs, facts));
    return facts;
  };
  Facts facts = facts_of(changes);
  EXPECT_EQ(facts.at("block_sectors"), 2 * 8 * 2);
  EXPECT_EQ(facts.at("window_sectors"), 2 * 8 * 2);
  EXPECT_EQ(facts.at("box_sectors"), 2 * 8 * 2);
  EXPECT_EQ(facts.at("innermost_sectors"), 2 * 8);
  // The pattern once, and the sectors.
  const Workload w{configured(changes), facts};
  EXPECT_DOUBLE_EQ(*term("model.l2_read_bytes", w, "direct_global"), 256 + 32 * 32);
  EXPECT_DOUBLE_EQ(*term("model.l2_read_bytes", w, "single_frame_repeated"), 2 * 256 + 32 * 32);
  EXPECT_FALSE(term("model.l2_read_bytes", {w.axes, {}}, "direct_global"));
  EXPECT_FALSE(term("model.l2_read_bytes", w, "grid3d_shared_pattern"));
  // Bytes: rows of 16, so that 8 bytes from the 4th or 20th of a sector on lie in one. A window
  // begins at a multiple of 16 columns and is copied in whole pieces of 16: the row, which is half
  // a sector; a box is 16 rows, of which the frame has 14.
  changes["dtype"] = "uint8";
  facts = facts_of(changes);
  EXPECT_EQ(facts.at("block_sectors"), 8 * 2);
  EXPECT_EQ(facts.at("window_sectors"), 8 * 2);
  EXPECT_EQ(facts.at("box_sectors"), 14 * 2);
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
