// scenes/folder_watch.cpp: a scene's folder that is edited while somebody looks at it.
#include "scenes/folder_watch.h"

#include <sys/stat.h>

#include <filesystem>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "scenes/base/source.h"
#include "scenes/host/input_file.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

// What changes when the file is saved, comes or goes.
std::string row_of(const fs::path& file) {
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0) return file.string() + " does not exist";
  return file.string() + " " + std::to_string(found.st_size) + " " + std::to_string(found.st_ino) +
         " " + std::to_string(found.st_mtim.tv_sec) + "." + std::to_string(found.st_mtim.tv_nsec);
}

std::string text_of(const std::set<std::string>& rows) {
  std::string all;
  for (const std::string& row : rows) all += row + "\n";
  return all;
}

bool is_kernel(const fs::path& file) {
  return file.extension() == ".cu" || file.extension() == ".cuh" || file.extension() == ".ptx";
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    const fs::path kind = entry->path().extension();
    if (kind == ".toml" || kind == ".npy" || is_kernel(entry->path()))
      files.push_back(entry->path());
  }
  return files;
}

std::string rows_of(const std::vector<fs::path>& files) {
  std::set<std::string> rows;
  for (const fs::path& file : files) rows.insert(row_of(file));
  // What it includes from there is read as soon as that is allowed.
  for (const fs::path& allowed : allowed_folders()) rows.insert("may read " + allowed.string());
  return text_of(rows);
}

// Headers and arrays that lie elsewhere: in a folder below, or in one that was allowed.
std::vector<fs::path> files_besides(const SceneText* text, const fs::path& folder,
                                    const std::vector<fs::path>& files) {
  std::set<fs::path> all;
  for (const fs::path& file : files) {
    if (!is_kernel(file)) continue;
    for (fs::path& header : header_places_of(file.string())) all.insert(std::move(header));
  }
  if (text != nullptr)
    for (const SceneData& data : text->data) all.insert(folder / data.path);
  return {all.begin(), all.end()};
}

}  // namespace

std::optional<Result<const Scene*>> FolderWatch::look(Catalogue& catalogue,
                                                      const std::string& scene) {
  constexpr std::chrono::milliseconds kEvery(50);  // a look is a few microseconds a file
  if (Clock::now() - looked_ < kEvery) return std::nullopt;
  return look_now(catalogue, scene);
}

std::optional<Result<const Scene*>> FolderWatch::look_now(Catalogue& catalogue,
                                                          const std::string& scene) {
  looked_ = Clock::now();
  const fs::path folder = catalogue.folder_of(scene), file = catalogue.file_of(scene);
  if (folder.empty() && file.empty()) {
    scene_ = scene;
    stamp_.clear();
    besides_.clear();
    return std::nullopt;
  }
  const std::vector<fs::path> files =
      folder.empty() ? std::vector<fs::path>{file} : files_in(folder);
  const auto before = catalogue.text(scene);
  const fs::path place = folder.empty() ? file.parent_path() : folder;
  const std::vector<fs::path> besides = files_besides(before.get(), place, files);
  std::string stamp = rows_of(files), stamp_besides = rows_of(besides);
  const bool first = scene != scene_;
  const bool same = !first && stamp == stamp_ && stamp_besides == besides_;
  scene_ = scene;
  stamp_ = std::move(stamp);
  besides_ = std::move(stamp_besides);
  if (same || first) return std::nullopt;
  Result<const Scene*> opened =
      folder.empty() ? catalogue.open_file(file) : catalogue.open_folder(folder);
  const auto now = catalogue.text(scene);
  // It may include other files now; those that it did before may have been saved meanwhile.
  if (std::vector<fs::path> taken = files_besides(now.get(), place, files); taken != besides)
    besides_ = rows_of(taken);
  if (opened && before && now && before->hash == now->hash) return std::nullopt;
  return opened;
}

}  // namespace warpscope
