// workbench/drawing/canvas.h: draws of every frame what differs from the last one.
#pragma once

#include <imgui.h>

#include <vector>

#include "workbench/drawing/damage.h"

//   Canvas canvas(true);                  // an OpenGL context is current, from here to the end
//   const auto drawn = canvas.draw(*ImGui::GetDrawData(), width, height, ground);
//   if (!drawn.empty()) … bring them to the screen …

namespace warpscope {

class Canvas {
 public:
  // `keeps`: the framebuffer has in a frame what was drawn in the last one. Where it has not, a
  // frame that differs is drawn whole.
  explicit Canvas(bool keeps) : keeps_(keeps) {}

  // Draws what changed of a frame, on `ground`, into the framebuffer that is bound, `width` ×
  // `height` pixels. Returns the boxes that were drawn, in whole pixels from its bottom left
  // corner, as OpenGL counts; none: the frame looks like the last one. The frame's draw lists are
  // cut to them.
  std::vector<Box> draw(ImDrawData& frame, int width, int height, const ImVec4& ground);
  // The OpenGL calls of the last frame that was drawn.
  int draw_calls() const { return draw_calls_; }
  // Fonts were made anew, or the framebuffer lost its pixels: all of the next frame is drawn.
  void forget() { damage_.forget(); }

 private:
  bool keeps_;
  int width_ = 0, height_ = 0, draw_calls_ = 0;
  ImVec4 ground_{};
  Damage damage_;
};

}  // namespace warpscope
