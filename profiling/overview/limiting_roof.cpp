// profiling/overview/limiting_roof.cpp: one roof to name beside a time, of the device that
// measured.
#include "profiling/overview/limiting_roof.h"

#include "profiling/agreement/trace_metrics.h"
#include "profiling/overview/roof_use.h"
#include "profiling/points/derive.h"
#include "profiling/session/roof_join.h"

namespace warpscope {
namespace {

// A share that the point reaches in any case: the largest of what is known. Bytes of the scene's
// model are the least that must move, and no mix of reads and writes is faster than the best one.
void take_nearest(LimitingRoof& made, const Measurement& point, double time_ns,
                  const RooflineStanding& standing, const RoofSet& roofs) {
  const auto take = [&made](double ratio, const char* name) {
    if (ratio <= 1 && (!made.ratio || ratio > *made.ratio)) {
      made.ratio = ratio;
      made.name = name;
    }
  };
  const std::vector<RoofUse> uses = roof_uses(standing, time_ns);
  if (const RoofUse* use = named_use(uses, standing); use != nullptr && use->roof_ratio)
    take(*use->roof_ratio, to_text(use->level));
  const double seconds = time_ns * 1e-9;
  const std::optional<double> bytes = value_of(point.metrics, "model.dram_bytes");
  const std::optional<double> rate = best_dram_rate(roofs);
  if (bytes && rate && *rate > 0) take(*bytes / *rate / seconds, to_text(Level::dram));
  const std::optional<double> flops = value_of(point.metrics, "model.flops");
  const Roof* pipe = find_roof(roofs, standing.pipe);
  if (flops && pipe != nullptr && pipe->value > 0)
    take(*flops / pipe->value / seconds, to_text(standing.pipe));
}

}  // namespace

LimitingRoof limiting_roof(const Session& session, const Measurement& point, CacheState cache,
                           std::span<const RoofSet> lent) {
  LimitingRoof made;
  if (!has_figures(point.verdict.outcome)) return made;
  const RoofJoin join = join_roofs(session, point.conditions, lent);
  if (join.roofs == nullptr) {
    made.why = join.words;
    return made;
  }
  const std::optional<RooflineStanding> standing =
      stand(point, cache, *join.roofs, modelled_beside(session, point));
  if (!standing) return made;
  made.borrowed = join.words;
  for (const RooflinePoint& level : standing->points) {
    if (level.impossible.empty() || made.above) continue;
    made.above = true;
    made.name = to_text(level.level);
  }
  if (standing->binding) {
    made.limits = true;
    made.ratio = standing->binding_ratio;
    made.name =
        *standing->binding == Level::pipe ? to_text(standing->pipe) : to_text(*standing->binding);
    return made;
  }
  made.why = standing->sentence;
  const std::optional<Timing>& time = cache == CacheState::cold ? point.cold : point.warm;
  if (!made.above) take_nearest(made, point, time->median_ns, *standing, *join.roofs);
  return made;
}

std::string to_text(const LimitingRoof& roof) {
  if (roof.ratio)
    return (roof.limits ? "" : "≥ ") + format_value(*roof.ratio, "ratio") + " " + roof.name;
  return roof.above ? "above " + roof.name : "–";
}

}  // namespace warpscope
