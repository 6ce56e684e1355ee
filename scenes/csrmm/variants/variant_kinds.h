// scenes/csrmm/variants/variant_kinds.h: what csrmm's variants are made of: kinds, constraints,
// tolerances.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scenes/base/scene.h"
#include "scenes/csrmm/steps/steps.h"

// A variant begins as one of a kind (gather_variant, scatter_variant, library_variant) and then
// sets what is its own: constraints, scratch, and what it costs where that is not the operator's
// work (work.h).

namespace warpscope::csrmm {

using StepsOf = std::function<Steps(const Workload&)>;
using ScratchOf = std::function<Buffers(const Workload&)>;

bool not_transposed(const Configuration& axes);

Tolerance f32_tolerance();
Tolerance tf32_tolerance();
Tolerance bf16_tolerance();                              // of products of inputs rounded to bf16
Tolerance tolerance_of_type(const Configuration& axes);  // sums in f64 where the values are f64

Constraint strips_fit_grid_y();
Constraint columns_are_quads();
Constraint columns_fill_16_bytes();  // multiples of 4, of 8 in 16-bit storage
Constraint values_are_f32();
Constraint values_are_not_f64();
Constraint columns_are_pairs();
Constraint capability_is_90(const std::string& what);
// `bytes` is a function of the workload; `what` the subject of both sentences.
Constraint scratch_fits(const std::string& what, double (*bytes)(const Workload&));

double product_bytes(const Workload& w);
double dense_bytes(const Workload& w);
double dense_bf16_bytes(const Workload& w);  // and those of A in bfloat16 beside it

Variant new_variant(std::string name, std::string label, std::string family, std::string sentence,
                    std::string look_at);
// Applies for op NT. 32 columns per warp, one per lane, unless charged otherwise.
Variant gather_variant(std::string name, std::string label, std::string family,
                       std::string sentence, std::string look_at, StepsOf steps);
// Applies for op T; zeros of B are skipped; two runs need not give the same bits.
Variant scatter_variant(std::string name, std::string label, std::string family,
                        std::string sentence, std::string look_at, StepsOf steps);
Variant library_variant(std::string name, std::string label, std::string sentence,
                        std::string look_at, StepsOf steps, ScratchOf scratch);

}  // namespace warpscope::csrmm
