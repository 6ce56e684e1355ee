// tests/emulator/narrow_floats_test.cpp: conversions of e4m3 and e5m2 against their definition.
#include <cmath>
#include <random>

#include "tests/emulator/fixture.h"
#include "tests/emulator/hopper/narrow.h"

namespace warpscope {
namespace {

std::uint32_t bits_of(float x) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

// An instruction from two words of p0 a lane to one of p1: `body` makes %r3 of %r1 and %r2.
std::vector<std::uint32_t> converted(const std::vector<std::uint32_t>& from,
                                     const std::string& body) {
  const std::size_t count = from.size() / 2;
  std::vector<std::uint32_t> in = from, out(count, 0xa5a5a5a5);
  Bench bench;
  bench.add("in", in);
  bench.add("out", out);
  bench.pass(std::int32_t{0});
  const std::string text = ptx_entry(
      2,
      "mov.u32 %r10, %ctaid.x;\nmov.u32 %r11, %tid.x;\nmad.lo.s32 %r12, %r10, 256, %r11;\n"
      "ld.param.u64 %l1, [p0];\nld.param.u64 %l2, [p1];\nmul.wide.u32 %l3, %r12, 8;\n"
      "add.s64 %l4, %l1, %l3;\nld.global.u32 %r1, [%l4];\nld.global.u32 %r2, [%l4+4];\n"
      "mov.b32 %f1, %r1;\nmov.b32 %f2, %r2;\n" +
          body +
          "\nmul.wide.u32 %l5, %r12, 4;\nadd.s64 %l6, %l2, %l5;\nst.global.u32 [%l6], %r3;\nret;");
  const Trace trace = bench.run(text, launch_of(static_cast<std::int64_t>(count / 256), 256));
  EXPECT_EQ(faults_text(trace), "");
  return out;
}

struct Format {
  const char* name;
  NarrowFormat format;
};
const Format kFormats[] = {{"e4m3x2", kE4m3Format}, {"e5m2x2", kE5m2Format}};

// By the definition: NaN is 0x7f, and .relu makes what is below zero a zero; −0 too on an H200.
std::uint32_t expected(const NarrowFormat& f, double value, bool relu) {
  return nearest_narrow(f, relu && value <= 0 ? 0 : value);
}

void expect_pairs(const char* from, const Format& f, bool relu,
                  const std::vector<std::uint32_t>& in,
                  double (*value)(std::uint32_t, std::uint32_t, bool high)) {
  const std::string name =
      std::string("cvt.rn.satfinite") + (relu ? ".relu." : ".") + f.name + "." + from;
  const bool f32 = std::string(from) == "f32";
  const std::vector<std::uint32_t> out =
      converted(in, name + (f32 ? " %h1, %f1, %f2;" : " %h1, %r1;") + "\ncvt.u32.u16 %r3, %h1;");
  for (std::size_t k = 0; k < out.size(); ++k) {
    const std::uint32_t high = expected(f.format, value(in[2 * k], in[2 * k + 1], true), relu);
    const std::uint32_t low = expected(f.format, value(in[2 * k], in[2 * k + 1], false), relu);
    ASSERT_EQ(out[k], high << 8 | low)
        << name << " of " << std::hex << in[2 * k] << ", " << in[2 * k + 1];
  }
}

TEST(NarrowFloats, AreRoundedFromEveryHalf) {
  std::vector<std::uint32_t> in;
  for (std::uint32_t k = 0; k < 65536; ++k) {
    in.push_back(k << 16 | (k * 40503u & 0xffff));
    in.push_back(0);
  }
  for (const Format& f : kFormats) {
    for (const bool relu : {false, true}) {
      expect_pairs("f16x2", f, relu, in, [](std::uint32_t a, std::uint32_t, bool high) {
        return narrow_value(kHalfFormat, high ? a >> 16 : a & 0xffff);
      });
    }
  }
}

TEST(NarrowFloats, AreRoundedFromFloats) {
  std::vector<std::uint32_t> in;
  // Every number of eight bits, the middles between neighbours, and what lies next to those.
  for (const Format& f : kFormats) {
    for (std::uint32_t bits = 0; bits < 256; ++bits) {
      const double here = narrow_value(f.format, bits),
                   next = narrow_value(f.format, (bits + 1) & 255);
      for (const double x : {here, (here + next) / 2}) {
        const auto value = static_cast<float>(x);
        in.push_back(bits_of(value));
        in.push_back(bits_of(std::nextafterf(value, 1e30f)));
        in.push_back(bits_of(std::nextafterf(value, -1e30f)));
        in.push_back(bits_of(-value));
      }
    }
  }
  for (const float x : {0.0f, -0.0f, 448.0f, 464.0f, 480.0f, 57344.0f, 61440.0f, 65536.0f, 1e30f,
                        -1e30f, INFINITY, -INFINITY, NAN, 1e-10f, -1e-10f, 1e-40f}) {
    in.push_back(bits_of(x));
  }
  std::mt19937 random(7);
  while (in.size() % 512 != 0 || in.size() < 40000)
    in.push_back(static_cast<std::uint32_t>(random()));
  for (const Format& f : kFormats) {
    for (const bool relu : {false, true}) {
      expect_pairs("f32", f, relu, in, [](std::uint32_t a, std::uint32_t b, bool high) {
        const std::uint32_t bits = high ? a : b;
        float x = 0;
        std::memcpy(&x, &bits, sizeof x);
        return static_cast<double>(x);
      });
    }
  }
}

TEST(NarrowFloats, WidenToHalvesExactly) {
  std::vector<std::uint32_t> in;
  for (std::uint32_t k = 0; k < 65536; ++k) {
    in.push_back(k);
    in.push_back(0);
  }
  for (const Format& f : kFormats) {
    for (const bool relu : {false, true}) {
      const std::string name = std::string("cvt.rn") + (relu ? ".relu" : "") + ".f16x2." + f.name;
      const std::vector<std::uint32_t> out =
          converted(in, "cvt.u16.u32 %h1, %r1;\n" + name + " %r3, %h1;");
      for (std::uint32_t k = 0; k < 65536; ++k) {
        const auto half = [&](std::uint32_t bits) -> std::uint32_t {
          const double value = narrow_value(f.format, bits & 255);
          if (value != value) return 0x7fff;
          if (std::isinf(value)) return relu && value < 0 ? 0 : value < 0 ? 0xfc00 : 0x7c00;
          return nearest_narrow(kHalfFormat, relu && value < 0 ? 0 : value);
        };
        ASSERT_EQ(out[k], half(k >> 8) << 16 | half(k)) << name << " of " << k;
      }
    }
  }
}

}  // namespace
}  // namespace warpscope
