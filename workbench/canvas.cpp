// workbench/canvas.cpp: draws of every frame what differs from the last one.
#include "workbench/canvas.h"

#include <GL/gl.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace warpscope {
namespace {

// The type of a texture's name is a pointer in older Dear ImGui and a number in newer.
GLuint name_of(ImTextureID id) { return (GLuint)(std::uintptr_t)id; }  // NOLINT

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
  keep_within(frame, changed);
  ImGui_ImplOpenGL3_RenderDrawData(&frame);
  return drawn;
}

void refresh_font_texture() {
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
  ImFontAtlas& fonts = *ImGui::GetIO().Fonts;
  unsigned char* texels = nullptr;
  int width = 0, height = 0;
  fonts.GetTexDataAsRGBA32(&texels, &width, &height);
  // Texels are white with an alpha of their own: red and blue may change places.
  glBindTexture(GL_TEXTURE_2D, name_of(fonts.TexID));
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width, height, 0, GL_BGRA, GL_UNSIGNED_BYTE, texels);
  glBindTexture(GL_TEXTURE_2D, 0);
}

}  // namespace warpscope
