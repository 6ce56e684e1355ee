// profiling/emulator/ptx/parser.cpp: tokens to the functions and variables of a module.
#include <algorithm>
#include <charconv>

#include "profiling/emulator/ptx/statements.h"

namespace warpscope {
namespace {

// "8.7" → 87; anything else → 0.
int version_of(std::string_view text) {
  const std::size_t dot = text.find('.');
  int major = 0, minor = 0;
  const auto read = [](std::string_view digits, int& value) {
    return std::from_chars(digits.data(), digits.data() + digits.size(), value).ec == std::errc();
  };
  if (!read(text.substr(0, dot), major)) return 0;
  if (dot != std::string_view::npos) read(text.substr(dot + 1), minor);
  return major * 10 + minor;
}

class Parser : private PtxStatementReader {
 public:
  Parser(std::string_view text, const std::string& name) : PtxStatementReader(text), name_(name) {}

  Result<PtxModule> module() {
    while (now_.kind != PtxToken::Kind::end || failed_) {
      const Place start = here();
      if (!failed_) module_item();
      if (failed_) skip_item(start);
    }
    const bool any = std::any_of(module_.functions.begin(), module_.functions.end(),
                                 [](const PtxFunction& f) { return f.defined; });
    if (!any && !module_.problems.empty()) {
      return failure(ErrorKind::input, module_.problems.front(), name_,
                     "give it the whole PTX that a compiler wrote, from .version on");
    }
    return std::move(module_);
  }

 private:
  // One thing that cannot be read refuses nothing else. A statement becomes one that faults where
  // it is reached, so does a function whose end cannot be told; what a name stands for that could
  // not be read is said where the name is used.

  // Notes what failed; its index in PtxModule::problems.
  std::uint32_t note_problem() {
    module_.problems.push_back("PTX line " + std::to_string(error_line_) + " cannot be read (" +
                               error_ + ")");
    failed_ = false;
    return static_cast<std::uint32_t>(module_.problems.size() - 1);
  }
  static bool begins_item(const PtxToken& t) {
    return t.is(".entry") || t.is(".func") || t.is(".visible") || t.is(".weak");
  }
  // To the end of what could not be read: after its ';', or after the '}' of its braces.
  void skip_item(const Place& start) {
    const std::uint32_t problem = note_problem();
    return_to(start);
    // What is not a directive belongs to the function before it, which ended too early.
    if (now_.kind != PtxToken::Kind::word || now_.text[0] != '.') spoil_last_function(problem);
    bool first = true;
    for (std::size_t depth = 0; now_.kind != PtxToken::Kind::end; first = false) {
      if (!first && begins_item(now_)) return;
      const bool ends = now_.is(';') && depth == 0, closes = now_.is('}');
      if (now_.is('{')) ++depth;
      if (closes && depth > 0) --depth;
      skip();
      if (ends || (closes && depth == 0)) return;
    }
  }
  void spoil_last_function(std::uint32_t problem) {
    if (module_.functions.empty() || !module_.functions.back().defined) return;
    PtxFunction& f = module_.functions.back();
    const bool spoiled = f.body.size() == 1 && f.body[0].kind == PtxStatement::Kind::unreadable;
    if (!spoiled) spoil(f, problem);
  }
  // A function of one statement that cannot be read.
  static void spoil(PtxFunction& f, std::uint32_t problem) {
    PtxStatement s;
    s.kind = PtxStatement::Kind::unreadable;
    s.index = problem;
    s.position = first_position(f);
    f.body.assign(1, s);
  }
  static std::uint32_t first_position(const PtxFunction& f) {
    for (const PtxStatement& s : f.body) {
      if (s.position != 0) return s.position;
    }
    return 0;
  }

  void module_item() {
    if (take(';')) return;
    if (now_.kind != PtxToken::Kind::word) {
      fail("expected a directive, found " + shown());
      return;
    }
    const std::string_view word = now_.text;
    if (word == ".version" || word == ".address_size") {
      advance();
      if (now_.kind != PtxToken::Kind::number) fail("expected a number, found " + shown());
      if (word == ".version") module_.version = version_of(now_.text);
      advance();
    } else if (word == ".target") {
      advance();
      do {
        const std::string_view target = expect_word();
        if (target.starts_with("sm_")) module_.target = target;
      } while (take(','));
    } else if (word == ".file") {
      file();
    } else if (word == ".section") {
      section();
    } else if (word == ".pragma" || word == ".alias") {
      skip_to_semicolon();
    } else if (word == ".loc") {
      location();
    } else {
      declaration();
    }
  }

  void file() {
    advance();
    const std::int64_t number = expect_integer();
    if (failed_) return;
    if (now_.kind != PtxToken::Kind::string) {
      fail("expected the name of a file, found " + shown());
      return;
    }
    module_.files[static_cast<int>(number)] = std::string(now_.text);
    advance();
    for (int i = 0; i < 2 && take(','); ++i) expect_integer();  // time and size
  }

  // Debug sections carry nothing that is needed: positions name functions only for display.
  void section() {
    advance();
    expect_word();
    expect('{');
    while (!failed_ && now_.kind != PtxToken::Kind::end && !now_.is('}')) advance();
    expect('}');
  }

  // Linkage, then a function or a variable.
  void declaration() {
    bool external = false;
    while (!failed_) {
      if (take(".visible") || take(".weak") || take(".common")) continue;
      if (take(".extern")) {
        external = true;
        continue;
      }
      break;
    }
    if (take(".entry")) {
      function(true);
    } else if (take(".func")) {
      function(false);
    } else if (now_.kind == PtxToken::Kind::word && ptx_space_of(now_.text) != PtxSpace::none) {
      const std::size_t before = module_.variables.size();
      variable(external);
      for (std::size_t i = before; i < module_.variables.size(); ++i) {
        module_.globals.push_back(static_cast<std::uint32_t>(i));
      }
    } else {
      fail("expected a function or a variable, found " + shown());
    }
  }

  void function(bool entry) {
    PtxFunction f;
    f.entry = entry;
    header(f);
    if (failed_) {
      if (f.name.empty()) return;
      // Without its parameters it can neither be launched nor called.
      f.defined = true;
      f.problem = "PTX line " + std::to_string(error_line_) + " cannot be read (" + error_ + ")";
      module_.functions.push_back(std::move(f));
      return;
    }
    if (!take(';')) {
      f.defined = true;
      position_ = 0;
      const Place start = here();
      body(f);
      if (failed_) {
        spoil(f, note_problem());
        return_to(start);
        skip_braces();
      }
      const std::uint32_t position = first_position(f);
      for (PtxStatement& s : f.body) {
        if (s.position == 0) s.position = position;
      }
    }
    module_.functions.push_back(std::move(f));
  }
  // Name, parameters and directives, up to the body.
  void header(PtxFunction& f) {
    take(".noreturn");
    if (take('(')) {
      if (!now_.is(')')) do
          f.results.push_back(parameter());
        while (take(','));
      expect(')');
    }
    f.name = expect_word();
    if (take('(')) {
      if (!now_.is(')')) do
          f.parameters.push_back(parameter());
        while (take(','));
      expect(')');
    }
    while (!failed_ && now_.kind == PtxToken::Kind::word && now_.text[0] == '.') {
      const std::string_view word = expect_word();
      if (word == ".noreturn") continue;
      if (word == ".pragma") {
        skip_to_semicolon();
        continue;
      }
      std::int64_t product = 1;
      std::array<std::int64_t, 3> extents = {1, 1, 1};
      std::size_t given = 0;
      while (!failed_ && now_.kind == PtxToken::Kind::number) {
        const std::int64_t n = expect_integer();
        if (given < extents.size()) extents[given++] = n;
        product = n > 0 && n <= 1 << 16 && product < 1 << 20 ? product * n : product;
        if (!take(',')) break;
      }
      if (word == ".maxntid" || word == ".reqntid") f.most_threads = product;
      if (word == ".reqntid") f.required_block = extents;
      if (word == ".reqnctapercluster" && given > 0) f.required_cluster = extents;
    }
    if (!failed_ && !now_.is(';') && !now_.is('{')) expect('{');
  }
  // Moves past the braces that begin here, or to text that can only begin another function.
  void skip_braces() {
    std::size_t depth = 0;
    while (now_.kind != PtxToken::Kind::end && !begins_item(now_)) {
      if (now_.is('{')) ++depth;
      if (now_.is('}')) --depth;
      skip();
      if (depth == 0) return;
    }
  }

  void body(PtxFunction& f) {
    expect('{');
    std::size_t depth = 1;
    while (!failed_ && depth > 0) {
      PtxStatement s;
      s.line = now_.line;
      s.position = position_;
      if (now_.kind == PtxToken::Kind::end || begins_item(now_)) {
        fail("the function " + std::string(f.name.substr(0, 80)) + " does not end");
      } else if (take(';')) {
      } else if (take('{')) {
        if (++depth > kMostNesting) fail("blocks are nested too deeply");
        s.kind = PtxStatement::Kind::open;
        f.body.push_back(s);
      } else if (take('}')) {
        --depth;
        s.kind = PtxStatement::Kind::close;
        if (depth > 0) f.body.push_back(s);
      } else if (now_.is(".loc")) {
        location();
      } else {
        const Place start = here();
        assembly_ = now_.assembly;
        statement(f, s);
        if (failed_) skip_statement(f, s, start);
      }
    }
  }
  void statement(PtxFunction& f, PtxStatement s) {
    if (now_.is(".pragma")) {
      skip_to_semicolon();
    } else if (now_.is(".reg")) {
      registers(f);
    } else if (now_.kind == PtxToken::Kind::word &&
               (ptx_space_of(now_.text) != PtxSpace::none || now_.text == ".extern")) {
      const bool external = take(".extern");
      const std::size_t before = module_.variables.size();
      variable(external);
      s.kind = PtxStatement::Kind::variable;
      for (std::size_t i = before; i < module_.variables.size(); ++i) {
        s.index = static_cast<std::uint32_t>(i);
        f.body.push_back(s);
      }
    } else {
      instruction(f, s);
    }
  }
  // Moves past the ';' of a statement that could not be read, or before the '}' of the block around
  // it.
  void skip_statement(PtxFunction& f, PtxStatement s, const Place& start) {
    s.kind = PtxStatement::Kind::unreadable;
    s.index = note_problem();
    f.body.push_back(s);
    return_to(start);
    std::size_t depth = 0;
    while (now_.kind != PtxToken::Kind::end && !begins_item(now_)) {
      if (now_.is('}') && depth-- == 0) return;
      if (now_.is('{')) ++depth;
      const bool ends = now_.is(';');
      skip();
      if (ends) return;
    }
  }

  std::string name_;
};

}  // namespace

std::uint64_t function_address(const PtxModule& module, std::string_view name) {
  // Machine code may take the lower half of an address for an offset in a bank of constants: it is
  // none that a bank has.
  constexpr std::uint64_t kApart = 64, kBeyondBanks = 1 << 30;
  const auto found = std::find_if(module.functions.begin(), module.functions.end(),
                                  [&](const PtxFunction& f) { return f.name == name; });
  if (found == module.functions.end()) return 0;
  return kFunctionWindow + kBeyondBanks +
         kApart * static_cast<std::uint64_t>(found - module.functions.begin() + 1);
}

Result<PtxModule> parse_ptx(std::string_view text, const std::string& name) {
  return Parser(text, name).module();
}

}  // namespace warpscope
