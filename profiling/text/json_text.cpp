// profiling/text/json_text.cpp: JSON that people and other programs wrote, parsed with its
// depth bounded, and what is wrong with it in this program's words.
#include "profiling/text/json_text.h"

#include <algorithm>
#include <array>

namespace warpscope {
namespace {

using nlohmann::json;

// source: json_basic_type names, nlohmann/json type_name().
struct TypeName {
  std::string_view theirs;
  const char* ours;
};
constexpr std::array<TypeName, 6> kTypes = {{{"string", "a text"},
                                             {"number", "a number"},
                                             {"array", "a list"},
                                             {"object", "an object"},
                                             {"boolean", "true or false"},
                                             {"null", "null"}}};
constexpr int kWrongType = 302, kNoSuchField = 403;

// The type whose name follows `words` in a message; nullptr: none does.
const char* type_after(std::string_view message, std::string_view words) {
  const std::size_t at = message.find(words);
  if (at == std::string_view::npos) return nullptr;
  const std::string_view rest = message.substr(at + words.size());
  const auto found = std::find_if(kTypes.begin(), kTypes.end(), [rest](const TypeName& type) {
    return rest.starts_with(type.theirs);
  });
  return found == kTypes.end() ? nullptr : found->ours;
}

std::string line_and_column(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return "line " + std::to_string(line) + ", column " + std::to_string(before.size() - begin + 1);
}

}  // namespace

bool nested_deeper(std::string_view json, int most) {
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '\\' && in_text) {
      ++i;
    } else if (c == '"') {
      in_text = !in_text;
    } else if (!in_text && (c == '{' || c == '[')) {
      if (++depth > most) return true;
    } else if (!in_text && (c == '}' || c == ']')) {
      --depth;
    }
  }
  return false;
}

Result<json> parse_json(std::string_view text, const std::string& name) {
  if (nested_deeper(text, kMostJsonNesting)) {
    return failure(
        ErrorKind::input,
        "lists and objects are nested more than " + std::to_string(kMostJsonNesting) + " deep",
        name, "no file of Warpscope's is: check that it is the one you mean");
  }
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    const bool ended = error.byte > text.size();
    return failure(ErrorKind::input,
                   (ended ? "the text ends too early, at " : "it is not JSON from ") +
                       line_and_column(text, error.byte) + (ended ? "" : " on"),
                   name, "correct the text there");
  } catch (const json::exception& error) {
    return failure(ErrorKind::input, words_of(error), name, "correct the text");
  }
}

std::string words_of(const json::exception& error) {
  const std::string_view said = error.what();
  if (error.id == kWrongType) {
    const char* const wanted = type_after(said, "must be ");
    const char* const found = type_after(said, "but is ");
    if (wanted != nullptr && found != nullptr)
      return std::string("a field that must be ") + wanted + " is " + found;
  }
  if (error.id == kNoSuchField) {
    const std::size_t begin = said.find('\''), end = said.rfind('\'');
    if (begin < end && end != std::string_view::npos)
      return "the field “" + std::string(said.substr(begin + 1, end - begin - 1)) + "” is missing";
  }
  return "a field has a value that it cannot have";
}

}  // namespace warpscope
