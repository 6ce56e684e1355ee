// profiling/overview/occupancy_change.cpp: how occupancy follows from block size, registers and
// shared memory, and what the next block per multiprocessor would take.
#include "profiling/overview/occupancy_change.h"

#include <algorithm>

#include "profiling/figures/metric.h"
#include "profiling/figures/multiprocessor.h"
#include "profiling/overview/costly_line.h"
#include "profiling/points/step_means.h"

namespace warpscope {
namespace {

constexpr const char* kAchieved = "occupancy.achieved";
constexpr std::int64_t kWarpThreads = 32, kMostThreads = 1024, kMostRegisters = 255, kKiB = 1024;

// A kernel's launch with one of the three changed.
struct Changed {
  KernelResources resources;
  Launch launch;

  std::int64_t at(OccupancyAxis axis) const {
    if (axis == OccupancyAxis::registers) return resources.registers_per_thread;
    if (axis == OccupancyAxis::shared_memory)
      return resources.static_shared_bytes + launch.dynamic_shared_bytes;
    return launch.block.x * launch.block.y * launch.block.z;
  }
  Changed with(OccupancyAxis axis, std::int64_t value) const {
    Changed next = *this;
    if (axis == OccupancyAxis::registers) {
      next.resources.registers_per_thread = static_cast<int>(value);
    } else if (axis == OccupancyAxis::shared_memory) {
      next.resources.static_shared_bytes = std::min(value, resources.static_shared_bytes);
      next.launch.dynamic_shared_bytes = value - next.resources.static_shared_bytes;
    } else {
      next.launch.block = {};
      next.launch.block.x = value;
    }
    return next;
  }
  std::optional<Occupancy> occupancy(const DeviceLimits& device) const {
    return occupancy_of(resources, launch, device);
  }
  std::int64_t blocks(const DeviceLimits& device) const {
    const auto found = occupancy(device);
    return found ? found->blocks : 0;
  }
};

std::int64_t step_of(OccupancyAxis axis) {
  return axis == OccupancyAxis::block_size      ? kWarpThreads
         : axis == OccupancyAxis::shared_memory ? kKiB
                                                : 1;
}

// As far as the launch starts.
std::int64_t last_of(OccupancyAxis axis, const KernelResources& resources, std::int64_t threads,
                     const DeviceLimits& device) {
  if (axis == OccupancyAxis::shared_memory) return device.shared_bytes_per_block;
  if (axis == OccupancyAxis::block_size) {
    const std::int64_t most = most_threads_of(resources.registers_per_thread);
    return resources.most_block_threads > 0 ? std::min(most, resources.most_block_threads) : most;
  }
  std::int64_t registers = kMostRegisters;
  while (registers > 1 && block_registers(registers, threads) > device.registers_per_multiprocessor)
    --registers;
  return registers;
}

OccupancyPoint point_of(const Changed& changed, OccupancyAxis axis, const Occupancy& occupancy) {
  const std::int64_t warps =
      (changed.at(OccupancyAxis::block_size) + kWarpThreads - 1) / kWarpThreads;
  return {changed.at(axis), occupancy.blocks, occupancy.blocks * warps, occupancy.limit};
}

// The largest value, up to the present one, at which `blocks` fit; −1: there is none. The smaller
// the value, the more blocks fit.
std::int64_t most_for(const Changed& changed, OccupancyAxis axis, std::int64_t blocks,
                      const DeviceLimits& device) {
  // Shared memory is given in units of 128 bytes, of 256 on old devices.
  const std::int64_t unit = axis == OccupancyAxis::shared_memory ? kSharedUnit : step_of(axis);
  const auto fits = [&](std::int64_t units) {
    return changed.with(axis, units * unit).blocks(device) >= blocks;
  };
  std::int64_t low = axis == OccupancyAxis::shared_memory ? 0 : 1, high = changed.at(axis) / unit;
  if (low > high || !fits(low)) return -1;
  while (low < high) {
    const std::int64_t middle = (low + high + 1) / 2;
    if (fits(middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low * unit;
}

std::string amount(OccupancyAxis axis, std::int64_t value) {
  return axis == OccupancyAxis::shared_memory ? grouped(value) + " bytes" : grouped(value);
}

std::string need_text(const OccupancyNeed& need) {
  const std::int64_t less = need.now - need.at_most;
  switch (need.axis) {
    case OccupancyAxis::registers:
      return "at most " + grouped(need.at_most) + " registers per thread (" + grouped(less) +
             " fewer)";
    case OccupancyAxis::shared_memory:
      return "at most " + amount(need.axis, need.at_most) + " of shared memory per block (" +
             grouped(less) + " fewer)";
    case OccupancyAxis::block_size:
      break;
  }
  return "blocks of at most " + grouped(need.at_most) + " threads (" + grouped(less) + " fewer)";
}

std::string limit_text(OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::registers:
      return "Registers are the limit.";
    case OccupancyLimit::shared_memory:
      return "Shared memory is the limit.";
    case OccupancyLimit::warps:
      return "The number of warps is the limit.";
    case OccupancyLimit::blocks:
      break;
  }
  return "The number of blocks is the limit.";
}

}  // namespace

const char* to_text(OccupancyAxis axis) {
  constexpr const char* kWords[kOccupancyAxes] = {"threads per block", "registers per thread",
                                                  "shared memory per block"};
  return kWords[static_cast<int>(axis)];
}

std::optional<OccupancyCurve> occupancy_curve(const KernelResources& resources,
                                              const Launch& launch, const DeviceLimits& device,
                                              OccupancyAxis axis) {
  const Changed now{resources, launch};
  const auto here = now.occupancy(device);
  const ArchitectureLimits* limits = limits_of(device.compute_capability);
  if (!here || limits == nullptr) return std::nullopt;
  OccupancyCurve curve;
  curve.axis = axis;
  curve.here = point_of(now, axis, *here);
  curve.most_warps = limits->threads / kWarpThreads;
  curve.most_at = axis == OccupancyAxis::block_size      ? kMostThreads
                  : axis == OccupancyAxis::shared_memory ? device.shared_bytes_per_block
                                                         : kMostRegisters;
  const std::int64_t step = step_of(axis);
  const std::int64_t last = last_of(axis, resources, now.at(OccupancyAxis::block_size), device);
  for (std::int64_t value = axis == OccupancyAxis::shared_memory ? 0 : step; value <= last;
       value += step) {
    const Changed changed = now.with(axis, value);
    if (const auto occupancy = changed.occupancy(device))
      curve.points.push_back(point_of(changed, axis, *occupancy));
  }
  return curve;
}

std::optional<NextBlock> next_block(const KernelResources& resources, const Launch& launch,
                                    const DeviceLimits& device) {
  const Changed now{resources, launch};
  const auto here = now.occupancy(device);
  const ArchitectureLimits* limits = limits_of(device.compute_capability);
  if (!here || limits == nullptr) return std::nullopt;
  NextBlock next;
  next.blocks = here->blocks + 1;
  Changed changed = now;
  // With all others at their least, what is the most of each that leaves room?
  const Changed no_shared = now.with(OccupancyAxis::shared_memory, 0),
                one_register = now.with(OccupancyAxis::registers, 1);
  const auto need = [&](OccupancyAxis axis, const Changed& others) {
    const std::int64_t most = most_for(others, axis, next.blocks, device);
    if (most < 0 || most == now.at(axis)) return;
    // A value that is not a multiple of the unit is enough if it takes no more units.
    if (others.with(axis, now.at(axis)).blocks(device) >= next.blocks) return;
    next.needs.push_back({axis, most, now.at(axis)});
    changed = changed.with(axis, most);
  };
  need(OccupancyAxis::registers, no_shared);
  need(OccupancyAxis::shared_memory, one_register);
  if (changed.blocks(device) < next.blocks) {
    const std::int64_t most = most_for(changed, OccupancyAxis::block_size, next.blocks, device);
    if (most <= 0) {
      next.needs.clear();
      return next;
    }
    next.needs.push_back({OccupancyAxis::block_size, most, now.at(OccupancyAxis::block_size)});
    changed = changed.with(OccupancyAxis::block_size, most);
  }
  if (const auto then = changed.occupancy(device)) next.ratio = then->ratio;
  return next;
}

std::string occupancy_sentence(const KernelResources& resources, const Launch& launch,
                               const DeviceLimits& device) {
  const auto next = next_block(resources, launch, device);
  const auto curve = occupancy_curve(resources, launch, device, OccupancyAxis::block_size);
  if (!next || !curve) return "";
  const OccupancyPoint& here = curve->here;
  const auto share = [&](std::int64_t warps) {
    return format_value(static_cast<double>(warps) / static_cast<double>(curve->most_warps),
                        "ratio");
  };
  std::string words = grouped(here.blocks) + (here.blocks == 1 ? " block" : " blocks") + " of " +
                      grouped(here.at) + " threads " + (here.blocks == 1 ? "fits" : "fit") +
                      " on a multiprocessor at once: " + grouped(here.warps) + " of " +
                      grouped(curve->most_warps) + " warps (" + share(here.warps) + "). ";
  if (here.warps == curve->most_warps) return words + "No more warps fit: occupancy is complete.";
  words += limit_text(here.limit);
  if (next->needs.empty()) {
    words += " A multiprocessor never holds more than " + grouped(here.blocks) + " blocks.";
    const auto larger =
        std::find_if(curve->points.begin(), curve->points.end(), [&](const OccupancyPoint& point) {
          return point.at > here.at && point.warps > here.warps;
        });
    if (larger == curve->points.end()) return words;
    return words + " With blocks of " + grouped(larger->at) + " threads, " +
           grouped(larger->warps) + " warps fit (" + share(larger->warps) + ").";
  }
  words += " One more block needs ";
  for (std::size_t i = 0; i < next->needs.size(); ++i)
    words += (i > 0 ? " and " : "") + need_text(next->needs[i]);
  return words + ": occupancy is then " + format_value(next->ratio, "ratio") + ".";
}

namespace {

// Whether the run has several steps, so that its own figures are sums and means.
bool has_several(const Measurement& point) {
  return std::count_if(point.steps.begin(), point.steps.end(),
                       [](const StepRecord& step) { return step.phase == Phase::run; }) > 1;
}

}  // namespace

std::optional<double> achieved_occupancy(const Measurement& point, const std::string& step) {
  for (const StepRecord& each : point.steps) {
    if (each.name != step) continue;
    auto percent = value_of(each.metrics, kAchieved);
    if (!percent && each.phase == Phase::run && !has_several(point))
      percent = value_of(point.metrics, kAchieved);
    return percent ? std::optional(*percent / 100) : std::nullopt;
  }
  return std::nullopt;
}

std::string achieved_sentence(const Measurement& point) {
  if (!has_figures(point.verdict.outcome)) return "";
  const StepRecord* step = costly_step(point);
  const bool several = has_several(point);
  const MetricValue* all = find_value(point.metrics, kAchieved);
  const auto counted = step != nullptr                ? achieved_occupancy(point, step->name)
                       : all != nullptr && all->value ? std::optional(*all->value / 100)
                                                      : std::nullopt;
  const auto theory =
      step != nullptr && step->resources && step->resources->blocks_per_multiprocessor > 0
          ? std::optional(step->resources->theoretical_occupancy_ratio)
          : std::nullopt;
  const std::string in_theory =
      theory ? "; " + format_value(*theory, "ratio") + " in theory" : std::string();
  const std::string whose =
      several && step != nullptr ? ", of its longest step, “" + step->name + "”" : std::string();
  if (counted)
    return "achieved " + format_value(*counted, "ratio") + ", counted" + in_theory + whose;
  if (several && all != nullptr && all->value)
    return "achieved " + format_value(*all->value, "%") + ", " + mean_in_words(point, kAchieved);
  return (all != nullptr && !all->reason.string().empty()
              ? "achieved –: " + all->reason.string()
              : std::string("achieved –: collect the counters “standard”")) +
         in_theory + whose;
}

}  // namespace warpscope
