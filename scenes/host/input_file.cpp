// scenes/host/input_file.cpp: files that are read: regular ones of a bounded size, opened in one
// place.
#include "scenes/host/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <new>
#include <set>
#include <utility>

namespace warpscope {
namespace {

tl::unexpected<Error> refuse(const std::filesystem::path& path, std::string what,
                             std::string remedy) {
  return failure(ErrorKind::input, std::move(what), path.string(), std::move(remedy));
}

tl::unexpected<Error> unreadable(const std::filesystem::path& path, int code) {
  if (code == ENOENT || code == ENOTDIR)
    return refuse(path, "there is no such file", "check the path");
  return refuse(path, std::string("the file cannot be read: ") + std::strerror(code),
                code == EACCES ? "ask its owner for permission to read it, or copy it"
                               : "copy it again, or choose another file");
}

Result<void> check_kind(const std::filesystem::path& path, const struct stat& status) {
  const auto kind = status.st_mode & S_IFMT;
  if (kind == S_IFREG) return {};
  if (kind == S_IFDIR) return refuse(path, "this is a folder, not a file", "name a file in it");
  const char* const which = kind == S_IFIFO    ? " but a pipe, like <(…) and /dev/stdin"
                            : kind == S_IFSOCK ? " but a socket"
                                               : "";
  return refuse(path, std::string("this is not a regular file") + which,
                "write its output to a file, and name that file");
}

std::string size_text(std::int64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g MB", static_cast<double>(bytes) / 1e6);
  return text;
}

tl::unexpected<Error> too_long(const std::filesystem::path& path, const std::string& bytes,
                               std::int64_t maximum_bytes) {
  return refuse(path,
                "the file is " + bytes + " long, over the limit of " + size_text(maximum_bytes),
                "check that it is the file you mean, or make it smaller");
}

}  // namespace

Result<InputFile> InputFile::open(const std::filesystem::path& path, std::int64_t maximum_bytes) {
  struct stat status {};
  // Looked at before it is opened: to open a device may already do something to it.
  if (::stat(path.c_str(), &status) != 0) return unreadable(path, errno);
  if (Result<void> good = check_kind(path, status); !good) return tl::unexpected(good.error());
  InputFile file;
  file.path_ = path;
  file.descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file.descriptor_ < 0 || ::fstat(file.descriptor_, &status) != 0)
    return unreadable(path, errno);
  if (Result<void> good = check_kind(path, status); !good) return tl::unexpected(good.error());
  file.bytes_ = status.st_size;
  if (file.bytes_ > maximum_bytes) return too_long(path, size_text(file.bytes_), maximum_bytes);
  return file;
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)),
      bytes_(other.bytes_),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(bytes_, other.bytes_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<std::size_t> InputFile::read(char* to, std::size_t count) {
  while (true) {
    const ssize_t step = ::read(descriptor_, to, count);
    if (step >= 0) return static_cast<std::size_t>(step);
    if (errno != EINTR) {
      return refuse(path_,
                    std::string("the file could not be read to its end: ") + std::strerror(errno),
                    "copy it again, or choose another file");
    }
  }
}

Result<std::string> read_input(const std::filesystem::path& path, std::int64_t maximum_bytes) {
  Result<InputFile> file = InputFile::open(path, maximum_bytes);
  if (!file) return tl::unexpected(file.error());
  try {
    // One more than it should have: files of /proc say that they have none, others grow.
    std::string text(static_cast<std::size_t>(file->bytes()) + 1, '\0');
    std::size_t length = 0;
    while (true) {
      const Result<std::size_t> step = file->read(text.data() + length, text.size() - length);
      if (!step) return tl::unexpected(step.error());
      if (*step == 0) break;
      length += *step;
      if (static_cast<std::int64_t>(length) > maximum_bytes)
        return too_long(path, "more than " + size_text(maximum_bytes), maximum_bytes);
      if (length == text.size()) text.resize(std::max<std::size_t>(4096, 2 * length));
    }
    text.resize(length);
    return text;
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::resource, "there is not enough memory for the file", path.string(),
                   "close other programs");
  }
}

// --- which files are read for somebody else ---
namespace {

namespace fs = std::filesystem;

struct Allowed {
  std::mutex mutex;
  std::vector<fs::path> folders, declined;
  std::vector<MissedFile> missed;
};
Allowed& allowed() {
  static Allowed all;
  return all;
}

}  // namespace

Result<void> allow_folder(const fs::path& folder) {
  std::error_code failed;
  const fs::path whole = fs::canonical(folder, failed);
  if (failed || !fs::is_directory(whole, failed))
    return failure(ErrorKind::usage, "there is no such folder", "-I " + folder.string(),
                   "name a folder with headers or arrays");
  const std::lock_guard lock(allowed().mutex);
  std::vector<fs::path>& all = allowed().folders;
  if (std::find(all.begin(), all.end(), whole) == all.end()) all.push_back(whole);
  return {};
}

std::vector<fs::path> allowed_folders() {
  const std::lock_guard lock(allowed().mutex);
  return allowed().folders;
}

MissedFile note_missed(const std::string& name, const fs::path& file) {
  std::error_code ignored;
  MissedFile missed{name, fs::weakly_canonical(file, ignored).parent_path()};
  const std::lock_guard lock(allowed().mutex);
  std::vector<MissedFile>& all = allowed().missed;
  if (std::find(all.begin(), all.end(), missed) == all.end()) all.push_back(missed);
  return missed;
}

std::vector<MissedFile> missed_files() {
  const std::lock_guard lock(allowed().mutex);
  std::vector<MissedFile>& all = allowed().missed;
  const auto answered = [](const MissedFile& missed) {
    const std::vector<fs::path>& declined = allowed().declined;
    const std::vector<fs::path>& folders = allowed().folders;
    return std::find(declined.begin(), declined.end(), missed.folder) != declined.end() ||
           std::any_of(folders.begin(), folders.end(), [&missed](const fs::path& folder) {
             return lies_in(missed.folder, folder);
           });
  };
  all.erase(std::remove_if(all.begin(), all.end(), answered), all.end());
  return all;
}

void decline_folder(const fs::path& folder) {
  const std::lock_guard lock(allowed().mutex);
  allowed().declined.push_back(folder);
}

bool lies_in(const fs::path& file, const fs::path& folder) {
  std::error_code failed;
  const fs::path inner = fs::canonical(file, failed);
  if (failed) return false;
  const fs::path outer = fs::canonical(folder, failed);
  if (failed) return false;
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

bool lies_in_allowed(const fs::path& file) {
  const std::vector<fs::path> folders = allowed_folders();
  return std::any_of(folders.begin(), folders.end(),
                     [&file](const fs::path& folder) { return lies_in(file, folder); });
}

namespace {

struct Named {
  std::mutex mutex;
  std::set<fs::path> paths;
  bool only = false;
};
Named& named() {
  static Named all;
  return all;
}

fs::path normal(const std::string& path) {
  std::error_code ignored;
  fs::path whole = fs::absolute(path, ignored).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();  // without a slash at its end
}

bool is_admitted(const std::string& path) {
  {
    const std::lock_guard lock(named().mutex);
    if (!named().only) return true;
  }
  return is_named(path) || lies_in_allowed(path);
}

template <typename Act>
void for_parts(const std::string& text, const char* separators, const Act& act) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    if (end > begin) act(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

}  // namespace

void name_path(const std::string& value) {
  if (value.empty()) return;
  const std::lock_guard lock(named().mutex);
  named().paths.insert(normal(value));
  for_parts(value, ";,", [](const std::string& part) { named().paths.insert(normal(part)); });
}

bool is_named(const std::string& path) {
  const fs::path whole = normal(path);
  const std::lock_guard lock(named().mutex);
  for (fs::path above = whole;; above = above.parent_path()) {
    if (named().paths.count(above) != 0) return true;
    if (above == above.parent_path()) return false;
  }
}

void only_named_paths() {
  const std::lock_guard lock(named().mutex);
  named().only = true;
}

Result<void> admit_path(const std::string& value) {
  Result<void> admitted;
  if (value.empty() || is_admitted(value)) return admitted;
  for_parts(value, ";", [&admitted](const std::string& part) {
    if (!admitted || is_admitted(part)) return;
    const std::string folder = note_missed(part, part).folder.string();
    admitted = failure(ErrorKind::input,
                       "a session names this file, but it was not chosen on this machine", part,
                       "choose the file yourself, or allow its folder with -I " + folder);
  });
  return admitted;
}

}  // namespace warpscope
