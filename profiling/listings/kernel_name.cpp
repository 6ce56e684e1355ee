// profiling/listings/kernel_name.cpp: kernels by the names that people give them.
#include "profiling/listings/kernel_name.h"

#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>

namespace warpscope {
namespace {

// Where the character at `open` is closed; npos: nowhere.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '(' || c == '<' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == '>' || c == ']' || c == '}') --depth;
    if (depth == 0) return at;
  }
  return std::string_view::npos;
}

std::string trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return std::string(text);
}

// "float const*" as people write it.
std::string usual_type(std::string type) {
  constexpr std::string_view kConst = " const";
  const std::size_t at = type.find(kConst);
  const bool inner = type.find_first_of("<(") < at;
  if (at != std::string::npos && !inner && type.find(kConst, at + 1) == std::string::npos)
    type = "const " + type.erase(at, kConst.size());
  return type;
}

// Without spaces, and without the suffixes of numbers: "f<float,256>" for "f<float, 256u>".
std::string squeezed(std::string_view text) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  std::string all;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    std::string_view word = text.substr(at, std::max<std::size_t>(end - at, 1));
    at += word.size();
    if (word == " " || word == "\t") continue;
    if (std::isdigit(static_cast<unsigned char>(word.front())) != 0)
      word = word.substr(0, word.find_last_not_of("uUlL") + 1);
    all += word;
  }
  return all;
}
// How many earlier parts of itself a symbol refers to. source: Itanium C++ ABI, "Compression": S_,
// S0_ … are earlier types, T_, T0_ … template arguments. Each reference can double the text.
int references_in(std::string_view symbol) {
  int count = 0;
  for (std::size_t at = 0; at < symbol.size(); ++at) {
    if (symbol[at] != 'S' && symbol[at] != 'T') continue;
    std::size_t end = at + 1;
    const auto digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'); };
    while (end < symbol.size() && digit(symbol[end])) ++end;
    if (end < symbol.size() && symbol[end] == '_') ++count;
  }
  return count;
}

// What commas separate, outside of brackets.
std::vector<std::string> separated(std::string_view inside) {
  std::vector<std::string> all;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at <= inside.size(); ++at) {
    const char c = at < inside.size() ? inside[at] : ',';
    if (c == '(' || c == '<' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == '>' || c == ']' || c == '}') --depth;
    if (c != ',' || depth > 0) continue;
    if (at > begin) all.push_back(trimmed(inside.substr(begin, at - begin)));
    begin = at + 1;
  }
  return all;
}

// "float", "256" of "saxpy<float,256>".
std::vector<std::string> template_arguments_of(const std::string& name) {
  const std::string base = without_template_arguments(name);
  if (base.size() + 2 > name.size()) return {};
  return separated(name.substr(base.size() + 1, name.size() - base.size() - 2));
}

}  // namespace

std::string demangled(const std::string& symbol) {
  // A symbol of 200 characters that doubles a type 26 times becomes a text of 1.7 GB (measured with
  // GCC 12). Three references per level are the worst: 36 of them give at most some 10 MB.
  constexpr int kMostReferences = 36;
  if (!symbol.starts_with("_Z") || references_in(symbol) > kMostReferences) return symbol;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> words(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return words == nullptr || status != 0 ? symbol : words.get();
}

// The parameters between the last parentheses, what stands before them without its result.
KernelName kernel_name_of(const std::string& symbol) {
  std::string text = demangled(symbol);
  if (!symbol.starts_with("_Z") || text == symbol) return {symbol, std::nullopt};
  // Numba numbers its kernels and keeps their options in tags: "saxpy[abi:v1][abi:cw51…]".
  constexpr std::string_view kTag = "[abi:";
  for (std::size_t at = 0; (at = text.find(kTag, at)) != std::string::npos;) {
    const std::size_t end = text.find(']', at);
    if (end == std::string::npos) break;
    text.erase(at, end + 1 - at);
  }
  std::size_t open = 0;
  while (open < text.size()) {
    const char c = text[open];
    if (c != '(' && c != '<' && c != '[' && c != '{') {
      ++open;
      continue;
    }
    const std::size_t close = closing(text, open);
    if (close == std::string::npos) return {text, std::nullopt};
    if (c == '(' && close + 1 == text.size()) break;
    open = close + 1;
  }
  KernelName parts{text.substr(0, open), std::nullopt};
  if (parts.name.starts_with("void ")) parts.name.erase(0, 5);
  constexpr std::string_view kOwn = "(anonymous namespace)::";
  for (std::size_t at = 0; (at = parts.name.find(kOwn, at)) != std::string::npos;)
    parts.name.erase(at, kOwn.size());
  if (open >= text.size()) return parts;
  parts.types.emplace();
  const std::string_view inside = std::string_view(text).substr(open + 1, text.size() - open - 2);
  for (std::string& type : separated(inside)) parts.types->push_back(usual_type(std::move(type)));
  return parts;
}

std::string without_template_arguments(const std::string& name) {
  if (!name.ends_with('>')) return name;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (name[at] == '<' && closing(name, at) == name.size() - 1) return name.substr(0, at);
    if (name[at] == '<') {
      const std::size_t close = closing(name, at);
      if (close == std::string::npos) return name;
      at = close;
    }
  }
  return name;
}
bool is_called(const std::string& name, const std::string& wanted) {
  return name == wanted || (name.size() > wanted.size() + 2 && name.ends_with(wanted) &&
                            name.compare(name.size() - wanted.size() - 2, 2, "::") == 0);
}

const ListedKernel* most_alike(const std::vector<ListedKernel>& kernels,
                               const std::string& wanted) {
  const std::string name = squeezed(wanted);
  const std::string base = without_template_arguments(name);
  const std::vector<std::string> given = template_arguments_of(name);
  const ListedKernel* best = nullptr;
  std::size_t most = 0;
  for (const ListedKernel& kernel : kernels) {
    const std::string listed = squeezed(kernel.name);
    if (!is_called(without_template_arguments(listed), base)) continue;
    const std::vector<std::string> arguments = template_arguments_of(listed);
    std::size_t equal = 0;
    for (std::size_t i = 0; i < std::min(given.size(), arguments.size()); ++i)
      equal += given[i] == arguments[i] ? 1 : 0;
    if (best != nullptr && equal <= most) continue;
    best = &kernel;
    most = equal;
  }
  return best;
}

std::string symbol_of(const std::vector<std::string>& symbols, const std::string& entry) {
  if (std::find(symbols.begin(), symbols.end(), entry) != symbols.end()) return entry;
  std::vector<ListedKernel> kernels;
  for (const std::string& symbol : symbols) {
    ListedKernel kernel;
    kernel.symbol = symbol;
    kernel.name = kernel_name_of(symbol).name;
    kernels.push_back(std::move(kernel));
  }
  return choose_kernel(kernels, entry, "").value_or(entry);
}

std::string kernel_text(const ListedKernel& kernel) {
  std::string text = kernel.name + "(";
  for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
    const ListedParameter& p = kernel.parameters[k];
    text += (k == 0 ? "" : ", ") + p.type + (p.name.empty() ? "" : " " + p.name);
  }
  return text + ")";
}

Result<std::string> choose_kernel(const std::vector<ListedKernel>& kernels,
                                  const std::string& wanted, const std::string& file) {
  std::vector<const ListedKernel*> found;
  const std::string name = squeezed(wanted);
  const auto look = [&](auto&& matches) {
    if (!found.empty()) return;
    for (const ListedKernel& k : kernels)
      if (matches(k)) found.push_back(&k);
  };
  if (name.empty()) {
    look([](const ListedKernel&) { return true; });
  } else {
    look([&](const ListedKernel& k) { return k.symbol == name; });
    look([&](const ListedKernel& k) { return is_called(squeezed(k.name), name); });
    look([&](const ListedKernel& k) {
      return is_called(squeezed(without_template_arguments(k.name)), name);
    });
  }
  if (found.size() == 1) return found.front()->symbol;
  if (kernels.empty())
    return failure(
        ErrorKind::input,
        "the file has no kernel that is compiled: a template is compiled where it is used", file,
        "name an instance with --kernel, such as --kernel \"name<float>\"");
  std::string all;
  for (const ListedKernel& k : kernels)
    if (found.empty() || std::find(found.begin(), found.end(), &k) != found.end())
      all += "\n  " + kernel_text(k);
  if (found.empty())
    return failure(ErrorKind::input, "the file has no kernel " + wanted + "; there are:" + all,
                   file, "name one of them with --kernel");
  return failure(
      ErrorKind::usage,
      (name.empty() ? "the file has several kernels:" : "several kernels have this name:") + all,
      file, "choose one with --kernel");
}

}  // namespace warpscope
