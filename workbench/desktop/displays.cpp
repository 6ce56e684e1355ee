// workbench/desktop/displays.cpp: the monitors of the desktop, and how a window's pixels reach
// them.
#include "workbench/desktop/displays.h"

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

namespace warpscope {

namespace {

WindowPlace work_area_of(GLFWmonitor* monitor) {
  WindowPlace area;
  glfwGetMonitorWorkarea(monitor, &area.x, &area.y, &area.width, &area.height);
  return area;
}

// The middle of the upper edge, where a window is dragged.
bool is_reached(const WindowPlace& place, const WindowPlace& area) {
  const int middle = place.x + place.width / 2;
  return middle >= area.x && middle < area.x + area.width && place.y >= area.y &&
         place.y < area.y + area.height;
}

}  // namespace

bool on_a_monitor(const WindowPlace& place) {
  int count = 0;
  GLFWmonitor** monitors = glfwGetMonitors(&count);
  return std::any_of(monitors, monitors + count, [&place](GLFWmonitor* monitor) {
    return is_reached(place, work_area_of(monitor));
  });
}

WindowPlace fitted(WindowPlace place, const WindowPlace& area) {
  place.width = std::min(place.width, area.width);
  place.height = std::min(place.height, area.height);
  place.x = std::clamp(place.x, area.x, area.x + area.width - place.width);
  place.y = std::clamp(place.y, area.y, area.y + area.height - place.height);
  return place;
}

WindowPlace work_area(const WindowPlace& place) {
  int count = 0;
  GLFWmonitor** monitors = glfwGetMonitors(&count);
  for (int i = 0; i < count; ++i) {
    const WindowPlace area = work_area_of(monitors[i]);
    if (is_reached(place, area)) return area;
  }
  GLFWmonitor* primary = glfwGetPrimaryMonitor();
  return primary == nullptr ? WindowPlace{} : work_area_of(primary);
}

double frame_period_s() {
  constexpr int kUsualRate = 60;
  const GLFWvidmode* mode = glfwGetVideoMode(glfwGetPrimaryMonitor());
  return 0.9 / (mode != nullptr && mode->refreshRate > 0 ? mode->refreshRate : kUsualRate);
}

float content_scale(GLFWwindow* window) {
  float across = 1, down = 1;
  glfwGetWindowContentScale(window, &across, &down);
  return across > 0 ? across : 1;
}

float followed_scale(float shown, float monitor, float user) {
  constexpr float kSame = 1e-3f;  // larger and smaller again is 1 but for rounding
  return std::abs(user - 1) < kSame ? monitor : shown;
}

std::function<void(const Box&)> box_shower() {
  if (glfwExtensionSupported("GLX_MESA_copy_sub_buffer") == GLFW_FALSE ||
      glfwExtensionSupported("GLX_MESA_query_renderer") == GLFW_FALSE)
    return {};
  using GetDisplay = void* (*)();
  using GetDrawable = unsigned long (*)();
  using QueryRenderer = int (*)(int attribute, unsigned* value);
  using CopySubBuffer =
      void (*)(void* display, unsigned long drawable, int x, int y, int width, int height);
  const auto display = reinterpret_cast<GetDisplay>(glfwGetProcAddress("glXGetCurrentDisplay"));
  const auto drawable = reinterpret_cast<GetDrawable>(glfwGetProcAddress("glXGetCurrentDrawable"));
  const auto query =
      reinterpret_cast<QueryRenderer>(glfwGetProcAddress("glXQueryCurrentRendererIntegerMESA"));
  const auto copy = reinterpret_cast<CopySubBuffer>(glfwGetProcAddress("glXCopySubBufferMESA"));
  if (display == nullptr || drawable == nullptr || query == nullptr || copy == nullptr) return {};
  constexpr int kAccelerated = 0x8186;  // GLX_RENDERER_ACCELERATED_MESA
  unsigned accelerated = 1;
  if (query(kAccelerated, &accelerated) == 0 || accelerated != 0) return {};
  return [copy, on = display(), window = drawable()](const Box& box) {
    copy(on, window, static_cast<int>(box.x0), static_cast<int>(box.y0),
         static_cast<int>(box.width()), static_cast<int>(box.height()));
  };
}

bool may_have_windows() {
  constexpr ImGuiBackendFlags kBoth =
      ImGuiBackendFlags_PlatformHasViewports | ImGuiBackendFlags_RendererHasViewports;
  return (ImGui::GetIO().BackendFlags & kBoth) == kBoth;
}

void let_have_windows(bool any) {
  ImGuiConfigFlags& flags = ImGui::GetIO().ConfigFlags;
  flags =
      any ? flags | ImGuiConfigFlags_ViewportsEnable : flags & ~ImGuiConfigFlags_ViewportsEnable;
}

namespace {
bool have_windows() {
  return (ImGui::GetCurrentContext()->ConfigFlagsCurrFrame & ImGuiConfigFlags_ViewportsEnable) != 0;
}
}  // namespace

void update_windows() {
  if (have_windows()) ImGui::UpdatePlatformWindows();
}

void show_windows(GLFWwindow* main) {
  if (!have_windows()) return;
  ImGui::RenderPlatformWindowsDefault();
  glfwMakeContextCurrent(main);
}

void count_from_corner(ImDrawData& frame) {
  const ImVec2 corner = frame.DisplayPos;
  if (corner.x == 0 && corner.y == 0) return;
  for (ImDrawList* list : frame.CmdLists) {
    for (ImDrawVert& vertex : list->VtxBuffer)
      vertex.pos = {vertex.pos.x - corner.x, vertex.pos.y - corner.y};
    for (ImDrawCmd& command : list->CmdBuffer) {
      ImVec4& clip = command.ClipRect;
      clip = {clip.x - corner.x, clip.y - corner.y, clip.z - corner.x, clip.w - corner.y};
    }
  }
  frame.DisplayPos = {0, 0};
}

bool input_waits() { return !ImGui::GetCurrentContext()->InputEventsQueue.empty(); }

}  // namespace warpscope
