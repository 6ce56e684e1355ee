// scenes/folder/form/description_edits.cpp: fields of a first description, read and changed as
// text.
#include "scenes/folder/form/description_edits.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>

namespace warpscope {
namespace {

constexpr const char* kChosen = "chosen in Launch";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// The first of `signs` outside of quotes, from `at` on.
std::size_t find_outside(std::string_view text, std::string_view signs, std::size_t at = 0) {
  char quote = '\0';
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != '\0') {
      if (c == '\\' && quote == '"') ++at;
      if (c == quote) quote = '\0';
    } else if (signs.find(c) != std::string_view::npos) {
      return at;
    } else if (c == '"' || c == '\'') {
      quote = c;
    }
  }
  return std::string_view::npos;
}

// What a line of a description is.
struct Row {
  enum class Kind { other, table, field, question };
  Kind kind = Kind::other;
  std::string key, value, comment;  // key: the name of a table too
};

Row row_of(std::string_view line) {
  Row row;
  const std::string_view text = trimmed(line);
  if (text.starts_with("# ? ")) return {Row::Kind::question, "?", "", std::string(text.substr(4))};
  if (text.empty() || text.front() == '#') return row;
  const std::size_t hash = find_outside(text, "#");
  const std::string_view code = trimmed(text.substr(0, hash));
  if (hash != std::string_view::npos) row.comment = trimmed(text.substr(hash + 1));
  if (code.front() == '[' && code.back() == ']') {
    row.kind = Row::Kind::table;
    row.key = code.substr(1, code.size() - 2);
    return row;
  }
  const std::size_t equals = find_outside(code, "=");
  if (equals == std::string_view::npos) return row;
  row.kind = Row::Kind::field;
  row.key = trimmed(code.substr(0, equals));
  row.value = trimmed(code.substr(equals + 1));
  return row;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// Names of axes and of [let] whose value the program does not say, or that are made of such.
std::set<std::string, std::less<>> guessed_names(const std::vector<DescribedField>& fields) {
  constexpr std::string_view kAxes = "axes.";
  std::set<std::string, std::less<>> guessed;
  const auto is_guessed = [&](std::string_view name) { return guessed.count(name) > 0; };
  for (const DescribedField& field : fields) {
    if (field.table.starts_with(kAxes) && field.key == "default" && field.guessed())
      guessed.insert(field.table.substr(kAxes.size()));
    if (field.table == "let" && (field.guessed() || names_any(field.value, is_guessed)))
      guessed.insert(field.key);
  }
  return guessed;
}

std::string line_of(const std::string& key, const DescriptionEdit& edit) {
  return key + " = " + edit.value + "  # " + (edit.comment.empty() ? kChosen : edit.comment) + "\n";
}

}  // namespace

int DescribedField::line() const {
  constexpr std::string_view kLine = "line ";
  for (std::size_t at = comment.find(kLine); at != std::string::npos;
       at = comment.find(kLine, at + 1)) {
    if (const int number = std::atoi(comment.c_str() + at + kLine.size()); number > 0)
      return number;
  }
  return 0;
}

bool DescribedField::guessed() const {
  return key == "?" || comment.find("a guess") != std::string::npos ||
         comment.find("does not say") != std::string::npos;
}

std::vector<DescribedField> described_fields(std::string_view description) {
  std::vector<DescribedField> fields;
  std::string table;
  for (const std::string_view line : lines_of(description)) {
    Row row = row_of(line);
    if (row.kind == Row::Kind::table) table = std::move(row.key);
    if (row.kind == Row::Kind::field || row.kind == Row::Kind::question)
      fields.push_back({table, std::move(row.key), std::move(row.value), std::move(row.comment)});
  }
  return fields;
}

const DescribedField* find_field(const std::vector<DescribedField>& fields, std::string_view table,
                                 std::string_view key) {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const DescribedField& field) {
    return field.table == table && field.key == key;
  });
  return found == fields.end() ? nullptr : &*found;
}

bool names_any(std::string_view expression, const std::function<bool(std::string_view)>& wanted) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (std::size_t at = 0; at < expression.size();) {
    std::size_t end = at;
    while (end < expression.size() && is_word(expression[end])) ++end;
    if (end > at && wanted(expression.substr(at, end - at))) return true;
    at = std::max(end, at + 1);
  }
  return false;
}

std::vector<std::string> buffers_of_guessed_size(std::string_view description) {
  constexpr std::string_view kBuffers = "buffers.";
  const std::vector<DescribedField> fields = described_fields(description);
  const auto guessed = guessed_names(fields);
  std::vector<std::string> buffers;
  for (const DescribedField& field : fields) {
    if (!field.table.starts_with(kBuffers) || (field.key != "count" && field.key != "shape"))
      continue;
    if (field.guessed() ||
        names_any(field.value, [&](std::string_view name) { return guessed.count(name) > 0; }))
      buffers.push_back(field.table.substr(kBuffers.size()));
  }
  return buffers;
}

std::vector<std::string> buffers_of_guessed_content(std::string_view description) {
  constexpr std::string_view kBuffers = "buffers.";
  const std::vector<DescribedField> fields = described_fields(description);
  std::vector<std::string> buffers;
  for (const DescribedField& field : fields) {
    if (!field.table.starts_with(kBuffers) || field.key != "fill" || !field.guessed() ||
        field.value != "\"random\"")
      continue;
    const DescribedField* type = find_field(fields, field.table, "type");
    if (type != nullptr && (type->value.starts_with("\"i") || type->value.starts_with("\"u")))
      buffers.push_back(field.table.substr(kBuffers.size()));
  }
  return buffers;
}

bool is_shared_size_guessed(std::string_view description, const std::string& variant) {
  const std::vector<DescribedField> fields = described_fields(description);
  const DescribedField* field = find_field(fields, "variants." + variant, "shared");
  if (field == nullptr) return false;
  const auto guessed = guessed_names(fields);
  return field->guessed() ||
         names_any(field->value, [&](std::string_view name) { return guessed.count(name) > 0; });
}

std::string edited(std::string_view description, const DescriptionEdits& edits) {
  const std::vector<DescribedField> fields = described_fields(description);
  std::string out, table;
  const auto add_new = [&] {
    for (const auto& [place, edit] : edits) {
      if (place.first == table && !edit.value.empty() &&
          find_field(fields, table, place.second) == nullptr)
        out += line_of(place.second, edit);
    }
  };
  for (const std::string_view line : lines_of(description)) {
    const Row row = row_of(line);
    const auto edit = row.kind == Row::Kind::field ? edits.find({table, row.key}) : edits.end();
    if (edit == edits.end()) {
      out += std::string(line) + "\n";
    } else if (!edit->second.value.empty()) {
      out += line_of(row.key, edit->second);
    }
    if (row.kind != Row::Kind::table) continue;
    table = row.key;
    add_new();
  }
  return out;
}

std::string toml_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return quoted + "\"";
}

std::string toml_value(const std::string& text) {
  constexpr std::size_t kMostDigits = 15;
  const bool digits = !text.empty() && text.size() <= kMostDigits &&
                      std::all_of(text.begin(), text.end(), [](char c) {
                        return std::isdigit(static_cast<unsigned char>(c)) != 0;
                      });
  if (digits && (text.size() == 1 || text.front() != '0')) return text;
  return toml_text(text);
}

std::string toml_list(const std::vector<std::string>& texts) {
  if (texts.size() == 1) return toml_value(texts.front());
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + toml_value(text);
  return "[" + list + "]";
}

std::vector<std::string> toml_texts(std::string_view value) {
  value = trimmed(value);
  if (value.size() > 1 && value.front() == '[' && value.back() == ']')
    value = value.substr(1, value.size() - 2);
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t end = std::min(find_outside(value, ",", at), value.size());
    std::string_view item = trimmed(value.substr(at, end - at));
    at = end + 1;
    const bool quoted = item.size() > 1 && (item.front() == '"' || item.front() == '\'');
    if (quoted) item = item.substr(1, item.size() - 2);
    std::string text;
    for (std::size_t i = 0; i < item.size(); ++i) {
      if (quoted && item[i] == '\\' && i + 1 < item.size()) ++i;
      text += item[i];
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace warpscope
