// tests/emulator/hopper/edited_map.cu: each block makes a tensor map of its own matrix out of one
// that it is given, and copies by it.
#include "../tests/emulator/hopper/cluster.cuh"

constexpr int kBoxColumns = 32, kBoxRows = 16;

// Matrix g begins at element first[g] of `in` and has rows[g] rows of columns[g] floats, whole 4 a
// row; the block adds 1 to its first box, by tiles of one matrix after the other. 128 threads.
extern "C" __global__ void edited_map(const __grid_constant__ TensorMap map, TensorMap* maps,
                                      float* in, const int* __restrict__ first,
                                      const int* __restrict__ rows,
                                      const int* __restrict__ columns) {
  __shared__ alignas(128) TensorMap own;
  __shared__ alignas(128) float box[kBoxRows][kBoxColumns];
  __shared__ alignas(8) unsigned long long full_at[1];
  const int g = blockIdx.x, width = columns[g], height = rows[g];
  const unsigned place = shared_address(&own), full = shared_address(full_at);
  if (threadIdx.x < 32) {
    reinterpret_cast<unsigned*>(&own)[threadIdx.x] =
        reinterpret_cast<const unsigned*>(&map)[threadIdx.x];
    __syncwarp();
    if (threadIdx.x == 0) {
      barrier_init(full, 1);
      barrier_init_fence();
      asm volatile(
          "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(place),
          "l"(in + first[g])
          : "memory");
      asm volatile(
          "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, %1;" ::"r"(place),
          "r"(width)
          : "memory");
      asm volatile(
          "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(place),
          "r"(height)
          : "memory");
      asm volatile(
          "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;" ::"r"(place),
          "l"(4ll * width)
          : "memory");
    }
    __syncwarp();
    asm volatile(
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
        "[%0], [%1], 128;" ::"l"(maps + g),
        "r"(place)
        : "memory");
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(maps + g)
                 : "memory");
  }
  __syncthreads();
  int phase = 0;
  for (int y = 0; y < height; y += kBoxRows) {
    for (int x = 0; x < width; x += kBoxColumns, phase ^= 1) {
      if (threadIdx.x == 0) {
        barrier_arrive_expecting(full, sizeof box);
        copy_box(shared_address(box), maps[g], x, y, full);
      }
      barrier_wait(full, phase);
      for (int i = threadIdx.x; i < kBoxRows * kBoxColumns; i += blockDim.x) {
        box[i / kBoxColumns][i % kBoxColumns] += 1;
      }
      copies_see();
      __syncthreads();
      if (threadIdx.x == 0) {
        asm volatile(
            "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(
                maps + g),
            "r"(x), "r"(y), "r"(shared_address(box))
            : "memory");
        commit_stores();
        wait_until_stored();
      }
      __syncthreads();
    }
  }
}
