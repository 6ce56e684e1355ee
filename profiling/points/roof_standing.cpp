// profiling/points/roof_standing.cpp: where a measurement stands below the measured ceilings.
#include <algorithm>
#include <cmath>
#include <map>

#include "profiling/points/level_bytes.h"
#include "profiling/points/point.h"
#include "profiling/points/roof.h"
#include "scenes/catalogue.h"

namespace warpscope {
namespace {

// "gather_pairs" in words.
std::string spaced(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string percent(double ratio) { return format_value(ratio, "ratio"); }

std::string rate_text(double bytes_per_s) { return format_value(bytes_per_s, "B/s"); }

std::string flag(const std::string& roof, const LevelBytes& bytes, double time_ns, double ceiling) {
  return "above the " + roof + ": " + format_value(bytes.value, "B") + " in " +
         format_value(time_ns, "ns") + " is " + rate_text(bytes.value / (time_ns * 1e-9)) +
         ", the roof is " + rate_text(ceiling) + "; counters and time come from different runs" +
         (bytes.of.empty() ? "" : "; the bytes are those of " + bytes.of);
}

// Two cards of one model differ: what passes the roof of one may be honest on the other.
bool of_other_cards(const Conditions& point, const Conditions& roofs) {
  const DeviceName a = device_of(point), b = device_of(roofs);
  return !a.id().empty() && !b.id().empty() && !same_device(point, roofs);
}

// What limits a point, gathered level by level.
struct Search {
  const Measurement& measurement;
  const RoofSet& roofs;
  double time_ns, slack, flops;
  bool own_card;  // whose roofs they are
  RooflineStanding standing = {};
  std::vector<std::string> unknown = {};  // levels that could limit it as well
  std::string beyond = {};  // a roof that counted bytes pass though it may flag nothing

  // What a roof leaves as the shortest time; an interval where its bytes are one.
  struct Floor {
    Level level;
    std::string name;
    double value_ns, least_ns, most_ns;
  };
  std::vector<Floor> floors = {};

  void consider(Level level, const std::string& name, double floor_ns) {
    floors.push_back({level, name, floor_ns, floor_ns, floor_ns});
  }

  // The roofs that may limit it: those whose longest floor is not below the shortest of another.
  std::vector<const Floor*> contenders() const {
    double least = 0;
    for (const Floor& floor : floors) least = std::max(least, floor.least_ns);
    std::vector<const Floor*> list;
    const Floor* longest = nullptr;  // of those that are known exactly
    for (const Floor& floor : floors) {
      if (floor.most_ns < least) continue;
      const bool exact = floor.least_ns == floor.most_ns;
      if (!exact) list.push_back(&floor);
      if (exact && (longest == nullptr || floor.value_ns > longest->value_ns)) longest = &floor;
    }
    if (longest != nullptr) list.push_back(longest);
    return list;
  }

  // A level whose roof is `ceiling`; flagged only above `most`.
  void hold(RooflinePoint& point, const LevelBytes& bytes, double ceiling, double most,
            bool may_flag, const std::string& name) {
    const double floor_ns = bytes.value / ceiling * 1e9;
    point.floor_ns = floor_ns;
    point.ceiling = ceiling;
    point.roof = name;
    const bool above = floor_ns > time_ns * slack;
    if (bytes.origin == Origin::measured && may_flag && own_card &&
        bytes.value / most * 1e9 > time_ns * slack) {
      point.impossible =
          flag(most > ceiling ? "best DRAM roof of any mix" : name, bytes, time_ns, most);
      return;
    }
    if (bytes.least && bytes.most) {
      point.least_ns = *bytes.least / ceiling * 1e9;
      point.most_ns = *bytes.most / ceiling * 1e9;
      point.between = bytes.between;
      // No floor is longer than the time itself.
      if (bytes.known && *point.least_ns <= time_ns * slack)
        floors.push_back(
            {point.level, name, std::min(floor_ns, time_ns), *point.least_ns,
             std::clamp(time_ns, *point.least_ns, std::max(*point.least_ns, *point.most_ns))});
      return;
    }
    // A modelled byte count is an upper bound for the caches below it: not a fact about the roof.
    if (bytes.known && !above) consider(point.level, name, floor_ns);
    if (above && bytes.origin == Origin::measured) beyond = name;
  }

  void at_dram(RooflinePoint& point, const LevelBytes& bytes) {
    if (bytes.origin != Origin::measured) {
      // No mix is assumed: what any mix reached is a floor all the same.
      if (const auto best = best_dram_rate(roofs)) point.floor_ns = bytes.value / *best * 1e9;
      return;
    }
    const double written = value_of(measurement.metrics, "dram.bytes_write").value_or(0);
    standing.write_share = written / bytes.value;
    const auto ceiling = dram_ceiling(roofs, *standing.write_share);
    if (!ceiling) return;
    hold(point, bytes, ceiling->value, *best_dram_rate(roofs), ceiling->measured, ceiling->name);
  }

  // The place of a point at a level of memory. `own`: the scene's roof; null: it has none.
  void at_level(Level level, const std::optional<LevelBytes>& bytes, const Roof* own) {
    const Roof* roof = find_roof(roofs, level);
    // The data path of L1 passes the wavefronts of shared memory too.
    const bool covered = level == Level::shared && (!bytes || bytes->value <= 0 ||
                                                    value_of(measurement.metrics, "l1.wavefronts"));
    if (roof != nullptr && !covered && (!bytes || !bytes->known))
      unknown.emplace_back(to_text(level));
    if (!bytes || bytes->value <= 0) return;
    RooflinePoint point;
    point.level = level;
    point.intensity = flops / bytes->value;
    point.rate = flops / (time_ns * 1e-9);
    point.bytes = bytes->value;
    point.bytes_origin = bytes->origin;
    point.bytes_of = bytes->of;
    if (level == Level::dram) {
      at_dram(point, *bytes);
    } else if (roof != nullptr && roof->value > 0) {
      hold(point, *bytes, roof->value, roof->value, true, std::string(to_text(level)) + " roof");
    }
    // The scene's own shape is the lower of the two and the one that this point can reach; a point
    // above it is of a better shape, and the level's roof alone says what cannot be.
    if (own != nullptr && own->level == level && own->value > 0 && bytes->known &&
        point.impossible.empty() && bytes->value / own->value * 1e9 <= time_ns * slack)
      hold(point, *bytes, own->value, own->value, false, spaced(own->name) + " roof");
    standing.points.push_back(point);
  }

  void at_pipe(Pipe of) {
    const Roof* pipe = find_roof(roofs, of);
    if (flops <= 0 || pipe == nullptr || pipe->value <= 0) return;
    const double floor_ns = flops / pipe->value * 1e9;
    // The model counts a direct computation: a clever one does fewer operations.
    if (floor_ns <= time_ns * slack)
      consider(Level::pipe, std::string(to_text(pipe->pipe)) + " roof", floor_ns);
  }

  // By the instructions that were counted, else by those of emulated SASS.
  void at_issue(const std::vector<MetricValue>& emulated) {
    const Roof* issue = find_roof(roofs, Level::issue);
    std::optional<double> executed = value_of(measurement.metrics, "inst.executed");
    if (!executed) executed = value_of(emulated, "emulated.inst.issued");
    if (issue == nullptr || issue->value <= 0 || !executed) return;
    const double floor_ns = *executed / issue->value * 1e9;
    if (floor_ns <= time_ns * slack) consider(Level::issue, "issue roof", floor_ns);
  }

  // Names the limiting roof if only one remains.
  void conclude(const Bounds& bounds);
};

std::string joined(const std::vector<std::string>& words, const std::string& last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? last : ", ") + words[i];
  return text;
}

// "L2 or L1, counters will tell", and between which floors.
std::string undecided(const std::vector<const Search::Floor*>& contenders, double time_ns) {
  std::vector<std::string> names, floors;
  double most_ns = 0;
  for (const Search::Floor* f : contenders) {
    names.emplace_back(to_text(f->level));
    most_ns = std::max(most_ns, f->most_ns);
    floors.push_back("the " + f->name + " explains " +
                     (f->least_ns == f->most_ns ? format_value(f->value_ns, "ns")
                                                : "between " + format_value(f->least_ns, "ns") +
                                                      " and " + format_value(f->most_ns, "ns")));
  }
  // A roof that explains little of the time limits nothing.
  const char* limits = most_ns < kFarFromRoofs * time_ns ? " is the nearest roof" : " limits it";
  return joined(names, " or ") + limits + ", counters will tell which: of " +
         format_value(time_ns, "ns") + ", " + joined(floors, " and ");
}

// Why the counters of these levels are missing, and what to do, as they were asked for; else what
// to ask for.
std::string how_to_tell(const Measurement& m, const std::vector<std::string>& levels) {
  const std::map<std::string, std::vector<const char*>> counters = {
      {to_text(Level::dram), {"dram.bytes_read", "dram.bytes_write"}},
      {to_text(Level::l2), {"l2.sectors_sm", "l2.bytes"}},
      {to_text(Level::l1), {"l1.bytes", "l1.wavefronts"}},
      {to_text(Level::shared), {"shared.wavefronts"}}};
  for (const std::string& level : levels) {
    for (const char* id : counters.at(level)) {
      const MetricValue* value = find_value(m.metrics, id);
      if (value == nullptr || value->value || value->reason.empty()) continue;
      return "the counters that would tell are missing: " + value->reason +
             (value->remedy.empty() ? "" : ": " + value->remedy);
    }
  }
  return "the counters “standard” will tell";
}

// What is above its roof; empty: nothing is.
std::string impossible_of(const RooflineStanding& standing) {
  std::string text;
  for (const RooflinePoint& point : standing.points) {
    if (!point.impossible.empty()) text += (text.empty() ? "" : "; ") + point.impossible;
  }
  return text;
}

// The sentence of a standing whose binding roof, where there is one, is not taken back any more.
std::string sentence_of(const Search& search, const Bounds& bounds) {
  const RooflineStanding& s = search.standing;
  std::string text;
  const bool of_memory = s.binding && *s.binding != Level::pipe && *s.binding != Level::issue;
  // While bytes are open only those that were counted say something.
  if (s.binding && (search.unknown.empty() || of_memory)) {
    text = percent(s.binding_ratio) + " of the " + s.binding_name +
           (!search.unknown.empty() ? ": "
            : is_limited(s)         ? ", which limits it: "
                                    : ", the nearest roof: ") +
           format_value(s.binding_floor_ns, "ns") + " at the roof, " +
           format_value(search.time_ns, "ns") + " measured";
  }
  if (!search.unknown.empty()) {
    const std::string why = "the bytes of " + joined(search.unknown, " and ") +
                            " were neither counted nor emulated, so the limit is not known yet: " +
                            how_to_tell(search.measurement, search.unknown);
    text = text.empty() ? why : text + "; " + why;
  }
  if (const auto contenders = search.contenders(); search.unknown.empty() && contenders.size() > 1)
    text = undecided(contenders, search.time_ns);
  if (text.empty()) return text;
  if (search.flops > 0 && find_roof(search.roofs, bounds.pipe) == nullptr)
    text += std::string("; the session has no roof of its pipe, ") + to_text(bounds.pipe);
  if (s.sectors_per_line) {
    if (const Roof* gather = gather_roof(search.roofs, *s.sectors_per_line)) {
      char sectors[32];
      std::snprintf(sectors, sizeof sectors, "%.1f", *s.sectors_per_line);
      text += std::string("; its requests to L2 have ") + sectors + " sectors per line: a " +
              gather->mix.name + " reaches " + rate_text(gather->value) + " from DRAM";
    }
  }
  return text;
}

void Search::conclude(const Bounds& bounds) {
  const std::vector<const Floor*> roofs_left = contenders();
  if (roofs_left.size() == 1) {
    standing.binding = roofs_left.front()->level;
    standing.binding_name = roofs_left.front()->name;
    standing.binding_floor_ns = roofs_left.front()->value_ns;
    standing.binding_ratio = standing.binding_floor_ns / time_ns;
  }
  const std::string impossible = impossible_of(standing);
  standing.sentence = !impossible.empty() ? impossible
                      : beyond.empty()
                          ? sentence_of(*this, bounds)
                          : "it exceeds the " + beyond + ", which " +
                                (own_card ? "was not measured at this mix of reads and writes"
                                          : "is another card's") +
                                ": the limit is not known";
  if (unknown.empty() && impossible.empty() && beyond.empty()) return;
  standing.binding.reset();
  standing.binding_name.clear();
  standing.binding_floor_ns = standing.binding_ratio = 0;
}

}  // namespace

Bounds bounds_of(const Measurement& m) {
  const Result<const Scene*> scene = catalogue_of(m).find(m.scene);
  const auto [variant, workload] = scene ? ran_row(**scene, m) : RanRow{};
  if (variant == nullptr) return {};
  // Points that were not read from a file may lack axes of the scene.
  const Configuration axes = with_defaults((*scene)->axes, workload.axes);
  const std::optional<L2Expectation>& l2 = (*scene)->l2_expectation;
  return {pipe_of(*variant, axes), own_roof_of(*variant, axes),
          l2 ? std::optional(l2->bound_ratio) : std::nullopt};
}

std::optional<RooflineStanding> stand(const Measurement& measurement, CacheState cache,
                                      const RoofSet& roofs,
                                      const std::vector<MetricValue>& emulated) {
  return stand(measurement, cache, roofs, bounds_of(measurement), emulated);
}

std::optional<RooflineStanding> stand(const Measurement& measurement, CacheState cache,
                                      const RoofSet& roofs, const Bounds& bounds,
                                      const std::vector<MetricValue>& emulated) {
  const std::optional<Timing>& timing =
      cache == CacheState::cold ? measurement.cold : measurement.warm;
  if (!has_figures(measurement.verdict.outcome) || !timing || timing->median_ns <= 0)
    return std::nullopt;
  const std::vector<MetricValue>& metrics = measurement.metrics;
  // A rate above its roof by more than the spread of the samples and the counters' 3 %.
  const double slack = 1 + std::max(0.03, 3 * timing->noise_ratio);
  // A copy has no arithmetic and no place on the plot, but the roofs of memory limit it all the
  // same.
  Search search{measurement,
                roofs,
                timing->median_ns,
                slack,
                value_of(metrics, "model.flops").value_or(0),
                !of_other_cards(measurement.conditions, roofs.conditions)};
  search.standing.pipe = bounds.pipe;
  if (const auto sectors = value_of(metrics, "l2.sectors_sm"),
      requests = value_of(metrics, "l2.requests_sm");
      sectors && requests && *requests > 0)
    search.standing.sectors_per_line = *sectors / *requests;
  const Roof* own = find_roof(roofs, measurement.scene, bounds.own_roof);
  for (const Level level : {Level::dram, Level::l2, Level::l1, Level::shared})
    search.at_level(level, bytes_at(level, {metrics, emulated}, bounds), own);
  search.at_pipe(bounds.pipe);
  search.at_issue(emulated);
  search.conclude(bounds);
  return std::move(search.standing);
}

}  // namespace warpscope
