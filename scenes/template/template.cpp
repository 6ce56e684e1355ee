// scenes/template/template.cpp: a scene of one kernel, y = factor · x, to copy and to change.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scenes/base/hard_case.h"
#include "scenes/base/kernel_parts.h"
#include "scenes/base/scene.h"
#include "scenes/host/random.h"

// Read it from the top: sizes, axes, inputs, buffers, launches, the reference, the work, the rows,
// and last the scene that joins them. scenes/README.md says what else a scene can have.

namespace warpscope {
namespace {

constexpr std::int64_t kThreads = 256;       // of a block
constexpr std::int64_t kElementBytes = 4;    // of f32
constexpr std::int64_t kReferenceBytes = 8;  // of f64
constexpr double kRounding = 0x1.0p-24;      // of one f32 result, as a share of it
constexpr std::uint32_t kStreamOfX = 1;      // each random input has a stream of its own

// What a person can vary. A slider has stops; its Binding says what moving it changes.
std::vector<Axis> axes() {
  constexpr std::int64_t kFewest = 1 << 12, kMost = 1 << 28;
  Axis n = number_axis("n", "elements of x", "elements", "Elements of x and of y, 4 bytes each.",
                       AxisKind::integer, AxisScale::log, Binding::argument, kFewest, kMost,
                       std::int64_t{1} << 24);
  n.typed_minimum = 1;
  for (std::int64_t stop = kFewest; stop <= kMost; stop *= 4)
    n.stops.push_back(static_cast<double>(stop));
  Axis factor = number_axis("factor", "factor", "ratio", "The factor for every element.",
                            AxisKind::real, AxisScale::linear, Binding::argument, 0.5, 8, 2.0);
  Axis seed = number_axis("seed", "seed", "", "Random seed of all inputs.", AxisKind::integer,
                          AxisScale::linear, Binding::input, 0, 1e6, std::int64_t{42});
  return {n, factor, seed};
}

// The elements of x from `first` on, uniform in [−1, 1). Each depends on its index alone, so the
// emulator makes only those that a block reads.
void make_x(const Workload& w, const std::string&, std::int64_t first, std::span<std::byte> bytes) {
  const RandomStream stream(static_cast<std::uint64_t>(w.integer("seed")), kStreamOfX);
  for (float& element : elements_in<float>(bytes))
    element = static_cast<float>(2 * stream.uniform(static_cast<std::uint64_t>(first++)) - 1);
}

// What is allocated for every variant. The symbol stands in diagrams.
std::vector<BufferSpec> buffers(const Workload& w) {
  const std::int64_t n = w.integer("n");
  return {{"x", ElementType::f32, n, BufferRole::input, {n}, "x[n]"},
          {"y", ElementType::f32, n, BufferRole::output, {n}, "y[n]"}};
}

// Bytes on the device, known before anything is made: x, y, and three arrays of f64 of a reference.
std::int64_t estimate_bytes(const Configuration& c) {
  return c.integer("n") * (2 * kElementBytes + 3 * kReferenceBytes);
}

// A launch of `threads` threads. The arguments have the order and the types of the kernel's.
std::vector<Step> launch(const Workload& w, std::int64_t threads, const std::string& source,
                         const std::string& entry, std::vector<Argument> arguments) {
  arguments.emplace_back(w.integer("n"));
  arguments.emplace_back(static_cast<float>(w.real("factor")));
  KernelLaunch kernel{source, entry, {}, {}, std::move(arguments)};
  kernel.launch.grid = {ceil_divide(threads, kThreads), 1, 1};
  kernel.launch.block = {kThreads, 1, 1};
  return {run_kernel(entry, std::move(kernel))};
}

// The reference of every variant, computed twice: by a kernel in f64 for all elements, and on the
// host for some.
Reference exact() {
  Reference reference;
  reference.name = "exact";
  reference.sentence = "Every product in double precision.";
  reference.steps = [](const Workload& w) {
    return launch(w, w.integer("n"), "template/reference.cu", "reference_scale",
                  {BufferArgument{"x"}, BufferArgument{"y.reference"},
                   BufferArgument{"y.accumulation"}, BufferArgument{"y.magnitude"}});
  };
  reference.host = [](const Workload& w, const Inputs& inputs, const std::string&,
                      std::span<const std::int64_t> elements, std::span<ReferenceValue> values) {
    const ElementsOf<float> x = inputs.at("x").elements<float>();
    for (std::size_t e = 0; e < elements.size(); ++e) {
      const double value =
          static_cast<double>(static_cast<float>(w.real("factor"))) * x[elements[e]];
      values[e] = {value, std::abs(value), std::abs(value)};
    }
  };
  return reference;
}

// What a run must cost by arithmetic alone. Requests, sectors and instructions are the emulator's.
std::vector<WorkTerm> work_terms() {
  return {{"model.flops", "arithmetic", "FLOP", "One product per element.",
           [](const Workload& w, const Variant&) { return std::optional(w.real("n")); }},
          {"model.dram_bytes", "compulsory DRAM bytes", "B",
           "Every element of x once in and of y once out.",
           [](const Workload& w, const Variant&) {
             return std::optional(w.real("n") * 2 * kElementBytes);
           }},
          {"model.dram_read_bytes", "compulsory DRAM reads", "B", "Every element of x once in.",
           [](const Workload& w, const Variant&) {
             return std::optional(w.real("n") * kElementBytes);
           }}};
}

// What all rows share.
Variant row(std::string name, std::string label, std::string sentence, std::string look_at,
            std::function<std::vector<Step>(const Workload&)> steps) {
  Variant v;
  v.name = std::move(name);
  v.label = std::move(label);
  v.sentence = std::move(sentence);
  v.look_at = std::move(look_at);
  v.family = "ours";
  v.accuracy = "one rounding";
  v.reference = "exact";
  v.tolerance = {.reference = 2 * kRounding};
  v.steps = std::move(steps);
  return v;
}

// One row per variant, in teaching order.
std::vector<Variant> variants() {
  return {
      row("scale", "one lane, one element", "Neighbouring lanes multiply neighbouring elements.",
          "Sectors per load request (l1.sectors_per_request_load): 4, which is one line.",
          [](const Workload& w) {
            return launch(w, w.integer("n"), "template/scale.cu", "scale",
                          {BufferArgument{"x"}, BufferArgument{"y"}});
          }),
  };
}

// Sizes and inputs that a wrong kernel gets wrong: `warpscope verify --hard` (base/hard_case.h).
std::vector<HardCase> hard_cases() {
  return {{"below", "One element below a block of 256.", {{"n", "255"}}},
          {"above",
           "One element above four blocks, and a factor that is not a power of two.",
           {{"n", "1025"}, {"factor", "0.75"}}},
          {"not_finite",
           "A NaN and an infinity at both ends.",
           {{"n", "300"}},
           [](const Workload& w, Inputs& inputs) {
             poke(inputs.at("x"), 0, kNotANumber);
             poke(inputs.at("x"), w.integer("n") - 1, kInfinity);
           }}};
}

}  // namespace

Scene template_scene() {
  Scene scene;
  scene.name = "template";
  scene.title = "An array times a number";
  scene.story = "Multiplies each element of x by a factor and writes it to y.";
  scene.axes = axes();
  scene.hard_cases = hard_cases;
  scene.input_groups = {{"values", {"n", "seed"}, {}, {"x"}, {}, make_x}};
  scene.admit = [](const Configuration&) { return Result<void>{}; };
  scene.estimate_bytes = estimate_bytes;
  scene.buffers = buffers;
  scene.references = {exact()};
  scene.work_terms = work_terms();
  scene.variants = variants();
  scene.baseline = "scale";
  return scene;
}

}  // namespace warpscope
