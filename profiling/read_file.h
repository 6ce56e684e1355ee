// profiling/read_file.h: whole files as text, and why one cannot be read.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "scenes/result.h"

namespace warpscope {

// Why there is nothing to read at `path`: no such file, a folder, no permission, no regular file.
// error: input, with the remedy.
std::optional<Error> why_unreadable(const std::filesystem::path& path);

// All of a file; an empty one is an empty text. error: input.
Result<std::string> read_file(const std::filesystem::path& path);

}  // namespace warpscope
