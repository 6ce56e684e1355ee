// scenes/autoencoder/steps/cudnn_steps.cpp: convolutions by calls of cuDNN, and what those compute.
#include <algorithm>
#include <bit>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "scenes/autoencoder/steps/steps.h"
#include "scenes/host/parallel.h"

namespace warpscope::autoencoder {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// Rounded to the 11 bits of TF32 where a call may do so; to nearest, as the library does not say.
float rounded(float value) {
  constexpr std::uint32_t kHalf = 0x1000, kKept = 0xffffe000, kExponent = 0x7f800000;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & kExponent) == kExponent) return value;
  return std::bit_cast<float>((bits + kHalf) & kKept);
}

std::int64_t first_of(const BufferArgument& array) {
  return array.offset_bytes / element_bytes(ElementType::f32);
}

// How a library is to take arrays: [images, channels, side, side] and [out, in, 3, 3], or channels
// innermost, [images, side, side, channels] and [out, 3, 3, in].
enum class Layout { planes, channels_innermost };

// On the host, to emulate what a library call does: sums in double precision, rounded once.
class Host {
 public:
  Host(const Conv& s, const ConvArrays& a, bool tf32, Layout layout, HostBuffers& buffers)
      : s_(s), a_(a), tf32_(tf32), layout_(layout), buffers_(buffers) {}

  // `bias`, `relu`: in the same call.
  void forward(bool bias, bool relu) {
    const std::vector<float> x = factors(input(a_.x)), w = factors(weights(a_.w));
    std::span<const float> b;
    if (bias) b = values({a_.b, s_.out, 1, 1});
    give(output(a_.y),
         planes_of(s_.out, [&](std::int64_t image, std::int64_t k, std::vector<double>& sums) {
           for (std::int64_t c = 0; c < s_.in; ++c) {
             for (std::int64_t tap = 0; tap < kTaps; ++tap)
               add_moved(&x[at((image * s_.in + c) * s_.pixels())],
                         w[at((k * s_.in + c) * kTaps + tap)], tap, sums);
           }
           for (double& sum : sums) {
             if (bias) sum += static_cast<double>(b[at(k)]);
             if (relu && sum < 0) sum = 0;
           }
         }));
  }

  void dgrad() {
    const std::vector<float> dy = factors(output(a_.dy)), w = factors(weights(a_.w));
    give(input(a_.dx),
         planes_of(s_.in, [&](std::int64_t image, std::int64_t c, std::vector<double>& sums) {
           for (std::int64_t k = 0; k < s_.out; ++k) {
             for (std::int64_t tap = 0; tap < kTaps; ++tap)
               add_moved(&dy[at((image * s_.out + k) * s_.pixels())],
                         w[at((k * s_.in + c) * kTaps + (kTaps - 1 - tap))], tap, sums);
           }
         }));
  }

  void wgrad() {
    const std::vector<float> x = factors(input(a_.x)), dy = factors(output(a_.dy));
    std::vector<float> dw(at(s_.weights()));
    parallel_for(s_.out * s_.in, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t pair = begin; pair < end; ++pair) {
        const std::int64_t k = pair / s_.in, c = pair % s_.in;
        for (std::int64_t tap = 0; tap < kTaps; ++tap) {
          double sum = 0;
          for (std::int64_t image = 0; image < s_.images; ++image)
            sum += of_moved(&x[at((image * s_.in + c) * s_.pixels())],
                            &dy[at((image * s_.out + k) * s_.pixels())], tap);
          dw[at(pair * kTaps + tap)] = static_cast<float>(sum);
        }
      }
    });
    give(weights(a_.dw), dw);
  }

  void bias_gradient() {
    const std::vector<float> dy = taken(output(a_.dy));
    std::vector<float> db(at(s_.out));
    for (std::int64_t k = 0; k < s_.out; ++k) {
      double sum = 0;
      for (std::int64_t image = 0; image < s_.images; ++image) {
        for (std::int64_t i = 0; i < s_.pixels(); ++i)
          sum += static_cast<double>(dy[at((image * s_.out + k) * s_.pixels() + i)]);
      }
      db[at(k)] = static_cast<float>(sum);
    }
    give({a_.db, s_.out, 1, 1}, db);
  }

  void add_bias() {
    const std::span<const float> b = values({a_.b, s_.out, 1, 1});
    std::vector<float> y = taken(output(a_.y));
    for (std::int64_t i = 0; i < s_.out_values(); ++i) y[at(i)] += b[at(i / s_.pixels() % s_.out)];
    give(output(a_.y), y);
  }

  // NaN stays NaN.
  void relu() {
    for (float& value : values(output(a_.y))) value = value < 0 ? 0 : value;
  }

 private:
  // An array as [outer, channels, inner], or with its channels innermost.
  struct Array {
    BufferArgument place;
    std::int64_t outer, channels, inner;
    std::int64_t count() const { return outer * channels * inner; }
  };
  Array input(const BufferArgument& place) const { return {place, s_.images, s_.in, s_.pixels()}; }
  Array output(const BufferArgument& place) const {
    return {place, s_.images, s_.out, s_.pixels()};
  }
  Array weights(const BufferArgument& place) const { return {place, s_.out, s_.in, kTaps}; }

  std::span<float> values(const Array& array) const {
    return elements_in<float>(buffers_.at(array.place.buffer))
        .subspan(at(first_of(array.place)), at(array.count()));
  }
  // Where element i of [outer, channels, inner] lies.
  std::size_t place_of(const Array& array, std::int64_t i) const {
    if (layout_ == Layout::planes) return at(i);
    const std::int64_t inner = i % array.inner, channel = i / array.inner % array.channels;
    const std::int64_t outer = i / array.inner / array.channels;
    return at((outer * array.inner + inner) * array.channels + channel);
  }
  std::vector<float> taken(const Array& array) const {
    const std::span<const float> from = values(array);
    std::vector<float> all(from.size());
    for (std::int64_t i = 0; i < array.count(); ++i) all[at(i)] = from[place_of(array, i)];
    return all;
  }
  void give(const Array& array, const std::vector<float>& all) const {
    const std::span<float> to = values(array);
    for (std::int64_t i = 0; i < array.count(); ++i) to[place_of(array, i)] = all[at(i)];
  }
  std::vector<float> factors(const Array& array) const {
    std::vector<float> all = taken(array);
    if (tf32_) {
      for (float& value : all) value = rounded(value);
    }
    return all;
  }

  // sum(image, channel, sums) makes a plane of [images, channels, side, side].
  template <typename Sum>
  std::vector<float> planes_of(std::int64_t channels, Sum sum) const {
    std::vector<float> planes(at(s_.images * channels * s_.pixels()));
    parallel_for(s_.images * channels, 1, [&](std::int64_t begin, std::int64_t end) {
      std::vector<double> sums(at(s_.pixels()));
      for (std::int64_t plane = begin; plane < end; ++plane) {
        sums.assign(sums.size(), 0.0);
        sum(plane / channels, plane % channels, sums);
        for (std::int64_t i = 0; i < s_.pixels(); ++i)
          planes[at(plane * s_.pixels() + i)] = static_cast<float>(sums[at(i)]);
      }
    });
    return planes;
  }

  // at(i, j) for every pixel i that has a neighbour j in the direction of this tap.
  template <typename At>
  void each_pair(std::int64_t tap, At at_pair) const {
    const std::int64_t down = tap / 3 - 1, right = tap % 3 - 1, side = s_.side;
    for (std::int64_t row = std::max<std::int64_t>(0, -down);
         row < side - std::max<std::int64_t>(0, down); ++row) {
      for (std::int64_t column = std::max<std::int64_t>(0, -right);
           column < side - std::max<std::int64_t>(0, right); ++column)
        at_pair(row * side + column, (row + down) * side + column + right);
    }
  }
  void add_moved(const float* plane, float factor, std::int64_t tap,
                 std::vector<double>& sums) const {
    each_pair(tap, [&](std::int64_t i, std::int64_t j) {
      sums[at(i)] += static_cast<double>(plane[j]) * static_cast<double>(factor);
    });
  }
  double of_moved(const float* plane, const float* gradient, std::int64_t tap) const {
    double sum = 0;
    each_pair(tap, [&](std::int64_t i, std::int64_t j) {
      sum += static_cast<double>(plane[j]) * static_cast<double>(gradient[i]);
    });
    return sum;
  }

  const Conv& s_;
  const ConvArrays& a_;
  bool tf32_;
  Layout layout_;
  HostBuffers& buffers_;
};

// The operands x, w, y and b of a call: those read, and the one it writes.
struct Operands {
  std::vector<std::pair<const char*, BufferArgument>> read, written;
};

struct Call {
  std::string name;
  bool tf32 = false, searches = false, relu = false, direct = false;
  Layout layout = Layout::planes;
  Operands operands;
  void (*compute)(Host&, const Conv&);
};

Step call_step(std::string name, const Conv& s, const ConvArrays& a, const Call& made) {
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  LibraryCall call{made.name,
                   {},
                   {{"images", number(s.images)},
                    {"in", number(s.in)},
                    {"out", number(s.out)},
                    {"side", number(s.side)},
                    {"relu", made.relu ? 1 : 0},
                    {"search", made.searches ? 1 : 0},
                    {"direct", made.direct ? 1 : 0},
                    {"channels_innermost", made.layout == Layout::channels_innermost ? 1 : 0}}};
  std::vector<std::string> reads, writes;
  for (const bool written : {false, true}) {
    for (const auto& [operand, array] : written ? made.operands.written : made.operands.read) {
      call.buffers[operand] = array.buffer;
      call.numbers[std::string(operand) + "_first"] = number(first_of(array));
      (written ? writes : reads).push_back(array.buffer);
    }
  }
  call.on_host = std::make_shared<const HostFunction>(
      HostFunction{std::move(reads), std::move(writes),
                   [s, a, tf32 = made.tf32, layout = made.layout,
                    compute = made.compute](HostBuffers& buffers) -> Result<void> {
                     Host host(s, a, tf32, layout, buffers);
                     compute(host, s);
                     return {};
                   }});
  return {std::move(name), Phase::run, std::move(call)};
}

std::string of_precision(const char* call, bool tf32) {
  return std::string(call) + (tf32 ? ".tf32" : ".fp32");
}

Layout layout_of(const CudnnRow& row) {
  return row.channels_innermost ? Layout::channels_innermost : Layout::planes;
}

Step convolve_step(const Conv& s, const ConvArrays& a, const CudnnRow& row) {
  return call_step("convolve", s, a,
                   {.name = of_precision("cudnn.conv.forward", row.tf32),
                    .tf32 = row.tf32,
                    .searches = row.searches,
                    .layout = layout_of(row),
                    .operands = {{{"x", a.x}, {"w", a.w}}, {{"y", a.y}}},
                    .compute = [](Host& host, const Conv&) { host.forward(false, false); }});
}

Step fused_forward_step(const Conv& s, const ConvArrays& a, const CudnnRow& row) {
  return call_step("convolve, bias and ReLU", s, a,
                   {.name = of_precision("cudnn.conv_bias_relu", row.tf32),
                    .tf32 = row.tf32,
                    .searches = row.searches,
                    .relu = s.relu,
                    .layout = layout_of(row),
                    .operands = {{{"x", a.x}, {"w", a.w}, {"b", a.b}}, {{"y", a.y}}},
                    .compute = [](Host& host, const Conv& c) { host.forward(true, c.relu); }});
}

Step dgrad_step(const Conv& s, const ConvArrays& a, const CudnnRow& row) {
  return call_step("input gradient", s, a,
                   {.name = of_precision("cudnn.conv.dgrad", row.tf32),
                    .tf32 = row.tf32,
                    .searches = row.searches,
                    .layout = layout_of(row),
                    .operands = {{{"y", a.dy}, {"w", a.w}}, {{"x", a.dx}}},
                    .compute = [](Host& host, const Conv&) { host.dgrad(); }});
}

// `direct`: by no algorithm that transforms its operands.
Step wgrad_step(const Conv& s, const ConvArrays& a, const CudnnRow& row, bool direct = false) {
  return call_step("weight gradient", s, a,
                   {.name = of_precision("cudnn.conv.wgrad", row.tf32),
                    .tf32 = row.tf32,
                    .searches = row.searches,
                    .direct = direct,
                    .layout = layout_of(row),
                    .operands = {{{"x", a.x}, {"y", a.dy}}, {{"w", a.dw}}},
                    .compute = [](Host& host, const Conv&) { host.wgrad(); }});
}

Step library_bias_gradient(const Conv& s, const ConvArrays& a, const CudnnRow& row) {
  return call_step("bias gradient", s, a,
                   {.name = "cudnn.conv.bias_gradient",
                    .layout = layout_of(row),
                    .operands = {{{"y", a.dy}}, {{"b", a.db}}},
                    .compute = [](Host& host, const Conv&) { host.bias_gradient(); }});
}

// Shares of the gradients of biases: blocks enough for a device, a share of one image at least.
constexpr std::int64_t kBiasBlocks = 1024;
std::int64_t bias_shares(const Conv& s) {
  return std::clamp<std::int64_t>(kBiasBlocks / s.out, 1, s.images);
}

Steps bias_by_shares(const Conv& s, const ConvArrays& a, const CudnnRow& row) {
  constexpr std::int64_t kLanes = 32;
  const std::int64_t count = bias_shares(s);
  const BufferArgument shares{"bias_shares"};
  KernelLaunch kernel{"autoencoder/bias_shares.cu",
                      row.channels_innermost ? "bias_shares_nhwc" : "bias_shares_planes",
                      {},
                      {{row.channels_innermost ? ceil_divide(s.out, kLanes) : s.out,
                        row.channels_innermost ? kBiasBlocks / kLanes : count, 1},
                       {kBlockThreads, 1, 1},
                       0,
                       {}},
                      {a.dy, shares, as_int(s.images), as_int(s.out), as_int(s.pixels())}};
  const std::int64_t made = kernel.launch.grid.y;
  return {run_kernel("bias gradient of shares", std::move(kernel)),
          run_kernel("bias gradient",
                     kernel_of_threads("autoencoder/bias_shares.cu", "add_bias_shares", s.out,
                                       {shares, a.db, as_int(made), as_int(s.out)}))};
}

}  // namespace

BufferSpec bias_shares_buffer(const Configuration& axes) {
  std::int64_t most = 0;
  for (const std::string& layer : conv_layers())
    most = std::max(most, kBiasBlocks + conv_named(axes, layer).out * kBiasBlocks / 32);
  return {"bias_shares",       ElementType::f32, most,
          BufferRole::scratch, {most},           "bias_shares[shares, out]"};
}

bool searches_algorithms(const Configuration& axes) { return axes.text("search") == "on"; }

Steps cudnn_layer(const Conv& s, Direction direction, const ConvArrays& a, const CudnnRow& row) {
  switch (direction) {
    case Direction::forward:
      return {fused_forward_step(s, a, row)};
    case Direction::dgrad:
      return {dgrad_step(s, a, row)};
    case Direction::wgrad:
      break;
  }
  Steps steps = {wgrad_step(s, a, row)};
  for (Step& step : bias_by_shares(s, a, row)) steps.push_back(std::move(step));
  return steps;
}

Steps cudnn_steps(const Workload& w, bool tf32) {
  const Conv s = conv_of(w.axes);
  const ConvArrays a;
  const CudnnRow row{.tf32 = tf32, .searches = searches_algorithms(w.axes)};
  if (direction_of(w.axes) == Direction::dgrad) return tagged(w, {dgrad_step(s, a, row)});
  if (direction_of(w.axes) == Direction::wgrad)
    return tagged(w, {wgrad_step(s, a, row), library_bias_gradient(s, a, row)});
  Steps steps = {convolve_step(s, a, row),
                 call_step("bias", s, a,
                           {.name = "cudnn.bias",
                            .operands = {{{"y", a.y}, {"b", a.b}}, {{"y", a.y}}},
                            .compute = [](Host& host, const Conv&) { host.add_bias(); }})};
  if (s.relu)
    steps.push_back(call_step("ReLU", s, a,
                              {.name = "cudnn.relu",
                               .operands = {{{"y", a.y}}, {{"y", a.y}}},
                               .compute = [](Host& host, const Conv&) { host.relu(); }}));
  return tagged(w, std::move(steps));
}

Steps cudnn_fused_steps(const Workload& w, bool tf32) {
  const CudnnRow row{.tf32 = tf32, .searches = searches_algorithms(w.axes)};
  return tagged(w, {fused_forward_step(conv_of(w.axes), {}, row)});
}

}  // namespace warpscope::autoencoder
