// scenes/host/cache.cpp: files that can be made again, kept where nobody else can plant one.
#include "scenes/host/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "scenes/host/build_stamp.h"
#include "scenes/host/paths.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kOthersMayWrite = S_IWGRP | S_IWOTH;

tl::unexpected<Error> refuse(const fs::path& folder, const std::string& why) {
  return failure(ErrorKind::environment, "no cache is used: " + why, folder.string(),
                 "remove it, or set XDG_CACHE_HOME to a folder of yours");
}

// A folder of this user that no other may write to, made where it is missing. What was left
// readable for others is closed.
Result<int> open_own_folder(int parent, const std::string& name, const fs::path& shown) {
  if (::mkdirat(parent, name.c_str(), 0700) != 0 && errno != EEXIST)
    return refuse(shown, std::string("it cannot be created: ") + std::strerror(errno));
  const int descriptor =
      ::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat status {};
  if (descriptor < 0 || ::fstat(descriptor, &status) != 0) {
    const int code = errno;
    if (descriptor >= 0) ::close(descriptor);
    if (code == ELOOP || code == ENOTDIR) return refuse(shown, "it is a link, or not a folder");
    return refuse(shown, std::string("it cannot be opened: ") + std::strerror(code));
  }
  std::string why;
  if (status.st_uid != ::geteuid()) {
    why = "it belongs to user " + std::to_string(status.st_uid);
  } else if ((status.st_mode & kOthersMayWrite) != 0) {
    why = "others may write to it";
  } else if ((status.st_mode & 07777) != 0700 && ::fchmod(descriptor, 0700) != 0) {
    why = std::string("its permissions cannot be restricted: ") + std::strerror(errno);
  }
  if (why.empty()) return descriptor;
  ::close(descriptor);
  return refuse(shown, why);
}

// Descriptor of a folder that a person chose; its links are followed, as everywhere. −1: none.
int open_parent(const fs::path& folder) {
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

struct Candidate {
  fs::path parent;
  std::string name;
};

std::vector<Candidate> candidates() {
  std::vector<Candidate> list;
  const auto own = user_folder("XDG_CACHE_HOME", ".cache");
  if (own) list.push_back({*own, product_name()});
  // Where XDG_CACHE_HOME names a folder that cannot be made.
  const auto home = user_folder("", ".cache");
  if (home && home != own) list.push_back({*home, product_name()});
  std::error_code failed;
  // Shared with all users: each has a name of its own.
  if (const fs::path temporary = fs::temp_directory_path(failed); !failed)
    list.push_back({temporary, product_name() + "-" + std::to_string(::geteuid())});
  return list;
}

std::optional<std::string> read_own_file(int shelf, const std::string& name,
                                         std::int64_t maximum_bytes) {
  const int descriptor =
      ::openat(shelf, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  struct stat status {};
  const bool own = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
                   status.st_uid == ::geteuid() && status.st_nlink == 1 &&
                   (status.st_mode & kOthersMayWrite) == 0 && status.st_size <= maximum_bytes;
  // The time of a file is that of its last use: those that are used stay (remove_oldest).
  const timespec now[] = {{0, UTIME_OMIT}, {0, UTIME_NOW}};
  if (own) static_cast<void>(::futimens(descriptor, now));
  std::string text(own ? static_cast<std::size_t>(status.st_size) : 0, '\0');
  std::size_t length = 0;
  while (length < text.size()) {
    const ssize_t step = ::read(descriptor, text.data() + length, text.size() - length);
    if (step < 0 && errno == EINTR) continue;
    if (step <= 0) break;
    length += static_cast<std::size_t>(step);
  }
  ::close(descriptor);
  if (!own || length < text.size()) return std::nullopt;
  return text;
}

constexpr const char* kTurns = "turns";  // the file whose bytes are locks

// Removes files, that with the earliest time first, until `most_bytes` are left in the folder.
// Another process may do the same meanwhile: a file that is gone already is counted as removed.
void remove_oldest(int shelf, std::int64_t most_bytes) {
  const int again = ::openat(shelf, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const listing = again < 0 ? nullptr : ::fdopendir(again);
  if (listing == nullptr) {
    if (again >= 0) ::close(again);
    return;
  }
  struct Kept {
    std::pair<std::int64_t, std::int64_t> used;  // seconds and nanoseconds
    std::int64_t bytes = 0;
    std::string name;
    bool operator<(const Kept& other) const { return used < other.used; }
  };
  std::vector<Kept> files;
  std::int64_t bytes = 0;
  while (const dirent* entry = ::readdir(listing)) {
    const std::string name = entry->d_name;
    struct stat status {};
    if (name == kTurns || ::fstatat(shelf, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(status.st_mode))
      continue;
    files.push_back({{status.st_mtim.tv_sec, status.st_mtim.tv_nsec}, status.st_size, name});
    bytes += status.st_size;
  }
  ::closedir(listing);
  if (bytes <= most_bytes) return;
  std::sort(files.begin(), files.end());
  for (const Kept& file : files) {
    if (bytes <= most_bytes) return;
    if (::unlinkat(shelf, file.name.c_str(), 0) == 0 || errno == ENOENT) bytes -= file.bytes;
  }
}

}  // namespace

Result<Cache> Cache::open(std::int64_t shelf_bytes) {
  std::optional<Error> last;
  for (const Candidate& candidate : candidates()) {
    const fs::path shown = candidate.parent / candidate.name;
    const int parent = open_parent(candidate.parent);
    if (parent < 0) continue;  // as where there is no home
    struct stat before {};
    const bool there = ::fstatat(parent, candidate.name.c_str(), &before, AT_SYMLINK_NOFOLLOW) == 0;
    const Result<int> folder = open_own_folder(parent, candidate.name, shown);
    ::close(parent);
    if (folder) {
      Cache cache;
      cache.folder_ = shown;
      cache.descriptor_ = *folder;
      cache.shelf_bytes_ = shelf_bytes;
      return cache;
    }
    last = folder.error();
    if (there) break;  // what someone put there is said, not passed over
  }
  if (last) return tl::unexpected(*last);
  return failure(ErrorKind::environment, "no cache is used: there is no folder for it", "",
                 "set XDG_CACHE_HOME to a folder of yours");
}

Cache::Cache(Cache&& other) noexcept
    : folder_(std::move(other.folder_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      shelf_bytes_(other.shelf_bytes_) {}

Cache& Cache::operator=(Cache&& other) noexcept {
  std::swap(folder_, other.folder_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(shelf_bytes_, other.shelf_bytes_);
  return *this;
}

Cache::~Cache() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

int Cache::open_shelf(const std::string& shelf) const {
  return open_own_folder(descriptor_, shelf, folder_ / shelf).value_or(-1);
}

std::optional<std::string> Cache::read(const std::string& shelf, const std::string& name,
                                       std::int64_t maximum_bytes) const {
  const int folder = open_shelf(shelf);
  if (folder < 0) return std::nullopt;
  std::optional<std::string> text = read_own_file(folder, name, maximum_bytes);
  ::close(folder);
  return text;
}

void Cache::write(const std::string& shelf, const std::string& name, std::string_view text) const {
  if (static_cast<std::int64_t>(text.size()) > shelf_bytes_) return;  // nothing else would stay
  const int folder = open_shelf(shelf);
  if (folder < 0) return;
  const std::string partial = name + ".partial-" + std::to_string(::getpid());
  const int descriptor =
      ::openat(folder, partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  bool good = descriptor >= 0;
  while (good && !text.empty()) {
    const ssize_t step = ::write(descriptor, text.data(), text.size());
    if (step < 0 && errno == EINTR) continue;
    good = step > 0;
    if (good) text.remove_prefix(static_cast<std::size_t>(step));
  }
  if (descriptor >= 0) good = ::close(descriptor) == 0 && good;
  if (good) good = ::renameat(folder, partial.c_str(), folder, name.c_str()) == 0;
  if (!good && descriptor >= 0) ::unlinkat(folder, partial.c_str(), 0);
  if (good) remove_oldest(folder, shelf_bytes_);
  ::close(folder);
}

void Cache::rename(const std::string& shelf, const std::string& name, const std::string& to) const {
  const int folder = open_shelf(shelf);
  if (folder < 0) return;
  static_cast<void>(::renameat(folder, name.c_str(), folder, to.c_str()));
  ::close(folder);
}

namespace {

// One byte of a file stands for a name. Two names with one byte only wait for each other. The lock
// is of the open file: threads exclude each other too, and it ends with the process.
bool lock_byte(int descriptor, std::int64_t place, short kind) {
  struct flock one {};
  one.l_type = kind;
  one.l_whence = SEEK_SET;
  one.l_start = place;
  one.l_len = 1;
  return ::fcntl(descriptor, F_OFD_SETLK, &one) == 0;
}

}  // namespace

CacheTurn Cache::turn(const std::string& shelf, const std::string& name, double patience_s) const {
  constexpr std::chrono::milliseconds kTryEvery(5);
  CacheTurn turn;
  const int folder = open_shelf(shelf);
  if (folder < 0) return turn;
  turn.descriptor_ = ::openat(folder, kTurns, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  ::close(folder);
  turn.place_ = static_cast<std::int64_t>(std::hash<std::string>{}(name) >> 2);
  const auto begun = std::chrono::steady_clock::now();
  while (turn.descriptor_ >= 0 && !lock_byte(turn.descriptor_, turn.place_, F_WRLCK)) {
    const bool taken = errno == EAGAIN || errno == EACCES || errno == EINTR;
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - begun;
    if (!taken || waited.count() > patience_s) return {};
    std::this_thread::sleep_for(kTryEvery);
  }
  return turn;
}

CacheTurn::CacheTurn(CacheTurn&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), place_(other.place_) {}

CacheTurn& CacheTurn::operator=(CacheTurn&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(place_, other.place_);
  return *this;
}

// A child that was forked meanwhile has the open file too, so that closing alone would not end it.
CacheTurn::~CacheTurn() {
  if (descriptor_ < 0) return;
  lock_byte(descriptor_, place_, F_UNLCK);
  ::close(descriptor_);
}

}  // namespace warpscope
