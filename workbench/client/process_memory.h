// workbench/client/process_memory.h: how much memory a process of this machine has.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace warpscope {

// Resident bytes. No value if the system does not say, or there is no such process.
std::optional<std::int64_t> resident_bytes(pid_t process);
std::optional<std::int64_t> resident_bytes();  // of this process
// The resident bytes that are the process's own, without those of files such as libraries.
std::optional<std::int64_t> own_bytes(pid_t process);

// What the allocator of this process has from the system: in use, and freed but kept for later.
struct HeapBytes {
  std::int64_t used = 0, free = 0;
};
std::optional<HeapBytes> heap_bytes();

// Gives freed memory back to the system. A large message is read into millions of small pieces,
// and once they are freed the allocator would keep their pages for good. Takes milliseconds.
void return_free_memory();

}  // namespace warpscope
