// scenes/deform/inputs/numbers.h: elements of an array of any floating type, as doubles.
#pragma once

#include <cstdint>

#include "scenes/base/array.h"
#include "scenes/base/half.h"

namespace warpscope::deform {

class Numbers {
 public:
  explicit Numbers(const HostArray& array) : type_(array.type()) {
    if (type_ == ElementType::f32) {
      floats_ = array.elements<float>();
    } else {
      halves_ = array.elements<std::uint16_t>();
    }
  }
  double operator[](std::int64_t i) const {
    if (type_ == ElementType::f32) return static_cast<double>(floats_[i]);
    return type_ == ElementType::f16 ? from_f16(halves_[i]) : from_bf16(halves_[i]);
  }

 private:
  ElementType type_;
  ElementsOf<float> floats_;
  ElementsOf<std::uint16_t> halves_;
};

}  // namespace warpscope::deform
