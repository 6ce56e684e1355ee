// workbench/workspace/scene/launch_edits.h: what a person changed of the launches of a kernel's
// file.
#pragma once

#include <filesystem>
#include <string>

#include "scenes/catalogue.h"
#include "workbench/workspace/selection/requests.h"
#include "workbench/workspace/selection/selection.h"
#include "workbench/workspace/session/window_log.h"

namespace warpscope {

// Makes the scene that is chosen have the edits of the selection, and asks for what follows a save.
// Edits that no scene can be made of are taken back and named in a notice.
void follow_launches(Catalogue& catalogue, Selection& selection, Requests& requests,
                     WindowLog& log);

// Writes the selected scene, which is a file, as a folder, and opens that: the folder has its name
// from then on, and its edits are in its description. error: usage: it is not a file, or one of the
// folder's files is there; as Catalogue::open_folder.
Result<const Scene*> make_scene(Catalogue& catalogue, Selection& selection,
                                const std::filesystem::path& folder);

// error: usage: the file is there; environment.
Result<void> write_new(const std::filesystem::path& path, const std::string& text);

}  // namespace warpscope
