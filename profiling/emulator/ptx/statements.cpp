// profiling/emulator/ptx/statements.cpp: declarations, positions and instructions of PTX.
#include "profiling/emulator/ptx/statements.h"

#include <algorithm>
#include <cstring>

namespace warpscope {
namespace {

// More than any real module has; keeps a broken text from taking all memory.
constexpr std::int64_t kMostVariableBytes = 1 << 28;
constexpr std::int64_t kMostRegisters = 1 << 20;

}  // namespace

PtxSpace ptx_space_of(std::string_view word) {
  if (word == ".reg") return PtxSpace::reg;
  if (word == ".param") return PtxSpace::param;
  if (word == ".global") return PtxSpace::global;
  if (word == ".shared" || word == ".shared::cta") return PtxSpace::shared;
  if (word == ".local") return PtxSpace::local;
  if (word == ".const") return PtxSpace::constant;
  return PtxSpace::none;
}

int ptx_type_bytes(std::string_view type) {
  if (type == "pred") return 1;
  if (type == "f16x2" || type == "bf16x2") return 4;
  if (type == "f16" || type == "bf16") return 2;
  if (type == "tf32") return 4;
  if (type == "b128") return 16;
  if (type.size() < 2 || type.size() > 3) return 0;
  if (type[0] != 'b' && type[0] != 'u' && type[0] != 's' && type[0] != 'f') return 0;
  const std::string_view bits = type.substr(1);
  if (bits == "8") return type[0] == 'f' ? 0 : 1;
  if (bits == "16") return 2;
  if (bits == "32") return 4;
  if (bits == "64") return 8;
  return 0;
}

// An attribute that is not known costs the rest of the line, which is only for display.
void PtxStatementReader::location() {
  const int line = now_.line;
  // LLVM counts the lines of a text of inline assembly from the line of its call on: Triton's loads
  // would be on the line after theirs. What stands before its first instruction is the call's.
  const bool counted = now_.assembly != 0 && now_.assembly == assembly_;
  const std::uint32_t before = position_;
  read_location();
  if (counted) position_ = before;
  if (!failed_) return;
  failed_ = false;
  while (now_.kind != PtxToken::Kind::end && now_.line == line) skip();
}
void PtxStatementReader::read_location() {
  advance();
  PtxPosition position;
  position.file = static_cast<int>(expect_integer());
  position.line = static_cast<int>(expect_integer());
  position.column = static_cast<int>(expect_integer());
  while (take(',')) {
    const std::string_view attribute = expect_word();
    if (attribute == "function_name") {
      expect_word();
      if (take('+')) expect_integer();
    } else if (attribute == "inlined_at") {
      PtxPosition outer;
      outer.file = static_cast<int>(expect_integer());
      outer.line = static_cast<int>(expect_integer());
      outer.column = static_cast<int>(expect_integer());
      if (failed_) return;
      position.outer = find_position(outer);
    } else {
      fail("expected function_name or inlined_at");
    }
  }
  if (failed_ || position.line == 0) return;  // made by the compiler: keep the line before
  module_.positions.push_back(position);
  position_ = static_cast<std::uint32_t>(module_.positions.size() - 1);
  latest_[key_of(position)] = position_;
}
std::array<int, 3> PtxStatementReader::key_of(const PtxPosition& p) {
  return {p.file, p.line, p.column};
}
// The latest .loc of that place; one that was never seen is made.
int PtxStatementReader::find_position(const PtxPosition& wanted) {
  const auto found = latest_.find(key_of(wanted));
  if (found != latest_.end()) return static_cast<int>(found->second);
  module_.positions.push_back(wanted);
  const auto index = static_cast<std::uint32_t>(module_.positions.size() - 1);
  latest_[key_of(wanted)] = index;
  return static_cast<int>(index);
}

// One parameter: .param .align 8 .b8 name[40], with .ptr attributes.
PtxVariable PtxStatementReader::parameter() {
  PtxVariable v;
  v.space = ptx_space_of(expect_word());
  if (v.space != PtxSpace::param && v.space != PtxSpace::reg) fail("expected a parameter");
  int bytes = 0;
  while (!failed_ && now_.kind == PtxToken::Kind::word && now_.text[0] == '.') {
    const std::string_view word = expect_word();
    if (word == ".align") {
      v.alignment = expect_integer();
    } else if (const int b = ptx_type_bytes(word.substr(1)); b > 0) {
      bytes = b;
      v.type = word.substr(1);
    } else if (word == ".ptr") {
      v.pointer = true;
    } else if (ptx_space_of(word) == PtxSpace::none) {
      fail("unknown attribute of a parameter");
    }
  }
  v.name = expect_word();
  v.element_bytes = bytes;
  v.bytes = bytes * array_elements();
  finish(v);
  return v;
}
// The product of [n][m]…; 1 without brackets, 0 for [].
std::int64_t PtxStatementReader::array_elements() {
  std::int64_t elements = 1;
  while (take('[')) {
    std::int64_t n = 0;
    if (!now_.is(']')) n = expect_integer();
    expect(']');
    if (n < 0 || n > kMostVariableBytes || (elements > 0 && n > kMostVariableBytes / elements)) {
      fail("an array is too large");
      return 0;
    }
    elements *= n;
  }
  return elements;
}
void PtxStatementReader::finish(PtxVariable& v) {
  v.alignment = std::max(v.alignment, std::max<std::int64_t>(v.element_bytes, 1));
  if (v.element_bytes == 0) fail("a variable has no type");
  if (v.alignment > 1 << 16 || (v.alignment & (v.alignment - 1)) != 0) {
    fail("an alignment is not a power of two");
  }
  if (v.bytes > kMostVariableBytes) fail("an array is too large");
}

void PtxStatementReader::registers(PtxFunction& f) {
  PtxStatement s;
  s.kind = PtxStatement::Kind::registers;
  s.line = now_.line;
  advance();
  std::string_view type = expect_word();
  while (type == ".v2" || type == ".v4" || type == ".align") {
    fail("registers of vector types are not known");
    return;
  }
  if (failed_) return;
  s.name = type.substr(1);
  if (type[0] != '.' || ptx_type_bytes(s.name) == 0) {
    fail("unknown type of a register");
    return;
  }
  s.first = static_cast<std::uint32_t>(module_.operands.size());
  do {
    PtxOperand name;
    name.name = expect_word();
    if (take('<')) {
      name.value = expect_integer();
      expect('>');
      registers_ += name.value;
      if (name.value < 1 || name.value > kMostRegisters) fail("the number of registers is wrong");
    } else {
      ++registers_;
    }
    if (registers_ > kMostRegisters) fail("there are too many registers");
    module_.operands.push_back(name);
    ++s.count;
  } while (take(','));
  expect(';');
  if (!failed_) f.body.push_back(s);
}

// .shared .align 4 .b8 s[1024], t[16] = {1, 2};
void PtxStatementReader::variable(bool external) {
  PtxVariable head;
  head.space = ptx_space_of(expect_word());
  head.external = external;
  int bytes = 0, lanes = 1;
  while (!failed_ && now_.kind == PtxToken::Kind::word && now_.text[0] == '.') {
    const std::string_view word = expect_word();
    if (word == ".align") {
      head.alignment = expect_integer();
    } else if (word == ".v2" || word == ".v4") {
      lanes = word[2] - '0';
    } else if (word == ".attribute") {
      expect('(');
      while (!failed_ && now_.kind != PtxToken::Kind::end && !now_.is(')')) advance();
      expect(')');
    } else if (const int b = ptx_type_bytes(word.substr(1)); b > 0) {
      bytes = b * lanes;
    } else {
      fail("unknown attribute of a variable");
    }
  }
  do {
    PtxVariable v = head;
    v.name = expect_word();
    v.element_bytes = bytes;
    v.bytes = bytes * array_elements();
    finish(v);
    if (take('=')) initial_values(v, bytes / lanes);
    if (failed_) return;
    if (v.initial.size() > static_cast<std::size_t>(v.bytes)) {
      fail("a variable has more values than elements");
      return;
    }
    module_.variables.push_back(std::move(v));
  } while (take(','));
  expect(';');
}
void PtxStatementReader::initial_values(PtxVariable& v, int bytes, std::size_t depth) {
  if (depth > kMostNesting) {
    fail("values are nested too deeply");
    return;
  }
  if (take('{')) {
    if (!now_.is('}')) do
        initial_values(v, bytes, depth + 1);
      while (take(','));
    expect('}');
    return;
  }
  std::uint64_t bits = 0;
  if (now_.kind == PtxToken::Kind::word) {
    PtxVariable::Address address;
    address.offset = static_cast<std::int64_t>(v.initial.size());
    address.name = expect_word();
    if (address.name == "generic" && take('(')) {
      address.name = expect_word();
      expect(')');
    }
    if (take('+')) address.addend = expect_integer();
    if (bytes != 8) fail("an address does not fit its element");
    v.addresses.push_back(address);
  } else {
    const PtxOperand value = number_operand();
    bits = static_cast<std::uint64_t>(value.value);
  }
  if (failed_ || bytes < 1 || bytes > 8) return;
  std::byte raw[8];
  std::memcpy(raw, &bits, sizeof raw);
  v.initial.insert(v.initial.end(), raw, raw + bytes);
  if (v.initial.size() > static_cast<std::size_t>(kMostVariableBytes)) fail("too many values");
}

// "mov.b32", also with white space before a dot.
std::string_view PtxStatementReader::opcode() {
  const std::string_view word = expect_word();
  if (failed_ || word[0] == '.' || now_.kind != PtxToken::Kind::word || now_.text[0] != '.') {
    return word;
  }
  std::string& whole = module_.composed.emplace_back(word);
  while (!failed_ && now_.kind == PtxToken::Kind::word && now_.text[0] == '.') {
    whole += expect_word();
  }
  return whole;
}

void PtxStatementReader::instruction(PtxFunction& f, PtxStatement s) {
  if (take('@')) {
    s.guard_negated = take('!');
    s.guard = expect_word();
  }
  s.name = opcode();
  if (failed_) return;
  if (s.guard.empty() && take(':')) {
    if (take(".branchtargets")) {
      s.kind = PtxStatement::Kind::targets;
    } else if (now_.is(".callprototype") || now_.is(".calltargets")) {
      skip_to_semicolon();
      return;
    } else {
      s.kind = PtxStatement::Kind::label;
      f.body.push_back(s);
      return;
    }
  }
  if (s.kind == PtxStatement::Kind::instruction && s.name[0] == '.') {
    fail("unknown directive " + std::string(s.name.substr(0, 40)));
    return;
  }
  std::vector<PtxOperand> parts;
  while (!failed_ && !now_.is(';')) {
    parts.push_back(operand());
    if (!take(',')) break;
  }
  expect(';');
  s.first = static_cast<std::uint32_t>(module_.operands.size());
  s.count = static_cast<std::uint32_t>(parts.size());
  module_.operands.insert(module_.operands.end(), parts.begin(), parts.end());
  if (!failed_) f.body.push_back(s);
}

}  // namespace warpscope
