// kernels/roofs/stream.cu: device memory read, written, copied, scaled, added, 16 bytes per lane.
//
//   IN_FLIGHT  elements of 16 bytes that a lane has on their way at once
//   STREAMING  1: loads and stores say that nothing is read again (evict first)
//
// A block works on one contiguous piece of blockDim.x · IN_FLIGHT elements. What reads keeps its
// loads alive by a sum that is stored under a condition the compiler cannot decide; each kernel is
// checked against the counters of device memory when it is measured.

__device__ __forceinline__ float4 load(const float4* from) {
#if STREAMING
  return __ldcs(from);
#else
  return *from;
#endif
}

__device__ __forceinline__ void store(float4* to, const float4& value) {
#if STREAMING
  __stcs(to, value);
#else
  *to = value;
#endif
}

__device__ __forceinline__ long long first_element() {
  return static_cast<long long>(blockIdx.x) * blockDim.x * IN_FLIGHT + threadIdx.x;
}

extern "C" __global__ void roof_read(const float4* __restrict__ from,  // [count]
                                     float* sink, long long count) {
  const long long first = first_element();
  float4 value[IN_FLIGHT];
#pragma unroll
  for (int u = 0; u < IN_FLIGHT; ++u) {
    const long long i = first + u * blockDim.x;
    value[u] = i < count ? load(from + i) : make_float4(0, 0, 0, 0);
  }
  float sum = 0.0f;
#pragma unroll
  for (int u = 0; u < IN_FLIGHT; ++u) sum += value[u].x + value[u].y + value[u].z + value[u].w;
  if (sum == 1.5e30f) *sink = sum;
}

// Pseudo-random words: what is written all alike costs less power than data does.
extern "C" __global__ void roof_write(float4* __restrict__ to,  // [count]
                                      long long count) {
  const long long first = first_element();
#pragma unroll
  for (int u = 0; u < IN_FLIGHT; ++u) {
    const long long i = first + u * blockDim.x;
    const unsigned bits = (static_cast<unsigned>(i) * 0x9e3779b1u >> 9) | 0x3f800000u;
    if (i < count) {
      store(to + i,
            make_float4(__uint_as_float(bits), __uint_as_float(bits ^ 0x2a5a5au),
                        __uint_as_float(bits ^ 0x155aa5u), __uint_as_float(bits ^ 0x7fffffu)));
    }
  }
}

extern "C" __global__ void roof_copy(const float4* __restrict__ from,  // [count]
                                     float4* __restrict__ to,          // [count]
                                     long long count) {
  const long long first = first_element();
  float4 value[IN_FLIGHT];
#pragma unroll
  for (int u = 0; u < IN_FLIGHT; ++u) {
    const long long i = first + u * blockDim.x;
    if (i < count) value[u] = load(from + i);
  }
#pragma unroll
  for (int u = 0; u < IN_FLIGHT; ++u) {
    const long long i = first + u * blockDim.x;
    if (i < count) store(to + i, value[u]);
  }
}

extern "C" __global__ void roof_scale(const float4* __restrict__ from,  // [count]
                                      float4* __restrict__ to,          // [count]
                                      float factor, long long count) {
  const long long first = first_element();
  float4 value[IN_FLIGHT];
#pragma unroll
  for (int u = 0; u < IN_FLIGHT; ++u) {
    const long long i = first + u * blockDim.x;
    if (i < count) value[u] = load(from + i);
  }
#pragma unroll
  for (int u = 0; u < IN_FLIGHT; ++u) {
    const long long i = first + u * blockDim.x;
    const float4 v = value[u];
    if (i < count)
      store(to + i, make_float4(factor * v.x, factor * v.y, factor * v.z, factor * v.w));
  }
}

extern "C" __global__ void roof_triad(const float4* __restrict__ a,  // [count]
                                      const float4* __restrict__ b,  // [count]
                                      float4* __restrict__ to,       // [count]
                                      float factor, long long count) {
  const long long first = first_element();
  float4 left[IN_FLIGHT], right[IN_FLIGHT];
#pragma unroll
  for (int u = 0; u < IN_FLIGHT; ++u) {
    const long long i = first + u * blockDim.x;
    if (i < count) left[u] = load(a + i), right[u] = load(b + i);
  }
#pragma unroll
  for (int u = 0; u < IN_FLIGHT; ++u) {
    const long long i = first + u * blockDim.x;
    const float4 l = left[u], r = right[u];
    if (i < count) {
      store(to + i, make_float4(fmaf(factor, r.x, l.x), fmaf(factor, r.y, l.y),
                                fmaf(factor, r.z, l.z), fmaf(factor, r.w, l.w)));
    }
  }
}
