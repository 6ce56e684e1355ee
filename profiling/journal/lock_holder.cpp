// profiling/journal/lock_holder.cpp: who has the lock (flock) of an open file or folder.
#include "profiling/journal/lock_holder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "scenes/host/program.h"

namespace warpscope {

// source: proc(5), /proc/locks: "1: FLOCK ADVISORY WRITE 1234 fe:01:5678 0 EOF". A line of a
// process that waits has "->" after its number.
LockHolder lock_holder(int descriptor) {
  struct stat locked {};
  if (::fstat(descriptor, &locked) != 0) return {};
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, how, what, file;
    LockHolder holder;
    if (!(words >> number >> kind >> how >> what >> holder.process >> file) || kind != "FLOCK")
      continue;
    if (file.substr(file.rfind(':') + 1) != std::to_string(locked.st_ino)) continue;
    struct stat who {};
    constexpr mode_t kOthersMayWrite = S_IWGRP | S_IWOTH;
    holder.stranger = locked.st_uid == ::geteuid() && (locked.st_mode & kOthersMayWrite) == 0 &&
                      ::stat(("/proc/" + std::to_string(holder.process)).c_str(), &who) == 0 &&
                      who.st_uid != ::geteuid() && who.st_uid != 0;
    return holder;
  }
  return {};
}

std::string to_text(const LockHolder& holder) {
  if (holder.process <= 0) return "";
  std::ifstream command("/proc/" + std::to_string(holder.process) + "/cmdline", std::ios::binary);
  std::string all{std::istreambuf_iterator<char>(command), {}};
  while (!all.empty() && all.back() == '\0') all.pop_back();
  std::replace(all.begin(), all.end(), '\0', ' ');
  constexpr std::size_t kLongest = 100;
  if (all.size() > kLongest) all = all.substr(0, kLongest) + " …";
  return "pid " + std::to_string(holder.process) +
         (all.empty() ? "" : ", `" + visible_name(all) + "`");
}

}  // namespace warpscope
