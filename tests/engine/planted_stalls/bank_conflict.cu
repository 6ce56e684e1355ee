// tests/engine/planted_stalls/bank_conflict.cu: all lanes of a warp read words of one bank.
extern "C" __global__ void __launch_bounds__(256) bank_conflict(int* __restrict__ y, int n) {
  __shared__ int tile[4096];
  for (int k = threadIdx.x; k < 4096; k += blockDim.x) tile[k] = 0;
  __syncthreads();
  int at = threadIdx.x * 32;
#pragma unroll 1
  for (int j = 0; j < 256; ++j) {
    at += 32 + tile[at & 4095];
  }
  y[(blockIdx.x * blockDim.x + threadIdx.x) & (n - 1)] = at;
}
