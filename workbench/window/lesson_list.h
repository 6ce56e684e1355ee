// workbench/window/lesson_list.h: the list of lessons, from which one is started.
#pragma once

#include "workbench/window/frame.h"

namespace warpscope {

// Opens the list with the lessons as their files stand now, those of the scene at hand first; or
// closes it.
void toggle_lessons(const Workspace& workspace, FrameState& state);
// The list, where it is open. A click or Enter puts the file into `state.lesson_wish`; Esc, or a
// click elsewhere, closes it.
void draw_lesson_list(const Workspace& workspace, const Style& style, FrameState& state);

}  // namespace warpscope
