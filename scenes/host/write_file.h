// scenes/host/write_file.h: files that appear whole or not at all.
#pragma once

#include <filesystem>
#include <string_view>

#include "scenes/host/result.h"

namespace warpscope {

// Writes `text` beside `path` and renames it into place, so that a full disk loses nothing.
// error: environment (disk full, permission) with the remedy.
Result<void> write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace warpscope
