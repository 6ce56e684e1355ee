// tests/profiling/agreement/copied.h: one launch of a copy, as it is traced and as it is measured.
#pragma once

#include "profiling/access/trace.h"
#include "profiling/points/measurement.h"

namespace warpscope {

// 25 requests for 100 sectors, in all blocks.
inline Trace traced_copy() {
  Trace trace;
  trace.scene = "patterns", trace.variant = "copy", trace.key = "n=800", trace.step = "copy";
  trace.scope.grid = true;
  AccessSite site;
  site.totals.requests = 25;
  site.totals.sectors = 100;
  trace.sites = {site};
  return trace;
}

// The same point, correct, without counters.
inline Measurement measured_copy() {
  Measurement m;
  m.scene = "patterns", m.variant = "copy", m.key = "n=800";
  m.verdict.outcome = Outcome::correct;
  m.steps.resize(1);
  m.steps[0].kind = "kernel";
  return m;
}

}  // namespace warpscope
