// quad.cuh: four floats side by side, the 16 bytes that one lane can load and store at once.
#pragma once

__device__ float sum_of(float4 v) { return (v.x + v.y) + (v.z + v.w); }

__device__ float squares_about(float4 v, float mean) {
  const float a = v.x - mean, b = v.y - mean, c = v.z - mean, d = v.w - mean;
  return (a * a + b * b) + (c * c + d * d);
}

__device__ float4 normalised(float4 v, float mean, float scale, float4 gamma, float4 beta) {
  return {(v.x - mean) * scale * gamma.x + beta.x, (v.y - mean) * scale * gamma.y + beta.y,
          (v.z - mean) * scale * gamma.z + beta.z, (v.w - mean) * scale * gamma.w + beta.w};
}
