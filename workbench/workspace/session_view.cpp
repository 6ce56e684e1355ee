// workbench/workspace/session_view.cpp: what panels may read.
#include "workbench/workspace/session_view.h"

#include "workbench/workspace/jobs/live_jobs.h"

namespace warpscope {

WorkProgress SessionView::progress() const {
  return work_progress(engines, session(), jobs.batch(), live.roofs_follow());
}

bool SessionView::is_own() const {
  return !shown.folder().empty() || !shown.catalogue().file_of(shown.name()).empty();
}

bool SessionView::is_emulated_alone() const {
  const RecordedStops* stops = points.stops();
  return is_own() && selection.device.empty() && stops != nullptr && !stops->recorded &&
         !stops->nearest;
}

}  // namespace warpscope
