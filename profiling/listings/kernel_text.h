// profiling/listings/kernel_text.h: a kernel's text as lines: where it begins, and what is found in
// it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope {

// Lines without their ends; a text that ends with a newline has no empty line after it.
std::vector<std::string> lines_of(std::string_view text);

// The line, from 1, on which the kernel `entry` begins: that of its __global__, or of the comment
// right above it. Where the text does not name the entry, the first __global__; where it has none,
// the first line that is neither a comment, blank, nor a directive; else 1.
int first_line_of(const std::vector<std::string>& lines, std::string_view entry);

// A place in a text where the searched word was found.
struct TextMatch {
  std::size_t line = 0;            // from 0
  std::size_t begin = 0, end = 0;  // bytes of the line
  bool operator==(const TextMatch&) const = default;
};
// All matches in order, none overlapping; capital and small letters of ASCII are the same. An empty
// needle has no match.
std::vector<TextMatch> matches_of(const std::vector<std::string>& lines, std::string_view needle);
// The index of the first match at or after a line (from 0), else of the first one.
std::size_t match_from(const std::vector<TextMatch>& matches, std::size_t line);

}  // namespace warpscope
