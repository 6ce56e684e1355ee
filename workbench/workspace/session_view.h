// workbench/workspace/session_view.h: what panels may read.
#pragma once

#include <string>
#include <vector>

#include "workbench/workspace/session/selected_points.h"
#include "workbench/workspace/session/standing.h"

// The parts of a workspace, each with a header of its own, and short names for what nearly every
// panel asks. Nothing of a workspace can be changed through its view:
//
//   const Measurement* point = view.state(view.selection.variant).point;
//   if (point == nullptr) draw_note(style, view.points.not_recorded());

namespace warpscope {

class JobScheduler;
class KernelFiles;
class LiveJobs;
class PlannedSweeps;
class SceneFolder;
class SceneJournals;
class SceneWords;
class TrainingControl;

struct SessionView {
  const OpenedSession& opened;      // the session, and where it came from
  const ShownScene& shown;          // the scene, its folder and its catalogue
  const Selection& selection;       // what the person chose
  const SelectedPoints& points;     // the session's points at the selection
  const SceneWords& words;          // texts with their claims decided
  const KernelFiles& files;         // the kernels' texts as they stand
  const SceneFolder& folder;        // mistakes and verdicts of a folder that is edited
  const SceneJournals& journals;    // what was noted
  const Engines& engines;           // the engine and the emulator
  const JobScheduler& jobs;         // what was submitted
  const LiveJobs& live;             // what follows the selection
  const TrainingControl& training;  // the training of the scene
  const PlannedSweeps& sweeps;      // sweeps of plans, by programs of their own
  const WindowLog& log;             // what the window itself has to say

  const Session& session() const { return opened.session(); }
  const Scene& scene() const { return shown.scene(); }
  bool recorded() const { return opened.recorded(); }
  const std::string& device() const { return points.device(); }
  const PointId& point_id(const std::string& variant) const { return points.id(variant); }
  const std::string& key() const { return points.id(selection.variant).key; }  // of the focus
  PointState state(const std::string& variant) const { return points.state(variant); }
  // Whether the scene is a person's file or folder.
  bool is_own() const;
  // Whether that has no figure of a GPU, and gets none here: all that is known of it is emulated.
  bool is_emulated_alone() const;
  bool has_device() const { return engines.has_device(session()); }
  WorkProgress progress() const;
  // The newest job of this kind for a variant of the scene, or for any variant if none is named.
  JobState last_job(JobKind kind, const std::string& variant = {}) const {
    return warpscope::last_job(session(), shown.name(), kind, variant);
  }
};

}  // namespace warpscope
