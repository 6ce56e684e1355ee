// workbench/window/files/exercise.cpp: the exercise that the window leads through, if the scene's
// folder is one.
#include "workbench/window/files/exercise.h"

#include <utility>

#include "workbench/workspace/scene/exercise_run.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

void begin_exercise(Workspace& workspace, const Exercise& exercise) {
  Selection& selection = workspace.selection;
  if (find_variant(workspace.scene(), exercise.variant) != nullptr)
    selection.variant = exercise.variant;
  auto axes = with_values(workspace.scene().axes, selection.axes, exercise.counted.front());
  if (axes) selection.axes = std::move(*axes);
  selection.wanted_panel = "exercise";
}

}  // namespace

void follow_exercise(Workspace& workspace, ExercisePanel& state) {
  const fs::path folder = workspace.view().shown.folder();
  if (state.folder != folder) {
    state = {nullptr, folder};
    std::error_code ignored;
    if (folder.empty() || !fs::exists(folder / kExerciseFile, ignored)) return;
    Result<std::unique_ptr<ExerciseRun>> opened = ExerciseRun::open(folder);
    if (!opened) return workspace.log.notify(sentence(opened.error()));
    state.run = std::move(*opened);
    begin_exercise(workspace, state.run->exercise());
  }
  if (state.run) state.run->update();
}

bool is_grading(const ExercisePanel& state) {
  return state.run != nullptr && state.run->is_grading();
}

}  // namespace warpscope
