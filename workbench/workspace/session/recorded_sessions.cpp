// workbench/workspace/session/recorded_sessions.cpp: session files: those in assets/, in the order
// of their scenes, and torn ones.
#include "workbench/workspace/session/recorded_sessions.h"

#include <algorithm>
#include <fstream>
#include <map>

#include "profiling/messages/packed_text.h"
#include "profiling/session/session.h"
#include "scenes/catalogue.h"
#include "scenes/host/paths.h"

namespace warpscope {
namespace {

// What a session file is called without ".wsj" or ".wsj.gz"; empty for other files.
std::string session_name(const std::filesystem::path& path) {
  const std::filesystem::path plain = named_packed(path) ? path.stem() : path.filename();
  return plain.extension() == ".wsj" ? plain.stem().string() : "";
}

}  // namespace

std::optional<std::string> torn_end(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file.tellg();
  if (size <= 0 || file.seekg(size - 1).get() == '\n') return std::nullopt;
  // Back to where the line begins, twice as far each time.
  std::string line;
  for (std::streamoff length = 1 << 16; static_cast<std::streamoff>(line.size()) < size;
       length *= 2) {
    line.resize(static_cast<std::size_t>(std::min(length, size)));
    file.seekg(size - static_cast<std::streamoff>(line.size()));
    if (!file.read(line.data(), static_cast<std::streamoff>(line.size()))) return std::nullopt;
    const std::size_t before = line.rfind('\n');
    if (before != std::string::npos) {
      line.erase(0, before + 1);
      break;
    }
    if (length > kLongestLineBytes) break;
  }
  if (parse_line(line)) return std::nullopt;  // whole but for its newline
  return path.string() + ": its last line is torn and counts no more; what follows begins anew";
}

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
    while (index < built_in_scenes().size() && !name.ends_with("-" + built_in_scenes()[index].name))
      ++index;
    return index;
  };
  std::vector<std::filesystem::path> paths;
  paths.reserve(by_name.size());
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
