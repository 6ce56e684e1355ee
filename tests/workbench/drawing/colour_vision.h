// tests/workbench/drawing/colour_vision.h: colours as people without one kind of cone see them, and
// how far two colours are apart.
#pragma once

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace warpscope {

enum class Vision { usual, protanopia, deuteranopia, tritanopia };
inline constexpr std::array kVisions = {Vision::usual, Vision::protanopia, Vision::deuteranopia,
                                        Vision::tritanopia};
inline const char* to_text(Vision vision) {
  constexpr const char* kNames[] = {"usual", "protanopia", "deuteranopia", "tritanopia"};
  return kNames[static_cast<int>(vision)];
}

using Triple = std::array<double, 3>;

// Light of the three channels, 0 to 1. source: IEC 61966-2-1.
inline Triple light_of(ImU32 colour) {
  Triple light{};
  const int shifts[] = {IM_COL32_R_SHIFT, IM_COL32_G_SHIFT, IM_COL32_B_SHIFT};
  for (std::size_t i = 0; i < 3; ++i) {
    const double c = static_cast<double>(colour >> shifts[i] & 0xFF) / 255;
    light[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  return light;
}

// source: Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color
// Vision Deficiency", IEEE TVCG 15 (2009), 1291–1298: the matrices of severity 1.0, of linear RGB.
inline Triple seen(const Triple& light, Vision vision) {
  using Matrix = std::array<Triple, 3>;
  static constexpr Matrix kMatrices[] = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                                         {{{0.152286, 1.052583, -0.204868},
                                           {0.114503, 0.786281, 0.099216},
                                           {-0.003882, -0.048116, 1.051998}}},
                                         {{{0.367322, 0.860646, -0.227968},
                                           {0.280085, 0.672501, 0.047413},
                                           {-0.011820, 0.042940, 0.968881}}},
                                         {{{1.255528, -0.076749, -0.178779},
                                           {-0.078411, 0.930809, 0.147602},
                                           {0.004733, 0.691367, 0.303900}}}};
  const Matrix& m = kMatrices[static_cast<std::size_t>(vision)];
  Triple result{};
  for (std::size_t i = 0; i < 3; ++i) {
    result[i] = std::clamp(m[i][0] * light[0] + m[i][1] * light[1] + m[i][2] * light[2], 0.0, 1.0);
  }
  return result;
}

// CIE 1976 L*a*b* under D65. source: CIE 15:2004; sRGB's primaries of IEC 61966-2-1.
inline Triple lab_of(const Triple& light) {
  const double x = (0.4124564 * light[0] + 0.3575761 * light[1] + 0.1804375 * light[2]) / 0.95047,
               y = 0.2126729 * light[0] + 0.7151522 * light[1] + 0.0721750 * light[2],
               z = (0.0193339 * light[0] + 0.1191920 * light[1] + 0.9503041 * light[2]) / 1.08883;
  const auto f = [](double t) {
    constexpr double kBend = 216.0 / 24389;
    return t > kBend ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
  };
  return {116 * f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))};
}
inline Triple lab_of(ImU32 colour, Vision vision) { return lab_of(seen(light_of(colour), vision)); }

// CIEDE2000. source: Sharma, Wu and Dalal, "The CIEDE2000 Color-Difference Formula", Color Research
// and Application 30 (2005), 21–30.
inline double difference(const Triple& a, const Triple& b) {
  constexpr double kDegree = std::numbers::pi / 180, kTurn = 2 * std::numbers::pi;
  const auto seventh = [](double c) {
    return std::pow(c, 7) / (std::pow(c, 7) + std::pow(25.0, 7));
  };
  const double mean = (std::hypot(a[1], a[2]) + std::hypot(b[1], b[2])) / 2;
  const double g = 0.5 * (1 - std::sqrt(seventh(mean)));
  const double a1 = (1 + g) * a[1], a2 = (1 + g) * b[1];
  const double c1 = std::hypot(a1, a[2]), c2 = std::hypot(a2, b[2]);
  const auto hue = [kTurn](double x, double y) {
    const double h = x == 0 && y == 0 ? 0 : std::atan2(y, x);
    return h < 0 ? h + kTurn : h;
  };
  const double h1 = hue(a1, a[2]), h2 = hue(a2, b[2]);
  double turn = c1 * c2 == 0 ? 0 : h2 - h1;
  if (turn > std::numbers::pi) turn -= kTurn;
  if (turn < -std::numbers::pi) turn += kTurn;
  double h = h1 + h2;
  if (c1 * c2 != 0) {
    h = std::abs(h1 - h2) <= std::numbers::pi ? h / 2
        : h < kTurn                           ? (h + kTurn) / 2
                                              : (h - kTurn) / 2;
  }
  const double dl = b[0] - a[0], dc = c2 - c1, dh = 2 * std::sqrt(c1 * c2) * std::sin(turn / 2);
  const double l = (a[0] + b[0]) / 2, c = (c1 + c2) / 2;
  const double t = 1 - 0.17 * std::cos(h - 30 * kDegree) + 0.24 * std::cos(2 * h) +
                   0.32 * std::cos(3 * h + 6 * kDegree) - 0.20 * std::cos(4 * h - 63 * kDegree);
  const double around = (h / kDegree - 275) / 25;
  const double rotation =
      -2 * std::sqrt(seventh(c)) * std::sin(60 * kDegree * std::exp(-around * around));
  const double sl = 1 + 0.015 * (l - 50) * (l - 50) / std::sqrt(20 + (l - 50) * (l - 50)),
               sc = 1 + 0.045 * c, sh = 1 + 0.015 * c * t;
  const double x = dl / sl, y = dc / sc, z = dh / sh;
  return std::sqrt(x * x + y * y + z * z + rotation * y * z);
}
inline double difference(ImU32 a, ImU32 b, Vision vision) {
  return difference(lab_of(a, vision), lab_of(b, vision));
}

}  // namespace warpscope
