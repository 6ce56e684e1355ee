// profiling/emulator/probes/ptx_body.cpp: the statements of a PTX entry, and where they stand in
// the text.
#include "profiling/emulator/probes/ptx_body.h"

#include <charconv>
#include <tuple>

#include "profiling/emulator/ptx/lexer.h"

namespace warpscope {
namespace {

class BodyReader {
 public:
  BodyReader(std::string_view text, std::string_view entry)
      : text_(text), entry_(entry), lexer_(text) {
    now_ = lexer_.next();
  }

  Result<PtxBody> read() {
    bool found = false;
    while (now_.kind != PtxToken::Kind::end) {
      if (now_.is(".file")) {
        read_file();
      } else if (now_.is(".entry") || now_.is(".func")) {
        if (read_function(now_.is(".entry"))) found = true;
      } else if (now_.is(".version") || now_.is(".target") || now_.is(".address_size")) {
        const int line = now_.line;
        while (!ended() && now_.line == line) advance();
        body_.variables = begin_of(now_);
      } else {
        advance();
      }
    }
    if (!found || depth_ != 0) {
      return failure(ErrorKind::input,
                     "the PTX has no entry " + std::string(entry_) + " that can be read", "PTX",
                     "name an entry that `warpscope kernels` lists");
    }
    return std::move(body_);
  }

 private:
  std::size_t begin_of(const PtxToken& token) const {
    // The text of a string is without its quotes.
    return static_cast<std::size_t>(token.text.data() - text_.data()) -
           (token.kind == PtxToken::Kind::string ? 1 : 0);
  }
  std::size_t end_of(const PtxToken& token) const {
    return static_cast<std::size_t>(token.text.data() - text_.data()) + token.text.size();
  }
  void advance() { now_ = lexer_.next(); }
  bool ended() const { return now_.kind == PtxToken::Kind::end; }
  int number() const {
    int value = 0;
    std::from_chars(now_.text.data(), now_.text.data() + now_.text.size(), value);
    return value;
  }

  void read_file() {
    const int line = now_.line;
    advance();
    const int file = number();
    while (!ended() && now_.line == line && now_.kind != PtxToken::Kind::string) advance();
    if (now_.kind == PtxToken::Kind::string && now_.line == line) {
      body_.files[file] = std::string(now_.text);
      advance();
    }
    while (!ended() && now_.line == line) advance();  // a time and a size may follow
  }

  // Whether it was the entry, with a body.
  bool read_function(bool is_entry) {
    bool own = false;
    advance();
    // A function's results stand before its name.
    while (!ended() && !now_.is('{') && !now_.is(';')) {
      own = own || (is_entry && now_.is(entry_));
      advance();
    }
    if (ended() || now_.is(';')) return false;
    if (!own) {
      skip_braces();
      return false;
    }
    body_.entry = entry_;
    body_.begin = end_of(now_);
    advance();
    read_statements();
    return true;
  }

  void skip_braces() {
    int depth = 0;
    do {
      depth += now_.is('{') ? 1 : now_.is('}') ? -1 : 0;
      advance();
    } while (!ended() && depth > 0);
  }

  void read_statements() {
    depth_ = 1;
    while (!ended() && depth_ > 0) {
      if (now_.is('{') || now_.is('}')) {
        depth_ += now_.is('{') ? 1 : -1;
        if (depth_ == 0) {
          body_.end = begin_of(now_);
        } else {
          add(now_.is('{') ? BodyStatement::Kind::open : BodyStatement::Kind::close);
          body_.statements.back().end = end_of(now_);
        }
        advance();
      } else if (now_.is(';')) {
        advance();
      } else if (now_.is(".loc")) {
        read_loc();
      } else if (now_.kind == PtxToken::Kind::word && now_.text.starts_with('.')) {
        read_directive();
      } else {
        read_instruction();
      }
    }
  }

  BodyStatement& add(BodyStatement::Kind kind) {
    BodyStatement& s = body_.statements.emplace_back();
    s.kind = kind;
    s.begin = begin_of(now_);
    s.position = own_position();
    return s;
  }

  // .loc file line column [, function_name label [+ offset], inlined_at file line column]
  void read_loc() {
    const int line = now_.line;
    int numbers[6] = {}, count = 0;
    bool inlined = false;
    advance();
    while (!ended() && now_.line == line) {
      if (now_.is("inlined_at")) inlined = true, count = 3;
      if (now_.kind == PtxToken::Kind::number && count < 6 && (count < 3 || inlined))
        numbers[count++] = number();
      advance();
    }
    at_ = {numbers[0], numbers[1], numbers[2]};
    if (inlined) {
      outer_[at_] = {numbers[3], numbers[4], numbers[5]};
    } else if (main_file_ == 0) {
      main_file_ = numbers[0];
    }
  }

  // Walks from inlined code to the call in the kernel's own file. A later .loc of inlined code may
  // lack the call: then it is the one that was said last.
  BodyPosition own_position() const {
    Place at = at_;
    for (int steps = 0; steps < 64 && std::get<0>(at) != main_file_; ++steps) {
      const auto outer = outer_.find(at);
      if (outer == outer_.end()) break;
      at = outer->second;
    }
    return {std::get<0>(at), std::get<1>(at)};
  }

  void read_directive() {
    const bool targets = now_.is(".branchtargets");
    if (targets) add(BodyStatement::Kind::targets);
    while (!ended() && !now_.is(';')) {
      if (targets && now_.kind == PtxToken::Kind::word)
        body_.statements.back().words.push_back(now_.text);
      advance();
    }
    if (targets) body_.statements.back().end = end_of(now_);
  }

  void read_instruction() {
    BodyStatement& s = add(BodyStatement::Kind::instruction);
    if (now_.is('@')) {
      s.guard_begin = s.begin;
      advance();
      if (now_.is('!')) {
        s.guard_negated = true;
        advance();
      }
      s.guard = now_.text;
      advance();
    }
    s.name = now_.text;
    advance();
    if (now_.is(':')) {
      s.kind = BodyStatement::Kind::label;
      s.end = end_of(now_);
      advance();
      // A list of targets has a label of its own.
      return;
    }
    body_.calls = body_.calls || s.name.starts_with("call");
    while (!ended() && !now_.is(';')) {
      if (now_.kind == PtxToken::Kind::word) s.words.push_back(now_.text);
      advance();
    }
    s.end = ended() ? text_.size() : end_of(now_);
  }

  using Place = std::tuple<int, int, int>;  // file, line, column
  std::string_view text_, entry_;
  PtxLexer lexer_;
  PtxToken now_;
  PtxBody body_;
  int depth_ = 0;
  int main_file_ = 0;
  Place at_{};
  std::map<Place, Place> outer_;
};

}  // namespace

Result<PtxBody> read_ptx_body(std::string_view text, std::string_view entry) {
  return BodyReader(text, entry).read();
}

}  // namespace warpscope
