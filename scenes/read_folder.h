// scenes/read_folder.h: a scene's folder read from disk.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scenes/folder/scene_text.h"

namespace warpscope {

struct FileReaders;  // file_scene.h: how captures are read

inline constexpr const char* kDescriptionFile = "scene.toml";

// Whether a path names a scene's folder, or the description in it.
bool is_scene_folder(const std::filesystem::path& path);

// The description, every .cu and .cuh beside it with the headers in quotes that they include, and
// the .npy files that the description names (8 MiB each: they travel with jobs and sessions).
// error: input: no such file, a file that is too long.
Result<SceneText> read_scene_folder(const std::filesystem::path& path);
Result<SceneText> read_scene_folder(const std::filesystem::path& path, const FileReaders& readers);

// Adds the .npy files that the description names and the folder has. error: as read_scene_folder.
Result<void> read_scene_data(const std::filesystem::path& folder, SceneText& text);

// $XDG_DATA_HOME/warpscope/scenes, else ~/.local/share/warpscope/scenes; empty: there is no home.
std::filesystem::path user_scene_folder();
// The scenes' folders in it, by name. None where there is no such folder.
std::vector<std::filesystem::path> folders_of_user();

}  // namespace warpscope
