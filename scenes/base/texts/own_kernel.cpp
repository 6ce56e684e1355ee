// scenes/base/texts/own_kernel.cpp: a kernel of the person's own with the headers that it may
// include.
#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "scenes/base/source.h"
#include "scenes/base/texts/kept_texts.h"
#include "scenes/base/texts/own_ptx.h"
#include "scenes/host/input_file.h"
#include "scenes/host/paths.h"
#include "scenes/host/write_file.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

// What stands for a header that is there and cannot be read: the compiler says why where it is
// included.
KernelSource unreadable_header(const std::string& name, const Error& error) {
  std::string why = sentence(error);
  for (char& c : why)
    if (c == '"' || c == '\\' || c == '\n' || c == '\r') c = '\'';
  return kernel_source(name, "#error \"" + why + "\"\n");
}

// Reads only files below kernels/, not the texts that this process carries: those may include what
// the kernel included before.
std::optional<KernelSource> product_header(const std::string& name, bool quoted) {
  if (!quoted || !inner_path(name)) return std::nullopt;
  const Result<fs::path> home = home_folder();
  std::error_code ignored;
  if (!home || !fs::is_regular_file(*home / "kernels" / name, ignored)) return std::nullopt;
  Result<KernelSource> found =
      read_kept(*home / "kernels" / name, name, [&] { return read_kernel_source(name); });
  if (found) return std::move(*found);
  return unreadable_header(name, found.error());
}

fs::path folder_with(const fs::path& file) {
  const fs::path folder = file.parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

// What stands for a header that may not be read: the compiler says why where it is included.
KernelSource refusal_of(const MissedFile& file) {
  return kernel_source(file.name, "#error \"this file is outside the kernel's folder: copy it " +
                                      std::string("there, or allow its folder with -I ") +
                                      file.folder.string() + " or --allow-include\"\n");
}

// By the path of a kernel that is a person's own.
struct HeaderPlaces {
  std::mutex mutex;
  std::map<std::string, std::vector<fs::path>> of;
};
HeaderPlaces& header_places() {
  static HeaderPlaces all;
  return all;
}

}  // namespace

Result<std::vector<KernelSource>> read_own_kernel(const std::string& path) {
  const auto read = [](const fs::path& file, const std::string& name) {
    return read_kept(file, name, [&] { return read_input(file, kMostTextFileBytes); });
  };
  Result<KernelSource> main = read(path, path);
  if (!main) return tl::unexpected(main.error());
  const fs::path home = folder_with(path);
  // A header may name its own neighbours.
  const std::vector<fs::path> allowed = allowed_folders();
  std::vector<fs::path> folders = {home};
  folders.insert(folders.end(), allowed.begin(), allowed.end());
  std::vector<fs::path> looked;
  const auto find = [&](const std::string& name, bool quoted) -> std::optional<KernelSource> {
    std::optional<fs::path> outside;
    std::optional<KernelSource> unreadable;
    const std::vector<fs::path> places = quoted ? folders : allowed;
    for (const fs::path& place : places) {
      const fs::path file = place / name;
      looked.push_back(file);
      std::error_code ignored;
      if (!fs::exists(file, ignored)) continue;
      if (!lies_in(file, home) && !lies_in_allowed(file)) {
        if (!outside && quoted) outside = file;
      } else if (Result<KernelSource> found = read(file, name)) {
        if (std::find(folders.begin(), folders.end(), file.parent_path()) == folders.end())
          folders.push_back(file.parent_path());
        return std::move(*found);
      } else if (!unreadable && fs::is_regular_file(file, ignored)) {
        unreadable = unreadable_header(name, found.error());
      }
    }
    if (unreadable) return unreadable;
    if (auto header = product_header(name, quoted)) return header;
    if (!outside) return std::nullopt;
    return refusal_of(note_missed(name, *outside));
  };
  const bool is_ptx = fs::path(path).extension() == ".ptx";
  std::vector<KernelSource> all =
      is_ptx ? with_ptx_sources(std::move(*main)) : with_included(std::move(*main), find);
  const std::lock_guard lock(header_places().mutex);
  header_places().of[path] = std::move(looked);
  return all;
}

std::vector<std::pair<std::string, std::string>> header_texts(
    const std::vector<KernelSource>& sources) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (std::size_t i = 1; i < sources.size(); ++i)
    texts.emplace_back(sources[i].path, sources[i].text);
  return texts;
}

std::vector<fs::path> header_places_of(const std::string& path) {
  const std::lock_guard lock(header_places().mutex);
  const auto found = header_places().of.find(path);
  return found == header_places().of.end() ? std::vector<fs::path>{} : found->second;
}

}  // namespace warpscope
