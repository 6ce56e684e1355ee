// profiling/figures/inert_text.cpp: text of others put where it does nothing.
#include "profiling/figures/inert_text.h"

#include <array>
#include <charconv>
#include <cstdint>

namespace warpscope {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// The bytes of the UTF-8 character at the head of `text` that XML 1.0 can hold; 0: it is none.
// source: RFC 3629, section 4; XML 1.0, production 2.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&text](std::size_t i) {
    return i < text.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])) : 0u;
  };
  const std::uint32_t first = byte(0);
  if (first < 0x80)
    return (first >= 0x20 && first != 0x7F) || first == '\t' || first == '\n' || first == '\r' ? 1
                                                                                               : 0;
  const std::size_t count = first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
  if (count == 0) return 0;
  std::uint32_t code = first & (0xFFu >> (count + 1));
  for (std::size_t i = 1; i < count; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3F);
  }
  constexpr std::array<std::uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  // C1 controls, and the characters that write text from right to left over what stands there.
  const bool hidden = (code >= 0x80 && code < 0xA0) || (code >= 0x202A && code <= 0x202E) ||
                      (code >= 0x2066 && code <= 0x2069);
  if (code < kLeast[count] || code > 0x10FFFF || surrogate || code == 0xFFFE || code == 0xFFFF ||
      hidden)
    return 0;
  return count;
}

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}

// What std::from_chars, and so a spreadsheet, takes for a number from end to end.
bool is_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool begins_a_formula(std::string_view text) {
  const std::size_t at = text.find_first_not_of(' ');
  if (at == std::string_view::npos || is_number(text)) return false;
  const std::string_view rest = text.substr(at);
  if (static_cast<unsigned char>(rest[0]) < 0x20) return true;
  if (rest.find_first_of("=+-@") == 0) return true;
  // The full-width forms, which some spreadsheets take for the same: U+FF1D, FF0B, FF0D, FF20.
  for (const std::string_view wide :
       {"\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0"}) {
    if (rest.starts_with(wide)) return true;
  }
  return false;
}

}  // namespace

std::string csv_cell(std::string_view text) {
  std::string cell = begins_a_formula(text) ? "'" : "";
  cell += text;
  if (cell.find_first_of(",;\"\t\r\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string markup_text(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t count = character_bytes(text);
    switch (count == 1 ? text[0] : '\0') {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += count == 0 ? kReplacement : text.substr(0, count);
    }
    text.remove_prefix(count == 0 ? 1 : count);
  }
  return result;
}

std::string markdown_text(std::string_view text) {
  constexpr std::string_view kMarks = "\\`*[]<>|~&$";
  std::string result;
  char before = ' ';
  while (!text.empty()) {
    const std::size_t count = character_bytes(text);
    const std::string_view seen = count == 0 ? kReplacement : text.substr(0, count);
    const char c = seen[0], after = text.size() > seen.size() ? text[seen.size()] : ' ';
    // An address is made a link by its "://" or "www." alone.
    const bool address = (c == ':' && text.starts_with("://")) ||
                         (c == '.' && (result.ends_with("www") || result.ends_with("WWW")));
    if (c == '\n' || c == '\r' || c == '\t') {
      result += ' ';
    } else {
      if (kMarks.find(c) != std::string_view::npos || address ||
          (c == '_' && !(is_word(before) && is_word(after))))
        result += '\\';
      result += seen;
    }
    before = c;
    text.remove_prefix(count == 0 ? 1 : count);
  }
  return result;
}

}  // namespace warpscope
