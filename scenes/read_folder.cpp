// scenes/read_folder.cpp: a scene's folder read from disk.
#include "scenes/read_folder.h"

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "scenes/captured_folder.h"
#include "scenes/folder/description_node.h"
#include "scenes/host/build_stamp.h"
#include "scenes/host/input_file.h"
#include "scenes/host/paths.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostDataBytes = 8 << 20;
constexpr std::size_t kMostKernels = 200;

// The folder itself, without a slash at its end, so that it has a name.
fs::path folder_of(const fs::path& path) {
  std::error_code ignored;
  // If the description is a link, this is the folder in which the link lies.
  const fs::path whole = fs::absolute(path, ignored);
  return fs::weakly_canonical(whole.filename() == kDescriptionFile ? whole.parent_path() : whole,
                              ignored);
}

// That a file which is there lies in the folder, wherever links lead. error: input.
Result<void> check_inside(const fs::path& folder, const std::string& name) {
  const fs::path file = folder / name;
  std::error_code ignored;
  if (!fs::exists(file, ignored) || lies_in(file, folder) || lies_in_allowed(file)) return {};
  const std::string where = note_missed(name, file).folder.string();
  return failure(ErrorKind::input, "the file " + name + " is outside the scene's folder",
                 (folder / kDescriptionFile).string(),
                 "copy it into the folder, or allow its folder with -I " + where);
}

// error: input: the folder cannot be read, or has too many kernels.
Result<std::vector<std::string>> kernels_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    const fs::path name = entry->path().filename();
    const fs::path kind = name.extension();
    if (kind == ".cu" || kind == ".cuh" || kind == ".ptx") names.push_back(name.string());
  }
  if (failed) {
    return failure(ErrorKind::input, "the folder cannot be read: " + failed.message(),
                   folder.string(), "name a folder with a scene.toml");
  }
  if (names.size() > kMostKernels) {
    return failure(ErrorKind::input, "the folder has more than 200 kernels", folder.string(),
                   "keep only the kernels that the scene uses in the folder");
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<void> read_kernels(const fs::path& folder, SceneText& text) {
  const Result<std::vector<std::string>> names = kernels_in(folder);
  if (!names) return tl::unexpected(names.error());
  std::set<std::string> seen;
  for (const std::string& name : *names) {
    if (Result<void> inside = check_inside(folder, name); !inside)
      return tl::unexpected(inside.error());
    Result<std::vector<KernelSource>> sources = read_own_kernel((folder / name).string());
    if (!sources) return tl::unexpected(sources.error());
    sources->front().path = text.name + "/" + name;
    for (KernelSource& source : *sources) {
      if (seen.insert(source.path).second) text.sources.push_back(std::move(source));
    }
  }
  return {};
}

}  // namespace

bool is_scene_folder(const fs::path& path) {
  std::error_code ignored;
  if (path.filename() == kDescriptionFile) return fs::is_regular_file(path, ignored);
  return fs::is_directory(path, ignored) && fs::exists(path / kDescriptionFile, ignored);
}

Result<void> read_scene_data(const fs::path& folder, SceneText& text) {
  for (const std::string& data : data_files_of(text.description)) {
    // One that is not there is missed by the field that names it, with its line.
    std::error_code ignored;
    if (!fs::exists(folder / data, ignored)) continue;
    if (Result<void> inside = check_inside(folder, data); !inside)
      return tl::unexpected(inside.error());
    Result<std::string> bytes = read_input(folder / data, kMostDataBytes);
    if (!bytes) return tl::unexpected(bytes.error());
    text.data.push_back({data, std::move(*bytes)});
  }
  return {};
}

Result<SceneText> read_scene_folder(const fs::path& path) { return read_scene_folder(path, {}); }

Result<SceneText> read_scene_folder(const fs::path& path, const FileReaders& readers) {
  const fs::path folder = folder_of(path), file = folder / kDescriptionFile;
  SceneText text;
  text.file = (path.filename() == kDescriptionFile ? path : path / kDescriptionFile).string();
  if (Result<void> inside = check_inside(folder, kDescriptionFile); !inside)
    return tl::unexpected(inside.error());
  Result<std::string> description = read_input(file, kMostTextFileBytes);
  if (!description) return tl::unexpected(description.error());
  text.description = std::move(*description);
  const Result<Node> root = parse_description(text.description, text.file);
  if (!root) return tl::unexpected(root.error());
  const Node* name = root->find("name");
  text.name =
      name != nullptr && name->kind == Node::Kind::text ? name->text : folder.filename().string();
  if (Result<void> read = read_kernels(folder, text); !read) return tl::unexpected(read.error());
  if (Result<void> read = read_scene_data(folder, text); !read) return tl::unexpected(read.error());
  if (const Node* capture = root->find("capture"); capture != nullptr) {
    const Node* file = capture->kind == Node::Kind::table ? capture->find("file") : capture;
    if (file != nullptr && file->kind == Node::Kind::text) {
      if (Result<void> inside = check_inside(folder, file->text); !inside)
        return tl::unexpected(inside.error());
    }
    if (Result<void> added = add_capture(folder, *capture, readers, text); !added)
      return tl::unexpected(added.error());
  }
  text.hash = scene_hash(text);
  return text;
}

fs::path user_scene_folder() {
  const auto base = user_folder("XDG_DATA_HOME", fs::path(".local") / "share");
  return base ? *base / product_name() / "scenes" : fs::path();
}

std::vector<fs::path> folders_of_user() {
  std::vector<fs::path> folders;
  std::error_code failed;
  for (fs::directory_iterator entry(user_scene_folder(), failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (is_scene_folder(entry->path())) folders.push_back(entry->path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

}  // namespace warpscope
