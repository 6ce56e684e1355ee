// scenes/folder_file.h: a file in a folder, reached without a link.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "scenes/host/result.h"

// Names that a message or a received file gives must not lead out of a folder. Each part of the
// path is opened by itself below the one before it (openat, O_NOFOLLOW), so that no link on the way
// is followed, also where one appears after a check.
//
//   Result<FolderFile> file = FolderFile::at(folder, "kernels/scale.cu");
//   if (file && file->there()) text = file->read(most_bytes);
//   if (file) file->write(text);

namespace warpscope {

class FolderFile {
 public:
  // The file need not be there, the folders on the way must. error: usage: the path is empty, is
  // absolute or leads out, has a NUL in it, passes a link or what is no folder, or what it ends at
  // is a link, a folder or anything else but a regular file.
  static Result<FolderFile> at(const std::filesystem::path& folder, const std::string& path);
  FolderFile(FolderFile&& other) noexcept;
  FolderFile& operator=(FolderFile&& other) noexcept;
  ~FolderFile();

  bool there() const { return there_; }  // when it was looked for
  // error: input: it is gone, is another kind of file by now, or longer.
  Result<std::string> read(std::int64_t most_bytes) const;
  // Whole or not at all. What took the name since is replaced, never followed. error: environment.
  Result<void> write(std::string_view text) const;
  void remove() const;

 private:
  FolderFile() = default;
  int folder_ = -1;    // a descriptor of the folder that it lies in
  std::string name_;   // in that
  std::string shown_;  // for a person
  bool there_ = false;
};

// error: as FolderFile.
Result<void> write_in_folder(const std::filesystem::path& folder, const std::string& path,
                             std::string_view text);

}  // namespace warpscope
