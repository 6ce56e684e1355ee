// tests/emulator/emulated_scene.h: a variant of a scene, emulated, with what its addresses cost.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "profiling/agreement/trace_metrics.h"
#include "profiling/engine/run/emulated/emulated_stage.h"
#include "scenes/catalogue.h"

namespace warpscope {

using Changes = std::map<std::string, std::string>;

// Counts of all kernels that run each time; kernels that only prepare are left out.
struct EmulatedCounts {
  double loads = 0, load_requests = 0, stores = 0, store_requests = 0;  // sectors, requests
  double reduction_lanes = 0;                                           // of global memory
  double shared_loads = 0, shared_stores = 0;                           // wavefronts
  double unique = 0, asked = 0;                                         // ends of L2's interval
  Facts facts;
  std::vector<Trace> traces;
  double bytes() const { return 32 * (loads + stores); }
  double sectors_per_load() const { return loads / load_requests; }
};

inline EmulatedCounts counts_of(const std::string& scene, const std::string& name,
                                const Changes& changes,
                                const Catalogue& catalogue = built_in_catalogue()) {
  EmulatedCounts counts;
  const Scene& s = **catalogue.find(scene);
  const Variant& variant = *find_variant(s, name);
  EmulatedStage stage;
  stage.use(catalogue.source_lookup());
  const auto axes = with_values(s.axes, default_configuration(s.axes), changes);
  const Result<void> set = axes ? stage.set(s, for_variant(s.axes, *axes, name))
                                : Result<void>(tl::unexpected(axes.error()));
  if (!set) {
    ADD_FAILURE() << sentence(set.error());
    return counts;
  }
  EmulatedStage::View view;
  view.warp = 0;
  Result<EmulatedStage::Run> run = stage.run(variant, view);
  if (!run) {
    ADD_FAILURE() << name << ": " << sentence(run.error());
    return counts;
  }
  counts.facts = stage.workload().all_facts();
  std::map<std::string, Phase> phases;
  for (const Step& step : variant.steps(stage.workload())) phases[step.name] = step.phase;
  for (Trace& trace : run->traces) {
    if (phases[trace.step] != Phase::run) continue;
    EXPECT_TRUE(trace.faults.empty()) << trace.faults.front().sentence;
    const std::vector<MetricValue> values = emulated_metrics(trace);
    const auto value = [&](const char* id) { return value_of(values, id).value_or(0); };
    counts.loads += value("emulated.l1.sectors_load");
    counts.load_requests += value("emulated.l1.requests_load");
    counts.stores += value("emulated.l1.sectors_store");
    counts.store_requests += value("emulated.l1.requests_store");
    counts.shared_loads += value("emulated.shared.wavefronts_load");
    counts.shared_stores += value("emulated.shared.wavefronts_store");
    counts.unique += value("emulated.l2.unique_sectors");
    counts.asked += value("emulated.l2.asked_sectors");
    for (const AccessSite& site : trace.sites) {
      if (site.space == Space::global && site.kind == AccessKind::reduction)
        counts.reduction_lanes += static_cast<double>(site.totals.lanes);
    }
    counts.traces.push_back(std::move(trace));
  }
  return counts;
}

}  // namespace warpscope
