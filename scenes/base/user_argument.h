// scenes/base/user_argument.h: kernel arguments in words, for kernels of the person's own.
#pragma once

#include <cstdint>
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

// "f32[1024]:random": a buffer; "i32:7", "u8:0xff", "f32:0.5": a value, which must fit
// its type. Types are those of ElementType.
struct UserArgument {
  ElementType type = ElementType::f32;
  bool buffer = false;
  std::int64_t count = 0;  // elements of a buffer
  // zero; one; iota: 0, 1, 2 …, of narrow integers the lowest bits; random: seeded, in [0, 1),
  // integers in [0, count); unset: reading it before it was written is a fault.
  std::string fill = "random";
  HostArray value;  // of a value: its one element
};

// error: usage, with the words that would do.
Result<UserArgument> parse_user_argument(std::string_view text);
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
