// workbench/window/offscreen.h: the window's own frames without a window, by EGL, as PNG files.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "scenes/host/result.h"
#include "workbench/drawing/canvas.h"

namespace warpscope {

// An OpenGL context on a GPU's EGL device where there is one, else on Mesa's software renderer,
// with a framebuffer of `width` × `height` and a Dear ImGui context.
class Offscreen {
 public:
  // error: environment, naming what is missing.
  static Result<std::unique_ptr<Offscreen>> create(int width, int height);
  Offscreen(const Offscreen&) = delete;
  Offscreen& operator=(const Offscreen&) = delete;
  ~Offscreen();

  // Draws one frame, where it differs from the last one: `draw` is called between ImGui's NewFrame
  // and Render, `finish` on what Render made of it. `seconds` is the time that passed since the
  // last frame.
  void frame(double seconds, const std::function<void()>& draw,
             const std::function<void(ImDrawData&)>& finish = {});
  // error: environment (the file cannot be written).
  Result<void> save_png(const std::string& path) const;
  Result<void> save_png(const std::string& path, int x, int y, int width, int height) const;
  const std::string& renderer() const { return renderer_; }
  int width() const { return width_; }
  int height() const { return height_; }

 private:
  Offscreen() = default;
  int width_ = 0, height_ = 0;
  Canvas canvas_{true};
  void* display_ = nullptr;
  void* context_ = nullptr;
  void* surface_ = nullptr;
  std::string renderer_;
};

// Writes the given rectangle of RGBA rows (bottom row first) as PNG. error: environment.
Result<void> write_png(const std::string& path, const unsigned char* rgba, int width, int height,
                       int x, int y, int rectangle_width, int rectangle_height);

// Writes RGB rows, top row first, as PNG. error: environment.
Result<void> write_png(const std::string& path, const unsigned char* rgb, int width, int height);

}  // namespace warpscope
