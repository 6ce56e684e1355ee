// scenes/esmm/work.h: what a product must cost by arithmetic, as far as patterns leave any.
#pragma once

#include <cstdint>
#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::esmm {

std::vector<WorkTerm> work_terms();
L2Expectation l2_expectation();

// Which patterns a variant reads: they are made from values, and decide which steps it takes.
struct Skips {
  bool a = false, b = false;
};
// Steps of k that the warps of its tile take, and what they cost. The variant has tile axes.
void charge_steps(Variant& variant, Skips skips);
// The same where lanes follow bytes of their own: rows of A and columns of B that share one.
struct Groups {
  std::int64_t rows = 0, columns = 0;
};
void charge_lanes(Variant& variant, Groups (*groups)(const Workload&));
// Every set bit of B's bytes of eight columns, for all rows.
void charge_eights_of_b(Variant& variant);
// Steps of k of pairs of 32 rows and 32 columns that both have them.
void charge_pairs(Variant& variant);
// Whole blocks of eight k of pairs of 32 rows and 32 columns whose bytes share a bit.
void charge_blocks(Variant& variant);
// For tiles of rows × columns that load only what some group of the other operand needs: parts of
// B's rows (32 columns of one k) and sectors of A (eight k of a row).
void charge_needed_parts(Variant& variant, std::int64_t rows, std::int64_t columns);
// For tiles that take every k that any of their groups has; from A, only groups that have it.
void charge_union(Variant& variant, std::int64_t rows, std::int64_t columns);
// For tiles of 128 × 128 that take 16 neighbouring k if any of their groups has one of them.
void charge_instructions_of_16(Variant& variant);
// The k that the first rows of A have, for every element of C.
void charge_first_list(Variant& variant);
// The nonzeros of A alone, each for all columns of B.
void charge_entries(Variant& variant);
// So many elements of A, zeros among them, each for all columns of B.
void charge_blocks(Variant& variant, std::int64_t (*elements)(const Workload&));
// Bᵀ, where it is made in the call: written once and read once more.
void charge_transpose(Variant& variant);
// The values that patterns are made of are read once more where that belongs to the call.
void charge_patterns(Variant& variant, Skips skips);

}  // namespace warpscope::esmm
