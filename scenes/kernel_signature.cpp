// scenes/kernel_signature.cpp: the parameters of the kernels that a text declares.
#include "scenes/kernel_signature.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

namespace warpscope {
namespace {

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

// The place behind the parenthesis that closes the one at `open`; npos: none does. Comments are
// passed over.
std::size_t behind(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text.substr(i, 2) == "//") {
      i = text.find('\n', i);
      if (i == std::string_view::npos) break;
    } else if (text.substr(i, 2) == "/*") {
      i = text.find("*/", i);
      if (i == std::string_view::npos) break;
      ++i;
    } else if (text[i] == '(') {
      ++depth;
    } else if (text[i] == ')' && --depth == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

// "const float* __restrict__ x" as type and name, with the shape of the comment behind it.
KernelParameter parameter_of(std::string text, std::string_view comment) {
  for (const char* word : {"__restrict__", "__restrict", "__grid_constant__"}) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word))
      text.erase(at, std::string_view(word).size());
  }
  text = trimmed(text);
  KernelParameter parameter;
  std::size_t name = text.size();
  while (name > 0 && in_name(text[name - 1])) --name;
  parameter.name = text.substr(name);
  parameter.type = trimmed(text.substr(0, name));
  const std::size_t open = comment.find('['), close = comment.find(']');
  if (open != std::string_view::npos && close != std::string_view::npos && open < close)
    parameter.shape = std::string(comment.substr(open + 1, close - open - 1));
  return parameter;
}

// What stands between the parentheses, at its commas; a comment belongs to what stands before it.
std::vector<KernelParameter> parameters_in(std::string_view text) {
  std::vector<KernelParameter> found;
  std::string declared, comment, next;
  bool ended = false;  // a comma came: what follows on the line is a comment of the one before
  const auto keep = [&] {
    if (!trimmed(declared).empty()) found.push_back(parameter_of(declared, comment));
    declared.clear();
    comment.clear();
    ended = false;
  };
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool line = text.substr(i, 2) == "//", block = text.substr(i, 2) == "/*";
    if (line || block) {
      const std::size_t end = std::min(text.find(line ? "\n" : "*/", i), text.size());
      comment += text.substr(i, end - i);
      i = line ? end : end + 1;
      continue;
    }
    if (ended && std::isspace(static_cast<unsigned char>(text[i])) == 0) keep();
    if (text[i] == '(' || text[i] == '<') ++depth;
    if (text[i] == ')' || text[i] == '>') --depth;
    if (text[i] == ',' && depth == 0) {
      ended = true;
    } else if (!ended) {
      declared += text[i];
    }
  }
  keep();
  return found;
}

bool in_comment(std::string_view text, std::size_t at) {
  const std::size_t newline = text.rfind('\n', at);
  const std::size_t line = newline == std::string_view::npos ? 0 : newline;
  if (text.substr(line, at - line).find("//") != std::string_view::npos) return true;
  const std::size_t open = text.rfind("/*", at), close = text.rfind("*/", at);
  return open != std::string_view::npos && (close == std::string_view::npos || close < open);
}

// The kernel whose "__global__" stands at `at`; nothing where it is none that can be read.
std::optional<KernelSignature> kernel_at(std::string_view text, std::size_t at) {
  const std::size_t before = at == 0 ? std::string_view::npos : text.find_last_of(";}", at - 1);
  const std::size_t begins = before == std::string_view::npos ? 0 : before + 1;
  const std::string_view head = text.substr(begins, at - begins);
  if (head.find("template") != std::string_view::npos) return std::nullopt;
  KernelSignature kernel;
  kernel.plain = head.find("extern \"C\"") != std::string_view::npos ||
                 text.substr(0, at).find("extern \"C\" {") != std::string_view::npos;
  std::size_t i = at + std::string_view("__global__").size();
  for (;;) {
    while (i < text.size() && !in_name(text[i])) ++i;
    const std::size_t begin = i;
    while (i < text.size() && in_name(text[i])) ++i;
    if (begin == i) return std::nullopt;
    const std::string word(text.substr(begin, i - begin));
    std::size_t open = i;
    while (open < text.size() && std::isspace(static_cast<unsigned char>(text[open])) != 0) ++open;
    if (open >= text.size() || text[open] != '(') continue;  // void, inline, …
    const std::size_t end = behind(text, open);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view inner = text.substr(open + 1, end - open - 2);
    i = end;
    if (word == "__launch_bounds__") {
      const std::string number = trimmed(inner.substr(0, inner.find(',')));
      if (!number.empty() && number.size() < 5 &&
          std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; }))
        kernel.threads = std::max(1, std::stoi(number));
      continue;
    }
    if (word.starts_with("__")) continue;  // other attributes
    kernel.name = word;
    kernel.parameters = parameters_in(inner);
    const std::string_view body = text.substr(end, text.find("__global__", end) - end);
    kernel.by_rows = body.find("threadIdx.y") != std::string_view::npos ||
                     body.find("blockIdx.y") != std::string_view::npos;
    return kernel;
  }
}

}  // namespace

std::vector<KernelSignature> kernels_in(std::string_view text) {
  std::vector<KernelSignature> kernels;
  for (std::size_t at = text.find("__global__"); at != std::string_view::npos;
       at = text.find("__global__", at + 1)) {
    if (in_comment(text, at)) continue;
    if (auto kernel = kernel_at(text, at)) kernels.push_back(std::move(*kernel));
  }
  return kernels;
}

}  // namespace warpscope
