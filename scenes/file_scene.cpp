// scenes/file_scene.cpp: a kernel's file as a scene by itself.
#include "scenes/file_scene.h"

#include <system_error>
#include <utility>
#include <vector>

#include "scenes/first_description.h"

namespace warpscope {

namespace fs = std::filesystem;

bool is_scene_file(const fs::path& path) {
  std::error_code ignored;
  return path.extension() == ".cu" && fs::is_regular_file(path, ignored);
}

std::string scene_name_of(const fs::path& file) {
  constexpr std::size_t kMostCharacters = 60;
  std::string name;
  for (const char c : file.stem().string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-';
    name += plain && (c != '-' || !name.empty()) ? c : '_';
  }
  return name.substr(0, kMostCharacters);
}

Result<SceneText> read_scene_file(const fs::path& file, const std::string& name) {
  Result<std::vector<KernelSource>> sources = read_own_kernel(file.string());
  if (!sources) return tl::unexpected(sources.error());
  Result<std::string> description =
      first_description(sources->front().text, file.filename().string());
  if (!description) {
    Error error = description.error();
    error.where = file.string();
    return tl::unexpected(std::move(error));
  }
  SceneText text;
  text.name = name;
  text.file = file.string();
  text.description = std::move(*description);
  text.sources = std::move(*sources);
  text.sources.front().path = name + "/" + scene_name_of(file) + ".cu";
  text.hash = scene_hash(text);
  return text;
}

}  // namespace warpscope
