// profiling/emulator/state/warpgroup_product.h: wgmma as the decoder leaves it, and what is under
// way of it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

// wgmma.mma_async is one product of four warps, a warpgroup: D (64 × n) = A · B + D, A from
// registers or shared memory, B from shared memory. It goes on beside the warps until each waits
// for the group it was committed to. source: PTX ISA, "Asynchronous Warpgroup Level Matrix
// Multiply-Accumulate Instructions".

namespace warpscope {

inline constexpr int kWarpgroupWarps = 4;
inline constexpr int kProductRows = 64, kWarpRows = 16;  // of D: of the product, of a warp
inline constexpr int kProductBytes = 32;                 // of k in a row of A or B

enum class ProductType : std::uint8_t { f16, bf16, tf32, e4m3, e5m2, s8, u8, f32, s32 };
// Bytes of an element in shared memory.
constexpr int bytes_of(ProductType type) {
  switch (type) {
    case ProductType::f16:
    case ProductType::bf16:
      return 2;
    case ProductType::e4m3:
    case ProductType::e5m2:
    case ProductType::s8:
    case ProductType::u8:
      return 1;
    default:
      return 4;
  }
}

// One wgmma.mma_async of a kernel. Slots are byte offsets as in Instruction.
struct WarpgroupProduct {
  int n = 8, k = 16;
  ProductType a = ProductType::f16, b = ProductType::f16, d = ProductType::f32;
  bool a_in_registers = false;
  bool a_by_columns = false, b_by_rows = false;  // M-major A, N-major B: imm-trans
  bool saturate = false;
  double scale_a = 1, scale_b = 1;                   // 1 or −1
  std::uint32_t scale_d = 0;                         // a predicate: false takes D for zeros
  std::uint32_t a_descriptor = 0, b_descriptor = 0;  // 8 bytes
  std::array<std::uint32_t, 4> a_registers{};        // where a_in_registers
  std::vector<std::uint32_t> accumulators;           // n / 2 of 32 bits, n / 4 of pairs of f16
  std::uint32_t a_site = 0xffffffffu, b_site = 0xffffffffu;  // in KernelCode::sites
  // An ordinary instruction writes one of its registers and no wgmma.fence lies on some way from
  // there to here.
  bool written_before = false;
};

// The registers that a statement names, of kernels with products: from `first` on, `count` in
// KernelCode::register_uses. A copy of a register to another is not a use of its value.
struct RegisterUse {
  std::uint32_t first = 0;
  std::uint16_t count = 0;
  std::uint16_t written = 0;  // the first of them, by anything but a mov
  bool copies = false;        // the first is copied from the second
};

// Products of one warp. They are numbered from 1 in the order of the warp, which is that of its
// warpgroup.
struct WarpFlight {
  struct Begun {
    std::uint32_t source = 0;    // of its instruction
    std::uint32_t product = 0;   // in KernelCode::products
    std::uint32_t shadow = ~0u;  // its number in the shadow; all ones: it is not there
  };
  std::vector<Begun> begun;                    // by number − 1
  std::vector<std::uint32_t> group_ends;       // by committed group: its last product
  std::vector<std::uint32_t> product_of_slot;  // by slot / 128: the last that names it; 0: none
  std::uint32_t over = 0;                      // products waited for
  bool fenced = false, ever_fenced = false;    // by wgmma.fence: since the last wait, at all
  // What its setmaxnreg asked for, below zero for .dec, and the source of the last.
  std::vector<int> register_counts;
  std::uint32_t register_source = 0;
  bool under_way() const { return begun.size() > over; }
};

}  // namespace warpscope
