// scenes/folder/form/description_edits.h: fields of a first description, read and changed as text.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// A form shows the fields of a description that first_description.h wrote, one per line, and what
// the comment beside each says. What a person changes is an edit. Edits are kept apart from the
// text, so that they can be applied again to the description of a file that was saved.
//
//   const auto fields = described_fields(text.description);
//   find_field(fields, "variants.norm", "grid")->value;           // "\"ceil_div(n, 256)\""
//   DescriptionEdits edits;
//   edits[{"variants.norm", "grid"}] = {toml_value("64"), {}};
//   text.description = edited(text.description, edits);

namespace warpscope {

struct DescribedField {
  std::string table, key;      // "variants.norm", "grid"; at the top the table is empty
  std::string value, comment;  // in TOML; what follows the # of its line
  int line() const;            // of the program, which the comment quotes; 0: none
  bool guessed() const;        // the program does not say it
};

struct DescriptionEdit {
  std::string value;    // in TOML; empty: the field is removed
  std::string comment;  // empty: that a person chose it
  bool operator==(const DescriptionEdit&) const = default;
};
using DescriptionEdits = std::map<std::pair<std::string, std::string>, DescriptionEdit>;

// A comment of a table that begins with "?", a question about it, is a field without a value whose
// key is "?".
std::vector<DescribedField> described_fields(std::string_view description);
const DescribedField* find_field(const std::vector<DescribedField>& fields, std::string_view table,
                                 std::string_view key);

// Whether one of an expression's names and numbers is wanted.
bool names_any(std::string_view expression, const std::function<bool(std::string_view)>& wanted);
// The buffers whose count or shape the program does not say, or that is made of a size that it does
// not say.
std::vector<std::string> buffers_of_guessed_size(std::string_view description);
// Those of whole numbers that begin as random ones, since the program does not say what they hold.
std::vector<std::string> buffers_of_guessed_content(std::string_view description);
// As buffers_of_guessed_size, of a variant's dynamic shared memory.
bool is_shared_size_guessed(std::string_view description, const std::string& variant);

// The description with other fields. An edit of a table that it does not have is left out.
std::string edited(std::string_view description, const DescriptionEdits& edits);

// A text in quotes; control characters become spaces.
std::string toml_text(const std::string& text);
// A whole number as it is, any other text in quotes.
std::string toml_value(const std::string& text);
// One text alone, or a list of several.
std::string toml_list(const std::vector<std::string>& texts);
// The texts and numbers of a value: one, or those of a list; without quotes.
std::vector<std::string> toml_texts(std::string_view value);

}  // namespace warpscope
