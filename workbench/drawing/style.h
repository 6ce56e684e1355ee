// workbench/drawing/style.h: colours, sizes, fonts and markers: the only place that has literal
// ones.
#pragma once

#include <imgui.h>

#include <array>
#include <string>

#include "profiling/figures/timing.h"
#include "profiling/points/measurement.h"

namespace warpscope {

enum class Theme { dark, light };

// Roles, not hues: panels ask for what a colour means.
struct Palette {
  ImU32 window, panel, raised, border;
  ImU32 hovered;  // ground of a button or row under the pointer
  ImU32 text, muted, accent;
  ImU32 grid, axis, roof, tint;
  ImU32 good, warning, bad;
};

// A font at a size. Dear ImGui draws each letter at the size that is asked for when it is first
// shown.
struct Face {
  ImFont* font = nullptr;
  float px = 0;
};
// Until ImGui::PopFont().
void push_face(const Face& face);

struct Style {
  Theme theme = Theme::dark;
  float scale = 1.0f;  // content scale × the person's scale
  Palette colours{};
  Face body, large, mono;
  bool for_slides = false;        // a picture is drawn, not a window: see for_slides()
  std::array<ImU32, 32> lanes{};  // what lane_colour gives
  std::array<ImU32, 256> heat{};  // what heat_colour gives, evenly from 0 to 1
  // A length on the 8-pixel grid: unit(1) is 8 px at scale 1.
  float unit(float eighths) const { return 8.0f * eighths * scale; }
};

Style make_style(Theme theme, float scale);
// Sets ImGui's colours and sizes from the style.
void apply_style(const Style& style);
// What a frame is cleared to before anything is drawn: the panels' ground.
ImVec4 clear_colour();
// The style's faces, between frames: of DejaVu Sans and DejaVu Sans Mono where they are installed,
// of ImGui's own font elsewhere. A context loads them once, whatever scales follow.
void load_fonts(Style& style);

// The eight Okabe–Ito colours × eight shapes, fixed for the variant at `index` of its scene.
// source: Okabe and Ito, "Color Universal Design", 2008; moved apart for each theme.
ImU32 variant_colour(const Style& style, int index);
enum class Marker { disc, square, triangle, diamond, triangle_down, plus, cross, hexagon };
Marker variant_marker(int index);
enum class Fill { solid, half, ring, pupil };  // pupil: a ring with a dot in it
void draw_marker(ImDrawList* list, ImVec2 centre, float radius, Marker marker, ImU32 colour,
                 Fill fill);
// Around a marker: its figure is modelled, not measured.
void add_dashed_circle(ImDrawList* list, ImVec2 centre, float radius, ImU32 colour, float width);

// A word and a sign, never colour alone: "✔ correct", "✕ wrong".
std::string verdict_text(Outcome outcome);
ImU32 verdict_colour(const Style& style, Outcome outcome);
ImU32 difference_colour(const Style& style, Difference difference);

// One ramp over the 32 lanes of a warp, the same in every diagram: lightness and hue change evenly
// in Oklab, so that neighbours are as far apart everywhere and the order shows without hues.
// source: Ottosson, "A perceptual color space for image processing", 2020.
ImU32 lane_colour(const Style& style, int lane);
// One hue from the panel's ground (0) to full heat (1).
ImU32 heat_colour(const Style& style, double ratio);
// Whether the context at hand draws a picture for slides, as the style that was applied last says:
// without controls and scroll bars, and with no text cut short.
bool for_slides();
// The typeface of a lesson's words in a window of this height in pixels, readable from the last
// row.
Face speech_face(const Style& style, float window_height);
// Black or white, whichever is legible on `ground`.
ImU32 ink_on(ImU32 ground);

// WCAG 2 contrast ratio of two opaque colours.
double contrast_ratio(ImU32 a, ImU32 b);
ImU32 faded(ImU32 colour, float alpha);
// An opaque colour between two: `share` 0 is the ground, 1 the other.
ImU32 blended(ImU32 ground, ImU32 over, float share);

}  // namespace warpscope
