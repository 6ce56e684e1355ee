// scenes/host/write_file.cpp: files that appear whole or not at all.
#include "scenes/host/write_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "scenes/host/program.h"

namespace warpscope {
namespace {

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
  // A device or a pipe is written in place: renaming over it would replace it.
  const bool special =
      std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored);
  if (special && std::filesystem::is_directory(path, ignored)) return write_failure(path, EISDIR);
  const std::filesystem::path target =
      special ? path
              : std::filesystem::path(path.string() + ".partial-" + std::to_string(::getpid()));
  const int flags = O_WRONLY | O_CLOEXEC | (special ? 0 : O_CREAT | O_TRUNC);
  const int descriptor = ::open(target.c_str(), flags, 0644);
  if (descriptor < 0) return write_failure(path, errno);
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
  if (::close(descriptor) != 0 && code == 0) code = errno;
  if (code == 0 && made && !special && ::rename(target.c_str(), path.c_str()) != 0) code = errno;
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

std::optional<std::filesystem::path> inner_path(const std::filesystem::path& path) {
  std::filesystem::path normal = path.lexically_normal();
  if (normal.empty() || normal.is_absolute() || *normal.begin() == "..") return std::nullopt;
  return normal;
}

}  // namespace warpscope
