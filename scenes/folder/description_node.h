// scenes/folder/description_node.h: a description's text as a tree of values, each with its line.
#pragma once

#include <cstdint>
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

// source: TOML 1.0. error: input: where the text is no TOML, with file and line; dates, and numbers
// that are none.
Result<Node> parse_description(std::string_view text, const std::string& file);

}  // namespace warpscope
