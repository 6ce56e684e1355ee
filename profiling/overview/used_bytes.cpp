// profiling/overview/used_bytes.cpp: how many of the bytes that a kernel's requests move are used.
#include "profiling/overview/used_bytes.h"

#include <fmt/format.h>

#include "profiling/access/launch_sums.h"
#include "profiling/points/level_bytes.h"
#include "scenes/base/device_units.h"

namespace warpscope {

std::optional<UsedBytes> used_bytes(const Trace* trace, std::size_t steps) {
  if (trace == nullptr) return std::nullopt;
  LaunchSums sums;
  for (const AccessSite& site : trace->sites) sums.add(site.space, site.kind, site.totals);
  const auto of = [](const AccessTotals& totals, bool loads) {
    return UsedBytes{loads, static_cast<double>(totals.unique_bytes),
                     static_cast<double>(totals.sectors) * kSectorBytes};
  };
  const UsedBytes load = of(sums.load, true), store = of(sums.store, false);
  UsedBytes worse = store.moved - store.used > load.moved - load.used ? store : load;
  if (!(worse.moved > 0)) return std::nullopt;
  worse.all_ratio = (load.used + store.used) / (load.moved + store.moved);
  if (steps > 1) worse.step = trace->step;
  return worse;
}

std::string used_sentence(const UsedBytes& used) {
  const std::string whose = used.step.empty() ? "Its" : "In the step “" + used.step + "” alone,";
  return fmt::format("{} {} move {} in sectors of 32 bytes and use {} of that (emulated).", whose,
                     used.loads ? "loads" : "stores", format_value(used.moved, "B"),
                     format_value(used.used, "B"));
}

std::string wasted_sentence(const UsedBytes& used) {
  return fmt::format(
      "{} of the bytes that its {} move are wasted: neighbouring lanes should {} "
      "neighbouring elements.",
      format_value(1 - used.ratio(), "ratio"), used.loads ? "loads" : "stores",
      used.loads ? "read" : "write");
}

std::string waste_at_roof(const Measurement& point, const RooflineStanding& standing) {
  if (standing.binding == Level::l1 || standing.binding == Level::l2)
    return "The wasted bytes count towards this roof.";
  if (standing.binding != Level::dram) return "";
  const auto useful = value_of(point.metrics, "model.useful_bytes");
  for (const RooflinePoint& p : standing.points) {
    if (p.level != Level::dram || !useful || !(*useful < kWasteful * p.bytes)) continue;
    return fmt::format(
        "The wasted bytes count towards this roof: DRAM moves {1}, and the work needs only {0}, "
        "loads and stores together.",
        format_value(*useful, "B"), format_value(p.bytes, "B"));
  }
  return "";
}

}  // namespace warpscope
