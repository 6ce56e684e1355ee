// workbench/client/remembered_folders.cpp: folders that the person allowed once and for all.
#include "workbench/client/remembered_folders.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "scenes/host/build_stamp.h"
#include "scenes/host/input_file.h"
#include "scenes/host/paths.h"
#include "scenes/host/write_file.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
constexpr std::int64_t kMostBytes = 1 << 20;

fs::path list_path() {
  const auto base = user_folder("XDG_CONFIG_HOME", ".config");
  return base ? *base / product_name() / "allowed_folders" : fs::path();
}

}  // namespace

std::vector<fs::path> remembered_folders() {
  std::vector<fs::path> folders;
  const fs::path list = list_path();
  std::error_code failed;
  if (list.empty() || !fs::exists(list, failed)) return folders;
  const Result<std::string> text = read_input(list, kMostBytes);
  for (std::string_view rest = text ? std::string_view(*text) : ""; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const fs::path folder = rest.substr(0, end);
    if (folder.is_absolute() && fs::is_directory(folder, failed)) folders.push_back(folder);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return folders;
}

Result<void> remember_folder(const fs::path& folder) {
  if (Result<void> allowed = allow_folder(folder); !allowed) return allowed;
  std::error_code failed;
  const fs::path whole = fs::canonical(folder, failed), list = list_path();
  std::vector<fs::path> all = remembered_folders();
  if (std::find(all.begin(), all.end(), whole) != all.end()) return {};
  if (list.empty() || whole.string().find('\n') != std::string::npos)
    return failure(ErrorKind::environment, "the answer cannot be remembered", folder.string(),
                   "set HOME, or give -I with each command");
  all.push_back(whole);
  std::string text;
  for (const fs::path& one : all) text += one.string() + "\n";
  fs::create_directories(list.parent_path(), failed);
  return write_file(list.string(), text);
}

void allow_remembered_folders() {
  // One that went away since is no longer asked for.
  for (const fs::path& folder : remembered_folders()) static_cast<void>(allow_folder(folder));
}

}  // namespace warpscope
