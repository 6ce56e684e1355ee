// workbench/client/job_order.h: in which order an engine is asked for points, and which of them.
#pragma once

#include <vector>

#include "profiling/session/session.h"

// An engine keeps inputs, references and kernels from one job to the next.
//
//   jobs = in_measuring_order(catalogue, std::move(jobs));          // each point once, inputs
//   together if (missing) jobs = lacking(std::move(jobs), held);  // what a session has is left out

namespace warpscope {

// Jobs of one point become one: that with the most counters, of equals the last with the longest
// limit. What is left stands so that inputs change least often: all that share a scene's first
// inputs together, among them those that share the next, then those of one problem and of one
// reference. Of equals the order stays.
std::vector<Job> in_measuring_order(const Catalogue& catalogue, std::vector<Job> jobs);

// Without those that the session holds of today's sources, with at least the counters asked for.
std::vector<Job> lacking(std::vector<Job> jobs, const Session& held);

}  // namespace warpscope
