// workbench/workspace/file_kind.cpp: what a file is, by its name, and which scenes can take it.
#include "workbench/workspace/file_kind.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "scenes/host/enumerators.h"

namespace warpscope {
namespace {

struct Ending {
  std::string_view text;
  FileKind kind;
};
constexpr std::array<Ending, 12> kEndings = {{{".wsj", FileKind::session},
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
                                              {".ptx", FileKind::kernel}}};

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

}  // namespace

const char* to_text(FileKind kind) {
  return named(kind, {"session", "lesson", "matrix", "array", "kernel", "unknown"});
}

const char* plural_of(FileKind kind) {
  return named(kind, {"sessions", "lessons", "matrices", "frames and arrays", "kernels", "files"});
}

const char* endings_of(FileKind kind) {
  return named(kind, {".wsj, .wsj.gz", ".json", ".mtx", ".npy, .raw, .bin, .png, .ppm",
                      ".cu, .cuh, .ptx", ""});
}

FileKind kind_of(const std::filesystem::path& path) {
  const std::string name = small(path.filename().string());
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return FileKind::unknown;
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

}  // namespace warpscope
