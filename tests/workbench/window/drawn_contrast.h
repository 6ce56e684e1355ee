// tests/workbench/window/drawn_contrast.h: the colours of a frame's letters, and what lies below
// them.
#pragma once

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

//   for (const auto& [colours, pair] : ink_of_last_frame(clear_colour()))
//     … contrast_ratio(colours.first, colours.second) … pair.letters …

namespace warpscope {

// What is filled so far in a frame, found by place.
class Painted {
 public:
  void add(const ImDrawVert& a, const ImDrawVert& b, const ImDrawVert& c, const ImVec4& clip) {
    const float x0 = std::max(std::min({a.pos.x, b.pos.x, c.pos.x}), clip.x),
                x1 = std::min(std::max({a.pos.x, b.pos.x, c.pos.x}), clip.z),
                y0 = std::max(std::min({a.pos.y, b.pos.y, c.pos.y}), clip.y),
                y1 = std::min(std::max({a.pos.y, b.pos.y, c.pos.y}), clip.w);
    if (x0 >= x1 || y0 >= y1) return;
    triangles_.push_back({{a, b, c}, clip});
    for (int y = cell(y0); y <= cell(y1); ++y) {
      for (int x = cell(x0); x <= cell(x1); ++x) cells_[{x, y}].push_back(triangles_.size() - 1);
    }
  }
  // The colour at a place over `ground`.
  ImVec4 at(const ImVec2& place, ImVec4 ground) const {
    const auto found = cells_.find({cell(place.x), cell(place.y)});
    if (found == cells_.end()) return ground;
    for (const std::size_t index : found->second) {
      if (const auto paint = triangles_[index].at(place)) ground = over(ground, *paint);
    }
    return ground;
  }
  static ImVec4 over(const ImVec4& ground, const ImVec4& paint) {
    const auto mix = [&](float a, float b) { return a + (b - a) * paint.w; };
    return {mix(ground.x, paint.x), mix(ground.y, paint.y), mix(ground.z, paint.z), 1};
  }

 private:
  struct Triangle {
    std::array<ImDrawVert, 3> corners;
    ImVec4 clip;
    std::optional<ImVec4> at(const ImVec2& p) const {
      if (p.x < clip.x || p.x >= clip.z || p.y < clip.y || p.y >= clip.w) return std::nullopt;
      const ImVec2 &a = corners[0].pos, &b = corners[1].pos, &c = corners[2].pos;
      const float area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
      if (std::abs(area) < 1e-6f) return std::nullopt;
      const float u = ((b.x - p.x) * (c.y - p.y) - (c.x - p.x) * (b.y - p.y)) / area,
                  v = ((c.x - p.x) * (a.y - p.y) - (a.x - p.x) * (c.y - p.y)) / area, w = 1 - u - v;
      if (u < 0 || v < 0 || w < 0) return std::nullopt;
      ImVec4 sum{};
      for (const auto& [corner, share] :
           {std::pair(&corners[0], u), std::pair(&corners[1], v), std::pair(&corners[2], w)}) {
        const ImVec4 colour = ImGui::ColorConvertU32ToFloat4(corner->col);
        sum = {sum.x + share * colour.x, sum.y + share * colour.y, sum.z + share * colour.z,
               sum.w + share * colour.w};
      }
      return sum;
    }
  };
  static int cell(float at) { return static_cast<int>(at / 32); }
  std::vector<Triangle> triangles_;
  std::map<std::pair<int, int>, std::vector<std::size_t>> cells_;
};

// A colour of letters on a ground, how many letters it has, and where the first of them stands.
struct InkPair {
  int letters = 0;
  ImVec2 place;
};
using InkPairs = std::map<std::pair<ImU32, ImU32>, InkPair>;

inline InkPairs ink_of_last_frame(const ImVec4& clear) {
  InkPairs pairs;
  Painted painted;
  const ImVec2 white = ImGui::GetIO().Fonts->TexUvWhitePixel;
  const auto is_white = [&](const ImDrawVert& v) { return v.uv.x == white.x && v.uv.y == white.y; };
  for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists) {
    for (const ImDrawCmd& command : list->CmdBuffer) {
      for (unsigned i = 0; i + 2 < command.ElemCount; i += 3) {
        const ImDrawIdx* index = list->IdxBuffer.Data + command.IdxOffset + i;
        const ImDrawVert* v = list->VtxBuffer.Data + command.VtxOffset;
        const ImDrawVert &a = v[index[0]], &b = v[index[1]], &c = v[index[2]];
        if (is_white(a)) {
          painted.add(a, b, c, command.ClipRect);
          continue;
        }
        // The first triangle of a letter: corners 0, 1, 2 of an upright rectangle. A line's
        // texture is a row of one pixel.
        const bool letter = a.pos.y == b.pos.y && b.pos.x == c.pos.x && a.uv.y == b.uv.y &&
                            b.uv.x == c.uv.x && c.uv.y - a.uv.y > 2e-3f;
        const unsigned alpha = (a.col >> IM_COL32_A_SHIFT) & 0xffu;
        // What is off is exempt. source: WCAG 2.2, 1.4.3, "inactive user interface component".
        const auto off = static_cast<unsigned>(std::lround(ImGui::GetStyle().DisabledAlpha * 255));
        if (!letter || alpha <= off) continue;
        const ImVec2 middle{(a.pos.x + c.pos.x) / 2, (a.pos.y + c.pos.y) / 2};
        const ImVec4& clip = command.ClipRect;
        if (middle.x < clip.x || middle.x >= clip.z || middle.y < clip.y || middle.y >= clip.w)
          continue;
        const ImVec4 ground = painted.at(middle, clear);
        const ImVec4 ink = Painted::over(ground, ImGui::ColorConvertU32ToFloat4(a.col));
        InkPair& pair =
            pairs[{ImGui::ColorConvertFloat4ToU32(ink), ImGui::ColorConvertFloat4ToU32(ground)}];
        if (pair.letters++ == 0) pair.place = middle;
      }
    }
  }
  return pairs;
}

}  // namespace warpscope
