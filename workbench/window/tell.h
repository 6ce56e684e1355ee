// workbench/window/tell.h: what the window shows, told to a file as JSON lines, for scripts.
#pragma once

#include <fstream>
#include <string>

#include "scenes/host/result.h"
#include "workbench/window/frame.h"

// `warpscope --tell FILE` writes a line after each frame whose line differs from the last one, so
// whoever drives the window waits for what it shows and not for a time. The members of a line:
//
//   scene, variant, baseline, key          what is chosen
//   pins                                   variants of A and B; "": none
//   theme, scale, size                     size: width and height. unit: pixels
//   tabs                                   in front: of left, centre, right, bottom, stacked
//   maximised, lesson, lesson_step         "", "" and 0 where there is none
//   open                                   what Esc closes, by name: "help", "lessons", "popup", …
//   notices                                their words, oldest first, and the box around them
//   panels                                 name to box, of those that were drawn
//   focus                                  of the keyboard: window, id, box, and whether it shows
//   clicked                                the window that has ImGui's focus
//   pointer                                where it is, and the controls that it is over and
//   presses held                                   keys and buttons that are down, counted busy,
//   rests                            whether an engine works, and whether no frame is due
//   roofline_x                             from and to. unit: FLOP/B
//
// A box is [left, top, right, bottom] in pixels of the window; an id is ImGui's, 0: none.

namespace warpscope {

class Teller {
 public:
  // error: environment, where the file cannot be written.
  static Result<Teller> open(const std::string& path);
  // Call after ImGui::Render. `rests`: no further frame follows unless something happens.
  void tell(const Workspace& workspace, const PanelStates& panels, const FrameState& state,
            bool rests);

 private:
  explicit Teller(std::ofstream file) : file_(std::move(file)) {}
  std::ofstream file_;
  std::string last_;
};

}  // namespace warpscope
