// workbench/panels/launch/launch_fields.h: the rows of the form in Launch.
#pragma once

#include "workbench/panels/launch/launch_form.h"
#include "workbench/panels/panels.h"

namespace warpscope {

// Grid, block and shared bytes, the sizes, and a row per parameter. What is typed goes into the
// draft; a size moves its slider.
void draw_launch_fields(const PanelContext& context, Selection& selection, const LaunchForm& form,
                        const std::string& description, LaunchPanel& state);

// "?" beside a value that is a guess, "¶" beside one that a line says: the tooltip says why, a
// click opens Source.
void draw_origin(const PanelContext& context, Selection& selection, const char* id,
                 const FormValue& value);

}  // namespace warpscope
