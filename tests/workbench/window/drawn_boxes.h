// tests/workbench/window/drawn_boxes.h: the filled boxes of a frame, by colour.
#pragma once

#include <imgui.h>

#include <algorithm>
#include <vector>

#include "workbench/drawing/box.h"

namespace warpscope {

// Boxes that the last frame filled with one colour, in the order of drawing. Letters are none: each
// corner of theirs has another place in the font's texture.
inline std::vector<Box> boxes_of(ImU32 colour) {
  std::vector<Box> boxes;
  const ImDrawData* frame = ImGui::GetDrawData();
  for (int l = 0; l < frame->CmdLists.Size; ++l) {
    const ImVector<ImDrawVert>& v = frame->CmdLists[l]->VtxBuffer;
    const auto alike = [&](int i, int k) {
      return v[k].col == colour && v[k].uv.x == v[i].uv.x && v[k].uv.y == v[i].uv.y;
    };
    for (int i = 0; i + 3 < v.Size;) {
      const bool one = alike(i, i) && alike(i, i + 1) && alike(i, i + 2) && alike(i, i + 3);
      const bool square = v[i].pos.y == v[i + 1].pos.y && v[i + 1].pos.x == v[i + 2].pos.x &&
                          v[i + 2].pos.y == v[i + 3].pos.y && v[i + 3].pos.x == v[i].pos.x;
      if (!one || !square || v[i].pos.x >= v[i + 2].pos.x || v[i].pos.y >= v[i + 2].pos.y) {
        ++i;
        continue;
      }
      boxes.push_back({v[i].pos.x, v[i].pos.y, v[i + 2].pos.x, v[i + 2].pos.y});
      i += 4;
    }
  }
  return boxes;
}

// The box around all vertices of a colour that lie in `area`; empty: there are none.
inline Box drawn_in(const Box& area, ImU32 colour) {
  Box found{area.x1, area.y1, area.x0, area.y0};
  const ImDrawData* frame = ImGui::GetDrawData();
  for (int l = 0; l < frame->CmdLists.Size; ++l) {
    for (const ImDrawVert& v : frame->CmdLists[l]->VtxBuffer) {
      if (v.col != colour || !area.contains(v.pos.x, v.pos.y)) continue;
      found = {std::min(found.x0, v.pos.x), std::min(found.y0, v.pos.y),
               std::max(found.x1, v.pos.x), std::max(found.y1, v.pos.y)};
    }
  }
  return found;
}

}  // namespace warpscope
