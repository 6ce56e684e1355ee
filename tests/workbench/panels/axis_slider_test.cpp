// tests/workbench/panels/axis_slider_test.cpp: ticks stand under the handle of their slider.
#include "workbench/panels/axes/axis_slider.h"

#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <cmath>
#include <vector>

#include "scenes/catalogue.h"
#include "tests/workbench/window/null_window.h"
#include "workbench/panels/axes/axis_row.h"

namespace warpscope {
namespace {

// The middle of the grab that ImGui draws.
float grab_at(const Axis& axis, double value, const ImRect& slider) {
  ImRect grab;
  const ImGuiSliderFlags flags = (axis.scale == AxisScale::log ? ImGuiSliderFlags_Logarithmic : 0) |
                                 ImGuiSliderFlags_NoRoundToFormat;
  ImGui::SliderBehavior(slider, ImGui::GetID(axis.name.c_str()), ImGuiDataType_Double, &value,
                        &axis.minimum, &axis.maximum, slider_format(axis).c_str(), flags, &grab);
  return (grab.Min.x + grab.Max.x) / 2;
}

std::vector<double> values_of(const Axis& axis) {
  std::vector<double> values = axis.stops;
  values.insert(values.end(), {axis.minimum, axis.maximum, number_of(axis.default_value)});
  for (const double part : {0.1, 0.25, 0.5, 0.75, 0.9}) {
    const bool log = axis.scale == AxisScale::log && axis.minimum > 0;
    values.push_back(log ? axis.minimum * std::pow(axis.maximum / axis.minimum, part)
                         : axis.minimum + part * (axis.maximum - axis.minimum));
  }
  return values;
}

TEST(AxisSlider, TicksStandUnderTheMiddleOfTheGrab) {
  for (const float scale : {1.0f, 2.0f}) {
    NullWindow window(1280, 720, scale);
    int looked_at = 0;
    window.frame([&] {
      ImGui::Begin("alone");
      const ImRect slider({20, 40}, {20 + 260 * scale, 40 + 22 * scale});
      for (const Scene& scene : built_in_catalogue().scenes()) {
        for (const Axis& axis : scene.axes) {
          if (axis.kind != AxisKind::integer && axis.kind != AxisKind::real) continue;
          for (const double value : values_of(axis)) {
            EXPECT_NEAR(slider_x(axis, value, slider.Min, slider.Max), grab_at(axis, value, slider),
                        0.51)
                << scene.name << " " << axis.name << " = " << value << " at " << scale;
            ++looked_at;
          }
        }
      }
      ImGui::End();
    });
    EXPECT_GT(looked_at, 200);
  }
}

// The whole range can be reached: the least value is not one point of a wider nothing.
TEST(AxisSlider, EveryPartOfALogAxisTakesItsShareOfTheSlider) {
  const NullWindow window;
  for (const Scene& scene : built_in_catalogue().scenes()) {
    for (const Axis& axis : scene.axes) {
      if (axis.scale != AxisScale::log || axis.minimum <= 0) continue;
      const double near = axis.minimum * std::pow(axis.maximum / axis.minimum, 0.1);
      const float low = slider_x(axis, axis.minimum, {0, 0}, {300, 20});
      EXPECT_GT(slider_x(axis, near, {0, 0}, {300, 20}) - low, 20) << scene.name << axis.name;
    }
  }
}

TEST(AxisRow, WritesANameOnceWhereItsLabelSaysTheSame) {
  const Scene& scene = **built_in_catalogue().find("csrmm");
  const auto words = [&](const char* name) {
    return name_and_label(*find_axis(scene.axes, name), ", ");
  };
  EXPECT_EQ(words("seed"), "seed");
  EXPECT_EQ(words("n"), "n, columns of B");
  EXPECT_EQ(words("sorted"), "sorted, sorted columns");
  Axis capitals;
  capitals.name = "leds_per_block";
  capitals.label = "LEDs per block";
  EXPECT_TRUE(is_named_by_its_label(capitals));
}

}  // namespace
}  // namespace warpscope
