// workbench/drawing/canvas.cpp: draws of every frame what differs from the last one.
#include "workbench/drawing/canvas.h"

#include <GL/gl.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace warpscope {
namespace {

PixelBox pixels_of(const DamageBox& box, const ImVec2& scale, int width, int height) {
  const auto pixel = [](float at, int most) {
    return std::min(most, static_cast<int>(std::lround(at)));
  };
  const int left = pixel(box.left * scale.x, width), right = pixel(box.right * scale.x, width),
            top = pixel(box.top * scale.y, height), bottom = pixel(box.bottom * scale.y, height);
  return {left, height - bottom, right - left, bottom - top};
}

}  // namespace

std::vector<PixelBox> Canvas::draw(ImDrawData& frame, int width, int height, const ImVec4& ground) {
  if (width <= 0 || height <= 0) return {};
  if (width != width_ || height != height_ || std::memcmp(&ground, &ground_, sizeof ground) != 0)
    damage_.forget();
  width_ = width;
  height_ = height;
  ground_ = ground;
  std::vector<DamageBox> changed = damage_.since_last(frame);
  if (changed.empty()) return {};
  if (!keeps_) changed = {{0, 0, frame.DisplaySize.x, frame.DisplaySize.y}};
  // llvmpipe keeps some 40 kB of state for every call, in pieces that it holds until it ends: a map
  // of many tiles made 1377 calls and 60 MB. Few calls are worth more pixels, and more time.
  constexpr std::size_t kMostCalls = 700;
  if (Damage::calls_for(frame, changed) > kMostCalls) changed = {Damage::hull_of(changed)};
  const bool in_few_calls = Damage::calls_for(frame, changed) > kMostCalls;
  glViewport(0, 0, width, height);
  glClearColor(ground.x, ground.y, ground.z, 1);
  std::vector<PixelBox> drawn;
  for (const DamageBox& box : changed) {
    const PixelBox pixels = pixels_of(box, frame.FramebufferScale, width, height);
    drawn.push_back(pixels);
    // Clearing all of it is cheaper without the test.
    if (pixels.width == width && pixels.height == height) {
      glDisable(GL_SCISSOR_TEST);
    } else {
      glEnable(GL_SCISSOR_TEST);
    }
    glScissor(pixels.x, pixels.y, pixels.width, pixels.height);
    glClear(GL_COLOR_BUFFER_BIT);
  }
  glDisable(GL_SCISSOR_TEST);
  damage_.keep_within(frame, changed, in_few_calls);
  draw_calls_ = 0;
  for (int n = 0; n < frame.CmdListsCount; ++n) draw_calls_ += frame.CmdLists[n]->CmdBuffer.Size;
  ImGui_ImplOpenGL3_RenderDrawData(&frame);
  return drawn;
}

}  // namespace warpscope
