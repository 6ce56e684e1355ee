// tests/emulator/nan_conversion_test.cpp: what NaN becomes as an integer, and as tf32.
#include <bit>

#include "tests/emulator/fixture.h"

namespace warpscope {
namespace {

struct FloatType {
  const char* name;
  const char* load;
  const char* from;                   // register
  std::vector<std::uint64_t> values;  // NaNs of either sign, quiet and signalling; then 1.5
};
struct IntegerType {
  const char* name;
  const char* store;
  const char* to;  // register
  int bits;
};

// source: PTX ISA, "cvt": zero where the source is not f64 and the destination not of 64 bits, else
// 1 << (bits of the destination - 1).
TEST(NanConversions, GiveZeroOrTheHighestBitByTheTypesOnBothSides) {
  const FloatType floats[] = {
      {"f16", "ld.global.u16", "%h1", {0x7e00, 0xfe01, 0x7c01, 0x3e00}},
      {"f32", "ld.global.f32", "%f1", {0x7fc00000, 0xffc12345, 0x7f800001, 0x3fc00000}},
      {"f64",
       "ld.global.f64",
       "%d1",
       {0x7ff8000000000000, 0xfff8000000000001, 0x7ff0000000000001, 0x3ff8000000000000}}};
  const IntegerType integers[] = {
      {"s16", "st.global.u16", "%h2", 16},  {"u16", "st.global.u16", "%h2", 16},
      {"s32", "st.global.u32", "%r20", 32}, {"u32", "st.global.u32", "%r20", 32},
      {"s64", "st.global.u64", "%l20", 64}, {"u64", "st.global.u64", "%l20", 64}};
  const std::pair<const char*, std::uint64_t> roundings[] = {
      {"rzi", 1}, {"rni", 2}, {"rmi", 1}, {"rpi", 2}};
  for (const FloatType& from : floats) {
    for (const IntegerType& to : integers) {
      for (const auto& [rounding, of_one_and_half] : roundings) {
        const std::string name = std::string("cvt.") + rounding + "." + to.name + "." + from.name;
        SCOPED_TRACE(name);
        std::vector<std::int64_t> in(32), out(32, 0);
        for (std::size_t k = 0; k < 32; ++k)
          in[k] = std::bit_cast<std::int64_t>(from.values[k % 4]);
        Bench bench;
        bench.add("in", in);
        bench.add("out", out);
        bench.pass(0);
        const std::string body = name + " " + to.to + ", " + from.from + ";";
        const Trace trace = bench.run(ptx_per_lane(8, from.load, from.from, body, to.store, to.to),
                                      launch_of(1, 32));
        EXPECT_EQ(faults_text(trace), "");
        const bool highest = std::string(from.name) == "f64" || to.bits == 64;
        const std::uint64_t of_nan = highest ? 1ull << (to.bits - 1) : 0;
        for (std::size_t k = 0; k < 32; ++k) {
          EXPECT_EQ(std::bit_cast<std::uint64_t>(out[k]), k % 4 == 3 ? of_one_and_half : of_nan)
              << k;
        }
      }
    }
  }
}

// Machine code for cvt.rna.tf32 adds half a unit of the last place unless the magnitude is infinite
// or unordered, then clears 13 bits. To even, a tie stays where the last place is even, and there
// is one NaN (source: an H200).
TEST(NanConversions, StayWhatTheyAreAsTf32) {
  struct Known {
    std::uint32_t from, away, even;
  };
  const Known known[] = {{0xffffffff, 0xffffe000, 0x7fffe000}, {0x7fffffff, 0x7fffe000, 0x7fffe000},
                         {0x7fc00000, 0x7fc00000, 0x7fffe000}, {0x7f800000, 0x7f800000, 0x7f800000},
                         {0xff800000, 0xff800000, 0xff800000}, {0x7f7fffff, 0x7f800000, 0x7f800000},
                         {0x3f800fff, 0x3f800000, 0x3f800000}, {0x3f803000, 0x3f804000, 0x3f804000},
                         {0x3f801000, 0x3f802000, 0x3f800000}};
  for (const bool to_even : {false, true}) {
    std::vector<std::uint32_t> in(32, 0x3f801000), out(32, 0);
    for (std::size_t k = 0; k < std::size(known); ++k) in[k] = known[k].from;
    Bench bench;
    bench.add("in", in);
    bench.add("out", out);
    bench.pass(0);
    const std::string body = std::string("cvt.") + (to_even ? "rn" : "rna") + ".tf32.f32 %r2, %f1;";
    const Trace trace = bench.run(
        ptx_per_lane(4, "ld.global.f32", "%f1", body, "st.global.u32", "%r2"), launch_of(1, 32));
    EXPECT_EQ(faults_text(trace), "");
    for (std::size_t k = 0; k < std::size(known); ++k)
      EXPECT_EQ(out[k], to_even ? known[k].even : known[k].away) << body << k;
  }
}

// source: an H200.
TEST(NanConversions, OfHalvesAreOneNanAndZerosAreNormal) {
  struct Known {
    std::uint16_t from;
    const char* body;
    std::uint32_t expected;
  };
  const Known known[] = {{0x7d01, "cvt.f32.f16 %f2, %h1; mov.b32 %r2, %f2;", 0x7fffffff},
                         {0xfd01, "neg.f16 %h2, %h1; cvt.u32.u16 %r2, %h2;", 0x7fff},
                         {0xfd01, "abs.f16 %h2, %h1; cvt.u32.u16 %r2, %h2;", 0x7fff},
                         {0x7fa1, "neg.bf16 %h2, %h1; cvt.u32.u16 %r2, %h2;", 0x7fff},
                         {0xfc00, "abs.f16 %h2, %h1; cvt.u32.u16 %r2, %h2;", 0x7c00},
                         {0x8000,
                          "cvt.f32.f16 %f2, %h1; testp.normal.f32 %p1, %f2; "
                          "selp.u32 %r2, 1, 0, %p1;",
                          1}};
  for (const Known& k : known) {
    SCOPED_TRACE(k.body);
    std::vector<std::uint32_t> in(32, k.from), out(32, 77);
    Bench bench;
    bench.add("in", in);
    bench.add("out", out);
    bench.pass(0);
    const Trace trace = bench.run(
        ptx_per_lane(4, "ld.global.u16", "%h1", k.body, "st.global.u32", "%r2"), launch_of(1, 32));
    EXPECT_EQ(faults_text(trace), "");
    EXPECT_EQ(out[0], k.expected);
  }
}

// A NaN of 64 bits keeps its sign and the upper bits of its payload, and becomes quiet. source: an
// H200.
TEST(NanConversions, Of64BitsKeepTheirSignAndTheirUpperBits) {
  struct Known {
    const char *to, *store, *result;
    std::uint64_t expected;
  };
  const Known known[] = {{"cvt.rn.f32.f64 %f2, %d1;", "st.global.f32", "%f2", 0xffe00000},
                         {"cvt.rn.f16.f64 %h2, %d1;", "st.global.u16", "%h2", 0xff00},
                         {"cvt.rni.f64.f64 %d2, %d1;", "st.global.f64", "%d2", 0xfffc000000000001},
                         {"neg.f64 %d2, %d1;", "st.global.f64", "%d2", 0xfffc000000000001},
                         {"abs.f64 %d2, %d1;", "st.global.f64", "%d2", 0xfffc000000000001}};
  for (const Known& k : known) {
    SCOPED_TRACE(k.to);
    std::vector<std::int64_t> in(32, std::bit_cast<std::int64_t>(0xfff4000000000001)), out(32, 0);
    Bench bench;
    bench.add("in", in);
    bench.add("out", out);
    bench.pass(0);
    const Trace trace = bench.run(ptx_per_lane(8, "ld.global.f64", "%d1", k.to, k.store, k.result),
                                  launch_of(1, 32));
    EXPECT_EQ(faults_text(trace), "");
    EXPECT_EQ(std::bit_cast<std::uint64_t>(out[0]), k.expected);
  }
}

}  // namespace
}  // namespace warpscope
