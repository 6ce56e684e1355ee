// tests/emulator/foreign/foreign_cases.cpp: kernels of other producers than nvcc, their arguments
// and what they compute.
#include "tests/emulator/foreign/foreign_cases.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace warpscope::foreign {
namespace {

std::vector<ArgumentBytes> as_pointer(std::uint64_t address, const Array&) {
  return {argument_of(address)};
}

// source: Numba, "ArrayModel": memory, parent, items, bytes of an item, address, extents, strides.
std::vector<ArgumentBytes> as_numba_array(std::uint64_t address, const Array& array) {
  const std::int64_t item = element_bytes(array.type);
  std::vector<ArgumentBytes> all = {argument_of(std::int64_t{0}), argument_of(std::int64_t{0}),
                                    argument_of(array.count()), argument_of(item),
                                    argument_of(address)};
  for (const std::int64_t extent : array.shape) all.push_back(argument_of(extent));
  std::int64_t stride = array.count() * item;
  for (const std::int64_t extent : array.shape) all.push_back(argument_of(stride /= extent));
  return all;
}

struct AddressAndExtent {
  std::uint64_t address;
  std::int32_t extent, unused;
};
std::vector<ArgumentBytes> as_tensor(std::uint64_t address, const Array& array) {
  return {argument_of(AddressAndExtent{address, static_cast<std::int32_t>(array.count()), 0})};
}

const Producer kTriton{"triton_kernels.py", as_pointer, 2};
const Producer kNumba{"numba_kernels.py", as_numba_array, 0};
const Producer kCute{"cute_kernels.py", as_tensor, 0};
const Producer kFixedCute{"cute_kernels.py", as_pointer, 0};  // extents known when compiled
// clang 14 does not say where a function was inlined.
const Producer kClang{"clang_kernels.cu", as_pointer, 0, false};

Launch grid(std::int64_t blocks, Dim3 block, std::int64_t shared = 0) {
  Launch launch;
  launch.grid.x = blocks;
  launch.block = block;
  launch.dynamic_shared_bytes = shared;
  return launch;
}
Launch grid(Dim3 blocks, Dim3 block, std::int64_t shared = 0) {
  Launch launch = grid(1, block, shared);
  launch.grid = blocks;
  return launch;
}

// Small multiples of 1/8, which products and sums of a few hundred keep exact in f32.
double value_at(std::int64_t i, int seed) {
  return static_cast<double>((i * 37 + seed * 11) % 41 - 20) / 8;
}
Array filled(std::vector<std::int64_t> shape, int seed, ElementType type = ElementType::f32) {
  Array array{type, std::move(shape), {}};
  for (std::int64_t i = 0; i < array.count(); ++i) array.values.push_back(value_at(i, seed));
  return array;
}
Array integers(std::int64_t count, int seed, std::int64_t below) {
  Array array{ElementType::i32, {count}, {}};
  for (std::int64_t i = 0; i < count; ++i)
    array.values.push_back(static_cast<double>((i * i * 7 + i * 13 + seed) % below));
  return array;
}
Array zeros(std::vector<std::int64_t> shape, ElementType type = ElementType::f32) {
  Array array{type, std::move(shape), {}};
  array.values.assign(static_cast<std::size_t>(array.count()), 0);
  return array;
}
Numbers each(const Array& a, const std::function<double(double)>& f) {
  Numbers out;
  for (const double v : a.values) out.push_back(f(v));
  return out;
}
Numbers each(const Array& a, const Array& b, const std::function<double(double, double)>& f) {
  Numbers out;
  for (std::size_t i = 0; i < a.values.size(); ++i) out.push_back(f(a.values[i], b.values[i]));
  return out;
}
// f(row) of each row, of as many elements as it gives.
Numbers by_row(const Array& a, const std::function<Numbers(Numbers)>& f) {
  const auto width = static_cast<std::ptrdiff_t>(a.shape[1]);
  Numbers out;
  for (auto row = a.values.begin(); row != a.values.end(); row += width) {
    const Numbers made = f(Numbers(row, row + width));
    out.insert(out.end(), made.begin(), made.end());
  }
  return out;
}
double sum_of(const Numbers& v) { return std::accumulate(v.begin(), v.end(), 0.0); }
Numbers softmax_of(Numbers v) {
  const double top = *std::max_element(v.begin(), v.end());
  for (double& x : v) x = std::exp(x - top);
  const double sum = sum_of(v);
  for (double& x : v) x /= sum;
  return v;
}
Numbers normed(Numbers v, const Numbers& weight, double eps) {
  const auto n = static_cast<double>(v.size());
  const double mean = sum_of(v) / n;
  double squares = 0;
  for (const double x : v) squares += (x - mean) * (x - mean);
  for (std::size_t i = 0; i < v.size(); ++i)
    v[i] = (v[i] - mean) / std::sqrt(squares / n + eps) * weight[i];
  return v;
}
Numbers product(const Array& a, const Array& b) {
  const std::int64_t m = a.shape[0], depth = a.shape[1], n = b.shape[1];
  Numbers c;
  for (std::int64_t i = 0; i < m * n; ++i) {
    double sum = 0;
    for (std::int64_t k = 0; k < depth; ++k)
      sum += a.values[static_cast<std::size_t>(i / n * depth + k)] *
             b.values[static_cast<std::size_t>(k * n + i % n)];
    c.push_back(sum);
  }
  return c;
}
Numbers transposed(const Array& a) {
  Numbers out;
  for (std::int64_t c = 0; c < a.shape[1]; ++c)
    for (std::int64_t r = 0; r < a.shape[0]; ++r)
      out.push_back(a.values[static_cast<std::size_t>(r * a.shape[1] + c)]);
  return out;
}
Numbers counted(const Array& values, std::size_t bins) {
  Numbers counts(bins, 0);
  for (const double v : values.values) counts[static_cast<std::size_t>(v)] += 1;
  return counts;
}
Numbers scanned(const Array& a) {
  Numbers out(a.values.size());
  std::partial_sum(a.values.begin(), a.values.end(), out.begin());
  return out;
}
// f of each run of `length` elements.
Numbers by_part(const Array& a, std::ptrdiff_t length, const std::function<double(Numbers)>& f) {
  Numbers out;
  for (std::ptrdiff_t i = 0; i < std::ssize(a.values); i += length) {
    const auto end = std::min(i + length, std::ssize(a.values));
    out.push_back(f(Numbers(a.values.begin() + i, a.values.begin() + end)));
  }
  return out;
}
Numbers heated(const Array& a) {
  const std::int64_t rows = a.shape[0], columns = a.shape[1];
  Numbers out(a.values.size(), 0);
  const auto at = [&](std::int64_t i) { return a.values[static_cast<std::size_t>(i)]; };
  for (std::int64_t r = 1; r + 1 < rows; ++r)
    for (std::int64_t c = 1; c + 1 < columns; ++c) {
      const std::int64_t i = r * columns + c;
      out[static_cast<std::size_t>(i)] =
          0.25 * (at(i - columns) + at(i + columns) + at(i - 1) + at(i + 1));
    }
  return out;
}
double branched(double x) {
  switch (static_cast<int>(x) & 7) {
    case 0:
      return x * 2;
    case 1:
      return x + 10;
    case 2:
      return x / 3;
    case 3:
      return -x;
    case 4:
      return x * x;
    case 5:
      return x - 0.5;
    default:
      return 7;
  }
}
struct Line {
  float slope, offset;
  std::int32_t lowest, highest;
};

const Array kX = filled({1000}, 1), kY = filled({1000}, 2), kRows = filled({6, 200}, 3),
            kWeight = filled({200}, 4), kHalfA = filled({64, 96}, 5, ElementType::f16),
            kHalfB = filled({96, 32}, 6, ElementType::f16), kRun = filled({256}, 7),
            kField = filled({40, 50}, 8), kA = filled({32, 48}, 9), kB = filled({48, 32}, 10),
            kSmallA = filled({32, 24}, 11), kSmallB = filled({24, 32}, 12),
            kWide = filled({8, 96}, 13), kFlat = filled({1024}, 14),
            kF64 = filled({300}, 15, ElementType::f64), kIndices = integers(1000, 3, 20),
            kP = integers(200, 5, 5000), kQ = integers(200, 9, 700), kBlock = integers(256, 1, 999);
const std::int32_t kN = 1000;
const Dim3 kWarp4{128, 1, 1}, kTile{16, 16, 1};

}  // namespace

const std::vector<Case>& foreign_cases() {
  static const std::vector<Case> cases = {
      {"triton_add",
       "add",
       &kTriton,
       grid(4, kWarp4),
       {kX, kY, zeros({1000}), kN},
       each(kX, kY, std::plus<>())},
      {"triton_softmax",
       "softmax",
       &kTriton,
       grid(6, kWarp4, 16),
       {kRows, zeros({6, 200}), 200},
       by_row(kRows, softmax_of),
       1e-5},
      {"triton_layer_norm",
       "layer_norm",
       &kTriton,
       grid(6, kWarp4, 16),
       {kRows, kWeight, zeros({6, 200}), 200, 1e-5f},
       by_row(kRows, [](const Numbers& v) { return normed(v, kWeight.values, 1e-5); }),
       1e-4},
      {"triton_matmul",
       "matmul",
       &kTriton,
       grid(1, kWarp4, 8192),
       {kHalfA, kHalfB, zeros({64, 32}), 96},
       product(kHalfA, kHalfB)},
      {"triton_histogram",
       "histogram",
       &kTriton,
       grid(4, kWarp4),
       {kIndices, zeros({20}, ElementType::i32), kN},
       counted(kIndices, 20)},
      {"triton_scan", "scan", &kTriton, grid(1, kWarp4, 32), {kRun, zeros({256})}, scanned(kRun)},
      {"triton_gelu",
       "gelu",
       &kTriton,
       grid(4, kWarp4),
       {kX, zeros({1000}), kN},
       each(kX, [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }),
       2e-5},
      {"triton_transpose",
       "transpose",
       &kTriton,
       grid(Dim3{2, 2, 1}, kWarp4, 4096),
       {kField, zeros({50, 40}), 40, 50},
       transposed(kField)},
      {"triton_unmasked",
       "unmasked",
       &kTriton,
       grid(4, kWarp4),
       {kX, zeros({1000}), kN},
       {},
       0,
       "4 bytes beyond the "},

      {"numba_saxpy",
       "saxpy",
       &kNumba,
       grid(8, kWarp4),
       {2.5f, kX, kY},
       each(kX, kY, [](double x, double y) { return 2.5 * x + y; })},
      {"numba_tiled",
       "tiled",
       &kNumba,
       grid(Dim3{2, 2, 1}, kTile),
       {kA, kB, zeros({32, 32})},
       product(kA, kB)},
      {"numba_block_sum",
       "block_sum",
       &kNumba,
       grid(8, kWarp4),
       {kX, zeros({8})},
       by_part(kX, 128, sum_of)},
      {"numba_bins",
       "bins",
       &kNumba,
       grid(2, kWarp4),
       {kIndices, zeros({20}, ElementType::i32)},
       counted(kIndices, 20)},
      {"numba_warp_max",
       "warp_max",
       &kNumba,
       grid(2, kWarp4),
       {kRun, zeros({8})},
       by_part(kRun, 32, [](const Numbers& v) { return *std::max_element(v.begin(), v.end()); })},
      {"numba_heat",
       "heat",
       &kNumba,
       grid(Dim3{4, 3, 1}, kTile),
       {kField, zeros({40, 50})},
       heated(kField)},
      {"numba_waves",
       "waves",
       &kNumba,
       grid(3, kWarp4),
       {kF64, zeros({300}, ElementType::f64)},
       each(kF64, [](double x) { return std::sqrt(std::fabs(std::sin(x))) + std::exp(-x); }),
       1e-14},
      {"numba_divisors",
       "divisors",
       &kNumba,
       grid(2, kWarp4),
       {kP, kQ, zeros({200}, ElementType::i32)},
       each(kP, kQ,
            [](double p, double q) {
              return static_cast<double>(std::gcd(static_cast<int>(p), static_cast<int>(q)));
            })},
      {"numba_beyond",
       "beyond",
       &kNumba,
       grid(8, kWarp4),
       {kX, zeros({1001})},
       {},
       0,
       "4 bytes beyond the "},
      {"numba_hasty",
       "hasty",
       &kNumba,
       grid(1, Dim3{64, 1, 1}),
       {filled({64}, 1), zeros({64})},
       {},
       0,
       "without a barrier between them"},

      {"cute_add",
       "add",
       &kCute,
       grid(8, kWarp4),
       {kX, kY, zeros({1000})},
       each(kX, kY, std::plus<>())},
      {"cute_transpose",
       "transpose",
       &kFixedCute,
       grid(Dim3{3, 2, 1}, kTile, 1088),
       {kA, zeros({48, 32})},
       transposed(kA)},
      {"cute_warp_sum",
       "warp_sum",
       &kFixedCute,
       grid(8, Dim3{32, 1, 1}),
       {kWide, zeros({8})},
       by_row(kWide, [](const Numbers& v) { return Numbers{sum_of(v)}; })},
      {"cute_product",
       "product",
       &kFixedCute,
       grid(Dim3{2, 2, 1}, kTile),
       {kSmallA, kSmallB, zeros({32, 32})},
       product(kSmallA, kSmallB)},
      {"cute_vectors",
       "vectors",
       &kFixedCute,
       grid(2, kWarp4),
       {kFlat, zeros({1024})},
       each(kFlat, [](double x) { return 3 * x; })},
      {"cute_softplus",
       "softplus",
       &kCute,
       grid(8, kWarp4),
       {kX, zeros({1000})},
       each(kX, [](double x) { return std::log1p(std::exp(x)); }),
       1e-5},
      {"cute_beyond",
       "beyond",
       &kCute,
       grid(8, kWarp4),
       {kX, zeros({1000})},
       {},
       0,
       "4 bytes beyond the "},

      {"clang_kernels",
       "scale",
       &kClang,
       grid(8, kWarp4),
       {kX, zeros({1000}), kN, argument_of(Line{2, 0.25f, -3, 4})},
       each(kX, [](double x) { return std::clamp(2 * x + 0.25, -3.0, 4.0); })},
      {"clang_kernels",
       "reverse",
       &kClang,
       grid(2, kWarp4),
       {kBlock, zeros({256}, ElementType::i32)},
       [] {
         Numbers out = kBlock.values;
         std::reverse(out.begin(), out.begin() + 128);
         std::reverse(out.begin() + 128, out.end());
         return out;
       }()},
      {"clang_kernels",
       "count_bits",
       &kClang,
       grid(2, kWarp4),
       {kIndices, zeros({1}, ElementType::i32), kN},
       {sum_of(each(kIndices, [](double x) { return std::popcount(static_cast<unsigned>(x)); }))}},
      {"clang_kernels",
       "branches",
       &kClang,
       grid(8, kWarp4),
       {kIndices, zeros({1000}), kN},
       each(kIndices, branched),
       1e-6},
      {"clang_kernels",
       "polynomial",
       &kClang,
       grid(3, kWarp4),
       {kF64, zeros({300}, ElementType::f64), 300},
       each(kF64, [](double x) { return 1 + x * (-0.5 + x * (0.25 + x * (2 + x * -3.0))); }),
       1e-13},
      {"clang_kernels",
       "unset",
       &kClang,
       grid(1, Dim3{64, 1, 1}),
       {filled({64}, 1), zeros({64})},
       {},
       0,
       "was never written"},
  };
  return cases;
}

}  // namespace warpscope::foreign
