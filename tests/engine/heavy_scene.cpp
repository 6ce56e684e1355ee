// tests/engine/heavy_scene.cpp: a scene whose kernels ask for more than a multiprocessor has, and
// one that sums in two orders.
#include "tests/engine/heavy_scene.h"

#include <cmath>

#include "tests/engine/step_scene_parts.h"

namespace warpscope {
namespace {

constexpr const char* kPath = "tests/heavy.cu";
constexpr const char* kKernels = R"(// heavy.cu: sums of numbers that wait in registers together.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#ifndef LIVE
#define LIVE 1
#endif
#ifndef OUT
#define OUT float
#endif
#ifdef BOUND
#define BOUNDS __launch_bounds__(BOUND)
#else
#define BOUNDS
#endif
extern "C" __global__ void BOUNDS heavy(const float* x, OUT* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v[LIVE];
#pragma unroll
  // No load moves past the fence: all of them are live there.
  for (int j = 0; j < LIVE; ++j) v[j] = static_cast<const volatile float*>(x)[(i + 7 * j) % n];
  __threadfence();
  float sum = 0.0f;
#pragma unroll
  for (int j = 0; j < LIVE; ++j) {
#ifdef FORWARD
    sum += v[j];
#else
    sum += v[LIVE - 1 - j];
#endif
  }
  y[i] = static_cast<OUT>(sum);
}
extern "C" __global__ void staged(const float* x, OUT* y, int n) {
  extern __shared__ float stage[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  stage[threadIdx.x] = i < n ? x[i] : 0.0f;
  if (i < n) y[i] = static_cast<OUT>(stage[threadIdx.x]);
}
extern "C" __global__ void heavy_reference(const float* x, double* y, double* by, int live, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum = 0, magnitude = 0;
  for (int j = 0; j < live; ++j) {
    sum += x[(i + 7 * j) % n];
    magnitude += fabs(x[(i + 7 * j) % n]);
  }
  y[i] = sum;
  by[i] = magnitude;
}
)";

// How many numbers each variant sums, and with which constants it is compiled.
struct Row {
  const char* name;
  std::int32_t live;
  std::vector<std::pair<std::string, std::string>> defines;
};
const std::vector<Row> kRows = {{"one", 1, {}},
                                {"wide", 240, {}},
                                {"bounded", 240, {{"BOUND", "512"}}},
                                {"declared", 1, {{"BOUND", "256"}}},
                                {"shared", 1, {}},
                                {"forward", 32, {{"FORWARD", "1"}}},
                                {"backward", 32, {}}};

std::string reference_name(std::int32_t live) { return "sum of " + std::to_string(live); }

Reference sum_of(std::int32_t live) {
  Reference reference;
  reference.name = reference_name(live);
  reference.steps = [live](const Workload& w) -> std::vector<Step> {
    const std::int64_t n = w.integer("n");
    return {{"zero", Phase::run, Memset{"y.accumulation", 0}},
            {"reference", Phase::run,
             KernelLaunch{kPath,
                          "heavy_reference",
                          {},
                          over(n),
                          {BufferArgument{"x"}, BufferArgument{"y.reference"},
                           BufferArgument{"y.magnitude"}, live, narrow(n)}}}};
  };
  reference.host = [live](const Workload& w, const Inputs& inputs, const std::string&,
                          std::span<const std::int64_t> elements,
                          std::span<ReferenceValue> values) {
    const auto x = inputs.at("x").as<float>();
    const std::int64_t n = w.integer("n");
    for (std::size_t e = 0; e < elements.size(); ++e) {
      ReferenceValue sum;
      for (std::int64_t j = 0; j < live; ++j) {
        const double value = x[static_cast<std::size_t>((elements[e] + 7 * j) % n)];
        sum.value += value;
        sum.magnitude += std::abs(value);
      }
      values[e] = sum;
    }
  };
  return reference;
}

Variant variant_of(const Row& row, ElementType output) {
  Variant v = held_to_double(row.name);
  v.reference = reference_name(row.live);
  const char* const type = output == ElementType::f16    ? "__half"
                           : output == ElementType::bf16 ? "__nv_bfloat16"
                           : output == ElementType::f64  ? "double"
                                                         : "float";
  v.steps = [row, type](const Workload& w) -> std::vector<Step> {
    const std::int64_t n = w.integer("n"), block = w.integer("block_size");
    const bool staged = std::string(row.name) == "shared";
    KernelLaunch kernel{kPath,
                        staged ? "staged" : "heavy",
                        row.defines,
                        {{(n + block - 1) / block, 1, 1}, {block, 1, 1}, staged ? 512 * block : 0}};
    kernel.defines.emplace_back("LIVE", std::to_string(row.live));
    kernel.defines.emplace_back("OUT", type);
    kernel.arguments = {BufferArgument{"x"}, BufferArgument{"y"}, narrow(n)};
    return {{"sum", Phase::run, kernel}};
  };
  return v;
}

}  // namespace

Scene heavy_scene(ElementType output) {
  Scene scene = scene_of("heavy", 2048);
  Axis block = number_axis("block_size", "threads per block", "threads",
                           "How many threads a block has.", AxisKind::integer, AxisScale::log,
                           Binding::launch_shape, 64, 512, std::int64_t{512});
  block.stops = {64, 128, 256, 512};
  scene.axes.push_back(block);
  InputGroup numbers;
  numbers.name = "numbers";
  numbers.axes = {"n"};
  numbers.arrays = {"x"};
  numbers.generate = [](const Configuration& axes, Inputs& inputs, Facts& facts) -> Result<void> {
    HostArray x(ElementType::f32, axes.integer("n"));
    std::uint32_t state = 1;
    for (float& value : x.as<float>()) {
      state = state * 1664525u + 1013904223u;
      value = static_cast<float>(state >> 8) / static_cast<float>(1 << 23) - 1.0f;
    }
    inputs["x"] = std::move(x);
    facts["n"] = static_cast<double>(axes.integer("n"));
    return {};
  };
  scene.input_groups = {numbers};
  scene.buffers = [output](const Workload& w) -> std::vector<BufferSpec> {
    const std::int64_t n = w.integer("n");
    return {{"x", ElementType::f32, n, BufferRole::input, {n}, "x[n]"},
            {"y", output, n, BufferRole::output, {n}, "y[n]"}};
  };
  for (const Row& row : kRows) {
    if (find_reference(scene, reference_name(row.live)) == nullptr)
      scene.references.push_back(sum_of(row.live));
    scene.variants.push_back(variant_of(row, output));
  }
  scene.baseline = "one";
  return scene;
}

Scene heavy_scene() { return heavy_scene(ElementType::f32); }

KernelSource heavy_kernels() { return kernel_source(kPath, kKernels); }

}  // namespace warpscope
