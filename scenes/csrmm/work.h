// scenes/csrmm/work.h: what csrmm must cost: the operator's work, and what its variants skip,
// pad, read again, or are expected to read from L2.
#pragma once

#include <vector>

#include "scenes/base/scene.h"
#include "scenes/csrmm/steps/k_tiles.h"

namespace warpscope::csrmm {

// How far counters may be from the expected L2 traffic, and the assumption in words.
L2Expectation l2_expectation();
std::vector<WorkTerm> work_terms();

// Columns of C that one warp owns.
using Columns = std::int64_t (*)(const Workload&);
std::int64_t one_column_a_lane(const Workload& w);
std::int64_t two_columns_a_lane(const Workload& w);
std::int64_t four_columns_a_lane(const Workload& w);
// 16 bytes of a row, or one column where rows are not made of 16 bytes.
std::int64_t sixteen_bytes_a_lane(const Workload& w);

// Whether A lies in rows or, made once, in columns.
enum class Form { rows, columns };

// Each strip of columns walks A, which comes from DRAM for each of them where it exceeds L2.
void charge_walks(Variant& variant, Columns columns, Form form = Form::rows);
// The same, and rows of B are gathered in any order: L2 sends those that L1 has not kept. The steps
// must be set: how many multiprocessors take part follows from the grid.
void charge_gathers(Variant& variant, Columns columns);
// A and B are read once from DRAM.
void charge_one_walk(Variant& variant, Form form);
// B streams through shared memory, once per block. Entries are read once per strip.
void charge_tiles(Variant& variant, Form form, PartSums sums);
// Blocks hold `columns` columns of B, 16 of the 32 bytes of a sector, and every slab walks A.
void charge_slabs(Variant& variant, std::int64_t columns);
// C is cleared before products are added to it.
void charge_clearing(Variant& variant);
// Where C has 16 bits: sums in f32 are cleared in its place, and read once more to be rounded.
void charge_rounding(Variant& variant);
// nnz · n products are written and read again.
void charge_products(Variant& variant);

}  // namespace warpscope::csrmm
