// tests/scenes/program/plain_programs_test.cpp: launches, buffers and sizes of programs in common
// styles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenes/program/shown_program.h"

namespace warpscope {
namespace {

const std::vector<ProgramCase>& cases() {
  static const std::vector<ProgramCase> kCases = {
      {"checks",
       R"__(#include <cstdio>
#include <cstdlib>
#include <helper_cuda.h>
#define CHECK(call)                                                     \
  do {                                                                  \
    const cudaError_t error = call;                                     \
    if (error != cudaSuccess) {                                         \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__,                 \
              cudaGetErrorString(error));                               \
      exit(1);                                                          \
    }                                                                   \
  } while (0)

__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main() {
  const int n = 1 << 20;
  size_t bytes = n * sizeof(float);
  float *hx = (float*)malloc(bytes), *hy = (float*)malloc(bytes);
  for (int i = 0; i < n; i++) {
    hx[i] = 1.0f;
    hy[i] = rand() / (float)RAND_MAX;
  }
  float *dx, *dy;
  CHECK(cudaMalloc(&dx, bytes));
  CHECK(cudaMalloc((void**)&dy, bytes));
  CHECK(cudaMemcpy(dx, hx, bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dy, hy, bytes, cudaMemcpyHostToDevice));
  int threads = 256;
  int blocks = (n + threads - 1) / threads;
  saxpy<<<blocks, threads>>>(n, 2.0f, dx, dy);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(hy, dy, bytes, cudaMemcpyDeviceToHost));
  printf("%f\n", hy[0]);
  cudaFree(dx);
  return 0;
})__",
       {"saxpy<<<[ceil_div(n, threads)], [threads]>>>(i32:n, f32:2, dx, dy)",
        "dx: f32[n] input one", "dy: f32[n] state random", "n = 1048576 in line 20",
        "threads = 256 in line 32"}},
      {"command line",
       R"__(#include <stdlib.h>
__global__ void scale(double* v, double factor, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) v[i] *= factor;
}
int main(int argc, char** argv) {
  int count = argc > 1 ? atoi(argv[1]) : 5000;
  int block = 128;
  if (argc > 2) block = atoi(argv[2]);
  double* v;
  cudaMalloc(&v, sizeof(double) * count);
  cudaMemset(v, 0, sizeof(double) * count);
  int grid = count / block + (count % block != 0 ? 1 : 0);
  scale<<<grid, block>>>(v, 0.5, count);
  cudaDeviceSynchronize();
})__",
       {"scale<<<[floor(count / block) + (count % block != 0 ? 1 : 0)], [block]>>>(v, f64:0.5, "
        "i32:count)",
        "v: f64[count] state zero", "count = 5000 in line 7", "block = 128 in line 8"}},
      {"asked of the command line",
       R"__(
__global__ void fill(int* out, int n) { int i = threadIdx.x + blockIdx.x * 64; if (i < n) out[i] = i; }
int main(int argc, char* argv[]) {
  int n = atoi(argv[1]);
  int* out;
  cudaMalloc(&out, n * sizeof *out);
  fill<<<(n - 1) / 64 + 1, 64>>>(out, n);
})__",
       {"fill<<<[ceil_div(n, 64)], [64]>>>(out, i32:n)", "out: i32[n] output",
        "n = 1024 in line 4 asked"}},
      {"two dimensions",
       R"__(
#define TILE 16
#define W 640
#define H 480
#define DIVUP(a, b) (((a) + (b) - 1) / (b))
__global__ void blur(const unsigned char* in, unsigned char* out, int w, int h) {
  __shared__ unsigned char tile[TILE][TILE];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = x < w && y < h ? in[y * w + x] : 0;
  __syncthreads();
  if (x < w && y < h) out[y * w + x] = tile[threadIdx.y][threadIdx.x];
}
static unsigned char image[W * H];
int main() {
  for (int i = 0; i < W * H; ++i) image[i] = i % 256;
  unsigned char *din, *dout;
  cudaMalloc(&din, W * H);
  cudaMalloc(&dout, W * H);
  cudaMemcpy(din, image, sizeof(image), cudaMemcpyHostToDevice);
  dim3 block(TILE, TILE);
  dim3 grid(DIVUP(W, TILE), DIVUP(H, TILE));
  blur<<<grid, block>>>(din, dout, W, H);
  cudaMemcpy(image, dout, sizeof(image), cudaMemcpyDeviceToHost);
})__",
       {"blur<<<[ceil_div(W, TILE), ceil_div(H, TILE)], [TILE, TILE]>>>(din, dout, i32:W, i32:H)",
        "din: u8[W * H] input = i % 256", "dout: u8[W * H] output", "W = 640 in line 3",
        "TILE = 16 in line 2 fixed", "H = 480 in line 4"}},
      {"managed",
       R"__(#include <iostream>
__global__ void add(int n, float* x, float* y) {
  int stride = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) y[i] = x[i] + y[i];
}
int main(void) {
  int N = 1 << 18;
  float *x, *y;
  cudaMallocManaged(&x, N * sizeof(float));
  cudaMallocManaged(&y, N * sizeof(float));
  for (int i = 0; i < N; i++) {
    x[i] = 1.0f;
    y[i] = 2.0f;
  }
  int blockSize = 256;
  int numBlocks = (N + blockSize - 1) / blockSize;
  add<<<numBlocks, blockSize>>>(N, x, y);
  cudaDeviceSynchronize();
  std::cout << "Max error: " << y[0] << std::endl;
})__",
       {"add<<<[ceil_div(N, blockSize)], [blockSize]>>>(i32:N, x, y)", "x: f32[N] input one",
        "y: f32[N] state = 2", "N = 262144 in line 7", "blockSize = 256 in line 15"}},
      {"vectors",
       R"__(#include <vector>
#include <random>
#include <numeric>
__global__ void gather(const float* __restrict__ src, const int* __restrict__ index, float* __restrict__ dst, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = src[index[i]];
}
int main() {
  constexpr int n = 4096;
  std::vector<float> src(n);
  std::vector<int> index(n);
  std::mt19937 gen(42);
  std::uniform_real_distribution<float> dist(-1.f, 1.f);
  for (auto& v : src) v = dist(gen);
  std::iota(index.begin(), index.end(), 0);
  float *d_src, *d_dst;
  int* d_index;
  cudaMalloc(&d_src, src.size() * sizeof(float));
  cudaMalloc(&d_index, index.size() * sizeof(index[0]));
  cudaMalloc(&d_dst, n * sizeof(float));
  cudaMemcpy(d_src, src.data(), src.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_index, index.data(), sizeof(int) * n, cudaMemcpyHostToDevice);
  gather<<<n / 256, 256>>>(d_src, d_index, d_dst, n);
  std::vector<float> dst(n);
  cudaMemcpy(dst.data(), d_dst, n * sizeof(float), cudaMemcpyDeviceToHost);
})__",
       {"gather<<<[floor(n / 256)], [256]>>>(d_src, d_index, d_dst, i32:n)",
        "d_src: f32[n] input random", "d_index: i32[n] input iota", "d_dst: f32[n] output",
        "n = 4096 in line 9"}},
      {"streams",
       R"__(
__global__ void step(float* a, int offset) {
  int i = offset + threadIdx.x + blockIdx.x * blockDim.x;
  float x = (float)i;
  a[i] = a[i] + sqrtf(x);
}
int main() {
  const int blockSize = 256, nStreams = 4;
  const int n = 4 * 1024 * blockSize * nStreams;
  const int streamSize = n / nStreams;
  const int bytes = n * sizeof(float);
  float *a, *d_a;
  cudaMallocHost((void**)&a, bytes);
  cudaMalloc((void**)&d_a, bytes);
  cudaStream_t stream[nStreams];
  for (int i = 0; i < nStreams; ++i) cudaStreamCreate(&stream[i]);
  memset(a, 0, bytes);
  for (int i = 0; i < nStreams; ++i) {
    int offset = i * streamSize;
    cudaMemcpyAsync(&d_a[offset], &a[offset], streamSize * sizeof(float), cudaMemcpyHostToDevice, stream[i]);
    step<<<streamSize / blockSize, blockSize, 0, stream[i]>>>(d_a, offset);
  }
})__",
       {"step<<<[4096], [blockSize]>>>(d_a, i32:i_value * (4096 * blockSize))",
        "d_a: f32[4096 * blockSize * nStreams] state zero", "blockSize = 256 in line 8",
        "nStreams = 4 in line 8", "i_value = 0 in line 18"}},
      {"constant memory",
       R"__(
#define RADIUS 4
__constant__ float taps[2 * RADIUS + 1];
__global__ void filter(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = -RADIUS; k <= RADIUS; ++k) if (i + k >= 0 && i + k < n) sum += taps[k + RADIUS] * in[i + k];
  if (i < n) out[i] = sum;
}
int main() {
  int n = 10000;
  float host[2 * RADIUS + 1];
  for (int k = 0; k < 2 * RADIUS + 1; ++k) host[k] = 1.0f;
  cudaMemcpyToSymbol(taps, host, sizeof(host));
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0xff, n * sizeof(float));
  filter<<<(n + 127) / 128, 128>>>(in, out, n);
})__",
       {"filter<<<[ceil_div(n, 128)], [128]>>>(in, out, i32:n) taps = taps",
        "in: f32[n] input bytes 255", "out: f32[n] output", "taps: f32[2 * RADIUS + 1] input one",
        "n = 10000 in line 11", "RADIUS = 4 in line 2 fixed"}},
      {"atomics",
       R"__(#include <cstdint>
__global__ void histogram(const uint8_t* data, unsigned int* bins, size_t n) {
  __shared__ unsigned int local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&local[data[i]], 1);
  __syncthreads();
  atomicAdd(bins + threadIdx.x, local[threadIdx.x]);
}
int main() {
  const size_t n = 1000000;
  uint8_t* data;
  unsigned int* bins;
  cudaMalloc(&data, n);
  cudaMalloc(&bins, 256 * sizeof(unsigned int));
  cudaMemset(bins, 0, 256 * sizeof(unsigned int));
  histogram<<<64, 256>>>(data, bins, n);
})__",
       {"histogram<<<[64], [256]>>>(data, bins, u64:n)", "data: u8[n] input random?",
        "bins: u32[256] state zero", "n = 1000000 in line 11"}},
      {"only a kernel",
       R"__(
extern "C" __global__ void __launch_bounds__(128) rows(const float* __restrict__ x,  // [rows, columns]
                                                       float* __restrict__ y,        // [rows]
                                                       int rows, int columns) {
  const int row = blockIdx.x * 128 + threadIdx.x;
  float sum = 0;
  for (int c = 0; c < columns; ++c) sum += x[row * columns + c];
  if (row < rows) y[row] = sum;
})__",
       {"rows<<<[ceil_div(rows * columns, 128)]?, [128]?>>>(x, y, i32:rows, i32:columns)",
        "x: f32[rows * columns]? input random?", "y: f32[rows * columns]? output",
        "rows = 64 in line 0 asked", "columns = 64 in line 0 asked"}},
      {"dynamic shared memory",
       R"__(
__global__ void reverse(int* d, int n) {
  extern __shared__ int s[];
  int t = threadIdx.x;
  s[t] = d[t];
  __syncthreads();
  d[t] = s[n - t - 1];
}
__global__ void copied(float* d) { extern __shared__ float buffer[]; buffer[threadIdx.x] = d[threadIdx.x]; d[0] = buffer[0]; }
int main(void) {
  const int n = 64;
  int a[n], *d_d;
  for (int i = 0; i < n; i++) a[i] = i;
  cudaMalloc(&d_d, n * sizeof(int));
  cudaMemcpy(d_d, a, n * sizeof(int), cudaMemcpyHostToDevice);
  reverse<<<1, n, n * sizeof(int)>>>(d_d, n);
})__",
       {"reverse<<<[1], [n], n * 4>>>(d_d, i32:n)",
        "copied<<<[ceil_div(n_2, 256)]?, [256]?, 0?>>>(d)", "d_d: i32[n] state iota",
        "d: f32[n_2]? state zero?", "n = 64 in line 11", "n_2 = 4096 in line 0 asked"}},
      {"half precision",
       R"__(#include <cuda_fp16.h>
#include <mma.h>
__global__ void mixed(const __half2* a, const __nv_bfloat16* b, half* out, float alpha, bool add, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __float2half(alpha * __half2float(a[i / 2].x) + (add ? __bfloat162float(b[i]) : 0.f));
}
void run(const __half2* a, const __nv_bfloat16* b, half* out, int n, cudaStream_t stream) {
  constexpr unsigned kBlock = 32 * 8;
  mixed<<<dim3((n + kBlock - 1) / kBlock), dim3(kBlock), 0, stream>>>(a, b, out, 0.25f, true, n);
})__",
       {"mixed<<<[ceil_div(n, kBlock)], [kBlock]>>>(a, b, out, f32:0.25, u8:1, i32:n)",
        "a: f16[2 * (ceil_div(n, kBlock) * kBlock)]? input random?",
        "b: bf16[ceil_div(n, kBlock) * kBlock]? input random?",
        "out: f16[ceil_div(n, kBlock) * kBlock]? output", "n = 1024 in line 7 asked",
        "kBlock = 256 in line 8"}}};
  return kCases;
}

class PlainPrograms : public testing::TestWithParam<ProgramCase> {};

TEST_P(PlainPrograms, AreReadAsTheyLaunch) {
  const HostProgram program = read_program(GetParam().text);
  EXPECT_THAT(shown(program), testing::ElementsAreArray(GetParam().lines)) << GetParam().name;
}

INSTANTIATE_TEST_SUITE_P(All, PlainPrograms, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<ProgramCase>& info) {
                           std::string name = info.param.name;
                           for (char& c : name) c = c == ' ' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace warpscope
