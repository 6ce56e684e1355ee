// workbench/desktop/chords.cpp: a key goes with the modifiers that were down when it went down.
#include "workbench/desktop/chords.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>

namespace warpscope {

namespace {

bool is_modifier(ImGuiKey key) {
  return (key & ImGuiMod_Mask_) != 0 || (key >= ImGuiKey_LeftCtrl && key <= ImGuiKey_RightSuper);
}

// What a modifier changes the meaning of.
bool is_stroke(const ImGuiInputEvent& event) {
  if (event.Type == ImGuiInputEventType_Key) return event.Key.Down && !is_modifier(event.Key.Key);
  return event.Type == ImGuiInputEventType_MouseButton ||
         event.Type == ImGuiInputEventType_MouseWheel;
}

}  // namespace

LaterChords::LaterChords() {
  ImVector<ImGuiInputEvent>& queue = ImGui::GetCurrentContext()->InputEventsQueue;
  const ImGuiInputEvent* stroke = std::find_if(queue.begin(), queue.end(), is_stroke);
  const ImGuiInputEvent* next = std::find_if(
      stroke, static_cast<const ImGuiInputEvent*>(queue.end()), [](const ImGuiInputEvent& event) {
        return event.Type == ImGuiInputEventType_Key && is_modifier(event.Key.Key);
      });
  events_.assign(next, static_cast<const ImGuiInputEvent*>(queue.end()));
  queue.resize(queue.Size - static_cast<int>(events_.size()));
}

LaterChords::~LaterChords() {
  for (const ImGuiInputEvent& event : events_)
    ImGui::GetCurrentContext()->InputEventsQueue.push_back(event);
}

}  // namespace warpscope
