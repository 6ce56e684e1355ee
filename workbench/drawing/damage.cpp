// workbench/drawing/damage.cpp: where a frame differs from the last one, and its draw lists cut to
// that.
#include "workbench/drawing/damage.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>

namespace warpscope {
namespace {

Box box_of(const ImVec4& clip) { return {clip.x, clip.y, clip.z, clip.w}; }

// The pixels to which Dear ImGui's OpenGL back end cuts a command, in units of the display: it
// drops fractions of the lower left corner and of the extents. source: imgui_impl_opengl3.cpp.
Box scissor_of(const ImVec4& clip, const ImDrawData& frame) {
  const ImVec2 s = frame.FramebufferScale, origin = frame.DisplayPos;
  const auto whole = [](float value) { return static_cast<float>(static_cast<int>(value)); };
  const float height = whole(frame.DisplaySize.y * s.y);
  const float left = whole((clip.x - origin.x) * s.x),
              below = whole(height - (clip.w - origin.y) * s.y);
  const float right = left + whole((clip.z - clip.x) * s.x),
              top = height - below - whole((clip.w - clip.y) * s.y);
  return {left / s.x, top / s.y, right / s.x, (height - below) / s.y};
}

bool share_an_edge(const ImDrawIdx* six) {
  int shared = 0;
  for (int i = 3; i < 6; ++i) shared += six[i] == six[0] || six[i] == six[1] || six[i] == six[2];
  return shared >= 2;
}

// source: FxHash, of Firefox and rustc: short words one after the other, fast rather than strong.
std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  return (std::rotl(hash, 5) ^ word) * 0x517CC1B727220A95ULL;
}

template <typename T>
std::uint64_t mixed_bytes(std::uint64_t hash, const T& value) {
  std::uint64_t words[(sizeof(T) + 7) / 8] = {};
  std::memcpy(words, &value, sizeof value);
  for (const std::uint64_t word : words) hash = mixed(hash, word);
  return hash;
}

// A texture of ImGui's own has its number, which no later one gets; it may have no name in OpenGL
// yet.
std::uint64_t texture_hash(const ImTextureRef& texture) {
  if (texture._TexData != nullptr) return mixed_bytes(1, texture._TexData->UniqueID);
  return mixed_bytes(2, texture._TexID);
}

constexpr unsigned kMostIndices = 1020;  // of a call

bool is_whole(float value) { return value == std::floor(value); }

// Boxes as few and as small as calls to draw are worth.
void join(std::vector<Box>& boxes) {
  // What a call costs beside its pixels, in pixels of about the same cost.
  constexpr float kWorth = 6.0f * Damage::tile_edge * Damage::tile_edge;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = i + 1; j < boxes.size(); ++j) {
      const Box both = hull(boxes[i], boxes[j]);
      if (both.area() > boxes[i].area() + boxes[j].area() + kWorth &&
          overlap(boxes[i], boxes[j]).empty())
        continue;
      boxes[i] = both;
      boxes.erase(boxes.begin() + static_cast<std::ptrdiff_t>(j));
      i = j = 0;  // the larger one may reach others
    }
  }
}

// The blocks of block × block tiles in which one differs between both, runs of a row joined, and
// equal runs of rows below each other.
std::vector<Box> changed_blocks(std::span<const std::uint64_t> before,
                                std::span<const std::uint64_t> after, int columns, int block) {
  const float edge = static_cast<float>(block) * Damage::tile_edge;
  const int rows = static_cast<int>(after.size()) / columns;
  const auto changed = [&](int across, int down) {
    for (int row = down * block; row < std::min(rows, (down + 1) * block); ++row) {
      for (int column = across * block; column < std::min(columns, (across + 1) * block);
           ++column) {
        const auto at = static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                        static_cast<std::size_t>(column);
        if (before[at] != after[at]) return true;
      }
    }
    return false;
  };
  const int across = (columns + block - 1) / block, down = (rows + block - 1) / block;
  std::vector<Box> boxes;
  for (int row = 0; row < down; ++row) {
    for (int column = 0; column < across; ++column) {
      if (!changed(column, row)) continue;
      const int first = column;
      while (column < across && changed(column, row)) ++column;
      const auto at = [edge](int index) { return static_cast<float>(index) * edge; };
      const Box run = {at(first), at(row), at(column), at(row + 1)};
      const auto above = std::find_if(boxes.begin(), boxes.end(), [&](const Box& box) {
        return box.y1 == run.y0 && box.x0 == run.x0 && box.x1 == run.x1;
      });
      if (above != boxes.end()) {
        above->y1 = run.y1;
      } else {
        boxes.push_back(run);
      }
    }
  }
  return boxes;
}

// The tiles that differ between both. Where they are scattered, larger blocks around them: one box
// around all of them would be most of the window.
std::vector<Box> changed_boxes(std::span<const std::uint64_t> before,
                               std::span<const std::uint64_t> after, int columns) {
  constexpr std::size_t kMost = 48;
  int block = 1;
  std::vector<Box> boxes = changed_blocks(before, after, columns, block);
  while (boxes.size() > kMost) boxes = changed_blocks(before, after, columns, block *= 2);
  return boxes;
}

}  // namespace

template <typename Function>
void Damage::for_each_shape(const ImDrawList& list, const ImDrawCmd& command, Function&& act) {
  const ImDrawVert* vertices = list.VtxBuffer.Data + command.VtxOffset;
  const ImDrawIdx* at = list.IdxBuffer.Data + command.IdxOffset;
  const std::size_t triangles = command.ElemCount / 3;
  const ImDrawIdx* const end = at + 3 * triangles;
  while (at < end) {
    Shape shape{at, end - at >= 6 && share_an_edge(at) ? 6 : 3, {}};
    ImVec2 low = vertices[*at].pos, high = low;
    for (int i = 1; i < shape.count; ++i) {
      const ImVec2 p = vertices[at[i]].pos;
      low = {p.x < low.x ? p.x : low.x, p.y < low.y ? p.y : low.y};
      high = {p.x > high.x ? p.x : high.x, p.y > high.y ? p.y : high.y};
    }
    shape.box = {low.x, low.y, high.x, high.y};
    act(shape);
    at += shape.count;
  }
}

std::uint64_t Damage::hash_of(const Shape& shape, const ImDrawVert* vertices, std::uint64_t hash) {
  const ImDrawIdx* at = shape.indices;
  // Four corners make a rectangle: 0 1 2, 0 2 3.
  const bool rectangle = shape.count == 6 && at[3] == at[0] && at[4] == at[2];
  for (int i = 0; i < (rectangle ? 3 : shape.count); ++i) hash = mixed_bytes(hash, vertices[at[i]]);
  return rectangle ? mixed_bytes(hash, vertices[at[5]]) : hash;
}

std::vector<Box> Damage::since_last(const ImDrawData& frame) {
  constexpr float kEdge = tile_edge;
  const int columns = static_cast<int>(std::ceil(frame.DisplaySize.x / kEdge)),
            rows = static_cast<int>(std::ceil(frame.DisplaySize.y / kEdge));
  if (columns <= 0 || rows <= 0) return {};
  const Box display = {0, 0, frame.DisplaySize.x, frame.DisplaySize.y};
  bool unknown = false;
  next_.assign(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows), 0);
  for (int n = 0; n < frame.CmdLists.Size; ++n) {
    const ImDrawList& list = *frame.CmdLists[n];
    for (const ImDrawCmd& command : list.CmdBuffer) {
      unknown = unknown || command.UserCallback != nullptr;
      const Box clip = overlap(box_of(command.ClipRect), display);
      if (command.UserCallback != nullptr || clip.empty()) continue;
      const std::uint64_t texture = texture_hash(command.TexRef);
      const std::uint64_t clipped = mixed_bytes(texture, command.ClipRect);
      const ImDrawVert* vertices = list.VtxBuffer.Data + command.VtxOffset;
      for_each_shape(list, command, [&](const Shape& shape) {
        const Box seen = overlap(shape.box, clip);
        if (seen.x0 > seen.x1 || seen.y0 > seen.y1) return;
        // How a shape is clipped matters only where it is.
        const std::uint64_t hash =
            hash_of(shape, vertices, holds(clip, shape.box) ? texture : clipped);
        const int left = static_cast<int>(seen.x0 / kEdge),
                  right = std::min(columns - 1, static_cast<int>(seen.x1 / kEdge)),
                  bottom = std::min(rows - 1, static_cast<int>(seen.y1 / kEdge));
        for (int row = static_cast<int>(seen.y0 / kEdge); row <= bottom; ++row) {
          std::uint64_t* tile = next_.data() + static_cast<std::ptrdiff_t>(row) * columns;
          for (int column = left; column <= right; ++column)
            tile[column] = mixed(tile[column], hash);
        }
      });
    }
  }
  const bool same_size = tiles_.size() == next_.size() && size_.x == frame.DisplaySize.x &&
                         size_.y == frame.DisplaySize.y && scale_.x == frame.FramebufferScale.x &&
                         scale_.y == frame.FramebufferScale.y;
  size_ = frame.DisplaySize;
  scale_ = frame.FramebufferScale;
  tiles_.swap(next_);
  if (!same_size || unknown) return {display};
  std::vector<Box> boxes = changed_boxes(tiles_, next_, columns);
  if (boxes.empty()) return boxes;
  // Where a tile's edge is inside a pixel, both neighbours would draw that pixel.
  if (!is_whole(kEdge * scale_.x) || !is_whole(kEdge * scale_.y)) return {display};
  join(boxes);
  for (Box& box : boxes) box = overlap(box, display);
  return boxes;
}

std::size_t Damage::calls_for(const ImDrawData& frame, std::span<const Box> boxes) {
  std::size_t calls = 0;
  for (int n = 0; n < frame.CmdLists.Size; ++n) {
    for (const ImDrawCmd& command : frame.CmdLists[n]->CmdBuffer) {
      const Box clip = scissor_of(command.ClipRect, frame);
      const auto touched = static_cast<std::size_t>(
          std::count_if(boxes.begin(), boxes.end(),
                        [&clip](const Box& box) { return !overlap(clip, box).empty(); }));
      if (touched > 0) calls += touched + command.ElemCount / kMostIndices;
    }
  }
  return calls;
}

Box Damage::hull_of(std::span<const Box> boxes) {
  Box all = boxes.front();
  for (const Box& box : boxes) all = hull(all, box);
  return all;
}

void Damage::keep_within(ImDrawData& frame, std::span<const Box> boxes, bool in_few_calls) {
  const unsigned most_indices = in_few_calls ? ~0U : kMostIndices;
  frame.TotalIdxCount = 0;
  for (int n = 0; n < frame.CmdLists.Size; ++n) {
    ImDrawList& list = *frame.CmdLists[n];
    indices_.resize(0);
    commands_.resize(0);
    for (const ImDrawCmd& command : list.CmdBuffer) {
      if (command.UserCallback != nullptr) {
        commands_.push_back(command);
        continue;
      }
      const auto first_of = [&](const Box& clip) {
        ImDrawCmd part = command;
        part.ClipRect = {clip.x0, clip.y0, clip.x1, clip.y1};
        part.IdxOffset = static_cast<unsigned>(indices_.Size);
        part.ElemCount = 0;
        return part;
      };
      const auto pad = [&](ImDrawCmd& part, ImDrawIdx index) {  // with a triangle without area
        for (; part.ElemCount % 6 != 0; ++part.ElemCount) indices_.push_back(index);
      };
      shapes_.clear();
      for (const Box& box : boxes) {
        // A fraction of a pixel must fall to the same side in every box.
        const Box clip = holds(box, box_of(command.ClipRect))
                             ? box_of(command.ClipRect)
                             : overlap(scissor_of(command.ClipRect, frame), box);
        if (clip.empty()) continue;
        if (shapes_.empty())
          for_each_shape(list, command, [&](const Shape& shape) { shapes_.push_back(shape); });
        ImDrawCmd part = first_of(clip);
        for (const Shape& shape : shapes_) {
          const Box seen = overlap(shape.box, clip);
          if (seen.x0 > seen.x1 || seen.y0 > seen.y1) continue;
          if (shape.count == 6) pad(part, *shape.indices);
          if (part.ElemCount + static_cast<unsigned>(shape.count) > most_indices) {
            commands_.push_back(part);
            part = first_of(clip);
          }
          for (int i = 0; i < shape.count; ++i) indices_.push_back(shape.indices[i]);
          part.ElemCount += static_cast<unsigned>(shape.count);
        }
        if (part.ElemCount == 0) continue;
        pad(part, indices_.back());
        commands_.push_back(part);
      }
    }
    if (commands_.empty()) list.VtxBuffer.resize(0);  // nor are they handed to OpenGL
    list.IdxBuffer.swap(indices_);
    list.CmdBuffer.swap(commands_);
    frame.TotalIdxCount += list.IdxBuffer.Size;
  }
}

}  // namespace warpscope
