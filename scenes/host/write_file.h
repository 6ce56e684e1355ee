// scenes/host/write_file.h: files that appear whole or not at all.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>

#include "scenes/host/result.h"

namespace warpscope {

// Writes `text` beside `path` and renames it into place once it is on the disk, so that neither a
// full disk nor a crash loses anything. Where `path` is a symbolic link, the file that it leads to
// is replaced and the link stays; a file's permissions stay, too. "-" is standard output.
// error: environment (disk full, permission) with the remedy.
Result<void> write_file(const std::filesystem::path& path, std::string_view text);

// The same for a file that this program reads back: anything but a regular file is not written to,
// so that a pipe in its place does not block. error: environment.
Result<void> write_own_file(const std::filesystem::path& path, std::string_view text);
// Takes a text in parts.
using TextSink = std::function<void(std::string_view part)>;
// The same of a text that `make` gives away in parts, of which few are in memory at a time. An
// error of `make` leaves the file as it was.
Result<void> write_file(const std::filesystem::path& path,
                        const std::function<Result<void>(const TextSink& write)>& make);

// Removes what write_file has written of files that are not finished yet. For a handler of a signal
// that ends the program: it reserves no memory and waits for nothing.
void remove_unfinished_files();

// The path in its normal form where it stays below whichever folder it is joined to; no value if it
// is empty, absolute or leads out.
std::optional<std::filesystem::path> inner_path(const std::filesystem::path& path);

}  // namespace warpscope
