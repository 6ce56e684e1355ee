// scenes/captured_folder.h: a scene's folder whose launch, memory and reference are those of a
// capture beside the description.
#pragma once

#include <filesystem>
#include <string>

#include "scenes/file_scene.h"
#include "scenes/folder/description_node.h"
#include "scenes/folder/scene_text.h"

// A description with the line
//
//   capture = { file = "norm.wcap", elements = "f32", tolerance = 1e-5 }     or   capture =
//   "norm.wcap"
//
// has everything that the scene of that capture has: title, buffers, the variant as_captured, the
// reference. Below the line it has only what it adds: axes, and variants. With `elements`, memory
// that the launch changed is compared as such numbers, within `tolerance` (relative) and
// `absolute`; else in every bit.

namespace warpscope {

// The text with the capture in it; lines stay where they are. `key`: its value in the description.
// error: input: as the capture's scene; the line is not one of those above.
Result<void> add_capture(const std::filesystem::path& folder, const Node& key,
                         const FileReaders& readers, SceneText& text);

// Whether add_capture has made it.
bool has_capture(const SceneText& text);
// What the folder's own file says. Also of a text without a capture: that is its own.
std::string own_description(const SceneText& text);
// The text without what is the capture's: description, sources and data of the folder alone.
SceneText without_capture(const SceneText& text);

}  // namespace warpscope
