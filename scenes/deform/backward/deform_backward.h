// scenes/deform/backward/deform_backward.h: the gradients of multi-scale deformable attention.
#pragma once

#include "scenes/base/scene.h"

namespace warpscope {

Scene deform_backward_scene();

}  // namespace warpscope
