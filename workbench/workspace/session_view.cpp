// workbench/workspace/session_view.cpp: what panels may read.
#include "workbench/workspace/session_view.h"

#include "workbench/workspace/jobs/live_jobs.h"

namespace warpscope {

WorkProgress SessionView::progress() const {
  return work_progress(engines, session(), jobs.batch(), live.roofs_follow());
}

}  // namespace warpscope
