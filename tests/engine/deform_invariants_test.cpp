// tests/engine/deform_invariants_test.cpp: what must hold of outputs of `deform`, on the emulator.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "scenes/base/half.h"
#include "scenes/deform/deform.h"
#include "scenes/deform/inputs/inputs.h"
#include "scenes/deform/inputs/shapes.h"
#include "tests/engine/staged_scene.h"

namespace warpscope {
namespace {

using Halves = std::span<std::uint16_t>;
using Floats = std::vector<float>;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// The arrays of f16 that an edit may change.
struct Arrays {
  Halves value, loc, weight;
};
using Edit = std::function<void(const Arrays&)>;

// Outputs of variants at one configuration whose inputs an edit may have changed.
class Samples : public StagedScene {
 public:
  explicit Samples(const Changes& changes, Edit edit = nullptr)
      : StagedScene(deform_scene(),
                    {{"batch", "2"}, {"queries", "21"}, {"height0", "13"}, {"width0", "10"}},
                    changes) {
    if (!edit) return;
    const auto generate = [edit = std::move(edit)](const Configuration& axes, Inputs& inputs,
                                                   Facts&) -> Result<void> {
      const deform::Shape s = deform::shape_of(axes);
      const std::map<std::string, std::int64_t> counts = {
          {"value", s.values()}, {"loc", 2 * s.samples()}, {"weight", s.samples()}};
      for (const auto& [array, count] : counts) {
        inputs[array] = HostArray(ElementType::f16, count);
        deform::make_elements({axes, {}}, array, 0, inputs.at(array).bytes());
      }
      edit({inputs.at("value").as<std::uint16_t>(), inputs.at("loc").as<std::uint16_t>(),
            inputs.at("weight").as<std::uint16_t>()});
      return {};
    };
    make_last({"values", "locations", "weights"}, {"value", "loc", "weight"}, generate);
  }

  // The output of one variant, converted to f32.
  Floats output(const Variant& variant) {
    Floats values;
    for (const std::uint16_t half : StagedScene::output<std::uint16_t>(variant, "out"))
      values.push_back(from_f16(half));
    return values;
  }
  Floats output(const std::string& variant) { return output(*find_variant(scene(), variant)); }
  void expect_correct(const Variant& variant) { StagedScene::expect_correct(variant, "out"); }

  // Variants whose values are the input's.
  std::vector<Variant> in_halves() {
    std::vector<Variant> all = variants();
    std::erase_if(
        all, [](const Variant& v) { return v.name == "bf16_values" || v.name == "fp8_values"; });
    return all;
  }
};

using DeformInvariants = CompilingTest;

void fill(Halves halves, float value) { std::fill(halves.begin(), halves.end(), to_f16(value)); }

TEST_F(DeformInvariants, AConstantFieldGivesTheSumOfTheWeights) {
  Samples samples({}, [](const Arrays& a) { fill(a.value, 1); });
  for (const Variant& variant : samples.variants()) {
    for (const float out : samples.output(variant)) EXPECT_NEAR(out, 4, 0.017) << variant.name;
  }
}

// On a level of 8×8 every centre is exact in f16.
TEST_F(DeformInvariants, ASampleOnAPixelCentreIsThatPixel) {
  Floats expected;
  Samples samples({{"batch", "1"},
                   {"queries", "64"},
                   {"height0", "8"},
                   {"width0", "8"},
                   {"levels", "1"},
                   {"points", "1"}},
                  [&expected](const Arrays& a) {
                    fill(a.weight, 1);
                    expected.clear();
                    for (std::size_t q = 0; q < 64; ++q) {
                      const std::size_t x = q % 8, y = q / 8;
                      a.loc[2 * q] = to_f16((static_cast<float>(x) + 0.5f) / 8);
                      a.loc[2 * q + 1] = to_f16((static_cast<float>(y) + 0.5f) / 8);
                      for (std::size_t c = 0; c < 32; ++c)
                        expected.push_back(from_f16(a.value[((y + 1) * 10 + x + 1) * 32 + c]));
                    }
                  });
  for (const Variant& variant : samples.in_halves())
    EXPECT_EQ(samples.output(variant), expected) << variant.name;
}

TEST_F(DeformInvariants, SamplesOutsideGiveZero) {
  for (const char* ring : {"zero", "data"}) {
    Samples samples({{"outside", "1"}, {"ring", ring}});
    for (const Variant& variant : samples.variants())
      EXPECT_EQ(samples.output(variant), Floats(2 * 21 * 32, 0.0f)) << variant.name;
  }
}

// A power of two moves no rounding, but for numbers near the smallest.
TEST_F(DeformInvariants, TwiceTheValuesOrWeightsGiveTwiceTheOutputs) {
  const Changes uniform = {{"locality", "uniform"}};
  Samples plain(uniform, [](const Arrays&) {});
  const auto doubled = [](Halves halves) {
    for (std::uint16_t& half : halves) half = to_f16(2 * from_f16(half));
  };
  Samples values(uniform, [&](const Arrays& a) { doubled(a.value); });
  Samples weights(uniform, [&](const Arrays& a) { doubled(a.weight); });
  for (const Variant& variant : plain.in_halves()) {
    const Floats once = plain.output(variant);
    for (Samples* samples : {&values, &weights}) {
      const Floats twice = samples->output(variant);
      for (std::size_t i = 0; i < once.size(); ++i)
        ASSERT_NEAR(twice[i], 2 * once[i], 2e-5) << variant.name << " " << i;
    }
  }
}

TEST_F(DeformInvariants, TheOrderOfPointsMovesNoMoreThanRounding) {
  const Changes drawn = {{"locality", "uniform"}, {"outside", "0.2"}};
  const auto weigh = [](const Arrays& a) {
    for (std::size_t i = 0; i < a.weight.size(); ++i)
      a.weight[i] = to_f16(static_cast<float>(i % 7 + 1) / 64);
  };
  Samples plain(drawn, weigh);
  Samples turned(drawn, [&](const Arrays& a) {
    weigh(a);
    for (std::size_t first = 0; first < a.weight.size(); first += 8) {
      std::reverse(a.weight.begin() + first, a.weight.begin() + first + 8);
      for (std::size_t p = 0; p < 4; ++p) {
        for (std::size_t axis = 0; axis < 2; ++axis)
          std::swap(a.loc[2 * (first + p) + axis], a.loc[2 * (first + 7 - p) + axis]);
      }
    }
  });
  for (const Variant& variant : plain.variants()) {
    const Floats before = plain.output(variant), after = turned.output(variant);
    for (std::size_t i = 0; i < before.size(); ++i)
      ASSERT_NEAR(before[i], after[i], 0.01) << variant.name << " " << i;
  }
}

TEST_F(DeformInvariants, ValuesWithoutRingsGiveTheSameBitsAsRingsOfZeros) {
  Samples samples({{"locality", "uniform"}, {"outside", "0.2"}, {"heads", "2"}});
  EXPECT_EQ(samples.output("unpadded_values"), samples.output("scalar_metadata"));
}

TEST_F(DeformInvariants, AnImageAloneGivesWhatItGivesInTheBatch) {
  std::vector<std::uint16_t> value, loc, weight;
  const auto second_half = [](Halves halves) {
    return std::vector<std::uint16_t>(halves.begin() + halves.size() / 2, halves.end());
  };
  Samples both({{"locality", "uniform"}}, [&](const Arrays& a) {
    value = second_half(a.value);
    loc = second_half(a.loc);
    weight = second_half(a.weight);
  });
  Samples alone({{"locality", "uniform"}, {"batch", "1"}}, [&](const Arrays& a) {
    std::copy(value.begin(), value.end(), a.value.begin());
    std::copy(loc.begin(), loc.end(), a.loc.begin());
    std::copy(weight.begin(), weight.end(), a.weight.begin());
  });
  for (const Variant& variant : both.variants()) {
    const Floats of_both = both.output(variant);
    EXPECT_EQ(Floats(of_both.begin() + 21 * 32, of_both.end()), alone.output(variant))
        << variant.name;
  }
}

// One query, one level of 8×8 and one point, at each of these places along either axis.
TEST_F(DeformInvariants, PlacesAtTheBorderCountByTheStrictRule) {
  const Floats places = {0,      1,    -0.5f / 8, 1 + 0.5f / 8, -0.49f / 8, 1 + 0.49f / 8, -1,
                         1000.f, kNan, kInfinity, -kInfinity,   0.5f,       1e-7f,         0.999f};
  const std::size_t count = places.size();
  for (const char* ring : {"zero", "data"}) {
    Samples samples({{"batch", "1"},
                     {"queries", std::to_string(count * count)},
                     {"height0", "8"},
                     {"width0", "8"},
                     {"levels", "1"},
                     {"points", "1"},
                     {"ring", ring}},
                    [&](const Arrays& a) {
                      for (std::size_t q = 0; q < count * count; ++q) {
                        a.loc[2 * q] = to_f16(places[q % count]);
                        a.loc[2 * q + 1] = to_f16(places[q / count]);
                      }
                    });
    for (const Variant& variant : samples.variants()) samples.expect_correct(variant);
    const Floats out = samples.output("interleaved_compile_time_points");
    const auto is_zero = [&](std::size_t x) {
      return std::all_of(out.begin() + (11 * count + x) * 32,
                         out.begin() + (11 * count + x + 1) * 32, [](float v) { return v == 0; });
    };
    EXPECT_FALSE(is_zero(0) || is_zero(1)) << "0 and 1 lie half a pixel inside of the ring";
    for (const std::size_t x : {2u, 3u, 6u, 7u, 8u, 9u, 10u}) EXPECT_TRUE(is_zero(x)) << x;
  }
}

// A weight that is no number counts where its sample does; an infinite one makes no number of the
// ring's zeros.
TEST_F(DeformInvariants, NumbersThatAreNoneFollowTheRules) {
  const auto edit = [](const Arrays& a) {
    const auto place = [&](std::size_t query, float at, float weight) {
      const std::size_t sample = query * 32;
      a.loc[2 * sample] = a.loc[2 * sample + 1] = to_f16(at);
      a.weight[sample] = to_f16(weight);
    };
    place(0, kNan, 1);
    place(1, 0.5f, kNan);
    place(2, -1, kNan);
    place(3, 0, kInfinity);
    place(4, 2, kInfinity);
    a.value[(5 * 12 + 4) * 32] = to_f16(kInfinity);  // a pixel that uniform samples touch
    a.value[0] = to_f16(kNan);                       // the ring's first pixel: who reads it?
  };
  Samples samples({{"locality", "uniform"}, {"batch", "1"}}, edit);
  for (const Variant& variant : samples.variants()) {
    // A composed operator cannot know which of its samples were skipped, fp8 has no infinity, and
    // without rings there are no zeros to multiply.
    if (variant.name == "sample_then_reduce" || variant.name == "fp8_values" ||
        variant.name == "unpadded_values")
      continue;
    samples.expect_correct(variant);
  }
  const Floats out = samples.output("branch_free");
  EXPECT_TRUE(std::isfinite(out[5])) << "its location is no number";
  EXPECT_TRUE(std::isnan(out[32 + 5])) << "its weight is no number";
  EXPECT_TRUE(std::isfinite(out[2 * 32 + 5])) << "so is that of a sample that does not count";
  EXPECT_TRUE(std::isnan(out[3 * 32 + 5])) << "infinite times the zeros of the ring";
  EXPECT_TRUE(std::isfinite(out[4 * 32 + 5]));
}

TEST_F(DeformInvariants, SumsBeyondTheLargestHalfAreInfinite) {
  Samples samples({}, [](const Arrays& a) {
    fill(a.value, 40000);
    fill(a.weight, 1);
  });
  for (const Variant& variant : samples.in_halves()) {
    for (const float out : samples.output(variant)) EXPECT_EQ(out, kInfinity) << variant.name;
    samples.expect_correct(variant);
  }
}

void expect_every_variant_is_right(const std::vector<Changes>& all_sizes) {
  for (const Changes& sizes : all_sizes) {
    Samples samples(sizes);
    const std::vector<Variant> variants = samples.variants();
    EXPECT_GT(variants.size(), 10u);
    for (const Variant& variant : variants) samples.expect_correct(variant);
  }
}

// Sizes that the scene's hard cases do not have.
TEST_F(DeformInvariants, EveryVariantIsRightAtOddSizes) {
  expect_every_variant_is_right({
      {{"height0", "1"}, {"width0", "1"}, {"locality", "uniform"}},
      {{"points", "16"}, {"heads", "3"}, {"channels", "8"}, {"outside", "0.4"}},
      {{"channels", "128"}, {"block_size", "96"}, {"unroll", "4"}},
  });
}

using SlowDeformInvariants = CompilingTest;

TEST_F(SlowDeformInvariants, EveryVariantIsRightAtMoreSizes) {
  expect_every_variant_is_right({
      {{"queries", "1"}, {"batch", "1"}},
      {{"locality", "reference + offset"}, {"queries", "322"}, {"ring", "data"}},
      {{"block_size", "64"}, {"query_lanes", "4"}, {"staged_levels", "4"}},
      {{"levels", "1"}, {"points", "1"}, {"queries", "130"}},
      {{"levels", "5"}, {"points", "3"}, {"channels", "24"}},
      {{"level_sizes", "list"}, {"level_list", "3,50,7,1"}, {"locality", "uniform"}},
  });
}

// The reference of a device equals what the host computes, except for the last bits that depend on
// a sum's order.
TEST_F(DeformInvariants, TheReferenceOfTheDeviceIsThatOfTheHost) {
  for (const char* type : {"fp16", "bf16", "fp32"}) {
    Samples samples({{"dtype", type},
                     {"locality", "uniform"},
                     {"outside", "0.2"},
                     {"weights", "softmax"},
                     {"heads", "2"}});
    for (const Reference& reference : samples.scene().references) {
      if (!applies(reference, samples.axes())) continue;
      Variant as_variant = *find_variant(samples.scene(), "fp32_coordinates");
      as_variant.steps = reference.steps;
      as_variant.scratch = [](const Workload& w) {
        const std::int64_t count = deform::shape_of(w.axes).outputs();
        std::vector<BufferSpec> all;
        for (const char* part : {"out.reference", "out.accumulation", "out.magnitude"})
          all.push_back({part, ElementType::f64, count, BufferRole::scratch, {count}, part});
        return all;
      };
      samples.output(as_variant);
      Inputs inputs;
      Workload w{samples.stage().workload().axes, {}};
      ASSERT_TRUE(regenerate_inputs(samples.scene(), nullptr, w.axes, inputs, w.facts));
      for (const char* array : {"value", "loc", "weight"}) {
        for (const BufferSpec& spec : samples.scene().buffers(w)) {
          if (spec.name != array) continue;
          inputs[array] = HostArray(spec.type, spec.count);
          deform::make_elements(w, array, 0, inputs.at(array).bytes());
        }
      }
      std::vector<std::int64_t> elements(
          static_cast<std::size_t>(deform::shape_of(w.axes).outputs()));
      for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<std::int64_t>(i);
      std::vector<ReferenceValue> values(elements.size());
      reference.host(w, inputs, "out", elements, values);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto part = [&](const char* buffer) {
          double number = 0;
          std::memcpy(&number, samples.stage().bytes_of(buffer).data() + 8 * i, sizeof number);
          return number;
        };
        ASSERT_NEAR(part("out.reference"), values[i].value, 1e-13) << reference.name << " " << i;
        ASSERT_NEAR(part("out.magnitude"), values[i].magnitude, 1e-13);
        ASSERT_NEAR(part("out.accumulation"), values[i].accumulation, 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace warpscope
