// tests/engine/constants_scene.cpp: a kernel whose factors stand in constant memory.
#include <span>

#include "tests/engine/step_scene_parts.h"

namespace warpscope {
namespace {

constexpr std::int64_t kTable = 4, kFactors = 2 * kTable;  // of the kernel, and in the input
constexpr std::int64_t kTableBytes = 4 * kTable;

std::vector<std::pair<std::string, std::string>> table_of(std::int64_t count) {
  return {{"TABLE", std::to_string(count)}};
}

Step fill(const std::string& source, BufferPart part, std::int64_t table = kTable,
          const std::string& symbol = "table") {
  return {"fill", Phase::run, ConstantCopy{source, table_of(table), symbol, "f", part}};
}

Step scale(const std::string& source, const Workload& w) {
  const std::int64_t n = w.integer("n");
  return {"scale", Phase::run,
          KernelLaunch{source,
                       "scale",
                       table_of(kTable),
                       over(n),
                       {BufferArgument{"x"}, BufferArgument{"y"}, narrow(n)}}};
}

// The same, by a list whose places are taken with an atomic on a counter that the run clears.
std::vector<Step> scale_listed(const std::string& source, BufferPart part, const Workload& w) {
  const std::int64_t n = w.integer("n");
  const auto kernel = [&](const char* entry, std::vector<Argument> arguments) {
    return Step{entry, Phase::run,
                KernelLaunch{source, entry, table_of(kTable), over(n), std::move(arguments)}};
  };
  return {fill(source, part),
          {"clear taken", Phase::run, Memset{"taken"}},
          kernel("take_places", {BufferArgument{"taken"}, BufferArgument{"list"}, narrow(n)}),
          kernel("scale_listed",
                 {BufferArgument{"list"}, BufferArgument{"x"}, BufferArgument{"y"}, narrow(n)})};
}

// y = f[first + i mod 4] · x.
Reference factors(const std::string& source, const std::string& name, std::int64_t first) {
  Reference reference;
  reference.name = name;
  reference.steps = [source, first](const Workload& w) -> std::vector<Step> {
    return {{"clear", Phase::run, Memset{"y.accumulation", 0, {}}},
            {"scale", Phase::run,
             KernelLaunch{source,
                          "scale_reference",
                          {},
                          over(w.integer("n")),
                          {BufferArgument{"x"}, BufferArgument{"f", 4 * first},
                           BufferArgument{"y.reference"}, BufferArgument{"y.magnitude"},
                           narrow(kTable), narrow(w.integer("n"))}}}};
  };
  reference.host = [first](const Workload&, const Inputs& inputs, const std::string&,
                           std::span<const std::int64_t> elements,
                           std::span<ReferenceValue> values) {
    const std::span<const float> x = inputs.at("x").as<float>(), f = inputs.at("f").as<float>();
    for (std::size_t e = 0; e < elements.size(); ++e) {
      const auto factor = static_cast<std::size_t>(first + elements[e] % kTable);
      const double value = static_cast<double>(f[factor]) *
                           static_cast<double>(x[static_cast<std::size_t>(elements[e])]);
      values[e] = {value, 0, 64};
    }
  };
  return reference;
}

Variant filled(const std::string& name, const std::string& reference,
               std::function<std::vector<Step>(const Workload&)> steps) {
  Variant v = held_to_double(name);
  v.reference = reference;
  v.tolerance.magnitude = 1e-8;
  v.steps = std::move(steps);
  return v;
}

}  // namespace

Scene constants_scene(const std::string& source) {
  Scene scene = scene_of("constants", 100);
  InputGroup group;
  group.name = "numbers";
  group.axes = {"n"};
  group.arrays = {"x", "f"};
  group.elements = [](const Workload&, const std::string& array, std::int64_t first,
                      std::span<std::byte> bytes) {
    for (float& value : elements_in<float>(bytes)) {
      value = static_cast<float>(array == "f" ? 3 + first : 1 + first % 7);
      ++first;
    }
  };
  scene.input_groups = {group};
  scene.buffers = [](const Workload& w) -> std::vector<BufferSpec> {
    const std::int64_t n = w.integer("n");
    return {{"x", ElementType::f32, n, BufferRole::input, {n}, "x[i]"},
            {"f", ElementType::f32, kFactors, BufferRole::input, {kFactors}, "f[8]"},
            {"y", ElementType::f32, n, BufferRole::output, {n}, "y[i]"}};
  };
  scene.references = {factors(source, "first", 0), factors(source, "second", kTable)};
  const BufferPart front{0, kTableBytes}, back{kTableBytes, kTableBytes};
  const auto run = [source](std::vector<Step> copies) {
    return [source, copies](const Workload& w) {
      std::vector<Step> steps = copies;
      steps.push_back(scale(source, w));
      return steps;
    };
  };
  Variant listed = filled("takes_places", "first",
                          [=](const Workload& w) { return scale_listed(source, front, w); });
  listed.scratch = [](const Workload& w) -> std::vector<BufferSpec> {
    const std::int64_t n = w.integer("n");
    return {{"taken", ElementType::i32, 1, BufferRole::scratch, {1}, "taken[1]"},
            {"list", ElementType::i32, n, BufferRole::scratch, {n}, "list[n]"}};
  };
  scene.variants = {filled("filled", "first", run({fill(source, front)})),
                    std::move(listed),
                    filled("refilled", "second",
                           [=](const Workload& w) -> std::vector<Step> {
                             Step again = fill(source, back), last = scale(source, w);
                             again.name = "fill again";
                             last.name = "scale again";
                             return {fill(source, front), scale(source, w), again, last};
                           }),
                    filled("of_another_module", "first", run({fill(source, front, kFactors)})),
                    filled("too_large", "first", run({fill(source, {})})),
                    filled("no_such_array", "first", run({fill(source, front, kTable, "tables")}))};
  scene.baseline = "filled";
  return scene;
}

}  // namespace warpscope
