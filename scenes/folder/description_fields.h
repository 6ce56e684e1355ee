// scenes/folder/description_fields.h: fields of a description read by name, and what is wrong with
// them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/folder/description_node.h"
#include "scenes/folder/expression.h"

// The first mistake is kept, and reading goes on with defaults, so that a reader is a list of its
// fields:
//
//   DescriptionErrors errors("saxpy/scene.toml");
//   Fields axis(errors, node, "axes.n", {"label", "unit"});
//   const std::string label = axis.text("label", "n");
//   if (errors.first()) return tl::unexpected(*errors.first());

namespace warpscope {

class DescriptionErrors {
 public:
  explicit DescriptionErrors(std::string file) : file_(std::move(file)) {}
  void add(int line, const std::string& key, std::string what, std::string remedy);
  void add(int line, const std::string& key, const Error& error);
  const std::optional<Error>& first() const { return first_; }
  // Whether keys that nothing reads are mistakes: not where an earlier version took the text.
  bool refuses_unused() const { return refuses_unused_; }
  void accept_unused() { refuses_unused_ = false; }

 private:
  std::string file_;
  bool refuses_unused_ = true;
  std::optional<Error> first_;
};

class Fields {
 public:
  // Fields of a table with keys of this list alone; an empty list: any.
  Fields(DescriptionErrors& errors, const Node& table, std::string path,
         const std::vector<const char*>& keys);

  const std::string& path() const { return path_; }
  int line() const { return table_.line; }
  bool has(std::string_view key) const { return table_.find(key) != nullptr; }
  const Node* find(std::string_view key) const { return table_.find(key); }
  // A key that must be there.
  bool requires_key(const char* key, const char* remedy) const;
  void refuse(std::string_view key, std::string what, std::string remedy) const;
  // Refuses those of `keys` that are there, since nothing reads them beside `what`.
  void refuse_unused(const std::vector<const char*>& keys, const std::string& what,
                     const std::string& remedy) const;

  std::string text(const char* key, std::string fallback = {}) const;
  bool truth(const char* key, bool fallback) const;
  std::vector<std::string> texts(const char* key) const;  // one text, or a list of them
  std::vector<double> numbers(const char* key) const;     // a list
  // The table's text, or the place among `words`.
  std::size_t word(const char* key, std::size_t fallback,
                   std::initializer_list<const char*> words) const;
  // A number, or arithmetic of `names` in quotes.
  std::optional<Expression> expression(const char* key, std::span<const ExpressionName> names,
                                       Expression::Use use = Expression::Use::value) const;
  std::optional<Expression> expression(const Node& node, const std::string& key,
                                       std::span<const ExpressionName> names,
                                       Expression::Use use = Expression::Use::value) const;
  // One, or a list of at most `most`.
  std::vector<Expression> expressions(const char* key, std::size_t most,
                                      std::span<const ExpressionName> names) const;
  // The entries of a table of tables, in the order of the file.
  std::vector<const Node*> tables(const char* key) const;
  // The elements of a list of tables.
  std::vector<const Node*> list(const char* key) const;
  std::string at(std::string_view key) const;  // "axes.n.label"
  DescriptionErrors& errors() const { return errors_; }

 private:
  const Node* of_kind(std::string_view key, Node::Kind kind, const char* wanted) const;
  DescriptionErrors& errors_;
  const Node& table_;
  std::string path_;
};

// A number or a text as a person types it for an axis; nothing of lists and tables.
std::optional<std::string> typed_text(const Node& node);

}  // namespace warpscope
