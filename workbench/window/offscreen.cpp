// workbench/window/offscreen.cpp: the window's own frames without a window, by EGL, as PNG files.
#include "workbench/window/offscreen.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <dlfcn.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <vector>

#include "scenes/host/write_file.h"
#include "workbench/drawing/opengl_library.h"
#include "workbench/drawing/style.h"

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include <stb_image_write.h>
#pragma GCC diagnostic pop

namespace warpscope {
namespace {

// EGL and OpenGL are found at run time, so the program starts on machines that have neither.
struct EglTable {
  decltype(&::eglGetProcAddress) get_proc_address = nullptr;
  decltype(&::eglGetDisplay) get_display = nullptr;
  decltype(&::eglInitialize) initialize = nullptr;
  decltype(&::eglTerminate) terminate = nullptr;
  decltype(&::eglBindAPI) bind_api = nullptr;
  decltype(&::eglChooseConfig) choose_config = nullptr;
  decltype(&::eglCreateContext) create_context = nullptr;
  decltype(&::eglDestroyContext) destroy_context = nullptr;
  decltype(&::eglCreatePbufferSurface) create_pbuffer = nullptr;
  decltype(&::eglDestroySurface) destroy_surface = nullptr;
  decltype(&::eglMakeCurrent) make_current = nullptr;
};

Result<const EglTable*> load_egl() {
  static EglTable table;
  static bool loaded = false;
  if (loaded) return &table;
  void* library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    return failure(ErrorKind::environment, "libEGL.so.1 is not here", "offscreen rendering",
                   "install libegl1 and libgl1-mesa-dri");
  }
  const auto find = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    return function != nullptr;
  };
  loaded = find("eglGetProcAddress", table.get_proc_address) &&
           find("eglGetDisplay", table.get_display) && find("eglInitialize", table.initialize) &&
           find("eglTerminate", table.terminate) && find("eglBindAPI", table.bind_api) &&
           find("eglChooseConfig", table.choose_config) &&
           find("eglCreateContext", table.create_context) &&
           find("eglDestroyContext", table.destroy_context) &&
           find("eglCreatePbufferSurface", table.create_pbuffer) &&
           find("eglDestroySurface", table.destroy_surface) &&
           find("eglMakeCurrent", table.make_current);
  if (!loaded)
    return failure(ErrorKind::environment, "libEGL lacks a function", "offscreen rendering",
                   "update libegl1");
  return &table;
}

// The displays to try: every GPU's device, then Mesa without a surface, then the default.
std::vector<EGLDisplay> displays(const EglTable& egl) {
  std::vector<EGLDisplay> list;
  const auto by_platform = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(
      egl.get_proc_address("eglGetPlatformDisplayEXT"));
  const auto query =
      reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(egl.get_proc_address("eglQueryDevicesEXT"));
  if (by_platform != nullptr && query != nullptr) {
    EGLDeviceEXT devices[16];
    EGLint count = 0;
    if (query(16, devices, &count) == EGL_TRUE) {
      for (EGLint i = 0; i < count; ++i)
        list.push_back(by_platform(EGL_PLATFORM_DEVICE_EXT, devices[i], nullptr));
    }
  }
  if (by_platform != nullptr)
    list.push_back(by_platform(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr));
  list.push_back(egl.get_display(EGL_DEFAULT_DISPLAY));
  return list;
}

constexpr EGLint kConfigWanted[] = {EGL_SURFACE_TYPE,
                                    EGL_PBUFFER_BIT,
                                    EGL_RENDERABLE_TYPE,
                                    EGL_OPENGL_BIT,
                                    EGL_RED_SIZE,
                                    8,
                                    EGL_GREEN_SIZE,
                                    8,
                                    EGL_BLUE_SIZE,
                                    8,
                                    EGL_ALPHA_SIZE,
                                    8,
                                    EGL_NONE};
constexpr EGLint kContextWanted[] = {EGL_CONTEXT_MAJOR_VERSION,
                                     3,
                                     EGL_CONTEXT_MINOR_VERSION,
                                     3,
                                     EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                     EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                     EGL_NONE};

}  // namespace

Result<void> write_png(const std::string& path, const unsigned char* rgba, int width, int height,
                       int x, int y, int rectangle_width, int rectangle_height) {
  x = std::clamp(x, 0, width - 1);
  y = std::clamp(y, 0, height - 1);
  rectangle_width = std::clamp(rectangle_width, 1, width - x);
  rectangle_height = std::clamp(rectangle_height, 1, height - y);
  std::vector<unsigned char> rows(static_cast<std::size_t>(rectangle_width) *
                                  static_cast<std::size_t>(rectangle_height) * 3);
  for (int row = 0; row < rectangle_height; ++row) {
    const unsigned char* from =
        rgba + (static_cast<std::size_t>(height - 1 - y - row) * static_cast<std::size_t>(width) +
                static_cast<std::size_t>(x)) *
                   4;
    unsigned char* to =
        rows.data() + static_cast<std::size_t>(row) * static_cast<std::size_t>(rectangle_width) * 3;
    for (int column = 0; column < rectangle_width; ++column) {
      for (int channel = 0; channel < 3; ++channel)
        to[column * 3 + channel] = from[column * 4 + channel];
    }
  }
  return write_png(path, rows.data(), rectangle_width, rectangle_height);
}

Result<void> write_png(const std::string& path, const unsigned char* rgb, int width, int height) {
  std::string png;
  const auto append = [](void* text, void* bytes, int count) {
    static_cast<std::string*>(text)->append(static_cast<const char*>(bytes),
                                            static_cast<std::size_t>(count));
  };
  stbi_write_png_to_func(append, &png, width, height, 3, rgb, width * 3);
  return write_file(path, png);
}

Result<std::unique_ptr<Offscreen>> Offscreen::create(int width, int height) {
  Result<const EglTable*> table = load_egl();
  if (!table) return tl::unexpected(table.error());
  const EglTable& egl = **table;
  std::unique_ptr<Offscreen> self(new Offscreen);
  self->width_ = width;
  self->height_ = height;
  const EGLint surface_wanted[] = {EGL_WIDTH, width, EGL_HEIGHT, height, EGL_NONE};
  for (EGLDisplay display : displays(egl)) {
    if (display == EGL_NO_DISPLAY || egl.initialize(display, nullptr, nullptr) != EGL_TRUE)
      continue;
    EGLConfig config = nullptr;
    EGLint count = 0;
    egl.bind_api(EGL_OPENGL_API);
    if (egl.choose_config(display, kConfigWanted, &config, 1, &count) == EGL_TRUE && count > 0) {
      EGLContext context = egl.create_context(display, config, EGL_NO_CONTEXT, kContextWanted);
      EGLSurface surface = egl.create_pbuffer(display, config, surface_wanted);
      if (context != EGL_NO_CONTEXT && surface != EGL_NO_SURFACE &&
          egl.make_current(display, surface, surface, context) == EGL_TRUE) {
        self->display_ = display;
        self->context_ = context;
        self->surface_ = surface;
        break;
      }
      if (surface != EGL_NO_SURFACE) egl.destroy_surface(display, surface);
      if (context != EGL_NO_CONTEXT) egl.destroy_context(display, context);
    }
    egl.terminate(display);
  }
  if (self->display_ == nullptr) {
    return failure(ErrorKind::environment, "no EGL device gives an OpenGL 3.3 context",
                   "offscreen rendering",
                   "install libgl1-mesa-dri, or the OpenGL part of the NVIDIA driver");
  }
  const auto get_string =
      reinterpret_cast<const GLubyte* (*)(GLenum)>(egl.get_proc_address("glGetString"));
  if (get_string != nullptr)
    self->renderer_ = reinterpret_cast<const char*>(get_string(GL_RENDERER));
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  ImGui::GetIO().DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
  if (Result<void> started = start_opengl("offscreen rendering"); !started)
    return tl::unexpected(started.error());
  return self;
}

Offscreen::~Offscreen() {
  if (display_ == nullptr) return;
  if (ImGui::GetIO().BackendRendererUserData != nullptr) ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext();
  const EglTable& egl = **load_egl();
  egl.make_current(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  egl.destroy_surface(display_, surface_);
  egl.destroy_context(display_, context_);
  egl.terminate(display_);
}

namespace {
template <typename Function>
Function gl(const char* name) {
  return reinterpret_cast<Function>((*load_egl())->get_proc_address(name));
}
}  // namespace

void Offscreen::frame(double seconds, const std::function<void()>& draw,
                      const std::function<void(ImDrawData&)>& finish) {
  ImGui::GetIO().DeltaTime = static_cast<float>(std::max(seconds, 1e-4));
  ImGui_ImplOpenGL3_NewFrame();
  ImGui::NewFrame();
  draw();
  ImGui::Render();
  if (finish) finish(*ImGui::GetDrawData());
  canvas_.draw(*ImGui::GetDrawData(), width_, height_, clear_colour());
  gl<void (*)()>("glFinish")();
}

Result<void> Offscreen::save_png(const std::string& path) const {
  return save_png(path, 0, 0, width_, height_);
}

Result<void> Offscreen::save_png(const std::string& path, int x, int y, int width,
                                 int height) const {
  std::vector<unsigned char> pixels(static_cast<std::size_t>(width_) *
                                    static_cast<std::size_t>(height_) * 4);
  gl<void (*)(GLint, GLint, GLsizei, GLsizei, GLenum, GLenum, void*)>("glReadPixels")(
      0, 0, width_, height_, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
  return write_png(path, pixels.data(), width_, height_, x, y, width, height);
}

}  // namespace warpscope
