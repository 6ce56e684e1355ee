// profiling/agreement/agree_emulator.cpp: what the emulator says beside the counters, step by step.
#include <algorithm>
#include <cmath>

#include "profiling/access/trace_view.h"
#include "profiling/agreement/agree_verdict.h"
#include "profiling/agreement/atomic_order.h"
#include "profiling/agreement/trace_metrics.h"

namespace warpscope {
namespace {

// source: profiling/README.md, Agreement.
constexpr double kBytesLimit = 0.03, kSectorsLimit = 0.005;
constexpr double kAffine = 0.01, kDataDependent = 0.02;  // sectors per request
// A wider interval than this would accept a counter that is half as large again.
constexpr double kWidestInterval = 1.35;
// A sampled figure with a wider spread than this is not compared with a counter.
constexpr double kWidestSpread = 0.1;

// Why a figure of PTX that differs from a counter is not a finding; of machine code, it is one.
std::string of_ptx(const Trace& trace) {
  return "the figure is of PTX, and ptxas may join, move or leave out its accesses. SASS can be "
         "compared: " +
         (trace.no_machine_code.empty() ? "trace again without --code ptx" : trace.no_machine_code);
}

class TraceMatches {
 public:
  // `atomic_order`: why addresses depend on the order of atomics; empty: they do not.
  TraceMatches(const Trace& trace, const std::vector<MetricValue>& counters,
               std::string atomic_order)
      : trace_(trace),
        counters_(counters),
        emulated_(emulated_metrics(trace)),
        atomic_order_(std::move(atomic_order)) {}

  std::vector<FigureMatch> all() && {
    if (!covers_grid(trace_)) {
      ratios();
      return std::move(list_);
    }
    for (const char* counter : {"l1.sectors_load", "l1.requests_load", "l1.sectors_store",
                                "l1.requests_store", "remote.sectors_load", "remote.requests_load"})
      sum(counter);
    if (trace_.machine_code) sum("inst.executed");
    wavefronts("shared.wavefronts_load", "shared.wavefronts_lds", AccessKind::load);
    wavefronts("shared.wavefronts_store", "shared.wavefronts_sts", AccessKind::store);
    l2();
    return std::move(list_);
  }

 private:
  FigureMatch pair(std::string figure, std::string counter, std::optional<double> ours,
                   std::optional<double> counted) const {
    FigureMatch made;
    made.scene = trace_.scene, made.variant = trace_.variant, made.key = trace_.key;
    made.step = trace_.step, made.figure = std::move(figure), made.unit = "1";
    made.counter = std::move(counter), made.ours = ours, made.counted = counted;
    return made;
  }
  std::optional<double> emulated(const std::string& counter) const {
    return value_of(emulated_, std::string(kEmulatedPrefix) + counter);
  }
  // How far the figure may lie from that of the whole grid: what a comparison leaves it besides its
  // limit. 0: all blocks were run.
  double spread(const std::string& counter) const {
    const MetricValue* value = find_value(emulated_, std::string(kEmulatedPrefix) + counter);
    return value != nullptr && value->sampled ? value->sampled->spread.value_or(0) : 0;
  }
  // Why the figure of a sample is too unsure to be compared with a counter; empty: it is not.
  std::string too_unsure(const std::string& counter, double ours) const {
    if (spread(counter) <= kWidestSpread * std::abs(ours)) return {};
    const MetricValue* value = find_value(emulated_, std::string(kEmulatedPrefix) + counter);
    return sampled_text(*value) + ": trace the whole grid to compare it";
  }
  void leave_out(FigureMatch made, std::string reason) {
    made.reason = std::move(reason);
    list_.push_back(std::move(made));
  }
  void judge_addresses(FigureMatch made, bool within) {
    if (!within && !atomic_order_.empty()) return leave_out(std::move(made), atomic_order_);
    judge_code(std::move(made), within);
  }
  // What runs is machine code.
  void judge_code(FigureMatch made, bool within) {
    if (!within && !trace_.machine_code) return leave_out(std::move(made), of_ptx(trace_));
    judge(made, within, {});
    list_.push_back(std::move(made));
  }
  std::string lacking(const char* counter) const {
    const MetricValue* value = find_value(counters_, counter);
    return value != nullptr && !value->reason.empty()
               ? value->reason.string()
               : std::string("the session has no counter ") + counter + " at this configuration";
  }

  void sum(const char* counter) {
    FigureMatch made = pair(std::string(kEmulatedPrefix) + counter, counter, emulated(counter),
                            value_of(counters_, counter));
    if (!made.counted && made.ours.value_or(0) != 0)
      return leave_out(std::move(made), lacking(counter));
    if (!made.ours || !made.counted || (*made.ours == 0 && *made.counted == 0)) return;
    if (std::string why = too_unsure(counter, *made.ours); !why.empty())
      return leave_out(std::move(made), std::move(why));
    const double limit = trace_.machine_code ? 0 : kSectorsLimit * *made.counted;
    const bool within = std::abs(*made.ours - *made.counted) <= limit + spread(counter);
    if (!within && made.counter == "inst.executed" && looks_at_barriers())
      return leave_out(std::move(made),
                       "warps look at an mbarrier until it is complete: how often depends on time");
    judge_addresses(std::move(made), within);
  }

  // Where instructions are issued they are counted exactly; on the data path also what waits for
  // lines that L1 fills.
  void wavefronts(const char* figure, const char* counter, AccessKind kind) {
    FigureMatch made = pair(std::string(kEmulatedPrefix) + figure, counter, emulated(figure),
                            value_of(counters_, counter));
    if (!made.counted && made.ours.value_or(0) != 0)
      return leave_out(std::move(made), lacking(counter));
    if (!made.ours || !made.counted || (*made.ours == 0 && *made.counted == 0)) return;
    if (kind == AccessKind::load && adds_floats())
      return leave_out(
          std::move(made),
          "in SASS a float atomic in shared memory is a loop of loads and compare-and-swap: the "
          "counter includes these loads, and their number depends on timing");
    if (std::string why = too_unsure(figure, *made.ours); !why.empty())
      return leave_out(std::move(made), std::move(why));
    const bool within = std::abs(*made.ours - *made.counted) <= spread(figure);
    judge_addresses(std::move(made), within);
  }

  // Loops of mbarrier.try_wait.
  bool looks_at_barriers() const {
    return trace_.machine_code &&
           std::any_of(trace_.machine_code->rows.begin(), trace_.machine_code->rows.end(),
                       [](const MachineRow& row) {
                         return row.executed > 0 &&
                                row.text.find("SYNCS.PHASECHK") != std::string::npos;
                       });
  }

  bool adds_floats() const {
    return std::any_of(trace_.sites.begin(), trace_.sites.end(), [](const AccessSite& site) {
      const bool adds = site.kind == AccessKind::atomic || site.kind == AccessKind::reduction;
      return adds && site.space == Space::shared && site.totals.requests > 0 &&
             (site.text.ends_with(".f32") || site.text.ends_with(".f64") ||
              site.text.starts_with("ATOMS.CAST"));
    });
  }

  // Between every distinct sector once and every sector that L1 was asked for. Asynchronous copies
  // may count twice: by the sectors of shared memory that they fill.
  void l2() {
    AccessTotals loads;
    double bulk = 0, copied = 0;
    for (const AccessSite& site : trace_.sites) {
      if (site.space != Space::global) continue;
      const auto sectors = static_cast<double>(site.totals.sectors);
      if (site.kind == AccessKind::bulk_copy) bulk += sectors;
      if (site.kind == AccessKind::async_copy) copied += sectors;
      if (site.kind == AccessKind::load) loads += site.totals;
    }
    std::optional<double> read = value_of(counters_, "l2.bytes_to_sm");
    std::string counter = "l2.bytes_to_sm";
    if (!read && bulk == 0) {
      const auto asked = value_of(counters_, "l1.sectors_load"),
                 hit = value_of(counters_, "l1.sectors_load_hit");
      if (asked && hit) read = kSectorBytes * (*asked - *hit);
      counter = "32 · (l1.sectors_load − l1.sectors_load_hit)";
    }
    if (!read || !trace_.unique_load_sectors) return;
    const double least = kSectorBytes * (static_cast<double>(*trace_.unique_load_sectors) + bulk);
    const double most = kSectorBytes * (static_cast<double>(loads.sectors) + 2 * copied + bulk +
                                        spread("l2.asked_sectors"));
    if (most == 0 && *read == 0) return;
    FigureMatch made =
        pair("emulated.l2.bytes_to_sm", counter, std::clamp(*read, least, most), read);
    made.unit = "B";
    if (most > kWidestInterval * least)
      return leave_out(std::move(made), "it depends on L1 hits: between " +
                                            format_value(least, "B") + " and " +
                                            format_value(most, "B"));
    const bool within = std::abs(*made.ours - *read) <= kBytesLimit * *read;
    judge_code(std::move(made), within);
  }

  // If one block was emulated, only ratios can be compared.
  void ratios() {
    for (const GroupFigures& group : group_figures(trace_, counters_)) {
      const bool shared = group.space == Space::shared;
      FigureMatch made =
          pair(shared                         ? "emulated.shared.wavefronts"
               : group.name == "global loads" ? "emulated.l1.sectors_per_request_load"
                                              : "emulated.l1.sectors_per_request_"
                                                "store",
               group.name + ", " + group.unit, group.modelled, group.measured);
      if (shared || !made.ours || !made.counted) {
        const bool counted = group.missing.empty();
        leave_out(std::move(made),
                  counted ? "only one block was emulated, but counters sum over all blocks"
                          : group.missing);
        continue;
      }
      const double limit = std::max(kAffine, kDataDependent * *made.counted);
      const bool within = std::abs(*made.ours - *made.counted) <= limit;
      judge_code(std::move(made), within);
    }
  }

  const Trace& trace_;
  const std::vector<MetricValue>& counters_;
  std::vector<MetricValue> emulated_;
  std::string atomic_order_;
  std::vector<FigureMatch> list_;
};

// The traces of the same variant at the same configuration.
std::vector<const Trace*> steps_beside(const Session& session, const Trace& trace) {
  std::vector<const Trace*> steps;
  for (const Trace* other : session.traces()) {
    if (other->scene == trace.scene && other->variant == trace.variant && other->key == trace.key)
      steps.push_back(other);
  }
  return steps;
}

}  // namespace

std::vector<FigureMatch> agree_with_emulator(const Session& session) {
  return agree_with_emulator_on(session, {});
}

std::vector<FigureMatch> agree_with_emulator_on(const Session& session, std::string_view device) {
  std::vector<FigureMatch> list;
  for (const Trace* trace : session.traces()) {
    for (const Measurement* point : session.points_at(trace->scene, trace->variant, trace->key)) {
      if (!device.empty() && device_of(point->conditions).id() != device) continue;
      if (point->verdict.outcome == Outcome::correct && !of_one_code(*trace, *point)) {
        FigureMatch apart;
        apart.scene = trace->scene, apart.variant = trace->variant, apart.key = trace->key;
        apart.step = trace->step, apart.figure = "emulated", apart.unit = "1";
        apart.reason = kOfAnotherCode;
        list.push_back(std::move(apart));
        continue;
      }
      const std::vector<MetricValue> counters = counters_beside(point, *trace);
      if (counters.empty()) continue;
      for (FigureMatch& made :
           TraceMatches(
               *trace, counters,
               atomic_order_of(*trace, buffers_in_atomic_order(steps_beside(session, *trace))))
               .all())
        list.push_back(std::move(made));
    }
  }
  return list;
}

}  // namespace warpscope
