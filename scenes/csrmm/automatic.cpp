// scenes/csrmm/automatic.cpp: the variant that picks another variant from facts of the input.
#include "scenes/csrmm/automatic.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "scenes/csrmm/steps/k_tiles.h"
#include "scenes/csrmm/steps/steps.h"
#include "scenes/csrmm/steps/techniques.h"
#include "scenes/csrmm/variants/variant_kinds.h"
#include "scenes/csrmm/work.h"

namespace warpscope::csrmm {
namespace {

bool fills_16_bytes(const Workload& w) { return w.integer("n") % (16 / value_bytes(w.axes)) == 0; }

std::int64_t output_rows(const Workload& w) { return w.integer(transposed(w.axes) ? "k" : "m"); }

// For a row of C: it comes from a row of A, or from a column if the product is transposed.
double mean_of_output(const Workload& w) {
  return w.fact("nnz") / static_cast<double>(std::max<std::int64_t>(1, output_rows(w)));
}
double longest_of_output(const Workload& w) {
  return w.fact(transposed(w.axes) ? "longest_column" : "longest_row");
}

double multiply_adds(const Workload& w) { return w.fact("nnz") * w.real("n"); }

}  // namespace

// Long: a table of features, one after the other.
ChoiceFeatures choice_features(const std::vector<Axis>& axes) {
  ChoiceFeatures all;
  for (const char* name :
       {"op", "dtype", "weights", "rows", "sorted", "duplicates", "zeros", "n", "db", "b", "w"})
    all.push_back(axis_feature(*find_axis(axes, name)));
  const auto add = [&all](const char* name, const char* label, double (*of)(const Workload&)) {
    all.push_back(
        number_feature(name, label, [of](const Workload& w) { return std::optional(of(w)); }));
  };
  // For facts that older recordings lack: there the feature has no value.
  const auto add_if_known = [&all](const char* name, const char* label,
                                   double (*of)(const Workload&)) {
    all.push_back(number_feature(name, label, [of](const Workload& w) -> std::optional<double> {
      try {
        return of(w);
      } catch (const std::out_of_range&) {
        return std::nullopt;
      }
    }));
  };
  add("output_rows", "rows of C",
      [](const Workload& w) { return static_cast<double>(output_rows(w)); });
  add("gathered_rows", "rows of B",
      [](const Workload& w) { return w.real(transposed(w.axes) ? "m" : "k"); });
  add("nnz", "entries of A", [](const Workload& w) { return w.fact("nnz"); });
  add("mean_row", "mean entries per row of C", mean_of_output);
  add("longest_row", "longest row of C", longest_of_output);
  add("skew", "longest row over the mean",
      [](const Workload& w) { return longest_of_output(w) / std::max(1e-9, mean_of_output(w)); });
  add("longest_share", "share of entries in the longest row",
      [](const Workload& w) { return longest_of_output(w) / std::max(1.0, w.fact("nnz")); });
  add("multiply_adds", "multiply-adds", multiply_adds);
  add("tile_entries", "entries per row and tile of B", entries_a_tile);
  add("warps", "rows times strips", [](const Workload& w) {
    return static_cast<double>(output_rows(w) * ceil_divide(w.integer("n"), kWarpLanes));
  });
  add("row_bytes", "bytes per row of B",
      [](const Workload& w) { return static_cast<double>(w.integer("n") * value_bytes(w.axes)); });
  add("b_bytes", "bytes of B", [](const Workload& w) {
    return w.real(transposed(w.axes) ? "m" : "k") *
           static_cast<double>(w.integer("n") * value_bytes(w.axes));
  });
  add("filled", "share of A that is filled",
      [](const Workload& w) { return w.fact("nnz") / std::max(1.0, w.real("m") * w.real("k")); });
  add("c_bytes", "bytes of C", [](const Workload& w) {
    return static_cast<double>(output_rows(w) * w.integer("n") * value_bytes(w.axes));
  });
  add("a_bytes", "bytes of A", [](const Workload& w) {
    const double weight =
        w.text("weights") == "homo" ? 0 : static_cast<double>(value_bytes(w.axes));
    return w.fact("nnz") * (4 + weight);
  });
  add("gathered_bytes", "bytes of B that all entries read", [](const Workload& w) {
    return multiply_adds(w) * static_cast<double>(value_bytes(w.axes));
  });
  add_if_known("reuse", "entries per column of A that is not empty", [](const Workload& w) {
    const double rows = transposed(w.axes) ? w.real("m") : w.fact("distinct_columns");
    return w.fact("nnz") / std::max(1.0, rows);
  });
  add("imbalance", "longest row over the mean entries per multiprocessor", [](const Workload& w) {
    return longest_of_output(w) * kDesignDevice.multiprocessors / std::max(1.0, w.fact("nnz"));
  });
  add("longest_bytes", "bytes of B that the longest row reads", [](const Workload& w) {
    return longest_of_output(w) * static_cast<double>(w.integer("n") * value_bytes(w.axes));
  });
  add("longest_other", "longest column of A, or row if transposed", [](const Workload& w) {
    return w.fact(transposed(w.axes) ? "longest_row" : "longest_column");
  });
  add_if_known("empty_share", "share of rows of C without entries", [](const Workload& w) {
    return w.fact(transposed(w.axes) ? "empty_columns" : "empty_rows") /
           static_cast<double>(std::max<std::int64_t>(1, output_rows(w)));
  });
  add_if_known(
      "sorted_padding", "entries of 32 rows of equal length over entries",
      [](const Workload& w) { return w.fact("sell_entries") / std::max(1.0, w.fact("nnz")); });
  add_if_known(
      "segments_of_row", "parts of at most 256 entries per row of A",
      [](const Workload& w) { return w.fact("row_segments") / std::max(1.0, w.real("m")); });
  add("strip_use", "share of the lanes of all strips that have a column", [](const Workload& w) {
    return w.real("n") / static_cast<double>(kWarpLanes * ceil_divide(w.integer("n"), kWarpLanes));
  });
  add("whole_quads", "1 if rows of B are whole 16-byte loads",
      [](const Workload& w) { return fills_16_bytes(w) ? 1.0 : 0.0; });
  add("lanes_of_last_strip", "columns modulo 32",
      [](const Workload& w) { return static_cast<double>(w.integer("n") % kWarpLanes); });
  all.push_back(number_feature("block_fill", "filled share of a block on the diagonal",
                               [](const Workload& w) -> std::optional<double> {
                                 if (w.text("rows") != "block_diagonal") return std::nullopt;
                                 return w.fact("mean_row") / std::max(1.0, w.real("b"));
                               }));
  return all;
}

Variant automatic_variant(const std::vector<Variant>& among, const std::vector<Axis>& axes,
                          const std::vector<WorkTerm>& terms) {
  const auto choice =
      std::make_shared<const AutomaticChoice>("csrmm", "auto", choice_features(axes), among, axes);
  Variant v = new_variant(
      "auto", "automatic choice", "ours", kFittedChoiceSentence,
      "[[auto.time.warm <= 1.03 * best(like.auto) => It is within 3 % of the fastest "
      "variant with the same results here, {fastest(like.auto)}. | {fastest(like.auto)} gives "
      "the same results in {ratio(best(like.auto), auto.time.warm)} of its time here. "
      "|| Is another variant that gives the same results faster?]] Move a slider until "
      "the choice changes. Compare the two variants there.");
  v.applies = nullptr;
  v.constraints.clear();
  v.repeatable = false;  // like the variants that add split rows with atomics
  act_as_picked(v, choice, terms);
  explain_padding(v);  // of the variants that stream B
  for (const Variant& row : choice->rows()) {
    const auto of_others = static_cast<std::ptrdiff_t>(v.known_differences.size());
    for (const KnownDifference& known : row.known_differences) {
      const auto begin = v.known_differences.begin();
      const bool said = std::any_of(begin, begin + of_others, [&](const KnownDifference& own) {
        return own.figure == known.figure && own.side == known.side;
      });
      if (!said) explain(v, known);
    }
  }
  return v;
}

}  // namespace warpscope::csrmm
