// workbench/drawing/damage.h: where a frame differs from the last one, and its draw lists cut to
// that.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <span>
#include <vector>

#include "workbench/drawing/box.h"

// Where the processor draws, pixels are most of a frame, and most frames change few of them.
//
//   Damage damage;
//   const std::vector<Box> changed = damage.since_last(*ImGui::GetDrawData());
//   if (changed.empty()) return;                          // the picture shows this frame already
//   damage.keep_within(*ImGui::GetDrawData(), changed);
//   … clear the boxes, then draw over the picture of the last frame …
//
// Frames are compared tile by tile, by what their draw lists put on each tile: a window that moved,
// closed or came to the front differs where it was and where it is. Textures are compared by their
// names: after a change of their texels call `forget`. Boxes are in units of the display, in whole
// numbers, from its top left corner.

namespace warpscope {

class Damage {
 public:
  static constexpr int tile_edge = 32;  // units of the display

  // What must be drawn again since the last call, as boxes that do not overlap; all of the display
  // at the first call, after `forget` and where its size changed. Empty: nothing.
  std::vector<Box> since_last(const ImDrawData& frame);
  // About how many calls draw a frame that is cut to these boxes; never more if each of its
  // commands is drawn in one piece.
  static std::size_t calls_for(const ImDrawData& frame, std::span<const Box> boxes);
  static Box hull_of(std::span<const Box> boxes);  // of at least one
  // Cuts a frame to what touches the boxes, which do not overlap, each command to one box.
  // Triangles are put in pairs and commands hold at most 170 pairs: llvmpipe paints two that make a
  // rectangle as one where a call has whole pairs alone, and cuts longer calls in the middle of
  // one; a page of text takes it a seventh less. source: Mesa 22.3, lp_setup_vbuf.c and
  // draw_pt_vsplit.c.
  // Where `in_few_calls`, commands stay as long as they are: that costs time and saves memory.
  void keep_within(ImDrawData& frame, std::span<const Box> boxes, bool in_few_calls = false);
  // What the last frame left is lost, or its texels changed.
  void forget() { tiles_.clear(); }

 private:
  ImVec2 size_{}, scale_{};
  std::vector<std::uint64_t> tiles_, next_;  // a hash a tile, row by row
  // One triangle, or two that follow each other and share an edge: a glyph, a rectangle.
  struct Shape {
    const ImDrawIdx* indices = nullptr;
    int count = 0;
    Box box;
  };
  // The shapes of a command, in their order.
  template <typename Function>
  static void for_each_shape(const ImDrawList& list, const ImDrawCmd& command, Function&& act);
  static std::uint64_t hash_of(const Shape& shape, const ImDrawVert* vertices, std::uint64_t hash);
  // What `keep_within` works on, kept because memory that is new in every frame is slow.
  std::vector<Shape> shapes_;
  ImVector<ImDrawIdx> indices_;
  ImVector<ImDrawCmd> commands_;
};

}  // namespace warpscope
