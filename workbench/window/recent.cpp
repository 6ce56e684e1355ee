// workbench/window/recent.cpp: the files that were opened last, of each kind, kept on disk.
#include "workbench/window/recent.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "scenes/host/input_file.h"
#include "scenes/host/write_file.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

fs::path recent_path() { return config_folder() / "recent.json"; }

}  // namespace

fs::path config_folder() {
  const char* xdg = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  const fs::path base = xdg != nullptr && *xdg != '\0'
                            ? fs::path(xdg)
                            : fs::path(home != nullptr ? home : ".") / ".config";
  return base / "warpscope";
}

Result<RecentFiles> load_recent() {
  constexpr std::int64_t kMostBytes = 1 << 20;
  RecentFiles recent;
  std::error_code ignored;
  if (!fs::exists(recent_path(), ignored)) return recent;
  const Result<std::string> text = read_input(recent_path(), kMostBytes);
  if (!text) return tl::unexpected(text.error());
  const nlohmann::json lists = nlohmann::json::parse(*text, nullptr, false);
  bool whole = lists.is_object();
  for (const FileKind kind : kFileKinds) {
    if (!whole || !lists.contains(to_text(kind))) continue;
    const nlohmann::json& list = lists[to_text(kind)];
    whole = list.is_array() && std::all_of(list.begin(), list.end(),
                                           [](const nlohmann::json& p) { return p.is_string(); });
    if (!whole) break;
    for (const nlohmann::json& path : list) {
      if (recent.paths[kind].size() < RecentFiles::kMostOfAKind)
        recent.paths[kind].push_back(path.get<std::string>());
    }
  }
  if (!whole) {
    return failure(ErrorKind::input, "the list of recent files is not as the window writes it",
                   recent_path().string(), "open a file to have it written anew, or delete it");
  }
  return recent;
}

Result<void> save_recent(const RecentFiles& recent) {
  nlohmann::json lists = nlohmann::json::object();
  for (const auto& [kind, paths] : recent.paths) lists[to_text(kind)] = paths;
  std::error_code ignored;
  fs::create_directories(config_folder(), ignored);
  return write_file(recent_path().string(),
                    lists.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void remember(RecentFiles& recent, FileKind kind, const fs::path& path) {
  std::error_code ignored;
  const fs::path whole = fs::absolute(path, ignored).lexically_normal();
  std::vector<std::string>& paths = recent.paths[kind];
  std::erase(paths, whole.string());
  paths.insert(paths.begin(), whole.string());
  if (paths.size() > RecentFiles::kMostOfAKind) paths.resize(RecentFiles::kMostOfAKind);
}

std::string why_missing(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return "it is no longer there";
  if (error) return error.message();
  if (::access(path.c_str(), R_OK) != 0) return "it may not be read";
  return "";
}

Result<std::vector<FolderEntry>> entries_of(const fs::path& folder, FileKind kind) {
  constexpr std::size_t kMost = 5000;
  std::vector<FolderEntry> entries;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::string name = at->path().filename().string();
    std::error_code ignored;
    const bool inner = at->is_directory(ignored);
    if (name.starts_with(".") || (!inner && kind_of(at->path()) != kind)) continue;
    entries.push_back({std::move(name), inner});
    if (entries.size() >= kMost) break;
  }
  if (error) {
    return failure(ErrorKind::environment, "the folder cannot be read: " + error.message(),
                   folder.string(), "choose another one");
  }
  std::sort(entries.begin(), entries.end(), [](const FolderEntry& a, const FolderEntry& b) {
    return a.folder != b.folder ? a.folder : a.name < b.name;
  });
  return entries;
}

}  // namespace warpscope
