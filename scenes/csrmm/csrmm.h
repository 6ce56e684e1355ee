// scenes/csrmm/csrmm.h: sparse CSR matrix times dense matrix, as gather (NT) or scatter (T).
#pragma once

#include "scenes/base/scene.h"

namespace warpscope {

Scene csrmm_scene();

}  // namespace warpscope
