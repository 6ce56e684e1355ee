// workbench/drawing/style.cpp: colours, sizes, fonts and markers.
#include "workbench/drawing/style.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>

namespace warpscope {
namespace {

constexpr Palette kDark = {.window = IM_COL32(22, 24, 29, 255),
                           .panel = IM_COL32(28, 31, 37, 255),
                           .raised = IM_COL32(43, 47, 56, 255),
                           .border = IM_COL32(58, 63, 74, 255),
                           .hovered = IM_COL32(51, 56, 66, 255),
                           .text = IM_COL32(230, 232, 236, 255),
                           .muted = IM_COL32(158, 165, 177, 255),
                           .accent = IM_COL32(104, 176, 250, 255),
                           .grid = IM_COL32(50, 54, 63, 255),
                           .axis = IM_COL32(130, 137, 150, 255),
                           .roof = IM_COL32(214, 217, 223, 255),
                           .tint = IM_COL32(104, 176, 250, 22),
                           .good = IM_COL32(80, 200, 140, 255),
                           .warning = IM_COL32(240, 180, 70, 255),
                           .bad = IM_COL32(252, 126, 116, 255)};
constexpr Palette kLight = {.window = IM_COL32(243, 244, 246, 255),
                            .panel = IM_COL32(255, 255, 255, 255),
                            .raised = IM_COL32(228, 231, 236, 255),
                            .border = IM_COL32(201, 206, 214, 255),
                            .hovered = IM_COL32(215, 219, 226, 255),
                            .text = IM_COL32(26, 29, 35, 255),
                            .muted = IM_COL32(82, 89, 102, 255),
                            .accent = IM_COL32(13, 86, 166, 255),
                            .grid = IM_COL32(230, 232, 236, 255),
                            .axis = IM_COL32(110, 117, 130, 255),
                            .roof = IM_COL32(56, 61, 71, 255),
                            .tint = IM_COL32(13, 86, 166, 18),
                            .good = IM_COL32(8, 102, 62, 255),
                            .warning = IM_COL32(126, 76, 0, 255),
                            .bad = IM_COL32(172, 32, 28, 255)};

struct Pair {
  ImU32 dark, light;  // of one Okabe–Ito hue, on a dark and on a light ground
};
// Moved from the published ones as little as keeps any two of them 10 apart (CIEDE2000) for usual
// eyes and for each kind of colour blindness, and each legible as text on its ground: the test
// computes it (tests/workbench/drawing/colour_vision_test.cpp).
constexpr Pair kHues[8] = {{IM_COL32(238, 166, 16, 255), IM_COL32(109, 59, 0, 255)},
                           {IM_COL32(84, 192, 255, 255), IM_COL32(5, 113, 202, 255)},
                           {IM_COL32(0, 179, 125, 255), IM_COL32(0, 126, 92, 255)},
                           {IM_COL32(245, 233, 70, 255), IM_COL32(107, 106, 0, 255)},
                           {IM_COL32(60, 146, 243, 255), IM_COL32(5, 84, 156, 255)},
                           {IM_COL32(224, 110, 39, 255), IM_COL32(217, 28, 75, 255)},
                           {IM_COL32(207, 132, 179, 255), IM_COL32(171, 80, 131, 255)},
                           {IM_COL32(194, 198, 208, 255), IM_COL32(82, 86, 94, 255)}};

// Nobody scrolls a picture. ImGui asks for some width; this takes none that can be seen.
constexpr float kNoScrollbar = 0.01f;

ImVec4 vec(ImU32 colour) { return ImGui::ColorConvertU32ToFloat4(colour); }

// Light of an sRGB channel of 0 to 255. source: IEC 61966-2-1.
const std::array<double, 256> kLinear = [] {
  std::array<double, 256> light{};
  for (std::size_t i = 0; i < light.size(); ++i) {
    const double channel = static_cast<double>(i) / 255;
    light[i] = channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
  }
  return light;
}();

double luminance(ImU32 colour) {
  return 0.2126 * kLinear[colour >> IM_COL32_R_SHIFT & 0xFF] +
         0.7152 * kLinear[colour >> IM_COL32_G_SHIFT & 0xFF] +
         0.0722 * kLinear[colour >> IM_COL32_B_SHIFT & 0xFF];
}

// Oklab lightness, chroma and hue (degrees) as sRGB, clipped to what a screen shows.
ImU32 oklch(double lightness, double chroma, double hue) {
  const double a = chroma * std::cos(hue * std::numbers::pi / 180),
               b = chroma * std::sin(hue * std::numbers::pi / 180);
  const auto cubed = [](double v) { return v * v * v; };
  const double l = cubed(lightness + 0.3963377774 * a + 0.2158037573 * b),
               m = cubed(lightness - 0.1055613458 * a - 0.0638541728 * b),
               s = cubed(lightness - 0.0894841775 * a - 1.2914855480 * b);
  const auto channel = [](double v) {
    v = std::clamp(v, 0.0, 1.0);
    return static_cast<float>(v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055);
  };
  return ImGui::ColorConvertFloat4ToU32(
      {channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
       channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
       channel(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s), 1});
}

void add_font(ImFontAtlas& fonts, const char* path) {
  std::error_code ignored;
  ImFontConfig config;
  config.OversampleH = 2;
  config.OversampleV = 1;
  if (std::filesystem::exists(path, ignored) &&
      fonts.AddFontFromFileTTF(path, 0, &config) != nullptr)
    return;
  fonts.AddFontDefault();
}

void polygon(ImDrawList* list, ImVec2 centre, float radius, int corners, float turn, ImU32 colour,
             Fill fill) {
  ImVec2 points[8];
  for (int i = 0; i < corners; ++i) {
    const float angle =
        turn + 2 * std::numbers::pi_v<float> * static_cast<float>(i) / static_cast<float>(corners);
    points[i] = {centre.x + radius * std::cos(angle), centre.y + radius * std::sin(angle)};
  }
  if (fill == Fill::solid) list->AddConvexPolyFilled(points, corners, colour);
  if (fill == Fill::half) list->AddConvexPolyFilled(points, corners, faded(colour, 0.45f));
  if (fill != Fill::solid)
    list->AddPolyline(points, corners, colour, radius * 0.28f, ImDrawFlags_Closed);
}

}  // namespace

Style make_style(Theme theme, float scale) {
  Style style;
  style.theme = theme;
  style.scale = scale;
  const bool dark = theme == Theme::dark;
  style.colours = dark ? kDark : kLight;
  for (std::size_t i = 0; i < style.lanes.size(); ++i) {
    const double at = static_cast<double>(i) / (static_cast<double>(style.lanes.size()) - 1);
    style.lanes[i] = oklch((dark ? 0.42 : 0.34) + at * 0.46, 0.10, 285 - at * 135);
  }
  for (std::size_t i = 0; i < style.heat.size(); ++i) {
    const double at = static_cast<double>(i) / (static_cast<double>(style.heat.size()) - 1);
    style.heat[i] = dark ? oklch(0.30 + at * 0.50, 0.025 + at * 0.10, 75)
                         : oklch(0.95 - at * 0.40, 0.015 + at * 0.135, 50);
  }
  return style;
}

void apply_style(const Style& style) {
  ImGuiStyle& s = ImGui::GetStyle();
  s = ImGuiStyle();
  s.WindowPadding = {8, 8};
  s.FramePadding = {8, 4};
  s.ItemSpacing = {8, 6};
  s.CellPadding = {6, 3};
  s.WindowRounding = s.ChildRounding = 0;
  s.FrameRounding = s.GrabRounding = s.PopupRounding = s.TabRounding = 4;
  s.WindowBorderSize = 0;
  s.ScrollbarSize = 12;
  s.GrabMinSize = 12;
  s.ScaleAllSizes(style.scale);
  s.FontSizeBase = style.body.px;
  if (style.for_slides) s.ScrollbarSize = kNoScrollbar;
  const Palette& p = style.colours;
  ImVec4* c = s.Colors;
  for (int i = 0; i < ImGuiCol_COUNT; ++i) c[i] = vec(p.raised);
  c[ImGuiCol_Text] = vec(p.text);
  c[ImGuiCol_TextDisabled] = vec(p.muted);
  c[ImGuiCol_WindowBg] = vec(p.window);
  // A frame is cleared to the panels' colour, so that they need no ground of their own: painting
  // pixels is most of a frame where the processor draws.
  c[ImGuiCol_ChildBg] = vec(p.panel);
  c[ImGuiCol_ChildBg].w = 0;
  c[ImGuiCol_PopupBg] = vec(p.panel);
  c[ImGuiCol_Border] = vec(p.border);
  c[ImGuiCol_BorderShadow] = {0, 0, 0, 0};
  c[ImGuiCol_FrameBg] = vec(p.raised);
  c[ImGuiCol_FrameBgHovered] = c[ImGuiCol_FrameBgActive] = vec(p.hovered);
  c[ImGuiCol_ScrollbarBg] = {0, 0, 0, 0};
  c[ImGuiCol_ScrollbarGrab] = c[ImGuiCol_ScrollbarGrabHovered] = c[ImGuiCol_ScrollbarGrabActive] =
      style.for_slides ? ImVec4{} : vec(p.border);
  c[ImGuiCol_CheckMark] = c[ImGuiCol_SliderGrab] = c[ImGuiCol_SliderGrabActive] = vec(p.accent);
  c[ImGuiCol_PlotHistogram] = vec(p.accent);
  c[ImGuiCol_ButtonHovered] = c[ImGuiCol_ButtonActive] = vec(p.hovered);
  c[ImGuiCol_HeaderHovered] = c[ImGuiCol_HeaderActive] = vec(p.hovered);
  c[ImGuiCol_Separator] = vec(p.border);
  c[ImGuiCol_Tab] = c[ImGuiCol_TabDimmed] = vec(p.window);
  c[ImGuiCol_TabSelected] = c[ImGuiCol_TabDimmedSelected] = vec(p.raised);
  c[ImGuiCol_TabHovered] = vec(p.hovered);
  c[ImGuiCol_TableHeaderBg] = vec(p.raised);
  c[ImGuiCol_TableBorderStrong] = c[ImGuiCol_TableBorderLight] = vec(p.grid);
  c[ImGuiCol_TableRowBg] = {0, 0, 0, 0};
  c[ImGuiCol_TableRowBgAlt] = vec(faded(p.raised, 0.35f));
  c[ImGuiCol_TextSelectedBg] = vec(faded(p.accent, 0.35f));
  c[ImGuiCol_NavCursor] = {0, 0, 0, 0};  // focus.cpp frames what has the focus, whatever it is
  c[ImGuiCol_ModalWindowDimBg] = vec(faded(p.window, 0.6f));
}

bool for_slides() { return ImGui::GetStyle().ScrollbarSize == kNoScrollbar; }

ImVec4 clear_colour() {
  ImVec4 colour = ImGui::GetStyle().Colors[ImGuiCol_ChildBg];
  colour.w = 1;
  return colour;
}

void load_fonts(Style& style) {
  ImFontAtlas& fonts = *ImGui::GetIO().Fonts;
  if (fonts.Fonts.empty()) {
    // Room for a session's letters: a texture that grows is drawn anew. Four bytes per pixel,
    // twice: here and in the driver.
    fonts.TexMinWidth = 1024;
    fonts.TexMinHeight = style.scale < 1.5f ? 512 : 1024;
    add_font(fonts, "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf");
    add_font(fonts, "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf");
  }
  ImFont *const words = fonts.Fonts[0], *const code = fonts.Fonts[1];
  style.body = {words, std::round(13 * style.scale)};
  style.large = {words, std::round(20 * style.scale)};
  style.mono = {code, std::round(12.5f * style.scale)};
}

void push_face(const Face& face) { ImGui::PushFont(face.font, face.px); }

Face speech_face(const Style& style, float window_height) {
  // A 24 px line of 1080 can be read from ten metres on a screen two metres high.
  constexpr float kLeast = 0.022f, kMost = 0.03f;
  const float body = std::min(13 * style.scale, kMost * window_height);
  return {style.body.font, std::round(std::max(kLeast * window_height, body))};
}

ImU32 variant_colour(const Style& style, int index) {
  const Pair& pair = kHues[index % 8];
  return style.theme == Theme::dark ? pair.dark : pair.light;
}

Marker variant_marker(int index) { return static_cast<Marker>((index + index / 8) % 8); }

ImU32 faded(ImU32 colour, float alpha) {
  const auto old = static_cast<float>((colour >> IM_COL32_A_SHIFT) & 0xFF);
  return (colour & ~IM_COL32_A_MASK) | (static_cast<ImU32>(old * alpha) << IM_COL32_A_SHIFT);
}

ImU32 blended(ImU32 ground, ImU32 over, float share) {
  const ImVec4 a = ImGui::ColorConvertU32ToFloat4(ground), b = ImGui::ColorConvertU32ToFloat4(over);
  const auto between = [share](float from, float to) { return from + (to - from) * share; };
  return ImGui::ColorConvertFloat4ToU32(
      {between(a.x, b.x), between(a.y, b.y), between(a.z, b.z), 1});
}

void draw_marker(ImDrawList* list, ImVec2 centre, float radius, Marker marker, ImU32 colour,
                 Fill fill) {
  constexpr float kUp = -std::numbers::pi_v<float> / 2;
  switch (marker) {
    case Marker::disc:
      if (fill == Fill::solid) list->AddCircleFilled(centre, radius, colour);
      if (fill == Fill::half) list->AddCircleFilled(centre, radius, faded(colour, 0.45f));
      if (fill != Fill::solid) list->AddCircle(centre, radius, colour, 0, radius * 0.28f);
      break;
    case Marker::square:
      polygon(list, centre, radius * 1.15f, 4, kUp / 2, colour, fill);
      break;
    case Marker::triangle:
      polygon(list, centre, radius * 1.2f, 3, kUp, colour, fill);
      break;
    case Marker::diamond:
      polygon(list, centre, radius * 1.2f, 4, kUp, colour, fill);
      break;
    case Marker::triangle_down:
      polygon(list, centre, radius * 1.2f, 3, -kUp, colour, fill);
      break;
    case Marker::hexagon:
      polygon(list, centre, radius * 1.1f, 6, kUp, colour, fill);
      break;
    case Marker::plus:
    case Marker::cross: {
      const float r = radius, d = marker == Marker::plus ? 0.0f : radius * 0.75f;
      const float width = std::max(1.0f, radius * (fill == Fill::solid ? 0.55f : 0.3f));
      if (marker == Marker::plus) {
        list->AddLine({centre.x - r, centre.y}, {centre.x + r, centre.y}, colour, width);
        list->AddLine({centre.x, centre.y - r}, {centre.x, centre.y + r}, colour, width);
      } else {
        list->AddLine({centre.x - d, centre.y - d}, {centre.x + d, centre.y + d}, colour, width);
        list->AddLine({centre.x - d, centre.y + d}, {centre.x + d, centre.y - d}, colour, width);
      }
      break;
    }
  }
  if (fill == Fill::pupil) list->AddCircleFilled(centre, radius * 0.45f, colour);
}

void add_dashed_circle(ImDrawList* list, ImVec2 centre, float radius, ImU32 colour, float width) {
  constexpr int kDashes = 8;
  constexpr float kTurn = 2 * std::numbers::pi_v<float> / kDashes;
  for (int i = 0; i < kDashes; ++i) {
    const float from = static_cast<float>(i) * kTurn;
    list->PathArcTo(centre, radius, from, from + kTurn * 0.55f, 3);
    list->PathStroke(colour, width);
  }
}

std::string verdict_text(Outcome outcome) {
  switch (outcome) {
    case Outcome::correct:
      return "✔ correct";
    case Outcome::no_reference:
      return "· no reference";
    case Outcome::unchecked:
      return "· not run";
    case Outcome::nothing_to_do:
      return "– empty";
    case Outcome::cannot_run:
      return "– cannot run";
    default:
      return std::string("✕ ") + to_text(outcome);
  }
}

ImU32 verdict_colour(const Style& style, Outcome outcome) {
  switch (outcome) {
    case Outcome::correct:
      return style.colours.good;
    case Outcome::no_reference:
    case Outcome::unchecked:
    case Outcome::nothing_to_do:
    case Outcome::cannot_run:
      return style.colours.muted;
    default:
      return style.colours.bad;
  }
}

ImU32 difference_colour(const Style& style, Difference difference) {
  switch (difference) {
    case Difference::faster:
      return style.colours.good;
    case Difference::slower:
      return style.colours.bad;
    default:
      return style.colours.muted;
  }
}

ImU32 lane_colour(const Style& style, int lane) {
  return style.lanes[static_cast<std::size_t>(std::clamp(lane, 0, 31))];
}

ImU32 heat_colour(const Style& style, double ratio) {
  return style.heat[static_cast<std::size_t>(std::lround(std::clamp(ratio, 0.0, 1.0) * 255))];
}

ImU32 ink_on(ImU32 ground) {
  constexpr ImU32 kBlack = IM_COL32(0, 0, 0, 255), kWhite = IM_COL32(255, 255, 255, 255);
  return contrast_ratio(kBlack, ground) >= contrast_ratio(kWhite, ground) ? kBlack : kWhite;
}

double contrast_ratio(ImU32 a, ImU32 b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

}  // namespace warpscope
