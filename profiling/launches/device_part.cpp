// profiling/launches/device_part.cpp: what of a CUDA text a GPU needs, where the rest does not
// compile.
#include "profiling/launches/device_part.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace warpscope {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Whether a part has a word by itself.
bool has_word(std::string_view part, std::string_view word) {
  for (std::size_t at = 0; (at = part.find(word, at)) != std::string_view::npos; ++at) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(part[at - 1])) && (end == part.size() || !is_word(part[end])))
      return true;
  }
  return false;
}

std::string_view trimmed(std::string_view part) {
  const std::size_t begin = std::min(part.find_first_not_of(" \t\r\n"), part.size());
  part.remove_prefix(begin);
  const std::size_t end = part.find_last_not_of(" \t\r\n");
  return part.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

std::string_view first_word(std::string_view part) {
  part = trimmed(part);
  std::size_t end = 0;
  while (end < part.size() && is_word(part[end])) ++end;
  return part.substr(0, end);
}

// "x.h" of `#include "x.h"`; empty: the line is another.
std::string included_by(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with('#')) return "";
  line = trimmed(line.substr(1));
  if (!line.starts_with("include")) return "";
  const std::size_t open = line.find_first_of("\"<"), close = line.find_first_of("\">", open + 1);
  if (open == std::string_view::npos || close == std::string_view::npos) return "";
  return std::string(line.substr(open + 1, close - open - 1));
}

class DevicePart {
 public:
  DevicePart(std::string_view text, const std::set<std::string>& left_out)
      : out_(text), plain_(text), directive_(text.size()), left_out_(left_out) {}
  std::string made() {
    hide_words();
    read(0, plain_.size(), 0);
    return std::move(out_);
  }

 private:
  // Comments, texts and directives become blanks in the copy that is searched for brackets.
  void hide_words() {
    bool line_begins = true;
    for (std::size_t at = 0; at < plain_.size();) {
      const char c = plain_[at];
      std::size_t end = at;
      if (c == '/' && plain_.compare(at, 2, "//") == 0) {
        end = std::min(plain_.find('\n', at), plain_.size());
      } else if (c == '/' && plain_.compare(at, 2, "/*") == 0) {
        end = std::min(std::min(plain_.find("*/", at + 2), plain_.size() - 2) + 2, plain_.size());
      } else if (c == '"' || (c == '\'' && (at == 0 || !is_word(plain_[at - 1])))) {
        end = after_text(at);
      } else if (c == '#' && line_begins) {
        end = after_directive(at);
        std::fill(directive_.begin() + at_(at), directive_.begin() + at_(end), true);
        if (left_out_.count(included_by(std::string_view(plain_).substr(at, end - at))) > 0)
          blank(out_, at, end);
      }
      if (end > at) {
        blank(plain_, at, end);
        at = end;
        continue;
      }
      if (c == '\n') line_begins = true;
      if (c != ' ' && c != '\t' && c != '\n' && c != '\r') line_begins = false;
      ++at;
    }
  }
  static std::ptrdiff_t at_(std::size_t place) { return static_cast<std::ptrdiff_t>(place); }
  static void blank(std::string& text, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (text[i] != '\n') text[i] = ' ';
    }
  }
  std::size_t after_text(std::size_t at) const {
    const char quote = plain_[at];
    if (quote == '"' && at > 0 && plain_[at - 1] == 'R') {
      const std::size_t open = plain_.find('(', at);
      if (open != std::string::npos && open - at < 18) {
        const std::string close = ")" + plain_.substr(at + 1, open - at - 1) + "\"";
        const std::size_t end = plain_.find(close, open);
        return end == std::string::npos ? plain_.size() : end + close.size();
      }
    }
    for (std::size_t i = at + 1; i < plain_.size(); ++i) {
      if (plain_[i] == '\\')
        ++i;
      else if (plain_[i] == quote || plain_[i] == '\n')
        return i + 1;
    }
    return plain_.size();
  }
  std::size_t after_directive(std::size_t at) const {
    std::size_t end = at;
    do {
      end = std::min(plain_.find('\n', end + 1), plain_.size());
    } while (end < plain_.size() && end > 0 && plain_[end - 1] == '\\');
    return end;
  }

  // After the bracket that closes the one at `at`.
  std::size_t after_bracket(std::size_t at) const {
    int depth = 0;
    for (std::size_t i = at; i < plain_.size(); ++i) {
      const char c = plain_[i];
      if (c == '(' || c == '[' || c == '{') ++depth;
      if ((c == ')' || c == ']' || c == '}') && --depth == 0) return i + 1;
    }
    return plain_.size();
  }

  void read(std::size_t begin, std::size_t end, int depth) {
    constexpr int kMostDepth = 30;
    if (depth > kMostDepth) return;
    for (std::size_t at = begin; at < end;) {
      if (std::isspace(static_cast<unsigned char>(plain_[at])) != 0 || plain_[at] == '}') {
        ++at;
        continue;
      }
      at = std::max(item(at, end, depth), at + 1);
    }
  }

  // A declaration or a namespace; gives the place after it.
  std::size_t item(std::size_t begin, std::size_t end, int depth) {
    for (std::size_t at = begin; at < end;) {
      const char c = plain_[at];
      const std::string_view head = std::string_view(plain_).substr(begin, at - begin);
      if (c == ';') return judged(begin, at + 1, head, false);
      if (c == '(' || c == '[') {
        at = after_bracket(at);
        continue;
      }
      if (c != '{') {
        ++at;
        continue;
      }
      const std::size_t after = std::min(after_bracket(at), end);
      const std::string_view word = first_word(head);
      if (word == "namespace" || (word == "inline" && has_word(head, "namespace")) ||
          trimmed(head) == "extern") {
        read(at + 1, after - 1, depth + 1);
        return after;
      }
      if (is_type(head)) {
        const std::size_t semicolon = plain_.find(';', after);
        return std::min(semicolon == std::string::npos ? after : semicolon + 1, end);
      }
      if (is_initialised(head)) {
        at = after;  // as far as its semicolon
        continue;
      }
      return judged(begin, after, head, true);
    }
    return end;
  }

  // What follows "template <…>", if that stands there.
  static std::string_view after_template(std::string_view head) {
    head = trimmed(head);
    while (first_word(head) == "template") {
      const std::size_t open = std::string_view("template").size();
      const std::size_t next = head.find_first_not_of(" \t\r\n", open);
      if (next == std::string_view::npos || head[next] != '<') return head;
      int depth = 0;
      std::size_t at = next;
      for (; at < head.size(); ++at) {
        if (head[at] == '<') ++depth;
        if (head[at] == '>' && --depth == 0) break;
      }
      head = trimmed(head.substr(std::min(at + 1, head.size())));
    }
    return head;
  }

  // "int x[] ="; not "void f(int a = 3)".
  static bool is_initialised(std::string_view head) {
    head = after_template(head);
    const std::size_t equals = head.find('=');
    return equals != std::string_view::npos && equals < head.find('(');
  }

  // "struct __align__(8) Pair", "template <typename T> class A : public B"
  static bool is_type(std::string_view head) {
    head = after_template(head);
    const std::string_view word = first_word(head);
    const bool named = word == "struct" || word == "class" || word == "union" || word == "enum" ||
                       word == "typedef";
    if (!named) return false;
    const std::size_t open = head.find('(');
    return open == std::string_view::npos || head.find("lign") < open ||
           head.find("__attribute__") < open;
  }

  // Blanks what only a host needs.
  std::size_t judged(std::size_t begin, std::size_t end, std::string_view head, bool body) {
    const std::string_view all = std::string_view(plain_).substr(begin, end - begin);
    for (const char* word :
         {"__global__", "__device__", "__constant__", "__shared__", "__managed__"}) {
      if (has_word(head, word) || (!body && has_word(all, word))) return end;
    }
    const std::string_view word = first_word(after_template(head));
    for (const char* kept : {"using", "typedef", "static_assert", "namespace"}) {
      if (word == kept) return end;
    }
    if (is_type(head)) return end;
    const bool constant = has_word(head, "const") || has_word(head, "constexpr");
    if (constant && !body) return end;
    if (body && has_word(head, "constexpr")) return end;
    for (std::size_t i = begin; i < end; ++i) {
      if (out_[i] != '\n' && !directive_[i]) out_[i] = ' ';
    }
    return end;
  }

  std::string out_, plain_;
  std::vector<bool> directive_;
  const std::set<std::string>& left_out_;
};

}  // namespace

std::string device_part(std::string_view text, const std::set<std::string>& left_out) {
  return DevicePart(text, left_out).made();
}

std::set<std::string> host_headers(const std::vector<std::string>& included) {
  static const auto& host = *new std::set<std::string>{
      "algorithm", "array",         "chrono",        "cmath",       "cstdio",     "cstdlib",
      "cstring",   "ctime",         "deque",         "fstream",     "functional", "iomanip",
      "iostream",  "list",          "map",           "memory",      "mutex",      "numeric",
      "random",    "set",           "sstream",       "stdexcept",   "stdio.h",    "stdlib.h",
      "string",    "string.h",      "sys/time.h",    "thread",      "time.h",     "unistd.h",
      "vector",    "unordered_map", "unordered_set", "cublas_v2.h", "curand.h",   "cusparse.h"};
  std::set<std::string> found;
  for (const std::string& name : included) {
    if (host.count(name) > 0) found.insert(name);
  }
  return found;
}

std::string missing_include(std::string_view log) {
  constexpr std::string_view kAbsent = ": No such file or directory",
                             kFatal = "fatal error: ", kOpen = "could not open source file \"",
                             kOther = "cannot open source file \"";
  if (const std::size_t end = log.find(kAbsent); end != std::string_view::npos) {
    const std::size_t begin = log.rfind(kFatal, end);
    if (begin != std::string_view::npos)
      return std::string(log.substr(begin + kFatal.size(), end - begin - kFatal.size()));
  }
  for (const std::string_view before : {kOpen, kOther}) {
    const std::size_t begin = log.find(before);
    if (begin == std::string_view::npos) continue;
    const std::size_t at = begin + before.size();
    return std::string(log.substr(at, log.find('"', at) - at));
  }
  return "";
}

std::string left_out_text(const std::set<std::string>& missing) {
  std::string text = "only the device part was compiled";
  for (const std::string& one : missing) text += (one == *missing.begin() ? ": " : ", ") + one;
  if (!missing.empty()) text += missing.size() == 1 ? " is not here" : " are not here";
  return text;
}

Error error_of_parts(const Error& whole, const Error& parts, const std::set<std::string>& missing) {
  if (missing.empty() || !missing_include(parts.what).empty()) return whole;
  Error error = parts;
  error.what += "\n" + left_out_text(missing);
  return error;
}

}  // namespace warpscope
