// profiling/overview/limiting_roof.h: one roof to name beside a time, of the device that measured.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "profiling/session/session.h"

namespace warpscope {

// What a table has room for: the roof that limits the point, else the nearest one that is known.
struct LimitingRoof {
  std::optional<double> ratio;  // 1.0 stands on the roof; empty: `why`
  std::string name;             // "L2", "fp32"
  bool limits = false;   // it is the one that limits; else another roof may be nearer than this one
  bool above = false;    // of a level: the point is above its roof, which is an error
  std::string borrowed;  // that the roofs are another card\'s, in words; empty: its own
  std::string why;       // why no roof is named as the one that limits; empty: one is, or no time
};
// Among the roofs of the point's own device. `lent`: see roof_join.h. A point without figures has
// no roof and no reason.
LimitingRoof limiting_roof(const Session& session, const Measurement& point, CacheState cache,
                           std::span<const RoofSet> lent = {});
// "82.1 % L2", "≥ 45 % DRAM" (another roof may be nearer), "above L2", "–".
std::string to_text(const LimitingRoof& roof);

}  // namespace warpscope
