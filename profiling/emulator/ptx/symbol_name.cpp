// profiling/emulator/ptx/symbol_name.cpp: what a person calls a symbol of a PTX text.
#include "profiling/emulator/ptx/symbol_name.h"

#include <algorithm>
#include <vector>

#include "profiling/listings/kernel_name.h"

namespace warpscope {
namespace {

// "a<b::c>(d::e)::f" in its parts "a<b::c>(d::e)" and "f".
std::vector<std::string> parts_of(std::string_view name) {
  std::vector<std::string> parts{""};
  int depth = 0;
  for (std::size_t at = 0; at < name.size(); ++at) {
    const char c = name[at];
    if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == ']' || c == '}') --depth;
    if (depth == 0 && name.substr(at, 2) == "::") {
      parts.emplace_back();
      ++at;
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

}  // namespace

std::string shown_name(std::string_view symbol) {
  if (!symbol.starts_with("_Z")) return std::string(symbol);
  // The compiler gives elements of an array that it keeps apart a "_$_2" each.
  const std::size_t end = std::min(symbol.find("_$_"), symbol.size());
  const std::string text(symbol.substr(0, end)), rest(symbol.substr(end));
  const std::string words = demangled(text);
  if (words == text) return std::string(symbol);
  const std::vector<std::string> parts = parts_of(words);
  // The source names an array of a function without it.
  if (symbol.starts_with("_ZZ")) return parts.back() + rest;
  std::string shown;
  for (const std::string& part : parts) {
    // Compilers put what is private to a file in a namespace of their own.
    if (part.starts_with("_INTERNAL") || part == "(anonymous namespace)") continue;
    shown += (shown.empty() ? "" : "::") + part;
  }
  return shown + rest;
}

}  // namespace warpscope
