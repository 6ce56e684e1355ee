// kernels/csrmm/compressed_b.cuh: rows of B without their zeros: masks, and what is left, in order.
#pragma once

// A row of B is cut into strips of 128 columns. In a strip, lane l owns the granules of GRANULE
// columns that begin at l·GRANULE, (32 + l)·GRANULE, … A granule is kept if any of it is not zero.
// The kept ones stand in order of lanes, a lane's own one after the other, at the start of the
// strip's 512 bytes; bit l of mask word q says whether lane l kept its q-th. So the place of a
// lane's first is the number of bits below l in all words.
//
//   GRANULE  1, 2 or 4 columns
constexpr int kStripColumns = 128;
constexpr int kGranules = 4 / GRANULE;  // of a lane: words of a mask

struct Words {
  unsigned of[kGranules];
};

// A global address: base + index · bytes in one multiply-add (IMAD.WIDE), as wide as memory.
__device__ __forceinline__ unsigned long long address_of(unsigned long long base, int index,
                                                         int bytes) {
  unsigned long long address;
  asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(address) : "r"(index), "r"(bytes), "l"(base));
  return address;
}

// Loads are in PTX because a condition in C++ would be a branch: here a lane without a granule
// keeps zeros, and all lanes go on.
#if GRANULE == 1
__device__ __forceinline__ Words load_words(unsigned long long address) {
  Words w;
  asm("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
      : "=r"(w.of[0]), "=r"(w.of[1]), "=r"(w.of[2]), "=r"(w.of[3])
      : "l"(address));
  return w;
}
__device__ __forceinline__ void load_kept(float* value, unsigned long long address, bool kept) {
  asm("{\n.reg .pred kept;\nsetp.ne.u32 kept, %2, 0;\nmov.f32 %0, 0f00000000;\n"
      "@kept ld.global.nc.f32 %0, [%1];\n}"
      : "=f"(value[0])
      : "l"(address), "r"(static_cast<unsigned>(kept)));
}
#elif GRANULE == 2
__device__ __forceinline__ Words load_words(unsigned long long address) {
  Words w;
  asm("ld.global.nc.v2.u32 {%0, %1}, [%2];" : "=r"(w.of[0]), "=r"(w.of[1]) : "l"(address));
  return w;
}
__device__ __forceinline__ void load_kept(float* value, unsigned long long address, bool kept) {
  asm("{\n.reg .pred kept;\nsetp.ne.u32 kept, %3, 0;\nmov.f32 %0, 0f00000000;\n"
      "mov.f32 %1, 0f00000000;\n@kept ld.global.nc.v2.f32 {%0, %1}, [%2];\n}"
      : "=f"(value[0]), "=f"(value[1])
      : "l"(address), "r"(static_cast<unsigned>(kept)));
}
#else
__device__ __forceinline__ Words load_words(unsigned long long address) {
  Words w;
  asm("ld.global.nc.u32 %0, [%1];" : "=r"(w.of[0]) : "l"(address));
  return w;
}
__device__ __forceinline__ void load_kept(float* value, unsigned long long address, bool kept) {
  asm("{\n.reg .pred kept;\nsetp.ne.u32 kept, %5, 0;\nmov.f32 %0, 0f00000000;\n"
      "mov.f32 %1, 0f00000000;\nmov.f32 %2, 0f00000000;\nmov.f32 %3, 0f00000000;\n"
      "@kept ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];\n}"
      : "=f"(value[0]), "=f"(value[1]), "=f"(value[2]), "=f"(value[3])
      : "l"(address), "r"(static_cast<unsigned>(kept)));
}
#endif

// The column, inside a strip, of element e of a lane's q-th granule.
__device__ __forceinline__ int column_of(int lane, int q, int e) {
  return (q * 32 + lane) * GRANULE + e;
}
