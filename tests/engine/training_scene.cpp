// tests/engine/training_scene.cpp: two training steps, on a device and on the host.
#include <algorithm>
#include <span>

#include "tests/engine/step_scene_parts.h"

namespace warpscope {
namespace {

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
                        for (float& value : elements_in<float>(bytes)) value = 1.0f;
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

InputGroup training_data() {
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
  return group;
}

Reference in_double(const std::string& source) {
  Reference reference;
  reference.name = "double";
  reference.steps = [source](const Workload& w) -> std::vector<Step> {
    std::vector<Step> steps;
    // Parts that no kernel writes below are cleared, so that they do not add to the error scales.
    steps.push_back({"clear zeros", Phase::run, Memset{"zeros", 0, {}}});
    for (const char* output : {"y", "w"})
      steps.push_back({std::string("clear ") + output, Phase::run,
                       DeviceCopy{"zeros", std::string(output) + ".accumulation"}});
    steps.push_back({"clear loss", Phase::run, Memset{"loss.accumulation", 0, {}}});
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
  reference.scratch = [](const Workload& w) -> std::vector<BufferSpec> {
    return {{"zeros", ElementType::f64, w.integer("n"), BufferRole::scratch, {}, "zeros"}};
  };
  reference.host = training_reference;
  return reference;
}

Variant on_device(const std::string& source, const std::string& name, bool learn) {
  Variant v = held_to_double(name);
  v.scratch = [](const Workload& w) -> std::vector<BufferSpec> {
    return {{"shades", ElementType::f32, w.integer("n"), BufferRole::scratch, {}, "shades"}};
  };
  v.steps = [source, learn](const Workload& w) {
    return training_steps(source, w.integer("n"), learn);
  };
  return v;
}

Variant on_host() {
  Variant v = held_to_double("on_host");
  v.own_kernels = false;
  v.steps = [](const Workload&) -> std::vector<Step> {
    HostStep host;
    host.sentence = "-O2, one thread";
    host.function.reads = {"w", "x"};
    host.function.writes = {"w", "y", "loss"};
    host.function.compute = [](HostBuffers& b) -> Result<void> {
      train_on_host(elements_in<float>(b.at("w")), elements_in<float>(b.at("x")),
                    elements_in<float>(b.at("y")), elements_in<float>(b.at("loss")));
      return {};
    };
    return {{"train", Phase::run, host}};
  };
  return v;
}

// The loss lies on the host, a copy brings the rest there and back.
Variant on_both(const std::string& source) {
  Variant v = on_device(source, "both", true);
  v.steps = [source](const Workload& w) {
    std::vector<Step> steps = training_steps(source, w.integer("n"), true);
    steps.pop_back();
    steps.push_back({"y to the host", Phase::run, HostCopy{"y", HostCopy::Direction::to_host, {}}});
    HostStep halve;
    halve.function.reads = halve.function.writes = {"y"};
    halve.function.compute = [](HostBuffers& b) -> Result<void> {
      for (float& value : elements_in<float>(b.at("y"))) value *= 0.5f;
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
  return v;
}

PictureSpec shades() {
  PictureSpec picture;
  picture.name = "shades";
  picture.caption = "y as grey";
  picture.reads = {"y"};
  picture.draw = [](const Workload& w, const HostBuffers& buffers) {
    Raster raster;
    raster.width = static_cast<int>(w.integer("n"));
    raster.height = 1;
    const std::span<std::byte> bytes = buffers.at("y");
    for (const float value : elements_in<float>(bytes)) {
      const auto grey = static_cast<std::uint8_t>(std::clamp(value, 0.0f, 1.0f) * 255.0f);
      raster.rgb.insert(raster.rgb.end(), {grey, grey, grey});
    }
    return raster;
  };
  return picture;
}

}  // namespace

Scene training_scene(const std::string& source) {
  Scene scene = scene_of("training", 100);
  scene.input_groups = {training_data()};
  scene.buffers = [](const Workload& w) -> std::vector<BufferSpec> {
    const std::int64_t n = w.integer("n");
    return {
        {"x", ElementType::f32, n, BufferRole::input, {n}, "x[i]"},
        {"w", ElementType::f32, n, BufferRole::state, {n}, "w[i]"},
        {"y", ElementType::f32, n, BufferRole::output, {n}, "y[i]"},
        {"loss", ElementType::f32, kTrainingSteps, BufferRole::output, {kTrainingSteps}, "loss"}};
  };
  scene.references = {in_double(source)};
  scene.variants = {on_device(source, "stream", true), on_device(source, "graph", true), on_host(),
                    on_both(source), on_device(source, "forgets_to_learn", false)};
  scene.variants[1].submission = [](const Configuration&) { return Submission::graph; };
  scene.baseline = "stream";
  scene.curves = {{"loss", "training loss", "step", "1", "loss"}};
  scene.pictures = {shades()};
  return scene;
}

}  // namespace warpscope
