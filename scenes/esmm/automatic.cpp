// scenes/esmm/automatic.cpp: the rows of esmm that pick another row of their league.
#include "scenes/esmm/automatic.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "scenes/base/kernel_parts.h"
#include "scenes/esmm/inputs/shapes.h"
#include "scenes/esmm/variants/variants.h"
#include "scenes/esmm/work.h"

namespace warpscope::esmm {
namespace {

std::int64_t set_bits(const std::string& text) { return std::count(text.begin(), text.end(), '1'); }

double any_of(double density, double count) { return 1 - std::pow(1 - density, count); }

// The chance that a k has a nonzero for 32 rows of A, or 32 columns of B.
std::optional<double> kept(const Configuration& c, const std::string& operand) {
  const std::string zeros = c.text(operand + "_zeros");
  const auto density = [&] { return c.real("d" + operand); };
  if (zeros == "blockwise") {
    const std::string bits = c.text(operand == "a" ? "a_bit_rows" : "b_bit_columns");
    return bits == "8" ? any_of(density(), 4) : density();
  }
  if (zeros == "column_pattern")
    return static_cast<double>(set_bits(c.text(operand + "_string"))) / kByteSteps;
  if (zeros == "unstructured") return any_of(density(), kGroup);
  if (zeros == "zero_k_blocks") return density();
  if (zeros == "relu_like") return any_of(density(), 4);
  if (zeros == "causal") return 0.5;
  if (zeros == "banded") {
    const double k = static_cast<double>(std::max<std::int64_t>(1, shape_of(c).k));
    return std::min(1.0, (2 * static_cast<double>(c.integer("band")) + kGroup) / k);
  }
  if (zeros == "file") return std::nullopt;
  return 1;  // a pattern along N: every k has a nonzero in 32 columns
}

// A row that chooses among those of its league. `like`: one of these.
Variant automatic_variant(const char* name, const char* label, const char* like,
                          const std::vector<Variant>& among, const std::vector<Axis>& axes) {
  const auto choice =
      std::make_shared<const AutomaticChoice>("esmm", name, choice_features(axes), among, axes);
  Variant v = *std::find_if(among.begin(), among.end(),
                            [like](const Variant& row) { return row.name == like; });
  v.name = name;
  v.label = label;
  v.sentence = kFittedChoiceSentence;
  v.look_at = "Move a density until the choice changes. Compare the two variants there.";
  for (const Variant& row : choice->rows())
    v.tolerance.magnitude = std::max(v.tolerance.magnitude, row.tolerance.magnitude);
  v.constraints.clear();
  act_as_picked(v, choice, work_terms());
  return v;
}

}  // namespace

std::optional<double> expected_pairs(const Configuration& c) {
  // Two strings of the same eight k meet where both have a bit.
  if (c.text("a_zeros") == "column_pattern" && c.text("b_zeros") == "column_pattern") {
    std::int64_t both = 0;
    for (std::size_t i = 0; i < kByteSteps; ++i)
      both += c.text("a_string")[i] == '1' && c.text("b_string")[i] == '1' ? 1 : 0;
    return static_cast<double>(both) / kByteSteps;
  }
  const std::optional<double> a = kept(c, "a"), b = kept(c, "b");
  if (!a || !b) return std::nullopt;
  return *a * *b;
}

// Long: a table of features, one after the other.
ChoiceFeatures choice_features(const std::vector<Axis>& axes) {
  ChoiceFeatures all;
  for (const char* name : {"m", "n", "k", "a_zeros", "b_zeros", "preprocessing", "reuse",
                           "a_bit_rows", "b_bit_columns"})
    all.push_back(axis_feature(*find_axis(axes, name)));
  const auto add = [&all](const char* name, const char* label,
                          std::function<std::optional<double>(const Workload&)> of) {
    all.push_back(number_feature(name, label, std::move(of)));
  };
  const auto products = [](const Workload& w) {
    const Shape s = shape_of(w.axes);
    return static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
  };
  add("share", "expected share of the products",
      [](const Workload& w) { return expected_pairs(w.axes); });
  add("share_a", "k with a nonzero in 32 rows of A",
      [](const Workload& w) { return kept(w.axes, "a"); });
  add("share_b", "k with a nonzero in 32 columns of B",
      [](const Workload& w) { return kept(w.axes, "b"); });
  add("products", "products of the dense matrices",
      [products](const Workload& w) { return std::optional(products(w)); });
  add("kept_products", "products that are left",
      [products](const Workload& w) -> std::optional<double> {
        const std::optional<double> share = expected_pairs(w.axes);
        return share ? std::optional(*share * products(w)) : std::nullopt;
      });
  add("kept_k", "k that are left", [](const Workload& w) -> std::optional<double> {
    const std::optional<double> share = expected_pairs(w.axes);
    return share ? std::optional(*share * static_cast<double>(shape_of(w.axes).k)) : std::nullopt;
  });
  add("tiles", "tiles of 32 rows and 64 columns", [](const Workload& w) {
    const Shape s = shape_of(w.axes);
    return std::optional(
        static_cast<double>(ceil_divide(s.m, kGroup) * ceil_divide(s.n, 2 * kGroup)));
  });
  const auto tiles_of = [](const Workload& w, std::int64_t rows, std::int64_t columns) {
    const Shape s = shape_of(w.axes);
    return static_cast<double>(ceil_divide(s.m, rows) * ceil_divide(s.n, columns));
  };
  add("waves", "tiles of 128 × 128 per multiprocessor", [tiles_of](const Workload& w) {
    return std::optional(tiles_of(w, 128, 128) / kDesignDevice.multiprocessors);
  });
  add("last_wave", "the part of the last wave of such tiles that is full",
      [tiles_of](const Workload& w) {
        const double waves = tiles_of(w, 128, 128) / kDesignDevice.multiprocessors;
        return std::optional(waves - std::floor(waves));
      });
  add("wide_last_wave", "the same of tiles of 128 × 256", [tiles_of](const Workload& w) {
    const double waves = tiles_of(w, 128, 256) / kDesignDevice.multiprocessors;
    return std::optional(waves - std::floor(waves));
  });
  add("depth_of_quad", "k modulo 4",
      [](const Workload& w) { return std::optional(static_cast<double>(shape_of(w.axes).k % 4)); });
  add("columns_of_8", "columns of B modulo 8",
      [](const Workload& w) { return std::optional(static_cast<double>(shape_of(w.axes).n % 8)); });
  add("rows_of_32", "rows of A modulo 32", [](const Workload& w) {
    return std::optional(static_cast<double>(shape_of(w.axes).m % 32));
  });
  add("columns_of_quad", "columns of B modulo 4",
      [](const Workload& w) { return std::optional(static_cast<double>(shape_of(w.axes).n % 4)); });
  return all;
}

std::vector<Variant> automatic_variants(const std::vector<Variant>& among,
                                        const std::vector<Axis>& axes) {
  const struct {
    const char *name, *label, *like;
  } leagues[] = {
      {"auto", "automatic choice", "class_lists_lines"},
      {"auto_fp32_tensor", "automatic choice, FP32-class", "class_lists_tf32x3_lines"},
      {"auto_tf32", "automatic choice, TF32", "class_lists_tf32_lines"},
      {"auto_bf16", "automatic choice, BF16", "class_lists_bf16"},
  };
  std::vector<Variant> all;
  for (const auto& [name, label, like] : leagues)
    all.push_back(automatic_variant(name, label, like, among, axes));
  return all;
}

}  // namespace warpscope::esmm
