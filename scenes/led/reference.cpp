// scenes/led/reference.cpp: what every output must be, on the device and on the CPU.
#include "scenes/led/reference.h"

#include <cmath>
#include <cstdint>
#include <utility>

#include "scenes/led/shapes.h"

namespace warpscope::led {
namespace {

constexpr std::int64_t kThreads = 128;
constexpr double kScale = 255.0 * 255.0;  // of u8 patterns times u8 pixels

// What a sum is divided by.
double divisor(const Configuration& axes) {
  return integers(axes) && !raw_sums(axes) ? kScale : 1.0;
}

std::vector<Step> device_steps(const Workload& w) {
  const Shape s = shape_of(w.axes);
  KernelLaunch kernel{
      "led/reference.cu",
      "led_reference",
      {{"UINT8", integers(w.axes) ? "1" : "0"}},
      {{ceil_divide(s.outputs(), kThreads), 1, 1}, {kThreads, 1, 1}, 0, {}},
      {BufferArgument{"values"}, BufferArgument{"positions"}, BufferArgument{"frames"},
       BufferArgument{"out.reference"}, BufferArgument{"out.accumulation"},
       BufferArgument{"out.magnitude"}, s.leds, s.channels, s.height, s.width, s.block, s.frames,
       static_cast<std::int32_t>(planar(w.axes)), divisor(w.axes)}};
  return {{"reference", Phase::run, std::move(kernel)}};
}

template <typename T>
void sums(const Workload& w, const Inputs& inputs, std::span<const std::int64_t> elements,
          std::span<ReferenceValue> results) {
  const Shape s = shape_of(w.axes);
  const ElementsOf<T> values = inputs.at("values").elements<T>(),
                      frames = inputs.at("frames").elements<T>();
  const auto positions = inputs.at("positions").as<std::int32_t>();
  const double scale = divisor(w.axes);
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const std::int64_t f = elements[e] / s.blocks(), place = elements[e] % s.blocks();
    const std::int64_t n = planar(w.axes) ? place % s.leds : place / s.channels;
    const std::int64_t c = planar(w.axes) ? place / s.leds : place % s.channels;
    const std::int64_t block = c * s.leds + n;
    const std::int64_t row = positions[static_cast<std::size_t>(2 * block)],
                       column = positions[static_cast<std::size_t>(2 * block + 1)];
    double sum = 0, magnitude = 0;
    for (std::int64_t i = 0; i < s.block; ++i) {
      const std::int64_t from = (block * s.block + i) * s.block;
      const std::int64_t pixels = ((f * s.channels + c) * s.height + row + i) * s.width + column;
      for (std::int64_t j = 0; j < s.block; ++j) {
        const double product =
            static_cast<double>(values[from + j]) * static_cast<double>(frames[pixels + j]);
        sum += product;
        magnitude += std::abs(product);
      }
    }
    results[e] = {sum / scale, magnitude / scale * static_cast<double>(s.block), magnitude / scale};
  }
}

}  // namespace

std::vector<Reference> references() {
  return {{"exact", "Every sum in double precision, row by row. For u8, an exact integer.",
           device_steps,
           [](const Workload& w, const Inputs& inputs, const std::string&,
              std::span<const std::int64_t> elements, std::span<ReferenceValue> values) {
             if (integers(w.axes)) {
               sums<std::uint8_t>(w, inputs, elements, values);
             } else {
               sums<float>(w, inputs, elements, values);
             }
           }}};
}

}  // namespace warpscope::led
