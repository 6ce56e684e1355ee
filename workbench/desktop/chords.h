// workbench/desktop/chords.h: a key goes with the modifiers that were down when it went down.
#pragma once

#include <vector>

struct ImGuiInputEvent;

//   ImGui_ImplGlfw_NewFrame();
//   const LaterChords later;  // as long as ImGui::NewFrame() runs
//   ImGui::NewFrame();

namespace warpscope {

// Dear ImGui takes all events that wait into one frame, if each is of another key. After "L goes
// down, Ctrl goes up" its frame has L without Ctrl. While this lives, its queue ends before a
// modifier that changes after a key, a button or the wheel; the rest waits for the next frame.
class LaterChords {
 public:
  LaterChords();
  LaterChords(const LaterChords&) = delete;
  LaterChords& operator=(const LaterChords&) = delete;
  ~LaterChords();

 private:
  std::vector<ImGuiInputEvent> events_;
};

}  // namespace warpscope
