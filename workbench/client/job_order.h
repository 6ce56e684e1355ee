// workbench/client/job_order.h: in which order an engine is asked for points, and which of them.
#pragma once

#include <vector>

#include "profiling/session/session.h"

// An engine keeps inputs, references and kernels from one job to the next.
//
//   jobs = in_measuring_order(catalogue, std::move(jobs));       // once each, by inputs
//   if (missing) jobs = lacking(std::move(jobs), held);          // what a session has is left out

namespace warpscope {

// Jobs of one point become one: the job with the most counters; if several have as many, the last
// one with the longest limit. The remaining jobs are ordered so that inputs change least often:
// jobs that share a scene's first inputs are together, among them those that share the next inputs,
// then those of one problem and of one reference. Otherwise the order stays.
std::vector<Job> in_measuring_order(const Catalogue& catalogue, std::vector<Job> jobs);

// Leaves out jobs whose points the session already has, from today's sources and with at least the
// counters asked for.
std::vector<Job> lacking(std::vector<Job> jobs, const Session& held);

}  // namespace warpscope
