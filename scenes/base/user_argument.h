// scenes/base/user_argument.h: kernel arguments in words, for kernels of the person's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/base/array.h"
#include "scenes/base/csr_fill.h"
#include "scenes/host/random.h"
#include "scenes/host/result.h"

namespace warpscope {

// The most that the value of a variable may have, which is made at once.
inline constexpr std::int64_t kMostVariableBytes = 512LL << 20;
// The most that all buffers of a launch may have together: they are made by page, as kernels touch
// them.
inline constexpr std::int64_t kMostPagedBytes = 64LL << 30;

// "f32[1024]:random": a buffer; "i32:7", "u8:0xff", "f32:0.5": a value, which must fit its type.
// Types are those of ElementType, and u64, which is kept as the bits of an i64.
// "struct:{f32[64]:random,i32:64}": a structure by value, whose members are aligned as C++ aligns
// them, a buffer's address among them; "bytes:0x0700…": the bytes of a value as they lie in memory;
// "&x": the address of the buffer x, "&x+64" of its byte 64; "?": zeros, as many bytes as the
// parameter has.
struct UserArgument {
  enum class Kind { element, record, raw, reference, unknown };
  Kind kind = Kind::element;
  std::vector<UserArgument> members;  // of a record
  std::vector<std::byte> raw;
  std::size_t raw_alignment = 1;
  ElementType type = ElementType::f32;
  bool is_unsigned = false;  // an i64 that is called u64
  bool type_given = false;   // a file's own type counts otherwise
  bool buffer = false;
  std::int64_t count = 0;  // elements of a buffer
  // zero; one; iota: 0, 1, 2 …, of narrow integers the lowest bits; random: seeded, in [0, 1),
  // integers in [0, count); unset: reading it before it was written is a fault. "range 2:10" is 2,
  // 3 … 9 and again from 2, "range 0:1:0.25" goes by 0.25; "0xff" fills every byte; "=2*i" is an
  // expression of the index, which its reader evaluates.
  std::string fill = "random";
  double low = 0, high = 0, step = 1;  // of a range
  int byte = -1;                       // of a fill with a byte
  std::optional<CsrFill> csr;          // of "csr indptr …"; "i32[]:csr …" counts its elements
  // "f32[64]:@x.bin", "f32:@x.bin", "@x.npy": a buffer's elements from a file. Its reader sets the
  // type and the count that the text leaves out.
  std::string file;
  std::string name;               // of a reference
  std::int64_t offset_bytes = 0;  // … into that buffer
  HostArray value;                // of a value: its one element
};
// All bytes of its buffers, those of its members included.
std::int64_t buffer_bytes(const UserArgument& argument);
// The bytes that a kernel is given; `place` puts a buffer in memory and returns its address.
struct LaidOut {
  std::vector<std::byte> bytes;
  std::size_t alignment = 1;
  std::vector<std::size_t> addresses;  // where those of buffers begin
};
LaidOut laid_out(const UserArgument& argument,
                 const std::function<std::uint64_t(const UserArgument& buffer)>& place);
// The parts of a text between commas that no bracket encloses.
std::vector<std::string_view> members_in(std::string_view text);

// error: usage, with the words that would do; a buffer of more than `most_bytes`.
Result<UserArgument> parse_user_argument(std::string_view text,
                                         std::int64_t most_bytes = kMostPagedBytes);
// The argument with the name that stands before it, if one does: "a=@x.npy".
struct NamedArgument {
  std::string name;  // empty: none
  std::string words;
};
NamedArgument named_argument(std::string_view text);
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
// The elements that numbers are of a type. Whole numbers are cut off and kept within its ends.
void store_elements(ElementType type, std::span<const double> values, std::span<std::byte> bytes);
// "zero", "one", "iota", "random", "unset".
std::vector<std::string> fill_words();

}  // namespace warpscope
