// profiling/listings/active_lines.cpp: which lines of a text the preprocessor leaves out.
#include "profiling/listings/active_lines.h"

#include <algorithm>
#include <set>

#include "profiling/listings/condition.h"
#include "profiling/listings/kernel_text.h"

namespace warpscope {
namespace {

constexpr int kMostIncludes = 32;  // headers within headers

// A directive, comments taken out: "if", "TYPE == 2"; an empty word: the line is none.
struct Directive {
  std::string word, rest;
};

// Takes comments out of a line; `inside` says whether one that goes over lines is open.
std::string without_comments(std::string_view line, bool& inside) {
  std::string code;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::string_view rest = line.substr(i);
    if (inside) {
      if (rest.starts_with("*/")) inside = false, ++i;
    } else if (rest.starts_with("//")) {
      break;
    } else if (rest.starts_with("/*")) {
      inside = true, ++i;
      code += ' ';
    } else {
      code += line[i];
    }
  }
  return code;
}

Directive directive_of(std::string_view code) {
  const auto skip = [&code] {
    const std::size_t begin = code.find_first_not_of(" \t");
    code = begin == std::string_view::npos ? std::string_view{} : code.substr(begin);
  };
  skip();
  if (code.empty() || code.front() != '#') return {};
  code.remove_prefix(1);
  skip();
  const std::size_t end = std::min(code.find_first_of(" \t(!\"<"), code.size());
  Directive directive{std::string(code.substr(0, end)), ""};
  code = code.substr(end);
  skip();
  const std::size_t last = code.find_last_not_of(" \t\r");
  directive.rest = code.substr(0, last == std::string_view::npos ? 0 : last + 1);
  return directive;
}

// One #if with its branches so far.
struct Group {
  Decided taken = Decided::no;  // whether a branch before this one was compiled
  Decided here = Decided::no;   // whether this one is, as far as this #if decides
};

Decided both(Decided a, Decided b) {
  if (a == Decided::no || b == Decided::no) return Decided::no;
  return a == Decided::yes && b == Decided::yes ? Decided::yes : Decided::open;
}
Decided either(Decided a, Decided b) {
  if (a == Decided::yes || b == Decided::yes) return Decided::yes;
  return a == Decided::no && b == Decided::no ? Decided::no : Decided::open;
}
Decided opposite(Decided a) {
  return a == Decided::open ? a : a == Decided::yes ? Decided::no : Decided::yes;
}

// Goes through texts as the preprocessor does and keeps what names stand for.
class Preprocessor {
 public:
  Preprocessor(const Defines& defines, const HeaderLookup& header) : header_(header) {
    for (const auto& [name, value] : defines) macros_.texts[name] = value.empty() ? "1" : value;
  }

  // `active_text`: whether the text is compiled at all.
  std::vector<std::size_t> read(const std::vector<std::string>& lines,
                                Decided active_text = Decided::yes) {
    std::vector<std::size_t> inactive;
    std::vector<Group> groups;
    bool comment = false;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::size_t first = i;
      std::string code = without_comments(lines[i], comment);
      while (code.ends_with('\\') && i + 1 < lines.size()) {
        code.pop_back();
        code += without_comments(lines[++i], comment);
      }
      const Directive directive = directive_of(code);
      if (is_condition(directive.word)) {
        branch(directive, groups);
        continue;
      }
      const Decided active = both(active_text, state_of(groups));
      if (active == Decided::no) {
        for (std::size_t line = first; line <= i; ++line) inactive.push_back(line);
      } else if (!directive.word.empty()) {
        obey(directive, active);
      }
    }
    return inactive;
  }

 private:
  static bool is_condition(std::string_view word) {
    return word == "if" || word == "ifdef" || word == "ifndef" || word == "elif" ||
           word == "else" || word == "endif";
  }
  static Decided state_of(const std::vector<Group>& groups) {
    Decided state = Decided::yes;
    for (const Group& group : groups) state = both(state, group.here);
    return state;
  }

  Decided truth_of(const Directive& d) const {
    if (d.word == "ifdef") return is_defined(macros_, d.rest);
    if (d.word == "ifndef") return opposite(is_defined(macros_, d.rest));
    const std::optional<std::int64_t> value = value_of_condition(d.rest, macros_);
    return !value ? Decided::open : *value != 0 ? Decided::yes : Decided::no;
  }

  void branch(const Directive& d, std::vector<Group>& groups) const {
    if (d.word.starts_with("if")) {
      const Decided here = truth_of(d);
      groups.push_back({here, here});
      return;
    }
    if (groups.empty()) return;  // the compiler will say so
    if (d.word == "endif") return groups.pop_back();
    Group& group = groups.back();
    const Decided truth = d.word == "else" ? Decided::yes : truth_of(d);
    group.here = both(opposite(group.taken), truth);
    group.taken = either(group.taken, truth);
  }

  void obey(const Directive& d, Decided active) {
    if (d.word == "define" || d.word == "undef") {
      const std::size_t end = std::min(d.rest.find_first_of(" \t("), d.rest.size());
      const std::string name = d.rest.substr(0, end);
      const bool arguments = end < d.rest.size() && d.rest[end] == '(';
      if (active == Decided::open) {
        macros_.open.insert(name);
      } else if (d.word == "undef") {
        macros_.texts.erase(name), macros_.open.erase(name);
      } else {
        macros_.texts[name] = arguments ? "" : d.rest.substr(end);
        macros_.open.erase(name);
      }
    } else if (d.word == "include" && d.rest.starts_with("\"") && header_) {
      include(d.rest.substr(1, d.rest.find('"', 1) - 1), active);
    }
  }

  // A header counts once, as all of ours do (#pragma once).
  void include(const std::string& name, Decided active) {
    if (depth_ >= kMostIncludes || !included_.insert(name).second) return;
    const std::optional<std::string> text = header_(name);
    if (!text) return;
    ++depth_;
    read(lines_of(*text), active);
    --depth_;
  }

  const HeaderLookup& header_;
  Macros macros_;
  std::set<std::string> included_;
  int depth_ = 0;
};

}  // namespace

std::vector<std::size_t> inactive_lines(const std::vector<std::string>& lines,
                                        const Defines& defines, const HeaderLookup& header) {
  return Preprocessor(defines, header).read(lines);
}

}  // namespace warpscope
