// profiling/engine/run/files/user_buffers.h: the buffers of a person's launches in emulated memory.
#pragma once

#include <deque>
#include <set>
#include <string>

#include "profiling/emulator/emulator.h"
#include "scenes/base/user_argument.h"

namespace warpscope {

// The elements of a buffer argument, made when they are touched: from its file, its expression or
// its fill. Type and count that the words leave out are set. error: input (the file), usage.
Result<HostArray> elements_of(UserArgument& argument, std::uint64_t stream);

class UserBuffers {
 public:
  explicit UserBuffers(EmulatedMemory& memory) : memory_(memory) {}
  // A buffer by name, for "&name" in arguments and for reading it afterwards. error: as
  // elements_of; usage: its words.
  Result<void> declare(const std::string& name, const std::string& words);
  // The bytes of an argument; its buffers are put in memory. `bytes` has the parameter, for "?".
  // error: usage: a buffer that nothing declares; as elements_of.
  Result<ArgumentBytes> place(const UserArgument& argument, std::int64_t bytes);

  struct Placed {
    std::string name;
    HostArray* array = nullptr;
    std::uint64_t address = 0;
    bool is_unsigned = false;  // of an i64: its words say u64
  };
  const Placed* find(const std::string& name) const;
  std::string names() const;
  // What only some blocks wrote counts as written: of every buffer that these arguments name.
  void mark_written(const std::vector<UserArgument>& arguments);

 private:
  Result<std::uint64_t> add(const std::string& name, UserArgument argument, std::uint64_t stream);

  EmulatedMemory& memory_;
  std::deque<HostArray> arrays_;
  std::vector<Placed> placed_;
  std::uint64_t arguments_ = 0, declared_ = 0;
};

}  // namespace warpscope
