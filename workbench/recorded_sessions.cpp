// workbench/recorded_sessions.cpp: the sessions in assets/, in the order of their scenes.
#include <algorithm>
#include <map>

#include "profiling/packed_text.h"
#include "scenes/paths.h"
#include "scenes/registry.h"
#include "workbench/workspace.h"

namespace warpscope {
namespace {

// What a session file is called without ".wsj" or ".wsj.gz"; empty for other files.
std::string session_name(const std::filesystem::path& path) {
  const std::filesystem::path plain = named_packed(path) ? path.stem() : path.filename();
  return plain.extension() == ".wsj" ? plain.stem().string() : "";
}

}  // namespace

std::vector<std::filesystem::path> recorded_sessions() {
  std::map<std::string, std::filesystem::path> by_name;
  const auto home = home_folder();
  if (!home) return {};
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry(*home / "assets" / "sessions", ignored), end;
       entry != end; entry.increment(ignored)) {
    const std::string name = session_name(entry->path());
    if (!name.empty() && (named_packed(entry->path()) || by_name.count(name) == 0))
      by_name[name] = entry->path();
  }
  // Names end in their scene: "h200-csrmm".
  const auto place = [](const std::string& name) {
    std::size_t index = 0;
    while (index < all_scenes().size() && !name.ends_with("-" + all_scenes()[index].name)) ++index;
    return index;
  };
  std::vector<std::filesystem::path> paths;
  for (const auto& [name, path] : by_name) paths.push_back(path);
  std::stable_sort(paths.begin(), paths.end(), [&](const auto& a, const auto& b) {
    return place(session_name(a)) > place(session_name(b));
  });
  return paths;
}

std::optional<std::filesystem::path> recorded_session_of(const std::string& scene) {
  for (const std::filesystem::path& path : recorded_sessions()) {
    if (session_name(path).ends_with("-" + scene)) return path;
  }
  return std::nullopt;
}

}  // namespace warpscope
