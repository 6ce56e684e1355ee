// tests/workbench/drawing/colour_vision_test.cpp: colours mean the same to people who see fewer of
// them, and text is legible on every ground that it stands on.
#include "tests/workbench/drawing/colour_vision.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "workbench/drawing/style.h"

namespace warpscope {
namespace {

constexpr std::array kThemes = {Theme::dark, Theme::light};
std::string name_of(Theme theme) { return theme == Theme::dark ? "dark" : "light"; }

// source: Sharma, Wu and Dalal (2005), table 1, pairs 1, 2, 3, 10, 14, 17 and 25.
TEST(ColourVision, TheDifferenceOfTwoColoursIsThePublishedOne) {
  struct Pair {
    Triple a, b;
    double apart;
  };
  for (const Pair& pair :
       {Pair{{50, 2.6772, -79.7751}, {50, 0, -82.7485}, 2.0425},
        Pair{{50, 3.1571, -77.2803}, {50, 0, -82.7485}, 2.8615},
        Pair{{50, 2.8361, -74.0200}, {50, 0, -82.7485}, 3.4412},
        Pair{{50, 2.49, -0.001}, {50, -2.49, 0.0011}, 7.2195},
        Pair{{50, -0.001, 2.49}, {50, 0.0011, -2.49}, 4.7461},
        Pair{{50, 2.5, 0}, {73, 25, -18}, 27.1492},
        Pair{{60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}, 1.2644}})
    EXPECT_NEAR(difference(pair.a, pair.b), pair.apart, 5e-5);
}

TEST(ColourVision, WithoutAConeGreysStayGreyAndItsColoursMeet) {
  const ImU32 grey = IM_COL32(128, 128, 128, 255);
  for (const Vision vision : kVisions)
    EXPECT_LT(difference(lab_of(grey, vision), lab_of(grey, Vision::usual)), 0.5)
        << to_text(vision);
  // A red and a green that a deuteranope takes for one another.
  const ImU32 red = IM_COL32(180, 60, 40, 255), green = IM_COL32(85, 110, 30, 255);
  EXPECT_LT(difference(red, green, Vision::deuteranopia),
            difference(red, green, Vision::usual) / 3);
}

// Also where two variants of a scene have one marker: their hues differ then.
TEST(ColourVision, AnyTwoVariantsDifferInColourOrInMarker) {
  constexpr int kVariants = 64;
  constexpr double kApart = 10;
  for (const Theme theme : kThemes) {
    const Style style = make_style(theme, 1);
    for (int i = 0; i < kVariants; ++i) {
      for (int k = i + 1; k < kVariants; ++k) {
        const bool one_marker = variant_marker(i) == variant_marker(k);
        EXPECT_FALSE(one_marker && variant_colour(style, i) == variant_colour(style, k))
            << i << " and " << k;
        if (k >= 8 && !one_marker) continue;
        for (const Vision vision : kVisions) {
          EXPECT_GE(difference(variant_colour(style, i), variant_colour(style, k), vision), kApart)
              << i << " and " << k << ", " << name_of(theme) << ", " << to_text(vision);
        }
      }
    }
  }
}

struct Steps {
  double least = 1e9, most = 0;
  void take(double step) {
    least = std::min(least, step);
    most = std::max(most, step);
  }
};

// Lightness goes one way in steps of about one size, and no step is lost.
void expect_even(const std::function<ImU32(int)>& ramp, int count, double least_apart,
                 const std::string& what) {
  for (const Vision vision : kVisions) {
    const double way = lab_of(ramp(count - 1), vision)[0] - lab_of(ramp(0), vision)[0];
    Steps lightness, apart;
    for (int i = 1; i < count; ++i) {
      const double up = lab_of(ramp(i), vision)[0] - lab_of(ramp(i - 1), vision)[0];
      lightness.take(way > 0 ? up : -up);
      apart.take(difference(ramp(i - 1), ramp(i), vision));
    }
    const std::string where = what + ", " + to_text(vision);
    EXPECT_GT(lightness.least, 0) << where;
    EXPECT_LE(lightness.most, 2 * lightness.least) << where;
    EXPECT_GE(apart.least, least_apart) << where;
    EXPECT_LE(apart.most, 3.5 * apart.least) << where;
    EXPECT_GE(difference(ramp(0), ramp(count - 1), vision), 35) << where << ": its ends";
  }
}

TEST(ColourVision, TheRampOfLanesIsEvenForEveryEye) {
  for (const Theme theme : kThemes) {
    const Style style = make_style(theme, 1);
    expect_even([&](int lane) { return lane_colour(style, lane); }, 32, 1,
                "lanes, " + name_of(theme));
  }
}

TEST(ColourVision, TheRampOfHeatIsEvenForEveryEye) {
  for (const Theme theme : kThemes) {
    const Style style = make_style(theme, 1);
    expect_even([&](int i) { return heat_colour(style, i / 16.0); }, 17, 1.5,
                "heat, " + name_of(theme));
  }
}

TEST(ColourVision, TextIsLegibleOnEveryGroundThatItStandsOn) {
  constexpr double kLegible = 4.5;  // source: WCAG 2.2, 1.4.3
  for (const Theme theme : kThemes) {
    const Style style = make_style(theme, 1);
    const Palette& p = style.colours;
    const auto over = [](ImU32 ground, ImU32 paint, float share) {
      const ImVec4 a = ImGui::ColorConvertU32ToFloat4(ground),
                   b = ImGui::ColorConvertU32ToFloat4(paint);
      return ImGui::ColorConvertFloat4ToU32(
          {a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share, a.z + (b.z - a.z) * share, 1});
    };
    // Panels, menus, buttons and tabs; with the pointer on them; selected text; every second row.
    const ImU32 grounds[] = {p.window, p.panel, p.raised, p.hovered,
                             over(p.panel, p.raised, 0.35f)};
    for (const ImU32 ground : grounds) {
      for (const ImU32 text : {p.text, p.muted, p.accent, p.good, p.warning, p.bad})
        EXPECT_GE(contrast_ratio(text, ground), kLegible) << name_of(theme);
    }
    EXPECT_GE(contrast_ratio(p.text, over(p.raised, p.accent, 0.35f)), kLegible) << "selected text";
    EXPECT_GE(contrast_ratio(ink_on(p.accent), p.accent), kLegible) << "on a slider's grab";
    for (int i = 0; i < 8; ++i) {
      for (const ImU32 ground : {p.panel, p.window})
        EXPECT_GE(contrast_ratio(variant_colour(style, i), ground), kLegible)
            << name_of(theme) << " " << i;
    }
    for (int i = 0; i < 32; ++i)
      EXPECT_GE(contrast_ratio(ink_on(lane_colour(style, i)), lane_colour(style, i)), kLegible);
    for (int i = 0; i <= 16; ++i) {
      const ImU32 heat = heat_colour(style, i / 16.0);
      EXPECT_GE(contrast_ratio(ink_on(heat), heat), kLegible);
    }
  }
}

}  // namespace
}  // namespace warpscope
