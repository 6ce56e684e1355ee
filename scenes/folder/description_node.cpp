// scenes/folder/description_node.cpp: a description's text as a tree of values, each with its line.
#include "scenes/folder/description_node.h"

#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

namespace warpscope {
namespace {

constexpr std::size_t kMostBytes = 256 << 10;

// The line of the first value that no description has; nothing: all are taken.
std::optional<int> convert(const toml::node& from, Node& to);

std::optional<int> convert_items(const toml::node& from, Node& to) {
  if (const toml::array* list = from.as_array()) {
    to.kind = Node::Kind::list;
    for (const toml::node& item : *list) {
      if (const auto bad = convert(item, to.items.emplace_back())) return bad;
    }
    return std::nullopt;
  }
  struct Entry {
    const toml::key* key;
    const toml::node* node;
  };
  std::vector<Entry> entries;
  for (auto&& [key, node] : *from.as_table()) entries.push_back({&key, &node});
  // TOML sorts by name; people mean the order in which they wrote.
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.key->source().begin < b.key->source().begin;
  });
  for (const Entry& entry : entries) {
    Node& item = to.items.emplace_back();
    item.key = std::string(entry.key->str());
    if (const auto bad = convert(*entry.node, item)) return bad;
    item.line = static_cast<int>(entry.key->source().begin.line);
  }
  return std::nullopt;
}

std::optional<int> convert(const toml::node& from, Node& to) {
  to.line = static_cast<int>(from.source().begin.line);
  if (from.is_table() || from.is_array()) return convert_items(from, to);
  if (const auto* text = from.as_string()) {
    to.kind = Node::Kind::text;
    to.text = text->get();
  } else if (const auto* whole = from.as_integer()) {
    to.kind = Node::Kind::whole;
    to.whole = whole->get();
    to.real = static_cast<double>(to.whole);
  } else if (const auto* real = from.as_floating_point()) {
    to.kind = Node::Kind::real;
    to.real = real->get();
    if (!std::isfinite(to.real)) return to.line;
  } else if (const auto* truth = from.as_boolean()) {
    to.kind = Node::Kind::truth;
    to.truth = truth->get();
  } else {
    return to.line;
  }
  return std::nullopt;
}

std::string place(const std::string& file, int line) { return file + ":" + std::to_string(line); }

}  // namespace

const Node* Node::find(std::string_view name) const {
  for (const Node& item : items) {
    if (kind == Kind::table && item.key == name) return &item;
  }
  return nullptr;
}

Result<Node> parse_description(std::string_view text, const std::string& file) {
  if (text.size() > kMostBytes) {
    return failure(ErrorKind::input, "the description is longer than 256 KiB", file,
                   "a scene takes some hundred lines");
  }
  try {
    const toml::table table = toml::parse(text);
    Node root;
    if (const auto bad = convert(table, root)) {
      return failure(ErrorKind::input, "dates, infinities and NaN have no meaning here",
                     place(file, *bad), "write a number, a text in quotes, a list or a table");
    }
    return root;
  } catch (const toml::parse_error& error) {
    std::string why(error.description());
    std::replace(why.begin(), why.end(), '\n', ' ');
    return failure(ErrorKind::input, "it is no TOML: " + why,
                   place(file, static_cast<int>(error.source().begin.line)),
                   "write key = value, texts in quotes, and [tables] in brackets");
  }
}

}  // namespace warpscope
