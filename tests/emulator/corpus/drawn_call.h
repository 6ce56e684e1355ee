// tests/emulator/corpus/drawn_call.h: a launch of a corpus kernel with sizes drawn at random, and
// what a CPU computes for it.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/emulator/corpus/corpus_code.h"
#include "tests/emulator/fixture.h"

namespace warpscope {

using Floats = std::vector<float>;
using Ints = std::vector<std::int32_t>;
using Words = std::vector<std::uint32_t>;
using Halves = std::vector<std::uint16_t>;
using Octets = std::vector<std::uint8_t>;

// The same numbers for the same seed with every standard library.
class Draw {
 public:
  explicit Draw(std::uint32_t seed) : engine_(seed) {}
  std::uint32_t bits() { return engine_(); }
  int number(int least, int most) {
    return least + static_cast<int>(engine_() % static_cast<std::uint32_t>(most - least + 1));
  }
  // A block of so many threads, a multiple of `of`.
  int threads(int most, int of = 1) { return of * number(1, most / of); }
  // In [0, 1), a multiple of 2⁻¹⁰.
  float real() { return static_cast<float>(number(0, 1023)) / 1024; }
  Floats reals(int count) {
    Floats values(static_cast<std::size_t>(count));
    for (float& v : values) v = real();
    return values;
  }
  Ints ints(int count, int least, int most) {
    Ints values(static_cast<std::size_t>(count));
    for (int& v : values) v = number(least, most);
    return values;
  }

 private:
  std::mt19937 engine_;
};

struct DrawnBuffer {
  std::variant<Floats, Ints, Words, Halves, Octets> values;
  bool unset = false, checked = false;
  std::vector<double> expected;  // where it is checked
  double tolerance = 0;          // as a part of the element, and as a number
};

// A launch: parameters in the kernel's order.
struct DrawnCall {
  explicit DrawnCall(std::string of) : kernel(std::move(of)) {}
  template <typename T>
  DrawnCall& in(std::vector<T> values) {
    parameters.emplace_back(DrawnBuffer{std::move(values)});
    return *this;
  }
  // An output that begins as `begin`, or unset.
  template <typename T, typename E>
  DrawnCall& out(std::vector<T> begin, const std::vector<E>& expected, double tolerance = 0) {
    DrawnBuffer buffer{std::move(begin)};
    buffer.checked = true;
    buffer.expected.assign(expected.begin(), expected.end());
    buffer.tolerance = tolerance;
    parameters.emplace_back(std::move(buffer));
    return *this;
  }
  template <typename T>
  DrawnCall& out(const std::vector<T>& expected, double tolerance = 0) {
    out(std::vector<T>(expected.size(), T(77)), expected, tolerance);
    std::get<DrawnBuffer>(parameters.back()).unset = true;
    return *this;
  }
  DrawnCall& value(std::int32_t number) {
    parameters.emplace_back(number);
    return *this;
  }
  DrawnCall& on(const Dim3& grid, const Dim3& block, std::int64_t shared = 0) {
    launch.grid = grid;
    launch.block = block;
    launch.dynamic_shared_bytes = shared;
    return *this;
  }
  std::string kernel;
  Launch launch;
  std::vector<std::variant<DrawnBuffer, std::int32_t>> parameters;
};

using DrawCall = std::function<DrawnCall(Draw&)>;
std::vector<DrawCall> drawn_orders();  // lanes, sparse matrices, graphs, the order of blocks
std::vector<DrawCall> drawn_fields();  // images and fields
std::vector<DrawCall> drawn_numbers();

inline Dim3 blocks_for(int count, int threads) { return {(count + threads - 1) / threads, 1, 1}; }
inline std::size_t at_of(int i) { return static_cast<std::size_t>(i); }

// Emulates the call and compares: a test failure names `what`.
void expect_right(const CorpusCode& code, DrawnCall call, const std::string& what);

}  // namespace warpscope
