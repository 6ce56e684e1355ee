// workbench/panels/source/source_comparison.h: SASS of the baseline beside that of the chosen
// variant.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "workbench/panels/panels.h"

namespace warpscope {

// The kernel steps of a variant at the selection.
using StepsOf = std::function<std::vector<StepRecord>(const std::string& variant)>;

// What `warpscope sass --diff` prints of the two. Asks for listings that are not there yet.
void draw_sass_comparison(const PanelContext& context, Selection& selection, const StepRecord& step,
                          const StepsOf& steps_of, SourcePanel& state);

}  // namespace warpscope
