// scenes/program/element_types.cpp: types of C++ and CUDA as element types of buffers.
#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

#include "scenes/program/declarations.h"

namespace warpscope::program {
namespace {

struct TypeRow {
  const char *cuda, *type;
  int count, bytes;
};
constexpr std::array<TypeRow, 56> kTypes = {{
    {"float", "f32", 1, 4},
    {"double", "f64", 1, 8},
    {"int", "i32", 1, 4},
    {"unsigned int", "u32", 1, 4},
    {"long long", "i64", 1, 8},
    {"unsigned long long", "u64", 1, 8},
    {"long", "i64", 1, 8},
    {"unsigned long", "u64", 1, 8},
    {"size_t", "u64", 1, 8},
    {"ptrdiff_t", "i64", 1, 8},
    {"int64_t", "i64", 1, 8},
    {"uint64_t", "u64", 1, 8},
    {"int32_t", "i32", 1, 4},
    {"uint32_t", "u32", 1, 4},
    {"uint", "u32", 1, 4},
    {"int16_t", "u16", 1, 2},
    {"uint16_t", "u16", 1, 2},
    {"short", "u16", 1, 2},
    {"unsigned short", "u16", 1, 2},
    {"ushort", "u16", 1, 2},
    {"char", "i8", 1, 1},
    {"signed char", "i8", 1, 1},
    {"int8_t", "i8", 1, 1},
    {"unsigned char", "u8", 1, 1},
    {"uint8_t", "u8", 1, 1},
    {"uchar", "u8", 1, 1},
    {"bool", "u8", 1, 1},
    {"byte", "u8", 1, 1},
    {"__half", "f16", 1, 2},
    {"half", "f16", 1, 2},
    {"__half2", "f16", 2, 4},
    {"half2", "f16", 2, 4},
    {"__nv_bfloat16", "bf16", 1, 2},
    {"nv_bfloat16", "bf16", 1, 2},
    {"__nv_bfloat162", "bf16", 2, 4},
    {"nv_bfloat162", "bf16", 2, 4},
    {"__nv_fp8_e4m3", "u8", 1, 1},
    {"__nv_fp8_e5m2", "u8", 1, 1},
    {"cuComplex", "f32", 2, 8},
    {"cuFloatComplex", "f32", 2, 8},
    {"cufftComplex", "f32", 2, 8},
    {"cuDoubleComplex", "f64", 2, 16},
    {"unsigned", "u32", 1, 4},
    {"float_t", "f32", 1, 4},
    {"at::Half", "f16", 1, 2},
    {"at::BFloat16", "bf16", 1, 2},
    {"c10::Half", "f16", 1, 2},
    {"c10::BFloat16", "bf16", 1, 2},
    {"uint8", "u8", 1, 1},
    {"uint16", "u16", 1, 2},
    {"int8", "i8", 1, 1},
    {"half_t", "f16", 1, 2},
    {"bfloat16", "bf16", 1, 2},
    {"bf16", "bf16", 1, 2},
    {"uint64", "u64", 1, 8},
    {"ulong", "u64", 1, 8},
}};

// float4, uchar2, longlong2, …: CUDA's vectors.
struct VectorRow {
  const char *word, *type;
  int bytes;
};
constexpr std::array<VectorRow, 12> kVectors = {{{"float", "f32", 4},
                                                 {"double", "f64", 8},
                                                 {"int", "i32", 4},
                                                 {"uint", "u32", 4},
                                                 {"longlong", "i64", 8},
                                                 {"ulonglong", "u64", 8},
                                                 {"long", "i64", 8},
                                                 {"ulong", "u64", 8},
                                                 {"short", "u16", 2},
                                                 {"ushort", "u16", 2},
                                                 {"char", "i8", 1},
                                                 {"uchar", "u8", 1}}};

std::optional<Element> vector_of(const std::string& type) {
  if (type.size() < 2 || type.back() < '1' || type.back() > '4') return std::nullopt;
  const int count = type.back() - '0';
  const std::string_view word = std::string_view(type).substr(0, type.size() - 1);
  for (const VectorRow& row : kVectors) {
    if (word == row.word) return Element{row.type, count, count * row.bytes};
  }
  return std::nullopt;
}

// "unsigned long long" of "long long unsigned int".
std::string in_usual_order(const std::string& type) {
  int longs = 0;
  bool is_unsigned = false, is_signed = false, is_short = false, is_char = false, is_int = false;
  std::istringstream words(type);
  std::string word, rest;
  while (words >> word) {
    if (word == "long") {
      ++longs;
    } else if (word == "unsigned") {
      is_unsigned = true;
    } else if (word == "signed") {
      is_signed = true;
    } else if (word == "short") {
      is_short = true;
    } else if (word == "char") {
      is_char = true;
    } else if (word == "int") {
      is_int = true;
    } else {
      rest += (rest.empty() ? "" : " ") + word;
    }
  }
  if (!rest.empty()) return rest == "double" || longs == 0 ? rest : type;
  std::string usual = is_unsigned ? "unsigned " : is_signed && is_char ? "signed " : "";
  if (is_char) return usual + "char";
  if (is_short) return usual + "short";
  if (longs > 0) return usual + (longs > 1 ? "long long" : "long");
  return is_int || is_signed || is_unsigned ? usual + "int" : type;
}

void erase_word(std::string& text, std::string_view word) {
  const auto in_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
    const std::size_t end = at + word.size();
    if ((at > 0 && in_name(text[at - 1]) && in_name(word.front())) ||
        (end < text.size() && in_name(text[end]) && in_name(word.back()))) {
      at = end;
      continue;
    }
    text.erase(at, word.size());
  }
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// Elements of one type, or bytes: what a structure of the text holds.
std::optional<Element> structure_of(const Declarations& declarations, const Structure& structure,
                                    int depth) {
  constexpr int kMostDepth = 3;
  constexpr std::size_t kMostExtent = 4096, kMostMembers = 32, kMostBytes = 1 << 20;
  if (depth > kMostDepth || structure.members.empty() || structure.members.size() > kMostMembers)
    return std::nullopt;
  Element whole;
  bool alike = true;
  std::size_t at = 0, widest = 1;
  for (const Member& member : structure.members) {
    const std::string type = plain_type(declarations, member.type);
    if (type.empty() || type.back() == '*' || type.find('<') != std::string::npos)
      return std::nullopt;
    const auto inner = declarations.structures.find(type);
    const std::optional<Element> element =
        inner == declarations.structures.end()
            ? element_of(declarations, type)
            : structure_of(declarations, inner->second, depth + 1);
    if (!element || member.extent > kMostExtent) return std::nullopt;
    alike = alike && (whole.type.empty() || whole.type == element->type);
    whole.type = element->type;
    const auto bytes = static_cast<std::size_t>(element->bytes);
    const std::size_t aligned = bytes / static_cast<std::size_t>(element->count);
    at = (at + aligned - 1) / aligned * aligned + bytes * member.extent;
    widest = std::max(widest, aligned);
    whole.count += element->count * static_cast<int>(member.extent);
    if (at > kMostBytes) return std::nullopt;
  }
  whole.count -= 1;
  at = (at + widest - 1) / widest * widest;
  whole.bytes = static_cast<int>(at);
  if (!alike) whole = {"u8", static_cast<int>(at), static_cast<int>(at)};
  return whole;
}

}  // namespace

std::string plain_type(const Declarations& declarations, std::string type) {
  constexpr int kMostAliases = 8;
  for (int turn = 0; turn < kMostAliases; ++turn) {
    for (const char* word :
         {"const", "volatile", "struct", "typename", "__restrict__", "__restrict", "restrict",
          "std::", "cuda::", "&", "static", "constexpr", "inline", "register", "extern",
          "__constant__", "__device__", "__managed__", "__shared__"})
      erase_word(type, word);
    type = trimmed(type);
    std::size_t stars = type.find('*');
    if (stars == std::string::npos) stars = type.size();
    const std::string name = trimmed(type.substr(0, stars));
    const auto alias = declarations.aliases.find(name);
    if (alias == declarations.aliases.end() || alias->second == name) {
      const std::string usual =
          name.find_first_of("<(") == std::string::npos ? in_usual_order(name) : name;
      std::string pointers;
      for (const char c : type.substr(stars)) pointers += c == '*' ? "*" : "";
      return usual + pointers;
    }
    type = alias->second + type.substr(stars);
    if (type.size() > 500) break;
  }
  return type;
}

std::string pointed_type(std::string type) {
  if (!type.empty() && type.back() == '&') type.pop_back();
  type = trimmed(type);
  if (!type.empty() && (type.back() == '*' || type.back() == ']')) {
    type.erase(type.find_last_of("*["));
    return trimmed(type);
  }
  const std::size_t open = type.find('<'), close = type.rfind('>');
  if (open == std::string::npos || close == std::string::npos || close < open) return "";
  std::string inner = type.substr(open + 1, close - open - 1);
  int depth = 0;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    depth += inner[i] == '<' ? 1 : inner[i] == '>' ? -1 : 0;
    if (inner[i] == ',' && depth == 0) inner.resize(i);
  }
  if (inner.ends_with("[]")) inner.resize(inner.size() - 2);
  return trimmed(inner);
}

std::optional<Element> element_of(const Declarations& declarations, std::string type) {
  type = plain_type(declarations, std::move(type));
  const std::size_t star = type.find('*');
  if (star != std::string::npos) {
    if (star + 1 != type.size()) return std::nullopt;  // a pointer to pointers
    type.pop_back();
    type = plain_type(declarations, type);
  }
  for (const TypeRow& row : kTypes) {
    if (type == row.cuda) return Element{row.type, row.count, row.bytes};
  }
  if (const auto vector = vector_of(type)) return vector;
  const auto structure = declarations.structures.find(type);
  if (structure != declarations.structures.end())
    return structure_of(declarations, structure->second, 0);
  if (type.starts_with("complex<") || type.starts_with("thrust::complex<")) {
    const auto part = element_of(declarations, pointed_type(type));
    if (part && part->count == 1) return Element{part->type, 2, part->bytes * 2};
  }
  if (type.starts_with("atomic<")) return element_of(declarations, pointed_type(type));
  return std::nullopt;
}

std::size_t size_of(const Declarations& declarations, const std::string& type) {
  const std::string plain = plain_type(declarations, type);
  if (plain.find('*') != std::string::npos) return sizeof(void*);
  const auto element = element_of(declarations, plain);
  return element ? static_cast<std::size_t>(element->bytes) : 0;
}

}  // namespace warpscope::program
