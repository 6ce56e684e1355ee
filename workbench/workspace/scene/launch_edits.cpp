// workbench/workspace/scene/launch_edits.cpp: what a person changed of the launches of a kernel's
// file.
#include "workbench/workspace/scene/launch_edits.h"

#include <system_error>

#include "scenes/file_scene.h"
#include "scenes/host/write_file.h"

namespace warpscope {

namespace fs = std::filesystem;

void follow_launches(Catalogue& catalogue, Selection& selection, Requests& requests,
                     WindowLog& log) {
  if (!catalogue.is_of_file(selection.scene)) return;
  const auto wanted = selection.launches.find(selection.scene);
  const DescriptionEdits edits =
      wanted == selection.launches.end() ? DescriptionEdits() : wanted->second;
  if (catalogue.edits_of(selection.scene) == edits) return;
  const Result<const Scene*> scene = catalogue.edit_file(selection.scene, edits);
  if (!scene) {
    selection.launches[selection.scene] = catalogue.edits_of(selection.scene);
    return log.notify(sentence(scene.error()));
  }
  refit(selection, **scene);
  requests.ask(request::Saved{});
}

Result<const Scene*> make_scene(Catalogue& catalogue, Selection& selection,
                                const fs::path& folder) {
  const auto text = catalogue.text(selection.scene);
  if (text == nullptr || !catalogue.is_of_file(selection.scene))
    return failure(ErrorKind::usage, "the scene is not a kernel's file", "scene " + selection.scene,
                   "open a .cu file");
  if (folder.empty())
    return failure(ErrorKind::usage, "no folder is named", "", "name a folder that is not there");
  const Result<fs::path> written = write_scene_folder(*text, folder);
  if (!written) return tl::unexpected(written.error());
  Result<const Scene*> opened = catalogue.open_folder(*written);
  if (!opened) return opened;
  selection.launches.erase(selection.scene);
  selection.scene = (*opened)->name;
  return opened;
}

Result<void> write_new(const fs::path& path, const std::string& text) {
  std::error_code ignored;
  if (fs::exists(path, ignored))
    return failure(ErrorKind::usage, "it exists already and is not overwritten", path.string(),
                   "name another file");
  return write_file(path, text);
}

}  // namespace warpscope
