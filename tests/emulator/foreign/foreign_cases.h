// tests/emulator/foreign/foreign_cases.h: kernels of other producers than nvcc, their arguments and
// what they compute.
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiling/emulator/emulator.h"
#include "scenes/base/array.h"

namespace warpscope::foreign {

using Numbers = std::vector<double>;

struct Array {
  ElementType type = ElementType::f32;
  std::vector<std::int64_t> shape;
  Numbers values;
  std::int64_t count() const {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  }
};

// An argument: an array, or the bytes of a number or a structure.
struct Argument {
  Argument(Array a) : array(std::move(a)) {}  // NOLINT: tables read better without a name
  Argument(std::int32_t v) : bytes(argument_of(v)) {}
  Argument(float v) : bytes(argument_of(v)) {}
  Argument(ArgumentBytes b) : bytes(std::move(b)) {}
  std::optional<Array> array;
  ArgumentBytes bytes;
};

// How a producer passes an array, and what its kernels take besides.
struct Producer {
  std::string source;  // the file that its lines name
  std::function<std::vector<ArgumentBytes>(std::uint64_t address, const Array& array)> passed;
  int more_pointers = 0;  // memory for the producer's own use, none here
  bool says_inlining = true;
};

// A kernel of a .ptx file beside this one.
struct Case {
  const char* file;    // without ".ptx"
  const char* kernel;  // as its source names it
  const Producer* producer;
  Launch launch;
  std::vector<Argument> arguments;  // the last array is the output
  Numbers expected;                 // empty: a fault is
  double tolerance = 0;             // relative
  const char* fault = "";           // words of its sentence
};

// Kernels made by Triton, Numba, CuTe DSL and clang.
const std::vector<Case>& foreign_cases();

}  // namespace warpscope::foreign
