// scenes/deform/constraints.h: where deform's variants cannot run, and what mends it.
#pragma once

#include "scenes/base/scene.h"

namespace warpscope::deform {

Constraint whole_lanes();     // channels in loads of 16 bytes
Constraint halves();          // values and locations are f16
Constraint short_offsets();   // of the published kernels: 32 bits
Constraint float_quotient();  // of the published kernels: the image of a query

}  // namespace warpscope::deform
