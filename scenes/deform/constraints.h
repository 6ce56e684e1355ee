// scenes/deform/constraints.h: where deform's variants cannot run, and what mends it.
#pragma once

#include <cstdint>

#include "scenes/base/scene.h"

namespace warpscope::deform {

Constraint whole_lanes();     // channels in loads of 16 bytes
Constraint halves();          // values and locations are f16
Constraint short_offsets();   // of the published kernels: 32 bits
Constraint float_quotient();  // of the published kernels: the image of a query
Constraint seed_shape();      // 8 points, 4 levels, 32 channels, one head
Constraint groups_divide_points();
Constraint lanes_divide_a_warp();  // channels in a power of two of lanes
Constraint query_lanes_hold_channels();
Constraint whole_warps();  // of a block
Constraint ring_of_zeros();
Constraint softmax_weights();
Constraint whole_metadata_pieces();  // samples of a group in copies of 16 bytes
Constraint whole_boxes();            // corners in boxes of 128 bytes
Constraint levels_fit_shared();
Constraint boxes_fit_shared();
Constraint metadata_fits_shared();
Constraint windows_have_halves();  // each block of a cluster copies one
Constraint windows_fit_shared();
Constraint samples_fit_memory();
Constraint corners_of_half_a_line();  // 32 channels of one head: 64 bytes
Constraint slots_hold_points();       // at most 8 points, or a multiple of 8
Constraint more_levels_than_one();
// `what` begins the sentence: "bulk copies".
Constraint compute_capability(int least, const char* what);

}  // namespace warpscope::deform
