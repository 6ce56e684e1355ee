// tests/emulator/hopper/bulk_reduction_test.cpp: every bulk reduction combines elements as one lane
// of plain C++ does.
#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "tests/emulator/fixture.h"

namespace warpscope {
namespace {

constexpr std::size_t kBytes = 256;

struct Reduction {
  const char* name;  // .OP.TYPE
  int width;
  std::uint64_t (*one)(std::uint64_t to, std::uint64_t from);
  bool small = false;  // values are the halves of small whole numbers: sums of them are exact
};

template <typename T>
T as(std::uint64_t bits) {
  if constexpr (sizeof(T) == 8) {
    return std::bit_cast<T>(bits);
  } else {
    return std::bit_cast<T>(static_cast<std::uint32_t>(bits));
  }
}
template <typename T>
std::uint64_t bits_of(T value) {
  if constexpr (sizeof(T) == 8) {
    return std::bit_cast<std::uint64_t>(value);
  } else {
    return std::bit_cast<std::uint32_t>(value);
  }
}
template <typename T>
std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  if constexpr (std::is_floating_point_v<T>) return bits_of(as<T>(a) + as<T>(b));
  return sizeof(T) == 8 ? a + b : static_cast<std::uint32_t>(a + b);
}
template <typename T>
std::uint64_t least(std::uint64_t a, std::uint64_t b) {
  return bits_of(std::min(as<T>(a), as<T>(b)));
}
template <typename T>
std::uint64_t most(std::uint64_t a, std::uint64_t b) {
  return bits_of(std::max(as<T>(a), as<T>(b)));
}
std::uint64_t both(std::uint64_t a, std::uint64_t b) { return a & b; }
std::uint64_t either(std::uint64_t a, std::uint64_t b) { return a | b; }
std::uint64_t one_of(std::uint64_t a, std::uint64_t b) { return a ^ b; }
std::uint64_t up(std::uint64_t a, std::uint64_t b) { return a >= b ? 0 : a + 1; }
std::uint64_t down(std::uint64_t a, std::uint64_t b) { return a == 0 || a > b ? b : a - 1; }

// 16-bit floats with whole values from −8 to 8, by their sign, exponent and fraction.
template <int fraction, int bias>
double small_value(std::uint64_t bits) {
  const auto exponent = static_cast<int>(bits >> fraction & ((1u << (15 - fraction)) - 1));
  const double size =
      exponent == 0
          ? 0
          : std::ldexp(1 + static_cast<double>(bits & ((1u << fraction) - 1)) / (1u << fraction),
                       exponent - bias);
  return (bits >> 15 & 1) != 0 ? -size : size;
}
template <int fraction, int bias>
std::uint64_t small_bits(double value) {
  if (value == 0) return 0;
  const int exponent = std::ilogb(value);
  const double rest = std::ldexp(std::fabs(value), -exponent) - 1;
  return (value < 0 ? 0x8000u : 0u) | static_cast<unsigned>(exponent + bias) << fraction |
         static_cast<unsigned>(rest * (1u << fraction));
}
template <int f, int b>
std::uint64_t small_sum(std::uint64_t x, std::uint64_t y) {
  return small_bits<f, b>(small_value<f, b>(x) + small_value<f, b>(y));
}
template <int f, int b>
std::uint64_t small_least(std::uint64_t x, std::uint64_t y) {
  return small_bits<f, b>(std::min(small_value<f, b>(x), small_value<f, b>(y)));
}
template <int f, int b>
std::uint64_t small_most(std::uint64_t x, std::uint64_t y) {
  return small_bits<f, b>(std::max(small_value<f, b>(x), small_value<f, b>(y)));
}

const Reduction kReductions[] = {
    {"add.u32", 4, sum<std::uint32_t>},
    {"add.s32", 4, sum<std::int32_t>},
    {"add.u64", 8, sum<std::uint64_t>},
    {"inc.u32", 4, up},
    {"dec.u32", 4, down},
    {"min.u32", 4, least<std::uint32_t>},
    {"max.u32", 4, most<std::uint32_t>},
    {"min.s32", 4, least<std::int32_t>},
    {"max.s32", 4, most<std::int32_t>},
    {"min.u64", 8, least<std::uint64_t>},
    {"max.u64", 8, most<std::uint64_t>},
    {"min.s64", 8, least<std::int64_t>},
    {"max.s64", 8, most<std::int64_t>},
    {"and.b32", 4, both},
    {"or.b32", 4, either},
    {"xor.b32", 4, one_of},
    {"and.b64", 8, both},
    {"or.b64", 8, either},
    {"xor.b64", 8, one_of},
    {"add.f32", 4, sum<float>, true},
    {"add.f64", 8, sum<double>, true},
    {"add.noftz.f16", 2, small_sum<10, 15>, true},
    {"min.f16", 2, small_least<10, 15>, true},
    {"max.f16", 2, small_most<10, 15>, true},
    {"add.noftz.bf16", 2, small_sum<7, 127>, true},
    {"min.bf16", 2, small_least<7, 127>, true},
    {"max.bf16", 2, small_most<7, 127>, true},
};

std::uint64_t element(const std::vector<std::uint32_t>& words, std::size_t index, int width) {
  std::uint64_t value = 0;
  std::memcpy(
      &value,
      reinterpret_cast<const std::byte*>(words.data()) + index * static_cast<std::size_t>(width),
      static_cast<std::size_t>(width));
  return value;
}

std::vector<std::uint32_t> numbers(const Reduction& r, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> words(kBytes / 4);
  const bool wide = r.width == 8, halves = r.width == 2;
  for (std::size_t i = 0; i < kBytes / static_cast<std::size_t>(r.width); ++i) {
    std::uint64_t value = random() % 5 == 0 ? random() % 3 : random();
    const double small = static_cast<double>(static_cast<int>(random() % 9)) - 4;
    if (r.small && wide) value = bits_of(small / 2);
    if (r.small && !wide) value = bits_of(static_cast<float>(small / 2));
    if (r.small && halves) {
      value = std::string_view(r.name).ends_with("bf16") ? small_bits<7, 127>(small)
                                                         : small_bits<10, 15>(small);
    }
    std::memcpy(reinterpret_cast<std::byte*>(words.data()) + i * static_cast<std::size_t>(r.width),
                &value, static_cast<std::size_t>(r.width));
  }
  return words;
}

class BulkReductions : public testing::TestWithParam<Reduction> {};

TEST_P(BulkReductions, CombineElementsAsPlainCodeDoes) {
  const Reduction& r = GetParam();
  const std::string ptx = ptx_entry(
      2,
      std::string(".shared .align 16 .b8 s[256];\n"
                  "ld.param.u64 %l1, [p0];\nld.param.u64 %l2, [p1];\nmov.u32 %r1, %tid.x;\n"
                  "mul.wide.u32 %l3, %r1, 4;\nadd.s64 %l4, %l1, %l3;\nld.global.u32 %r2, [%l4];\n"
                  "mov.u64 %l5, s;\nadd.s64 %l6, %l5, %l3;\nst.shared.u32 [%l6], %r2;\n"
                  "fence.proxy.async.shared::cta;\nbar.sync 0;\nsetp.ne.u32 %p1, %r1, 0;\n"
                  "@%p1 bra END;\ncp.reduce.async.bulk.global.shared::cta.bulk_group.") +
          r.name +
          " [%l2], [%l5], 256;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n"
          "END:\nret;");
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::vector<std::uint32_t> from = numbers(r, 2 * seed), to = numbers(r, 2 * seed + 1);
    const std::vector<std::uint32_t> before = to;
    Bench bench;
    bench.add("from", from);
    bench.add("to", to);
    bench.pass(0);
    const Trace trace = bench.run(ptx, launch_of(1, 64));
    ASSERT_EQ(faults_text(trace), "");
    for (std::size_t i = 0; i < kBytes / static_cast<std::size_t>(r.width); ++i) {
      EXPECT_EQ(element(to, i, r.width),
                r.one(element(before, i, r.width), element(from, i, r.width)))
          << r.name << " of element " << i << ", random seed " << seed;
    }
    ASSERT_EQ(trace.sites.size(), 3u);
    EXPECT_EQ(trace.sites[2].kind, AccessKind::bulk_reduction);
    EXPECT_EQ(trace.sites[2].totals.sectors, 8);
    EXPECT_EQ(trace.sites[2].totals.lines, 2);
  }
}

INSTANTIATE_TEST_SUITE_P(All, BulkReductions, testing::ValuesIn(kReductions), [](const auto& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

}  // namespace
}  // namespace warpscope
