// tests/engine/planted_stalls/tma_wait.cu: a block starts a bulk copy and waits for it at once.
// One line per statement, since a test names the line.
// clang-format off
extern "C" __global__ void __launch_bounds__(128)
    tma_wait(const float* __restrict__ x, float* __restrict__ y, int n) {
  constexpr int kFloats = 8192, kBytes = 4 * kFloats;
  __shared__ alignas(128) float tile[kFloats];
  __shared__ alignas(8) unsigned long long barrier;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  const unsigned bar = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar));
    asm volatile("fence.proxy.async.shared::cta;");
  }
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < 16; ++j) {
    if (threadIdx.x == 0) {
      const float* from = x + ((blockIdx.x * 16 + j) * kFloats & (n - 1));
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(kBytes));
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at), "l"(from), "r"(kBytes), "r"(bar) : "memory");
    }
    unsigned done = 0;
    while (done == 0) {
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(bar), "r"(j & 1) : "memory");
    }
    sum += tile[threadIdx.x];
    __syncthreads();
  }
  y[(blockIdx.x * blockDim.x + threadIdx.x) & (n - 1)] = sum;
}
