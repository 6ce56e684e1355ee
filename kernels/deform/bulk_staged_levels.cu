// kernels/deform/bulk_staged_levels.cu: the small levels of an image come in a few bulk copies.
//
// Against small_levels_in_shared one thread asks for the copies, and a barrier in shared memory
// tells when they have arrived: no thread moves a byte itself. The levels lie together, so the
// copies are of plain bytes. Look at the instructions of staging, which vanish.
//
//   LEVELS, POINTS, CHANNELS, HEADS  see levels.cuh
//   STAGED  levels that are staged, the last ones
//   BLOCK   threads of a block
#include "deform/staged_levels.cuh"
#include "tensor_copy.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK) bulk_staged_levels(
    const __half* __restrict__ value,      // [batch][rows][HEADS][CHANNELS]
    const long long* __restrict__ shapes,  // [LEVELS][2]
    const long long* __restrict__ starts,  // [LEVELS]
    const __half* __restrict__ loc,        // [batch][queries][HEADS][LEVELS][POINTS][2]
    const __half* __restrict__ weight,     // [batch][queries][HEADS][LEVELS][POINTS]
    __half* __restrict__ out,              // [batch][queries][HEADS][CHANNELS]
    int batch, int queries, int rows) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  constexpr unsigned kPieceBytes = 16384;
  extern __shared__ __align__(128) unsigned char staged[];
  __shared__ unsigned long long arrived;
  const int staged_row = level_of(shapes, starts, kFirstStaged).first_row;
  const unsigned bytes = (rows - staged_row) * kPixelStride * sizeof(__half);
  if (threadIdx.x == 0) {
    barrier_init(shared_address(&arrived), 1);
    barrier_init_fence();
  }
  __syncthreads();
  unsigned parity = 0;
  sums_of_run(value, reinterpret_cast<const __half*>(staged), staged_row, shapes, starts, loc,
              weight, out, batch, queries, rows, [&](int image) {
                if (threadIdx.x == 0) {
                  const auto* const from = reinterpret_cast<const unsigned char*>(
                      value + (static_cast<long long>(image) * rows + staged_row) * kPixelStride);
                  barrier_arrive_expecting(shared_address(&arrived), bytes);
                  for (unsigned at = 0; at < bytes; at += kPieceBytes)
                    copy_bytes(shared_address(staged) + at, from + at, min(kPieceBytes, bytes - at),
                               shared_address(&arrived));
                }
                barrier_wait(shared_address(&arrived), parity);
                parity ^= 1;
              });
#endif
}
