// profiling/text/glossary.cpp: the terms of the glossary, and where a sentence uses them.
#include "profiling/text/glossary.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "scenes/host/input_file.h"
#include "scenes/host/paths.h"

namespace warpscope {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

// "[a stop](#stops), or a `.wsj` *file*" becomes "a stop, or a .wsj file".
std::string plain(std::string_view markdown) {
  std::string text;
  for (std::size_t at = 0; at < markdown.size(); ++at) {
    const char c = markdown[at];
    if (c == ']' && markdown.substr(at).starts_with("](")) {
      at = std::min(markdown.find(')', at), markdown.size());
    } else if (c != '[' && c != '`' && c != '*') {
      text += c;
    }
  }
  return text;
}

// A table's row as its first two cells; empty names for a rule or a row of another shape.
Term term_of(std::string_view row) {
  if (!row.starts_with("| ")) return {};
  const std::size_t first = row.find(" | ");
  const std::size_t last = row.rfind('|');
  if (first == std::string_view::npos || last <= first + 3) return {};
  return {plain(trimmed(row.substr(2, first - 2))),
          plain(trimmed(row.substr(first + 3, last - first - 3)))};
}

std::string plural_of(const std::string& words) {
  if (words.ends_with("is")) return words.substr(0, words.size() - 2) + "es";
  for (const char* hissing : {"s", "x", "ch", "sh"}) {
    if (words.ends_with(hissing)) return words + "es";
  }
  return words + "s";
}

// Letters, digits, and what joins them to a longer name: "time.cold", "cold-start", "n_step".
bool is_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '/' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}

bool ends_word(std::string_view text, std::size_t at) {
  if (at >= text.size()) return true;
  const char c = text[at];
  constexpr std::string_view kClosingQuote = "”";
  if (text.substr(at).starts_with(kClosingQuote)) return true;
  if (c != '.' && c != ':' && c != '=') return !is_of_word(c);
  return at + 1 >= text.size() || text[at + 1] == ' ' || text[at + 1] == '\n';
}

// Where the word at `at` ends.
std::size_t word_end(std::string_view text, std::size_t at) {
  while (at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0) ++at;
  return at;
}

// Whether the words of a form are at a place, whatever their case; a line may end between them.
bool has_words(std::string_view text, std::size_t at, std::string_view words) {
  if (text.size() - at < words.size()) return false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const char c = text[at + i] == '\n' ? ' ' : text[at + i];
    if (std::tolower(static_cast<unsigned char>(c)) != words[i]) return false;
  }
  return ends_word(text, at + words.size());
}

bool begins_word(std::string_view text, std::size_t at) {
  if (std::isalpha(static_cast<unsigned char>(text[at])) == 0) return false;
  if (at == 0) return true;
  const char before = text[at - 1];
  constexpr std::string_view kOpeningQuote = "“";
  return before == ' ' || before == '\n' || before == '(' ||
         text.substr(0, at).ends_with(kOpeningQuote);
}

bool follows_to(std::string_view text, std::size_t at) {
  return lower(text.substr(at < 3 ? 0 : at - 3, std::min<std::size_t>(at, 3))) == "to " &&
         (at == 3 || text[at - 4] == ' ');
}

}  // namespace

void Glossary::add(Term term) {
  std::string_view names = term.name;
  while (!names.empty()) {
    const std::size_t comma = std::min(names.find(", "), names.size());
    const std::string name = lower(names.substr(0, comma));
    for (const std::string& words : {name, plural_of(name)})
      forms_[words.substr(0, word_end(words, 0))].push_back({words, terms_.size()});
    names.remove_prefix(std::min(comma + 2, names.size()));
  }
  terms_.push_back(std::move(term));
}

Glossary Glossary::of_page(std::string_view page) {
  Glossary result;
  bool inside = false;
  while (!page.empty()) {
    const std::size_t end = std::min(page.find('\n'), page.size());
    const std::string_view line = page.substr(0, end);
    page.remove_prefix(std::min(end + 1, page.size()));
    if (line.starts_with("#")) inside = line == "## Glossary";
    if (!inside) continue;
    Term term = term_of(line);
    const bool heading = term.name == "term" || term.name.starts_with("---");
    if (!term.name.empty() && !heading) result.add(std::move(term));
  }
  for (auto& [word, forms] : result.forms_) {
    std::stable_sort(forms.begin(), forms.end(),
                     [](const Form& a, const Form& b) { return a.words.size() > b.words.size(); });
  }
  return result;
}

std::vector<TermMark> Glossary::find(std::string_view text) const {
  std::vector<TermMark> marks;
  if (forms_.empty()) return marks;
  const auto is_marked = [&marks](std::size_t term) {
    return std::any_of(marks.begin(), marks.end(),
                       [term](const TermMark& mark) { return mark.term == term; });
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!begins_word(text, at)) continue;
    const auto found = forms_.find(lower(text.substr(at, word_end(text, at) - at)));
    if (found == forms_.end() || follows_to(text, at)) continue;
    for (const Form& form : found->second) {
      if (!has_words(text, at, form.words)) continue;
      if (!is_marked(form.term)) marks.push_back({at, form.words.size(), form.term});
      at += form.words.size() - 1;
      break;
    }
  }
  return marks;
}

const Glossary& glossary() {
  static const Glossary own = [] {
    const Result<std::filesystem::path> home = home_folder();
    const Result<std::string> page =
        home ? read_input(*home / "tests" / "README.md", kMostTextFileBytes) : std::string();
    return page ? Glossary::of_page(*page) : Glossary();
  }();
  return own;
}

}  // namespace warpscope
