// tests/scenes/program/larger_programs_test.cpp: launches in helpers, classes, templates and
// branches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenes/program/shown_program.h"

namespace warpscope {
namespace {

const std::vector<ProgramCase>& cases() {
  static const std::vector<ProgramCase> kCases = {
      {"helper launcher",
       R"__(
#include "common.h"
__global__ void norm_kernel(float* out, const float* inp, int N, int C) {
  int row = blockIdx.x;
  const float* x = inp + row * C;
  float* o = out + row * C;
  for (int c = threadIdx.x; c < C; c += blockDim.x) o[c] = x[c];
}
void norm_forward(float* out, const float* inp, int B, int T, int C, const int block_size) {
  const int N = B * T;
  const int grid_size = ceil_div(N * 32, block_size);
  norm_kernel<<<grid_size, block_size>>>(out, inp, N, C);
  cudaCheck(cudaGetLastError());
}
int main(int argc, char** argv) {
  int B = 8, T = 1024, C = 768;
  float* inp = make_random_float(B * T * C);
  float *d_out, *d_inp;
  cudaCheck(cudaMalloc(&d_out, B * T * C * sizeof(float)));
  cudaCheck(cudaMalloc(&d_inp, B * T * C * sizeof(float)));
  cudaCheck(cudaMemcpy(d_inp, inp, B * T * C * sizeof(float), cudaMemcpyHostToDevice));
  int block_sizes[] = {64, 128, 256};
  for (int j = 0; j < sizeof(block_sizes) / sizeof(int); j++) {
    int block_size = block_sizes[j];
    norm_forward(d_out, d_inp, B, T, C, block_size);
  }
})__",
       {"norm_kernel<<<[ceil_div(B * T * 32, block_size)], [block_size]>>>(d_out, d_inp, i32:B * "
        "T, i32:C)",
        "d_out: f32[B * T * C] output", "d_inp: f32[B * T * C] input random", "B = 8 in line 16",
        "T = 1024 in line 16", "block_size = 64 in line 24", "C = 768 in line 16"}},
      {"dispatch of templates",
       R"__(
template <typename T, unsigned int BLOCK>
__global__ void reduce(const T* in, T* out, unsigned int n) {
  __shared__ T part[BLOCK];
  unsigned int i = blockIdx.x * BLOCK + threadIdx.x;
  part[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned int s = BLOCK / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
template <typename T>
void launch_reduce(const T* in, T* out, unsigned int n, int threads) {
  int blocks = (n + threads - 1) / threads;
  switch (threads) {
    case 512: reduce<T, 512><<<blocks, threads>>>(in, out, n); break;
    case 256: reduce<T, 256><<<blocks, threads>>>(in, out, n); break;
    default: reduce<T, 128><<<blocks, threads>>>(in, out, n); break;
  }
}
int main() {
  const unsigned int n = 1 << 16;
  int threads = 256;
  double *in, *out;
  cudaMalloc(&in, n * sizeof(double));
  cudaMalloc(&out, (n + threads - 1) / threads * sizeof(double));
  launch_reduce<double>(in, out, n, threads);
})__",
       {"reduce<double, 256><<<[ceil_div(n, threads)], [threads]>>>(in, out, u32:n)",
        "*reduce<double, 512><<<[ceil_div(n, threads)], [threads]>>>(in, out, u32:n)",
        "*reduce<double, 128><<<[ceil_div(n, threads)], [threads]>>>(in, out, u32:n)",
        "in: f64[n] input random?", "out: f64[ceil_div(n, threads)] output", "n = 65536 in line 24",
        "threads = 256 in line 25 fixed"}},
      {"class",
       R"__(
namespace net {
__global__ void forward(const float* w, const float* x, float* y, int in, int out) {
  int o = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int i = 0; i < in; ++i) s += w[o * in + i] * x[i];
  if (o < out) y[o] = s;
}
}  // namespace net
class Linear {
 public:
  Linear(int in, int out) : in_(in), out_(out) {
    cudaMalloc(&w_, in_ * out_ * sizeof(float));
    cudaMemset(w_, 0, in_ * out_ * sizeof(float));
  }
  ~Linear() { cudaFree(w_); }
  void run(const float* x, float* y) { launch(x, y); }  void launch(const float* x, float* y) { net::forward<<<(out_ + 63) / 64, 64>>>(w_, x, y, in_, out_); }

 private:
  int in_, out_;
  float* w_ = nullptr;
};
int main() {
  const int in = 300, out = 200;
  float *x, *y;
  cudaMalloc(&x, in * sizeof(float));
  cudaMalloc(&y, out * sizeof(float));
  Linear layer(in, out);
  layer.run(x, y);
})__",
       {"net::forward<<<[ceil_div(out, 64)], [64]>>>(w_, x, y, i32:in, i32:out)",
        "w_: f32[in * out] input zero", "x: f32[in] input random?", "y: f32[out] output",
        "out = 200 in line 24", "in = 300 in line 24"}},
      {"sample with a flag",
       R"__(
#include <helper_cuda.h>
template <int BLOCK_SIZE> __global__ void product(float* C, float* A, float* B, int wA, int wB) {
  int c = wB * BLOCK_SIZE * blockIdx.y + BLOCK_SIZE * blockIdx.x;
  C[c + wB * threadIdx.y + threadIdx.x] = A[wA * threadIdx.y] * B[threadIdx.x];
}
void ConstantInit(float* data, int size, float val) {
  for (int i = 0; i < size; ++i) data[i] = val;
}
int MatrixMultiply(int argc, char** argv, int block_size, const dim3& dimsA, const dim3& dimsB) {
  unsigned int size_A = dimsA.x * dimsA.y;
  unsigned int mem_size_A = sizeof(float) * size_A;
  float* h_A;
  checkCudaErrors(cudaMallocHost(&h_A, mem_size_A));
  ConstantInit(h_A, size_A, 1.0f);
  float *d_A, *d_B, *d_C;
  checkCudaErrors(cudaMalloc(reinterpret_cast<void**>(&d_A), mem_size_A));
  checkCudaErrors(cudaMalloc(reinterpret_cast<void**>(&d_B), sizeof(float) * dimsB.x * dimsB.y));
  checkCudaErrors(cudaMalloc(reinterpret_cast<void**>(&d_C), dimsB.x * dimsA.y * sizeof(float)));
  checkCudaErrors(cudaMemcpyAsync(d_A, h_A, mem_size_A, cudaMemcpyHostToDevice, stream));
  dim3 threads(block_size, block_size);
  dim3 grid(dimsB.x / threads.x, dimsA.y / threads.y);
  if (block_size == 16) {
    product<16><<<grid, threads, 0, stream>>>(d_C, d_A, d_B, dimsA.x, dimsB.x);
  } else {
    product<32><<<grid, threads, 0, stream>>>(d_C, d_A, d_B, dimsA.x, dimsB.x);
  }
  return EXIT_SUCCESS;
}
int main(int argc, char** argv) {
  if (checkCmdLineFlag(argc, (const char**)argv, "help")) exit(EXIT_SUCCESS);
  int block_size = 32;
  dim3 dimsA(320, 640, 1);
  dim3 dimsB(960, 320, 1);
  if (checkCmdLineFlag(argc, (const char**)argv, "wA")) dimsA.x = getCmdLineArgumentInt(argc, (const char**)argv, "wA");
  exit(MatrixMultiply(argc, argv, block_size, dimsA, dimsB));
})__",
       {"product<32><<<[floor(dimsB_x / block_size), floor(dimsA_y / block_size)], [block_size, "
        "block_size]>>>(d_C, d_A, "
        "d_B, i32:dimsA_x, i32:dimsB_x)",
        "*product<16><<<[floor(dimsB_x / block_size), floor(dimsA_y / block_size)], [block_size, "
        "block_size]>>>(d_C, d_A, "
        "d_B, i32:dimsA_x, i32:dimsB_x)",
        "d_C: f32[dimsB_x * dimsA_y] output", "d_A: f32[dimsA_x * dimsA_y] input one",
        "d_B: f32[dimsB_x * dimsB_y] input random?", "dimsB_x = 960 in line 34",
        "block_size = 32 in line 32 fixed", "dimsA_y = 640 in line 33", "dimsA_x = 320 in line 33",
        "dimsB_y = 320 in line 34"}},
      {"thrust",
       R"__(
#include <thrust/device_vector.h>
#include <thrust/sequence.h>
__global__ void square(int* v, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) v[i] = v[i] * v[i];
}
int main() {
  int n = 777;
  thrust::device_vector<int> v(n);
  thrust::sequence(v.begin(), v.end());
  thrust::device_vector<float> ones(n, 1.0f);
  square<<<(v.size() + 31) / 32, 32>>>(thrust::raw_pointer_cast(v.data()), v.size());
  square<<<1, 32>>>(thrust::raw_pointer_cast(&v[0]), 32);
})__",
       {"square<<<[ceil_div(n, 32)], [32]>>>(v, i32:n)", "square<<<[1], [32]>>>(v, i32:32)",
        "v: i32[n] state iota", "n = 777 in line 9"}},
      {"launch by a function",
       R"__(
#include <cooperative_groups.h>
__global__ void relax(float* grid, int n, int steps) {
  for (int s = 0; s < steps; ++s) { grid[threadIdx.x] *= 0.5f; cooperative_groups::this_grid().sync(); }
}
__global__ void init(float* grid, int n) { if (threadIdx.x < n) grid[threadIdx.x] = 1.f; }
int main() {
  int n = 2048, steps = 10;
  float* grid;
  cudaMalloc(&grid, n * sizeof(float));
  void* first[] = {&grid, &n};
  cudaLaunchKernel((void*)init, dim3(n / 256), dim3(256), first, 0, 0);
  void* args[] = {(void*)&grid, (void*)&n, (void*)&steps};
  dim3 blocks(8, 1, 1), threads(256, 1, 1);
  cudaLaunchCooperativeKernel((const void*)relax, blocks, threads, args, 16 * sizeof(float), NULL);
})__",
       {"init<<<[floor(n / 256)], [256]>>>(grid, i32:n)",
        "relax<<<[8], [256], 64>>>(grid, i32:n, i32:steps)", "grid: f32[n] state zero?",
        "n = 2048 in line 8", "steps = 10 in line 8"}},
      {"a table of kernels",
       R"__(
#define TILE_DIM 32
#define BLOCK_ROWS 8
__global__ void naive(float* odata, const float* idata, int w, int h) { odata[threadIdx.x * h] = idata[threadIdx.x + TILE_DIM]; }
__global__ void tiled(float* odata, const float* idata, int w, int h) { odata[threadIdx.x] = idata[threadIdx.x]; }
int main() {
  const int w = 1024, h = 2048;
  const size_t size = w * h * sizeof(float);
  float *d_in, *d_out;
  cudaMalloc((void**)&d_in, size);
  cudaMalloc((void**)&d_out, size);
  dim3 grid(w / TILE_DIM, h / TILE_DIM), threads(TILE_DIM, BLOCK_ROWS);
  void (*kernel)(float*, const float*, int, int);
  for (int k = 0; k < 2; k++) {
    switch (k) {
      case 0: kernel = &naive; break;
      case 1: kernel = &tiled; break;
    }
    kernel<<<grid, threads>>>(d_out, d_in, w, h);
  }
})__",
       {"naive<<<[floor(w / TILE_DIM), floor(h / TILE_DIM)], [TILE_DIM, BLOCK_ROWS]>>>(d_out, "
        "d_in, i32:w, i32:h)",
        "*tiled<<<[floor(w / TILE_DIM), floor(h / TILE_DIM)], [TILE_DIM, BLOCK_ROWS]>>>(d_out, "
        "d_in, i32:w, i32:h)",
        "d_out: f32[w * h] output", "d_in: f32[w * h] input random?", "w = 1024 in line 7",
        "TILE_DIM = 32 in line 2 fixed", "h = 2048 in line 7", "BLOCK_ROWS = 8 in line 3"}},
      {"reductions in a loop",
       R"__(
__global__ void halve(const long long* in, long long* out, int n) {
  extern __shared__ long long part[];
  part[threadIdx.x] = threadIdx.x < n ? in[blockIdx.x * blockDim.x + threadIdx.x] : 0;
  __syncthreads();
  if (!threadIdx.x) out[blockIdx.x] = part[0];
}
static int cdiv(int a, int b) { return (a + b - 1) / b; }
int main() {
  int n = 1'000'000;
  const int T = 512;
  long long *a, *b;
  cudaMalloc(&a, n * sizeof(long long));
  cudaMalloc(&b, cdiv(n, T) * sizeof(long long));
  for (int left = n; left > 1; left = cdiv(left, T)) {
    halve<<<cdiv(left, T), T, T * sizeof(long long)>>>(a, b, left);
    std::swap(a, b);
  }
})__",
       {"halve<<<[ceil_div(n, T)], [T], T * 8>>>(a, b, i32:n)", "a: i64[n] input random?",
        "b: i64[ceil_div(n, T)] output", "n = 1000000 in line 10", "T = 512 in line 11"}},
      {"timed by a lambda",
       R"__(
__global__ void twice(const float4* __restrict__ x, float4* __restrict__ y, int n4) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n4) { float4 v = x[i]; v.x *= 2; reinterpret_cast<float4*>(y)[i] = v; }
}
template <class F> float timed(F&& f) { f(); return 0; }
constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }
int main() {
  constexpr int n = 1 << 22;
  float4 *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  const auto run = [&](int block) { twice<<<ceil_div(n / 4, block), block>>>(x, y, n / 4); };
  for (int block : {64, 128}) timed([&] { run(block); });
})__",
       {"twice<<<[ceil_div(floor(n / 4), block)], [block]>>>(x, y, i32:floor(n / 4))",
        "x: f32[n] input random?", "y: f32[n] output", "n = 4194304 in line 9",
        "block = 64 in line 14"}},
      {"a ladder of products",
       R"__(
#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))
template <const int BM, const int BN, const int BK, const int TM>
__global__ void sgemm1D(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
  A += blockIdx.y * BM * K;
  C += blockIdx.y * BM * N;
  for (int i = 0; i < TM; ++i) C[i * N] = alpha * A[i] * B[i] + beta * C[i * N];
}
__global__ void sgemm_naive(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
  const uint x = blockIdx.x * blockDim.x + threadIdx.x;
  C[x] = alpha * A[x] * B[x] + beta * C[x];
}
void run_naive(int M, int N, int K, float alpha, float* A, float* B, float beta, float* C) {
  dim3 gridDim(CEIL_DIV(M, 32), CEIL_DIV(N, 32));
  dim3 blockDim(32, 32);
  sgemm_naive<<<gridDim, blockDim>>>(M, N, K, alpha, A, B, beta, C);
}
void run_1d(int M, int N, int K, float alpha, float* A, float* B, float beta, float* C) {
  const uint BM = 64, BN = 64, BK = 8, TM = 8;
  dim3 gridDim(CEIL_DIV(N, BN), CEIL_DIV(M, BM));
  dim3 blockDim((BM * BN) / TM);
  sgemm1D<BM, BN, BK, TM><<<gridDim, blockDim>>>(M, N, K, alpha, A, B, beta, C);
}
void run_kernel(int which, int M, int N, int K, float alpha, float* A, float* B, float beta, float* C) {
  switch (which) {
    case 1: run_naive(M, N, K, alpha, A, B, beta, C); break;
    case 2: run_1d(M, N, K, alpha, A, B, beta, C); break;
    default: throw std::invalid_argument("Unknown kernel number");
  }
}
int main(int argc, char** argv) {
  int which = std::stoi(argv[1]);
  long m = 4096, n = m, k = m;
  float alpha = 0.5, beta = 3.0;
  float *dA, *dB, *dC;
  cudaMalloc((void**)&dA, sizeof(float) * m * k);
  cudaMalloc((void**)&dB, sizeof(float) * k * n);
  cudaMalloc((void**)&dC, sizeof(float) * m * n);
  run_kernel(which, m, n, k, alpha, dA, dB, beta, dC);
})__",
       {"sgemm_naive<<<[ceil_div(m, 32), ceil_div(m, 32)], [32, 32]>>>(i32:m, i32:m, i32:m, "
        "f32:0.5, dA, dB, f32:3, dC)",
        "*sgemm1D<64, 64, 8, 8><<<[ceil_div(m, BN), ceil_div(m, BM)], [floor(BM * BN / "
        "TM)]>>>(i32:m, i32:m, i32:m, "
        "f32:0.5, dA, dB, f32:3, dC)",
        "dA: f32[m * m] input random?", "dB: f32[m * m] input random?",
        "dC: f32[m * m] state zero?", "m = 4096 in line 33", "BN = 64 in line 19 fixed",
        "BM = 64 in line 19 fixed", "TM = 8 in line 19 fixed"}},
      {"a structure by value",
       R"__(
struct Params { const float* x; float* y; int n; float scale; };
__global__ void apply(Params p) { int i = threadIdx.x; if (i < p.n) p.y[i] = p.scale * p.x[i]; }
struct Particle { float x, y, z, mass; };
__global__ void move(Particle* all, float dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) all[i].x += dt * all[i].mass;
}
int main() {
  const int n = 100;
  Params p;
  p.n = n;
  apply<<<1, 128>>>(p);
  Particle* all;
  cudaMalloc(&all, n * sizeof(Particle));
  move<<<(n + 127) / 128, 128>>>(all, 0.01f, n);
})__",
       {"apply<<<[1], [128]>>>({p_x, p_y, i32:n, f32:1?})",
        "move<<<[ceil_div(n, 128)], [128]>>>(all, f32:0.01, i32:n)", "p_x: f32[128]? input random?",
        "p_y: f32[128]? state zero?", "all: f32[n * 4] state zero?", "n = 100 in line 10"}},
      {"pictures by rows",
       R"__(
#include <memory>
typedef unsigned char uchar;
enum { kWidth = 64, kHeight = 32, kChannels = 3 };
__global__ void gray(const uchar* rgb, uchar* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  out[y * width + x] = (rgb[3 * (y * width + x)] + rgb[3 * (y * width + x) + 1]) / 2;
}
int main() {
  auto host = std::make_unique<uchar[]>(kWidth * kHeight * kChannels);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) host[y * kWidth + x] = 7;
  uchar *rgb = nullptr, *out = nullptr;
  if (cudaMalloc(&rgb, kWidth * kHeight * kChannels) != cudaSuccess) return 1;
  if (cudaMalloc(&out, kWidth * kHeight) != cudaSuccess) return 1;
  cudaMemcpy(rgb, host.get(), kWidth * kHeight * kChannels, cudaMemcpyHostToDevice);
  const dim3 block = {32, 8};
  const dim3 grid = {std::max(1u, (unsigned)ceil((float)kWidth / 32)), (kHeight + block.y - 1) / block.y};
  gray<<<grid, block>>>(rgb, out, kWidth, kHeight);
})__",
       {"gray<<<[max(1, ceil_div(kWidth, 32)), ceil_div(kHeight, block_y)], [32, block_y]>>>(rgb, "
        "out, i32:kWidth, i32:kHeight)",
        "rgb: u8[kWidth * kHeight * kChannels] input = 7", "out: u8[kWidth * kHeight] output",
        "kWidth = 64 in line 4", "kHeight = 32 in line 4", "block_y = 8 in line 18",
        "kChannels = 3 in line 4"}},
      {"a library without main",
       R"__(
#include <torch/extension.h>
template <typename scalar_t>
__global__ void relu_kernel(const scalar_t* __restrict__ in, scalar_t* __restrict__ out, int64_t n) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] > 0 ? in[i] : 0;
}
torch::Tensor relu(torch::Tensor in) {
  auto out = torch::empty_like(in);
  const auto n = in.numel();
  const int threads = 1024;
  const dim3 blocks((n + threads - 1) / threads);
  relu_kernel<float><<<blocks, threads>>>(in.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
})__",
       {"relu_kernel<float><<<[ceil_div(in_numel, threads)], [threads]>>>(in, out, i64:in_numel)",
        "in: f32[ceil_div(in_numel, threads) * threads]? input random?",
        "out: f32[ceil_div(in_numel, threads) * threads]? output", "in_numel = 64 in line 10 asked",
        "threads = 1024 in line 11"}},
      {"aliases and device functions",
       R"__(
__device__ void put(float* to, float value) { *to = value; }
__device__ __forceinline__ float take(const float* from, int i) { return __ldg(from + i); }
__device__ int counter;
#define FLOAT4(value) (reinterpret_cast<float4*>(&(value))[0])
__global__ void mixed(float* a, float* b, float* c, float* d, int* e, float* f) {
  float* row = a + threadIdx.x;
  put(row + 1, take(b, threadIdx.x));
  FLOAT4(c[4 * threadIdx.x]) = FLOAT4(d[4 * threadIdx.x]);
  int old = atomicCAS(&e[0], 0, 1);
  float* end = &f[3];
  while (f != end) *f++ = old;
  auto q = (float2*)d;
  q[1].x += 1;
}
int main() {
  float* all[6];
  float *a, *b, *c, *d, *f;
  int* e;
  cudaMalloc(&a, 64); cudaMalloc(&b, 64); cudaMalloc(&c, 64); cudaMalloc(&d, 64); cudaMalloc(&e, 64); cudaMalloc(&f, 64);
  mixed<<<1, 4>>>(a, b, c, d, e, f);
})__",
       {"mixed<<<[1], [4]>>>(a, b, c, d, e, f)", "a: f32[16] output", "b: f32[16] input random?",
        "c: f32[16] output", "d: f32[16] state zero?", "e: i32[16] state zero?",
        "f: f32[16] output"}},
      {"an early return",
       R"__(
#include <vector>
__global__ void plus(int* data, int value) { data[threadIdx.x] += value; }
std::vector<int> SIZE = {128, 256, 512};
int main() {
  int devices = 0, value = 3, wanted = 0;
  cudaGetDeviceCount(&devices);
  if (devices == 0) return 1;
  settle(&wanted);
  if (wanted == 0) { printf("nothing is wanted"); return 0; }
  for (int size : SIZE) {
    int* data = nullptr;
    cudaMalloc(&data, size * sizeof(int));
    if (size > 1000) return 2;
    if (size >= 64) plus<<<size / 32, 32>>>(data, value);
  }
  if (value == 3) return 0;
  int* other;
  cudaMalloc(&other, 64);
  plus<<<1, 16>>>(other, 4);
})__",
       {"plus<<<[floor(size / 32)], [32]>>>(data, i32:value)", "*plus<<<[1], [16]>>>(other, i32:4)",
        "data: i32[size] state zero?", "other: i32[16] state zero?", "size = 128 in line 11",
        "value = 3 in line 6"}},
      {"a template that nothing calls",
       R"__(
template <class T, int B> __global__ void sums(const T* in, T* out, unsigned n) { out[blockIdx.x] = in[n + B]; }
template <class T> void reduce(unsigned size, int threads, int blocks, T* in, T* out) {
  const int bytes = threads <= 32 ? 2 * threads * sizeof(T) : threads * sizeof(T);
  switch (threads) {
    case 512: sums<T, 512><<<blocks, threads, bytes>>>(in, out, size); break;
    case 256: sums<T, 256><<<blocks, threads, bytes>>>(in, out, size); break;
  }
}
template void reduce<float>(unsigned size, int threads, int blocks, float* in, float* out);)__",
       {"sums<float, 256><<<[blocks], [threads], threads <= 32 ? 2 * threads * 4 : threads * "
        "4>>>(in, out, u32:size)",
        "*sums<float, 512><<<[blocks], [threads], threads <= 32 ? 2 * threads * 4 : threads * "
        "4>>>(in, out, u32:size)",
        "in: f32[blocks * threads]? input random?", "out: f32[blocks * threads]? output",
        "blocks = 256 in line 3 asked", "threads = 256 in line 3 fixed asked",
        "size = 1024 in line 3 asked"}},
      {"other branches of #if",
       R"__(
#define USE_DOUBLE 1
#if USE_DOUBLE
typedef double real;
#else
typedef float real;
#endif
#ifndef BLOCK
#define BLOCK 96
#endif
extern "C" {
__global__ void axpy(real* y, const real* x, real a, int n) { int i = blockIdx.x * BLOCK + threadIdx.x; if (i < n) y[i] += a * x[i]; }
}
#ifdef NOT_DEFINED
int main() { axpy<<<1, 1>>>(nullptr, nullptr, 0, 0); }
#else
int main() {
  enum { n = 960 };
  real *x = NULL, *y = NULL;
  cudaMallocAsync(&x, n * sizeof(real), 0);
  cudaMallocAsync(&y, n * sizeof(real), 0);
  axpy<<<n / BLOCK, BLOCK>>>(y, x, 1.5, n);
}
#endif
)__",
       {"axpy<<<[floor(n / BLOCK)], [BLOCK]>>>(y, x, f64:1.5, i32:n)", "y: f64[n] state zero?",
        "x: f64[n] input random?", "n = 960 in line 18", "BLOCK = 96 in line 9 fixed"}}};
  return kCases;
}

TEST(KernelTexts, SayWhichParametersAreTargetsOfAtomics) {
  const HostProgram program = read_program(
      "__global__ void k(int* a, int* b, const int* c) { atomicAdd(a + 1, *c); b[0] += c[1]; }");
  const std::vector<KernelParameter>& parameters = program.kernels.at(0).parameters;
  EXPECT_TRUE(parameters[0].atomic);
  EXPECT_FALSE(parameters[1].atomic);
  EXPECT_TRUE(parameters[1].read && parameters[1].written);
  EXPECT_TRUE(parameters[2].read);
  EXPECT_FALSE(parameters[2].written);
}

class LargerPrograms : public testing::TestWithParam<ProgramCase> {};

TEST_P(LargerPrograms, AreReadAsTheyLaunch) {
  const HostProgram program = read_program(GetParam().text);
  EXPECT_THAT(shown(program), testing::ElementsAreArray(GetParam().lines)) << GetParam().name;
}

INSTANTIATE_TEST_SUITE_P(All, LargerPrograms, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<ProgramCase>& info) {
                           std::string name;
                           for (const char* c = info.param.name; *c != '\0'; ++c)
                             name += std::isalnum(static_cast<unsigned char>(*c)) != 0 ? *c : '_';
                           return name;
                         });

}  // namespace
}  // namespace warpscope
