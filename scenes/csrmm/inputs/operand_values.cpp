// scenes/csrmm/inputs/operand_values.cpp: the numbers of A and B.
#include "scenes/csrmm/inputs/operand_values.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <string>

#include "scenes/base/half.h"
#include "scenes/csrmm/inputs/inputs.h"
#include "scenes/csrmm/steps/steps.h"
#include "scenes/host/random.h"

namespace warpscope::csrmm {
namespace {

// A number in the type of weights, B and C.
class Rounded {
 public:
  Rounded(ElementType type, std::span<std::byte> to) : type_(type), to_(to) {}
  std::size_t count() const { return to_.size() / static_cast<std::size_t>(element_bytes(type_)); }
  // Whether it is a zero in that type.
  bool set(std::size_t e, double exact) const {
    if (type_ == ElementType::f64) {
      elements_in<double>(to_)[e] = exact;
      return exact == 0;
    }
    const auto value = static_cast<float>(exact);
    if (type_ == ElementType::f32) {
      elements_in<float>(to_)[e] = value;
      return value == 0.0f;
    }
    const std::uint16_t bits = type_ == ElementType::f16 ? to_f16(value) : to_bf16(value);
    elements_in<std::uint16_t>(to_)[e] = bits;
    return (bits & 0x7fff) == 0;
  }

 private:
  ElementType type_;
  std::span<std::byte> to_;
};

// A file's values, which are kept in f32.
HostArray in_f64(const HostArray& values) {
  HostArray wide(ElementType::f64, values.count());
  const std::span<const float> from = values.as<float>();
  const std::span<double> to = wide.as<double>();
  std::copy(from.begin(), from.end(), to.begin());
  return wide;
}

}  // namespace

void make_weights(const Configuration& axes, std::int64_t first, std::span<std::byte> bytes) {
  const Rounded weights(value_type(axes), bytes);
  const bool one = axes.text("weights") == "homo";
  const RandomStream stream(seed_of(axes), kWeights);
  for (std::size_t e = 0; e < weights.count(); ++e) {
    weights.set(e, one ? 1.0 : stream.normal(static_cast<std::uint64_t>(first) + e));
  }
}

std::int64_t make_b(const Configuration& axes, std::int64_t first, std::span<std::byte> bytes) {
  const std::int64_t n = axes.integer("n"), strips = (n + 31) / 32;
  const double density = axes.real("db");
  const bool by_row = axes.text("zeros") == "rows", by_strip = axes.text("zeros") == "strips";
  const Rounded b(value_type(axes), bytes);
  const RandomStream kept(seed_of(axes), kKept), drawn(seed_of(axes), kB);
  std::int64_t nonzeros = 0, row = n > 0 ? first / n : 0, column = n > 0 ? first % n : 0;
  std::array<double, 256> shares;  // of the next elements, where each decides for itself
  for (std::size_t e = 0; e < b.count(); ++e, ++column) {
    if (column == n) column = 0, ++row;
    const std::uint64_t i = static_cast<std::uint64_t>(first) + e;
    double& share = shares[e % shares.size()];
    if (by_row || by_strip) {
      share = kept.uniform(static_cast<std::uint64_t>(by_row ? row : row * strips + column / 32));
    } else if (e % shares.size() == 0) {
      kept.uniform(i, std::span(shares).first(std::min(shares.size(), b.count() - e)));
    }
    const bool zero = b.set(e, share < density ? drawn.normal(i) : 0.0);
    nonzeros += zero ? 0 : 1;
  }
  return nonzeros;
}

bool weights_of_file(const Configuration& axes, const Facts& facts) {
  if (axes.text("weights") == "homo") return false;
  const auto pattern = facts.find("file_pattern");
  return pattern != facts.end() && pattern->second != 1;
}

Result<void> generate_weights(const Configuration& axes, Inputs& inputs, Facts& facts) {
  if (weights_of_file(axes, facts)) {
    inputs["weights"] = value_type(axes) == ElementType::f64
                            ? in_f64(inputs.at("file_values"))
                            : rounded(inputs.at("file_values"), value_type(axes));
    return {};
  }
  const bool one = axes.text("weights") == "homo";
  inputs["weights"] =
      HostArray::whole(value_type(axes), one ? 1 : static_cast<std::int64_t>(facts.at("nnz")),
                       [&axes](std::int64_t first, std::span<std::byte> bytes) {
                         make_weights(axes, first, bytes);
                       });
  return {};
}

Result<void> generate_b(const Configuration& axes, Inputs& inputs, Facts& facts) {
  const std::int64_t rows = axes.integer(transposed(axes) ? "m" : "k");
  std::atomic<std::int64_t> nonzeros = 0;
  inputs["b"] = HostArray::whole(value_type(axes), rows * axes.integer("n"),
                                 [&](std::int64_t first, std::span<std::byte> bytes) {
                                   nonzeros += make_b(axes, first, bytes);
                                 });
  facts["b_nonzeros"] = static_cast<double>(nonzeros.load());
  return {};
}

}  // namespace warpscope::csrmm
