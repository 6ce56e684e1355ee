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
  return fmt::format(
      "The kernel's {} use {} of the bytes in the sectors that they request (emulated{}).",
      used.loads ? "loads" : "stores", format_value(used.ratio(), "ratio"),
      used.step.empty() ? "" : " for the step “" + used.step + "”");
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
    return "The unused bytes count towards this roof, too.";
  if (standing.binding != Level::dram) return "";
  const auto useful = value_of(point.metrics, "model.useful_bytes");
  for (const RooflinePoint& p : standing.points) {
    if (p.level != Level::dram || !useful || !(*useful < kWasteful * p.bytes)) continue;
    return fmt::format(
        "The unused bytes count towards this roof, too: DRAM moves {}, and the work needs only {}.",
        format_value(p.bytes, "B"), format_value(*useful, "B"));
  }
  return "";
}

}  // namespace warpscope
