// workbench/workspace/file_kind.h: what a file is, by its name, which scenes can take it, and which
// files were opened last.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "scenes/catalogue.h"
#include "scenes/host/result.h"

namespace warpscope {

// What a person may open.
enum class FileKind { session, lesson, matrix, array, kernel, compiled, scene, unknown };
inline constexpr FileKind kFileKinds[] = {FileKind::session, FileKind::lesson, FileKind::matrix,
                                          FileKind::array,   FileKind::kernel, FileKind::compiled,
                                          FileKind::scene};
const char* to_text(FileKind kind);     // "session"
const char* plural_of(FileKind kind);   // "frames and arrays"
const char* endings_of(FileKind kind);  // ".npy, .raw, .bin, .png, .ppm"
// By the ending of its name, whatever its case; a folder with a scene.toml is a scene, any other
// unknown.
FileKind kind_of(const std::filesystem::path& path);

// An axis of a scene that reads such a file, and the other axes that must be set for it to apply.
struct FileUse {
  std::string scene, axis, label;              // label: of the axis
  std::map<std::string, std::string> changes;  // with the axis itself
};
// The axes of all scenes that take the file; axes of folders take a folder.
std::vector<FileUse> uses_of(const Catalogue& catalogue, const std::filesystem::path& path);

// $XDG_CONFIG_HOME/warpscope, else ~/.config/warpscope.
std::filesystem::path config_folder();  // empty: there is no home

// recent.json there: {"session": ["/home/…/run.wsj", …], …}, the newest first.
struct RecentFiles {
  static constexpr std::size_t kMostOfAKind = 20;
  std::map<FileKind, std::vector<std::string>> paths;
};

// A file that is not there is none. error: input, where it is broken (all of it is ignored).
Result<RecentFiles> load_recent();
// error: environment.
Result<void> save_recent(const RecentFiles& recent);
// Puts the file, by its whole path, before all others of its kind.
void remember(RecentFiles& recent, FileKind kind, const std::filesystem::path& path);

// Why a file cannot be opened any more: "it is no longer there"; empty: it can.
std::string why_missing(const std::string& path);

// What a folder has of one kind: folders first, then files, each by name. What begins with a dot is
// left out.
struct FolderEntry {
  std::string name;
  bool folder = false;
};
// error: environment (no such folder, or it may not be read).
Result<std::vector<FolderEntry>> entries_of(const std::filesystem::path& folder, FileKind kind);
// The same of the files whose names end so: ".csv".
Result<std::vector<FolderEntry>> entries_of(const std::filesystem::path& folder,
                                            const std::string& ending);

}  // namespace warpscope
