// scenes/esmm/esmm.h: pattern-sparse products of dense matrices: zeros skipped by bytes of k.
#pragma once

#include "scenes/base/scene.h"

namespace warpscope {

Scene esmm_scene();

}  // namespace warpscope
