// profiling/journal/lock_holder.h: who has the lock (flock) of an open file or folder.
#pragma once

#include <sys/types.h>

#include <string>

namespace warpscope {

// Anyone who may read a file can lock it. A lock of a stranger, another user who may not write to
// the file, must not stop its owner: it is passed over.
//
//   while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
//     const LockHolder holder = lock_holder(descriptor);
//     if (holder.stranger) break;
//     …
struct LockHolder {
  pid_t process = 0;      // 0: not to be seen, such as a process of another container
  bool stranger = false;  // neither this user nor root, and the file is this user's to write alone
};
LockHolder lock_holder(int descriptor);

// "pid 1234, `warpscope sweep csrmm`"; empty if it is not to be seen.
std::string to_text(const LockHolder& holder);

}  // namespace warpscope
