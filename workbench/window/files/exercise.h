// workbench/window/files/exercise.h: the exercise that the window leads through, if the scene's
// folder is one.
#pragma once

#include "workbench/panels/panels.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {

// Once a frame: opens the exercise of the folder that is shown, turns to its kernel at the size
// that its goals name, and takes in the grade of what was saved.
void follow_exercise(Workspace& workspace, ExercisePanel& state);

// Whether a grade is being made: what is drawn of it changes.
bool is_grading(const ExercisePanel& state);

}  // namespace warpscope
