// scenes/esmm/work.cpp: what a product must cost by arithmetic, as far as patterns leave any.
#include "scenes/esmm/work.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "scenes/base/kernel_parts.h"
#include "scenes/esmm/inputs/pattern_counts.h"
#include "scenes/esmm/inputs/shapes.h"
#include "scenes/esmm/tiles.h"

namespace warpscope::esmm {
namespace {

using Value = std::optional<double>;

double dense_flops(const Workload& w) {
  const Shape s = shape_of(w.axes);
  return 2.0 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
}

double bytes_of(std::int64_t elements) { return static_cast<double>(elements * kValueBytes); }

double operand_bytes(const Workload& w) {
  const Shape s = shape_of(w.axes);
  return bytes_of(s.a_elements()) + bytes_of(s.b_elements());
}

double output_bytes(const Workload& w) { return bytes_of(shape_of(w.axes).outputs()); }

// What L2 keeps is not moved again.
double beyond_l2(double bytes) {
  return bytes > static_cast<double>(kDesignDevice.l2_bytes) ? bytes : 0;
}

bool counted(std::int64_t group) {
  return std::find(std::begin(kCountedGroups), std::end(kCountedGroups), group) !=
         std::end(kCountedGroups);
}

// Steps of k of all warps of wm × wn elements.
Value warp_steps(const Workload& w, std::int64_t wm, std::int64_t wn, Skips skips) {
  const Shape s = shape_of(w.axes);
  const std::int64_t rows = s.m / wm, columns = s.n / wn;
  const auto down = static_cast<double>(rows), across = static_cast<double>(columns);
  if (!skips.a && !skips.b) return down * across * static_cast<double>(s.k);
  if (skips.a && !counted(wm)) return std::nullopt;
  if (skips.b && !counted(wn)) return std::nullopt;
  if (skips.a && skips.b) return w.fact(joint_fact("joint", wm, wn));
  return skips.a ? w.fact(group_fact("a_bits", wm)) * across
                 : w.fact(group_fact("b_bits", wn)) * down;
}

// Blocks of eight k that all blocks of bm × bn elements load: what any of their warps needs.
Value loaded_blocks(const Workload& w, std::int64_t bm, std::int64_t bn, Skips skips) {
  const Shape s = shape_of(w.axes);
  const std::int64_t rows = s.m / bm, columns = s.n / bn;
  const auto down = static_cast<double>(rows), across = static_cast<double>(columns);
  if (!skips.a && !skips.b) return down * across * static_cast<double>(s.k_blocks());
  if (skips.a && !counted(bm)) return std::nullopt;
  if (skips.b && !counted(bn)) return std::nullopt;
  if (skips.a && skips.b) return w.fact(joint_fact("joint_blocks", bm, bn));
  return skips.a ? w.fact(group_fact("a_blocks", bm)) * across
                 : w.fact(group_fact("b_blocks", bn)) * down;
}

// 1 − (1 − d)^t: the chance that one of t independent bits is set.
double any_of(double density, double count) { return 1 - std::pow(1 - density, count); }

// The share of k that `rows` × `columns` elements need, by rules of independent bits of 32 rows or
// columns; nothing else has an expectation.
Value expected_share(const Workload& w, std::int64_t rows, std::int64_t columns, Skips skips) {
  double share = 1;
  if (skips.a) {
    if (w.text("a_zeros") != "blockwise" || w.text("a_bit_rows") != "32") return std::nullopt;
    share *= any_of(w.real("da"), static_cast<double>(rows) / kGroup);
  }
  if (skips.b) {
    if (w.text("b_zeros") != "blockwise" || w.text("b_bit_columns") != "32") return std::nullopt;
    share *= any_of(w.real("db"), static_cast<double>(columns) / kGroup);
  }
  return share;
}

double shared_by(const Workload& w) { return static_cast<double>(products_a_preparation(w.axes)); }

// The values that patterns are made of are read once more in the call: of B, where products share
// its preparation, a part.
double pattern_reads(const Workload& w, Skips skips) {
  const Shape s = shape_of(w.axes);
  return (skips.a && !a_prepared(w.axes) ? bytes_of(s.a_elements()) : 0) +
         (skips.b && !b_prepared(w.axes) ? bytes_of(s.b_elements()) : 0) / shared_by(w);
}

void charge_executed(Variant& v, const std::function<Value(const Workload&)>& executed) {
  charge(v, "model.flops", executed);
  charge(v, "model.executed_share", [executed](const Workload& w) -> Value {
    const Value flops = executed(w);
    if (!flops || dense_flops(w) == 0) return std::nullopt;
    return *flops / dense_flops(w);
  });
}

// What blocks load, and with it what crosses from L2: rows of A and columns of B, eight k at once.
void charge_loads(Variant& v, Skips skips) {
  const auto loaded = [skips](const Workload& w) {
    const Tile tile = tile_of(w);
    return loaded_blocks(w, tile.bm, tile.bn, skips);
  };
  charge(v, "model.loaded_share", [loaded](const Workload& w) -> Value {
    const Tile tile = tile_of(w);
    const Value blocks = loaded(w), all = loaded_blocks(w, tile.bm, tile.bn, {});
    if (!blocks || *all == 0) return std::nullopt;
    return *blocks / *all;
  });
  charge(v, "model.expected_loaded_share", [skips](const Workload& w) -> Value {
    const Tile tile = tile_of(w);
    const Value share = expected_share(w, tile.bm, tile.bn, skips);
    if (!share) return std::nullopt;
    return any_of(*share, static_cast<double>(kByteSteps));
  });
  charge(v, kL2ReadTerm, [loaded, skips](const Workload& w) -> Value {
    const Tile tile = tile_of(w);
    const Value blocks = loaded(w);
    if (!blocks) return std::nullopt;
    return *blocks * bytes_of(kByteSteps * (tile.bm + tile.bn)) + pattern_reads(w, skips);
  });
}

}  // namespace

void charge_steps(Variant& v, Skips skips) {
  charge_executed(v, [skips](const Workload& w) -> Value {
    const Tile tile = tile_of(w);
    const Value steps = warp_steps(w, tile.wm, tile.wn, skips);
    if (!steps) return std::nullopt;
    return *steps * 2.0 * static_cast<double>(tile.wm * tile.wn);
  });
  charge(v, "model.expected_share", [skips](const Workload& w) {
    const Tile tile = tile_of(w);
    return expected_share(w, tile.wm, tile.wn, skips);
  });
  charge(v, "model.seed_floats", [](const Workload& w) -> Value {
    const Tile t = tile_of(w);
    const std::int64_t rows = t.wmiter() * t.tm, columns = t.wniter * t.tn;
    return static_cast<double>(rows + columns + rows * columns);
  });
  charge_loads(v, skips);
}

void charge_lanes(Variant& v, Groups (*groups)(const Workload&)) {
  charge_executed(v, [groups](const Workload& w) -> Value {
    const auto [rows, columns] = groups(w);
    if (!counted(rows) || !counted(columns)) return std::nullopt;
    return w.fact(joint_fact("joint", rows, columns)) * 2.0 * static_cast<double>(rows * columns);
  });
  charge(v, "model.expected_share", [](const Workload&) -> Value { return std::nullopt; });
}

void charge_eights_of_b(Variant& v) {
  charge_executed(v, [](const Workload& w) -> Value {
    return w.fact(group_fact("b_bits", kByteSteps)) * 2.0 *
           static_cast<double>(kByteSteps * shape_of(w.axes).m);
  });
}

void charge_pairs(Variant& v) {
  charge_lanes(v, [](const Workload&) { return Groups{kGroup, kGroup}; });
  charge(v, "model.expected_share", [](const Workload& w) {
    return expected_share(w, kGroup, kGroup, {.a = true, .b = true});
  });
  charge_patterns(v, {.a = true, .b = true});
}

void charge_blocks(Variant& v) {
  charge_executed(v, [](const Workload& w) -> Value {
    return w.fact(joint_fact("joint_blocks", kGroup, kGroup)) * 2.0 *
           static_cast<double>(kByteSteps * kGroup * kGroup);
  });
  charge_patterns(v, {.a = true, .b = true});
}

void charge_needed_parts(Variant& v, std::int64_t rows, std::int64_t columns) {
  charge(v, kL2ReadTerm, [rows, columns](const Workload& w) -> Value {
    return w.fact(joint_fact("joint", rows, kGroup)) * bytes_of(kGroup) +
           w.fact(joint_fact("joint_blocks", kGroup, columns)) * bytes_of(kByteSteps * kGroup) +
           pattern_reads(w, {.a = true, .b = true});
  });
}

void charge_union(Variant& v, std::int64_t rows, std::int64_t columns) {
  charge_executed(v, [rows, columns](const Workload& w) -> Value {
    return w.fact(joint_fact("joint", rows, columns)) * 2.0 * static_cast<double>(rows * columns);
  });
  charge(v, "model.expected_share", [rows, columns](const Workload& w) {
    return expected_share(w, rows, columns, {.a = true, .b = true});
  });
  charge(v, kL2ReadTerm, [rows, columns](const Workload& w) -> Value {
    return w.fact(joint_fact("joint", rows, columns)) * bytes_of(columns) +
           w.fact(joint_fact("joint", kGroup, columns)) * bytes_of(kGroup) +
           pattern_reads(w, {.a = true, .b = true});
  });
}

void charge_instructions_of_16(Variant& v) {
  // Recordings of before do not have the fact.
  charge_executed(v, [](const Workload& w) -> Value {
    const Facts facts = w.all_facts();
    const auto found = facts.find("joint_sixteens_128");
    if (found == facts.end()) return std::nullopt;
    return found->second * 2.0 * 16 * 128 * 128;
  });
  charge(v, "model.expected_share", [](const Workload&) -> Value { return std::nullopt; });
}

void charge_first_list(Variant& v) {
  charge_executed(v, [](const Workload& w) -> Value {
    const Shape s = shape_of(w.axes);
    return w.fact("a_first_bits") * 2.0 * static_cast<double>(s.outputs());
  });
  charge_patterns(v, {.a = true});
  // Its loads follow the list and not whole blocks of k.
  for (const char* term : {"model.loaded_share", "model.expected_loaded_share", kL2ReadTerm})
    charge(v, term, [](const Workload&) -> Value { return std::nullopt; });
}

void charge_entries(Variant& v) {
  charge_executed(v, [](const Workload& w) -> Value {
    return 2 * w.fact("a_nonzeros") * static_cast<double>(shape_of(w.axes).n);
  });
  const auto reads = [](const Workload& w) {
    const Shape s = shape_of(w.axes);
    return 8 * w.fact("a_nonzeros") + bytes_of(s.m + 1) + bytes_of(s.b_elements());
  };
  charge(v, "model.dram_read_bytes", reads);
  charge(v, "model.dram_bytes", [reads](const Workload& w) { return reads(w) + output_bytes(w); });
}

void charge_blocks(Variant& v, std::int64_t (*elements)(const Workload&)) {
  charge_executed(v, [elements](const Workload& w) -> Value {
    return 2 * static_cast<double>(elements(w)) * static_cast<double>(shape_of(w.axes).n);
  });
  const auto reads = [elements](const Workload& w) {
    return bytes_of(elements(w)) + bytes_of(shape_of(w.axes).b_elements());
  };
  charge(v, "model.dram_read_bytes", reads);
  charge(v, "model.dram_bytes", [reads](const Workload& w) { return reads(w) + output_bytes(w); });
}

void charge_transpose(Variant& v) {
  const auto again = [before = v](const Workload& w, const char* term, double times) -> Value {
    for (const WorkTerm& row : work_terms()) {
      if (row.id != term) continue;
      const Value value = evaluate(row, w, before);
      const double bytes = bytes_of(shape_of(w.axes).b_elements());
      return b_prepared(w.axes) ? *value : *value + times * beyond_l2(bytes) / shared_by(w);
    }
    return std::nullopt;
  };
  charge(v, "model.dram_read_bytes",
         [again](const Workload& w) { return again(w, "model.dram_read_bytes", 1); });
  charge(v, "model.dram_bytes",
         [again](const Workload& w) { return again(w, "model.dram_bytes", 2); });
}

void charge_patterns(Variant& v, Skips skips) {
  const auto again = [skips](const Workload& w) { return beyond_l2(pattern_reads(w, skips)); };
  charge(v, "model.dram_read_bytes",
         [again](const Workload& w) { return operand_bytes(w) + again(w); });
  charge(v, "model.dram_bytes",
         [again](const Workload& w) { return operand_bytes(w) + output_bytes(w) + again(w); });
}

L2Expectation l2_expectation() {
  return {
      "What multiprocessors read from L2 without hits in L1: a block's rows of A and columns of B "
      "for every eight k that any of its warps needs. Values are read once more to make masks in "
      "the call.",
      0.1};
}

std::vector<WorkTerm> work_terms() {
  return {
      {"model.flops", "executed arithmetic", "FLOP",
       "2·WM·WN for every k that a warp takes, counted from this run's masks; 2·M·N·K if nothing "
       "is skipped.",
       [](const Workload& w, const Variant&) -> Value { return dense_flops(w); }},
      {"model.dense_flops", "dense arithmetic", "FLOP",
       "2·M·N·K: one multiply and one add for every element of A and column of B, zeros included.",
       [](const Workload& w, const Variant&) -> Value { return dense_flops(w); }},
      {"model.executed_share", "executed share", "ratio",
       "Executed arithmetic divided by dense arithmetic, counted from this run's mask bytes.",
       [](const Workload&, const Variant&) -> Value { return 1; }},
      {"model.expected_share", "expected share", "ratio",
       "u(dA, WM/32)·u(dB, WN/32) with u(d, t) = 1 − (1 − d)^t: the average for independent bits "
       "of 32 rows and columns.",
       nullptr},
      {"model.loaded_share", "loaded share", "ratio",
       "The share of blocks of eight k that a thread block loads, because any of its warps needs "
       "them; counted from this run's masks.",
       nullptr},
      {"model.expected_loaded_share", "expected loaded share", "ratio",
       "1 − (1 − u(dA, BM/32)·u(dB, BN/32))⁸: only rarely is none of eight k needed by any warp.",
       nullptr},
      term_of(l2_expectation()),
      {"model.seed_floats", "floats per thread, as published", "1",
       "WMITER·TM + WNITER·TN + their product: rows, columns and sums of a lane. The article "
       "counts 40 registers for 98 floats, but a float takes one register.",
       nullptr},
      {"model.dram_bytes", "compulsory DRAM bytes", "B",
       "A and B are read once and C is written once. Operands are read again if their masks are "
       "made in the call and L2 (60 MB on an H200) cannot keep the values.",
       [](const Workload& w, const Variant&) -> Value {
         return operand_bytes(w) + output_bytes(w);
       }},
      {"model.dram_read_bytes", "compulsory DRAM reads", "B",
       "The same without C: only the reads. (What is written may stay in L2.)",
       [](const Workload& w, const Variant&) -> Value { return operand_bytes(w); }},
  };
}

}  // namespace warpscope::esmm
