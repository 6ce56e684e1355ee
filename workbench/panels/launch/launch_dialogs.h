// workbench/panels/launch/launch_dialogs.h: where Launch writes a folder or a launch file.
#pragma once

#include "workbench/panels/launch/launch_form.h"
#include "workbench/panels/panels.h"

namespace warpscope {

// Opens the dialog with a path that is free, beside the kernel's file.
void ask_for_path(const PanelContext& context, const Selection& selection,
                  LaunchPanel::Writing what, LaunchPanel& state);
// Draws it while it is open. What is there already is refused while the path is typed.
void draw_path_dialog(const PanelContext& context, const Selection& selection,
                      const LaunchForm& form, const std::string& description, LaunchPanel& state);

}  // namespace warpscope
