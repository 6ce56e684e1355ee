// workbench/drawing/canvas.cpp: draws of every frame what differs from the last one.
#include "workbench/drawing/canvas.h"

#include <GL/gl.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <cmath>

namespace warpscope {
namespace {

Box pixels_of(const Box& box, const ImVec2& scale, int width, int height) {
  const auto pixel = [](float at, int most) {
    return std::min(static_cast<float>(most), std::round(at));
  };
  const auto rows = static_cast<float>(height);
  return {pixel(box.x0 * scale.x, width), rows - pixel(box.y1 * scale.y, height),
          pixel(box.x1 * scale.x, width), rows - pixel(box.y0 * scale.y, height)};
}

bool same_colour(const ImVec4& a, const ImVec4& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

}  // namespace

std::vector<Box> Canvas::draw(ImDrawData& frame, int width, int height, const ImVec4& ground) {
  // Also of a frame that looks like the last one: letters that are no longer needed go.
  for (ImTextureData* texture : *frame.Textures) {
    if (texture->Status != ImTextureStatus_OK) ImGui_ImplOpenGL3_UpdateTexture(texture);
  }
  if (width <= 0 || height <= 0) return {};
  if (width != width_ || height != height_ || !same_colour(ground, ground_)) damage_.forget();
  width_ = width;
  height_ = height;
  ground_ = ground;
  std::vector<Box> changed = damage_.since_last(frame);
  if (changed.empty()) return {};
  if (!keeps_) changed = {{0, 0, frame.DisplaySize.x, frame.DisplaySize.y}};
  // llvmpipe keeps some 40 kB of state for every call, in pieces that it holds until it ends: a map
  // of many tiles made 1377 calls and 60 MB. Few calls are worth more pixels, and more time.
  constexpr std::size_t kMostCalls = 700;
  if (Damage::calls_for(frame, changed) > kMostCalls) changed = {Damage::hull_of(changed)};
  const bool in_few_calls = Damage::calls_for(frame, changed) > kMostCalls;
  glViewport(0, 0, width, height);
  glClearColor(ground.x, ground.y, ground.z, 1);
  std::vector<Box> drawn;
  for (const Box& box : changed) {
    const Box pixels = pixels_of(box, frame.FramebufferScale, width, height);
    drawn.push_back(pixels);
    // Clearing all of it is cheaper without the test.
    const int columns = static_cast<int>(pixels.width()), rows = static_cast<int>(pixels.height());
    if (columns == width && rows == height) {
      glDisable(GL_SCISSOR_TEST);
    } else {
      glEnable(GL_SCISSOR_TEST);
    }
    glScissor(static_cast<int>(pixels.x0), static_cast<int>(pixels.y0), columns, rows);
    glClear(GL_COLOR_BUFFER_BIT);
  }
  glDisable(GL_SCISSOR_TEST);
  damage_.keep_within(frame, changed, in_few_calls);
  draw_calls_ = 0;
  for (int n = 0; n < frame.CmdLists.Size; ++n) draw_calls_ += frame.CmdLists[n]->CmdBuffer.Size;
  ImGui_ImplOpenGL3_RenderDrawData(&frame);
  return drawn;
}

}  // namespace warpscope
