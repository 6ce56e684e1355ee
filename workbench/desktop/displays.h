// workbench/desktop/displays.h: the monitors of the desktop, and how a window's pixels reach them.
#pragma once

#include <functional>

#include "workbench/drawing/box.h"

struct GLFWwindow;
struct ImDrawData;

namespace warpscope {

// Where the window stood on the desktop, in its coordinates.
struct WindowPlace {
  int x = 0, y = 0, width = 0, height = 0;
  bool maximised = false;
};

// Whether the middle of the window's upper edge is within reach: monitors come and go.
bool on_a_monitor(const WindowPlace& place);
// The place made no larger than `area` and moved into it.
WindowPlace fitted(WindowPlace place, const WindowPlace& area);
// What panels and docks of the desktop leave of the monitor that the place is on, else of the
// primary one; width 0: there is no monitor.
WindowPlace work_area(const WindowPlace& place);
// Frames follow each other no faster than the display shows them. A little less than its period:
// where swapping buffers waits for the display, that alone is the pace.
double frame_period_s();
// Pixels for a unit, as the desktop says of the monitor that the window is on.
float content_scale(GLFWwindow* window);
// The scale of content when the monitor's is `monitor`: it follows the monitor, and stays as shown
// where a person has set a scale (`user`, 1 if not).
float followed_scale(float shown, float monitor, float user);

// Where the processor draws, on X11: brings a box of the back buffer to the screen, after which the
// back buffer has what it had; swapping buffers leaves that open. Nothing elsewhere.
// source: GLX_MESA_copy_sub_buffer, GLX_MESA_query_renderer.
std::function<void(const Box&)> box_shower();

// Panels may have windows of their own where the display lets a program place them. With any open,
// Dear ImGui counts in the desktop's units; without, in the main window's.
bool may_have_windows();
void let_have_windows(bool any);
// After ImGui::Render(): makes, moves and ends the windows that panels have, …
void update_windows();
// … draws them, and leaves `main`'s OpenGL at hand. …
void show_windows(GLFWwindow* main);
// … What is drawn of the main window begins at its corner, whatever its place on the desktop.
void count_from_corner(ImDrawData& frame);
// Whether input waits that no frame has taken in: it may be of a panel's window.
bool input_waits();

}  // namespace warpscope
