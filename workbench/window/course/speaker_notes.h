// workbench/window/course/speaker_notes.h: what the speaker of a lesson reads, in a window of its
// own.
#pragma once

#include <chrono>
#include <string>

#include "workbench/drawing/style.h"

//   state.strip.notes.open = true;                   // Ctrl+N
//   draw_notes_window(style, state.strip.notes);     // once a frame

namespace warpscope {

// What belongs to the step at hand; the lesson's player fills it in.
struct SpeakerNotes {
  bool open = false;
  std::string step;    // "step 3 of 8"
  std::string words;   // the step's notes, with figures
  std::string answer;  // the right answer of its question; empty: it has none
  std::string next;    // the text of the step that follows; empty: this is the last one
  std::chrono::steady_clock::time_point begun;  // when the lesson began
  bool shown() const { return open && !step.empty(); }
};

// A second window where the display lets a program place one, such as on the speaker's own screen;
// else a window inside the main one.
void draw_notes_window(const Style& style, SpeakerNotes& notes);
// "12:05" since the lesson began.
std::string time_taken(double seconds);

}  // namespace warpscope
