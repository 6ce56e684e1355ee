// tests/emulator/hopper/cluster_kernels.cpp: kernels whose blocks work together, and their
// references.
#ifdef WARPSCOPE_WITH_COMPILER

#include <algorithm>

#include "tests/emulator/hopper/cluster_cases.h"

namespace warpscope {
namespace {

using enum ElementType;

// Small whole numbers: sums of them are exact in any order.
template <typename T>
std::vector<T> numbers(std::size_t count, int below, unsigned seed) {
  std::vector<T> values(count);
  std::uint32_t state = seed;
  for (T& v : values) {
    state = state * 1664525u + 1013904223u;
    v = static_cast<T>(static_cast<int>(state >> 8) % below -
                       (std::is_same_v<T, float> ? below / 2 : 0));
  }
  return values;
}

Launch launch_in_clusters(Dim3 grid, std::int64_t threads, std::int64_t cluster) {
  Launch launch;
  launch.grid = grid;
  launch.block.x = threads;
  launch.cluster.x = cluster;
  return launch;
}

ClusterKernel histogram() {
  constexpr int kBlocks = 4, kBins = 256 * kBlocks, kValues = 20'000;
  const std::vector<int> values = numbers<int>(kValues, kBins, 1);
  std::vector<std::uint32_t> bins(kBins, 3), expected = bins;
  for (const int v : values) ++expected[static_cast<std::size_t>(v)];
  return {"histogram",
          launch_in_clusters({3 * kBlocks, 1, 1}, 128, kBlocks),
          {input("values", i32, values), output("bins", u32, bins, expected, true)},
          {BufferArgument{"values"}, BufferArgument{"bins"}, std::int32_t{kValues}}};
}

ClusterKernel cluster_sum() {
  constexpr std::size_t kRows = 5, kColumns = 3001;
  const std::vector<float> rows = numbers<float>(kRows * kColumns, 64, 2);
  std::vector<float> sums(kRows);
  for (std::size_t i = 0; i < rows.size(); ++i) sums[i / kColumns] += rows[i];
  return {"cluster_sum",
          launch_in_clusters({8 * kRows, 1, 1}, 128, 8),
          {input("rows", f32, rows), output("sums", f32, std::vector<float>(kRows, -1), sums)},
          {BufferArgument{"rows"}, BufferArgument{"sums"}, static_cast<std::int32_t>(kColumns)}};
}

ClusterKernel stream_k() {
  constexpr std::size_t kM = 32, kN = 4 * 16 * 2, kK = 100;
  const std::vector<float> a = numbers<float>(kM * kK, 16, 3), b = numbers<float>(kK * kN, 16, 4);
  std::vector<float> c(kM * kN);
  for (std::size_t i = 0; i < kM; ++i) {
    for (std::size_t k = 0; k < kK; ++k) {
      for (std::size_t j = 0; j < kN; ++j) c[i * kN + j] += a[i * kK + k] * b[k * kN + j];
    }
  }
  return {"stream_k",
          launch_in_clusters({8, 2, 1}, 256, 4),
          {input("a", f32, a), input("b", f32, b),
           output("c", f32, std::vector<float>(c.size(), -1), c)},
          {BufferArgument{"a"}, BufferArgument{"b"}, BufferArgument{"c"},
           static_cast<std::int32_t>(kN), static_cast<std::int32_t>(kK)}};
}

// Whole numbers from −8 to 7 as f16.
std::uint16_t half_of(int value) {
  if (value == 0) return 0;
  const unsigned sign = value < 0 ? 0x8000u : 0u, size = static_cast<unsigned>(std::abs(value));
  const unsigned exponent = 31u - static_cast<unsigned>(__builtin_clz(size));
  return static_cast<std::uint16_t>(sign | (exponent + 15) << 10 |
                                    (size << (10 - exponent) & 0x3ff));
}

ClusterKernel multicast_gemm() {
  constexpr std::int64_t kM = 256, kN = 128, kK = 160;
  const std::vector<int> a = numbers<int>(kM * kK, 16, 5), b = numbers<int>(kN * kK, 16, 6);
  std::vector<std::uint16_t> half_a(a.size()), half_b(b.size());
  for (std::size_t i = 0; i < a.size(); ++i) half_a[i] = half_of(a[i] - 8);
  for (std::size_t i = 0; i < b.size(); ++i) half_b[i] = half_of(b[i] - 8);
  std::vector<float> c(kM * kN);
  for (std::size_t i = 0; i < kM; ++i) {
    for (std::size_t j = 0; j < kN; ++j) {
      int sum = 0;
      for (std::size_t k = 0; k < kK; ++k) sum += (a[i * kK + k] - 8) * (b[j * kK + k] - 8);
      c[i * kN + j] = static_cast<float>(sum);
    }
  }
  return {"multicast_gemm",
          launch_in_clusters({kM / 64, kN / 64, 1}, 128, 2),
          {input("a", f16, half_a), input("b", f16, half_b),
           output("c", f32, std::vector<float>(c.size(), -1), c)},
          {TensorMapArgument{"a", f16, {kK, kM}, {2 * kK}, {32, 64}},
           TensorMapArgument{"b", f16, {kK, kN}, {2 * kK}, {32, 32}}, BufferArgument{"c"},
           static_cast<std::int32_t>(kN), static_cast<std::int32_t>(kK)}};
}

ClusterKernel passes() {
  constexpr std::size_t kBlocks = 12, kEach = 4, kTile = 128;
  const std::vector<int> in = numbers<int>(kBlocks * kTile, 1000, 7);
  std::vector<int> tiles(in.size());
  std::vector<std::uint32_t> from(kBlocks * kEach), counts(kBlocks);
  for (std::size_t b = 0; b < kBlocks; ++b) {
    const std::size_t first = b / kEach * kEach, before = first + (b + kEach - 1) % kEach;
    std::copy_n(in.begin() + static_cast<std::ptrdiff_t>(before * kTile), kTile,
                tiles.begin() + static_cast<std::ptrdiff_t>(b * kTile));
    for (std::size_t r = 0; r < kEach; ++r) {
      from[b * kEach + r] = static_cast<std::uint32_t>(r + 1);
      counts[b] += static_cast<std::uint32_t>(r);
    }
  }
  return {"passes",
          launch_in_clusters({kBlocks, 1, 1}, 128, kEach),
          {input("in", i32, in), output("tiles", i32, std::vector<int>(in.size(), -1), tiles),
           output("from", u32, std::vector<std::uint32_t>(from.size(), 99), from),
           output("counts", u32, std::vector<std::uint32_t>(counts.size(), 99), counts)},
          {BufferArgument{"in"}, BufferArgument{"tiles"}, BufferArgument{"from"},
           BufferArgument{"counts"}}};
}

ClusterKernel grid_steps() {
  constexpr std::size_t kPoints = 3000;
  constexpr std::int32_t kSteps = 6;  // even: the result is in a
  std::vector<float> before(kPoints), a, b(kPoints);
  for (std::size_t i = 0; i < kPoints; ++i) before[i] = static_cast<float>(i * i % 251);
  a = before;
  for (std::int32_t s = 0; s < kSteps; ++s) {
    for (std::size_t i = 0; i < kPoints; ++i) {
      b[i] = i == 0 || i == kPoints - 1 ? a[i] : 0.5f * (a[i - 1] + a[i + 1]);
    }
    std::swap(a, b);
  }
  Launch launch;
  launch.grid.x = 5;
  launch.block.x = 128;
  launch.cooperative = true;
  return {"grid_steps",
          launch,
          {output("a", f32, before, a, true), output("b", f32, std::vector<float>(kPoints, -1), b)},
          {BufferArgument{"a"}, BufferArgument{"b"}, static_cast<std::int32_t>(kPoints), kSteps}};
}

ClusterKernel function_tables() {
  constexpr int kCount = 200, kBar = 7;
  std::vector<int> out(kCount);
  for (int i = 0; i < kCount; ++i) {
    const int area = i % 3 == 0 ? i : i % 3 == 1 ? i * i : kBar * i;
    out[static_cast<std::size_t>(i)] = area + (i / 3 % 3 == 1 ? i - 1 : 2 * i);
  }
  Launch launch;
  launch.grid.x = 2;
  launch.block.x = 128;
  return {"function_tables",
          launch,
          {output("out", i32, std::vector<int>(kCount, -1), out)},
          {BufferArgument{"out"}, std::int32_t{kCount}, std::int32_t{kBar}}};
}

ClusterKernel shared_tables() {
  constexpr int kCount = 200, kBar = 7;
  std::vector<int> out(kCount);
  for (int i = 0; i < kCount; ++i)
    out[static_cast<std::size_t>(i)] =
        (i % 2 == 0 ? i * i : kBar * i) + (i / 2 % 3 == 1 ? i - 1 : 2 * i);
  Launch launch;
  launch.grid.x = 2;
  launch.block.x = 128;
  return {"shared_tables",
          launch,
          {output("out", i32, std::vector<int>(kCount, -1), out)},
          {BufferArgument{"out"}, std::int32_t{kCount}, std::int32_t{kBar}}};
}

}  // namespace

void add_meeting_kernels(std::vector<ClusterKernel>& kernels) {
  for (const auto& make : {histogram, cluster_sum, stream_k, multicast_gemm, passes, grid_steps,
                           function_tables, shared_tables}) {
    kernels.push_back(make());
  }
}

}  // namespace warpscope

#endif  // WARPSCOPE_WITH_COMPILER
