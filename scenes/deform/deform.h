// scenes/deform/deform.h: multi-scale deformable attention: bilinear samples of several levels,
// weighed and summed.
#pragma once

#include "scenes/base/scene.h"

namespace warpscope {

Scene deform_scene();

}  // namespace warpscope
