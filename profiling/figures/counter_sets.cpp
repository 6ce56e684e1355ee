// profiling/figures/counter_sets.cpp: the sets of counters that can be asked for by name.
#include "profiling/figures/metric.h"

namespace warpscope {

std::span<const CounterSet> counter_sets() {
  static const std::vector<CounterSet> sets = {
      {"live",
       "What fits into one pass: the bytes of DRAM and L2, and L1's wavefronts.",
       {"dram.bytes_read", "dram.bytes_write", "l2.bytes", "l2.sectors_sm", "l1.wavefronts"}},
      {"standard",
       "Bytes and hits of every level, sectors per request, spills, instructions, occupancy, the "
       "main stalls.",
       {"dram.bytes_read",
        "dram.bytes_write",
        "l2.bytes",
        "l2.sectors_sm",
        "l2.requests_sm",
        "l2.sectors_fabric",
        "l2.bytes_to_sm",
        "l2.sectors",
        "l2.sectors_hit",
        "l1.bytes",
        "l1.sectors_load",
        "l1.requests_load",
        "l1.sectors_load_hit",
        "l1.sectors_per_request_load",
        "l1.sectors_store",
        "l1.requests_store",
        "l1.sectors_per_request_store",
        "l1.wavefronts",
        "shared.bank_conflicts",
        "inst.executed",
        "inst.lanes",
        "issue.active",
        "occupancy.achieved",
        "local.sectors_load",
        "local.sectors_store",
        "inst.per_cycle",
        "inst.branches",
        "stall.long_scoreboard",
        "stall.short_scoreboard",
        "stall.wait"}},
      {"full", "All counters of the table.",
       [] {
         std::vector<std::string> ids;
         for (const Metric& metric : all_metrics()) {
           if (metric.source == MetricSource::cupti) ids.push_back(metric.id);
         }
         return ids;
       }()},
  };
  return sets;
}

}  // namespace warpscope
