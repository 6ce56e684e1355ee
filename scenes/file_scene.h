// scenes/file_scene.h: a kernel's file as a scene by itself.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scenes/folder/form/description_edits.h"
#include "scenes/folder/scene_text.h"

// The description is the first one that `warpscope new` would write (first_description.h), and
// nothing is written. From then on it is a text like a folder's: engines and sessions get it whole,
// and nobody reads the file for them.
//
//   Result<SceneText> text = read_scene_file("row_sums.cu", "row_sums");
//   Result<Scene> scene = scene_of(*text);    // one variant per kernel that the file launches

namespace warpscope {

// Whether a path has such a file's ending, whether it is there or not: .cu, .cuh, .ptx, .wcap.
bool has_scene_ending(const std::filesystem::path& path);
// Whether a path names a file of kernels: row_sums.cu, add.ptx, and a capture.
bool is_scene_file(const std::filesystem::path& path);
// A compiled file is a scene by the PTX in it, and by the machine code of kernels without PTX.
struct CompiledText {
  std::string ptx;           // of some kernels; of machine code: their declarations
  std::string machine_code;  // the text that engines get in its place; empty: they get the PTX
};
struct CompiledTexts {
  std::vector<CompiledText> texts;    // one or more
  std::vector<std::string> left_out;  // a sentence per kernel that cannot be emulated
};
using CompiledReader = Result<CompiledTexts> (*)(const std::filesystem::path&);
// Whether a path names a captured launch: norm.wcap. The window emulates it, and runs it on a GPU
// only when asked: its kernel may be a stranger's.
bool is_capture_file(const std::filesystem::path& path);
// As what the memory is compared that the launch changed.
struct CaptureElements {
  std::string type;  // "f32"; empty: every bit
  double relative = 0, absolute = 0;
  bool fixed_launch = false;  // no slider for its shape: points of a folder were recorded without
};
// How a capture becomes a scene of this name.
using CaptureReader = Result<SceneText> (*)(const std::string& path, const std::string& name,
                                            const CaptureElements& elements);
// What such a scene's sources begin with, in its folder: the kernel is the program's.
inline constexpr const char* kCaptureSource = "capture";
// Scenes know only PTX: a program that knows the other kinds gives its catalogue the readers of
// them. Null: such a file is refused.
struct FileReaders {
  CompiledReader compiled = nullptr;
  CaptureReader capture = nullptr;
};
// error: as the reader; input: there is none.
Result<SceneText> read_capture(const FileReaders& readers, const std::string& path,
                               const std::string& name, const CaptureElements& elements = {});
// What its scene is called if nothing else is: "row_sums".
std::string scene_name_of(const std::filesystem::path& file);

// The file with the headers in quotes that it includes, as the scene `name`, and with what a person
// changed of its description. Arrays that an edit names lie in the file's folder. error: input: no
// such file, a file that is too long, no kernel that a scene can launch.
Result<SceneText> read_scene_file(const std::filesystem::path& file, const std::string& name,
                                  const DescriptionEdits& edits = {},
                                  const FileReaders& readers = {});

// The text as a folder of its own: the description, the kernels and the arrays. Gives the folder.
// error: usage: the folder has one of the files; environment.
Result<std::filesystem::path> write_scene_folder(const SceneText& text,
                                                 const std::filesystem::path& folder);

}  // namespace warpscope
