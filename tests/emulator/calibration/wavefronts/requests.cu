// tests/emulator/calibration/wavefronts/requests.cu: random requests to shared memory, one per
// launch, for a count of their wavefronts.
//
// A program of its own, for a machine with a GPU and Nsight Compute (h200.txt came so):
//
//   nvcc -arch=sm_90 requests.cu -o requests
//   ncu --metrics l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,
//       l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum --csv ./requests 600 2 requests.txt
//
// Usage: requests COUNT SEED FILE. A line of FILE for every launch, in order: bytes per lane, 1 for
// a store, the mask of active lanes in hexadecimal, and the element that each of 32 lanes accesses.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

struct Request {
  int element[32];
  unsigned active;
};

__device__ unsigned address_of(const Request& request, const void* shared, unsigned width) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared)) +
         request.element[threadIdx.x] * width;
}

__global__ void load_16(Request request, uint4* out) {
  __shared__ uint4 shared[1024];
  const unsigned at = address_of(request, shared, 16);
  uint4 v;
  if ((request.active >> threadIdx.x & 1) == 0) return;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"(at));
  out[threadIdx.x] = v;
}

__global__ void load_8(Request request, uint2* out) {
  __shared__ uint2 shared[1024];
  const unsigned at = address_of(request, shared, 8);
  uint2 v;
  if ((request.active >> threadIdx.x & 1) == 0) return;
  asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "r"(at));
  out[threadIdx.x] = v;
}

__global__ void store_16(Request request) {
  __shared__ uint4 shared[1024];
  const unsigned at = address_of(request, shared, 16);
  if ((request.active >> threadIdx.x & 1) == 0) return;
  asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(at), "r"(threadIdx.x) : "memory");
}

__global__ void store_8(Request request) {
  __shared__ uint2 shared[1024];
  const unsigned at = address_of(request, shared, 8);
  if ((request.active >> threadIdx.x & 1) == 0) return;
  asm volatile("st.shared.v2.u32 [%0], {%1, %1};" ::"r"(at), "r"(threadIdx.x) : "memory");
}

unsigned random_mask(std::mt19937& random) {
  const auto below = [&](unsigned n) { return random() % n; };
  unsigned mask = 0;
  switch (below(8)) {
    case 0:
      return ~0U;
    case 1:
      return random();
    case 2:
      return random() & random();
    case 3:
      return random() & random() & random();
    case 4:  // whole quarters of the warp
      for (int q = 0; q < 4; ++q) mask |= below(2) != 0 ? 0xffU << 8 * q : 0;
      return mask;
    case 5: {  // every second, fourth or eighth lane …
      const unsigned step = 2U << below(3);
      for (unsigned lane = below(step); lane < 32; lane += step) mask |= 1U << lane;
      return mask;
    }
    case 6:  // the first lanes of each quarter
      for (int q = 0; q < 4; ++q) mask |= (random() & ((1U << (1 + below(8))) - 1)) << 8 * q;
      return mask;
    default:
      for (int q = 0; q < 4; ++q) mask |= below(4) != 0 ? (random() & 0xffU) << 8 * q : 0;
      return mask;
  }
}

// `in_one_row`: elements that fill the 32 banks once.
void random_elements(std::mt19937& random, unsigned in_one_row, int (&element)[32]) {
  const auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
  const int kind = below(10), step = 1 << below(5), first = below(64);
  for (int lane = 0; lane < 32; ++lane) {
    switch (kind) {
      case 0:
        element[lane] = lane;
        break;
      case 1:
        element[lane] = lane % static_cast<int>(in_one_row);
        break;
      case 2:  // lanes `step` apart share one
        element[lane] = lane / (2 * step) * step + lane % step;
        break;
      case 3:  // `step` neighbours share one
        element[lane] = lane / step;
        break;
      case 4:
        element[lane] = first;
        break;
      case 5:
        element[lane] = below(in_one_row);
        break;
      case 6:
        element[lane] = below(4);
        break;
      case 7:
        element[lane] = below(128);
        break;
      case 8:  // pairs, some of them broken
        element[lane] = below(12) == 0 ? below(in_one_row) : lane & ~(1 + step % 2);
        break;
      default:  // each quarter in its own way
        element[lane] = (first + (lane / 8 % 2 != 0 ? lane % 8 : lane % 8 / 2)) % 32;
        break;
    }
  }
}

int main(int count, char** arguments) {
  if (count != 4) return 2;
  std::mt19937 random(std::atoi(arguments[2]));
  std::FILE* file = std::fopen(arguments[3], "w");
  void* out = nullptr;
  if (file == nullptr || cudaMalloc(&out, 4096) != cudaSuccess) return 3;
  for (int i = 0; i < std::atoi(arguments[1]); ++i) {
    const bool wide = random() % 3 != 0, store = random() % 4 == 0;
    Request request{};
    request.active = random_mask(random);
    if (request.active == 0) request.active = 1U << random() % 32;
    random_elements(random, wide ? 8 : 16, request.element);
    std::fprintf(file, "%d %d %08x", wide ? 16 : 8, store ? 1 : 0, request.active);
    for (const int element : request.element) std::fprintf(file, " %d", element);
    std::fprintf(file, "\n");
    if (wide && store) store_16<<<1, 32>>>(request);
    if (wide && !store) load_16<<<1, 32>>>(request, static_cast<uint4*>(out));
    if (!wide && store) store_8<<<1, 32>>>(request);
    if (!wide && !store) load_8<<<1, 32>>>(request, static_cast<uint2*>(out));
  }
  std::fclose(file);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
