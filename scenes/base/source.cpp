// scenes/base/source.cpp: the text of a kernel as a value: carried in jobs, and what caches are
// keyed by.
#include "scenes/base/source.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

// All of it is in the header: an engine that is copied to another machine needs no library there.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "scenes/base/texts/kept_texts.h"
#include "scenes/base/texts/machine_code.h"
#include "scenes/host/input_file.h"
#include "scenes/host/paths.h"
#include "scenes/host/write_file.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

std::optional<KernelSource> header_below_kernels(const std::string& name, bool quoted) {
  if (!quoted) return std::nullopt;  // the toolkit's
  Result<KernelSource> found = read_kernel(name);
  if (!found) return std::nullopt;
  return std::move(*found);
}

// What a folder of kernels came to, and the files that decide it, absent ones too. A drag asks for
// it with every job.
struct Look {
  std::vector<std::pair<fs::path, std::optional<Stamp>>> files;
  std::shared_ptr<const std::vector<KernelSource>> sources;
  bool settled = true;

  void at(const fs::path& file) {
    files.emplace_back(file, stamp_of(file));
    const std::optional<Stamp>& stamp = files.back().second;
    settled = settled && (!stamp || is_settled(*stamp));
  }
  bool holds() const {
    return settled && std::all_of(files.begin(), files.end(),
                                  [](const auto& f) { return stamp_of(f.first) == f.second; });
  }
};

}  // namespace

std::string hash_of(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  char digits[40];
  std::snprintf(digits, sizeof digits, "%016llx%016llx",
                static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return digits;
}

KernelSource kernel_source(std::string path, std::string text) {
  std::string hash = hash_of(text);
  return {std::move(path), std::move(text), std::move(hash)};
}

std::string joined_text(const std::vector<KernelSource>& sources) {
  std::string all;
  for (const KernelSource& source : sources) all += (all.empty() ? "" : "\n") + source.text;
  return all;
}

std::vector<std::string> quoted_includes(std::string_view text) {
  std::vector<std::string> names;
  for (IncludedName& included : included_names(text)) {
    if (included.quoted) names.push_back(std::move(included.name));
  }
  return names;
}

std::vector<IncludedName> included_names(std::string_view text) {
  constexpr std::string_view kSpaces = " \t", kInclude = "include";
  std::vector<IncludedName> names;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    const auto skip_spaces = [&] {
      line.remove_prefix(std::min(line.find_first_not_of(kSpaces), line.size()));
    };
    skip_spaces();
    if (!line.starts_with('#')) continue;
    line.remove_prefix(1);
    skip_spaces();
    if (!line.starts_with(kInclude)) continue;
    line.remove_prefix(kInclude.size());
    skip_spaces();
    const bool quoted = line.starts_with('"');
    if (!quoted && !line.starts_with('<')) continue;
    const std::size_t close = line.find(quoted ? '"' : '>', 1);
    if (close != std::string_view::npos && close > 1)
      names.push_back({std::string(line.substr(1, close - 1)), quoted});
  }
  return names;
}

SourceLookup sources_among(std::vector<KernelSource> texts) {
  const auto by_path = std::make_shared<std::map<std::string, KernelSource>>();
  for (KernelSource& source : texts) {
    std::string path = source.path;
    by_path->insert_or_assign(std::move(path), std::move(source));
  }
  return [by_path](const std::string& path) -> Result<std::vector<KernelSource>> {
    const auto find = [&](const std::string& name, bool) -> std::optional<KernelSource> {
      const auto found = by_path->find(name);
      if (found == by_path->end()) return std::nullopt;
      return found->second;
    };
    std::optional<KernelSource> main = find(path, true);
    if (main) {
      std::vector<KernelSource> all = with_included(std::move(*main), find);
      // PTX that a program ran comes with the machine code that it ran.
      if (auto code = find(path + kMachineCodeSuffix, true)) all.push_back(std::move(*code));
      return all;
    }
    return failure(ErrorKind::environment, "the job does not contain the source of this kernel",
                   path,
                   "check that the file is readable on the machine that submitted the job, and "
                   "that both programs have the same version");
  };
}

SourceLookup sources_on_disk() {
  return [](const std::string& path) -> Result<std::vector<KernelSource>> {
    Result<KernelSource> main = read_kernel(path);
    if (!main) return tl::unexpected(main.error());
    return with_headers_on_disk(std::move(*main));
  };
}

std::vector<KernelSource> with_headers_on_disk(KernelSource text) {
  return with_included(std::move(text), header_below_kernels);
}

Result<KernelSource> read_kernel(const std::string& path_below_kernels) {
  const Result<fs::path> home = home_folder();
  // Traces of sessions name files too: what leads out of kernels/ is a person's own, or not read.
  if (!inner_path(path_below_kernels)) {
    fs::path at = path_below_kernels;
    if (home) at = *home / "kernels" / at;
    if ((at == path_below_kernels && is_named(at)) || lies_in_allowed(at))
      return read_kept(at, path_below_kernels, [at] { return read_input(at, kMostTextFileBytes); });
    return failure(ErrorKind::environment,
                   "the file is not one of Warpscope's kernels and is not read", path_below_kernels,
                   "open it yourself to show it");
  }
  if (!home) return tl::unexpected(home.error());
  return read_kept(*home / "kernels" / path_below_kernels, path_below_kernels,
                   [&] { return read_kernel_source(path_below_kernels); });
}

Result<std::vector<KernelSource>> sources_of_scene(const std::string& scene) {
  const auto kept = kept_sources_of_scene(scene);
  if (!kept) return tl::unexpected(kept.error());
  return **kept;
}

Result<std::shared_ptr<const std::vector<KernelSource>>> kept_sources_of_scene(
    const std::string& scene) {
  const Result<fs::path> home = home_folder();
  if (!home) return tl::unexpected(home.error());
  if (!scene.empty() && !inner_path(scene)) {
    return failure(ErrorKind::environment, "Warpscope has no scene of this name", scene,
                   "kernels are below kernels/");
  }
  const fs::path kernels = *home / "kernels", folder = kernels / scene;
  static std::mutex mutex;
  static std::map<fs::path, Look> looks;
  const std::lock_guard lock(mutex);
  if (const auto found = looks.find(folder); found != looks.end() && found->second.holds())
    return found->second.sources;
  Look look;
  look.at(folder);
  std::vector<std::string> paths;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    const fs::path name = entry->path().filename();
    if (name.extension() == ".cu") paths.push_back(scene + "/" + name.string());
  }
  std::sort(paths.begin(), paths.end());
  std::set<std::string> seen;
  std::vector<KernelSource> sources;
  const auto find = [&](const std::string& name, bool quoted) {
    if (quoted) look.at(kernels / name);
    return header_below_kernels(name, quoted);
  };
  for (const std::string& path : paths) {
    look.at(kernels / path);
    Result<KernelSource> main = read_kernel(path);
    if (!main) return tl::unexpected(main.error());
    const std::string text = main->text;
    sources.push_back(std::move(*main));
    add_included(text, find, seen, sources);
  }
  look.sources = std::make_shared<const std::vector<KernelSource>>(std::move(sources));
  return (looks[folder] = std::move(look)).sources;
}

}  // namespace warpscope
