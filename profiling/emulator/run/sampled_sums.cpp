// profiling/emulator/run/sampled_sums.cpp: sums by block and by stratum, where a part of a grid is
// run.
#include "profiling/emulator/run/sampled_sums.h"

#include <algorithm>
#include <cmath>

namespace warpscope {
namespace {

template <typename Combine>
void combine(AccessTotals& into, const AccessTotals& other, const Combine& each) {
  each(into.requests, other.requests);
  each(into.lanes, other.lanes);
  each(into.lane_bytes, other.lane_bytes);
  each(into.unique_bytes, other.unique_bytes);
  each(into.sectors, other.sectors);
  each(into.ideal_sectors, other.ideal_sectors);
  each(into.lines, other.lines);
  each(into.wavefronts, other.wavefronts);
  each(into.ideal_wavefronts, other.ideal_wavefronts);
}

Space space_of(const Worker& worker, std::size_t site) {
  const std::uint8_t met = worker.site_space[site];
  return met != 0 ? static_cast<Space>(met - 1) : worker.kernel->sites[site].space;
}

void resize_like(BlockSums& sums, const Worker& worker) {
  sums.executed.resize(worker.executed.size(), 0);
  sums.lanes.resize(worker.lanes.size(), 0);
  sums.totals.resize(worker.totals.size());
}

}  // namespace

void before_sampled_turn(Worker& worker) {
  worker.before_turn = {worker.executed, worker.lanes, worker.totals};
}

void after_sampled_turn(Worker& worker, std::size_t stratum) {
  if (worker.by_stratum.size() <= stratum) worker.by_stratum.resize(stratum + 1);
  BlockSums& sums = worker.by_stratum[stratum];
  resize_like(sums, worker);
  const BlockSums& before = worker.before_turn;
  for (std::size_t pc = 0; pc < worker.executed.size(); ++pc) {
    const std::int64_t executed = worker.executed[pc] - before.executed[pc],
                       lanes = worker.lanes[pc] - before.lanes[pc];
    sums.executed[pc] += executed;
    sums.lanes[pc] += lanes;
    worker.did.instructions += executed;
    worker.did.threads += lanes;
  }
  for (std::size_t s = 0; s < worker.totals.size(); ++s) {
    AccessTotals turn = worker.totals[s];
    combine(turn, before.totals[s], [](std::int64_t& a, std::int64_t b) { a -= b; });
    sums.totals[s] += turn;
    worker.did.add(space_of(worker, s), worker.kernel->sites[s].kind, turn);
  }
}

void scale_to_grid(std::vector<Worker>& workers, const BlockSample& sample) {
  Worker& first = workers.front();
  const auto scale = [&](auto value_of) {  // the sum over strata of weight times value
    double sum = 0;
    for (std::size_t h = 0; h < sample.strata(); ++h) {
      std::int64_t part = 0;
      for (const Worker& w : workers) {
        if (h < w.by_stratum.size() && !w.by_stratum[h].executed.empty())
          part += value_of(w.by_stratum[h]);
      }
      sum += sample.weight(h) * static_cast<double>(part);
    }
    return std::llround(sum);
  };
  for (std::size_t pc = 0; pc < first.executed.size(); ++pc) {
    first.executed[pc] = scale([&](const BlockSums& sums) { return sums.executed[pc]; });
    first.lanes[pc] = scale([&](const BlockSums& sums) { return sums.lanes[pc]; });
  }
  for (std::size_t s = 0; s < first.totals.size(); ++s) {
    AccessTotals all;
    for (const Worker& w : workers)
      all.worst_ways = std::max(all.worst_ways, w.totals[s].worst_ways);
    const auto member = [&](std::int64_t AccessTotals::*which) {
      all.*which = scale([&](const BlockSums& sums) { return sums.totals[s].*which; });
    };
    for (const auto which :
         {&AccessTotals::requests, &AccessTotals::lanes, &AccessTotals::lane_bytes,
          &AccessTotals::unique_bytes, &AccessTotals::sectors, &AccessTotals::ideal_sectors,
          &AccessTotals::lines, &AccessTotals::wavefronts, &AccessTotals::ideal_wavefronts})
      member(which);
    first.totals[s] = all;
  }
  for (Worker& w : workers) {
    if (&w == &first) continue;
    std::fill(w.executed.begin(), w.executed.end(), 0);
    std::fill(w.lanes.begin(), w.lanes.end(), 0);
    std::fill(w.totals.begin(), w.totals.end(), AccessTotals{});
  }
}

std::string unfit_reason(const std::vector<Worker>& workers) {
  for (const Worker& w : workers) {
    for (const auto& [key, entry] : w.faults.entries()) {
      const FaultKind kind = entry.fault.kind;
      if (kind == FaultKind::deadlock || kind == FaultKind::endless_loop)
        return "its blocks wait for each other, so some of them cannot run alone";
      if (kind == FaultKind::budget)
        return "the instruction budget ended before the chosen blocks did";
    }
    for (std::size_t s = 0; s < w.totals.size(); ++s) {
      const AccessSite& site = w.kernel->sites[s];
      if (site.kind == AccessKind::atomic && space_of(w, s) == Space::global &&
          w.totals[s].requests > 0)
        return "its blocks use the result of an atomic (line " +
               std::to_string(site.position.line) +
               ") and may take work from each other: some blocks may do more or less than their "
               "share";
    }
  }
  return {};
}

}  // namespace warpscope
