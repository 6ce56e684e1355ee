// workbench/window/slide.h: a picture of one panel, or of the window, in any size, as PNG or SVG.
#pragma once

#include <imgui.h>

#include "workbench/window/capture.h"
#include "workbench/window/frame.h"

namespace warpscope {

// Draws a panel alone and without its controls: no buttons, menus and scroll bars, no text cut
// short; the window is drawn as it stands on a screen of this size. `panels` lends its zooms and
// choices. The ImGui context at hand stays as it is; of OpenGL no context is current afterwards,
// and none may be before. error: environment (no EGL for a PNG, a file that cannot be written).
Result<void> write_slide(const SlideOptions& options, Workspace& workspace,
                         const PanelStates& panels, const FrameState& window);

// A list that goes on below its window ends with a whole line: letters that its lower or upper edge
// would cut through are not drawn. After ImGui::Render().
void drop_cut_letters(ImDrawData& frame);

}  // namespace warpscope
