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

// How long products take: a constant start, a time per k that holds however few tiles there are,
// and a rate once there are enough tiles.
struct Speed {
  double rate;    // products per second: those that are left, or all
  double start;   // seconds of a call besides its products
  double of_a_k;  // seconds; for lists: per k that is left
};
// What a league has to choose from, and how fast each is. Fitted to an H200 at 256³ to 4096³ and
// densities of 0.125 to 1, where times come out within a third; only their ratios decide.
struct Choice {
  const char *name, *label, *league;
  const char *lists, *library;
  const char* short_lists;  // the row for them, a warp alone; null: as long ones
  Speed listed, all;
};
constexpr Choice kChoices[] = {
    {"auto",
     "automatic choice",
     "fp32",
     "class_lists_lines",
     "cublas_sgemm",
     "class_lists",
     {23e12, 2.5e-6, 15e-9},
     {25.6e12, 2e-6, 24e-9}},
    {"auto_fp32_tensor",
     "automatic choice, FP32-class",
     "fp32_tensor",
     "class_lists_tf32x3_lines",
     "dense_tf32x3",
     "class_lists_tf32x3",
     {26e12, 3.2e-6, 25e-9},
     {57.4e12, 15e-6, 27e-9}},
    {"auto_bf16",
     "automatic choice, BF16",
     "bf16",
     "class_lists_bf16",
     "cublas_bf16",
     "class_lists_bf16",
     {26e12, 3.6e-6, 44e-9},
     {400e12, 2e-6, 4e-9}},
};

// Below this share a tile's list is so short that one warp does best alone, where there are tiles
// enough for all multiprocessors.
constexpr double kShortLists = 0.04;
constexpr std::int64_t kTilesOfMultiprocessor = 8;

bool lists_are_short(const Configuration& c, const std::optional<double>& share) {
  const Shape s = shape_of(c);
  const std::int64_t tiles = ceil_divide(s.m, kGroup) * ceil_divide(s.n, 2 * kGroup);
  return share && *share < kShortLists &&
         tiles >= kTilesOfMultiprocessor * kDesignDevice.multiprocessors;
}

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

// Seconds of making patterns in the call, and of the two products.
struct Times {
  double lists = 0, library = 0;
};
Times expected_times(const Choice& choice, const Configuration& c, double share) {
  constexpr double kBytesASecond = 4.1e12, kLaunch = 4e-6;
  constexpr double kListing = 40e-6 / (4096.0 * 4096 * 4096);  // seconds of an M·N·K
  const Shape s = shape_of(c);
  const double products =
      static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
  Times t;
  if (!a_prepared(c) || !b_prepared(c)) {
    const double a = a_prepared(c) ? 0 : 1.5 * static_cast<double>(s.a_elements());
    const double b = b_prepared(c) ? 0
                                   : static_cast<double>(s.b_elements()) /
                                         static_cast<double>(products_a_preparation(c));
    t.lists = kLaunch + static_cast<double>(kValueBytes) * (a + b) / kBytesASecond;
  }
  const auto k = static_cast<double>(s.k);
  const Speed &listed = choice.listed, &all = choice.all;
  t.lists += kLaunch + listed.start +
             std::max(products * (share / listed.rate + kListing), k * share * listed.of_a_k);
  t.library = all.start + std::max(products / all.rate, k * all.of_a_k);
  return t;
}

bool picks_lists(const Choice& choice, const Configuration& c) {
  if (shape_of(c).n % 4 != 0) return false;
  const std::optional<double> share = expected_pairs(c);
  if (!share) return std::string(choice.league) == "fp32";
  const Times t = expected_times(choice, c, *share);
  return t.lists < t.library;
}

std::string because(const Choice& choice, const Configuration& c) {
  if (shape_of(c).n % 4 != 0) return "N is not a multiple of 4, which lists need";
  const std::optional<double> share = expected_pairs(c);
  if (!share) return "the zeros of a file are not known before it is read";
  const Times t = expected_times(choice, c, *share);
  const auto percent = std::to_string(std::lround(100 * *share));
  return "the axes leave about " + percent + " % of the products. They should take " +
         std::to_string(std::lround(1e6 * t.lists)) + " µs by lists and " +
         std::to_string(std::lround(1e6 * t.library)) + " µs in a dense product, on an H200";
}

struct Rows {
  Variant lists, short_lists, library;
};

Variant automatic_variant(const Choice& choice, const std::vector<Variant>& among,
                          const std::vector<Axis>& axes) {
  const auto row = [&](const char* name) {
    return *std::find_if(among.begin(), among.end(),
                         [&](const Variant& v) { return v.name == name; });
  };
  const char* const alone = choice.short_lists ? choice.short_lists : choice.lists;
  const auto rows =
      std::make_shared<const Rows>(Rows{row(choice.lists), row(alone), row(choice.library)});
  const auto alone_is_best = [choice](const Configuration& c) {
    return choice.short_lists != nullptr && lists_are_short(c, expected_pairs(c));
  };
  const auto picked = [rows, choice, alone_is_best](const Workload& w) -> const Variant& {
    if (!picks_lists(choice, w.axes)) return rows->library;
    return alone_is_best(w.axes) ? rows->short_lists : rows->lists;
  };
  const auto own = [axes, picked, rows](Workload w) {
    const Variant& chosen = picked(w);
    w.axes = for_variant(axes, w.axes, chosen.name);
    if (&chosen == &rows->short_lists) {
      std::map<std::string, std::string> warps = {{"list_warps", "1"}};
      if (chosen.name != "class_lists_bf16") warps["list_slots"] = "8";
      if (Result<Configuration> changed = with_values(axes, w.axes, warps)) w.axes = *changed;
    }
    return w;
  };
  Variant v = rows->lists;
  v.name = choice.name;
  v.label = choice.label;
  v.sentence =
      "Uses lists of active k or the library, whichever a model of their times predicts to be "
      "faster at these axes.";
  v.look_at = "Move a density until the choice changes: is that the right point?";
  v.own_formulas.clear();
  for (const char* term : {"model.flops", "model.executed_share", "model.expected_share",
                           "model.dram_bytes", "model.dram_read_bytes"}) {
    charge(v, term, [picked, own, term = std::string(term)](const Workload& w) {
      const Workload at = own(w);
      for (const WorkTerm& t : work_terms()) {
        if (t.id == term) return evaluate(t, at, picked(w));
      }
      return std::optional<double>();
    });
  }
  v.tolerance.magnitude =
      std::max(rows->lists.tolerance.magnitude, rows->library.tolerance.magnitude);
  v.constraints = {
      {"what the chosen variant needs", [picked, own](const Workload& w, const DeviceLimits& d) {
         return unavailable(picked(w), own(w), d);
       }}};
  v.steps = [picked, own](const Workload& w) { return picked(w).steps(own(w)); };
  v.scratch = [picked, own](const Workload& w) {
    const Variant& chosen = picked(w);
    return chosen.scratch ? chosen.scratch(own(w)) : Buffers{};
  };
  v.choice = [picked, choice](const Workload& w) {
    return picked(w).label + ": " + because(choice, w.axes);
  };
  return v;
}

// The row of TF32 picks by costs that were fitted to times.
Variant fitted_variant(const std::vector<Variant>& among, const std::vector<Axis>& axes) {
  const auto choice = std::make_shared<const AutomaticChoice>(built_in_choice("esmm"), "auto_tf32",
                                                              choice_features(axes), among, axes);
  Variant v = *std::find_if(among.begin(), among.end(), [](const Variant& row) {
    return row.name == "class_lists_tf32_lines";
  });
  v.name = "auto_tf32";
  v.label = "automatic choice, TF32";
  v.sentence = kFittedChoiceSentence;
  v.look_at = "Move a density until the choice changes: is that the right point?";
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
  for (const Choice& choice : kChoices) {
    if (std::string(choice.name) == "auto_bf16") all.push_back(fitted_variant(among, axes));
    all.push_back(automatic_variant(choice, among, axes));
  }
  return all;
}

}  // namespace warpscope::esmm
