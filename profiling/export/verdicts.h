// profiling/export/verdicts.h: which verdicts are findings, and all verdicts as a table.
#pragma once

#include <string>
#include <vector>

#include "profiling/session/session.h"

namespace warpscope {

// Whether something is wrong with the output or the run; not so where nothing ran, or could not.
bool failed(Outcome outcome);

// Whether this outcome is what a lesson's variant that is faulty, or cannot start, must have here.
bool wrong_as_expected(const Measurement& m);

// Whether one point at least is a finding: it failed, and not as a lesson wants it.
bool has_findings(const Session& session);

// Where the verdicts of a session come from: "emulator", "GPU".
struct VerdictsOf {
  std::string where;
  const Session* session = nullptr;
};

// CSV with one row per point and place, under one header: scene, variant, every axis (empty if the
// point has none of that name), where, device, verdict, finding (yes or no), largest_error (1 is
// the bound; empty where no element was checked), bound (the rule that an element's bound follows),
// elements_checked, elements_beyond_bound, sentence, remedy.
std::string verdict_csv(const std::vector<VerdictsOf>& places);

}  // namespace warpscope
