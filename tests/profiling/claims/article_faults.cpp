// tests/profiling/claims/article_faults.cpp: what is wrong with a row of a card or an entry of a
// journal that retells an article.
#include "tests/profiling/claims/article_faults.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <regex>
#include <sstream>

#include "profiling/claims/claim_text.h"

namespace warpscope {
namespace {

bool is_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// The words of a text outside of figures and relations, in all the ways that they can go.
std::string plain_words(const std::string& text) {
  std::string plain;
  for (const ClaimPart& part : parts_of(text)) {
    plain += part.plain + " ";
    for (const ClaimCase& each : part.cases) plain += each.words + " ";
    plain += part.unknown + " ";
  }
  return std::regex_replace(plain, std::regex(R"(\{[^}]*\})"), "");
}

bool holds(const std::string& text, const char* pattern) {
  return std::regex_search(text, std::regex(pattern, std::regex::icase));
}

std::string quoted(const std::string& text) { return "“" + text + "”"; }

// Numbers that say how something is laid out, not what was found: 16 bytes, 512 threads.
std::string without_sizes(const std::string& text, const char* of) {
  return std::regex_replace(text, std::regex(std::string("[0-9.]+ (") + of + ")"), "$1");
}

// Adds the numbers that are in a text but not in the article.
void add_strange(const std::string& text, const std::set<std::string>& article,
                 const std::string& what, std::vector<std::string>& faults) {
  for (const std::string& number : numbers_in(text)) {
    if (article.count(number) == 0) faults.push_back(number + " " + what + ": " + quoted(text));
  }
}

}  // namespace

std::set<std::string> figures_of_article(const std::string& scene) {
  struct Row {
    const char *scene, *numbers;
  };
  constexpr Row kRows[] = {
      {"led", "0.36 0.69 1.4 2.8 1 2 3 4 31 32 16 48 64 128 4096"},
      {"csrmm",
       "0.02 0.025 0.1 0.2 1.03 1.28 1.31 1.36 1.38 1.42 1.49 1.51 1.6 2.055 2.27 2.49 2.68 2.7 "
       "2.83 3.64 3.7 3.73 3.81 4.03 4.37 5.30 5.56 7.37 7.68 7.7 8.6 10.5 10.91 10.99 51.2 1 2 3 "
       "4 5 7 8 10 11 13 15 20 24 27 32 39 40 41 42 50 64 68 69 73 75 76 79 80 85 87 100 128 256 "
       "2000 10000"},
      {"deform", "0 1 2 3 4 5 8 10 15 20 32 45 48 128 20522"},
      {"esmm",
       "0 1 2 3 4 7 8 15 16 17 19 24 31 32 40 52 58 63 64 65 72 98 124 127 128 129 254 255 256 392 "
       "496 516 1024 1260 1638 2048 65536"},
      {"autoencoder",
       "0 1 2 3 4 5 6 7 8 9 15 16 20 23.5 31 32 50 50.52 64 70 80 90 100 169 169.18 247.15 256 342 "
       "400 500.57 800 1000 1024 1690 5000 50000"},
  };
  const auto row = std::find_if(std::begin(kRows), std::end(kRows),
                                [&](const Row& each) { return scene == each.scene; });
  if (row == std::end(kRows)) return {};
  std::istringstream numbers(row->numbers);
  return {std::istream_iterator<std::string>(numbers), std::istream_iterator<std::string>()};
}

std::vector<std::string> numbers_in(const std::string& text) {
  std::vector<std::string> found;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = is_digit(text[at]) && (at == 0 || !is_letter(text[at - 1]) ||
                                               (at > 1 && text.substr(at - 2, 2) == "×"));
    if (!begins) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1])) {
      for (++end; end < text.size() && is_digit(text[end]);) ++end;
    }
    const bool hexadecimal = end < text.size() && text[end] == 'x' && end == at + 1;
    if (text.substr(end, 4) != "-bit" && !hexadecimal) found.push_back(text.substr(at, end - at));
    while (hexadecimal && end < text.size() && is_letter(text[end])) ++end;
    at = end;
  }
  return found;
}

bool is_from_elsewhere(const std::string& said) {
  constexpr std::array kOrigins = {"Not in the article", "A goal", "Expected"};
  return std::any_of(kOrigins.begin(), kOrigins.end(),
                     [&](const char* origin) { return said.starts_with(origin); });
}

std::vector<std::string> faults_of(const ArticleClaim& row, const std::set<std::string>& article) {
  std::vector<std::string> faults;
  std::set<std::string> may_stand = article;
  if (is_from_elsewhere(row.said)) {
    for (const std::string& number : numbers_in(row.said)) may_stand.insert(number);
  } else if (!article.empty()) {
    add_strange(row.said, article, "is no number of the article", faults);
  }
  const std::vector<std::string> tested = numbers_in(row.expression);
  for (const std::string& number : numbers_in(without_sizes(row.said, "bits|bytes|lanes"))) {
    const bool found = std::any_of(tested.begin(), tested.end(), [&](const std::string& each) {
      const double value = std::strtod(each.c_str(), nullptr);
      const double said = std::strtod(number.c_str(), nullptr);
      return value == said || 100 * value == said;  // 50 % may be an axis at 0.5
    });
    if (!found)
      faults.push_back(number + " is quoted and not tested: " + quoted(row.said) + " by " +
                       quoted(row.expression));
  }
  const auto needs = [&](const char* said, const char* tested_by, const char* what) {
    if (holds(row.said, said) && !holds(row.expression, tested_by))
      faults.push_back(quoted(row.said) + " " + what + ": " + quoted(row.expression));
  };
  needs("average", "mean\\(.* over points", "is of an average, and its test takes none");
  needs("at best|maximum|at most", "(max|min)\\(|<=", "is of a bound, and its test takes none");
  needs("[0-9] to [0-9]", ">=.* and .*<=", "is of a range, and its test is not of both ends");
  if (holds(row.expression, "over points") && row.shown.find("{points(") == std::string::npos)
    faults.push_back("it does not say over which points: " + quoted(row.shown));
  const std::string plain =
      without_sizes(plain_words(row.shown), "bits|bytes|lanes|threads|columns|rows");
  if (!row.said.starts_with("A goal")) add_strange(plain, may_stand, "is not computed", faults);
  return faults;
}

std::vector<std::string> faults_of(const Iteration& entry, const std::set<std::string>& article) {
  std::vector<std::string> faults;
  if (!is_from_elsewhere(entry.said))
    add_strange(plain_words(entry.said), article, "is no number of the article", faults);
  for (const std::string& words : {entry.hypothesis, entry.verdict}) {
    const std::string plain = plain_words(words);
    if (holds(plain, "[0-9] ?(×|%|µs|us|ms|GB|MB|times)"))
      add_strange(plain, article, "is not computed", faults);
  }
  for (const MetricValue& value : entry.measured)
    faults.push_back("it brings its own " + value.id + ", which the session has");
  return faults;
}

}  // namespace warpscope
