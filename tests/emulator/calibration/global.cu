// tests/emulator/calibration/global.cu: access patterns whose sectors and requests an H200 counted.
//
// Every kernel does one thing, so that a wrong count names its rule: 4 blocks of 256 threads, x and
// y of 2^18 floats, index of n = 1024 integers, hashed (calibration.cpp).

#define KERNEL(name)                                                                  \
  extern "C" __global__ void name(const float* __restrict__ x, float* __restrict__ y, \
                                  const int* __restrict__ index, int n)

__device__ int element() { return blockIdx.x * blockDim.x + threadIdx.x; }

KERNEL(contiguous) {
  const int i = element();
  y[i] = x[i];
}

KERNEL(load_stride_2) {
  const int i = element();
  y[i] = x[2 * i];
}

KERNEL(load_stride_4) {
  const int i = element();
  y[i] = x[4 * i];
}

KERNEL(load_stride_8) {
  const int i = element();
  y[i] = x[8 * i];
}

KERNEL(load_stride_32) {
  const int i = element();
  y[i] = x[32 * i];
}

KERNEL(store_stride_33) {
  const int i = element();
  y[33 * i] = x[i];
}

// Each warp's 128 bytes begin 4 bytes into a sector and reach a fifth one.
KERNEL(load_misaligned) {
  const int i = element();
  y[i] = x[i + 1];
}

KERNEL(both_misaligned) {
  const int i = element();
  y[i + 3] = x[i + 5];
}

KERNEL(float2_lanes) {
  const int i = element();
  reinterpret_cast<float2*>(y)[i] = reinterpret_cast<const float2*>(x)[i];
}

KERNEL(float4_lanes) {
  const int i = element();
  reinterpret_cast<float4*>(y)[i] = reinterpret_cast<const float4*>(x)[i];
}

KERNEL(float4_load_stride_2) {
  const int i = element();
  reinterpret_cast<float4*>(y)[i] = reinterpret_cast<const float4*>(x)[2 * i];
}

struct Three {
  float first, second, third;
};

// Three scalar loads, each over all twelve sectors of the warp's structures.
KERNEL(structures_of_three) {
  const int i = element();
  const Three s = reinterpret_cast<const Three*>(x)[i];
  y[i] = s.first + s.second * s.third;
}

struct Four {
  float first, second, third, fourth;
};

KERNEL(structures_one_field) {
  const int i = element();
  y[i] = reinterpret_cast<const Four*>(x)[i].second;
}

// Nothing says that the four are aligned to 16 bytes, so they stay four loads.
KERNEL(four_adjacent_scalars) {
  const int i = element();
  const float* four = x + 4 * i;
  y[i] = four[0] + four[1] * four[2] - four[3];
}

KERNEL(gathered) {
  const int i = element();
  y[i] = x[index[i]];
}

KERNEL(one_address_a_block) { y[element()] = x[blockIdx.x]; }

KERNEL(one_address_eight_lanes) {
  const int i = element();
  y[i] = x[i / 8];
}

KERNEL(reversed) {
  const int i = element();
  y[i] = x[n - 1 - i];
}

KERNEL(byte_lanes) {
  const int i = element();
  reinterpret_cast<unsigned char*>(y)[i] = reinterpret_cast<const unsigned char*>(x)[i];
}

KERNEL(double_lanes) {
  const int i = element();
  reinterpret_cast<double*>(y)[i] = reinterpret_cast<const double*>(x)[i];
}
