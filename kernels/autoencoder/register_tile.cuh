// kernels/autoencoder/register_tile.cuh: a block's tile of a matrix product, 8×8 sums a thread.
//
// A warp has 32×64 sums, and of each row of depth a thread reads two pieces of four numbers of
// either side: 64 multiply-adds for four loads of shared memory. Rows come by asynchronous copies,
// STAGES of DEPTH rows under way at once, and one barrier a stage.
//
//   WARPS_M, WARPS_N  warps along either side: the tile is 32·WARPS_M × 64·WARPS_N
//   DEPTH, STAGES     rows of a stage, stages in shared memory
//   MIN_BLOCKS        of a multiprocessor at once: it bounds a thread's registers
#pragma once

constexpr int kTileM = 32 * WARPS_M, kTileN = 64 * WARPS_N;
constexpr int kThreads = 32 * WARPS_M * WARPS_N;
constexpr int kSums = 8;   // of a thread, along either side
constexpr int kPiece = 4;  // numbers of 16 bytes

// Where a thread's sums lie: four neighbours, and four more half a warp's tile further. Eight lanes
// whose loads of 16 bytes are served together read two pieces of one side and four of the other:
// two wavefronts a load, where lanes in rows of eight would take three.
struct TilePlace {
  int m, n;  // of the first
  __device__ int row(int i) const { return m + i % kPiece + i / kPiece * 16; }
  __device__ int column(int j) const { return n + j % kPiece + j / kPiece * 32; }
};
__device__ __forceinline__ TilePlace tile_place() {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int down = lane / 16 * 2 + lane % 2, across = lane / 2 % 8;
  return {warp % WARPS_M * 32 + down * kPiece, warp / WARPS_M * 64 + across * kPiece};
}

__device__ __forceinline__ unsigned shared_address(const void* to) {
  return static_cast<unsigned>(__cvta_generic_to_shared(to));
}
// A number, or zero where it is not `there`: then nothing is read. source: PTX ISA, cp.async.
__device__ __forceinline__ void copy_word(unsigned to, const float* from, bool there) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from),
               "r"(there ? 4 : 0)
               : "memory");
}
__device__ __forceinline__ void copy_piece(unsigned to, const float* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
__device__ __forceinline__ void commit_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int Pending>
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

// Rows of a stage: `m` of one side, and `n` of the other. `Padding`: words after a row. A warp
// that writes eight rows of four numbers takes four of them, so that each number has a bank of its
// own; rows begin at 16 bytes all the same.
template <int Padding>
struct alignas(16) StageRows {
  float m[DEPTH][kTileM + Padding], n[DEPTH][kTileN + Padding];
};

__device__ __forceinline__ void read_pieces(float (&values)[kSums], const float* row, int apart) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float4 piece = *reinterpret_cast<const float4*>(row + half * apart);
    values[4 * half] = piece.x, values[4 * half + 1] = piece.y;
    values[4 * half + 2] = piece.z, values[4 * half + 3] = piece.w;
  }
}

template <int Padding>
__device__ __forceinline__ void multiply_stage(float (&sums)[kSums][kSums],
                                               const StageRows<Padding>& stage,
                                               const TilePlace& place) {
#pragma unroll
  for (int k = 0; k < DEPTH; ++k) {
    float m[kSums], n[kSums];
    read_pieces(m, &stage.m[k][place.m], 16);
    read_pieces(n, &stage.n[k][place.n], 32);
#pragma unroll
    for (int i = 0; i < kSums; ++i) {
#pragma unroll
      for (int j = 0; j < kSums; ++j) sums[i][j] += m[i] * n[j];
    }
  }
}

// `count` stages of a product: copy(bytes) starts the copies of the next one, into the stage that
// begins so many bytes after the first; `behind(stage)` sees each once it is there.
template <int Padding, typename Copy, typename Behind>
__device__ __forceinline__ void multiply(float (&sums)[kSums][kSums],
                                         StageRows<Padding> (&stages)[STAGES], int count, Copy copy,
                                         Behind behind) {
  constexpr unsigned kStageBytes = sizeof(StageRows<Padding>), kAllBytes = STAGES * kStageBytes;
  const TilePlace place = tile_place();
#pragma unroll
  for (int ahead = 0; ahead < STAGES - 1; ++ahead) {
    if (ahead < count) copy(ahead * kStageBytes);
    commit_copies();
  }
  unsigned read = 0, free = kAllBytes - kStageBytes;
#pragma unroll 1
  for (int left = count; left > 0; --left) {
    wait_for_copies<STAGES - 2>();
    __syncthreads();  // this stage is there, and nobody reads the one before any more
    if (left > STAGES - 1) copy(free);
    commit_copies();
    free = read;
    const char* const stage = reinterpret_cast<const char*>(stages) + read;
    multiply_stage(sums, *reinterpret_cast<const StageRows<Padding>*>(stage), place);
    behind(*reinterpret_cast<const StageRows<Padding>*>(stage));
    read = read + kStageBytes == kAllBytes ? 0 : read + kStageBytes;
  }
}
