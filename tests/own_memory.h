// tests/own_memory.h: how much memory a process has to itself.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>

namespace warpscope {

// Bytes of pages that are the process's own, without those of files. 0: there is no such process.
inline std::int64_t own_bytes(pid_t process = ::getpid()) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  std::string word;
  std::int64_t kib = 0;
  while (status >> word) {
    if (word == "RssAnon:") status >> kib;
  }
  return kib << 10;
}

}  // namespace warpscope
