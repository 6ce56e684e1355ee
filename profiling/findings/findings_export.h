// profiling/findings/findings_export.h: findings as JSON, and as SARIF for editors and code review.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "profiling/findings/findings.h"

namespace warpscope {

// [{"kind":"uncoalesced-access","severity":"warning","file":…,"line":31,…}, …]: a JSON array in one
// line, in the list's order.
std::string findings_json(const FindingList& list);
// The line of JSON of a trace, with "findings" and "findings_scope" added.
std::string with_findings(std::string trace_line, const FindingList& list);

// One launch whose findings go into a SARIF file.
struct SarifLaunch {
  std::string kernel;  // "csrmm/float4_columns at m=64, step multiply": named in each message
  FindingList list;
};
// Where a file of a finding stands, relative to the folder that the reader opens: "kernels/a.cu".
using FilePlace = std::function<std::string(const std::string& file)>;

// SARIF 2.1.0: one run, one rule for each kind, one result for each finding. Paths become URIs;
// source: docs.oasis-open.org/sarif/sarif/v2.1.0.
std::string sarif_text(std::span<const SarifLaunch> launches, const FilePlace& place);

// The path as a URI reference: "/" between folders, other characters percent-encoded. An absolute
// path becomes a file URI.
std::string uri_of(const std::string& path);

}  // namespace warpscope
