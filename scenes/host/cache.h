// scenes/host/cache.h: files that can be made again, kept where nobody else can plant one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "scenes/host/result.h"

// The folder is $XDG_CACHE_HOME/warpscope or ~/.cache/warpscope; where neither can be made,
// warpscope-UID in the system's temporary folder. What lies in a cache changes results, so it is
// used only where it belongs to this user and no other may write to it: the folder, those in it and
// every file, looked at without following links. Else there is no cache, and a sentence.
// Each shelf is bounded: where it is full, the files that were not used for longest are removed.
//
//   Result<Cache> cache = Cache::open();
//   if (cache) text = cache->read("ptx", "0123.bin", 1 << 28);

namespace warpscope {

// While it lives, other processes of this user that want to make the same file wait.
class CacheTurn {
 public:
  CacheTurn() = default;
  CacheTurn(CacheTurn&&) noexcept;
  CacheTurn& operator=(CacheTurn&&) noexcept;
  ~CacheTurn();

 private:
  friend class Cache;
  int descriptor_ = -1;
  std::int64_t place_ = 0;
};

class Cache {
 public:
  static constexpr std::int64_t kShelfBytes = std::int64_t{1} << 30;
  // error: environment: who owns the folder, or who may write to it, and what to do.
  // `shelf_bytes`: what each folder in it may have in all.
  static Result<Cache> open(std::int64_t shelf_bytes = kShelfBytes);
  Cache(Cache&&) noexcept;
  Cache& operator=(Cache&&) noexcept;
  ~Cache();

  const std::filesystem::path& folder() const { return folder_; }
  // A file below the folder `shelf`. No value if there is none, it is longer than `maximum_bytes`,
  // or it could be someone else's.
  std::optional<std::string> read(const std::string& shelf, const std::string& name,
                                  std::int64_t maximum_bytes) const;
  // Writes beside it and renames, and then removes what the shelf has no room for. A file that
  // cannot be kept costs time, nothing else.
  void write(const std::string& shelf, const std::string& name, std::string_view text) const;
  // A file that is damaged, under a name at which nobody looks for it.
  void rename(const std::string& shelf, const std::string& name, const std::string& to) const;
  // Call it before making a file that was not found, and look for the file again afterwards: the
  // process that had its turn has made it. Where a turn is not given within `patience_s`, nothing
  // is held: the file is made twice, which costs time and nothing else.
  CacheTurn turn(const std::string& shelf, const std::string& name, double patience_s) const;

 private:
  Cache() = default;
  int open_shelf(const std::string& shelf) const;  // −1: there is none to be trusted
  std::filesystem::path folder_;
  int descriptor_ = -1;
  std::int64_t shelf_bytes_ = kShelfBytes;
};

}  // namespace warpscope
