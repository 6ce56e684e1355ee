// scenes/base/texts/own_ptx.cpp: PTX with the texts that it was compiled from.
#include "scenes/base/texts/own_ptx.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "scenes/base/texts/kept_texts.h"
#include "scenes/host/input_file.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

// The files that the .file lines of PTX name; none of another text.
std::vector<fs::path> files_of_ptx(std::string_view text) {
  std::vector<fs::path> files;
  constexpr std::string_view kFile = ".file";
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.starts_with(kFile)) continue;
    const std::size_t open = line.find('"'), close = line.rfind('"');
    if (open != close) files.emplace_back(line.substr(open + 1, close - open - 1));
  }
  return files;
}

// The texts that PTX was compiled from: in place where that was allowed, or beside it.
void add_sources_of_ptx(const fs::path& home, std::vector<KernelSource>& all) {
  for (const fs::path& file : files_of_ptx(all.front().text)) {
    for (const fs::path& place : {file, home / file.filename()}) {
      std::error_code ignored;
      if (!fs::is_regular_file(place, ignored)) continue;
      if (!lies_in(place, home) && !lies_in_allowed(place)) continue;
      const std::string name = place.lexically_normal().string();
      Result<KernelSource> found =
          read_kept(place, name, [&] { return read_input(place, kMostTextFileBytes); });
      if (!found) continue;
      all.push_back(std::move(*found));
      break;
    }
  }
}

}  // namespace

std::vector<KernelSource> with_ptx_sources(KernelSource ptx) {
  const fs::path folder = fs::path(ptx.path).parent_path();
  std::vector<KernelSource> all;
  all.push_back(std::move(ptx));
  add_sources_of_ptx(folder.empty() ? fs::path(".") : folder, all);
  return all;
}

std::vector<KernelSource> own_ptx(const std::string& path, std::string ptx) {
  return with_ptx_sources(kernel_source(path, std::move(ptx)));
}

}  // namespace warpscope
