// scenes/host/write_file.cpp: files that appear whole or not at all.
#include "scenes/host/write_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>

#include "scenes/host/program.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

// A link or pipe that another user put into a folder where everyone may write, such as /tmp.
// source: proc_sys_fs(5), protected_symlinks and protected_fifos: the kernel does not follow them
// either.
bool is_trap(const fs::path& path) {
  struct stat there {
  }, folder{};
  if (::lstat(path.c_str(), &there) != 0) return false;
  if (!S_ISLNK(there.st_mode) && !S_ISFIFO(there.st_mode)) return false;
  if (there.st_uid == ::geteuid() || there.st_uid == 0) return false;
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (::stat(parent.c_str(), &folder) != 0 || folder.st_uid == there.st_uid) return false;
  return (folder.st_mode & S_ISVTX) != 0 && (folder.st_mode & S_IWOTH) != 0;
}

// Where a chain of symbolic links leads, whether or not a file is there: the links stay. No value
// if another user's is among them.
std::optional<fs::path> end_of_links(fs::path path) {
  constexpr int kMostLinks = 40;  // source: path_resolution(7)
  std::error_code failed;
  for (int link = 0; link < kMostLinks; ++link) {
    if (is_trap(path)) return std::nullopt;
    if (!fs::is_symlink(path, failed)) break;
    const fs::path next = fs::read_symlink(path, failed);
    if (failed) break;
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  return path;
}

// A new file beside `place`, whose name `target` becomes. A program that was killed may have left
// one of its number, and another user may have planted some: none that is there is written to. −1:
// errno says why.
int open_beside(const fs::path& place, fs::path& target) {
  constexpr int kMostNames = 1000;
  for (int name = 0; name < kMostNames; ++name) {
    target = place.string() + ".partial-" + std::to_string(::getpid());
    if (name > 0) target += "-" + std::to_string(name);
    const int descriptor =
        ::open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

// Files that are being written, of all threads. A handler reads it, so it is not on the heap; where
// all places are taken, another file is not noted.
struct UnfinishedPlace {
  std::atomic<bool> taken = false, noted = false;
  std::array<char, PATH_MAX> path{};
};
std::array<UnfinishedPlace, 8> unfinished_places;

// Notes a file until it has its name or is removed.
class Unfinished {
 public:
  explicit Unfinished(const fs::path& file) {
    const std::string path = file.string();
    if (path.size() >= PATH_MAX) return;
    for (UnfinishedPlace& place : unfinished_places) {
      if (place.taken.exchange(true)) continue;
      place.path[path.copy(place.path.data(), path.size())] = '\0';
      place.noted = true;
      place_ = &place;
      return;
    }
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  ~Unfinished() {
    if (place_ == nullptr) return;
    place_->noted = false;
    place_->taken = false;
  }

 private:
  UnfinishedPlace* place_ = nullptr;
};

// That a file has its name is on the disk only once its folder is.
void sync_folder(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

tl::unexpected<Error> write_failure(const std::filesystem::path& path, int code) {
  return failure(
      ErrorKind::environment, std::string("the file cannot be written: ") + std::strerror(code),
      path.string(),
      code == ENOSPC ? "free some space" : "choose a folder that exists and that you may write to");
}

}  // namespace

Result<void> write_file(const std::filesystem::path& path, std::string_view text) {
  return write_file(path, [text](const TextSink& write) {
    write(text);
    return Result<void>{};
  });
}

Result<void> write_file(const std::filesystem::path& path,
                        const std::function<Result<void>(const TextSink& write)>& make) {
  std::error_code ignored;
  const bool to_output = path == "-";
  // A device or a pipe is written in place: renaming over it would replace it.
  const bool special = to_output || (std::filesystem::exists(path, ignored) &&
                                     !std::filesystem::is_regular_file(path, ignored));
  if (special && std::filesystem::is_directory(path, ignored)) return write_failure(path, EISDIR);
  const std::optional<fs::path> end = end_of_links(path);
  if (!to_output && !end) {
    return failure(ErrorKind::environment,
                   "it is another user's link or pipe, in a folder where everyone may write",
                   path.string(), "choose another name, or a folder of yours");
  }
  const fs::path place = special ? path : *end;
  fs::path target = path;
  int descriptor = -1;
  if (to_output) {
    descriptor = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  } else if (special) {
    descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    descriptor = open_beside(place, target);
  }
  if (descriptor < 0) return write_failure(path, errno);
  std::optional<Unfinished> unfinished;
  if (!special) unfinished.emplace(target);
  struct stat before {};  // a file that is replaced keeps its permissions
  if (!special && ::stat(place.c_str(), &before) == 0) ::fchmod(descriptor, before.st_mode & 0777);
  constexpr std::size_t kWrittenAtOnce = 1 << 20;
  std::string waiting;
  int code = 0;
  const auto write = [&](std::string_view text) {
    if (code == 0) code = write_all(descriptor, text);
  };
  const Result<void> made = make([&](std::string_view part) {
    if (waiting.size() + part.size() < kWrittenAtOnce) {
      waiting += part;
      return;
    }
    write(waiting);
    waiting.clear();
    write(part);
  });
  write(waiting);
  // Before it has its name, so that no crash of the machine leaves an empty file of that name.
  if (code == 0 && made && !special && ::fsync(descriptor) != 0 && errno != EINVAL) code = errno;
  if (::close(descriptor) != 0 && code == 0) code = errno;
  if (code == 0 && made && !special) {
    if (::rename(target.c_str(), place.c_str()) != 0) code = errno;
    if (code == 0) sync_folder(place);
  }
  if (code == 0 && made) return {};
  if (!special) std::filesystem::remove(target, ignored);
  if (code == 0) return made;
  return write_failure(path, code);
}

Result<void> write_own_file(const std::filesystem::path& path, std::string_view text) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    return failure(ErrorKind::environment,
                   "this is a pipe, a device or a folder, but Warpscope writes a file here",
                   path.string(), "move it away");
  }
  return write_file(path, text);
}

void remove_unfinished_files() {
  for (const UnfinishedPlace& place : unfinished_places) {
    if (place.noted) ::unlink(place.path.data());
  }
}

std::optional<std::filesystem::path> inner_path(const std::filesystem::path& path) {
  std::filesystem::path normal = path.lexically_normal();
  if (normal.empty() || normal.is_absolute() || *normal.begin() == "..") return std::nullopt;
  return normal;
}

}  // namespace warpscope
