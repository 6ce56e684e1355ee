// scenes/folder/scene_of.h: the scene of a text that is kept beside it.
#pragma once

#include <memory>

#include "scenes/base/scene.h"
#include "scenes/folder/scene_text.h"

namespace warpscope {

// As scene_of of a text (scene_text.h), but the scene's arrays are those of `text`: there is no
// second copy of the data, which may take 128 MB.
Result<Scene> scene_of(const std::shared_ptr<const SceneText>& text, UnusedKeys unused);

}  // namespace warpscope
