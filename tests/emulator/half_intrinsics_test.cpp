// tests/emulator/half_intrinsics_test.cpp: the functions of cuda_fp16.h and cuda_bf16.h, compiled
// as they are, against scalar code.
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "tests/emulator/fixture.h"

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {
namespace {

// A 16-bit floating-point format, computed with in double: its values are doubles, and so are the
// sums, products and quotients of two, as far as rounding them twice is rounding them once.
struct Format {
  const char* header;
  const char* type;                   // "__half"
  const char* name;                   // in names of functions: __int2half_rn
  const char* from;                   // and where it comes first: __half2int_rn
  const char* as;                     // __half_as_ushort
  int mantissa_bits, least_exponent;  // of normal numbers

  double value(std::uint32_t bits) const {
    const int sign = (bits >> 15 & 1) != 0 ? -1 : 1;
    const int exponent = static_cast<int>(bits >> mantissa_bits & (0x7fffu >> mantissa_bits));
    const int mantissa = static_cast<int>(bits & ((1u << mantissa_bits) - 1));
    const int most = static_cast<int>(0x7fffu >> mantissa_bits);
    if (exponent == most) {
      return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                           : sign * std::numeric_limits<double>::infinity();
    }
    const double whole = exponent == 0 ? mantissa : mantissa + (1 << mantissa_bits);
    return sign * std::ldexp(whole, std::max(exponent, 1) - 1 + least_exponent - mantissa_bits);
  }
  double largest() const { return value((0x7fffu >> mantissa_bits << mantissa_bits) - 1); }
  // The distance between the numbers around x.
  double step(double x) const {
    const int exponent = x == 0 || !std::isfinite(x) ? least_exponent : std::ilogb(x);
    return std::ldexp(1.0, std::max(exponent, least_exponent) - mantissa_bits);
  }
  // x rounded by `whole`: nearbyint, trunc, floor or ceil of steps.
  double rounded(double x, double (*whole)(double)) const {
    if (!std::isfinite(x)) return x;
    const double near = whole(x / step(x)) * step(x);
    if (std::abs(near) <= largest()) return std::copysign(near, x);
    const bool inward =
        (whole(0.5) == 0 && whole(0.75) == 0 && x > 0) || (whole(-0.75) == 0 && x < 0);
    return std::copysign(inward ? largest() : std::numeric_limits<double>::infinity(), x);
  }
  double nearest(double x) const { return rounded(x, std::nearbyint); }
};
constexpr Format kFormats[] = {
    {"cuda_fp16.h", "__half", "half", "half", "half", 10, -14},
    {"cuda_bf16.h", "__nv_bfloat16", "bfloat16", "bfloat16", "bfloat16", 7, -126}};

enum class Gives { number, pair, truth, truths, whole };
using Numbers = std::array<double, 3>;

// One function: its expression over A, B, C (numbers) or A2, B2, C2 (pairs), what it gives, and how
// many steps its documentation lets it be off.
struct Case {
  std::string name, expression;
  Gives gives;
  std::function<double(const Numbers&)> reference;
  double steps = 0;
  double least = -1e30, most = 1e30;  // of what is given to it
};

double lesser(double a, double b) { return a != a ? b : b != b ? a : std::min(a, b); }
double greater(double a, double b) { return a != a ? b : b != b ? a : std::max(a, b); }
double any_nan(double a, double b, double c) { return a != a || b != b ? a + b : c; }
double unit(double x) { return x > 0 ? std::min(x, 1.0) : 0; }
double above(double x) { return x < 0 ? 0 : x; }

std::vector<Case> cases_of(const Format& f) {
  std::vector<Case> list;
  // A function of numbers, and the one of pairs beside it.
  const auto both = [&](const std::string& one, const std::string& two, int arity, auto reference,
                        double steps = 0, double least = -1e30, double most = 1e30) {
    const char* const arguments[] = {"", "(A)", "(A, B)", "(A, B, C)"};
    const char* const pairs[] = {"", "(A2)", "(A2, B2)", "(A2, B2, C2)"};
    list.push_back({one, one + arguments[arity], Gives::number, reference, steps, least, most});
    list.push_back({two, two + pairs[arity], Gives::pair, reference, steps, least, most});
  };
  const auto rounds = [&f](auto function) {
    return [&f, function](const Numbers& x) { return f.nearest(function(x[0], x[1], x[2])); };
  };
  using D = double;
  for (const std::string& rn : {std::string(), std::string("_rn")}) {
    both("__hadd" + rn, "__hadd2" + rn, 2, rounds([](D a, D b, D) { return a + b; }));
    both("__hsub" + rn, "__hsub2" + rn, 2, rounds([](D a, D b, D) { return a - b; }));
    both("__hmul" + rn, "__hmul2" + rn, 2, rounds([](D a, D b, D) { return a * b; }));
  }
  both("__hadd_sat", "__hadd2_sat", 2, rounds([](D a, D b, D) { return unit(a + b); }));
  both("__hsub_sat", "__hsub2_sat", 2, rounds([](D a, D b, D) { return unit(a - b); }));
  both("__hmul_sat", "__hmul2_sat", 2, rounds([](D a, D b, D) { return unit(a * b); }));
  both("__hdiv", "__h2div", 2, rounds([](D a, D b, D) { return a / b; }), 1);
  both("__hfma", "__hfma2", 3, rounds([](D a, D b, D c) { return std::fma(a, b, c); }));
  both("__hfma_sat", "__hfma2_sat", 3,
       rounds([](D a, D b, D c) { return unit(std::fma(a, b, c)); }));
  both("__hfma_relu", "__hfma2_relu", 3,
       rounds([](D a, D b, D c) { return above(std::fma(a, b, c)); }));
  both("__hmax", "__hmax2", 2, rounds([](D a, D b, D) { return greater(a, b); }));
  both("__hmin", "__hmin2", 2, rounds([](D a, D b, D) { return lesser(a, b); }));
  both("__hmax_nan", "__hmax2_nan", 2,
       rounds([](D a, D b, D) { return any_nan(a, b, greater(a, b)); }));
  both("__hmin_nan", "__hmin2_nan", 2,
       rounds([](D a, D b, D) { return any_nan(a, b, lesser(a, b)); }));
  both("__habs", "__habs2", 1, rounds([](D a, D, D) { return std::abs(a); }));
  both("__hneg", "__hneg2", 1, rounds([](D a, D, D) { return -a; }));
  both("hceil", "h2ceil", 1, rounds([](D a, D, D) { return std::ceil(a); }));
  both("hfloor", "h2floor", 1, rounds([](D a, D, D) { return std::floor(a); }));
  both("hrint", "h2rint", 1, rounds([](D a, D, D) { return std::nearbyint(a); }));
  both("htrunc", "h2trunc", 1, rounds([](D a, D, D) { return std::trunc(a); }));
  both("hsqrt", "h2sqrt", 1, rounds([](D a, D, D) { return std::sqrt(a); }), 1, 0);
  both("hrsqrt", "h2rsqrt", 1, rounds([](D a, D, D) { return 1 / std::sqrt(a); }), 1, 1e-4);
  both("hrcp", "h2rcp", 1, rounds([](D a, D, D) { return 1 / a; }), 1);
  both("hexp", "h2exp", 1, rounds([](D a, D, D) { return std::exp(a); }), 1);
  both("hexp2", "h2exp2", 1, rounds([](D a, D, D) { return std::exp2(a); }), 1);
  both("hexp10", "h2exp10", 1, rounds([](D a, D, D) { return std::pow(10.0, a); }), 1);
  both("hlog", "h2log", 1, rounds([](D a, D, D) { return std::log(a); }), 1, 1e-4);
  both("hlog2", "h2log2", 1, rounds([](D a, D, D) { return std::log2(a); }), 1, 1e-4);
  both("hlog10", "h2log10", 1, rounds([](D a, D, D) { return std::log10(a); }), 1, 1e-4);
  both("hsin", "h2sin", 1, rounds([](D a, D, D) { return std::sin(a); }), 2, -3, 3);
  both("hcos", "h2cos", 1, rounds([](D a, D, D) { return std::cos(a); }), 2, -3, 3);
  both("htanh", "h2tanh", 1, rounds([](D a, D, D) { return std::tanh(a); }), 1);
  both("htanh_approx", "h2tanh_approx", 1, rounds([](D a, D, D) { return std::tanh(a); }), 2);
  list.push_back({"complex", "__hcmadd(A2, B2, C2)", Gives::whole, nullptr});

  // Comparisons: of numbers, of pairs to ones and zeros, to masks, and of both halves at once.
  const std::pair<const char*, bool (*)(double, double)> comparisons[] = {
      {"eq", [](D a, D b) { return a == b; }},
      {"ne", [](D a, D b) { return a < b || a > b; }},
      {"lt", [](D a, D b) { return a < b; }},
      {"le", [](D a, D b) { return a <= b; }},
      {"gt", [](D a, D b) { return a > b; }},
      {"ge", [](D a, D b) { return a >= b; }},
      {"equ", [](D a, D b) { return !(a < b || a > b); }},
      {"neu", [](D a, D b) { return a != b; }},
      {"ltu", [](D a, D b) { return !(a >= b); }},
      {"leu", [](D a, D b) { return !(a > b); }},
      {"gtu", [](D a, D b) { return !(a <= b); }},
      {"geu", [](D a, D b) { return !(a < b); }}};
  for (const auto& [name, holds] : comparisons) {
    const auto truth = [holds = holds](const Numbers& x) { return holds(x[0], x[1]) ? 1.0 : 0.0; };
    const std::string n = name;
    list.push_back({"__h" + n, "__h" + n + "(A, B)", Gives::truth, truth});
    list.push_back({"__h" + n + "2", "__h" + n + "2(A2, B2)", Gives::pair, truth});
    list.push_back({"__h" + n + "2_mask", "__h" + n + "2_mask(A2, B2)", Gives::truths, truth});
    list.push_back({"__hb" + n + "2", "__hb" + n + "2(A2, B2)", Gives::truth, truth});
  }
  const auto is_nan = [](const Numbers& x) { return x[0] != x[0] ? 1.0 : 0.0; };
  list.push_back({"__hisnan", "__hisnan(A)", Gives::truth, is_nan});
  list.push_back({"__hisnan2", "__hisnan2(A2)", Gives::pair, is_nan});
  list.push_back({"__hisinf", "__hisinf(A)", Gives::whole, [](const Numbers& x) {
                    return std::isinf(x[0]) ? (x[0] > 0 ? 1.0 : -1.0) : 0.0;
                  }});

  // Whole numbers of every size, rounded in every way, both ways.
  struct Whole {
    const char *name, *type;
    double least, most;
    bool every;  // all four roundings
  };
  const Whole wholes[] = {
      {"int", "int", -0x1p31, 0x1p31 - 1, true},  {"uint", "unsigned", 0, 0x1p32 - 1, true},
      {"short", "short", -32768, 32767, true},    {"ushort", "unsigned short", 0, 65535, true},
      {"ll", "long long", -0x1p63, 0x1p63, true}, {"ull", "unsigned long long", 0, 0x1p64, true},
      {"char", "signed char", -128, 127, false},  {"uchar", "unsigned char", 0, 255, false}};
  const std::pair<const char*, double (*)(double)> roundings[] = {
      {"rn", std::nearbyint}, {"rz", std::trunc}, {"rd", std::floor}, {"ru", std::ceil}};
  for (const Whole& w : wholes) {
    for (const auto& [name, rounding] : roundings) {
      if (!w.every && std::string(name) != "rz") continue;
      // Where a number has no neighbour in the type, the nearest one.
      const std::string to = std::string("__") + f.from + "2" + w.name + "_" + name;
      const bool small = w.most < 65536;
      list.push_back({to, "(float)" + to + "(A)", Gives::whole,
                      [w, rounding = rounding](const Numbers& x) {
                        return std::clamp(rounding(x[0]), w.least, w.most);
                      },
                      0, small ? -1e30 : -60000.0, small ? 1e30 : 60000.0});
      if (!w.every) continue;
      const std::string from = std::string("__") + w.name + "2" + f.name + "_" + name;
      list.push_back({from,
                      from + "((" + w.type + ")(int)" + (w.least == 0 ? "fabsf(N)" : "N") + ")",
                      Gives::number,
                      [&f, w, rounding = rounding](const Numbers& x) {
                        double n = std::trunc(x[0] * 37);
                        if (w.least == 0) n = std::abs(n);
                        if (w.most < 65536) n = std::clamp(n, w.least, w.most);
                        return f.rounded(n, rounding);
                      },
                      0, -800, 800});
    }
  }
  const auto same = [](const Numbers& x) { return x[0]; };
  const std::string as = f.as;
  list.push_back(
      {"round trip", "__ushort_as_" + as + "(__" + as + "_as_ushort(A))", Gives::number, same});
  list.push_back({"signed round trip", "__short_as_" + as + "(__" + as + "_as_short(A))",
                  Gives::number, same});
  list.push_back(
      {"lows and highs",
       "__halves2" + std::string(f.name) + "2(__low2" + f.name + "(A2), __high2" + f.name + "(A2))",
       Gives::pair, same});
  return list;
}

std::string kernel_text(const Format& f, const std::vector<Case>& cases) {
  const std::string type = f.type;
  const std::string pair = type == "__half" ? "__half2" : "__nv_bfloat162";
  std::string text = std::string("#include <") + f.header + ">\n" + "__device__ " + type +
                     " one(unsigned x) { unsigned short h = x; return *(" + type +
                     "*)&h; }\n__device__ " + pair + " two(unsigned x) { return *(" + pair +
                     "*)&x; }\n__device__ unsigned bits(" + type +
                     " x) { return *(unsigned short*)&x; }\n__device__ unsigned bits(" + pair +
                     " x) { return *(unsigned*)&x; }\n"
                     "__device__ unsigned bits(unsigned x) { return x; }\n"
                     "__device__ unsigned bits(bool x) { return x; }\n"
                     "__device__ unsigned bits(int x) { return __float_as_uint((float)x); }\n"
                     "__device__ unsigned bits(float x) { return __float_as_uint(x); }\n"
                     "#define A one(a[i])\n#define B one(b[i])\n#define C one(c[i])\n"
                     "#define A2 two(a[i])\n#define B2 two(b[i])\n#define C2 two(c[i])\n"
                     "#define N (n[i] * 37)\n";
  for (std::size_t k = 0; k < cases.size(); ++k) {
    text += "extern \"C\" __global__ void k" + std::to_string(k) +
            "(const unsigned* a, const unsigned* b, const unsigned* c, const float* n, unsigned* "
            "out) { int i = threadIdx.x; out[i] = bits(" +
            cases[k].expression + "); }  // " + cases[k].name + "\n";
  }
  return text;
}

// Numbers of all kinds for the first rows, then of a moderate size; `out` of range ones are 1.
constexpr int kThreads = 512;
std::vector<std::uint32_t> input_of(const Format& f, const Case& c, std::uint32_t seed) {
  std::vector<std::uint32_t> bits(kThreads);
  const std::uint32_t exponents = 0x7fffu >> f.mantissa_bits << f.mantissa_bits;
  const std::uint32_t one = exponents / 2 & exponents;
  const std::uint32_t special[] = {0,
                                   0x8000,
                                   exponents,
                                   exponents | 0x8000,
                                   one,
                                   one | 0x8000,
                                   1,
                                   0x8001,
                                   0x7fff,
                                   exponents + 1,
                                   one + 1,
                                   (1u << f.mantissa_bits) - 1,
                                   exponents - 1};
  std::uint32_t state = seed;
  const auto next = [&] { return (state = state * 1664525u + 1013904223u) >> 12; };
  for (int i = 0; i < kThreads; ++i) {
    const auto half = [&]() -> std::uint32_t {
      std::uint32_t x = special[next() % std::size(special)];
      if (i >= 170) {
        const std::uint32_t spread = 1u << f.mantissa_bits;
        x = (next() & 0x8000) | ((one - 6 * spread) + next() % (13 * spread));
      }
      const double value = f.value(x);
      return value >= c.least && value <= c.most ? x
                                                 : (c.least <= -1e30 && value != value ? x : one);
    };
    const std::uint32_t low = half();
    bits[static_cast<std::size_t>(i)] = half() << 16 | low;
  }
  return bits;
}

bool agrees(const Format& f, double found, double expected, double steps) {
  if (expected != expected) return found != found;
  if (found == expected) return true;
  if (!std::isfinite(expected)) {
    return steps > 0 && std::abs(found) >= f.largest() && found * expected > 0;
  }
  // Approximations flush subnormals of f32, and lose what lies below the smallest normal number.
  const double slack = steps * f.step(expected);
  return std::isinf(found) ? steps > 0 && std::abs(expected) + slack > f.largest()
                           : !(std::abs(found - expected) > slack);
}

void check(const Format& f, const std::vector<Case>& cases) {
  const Result<CompiledPtx> compiled = compile_to_ptx({"test.cu", {}, 90}, kernel_text(f, cases));
  if (!compiled && compiled.error().kind == ErrorKind::environment)
    GTEST_SKIP() << sentence(compiled.error());
  ASSERT_TRUE(compiled) << sentence(compiled.error());
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const Case& c = cases[k];
    SCOPED_TRACE(std::string(f.header) + ": " + c.name);
    std::vector<std::uint32_t> a = input_of(f, c, 1), b = input_of(f, c, 2), d = input_of(f, c, 3);
    std::vector<std::uint32_t> out(kThreads, 0xcdcdcdcdu);
    std::vector<float> n(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      n[static_cast<std::size_t>(i)] =
          static_cast<float>(f.value(a[static_cast<std::size_t>(i)] & 0xffff));
    }
    Bench bench;
    bench.add("a", a);
    bench.add("b", b);
    bench.add("c", d);
    bench.add("n", n);
    bench.add("out", out);
    const Trace trace = bench.run(compiled->ptx, launch_of(1, kThreads), "k" + std::to_string(k));
    EXPECT_EQ(faults_text(trace), "");
    if (!c.reference) continue;
    for (std::size_t i = 0; i < kThreads; ++i) {
      const auto expected = [&](int shift) {
        return c.reference({f.value(a[i] >> shift & 0xffff), f.value(b[i] >> shift & 0xffff),
                            f.value(d[i] >> shift & 0xffff)});
      };
      const double low = expected(0), high = expected(16);
      bool good = false;
      switch (c.gives) {
        case Gives::number:
          good = agrees(f, f.value(out[i] & 0xffff), low, c.steps);
          break;
        case Gives::pair:
          good = agrees(f, f.value(out[i] & 0xffff), low, c.steps) &&
                 agrees(f, f.value(out[i] >> 16), high, c.steps);
          break;
        case Gives::truth:
          good =
              out[i] == (low != 0 && (c.expression.find("A2") == std::string::npos || high != 0));
          break;
        case Gives::truths:
          good = out[i] == ((low != 0 ? 0xffffu : 0) | (high != 0 ? 0xffff0000u : 0));
          break;
        case Gives::whole:
          good = low != low || static_cast<double>(std::bit_cast<float>(out[i])) ==
                                   static_cast<double>(static_cast<float>(low));
          break;
      }
      ASSERT_TRUE(good) << c.expression << " of " << f.value(a[i] & 0xffff) << ", "
                        << f.value(b[i] & 0xffff) << ", " << f.value(d[i] & 0xffff) << " (and "
                        << f.value(a[i] >> 16) << ", " << f.value(b[i] >> 16) << ", "
                        << f.value(d[i] >> 16) << ") gives bits " << out[i] << " ("
                        << f.value(out[i] & 0xffff) << ", " << f.value(out[i] >> 16)
                        << "), expected " << low << ", " << high;
    }
  }
}

TEST(HalfIntrinsics, OfFp16GiveWhatScalarCodeGives) {
  const std::vector<Case> cases = cases_of(kFormats[0]);
  EXPECT_GT(cases.size(), 150u);
  check(kFormats[0], cases);
}
TEST(HalfIntrinsics, OfBf16GiveWhatScalarCodeGives) { check(kFormats[1], cases_of(kFormats[1])); }

// What needs more than one lane or more than registers.
TEST(HalfIntrinsics, MoveThroughMemoryAndBetweenLanes) {
  for (const bool half : {true, false}) {
    const std::string type = half ? "__half" : "__nv_bfloat16";
    const std::string pair = half ? "__half2" : "__nv_bfloat162";
    SCOPED_TRACE(type);
    const std::string text = std::string("#include <") + kFormats[half ? 0 : 1].header +
                             ">\nusing T = " + type + "; using T2 = " + pair + R"(;
extern "C" __global__ void k(T* a, T2* b, float* out, int n) {
  int t = threadIdx.x;
  T x = a[t];
  T2 y = b[t];
  out[t] = (float)__shfl_xor_sync(~0u, x, 1) + (float)__shfl_up_sync(~0u, x, 2) +
           (float)__shfl_down_sync(~0u, x, 3) + (float)__shfl_sync(~0u, x, 4);
  out[32 + t] = (float)__shfl_xor_sync(~0u, y, 1).y + (float)__shfl_up_sync(~0u, y, 2).x +
                (float)__shfl_down_sync(~0u, y, 3).y + (float)__shfl_sync(~0u, y, 4).x;
  out[64 + t] = (float)__ldca(a + t) + (float)__ldcg(a + t) + (float)__ldcs(a + t) +
                (float)__ldcv(a + t) + (float)__ldlu(a + t) + (float)__ldca(b + t).y +
                (float)__ldg(b + 32 + t).x + (float)__ldg(a + 32 + t);
  __syncwarp();
  __stcs(b + t, T2(x, x)); __stcg(b + t, T2(x, x)); __stwb(b + t, T2(x, x)); __stwt(b + t, y);
  atomicAdd(a + 64 + t / 16, x);
  atomicAdd(b + 64, T2(x, T(1.0f)));
})";
    WARPSCOPE_COMPILE(ptx, text);
    // Whole numbers up to 31 and sums up to 496: exact in f16; in bf16 ones.
    const auto bits = [&](int x) {
      const auto f = static_cast<float>(x);
      if (!half) return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(f) >> 16);
      if (x == 0) return std::uint16_t{0};
      const int exponent = std::ilogb(f);
      return static_cast<std::uint16_t>(
          (exponent + 15) << 10 | static_cast<int>((f / std::ldexp(1.0f, exponent) - 1) * 1024));
    };
    const auto x_of = [&](int t) { return half ? t : 1; };
    std::vector<std::uint16_t> a(96), b(192);
    std::vector<float> out(96);
    for (int t = 0; t < 32; ++t) {
      a[static_cast<std::size_t>(t)] = a[static_cast<std::size_t>(t + 32)] = bits(x_of(t));
      for (const int at : {2 * t, 2 * t + 64}) {
        b[static_cast<std::size_t>(at)] = bits(t % 7);
        b[static_cast<std::size_t>(at + 1)] = bits(t % 5);
      }
    }
    Bench bench;
    bench.add("a", a);
    bench.add("b", b);
    bench.add("out", out);
    bench.pass(32);
    const Trace trace = bench.run(ptx, launch_of(1, 32));
    EXPECT_EQ(faults_text(trace), "");
    for (int t = 0; t < 32; ++t) {
      const int up = t < 2 ? t : t - 2, down = t > 28 ? t : t + 3;
      const auto at = static_cast<std::size_t>(t);
      EXPECT_EQ(out[at], x_of(t ^ 1) + x_of(up) + x_of(down) + x_of(4)) << t;
      EXPECT_EQ(out[32 + at], (t ^ 1) % 5 + up % 7 + down % 5 + 4) << t;
      EXPECT_EQ(out[64 + at], 6 * x_of(t) + t % 5 + t % 7) << t;
    }
    EXPECT_EQ(a[64], bits(half ? 120 : 16));
    EXPECT_EQ(a[65], bits(half ? 376 : 16));
    EXPECT_EQ(b[128], bits(half ? 496 : 32));
    EXPECT_EQ(b[129], bits(32));
  }
}

}  // namespace
}  // namespace warpscope

#endif
