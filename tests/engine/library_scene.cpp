// tests/engine/library_scene.cpp: a library call before a kernel.
#include <memory>
#include <span>

#include "tests/engine/step_scene_parts.h"

namespace warpscope {
namespace {

InputGroup operands() {
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
  return group;
}

Reference in_double(const std::string& source) {
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
  return reference;
}

HostFunction product_on_host(std::int64_t n) {
  HostFunction product;
  product.reads = {"a", "b"};
  product.writes = {"c"};
  product.compute = [n](HostBuffers& buffers) -> Result<void> {
    const auto a = elements_in<float>(buffers.at("a")), b = elements_in<float>(buffers.at("b")),
               c = elements_in<float>(buffers.at("c"));
    for (std::int64_t i = 0; i < n * n; ++i) {
      float sum = 0;
      for (std::int64_t k = 0; k < n; ++k)
        sum +=
            a[static_cast<std::size_t>(i / n * n + k)] * b[static_cast<std::size_t>(k * n + i % n)];
      c[static_cast<std::size_t>(i)] = sum;
    }
    return {};
  };
  return product;
}

Variant product_twice(const std::string& source, const std::string& name, bool function,
                      bool stands_in) {
  Variant v = held_to_double(name);
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
      call.on_host = std::make_shared<const HostFunction>(product_on_host(n));
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
             for (float& value : elements_in<float>(bytes)) value = 1.0f;
           }}};
    }
    return {{"product", Phase::run, call}, twice};
  };
  return v;
}

}  // namespace

Scene library_scene(const std::string& source) {
  Scene scene = scene_of("library", 16);  // rows and columns of square matrices
  scene.input_groups = {operands()};
  scene.buffers = [](const Workload& w) -> std::vector<BufferSpec> {
    const std::int64_t n = w.integer("n");
    return {{"a", ElementType::f32, n * n, BufferRole::input, {n, n}, "A[m, k]"},
            {"b", ElementType::f32, n * n, BufferRole::input, {n, n}, "B[k, n]"},
            {"d", ElementType::f32, n * n, BufferRole::output, {n, n}, "D[m, n]"}};
  };
  scene.references = {in_double(source)};
  scene.variants = {product_twice(source, "with_function", true, false),
                    product_twice(source, "without", false, false),
                    product_twice(source, "stands_in", false, true)};
  scene.baseline = "with_function";
  return scene;
}

}  // namespace warpscope
