// scenes/program/parameter_use.cpp: what a kernel's body does with what its parameters point to.
#include "scenes/program/parameter_use.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace warpscope::program {
namespace {

constexpr int kMostDepth = 4;                 // of device functions
constexpr std::size_t kMostVisits = 200'000;  // tokens looked at for one kernel

bool is_assignment(const Token& token) {
  const std::string& t = token.text;
  return token.kind == Token::Kind::sign && t.size() >= 2 && t.back() == '=' && t != "==" &&
         t != "!=" && t != "<=" && t != ">=";
}

bool is_operand_end(const Token& token) {
  if (token.is("return") || token.is("else") || token.is("case")) return false;
  return token.kind == Token::Kind::name || token.kind == Token::Kind::number || token.is(")") ||
         token.is("]");
}

class UseReader {
 public:
  UseReader(const TokenText& text, const Declarations& declarations)
      : text_(text), declarations_(declarations) {}

  std::vector<Use> all(const Function& function, int depth) {
    std::vector<Use> uses(function.parameters.size());
    std::map<std::string, std::size_t> names;
    for (std::size_t p = 0; p < function.parameters.size(); ++p) {
      const DeclaredParameter& parameter = function.parameters[p];
      if (parameter.type.find('*') != std::string::npos || parameter.reference ||
          holds_pointer(parameter))
        names[parameter.name] = p;
    }
    names.erase("");
    std::map<std::string, std::size_t> aliases = names;
    std::vector<std::pair<std::size_t, std::size_t>> passed_on;
    for (std::size_t i = function.body.begin; i < function.body.end; ++i) {
      if (++visits_ > kMostVisits) break;
      const Token& token = text_[i];
      if (!token.is_name() || text_[i - 1].is(".") || text_[i - 1].is("->")) continue;
      const auto found = aliases.find(token.text);
      if (found == aliases.end()) continue;
      const std::size_t place = found->second;
      const std::string alias = one(i, function, place, uses[place], depth);
      if (alias.empty()) continue;
      const auto parameter = names.find(alias);
      if (parameter == names.end()) {
        aliases[alias] = place;
      } else if (parameter->second != place) {
        passed_on.emplace_back(place, parameter->second);
      }
    }
    // a = b: from now on, what is done with a is done with what b pointed to.
    for (std::size_t turn = 0; turn < passed_on.size(); ++turn) {
      for (const auto& [from, to] : passed_on) {
        uses[from].read = uses[from].read || uses[to].read;
        uses[from].written = uses[from].written || uses[to].written;
        uses[from].atomic = uses[from].atomic || uses[to].atomic;
      }
    }
    return uses;
  }

 private:
  bool holds_pointer(const DeclaredParameter& parameter) const {
    std::string type = plain_type(declarations_, parameter.type);
    if (const std::size_t angle = type.find('<'); angle != std::string::npos) type.resize(angle);
    const auto found = declarations_.structures.find(type);
    return found != declarations_.structures.end() &&
           std::any_of(
               found->second.members.begin(), found->second.members.end(),
               [](const Member& member) { return member.type.find('*') != std::string::npos; });
  }

  // An expression around an occurrence, widened step by step.
  struct Place {
    std::size_t begin, end;
    bool pointer = true;  // it is an address; otherwise what stands there
  };

  bool is_unary(std::size_t at) const {
    return !is_operand_end(text_[at - 1]) || is_cast_end(at - 1) || is_condition_end(at - 1);
  }

  // Whether a parenthesis ends the condition of a statement.
  bool is_condition_end(std::size_t at) const {
    if (!text_[at].is(")") || text_[at].match >= at || text_[at].match == 0) return false;
    const Token& word = text_[text_[at].match - 1];
    return word.is("if") || word.is("while") || word.is("for") || word.is("switch") ||
           word.is("constexpr");
  }

  // Whether a parenthesis ends a cast: (float*), with a type in it.
  bool is_cast_end(std::size_t at) const {
    if (!text_[at].is(")") || text_[at].match >= at) return false;
    const std::size_t open = text_[at].match;
    if (open + 1 >= at) return false;
    if (open > 0 && text_[open - 1].is_name() && !text_[open - 1].is("return")) return false;
    return text_[at - 1].is("*") || (at == open + 2 && is_type_word(text_[open + 1].text));
  }

  void after_operand(Place& place) const {
    for (;;) {
      const Token& next = text_[place.end];
      if (next.is("[")) {
        place.pointer = false;
        place.end = text_.after(place.end);
      } else if ((next.is(".") || next.is("->")) && text_[place.end + 1].is_name()) {
        if (next.is("->")) place.pointer = false;
        place.end += 2;
      } else if ((next.is("++") || next.is("--")) && place.pointer && place.begin > 0 &&
                 text_[place.begin - 1].is("*")) {
        ++place.end;  // *p++ = x
      } else {
        return;
      }
    }
  }

  // Whether a sign or a cast before the place was taken in.
  bool before_operand(Place& place) const {
    if (place.begin == 0) return false;
    const Token& before = text_[place.begin - 1];
    if (before.is("*") && is_unary(place.begin - 1)) {
      place.pointer = false;
      --place.begin;
      return true;
    }
    if (before.is("&") && is_unary(place.begin - 1)) {
      place.pointer = true;
      --place.begin;
      return true;
    }
    if (is_cast_end(place.begin - 1)) {
      place.begin = before.match;
      return true;
    }
    return false;
  }

  // Whether p + i around it was taken in.
  bool sum(Place& place) const {
    if (!place.pointer) return false;
    bool widened = false;
    if (text_[place.end].is("+") || text_[place.end].is("-")) {
      std::size_t end = place.end + 1;
      while (end < text_.size() && !text_[end].is(",") && !text_[end].is(")") &&
             !text_[end].is("]") && !text_[end].is("}") && !text_[end].is(";") &&
             !text_[end].is("=") && !text_[end].is("?") && !text_[end].is(":") &&
             end - place.end < 200)
        end = text_[end].is("(") || text_[end].is("[") ? text_.after(end) : end + 1;
      place.end = end;
      widened = true;
    }
    if (place.begin > 0 && text_[place.begin - 1].is("+")) {
      std::size_t begin = place.begin - 1;
      while (begin > 0 && place.begin - begin < 200) {
        const Token& token = text_[begin - 1];
        if (token.is(",") || token.is("(") || token.is("[") || token.is("{") || token.is(";") ||
            token.is("=") || token.is("return") || token.is("?") || token.is(":"))
          break;
        begin = (token.is(")") || token.is("]")) && token.match < begin ? token.match : begin - 1;
      }
      place.begin = begin;
      widened = true;
    }
    return widened;
  }

  // Whether parentheses around it, or a cast with a name, were taken in.
  bool parentheses(Place& place) const {
    if (place.begin == 0 || !text_[place.begin - 1].is("(") || !text_[place.end].is(")"))
      return false;
    if (text_[place.begin - 1].match != place.end) return false;
    const std::size_t open = place.begin - 1;
    const Token& before = text_[open > 0 ? open - 1 : 0];
    if (open > 0 && (before.is(">") || before.is(">>"))) {
      std::size_t name = open - 1;
      int angles = 0;
      for (; name > 0 && open - name < 60; --name) {
        if (text_[name].is(">")) ++angles;
        if (text_[name].is(">>")) angles += 2;
        if (text_[name].is("<") && --angles == 0) break;
      }
      if (name == 0 || !text_[name - 1].text.ends_with("_cast")) return false;
      place.begin = name - 1;
      place.end += 1;
      return true;
    }
    if (open > 0 && before.is_name() && !before.is("return") && !before.is("if") &&
        !before.is("while"))
      return false;  // a call
    place.begin = open;
    place.end += 1;
    return true;
  }

  // One occurrence of a parameter or of an alias; gives the name of an alias that it is made into.
  std::string one(std::size_t at, const Function& function, std::size_t parameter, Use& use,
                  int depth) {
    Place place{at, at + 1};
    if (!text_[at + 1].is("(")) {
      for (int turn = 0; turn < 12; ++turn) {
        after_operand(place);
        if (!before_operand(place) && !parentheses(place) && !sum(place)) break;
      }
    }
    const Token &next = text_[place.end], &before = text_[place.begin == 0 ? 0 : place.begin - 1];
    if (!place.pointer || function.parameters[parameter].reference) {
      stored(next, before, use);
      return {};
    }
    if (is_assignment(next) || next.is("=") || next.is("++") || next.is("--"))
      return {};  // the pointer moves
    if (before.is("++") || before.is("--") || before.is("!") || next.is("==") || next.is("!="))
      return {};
    if (before.is("=") || before.is("?") || before.is(":")) return alias_before(place.begin - 1);
    if (text_[place.end].is(";") && before.is_name() && !before.is("return")) return {};
    argument(place, function.parameters[parameter], use, depth);
    if (before.is("(") && place.begin >= 2) return alias_before(place.begin - 1);
    return {};
  }

  static void stored(const Token& next, const Token& before, Use& use) {
    const bool steps = next.is("++") || next.is("--") || before.is("++") || before.is("--");
    const bool changes = is_assignment(next) || steps;
    if (changes || next.is("=")) use.written = true;
    if (changes || !next.is("=")) use.read = true;
  }

  // x of `T* x = `; empty where none is declared.
  std::string alias_before(std::size_t sign) const {
    std::size_t at = sign;
    while (at > 0 && sign - at < 60 && !text_[at].is("=") && !text_[at].is(";") &&
           !text_[at].is("{"))
      --at;
    if (at == 0 || !text_[at].is("=") || !text_[at - 1].is_name()) return {};
    return text_[at - 1].text;
  }

  // Where the pointer is passed to.
  void argument(const Place& place, const DeclaredParameter& declared, Use& use, int depth) {
    std::size_t open = place.begin, number = 0;
    while (open > 0 && place.begin - open < 400) {
      --open;
      const Token& token = text_[open];
      if (token.is(")") || token.is("]") || token.is("}")) {
        if (token.match >= open) return unknown(declared, use);
        open = token.match;
        continue;
      }
      if (token.is(",")) ++number;
      if (token.is("(") || token.is("{") || token.is(";") || token.is("[")) break;
    }
    if (!text_[open].is("(") || open == 0) return unknown(declared, use);
    std::size_t name = open - 1;
    if (text_[name].is(">")) {
      while (name > 0 && open - name < 60 && !text_[name].is("<")) --name;
      if (name > 0) --name;
    }
    passed(text_[name].text, number, declared, use, depth);
  }

  void passed(const std::string& called, std::size_t number, const DeclaredParameter& declared,
              Use& use, int depth) {
    const auto has = [&called](std::string_view word) {
      return called.find(word) != std::string::npos;
    };
    if (called.starts_with("atomic")) {
      use.atomic = use.read = use.written = true;
      return;
    }
    if (called.starts_with("__ld") || has("load") || has("Load")) {
      use.read = true;
      return;
    }
    if (called.starts_with("__st") || has("store") || has("Store")) {
      use.written = true;
      return;
    }
    if (has("memcpy")) {
      (number == 0 || (has("async") && number == 1) ? use.written : use.read) = true;
      return;
    }
    for (const Function* function : declarations_.named(called)) {
      if (function->kernel || number >= function->parameters.size() || depth >= kMostDepth)
        continue;
      const std::vector<Use> inner = all(*function, depth + 1);
      use.read = use.read || inner[number].read;
      use.written = use.written || inner[number].written;
      use.atomic = use.atomic || inner[number].atomic;
      return;
    }
    if (called == "if" || called == "while" || called == "assert") return;
    unknown(declared, use);
  }

  static void unknown(const DeclaredParameter& declared, Use& use) {
    use.read = true;
    if (declared.type.find("const") == std::string::npos) use.written = true;
  }

  const TokenText& text_;
  const Declarations& declarations_;
  std::size_t visits_ = 0;
};

}  // namespace

std::vector<Use> parameter_uses(const TokenText& text, const Declarations& declarations,
                                const Function& function) {
  return UseReader(text, declarations).all(function, 0);
}

std::set<std::string, std::less<>> words_of_kernel(const TokenText& text,
                                                   const Declarations& declarations,
                                                   const std::string& kernel) {
  std::vector<const Function*> open = {declarations.kernel(kernel)};
  std::set<const Function*> seen(open.begin(), open.end());
  std::set<std::string, std::less<>> words;
  while (!open.empty()) {
    const Function* const function = open.back();
    open.pop_back();
    if (function == nullptr) continue;
    for (std::size_t i = function->body.begin; i < function->body.end; ++i) {
      const Token& token = text[i];
      if (!token.is_name() || !words.insert(token.text).second) continue;
      for (const Function* called : declarations.named(token.text)) {
        if (called->device && seen.insert(called).second) open.push_back(called);
      }
    }
  }
  return words;
}

}  // namespace warpscope::program
