// workbench/client/process_memory.cpp: how much memory a process of this machine has.
#include "workbench/client/process_memory.h"

#include <unistd.h>

#include <fstream>
#include <string>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace warpscope {

namespace {

struct Pages {
  std::int64_t resident = 0, of_files = 0;
};
// source: proc(5): the second and third number of statm.
std::optional<Pages> pages_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/statm");
  std::int64_t all = 0;
  Pages pages;
  if (!(file >> all >> pages.resident >> pages.of_files)) return std::nullopt;
  return pages;
}

}  // namespace

std::optional<std::int64_t> resident_bytes(pid_t process) {
  const std::optional<Pages> pages = pages_of(process);
  if (!pages) return std::nullopt;
  return pages->resident * ::sysconf(_SC_PAGESIZE);
}

std::optional<std::int64_t> own_bytes(pid_t process) {
  const std::optional<Pages> pages = pages_of(process);
  if (!pages) return std::nullopt;
  return (pages->resident - pages->of_files) * ::sysconf(_SC_PAGESIZE);
}

std::optional<std::int64_t> resident_bytes() { return resident_bytes(::getpid()); }

#ifdef __GLIBC__
std::optional<HeapBytes> heap_bytes() {
  const struct mallinfo2 heap = ::mallinfo2();
  return HeapBytes{static_cast<std::int64_t>(heap.uordblks + heap.hblkhd),
                   static_cast<std::int64_t>(heap.fordblks)};
}
void return_free_memory() { ::malloc_trim(0); }
#else
std::optional<HeapBytes> heap_bytes() { return std::nullopt; }
void return_free_memory() {}
#endif

}  // namespace warpscope
