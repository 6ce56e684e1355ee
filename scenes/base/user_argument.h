// scenes/base/user_argument.h: kernel arguments in words, for kernels of the person's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/base/array.h"
#include "scenes/host/random.h"
#include "scenes/host/result.h"

namespace warpscope {

// Of all buffers of a launch: they and what the emulator notes of them stay under 1 GB.
inline constexpr std::int64_t kMostArgumentBytes = 512LL << 20;

// "f32[1024]:random": a buffer; "i32:7", "u8:0xff", "f32:0.5": a value, which must fit its type.
// Types are those of ElementType. "struct:{f32[64]:random,i32:64}": a structure by value, whose
// members are aligned as C++ aligns them, a buffer's address among them; "bytes:0x0700…": the bytes
// of a value as they lie in memory.
struct UserArgument {
  enum class Kind { element, record, raw };
  Kind kind = Kind::element;
  std::vector<UserArgument> members;  // of a record
  std::vector<std::byte> raw;
  ElementType type = ElementType::f32;
  bool buffer = false;
  std::int64_t count = 0;  // elements of a buffer
  // zero; one; iota: 0, 1, 2 …, of narrow integers the lowest bits; random: seeded, in [0, 1),
  // integers in [0, count); unset: reading it before it was written is a fault.
  std::string fill = "random";
  HostArray value;  // of a value: its one element
};
// All bytes of its buffers, those of its members included.
std::int64_t buffer_bytes(const UserArgument& argument);
// The bytes that a kernel is given; `place` puts a buffer in memory and returns its address.
struct LaidOut {
  std::vector<std::byte> bytes;
  std::size_t alignment = 1;
};
LaidOut laid_out(const UserArgument& argument,
                 const std::function<std::uint64_t(const UserArgument& buffer)>& place);

// error: usage, with the words that would do.
Result<UserArgument> parse_user_argument(std::string_view text);
// "table=f32[9]:random", "scale=f32:2": a value for a variable of a text. error: usage.
struct UserVariable {
  std::string name;
  UserArgument value;
};
Result<UserVariable> parse_user_variable(std::string_view text);
// All arguments of a launch. error: as above; usage where all buffers together are too large.
Result<std::vector<UserArgument>> parse_user_arguments(std::span<const std::string> texts);

// The bytes of a buffer argument; `stream` tells buffers of one launch apart.
HostArray filled(const UserArgument& argument, std::uint64_t stream);
// The same elements from `first` on, as many as fill `bytes`, by these random numbers.
void fill_elements(const UserArgument& argument, const RandomStream& random, std::int64_t first,
                   std::span<std::byte> bytes);
// "zero", "one", "iota", "random", "unset".
std::vector<std::string> fill_words();

}  // namespace warpscope
