// workbench/panels/overview/overview_scene.h: what Overview says of the scene and of its figures'
// origin.
#pragma once

#include <string>
#include <vector>

#include "profiling/overview/overview.h"
#include "workbench/panels/panels.h"

namespace warpscope {

// `quiet`: in the face of texts, where room is short.
void draw_scene_title(const PanelContext& context, bool quiet);
// The story's first sentence; all of it where the pointer is on it.
void draw_story(const PanelContext& context);
// Where the figures come from. `point`: the one that is shown; null: none is.
std::string origin_note(const SessionView& view, const Measurement* point);
void draw_origin(const PanelContext& context, const Measurement* point);
// The variants that can be chosen here, in teaching order, each with its point where that is
// correct.
std::vector<Candidate> candidates_of(const PanelContext& context);

}  // namespace warpscope
