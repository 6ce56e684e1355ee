// scenes/base/half.cpp: 16-bit floating-point numbers on the host, rounded to nearest even.
#include "scenes/base/half.h"

#include <bit>
#include <cmath>
#include <limits>
#include <span>

namespace warpscope {

std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t to_f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000);
  if (std::isnan(value)) return sign | 0x7e00;
  const float magnitude = std::fabs(value);
  if (magnitude >= 65520.0f) return sign | 0x7c00;  // half a step above the largest, 65504
  if (magnitude < 0x1p-14f) {
    // Below the normals a step is 2⁻²⁴; 0.5 added and taken away rounds to it.
    const float steps = magnitude + 0.5f;
    return static_cast<std::uint16_t>(
        sign | (std::bit_cast<std::uint32_t>(steps) - std::bit_cast<std::uint32_t>(0.5f)));
  }
  // 13 bits of the mantissa go; the exponent's bias falls from 127 to 15.
  const std::uint32_t normal = bits & 0x7fffffff;
  const std::uint32_t even = normal + 0xfff + ((normal >> 13) & 1);
  return static_cast<std::uint16_t>(sign | ((even >> 13) - (112u << 10)));
}

float from_f16(std::uint16_t bits) {
  const float sign = (bits & 0x8000) != 0 ? -1.0f : 1.0f;
  const int exponent = (bits >> 10) & 31, mantissa = bits & 1023;
  if (exponent == 31) {
    return mantissa != 0 ? std::numeric_limits<float>::quiet_NaN()
                         : sign * std::numeric_limits<float>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -24);
  return sign * std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25);
}

float rounded(float value, ElementType type) {
  if (type == ElementType::f16) return from_f16(to_f16(value));
  if (type == ElementType::bf16) return from_bf16(to_bf16(value));
  return value;
}

HostArray rounded(HostArray values, ElementType type) {
  if (type == ElementType::f32) return values;
  HostArray out(type, values.count());
  const std::span<const float> from = values.as<float>();
  const std::span<std::uint16_t> to = out.as<std::uint16_t>();
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] = type == ElementType::f16 ? to_f16(from[i]) : to_bf16(from[i]);
  }
  return out;
}

HostArray widened(const HostArray& values) {
  if (values.type() == ElementType::f32) return values;
  HostArray out(ElementType::f32, values.count());
  const std::span<const std::uint16_t> from = values.as<std::uint16_t>();
  const std::span<float> to = out.as<float>();
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] = values.type() == ElementType::f16 ? from_f16(from[i]) : from_bf16(from[i]);
  }
  return out;
}

}  // namespace warpscope
