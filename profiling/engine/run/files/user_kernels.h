// profiling/engine/run/files/user_kernels.h: kernels of a file of the person's own, listed and
// emulated.
#pragma once

#include <string>
#include <vector>

#include "profiling/engine/run/job_channel.h"
#include "scenes/base/source.h"

namespace warpscope {

// Emulates one kernel of the job's file, buffers by size and fill, values as given, and sends its
// Trace. error: usage, input, environment, resource.
Result<void> trace_user(const Job& job, const TraceJob& asked,
                        const std::vector<KernelSource>& sources, const JobChannel& channel);
// Compiles the job's file and sends a Listing of its kernels. error: as trace_user.
Result<void> list_user(const Job& job, const std::vector<KernelSource>& sources,
                       const JobChannel& channel);

}  // namespace warpscope
