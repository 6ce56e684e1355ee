// tests/emulator/libraries/libraries_test.cpp: kernels that use Thrust, libcu++ and cooperative
// groups give what a CPU computes, without a finding.
#ifdef WARPSCOPE_WITH_COMPILER
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <functional>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "scenes/host/input_file.h"
#include "tests/emulator/fixture.h"
#include "tests/folders.h"

namespace warpscope {
namespace {

using Ints = std::vector<std::int32_t>;

// Expected values are whole numbers, so that sums of floats are exact.
struct LibraryCase {
  const char* kernel;
  std::int64_t blocks, threads;
  std::function<Ints(const Ints&)> expected;
  bool zeros = false;  // the output is zero before
};

std::size_t place(int i) { return static_cast<std::size_t>(i); }

Ints each(int count, const std::function<int(int)>& f) {
  Ints out;
  for (int i = 0; i < count; ++i) out.push_back(f(i));
  return out;
}
int sum_of(const Ints& x, int begin, int end) {
  return std::accumulate(x.begin() + begin, x.begin() + end, 0);
}

constexpr int kRow = 25, kRows = 40;

std::vector<LibraryCase> thrust_cases() {
  return {
      {"row_sums", 1, 64,
       [](const Ints& x) {
         return each(kRows, [&](int r) { return sum_of(x, r * kRow, (r + 1) * kRow); });
       }},
      {"row_extremes", 1, 64,
       [](const Ints& x) {
         return each(2 * kRows, [&](int k) {
           const auto first = x.begin() + k / 2 * kRow;
           return k % 2 == 0 ? *std::min_element(first, first + kRow)
                             : *std::max_element(first, first + kRow);
         });
       }},
      {"row_moments", 1, 64,
       [](const Ints& x) {
         return each(3 * kRows, [&](int k) {
           int squares = 0, most = 0, negative = 0;
           for (int i = k / 3 * kRow; i < (k / 3 + 1) * kRow; ++i) {
             const int v = x[place(i)];
             squares += v * v;
             most = std::max(most, v * v);
             negative += v < 0 ? 1 : 0;
           }
           return k % 3 == 0 ? squares : k % 3 == 1 ? most : negative;
         });
       }},
      {"complex_products", 4, 128,
       [](const Ints& x) {
         return each(1000, [&](int k) {
           const int a = x[place(k / 2 * 2)], b = x[place(k / 2 * 2 + 1)];
           return k % 2 == 0 ? a * a - b * b + 2 * a : 2 * a * b - 2 * b + a * a + b * b;
         });
       }},
      {"counted_squares", 8, 128,
       [](const Ints&) {
         return each(1000, [](int i) {
           const int m = i % 32;
           return (m - 1) * m * (2 * m - 1) / 6;
         });
       }},
      {"sorted_eights", 1, 128,
       [](const Ints& x) {
         Ints out = x;
         for (auto at = out.begin(); at != out.end(); at += 8)
           std::sort(at, at + 8, std::greater<>());
         return out;
       }},
      {"places", 8, 128,
       [](const Ints& x) {
         return each(1000, [&](int i) {
           int below = 0;
           for (const int limit : {-40, -20, -5, 0, 5, 20, 40}) below += limit <= x[place(i)];
           return below;
         });
       }},
      {"row_scans", 1, 64,
       [](const Ints& x) {
         return each(1000, [&](int i) { return sum_of(x, i / kRow * kRow, i + 1); });
       }},
      {"zipped", 1, 64,
       [](const Ints& x) {
         return each(1000, [&](int i) { return x[place(i)] * x[place(i)] + 1; });
       }},
      {"permuted", 8, 128,
       [](const Ints& x) {
         return each(1000, [&](int i) {
           const int order[4] = {3, 0, 2, 1};
           const int v = x[place(i / 4 * 4 + order[i % 4])];
           return v * v;
         });
       }},
  };
}

constexpr int kTile = 128, kN = 1024;

// Sums and extremes of the tile of 128 that an element is in.
int tile_sum(const Ints& x, int i) { return sum_of(x, i / kTile * kTile, (i / kTile + 1) * kTile); }

std::vector<LibraryCase> atomic_cases() {
  return {
      {"counted_bins", 8, kTile,
       [](const Ints& x) {
         Ints bins(16);
         for (const int v : x) ++bins[place(v & 15)];
         return bins;
       },
       true},
      {"shared_atomics", 8, kTile,
       [](const Ints& x) {
         return each(kN, [&](int i) {
           const auto first = x.begin() + i / kTile * kTile;
           return *std::max_element(first, first + kTile) + 1000 * tile_sum(x, i);
         });
       }},
      {"last_block", 8, kTile, [](const Ints& x) { return Ints{sum_of(x, 0, kN)}; }},
      {"updated_atomic", 8, kTile,
       [](const Ints& x) { return each(8, [&](int block) { return tile_sum(x, block * kTile); }); },
       true},
      {"packed_output", 8, kTile,
       [](const Ints& x) {
         return each(kN, [&](int i) {
           const auto first = x.begin() + i / kTile * kTile;
           return i % kTile < std::count_if(
                                  first, first + kTile, [](int v) { return v > 25; })
                      ? 1
                      : 0;
         });
       }},
      {"one_at_a_time", 8, kTile,
       [](const Ints& x) {
         return each(kN, [&](int i) {
           int sum = 0;
           for (int k = 0; k < kTile; k += 32) sum += x[place(i / kTile * kTile + k)];
           return sum;
         });
       }},
  };
}

std::vector<LibraryCase> type_cases() {
  return {
      {"std_types", 8, kTile,
       [](const Ints& x) {
         return each(kN, [&](int i) {
           const int a = x[place(i)], b = x[place(std::max(i - 1, 0))],
                     c = x[place(std::min(i + 1, kN - 1))];
           int root = -1;
           for (int k = 0; k * k <= a; ++k) root = k * k == a ? k : root;
           return root + 100 * (std::max({a, b, c}) - std::min({a, b, c})) +
                  std::popcount(static_cast<unsigned>(i));
         });
       }},
      {"spans", 8, kTile,
       [](const Ints& x) {
         return each(kN, [&](int i) { return x[place(i / 32 * 32 + 31 - i % 32)]; });
       }},
      {"std_complex", 8, kTile,
       [](const Ints& x) {
         return each(kN, [&](int i) {
           const int a = x[place(i)], b = i % 7;
           return a * a - b * b - a + 2 * a * b + b;
         });
       }},
      {"wide_tiles", 8, kTile,
       [](const Ints& x) {
         return each(kN, [&](int i) {
           const int first = i / 64 * 64;
           return sum_of(x, first, first + 64) + 10000 * sum_of(x, first, i);
         });
       }},
  };
}

std::vector<LibraryCase> barrier_cases() {
  const auto turned = [](const Ints& x, int i) {
    return x[place(i / kTile * kTile + kTile - 1 - i % kTile)];
  };
  return {
      {"barrier_tile", 8, kTile,
       [=](const Ints& x) { return each(kN, [&](int i) { return turned(x, i ^ 1) + 1; }); }},
      {"copied_tile", 8, kTile,
       [=](const Ints& x) { return each(kN, [&](int i) { return turned(x, i); }); }},
      {"piped_tiles", 1, kTile,
       [=](const Ints& x) {
         return each(kTile, [&](int i) {
           int sum = 0;
           for (int tile = 0; tile < kN / kTile; ++tile)
             sum += turned(x, tile * kTile + i) * (tile + 1);
           return sum;
         });
       }},
      {"thread_pipe", 1, kTile,
       [](const Ints& x) {
         return each(kTile, [&](int i) { return x[place(i)] + 3 * x[place(i + kTile)]; });
       }},
      {"group_copy", 8, kTile,
       [](const Ints& x) { return each(kN, [&](int i) { return x[place(i ^ 5)]; }); }},
      {"split_barrier", 8, kTile,
       [](const Ints& x) {
         return each(kN, [&](int i) { return 2 * x[place(i)] + x[place(i ^ 64)]; });
       }},
      {"latched", 8, kTile,
       [](const Ints& x) { return each(kN, [&](int i) { return x[place(i / kTile * kTile)]; }); }},
  };
}

class Libraries : public testing::Test {
 protected:
  // PTX of a file of this folder, as a person's own file is compiled.
  Result<CompiledPtx> compiled(const std::string& name) {
    const auto path = source_folder() / "tests/emulator/libraries" / name;
    const Result<std::string> text = read_input(path, kMostTextFileBytes);
    if (!text) return tl::unexpected(text.error());
    CompileRequest request{name, {}, 90};
    request.any_text = true;
    return compile_to_ptx(request, *text);
  }
  template <typename T>
  void check(const CompiledPtx& ptx, const LibraryCase& c, int count, const std::string& file) {
    SCOPED_TRACE(c.kernel);
    Ints numbers = each(count, [](int i) { return i * 389 % 101 % 100 - 50; });
    const Ints expected = c.expected(numbers);
    std::vector<T> x(numbers.begin(), numbers.end()),
        y(expected.size(), c.zeros ? T{0} : T{-77777});
    Bench bench;
    bench.add("x", x);
    bench.add("y", y, c.zeros);
    bench.pass(std::int32_t{count});
    const Trace trace = bench.run(ptx.ptx, launch_of(c.blocks, c.threads), c.kernel, file);
    EXPECT_EQ(faults_text(trace), "");
    for (std::size_t i = 0; i < y.size(); ++i)
      ASSERT_EQ(y[i], static_cast<T>(expected[i])) << "element " << i;
  }
};

TEST_F(Libraries, KernelsOfThrustAreRightWithoutAFinding) {
  const Result<CompiledPtx> ptx = compiled("thrust_parts.cu");
  if (!ptx && ptx.error().kind == ErrorKind::environment) GTEST_SKIP() << sentence(ptx.error());
  ASSERT_TRUE(ptx) << sentence(ptx.error());
  for (const LibraryCase& c : thrust_cases()) check<float>(*ptx, c, 1000, "thrust_parts.cu");
}

TEST_F(Libraries, KernelsOfLibcudacxxAndCooperativeGroupsAreRightWithoutAFinding) {
  const Result<CompiledPtx> ptx = compiled("cuda_parts.cu");
  if (!ptx && ptx.error().kind == ErrorKind::environment) GTEST_SKIP() << sentence(ptx.error());
  ASSERT_TRUE(ptx) << sentence(ptx.error());
  for (const auto& cases : {atomic_cases(), type_cases(), barrier_cases()})
    for (const LibraryCase& c : cases) check<std::int32_t>(*ptx, c, kN, "cuda_parts.cu");
}

TEST_F(Libraries, EveryKernelOfTheFilesIsRun) {
  std::multiset<std::string> run, written;
  for (const auto& cases : {thrust_cases(), atomic_cases(), type_cases(), barrier_cases()})
    for (const LibraryCase& c : cases) run.insert(c.kernel);
  for (const char* name : {"thrust_parts.cu", "cuda_parts.cu"}) {
    std::ifstream text(source_folder() / "tests/emulator/libraries" / name);
    for (std::string line; std::getline(text, line);)
      if (line.starts_with("KERNEL(")) written.insert(line.substr(7, line.find(')') - 7));
  }
  EXPECT_EQ(run, written);
  EXPECT_GE(run.size(), 25U);
}

}  // namespace
}  // namespace warpscope
#endif
