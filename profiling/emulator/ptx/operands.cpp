// profiling/emulator/ptx/operands.cpp: operands of PTX: numbers, names, addresses and vectors.
#include <cstdlib>
#include <cstring>

#include "profiling/emulator/ptx/statements.h"

namespace warpscope {

// The part of a register that a video instruction takes: %r1.h0, %r1.b3210. Special registers have
// other parts: %tid.x.
void PtxStatementReader::take_part(PtxOperand& o) {
  const std::size_t dot = o.name.find('.', 1);
  if (dot == std::string_view::npos || dot + 2 >= o.name.size()) return;
  const std::string_view part = o.name.substr(dot + 1);
  if ((part[0] != 'b' && part[0] != 'h') || part[1] < '0' || part[1] > '7') return;
  o.second = part;
  o.name = o.name.substr(0, dot);
}

PtxOperand PtxStatementReader::number_operand() {
  PtxOperand o;
  const bool negative = take('-');
  if (negative && now_.kind == PtxToken::Kind::word) {
    o.name = expect_word();
    o.negated = true;
    take_part(o);
    return o;
  }
  if (failed_ || now_.kind != PtxToken::Kind::number) {
    fail("expected a value, found " + shown());
    return o;
  }
  const std::string_view t = now_.text;
  if (t.size() == 10 && t[0] == '0' && (t[1] == 'f' || t[1] == 'F')) {
    o.kind = PtxOperand::Kind::real;
    o.width = 4;
  } else if (t.size() == 18 && t[0] == '0' && (t[1] == 'd' || t[1] == 'D')) {
    o.kind = PtxOperand::Kind::real;
    o.width = 8;
  }
  if (o.kind == PtxOperand::Kind::real) {
    std::uint64_t bits = 0;
    const auto [end, status] = std::from_chars(t.data() + 2, t.data() + t.size(), bits, 16);
    if (status != std::errc() || end != t.data() + t.size()) fail("a number is broken");
    if (negative) bits ^= o.width == 4 ? 0x80000000ull : 0x8000000000000000ull;
    o.value = static_cast<std::int64_t>(bits);
  } else if (const std::optional<std::uint64_t> whole = integer_of(t)) {
    o.kind = PtxOperand::Kind::integer;
    o.value = static_cast<std::int64_t>(negative ? 0 - *whole : *whole);
  } else {
    const std::string copy(t);
    char* end = nullptr;
    double real = std::strtod(copy.c_str(), &end);
    if (end != copy.c_str() + copy.size()) fail("a number is broken: " + shown());
    if (negative) real = -real;
    o.kind = PtxOperand::Kind::real;
    o.width = 0;
    std::memcpy(&o.value, &real, sizeof real);
  }
  advance();
  return o;
}

// {a, b} or (a, b).
void PtxStatementReader::vector_operand(PtxOperand& o, std::size_t depth) {
  const char close = now_.is('{') ? '}' : ')';
  advance();
  std::vector<PtxOperand> parts;
  if (!now_.is(close)) do
      parts.push_back(operand(depth + 1));
    while (!failed_ && take(','));
  expect(close);
  o.kind = PtxOperand::Kind::vector;
  o.first = static_cast<std::uint32_t>(module_.operands.size());
  o.count = static_cast<std::uint32_t>(parts.size());
  module_.operands.insert(module_.operands.end(), parts.begin(), parts.end());
}

// What follows the bracket of [%rd1+16].
void PtxStatementReader::address_operand(PtxOperand& o, std::size_t depth) {
  o.kind = PtxOperand::Kind::address;
  if (now_.kind == PtxToken::Kind::word) {
    o.name = expect_word();
    while (now_.is('+') || now_.is('-')) {
      const bool minus = now_.is('-');
      advance();
      const std::int64_t part = expect_integer();
      o.value = static_cast<std::int64_t>(
          static_cast<std::uint64_t>(o.value) +
          (minus ? 0 - static_cast<std::uint64_t>(part) : static_cast<std::uint64_t>(part)));
    }
  } else {
    o.value = expect_integer();
  }
  if (take(',')) {  // coordinates of a tensor or a texture
    if (now_.is('{')) {
      const PtxOperand coordinates = operand(depth + 1);
      o.first = coordinates.first;
      o.count = coordinates.count;
    }
    if (!now_.is(']')) o.kind = PtxOperand::Kind::other;
    while (!failed_ && now_.kind != PtxToken::Kind::end && !now_.is(']') && !now_.is(';')) {
      advance();
    }
  }
  expect(']');
}

PtxOperand PtxStatementReader::operand(std::size_t depth) {
  PtxOperand o;
  if (depth > 4) {
    fail("operands are nested too deeply");
    return o;
  }
  if (take('!')) o.negated = true;
  if (now_.is('{') || now_.is('(')) {
    vector_operand(o, depth);
  } else if (take('[')) {
    address_operand(o, depth);
  } else if (now_.kind == PtxToken::Kind::word) {
    o.name = expect_word();
    take_part(o);
    if (take('|')) o.second = expect_word();
    if (now_.is('+') || now_.is('-')) {
      const bool minus = now_.is('-');
      advance();
      o.value = expect_integer();
      if (minus) o.value = static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(o.value));
    }
  } else {
    const bool negated = o.negated;
    o = number_operand();
    o.negated = o.negated || negated;
  }
  return o;
}

}  // namespace warpscope
