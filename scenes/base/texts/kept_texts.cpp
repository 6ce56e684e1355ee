// scenes/base/texts/kept_texts.cpp: texts of files that are read again only after a change, and
// what they include.
#include "scenes/base/texts/kept_texts.h"

#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace warpscope {
namespace {

namespace fs = std::filesystem;

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

// Texts by file, for the life of the process.
struct Kept {
  Stamp stamp;
  bool settled = false;  // the stamp is old enough that a later change must give another one
  std::shared_ptr<const KernelSource> source;
};
struct TextShelf {
  std::mutex mutex;
  std::map<fs::path, Kept> files;
};
TextShelf& text_shelf() {
  static TextShelf kept;
  return kept;
}

}  // namespace

std::optional<Stamp> stamp_of(const fs::path& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return std::nullopt;
  return Stamp{found.st_dev, found.st_ino, found.st_size, nanoseconds(found.st_ctim),
               nanoseconds(found.st_mtim)};
}

bool is_settled(const Stamp& stamp) {
  constexpr std::int64_t kSettledNs = 2'000'000'000;
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return nanoseconds(now) - std::max(stamp.changed_ns, stamp.written_ns) > kSettledNs;
}

Result<KernelSource> read_kept(const fs::path& file, const std::string& path,
                               const std::function<Result<std::string>()>& read) {
  const std::optional<Stamp> stamp = stamp_of(file);
  TextShelf& kept = text_shelf();
  {
    const std::lock_guard lock(kept.mutex);
    const auto found = kept.files.find(file);
    if (found != kept.files.end()) {
      if (stamp && found->second.settled && found->second.stamp == *stamp &&
          found->second.source->path == path) {
        return *found->second.source;
      }
      kept.files.erase(found);
    }
  }
  Result<std::string> text = read();
  if (!text) return tl::unexpected(text.error());
  auto source = std::make_shared<const KernelSource>(kernel_source(path, std::move(*text)));
  if (stamp) {
    const std::lock_guard lock(kept.mutex);
    kept.files[file] = {*stamp, is_settled(*stamp), source};
  }
  return *source;
}

void add_included(const std::string& text, const FindHeader& find, std::set<std::string>& seen,
                  std::vector<KernelSource>& sources) {
  for (const auto& [name, quoted] : included_names(text)) {
    if (seen.count(name) != 0) continue;
    std::optional<KernelSource> header = find(name, quoted);
    if (!header) continue;
    seen.insert(name);
    const std::string inner = header->text;
    sources.push_back(std::move(*header));
    add_included(inner, find, seen, sources);
  }
}

std::vector<KernelSource> with_included(KernelSource main, const FindHeader& find) {
  std::set<std::string> seen;
  std::vector<KernelSource> sources;
  const std::string text = main.text;
  sources.push_back(std::move(main));
  add_included(text, find, seen, sources);
  return sources;
}

}  // namespace warpscope
