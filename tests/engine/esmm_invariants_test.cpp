// tests/engine/esmm_invariants_test.cpp: what must hold of patterns and outputs of `esmm`, on the
// emulator.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "scenes/base/texts/code_id.h"
#include "scenes/esmm/esmm.h"
#include "scenes/esmm/inputs/pattern_counts.h"
#include "scenes/esmm/inputs/shapes.h"
#include "tests/engine/staged_scene.h"

namespace warpscope {
namespace {

using namespace esmm;
using Edit = std::function<void(std::span<float> a, std::span<float> b)>;
using Floats = std::vector<float>;

// Outputs of variants at one configuration whose inputs an edit may have changed.
class Product : public StagedScene {
 public:
  explicit Product(const Changes& changes, Edit edit = nullptr)
      : StagedScene(esmm_scene(), {{"m", "128"}, {"n", "256"}, {"k", "64"}}, changes) {
    if (!edit) return;
    const auto generate = [edit = std::move(edit)](const Configuration& axes, Inputs& inputs,
                                                   Facts&) -> Result<void> {
      for (const char* array : {"a", "b"}) {
        const Operand o = operand_of(axes, array);
        inputs[array] = HostArray(ElementType::f32, o.elements());
        draw(o, 0, inputs.at(array).as<float>());
      }
      edit(inputs.at("a").as<float>(), inputs.at("b").as<float>());
      return {};
    };
    make_last({"a", "b"}, {"a", "b"}, generate);
  }

  Workload workload(const Variant& variant) const {
    return {for_variant(scene().axes, axes(), variant.name), {}};
  }

  Floats output(const Variant& variant) { return StagedScene::output(variant, "c"); }
  Floats output(const std::string& variant) { return output(*find_variant(scene(), variant)); }

  // Runs the variant up to this step and gives what a buffer holds then.
  template <typename T>
  std::vector<T> after(const std::string& variant, const char* step, const char* buffer) {
    const Variant& v = *find_variant(scene(), variant);
    set(v);
    EmulatedStage::View view;
    view.step = step;
    const auto run = stage().run(v, view);
    EXPECT_TRUE(run) << sentence(run.error());
    const auto bytes = stage().bytes_of(buffer);
    std::vector<T> values(bytes.size() / sizeof(T));
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(values.data()));
    return values;
  }
  Floats a() {
    Floats values(static_cast<std::size_t>(operand_a(axes()).elements()));
    draw(operand_a(axes()), 0, values);
    return values;
  }

  // Kernels of ours that run here and are meant to be right, but the dense one.
  std::vector<Variant> skipping() {
    std::vector<Variant> all;
    for (const Variant& v : scene().variants) {
      if (!v.own_kernels || v.expected_fault || v.name == "dense_warp_tile") continue;
      if (v.name == "ab_bodies") continue;  // NVRTC takes seconds for it
      set(v);
      if (!calls_library(v, stage().workload()) && !unavailable(v, stage().workload(), {}))
        all.push_back(v);
    }
    return all;
  }
};

using EsmmInvariants = CompilingTest;

// Kernels that make patterns take every size; the products after them do not.
TEST_F(EsmmInvariants, PatternsOnTheDeviceAreThoseOfTheValues) {
  for (const Changes& changes :
       {Changes{},
        Changes{{"a_zeros", "unstructured"}, {"b_zeros", "unstructured"}, {"da", "0.02"}},
        Changes{{"a_zeros", "banded"}, {"band", "9"}}, Changes{{"a_bit_rows", "8"}}}) {
    Product product(changes);
    product.output("joint_lookup");
    for (const char* array : {"a", "b"}) {
      const Pattern expected = joined(*pattern_of(operand_of(product.axes(), array)), kGroup / 8);
      const auto bytes = product.stage().bytes_of(std::string(array) + "_pattern");
      ASSERT_EQ(bytes.size(), expected.bytes.size());
      EXPECT_TRUE(
          std::equal(bytes.begin(), bytes.end(), std::as_bytes(std::span(expected.bytes)).begin()))
          << array << " of " << problem_key(esmm_scene().axes, product.axes());
    }
  }
}

// Rows, columns and k beyond the matrix count as zero.
TEST_F(EsmmInvariants, PatternsOfRaggedSizesCountNothingBeyondTheMatrix) {
  const auto equal = [](const std::vector<std::uint8_t>& device, const Pattern& expected) {
    return device == expected.bytes;
  };
  for (const char* group : {"8", "32", "64"}) {
    Product product({{"m", "77"}, {"n", "70"}, {"k", "45"}, {"da", "0.9"}, {"a_group", group}});
    const Pattern a = *pattern_of(operand_a(product.axes()));
    EXPECT_TRUE(
        equal(product.after<std::uint8_t>("joint_granularity", "patterns of A", "a_pattern"),
              joined(a, std::stoll(group) / 8)))
        << group;
  }
  Product product({{"m", "77"}, {"n", "70"}, {"k", "45"}, {"b_zeros", "unstructured"}});
  const Pattern b = *pattern_of(operand_b(product.axes()));
  EXPECT_TRUE(equal(product.after<std::uint8_t>("k_major_b", "patterns of B", "b_pattern"),
                    joined(b, kGroup / 8)));
  // For eight columns each they lie the other way round: [K / 8][N / 8].
  const auto eights = product.after<std::uint8_t>("ab_fine", "patterns of B", "b_eights");
  ASSERT_EQ(eights.size(), b.bytes.size());
  for (std::int64_t block = 0; block < b.k_blocks; ++block) {
    for (std::int64_t group = 0; group < b.groups; ++group)
      EXPECT_EQ(eights[static_cast<std::size_t>(block * b.groups + group)], b.at(group, block));
  }
  // Turned, B is B.
  Floats values(static_cast<std::size_t>(operand_b(product.axes()).elements()));
  draw(operand_b(product.axes()), 0, values);
  const auto turned = product.after<float>("transposed_b", "transpose B", "bt");
  for (std::size_t k = 0; k < 45; ++k) {
    for (std::size_t column = 0; column < 70; ++column)
      EXPECT_EQ(turned[column * 45 + k], values[k * 70 + column]);
  }
}

// Steps that are skipped add nothing: with every bit set the same kernel gives the same bits.
TEST_F(EsmmInvariants, SkippingChangesNoBitOfC) {
  Product product({{"da", "0.3"}, {"db", "0.4"}});
  for (const Variant& variant : product.skipping()) {
    const auto makes_patterns = [](const Step& step) {
      return step.name.starts_with("patterns of") || step.name == "patterns";
    };
    // Rows that list active k fetch nothing else: there is nothing to multiply instead.
    if (std::ranges::none_of(variant.steps(product.workload(variant)), makes_patterns)) continue;
    Variant full = variant;
    full.steps = [steps = variant.steps, makes_patterns](const Workload& w) {
      std::vector<Step> all = steps(w);
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (!makes_patterns(all[i])) continue;
        if (all[i].name == "patterns") {  // of both, in words
          all.insert(all.begin() + static_cast<std::ptrdiff_t>(i), all[i]);
          all[i++].action = Memset{"a_words", 0xFF};
          all[i].action = Memset{"b_words", 0xFF};
          continue;
        }
        const auto& kernel = std::get<KernelLaunch>(all[i].action);
        all[i].action = Memset{std::get<BufferArgument>(kernel.arguments.at(1)).buffer, 0xFF};
      }
      return all;
    };
    const Floats skipped = product.output(variant), all = product.output(full);
    // Zeros compare equal whatever their sign.
    EXPECT_EQ(skipped, all) << variant.name;
    EXPECT_GT(std::count_if(all.begin(), all.end(), [](float c) { return c != 0; }), 1000);
  }
}

TEST_F(EsmmInvariants, AllZeroOperandsGiveZerosEverywhere) {
  for (const char* array : {"a", "b"}) {
    Product product({{std::string(array) + "_zeros", "column_pattern"},
                     {std::string(array) + "_string", "00000000"}});
    for (const Variant& variant : product.skipping())
      EXPECT_EQ(product.output(variant), Floats(128 * 256, 0.0f)) << variant.name;
  }
}

TEST_F(EsmmInvariants, ChangedValuesChangeThePatternsAndTheProduct) {
  // One nonzero in each operand, at the last k.
  Product product({}, [](std::span<float> a, std::span<float> b) {
    std::fill(a.begin(), a.end(), 0.0f);
    std::fill(b.begin(), b.end(), 0.0f);
    a[5 * 64 + 63] = 2;
    b[63 * 256 + 200] = -0.0f;
    b[63 * 256 + 201] = 3;
  });
  for (const Variant& variant : product.skipping()) {
    const Floats c = product.output(variant);
    EXPECT_EQ(c[5 * 256 + 201], 6) << variant.name;
    EXPECT_EQ(std::count(c.begin(), c.end(), 0.0f), 128 * 256 - 1) << variant.name;
  }
}

// A number that is not finite, opposite a zero, is multiplied where nothing is skipped alone.
TEST_F(EsmmInvariants, InfinityOppositeASkippedZeroIsNotMultiplied) {
  const auto edit = [](std::span<float> a, std::span<float> b) {
    for (std::size_t row = 0; row < 128; ++row) a[row * 64 + 7] = 0;
    b[7 * 256 + 3] = std::numeric_limits<float>::infinity();
  };
  Product product({}, edit);
  const Floats dense = product.output("dense_warp_tile"), skipped = product.output("joint_lookup");
  for (std::size_t row = 0; row < 128; ++row) {
    EXPECT_TRUE(std::isnan(dense[row * 256 + 3])) << row;
    EXPECT_TRUE(std::isfinite(skipped[row * 256 + 3])) << row;
  }
}

TEST_F(EsmmInvariants, DenormalsAndNansSetTheirBits) {
  Product product({}, [](std::span<float> a, std::span<float> b) {
    std::fill(a.begin(), a.end(), 0.0f);
    std::fill(b.begin(), b.end(), 1.0f);
    a[0] = std::numeric_limits<float>::denorm_min();
    a[64 + 9] = std::numeric_limits<float>::quiet_NaN();
  });
  for (const char* variant : {"a_skip", "joint_table"}) {
    const Floats c = product.output(variant);
    EXPECT_EQ(c[0], std::numeric_limits<float>::denorm_min()) << variant;
    EXPECT_TRUE(std::isnan(c[256])) << variant;
    EXPECT_EQ(c[512], 0) << variant;
  }
}

// What libraries multiply is A again, entry by entry.
TEST_F(EsmmInvariants, CsrHoldsEveryNonzeroOfA) {
  Product product({{"m", "77"}, {"k", "45"}, {"n", "8"}, {"a_zeros", "unstructured"}});
  const Floats a = product.a();
  const auto indptr = product.after<std::int32_t>("cusparse_csr_alg2", "fill CSR", "indptr");
  const auto indices = product.after<std::int32_t>("cusparse_csr_alg2", "fill CSR", "indices");
  const auto weights = product.after<float>("cusparse_csr_alg2", "fill CSR", "weights");
  ASSERT_EQ(indptr.size(), 78u);
  Floats dense(a.size(), 0.0f);
  for (std::size_t row = 0; row < 77; ++row) {
    for (std::int32_t j = indptr[row]; j < indptr[row + 1]; ++j)
      dense[row * 45 + static_cast<std::size_t>(indices[static_cast<std::size_t>(j)])] =
          weights[static_cast<std::size_t>(j)];
  }
  EXPECT_EQ(dense, a);
  EXPECT_EQ(static_cast<std::size_t>(indptr[77]), weights.size());
}

TEST_F(EsmmInvariants, BlocksHoldEveryNonzeroOfA) {
  for (const char* side : {"8", "16", "32"}) {
    Product product({{"m", "64"},
                     {"k", "96"},
                     {"n", "8"},
                     {"a_zeros", "banded"},
                     {"band", "11"},
                     {"block_side", side}});
    const Floats a = product.a();
    const auto indptr = product.after<std::int32_t>("cusparse_bsr", "fill BSR", "indptr");
    const auto indices = product.after<std::int32_t>("cusparse_bsr", "fill BSR", "indices");
    const auto weights = product.after<float>("cusparse_bsr", "fill BSR", "weights");
    const auto listed =
        product.after<std::int32_t>("cusparse_blocked_ell", "list blocks", "indices");
    const std::size_t s = std::stoul(side), rows = 64 / s, width = listed.size() / rows;
    Floats dense(a.size(), 0.0f);
    for (std::size_t row = 0; row < rows; ++row) {
      const auto first = static_cast<std::size_t>(indptr[row]);
      const auto count = static_cast<std::size_t>(indptr[row + 1]) - first;
      for (std::size_t j = 0; j < count; ++j) {
        EXPECT_EQ(listed[row * width + j], indices[first + j]);
        for (std::size_t i = 0; i < s * s; ++i) {
          const std::size_t column = static_cast<std::size_t>(indices[first + j]) * s + i % s;
          dense[(row * s + i / s) * 96 + column] = weights[(first + j) * s * s + i];
        }
      }
      for (std::size_t j = count; j < width; ++j) EXPECT_EQ(listed[row * width + j], -1);
    }
    EXPECT_EQ(dense, a) << side;
  }
}

}  // namespace
}  // namespace warpscope
