// scenes/autoencoder/cudnn_steps.cpp: convolutions by calls of cuDNN, and what those compute.
#include <algorithm>
#include <bit>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "scenes/autoencoder/steps.h"
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

// On the host, for emulating what stands behind a call: sums in double precision, rounded once.
class Host {
 public:
  Host(const Conv& s, const ConvArrays& a, bool tf32, HostBuffers& buffers)
      : s_(s), a_(a), tf32_(tf32), buffers_(buffers) {}

  // `bias`, `relu`: in the same call.
  void forward(bool bias, bool relu) {
    const std::vector<float> x = operand(a_.x, s_.in_values()), w = operand(a_.w, s_.weights());
    const std::span<float> y = values(a_.y, s_.out_values());
    std::span<float> b;
    if (bias) b = values(a_.b, s_.out);
    each_plane(s_.out, y, [&](std::int64_t image, std::int64_t k, std::vector<double>& sums) {
      for (std::int64_t c = 0; c < s_.in; ++c) {
        for (std::int64_t tap = 0; tap < kTaps; ++tap)
          add_moved(&x[at((image * s_.in + c) * s_.pixels())], w[at((k * s_.in + c) * kTaps + tap)],
                    tap, sums);
      }
      for (double& sum : sums) {
        if (bias) sum += static_cast<double>(b[at(k)]);
        if (relu && sum < 0) sum = 0;
      }
    });
  }

  void dgrad() {
    const std::vector<float> dy = operand(a_.dy, s_.out_values()), w = operand(a_.w, s_.weights());
    const std::span<float> dx = values(a_.dx, s_.in_values());
    each_plane(s_.in, dx, [&](std::int64_t image, std::int64_t c, std::vector<double>& sums) {
      for (std::int64_t k = 0; k < s_.out; ++k) {
        for (std::int64_t tap = 0; tap < kTaps; ++tap)
          add_moved(&dy[at((image * s_.out + k) * s_.pixels())],
                    w[at((k * s_.in + c) * kTaps + (kTaps - 1 - tap))], tap, sums);
      }
    });
  }

  void wgrad() {
    const std::vector<float> x = operand(a_.x, s_.in_values()),
                             dy = operand(a_.dy, s_.out_values());
    const std::span<float> dw = values(a_.dw, s_.weights());
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
  }

  void bias_gradient() {
    const std::span<float> dy = values(a_.dy, s_.out_values()), db = values(a_.db, s_.out);
    for (std::int64_t k = 0; k < s_.out; ++k) {
      double sum = 0;
      for (std::int64_t image = 0; image < s_.images; ++image) {
        for (std::int64_t i = 0; i < s_.pixels(); ++i)
          sum += static_cast<double>(dy[at((image * s_.out + k) * s_.pixels() + i)]);
      }
      db[at(k)] = static_cast<float>(sum);
    }
  }

  void add_bias() {
    const std::span<float> y = values(a_.y, s_.out_values()), b = values(a_.b, s_.out);
    for (std::int64_t i = 0; i < s_.out_values(); ++i) y[at(i)] += b[at(i / s_.pixels() % s_.out)];
  }

  // NaN stays NaN.
  void relu() {
    for (float& value : values(a_.y, s_.out_values())) value = value < 0 ? 0 : value;
  }

 private:
  std::span<float> values(const BufferArgument& array, std::int64_t count) const {
    return elements_in<float>(buffers_.at(array.buffer)).subspan(at(first_of(array)), at(count));
  }
  std::vector<float> operand(const BufferArgument& array, std::int64_t count) const {
    const std::span<float> all = values(array, count);
    std::vector<float> taken(all.begin(), all.end());
    if (tf32_) {
      for (float& value : taken) value = rounded(value);
    }
    return taken;
  }

  // sum(image, channel, sums) makes a plane of `to`.
  template <typename Sum>
  void each_plane(std::int64_t channels, std::span<float> to, Sum sum) const {
    parallel_for(s_.images * channels, 1, [&](std::int64_t begin, std::int64_t end) {
      std::vector<double> sums(at(s_.pixels()));
      for (std::int64_t plane = begin; plane < end; ++plane) {
        sums.assign(sums.size(), 0.0);
        sum(plane / channels, plane % channels, sums);
        for (std::int64_t i = 0; i < s_.pixels(); ++i)
          to[at(plane * s_.pixels() + i)] = static_cast<float>(sums[at(i)]);
      }
    });
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
  HostBuffers& buffers_;
};

// The operands x, w, y and b of a call: those read, and the one it writes.
struct Operands {
  std::vector<std::pair<const char*, BufferArgument>> read, written;
};

struct Call {
  std::string name;
  bool tf32 = false, searches = false, relu = false, direct = false;
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
                    {"direct", made.direct ? 1 : 0}}};
  std::vector<std::string> reads, writes;
  for (const bool written : {false, true}) {
    for (const auto& [operand, array] : written ? made.operands.written : made.operands.read) {
      call.buffers[operand] = array.buffer;
      call.numbers[std::string(operand) + "_first"] = number(first_of(array));
      (written ? writes : reads).push_back(array.buffer);
    }
  }
  call.on_host = std::make_shared<const HostFunction>(HostFunction{
      std::move(reads), std::move(writes),
      [s, a, tf32 = made.tf32, compute = made.compute](HostBuffers& buffers) -> Result<void> {
        Host host(s, a, tf32, buffers);
        compute(host, s);
        return {};
      }});
  return {std::move(name), Phase::run, std::move(call)};
}

std::string of_precision(const char* call, bool tf32) {
  return std::string(call) + (tf32 ? ".tf32" : ".fp32");
}

Step convolve_step(const Conv& s, const ConvArrays& a, bool tf32, bool searches) {
  return call_step("convolve", s, a,
                   {.name = of_precision("cudnn.conv.forward", tf32),
                    .tf32 = tf32,
                    .searches = searches,
                    .operands = {{{"x", a.x}, {"w", a.w}}, {{"y", a.y}}},
                    .compute = [](Host& host, const Conv&) { host.forward(false, false); }});
}

Step dgrad_step(const Conv& s, const ConvArrays& a, bool tf32, bool searches) {
  return call_step("input gradient", s, a,
                   {.name = of_precision("cudnn.conv.dgrad", tf32),
                    .tf32 = tf32,
                    .searches = searches,
                    .operands = {{{"y", a.dy}, {"w", a.w}}, {{"x", a.dx}}},
                    .compute = [](Host& host, const Conv&) { host.dgrad(); }});
}

// `direct`: by no algorithm that transforms its operands.
Step wgrad_step(const Conv& s, const ConvArrays& a, bool tf32, bool searches, bool direct = false) {
  return call_step("weight gradient", s, a,
                   {.name = of_precision("cudnn.conv.wgrad", tf32),
                    .tf32 = tf32,
                    .searches = searches,
                    .direct = direct,
                    .operands = {{{"x", a.x}, {"y", a.dy}}, {{"w", a.dw}}},
                    .compute = [](Host& host, const Conv&) { host.wgrad(); }});
}

}  // namespace

bool searches_algorithms(const Configuration& axes) { return axes.text("search") == "on"; }

Steps cudnn_layer(const Conv& s, Direction direction, const ConvArrays& a, bool tf32,
                  bool searches) {
  switch (direction) {
    case Direction::forward:
      return {convolve_step(s, a, tf32, searches), bias_relu_step(s, a)};
    case Direction::dgrad:
      return {dgrad_step(s, a, tf32, searches)};
    case Direction::wgrad:
      break;
  }
  // Behind a ReLU and a pool many weights have gradients of exactly zero, and no error bound there.
  constexpr bool kDirect = true;
  return {wgrad_step(s, a, tf32, searches, kDirect), bias_gradient_step(s, a)};
}

Steps cudnn_steps(const Workload& w, bool tf32) {
  const Conv s = conv_of(w.axes);
  const ConvArrays a;
  const bool searches = searches_algorithms(w.axes);
  if (direction_of(w.axes) == Direction::dgrad)
    return tagged(w, {dgrad_step(s, a, tf32, searches)});
  if (direction_of(w.axes) == Direction::wgrad) {
    return tagged(w,
                  {wgrad_step(s, a, tf32, searches),
                   call_step("bias gradient", s, a,
                             {.name = "cudnn.conv.bias_gradient",
                              .operands = {{{"y", a.dy}}, {{"b", a.db}}},
                              .compute = [](Host& host, const Conv&) { host.bias_gradient(); }})});
  }
  Steps steps = {convolve_step(s, a, tf32, searches),
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
  const Conv s = conv_of(w.axes);
  const ConvArrays a;
  return tagged(
      w, {call_step("convolve, bias and ReLU", s, a,
                    {.name = of_precision("cudnn.conv_bias_relu", tf32),
                     .tf32 = tf32,
                     .searches = searches_algorithms(w.axes),
                     .relu = s.relu,
                     .operands = {{{"x", a.x}, {"w", a.w}, {"b", a.b}}, {{"y", a.y}}},
                     .compute = [](Host& host, const Conv& c) { host.forward(true, c.relu); }})});
}

}  // namespace warpscope::autoencoder
