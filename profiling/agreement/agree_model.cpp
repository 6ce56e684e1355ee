// profiling/agreement/agree_model.cpp: the work model beside the counters.
#include <algorithm>
#include <cmath>
#include <exception>
#include <vector>

#include "profiling/agreement/agree_counters.h"
#include "profiling/agreement/agree_verdict.h"
#include "scenes/base/device_units.h"
#include "scenes/catalogue.h"

namespace warpscope {
namespace {

constexpr double kBytesLimit = 0.03;  // source: profiling/README.md, Agreement

// The work model of one point, term by term.
class Model {
 public:
  Model(const Scene& scene, const Variant& variant, const Measurement& point)
      : scene_(scene), variant_(variant), workload_{point.axes, point.facts} {}
  // No value if the session is of a version that knew fewer facts or axes.
  std::optional<double> operator()(std::string_view id) const {
    for (const WorkTerm& term : scene_.work_terms) {
      if (term.id != id) continue;
      try {
        return evaluate(term, workload_, variant_);
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
      : scene_(scene),
        variant_(variant),
        point_(point),
        model_(scene, variant, point),
        l2_capacity_(l2_capacity) {}

  std::vector<FigureMatch> all() && {
    dram();
    l2();
    return std::move(list_);
  }

 private:
  // No value if one of the two is missing.
  std::optional<FigureMatch> pair(const char* figure, const char* counter) const {
    FigureMatch made;
    made.scene = point_.scene, made.variant = point_.variant, made.key = point_.key;
    made.figure = figure, made.counter = counter, made.unit = "B";
    made.ours = model_(figure), made.counted = value_of(point_.metrics, counter);
    return made.ours && made.counted ? std::optional(made) : std::nullopt;
  }

  void add(FigureMatch made, const Cause& cause) {
    judge(made, std::abs(*made.ours - *made.counted) <= kBytesLimit * std::abs(*made.counted),
          {&variant_, &point_.axes}, cause);
    list_.push_back(std::move(made));
  }

  void leave_out(FigureMatch made, std::string reason) {
    made.reason = std::move(reason);
    list_.push_back(std::move(made));
  }

  // What is written stays in L2 until something else needs the room, so only reads compare.
  void dram() {
    std::optional<FigureMatch> made = pair("model.dram_read_bytes", "dram.bytes_read");
    if (!made) return;
    const bool library = std::any_of(
        point_.steps.begin(), point_.steps.end(),
        [](const StepRecord& step) { return step.phase == Phase::run && step.kind == "library"; });
    if (library)
      return leave_out(std::move(*made),
                       "the model counts the operator's work; what a library reads, and how often, "
                       "is its own choice");
    if (l2_capacity_ <= 0)
      return leave_out(std::move(*made),
                       "the session does not describe the measured device, and the comparison "
                       "depends on the size of its L2: record it again with this version");
    if (std::string again = reads_again(*made->ours); !again.empty()) {
      if (std::string lacks = reads_too_little(*made); !lacks.empty())
        return add(std::move(*made), {std::move(lacks), false});
      return leave_out(std::move(*made), std::move(again));
    }
    if (point_.cold_counters) return add(std::move(*made), {});
    const std::string warm = "the counters are warm: up to " + format_value(l2_capacity_, "B") +
                             " may still be in L2 from the run before";
    const double lacking = *made->ours - *made->counted;
    const bool agrees = std::abs(lacking) <= kBytesLimit * *made->counted;
    // If the reads are not far above L2's size, that says too little.
    constexpr double kTimes = 4;
    if (*made->ours <= l2_capacity_ ||
        (!agrees && lacking > 0 && lacking <= l2_capacity_ && *made->ours <= kTimes * l2_capacity_))
      return leave_out(std::move(*made), warm + "; measure with --cold-counters");
    add(std::move(*made), {warm, lacking > 0 && lacking <= l2_capacity_});
  }

  // Why the model, which reads everything once, says nothing of DRAM here: the kernel asks L2 for
  // more than that, and L2 cannot be relied on to keep all of it. Each half of L2 keeps lines of
  // its own, so half its size is sure. source: seen on an H200, where such points read up to nine
  // times as much, and one whose arrays together fill L2 a tenth more.
  std::string reads_again(double once) {
    constexpr double kOnce = 1.05, kSure = 0.5;
    const std::optional<double> all = model_("model.dram_bytes"),
                                sectors = value_of(point_.metrics, "l2.sectors_sm");
    if (!all || *all <= kSure * l2_capacity_) return "";
    std::optional<double> asked = value_of(point_.metrics, "l2.bytes_to_sm");
    // A counter that others contradict excuses nothing.
    if (asked && !confirmed(*asked)) return "";
    if (!asked && sectors) asked = kSectorBytes * *sectors - (*all - once);
    if (!asked) return "the requests to L2 were not counted: add l2.sectors_sm";
    if (*asked <= kOnce * once) return "";
    return "it reads " + format_value(*asked, "B") + " from L2, which may not keep all of " +
           format_value(*all, "B") + ": what is read from DRAM again is unknown";
  }

  // Holds the bytes that L2 sent to the sectors that multiprocessors asked it for, without stores
  // and atomics, which pass L1 beside its loads, and to the loads that missed L1, among which bulk
  // copies are not: one of the two has to say the same. Whether it does.
  bool confirmed(double sent) {
    // source: at most 2.5 % on H200s where L2 cannot hold it all, and 6.5 % where asynchronous
    // copies shift what they read.
    constexpr double kCounters = 0.08;
    const auto counted = [this](const char* id) { return value_of(point_.metrics, id); };
    const auto asked = counted("l2.sectors_sm"), passed = counted("l1.bytes"),
               loaded = counted("l1.sectors_load"), hit = counted("l1.sectors_load_hit");
    std::vector<double> others;
    if (asked && passed && loaded)
      others.push_back(kSectorBytes * *asked - (*passed - kSectorBytes * *loaded));
    if (loaded && hit) others.push_back(kSectorBytes * (*loaded - *hit));
    if (others.empty()) return true;
    const auto apart = [sent](double other) { return std::abs(other - sent); };
    const double nearest = *std::min_element(
        others.begin(), others.end(), [&](double a, double b) { return apart(a) < apart(b); });
    FigureMatch made;
    made.scene = point_.scene, made.variant = point_.variant, made.key = point_.key;
    made.figure = "counted.l2_read_bytes", made.counter = "l2.bytes_to_sm", made.unit = "B";
    made.ours = nearest, made.counted = sent;
    judge(made, apart(nearest) <= kCounters * sent, {&variant_, &point_.axes},
          {"neither 32 · (l2.sectors_sm + l1.sectors_load) − l1.bytes nor 32 · (l1.sectors_load − "
           "l1.sectors_load_hit) is within 8 % of it: one of these counters is wrong",
           false});
    const bool agrees = made.match != Match::differs;
    list_.push_back(std::move(made));
    return agrees;
  }

  // What is read again is unknown, but not what is read at least: all of it once, but for what L2
  // may hold from the run before.
  std::string reads_too_little(const FigureMatch& pair) const {
    const double before = point_.cold_counters ? 0 : l2_capacity_, least = *pair.ours - before;
    if (*pair.counted >= (1 - kBytesLimit) * least) return "";
    return "of " + format_value(*pair.ours, "B") + " at least " + format_value(least, "B") +
           " come from DRAM" + (before > 0 ? ": L2 cannot hold more from the run before" : "");
  }

  void l2() {
    const std::optional<L2Expectation>& expected = scene_.l2_expectation;
    std::optional<FigureMatch> made = pair(kL2ReadTerm, "l2.bytes_to_sm");
    if (!made || !expected) return;
    const double apart = std::abs(*made->ours - *made->counted);
    add(std::move(*made),
        {"it is an estimate that must stay within " + format_value(expected->bound_ratio, "ratio") +
             " of the counter: " + expected->assumption,
         apart <= expected->bound_ratio * *made->counted});
  }

  const Scene& scene_;
  const Variant& variant_;
  const Measurement& point_;
  Model model_;
  double l2_capacity_;  // unit: B; 0: not known
  std::vector<FigureMatch> list_;
};

// The L2 of the measured card, never of another. Sessions that describe none get the usual size.
double l2_of(const Session& session, const Measurement& point) {
  if (session.engine() == nullptr) return static_cast<double>(DeviceLimits{}.l2_bytes);
  const Hello* engine = session.engine_of(device_of(point.conditions));
  return engine != nullptr && engine->device ? static_cast<double>(engine->device->l2_bytes) : 0;
}

}  // namespace

std::vector<FigureMatch> agree_with_model(const Session& session) {
  return agree_with_model_on(session, {});
}

std::vector<FigureMatch> agree_with_model_on(const Session& session, std::string_view device) {
  std::vector<FigureMatch> list;
  for (const Measurement* point : session.all_points()) {
    if (!device.empty() && device_of(point->conditions).id() != device) continue;
    const Result<const Scene*> scene = session.catalogue().find(point->scene);
    const Variant* variant = scene ? find_variant(**scene, point->variant) : nullptr;
    if (variant == nullptr || point->verdict.outcome != Outcome::correct) continue;
    for (FigureMatch& made : PointMatches(**scene, *variant, *point, l2_of(session, *point)).all())
      list.push_back(std::move(made));
    for (FigureMatch& made : counters_agree(*point)) list.push_back(std::move(made));
  }
  return list;
}

}  // namespace warpscope
