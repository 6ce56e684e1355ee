// profiling/emulator/ptx/source_arrays.h: what a CUDA text says about its arrays and PTX does not.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope {

// An array that is declared __shared__, __constant__ or __device__.
struct SourceArray {
  std::vector<std::int64_t> extents;  // 0: it depends on what is not known here
  bool has_values = false;
  bool operator==(const SourceArray&) const = default;
};

// By their names. Arrays of one name that differ are left out. Extents are arithmetic of numbers
// and of constants that the text defines by constexpr, const, enum or #define.
std::map<std::string, SourceArray, std::less<>> source_arrays(std::string_view text);

// The size of an element, for an array of this many bytes; 0: not known.
std::int64_t element_bytes(const SourceArray& array, std::int64_t bytes);
// "[1][0]" for the element at an index where the array's inner extents are known, else "[33]".
std::string index_text(const SourceArray& array, std::int64_t index);

}  // namespace warpscope
