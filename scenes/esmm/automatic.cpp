// scenes/esmm/automatic.cpp: the rows of esmm that pick another row of their league.
#include "scenes/esmm/automatic.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "scenes/base/kernel_parts.h"
#include "scenes/esmm/inputs/shapes.h"
#include "scenes/esmm/variants/variants.h"
#include "scenes/esmm/work.h"

namespace warpscope::esmm {
namespace {

// The automatic row of each league, and a row of it whose accuracy, tolerance and pipe it has.
struct LeagueChoice {
  const char *name, *label, *like;
};
constexpr LeagueChoice kChoices[] = {
    {"auto", "automatic choice", "class_lists_lines"},
    {"auto_fp32_tensor", "automatic choice, FP32-class", "class_lists_tf32x3_lines"},
    {"auto_tf32", "automatic choice, TF32", "class_lists_tf32_lines"},
    {"auto_bf16", "automatic choice, BF16", "class_lists_bf16"},
};

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

Variant automatic_variant(const LeagueChoice& choice, const std::vector<Variant>& among,
                          const std::vector<Axis>& axes) {
  const auto by_costs = std::make_shared<const AutomaticChoice>(
      *built_in_choice("esmm"), choice.name, choice_features(axes), among, axes);
  Variant v = *std::find_if(among.begin(), among.end(),
                            [&](const Variant& row) { return row.name == choice.like; });
  v.name = choice.name;
  v.label = choice.label;
  v.sentence =
      "Picks the variant of this league that should be fastest here, by costs that were fitted to "
      "recorded times.";
  v.look_at = "Move a density until the choice changes: is that the right point?";
  for (const Variant& row : by_costs->rows())
    v.tolerance.magnitude = std::max(v.tolerance.magnitude, row.tolerance.magnitude);
  v.constraints.clear();
  act_as_picked(v, by_costs, work_terms());
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

ChoiceFeatures choice_features(const std::vector<Axis>& axes) {
  ChoiceFeatures all;
  for (const char* name : {"m", "n", "k", "a_zeros", "b_zeros", "preprocessing", "reuse"})
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
  add("columns_of_quad", "columns of B modulo 4",
      [](const Workload& w) { return std::optional(static_cast<double>(shape_of(w.axes).n % 4)); });
  return all;
}

std::vector<Variant> automatic_variants(const std::vector<Variant>& among,
                                        const std::vector<Axis>& axes) {
  std::vector<Variant> all;
  for (const LeagueChoice& choice : kChoices) all.push_back(automatic_variant(choice, among, axes));
  return all;
}

}  // namespace warpscope::esmm
