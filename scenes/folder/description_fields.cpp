// scenes/folder/description_fields.cpp: fields of a description read by name, and what is wrong
// with them.
#include "scenes/folder/description_fields.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "scenes/base/axis.h"
#include "scenes/host/nearest.h"
#include "scenes/host/program.h"

namespace warpscope {

void DescriptionErrors::add(int line, const std::string& key, std::string what,
                            std::string remedy) {
  if (first_) return;
  std::string where = file_;
  if (line > 0) where += ":" + std::to_string(line);
  if (!key.empty()) where += ", " + key;
  // Names of keys stand in it, which may be anything.
  first_ = Error{ErrorKind::input, visible_name(what), std::move(where), std::move(remedy)};
}

void DescriptionErrors::add(int line, const std::string& key, const Error& error) {
  add(line, key, (error.where.empty() ? "" : error.where + ": ") + error.what, error.remedy);
}

Fields::Fields(DescriptionErrors& errors, const Node& table, std::string path,
               const std::vector<const char*>& keys)
    : errors_(errors), table_(table), path_(std::move(path)) {
  if (table.kind != Node::Kind::table) {
    errors_.add(table.line, path_, "a table is expected here",
                "write [" + path_ + "] and its fields below, or { key = value }");
    return;
  }
  const std::vector<std::string> known(keys.begin(), keys.end());
  for (const Node& item : table.items) {
    if (known.empty() || std::find(known.begin(), known.end(), item.key) != known.end()) continue;
    errors_.add(item.line, at(item.key), "there is no such key here", suggest(item.key, known));
  }
}

std::string Fields::at(std::string_view key) const {
  return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

void Fields::refuse(std::string_view key, std::string what, std::string remedy) const {
  const Node* node = table_.find(key);
  errors_.add(node != nullptr ? node->line : table_.line, key.empty() ? path_ : at(key),
              std::move(what), std::move(remedy));
}

void Fields::refuse_unused(const std::vector<const char*>& keys, const std::string& what,
                           const std::string& remedy) const {
  if (!errors_.refuses_unused()) return;
  for (const char* key : keys) {
    if (has(key)) refuse(key, "it is not used with " + what, remedy);
  }
}

bool Fields::requires_key(const char* key, const char* remedy) const {
  if (has(key)) return true;
  refuse(key, "it is missing", remedy);
  return false;
}

const Node* Fields::of_kind(std::string_view key, Node::Kind kind, const char* wanted) const {
  const Node* node = table_.find(key);
  if (node == nullptr || node->kind == kind) return node;
  refuse(key, std::string("it is not ") + wanted, std::string("write ") + wanted);
  return nullptr;
}

std::string Fields::text(const char* key, std::string fallback) const {
  const Node* node = of_kind(key, Node::Kind::text, "a text in quotes");
  return node == nullptr ? std::move(fallback) : node->text;
}

bool Fields::truth(const char* key, bool fallback) const {
  const Node* node = of_kind(key, Node::Kind::truth, "true or false");
  return node == nullptr ? fallback : node->truth;
}

std::vector<std::string> Fields::texts(const char* key) const {
  const Node* node = table_.find(key);
  if (node != nullptr && node->kind == Node::Kind::text) return {node->text};
  node = of_kind(key, Node::Kind::list, "a list of texts in quotes");
  std::vector<std::string> all;
  if (node == nullptr) return all;
  for (const Node& item : node->items) {
    const std::optional<std::string> text = typed_text(item);
    if (!text) refuse(key, "it is not a list of texts", "write [\"a\", \"b\"]");
    all.push_back(text.value_or(""));
  }
  return all;
}

std::vector<double> Fields::numbers(const char* key) const {
  const Node* node = of_kind(key, Node::Kind::list, "a list of numbers");
  std::vector<double> all;
  if (node == nullptr) return all;
  for (const Node& item : node->items) {
    if (item.kind != Node::Kind::whole && item.kind != Node::Kind::real)
      refuse(key, "it is not a list of numbers", "write [1, 2]");
    all.push_back(item.real);
  }
  return all;
}

std::size_t Fields::word(const char* key, std::size_t fallback,
                         std::initializer_list<const char*> words) const {
  if (!has(key)) return fallback;
  const std::string chosen = text(key);
  const auto found = std::find(words.begin(), words.end(), chosen);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  refuse(key, "there is no “" + chosen + "”",
         suggest(chosen, std::vector<std::string>(words.begin(), words.end())));
  return fallback;
}

std::optional<Expression> Fields::expression(const char* key, std::span<const ExpressionName> names,
                                             Expression::Use use) const {
  const Node* node = table_.find(key);
  return node == nullptr ? std::nullopt : expression(*node, at(key), names, use);
}

std::optional<Expression> Fields::expression(const Node& node, const std::string& key,
                                             std::span<const ExpressionName> names,
                                             Expression::Use use) const {
  const std::optional<std::string> text = typed_text(node);
  if (!text) {
    errors_.add(node.line, key, "it is neither a number nor an expression",
                "write a number, or arithmetic in quotes");
    return std::nullopt;
  }
  Result<Expression> parsed = Expression::parse(*text, names, use);
  if (parsed) return std::move(*parsed);
  errors_.add(node.line, key, parsed.error());
  return std::nullopt;
}

std::vector<Expression> Fields::expressions(const char* key, std::size_t most,
                                            std::span<const ExpressionName> names) const {
  std::vector<Expression> all;
  const Node* node = table_.find(key);
  if (node == nullptr) return all;
  const bool list = node->kind == Node::Kind::list;
  const std::size_t count = list ? node->items.size() : 1;
  if (count < 1 || count > most) {
    refuse(key, "it has " + std::to_string(count) + " items",
           "give 1 to " + std::to_string(most) + " numbers or expressions");
    return all;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (auto parsed = expression(list ? node->items[i] : *node, at(key), names))
      all.push_back(std::move(*parsed));
  }
  return all;
}

std::vector<const Node*> Fields::tables(const char* key) const {
  std::vector<const Node*> all;
  const Node* node = of_kind(key, Node::Kind::table, "a table of tables");
  if (node == nullptr) return all;
  for (const Node& item : node->items) all.push_back(&item);
  return all;
}

std::vector<const Node*> Fields::list(const char* key) const {
  std::vector<const Node*> all;
  const Node* node = of_kind(key, Node::Kind::list, "a list of tables");
  if (node == nullptr) return all;
  for (const Node& item : node->items) all.push_back(&item);
  return all;
}

std::optional<std::string> typed_text(const Node& node) {
  switch (node.kind) {
    case Node::Kind::text:
      return node.text;
    case Node::Kind::whole:
      return std::to_string(node.whole);
    case Node::Kind::real:
      return to_text(AxisValue(node.real));
    default:
      return std::nullopt;
  }
}

}  // namespace warpscope
