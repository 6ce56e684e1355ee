// profiling/emulator/instructions/tensor/matrix_products.cpp: mma and wmma: small matrix products
// of a warp.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "profiling/emulator/instructions/half_lanes.h"
#include "profiling/emulator/instructions/tensor/aligned_products.h"
#include "profiling/emulator/instructions/warp_instructions.h"
#include "profiling/emulator/memory/access_path.h"

// Which lane holds which element: PTX ISA, "Matrix Fragments for mma". With g = lane / 4 and
// t = lane mod 4, and E elements in a 32-bit register (f64: one in 64 bits):
//   A register r: row g + 8·(r mod 2) (m 8: row g), columns E·t + 4·E·(r / 2) …
//   B register r: rows E·t + 4·E·r …, column g
//   C, D: rows g + 8·(r / 2), columns 2·t + (r mod 2); f16: both columns in one register

namespace warpscope {
namespace {

int bits_of(MatrixType type) {
  switch (type) {
    case MatrixType::f16:
    case MatrixType::bf16:
      return 16;
    case MatrixType::s8:
    case MatrixType::u8:
      return 8;
    case MatrixType::f64:
      return 64;
    default:
      return 32;
  }
}
int elements_of(MatrixType type) { return bits_of(type) == 64 ? 1 : 32 / bits_of(type); }

template <MatrixType type>
f64 element(u64 raw, int e) {
  switch (type) {
    case MatrixType::f16:
      return widen_half(static_cast<u16>(raw >> (16 * e)));
    case MatrixType::bf16:
      return widen_bfloat(static_cast<u16>(raw >> (16 * e)));
    case MatrixType::tf32:
      return std::bit_cast<f32>(static_cast<u32>(raw) & 0xffffe000u);
    case MatrixType::f32:
      return std::bit_cast<f32>(static_cast<u32>(raw));
    case MatrixType::f64:
      return std::bit_cast<f64>(raw);
    case MatrixType::s8:
      return static_cast<s8>(raw >> (8 * e));
    case MatrixType::u8:
      return static_cast<u8>(raw >> (8 * e));
    case MatrixType::s32:
      return static_cast<s32>(raw);
  }
  return 0;
}
// Calls `function` with the type as a constant.
template <typename F>
void with_constant(MatrixType type, F function) {
  switch (type) {
    case MatrixType::f16:
      return function(std::integral_constant<MatrixType, MatrixType::f16>{});
    case MatrixType::bf16:
      return function(std::integral_constant<MatrixType, MatrixType::bf16>{});
    case MatrixType::tf32:
      return function(std::integral_constant<MatrixType, MatrixType::tf32>{});
    case MatrixType::f32:
      return function(std::integral_constant<MatrixType, MatrixType::f32>{});
    case MatrixType::f64:
      return function(std::integral_constant<MatrixType, MatrixType::f64>{});
    case MatrixType::s8:
      return function(std::integral_constant<MatrixType, MatrixType::s8>{});
    case MatrixType::u8:
      return function(std::integral_constant<MatrixType, MatrixType::u8>{});
    case MatrixType::s32:
      return function(std::integral_constant<MatrixType, MatrixType::s32>{});
  }
}
void set_element(MatrixType type, u64& raw, int e, f64 value, bool saturate) {
  const auto put = [&](int bits, u64 what) {
    const u64 ones = bits == 64 ? ~0ull : (1ull << bits) - 1;
    const int shift = bits == 64 ? 0 : bits * e;
    raw = (raw & ~(ones << shift)) | (what & ones) << shift;
  };
  switch (type) {
    case MatrixType::f16:
      put(16, narrow_half(to_odd(value)));
      return;
    case MatrixType::bf16:
      put(16, narrow_bfloat(to_odd(value)));
      return;
    case MatrixType::tf32:
    case MatrixType::f32:
      put(32, std::bit_cast<u32>(one_nan(static_cast<f32>(value))));
      return;
    case MatrixType::f64:
      put(64, std::bit_cast<u64>(value));
      return;
    case MatrixType::s8:
    case MatrixType::u8:
      put(8, static_cast<u64>(static_cast<s64>(value)));
      return;
    case MatrixType::s32: {
      // Sums of products of bytes are exact in f64; they wrap or stay at the ends.
      if (saturate) value = std::fmin(std::fmax(value, -2147483648.0), 2147483647.0);
      put(32, static_cast<u64>(static_cast<s64>(value)));
      return;
    }
  }
}

// Register `slot` of a lane, 64 bits wide for f64.
u64 read_register(const Warp& w, MatrixType type, u32 slot, int lane) {
  return type == MatrixType::f64 ? w.slot<u64>(slot)[lane] : w.slot<u32>(slot)[lane];
}
void write_register(Warp& w, MatrixType type, u32 slot, int lane, u64 raw) {
  if (type == MatrixType::f64) {
    w.slot<u64>(slot)[lane] = raw;
  } else {
    w.slot<u32>(slot)[lane] = static_cast<u32>(raw);
  }
}

constexpr int kStride = 32;  // of the rows of Matrices

int least_exponent(MatrixType type) {
  return type == MatrixType::f16 ? kLeastOfHalf : kLeastOfFloat;
}

struct Matrices {
  f64 a[32][kStride], b[32][kStride], c[32][kStride];  // m × k, k × n, m × n; the rest is not set
  void multiply(const MatrixShape& s) {
    const bool aligned =
        s.a == MatrixType::f16 || s.a == MatrixType::bf16 || s.a == MatrixType::tf32;
    if (aligned) find_all_exponents(s);
    for (int y = 0; y < s.n; y += 8) {
      for (int x = 0; x < s.m; ++x) {
        if (aligned) {
          multiply_aligned(x, y, s);
        } else if (s.a == MatrixType::f64) {
          multiply_fused(x, y, s.k);
        } else {
          multiply_eight(x, y, s.k);
        }
      }
    }
  }

 private:
  s16 a_exponents_[32][kStride], b_exponents_[32][kStride];
  bool finite_ = true;  // no infinity and no NaN among a and b

  void find_all_exponents(const MatrixShape& s) {
    int most = 0;
    for (int x = 0; x < s.m; ++x)
      most = std::max(most, find_exponents(a[x], s.k, least_exponent(s.a), a_exponents_[x]));
    for (int z = 0; z < s.k; ++z)
      most = std::max(most, find_exponents(b[z], s.n, least_exponent(s.b), b_exponents_[z]));
    finite_ = most < kOfInfinity;
  }
  // Eight columns of a row, each added up in the order of k; every n is a multiple of 8.
  void multiply_eight(int x, int y, int k) {
    f64 sums[8];
    std::copy_n(&c[x][y], 8, sums);
    for (int z = 0; z < k; ++z) {
      for (int j = 0; j < 8; ++j) sums[j] += a[x][z] * b[z][y + j];
    }
    std::copy_n(sums, 8, &c[x][y]);
  }
  void multiply_fused(int x, int y, int k) {
    for (int j = 0; j < 8; ++j) {
      f64& sum = c[x][y + j];
      // A sum that is a NaN stays that NaN.
      for (int z = 0; z < k; ++z)
        sum = sum != sum ? sum + sum : std::fma(a[x][z], b[z][y + j], sum);
    }
  }
  void multiply_aligned(int x, int y, const MatrixShape& s) {
    const AlignedTerms terms{a[x],    &b[0][y], a_exponents_[x],     &b_exponents_[0][y],
                             kStride, s.k,      least_exponent(s.c), finite_};
    add_products(terms, s.d == MatrixType::f16 ? kAlignedToHalf : kAligned, &c[x][y]);
  }
};

// Row and column of element e of accumulator register r.
void accumulator_place(MatrixType type, int r, int e, int lane, int& row, int& column) {
  const int g = lane / 4, t = lane % 4;
  if (type == MatrixType::f16) {
    row = g + 8 * r;
    column = 2 * t + e;
  } else {
    row = g + 8 * (r / 2);
    column = 2 * t + r % 2;
  }
}

}  // namespace

int MatrixShape::registers(int which) const {
  const int elements[] = {m * n, m * k, k * n, m * n};
  const MatrixType types[] = {d, a, b, c};
  return elements[which] / 32 / elements_of(types[which]);
}

std::int64_t pack(const MatrixShape& s) {
  const auto type = [](MatrixType t) { return static_cast<std::int64_t>(t); };
  return s.m | s.n << 8 | s.k << 16 | type(s.a) << 24 | type(s.b) << 28 | type(s.c) << 32 |
         type(s.d) << 36 | std::int64_t{s.a_rows} << 40 | std::int64_t{s.b_columns} << 41 |
         std::int64_t{s.saturate} << 42;
}
MatrixShape unpack(std::int64_t p) {
  const auto type = [&](int shift) { return static_cast<MatrixType>(p >> shift & 15); };
  MatrixShape s;
  s.m = static_cast<int>(p & 255);
  s.n = static_cast<int>(p >> 8 & 255);
  s.k = static_cast<int>(p >> 16 & 255);
  s.a = type(24);
  s.b = type(28);
  s.c = type(32);
  s.d = type(36);
  s.a_rows = (p >> 40 & 1) != 0;
  s.b_columns = (p >> 41 & 1) != 0;
  s.saturate = (p >> 42 & 1) != 0;
  return s;
}

void run_multiply_matrices(Warp& w, const Instruction& i) {
  const MatrixShape s = unpack(i.immediate);
  const u32* slots = w.worker->kernel->slots.data() + i.extra;
  const int d_count = s.registers(0), a_count = s.registers(1), b_count = s.registers(2),
            c_count = s.registers(3);
  const u32* const d = slots;
  const u32* const a = d + d_count;
  const u32* const b = a + a_count;
  const u32* const c = b + b_count;
  Matrices x;
  with_constant(s.a, [&](auto type) {
    const int e_count = elements_of(type);
    for (int r = 0; r < a_count; ++r) {
      for (int lane = 0; lane < 32; ++lane) {
        const int g = lane / 4, t = lane % 4;
        const int row = s.m == 8 ? g : g + 8 * (r % 2);
        const int column = e_count * t + 4 * e_count * (s.m == 8 ? r : r / 2);
        const u64 raw = read_register(w, type, a[r], lane);
        for (int e = 0; e < e_count; ++e) x.a[row][column + e] = element<type>(raw, e);
      }
    }
  });
  with_constant(s.b, [&](auto type) {
    const int e_count = elements_of(type);
    for (int r = 0; r < b_count; ++r) {
      for (int lane = 0; lane < 32; ++lane) {
        const int g = lane / 4, t = lane % 4, row = e_count * t + 4 * e_count * r;
        const u64 raw = read_register(w, type, b[r], lane);
        for (int e = 0; e < e_count; ++e) x.b[row + e][g] = element<type>(raw, e);
      }
    }
  });
  with_constant(s.c, [&](auto type) {
    for (int r = 0; r < c_count; ++r) {
      for (int lane = 0; lane < 32; ++lane) {
        const u64 raw = read_register(w, type, c[r], lane);
        for (int e = 0; e < elements_of(type); ++e) {
          int row = 0, column = 0;
          accumulator_place(type, r, e, lane, row, column);
          x.c[row][column] = element<type>(raw, e);
        }
      }
    }
  });
  x.multiply(s);
  const int d_elements = elements_of(s.d);
  for (int lane = 0; lane < 32; ++lane) {
    if ((w.mask >> lane & 1) == 0) continue;
    for (int r = 0; r < d_count; ++r) {
      u64 raw = 0;
      for (int e = 0; e < d_elements; ++e) {
        int row = 0, column = 0;
        accumulator_place(s.d, r, e, lane, row, column);
        set_element(s.d, raw, e, x.c[row][column], s.saturate);
      }
      write_register(w, s.d, d[r], lane, raw);
    }
  }
}

std::int64_t pack(const Fragment& f) {
  return f.rows | f.columns << 8 | static_cast<std::int64_t>(f.type) << 16 |
         std::int64_t{f.by_rows} << 24 | std::int64_t{f.accumulator} << 25;
}
Fragment unpack_fragment(std::int64_t p) {
  return {static_cast<int>(p & 255), static_cast<int>(p >> 8 & 255),
          static_cast<MatrixType>(p >> 16 & 255), (p >> 24 & 1) != 0, (p >> 25 & 1) != 0};
}

namespace {

// The place in memory, in elements, of element n of a fragment.
std::int64_t place_in_memory(const Fragment& f, int n, std::int64_t stride) {
  const bool walk_rows = f.accumulator || f.by_rows;
  const int row = walk_rows ? n / f.columns : n % f.rows;
  const int column = walk_rows ? n % f.columns : n / f.rows;
  return f.by_rows ? row * stride + column : column * stride + row;
}

// Loads or stores a fragment in pieces of up to 16 bytes that lie together.
template <typename F>
void walk_fragment(Warp& w, const Instruction& i, AccessIntent intent, AccessKind kind, F move) {
  const Fragment f = unpack_fragment(i.immediate);
  const int bytes = bits_of(f.type) / 8, per_lane = f.rows * f.columns / 32;
  const u32 stride_slot = w.worker->kernel->slots[i.extra + i.count];
  const bool together = !f.accumulator || f.by_rows;
  int piece = together ? std::min(per_lane, 16 / bytes) : 1;
  const u64* const base = w.slot<u64>(i.a);
  // A stride or an address that is not a multiple of 16 bytes needs narrower pieces.
  for (int lane = 0; lane < 32; ++lane) {
    const u64 stride = stride_slot != 0 ? w.slot<u32>(stride_slot)[lane]
                                        : static_cast<u64>(f.by_rows ? f.columns : f.rows);
    while (piece > 1 &&
           ((base[lane] + static_cast<u64>(i.target)) % static_cast<u64>(piece * bytes) != 0 ||
            stride * static_cast<u64>(bytes) % static_cast<u64>(piece * bytes) != 0)) {
      piece /= 2;
    }
  }
  for (int first = 0; first < per_lane; first += piece) {
    u64* const address = w.slot<u64>(i.c);  // scratch of the decoder's
    for (int lane = 0; lane < 32; ++lane) {
      const std::int64_t stride = stride_slot != 0
                                      ? static_cast<std::int64_t>(w.slot<u32>(stride_slot)[lane])
                                      : (f.by_rows ? f.columns : f.rows);
      address[lane] = base[lane] +
                      static_cast<u64>(place_in_memory(f, lane * per_lane + first, stride) * bytes);
    }
    Access access;
    resolve(w, i, i.c, i.target, i.space, piece * bytes, bytes, intent, kind, i.site, access);
    for (u32 rest = access.mask; rest != 0; rest &= rest - 1) {
      const int lane = __builtin_ctz(rest);
      std::byte* const at = access.contiguous
                                ? access.first + static_cast<std::ptrdiff_t>(lane) * piece * bytes
                                : access.pointer[lane];
      for (int n = 0; n < piece; ++n)
        move(f, lane, first + n, at + std::ptrdiff_t{n} * bytes, bytes, per_lane);
    }
  }
}

}  // namespace

void run_load_fragment(Warp& w, const Instruction& i) {
  const u32* const slots = w.worker->kernel->slots.data() + i.extra;
  walk_fragment(w, i, AccessIntent::read, AccessKind::load,
                [&](const Fragment& f, int lane, int n, const std::byte* at, int bytes, int per) {
                  const int e = elements_of(f.type), registers = i.count;
                  // Registers beyond the elements of a lane repeat them.
                  for (int k = n; k < registers * e; k += per) {
                    u64 raw = read_register(w, f.type, slots[k / e], lane);
                    if (bytes == 8) {
                      std::memcpy(&raw, at, 8);
                    } else {
                      u32 word = static_cast<u32>(raw);
                      std::memcpy(
                          reinterpret_cast<std::byte*>(&word) + std::ptrdiff_t{k % e} * bytes, at,
                          static_cast<std::size_t>(bytes));
                      raw = word;
                    }
                    write_register(w, f.type, slots[k / e], lane, raw);
                  }
                });
}

void run_store_fragment(Warp& w, const Instruction& i) {
  const u32* const slots = w.worker->kernel->slots.data() + i.extra;
  walk_fragment(w, i, AccessIntent::write, AccessKind::store,
                [&](const Fragment& f, int lane, int n, std::byte* at, int bytes, int) {
                  const int e = elements_of(f.type);
                  const u64 raw =
                      read_register(w, f.type, slots[n / e], lane) >> (8 * bytes * (n % e));
                  std::memcpy(at, &raw, static_cast<std::size_t>(bytes));
                });
  end_block_store(*w.worker);
}

void run_multiply_fragments(Warp& w, const Instruction& i) {
  const MatrixShape s = unpack(i.immediate);
  const u32* const slots = w.worker->kernel->slots.data() + i.extra;
  const u32 *const d = slots + 4, *const a = d + slots[0], *const b = a + slots[1],
                   *const c = b + slots[2];
  Matrices x;
  const auto read_all = [&](MatrixType type, const u32* registers, int rows, int columns,
                            bool by_rows, f64(&to)[32][32]) {
    const int per = rows * columns / 32;
    with_constant(type, [&](auto constant) {
      const int e = elements_of(constant);
      for (int n = 0; n < rows * columns; ++n) {
        const int lane = n / per, k = n % per;
        const int row = by_rows ? n / columns : n % rows, column = by_rows ? n % columns : n / rows;
        to[row][column] = element<constant>(read_register(w, type, registers[k / e], lane), k % e);
      }
    });
  };
  read_all(s.a, a, s.m, s.k, s.a_rows, x.a);
  read_all(s.b, b, s.k, s.n, !s.b_columns, x.b);
  read_all(s.c, c, s.m, s.n, true, x.c);
  x.multiply(s);
  const int per = s.m * s.n / 32, e = elements_of(s.d);
  for (int n = 0; n < s.m * s.n; ++n) {
    const int lane = n / per, k = n % per;
    if ((w.mask >> lane & 1) == 0) continue;
    u64 raw = read_register(w, s.d, d[k / e], lane);
    set_element(s.d, raw, k % e, x.c[n / s.n][n % s.n], s.saturate);
    write_register(w, s.d, d[k / e], lane, raw);
  }
}

}  // namespace warpscope
