// tests/scenes/program/shown_program.h: what is read from a program, as lines that a test can name.
#pragma once

#include <string>
#include <vector>

#include "scenes/program/program.h"

namespace warpscope {

// One line per launch, buffer and size:
//   "k<<<[ceil_div(n, 256)], [256]>>>(x, y, i32:n)"   with ", shared" if there is any, "*" before
//                                                     the name if only another branch launches it
//   "x: f32[n] input random"
//   "n = 1000 in line 3"                              "fixed" and "asked" at its end
std::vector<std::string> shown(const HostProgram& program);

// A program and what must be read from it, each line as above.
struct ProgramCase {
  const char* name;
  const char* text;
  std::vector<std::string> lines;
};

}  // namespace warpscope
