// profiling/listings/kernel_text.cpp: a kernel's text as lines: where it begins, and what is found
// in it.
#include "profiling/listings/kernel_text.h"

#include <algorithm>

namespace warpscope {
namespace {

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string_view without_indent(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view{} : line.substr(begin);
}

bool is_comment(std::string_view line) { return without_indent(line).starts_with("//"); }

// Whether the line has the word, outside of a comment that begins with two slashes.
bool has_word(std::string_view line, std::string_view word) {
  line = line.substr(0, line.find("//"));
  for (std::size_t at = line.find(word); at != std::string_view::npos;
       at = line.find(word, at + 1)) {
    const bool begins = at == 0 || !is_word(line[at - 1]);
    const std::size_t end = at + word.size();
    if (begins && (end == line.size() || !is_word(line[end]))) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return lines;
}

int first_line_of(const std::vector<std::string>& lines, std::string_view entry) {
  // A declaration may go over some lines: "__global__ void __launch_bounds__(128)", "    entry(".
  constexpr std::size_t kMostLines = 4;
  std::size_t kernel = lines.size(), first = lines.size();
  for (std::size_t i = 0; i < lines.size() && kernel == lines.size(); ++i) {
    if (!has_word(lines[i], "__global__")) continue;
    first = std::min(first, i);
    for (std::size_t j = i; j < std::min(lines.size(), i + kMostLines); ++j) {
      if (j > i && has_word(lines[j], "__global__")) break;
      if (!entry.empty() && has_word(lines[j], entry)) kernel = i;
    }
  }
  if (kernel == lines.size()) kernel = first;
  if (kernel == lines.size()) {
    const auto code = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
      const std::string_view rest = without_indent(line);
      return !rest.empty() && !is_comment(line) && rest.front() != '#';
    });
    return code == lines.end() ? 1 : static_cast<int>(code - lines.begin()) + 1;
  }
  while (kernel > 0 && is_comment(lines[kernel - 1])) --kernel;
  return static_cast<int>(kernel) + 1;
}

std::vector<TextMatch> matches_of(const std::vector<std::string>& lines, std::string_view needle) {
  std::vector<TextMatch> matches;
  if (needle.empty()) return matches;
  const auto same = [](char a, char b) { return small(a) == small(b); };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto from = lines[i].begin();
    for (;;) {
      const auto found = std::search(from, lines[i].end(), needle.begin(), needle.end(), same);
      if (found == lines[i].end()) break;
      const auto begin = static_cast<std::size_t>(found - lines[i].begin());
      matches.push_back({i, begin, begin + needle.size()});
      from = found + static_cast<std::ptrdiff_t>(needle.size());
    }
  }
  return matches;
}

std::size_t match_from(const std::vector<TextMatch>& matches, std::size_t line) {
  const auto found = std::find_if(matches.begin(), matches.end(),
                                  [line](const TextMatch& match) { return match.line >= line; });
  return found == matches.end() ? 0 : static_cast<std::size_t>(found - matches.begin());
}

}  // namespace warpscope
