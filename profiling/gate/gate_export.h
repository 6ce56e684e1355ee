// profiling/gate/gate_export.h: a gate's answer for a person, for CI servers and for code review.
#pragma once

#include <functional>
#include <string>

#include "profiling/gate/gate_comparison.h"

// None of them has a time or a name of the machine: the same kernels give the same bytes.

namespace warpscope {

// Where a file of a difference is, relative to the folder that the reader opens. `kernel`: that of
// the gate's file.
using GatePlace = std::function<std::string(const std::string& kernel, const std::string& file)>;

// One block per kernel with a difference, then the sum.
std::string gate_text(const GateComparison& comparison);
// A table for a comment on a pull request.
std::string gate_markdown(const GateComparison& comparison);
std::string gate_json(const GateComparison& comparison);
// JUnit XML: a test case per kernel launch and architecture, a failure if it has one.
std::string gate_junit(const GateComparison& comparison, const std::string& suite);
// SARIF 2.1.0: a result per failing difference and line; without a line it is at `gate_file`.
std::string gate_sarif(const GateComparison& comparison, const std::string& gate_file,
                       const GatePlace& place);

}  // namespace warpscope
