// workbench/panels/diagrams/hang_picture.h: who waits for what where a launch never ends, as a
// picture.
#pragma once

#include "profiling/access/warp_roles.h"
#include "workbench/panels/panels.h"

namespace warpscope {

// Warps down, the places of the story across; a sentence a row under it. Scrolls in `height`.
void draw_hang_picture(const PanelContext& context, const Trace& trace, const BlockRoles& roles,
                       Selection& selection, float height);

// After a source line: "◀ warps 0–3 of block 0 wait here", if the story names the line.
void draw_hang_mark(const Style& style, const HangStory& story, const std::string& file, int line);

}  // namespace warpscope
