// profiling/overview/roof_use.cpp: how much of its roof each level of memory uses, and which
// limits.
#include "profiling/overview/roof_use.h"

#include <algorithm>
#include <utility>

#include "profiling/figures/metric.h"
#include "profiling/points/level_bytes.h"

namespace warpscope {
namespace {

RoofUse use_at(const RooflinePoint& p, const RooflineStanding& standing, double time_ns) {
  RoofUse use;
  use.level = p.level;
  use.bytes = p.bytes;
  use.rate = p.bytes / (time_ns * 1e-9);
  use.origin = p.bytes_origin;
  use.of = p.bytes_of;
  use.impossible = p.impossible;
  if (!p.ceiling || !p.floor_ns) {
    use.no_ratio = p.bytes_origin == Origin::modelled && p.level == Level::dram
                       ? "reads and writes of DRAM were not counted separately"
                       : "no roof of this level was measured on this device";
    return use;
  }
  use.roof = p.roof;
  use.roof_rate = p.ceiling;
  const double ratio = *p.floor_ns / time_ns;
  // What the emulator counts may be more than the device moves, which no counter tells here.
  if (p.bytes_origin == Origin::modelled && !p.least_ns && ratio > 1) {
    use.no_ratio = "emulated bytes would be " + format_value(ratio, "ratio") + " of the " + p.roof +
                   ", so the device moves fewer";
    return use;
  }
  const bool nearest = standing.binding == p.level;
  use.roof_ratio = nearest ? standing.binding_ratio : ratio;
  use.limits = nearest && is_limited(standing);
  if (p.least_ns && p.most_ns) {
    use.least_ratio = *p.least_ns / time_ns;
    use.most_ratio = *p.most_ns / time_ns;
  }
  return use;
}

}  // namespace

std::vector<RoofUse> roof_uses(const RooflineStanding& standing, double time_ns) {
  std::vector<RoofUse> list;
  if (!(time_ns > 0)) return list;
  for (const Level level : {Level::dram, Level::l2, Level::l1, Level::shared}) {
    for (const RooflinePoint& p : standing.points) {
      if (p.level == level) list.push_back(use_at(p, standing, time_ns));
    }
  }
  return list;
}

const RoofUse* find_use(const std::vector<RoofUse>& list, Level level) {
  const auto found = std::find_if(list.begin(), list.end(),
                                  [level](const RoofUse& use) { return use.level == level; });
  return found == list.end() ? nullptr : &*found;
}

const RoofUse* named_use(const std::vector<RoofUse>& list, const RooflineStanding& standing) {
  const RoofUse* nearest = standing.binding ? find_use(list, *standing.binding) : nullptr;
  if (nearest != nullptr && nearest->roof_ratio) return nearest;
  const RoofUse* largest = nullptr;
  for (const RoofUse& use : list) {
    if (!use.roof_ratio || use.least_ratio) continue;
    if (largest == nullptr || *use.roof_ratio > *largest->roof_ratio) largest = &use;
  }
  return largest;
}

}  // namespace warpscope
