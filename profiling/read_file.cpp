// profiling/read_file.cpp: whole files as text, and why one cannot be read.
#include "profiling/read_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace warpscope {

std::optional<Error> why_unreadable(const std::filesystem::path& path) {
  const auto because = [&path](std::string what, std::string remedy) {
    return Error{ErrorKind::input, std::move(what), path.string(), std::move(remedy)};
  };
  std::error_code failed;
  const std::filesystem::file_status status = std::filesystem::status(path, failed);
  if (status.type() == std::filesystem::file_type::not_found)
    return because("there is no such file", "check the path");
  if (failed) return because("the file cannot be read: " + failed.message(), "check the path");
  if (std::filesystem::is_directory(status))
    return because("this is a folder, not a file", "name a file in it");
  if (!std::filesystem::is_regular_file(status))
    return because("this is no regular file", "copy what it gives into a file, and name that");
  if (::access(path.c_str(), R_OK) != 0) {
    return because(std::string("the file cannot be read: ") + std::strerror(errno),
                   "ask its owner for the permission to read it, or copy it");
  }
  return std::nullopt;
}

Result<std::string> read_file(const std::filesystem::path& path) {
  if (std::optional<Error> why = why_unreadable(path)) return tl::unexpected(*why);
  std::ifstream file(path, std::ios::binary);
  std::string text;
  char chunk[64 << 10];
  while (file.read(chunk, sizeof chunk), file.gcount() > 0)
    text.append(chunk, static_cast<std::size_t>(file.gcount()));
  if (!file.is_open() || file.bad()) {
    return failure(ErrorKind::input, "the file could not be read to its end", path.string(),
                   "copy it again, or choose another file");
  }
  return text;
}

}  // namespace warpscope
