// profiling/overview/bandwidths.cpp: how many bytes a second a point moves at each level, and of
// what roof.
#include "profiling/overview/bandwidths.h"

#include <algorithm>
#include <utility>

namespace warpscope {

std::vector<Bandwidth> bandwidths(const RooflineStanding& standing, double time_ns) {
  std::vector<Bandwidth> list;
  if (!(time_ns > 0)) return list;
  for (const Level level : {Level::dram, Level::l2, Level::l1, Level::shared}) {
    for (const RooflinePoint& p : standing.points) {
      if (p.level != level) continue;
      Bandwidth b;
      b.level = level;
      b.rate = p.bytes / (time_ns * 1e-9);
      b.origin = p.bytes_origin;
      b.impossible = p.impossible;
      if (p.ceiling && p.floor_ns) {
        b.roof = p.roof;
        b.roof_rate = p.ceiling;
        b.roof_ratio = *p.floor_ns / time_ns;
      }
      if (p.least_ns && p.most_ns) {
        b.least_ratio = *p.least_ns / time_ns;
        b.most_ratio = *p.most_ns / time_ns;
      }
      list.push_back(std::move(b));
    }
  }
  return list;
}

const Bandwidth* find_bandwidth(const std::vector<Bandwidth>& list, Level level) {
  const auto found = std::find_if(list.begin(), list.end(),
                                  [level](const Bandwidth& b) { return b.level == level; });
  return found == list.end() ? nullptr : &*found;
}

}  // namespace warpscope
