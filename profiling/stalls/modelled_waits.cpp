// profiling/stalls/modelled_waits.cpp: how much each instruction of a kernel would wait, modelled
// from the emulated run.
#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "profiling/stalls/kernel_waits.h"
#include "profiling/stalls/machine_opcode.h"

namespace warpscope {
namespace {

constexpr const char* kGh200 =
    "measured on a GH200: latency/README.md of github.com/markdewing/AI_kernels";
constexpr const char* kAssumed = "assumed";
enum Latency { kGlobal, kL1, kShared, kOther, kBulk };
constexpr std::array<ModelledLatency, 5> kLatencies = {{
    {"an access to global memory that L2 answers", 281, kGh200},
    {"an access to local memory that L1 answers", 40, kGh200},
    {"an access to shared memory", 29,
     "measured on an H100: arXiv:2402.13499, table of memory latencies"},
    {"another instruction with a scoreboard", 25, kAssumed},
    {"an asynchronous copy, as from DRAM", 690, kGh200},
}};

class Model {
 public:
  explicit Model(const Trace& trace) : trace_(trace), rows_(trace.machine_code->rows) {
    waits_.modelled = true;
    waits_.rows.resize(rows_.size());
    for (std::uint32_t k = 0; k < rows_.size(); ++k) {
      works_.push_back(work_of(rows_[k].text));
      latencies_.push_back(latency_of(k));
    }
    for (const ModelledLatency& latency : kLatencies)
      waits_.assumptions.push_back(std::string(latency.what) + " takes " +
                                   std::to_string(static_cast<int>(latency.cycles)) + " cycles (" +
                                   latency.source + ")");
    waits_.assumptions.emplace_back(
        "each further sector of a request adds one cycle (the L2 roof of an H200 is 35 bytes per "
        "cycle of a multiprocessor), each further wavefront one (one wavefront per cycle)");
    waits_.assumptions.emplace_back(
        "each warp has the multiprocessor for itself, except that warps wait for each other at "
        "barriers");
  }

  KernelWaits run() {
    std::vector<Warp> warps(trace_.issued.size());
    for (std::size_t w = 0; w < warps.size(); ++w) warps[w].code = &trace_.issued[w];
    // From barrier to barrier: then the warps that stand at one go on together.
    for (bool any = true; any;) {
      any = false;
      for (Warp& warp : warps) any = advance(warp) || any;
      join(warps);
    }
    for (InstructionWaits& row : waits_.rows) {
      std::stable_sort(row.parts.begin(), row.parts.end(),
                       [](const WaitPart& a, const WaitPart& b) { return a.weight > b.weight; });
      waits_.all += row.all();
    }
    return std::move(waits_);
  }

 private:
  struct Warp {
    const std::vector<IssuedInstruction>* code = nullptr;
    std::size_t at = 0;  // of what is issued next
    double time = 0;     // when it may be issued at the earliest
    double own = 0;      // of that, cycles that the instruction before it asks for
    bool at_barrier = false;
    std::array<double, 6> ready{};            // by scoreboard
    std::map<std::uint32_t, double> arrives;  // asynchronous work, by instruction
  };

  const AccessSite* site_of(std::uint32_t row) const {
    const AccessSite* best = nullptr;
    for (const AccessSite& site : trace_.sites) {
      if (site.instruction == row &&
          (best == nullptr || site.totals.requests > best->totals.requests))
        best = &site;
    }
    return best;
  }

  double latency_of(std::uint32_t k) const {
    const auto base = [](Latency which) { return kLatencies[which].cycles; };
    const AccessSite* const site = site_of(k);
    const double requests =
        site == nullptr ? 0 : static_cast<double>(std::max<std::int64_t>(1, site->totals.requests));
    const auto further = [&](std::int64_t count) {
      return site == nullptr ? 0 : std::max(0.0, static_cast<double>(count) / requests - 1);
    };
    switch (work_of(rows_[k].text)) {
      case MachineWork::global_load:
      case MachineWork::global_store:
      case MachineWork::global_atomic:
        return base(kGlobal) + (site == nullptr ? 0 : further(site->totals.sectors));
      case MachineWork::local_memory:
        return base(kL1) + (site == nullptr ? 0 : further(site->totals.sectors));
      case MachineWork::shared_load:
      case MachineWork::shared_store:
      case MachineWork::shared_atomic:
        return base(kShared) + (site == nullptr ? 0 : further(site->totals.wavefronts));
      case MachineWork::bulk_copy:
      case MachineWork::copy:
      case MachineWork::warpgroup_product:
        return base(kBulk);
      default:
        return base(kOther);
    }
  }

  void add(std::uint32_t row, const char* reason, double cycles) {
    if (cycles <= 0) return;
    for (WaitPart& part : waits_.rows[row].parts) {
      if (part.reason == reason) {
        part.weight += cycles;
        return;
      }
    }
    waits_.rows[row].parts.push_back({reason, cycles, 0});
  }

  // Issues until the warp ends or stands at a barrier. False: it had ended before.
  bool advance(Warp& warp) {
    if (warp.at >= warp.code->size()) return false;
    while (warp.at < warp.code->size()) {
      const std::uint32_t k = (*warp.code)[warp.at].instruction;
      if (k >= rows_.size()) {
        ++warp.at;
        continue;
      }
      if (works_[k] == MachineWork::block_barrier && !warp.at_barrier &&
          !has_modifier(rows_[k].text, "ARV")) {
        warp.at_barrier = true;
        return true;
      }
      warp.at_barrier = false;
      issue(warp, k);
      ++warp.at;
    }
    return true;
  }

  void issue(Warp& warp, std::uint32_t k) {
    const MachineRow& row = rows_[k];
    add(k, "wait", warp.own);
    double start = warp.time, latest = start;
    MachineWork waited = MachineWork::other;
    const auto look = [&](double ready, MachineWork work) {
      if (ready <= latest) return;
      latest = ready;
      waited = work;
    };
    for (const MachineNeed& need : row.needs) {
      if (need.scoreboard >= 0) look(warp.ready[need.scoreboard], works_[need.row]);
      if (need.kind == NeedKind::asynchronous) {
        if (const auto found = warp.arrives.find(need.row); found != warp.arrives.end())
          look(found->second, works_[need.row]);
      }
    }
    add(k,
        is_long_latency(waited) || waited == MachineWork::warpgroup_product ? "long_scoreboard"
                                                                            : "short_scoreboard",
        latest - start);
    waits_.rows[k].issued += 1;
    for (const SetScoreboard& set : sets_of(k)) {
      const double latency = set.reads_alone ? kLatencies[kOther].cycles : latencies_[k];
      warp.ready[set.scoreboard] = std::max(warp.ready[set.scoreboard], latest + latency);
    }
    if (works_[k] == MachineWork::bulk_copy || works_[k] == MachineWork::copy ||
        works_[k] == MachineWork::warpgroup_product)
      warp.arrives[k] = latest + latencies_[k];
    const double cycles = std::max(1, row.issue_cycles);
    warp.own = cycles - 1;
    warp.time = latest + cycles;
  }

  // Which scoreboards an instruction sets: those that somebody waits for because of it. One that
  // others wait for only to overwrite what it reads is clear as soon as it was read.
  struct SetScoreboard {
    int scoreboard = 0;
    bool reads_alone = true;
  };
  const std::vector<SetScoreboard>& sets_of(std::uint32_t k) {
    if (!sets_.empty()) return sets_[k];
    sets_.resize(rows_.size());
    for (const MachineRow& row : rows_) {
      for (const MachineNeed& need : row.needs) {
        if (need.scoreboard < 0) continue;
        std::vector<SetScoreboard>& sets = sets_[need.row];
        auto known = std::find_if(sets.begin(), sets.end(), [&](const SetScoreboard& s) {
          return s.scoreboard == need.scoreboard;
        });
        if (known == sets.end()) known = sets.insert(known, {need.scoreboard, true});
        if (need.kind == NeedKind::value) known->reads_alone = false;
      }
    }
    // A store and a copy have no result: their scoreboard is of what they read. All others that
    // nobody names by a register are waited for as a whole.
    for (std::uint32_t row = 0; row < sets_.size(); ++row) {
      const MachineWork work = works_[row];
      if (work == MachineWork::global_store || work == MachineWork::shared_store ||
          work == MachineWork::copy || work == MachineWork::bulk_copy)
        continue;
      const bool named = std::any_of(sets_[row].begin(), sets_[row].end(),
                                     [](const SetScoreboard& s) { return !s.reads_alone; });
      if (!named && sets_[row].size() == 1) sets_[row].front().reads_alone = false;
    }
    return sets_[k];
  }

  // Warps that stand at a barrier wait for the last of them.
  void join(std::vector<Warp>& warps) {
    double last = 0;
    for (const Warp& warp : warps) {
      if (warp.at_barrier) last = std::max(last, warp.time);
    }
    for (Warp& warp : warps) {
      if (!warp.at_barrier) continue;
      add((*warp.code)[warp.at].instruction, "barrier", last - warp.time);
      warp.time = last;
    }
  }

  const Trace& trace_;
  const std::vector<MachineRow>& rows_;
  std::vector<MachineWork> works_;
  std::vector<double> latencies_;
  std::vector<std::vector<SetScoreboard>> sets_;
  KernelWaits waits_;
};

}  // namespace

std::span<const ModelledLatency> modelled_latencies() { return kLatencies; }

KernelWaits modelled_waits(const Trace& trace) {
  KernelWaits none;
  none.modelled = true;
  const bool known = trace.machine_code && !trace.machine_code->rows.empty() &&
                     trace.machine_code->rows.front().issue_cycles >= 0;
  if (!known || trace.issued.empty()) return none;
  return Model(trace).run();
}

}  // namespace warpscope
