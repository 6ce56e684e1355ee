// tests/emulator/language_test.cpp: what kernels may be written in: C++20, integers of 128 bits,
// functions that call themselves.
#include "tests/emulator/fixture.h"

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {
namespace {

using s64 = std::int64_t;
using u64 = std::uint64_t;

// Runs `k(const long long* a, long long* out, int n)` with a[lane] on one warp.
Trace run_kernel(const std::string& ptx, std::vector<s64>& a, std::vector<s64>& out, int n = 32) {
  Bench bench;
  bench.add("a", a);
  bench.add("out", out);
  bench.pass(n);
  return bench.run(ptx, launch_of(1, 32));
}
#define KERNEL "extern \"C\" __global__ void k(const long long* a, long long* out, int n) {\n"

TEST(Language, IntegersOf128BitsMultiplyShiftAndDivide) {
  const std::string text = KERNEL
      "  const long long x = a[threadIdx.x];\n"
      "  const __int128 square = (__int128)x * x + x;\n"
      "  const unsigned __int128 bits = (unsigned __int128)square << 3 | 5;\n"
      "  out[4 * threadIdx.x] = (long long)(square >> 64);\n"
      "  out[4 * threadIdx.x + 1] = (long long)square;\n"
      "  out[4 * threadIdx.x + 2] = (long long)(bits >> 61);\n"
      "  out[4 * threadIdx.x + 3] = (long long)(square / 1000000007 % 998244353);\n}";
  WARPSCOPE_COMPILE(ptx, text);
  std::vector<s64> a(32), out(128, -1);
  for (s64 k = 0; k < 32; ++k) a[static_cast<std::size_t>(k)] = (k - 13) * 123456789123456789;
  const Trace trace = run_kernel(ptx, a, out);
  EXPECT_EQ(faults_text(trace), "");
  __extension__ using Wide = __int128;
  __extension__ using Bits = unsigned __int128;
  for (std::size_t k = 0; k < 32; ++k) {
    const Wide square = static_cast<Wide>(a[k]) * a[k] + a[k];
    const Bits bits = static_cast<Bits>(square) << 3 | 5;
    EXPECT_EQ(out[4 * k], static_cast<s64>(square >> 64));
    EXPECT_EQ(out[4 * k + 1], static_cast<s64>(square));
    EXPECT_EQ(out[4 * k + 2], static_cast<s64>(bits >> 61));
    EXPECT_EQ(out[4 * k + 3], static_cast<s64>(square / 1000000007 % 998244353));
  }
}

TEST(Language, ConceptsAndOtherPartsOfCpp20AreTaken) {
  const std::string text =
      "template <typename T> concept Sized = sizeof(T) == 8;\n"
      "template <Sized T> __device__ T twice(T x) requires requires(T t) { t + t; } {\n"
      "  return x + x;\n}\n"
      "struct Pair { long long first, second; bool operator==(const Pair&) const = default; };\n"
      "consteval int seven() { return 7; }\n" KERNEL
      "  const auto plus = []<typename T>(T x, T y) { return x + y; };\n"
      "  const Pair one{.first = a[threadIdx.x], .second = 1}, other{.first = 3, .second = 1};\n"
      "  out[threadIdx.x] = plus(twice(one.first), (long long)seven()) + (one == other);\n}";
  WARPSCOPE_COMPILE(ptx, text);
  std::vector<s64> a(32), out(32, -1);
  for (std::size_t k = 0; k < 32; ++k) a[k] = static_cast<s64>(k);
  EXPECT_EQ(faults_text(run_kernel(ptx, a, out)), "");
  for (s64 k = 0; k < 32; ++k)
    EXPECT_EQ(out[static_cast<std::size_t>(k)], 2 * k + 7 + (k == 3 ? 1 : 0));
}

// The compiler turns a struct of narrow fields into products of two signs.
TEST(Language, SumsOfProductsOfNarrowFieldsAreDotProducts) {
  const std::string text =
      "struct Item { short a; signed char b; unsigned char c; };\n"
      "__constant__ Item items[4] = {{1, 2, 3}, {-4, -5, 250}, {32767, -128, 9}, {-32768, 127, "
      "0}};\n" KERNEL
      "  const Item item = items[a[threadIdx.x] & 3];\n"
      "  out[threadIdx.x] = item.a * 3 + item.b * 5 + n;\n}";
  WARPSCOPE_COMPILE(ptx, text);
  std::vector<s64> a(32), out(32, -1);
  for (std::size_t k = 0; k < 32; ++k) a[k] = static_cast<s64>(k);
  EXPECT_EQ(faults_text(run_kernel(ptx, a, out)), "");
  constexpr s64 first[] = {1, -4, 32767, -32768}, second[] = {2, -5, -128, 127};
  for (std::size_t k = 0; k < 32; ++k) EXPECT_EQ(out[k], first[k % 4] * 3 + second[k % 4] * 5 + 32);
}

// CUDA Math API, "SIMD Intrinsics".
TEST(Language, SimdIntrinsicsGiveWhatTheirDescriptionsSay) {
  const std::string text = KERNEL
      "  const unsigned x = a[threadIdx.x], y = a[threadIdx.x] >> 32;\n  out += 8 * threadIdx.x;\n"
      "  out[0] = __vabsdiffu4(x, y);\n  out[1] = __vsadu4(x, y);\n  out[2] = __vadd4(x, y);\n"
      "  out[3] = __vaddss2(x, y);\n  out[4] = __vavgu4(x, y);\n  out[5] = __vmaxs2(x, y);\n"
      "  out[6] = __vcmpgtu4(x, y);\n  out[7] = __vsubus2(x, y);\n}";
  WARPSCOPE_COMPILE(ptx, text);
  std::vector<s64> a(32), out(256, -1);
  for (std::size_t k = 0; k < 32; ++k) a[k] = static_cast<s64>(0x9e3779b97f4a7c15ull * (k + 1));
  EXPECT_EQ(faults_text(run_kernel(ptx, a, out)), "");
  for (std::size_t k = 0; k < 32; ++k) {
    const auto x = static_cast<std::uint32_t>(a[k]);
    const auto y = static_cast<std::uint32_t>(static_cast<u64>(a[k]) >> 32);
    u64 difference = 0, sum = 0, added = 0, average = 0, greater = 0;
    for (int at = 0; at < 32; at += 8) {
      const int p = static_cast<int>(x >> at & 255), q = static_cast<int>(y >> at & 255);
      const auto put = [at](int value) { return static_cast<u64>(value & 255) << at; };
      difference |= put(std::abs(p - q));
      sum += static_cast<u64>(std::abs(p - q));
      added |= put(p + q);
      average |= put((p + q + 1) / 2);
      greater |= put(p > q ? 255 : 0);
    }
    u64 saturated = 0, most = 0, less = 0;
    for (int at = 0; at < 32; at += 16) {
      const int p = static_cast<std::int16_t>(x >> at), q = static_cast<std::int16_t>(y >> at);
      const int up = static_cast<int>(x >> at & 65535), uq = static_cast<int>(y >> at & 65535);
      const auto put = [at](int value) { return static_cast<u64>(value & 65535) << at; };
      saturated |= put(std::clamp(p + q, -32768, 32767));
      most |= put(std::max(p, q));
      less |= put(std::max(up - uq, 0));
    }
    const u64 wanted[] = {difference, sum, added, saturated, average, most, greater, less};
    for (std::size_t which = 0; which < 8; ++which)
      EXPECT_EQ(static_cast<u64>(out[8 * k + which]), wanted[which]) << k << ", " << which;
  }
}

TEST(Language, FunctionsMayCallThemselvesAFewTimes) {
  const std::string text =
      "__device__ __noinline__ long long factorial(long long n) {\n"
      "  return n < 2 ? 1 : n * factorial(n - 1);\n}\n"
      "__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); "
      "}\n" KERNEL "  out[threadIdx.x] = factorial(a[threadIdx.x]) + fib(a[threadIdx.x] % 9);\n}";
  WARPSCOPE_COMPILE(ptx, text);
  std::vector<s64> a(32), out(32, -1);
  for (std::size_t k = 0; k < 32; ++k) a[k] = static_cast<s64>(k % 17);
  EXPECT_EQ(faults_text(run_kernel(ptx, a, out)), "");
  for (std::size_t k = 0; k < 32; ++k) {
    s64 product = 1, one = 0, next = 1;
    for (s64 f = 2; f <= a[k]; ++f) product *= f;
    for (s64 f = 0; f < a[k] % 9; ++f) one = std::exchange(next, one + next);
    EXPECT_EQ(out[k], product + one);
  }
}

TEST(Language, DeeperRecursionIsRefusedByTheNameOfTheFunction) {
  const std::pair<const char*, const char*> kernels[] = {
      {"__device__ __noinline__ long long down(long long x, const long long* a) {\n"
       "  if (a[x & 31] < 0) return x;\n  volatile long long q[4];\n  q[x & 3] = x;\n"
       "  return down(x + 1, a) + q[x * 7 & 3];\n}\n" KERNEL "  out[0] = down(0, a);\n}",
       "calls down(long long, long long const*) from within itself, "},
      {"__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); "
       "}\n" KERNEL "  out[threadIdx.x] = fib(25 + a[0]);\n}",
       "calls fib(int) from within itself, "},
      {"__device__ int odd(int n);\n"
       "__device__ __noinline__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }\n"
       "__device__ __noinline__ int odd(int n) { return n == 0 ? 0 : even(n - 1); }\n" KERNEL
       "  out[threadIdx.x] = even(100 + a[0]);\n}",
       "from within itself, "}};
  for (const auto& [text, words] : kernels) {
    WARPSCOPE_COMPILE(ptx, text);
    std::vector<s64> a(32, 0), out(32, -1);
    const Trace trace = run_kernel(ptx, a, out);
    ASSERT_GE(trace.faults.size(), 1u) << text;
    EXPECT_EQ(trace.faults[0].kind, FaultKind::unsupported);
    EXPECT_NE(trace.faults[0].sentence.find(words), std::string::npos) << trace.faults[0].sentence;
    EXPECT_NE(trace.faults[0].sentence.find("the emulator's limit for recursion"),
              std::string::npos)
        << trace.faults[0].sentence;
  }
}

#undef KERNEL

}  // namespace
}  // namespace warpscope

#endif
