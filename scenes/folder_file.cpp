// scenes/folder_file.cpp: a file in a folder, reached without a link.
#include "scenes/folder_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "scenes/host/program.h"
#include "scenes/host/write_file.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> refused(const std::string& shown, std::string what) {
  return failure(ErrorKind::usage, std::move(what), shown,
                 "name a file directly in the folder, such as kernel.cu");
}

tl::unexpected<Error> not_written(const std::string& shown, int code) {
  return failure(ErrorKind::environment,
                 std::string("the file cannot be written: ") + std::strerror(code), shown,
                 code == ENOSPC ? "free some space" : "choose a folder that you may write to");
}

const char* kind_of(mode_t mode) {
  return S_ISLNK(mode)    ? "a link"
         : S_ISDIR(mode)  ? "a folder"
         : S_ISFIFO(mode) ? "a pipe"
         : S_ISSOCK(mode) ? "a socket"
                          : "a device";
}

// The names along the path; no value: it is not the path of a file in a folder.
std::optional<std::vector<std::string>> parts_of(const std::string& path) {
  const std::optional<fs::path> inner = inner_path(path);
  if (!inner || path.find('\0') != std::string::npos) return std::nullopt;
  std::vector<std::string> parts;
  for (const fs::path& part : *inner) {
    if (part.empty() || part == "." || part == "..") return std::nullopt;
    parts.push_back(part.string());
  }
  if (parts.empty()) return std::nullopt;
  return parts;
}

}  // namespace

FolderFile::FolderFile(FolderFile&& other) noexcept
    : folder_(std::exchange(other.folder_, -1)),
      name_(std::move(other.name_)),
      shown_(std::move(other.shown_)),
      there_(other.there_) {}

FolderFile& FolderFile::operator=(FolderFile&& other) noexcept {
  std::swap(folder_, other.folder_);
  std::swap(name_, other.name_);
  std::swap(shown_, other.shown_);
  std::swap(there_, other.there_);
  return *this;
}

FolderFile::~FolderFile() {
  if (folder_ >= 0) ::close(folder_);
}

Result<FolderFile> FolderFile::at(const fs::path& folder, const std::string& path) {
  const auto parts = parts_of(path);
  if (!parts) return refused(visible_name(path), "this is not the name of a file in the folder");
  FolderFile file;
  file.shown_ = (folder / path).string();
  file.name_ = parts->back();
  file.folder_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (std::size_t i = 0; i + 1 < parts->size() && file.folder_ >= 0; ++i) {
    const int inner = ::openat(file.folder_, (*parts)[i].c_str(),
                               O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const int code = errno;
    ::close(std::exchange(file.folder_, inner));
    // A link is ELOOP or ENOTDIR.
    if (inner < 0)
      return refused(
          file.shown_,
          code == ENOENT
              ? "there is no such folder"
              : "“" + (*parts)[i] +
                    "” on the way to the file is a link, or not a folder that can be opened");
  }
  if (file.folder_ < 0) return refused(file.shown_, "the folder cannot be opened");
  struct stat found {};
  file.there_ = ::fstatat(file.folder_, file.name_.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0;
  if (file.there_ && !S_ISREG(found.st_mode))
    return refused(file.shown_, std::string("this is ") + kind_of(found.st_mode) + ", not a file");
  return file;
}

Result<std::string> FolderFile::read(std::int64_t most_bytes) const {
  const auto not_read = [this](std::string what) {
    return failure(ErrorKind::input, std::move(what), shown_, "check that the file is there");
  };
  // Without waiting for a writer, should a pipe have taken the name.
  const int descriptor =
      ::openat(folder_, name_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return not_read(std::string("it cannot be read: ") + std::strerror(errno));
  struct stat found {};
  std::string text;
  int code = ::fstat(descriptor, &found) != 0 ? errno : 0;
  const bool regular = code == 0 && S_ISREG(found.st_mode);
  char chunk[65536];
  while (regular && static_cast<std::int64_t>(text.size()) <= most_bytes) {
    const ssize_t count = ::read(descriptor, chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) code = errno;
    if (count <= 0) break;
    text.append(chunk, static_cast<std::size_t>(count));
  }
  ::close(descriptor);
  if (code != 0) return not_read(std::string("it cannot be read: ") + std::strerror(code));
  if (!regular) return not_read("it is no longer a regular file");
  if (static_cast<std::int64_t>(text.size()) > most_bytes)
    return not_read("it is longer than " + std::to_string(most_bytes) + " bytes");
  return text;
}

Result<void> FolderFile::write(std::string_view text) const {
  const std::string partial = "." + name_ + ".partial-" + std::to_string(::getpid());
  constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  int descriptor = ::openat(folder_, partial.c_str(), kNew, 0644);
  if (descriptor < 0 && errno == EEXIST && ::unlinkat(folder_, partial.c_str(), 0) == 0)
    descriptor = ::openat(folder_, partial.c_str(), kNew, 0644);  // of a process that was killed
  if (descriptor < 0) return not_written(shown_, errno);
  int code = write_all(descriptor, text);
  if (::close(descriptor) != 0 && code == 0) code = errno;
  if (code == 0 && ::renameat(folder_, partial.c_str(), folder_, name_.c_str()) != 0) code = errno;
  if (code == 0) return {};
  ::unlinkat(folder_, partial.c_str(), 0);
  return not_written(shown_, code);
}

void FolderFile::remove() const { ::unlinkat(folder_, name_.c_str(), 0); }

Result<void> write_in_folder(const fs::path& folder, const std::string& path,
                             std::string_view text) {
  return FolderFile::at(folder, path).and_then([&](const FolderFile& file) {
    return file.write(text);
  });
}

}  // namespace warpscope
