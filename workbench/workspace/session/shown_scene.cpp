// workbench/workspace/session/shown_scene.cpp: the catalogue at hand, and which of its scenes is
// shown.
#include "workbench/workspace/session/shown_scene.h"

namespace warpscope {

const Scene* ShownScene::find(const std::string& name) const {
  const Result<const Scene*> found = catalogue_->find(name);
  return found ? *found : nullptr;
}

const std::filesystem::path& ShownScene::folder() const {
  return folder_.of(name_, [this] { return catalogue_->folder_of(name_); });
}

}  // namespace warpscope
