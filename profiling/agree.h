// profiling/agree.h: a session's counters beside Nsight Compute's of the same kernels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiling/session.h"

namespace warpscope {

struct Agreement {
  std::string kernel;  // entry name
  std::string cupti_name;
  double ours = 0, ncu = 0;
  double difference_ratio = 0;  // ours / ncu − 1
  bool agrees = false;          // within the limits of MEASURING section 4
};

// `csv` is the output of `ncu --csv --page raw`, with or without its ==PROF== lines. Each kernel of
// it is held to the newest step of that entry and grid that has the counter. error: input.
Result<std::vector<Agreement>> agree_with_ncu(std::string_view csv, const Session& session);

}  // namespace warpscope
