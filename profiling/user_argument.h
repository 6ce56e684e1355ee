// profiling/user_argument.h: kernel arguments in words, for kernels of the person's own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "scenes/array.h"
#include "scenes/result.h"

namespace warpscope {

// "f32[1024]:random": a buffer; "i32:7", "f32:0.5": a value. Types are those of ElementType.
struct UserArgument {
  ElementType type = ElementType::f32;
  bool buffer = false;
  std::int64_t count = 0;  // elements of a buffer
  // zero; one; iota: 0, 1, 2 …; random: seeded, in [0, 1), integers in [0, count); unset: reading
  // it before it was written is a fault.
  std::string fill = "random";
  double value = 0;  // of a value
};

// error: usage, with the words that would do.
Result<UserArgument> parse_user_argument(std::string_view text);

// The bytes of a buffer argument; `stream` tells buffers of one launch apart.
HostArray filled(const UserArgument& argument, std::uint64_t stream);

}  // namespace warpscope
