// tests/engine/step_scenes.cpp: small scenes that use every kind of step, buffer and submission.
#include "tests/engine/step_scenes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

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
)";

constexpr std::int64_t kThreads = 64;

Launch over(std::int64_t n) { return {{(n + kThreads - 1) / kThreads, 1, 1}, {kThreads, 1, 1}}; }

std::int32_t narrow(std::int64_t value) { return static_cast<std::int32_t>(value); }

template <typename T>
std::span<T> as(std::span<std::byte> bytes) {
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

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

// --- training

constexpr int kTrainingSteps = 2;

void train_on_host(std::span<float> w, std::span<const float> x, std::span<float> y,
                   std::span<float> loss) {
  for (int step = 0; step < kTrainingSteps; ++step) {
    for (std::size_t i = 0; i < w.size(); ++i) {
      const float value = w[i] * x[i], error = value - 1.0f;
      y[i] = value;
      if (i == 0) loss[static_cast<std::size_t>(step)] = error * error;
      w[i] -= 0.25f * error * x[i];
    }
  }
}

std::vector<Step> training_steps(const std::string& source, std::int64_t n, bool learn) {
  std::vector<Step> steps;
  for (int s = 0; s < kTrainingSteps; ++s) {
    const KernelLaunch train{
        source,
        "train",
        {},
        over(n),
        {BufferArgument{"w"}, BufferArgument{"x"}, BufferArgument{"y"}, BufferArgument{"loss"},
         std::int32_t{s}, std::int32_t{learn}, narrow(n)}};
    Step step{"step " + std::to_string(s), Phase::run, train};
    step.tags = {{"phase", "training"}, {"step", std::to_string(s)}};
    steps.push_back(std::move(step));
  }
  Step shade{"shade", Phase::run,
             KernelLaunch{source,
                          "shade",
                          {},
                          over(n),
                          {BufferArgument{"y"}, BufferArgument{"shades"}, narrow(n)}}};
  shade.tags = {{"phase", "picture"}};
  shade.stand_ins = {{"y", "y is all ones: it changes no address", [](std::span<std::byte> bytes) {
                        for (float& value : as<float>(bytes)) value = 1.0f;
                      }}};
  steps.push_back(std::move(shade));
  return steps;
}

void training_reference(const Workload& w, const Inputs& inputs, const std::string& output,
                        std::span<const std::int64_t> elements, std::span<ReferenceValue> values) {
  const std::span<const float> weights = inputs.at("w").as<float>(), x = inputs.at("x").as<float>();
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const auto i = output == "loss" ? 0 : static_cast<std::size_t>(elements[e]);
    double weight = weights[i], value = 0, loss = 0;
    for (int step = 0; step < kTrainingSteps; ++step) {
      value = weight * x[i];
      const double error = value - 1.0;
      if (step == elements[e]) loss = error * error;
      weight -= 0.25 * error * x[i];
    }
    values[e] = {output == "y" ? value : output == "w" ? weight : loss, 0, 1};
  }
  static_cast<void>(w);
}

Scene training(const std::string& source) {
  Scene scene = scene_of("training", 100);
  InputGroup group;
  group.name = "data";
  group.axes = {"n"};
  group.arrays = {"x", "w"};
  group.generate = [](const Configuration& axes, Inputs& inputs, Facts& facts) -> Result<void> {
    const std::int64_t n = axes.integer("n");
    HostArray x(ElementType::f32, n), w(ElementType::f32, n);
    for (std::int64_t i = 0; i < n; ++i) {
      x.as<float>()[static_cast<std::size_t>(i)] = 1.0f + 0.001f * static_cast<float>(i % 500);
      w.as<float>()[static_cast<std::size_t>(i)] = 0.5f - 0.0005f * static_cast<float>(i % 300);
    }
    inputs["x"] = std::move(x);
    inputs["w"] = std::move(w);
    facts["elements"] = static_cast<double>(n);
    return {};
  };
  scene.input_groups = {group};
  scene.buffers = [](const Workload& w) -> std::vector<BufferSpec> {
    const std::int64_t n = w.integer("n");
    return {
        {"x", ElementType::f32, n, BufferRole::input, {n}, "x[i]"},
        {"w", ElementType::f32, n, BufferRole::state, {n}, "w[i]"},
        {"y", ElementType::f32, n, BufferRole::output, {n}, "y[i]"},
        {"loss", ElementType::f32, kTrainingSteps, BufferRole::output, {kTrainingSteps}, "loss"}};
  };
  Reference reference;
  reference.name = "double";
  reference.steps = [source](const Workload& w) -> std::vector<Step> {
    std::vector<Step> steps;
    // What no kernel writes below is no error scale of these.
    for (const char* output : {"y", "w", "loss"})
      steps.push_back({std::string("clear ") + output, Phase::run,
                       Memset{std::string(output) + ".accumulation", 0, {}}});
    const KernelLaunch launch{
        source,
        "train_reference",
        {},
        over(w.integer("n")),
        {BufferArgument{"w"}, BufferArgument{"x"}, BufferArgument{"y.reference"},
         BufferArgument{"y.magnitude"}, BufferArgument{"w.reference"},
         BufferArgument{"w.magnitude"}, BufferArgument{"loss.reference"},
         BufferArgument{"loss.magnitude"}, std::int32_t{kTrainingSteps}, narrow(w.integer("n"))}};
    steps.push_back({"train in double", Phase::run, launch});
    return steps;
  };
  reference.host = training_reference;
  scene.references = {reference};
  const auto variant = [&](const std::string& name, bool learn, bool graph) {
    Variant v;
    v.name = v.label = name;
    v.family = "ours";
    v.reference = "double";
    v.tolerance.magnitude = 1e-5;
    v.scratch = [](const Workload& w) -> std::vector<BufferSpec> {
      return {{"shades", ElementType::f32, w.integer("n"), BufferRole::scratch, {}, "shades"}};
    };
    v.steps = [source, learn](const Workload& w) {
      return training_steps(source, w.integer("n"), learn);
    };
    if (graph) v.submission = [](const Configuration&) { return Submission::graph; };
    return v;
  };
  Variant on_host;
  on_host.name = on_host.label = "on_host";
  on_host.family = "ours";
  on_host.own_kernels = false;
  on_host.reference = "double";
  on_host.tolerance.magnitude = 1e-5;
  on_host.steps = [](const Workload&) -> std::vector<Step> {
    HostStep host;
    host.sentence = "-O2, one thread";
    host.function.reads = {"w", "x"};
    host.function.writes = {"w", "y", "loss"};
    host.function.compute = [](HostBuffers& b) -> Result<void> {
      train_on_host(as<float>(b.at("w")), as<float>(b.at("x")), as<float>(b.at("y")),
                    as<float>(b.at("loss")));
      return {};
    };
    return {{"train", Phase::run, host}};
  };
  // The loss lies on the host, a copy brings the rest there and back.
  Variant both = variant("both", true, false);
  both.steps = [source](const Workload& w) {
    std::vector<Step> steps = training_steps(source, w.integer("n"), true);
    steps.pop_back();
    steps.push_back({"y to the host", Phase::run, HostCopy{"y", HostCopy::Direction::to_host, {}}});
    HostStep halve;
    halve.function.reads = halve.function.writes = {"y"};
    halve.function.compute = [](HostBuffers& b) -> Result<void> {
      for (float& value : as<float>(b.at("y"))) value *= 0.5f;
      return {};
    };
    steps.push_back({"halve", Phase::run, halve});
    steps.push_back({"y back", Phase::run, HostCopy{"y", HostCopy::Direction::to_device, {}}});
    const std::int64_t n = w.integer("n");
    steps.push_back(
        {"double", Phase::run,
         KernelLaunch{
             source, "twice", {}, over(n), {BufferArgument{"y"}, BufferArgument{"y"}, narrow(n)}}});
    return steps;
  };
  scene.variants = {variant("stream", true, false), variant("graph", true, true), on_host, both,
                    variant("forgets_to_learn", false, false)};
  scene.baseline = "stream";
  scene.curves = {{"loss", "training loss", "step", "1", "loss"}};
  PictureSpec picture;
  picture.name = "shades";
  picture.caption = "y as grey";
  picture.reads = {"y"};
  picture.draw = [](const Workload& w, const HostBuffers& buffers) {
    Raster raster;
    raster.width = static_cast<int>(w.integer("n"));
    raster.height = 1;
    const std::span<std::byte> bytes = buffers.at("y");
    for (const float value : as<float>(bytes)) {
      const auto grey = static_cast<std::uint8_t>(std::clamp(value, 0.0f, 1.0f) * 255.0f);
      raster.rgb.insert(raster.rgb.end(), {grey, grey, grey});
    }
    return raster;
  };
  scene.pictures = {picture};
  return scene;
}

// --- pieces

std::int32_t number_of(std::int64_t i) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(i) * 2654435761u);
}

Reference pieces_reference(const std::string& source, const std::string& name,
                           std::int32_t wrong_at) {
  Reference reference;
  reference.name = name;
  reference.steps = [source, wrong_at](const Workload& w) -> std::vector<Step> {
    const std::vector<double> cuts = w.axes.list("cuts");
    const std::int64_t n = w.integer("n");
    return {{"clear", Phase::run, Memset{"c.accumulation", 0, {}}},
            {"pieces", Phase::run,
             KernelLaunch{source,
                          "pieces_reference",
                          {},
                          over(n),
                          {BufferArgument{"a"}, BufferArgument{"c.reference"},
                           BufferArgument{"c.magnitude"}, static_cast<std::int32_t>(cuts[0]),
                           static_cast<std::int32_t>(cuts[1]), wrong_at, narrow(n)}}}};
  };
  reference.host = [wrong_at](const Workload& w, const Inputs& inputs, const std::string&,
                              std::span<const std::int64_t> elements,
                              std::span<ReferenceValue> values) {
    const std::vector<double> cuts = w.axes.list("cuts");
    const std::span<const std::int32_t> a = inputs.at("a").as<std::int32_t>();
    for (std::size_t e = 0; e < elements.size(); ++e) {
      const auto i = static_cast<double>(elements[e]);
      const std::int32_t value =
          i >= cuts[0] && i < cuts[1] ? 0 : a[static_cast<std::size_t>(elements[e])];
      const auto one_more = static_cast<std::int32_t>(static_cast<std::uint32_t>(value) + 1u);
      values[e] = {one_more + (elements[e] == wrong_at ? 2.0 : 0.0), 0, 1};
    }
  };
  return reference;
}

Scene pieces(const std::string& source) {
  Scene scene = scene_of("pieces", 200);
  Axis cuts;
  cuts.name = cuts.label = "cuts";
  cuts.description = "Elements between which c is cleared.";
  cuts.kind = AxisKind::list;
  cuts.typed_minimum = 0;
  cuts.typed_maximum = 1 << 24;
  cuts.default_value = std::string("48,80");
  cuts.minimum_items = cuts.maximum_items = 2;
  scene.axes.push_back(cuts);
  InputGroup group;
  group.name = "numbers";
  group.axes = {"n"};
  group.arrays = {"a"};
  group.elements = [](const Workload&, const std::string&, std::int64_t first,
                      std::span<std::byte> bytes) {
    for (std::int32_t& value : as<std::int32_t>(bytes)) value = number_of(first++);
  };
  group.device_steps = [source](const Workload& w) -> std::vector<Step> {
    const std::int64_t n = w.integer("n");
    return {{"number", Phase::run,
             KernelLaunch{source, "number", {}, over(n), {BufferArgument{"a"}, narrow(n)}}}};
  };
  scene.input_groups = {group};
  scene.buffers = [](const Workload& w) -> std::vector<BufferSpec> {
    const std::int64_t n = w.integer("n");
    return {{"a", ElementType::i32, n, BufferRole::input, {n}, "a[i]"},
            {"c", ElementType::i32, n, BufferRole::output, {n}, "c[i]"}};
  };
  scene.references = {pieces_reference(source, "exact", -1),
                      pieces_reference(source, "two_more_at_3", 3)};
  scene.references[1].reported_only = true;
  const auto variant = [&](const std::string& name, std::int64_t late) {
    Variant v;
    v.name = v.label = name;
    v.family = "ours";
    v.reference = "exact";
    v.reported_references = {"two_more_at_3"};
    v.tolerance.bit_exact = true;
    v.steps = [source, late](const Workload& w) -> std::vector<Step> {
      const std::vector<double> list = w.axes.list("cuts");
      const std::int64_t n = w.integer("n"), from = 4 * static_cast<std::int64_t>(list[0]),
                         to = 4 * static_cast<std::int64_t>(list[1]);
      return {{"front", Phase::run, DeviceCopy{"a", "c", {0, from}, {0, from}}},
              {"middle", Phase::run, Memset{"c", 0, {from, to - from}}},
              {"back", Phase::run, DeviceCopy{"a", "c", {to, -1}, {to, -1}}},
              {"bump", Phase::run,
               KernelLaunch{
                   source, "bump", {}, over(n - late), {BufferArgument{"c"}, narrow(n - late)}}}};
    };
    return v;
  };
  scene.variants = {variant("pieces", 0), variant("ends_early", 1)};
  Variant beyond = variant("beyond", 0);
  beyond.steps = [](const Workload& w) -> std::vector<Step> {
    return {{"middle", Phase::run, Memset{"c", 0, {4 * w.integer("n") - 4, 8}}}};
  };
  scene.variants.push_back(beyond);
  scene.baseline = "pieces";
  return scene;
}

// --- library

Scene library(const std::string& source) {
  Scene scene = scene_of("library", 16);  // rows and columns of square matrices
  InputGroup group;
  group.name = "operands";
  group.axes = {"n"};
  group.arrays = {"a", "b"};
  group.generate = [](const Configuration& axes, Inputs& inputs, Facts& facts) -> Result<void> {
    const std::int64_t count = axes.integer("n") * axes.integer("n");
    for (const char* name : {"a", "b"}) {
      HostArray array(ElementType::f32, count);
      for (std::int64_t i = 0; i < count; ++i)
        array.as<float>()[static_cast<std::size_t>(i)] =
            static_cast<float>(i * (name[0] == 'a' ? 7 : 5) % 11) - 5.0f;
      inputs[name] = std::move(array);
    }
    facts["elements"] = static_cast<double>(count);
    return {};
  };
  scene.input_groups = {group};
  scene.buffers = [](const Workload& w) -> std::vector<BufferSpec> {
    const std::int64_t n = w.integer("n");
    return {{"a", ElementType::f32, n * n, BufferRole::input, {n, n}, "A[m, k]"},
            {"b", ElementType::f32, n * n, BufferRole::input, {n, n}, "B[k, n]"},
            {"d", ElementType::f32, n * n, BufferRole::output, {n, n}, "D[m, n]"}};
  };
  Reference reference;
  reference.name = "double";
  reference.steps = [source](const Workload& w) -> std::vector<Step> {
    const std::int64_t n = w.integer("n");
    return {{"clear", Phase::run, Memset{"d.accumulation", 0, {}}},
            {"product", Phase::run,
             KernelLaunch{source,
                          "library_reference",
                          {},
                          over(n * n),
                          {BufferArgument{"a"}, BufferArgument{"b"}, BufferArgument{"d.reference"},
                           BufferArgument{"d.magnitude"}, narrow(n)}}}};
  };
  reference.host = [](const Workload& w, const Inputs& inputs, const std::string&,
                      std::span<const std::int64_t> elements, std::span<ReferenceValue> values) {
    const std::int64_t n = w.integer("n");
    const std::span<const float> a = inputs.at("a").as<float>(), b = inputs.at("b").as<float>();
    for (std::size_t e = 0; e < elements.size(); ++e) {
      double sum = 0;
      for (std::int64_t k = 0; k < n; ++k)
        sum += static_cast<double>(a[static_cast<std::size_t>(elements[e] / n * n + k)]) *
               b[static_cast<std::size_t>(k * n + elements[e] % n)];
      values[e] = {2 * sum, 0, static_cast<double>(n)};
    }
  };
  scene.references = {reference};
  const auto variant = [&](const std::string& name, bool function, bool stands_in) {
    Variant v;
    v.name = v.label = name;
    v.family = "ours";
    v.reference = "double";
    v.tolerance.magnitude = 1e-5;
    v.scratch = [](const Workload& w) -> std::vector<BufferSpec> {
      const std::int64_t n = w.integer("n");
      return {{"c", ElementType::f32, n * n, BufferRole::scratch, {n, n}, "C[m, n]"}};
    };
    v.steps = [source, function, stands_in](const Workload& w) -> std::vector<Step> {
      const std::int64_t n = w.integer("n");
      const auto size = static_cast<double>(n);
      LibraryCall call{"cublas.gemm.fp32",
                       {{"a", "a"}, {"b", "b"}, {"c", "c"}},
                       {{"m", size}, {"n", size}, {"k", size}, {"transpose", 0}}};
      if (function) {
        HostFunction product;
        product.reads = {"a", "b"};
        product.writes = {"c"};
        product.compute = [n](HostBuffers& buffers) -> Result<void> {
          const auto a = as<float>(buffers.at("a")), b = as<float>(buffers.at("b")),
                     c = as<float>(buffers.at("c"));
          for (std::int64_t i = 0; i < n * n; ++i) {
            float sum = 0;
            for (std::int64_t k = 0; k < n; ++k)
              sum += a[static_cast<std::size_t>(i / n * n + k)] *
                     b[static_cast<std::size_t>(k * n + i % n)];
            c[static_cast<std::size_t>(i)] = sum;
          }
          return {};
        };
        call.on_host = std::make_shared<const HostFunction>(std::move(product));
      }
      Step twice{"twice", Phase::run,
                 KernelLaunch{source,
                              "twice",
                              {},
                              over(n * n),
                              {BufferArgument{"c"}, BufferArgument{"d"}, narrow(n * n)}}};
      if (stands_in) {
        twice.stand_ins = {
            {"c", "C is all ones: it changes no address", [](std::span<std::byte> bytes) {
               for (float& value : as<float>(bytes)) value = 1.0f;
             }}};
      }
      return {{"product", Phase::run, call}, twice};
    };
    return v;
  };
  scene.variants = {variant("with_function", true, false), variant("without", false, false),
                    variant("stands_in", false, true)};
  scene.baseline = "with_function";
  return scene;
}

}  // namespace

std::vector<Scene> step_scenes() { return {training(kPath), pieces(kPath), library(kPath)}; }

KernelSource step_kernels() { return kernel_source(kPath, kKernels); }

SceneFinder finder_of(const std::vector<Scene>& scenes) {
  return [&scenes](std::string_view name) -> Result<const Scene*> {
    const auto found = std::find_if(scenes.begin(), scenes.end(),
                                    [&](const Scene& scene) { return scene.name == name; });
    if (found != scenes.end()) return &*found;
    return failure(ErrorKind::usage, "there is no scene of this name", std::string(name));
  };
}

}  // namespace warpscope
