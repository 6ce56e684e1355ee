// scenes/folder/expression_text.cpp: an expression's text, its names checked and made ready for the
// parser.
#include "scenes/folder/expression_text.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "scenes/host/nearest.h"

namespace warpscope {
namespace {

constexpr std::size_t kMostCharacters = 1000, kMostDepth = 50;
constexpr const char* kFunctions[] = {"min", "max",  "ceil_div", "round_up", "floor", "ceil",
                                      "abs", "sqrt", "log2",     "exp",      "ln"};
constexpr const char* kElementFunctions[] = {"uniform", "below"};

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

tl::unexpected<Error> refuse(std::string_view text, const std::string& what, std::string remedy) {
  return failure(ErrorKind::input, "“" + std::string(text) + "”: " + what, "", std::move(remedy));
}

class Reader {
 public:
  Reader(std::string_view text, std::span<const ExpressionName> names, bool element)
      : text_(text), names_(names), element_(element) {}

  Result<ExpressionText> read() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      Result<void> done;
      if (begins_name(c)) {
        done = name();
      } else if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') {
        number();
      } else if (c == '\'') {
        done = choice();
      } else {
        done = sign(c);
      }
      if (!done) return tl::unexpected(done.error());
    }
    if (depth_ != 0) return refuse(text_, "a parenthesis is not closed", "close it");
    return std::move(out_);
  }

 private:
  Result<void> name() {
    const std::string word = take([](char c) { return in_name(c); });
    std::size_t next = at_;
    while (next < text_.size() && text_[next] == ' ') ++next;
    const bool call = next < text_.size() && text_[next] == '(';
    out_.code += word;
    compared_ = nullptr;
    if (call) return function(word);
    if ((element_ && word == "i") || word == "nothing") return {};
    for (const ExpressionName& known : names_) {
      if (known.name != word) continue;
      compared_ = &known;
      if (std::find(out_.names.begin(), out_.names.end(), word) == out_.names.end())
        out_.names.push_back(word);
      return {};
    }
    std::vector<std::string> all;
    for (const ExpressionName& known : names_) all.push_back(known.name);
    if (element_) all.emplace_back("i");
    return refuse(text_, "there is no axis or value “" + word + "”",
                  all.empty() ? "give an axis of this name" : suggest(word, all));
  }

  Result<void> function(const std::string& word) {
    std::vector<std::string> all(std::begin(kFunctions), std::end(kFunctions));
    if (element_) all.insert(all.end(), std::begin(kElementFunctions), std::end(kElementFunctions));
    if (std::find(all.begin(), all.end(), word) != all.end()) return {};
    return refuse(text_, "there is no function “" + word + "”", suggest(word, all));
  }

  void number() {
    out_.code +=
        take([](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.'; });
    // An exponent: a sign after its letter belongs to it.
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      out_.code += text_[at_++];
      if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) out_.code += text_[at_++];
    }
    compared_ = nullptr;
  }

  // 'copy' after a choice and == or !=: its place among the choices.
  Result<void> choice() {
    const std::size_t end = text_.find('\'', at_ + 1);
    if (end == std::string_view::npos) return refuse(text_, "a ' is not closed", "close it");
    const std::string word(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    const std::size_t last = out_.code.find_last_not_of(' ');
    const bool compares = last != std::string::npos && out_.code[last] == '=';
    if (left_ == nullptr || !compares || left_->choices.empty()) {
      return refuse(text_, "'" + word + "' is not compared with a choice",
                    "write the choice first: op == 'copy'");
    }
    const auto found = std::find(left_->choices.begin(), left_->choices.end(), word);
    if (found == left_->choices.end()) {
      return refuse(text_, left_->name + " is never '" + word + "'", suggest(word, left_->choices));
    }
    out_.code += std::to_string(found - left_->choices.begin());
    return {};
  }

  Result<void> sign(char c) {
    ++at_;
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      out_.code += ' ';
      return {};
    }
    const char next = at_ < text_.size() ? text_[at_] : '\0';
    const bool pair = next == '=' ? c == '=' || c == '!' || c == '<' || c == '>'
                                  : (c == '&' || c == '|') && next == c;
    if (pair) ++at_;
    if (!pair && c == '=') return refuse(text_, "= does not compare", "write == to compare");
    if (!pair && (c == '&' || c == '|'))
      return refuse(text_, std::string("there is no operator ") + c, "write && or ||");
    constexpr std::string_view kSigns = "+-*/%^()<>!?:,=&|";
    if (kSigns.find(c) == std::string_view::npos) {
      const bool plain = std::isprint(static_cast<unsigned char>(c)) != 0;
      return refuse(text_,
                    plain ? std::string("“") + c + "” is not part of an expression"
                          : "it has a character that is not part of an expression",
                    "use + - * / % ^ ( ) < > == != && || ! ? : and names");
    }
    if (c == '(' && ++depth_ > kMostDepth)
      return refuse(text_, "parentheses are nested too deep", "give a part a name in [let]");
    if (c == ')' && depth_-- == 0)
      return refuse(text_, "a closing parenthesis has no opening one", "remove it");
    left_ = pair ? compared_ : nullptr;
    compared_ = nullptr;
    out_.code += c;
    if (pair) out_.code += next;
    return {};
  }

  template <typename Belongs>
  std::string take(Belongs belongs) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string_view text_;
  std::span<const ExpressionName> names_;
  bool element_;
  std::size_t at_ = 0, depth_ = 0;
  const ExpressionName* compared_ = nullptr;  // the name that was read last …
  const ExpressionName* left_ = nullptr;      // … and the one before the last comparison
  ExpressionText out_;
};

}  // namespace

Result<ExpressionText> read_expression(std::string_view text, std::span<const ExpressionName> names,
                                       bool element) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return failure(ErrorKind::input, "the expression is empty", "", "write a number or arithmetic");
  if (text.size() > kMostCharacters) {
    return failure(
        ErrorKind::input, "an expression has " + std::to_string(text.size()) + " characters", "",
        "give parts of it names in [let]; " + std::to_string(kMostCharacters) + " is the limit");
  }
  return Reader(text, names, element).read();
}

std::string parser_words(std::string message) {
  std::replace(message.begin(), message.end(), '"', '\'');
  while (!message.empty() && (message.back() == '.' || message.back() == '\n')) message.pop_back();
  if (!message.empty())
    message[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(message[0])));
  return message;
}

}  // namespace warpscope
