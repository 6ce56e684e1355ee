// tests/emulator/instructions_test.cpp: instructions against scalar C++, with every kind of lane
// mask.
#include <bit>
#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>

#include "tests/emulator/fixture.h"

namespace warpscope {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

// One instruction "name d, a, b, c" whose operands have 4 or 8 bytes, and what it gives.
struct Case {
  const char* name;
  int result_bytes;
  std::vector<int> source_bytes;
  std::function<u64(u64, u64, u64)> scalar;
};

float f(u64 bits) { return std::bit_cast<float>(static_cast<u32>(bits)); }
double d(u64 bits) { return std::bit_cast<double>(bits); }
u64 bits(float x) { return x != x ? 0x7fffffffu : std::bit_cast<u32>(x); }
u64 bits(double x) { return std::bit_cast<u64>(x); }
u64 low(u64 x) { return x & 0xffffffffu; }
s32 s(u64 x) { return static_cast<s32>(x); }
float with_rounding(int mode, const std::function<float()>& compute) {
  std::fesetround(mode);
  const float x = compute();
  std::fesetround(FE_TONEAREST);
  return x;
}

std::vector<Case> cases() {
  std::vector<Case> list = {
      {"add.s32", 4, {4, 4}, [](u64 a, u64 b, u64) { return low(a + b); }},
      {"sub.s64", 8, {8, 8}, [](u64 a, u64 b, u64) { return a - b; }},
      {"mul.lo.s32", 4, {4, 4}, [](u64 a, u64 b, u64) { return low(a * b); }},
      {"mul.hi.s32",
       4,
       {4, 4},
       [](u64 a, u64 b, u64) { return low(static_cast<u64>(s64{s(a)} * s64{s(b)} >> 32)); }},
      {"mul.wide.s32",
       8,
       {4, 4},
       [](u64 a, u64 b, u64) { return static_cast<u64>(s64{s(a)} * s64{s(b)}); }},
      {"mad.wide.u32", 8, {4, 4, 8}, [](u64 a, u64 b, u64 c) { return low(a) * low(b) + c; }},
      {"div.u32",
       4,
       {4, 4},
       [](u64 a, u64 b, u64) { return low(b) == 0 ? 0xffffffffu : low(a) / low(b); }},
      {"rem.u64", 8, {8, 8}, [](u64 a, u64 b, u64) { return b == 0 ? ~u64{0} : a % b; }},
      {"div.s32",
       4,
       {4, 4},
       [](u64 a, u64 b, u64) -> u64 {
         if (s(b) == 0) return 0xffffffffu;
         return low(static_cast<u64>(s64{s(a)} / s64{s(b)}));
       }},
      {"min.s32", 4, {4, 4}, [](u64 a, u64 b, u64) { return low(s(a) < s(b) ? a : b); }},
      {"max.u64", 8, {8, 8}, [](u64 a, u64 b, u64) { return a > b ? a : b; }},
      {"shl.b32",
       4,
       {4, 4},
       [](u64 a, u64 b, u64) { return low(b) > 31 ? 0 : low(low(a) << low(b)); }},
      {"shr.u64", 8, {8, 4}, [](u64 a, u64 b, u64) { return low(b) > 63 ? 0 : a >> low(b); }},
      {"shr.s32",
       4,
       {4, 4},
       [](u64 a, u64 b, u64) {
         return low(static_cast<u64>(s64{s(a)} >> (low(b) > 31 ? 31 : low(b))));
       }},
      {"xor.b64", 8, {8, 8}, [](u64 a, u64 b, u64) { return a ^ b; }},
      {"popc.b64",
       4,
       {8},
       [](u64 a, u64, u64) -> u64 { return static_cast<u64>(std::popcount(a)); }},
      {"clz.b32",
       4,
       {4},
       [](u64 a, u64, u64) -> u64 {
         return static_cast<u64>(std::countl_zero(static_cast<u32>(a)));
       }},
      {"brev.b32",
       4,
       {4},
       [](u64 a, u64, u64) {
         u64 r = 0;
         for (int k = 0; k < 32; ++k) r |= (a >> k & 1) << (31 - k);
         return r;
       }},
      {"bfe.s32",
       4,
       {4, 4, 4},
       [](u64 a, u64 b, u64 c) -> u64 {
         const u32 at = b & 255, length = c & 255;
         if (length == 0) return 0;
         u32 r = 0;
         const u32 last = std::min(at + length - 1, 31u);
         for (u32 k = 0; k < 32; ++k) {
           const u32 from = k < length && at + k <= 31 ? at + k : last;
           r |= (static_cast<u32>(a) >> from & 1) << k;
         }
         return r;
       }},
      {"abs.f32",
       4,
       {4},
       [](u64 a, u64, u64) { return f(a) != f(a) ? u64{0x7fffffff} : a & 0x7fffffffu; }},
      {"add.f32", 4, {4, 4}, [](u64 a, u64 b, u64) { return bits(f(a) + f(b)); }},
      {"fma.rn.f32",
       4,
       {4, 4, 4},
       [](u64 a, u64 b, u64 c) { return bits(std::fma(f(a), f(b), f(c))); }},
      {"fma.rn.f64",
       8,
       {8, 8, 8},
       [](u64 a, u64 b, u64 c) { return bits(std::fma(d(a), d(b), d(c))); }},
      {"div.rn.f32", 4, {4, 4}, [](u64 a, u64 b, u64) { return bits(f(a) / f(b)); }},
      {"min.f32",
       4,
       {4, 4},
       [](u64 a, u64 b, u64) {
         if (f(a) == f(b)) return std::signbit(f(a)) ? low(a) : low(b);
         return bits(std::fmin(f(a), f(b)));
       }},
      {"cvt.rzi.s32.f32",
       4,
       {4},
       [](u64 a, u64, u64) -> u64 {
         const float x = f(a);
         if (x != x) return 0;
         if (x >= 2147483648.0f) return 0x7fffffffu;
         if (x < -2147483648.0f) return 0x80000000u;
         return low(static_cast<u64>(static_cast<s64>(x)));
       }},
      {"cvt.rn.f32.u32",
       4,
       {4},
       [](u64 a, u64, u64) { return bits(static_cast<float>(static_cast<u32>(a))); }},
      {"cvt.s64.s32", 8, {4}, [](u64 a, u64, u64) { return static_cast<u64>(s64{s(a)}); }},
      {"mul.ftz.f32",
       4,
       {4, 4},
       [](u64 a, u64 b, u64) {
         const auto flush = [](float x) {
           return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
         };
         return bits(flush(flush(f(a)) * flush(f(b))));
       }},
      {"add.sat.f32",
       4,
       {4, 4},
       [](u64 a, u64 b, u64) {
         const float x = f(a) + f(b);
         return bits(x > 0 ? std::fmin(x, 1.0f) : 0.0f);
       }},
  };
  const std::pair<const char*, int> modes[] = {
      {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};
  static const std::string names[] = {"add.rz.f32", "add.rm.f32", "add.rp.f32",
                                      "fma.rz.f32", "fma.rm.f32", "fma.rp.f32"};
  for (int k = 0; k < 3; ++k) {
    const int mode = modes[k].second;
    list.push_back({names[k].c_str(), 4, {4, 4}, [mode](u64 a, u64 b, u64) {
                      volatile float x = f(a), y = f(b);
                      return bits(with_rounding(mode, [&] { return x + y; }));
                    }});
    list.push_back({names[3 + k].c_str(), 4, {4, 4, 4}, [mode](u64 a, u64 b, u64 c) {
                      volatile float x = f(a), y = f(b), z = f(c);
                      return bits(with_rounding(mode, [&] { return std::fma(x, y, z); }));
                    }});
  }
  return list;
}

// Values at the edges of integers and of both floating-point formats.
u64 value(int lane, int which, int bytes) {
  static const u64 narrow[] = {0,          1,          0xffffffff, 0x80000000, 0x7fffffff,
                               2,          31,         32,         33,         255,
                               0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00001,
                               0x00000001, 0x80000001, 0x00800000, 0x7f7fffff, 0x40490fdb,
                               0x4f000000, 0xcf000000, 0x3eaaaaab, 12345678};
  static const u64 wide[] = {0,
                             1,
                             ~0ull,
                             1ull << 63,
                             ~0ull >> 1,
                             63,
                             64,
                             65,
                             1ull << 32,
                             0x3ff0000000000000ull,
                             0xbff8000000000000ull,
                             0x400921fb54442d18ull,
                             0x0000000000000001ull,
                             0x3fd5555555555555ull,
                             1234567890123456789ull};
  const auto k = static_cast<std::size_t>(lane * (2 * which + 1) + 5 * which);
  return bytes == 8 ? wide[k % std::size(wide)] : narrow[k % std::size(narrow)];
}

TEST(Instructions, InstructionsGiveWhatScalarCodeGivesUnderEveryMask) {
  for (const Case& c : cases()) {
    for (const bool onto_source : {false, true}) {
      if (onto_source && c.source_bytes[0] != c.result_bytes) continue;
      for (const u32 mask : {0xffffffffu, 0x0f0f1235u, 0x80000000u, 0u}) {
        SCOPED_TRACE(std::string(c.name) + (onto_source ? " onto its source" : "") + ", mask " +
                     std::to_string(mask));
        // Each array has 8 bytes per lane; d begins as 77.
        std::string body =
            "ld.param.u32 %r0, [n]; mov.u32 %r1, %laneid; shr.u32 %r2, %r0, %r1; and.b32 %r2, %r2, "
            "1; setp.ne.u32 %p1, %r2, 0; mul.wide.u32 %l0, %r1, 8;\n";
        const char* names[] = {"a", "b", "c"};
        const std::size_t sources = c.source_bytes.size();
        std::string operands;
        for (std::size_t k = 0; k < sources; ++k) {
          const std::string at = std::to_string(10 + k);
          const bool wide = c.source_bytes[k] == 8;
          body += "ld.param.u64 %l1, [p" + std::to_string(k) +
                  "]; add.s64 %l2, %l1, %l0; ld.global." + (wide ? "u64 %l" : "u32 %r") + at +
                  ", [%l2];\n";
          operands += std::string(", ") + (wide ? "%l" : "%r") + at;
        }
        const bool wide = c.result_bytes == 8;
        const std::string result = std::string(wide ? "%l" : "%r") + (onto_source ? "10" : "20");
        if (!onto_source) body += std::string(wide ? "mov.u64 " : "mov.u32 ") + result + ", 77;\n";
        body += "@%p1 " + std::string(c.name) + " " + result + operands + ";\n";
        body += "ld.param.u64 %l1, [p3]; add.s64 %l2, %l1, %l0; st.global." +
                std::string(wide ? "u64" : "u32") + " [%l2], " + result + ";\nret;";
        std::vector<std::int64_t> arrays[4];
        Bench bench;
        for (int k = 0; k < 4; ++k) {
          arrays[k].assign(32, 0);
          for (int lane = 0; lane < 32 && k < static_cast<int>(sources); ++lane) {
            arrays[k][static_cast<std::size_t>(lane)] = static_cast<std::int64_t>(
                value(lane, k, c.source_bytes[static_cast<std::size_t>(k)]));
          }
          bench.add(k < 3 ? names[k] : "out", arrays[k]);
        }
        bench.pass(mask);
        const Trace trace = bench.run(ptx_entry(4, body), launch_of(1, 32));
        EXPECT_EQ(faults_text(trace), "");
        for (std::size_t lane = 0; lane < 32; ++lane) {
          const u64 a = static_cast<u64>(arrays[0][lane]), b = static_cast<u64>(arrays[1][lane]),
                    e = static_cast<u64>(arrays[2][lane]);
          const u64 before = onto_source ? a : 77;
          const u64 want = (mask >> lane & 1) != 0 ? c.scalar(a, b, e) : before;
          const u64 got = static_cast<u64>(arrays[3][lane]);
          const bool both_nan = wide && d(got) != d(got) && d(want) != d(want) &&
                                std::string(c.name).ends_with("f64");
          EXPECT_TRUE(got == want || both_nan)
              << "lane " << lane << ": " << std::hex << a << " " << b << " " << e << " gives "
              << got << ", not " << want;
        }
      }
    }
  }
}

// The result of `body` for each value in %f1.
std::vector<u32> results_of(const std::string& body, std::vector<u32> values) {
  values.resize(32);
  std::vector<u32> out(32, 77);
  Bench bench;
  bench.add("in", values);
  bench.add("out", out);
  bench.pass(0);
  const Trace trace = bench.run(
      ptx_per_lane(4, "ld.global.f32", "%f1", body, "st.global.f32", "%f2"), launch_of(1, 32));
  EXPECT_EQ(faults_text(trace), "");
  return out;
}

// 1 − 2⁻²⁴ times the least normal number has 24 bits but too small an exponent. Among denormals,
// where it is a tie, it would be rounded up to the least normal number. source: an H200.
TEST(Instructions, FlushBeforeAResultIsRoundedAmongDenormals) {
  const std::vector<u32> factors = {0x3f7fffff, 0xbf7fffff, 0x3f800000, 0xbf800000, 0x3f800001};
  const std::vector<u32> flushed = {0, 0x80000000, 0x00800000, 0x80800000, 0x00800001};
  for (const std::string body :
       {"mul.ftz.f32 %f2, %f1, 0f00800000;", "mul.rp.ftz.f32 %f2, %f1, 0f00800000;",
        "fma.rn.ftz.f32 %f2, %f1, 0f00800000, 0f80000000;"}) {
    SCOPED_TRACE(body);
    const std::vector<u32> out = results_of(body, factors);
    EXPECT_EQ(std::vector(out.begin(), out.begin() + 5), flushed);
  }
  EXPECT_EQ(results_of("rcp.rp.ftz.f32 %f2, %f1;", {0x7e800001})[0], 0u);
  const std::vector<u32> kept = results_of("mul.f32 %f2, %f1, 0f00800000;", factors);
  EXPECT_EQ(kept[0], 0x00800000u) << "without .ftz the tie goes to the even one";
}

// source: PTX ISA, "atom" and "red": .add of f32 flushes in global memory, not in shared memory.
// The sum in memory before is a denormal number, the next one is the least normal number, then a
// NaN.
TEST(Instructions, AtomicSumsFlushInGlobalMemoryAlone) {
  const std::vector<u32> before = {0x00000001, 0x00800000, 0x7f800001, 0x80000000};
  const auto sums = [&](const std::string& place) {
    std::vector<u32> in = before, out(32, 77);
    in.resize(32);
    Bench bench;
    bench.add("in", in);
    bench.add("out", out);
    bench.pass(0);
    const std::string body =
        place == "global"
            ? "red.global.add.f32 [%l2], 0f80000001;\nld.global.f32 %f2, [%l2];"
            : "mov.u32 %r2, words; shl.b32 %r3, %r1, 2; add.u32 %r2, %r2, %r3;\n"
              "st.shared.f32 [%r2], %f1; atom.shared.add.f32 %f3, [%r2], 0f80000001;\n"
              "ld.shared.f32 %f2, [%r2];";
    std::string text = ptx_per_lane(4, "ld.global.f32", "%f1", body, "st.global.f32", "%f2");
    if (place == "shared") text.insert(text.find('{') + 1, "\n.shared .align 4 .b8 words[128];\n");
    EXPECT_EQ(faults_text(bench.run(text, launch_of(1, 32))), "");
    out.resize(4);
    return out;
  };
  EXPECT_EQ(sums("global"), (std::vector<u32>{0, 0x00800000, 0x7fffffff, 0x80000000}));
  EXPECT_EQ(sums("shared"), (std::vector<u32>{0, 0x007fffff, 0x7fffffff, 0x80000001}));
}

TEST(Instructions, UnknownInstructionsAreReportedOnlyWhenReached) {
  const std::string body =
      "ld.param.u32 %r0, [n]; setp.eq.u32 %p1, %r0, 7; @%p1 bra OUT; frobnicate.b32 %r1, %r0;\n"
      "OUT: ret;";
  for (const int n : {7, 8}) {
    Bench bench;
    bench.pass(n);
    const Trace trace = bench.run(ptx_entry(0, body), launch_of(1, 32));
    EXPECT_EQ(trace.faults.size(), n == 7 ? 0u : 1u);
    if (n == 8 && !trace.faults.empty()) {
      EXPECT_EQ(trace.faults[0].kind, FaultKind::unsupported);
      EXPECT_NE(trace.faults[0].sentence.find("frobnicate.b32"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace warpscope
