// scenes/csrmm/rows.h: what the rows of csrmm's ladder are made of: kinds, constraints, tolerances.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scenes/csrmm/steps.h"
#include "scenes/scene.h"

// A row begins as one of a kind (gather_row, scatter_row, library_row) and then sets what is its
// own: constraints, traits, scratch. Traits that work.cpp reads:
//
//   gather, atomic          1 where rows of B are gathered, products added to C by atomics
//   columns_per_warp        columns of C that a warp owns, columns_per_lane those of a lane
//   scalar_below_quads      1 where a lane owns one column, a warp 32, unless 16 bytes divide a row
//   any_type                1 where the kernels take f16 and bf16 as well as f32: a lane that owns
//                           4 columns of f32 then owns 8. The others get the constraint
//                           values_are_f32.
//   clears_output           1 where C is cleared before it is added to
//   k_tiles                 1 where B streams through shared memory once a block
//   csc                     1 where op T gathers on the columns of A
//   slab_columns            columns of B or C that a block keeps in shared memory; 0: none
//   entries_a_load          entries of A that one load of a warp brings; without it 1, a broadcast
//   weights_if_not_zero     1 where a warp loads a weight only if some lane's b is not zero
//   pointers_a_row          row pointers and the like that a warp reads; without it 2
//   warps_a_row             warps that share a row of A; without it 1
//   row_cache               1 where entries of A are staged in shared memory
//   compressed_granule      columns of B that are kept or dropped together; 0: B as it is

namespace warpscope::csrmm {

using StepsOf = std::function<Steps(const Workload&)>;
using ScratchOf = std::function<Buffers(const Workload&)>;

bool not_transposed(const Configuration& axes);

Tolerance f32_tolerance();
Tolerance tf32_tolerance();

Constraint strips_fit_grid_y();
Constraint columns_are_quads();
Constraint columns_fill_16_bytes();  // multiples of 4, of 8 in 16-bit storage
Constraint values_are_f32();
Constraint columns_are_pairs();
Constraint capability_is_90(std::string what);
// `bytes` is a function of the workload; `what` the subject of both sentences.
Constraint scratch_fits(std::string what, double (*bytes)(const Workload&));

double product_bytes(const Workload& w);
double dense_bytes(const Workload& w);

Variant row(std::string name, std::string label, std::string family, std::string sentence,
            std::string look_at);
// Applies for op NT; 32 columns a warp, one a lane.
Variant gather_row(std::string name, std::string label, std::string family, std::string sentence,
                   std::string look_at, StepsOf steps);
// Applies for op T; zeros of B are skipped; two runs need not give the same bits.
Variant scatter_row(std::string name, std::string label, std::string family, std::string sentence,
                    std::string look_at, StepsOf steps);
Variant library_row(std::string name, std::string label, std::string sentence, std::string look_at,
                    StepsOf steps, ScratchOf scratch);

// Makes it a row whose lanes own 16 bytes of a row of B where n allows, else one column.
void own_quads_or_scalars(Variant& variant);

}  // namespace warpscope::csrmm
