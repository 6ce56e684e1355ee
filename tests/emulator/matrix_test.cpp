// tests/emulator/matrix_test.cpp: every form of matrix product that is emulated multiplies right.
#include <gmock/gmock.h>

#include <cstring>

#include "tests/emulator/fixture.h"

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {
namespace {

using testing::HasSubstr;

enum class Number { f16, bf16, tf32, f32, f64, s8, u8, s32 };

// A product d = a · b + c, of matrices in memory one after the other.
struct Product {
  const char* kernel;
  int m, n, k;
  Number in, out;
  bool a_rows = true, b_rows = false, d_rows = true;
};

int bytes_of(Number type) {
  switch (type) {
    case Number::f16:
    case Number::bf16:
      return 2;
    case Number::s8:
    case Number::u8:
      return 1;
    case Number::f64:
      return 8;
    default:
      return 4;
  }
}

// Whole numbers that every type holds exactly.
void put(Number type, int value, std::uint8_t* to) {
  const auto copy = [&](auto number) { std::memcpy(to, &number, sizeof number); };
  const auto real = static_cast<float>(value);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &real, sizeof bits);
  switch (type) {
    case Number::f16: {
      // source: IEEE 754 binary16: sign, 5 bits of exponent with bias 15, 10 of fraction.
      const std::uint32_t exponent = (bits >> 23 & 255) - 127 + 15;
      const std::uint32_t half =
          value == 0 ? 0 : (bits >> 16 & 0x8000) | exponent << 10 | (bits >> 13 & 0x3ff);
      return copy(static_cast<std::uint16_t>(half));
    }
    case Number::bf16:
      return copy(static_cast<std::uint16_t>(bits >> 16));
    case Number::tf32:
    case Number::f32:
      return copy(real);
    case Number::f64:
      return copy(static_cast<double>(value));
    case Number::s8:
      return copy(static_cast<std::int8_t>(value));
    case Number::u8:
      return copy(static_cast<std::uint8_t>(value));
    case Number::s32:
      return copy(std::int32_t{value});
  }
}

int value_a(const Product& p, int row, int column) {
  const int value = (row * 5 + column * 3) % 7;
  return p.in == Number::u8 ? value + 200 * (value == 6) : value - 3;
}
int value_b(const Product& p, int row, int column) {
  const int value = (row * 2 + column * 7) % 5;
  return p.in == Number::u8 ? value : value - 2;
}
int value_c(int row, int column) { return (row + 3 * column) % 9 - 4; }

// Through CUDA's own wmma, in both layouts; then mma by the fragments of the PTX ISA: with
// g = lane / 4 and t = lane mod 4, a register of E elements holds columns E·t + 4·E·(r / 2) of row
// g + 8·(r mod 2) of A, rows E·t + 4·E·r of column g of B, and C has rows g + 8·(r / 2), columns
// 2·t + r mod 2.
constexpr const char* kText = R"(
using namespace nvcuda;
template <int M, int N, int K, typename T, typename Out, typename RowsA, typename RowsB>
__device__ void whole(const T* a, const T* b, const Out* c, Out* d, wmma::layout_t order) {
  constexpr bool a_rows = RowsA::value, b_rows = RowsB::value;
  using LayoutA = typename RowsA::type;
  using LayoutB = typename RowsB::type;
  using Memory = T;
  wmma::fragment<wmma::matrix_a, M, N, K, Memory, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, Memory, LayoutB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, Out> fc;
  wmma::load_matrix_sync(fa, a, a_rows ? K : M);
  wmma::load_matrix_sync(fb, b, b_rows ? N : K);
  wmma::load_matrix_sync(fc, c, N, wmma::mem_row_major);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(d, fc, order == wmma::mem_row_major ? N : M, order);
}
struct Rows { static constexpr bool value = true; using type = wmma::row_major; };
struct Columns { static constexpr bool value = false; using type = wmma::col_major; };
#define WMMA(name, M, N, K, T, Out, A, B, order)                                              \
  extern "C" __global__ void name(const T* a, const T* b, const Out* c, Out* d, int n) {      \
    whole<M, N, K, T, Out, A, B>(a, b, c, d, wmma::order);                                    \
  }
WMMA(wmma_half, 16, 16, 16, __half, float, Rows, Columns, mem_row_major)
WMMA(wmma_half_to_half, 16, 16, 16, __half, __half, Columns, Rows, mem_row_major)
WMMA(wmma_half_wide, 8, 32, 16, __half, float, Rows, Rows, mem_row_major)
WMMA(wmma_half_tall, 32, 8, 16, __half, float, Columns, Columns, mem_col_major)
WMMA(wmma_bfloat, 16, 16, 16, __nv_bfloat16, float, Rows, Columns, mem_row_major)
WMMA(wmma_bfloat_columns, 16, 16, 16, __nv_bfloat16, float, Columns, Rows, mem_col_major)
WMMA(wmma_bfloat_wide, 8, 32, 16, __nv_bfloat16, float, Rows, Columns, mem_row_major)
WMMA(wmma_bfloat_tall, 32, 8, 16, __nv_bfloat16, float, Rows, Columns, mem_row_major)
WMMA(wmma_signed, 16, 16, 16, signed char, int, Rows, Columns, mem_row_major)
WMMA(wmma_signed_wide, 8, 32, 16, signed char, int, Columns, Rows, mem_row_major)
WMMA(wmma_signed_tall, 32, 8, 16, signed char, int, Rows, Columns, mem_col_major)
WMMA(wmma_unsigned, 16, 16, 16, unsigned char, int, Rows, Columns, mem_row_major)
WMMA(wmma_double, 8, 8, 4, double, double, Rows, Columns, mem_row_major)
WMMA(wmma_double_columns, 8, 8, 4, double, double, Columns, Rows, mem_col_major)
extern "C" __global__ void wmma_tf32(const float* a, const float* b, const float* c, float* d, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc;
  wmma::load_matrix_sync(fa, a, 8);
  wmma::load_matrix_sync(fb, b, 8);
  for (int i = 0; i < fa.num_elements; ++i) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
  for (int i = 0; i < fb.num_elements; ++i) fb.x[i] = wmma::__float_to_tf32(fb.x[i]);
  wmma::load_matrix_sync(fc, c, 16, wmma::mem_row_major);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(d, fc, 16, wmma::mem_row_major);
}

template <int M, int N, int K, int E, typename Word, typename Out, int RA, int RB, int RC, typename F>
__device__ void by_fragments(const void* a, const void* b, const Out* c, Out* d, F multiply) {
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  Word ra[RA], rb[RB];
  Out rc[RC];
  for (int r = 0; r < RA; ++r) {
    const int row = M == 8 ? g : g + 8 * (r % 2), column = E * t + 4 * E * (M == 8 ? r : r / 2);
    ra[r] = ((const Word*)a)[(row * K + column) / E];
  }
  for (int r = 0; r < RB; ++r) rb[r] = ((const Word*)b)[(g * K + E * t + 4 * E * r) / E];
  for (int r = 0; r < RC; ++r) rc[r] = c[(g + 8 * (r / 2)) * N + 2 * t + r % 2];
  multiply(ra, rb, rc);
  for (int r = 0; r < RC; ++r) d[(g + 8 * (r / 2)) * N + 2 * t + r % 2] = rc[r];
}
#define MMA(name, M, N, K, E, Word, Out, RA, RB, RC, ...)                                         \
  extern "C" __global__ void name(const void* a, const void* b, const Out* c, Out* d, int n) {    \
    by_fragments<M, N, K, E, Word, Out, RA, RB, RC>(                                              \
        a, b, c, d, [](const Word* a, const Word* b, Out* c) { __VA_ARGS__; });                   \
  }
#define F4 "{%0,%1,%2,%3}"
#define OUT4(t) "+" t(c[0]), "+" t(c[1]), "+" t(c[2]), "+" t(c[3])
#define SMALL(op, to, from)                                                                       \
  asm volatile(op " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"                                 \
               : "+" to(c[0]), "+" to(c[1]), "+" to(c[2]), "+" to(c[3])                           \
               : from(a[0]), from(a[1]), from(b[0]))
#define LARGE(op, to, from)                                                                       \
  asm volatile(op " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                        \
               : "+" to(c[0]), "+" to(c[1]), "+" to(c[2]), "+" to(c[3])                           \
               : from(a[0]), from(a[1]), from(a[2]), from(a[3]), from(b[0]), from(b[1]))
#define ONE(op, to, from)                                                                         \
  asm volatile(op " {%0,%1}, {%2}, {%3}, {%0,%1};"                                                \
               : "+" to(c[0]), "+" to(c[1]) : from(a[0]), from(b[0]))
MMA(mma_half_k8, 16, 8, 8, 2, unsigned, float, 2, 1, 4,
    SMALL("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", "f", "r"))
MMA(mma_bfloat_k8, 16, 8, 8, 2, unsigned, float, 2, 1, 4,
    SMALL("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", "f", "r"))
MMA(mma_bfloat_k16, 16, 8, 16, 2, unsigned, float, 4, 2, 4,
    LARGE("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", "f", "r"))
MMA(mma_tf32_k4, 16, 8, 4, 1, unsigned, float, 2, 1, 4,
    SMALL("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", "f", "r"))
MMA(mma_tf32_k8, 16, 8, 8, 1, unsigned, float, 4, 2, 4,
    LARGE("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "f", "r"))
MMA(mma_signed_m8, 8, 8, 16, 4, unsigned, int, 1, 1, 2,
    ONE("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", "r", "r"))
MMA(mma_signed_k16, 16, 8, 16, 4, unsigned, int, 2, 1, 4,
    SMALL("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32", "r", "r"))
MMA(mma_signed_k32, 16, 8, 32, 4, unsigned, int, 4, 2, 4,
    LARGE("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32", "r", "r"))
MMA(mma_unsigned_k32, 16, 8, 32, 4, unsigned, int, 4, 2, 4,
    LARGE("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32", "r", "r"))
MMA(mma_double, 8, 8, 4, 1, double, double, 1, 1, 2,
    ONE("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", "d", "d"))
MMA(mma_double_k4, 16, 8, 4, 1, double, double, 2, 1, 4,
    SMALL("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", "d", "d"))
MMA(mma_double_k8, 16, 8, 8, 1, double, double, 4, 2, 4,
    LARGE("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", "d", "d"))
// Saturated: 127 · 127 · 32 and the largest start.
extern "C" __global__ void saturated(int* wrapped, int* kept, int n) {
  unsigned a[4], b[2];
  for (int r = 0; r < 4; ++r) a[r] = 0x7f7f7f7fu;
  for (int r = 0; r < 2; ++r) b[r] = 0x7f7f7f7fu;
  int c[4] = {0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff};
  LARGE("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", "r", "r");
  wrapped[threadIdx.x] = c[0];
  for (int r = 0; r < 4; ++r) c[r] = 0x7fffffff;
  LARGE("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32", "r", "r");
  kept[threadIdx.x] = c[0];
}
extern "C" __global__ void saturated_wmma(const signed char* a, int* d, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> fc;
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, a, 16);
  wmma::fill_fragment(fc, 0x7fffffff);
  wmma::mma_sync(fc, fa, fb, fc, true);
  wmma::store_matrix_sync(d, fc, 16, wmma::mem_row_major);
}
// What is not emulated.
extern "C" __global__ void quads(const unsigned* a, int* d, int n) {
  int c[2] = {0, 0};
  asm volatile("mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+r"(c[0]), "+r"(c[1]) : "r"(a[threadIdx.x]), "r"(a[threadIdx.x]));
  d[threadIdx.x] = c[0] + c[1];
}
extern "C" __global__ void rounded(const unsigned* a, int* d, int n) {
  double c[2] = {0, 0}, x = a[threadIdx.x];
  asm volatile("wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64.rz {%0,%1}, {%2}, {%2}, "
               "{%0,%1};" : "+d"(c[0]), "+d"(c[1]) : "d"(x));
  d[threadIdx.x] = (int)(c[0] + c[1]);
}
)";

constexpr Product kProducts[] = {
    {"wmma_half", 16, 16, 16, Number::f16, Number::f32},
    {"wmma_half_to_half", 16, 16, 16, Number::f16, Number::f16, false, true},
    {"wmma_half_wide", 8, 32, 16, Number::f16, Number::f32, true, true},
    {"wmma_half_tall", 32, 8, 16, Number::f16, Number::f32, false, false, false},
    {"wmma_bfloat", 16, 16, 16, Number::bf16, Number::f32},
    {"wmma_bfloat_columns", 16, 16, 16, Number::bf16, Number::f32, false, true, false},
    {"wmma_bfloat_wide", 8, 32, 16, Number::bf16, Number::f32},
    {"wmma_bfloat_tall", 32, 8, 16, Number::bf16, Number::f32},
    {"wmma_signed", 16, 16, 16, Number::s8, Number::s32},
    {"wmma_signed_wide", 8, 32, 16, Number::s8, Number::s32, false, true},
    {"wmma_signed_tall", 32, 8, 16, Number::s8, Number::s32, true, false, false},
    {"wmma_unsigned", 16, 16, 16, Number::u8, Number::s32},
    {"wmma_double", 8, 8, 4, Number::f64, Number::f64},
    {"wmma_double_columns", 8, 8, 4, Number::f64, Number::f64, false, true, false},
    {"wmma_tf32", 16, 16, 8, Number::tf32, Number::f32},
    {"mma_half_k8", 16, 8, 8, Number::f16, Number::f32},
    {"mma_bfloat_k8", 16, 8, 8, Number::bf16, Number::f32},
    {"mma_bfloat_k16", 16, 8, 16, Number::bf16, Number::f32},
    {"mma_tf32_k4", 16, 8, 4, Number::tf32, Number::f32},
    {"mma_tf32_k8", 16, 8, 8, Number::tf32, Number::f32},
    {"mma_signed_m8", 8, 8, 16, Number::s8, Number::s32},
    {"mma_signed_k16", 16, 8, 16, Number::s8, Number::s32},
    {"mma_signed_k32", 16, 8, 32, Number::s8, Number::s32},
    {"mma_unsigned_k32", 16, 8, 32, Number::u8, Number::s32},
    {"mma_double", 8, 8, 4, Number::f64, Number::f64},
    {"mma_double_k4", 16, 8, 4, Number::f64, Number::f64},
    {"mma_double_k8", 16, 8, 8, Number::f64, Number::f64},
};

// The headers are the toolkit's, seen by the kernels alone.
std::string text_of_kernels() {
  std::string text;
  for (const char* header : {"mma.h", "cuda_bf16.h", "cuda_fp16.h"})
    text += std::string("#include <") + header + ">\n";
  return text + kText;
}

std::vector<std::uint8_t> matrix(Number type, int rows, int columns, bool by_rows,
                                 const auto& value) {
  const auto size = static_cast<std::size_t>(bytes_of(type));
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(rows * columns) * size);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      const int place = by_rows ? r * columns + c : c * rows + r;
      put(type, value(r, c), bytes.data() + static_cast<std::size_t>(place) * size);
    }
  }
  return bytes;
}

TEST(MatrixProducts, AreThoseOfWholeNumbers) {
  WARPSCOPE_COMPILE(ptx, text_of_kernels());
  for (const Product& p : kProducts) {
    SCOPED_TRACE(p.kernel);
    std::vector<std::uint8_t> a = matrix(p.in, p.m, p.k, p.a_rows,
                                         [&](int r, int c) { return value_a(p, r, c); }),
                              b = matrix(p.in, p.k, p.n, p.b_rows,
                                         [&](int r, int c) { return value_b(p, r, c); }),
                              c = matrix(p.out, p.m, p.n, true, value_c);
    std::vector<std::uint8_t> d(c.size(), 0xcd);
    const std::vector<std::uint8_t> expected = matrix(p.out, p.m, p.n, p.d_rows, [&](int r, int q) {
      int sum = value_c(r, q);
      for (int x = 0; x < p.k; ++x) sum += value_a(p, r, x) * value_b(p, x, q);
      return sum;
    });
    Bench bench;
    bench.add("a", a);
    bench.add("b", b);
    bench.add("c", c);
    bench.add("d", d, false);
    bench.pass(0);
    const Trace trace = bench.run(ptx, launch_of(1, 32), p.kernel);
    EXPECT_EQ(faults_text(trace), "");
    EXPECT_EQ(d, expected);
  }
}

TEST(MatrixProducts, OfBytesWrapOrStayAtTheEndsAsTheyAreTold) {
  WARPSCOPE_COMPILE(ptx, text_of_kernels());
  std::vector<std::int32_t> wrapped(32), kept(32);
  Bench bench;
  bench.add("wrapped", wrapped);
  bench.add("kept", kept);
  bench.pass(0);
  EXPECT_EQ(faults_text(bench.run(ptx, launch_of(1, 32), "saturated")), "");
  for (std::size_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(wrapped[lane], static_cast<std::int32_t>(0x7fffffffu + 127u * 127u * 32u));
    EXPECT_EQ(kept[lane], 0x7fffffff);
  }
  std::vector<std::int8_t> a(256, 127);
  std::vector<std::int32_t> d(256);
  Bench whole;
  whole.add("a", a);
  whole.add("d", d);
  whole.pass(0);
  EXPECT_EQ(faults_text(whole.run(ptx, launch_of(1, 32), "saturated_wmma")), "");
  for (const std::int32_t value : d) EXPECT_EQ(value, 0x7fffffff);
}

// nvcc's addresses of shared memory have 32 bits. A tile is loaded by rows and stored by columns.
TEST(MatrixProducts, FragmentsLieAtSharedAddressesOf32Bits) {
  WARPSCOPE_COMPILE(ptx, R"(extern "C" __global__ void k(const float* from, float* to, int n) {
  __shared__ float in[256], out[256];
  for (int i = threadIdx.x; i < 256; i += 32) in[i] = from[i];
  __syncwarp();
  const unsigned a = (unsigned)__cvta_generic_to_shared(in), b = (unsigned)__cvta_generic_to_shared(out);
  asm volatile("{ .reg .f32 f<8>;\n"
    "wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 {f0,f1,f2,f3,f4,f5,f6,f7}, [%0], 16;\n"
    "wmma.store.d.sync.aligned.col.m16n16k16.shared.f32 [%1], {f0,f1,f2,f3,f4,f5,f6,f7}, 16; }"
    :: "r"(a), "r"(b) : "memory");
  __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32) to[i] = out[i];
})");
  std::vector<float> from(256), to(256, -1.0f);
  for (std::size_t i = 0; i < 256; ++i) from[i] = static_cast<float>(i);
  Bench bench;
  bench.add("from", from);
  bench.add("to", to);
  bench.pass(0);
  EXPECT_EQ(faults_text(bench.run(ptx, launch_of(1, 32))), "");
  for (std::size_t i = 0; i < 256; ++i) ASSERT_EQ(to[i], from[i % 16 * 16 + i / 16]) << i;
}

TEST(MatrixProducts, ThatAreNotEmulatedAreRefusedWithTheirLine) {
  WARPSCOPE_COMPILE(ptx, text_of_kernels());
  for (const auto& [kernel, opcode] :
       {std::pair("quads", "mma.sync.aligned.m8n8k32"), std::pair("rounded", "f64.rz")}) {
    std::vector<std::uint32_t> a(32);
    std::vector<std::int32_t> d(32);
    Bench bench;
    bench.add("a", a);
    bench.add("d", d);
    bench.pass(0);
    const Trace trace = bench.run(ptx, launch_of(1, 32), kernel);
    ASSERT_FALSE(trace.faults.empty()) << kernel;
    EXPECT_EQ(trace.faults.front().kind, FaultKind::unsupported) << kernel;
    EXPECT_GT(trace.faults.front().position.line, 0) << kernel;
    EXPECT_THAT(trace.faults.front().sentence, HasSubstr(opcode)) << kernel;
  }
}

}  // namespace
}  // namespace warpscope

#endif
