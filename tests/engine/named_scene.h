// tests/engine/named_scene.h: a scene of kernels with C++ names: namespaces, templates, overloads,
// structures by value, and variables that are set by name.
#pragma once

#include <string>

#include "scenes/folder/scene_text.h"

namespace warpscope {

// y = a x + table[0] in several ways; the reference computes it in double precision.
inline constexpr const char* kNamedKernels = R"cuda(
namespace net {
__constant__ float table[4];
__device__ float shift;
template <typename T>
struct View {
  const T* at;
  int n;
  T factor;
};
template <typename T, int B>
__global__ void axpy(View<T> x, T* y) {
  const int i = blockIdx.x * B + threadIdx.x;
  if (i < x.n) y[i] = x.factor * x.at[i] + table[0];
}
}  // namespace net
template <typename T>
__global__ void plain(const T* x, T* y, T a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + net::table[0];
}
__global__ void overloaded(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 3 * x[i] + net::shift;
}
__global__ void exact(const float* x, double* reference, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) reference[i] = 3.0 * x[i] + 0.25;
}
)cuda";
// Host code, so that nvcc compiles it; it uses one of the instances itself.
inline constexpr const char* kNamedHost = R"cuda(
#include <cstdio>
int main() {
  plain<float><<<1, 1>>>(nullptr, nullptr, 1.f, 0);
  std::printf("%d\n", static_cast<int>(cudaDeviceSynchronize()));
}
)cuda";

inline constexpr const char* kNamedDescription = R"toml(
axes.n = { range = [1, 65536], default = 1000 }
[buffers]
x = { type = "f32", count = "n" }
c = { type = "f32", count = "4", element = "0.25" }
y = { type = "f32", count = "n", role = "output" }
[variants.by_structure]
entry = "net::axpy<float, 128>"
grid = "ceil_div(n, 128)"
block = 128
arguments = ["struct:{x,i32:n,f32:3}", "y"]
constants = { table = "c" }
[variants.by_template]
entry = "plain<float>"
grid = "ceil_div(n, 256)"
block = 256
arguments = ["x", "y", "f32:3", "i32:n"]
constants = { "net::table" = "c" }
[variants.by_name]
entry = "overloaded"
grid = "ceil_div(n, 256)"
block = 256
arguments = ["x", "y", "i32:n"]
constants = { shift = "one" }
[buffers.one]
type = "f32"
count = "1"
element = "0.25"
[reference]
entry = "exact"
grid = "ceil_div(n, 256)"
block = 256
arguments = ["x", "y.reference", "i32:n"]
[tolerance]
reference = "2^-22"
)toml";

inline SceneText named_text(const std::string& name, bool host) {
  SceneText text;
  text.name = name;
  text.file = name + "/scene.toml";
  text.description = kNamedDescription;
  text.sources = {kernel_source(name + "/" + name + ".cu",
                                std::string(kNamedKernels) + (host ? kNamedHost : ""))};
  text.hash = scene_hash(text);
  return text;
}

inline constexpr const char* kNamedVariants[] = {"by_structure", "by_template", "by_name"};

}  // namespace warpscope
