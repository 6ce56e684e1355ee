// tests/emulator/hopper/cases.cpp: kernels with wgmma, emulated, and how outputs are compared.
#include "tests/emulator/hopper/cases.h"

#ifdef WARPSCOPE_WITH_COMPILER

#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <span>

#include "profiling/emulator/emulator.h"
#include "profiling/emulator/state/tensor_map.h"
#include "profiling/engine/compile/compiler.h"
#include "tests/emulator/hopper/narrow.h"

namespace warpscope {
namespace {

constexpr const char* kFolder = "../tests/emulator/hopper/";  // from kernels/

// How numbers of one type stand in memory.
struct Number {
  const char* name;   // of the case
  std::string types;  // of the shape
  int bytes;
  std::uint32_t (*encode)(double);
  double (*decode)(std::uint32_t);
  bool whole = false;  // of 8 bits, whose sums are exact
};
std::uint32_t bits_of(float x) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
float float_of(std::uint32_t bits) {
  float x = 0;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
const Number kNumbers[] = {
    {"f16", "m64n64k16.f32.f16.f16", 2, [](double x) { return nearest_narrow(kHalfFormat, x); },
     [](std::uint32_t b) { return narrow_value(kHalfFormat, b); }},
    {"bf16", "m64n64k16.f32.bf16.bf16", 2,
     [](double x) { return nearest_narrow(kBfloatFormat, x); },
     [](std::uint32_t b) { return narrow_value(kBfloatFormat, b); }},
    // What does not fit into tf32 is cut off.
    {"tf32", "m64n64k8.f32.tf32.tf32", 4, [](double x) { return bits_of(static_cast<float>(x)); },
     [](std::uint32_t b) { return static_cast<double>(float_of(b & 0xffffe000u)); }},
    {"s8", "m64n64k32.s32.s8.s8", 1,
     [](double x) {
       return static_cast<std::uint32_t>(static_cast<int>(std::lround(x * 100))) & 255;
     },
     [](std::uint32_t b) { return static_cast<double>(static_cast<std::int8_t>(b)); }, true},
    {"e4m3", "m64n64k32.f32.e4m3.e4m3", 1, [](double x) { return nearest_narrow(kE4m3Format, x); },
     [](std::uint32_t b) { return narrow_value(kE4m3Format, b); }},
    {"e5m2", "m64n64k32.f32.e5m2.e5m2", 1, [](double x) { return nearest_narrow(kE5m2Format, x); },
     [](std::uint32_t b) { return narrow_value(kE5m2Format, b); }}};

// A matrix of random numbers between −1 and 1: as they stand in memory, and what they are.
struct Matrix {
  std::vector<std::byte> bytes;
  std::vector<double> values;
};
Matrix random_matrix(const Number& type, std::int64_t elements, std::uint32_t seed) {
  Matrix m{std::vector<std::byte>(static_cast<std::size_t>(elements * type.bytes)), {}};
  std::mt19937 random(seed);
  for (std::int64_t i = 0; i < elements; ++i) {
    const double x = static_cast<double>(random()) / 2147483648.0 - 1;
    const std::uint32_t bits = type.encode(x);
    std::memcpy(m.bytes.data() + i * type.bytes, &bits, static_cast<std::size_t>(type.bytes));
    m.values.push_back(type.decode(bits));
  }
  return m;
}

// C of m × n as 32-bit numbers, with the sum of a(i, z) · b(z, j).
template <typename F>
std::vector<std::byte> product(bool whole, std::int64_t m, std::int64_t n, std::int64_t k, F term) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(4 * m * n));
  for (std::int64_t i = 0; i < m * n; ++i) {
    double sum = 0;
    for (std::int64_t z = 0; z < k; ++z) sum += term(i / n, i % n, z);
    const std::uint32_t bits = whole ? static_cast<std::uint32_t>(static_cast<std::int64_t>(sum))
                                     : bits_of(static_cast<float>(sum));
    std::memcpy(bytes.data() + 4 * i, &bits, 4);
  }
  return bytes;
}

// The error bound of sums of k products of numbers up to 1. Every product lies below 1, and so do
// the bits of a sum that a tensor core cuts off when it aligns terms. Products of e4m3 and e5m2 are
// added with 13 bits after the point of the largest. source: counted on an H100, arXiv:2412.19437,
// section 3.3.2.
double bound_of(const Number& type, std::int64_t k) {
  const double unit = type.bytes == 1 ? 0x1p-12 : 0x1p-21;
  return static_cast<double>(k) * unit;
}

Launch grid_of(std::int64_t x, std::int64_t y, std::int64_t threads, std::int64_t shared = 0) {
  Launch launch;
  launch.grid = {x, y, 1};
  launch.block.x = threads;
  launch.dynamic_shared_bytes = shared;
  return launch;
}

KernelLaunch kernel(const char* file, const char* entry, const Launch& launch,
                    std::vector<std::pair<std::string, std::string>> defines,
                    std::vector<Argument> arguments) {
  KernelLaunch k{std::string(kFolder) + file, entry, std::move(defines), launch,
                 std::move(arguments)};
  k.architecture_features = true;
  return k;
}

std::vector<std::byte> poison(std::int64_t bytes) {
  return std::vector<std::byte>(static_cast<std::size_t>(bytes), std::byte{0xa5});
}

constexpr std::int64_t kM = 128, kN = 128;

// A · Bᵀ with rows of k_bytes by a kernel that takes a, b, c, n and k_bytes.
HopperCase gemm_of(const std::string& name, const Number& type, const char* file, const char* entry,
                   std::int64_t k_bytes, std::vector<std::pair<std::string, std::string>> defines) {
  const std::int64_t k = k_bytes / type.bytes;
  const Matrix a = random_matrix(type, kM * k, 1), b = random_matrix(type, kN * k, 2);
  HopperCase c;
  c.name = name;
  c.launch = kernel(file, entry, grid_of(kN / 64, kM / 64, 128), std::move(defines),
                    {BufferArgument{"a"}, BufferArgument{"b"}, BufferArgument{"c"},
                     static_cast<std::int32_t>(kN), static_cast<std::int32_t>(k_bytes)});
  const ElementType result = type.whole ? ElementType::i32 : ElementType::f32;
  c.buffers = {{"a", ElementType::u8, a.bytes},
               {"b", ElementType::u8, b.bytes},
               {"c", result, poison(4 * kM * kN), false}};
  c.output = "c";
  c.expected = product(type.whole, kM, kN, k, [&](std::int64_t i, std::int64_t j, std::int64_t z) {
    return a.values[static_cast<std::size_t>(i * k + z)] *
           b.values[static_cast<std::size_t>(j * k + z)];
  });
  c.bound = type.whole ? 0 : bound_of(type, k);
  c.products = static_cast<int>(kM / 64 * (kN / 64) * k_bytes / 32);
  return c;
}

std::vector<std::pair<std::string, std::string>> defines_of(const Number& type,
                                                            const char* transpositions) {
  std::string signs = type.whole ? "" : ", 1, 1";
  if (type.bytes == 2) signs += transpositions;
  return {{"RESULT", type.whole ? "int" : "float"},
          {"CONSTRAINT", type.whole ? "\"+r\"" : "\"+f\""},
          {"SHAPE", "\"" + type.types + "\""},
          {"SIGNS", "\"" + signs + "\""}};
}

void add_gemms(std::vector<HopperCase>& cases) {
  for (const Number& type : kNumbers) {
    for (const int row : {16, 32, 64, 128}) {
      if (row != 128 && type.bytes != 2 && type.bytes != 1) continue;
      auto defines = defines_of(type, ", 0, 0");
      defines.emplace_back("ROW_BYTES", std::to_string(row));
      cases.push_back(gemm_of("gemm_" + std::string(type.name) + "_" + std::to_string(row), type,
                              "gemm.cu", "gemm", 384, std::move(defines)));
    }
    cases.push_back(gemm_of("gemm_registers_" + std::string(type.name), type, "gemm_registers.cu",
                            "gemm_registers", 384, defines_of(type, ", 0")));
  }
  cases.push_back(gemm_of("overlap", kNumbers[1], "overlap.cu", "overlap", 640, {}));
}

void add_columns(std::vector<HopperCase>& cases) {
  constexpr std::int64_t k = 96;
  const Number& half = kNumbers[0];
  const Matrix a = random_matrix(half, kM * k, 3), b = random_matrix(half, kN * k, 4);
  for (const int row : {16, 32, 64, 128}) {
    HopperCase c;
    c.name = "gemm_columns_" + std::to_string(row);
    c.launch = kernel("gemm_columns.cu", "gemm_columns", grid_of(kN / 64, kM / 64, 128),
                      {{"ROW_BYTES", std::to_string(row)}},
                      {BufferArgument{"a"}, BufferArgument{"b"}, BufferArgument{"c"},
                       static_cast<std::int32_t>(kM), static_cast<std::int32_t>(kN),
                       static_cast<std::int32_t>(k)});
    c.buffers = {{"a", ElementType::f16, a.bytes},
                 {"b", ElementType::f16, b.bytes},
                 {"c", ElementType::f32, poison(4 * kM * kN), false}};
    c.output = "c";
    c.expected = product(false, kM, kN, k, [&](std::int64_t i, std::int64_t j, std::int64_t z) {
      return -a.values[static_cast<std::size_t>(z * kM + i)] *
             b.values[static_cast<std::size_t>(z * kN + j)];
    });
    c.bound = bound_of(half, k);
    c.products = static_cast<int>(kM / 64 * (kN / 64) * k / 16);
    cases.push_back(std::move(c));
  }
}

void add_pipeline(std::vector<HopperCase>& cases) {
  constexpr std::int64_t k = 448;  // seven stages of a ring of three
  HopperCase c = gemm_of("pipeline", kNumbers[0], "pipeline.cu", "pipeline", 2 * k, {});
  const auto map = [&](const char* name, std::int64_t rows) {
    return TensorMapArgument{name, ElementType::f16, {k, rows}, {2 * k}, {8, 64}};
  };
  c.launch.launch = grid_of(kN / 64, kM / 64, 256, 3 * 2 * 64 * 128);
  c.launch.arguments = {map("a", kM), map("b", kN), BufferArgument{"c"},
                        static_cast<std::int32_t>(kN), static_cast<std::int32_t>(k)};
  cases.push_back(std::move(c));
}

// Rows of 128 bytes become tiles of 64 rows, one after the other along k, swizzled by 128 bytes.
std::vector<std::byte> tiled(const std::vector<std::byte>& from, std::int64_t rows,
                             std::int64_t row_bytes) {
  std::vector<std::byte> to(from.size());
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t at = 0; at < row_bytes; ++at) {
      const std::int64_t tile = row / 64 * (row_bytes / 128) + at / 128;
      const std::int64_t piece = at % 128 / 16 ^ row % 8;
      to[static_cast<std::size_t>(tile * 8192 + row % 64 * 128 + piece * 16 + at % 16)] =
          from[static_cast<std::size_t>(row * row_bytes + at)];
    }
  }
  return to;
}

void add_bulk_pipeline(std::vector<HopperCase>& cases) {
  constexpr std::int64_t k = 640;
  HopperCase c = gemm_of("bulk_pipeline", kNumbers[4], "bulk_pipeline.cu", "bulk_pipeline", k, {});
  c.buffers[0].bytes = tiled(c.buffers[0].bytes, kM, k);
  c.buffers[1].bytes = tiled(c.buffers[1].bytes, kN, k);
  c.launch.launch = grid_of(kN / 64, kM / 128, 288, 2 * 3 * 64 * 128);
  c.launch.arguments.back() = static_cast<std::int32_t>(k / 128);
  cases.push_back(std::move(c));
}

void add_attention(std::vector<HopperCase>& cases) {
  constexpr std::int64_t rows = 128, keys = 192, head = 64;
  constexpr float scale = 0.125f;
  const Number& half = kNumbers[0];
  const Matrix q = random_matrix(half, rows * head, 5), k = random_matrix(half, keys * head, 6),
               v = random_matrix(half, keys * head, 7);
  const auto at = [&](const Matrix& m, std::int64_t row, std::int64_t column) {
    return m.values[static_cast<std::size_t>(row * head + column)];
  };
  HopperCase c;
  c.name = "attention";
  c.launch = kernel("attention.cu", "attention", grid_of(rows / 64, 1, 128), {},
                    {BufferArgument{"q"}, BufferArgument{"k"}, BufferArgument{"v"},
                     BufferArgument{"out"}, static_cast<std::int32_t>(keys), scale});
  c.buffers = {{"q", ElementType::f16, q.bytes},
               {"k", ElementType::f16, k.bytes},
               {"v", ElementType::f16, v.bytes},
               {"out", ElementType::f32, poison(4 * rows * head), false}};
  c.output = "out";
  std::vector<double> weights(static_cast<std::size_t>(rows * keys));
  for (std::int64_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < keys; ++j) {
      double s = 0;
      for (std::int64_t z = 0; z < head; ++z) s += at(q, i, z) * at(k, j, z);
      sum += weights[static_cast<std::size_t>(i * keys + j)] = std::exp(s * scale);
    }
    for (std::int64_t j = 0; j < keys; ++j) weights[static_cast<std::size_t>(i * keys + j)] /= sum;
  }
  c.expected =
      product(false, rows, head, keys, [&](std::int64_t i, std::int64_t j, std::int64_t z) {
        return weights[static_cast<std::size_t>(i * keys + z)] * at(v, z, j);
      });
  c.bound = 0x1p-10;  // weights are rounded to halves; they sum up to 1
  cases.push_back(std::move(c));
}

}  // namespace

std::vector<HopperCase> hopper_gemms() {
  std::vector<HopperCase> cases;
  add_gemms(cases);
  return cases;
}
std::vector<HopperCase> hopper_columns() {
  std::vector<HopperCase> cases;
  add_columns(cases);
  return cases;
}
std::vector<HopperCase> hopper_pipelines() {
  std::vector<HopperCase> cases;
  add_pipeline(cases);
  add_bulk_pipeline(cases);
  return cases;
}
std::vector<HopperCase> hopper_attention() {
  std::vector<HopperCase> cases;
  add_attention(cases);
  return cases;
}
std::vector<HopperCase> hopper_cases() {
  std::vector<HopperCase> cases;
  add_gemms(cases);
  add_columns(cases);
  add_pipeline(cases);
  add_bulk_pipeline(cases);
  add_attention(cases);
  return cases;
}

}  // namespace warpscope

#endif  // WARPSCOPE_WITH_COMPILER
