// scenes/program/program.h: what a CUDA program says of its kernels' launches, without running it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Reads the text of a .cu file: its kernels, and the host code that allocates, fills and launches.
// Constants, types and functions of the headers that are given with it are known too. Nothing is
// compiled or run. What the text does not say is a question with a default,
// never a refusal.
//
//   const HostProgram program = read_program("__global__ void k(float* x, int n) {…} int main()
//   {…}"); program.launches[0].instance;      // "k" program.launches[0].grid[0].text;  //
//   "ceil_div(n, 256)" program.sizes[0];                  // n = 1000, from line 3
//
// Expressions are in the language of scenes/folder/expression.h and use the names of `sizes`.

namespace warpscope {

// A parameter as it is declared: "const float*", "x", and what stands in brackets in a comment
// after it: "rows, columns".
struct KernelParameter {
  std::string type, name, shape;
  bool pointer = false, constant = false;  // constant: what it points to
  std::string element;                     // f32, i32, …; empty: no element type of a scene
  int elements = 1;                        // of it in one of C++'s: 4 of a float4
  // What the kernel's body does with what it points to.
  bool read = false, written = false, atomic = false;
};

struct KernelText {
  std::string name;       // "k"
  std::string qualified;  // "space::k"
  std::vector<std::string> template_parameters;
  std::vector<KernelParameter> parameters;
  int line = 0;
  bool plain = false;               // extern "C": its name is not mangled
  bool dynamic_shared = false;      // it declares an extern __shared__ array
  bool by_rows = false;             // it reads threadIdx.y or blockIdx.y
  std::optional<int> most_threads;  // of __launch_bounds__
};

// A value with the text that says so.
template <typename T>
struct Guess {
  T value{};
  std::string text;  // as an expression
  int line = 0;      // 0: no line says it
  std::string why;
  bool asked = false;  // the text does not say it: a default
};
using Quantity = Guess<double>;

enum class ProposedFill { unset, zero, one, iota, random, byte, element };
enum class ProposedRole { input, output, state };

struct ProposedBuffer {
  std::string name, type;    // type: f32, …
  Quantity count;            // elements
  Guess<ProposedFill> fill;  // its text: an expression of i, or the byte
  ProposedRole role = ProposedRole::input;
  int line = 0;              // where it is allocated; 0: nowhere
  bool copied_back = false;  // to the host, after a launch
};

struct ProposedArgument {
  std::string buffer;  // or, where it is empty:
  std::string type;    // i32, f32, …; empty: a structure, or of a type that the text does not say
  Quantity value;
  std::int64_t offset_bytes = 0;               // where in the buffer the pointer begins
  bool record = false;                         // a structure by value
  std::vector<ProposedArgument> members = {};  // of it
};

struct ProposedConstant {  // a __constant__ or __device__ array that the program fills
  std::string symbol, buffer;
  int line = 0;
};

struct Question {
  std::string about, text;  // "n", "n is read from the command line"
  int line = 0;
};

struct ProposedLaunch {
  std::string kernel;    // its name
  std::string instance;  // as C++ names it: "space::layernorm<float, 256>"
  std::array<Quantity, 3> grid, block;
  Quantity shared;
  std::vector<ProposedArgument> arguments;
  std::vector<ProposedConstant> constants;
  int line = 0;         // 0: the text does not launch it
  bool reached = true;  // the program launches it as it stands; otherwise it is in another branch
  bool cooperative = false;
  std::vector<std::string> sizes;  // of the program's that it and its buffers use
  std::vector<Question> questions;
};

// A constant of the program that expressions name.
struct ProposedSize {
  std::string name;
  double value = 0;
  bool whole = true;
  int line = 0;
  std::string why;
  bool fixed = false;  // device code or an instance's name uses it: it cannot be a slider
  bool asked = false;
};

struct HostProgram {
  std::vector<KernelText> kernels;
  std::vector<ProposedSize> sizes;
  std::vector<ProposedBuffer> buffers;
  std::vector<ProposedLaunch> launches;  // in the order of the run; then those of other branches
  bool cut = false;                      // the text is larger than what is read of it

  const KernelText* kernel(std::string_view name) const;
  const ProposedBuffer* buffer(std::string_view name) const;
};

// Names, as includes write them, and texts.
using HeaderTexts = std::vector<std::pair<std::string, std::string>>;
// What a header says has no line.
HostProgram read_program(std::string_view text, const HeaderTexts& headers = {});

}  // namespace warpscope
