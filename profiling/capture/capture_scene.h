// profiling/capture/capture_scene.h: a capture as a scene with one variant, “as captured”.
#pragma once

#include <string>

#include "profiling/capture/reader.h"
#include "scenes/file_scene.h"
#include "scenes/folder/scene_text.h"

// The scene is a text like a folder's: its buffers begin as the memory that the launch found, and
// its reference is the memory that the program had afterwards. From there on everything is as with
// other scenes: emulated from PTX, run on a GPU, compared, timed, counted.
//
//   Result<SceneText> text = capture_scene("norm.wcap", "norm");

namespace warpscope {

// Memory before the launch, and what was another afterwards, together: it goes to engines whole.
inline constexpr std::int64_t kMostSceneBytes = 128 << 20;

// With elements and no tolerance, that of torch.testing.assert_close for the type is taken.
// error: input: as CaptureFile::open; the capture has neither PTX nor machine code; resource: more
// than kMostSceneBytes; usage: no such element type, or memory that has no whole number of them.
Result<SceneText> capture_scene(const std::string& path, const std::string& name,
                                const CaptureElements& elements = {});

}  // namespace warpscope
