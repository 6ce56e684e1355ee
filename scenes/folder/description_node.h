// scenes/folder/description_node.h: a description's text as a tree of values, each with its line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/host/result.h"

namespace warpscope {

// A value of a TOML file. Entries of a table stand in the order of the file.
struct Node {
  enum class Kind { text, whole, real, truth, list, table };
  Kind kind = Kind::table;
  std::string key;  // of an entry of a table
  int line = 0;     // from 1
  std::string text;
  std::int64_t whole = 0;
  double real = 0;
  bool truth = false;
  std::vector<Node> items;  // of a list or a table
  const Node* find(std::string_view name) const;
};

// Far more than any description has; the parser's own tables are read and freed by recursion.
inline constexpr int kMostKeyNesting = 64;

// The line, from 1, at which keys and brackets together first go deeper than `most`: dotted keys,
// table headers, inline tables and lists all count. No value: none does. Found without recursion; a
// text that is not TOML is looked at only as far as a parser reads it.
std::optional<int> line_nested_deeper(std::string_view text, int most);

// source: TOML 1.0. error: input: if the text is not TOML, with file and line; dates, infinities
// and NaN.
Result<Node> parse_description(std::string_view text, const std::string& file);

}  // namespace warpscope
