// scenes/autoencoder/work.cpp: what each part must cost by arithmetic alone.
#include "scenes/autoencoder/work.h"

#include <optional>

#include "scenes/autoencoder/inputs.h"
#include "scenes/autoencoder/shapes.h"

namespace warpscope::autoencoder {
namespace {

using Value = std::optional<double>;

double count(std::int64_t elements) { return static_cast<double>(elements); }

// Bytes of inputs, or of outputs; a state is both.
double bytes_of(const Workload& w, bool inputs) {
  std::int64_t bytes = 0;
  for (const BufferSpec& buffer : buffers(w)) {
    const bool counts =
        buffer.role == BufferRole::state || (buffer.role == BufferRole::input) == inputs;
    if (counts) bytes += buffer.count * element_bytes(buffer.type);
  }
  return count(bytes);
}

Value flops(const Workload& w, const Variant&) {
  switch (part_of(w.axes)) {
    case Part::conv:
    case Part::conv_pool:
      return 2 * count(conv_of(w.axes).products());
    case Part::upsample:
      if (backward(w.axes)) return 3 * count(windows_of(w.axes).small_values());
      return std::nullopt;
    case Part::pool:
      return std::nullopt;
    case Part::loss:
      return 4 * count(image_values(w.axes));
    case Part::sgd:
      break;
  }
  return 2 * count(parameter_count(w.axes));
}

double column_bytes(const Workload& w) {
  return count(conv_of(w.axes).column_values() * element_bytes(ElementType::f32));
}

}  // namespace

void charge_columns(Variant& v) {
  charge(v, "model.column_bytes", [](const Workload& w) -> Value { return column_bytes(w); });
}

void charge_map(Variant& v) {
  const auto map = [](const Workload& w) {
    return count(conv_of(w.axes).out_values() * element_bytes(ElementType::f32));
  };
  charge(v, "model.dram_read_bytes",
         [map](const Workload& w) -> Value { return bytes_of(w, true) + map(w); });
  charge(v, "model.dram_bytes", [map](const Workload& w) -> Value {
    return bytes_of(w, true) + bytes_of(w, false) + 2 * map(w);
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

std::vector<WorkTerm> work_terms() {
  return {
      {"model.flops", "arithmetic", "FLOP",
       "A multiply and an add for each of 9·in·out products a pixel, those with the padding's "
       "zeros too, in every direction; 3 adds for the gradient of four pixels; 4 for a pixel's "
       "loss and gradient; 2 a parameter. Comparisons are not counted.",
       flops},
      {"model.dram_bytes", "compulsory DRAM bytes", "B", "Inputs once in, outputs once out.",
       [](const Workload& w, const Variant&) -> Value {
         return bytes_of(w, true) + bytes_of(w, false);
       }},
      {"model.dram_read_bytes", "compulsory DRAM reads", "B",
       "Inputs once. (What is written may stay in L2.)",
       [](const Workload& w, const Variant&) -> Value { return bytes_of(w, true); }},
      {"model.column_bytes", "bytes of columns", "B",
       "36 for every input value, where a convolution becomes a product: written, and read again.",
       nullptr},
  };
}

}  // namespace warpscope::autoencoder
