// tests/emulator/corpus/faulty_kernels.cu: each kernel has one fault, on the line that names it.
#include <cuda_pipeline.h>
// The other end of a race says ALSO. Launched with 4 blocks of 256 threads and n = 1000, or as "// LAUNCH blocks threads shared" says.
#define K extern "C" __global__ void
#define I blockIdx.x* blockDim.x + threadIdx.x

// --- beyond the end ---
K one_too_many(const int* x, int* out, int n) {
  int i = I;
  if (i <= n) out[i] = i;  // FAULT out of bounds
}
K no_test(const int* x, int* out, int n) {
  int i = I;
  out[i] = 1;  // FAULT out of bounds
}
K reads_next(const int* x, int* out, int n) {
  int i = I;
  if (i < n) out[i] = x[i + 1];  // FAULT out of bounds
}
K reads_previous(const int* x, int* out, int n) {
  int i = I;
  if (i < n) out[i] = x[i - 1];  // FAULT out of bounds
}
K stride_of_bytes(const int* x, int* out, int n) {
  int i = I;
  if (i < n) out[i] = x[4 * i];  // FAULT out of bounds
}
K int4_tail(const int* x, int* out, int n) {
  int i = I;
  if (4 * i < n + 4) reinterpret_cast<int4*>(out)[i] = make_int4(1, 2, 3, 4);  // FAULT out of bounds
}
K wrong_row(const int* x, int* out, int n) {  // LAUNCH 40 32
  out[threadIdx.x * gridDim.x + blockIdx.x] = 0;  // FAULT out of bounds
}
K negative_index(const int* x, int* out, int n) {
  int i = I;
  if (i < n) out[i] = x[(i - 5) % n];  // FAULT out of bounds
}
K unsigned_wrap(const int* x, int* out, int n) {
  unsigned i = I;
  if (i < n) out[i] = x[min(i - 1, 2000000000u)];  // FAULT out of bounds
}
K indirect(const int* x, int* out, int n) {
  int i = I;
  if (i < n) atomicAdd(&out[x[i] + 1], 1);  // FAULT out of bounds
}
K shared_tail(const int* x, int* out, int n) {
  __shared__ int s[256];
  s[threadIdx.x + 1] = x[threadIdx.x];  // FAULT out of bounds
  __syncthreads();
  if (I < n) out[I] = threadIdx.x == 0 ? 0 : s[threadIdx.x];
}
K small_dynamic(const int* x, int* out, int n) {  // LAUNCH 1 64 128
  extern __shared__ int s[];
  s[threadIdx.x] = x[threadIdx.x];  // FAULT out of bounds
  out[threadIdx.x] = threadIdx.x < 32 ? s[threadIdx.x] : 0;
}
K null_pointer(const int* x, int* out, int n) {  // LAUNCH 1 32
  int* none = reinterpret_cast<int*>(static_cast<long long>(n) - 1000);
  none[threadIdx.x] = 1;  // FAULT out of bounds
}

// --- not aligned ---
K odd_float2(const int* x, int* out, int n) {
  int i = I;
  if (i < 400) reinterpret_cast<int2*>(out + 1)[i] = make_int2(i, i);  // FAULT misaligned
}
K rows_of_odd_width(const int* x, int* out, int n) {  // LAUNCH 2 32
  const int4 v = reinterpret_cast<const int4*>(x + blockIdx.x * 101)[threadIdx.x % 8];  // FAULT misaligned
  out[I] = v.x + v.w;
}
K shared_after_bytes(const int* x, int* out, int n) {  // LAUNCH 1 32
  __shared__ alignas(16) char s[1024];
  *reinterpret_cast<int*>(s + 6 + 4 * threadIdx.x) = x[threadIdx.x];  // FAULT misaligned
  __syncthreads();
  out[threadIdx.x] = 0;
}
K double_in_ints(const int* x, int* out, int n) {  // LAUNCH 1 32
  out[threadIdx.x] = *reinterpret_cast<const double*>(x + 2 * threadIdx.x + 1) > 0;  // FAULT misaligned
}

// --- nobody wrote it ---
K output_read(const int* x, int* out, int n) {
  int i = I;
  if (i < n) out[i] += x[i];  // FAULT uninitialised read
}
K partial_sums(const int* x, int* out, int n) {  // LAUNCH 1 256
  __shared__ int s[32];
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32) out[threadIdx.x] = s[threadIdx.x];  // FAULT uninitialised read
}
K halo_of_tile(const int* x, int* out, int n) {  // LAUNCH 1 128
  __shared__ int s[130];
  s[threadIdx.x + 1] = x[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + 2];  // FAULT uninitialised read
}
K atomic_on_nothing(const int* x, int* out, int n) {
  int i = I;
  if (i < n) atomicAdd(&out[i % 16], 1);  // FAULT uninitialised read
}

// --- shared memory without a barrier ---
K neighbour(const int* x, int* out, int n) {  // LAUNCH 1 256
  __shared__ int s[256];
  s[threadIdx.x] = x[threadIdx.x];  // ALSO
  out[threadIdx.x] = s[255 - threadIdx.x];  // FAULT shared race
}
K reduction(const int* x, int* out, int n) {  // LAUNCH 1 256
  __shared__ int s[256];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int d = 128; d > 0; d /= 2)
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];  // FAULT shared race
  if (threadIdx.x == 0) out[0] = s[0];
}
K scan(const int* x, int* out, int n) {  // LAUNCH 1 256
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  for (int d = 1; d < 256; d *= 2) {
    __syncthreads();
    if (t >= d) s[t] += s[t - d];  // FAULT shared race
  }
  out[t] = s[t];
}
K warp_without_sync(const int* x, int* out, int n) {  // LAUNCH 1 32
  __shared__ volatile int s[32];
  s[threadIdx.x] = x[threadIdx.x];
  out[threadIdx.x] = s[threadIdx.x ^ 1];  // FAULT shared race
}
K tile_reused(const int* x, int* out, int n) {  // LAUNCH 1 128
  __shared__ int s[128];
  int sum = 0;
  for (int t = 0; t < 4; ++t) {
    s[threadIdx.x] = x[t * 128 + threadIdx.x];  // FAULT shared race
    __syncthreads();
    sum += s[127 - threadIdx.x];  // ALSO
  }
  out[threadIdx.x] = sum;
}
K flag_of_block(const int* x, int* out, int n) {  // LAUNCH 1 128
  __shared__ int any;
  if (threadIdx.x == 0) any = 0;
  __syncthreads();
  if (x[threadIdx.x] > 500) any = threadIdx.x;  // FAULT shared race
  __syncthreads();
  out[threadIdx.x] = any;
}
K counter(const int* x, int* out, int n) {  // LAUNCH 1 128
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  count++;  // FAULT shared race
  __syncthreads();
  out[threadIdx.x] = count;
}
K early_reset(const int* x, int* out, int n) {  // LAUNCH 1 64
  __shared__ int s;
  if (threadIdx.x == 0) s = x[0];
  __syncthreads();
  out[threadIdx.x] = s;  // ALSO
  if (threadIdx.x == 63) s = 0;  // FAULT shared race
}

// --- global memory ---
K bins(const int* x, int* out, int n) {  // LAUNCH 4 64
  out[threadIdx.x % 8] = x[I];  // FAULT block race
}
K shifted(const int* x, int* out, int n) {  // LAUNCH 1 256
  out[threadIdx.x] = threadIdx.x;  // ALSO
  out[threadIdx.x + 256] = out[255 - threadIdx.x];  // FAULT global race
}
K blocks_of_neighbours(const int* x, int* out, int n) {  // LAUNCH 4 64
  out[I] = x[I];  // ALSO
  __syncthreads();
  if (threadIdx.x == 0) out[512 + blockIdx.x] = out[(blockIdx.x + 1) % 4 * 64];  // FAULT block race
}

// --- barriers and lanes ---
K barrier_in_branch(const int* x, int* out, int n) {  // LAUNCH 1 64
  if (threadIdx.x < 40) __syncthreads();  // FAULT divergent barrier
  out[threadIdx.x] = 1;
}
K shuffle_in_branch(const int* x, int* out, int n) {  // LAUNCH 1 32
  int v = x[threadIdx.x];
  if (threadIdx.x < 16) v = __shfl_xor_sync(0xffffffff, v, 1);  // FAULT deadlock
  out[threadIdx.x] = v;
}
K shuffle_from_absent(const int* x, int* out, int n) {  // LAUNCH 1 32
  int v = x[threadIdx.x];
  if (threadIdx.x < 16) v = __shfl_xor_sync(0x0000ffff, v, 16);  // FAULT absent lane
  out[threadIdx.x] = v;
}
K mask_without_itself(const int* x, int* out, int n) {  // LAUNCH 1 32
  out[threadIdx.x] = __any_sync(0x0000ffff, x[threadIdx.x]);  // FAULT absent lane
}
K waits_for_ever(const int* x, int* out, int n) {  // LAUNCH 1 32
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncwarp();
  while (flag == 0) {}  // FAULT endless loop
  out[threadIdx.x] = 1;
}
K never_ends(const int* x, int* out, int n) {  // LAUNCH 1 32
  volatile int* v = out;
  if (threadIdx.x == 0) v[0] = 7;
  for (; v[0] == 7 && threadIdx.x == 0;) {}  // FAULT endless loop
}
K stops(const int* x, int* out, int n) {  // LAUNCH 1 32
  out[threadIdx.x] = 0;
  if (x[threadIdx.x] == 389) __trap();  // FAULT assertion
}
K read_only_load(const int* x, int* out, int n) {  // LAUNCH 2 32
  out[I] = x[I];  // ALSO
  __syncthreads();
  out[64 + I] = __ldg(&out[I ^ 1]);  // FAULT stale read
}
K copy_without_wait(const int* x, int* out, int n) {  // LAUNCH 1 32
  __shared__ int s[32];
  __pipeline_memcpy_async(&s[threadIdx.x], &x[threadIdx.x], 4);
  __pipeline_commit();
  out[threadIdx.x] = s[threadIdx.x];  // FAULT missing wait
}
