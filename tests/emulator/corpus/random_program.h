// tests/emulator/corpus/random_program.h: small kernels made at random, as CUDA text and as what a
// CPU computes of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/emulator/corpus/drawn_call.h"

// All arithmetic is of unsigned 32-bit numbers, with floats as their bits, so text and reference
// agree to the last bit. Barriers, exchanges between lanes and shared memory stand where every
// thread of a block comes by; loops and branches depend on data.
//
//   const RandomProgram program = random_program(draw);
//   text += program.text("k7");
//   DrawnCall call = program.call("k7", draw);

namespace warpscope {

struct RandomExpression {
  enum class Op {
    number, variable, array,  // leaves; `array` is a[x & 3]
    add, subtract, multiply, divide, remainder, bit_and, bit_or, bit_xor, shift_left, shift_right,
    shift_signed, least, greatest, high_product, bits_set, zeros_before, reversed, permuted, funnel,
    bytes_product, wide, chosen, float_sum, float_product, float_fused, float_of, whole_of, called
  };
  Op op = Op::number;
  std::uint32_t value = 0;  // of a number; of a variable its index
  std::vector<RandomExpression> parts;
};

struct RandomStatement {
  enum class Kind { assign, store, branch, loop, leave, exchange, shuffle, count };
  Kind kind = Kind::assign;
  std::uint32_t target = 0, value = 0;  // a variable; of an exchange or shuffle the other thread
  RandomExpression expression;
  std::vector<RandomStatement> first, second;
};

struct RandomProgram {
  bool returns_early = false;  // threads outside end at once: no barrier follows
  std::vector<RandomStatement> statements;

  std::string text(const std::string& name) const;
  DrawnCall call(const std::string& name, Draw& draw) const;
};
RandomProgram random_program(Draw& draw);
// What stands before the kernels of a text.
std::string random_program_head();

}  // namespace warpscope
