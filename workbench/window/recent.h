// workbench/window/recent.h: the files that were opened last, of each kind, kept on disk.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "scenes/host/result.h"
#include "workbench/workspace/file_kind.h"

namespace warpscope {

// $XDG_CONFIG_HOME/warpscope, else ~/.config/warpscope.
std::filesystem::path config_folder();

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

}  // namespace warpscope
