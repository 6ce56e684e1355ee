// scenes/opened_scenes.h: the scenes that this process opened besides the built-in ones: folders,
// and texts that came by message.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/folder/scene_text.h"

// Every catalogue finds them by name. Opening a name again makes a new Scene, which is found from
// then on; older ones live as long as the process, so that pointers to them stay good. From any
// thread.
//
//   Result<const Scene*> scene = open_scene_folder("saxpy");       // a person's, from disk
//   open_scene_text(text);                                         // an engine's, a session's

namespace warpscope {

// A name that a built-in scene has is refused, and so is what another folder of this process is
// called. A folder that has not changed since is not read into a new Scene. error: input, usage.
Result<const Scene*> open_scene_folder(const std::filesystem::path& path);
// The folders of the user's scene folder; what is wrong with some is returned.
std::vector<Error> open_user_scenes();

// Of a message: a scene that a folder of this process has keeps that folder's text as its newest.
// error: as scene_of; usage, the name of a built-in scene.
Result<const Scene*> open_scene_text(const SceneText& text);

// The newest of that name; null: none.
const Scene* opened_scene(std::string_view name);
// That of one text. Null: it was not opened.
const Scene* opened_scene(std::string_view name, std::string_view hash);
std::vector<const Scene*> opened_scenes();  // the newest of each, in the order first opened
// What the newest was made of; null: there is none of that name.
std::shared_ptr<const SceneText> opened_text(std::string_view name);
// That of a hash: what a folder was before a save. Null: it was not opened.
std::shared_ptr<const SceneText> opened_text(std::string_view name, std::string_view hash);
// The newest whose kernels are all among these; null: none is.
std::shared_ptr<const SceneText> opened_text_among(std::string_view name,
                                                   const std::vector<KernelSource>& sources);
// Where a scene was opened from; empty: by message, or not at all.
std::filesystem::path folder_of_scene(std::string_view name);

}  // namespace warpscope
