// scenes/autoencoder/work.cpp: what each part must cost by arithmetic alone.
#include "scenes/autoencoder/work.h"

#include <optional>

#include "scenes/autoencoder/inputs/inputs.h"
#include "scenes/autoencoder/shapes.h"
#include "scenes/autoencoder/step/step.h"

namespace warpscope::autoencoder {
namespace {

using Value = std::optional<double>;

double count(std::int64_t elements) { return static_cast<double>(elements); }

// Bytes of inputs, or of outputs; a state is both. A step reads and writes one of its two layouts
// of the parameters.
double bytes_of(const Workload& w, bool inputs) {
  std::int64_t bytes = 0;
  for (const BufferSpec& buffer : buffers(w)) {
    if (buffer.name == "parameters_nhwc") continue;
    const bool counts =
        buffer.role == BufferRole::state || (buffer.role == BufferRole::input) == inputs;
    if (counts) bytes += buffer.count * element_bytes(buffer.type);
  }
  return count(bytes);
}

Value flops(const Workload& w, const Variant&) {
  switch (part_of(w.axes)) {
    case Part::conv:
      return 2 * count(conv_of(w.axes).products());
    case Part::conv_pool:
      // Backward a window has the gradient of one pixel.
      return 2 * count(conv_of(w.axes).products()) / (backward(w.axes) ? 4 : 1);
    case Part::upsample:
      if (backward(w.axes)) return 3 * count(windows_of(w.axes).small_values());
      return std::nullopt;
    case Part::pool:
      return std::nullopt;
    case Part::loss:
      return 4 * count(image_values(w.axes));
    case Part::step:
      return 2 * count(step_products(w.axes));
    case Part::sgd:
      break;
  }
  return 2 * count(parameter_count(w.axes));
}

// Bytes of columns: inputs in the forward pass and for the gradients of weights, and gradients of
// columns, which the layer on the image does not need.
double column_bytes(const Workload& w) {
  constexpr std::int64_t kPasses = 3;
  std::int64_t values = 0;
  if (part_of(w.axes) == Part::step) {
    for (const std::string& layer : conv_layers()) {
      const Conv s = conv_named(w.axes, layer);
      values += s.column_values() * (s.of_image ? kPasses - 1 : kPasses);
    }
  } else {
    values = conv_of(w.axes).column_values();
  }
  return count(values * element_bytes(ElementType::f32));
}

// What lies in memory at once, but for what only a check needs.
Value peak_bytes(const Workload& w, const Variant& variant) {
  if (part_of(w.axes) != Part::step) return std::nullopt;
  const std::vector<BufferSpec> scratch =
      variant.scratch ? variant.scratch(w) : std::vector<BufferSpec>{};
  return count(buffer_bytes(buffers(w)) + buffer_bytes(scratch));
}

}  // namespace

void charge_columns(Variant& v) {
  charge(v, "model.column_bytes", [](const Workload& w) -> Value { return column_bytes(w); });
}

void charge_map(Variant& v) {
  // Backward weights and biases read it, each for itself.
  const auto map = [](const Workload& w) {
    return count(conv_of(w.axes).out_values() * element_bytes(ElementType::f32));
  };
  const auto reads = [map](const Workload& w) {
    return bytes_of(w, true) + (backward(w.axes) ? 2 : 1) * map(w);
  };
  charge(v, "model.dram_read_bytes", [reads](const Workload& w) -> Value { return reads(w); });
  charge(v, "model.dram_bytes", [map, reads](const Workload& w) -> Value {
    return reads(w) + bytes_of(w, false) + map(w);
  });
  charge(v, "model.flops",
         [](const Workload& w) -> Value { return 2 * count(conv_of(w.axes).products()); });
}

void charge_places(Variant& v) {
  constexpr double kBytes = 0.25;  // of a place
  const auto places = [](const Workload& w) { return count(windows_of(w.axes).small_values()); };
  const auto reads = [places](const Workload& w) {
    const double spared = static_cast<double>(element_bytes(ElementType::u32)) - kBytes;
    return bytes_of(w, true) - (backward(w.axes) ? spared * places(w) : 0);
  };
  charge(v, "model.dram_read_bytes", [reads](const Workload& w) -> Value { return reads(w); });
  charge(v, "model.dram_bytes", [reads, places](const Workload& w) -> Value {
    return reads(w) + bytes_of(w, false) + (backward(w.axes) ? 0 : kBytes * places(w));
  });
}

void charge_folding(Variant& v) {
  constexpr double kShare = 4.0 / 9;  // 16 products a small pixel in place of 36
  const auto reads = [](const Workload& w) {
    const std::int64_t large = conv_of(w.axes).in_values() * element_bytes(ElementType::f32);
    return bytes_of(w, true) - count(large) * 3 / 4;
  };
  charge(v, "model.flops",
         [](const Workload& w) -> Value { return 2 * count(conv_of(w.axes).products()) * kShare; });
  charge(v, "model.dram_read_bytes", [reads](const Workload& w) -> Value { return reads(w); });
  charge(v, "model.dram_bytes",
         [reads](const Workload& w) -> Value { return reads(w) + bytes_of(w, false); });
}

void charge_winograd(Variant& v, std::function<double(const Configuration&)> share) {
  charge(v, "model.flops", [share = std::move(share)](const Workload& w) -> Value {
    return 2 * count(conv_of(w.axes).products()) * share(w.axes);
  });
}

std::vector<WorkTerm> work_terms() {
  return {
      {"model.flops", "arithmetic", "FLOP",
       "A multiply and an add for each of 9·in·out products per pixel, including the padding's "
       "zeros, in every direction; back through a pool, for one pixel per window. 3 adds for the "
       "gradient of four pixels, 4 for a pixel's loss and gradient, 2 per parameter. Comparisons "
       "are not counted. For a whole step, only the convolutions: three directions each, without "
       "the gradient of the image.",
       flops},
      {"model.dram_bytes", "compulsory DRAM bytes", "B", "Inputs read once, outputs written once.",
       [](const Workload& w, const Variant&) -> Value {
         return bytes_of(w, true) + bytes_of(w, false);
       }},
      {"model.dram_read_bytes", "compulsory DRAM reads", "B",
       "Inputs read once. (What is written may stay in L2.)",
       [](const Workload& w, const Variant&) -> Value { return bytes_of(w, true); }},
      {"model.column_bytes", "bytes of columns", "B",
       "36 per input value, if a convolution becomes a matrix product: written, and read again.",
       nullptr},
      {"model.executed_flops", "executed arithmetic", "FLOP",
       "A multiply and an add for each product in tensor-core tiles, including the padding: pixels "
       "beyond the map, channels beyond the last.",
       nullptr},
      {"model.peak_bytes", "device memory of a step", "B",
       "Inputs, outputs, parameters in both layouts, and all maps, gradients and columns that the "
       "variant keeps. It frees none of them before the step ends.",
       peak_bytes},
  };
}

}  // namespace warpscope::autoencoder
