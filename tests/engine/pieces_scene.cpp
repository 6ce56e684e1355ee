// tests/engine/pieces_scene.cpp: parts of buffers named by a list axis, exact to the bit.
#include <span>

#include "tests/engine/step_scene_parts.h"

namespace warpscope {
namespace {

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

Axis cuts() {
  Axis cuts;
  cuts.name = cuts.label = "cuts";
  cuts.description = "Elements between which c is cleared.";
  cuts.kind = AxisKind::list;
  cuts.typed_minimum = 0;
  cuts.typed_maximum = 1 << 24;
  cuts.default_value = std::string("48,80");
  cuts.minimum_items = cuts.maximum_items = 2;
  return cuts;
}

InputGroup numbers(const std::string& source) {
  InputGroup group;
  group.name = "numbers";
  group.axes = {"n"};
  group.arrays = {"a"};
  group.elements = [](const Workload&, const std::string&, std::int64_t first,
                      std::span<std::byte> bytes) {
    for (std::int32_t& value : elements_in<std::int32_t>(bytes)) value = number_of(first++);
  };
  group.device_steps = [source](const Workload& w) -> std::vector<Step> {
    const std::int64_t n = w.integer("n");
    return {{"number", Phase::run,
             KernelLaunch{source, "number", {}, over(n), {BufferArgument{"a"}, narrow(n)}}}};
  };
  return group;
}

Variant in_pieces(const std::string& source, const std::string& name, std::int64_t late) {
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
}

}  // namespace

Scene pieces_scene(const std::string& source) {
  Scene scene = scene_of("pieces", 200);
  scene.axes.push_back(cuts());
  scene.input_groups = {numbers(source)};
  scene.buffers = [](const Workload& w) -> std::vector<BufferSpec> {
    const std::int64_t n = w.integer("n");
    return {{"a", ElementType::i32, n, BufferRole::input, {n}, "a[i]"},
            {"c", ElementType::i32, n, BufferRole::output, {n}, "c[i]"}};
  };
  scene.references = {pieces_reference(source, "exact", -1),
                      pieces_reference(source, "two_more_at_3", 3)};
  scene.references[1].reported_only = true;
  scene.variants = {in_pieces(source, "pieces", 0), in_pieces(source, "ends_early", 1)};
  Variant beyond = in_pieces(source, "beyond", 0);
  beyond.steps = [](const Workload& w) -> std::vector<Step> {
    return {{"middle", Phase::run, Memset{"c", 0, {4 * w.integer("n") - 4, 8}}}};
  };
  scene.variants.push_back(beyond);
  scene.baseline = "pieces";
  return scene;
}

}  // namespace warpscope
