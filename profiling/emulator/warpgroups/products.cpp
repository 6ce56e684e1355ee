// profiling/emulator/warpgroups/products.cpp: wgmma.mma_async: products of four warps.
#include "profiling/emulator/warpgroups/products.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>

#include "profiling/emulator/instructions/half_lanes.h"
#include "profiling/emulator/instructions/tensor/aligned_products.h"
#include "profiling/emulator/memory/access_path.h"
#include "profiling/emulator/warpgroups/matrix_descriptor.h"

// Which lane holds which element: PTX ISA, "Register Fragments" of wgmma. With g = lane / 4 and
// t = lane mod 4, warp w of the warpgroup and E elements in a register:
//   A register r: row 16·w + g + 8·(r mod 2), k E·t + 4·E·(r / 2) …
//   D register r: row 16·w + g + 8·(r / 2 mod 2), column 8·(r / 4) + 2·t + r mod 2
//   D of pairs of f16, register r: row 16·w + g + 8·(r mod 2), columns 8·(r / 2) + 2·t …

namespace warpscope {
namespace {

constexpr int kMostN = 256, kMostK = 32;

double element_of(ProductType type, u32 raw) {
  switch (type) {
    case ProductType::f16:
      return widen_half(static_cast<u16>(raw));
    case ProductType::bf16:
      return widen_bfloat(static_cast<u16>(raw));
    case ProductType::tf32:
      return std::bit_cast<f32>(raw & 0xffffe000u);
    case ProductType::e4m3:
      return widen_narrow<E4m3>(static_cast<u8>(raw));
    case ProductType::e5m2:
      return widen_narrow<E5m2>(static_cast<u8>(raw));
    case ProductType::s8:
      return static_cast<s8>(raw);
    case ProductType::u8:
      return static_cast<u8>(raw);
    case ProductType::f32:
      return std::bit_cast<f32>(raw);
    case ProductType::s32:
      return static_cast<s32>(raw);
  }
  return 0;
}

bool is_whole(ProductType type) { return type == ProductType::s8 || type == ProductType::u8; }
bool is_byte(ProductType type) { return type == ProductType::e4m3 || type == ProductType::e5m2; }
int least_exponent(ProductType type) {
  switch (type) {
    case ProductType::f16:
      return kLeastOfHalf;
    case ProductType::e4m3:
      return kLeastOfE4m3;
    case ProductType::e5m2:
      return kLeastOfE5m2;
    default:
      return kLeastOfFloat;
  }
}

struct Operands {
  alignas(64) double a[kProductRows][kMostK];
  alignas(64) double b[kMostK][kMostN];
  // What they are aligned by, unless they are whole numbers.
  std::int16_t a_exponents[kProductRows][kMostK], b_exponents[kMostK][kMostN];
  bool finite = true;  // no infinity and no NaN among them

  void find_all_exponents(const WarpgroupProduct& p) {
    int most = 0;
    for (int x = 0; x < kProductRows; ++x)
      most = std::max(most, find_exponents(a[x], p.k, least_exponent(p.a), a_exponents[x]));
    for (int z = 0; z < p.k; ++z)
      most = std::max(most, find_exponents(b[z], p.n, least_exponent(p.b), b_exponents[z]));
    finite = most < kOfInfinity;
  }
};

// One operand in shared memory, read in pieces of 16 bytes: by 8 rows of m or n, then by halves of
// k, then 8 lines of a core matrix.
struct SharedOperand {
  Worker& worker;
  const Instruction& i;
  MatrixDescriptor matrix;
  bool k_major;
  int rows;  // of m or n
  ProductType type;
  u32 site;

  int pieces() const { return rows / 8 * 16; }
  std::int64_t address(int index) const {
    const int line = index % 8, half = index / 8 % 2, row = index / 16;
    return k_major ? piece_address(matrix, true, 8 * row + line, half)
                   : piece_address(matrix, false, 8 * half + line, row);
  }
  // Whether all of it lies inside shared memory; notes where it does not.
  bool is_inside(Warp& w) const {
    const auto size = static_cast<std::int64_t>(worker.shared.size());
    for (int k = 0; k < pieces(); ++k) {
      const std::int64_t at = address(k);
      if (at + kPieceBytes <= size) continue;
      note_fault(w, i, FaultKind::out_of_bounds, kAllLanes,
                 worker.source(i).opcode + " reads 16 bytes of shared memory from byte " +
                     std::to_string(at) + " on, beyond the " + std::to_string(size) +
                     " of the block, by a descriptor of a matrix from byte " +
                     std::to_string(matrix.start) + " on with offsets of " +
                     std::to_string(matrix.leading) + " and " + std::to_string(matrix.stride),
                 "shared memory");
      return false;
    }
    return true;
  }
  // put(row of m or n, k, element)
  template <typename F>
  void read(F put) const {
    const int bytes = bytes_of(type), elements = static_cast<int>(kPieceBytes) / bytes;
    for (int p = 0; p < pieces(); ++p) {
      const std::byte* const at = worker.shared.data() + address(p);
      const int line = p % 8, half = p / 8 % 2, row = p / 16;
      for (int e = 0; e < elements; ++e) {
        u32 raw = 0;
        std::memcpy(&raw, at + std::ptrdiff_t{e} * bytes, static_cast<std::size_t>(bytes));
        const double value = element_of(type, raw);
        if (k_major) {
          put(8 * row + line, half * elements + e, value);
        } else {
          put(8 * row + e, 8 * half + line, value);
        }
      }
    }
  }
  // Requests of 32 pieces. Those of A are of the warp whose rows they are, those of B of the first.
  void count(u32 first_warp, bool by_warp) const {
    if (site == kNoSite || !worker.sums) return;
    worker.site_space[site] = static_cast<u8>(Space::shared) + 1;
    for (int first = 0; first < pieces(); first += kWarpLanes) {
      const Warp& w = worker.warps[first_warp + (by_warp ? static_cast<u32>(first / 32) : 0)];
      WarpRequest request{site, w.index, worker.block_index, w.order, 0, {}, {}};
      const int lanes = std::min(kWarpLanes, pieces() - first);
      request.active = lanes == kWarpLanes ? kAllLanes : (1u << lanes) - 1;
      for (int lane = 0; lane < lanes; ++lane) {
        request.addresses[static_cast<std::size_t>(lane)] = static_cast<u64>(address(first + lane));
      }
      add_shared(worker.totals[site], request.addresses, request.active, 16,
                 AccessKind::product_read);
      if (!w.recorded) continue;
      if (std::ssize(worker.requests) >= worker.run->options->maximum_requests) {
        worker.truncated = true;
      } else {
        worker.requests.push_back(request);
      }
    }
  }
  // What the shadow has against reading it: each piece is asked about by one of the warps, those of
  // A by the one whose rows they are.
  void tell_shadow(u32 product, u32 first_warp, bool by_warp) const {
    if (!worker.shadowed) return;
    for (int p = 0; p < pieces(); ++p) {
      Warp& w = worker.warps[first_warp + static_cast<u32>(by_warp ? p / 32 : p % 4)];
      const std::int64_t at = address(p);
      const SharedFinding finding = worker.shadow.read_for_product(
          product, static_cast<int>(w.index), at, static_cast<int>(kPieceBytes));
      if (finding == SharedFinding::none) continue;
      note_shared_finding(w, i, finding, 0, at, bytes_of(type), AccessIntent::read);
    }
  }
};

// The descriptor that all lanes of the warpgroup give; false after noting why there is none.
bool take_descriptor(Worker& worker, u32 first_warp, const Instruction& i, u32 slot, bool k_major,
                     int rows, MatrixDescriptor& matrix) {
  const u64 bits = worker.warps[first_warp].slot<u64>(slot)[0];
  for (u32 k = 0; k < kWarpgroupWarps; ++k) {
    Warp& w = worker.warps[first_warp + k];
    const u64* const given = w.slot<u64>(slot);
    const auto other = std::find_if(given, given + 32, [&](u64 x) { return x != bits; });
    if (other == given + 32) continue;
    note_fault(w, i, FaultKind::divergent_barrier, 1u << (other - given),
               worker.source(i).opcode +
                   " is given another descriptor than the first thread of its warpgroup gives");
    return false;
  }
  if (const std::string defect = descriptor_defect(bits, k_major, rows / 8); !defect.empty()) {
    note_fault(worker.warps[first_warp], i, FaultKind::misaligned, kAllLanes,
               worker.source(i).opcode + " is given a descriptor that " + defect);
    return false;
  }
  matrix = matrix_descriptor(bits);
  return true;
}

void read_a_registers(Worker& worker, u32 first_warp, const WarpgroupProduct& p, Operands& x) {
  const int bytes = bytes_of(p.a), elements = 4 / bytes;
  for (u32 k = 0; k < kWarpgroupWarps; ++k) {
    const Warp& w = worker.warps[first_warp + k];
    for (int r = 0; r < 4; ++r) {
      const u32* const a = w.slot<u32>(p.a_registers[static_cast<std::size_t>(r)]);
      for (int lane = 0; lane < 32; ++lane) {
        const int row = static_cast<int>(k) * kWarpRows + lane / 4 + 8 * (r % 2);
        const int column = elements * (lane % 4) + 4 * elements * (r / 2);
        for (int e = 0; e < elements; ++e) {
          x.a[row][column + e] = element_of(p.a, a[lane] >> (8 * bytes * e));
        }
      }
    }
  }
}

u32 rounded(const WarpgroupProduct& p, double value) {
  if (p.d == ProductType::f32) return std::bit_cast<u32>(static_cast<f32>(value));
  if (p.d == ProductType::f16) return narrow_half(to_odd(value));
  // Sums of products of bytes are exact in f64; they wrap or stay at the ends.
  if (p.saturate) value = std::fmin(std::fmax(value, -2147483648.0), 2147483647.0);
  return static_cast<u32>(static_cast<s64>(value));
}

// put(row of the warp, column, register, element of it) for each element of D that a lane holds.
template <typename F>
void for_accumulators(const WarpgroupProduct& p, int lane, F put) {
  const int g = lane / 4, t = lane % 4;
  const int registers = static_cast<int>(p.accumulators.size());
  for (int r = 0; r < registers; ++r) {
    if (p.d == ProductType::f16) {
      for (int e = 0; e < 2; ++e) put(g + 8 * (r % 2), 8 * (r / 2) + 2 * t + e, r, e);
    } else {
      put(g + 8 * (r / 2 % 2), 8 * (r / 4) + 2 * t + r % 2, r, 0);
    }
  }
}

void add_row(const WarpgroupProduct& p, const Operands& x, int row, double* sums) {
  double a[kMostK];
  for (int k = 0; k < p.k; ++k) a[k] = p.scale_a * p.scale_b * x.a[row][k];
  if (is_whole(p.a)) {
    for (int k = 0; k < p.k; ++k) {
      const double* const b = x.b[k];
      for (int n = 0; n < p.n; ++n) sums[n] += a[k] * b[n];
    }
    return;
  }
  const Alignment alignment = is_byte(p.a)              ? kAlignedBytes
                              : p.d == ProductType::f16 ? kAlignedToHalf
                                                        : kAligned;
  for (int n = 0; n < p.n; n += 8) {
    const AlignedTerms terms{a,      &x.b[0][n], x.a_exponents[row],  &x.b_exponents[0][n],
                             kMostN, p.k,        least_exponent(p.d), x.finite};
    add_products(terms, alignment, sums + n);
  }
}

void multiply(const Warp& w, int first_row, const WarpgroupProduct& p, const Operands& x) {
  alignas(64) double sum[kWarpRows][kMostN];
  const u32 kept = w.predicate(p.scale_d);
  const auto slot = [&](int r) { return w.slot<u32>(p.accumulators[static_cast<std::size_t>(r)]); };
  for (int lane = 0; lane < 32; ++lane) {
    const bool keeps = (kept >> lane & 1) != 0;
    for_accumulators(p, lane, [&](int row, int column, int r, int e) {
      sum[row][column] = keeps ? element_of(p.d, slot(r)[lane] >> (16 * e)) : 0;
    });
  }
  for (int row = 0; row < kWarpRows; ++row) add_row(p, x, first_row + row, sum[row]);
  for (int lane = 0; lane < 32; ++lane) {
    for_accumulators(p, lane, [&](int row, int column, int r, int e) {
      const u32 value = rounded(p, sum[row][column]);
      u32& to = slot(r)[lane];
      to = p.d != ProductType::f16 ? value
           : e == 0                ? (to & 0xffff0000u) | value
                                   : (to & 0xffffu) | value << 16;
    });
  }
}

// Reads A and B; false where a fault kept one back.
bool read_operands(Worker& worker, u32 first_warp, const Instruction& i, const WarpgroupProduct& p,
                   Operands& x) {
  SharedOperand a{worker, i, {}, !p.a_by_columns, kProductRows, p.a, p.a_site};
  SharedOperand b{worker, i, {}, !p.b_by_rows, p.n, p.b, p.b_site};
  Warp& first = worker.warps[first_warp];
  bool good = take_descriptor(worker, first_warp, i, p.b_descriptor, b.k_major, p.n, b.matrix) &&
              b.is_inside(first);
  if (!p.a_in_registers) {
    good =
        take_descriptor(worker, first_warp, i, p.a_descriptor, a.k_major, kProductRows, a.matrix) &&
        a.is_inside(first) && good;
  }
  if (!good) return false;
  const u32 product =
      worker.shadowed ? worker.shadow.begin_product(static_cast<int>(first_warp), i.source) : 0;
  b.tell_shadow(product, first_warp, false);
  b.count(first_warp, false);
  b.read([&](int n, int k, double value) { x.b[k][n] = value; });
  if (p.a_in_registers) {
    read_a_registers(worker, first_warp, p, x);
  } else {
    a.tell_shadow(product, first_warp, true);
    a.count(first_warp, true);
    a.read([&](int m, int k, double value) { x.a[m][k] = value; });
  }
  for (u32 k = 0; k < kWarpgroupWarps && worker.shadowed; ++k) {
    worker.flights[first_warp + k].begun.back().shadow = product;
  }
  return true;
}

}  // namespace

void run_product(Worker& worker, std::uint32_t first_warp, const Instruction& i) {
  const WarpgroupProduct& p = worker.kernel->products[static_cast<std::size_t>(i.immediate)];
  const auto x = std::make_unique_for_overwrite<Operands>();
  worker.watch.note_effect();
  for (u32 k = 0; k < kWarpgroupWarps; ++k) begin_flight(worker.warps[first_warp + k], i, p);
  if (!read_operands(worker, first_warp, i, p, *x)) return;
  if (!is_whole(p.a)) x->find_all_exponents(p);
  for (u32 k = 0; k < kWarpgroupWarps; ++k) {
    multiply(worker.warps[first_warp + k], static_cast<int>(k) * kWarpRows, p, *x);
  }
}

}  // namespace warpscope
