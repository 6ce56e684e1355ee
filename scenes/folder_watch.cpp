// scenes/folder_watch.cpp: a scene's folder that is edited while somebody looks at it.
#include "scenes/folder_watch.h"

#include <sys/stat.h>

#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "scenes/host/input_file.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

// What changes when a file of the folder that a scene is made of is saved, comes or goes.
std::string stamp_of(const fs::path& folder) {
  std::set<std::string> rows;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    const std::string kind = entry->path().extension().string();
    if (kind != ".toml" && kind != ".cu" && kind != ".cuh" && kind != ".npy") continue;
    struct stat found {};
    if (::stat(entry->path().c_str(), &found) != 0) continue;
    rows.insert(entry->path().filename().string() + " " + std::to_string(found.st_size) + " " +
                std::to_string(found.st_ino) + " " + std::to_string(found.st_mtim.tv_sec) + "." +
                std::to_string(found.st_mtim.tv_nsec));
  }
  std::string all;
  for (const std::string& row : rows) all += row + "\n";
  // What it includes from there is read as soon as that is allowed.
  for (const fs::path& allowed : allowed_folders()) all += "may read " + allowed.string() + "\n";
  return all;
}

}  // namespace

std::optional<Result<const Scene*>> FolderWatch::look(const std::string& scene) {
  constexpr std::chrono::milliseconds kEvery(50);  // a look is a few microseconds a file
  if (Clock::now() - looked_ < kEvery) return std::nullopt;
  return look_now(scene);
}

std::optional<Result<const Scene*>> FolderWatch::look_now(const std::string& scene) {
  looked_ = Clock::now();
  const fs::path folder = folder_of_scene(scene);
  std::string stamp = folder.empty() ? std::string() : stamp_of(folder);
  const bool same = scene == scene_ && stamp == stamp_, first = scene != scene_;
  scene_ = scene;
  stamp_ = std::move(stamp);
  if (same || first || folder.empty()) return std::nullopt;
  const auto before = opened_text(scene);
  Result<const Scene*> opened = open_scene_folder(folder);
  const auto now = opened_text(scene);
  if (opened && before && now && before->hash == now->hash) return std::nullopt;
  return opened;
}

}  // namespace warpscope
