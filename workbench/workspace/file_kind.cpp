// workbench/workspace/file_kind.cpp: what a file is, by its name, which scenes can take it, and
// which files were opened last.
#include "workbench/workspace/file_kind.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "profiling/text/json_text.h"
#include "scenes/host/build_stamp.h"
#include "scenes/host/enumerators.h"
#include "scenes/host/input_file.h"
#include "scenes/host/paths.h"
#include "scenes/host/write_file.h"
#include "scenes/read_folder.h"

namespace warpscope {
namespace {

struct Ending {
  std::string_view text;
  FileKind kind;
};
constexpr std::array<Ending, 19> kEndings = {{{".wsj", FileKind::session},
                                              {".wsj.gz", FileKind::session},
                                              {".json", FileKind::lesson},
                                              {".mtx", FileKind::matrix},
                                              {".npy", FileKind::array},
                                              {".raw", FileKind::array},
                                              {".bin", FileKind::array},
                                              {".png", FileKind::array},
                                              {".ppm", FileKind::array},
                                              {".cu", FileKind::kernel},
                                              {".cuh", FileKind::kernel},
                                              {".ptx", FileKind::kernel},
                                              {".wcap", FileKind::kernel},
                                              {".cubin", FileKind::compiled},
                                              {".fatbin", FileKind::compiled},
                                              {".o", FileKind::compiled},
                                              {".a", FileKind::compiled},
                                              {".so", FileKind::compiled},
                                              {".toml", FileKind::scene}}};

std::string small(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

bool takes(const Axis& axis, const std::filesystem::path& path) {
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(path, ignored);
  const std::string name = small(path.filename().string());
  return std::any_of(axis.takes.begin(), axis.takes.end(), [&](const std::string& ending) {
    return folder ? ending == "/" : name.ends_with(ending);
  });
}

// The choice that makes the axis mean something, where one alone does.
std::optional<std::map<std::string, std::string>> choice_for(const Scene& scene, const Axis& axis) {
  const Configuration defaults = default_configuration(scene.axes);
  if (applies(axis, defaults)) return std::map<std::string, std::string>{};
  for (const Axis& other : scene.axes) {
    for (const std::string& choice : other.choices) {
      const auto axes = with_values(scene.axes, defaults, {{other.name, choice}});
      if (axes && applies(axis, *axes))
        return std::map<std::string, std::string>{{other.name, choice}};
    }
  }
  return std::nullopt;
}

namespace fs = std::filesystem;

fs::path recent_path() { return config_folder() / "recent.json"; }

}  // namespace

const char* to_text(FileKind kind) {
  return named(kind,
               {"session", "lesson", "matrix", "array", "kernel", "compiled", "scene", "unknown"});
}

const char* plural_of(FileKind kind) {
  return named(kind, {"sessions", "lessons", "matrices", "frames and arrays", "kernels",
                      "compiled files", "scenes", "files"});
}

const char* endings_of(FileKind kind) {
  return named(kind, {".wsj, .wsj.gz", ".json", ".mtx", ".npy, .raw, .bin, .png, .ppm",
                      ".cu, .cuh, .ptx", ".cubin, .fatbin, .o, .a, .so", ".toml", ""});
}

FileKind kind_of(const std::filesystem::path& path) {
  const std::string name = small(path.filename().string());
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return is_scene_folder(path) ? FileKind::scene : FileKind::unknown;
  const auto found = std::find_if(kEndings.begin(), kEndings.end(), [&name](const Ending& ending) {
    return name.size() > ending.text.size() && name.ends_with(ending.text);
  });
  return found == kEndings.end() ? FileKind::unknown : found->kind;
}

std::vector<FileUse> uses_of(const Catalogue& catalogue, const std::filesystem::path& path) {
  std::vector<FileUse> uses;
  for (const Scene& scene : catalogue.scenes()) {
    for (const Axis& axis : scene.axes) {
      if (axis.kind != AxisKind::file || !takes(axis, path)) continue;
      std::optional<std::map<std::string, std::string>> changes = choice_for(scene, axis);
      if (!changes) continue;
      (*changes)[axis.name] = path.string();
      uses.push_back({scene.name, axis.name, axis.label, std::move(*changes)});
    }
  }
  return uses;
}

fs::path config_folder() {
  const auto base = user_folder("XDG_CONFIG_HOME", ".config");
  return base ? *base / product_name() : fs::path();
}

Result<RecentFiles> load_recent() {
  constexpr std::int64_t kMostBytes = 1 << 20;
  RecentFiles recent;
  std::error_code ignored;
  if (config_folder().empty() || !fs::exists(recent_path(), ignored)) return recent;
  const Result<std::string> text = read_input(recent_path(), kMostBytes);
  if (!text) return tl::unexpected(text.error());
  const nlohmann::json lists = parse_json(*text, recent_path().string()).value_or(nlohmann::json());
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
  if (config_folder().empty()) return {};  // nobody's: nothing is remembered
  fs::create_directories(config_folder(), ignored);
  return write_own_file(recent_path(),
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

namespace {

template <typename Keeps>
Result<std::vector<FolderEntry>> listed(const fs::path& folder, const Keeps& keeps) {
  constexpr std::size_t kMost = 5000;
  std::vector<FolderEntry> entries;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::string name = at->path().filename().string();
    std::error_code ignored;
    const bool inner = at->is_directory(ignored);
    if (name.starts_with(".") || (!inner && !keeps(at->path()))) continue;
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

}  // namespace

Result<std::vector<FolderEntry>> entries_of(const fs::path& folder, FileKind kind) {
  return listed(folder, [kind](const fs::path& path) { return kind_of(path) == kind; });
}

Result<std::vector<FolderEntry>> entries_of(const fs::path& folder, const std::string& ending) {
  return listed(folder, [&ending](const fs::path& path) {
    return path.filename().string().ends_with(ending);
  });
}

}  // namespace warpscope
