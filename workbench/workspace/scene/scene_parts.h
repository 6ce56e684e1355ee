// workbench/workspace/scene/scene_parts.h: what belongs to the scene that is shown, and the
// person's own baselines.
#pragma once

#include <memory>

#include "workbench/workspace/scene/kernel_files.h"
#include "workbench/workspace/scene/scene_folder.h"
#include "workbench/workspace/scene/scene_journals.h"
#include "workbench/workspace/scene/scene_words.h"
#include "workbench/workspace/session/user_baselines.h"

namespace warpscope {

// They know one another: an object stays where it was made.
struct SceneParts {
  SceneParts(OpenedSession& opened, const ShownScene& scene, const Selection& selection,
             const SelectedPoints& points, WindowLog& log,
             const std::shared_ptr<Catalogue>& catalogue)
      : words(opened, scene, selection, points),
        files(opened, scene, points),
        folder(scene),
        journals(opened, scene, selection, points, words, files, log, catalogue),
        baselines(log) {}
  SceneParts(const SceneParts&) = delete;
  SceneParts& operator=(const SceneParts&) = delete;

  SceneWords words;
  KernelFiles files;
  SceneFolder folder;
  SceneJournals journals;
  UserBaselines baselines;
};

}  // namespace warpscope
