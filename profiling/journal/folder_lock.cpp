// profiling/journal/folder_lock.cpp: the right to note in a folder's journal, held by one at a
// time.
#include "profiling/journal/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "profiling/journal/lock_holder.h"

namespace warpscope {

Result<FolderLock> FolderLock::take(const std::filesystem::path& folder) {
  constexpr std::chrono::seconds kPatience(3);
  constexpr std::chrono::milliseconds kTryEvery(1);
  FolderLock lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock.descriptor_ < 0) {
    return failure(ErrorKind::environment,
                   std::string("the folder cannot be opened: ") + std::strerror(errno),
                   folder.string(), "check that it is there and that you may read it");
  }
  // A program that is stopped while it has the lock must not stop this one: no endless flock.
  const auto begun = std::chrono::steady_clock::now();
  bool asked = false;
  while (::flock(lock.descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return failure(ErrorKind::environment,
                     std::string("the folder cannot be locked: ") + std::strerror(errno),
                     folder.string(), "keep scenes on a file system with locks");
    }
    if (!std::exchange(asked, true) && lock_holder(lock.descriptor_).stranger) break;
    if (std::chrono::steady_clock::now() - begun > kPatience) {
      return failure(ErrorKind::environment, "another program has locked the folder's journal",
                     folder.string(), "end the program that hangs there, and try again");
    }
    std::this_thread::sleep_for(kTryEvery);
  }
  return lock;
}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace warpscope
