// workbench/workspace/scene/scene_folder.cpp: a scene's folder while it is edited: mistakes and
// verdicts.
#include "workbench/workspace/scene/scene_folder.h"

#include "scenes/folder_file.h"

namespace warpscope {

const Measurement* SceneFolder::judged(const std::string& variant) const {
  const auto found = judged_.find({scene_.name(), variant});
  const auto now = scene_.catalogue().text(scene_.name());
  if (found == judged_.end() || now == nullptr || found->second.scene_text != now->hash)
    return nullptr;
  return &found->second.point;
}

Result<void> SceneFolder::edit(const std::string& file, const std::string& text) const {
  if (scene_.folder().empty()) {
    return failure(ErrorKind::usage, "this text does not belong to a folder", file,
                   "fork the variant first: the copy can be edited");
  }
  return write_in_folder(scene_.folder(), file, text);
}

void SceneFolder::await_verdict(std::int64_t job) {
  if (const auto text = scene_.catalogue().text(scene_.name())) texts_of_jobs_[job] = text->hash;
}

bool SceneFolder::keep_verdict(const Measurement& measured) {
  const auto text = texts_of_jobs_.find(measured.job);
  if (text == texts_of_jobs_.end()) return false;
  judged_[{measured.scene, measured.variant}] = {text->second, measured};
  return true;
}

}  // namespace warpscope
