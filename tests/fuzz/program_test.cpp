// tests/fuzz/program_test.cpp: no text, however broken, keeps the reader of programs busy or gives
// it something that a scene cannot read.
#include "scenes/program/program.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "scenes/first_description.h"
#include "scenes/folder/expression.h"
#include "tests/fuzz/mutation.h"

namespace warpscope {
namespace {

constexpr const char* kProgram = R"__(#define DIVUP(a, b) (((a) + (b) - 1) / (b))
#define CHECK(x) do { auto e = (x); if (e) exit(1); } while (0)
template <typename T, int N = 4> struct Pack { T v[N]; };
struct Net { float* w; int n; Net(int k) : n(k) { cudaMalloc(&w, n * 4); } void run(int m) { k1<<<DIVUP(n, m), m>>>(w, n); } };
__constant__ float taps[2 * 4 + 1];
__global__ void __launch_bounds__(128, 2) k1(float* __restrict__ x, int n) { extern __shared__ float s[]; float* y = x + 1; atomicAdd(&y[n], s[0]); }
template <typename T, int B> __global__ void k2(const T* a, T* b, size_t n) { *reinterpret_cast<float4*>(b + 1) = a[n]; }
int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1 << 10, sizes[] = {1, 2, 3};
  std::vector<float> h(n, 1.f);
  for (int i = 0; i < n; ++i) h[i] = i * 2 + rand();
  float *a, *b;
  CHECK(cudaMalloc(&a, h.size() * sizeof(float)));
  cudaMallocManaged((void**)&b, sizeof *b * n);
  cudaMemcpy(a, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  switch (sizes[0]) { case 1: k2<float, 32><<<dim3{4, 2}, 32>>>(a, b, n); break; default: k2<float, 64><<<n / 64, 64, 16>>>(a, b, n); }
  Net net(n); net.run(64);
  auto f = [&](int t) { k1<<<n > 4 ? n : 4, t>>>(b, t); }; f(32);
  while (n > 1) { void* args[] = {&a, &n}; cudaLaunchKernel((void*)k1, dim3(n), 64, args); n /= 2; }
})__";

const std::vector<std::string> kWords = {
    "{",       "}",     "(",          ")",           "[",       "]",        "<",         ">",
    "<<<",     ">>>",   ";",          ",",           "*",       "&",        "=",         "::",
    "?",       ":",     "template <", "struct",      "#define", "\\\n",     "#if",       "#endif",
    "##",      "int",   "float*",     "main",        "for (",   "switch (", "case",      "return",
    "sizeof(", "1e999", "0x",         "cudaMalloc(", "k1<<<",   "\"",       "'",         "/*",
    "//",      "R\"(",  "__global__", "new ",        "[&]{",    "\xff",     "9999999999"};

void expect_readable(const std::string& text) {
  const auto start = std::chrono::steady_clock::now();
  const HostProgram program = read_program(text);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20))
      << text.substr(0, 300);
  std::vector<ExpressionName> names;
  for (const ProposedSize& size : program.sizes) names.push_back({size.name, {}});
  for (const ProposedLaunch& launch : program.launches) {
    ASSERT_NE(program.kernel(launch.kernel), nullptr) << text;
    EXPECT_EQ(launch.arguments.size(), program.kernel(launch.kernel)->parameters.size()) << text;
    for (const Quantity& quantity : {launch.grid[0], launch.block[1], launch.shared}) {
      const Result<Expression> parsed = Expression::parse(quantity.text, names);
      EXPECT_TRUE(parsed) << quantity.text << "\n" << text;
    }
  }
  static_cast<void>(first_description(text, "k.cu"));
}

TEST(FuzzPrograms, AnyTextIsRead) { for_mutations({kProgram}, kWords, expect_readable); }

std::string repeated(const std::string& text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

// Texts that nest, grow or branch without end.
TEST(FuzzPrograms, HostileTextsEnd) {
  const std::string kernel = "__global__ void k(float* x, int n) { x[n] = 1; }\n";
  std::string macros = "#define M0(x) x x\n";
  for (int i = 1; i < 40; ++i) {
    const std::string before = "M" + std::to_string(i - 1);
    macros += "#define M" + std::to_string(i) + "(x) " + before + "(" + before + "(x))\n";
  }
  std::string doubled = "int main() { int n0 = 3;";
  for (int i = 1; i < 200; ++i)
    doubled += "int n" + std::to_string(i) + " = n" + std::to_string(i - 1) + " + n" +
               std::to_string(i - 1) + " / 3;";
  std::string calls;
  for (int i = 0; i < 30; ++i)
    calls += "void f" + std::to_string(i + 1) + "(float* x) { f" + std::to_string(i) + "(x); f" +
             std::to_string(i) + "(x); }\n";
  std::string structures = "struct S0 { float v[4096]; };\n";
  for (int i = 1; i < 40; ++i)
    structures +=
        "struct S" + std::to_string(i) + " { S" + std::to_string(i - 1) + " a[4096], b; };\n";
  const std::vector<std::string> texts = {
      kernel + repeated("(", 100000),
      kernel + "int main() { k<<<" + repeated("(", 5000) + "1" + repeated(")", 5000) +
          ", 1>>>(0, 0); }",
      kernel + "int main() { int n = " + repeated("1 + ", 50000) + "1; k<<<n, 1>>>(0, n); }",
      kernel + "int main() {" + repeated("if (a) {", 3000) + "k<<<1, 1>>>(0, 0);" +
          repeated("}", 3000) + "}",
      kernel + "int main() {" + repeated("if (a) b = 1; else ", 3000) + "k<<<1, 1>>>(0, 0); }",
      kernel + macros + "int main() { M39(k<<<1, 1>>>(0, 0);) }",
      kernel + doubled + "k<<<n199, 1>>>(0, n199); }",
      kernel + "void f0(float* x) { k<<<1, 1>>>(x, 0); }\n" + calls +
          "int main() { float* x; f30(x); }",
      kernel + "void f(float* x) { f(x); f(x); k<<<1, 1>>>(x, 0); } int main() { f(0); }",
      kernel + structures +
          "__global__ void m(S39* s) { s[0].b.b.a = 1; } int main() { S39* s; cudaMalloc(&s, "
          "sizeof(S39)); m<<<1, 1>>>(s); }",
      repeated("template <typename T> struct A { namespace b {", 2000),
      repeated(kernel, 2000),
      kernel + "int main() {" + repeated("float* a; cudaMalloc(&a, 4); k<<<1, 1>>>(a, 1);", 5000) +
          "}",
      "#define A B\n#define B A\n" + kernel + "int main() { k<<<A, B>>>(0, A); }",
      std::string("__global__ void k(float* x) { \0 \xff x[0] = 1; }", 44),
      "using T = T*; typedef U U; using V = W; using W = V;\n__global__ void k(T* x, U u, V* v) { "
      "x[0] = 1; }",
      repeated("<", 50000) + kernel + repeated("a<", 20000),
      "#define F(x, ...) x __VA_ARGS__ F(__VA_ARGS__)\n" + kernel + "int main() { F(" +
          repeated("1,", 2000) + "1) }"};
  for (const std::string& text : texts) expect_readable(text);
}

}  // namespace
}  // namespace warpscope
