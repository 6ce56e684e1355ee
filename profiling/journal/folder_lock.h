// profiling/journal/folder_lock.h: the right to note in a folder's journal, held by one at a time.
#pragma once

#include <filesystem>

#include "scenes/host/result.h"

namespace warpscope {

// A lock of the folder itself (flock), so that it needs no file and no right to write. It excludes
// other programs of this machine and other locks of this one, and ends with the process that has
// it.
class FolderLock {
 public:
  // Waits for a few seconds: others hold it for milliseconds. error: environment: another program
  // keeps it, or the folder is gone.
  static Result<FolderLock> take(const std::filesystem::path& folder);
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;
  ~FolderLock();

 private:
  explicit FolderLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace warpscope
