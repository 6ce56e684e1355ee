// profiling/listings/compiler_options.cpp: what a person passes to the compiler of their own
// kernel.
#include "profiling/listings/compiler_options.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <optional>
#include <string_view>

namespace warpscope {
namespace {

constexpr std::string_view kAll =
    "-I, -D, -U, --std, -arch, -maxrregcount, --use_fast_math and -lineinfo";

struct Spelling {
  std::string_view word, option;
  bool at_once = false;  // its value may follow without '=' or space
};
constexpr std::array kWithValue = {Spelling{"-I", "I", true},
                                   Spelling{"--include-path", "I"},
                                   Spelling{"-D", "D", true},
                                   Spelling{"--define-macro", "D"},
                                   Spelling{"-U", "U", true},
                                   Spelling{"--undefine-macro", "U"},
                                   Spelling{"--std", "std"},
                                   Spelling{"-std", "std"},
                                   Spelling{"-arch", "arch"},
                                   Spelling{"--gpu-architecture", "arch"},
                                   Spelling{"-maxrregcount", "registers"},
                                   Spelling{"--maxrregcount", "registers"}};

tl::unexpected<Error> refuse(const std::string& word, std::string why) {
  return failure(ErrorKind::usage, std::move(why), word,
                 "the compilers take " + std::string(kAll) + " here");
}

bool all_of(std::string_view text, bool (*right)(char)) {
  return !text.empty() && std::all_of(text.begin(), text.end(), right);
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// "compute_80" of "sm_80" and "compute_80", with a letter after it or none; empty: neither.
std::string architecture_of(std::string_view text) {
  for (const std::string_view begin : {"sm_", "compute_"}) {
    if (!text.starts_with(begin)) continue;
    const std::string_view number = text.substr(begin.size());
    const std::string_view digits = number.substr(0, number.find_first_of("af"));
    const bool letter = number.size() == digits.size() + 1 || number.size() == digits.size();
    if (all_of(digits, is_digit) && digits.size() <= 3 && letter)
      return "compute_" + std::string(number);
  }
  return "";
}

Result<void> take(CompilerOptions& options, std::string_view option, const std::string& value,
                  const std::string& word) {
  if (option == "I") {
    options.folders.push_back(value);
  } else if (option == "D") {
    const std::size_t equals = value.find('=');
    options.defines.emplace_back(value.substr(0, equals),
                                 equals == std::string::npos ? "1" : value.substr(equals + 1));
  } else if (option == "U") {
    if (!all_of(value, is_name)) return refuse(word, "“" + value + "” is not the name of a macro");
    options.undefined.push_back(value);
  } else if (option == "std") {
    constexpr std::array kStandards = {"c++03", "c++11", "c++14", "c++17", "c++20"};
    if (std::find(kStandards.begin(), kStandards.end(), value) == kStandards.end())
      return refuse(word, "“" + value + "” is not a standard that nvcc has");
    options.passed.push_back("--std=" + value);
  } else if (option == "arch") {
    options.architecture = architecture_of(value);
    if (options.architecture.empty())
      return refuse(word, "“" + value + "” is not one architecture, such as sm_90");
  } else {
    if (!all_of(value, is_digit) || value.size() > 4)
      return refuse(word, "“" + value + "” is not a number of registers");
    options.passed.push_back("--maxrregcount=" + value);
  }
  return {};
}

}  // namespace

Result<CompilerOptions> parse_compiler_options(const std::vector<std::string>& words) {
  CompilerOptions options;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (word == "-lineinfo" || word == "--generate-line-info") continue;  // always given
    if (word == "--use_fast_math" || word == "-use_fast_math") {
      options.passed.emplace_back("--use_fast_math");
      continue;
    }
    const Spelling* found = nullptr;
    std::optional<std::string> value;
    for (const Spelling& s : kWithValue) {
      if (word == s.word) {
        if (at + 1 == words.size()) return refuse(word, "it has no value");
        found = &s;
        value = words[++at];
        break;
      }
      const bool equals = word.starts_with(std::string(s.word) + "=");
      if (!equals && !(s.at_once && word.starts_with(s.word))) continue;
      found = &s;
      value = word.substr(s.word.size() + (equals ? 1 : 0));
      break;
    }
    if (found == nullptr)
      return refuse(word,
                    "this option is not passed to the compiler, as some options of nvcc run "
                    "programs");
    if (Result<void> taken = take(options, found->option, *value, word); !taken)
      return tl::unexpected(taken.error());
  }
  return options;
}

std::vector<std::string> options_of_ptxas(const CompilerOptions& options) {
  std::vector<std::string> words;
  std::copy_if(
      options.passed.begin(), options.passed.end(), std::back_inserter(words),
      [](const std::string& word) { return word.find("maxrregcount") != std::string::npos; });
  return words;
}

std::vector<std::string> words_of_line(const std::string& line) {
  std::vector<std::string> words;
  char quote = '\0';
  bool within = false;
  for (const char c : line) {
    if (quote == '\0' && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = '\0';
    } else if (quote == '\0' && std::isspace(static_cast<unsigned char>(c)) != 0) {
      within = false;
      continue;
    } else {
      if (!within) words.emplace_back();
      within = true;
      words.back() += c;
      continue;
    }
    if (!within) words.emplace_back();
    within = true;
  }
  return words;
}

}  // namespace warpscope
