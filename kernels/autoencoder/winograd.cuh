// kernels/autoencoder/winograd.cuh: how windows, outputs and gradients of Winograd's F(2×2, 3×3)
// and F(4×4, 3×3) become numbers and come back, along one side.
//
// A window has OUTPUTS + 2 pixels d a side, a filter 3 weights g, and y are OUTPUTS outputs:
//
//   y = Aᵀ (G g · Bᵀ d), and for gradients of weights dg = Gᵀ (A dy · Bᵀ d)
//
// with a product number by number in brackets; G is in packed_weights.cuh. In two dimensions rows
// come first and columns then, or the other way round. After a nearest upsampling the pixels of a
// window come in pairs, and its third number is a difference of equals: it is left out, as is the
// third of sums whose outputs are added up in pairs, where it has either sign.
// source: Lavin and Gray, Fast Algorithms for Convolutional Neural Networks, section 4.
//
//   SIDE       of the map whose pixels a 3×3 filter lies on; after an upsampling the large one
//   OUTPUTS    2 or 4
//   UPSAMPLED  1: of a layer after an upsampling; then SIDE is even
#pragma once

constexpr int kAll = OUTPUTS + 2;                        // pixels, and numbers, of a side
constexpr int kLeftOut = 2;                              // after an upsampling
constexpr int kOfSide = UPSAMPLED ? kAll - 1 : kAll;     // numbers that are kept
constexpr int kNumbers = kOfSide * kOfSide;              // of a window
constexpr int kAcross = (SIDE + OUTPUTS - 1) / OUTPUTS;  // windows of a row
constexpr int kWindows = kAcross * kAcross;              // of an image

static_assert(OUTPUTS == 2 || OUTPUTS == 4, "windows of 4×4 or 6×6");

// Whether a number is kept, and its place then.
__device__ constexpr bool is_kept(int number) { return !UPSAMPLED || number != kLeftOut; }
__device__ constexpr int kept(int number) {
  return UPSAMPLED && number > kLeftOut ? number - 1 : number;
}

// Bᵀ d.
__device__ __forceinline__ void numbers_of_window(float (&numbers)[kOfSide],
                                                  const float (&d)[kAll]) {
  float all[kAll];
  if constexpr (OUTPUTS == 2) {
    all[0] = d[0] - d[2], all[1] = d[1] + d[2], all[2] = d[2] - d[1], all[3] = d[1] - d[3];
  } else {
    const float even = d[4] - 4 * d[2], odd = d[3] - 4 * d[1];
    const float far = d[4] - d[2], near = 2 * (d[3] - d[1]);
    all[0] = 4 * d[0] - 5 * d[2] + d[4], all[1] = even + odd, all[2] = even - odd;
    all[3] = far + near, all[4] = far - near, all[5] = 4 * d[1] - 5 * d[3] + d[5];
  }
#pragma unroll
  for (int i = 0; i < kAll; ++i) {
    if (is_kept(i)) numbers[kept(i)] = all[i];
  }
}

// Aᵀ m.
__device__ __forceinline__ void outputs_of_numbers(float (&y)[OUTPUTS],
                                                   const float (&numbers)[kOfSide]) {
  float m[kAll];
#pragma unroll
  for (int i = 0; i < kAll; ++i) m[i] = is_kept(i) ? numbers[kept(i)] : 0.0f;
  const float sum = m[1] + m[2], difference = m[1] - m[2];
  if constexpr (OUTPUTS == 2) {
    y[0] = m[0] + sum, y[1] = difference - m[3];
  } else {
    const float far_sum = m[3] + m[4], far_difference = m[3] - m[4];
    y[0] = m[0] + sum + far_sum, y[1] = difference + 2 * far_difference;
    y[2] = sum + 4 * far_sum, y[3] = difference + 8 * far_difference + m[5];
  }
}

// A dy.
__device__ __forceinline__ void numbers_of_gradients(float (&numbers)[kOfSide],
                                                     const float (&dy)[OUTPUTS]) {
  float all[kAll];
  if constexpr (OUTPUTS == 2) {
    all[0] = dy[0], all[1] = dy[0] + dy[1], all[2] = dy[0] - dy[1], all[3] = -dy[1];
  } else {
    const float even = dy[0] + dy[2], odd = dy[1] + dy[3];
    const float far_even = dy[0] + 4 * dy[2], far_odd = 2 * dy[1] + 8 * dy[3];
    all[0] = dy[0], all[1] = even + odd, all[2] = even - odd;
    all[3] = far_even + far_odd, all[4] = far_even - far_odd, all[5] = dy[3];
  }
#pragma unroll
  for (int i = 0; i < kAll; ++i) {
    if (is_kept(i)) numbers[kept(i)] = all[i];
  }
}

// Gᵀ s, of one of three taps.
__device__ inline float of_tap(int tap, const float (&numbers)[kOfSide]) {
  float s[kAll];
#pragma unroll
  for (int i = 0; i < kAll; ++i) s[i] = is_kept(i) ? numbers[kept(i)] : 0.0f;
  const float near = tap == 1 ? s[1] - s[2] : s[1] + s[2];
  if constexpr (OUTPUTS == 2) {
    const float halves = 0.5f * near;
    return tap == 0 ? s[0] + halves : tap == 1 ? halves : halves + s[3];
  } else {
    const float sixths = near * (-1 / 6.0f), far = tap == 1 ? s[3] - s[4] : s[3] + s[4];
    return tap == 0   ? 0.25f * s[0] + sixths + far * (1 / 24.0f)
           : tap == 1 ? sixths + far * (1 / 12.0f)
                      : sixths + far * (1 / 6.0f) + s[5];
  }
}

// `Count` neighbours of a row that begins at as many numbers' boundary.
template <int Count>
__device__ __forceinline__ void load_neighbours(float (&to)[Count], const float* from) {
  if constexpr (Count == 4) {
    const float4 all = *reinterpret_cast<const float4*>(from);
    to[0] = all.x, to[1] = all.y, to[2] = all.z, to[3] = all.w;
  } else if constexpr (Count == 2) {
    const float2 all = *reinterpret_cast<const float2*>(from);
    to[0] = all.x, to[1] = all.y;
  } else {
    static_assert(Count == 1, "one, two or four");
    to[0] = *from;
  }
}
template <int Count>
__device__ __forceinline__ void store_neighbours(float* to, const float (&from)[Count]) {
  if constexpr (Count == 4) {
    *reinterpret_cast<float4*>(to) = make_float4(from[0], from[1], from[2], from[3]);
  } else if constexpr (Count == 2) {
    *reinterpret_cast<float2*>(to) = make_float2(from[0], from[1]);
  } else {
    static_assert(Count == 1, "one, two or four");
    *to = from[0];
  }
}
