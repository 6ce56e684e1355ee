// tests/emulator/corpus/corpus_test.cpp: kernels in the styles of public code give what a CPU
// computes, without a finding.
#ifdef WARPSCOPE_WITH_COMPILER
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>

#include "tests/emulator/corpus/corpus_code.h"
#include "tests/emulator/fixture.h"

namespace warpscope {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int>;
constexpr int kN = 1000;

Floats each(const Floats& x, const std::function<float(float)>& f) {
  Floats out;
  for (const float v : x) out.push_back(f(v));
  return out;
}
Floats pairs(const Floats& x, const Floats& y, const std::function<float(float, float)>& f) {
  Floats out;
  for (std::size_t i = 0; i < x.size(); ++i) out.push_back(f(x[i], y[i]));
  return out;
}
float near(const Floats& x, int i) { return x[static_cast<std::size_t>(std::clamp(i, 0, kN - 1))]; }
float at(const Floats& m, int row, int column) {
  return m[static_cast<std::size_t>(row) * 32 + static_cast<std::size_t>(column)];
}
Floats neighbours(const Floats& x, const std::function<float(float, float, float)>& f) {
  Floats out;
  for (int i = 0; i < kN; ++i) out.push_back(f(near(x, i - 1), near(x, i), near(x, i + 1)));
  return out;
}
Floats product(const Floats& a, const Floats& b) {
  Floats c;
  for (int row = 0; row < 32; ++row) {
    for (int column = 0; column < 32; ++column) {
      double sum = 0;
      for (int k = 0; k < 32; ++k) sum += double{at(a, row, k)} * at(b, k, column);
      c.push_back(static_cast<float>(sum));
    }
  }
  return c;
}
Floats transposed(const Floats& x) {
  Floats out;
  for (int row = 0; row < 32; ++row) {
    for (int column = 0; column < 32; ++column) out.push_back(at(x, column, row));
  }
  return out;
}
Floats sums_of_256(const Floats& x) {
  Floats sums;
  for (std::size_t begin = 0; begin < x.size(); begin += 256) {
    sums.push_back(std::accumulate(
        x.begin() + static_cast<std::ptrdiff_t>(begin),
        x.begin() + static_cast<std::ptrdiff_t>(std::min(begin + 256, x.size())), 0.f));
  }
  return sums;
}
// f of each row of 64, for 15 rows.
Floats rows(const Floats& x, const std::function<Floats(const std::vector<double>&)>& f) {
  Floats out;
  for (std::ptrdiff_t row = 0; row < 15; ++row) {
    const std::vector<double> one(x.begin() + row * 64, x.begin() + (row + 1) * 64);
    const Floats made = f(one);
    out.insert(out.end(), made.begin(), made.end());
  }
  return out;
}
Floats softmax(const std::vector<double>& x) {
  const double most = *std::max_element(x.begin(), x.end());
  double sum = 0;
  for (const double v : x) sum += std::exp(v - most);
  Floats out;
  for (const double v : x) out.push_back(static_cast<float>(std::exp(v - most) / sum));
  return out;
}
Floats rms_norm(const std::vector<double>& x) {
  double squares = 0;
  for (const double v : x) squares += v * v;
  Floats out;
  for (const double v : x) out.push_back(static_cast<float>(v / std::sqrt(squares / 64 + 1e-5)));
  return out;
}
Floats layer_norm(const std::vector<double>& x) {
  double mean = 0, variance = 0;
  for (const double v : x) mean += v / 64;
  for (const double v : x) variance += (v - mean) * (v - mean) / 64;
  Floats out;
  for (const double v : x)
    out.push_back(static_cast<float>((v - mean) / std::sqrt(variance + 1e-5)));
  return out;
}

struct RealCase {
  const char* kernel;
  Dim3 grid, block;
  std::function<Floats(const Floats& x, const Floats& y)> expected;
  bool two = false;  // inputs
  std::int64_t shared = 0;
};
const Dim3 kBlocks = {4, 1, 1}, kThreads = {256, 1, 1};

std::vector<RealCase> element_cases() {
  const auto of = [](float (*f)(float)) {
    return [f](const Floats& x, const Floats&) { return each(x, f); };
  };
  const auto smooth = [](const Floats& x, const Floats&) {
    return neighbours(x, [](float a, float b, float c) { return (a + b + c) / 3; });
  };
  return {
      {"copy_grid_stride", {2, 1, 1}, {96, 1, 1}, of([](float v) { return v; })},
      {"relu", kBlocks, kThreads, of([](float v) { return std::max(v, 0.f); })},
      {"gelu", kBlocks, kThreads, of([](float v) {
         return 0.5f * v * (1 + std::tanh(0.7978845608f * (v + 0.044715f * v * v * v)));
       })},
      {"scale_several<float, 4>", {1, 1, 1}, kThreads, of([](float v) { return 3 * v; })},
      {"copy_float4", {1, 1, 1}, kThreads, of([](float v) { return v; })},
      {"reverse", kBlocks, kThreads,
       [](const Floats& x, const Floats&) { return Floats(x.rbegin(), x.rend()); }},
      {"rotate_by_seven", kBlocks, kThreads,
       [](Floats x, const Floats&) {
         std::rotate(x.begin(), x.end() - 7, x.end());
         return x;
       }},
      {"three_point", kBlocks, kThreads, smooth},
      {"three_point_halo", {8, 1, 1}, {128, 1, 1}, smooth},
      {"median_of_three", kBlocks, kThreads,
       [](const Floats& x, const Floats&) {
         return neighbours(x, [](float a, float b, float c) {
           return std::max(std::min(a, b), std::min(std::max(a, b), c));
         });
       }},
      {"halves", kBlocks, kThreads, of([](float v) { return v; })},
      {"half_pairs", {2, 1, 1}, kThreads, of([](float v) { return 2 * v; })},
      {"polynomial", kBlocks, kThreads,
       of([](float v) { return ((0.5f * v - 1) * v + 2) * v + 0.25f; })},
      {"clamp", {1, 1, 1}, kThreads, of([](float v) { return std::clamp(v, 0.2f, 0.7f); })},
      {"with_lambda", {3, 1, 1}, {64, 1, 1}, of([](float v) { return 4 * v - 1; })},
      {"table_lookup", kBlocks, kThreads, of([](float v) {
         const int k = static_cast<int>(v * 4) & 3;
         return static_cast<float>(k * k);
       })},
      {"async_copy", {8, 1, 1}, {128, 1, 1}, of([](float v) { return v + 1; })},
  };
}

std::vector<RealCase> several_element_cases() {
  const auto with = [](float (*f)(float, float)) {
    return [f](const Floats& x, const Floats& y) { return pairs(x, y, f); };
  };
  const auto matrix = [](const Floats& x, const Floats& y) { return product(x, y); };
  const auto turned = [](const Floats& x, const Floats&) { return transposed(x); };
  const auto sums = [](const Floats& x, const Floats&) { return sums_of_256(x); };
  const auto by_row = [](Floats (*f)(const std::vector<double>&)) {
    return [f](const Floats& x, const Floats&) { return rows(x, f); };
  };
  return {
      {"saxpy", kBlocks, kThreads, with([](float x, float y) { return 2 * x + y; }), true},
      {"hypotenuse", kBlocks, kThreads,
       with([](float x, float y) { return std::sqrt(x * x + y * y); }), true},
      {"complex_product",
       {2, 1, 1},
       kThreads,
       [](const Floats& x, const Floats& y) {
         Floats out;
         for (std::size_t i = 0; i + 1 < x.size(); i += 2) {
           out.push_back(x[i] * y[i] - x[i + 1] * y[i + 1]);
           out.push_back(x[i] * y[i + 1] + x[i + 1] * y[i]);
         }
         return out;
       },
       true},
      {"net::layer_mix<float>", kBlocks, kThreads,
       with([](float x, float y) { return x * (1 - y) + y; }), true},
      {"matmul_naive", {2, 2, 1}, {16, 16, 1}, matrix, true},
      {"matmul_tiled", {2, 2, 1}, {16, 16, 1}, matrix, true},
      {"matmul_registers", {1, 2, 1}, {8, 16, 1}, matrix, true},
      {"matmul_double_buffer", {1, 1, 1}, {32, 8, 1}, matrix, true},
      {"transpose_naive", {4, 1, 1}, {32, 8, 1}, turned},
      {"transpose_padded", {1, 1, 1}, {32, 8, 1}, turned},
      {"transpose_swizzled", {1, 1, 1}, {32, 8, 1}, turned},
      {"transpose_by_shuffle", {1, 1, 1}, {32, 1, 1}, turned},
      {"sum_interleaved", kBlocks, kThreads, sums},
      {"sum_sequential", kBlocks, kThreads, sums, false, 1024},
      {"sum_last_warp", kBlocks, kThreads, sums},
      {"sum_by_warps", kBlocks, kThreads, sums},
      {"sum_cooperative", kBlocks, kThreads, sums},
      {"sum_by_atomics", kBlocks, kThreads, sums},
      {"softmax_rows", {15, 1, 1}, {32, 1, 1}, by_row(softmax)},
      {"softmax_online", {15, 1, 1}, {32, 1, 1}, by_row(softmax)},
      {"rms_norm_rows", {15, 1, 1}, {32, 1, 1}, by_row(rms_norm)},
      {"layer_norm_rows", {15, 1, 1}, {64, 1, 1}, by_row(layer_norm)},
      {"row_maximum_place", {15, 1, 1}, {32, 1, 1}, by_row([](const std::vector<double>& x) {
         return Floats{static_cast<float>(std::max_element(x.begin(), x.end()) - x.begin())};
       })},
  };
}

struct WholeCase {
  const char* kernel;
  Dim3 grid, block;
  std::function<Ints(const Ints& x)> expected;
  bool zeros = false;  // the output begins as zeros
};

Ints by_256(const Ints& x, const std::function<void(Ints&)>& change) {
  Ints out;
  for (std::size_t begin = 0; begin < x.size(); begin += 256) {
    Ints part(x.begin() + static_cast<std::ptrdiff_t>(begin),
              x.begin() + static_cast<std::ptrdiff_t>(std::min(begin + 256, x.size())));
    change(part);
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

Ints life_of(const Ints& x) {
  constexpr int kSide = 30;
  const auto alive = [&x](int r, int c) {
    return x[static_cast<std::size_t>((r + kSide) % kSide * kSide + (c + kSide) % kSide)] & 1;
  };
  Ints out;
  for (int r = 0; r < kSide; ++r) {
    for (int c = 0; c < kSide; ++c) {
      int near = -alive(r, c);
      for (int dr = -1; dr <= 1; ++dr) {
        for (int dc = -1; dc <= 1; ++dc) near += alive(r + dr, c + dc);
      }
      out.push_back(near == 3 || (near == 2 && alive(r, c) != 0) ? 1 : 0);
    }
  }
  return out;
}

std::vector<WholeCase> whole_cases() {
  const auto of = [](int (*f)(int)) {
    return [f](const Ints& x) {
      Ints out;
      for (const int v : x) out.push_back(f(v));
      return out;
    };
  };
  const auto bins = [](const Ints& x) {
    Ints out(16);
    for (const int v : x) ++out[static_cast<std::size_t>(v % 16)];
    return out;
  };
  const auto scan = [](const Ints& x) {
    return by_256(x, [](Ints& p) { std::partial_sum(p.begin(), p.end(), p.begin()); });
  };
  const auto sorted = [](const Ints& x) {
    return by_256(x, [](Ints& p) { std::sort(p.begin(), p.end()); });
  };
  return {
      {"histogram_global", {2, 1, 1}, {128, 1, 1}, bins, true},
      {"histogram_shared", {2, 1, 1}, {128, 1, 1}, bins, true},
      {"histogram_by_match", kBlocks, kThreads, bins, true},
      {"count_bits", kBlocks, kThreads,
       of([](int v) { return std::popcount(static_cast<unsigned>(v)); })},
      {"xor_shift", kBlocks, kThreads, of([](int value) {
         auto v = static_cast<unsigned>(value) + 1;
         v ^= v << 13;
         v ^= v >> 17;
         v ^= v << 5;
         return static_cast<int>(v);
       })},
      {"gather", kBlocks, kThreads,
       [](const Ints& x) {
         Ints out;
         for (const int v : x) out.push_back(x[static_cast<std::size_t>(v)]);
         return out;
       }},
      {"scan_double_buffer", kBlocks, kThreads, scan},
      {"scan_blelloch", kBlocks, kThreads, scan},
      {"scan_by_warps", kBlocks, kThreads, scan},
      {"sort_bitonic", kBlocks, kThreads, sorted},
      {"sort_odd_even", kBlocks, kThreads, sorted},
      {"keep_even", kBlocks, kThreads,
       [](const Ints& x) {
         return by_256(x, [](Ints& p) {
           const std::size_t all = p.size();
           std::erase_if(p, [](int v) { return v % 2 != 0; });
           p.resize(all, -1);
         });
       }},
      {"life", kBlocks, kThreads, life_of},
      {"greatest_by_cas", kBlocks, kThreads,
       [](const Ints& x) { return Ints{*std::max_element(x.begin(), x.end())}; }, true},
      {"dot_of_bytes", kBlocks, kThreads, of([](int v) {
         return 5 + (v & 255 ? static_cast<signed char>(v & 255) * 4 : 0) +
                static_cast<signed char>(v >> 8 & 255) * 3;
       })},
      {"local_array", kBlocks, kThreads,
       [](const Ints& x) {
         Ints out;
         for (int i = 0; i < kN; ++i) {
           int sum = 0;
           for (int k = 0; k < 8; ++k)
             sum += x[static_cast<std::size_t>((i + ((x[static_cast<std::size_t>(i)] + k) & 7)) %
                                               kN)] *
                    k;
           out.push_back(sum);
         }
         return out;
       }},
      {"warp_vote",
       {8, 1, 1},
       {128, 1, 1},
       [](const Ints& x) {
         Ints out;
         for (int i = 0; i < kN; ++i) {
           const int begin = i / 32 * 32;
           bool any = false, all = true;
           for (int k = begin; k < begin + 32; ++k) {
             const bool is = k < kN && x[static_cast<std::size_t>(k)] > kN / 2;
             any = any || is;
             all = all && is;
           }
           out.push_back(int{any} + 2 * int{all});
         }
         return out;
       }},
      {"recursive_sum",
       {1, 1, 1},
       {32, 1, 1},
       [](const Ints& x) {
         Ints out;
         for (std::ptrdiff_t k = 0; k < 4; ++k)
           out.push_back(std::accumulate(x.begin() + 8 * k, x.begin() + 8 * (k + 1), 0));
         return out;
       }},
  };
}

class Corpus : public testing::TestWithParam<EmulatedAs> {
 protected:
  void SetUp() override {
    if (!code_ && code_.error().kind == ErrorKind::environment)
      GTEST_SKIP() << sentence(code_.error());
    ASSERT_TRUE(code_) << sentence(code_.error());
  }
  Trace run(Bench& bench, const char* kernel, const Launch& launch) {
    Result<EmulatedRun> run = code_->run(kernel, launch, bench);
    if (!run) {
      ADD_FAILURE() << kernel << ": " << sentence(run.error());
      return {};
    }
    return std::move(run->trace);
  }
  void check(const RealCase& c) {
    Floats x(1024), y(1024);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<float>(i * 37 % 1024) / 1024;  // exact in f16
      y[i] = static_cast<float>(i * 101 % 512) / 512;
    }
    const bool whole = std::string_view(c.kernel).starts_with("matmul") ||
                       std::string_view(c.kernel).starts_with("transpose");
    if (!whole) x.resize(kN), y.resize(kN);
    const Floats expected = c.expected(x, y);
    Floats out(expected.size(), -1);
    Bench bench;
    bench.add("x", x);
    if (c.two) bench.add("y", y);
    bench.add("out", out, false);
    bench.pass(std::int32_t{kN});
    const Trace trace = run(bench, c.kernel, {c.grid, c.block, c.shared});
    EXPECT_EQ(faults_text(trace), "") << c.kernel;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const bool equal = std::abs(out[i] - expected[i]) <= 1e-5f + 2e-5f * std::abs(expected[i]);
      ASSERT_TRUE(equal) << c.kernel << " at " << i << ": " << out[i] << ", not " << expected[i];
    }
  }
  void check(const WholeCase& c) {
    Ints x(kN);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i * 389 % kN);
    const Ints expected = c.expected(x);
    Ints out(expected.size(), c.zeros ? 0 : -77);
    Bench bench;
    bench.add("x", x);
    bench.add("out", out, c.zeros);
    bench.pass(std::int32_t{kN});
    const Trace trace = run(bench, c.kernel, {c.grid, c.block});
    EXPECT_EQ(faults_text(trace), "") << c.kernel;
    EXPECT_EQ(out, expected) << c.kernel;
  }
  const Result<CorpusCode>& code_ = CorpusCode::of_file("good_kernels.cu", GetParam());
};

TEST_P(Corpus, KernelsOfRealNumbersAreRightWithoutAFinding) {
  for (const RealCase& c : element_cases()) check(c);
  for (const RealCase& c : several_element_cases()) check(c);
}

TEST_P(Corpus, KernelsOfWholeNumbersAreRightWithoutAFinding) {
  for (const WholeCase& c : whole_cases()) check(c);
}

TEST_P(Corpus, EveryKernelOfTheFileIsRun) {
  std::size_t cases =
      element_cases().size() + several_element_cases().size() + whole_cases().size();
  EXPECT_EQ(code_->entries().size(), cases);
}

INSTANTIATE_TEST_SUITE_P(Ptx, Corpus, testing::Values(EmulatedAs::ptx));
INSTANTIATE_TEST_SUITE_P(SlowMachineCode, Corpus,
                         testing::Values(EmulatedAs::machine_code, EmulatedAs::sm_75,
                                         EmulatedAs::sm_80, EmulatedAs::sm_86, EmulatedAs::sm_89, EmulatedAs::sm_100, EmulatedAs::sm_103, EmulatedAs::sm_120, EmulatedAs::sm_121));

}  // namespace
}  // namespace warpscope
#endif
