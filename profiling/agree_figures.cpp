// profiling/agree_figures.cpp: the figures of the work model and the emulator beside the counters.
#include <algorithm>
#include <bit>
#include <cmath>
#include <exception>
#include <map>
#include <tuple>

#include "profiling/agree.h"
#include "profiling/trace_metrics.h"
#include "profiling/trace_view.h"
#include "scenes/registry.h"

namespace warpscope {
namespace {

constexpr double kSectorBytes = 32;  // source: EMULATOR section 4, checked against ncu
// source: MEASURING section 4.
constexpr double kBytesLimit = 0.03, kSectorsLimit = 0.005;
constexpr int kWidest = 16;  // bytes of a lane's access. source: PTX ISA, "ld": .v4.b32
constexpr double kAffine = 0.01, kDataDependent = 0.02;  // sectors a request

// Fills in difference, match and reason of a pair that has both sides. `other_reason`: what
// explains a difference of this point whatever the variant is; empty where nothing does.
void judge(FigureMatch& pair, bool within, const Variant* variant,
           const std::string& other_reason = "") {
  pair.difference_ratio =
      *pair.counted != 0 ? *pair.ours / *pair.counted - 1 : (*pair.ours == 0 ? 0 : 1);
  pair.match = within ? Match::agrees : Match::differs;
  if (within) return;
  const Side side = *pair.ours > *pair.counted ? Side::above : Side::below;
  const KnownDifference* known =
      variant != nullptr ? known_difference(*variant, pair.figure, side) : nullptr;
  if (known == nullptr && other_reason.empty()) {
    pair.reason = "no reason is known: it is a defect of the figure or of how it is counted";
    return;
  }
  pair.match = Match::explained;
  pair.reason = known != nullptr ? known->reason : other_reason;
}

// The work model of one point, term by term.
class Model {
 public:
  Model(const Scene& scene, const Variant& variant, const Measurement& point)
      : scene_(scene), variant_(variant), workload_{point.axes, point.facts} {}
  // Nothing where the session is of a version that knew fewer facts or axes.
  std::optional<double> operator()(std::string_view id) const {
    for (const WorkTerm& term : scene_.work_terms) {
      if (term.id != id) continue;
      try {
        return term.formula(workload_, variant_);
      } catch (const std::exception&) {  // of the maps that facts and axes stand in
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

 private:
  const Scene& scene_;
  const Variant& variant_;
  Workload workload_;
};

class PointMatches {
 public:
  PointMatches(const Scene& scene, const Variant& variant, const Measurement& point,
               double l2_capacity)
      : variant_(variant),
        point_(point),
        model_(scene, variant, point),
        l2_capacity_(l2_capacity) {}

  std::vector<FigureMatch> all() && {
    dram();
    l2();
    held_to("model.l1_bytes", "l1.bytes", "B", l1_ran_over());
    held_to("model.sectors_per_load", "l1.sectors_per_request_load", "1");
    return std::move(list_);
  }

 private:
  std::optional<double> counted(const char* id) const { return value_of(point_.metrics, id); }

  FigureMatch pair(const char* figure, std::string counter, const char* unit,
                   std::optional<double> ours, std::optional<double> theirs) const {
    FigureMatch made;
    made.scene = point_.scene, made.variant = point_.variant, made.key = point_.key;
    made.figure = figure, made.counter = std::move(counter), made.unit = unit;
    made.ours = ours, made.counted = theirs;
    return made;
  }

  void add(FigureMatch made, double limit, const std::string& other_reason = "") {
    judge(made, std::abs(*made.ours - *made.counted) <= limit * std::abs(*made.counted), &variant_,
          other_reason);
    list_.push_back(std::move(made));
  }

  void held_to(const char* figure, const char* counter, const char* unit,
               const std::string& other_reason = "") {
    const std::optional<double> ours = model_(figure), theirs = counted(counter);
    if (ours && theirs) add(pair(figure, counter, unit, ours, theirs), kSectorsLimit, other_reason);
  }

  // What is written stays in L2 until something else needs the room, so only reads compare.
  void dram() {
    const std::optional<double> ours = model_("model.dram_read_bytes"),
                                all = model_("model.dram_bytes"),
                                theirs = counted("dram.bytes_read");
    if (!ours || !all || !theirs) return;
    FigureMatch made = pair("model.dram_read_bytes", "dram.bytes_read", "B", ours, theirs);
    if (point_.cold_counters) return add(std::move(made), kBytesLimit);
    if (*all <= l2_capacity_) {
      made.reason =
          "the counters are warm and L2 holds all of it from the run before: measure with "
          "--cold-counters";
      list_.push_back(std::move(made));
      return;
    }
    const double lacking = *ours - *theirs;
    add(std::move(made), kBytesLimit,
        lacking > 0 && lacking <= l2_capacity_
            ? "the counters are warm: as much as L2 holds may be there from the run before"
            : "");
  }

  void l2() {
    const std::optional<double> ours = model_("model.l2_bytes"), read = counted("l2.bytes_to_sm"),
                                stored = counted("l1.sectors_store"),
                                loaded = counted("l1.sectors_load"),
                                hit = counted("l1.sectors_load_hit");
    if (!ours || !stored) return;
    if (read) {
      add(pair("model.l2_bytes", "l2.bytes_to_sm + 32 · l1.sectors_store", "B", ours,
               *read + kSectorBytes * *stored),
          kBytesLimit);
    } else if (loaded && hit) {
      add(pair("model.l2_bytes",
               "32 · (l1.sectors_load − l1.sectors_load_hit + l1.sectors_store), without bulk "
               "copies",
               "B", ours, kSectorBytes * (*loaded - *hit + *stored)),
          kBytesLimit);
    }
  }

  // Seen on an H200: where four of its multiprocessors worked for 13 ms, l1.bytes had 2²⁴ bytes
  // less than the sectors of the same run, which equalled the model.
  std::string l1_ran_over() const {
    constexpr double kRunOver = 1 << 24, kNear = 0.01, kMostTimes = 8;
    const std::optional<double> ours = model_("model.l1_bytes"), theirs = counted("l1.bytes"),
                                loaded = counted("l1.sectors_load"),
                                stored = counted("l1.sectors_store");
    if (!ours || !theirs || !loaded || !stored) return "";
    const double bytes = kSectorBytes * (*loaded + *stored), lacking = bytes - *theirs,
                 times = std::round(lacking / kRunOver);
    const bool over = std::abs(*ours - bytes) <= kSectorsLimit * bytes && times >= 1 &&
                      times <= kMostTimes &&
                      std::abs(lacking - times * kRunOver) <= kNear * kRunOver;
    return over ? "the sectors counted in the same run agree with it; l1.bytes lacks a multiple of "
                  "2²⁴, as when the counter of a multiprocessor runs over"
                : "";
  }

  const Variant& variant_;
  const Measurement& point_;
  Model model_;
  double l2_capacity_;
  std::vector<FigureMatch> list_;
};

// Sites of shared memory whose requests have a neighbour: another instruction of the same line, by
// the same lanes, at the address right before or after in every lane.
std::vector<bool> joinable_sites(const Trace& trace) {
  using Place = std::tuple<std::uint32_t, int, AccessKind, std::uint32_t, std::uint64_t>;
  std::map<Place, const WarpRequest*> places;  // by warp, line, kind, lanes and first address
  const auto place_of = [&](const WarpRequest& r, std::uint64_t offset) {
    const AccessSite& site = trace.sites[r.site];
    const int first = std::countr_zero(r.active);
    return Place{r.warp, site.position.line, site.kind, r.active,
                 r.addresses[static_cast<std::size_t>(first)] + offset};
  };
  std::vector<bool> joinable(trace.sites.size(), false);
  const auto asks_shared = [&](const WarpRequest& r) {
    const AccessSite& site = trace.sites[r.site];
    const bool plain = site.kind == AccessKind::load || site.kind == AccessKind::store;
    return r.active != 0 && plain && site.space == Space::shared && site.width_bytes < kWidest;
  };
  for (const WarpRequest& r : trace.requests) {
    if (asks_shared(r)) places.emplace(place_of(r, 0), &r);
  }
  for (const WarpRequest& r : trace.requests) {
    if (!asks_shared(r)) continue;
    const auto width = static_cast<std::uint64_t>(trace.sites[r.site].width_bytes);
    const auto found = places.find(place_of(r, width));
    if (found == places.end() || found->second->site == r.site) continue;
    bool all = true;
    for (std::uint32_t rest = r.active; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      all = all && found->second->addresses[lane] == r.addresses[lane] + width;
    }
    if (all) joinable[r.site] = joinable[found->second->site] = true;
  }
  return joinable;
}

// ptxas may make one instruction of up to 16 bytes a lane of neighbouring ones; at most, then, it
// saves all but one of so many wavefronts. source: frames_innermost with one frame, 256 loads of a
// lane, of which an H200 counted 64.
std::string joins_explain(const Trace& trace, const GroupFigures& group) {
  if (group.space != Space::shared || *group.measured >= *group.modelled) return "";
  const std::vector<bool> joinable = joinable_sites(trace);
  double least = *group.modelled;
  for (std::size_t s = 0; s < trace.sites.size(); ++s) {
    const AccessSite& site = trace.sites[s];
    if (joinable[s])
      least -= static_cast<double>(site.totals.wavefronts) *
               (1 - static_cast<double>(site.width_bytes) / kWidest);
  }
  if (*group.measured < std::floor(least)) return "";
  return "the machine's compiler may join neighbouring accesses of a line into ones of 16 bytes: "
         "between " +
         format_value(least, "1") + " and " + format_value(*group.modelled, "1") + " wavefronts";
}

std::string figure_of(const GroupFigures& group) {
  return group.space == Space::shared   ? "emulated.shared.wavefronts"
         : group.name == "global loads" ? "emulated.l1.sectors_per_request_load"
                                        : "emulated.l1.sectors_per_request_store";
}

}  // namespace

const char* to_text(Match match) {
  constexpr const char* kNames[] = {"agrees", "explained", "DIFFERS", "not comparable"};
  return kNames[static_cast<int>(match)];
}

MatchCounts count_matches(const std::vector<FigureMatch>& list) {
  MatchCounts counts;
  for (const FigureMatch& pair : list) {
    counts.compared += pair.match == Match::not_comparable ? 0 : 1;
    counts.agree += pair.match == Match::agrees ? 1 : 0;
    counts.explained += pair.match == Match::explained ? 1 : 0;
    counts.differ += pair.match == Match::differs ? 1 : 0;
  }
  return counts;
}

std::vector<FigureMatch> agree_with_model(const Session& session) {
  const double l2_capacity = static_cast<double>(
      session.engine() != nullptr && session.engine()->device ? session.engine()->device->l2_bytes
                                                              : DeviceLimits{}.l2_bytes);
  std::vector<FigureMatch> list;
  for (const Measurement* point : session.all_points()) {
    const Result<const Scene*> scene = find_scene(point->scene);
    const Variant* variant = scene ? find_variant(**scene, point->variant) : nullptr;
    if (variant == nullptr || point->facts.empty() || point->verdict.outcome != Outcome::correct)
      continue;
    for (FigureMatch& made : PointMatches(**scene, *variant, *point, l2_capacity).all())
      list.push_back(std::move(made));
  }
  return list;
}

std::vector<FigureMatch> agree_with_emulator(const Session& session) {
  std::vector<FigureMatch> list;
  for (const Trace* trace : session.traces()) {
    for (const Measurement* point : session.points_at(trace->scene, trace->variant, trace->key)) {
      const std::vector<MetricValue> counters = counters_beside(point, *trace);
      if (counters.empty()) continue;
      const Result<const Scene*> scene = find_scene(trace->scene);
      const Variant* variant = scene ? find_variant(**scene, trace->variant) : nullptr;
      for (const GroupFigures& group : group_figures(*trace, counters)) {
        FigureMatch made;
        made.scene = trace->scene, made.variant = trace->variant, made.key = trace->key;
        made.step = trace->step, made.figure = figure_of(group), made.unit = "1";
        made.counter = group.name + ", " + group.unit;
        made.ours = group.modelled, made.counted = group.measured;
        if (made.ours && made.counted) {
          const double limit =
              group.space == Space::shared ? 0 : std::max(kAffine, kDataDependent * *made.counted);
          judge(made, std::abs(*made.ours - *made.counted) <= limit, variant,
                joins_explain(*trace, group));
        } else {
          made.reason = !group.missing.empty()
                            ? group.missing
                            : "only one block was emulated, counters sum over all";
        }
        list.push_back(std::move(made));
      }
    }
  }
  return list;
}

}  // namespace warpscope
