// tests/engine/step_scenes.cpp: small scenes that use every kind of step, buffer and submission.
#include "tests/engine/step_scenes.h"

#include <algorithm>

#include "tests/engine/step_scene_parts.h"

namespace warpscope {
namespace {

constexpr const char* kPath = "tests/steps.cu";
constexpr const char* kKernels = R"(// steps.cu: what the scenes of these tests launch.
extern "C" __global__ void train(float* w, const float* x, float* y, float* loss, int step,
                                 int learn, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float value = w[i] * x[i], error = value - 1.0f;
  y[i] = value;
  if (i == 0) loss[step] = error * error;
  if (learn != 0) w[i] -= 0.25f * error * x[i];
}
extern "C" __global__ void shade(const float* y, float* shades, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) shades[i] = y[i] * 0.5f;
}
extern "C" __global__ void train_reference(const float* w, const float* x, double* y, double* y_by,
                                           double* w_out, double* w_by, double* loss,
                                           double* loss_by, int steps, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double weight = w[i], value = 0;
  for (int step = 0; step < steps; ++step) {
    value = weight * x[i];
    const double error = value - 1.0;
    if (i == 0) {
      loss[step] = error * error;
      loss_by[step] = 1.0;
    }
    weight -= 0.25 * error * x[i];
  }
  y[i] = value;
  y_by[i] = 1.0;
  w_out[i] = weight;
  w_by[i] = 1.0;
}
extern "C" __global__ void number(int* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = static_cast<int>(static_cast<unsigned>(i) * 2654435761u);
}
extern "C" __global__ void bump(int* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] += 1;
}
extern "C" __global__ void pieces_reference(const int* a, double* c, double* by, int from, int to,
                                            int wrong_at, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int value = i >= from && i < to ? 0 : a[i];
  c[i] = static_cast<double>(static_cast<int>(static_cast<unsigned>(value) + 1u)) +
         (i == wrong_at ? 2.0 : 0.0);
  by[i] = 1.0;
}
extern "C" __global__ void twice(const float* c, float* d, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) d[i] = 2.0f * c[i];
}
extern "C" __global__ void library_reference(const float* a, const float* b, double* d, double* by,
                                             int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size * size) return;
  double sum = 0;
  for (int k = 0; k < size; ++k)
    sum += static_cast<double>(a[i / size * size + k]) * b[k * size + i % size];
  d[i] = 2.0 * sum;
  by[i] = size;
}
#ifndef TABLE
#define TABLE 1
#endif
__constant__ float table[TABLE];
extern "C" __global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = table[i % TABLE] * x[i];
}
// Each thread takes a place in a list of n. If this runs twice in one run, places are after the end.
extern "C" __global__ void take_places(int* taken, int* list, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) list[atomicAdd(taken, 1)] = i;
}
extern "C" __global__ void scale_listed(const int* list, const float* x, float* y, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < n) y[list[at]] = table[list[at] % TABLE] * x[list[at]];
}
extern "C" __global__ void scale_reference(const float* x, const float* f, double* y, double* by,
                                           int table_size, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = static_cast<double>(f[i % table_size]) * x[i];
  by[i] = 64.0;
}
)";

constexpr std::int64_t kThreads = 64;

}  // namespace

Launch over(std::int64_t n) { return {{(n + kThreads - 1) / kThreads, 1, 1}, {kThreads, 1, 1}}; }

std::int32_t narrow(std::int64_t value) { return static_cast<std::int32_t>(value); }

Scene scene_of(std::string name, std::int64_t n) {
  Scene scene;
  scene.name = std::move(name);
  scene.title = scene.name;
  scene.axes = {number_axis("n", "elements", "elements", "How many elements there are.",
                            AxisKind::integer, AxisScale::log, Binding::argument, 1, 1 << 24, n)};
  scene.admit = [](const Configuration&) { return Result<void>{}; };
  scene.estimate_bytes = [](const Configuration& axes) { return 64 * axes.integer("n"); };
  scene.nothing_to_do = [](const Workload&) { return std::nullopt; };
  return scene;
}

Variant held_to_double(const std::string& name) {
  Variant v;
  v.name = v.label = name;
  v.family = "ours";
  v.reference = "double";
  v.tolerance.magnitude = 1e-5;
  return v;
}

std::vector<Scene> step_scenes() {
  return {training_scene(kPath), pieces_scene(kPath), library_scene(kPath), constants_scene(kPath)};
}

KernelSource step_kernels() { return kernel_source(kPath, kKernels); }

}  // namespace warpscope
