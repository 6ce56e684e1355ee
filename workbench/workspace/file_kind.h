// workbench/workspace/file_kind.h: what a file is, by its name, and which scenes can take it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "scenes/catalogue.h"

namespace warpscope {

// What a person may open.
enum class FileKind { session, lesson, matrix, array, kernel, unknown };
inline constexpr FileKind kFileKinds[] = {FileKind::session, FileKind::lesson, FileKind::matrix,
                                          FileKind::array, FileKind::kernel};
const char* to_text(FileKind kind);     // "session"
const char* plural_of(FileKind kind);   // "frames and arrays"
const char* endings_of(FileKind kind);  // ".npy, .raw, .bin, .png, .ppm"
// By the ending of its name, whatever its case; a folder is unknown.
FileKind kind_of(const std::filesystem::path& path);

// An axis of a scene that reads such a file, and what else must stand so that it means something.
struct FileUse {
  std::string scene, axis, label;              // label: of the axis
  std::map<std::string, std::string> changes;  // with the axis itself
};
// Of every scene; a folder is taken by axes of folders.
std::vector<FileUse> uses_of(const Catalogue& catalogue, const std::filesystem::path& path);

}  // namespace warpscope
