// workbench/drawing/box.h: a rectangle along the axes, and what is asked of two of them.
#pragma once

#include <algorithm>

namespace warpscope {

// From its first corner up to its second, which is outside. shape: x0 <= x1, y0 <= y1, else it is
// empty.
struct Box {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  bool operator==(const Box&) const = default;
  float width() const { return x1 - x0; }
  float height() const { return y1 - y0; }
  float area() const { return width() * height(); }
  bool empty() const { return x0 >= x1 || y0 >= y1; }
  bool contains(float x, float y) const { return x >= x0 && x < x1 && y >= y0 && y < y1; }
};

inline Box box_at(float x, float y, float width, float height) {
  return {x, y, x + width, y + height};
}
inline Box overlap(const Box& a, const Box& b) {
  return {std::max(a.x0, b.x0), std::max(a.y0, b.y0), std::min(a.x1, b.x1), std::min(a.y1, b.y1)};
}
// The smallest that holds both.
inline Box hull(const Box& a, const Box& b) {
  return {std::min(a.x0, b.x0), std::min(a.y0, b.y0), std::max(a.x1, b.x1), std::max(a.y1, b.y1)};
}
inline bool holds(const Box& outer, const Box& inner) {
  return outer.x0 <= inner.x0 && outer.y0 <= inner.y0 && outer.x1 >= inner.x1 &&
         outer.y1 >= inner.y1;
}

}  // namespace warpscope
