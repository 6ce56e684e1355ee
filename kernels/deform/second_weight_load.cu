// kernels/deform/second_weight_load.cu: wrong on purpose: 16 bytes asked for at a multiple of 8.
//
// The published text loads the eight weights of a level twice: 16 bytes from the first, 16 from the
// fifth, and uses the first four of each. In PTX, which the emulator runs, the second load begins
// inside its 16 bytes: a fault, of which the emulator names line and lane. In machine code both are
// narrowed to the 8 bytes that are used, `asm volatile` or not (ptxas 13.0, sm_80 to sm_120):
// the second is aligned, the result is right and a device shows nothing. Look at PTX and SASS of
// that line. Load the eight once: interleaved_compile_time_points does.
#include "deform/half_samples.cuh"
#include "deform/levels.cuh"

__device__ __forceinline__ void load_16_bytes(__half* to, const __half* from) {
  uint4 bits;
  asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)
               : "l"(from));
  memcpy(to, &bits, sizeof bits);
}

extern "C" __global__ void second_weight_load(
    const __half* __restrict__ value,      // [batch][rows][1][32]
    const long long* __restrict__ shapes,  // [4][2]
    const long long* __restrict__ starts,  // [4]
    const __half* __restrict__ loc,        // [batch][queries][1][4][8][2]
    const __half* __restrict__ weight,     // [batch][queries][1][4][8]
    __half* __restrict__ out,              // [batch][queries][1][32]
    int batch, int queries, int rows) {
  const Place place = place_of(batch, queries);
  if (!place.is_there) return;
  const __half* const pixels = pixels_of(value, place, rows);
  Octet sum = zero_octet();
#pragma unroll 1
  for (int l = 0; l < LEVELS; ++l) {
    const Level level = level_of(shapes, starts, l);
    const long long first = first_sample_of(place.group) + l * POINTS;
    __half attention[16];
    load_16_bytes(attention, weight + first);
    load_16_bytes(attention + 8, weight + first + 4);
#pragma unroll
    for (int p = 0; p < POINTS; ++p) {
      const HalfSample s = half_sample(__ldg(reinterpret_cast<const __half2*>(loc) + first + p),
                                       level.height, level.width);
      if (!s.inside) continue;
      const CornerWeights corners = corner_weights(s.from_low);
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        const int row = level.first_row + s.row + corner_row(c, level.columns());
        add_weighed(sum, __hmul(corners.of[c], attention[p < 4 ? p : p + 4]),
                    load_octet(pixels + row * kPixelStride));
      }
    }
  }
  store_octet(out + sum_of(place), sum);
}
