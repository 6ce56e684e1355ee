// scenes/csrmm/automatic.cpp: the variant that picks another variant from facts of the input.
#include "scenes/csrmm/automatic.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "scenes/csrmm/steps/k_tiles.h"
#include "scenes/csrmm/steps/library_steps.h"
#include "scenes/csrmm/steps/steps.h"
#include "scenes/csrmm/steps/techniques.h"
#include "scenes/csrmm/variants/variant_kinds.h"
#include "scenes/csrmm/work.h"

namespace warpscope::csrmm {
namespace {

struct Pick {
  const char* variant;
  bool (*when)(const Workload&);
  std::string (*why)(const Workload&);
};

bool is_f32(const Workload& w) { return value_type(w.axes) == ElementType::f32; }
bool is_f64(const Workload& w) { return value_type(w.axes) == ElementType::f64; }
bool is_16_bit(const Workload& w) { return value_bytes(w.axes) == 2; }
bool fills_16_bytes(const Workload& w) { return w.integer("n") % (16 / value_bytes(w.axes)) == 0; }

std::string whole(double value) { return std::to_string(std::llround(value)); }

// A row so long that the warps of the other rows wait for it.
bool skewed(const Workload& w) {
  constexpr double kLong = 1024, kTimesMean = 4;
  const double longest = w.fact("longest_row");
  return longest > kLong && longest > kTimesMean * w.fact("mean_row");
}

std::string because_of_length(const Workload& w) {
  return "the longest row has " + whole(w.fact("longest_row")) + " entries, the mean is " +
         whole(w.fact("mean_row"));
}

std::int64_t output_rows(const Workload& w) { return w.integer(transposed(w.axes) ? "k" : "m"); }

// Of a row of C: a row of A, or a column where the product is transposed.
double mean_of_output(const Workload& w) {
  return w.fact("nnz") / static_cast<double>(std::max<std::int64_t>(1, output_rows(w)));
}
double longest_of_output(const Workload& w) {
  return w.fact(transposed(w.axes) ? "longest_column" : "longest_row");
}

double multiply_adds(const Workload& w) { return w.fact("nnz") * w.real("n"); }

// Too few multiply-adds to make up for filling the ring. In a transposed product the alternative is
// a gather with a column order of its own, so the ring pays off from half as many.
bool is_small(const Workload& w) { return multiply_adds(w) < (transposed(w.axes) ? 25e6 : 50e6); }

// One strip of columns: it uses all lanes of a warp; with four columns per lane most are idle.
bool is_narrow(const Workload& w) { return w.integer("n") <= kWarpLanes; }

// Half a strip leaves every second lane of a warp idle, in the ring and with eight warps per row.
bool is_half_a_strip(const Workload& w) { return 2 * w.integer("n") <= kWarpLanes; }

// A ring of one strip whose tiles have few entries per row; for half a strip the limit is twice as
// high.
bool starves_a_ring(const Workload& w) {
  return is_narrow(w) && entries_a_tile(w) < (is_half_a_strip(w) ? 16 : 8);
}

bool worth_streaming(const Workload& w) {
  return is_f32(w) && w.integer("n") % 4 == 0 && !is_small(w) && entries_a_tile(w) >= 1;
}

// A fills enough of its blocks that multiplying whole tiles pays off.
bool fills_blocks(const Workload& w) {
  return !transposed(w.axes) && is_f32(w) && !has_no_tiles(w) &&
         4 * w.fact("mean_row") >= w.real("b");
}
std::string because_of_blocks(const Workload& w) {
  return "A has blocks of " + std::to_string(w.integer("b")) +
         " rows on its diagonal, and the mean row has entries in " + whole(w.fact("mean_row"));
}

// Whether eight warps per row share one strip. With one weight for all, only indices are read.
bool is_one_strip_a_row(const Workload& w) {
  if (!is_f32(w) || !is_narrow(w) || skewed(w)) return false;
  if (w.text("weights") == "homo") return multiply_adds(w) >= 25e6;
  return !is_half_a_strip(w) && multiply_adds(w) >= 50e6;
}

// Rows of at most 64 columns, whose sixteen lanes fill half a warp, and fewer of them than the
// device has lanes.
bool has_few_half_warps(const Workload& w) {
  constexpr std::int64_t kLanesOfMultiprocessor = 1024;
  const std::int64_t lanes = output_rows(w) * (w.integer("n") / 4);
  return is_f32(w) && fills_16_bytes(w) && is_small(w) && !skewed(w) && !is_narrow(w) &&
         w.integer("n") <= 2 * kWarpLanes && w.text("weights") == "hetero" &&
         lanes < kLanesOfMultiprocessor * kDesignDevice.multiprocessors;
}

bool has_one_huge_row(const Workload& w) {
  return !transposed(w.axes) && is_f32(w) && skewed(w) && 2 * w.fact("longest_row") > w.fact("nnz");
}
// Rows and strips that leave most of an H200's warps without one: of 64 a multiprocessor three
// quarters, and where a column's entries are as far apart as a transposed product has them, half.
bool has_few_warps(const Workload& w) {
  const std::int64_t warps_of_multiprocessor = transposed(w.axes) ? 32 : 16;
  return output_rows(w) * ceil_divide(w.integer("n"), kWarpLanes) <
         warps_of_multiprocessor * kDesignDevice.multiprocessors;
}
std::string because_of_few_warps(const Workload& w) {
  return "one warp for each of the " + std::to_string(output_rows(w)) +
         " rows and strips would leave multiprocessors idle; eight per row do not";
}

std::string because_of_f64(const Workload&) {
  return "the values are f64, which none of our own kernels supports";
}

std::string because_of_tiles(const Workload& w) {
  const std::int64_t tenths = std::llround(10 * entries_a_tile(w));
  return "on average a row has " + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) +
         " entries per tile of B, at least one";
}

// The first pick whose condition is true is taken; the last of each op is always true. All use
// every stored entry: the choice must not change results, as skipping zeros of B can. The order and
// the limits are those of an H200: the fastest of these variants at the scene's presets, skewed
// inputs and densities of 0.005 to 0.1. At 32 columns and few entries that is the library.
constexpr Pick kPicks[] = {
    {"cusparse_csc", [](const Workload& w) { return transposed(w.axes) && is_f64(w); },
     because_of_f64},
    {"cusparse_default", [](const Workload& w) { return is_f64(w) && skewed(w); }, because_of_f64},
    {"block_row", is_f64, because_of_f64},
    {"row_split", has_one_huge_row, because_of_length},
    {"cusparse_bsr", fills_blocks, because_of_blocks},
    {"k_tiles",
     [](const Workload& w) {
       return !transposed(w.axes) && worth_streaming(w) && !starves_a_ring(w);
     },
     because_of_tiles},
    {"t_k_tiles", [](const Workload& w) { return transposed(w.axes) && worth_streaming(w); },
     because_of_tiles},
    {"merge_path", [](const Workload& w) { return !transposed(w.axes) && is_f32(w) && skewed(w); },
     because_of_length},
    {"t_csc_block_row",
     [](const Workload& w) { return transposed(w.axes) && is_f32(w) && has_few_warps(w); },
     because_of_few_warps},
    {"t_csc_gather", [](const Workload& w) { return transposed(w.axes); },
     [](const Workload&) -> std::string {
       return "a gather over the columns of A needs no atomics";
     }},
    {"block_row_narrow", [](const Workload& w) { return is_f32(w) && has_few_warps(w); },
     because_of_few_warps},
    {"block_row_narrow", is_one_strip_a_row,
     [](const Workload& w) {
       return std::to_string(w.integer("n")) +
              " columns are one strip, which eight warps per row share";
     }},
    {"cusparse_alg3",
     [](const Workload& w) { return is_f32(w) && is_narrow(w) && is_small(w) && !skewed(w); },
     [](const Workload& w) {
       return std::to_string(w.integer("n")) +
              " columns are one strip, and the product has fewer than 50 million multiply-adds";
     }},
    {"cusparse_alg3",
     [](const Workload& w) { return is_f32(w) && is_half_a_strip(w) && !skewed(w); },
     [](const Workload& w) {
       return std::to_string(w.integer("n")) +
              " columns use that many of a warp's 32 lanes, in our ring and with eight warps per "
              "row";
     }},
    {"cusparse_alg3",
     [](const Workload& w) {
       return is_16_bit(w) && fills_16_bytes(w) && !is_small(w) && !skewed(w);
     },
     [](const Workload&) -> std::string {
       return "none of our kernels keeps 16-bit B in shared memory, and cuSPARSE gathers like ours";
     }},
    {"float4_columns", has_few_half_warps,
     [](const Workload& w) {
       return std::to_string(output_rows(w)) + " rows of " + std::to_string(w.integer("n")) +
              " columns are few enough to start all at once, in any order";
     }},
    {"row_swizzle", [](const Workload& w) { return is_16_bit(w) && fills_16_bytes(w); },
     [](const Workload&) -> std::string {
       return "rows of 16-bit values are read with 16-byte loads, longest rows first";
     }},
    {"row_swizzle", is_small,
     [](const Workload&) -> std::string {
       return "the product has fewer than 50 million multiply-adds";
     }},
    {"row_swizzle", skewed, because_of_length},
    {"float4_columns", fills_16_bytes,
     [](const Workload& w) {
       return "rows have about equal length, and " + std::to_string(w.integer("n")) +
              " columns make whole 16-byte loads";
     }},
    {"rows_per_block", [](const Workload&) { return true; },
     [](const Workload& w) {
       return "rows have about equal length, and " + std::to_string(w.integer("n")) +
              " columns do not make whole 16-byte loads";
     }},
};

const Pick& pick_at(const Workload& w) {
  return *std::find_if(std::begin(kPicks), std::end(kPicks) - 1,
                       [&w](const Pick& pick) { return pick.when(w); });
}

}  // namespace

ChoiceFeatures choice_features(const std::vector<Axis>& axes) {
  ChoiceFeatures all;
  for (const char* name : {"op", "dtype", "weights", "rows", "sorted", "n", "b", "w"})
    all.push_back(axis_feature(*find_axis(axes, name)));
  const auto add = [&all](const char* name, const char* label, double (*of)(const Workload&)) {
    all.push_back(
        number_feature(name, label, [of](const Workload& w) { return std::optional(of(w)); }));
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

std::vector<std::string> automatic_candidates() {
  std::vector<std::string> names;
  for (const Pick& pick : kPicks) names.emplace_back(pick.variant);
  return names;
}

Variant automatic_variant(const std::vector<Variant>& among, const std::vector<Axis>& axes) {
  const auto rows = std::make_shared<std::map<std::string, Variant>>();
  for (const Variant& v : among) {
    if (std::ranges::count(automatic_candidates(), v.name) > 0) rows->emplace(v.name, v);
  }
  const auto picked = [rows](const Workload& w) -> const Variant& {
    return rows->at(pick_at(w).variant);
  };
  const auto own = [axes](Workload w, const Variant& chosen) {
    w.axes = for_variant(axes, w.axes, chosen.name);  // its own axes are at their defaults
    return w;
  };
  Variant v =
      new_variant("auto", "automatic choice", "ours",
                  "Picks one of these variants by row lengths, entries per tile of B, size, "
                  "operation and type.",
                  "[[auto.time.warm <= 1.03 * best(like.auto) => Within 3 % of the fastest variant "
                  "with the same results here, {fastest(like.auto)}. | {fastest(like.auto)} gives "
                  "the same results in {ratio(best(like.auto), auto.time.warm)} of its time here. "
                  "|| Is another variant that gives the same results faster?]] Move a slider until "
                  "the choice changes, and see whether it changed at the right point.");
  v.applies = nullptr;
  v.repeatable = false;  // like the variants that add split rows with atomics
  v.constraints = {
      {"what the picked variant needs", [picked, own](const Workload& w, const DeviceLimits& d) {
         return unavailable(picked(w), own(w, picked(w)), d);
       }}};
  explain_padding(v);  // of the variants that stream B
  for (const auto& [name, row] : *rows) {
    const auto of_others = static_cast<std::ptrdiff_t>(v.known_differences.size());
    for (const KnownDifference& known : row.known_differences) {
      const auto begin = v.known_differences.begin();
      const bool said = std::any_of(begin, begin + of_others, [&](const KnownDifference& own) {
        return own.figure == known.figure && own.side == known.side;
      });
      if (!said) explain(v, known);
    }
  }
  const auto charge_picked = [&](const char* term,
                                 std::optional<double> (*of)(const Workload&, const Variant&)) {
    charge(v, term,
           [picked, own, of](const Workload& w) { return of(own(w, picked(w)), picked(w)); });
  };
  charge_picked("model.dram_read_bytes", read_from_dram);
  charge_picked("model.dram_bytes", moved_by_dram);
  charge_picked(kL2ReadTerm, read_from_l2);
  v.steps = [picked, own](const Workload& w) { return picked(w).steps(own(w, picked(w))); };
  v.scratch = [picked, own](const Workload& w) {
    const Variant& chosen = picked(w);
    return chosen.scratch ? chosen.scratch(own(w, chosen)) : Buffers{};
  };
  v.choice = [picked](const Workload& w) { return picked(w).label + ": " + pick_at(w).why(w); };
  return v;
}

}  // namespace warpscope::csrmm
