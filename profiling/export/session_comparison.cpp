// profiling/export/session_comparison.cpp: what changed between two sessions, point by point.
#include "profiling/export/session_comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unordered_set>

#include "profiling/export/verdicts.h"
#include "scenes/catalogue.h"
#include "scenes/host/nearest.h"

namespace warpscope {
namespace {

// The points of one device, newest source each.
struct DevicePoints {
  DeviceName device;
  const Session* session = nullptr;
  std::vector<const Measurement*> points;
  std::unordered_set<const Measurement*> joined;
  // Its point of the same variant and configuration, newest source. Null: none.
  const Measurement* latest(const Measurement& m) const {
    const Measurement* point = session->latest({m.scene, m.variant, m.key, "", device.id()});
    return point == nullptr || point->partial ? nullptr : point;
  }
};
using Devices = std::vector<DevicePoints>;

bool wanted(const Measurement& m, const std::vector<std::string>& only) {
  return only.empty() || std::any_of(only.begin(), only.end(), [&m](const std::string& name) {
           return name == m.scene || name == m.scene + "/" + m.variant;
         });
}

Devices by_device(const Session& session, const std::vector<std::string>& only) {
  Devices devices;
  for (const Measurement* m : session.newest_points()) {
    if (m->partial || !wanted(*m, only)) continue;
    const DeviceName name = device_of(m->conditions);
    auto place = std::find_if(devices.begin(), devices.end(), [&name](const DevicePoints& d) {
      return name.uuid.empty() ? d.device == name : d.device.uuid == name.uuid;
    });
    if (place == devices.end()) place = devices.insert(place, {name, &session, {}, {}});
    place->points.push_back(m);
  }
  return devices;
}

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// The place in `after` of every device of `before`: the same UUID; where one side has no UUID the
// same name, if it is the only one on both sides.
std::vector<std::size_t> partners(const Devices& before, const Devices& after,
                                  std::vector<std::string>& notes) {
  std::vector<std::size_t> partner(before.size(), kNone);
  std::vector<bool> taken(after.size(), false);
  for (std::size_t i = 0; i < before.size(); ++i) {
    for (std::size_t j = 0; j < after.size(); ++j) {
      const DeviceName &a = before[i].device, &b = after[j].device;
      if (a.uuid != b.uuid || (a.uuid.empty() && a.name != b.name)) continue;
      partner[i] = j;
      taken[j] = true;
    }
  }
  const auto may_be = [&](std::size_t i, std::size_t j) {
    const DeviceName &a = before[i].device, &b = after[j].device;
    return partner[i] == kNone && !taken[j] && a.name == b.name && a.uuid.empty() != b.uuid.empty();
  };
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < before.size(); ++i) {
    for (std::size_t j = 0; j < after.size(); ++j) {
      if (may_be(i, j)) pairs.emplace_back(i, j);
    }
  }
  for (const auto& [i, j] : pairs) {
    const auto rivals = std::count_if(pairs.begin(), pairs.end(), [i = i, j = j](const auto& pair) {
      return pair.first == i || pair.second == j;
    });
    const std::string lacks = std::string(before[i].device.uuid.empty() ? "before" : "after") +
                              " has no UUID of " + before[i].device.name + ": ";
    if (rivals == 1) partner[i] = j;
    const std::string note =
        lacks +
        (rivals == 1 ? "joined by name" : "it may be any of several, so it is joined with none");
    if (notes.empty() || notes.back() != note) notes.push_back(note);
  }
  return partner;
}

TimingConditions conditions_of(const Measurement& m, const Timing& t) {
  // Devices are joined already, by more than the name.
  return {"", m.conditions.toolkit,
          t.sm_clock_mhz > 0 ? t.sm_clock_mhz : m.conditions.sm_clock_mhz.value_or(0)};
}

Change change_of(Difference difference) {
  switch (difference) {
    case Difference::faster:
      return Change::faster;
    case Difference::slower:
      return Change::slower;
    case Difference::same:
      return Change::same;
    case Difference::ambiguous:
      return Change::ambiguous;
    case Difference::not_comparable:
      break;
  }
  return Change::incomparable;
}

std::string percent(double ratio) {
  char text[32];
  std::snprintf(text, sizeof text, "%+.1f %%", ratio * 100);
  return text;
}

PointChange times_of(const Measurement& a, const Timing& x, const Measurement& b, const Timing& y,
                     const ComparisonRules& rules) {
  PointChange change;
  change.cache = x.cache;
  change.before_ns = x.median_ns;
  change.after_ns = y.median_ns;
  const TimingConditions before = conditions_of(a, x), after = conditions_of(b, y);
  const std::string times =
      format_value(x.median_ns, "ns") + " to " + format_value(y.median_ns, "ns") + ": ";
  if (const auto why = why_not_comparable(x, before, y, after)) {
    change.change = Change::incomparable;
    change.obstacle = why->obstacle;
    change.sentence = times + why->sentence;
    return change;
  }
  const Comparison verdict = compare(x, before, y, after);
  change.change = change_of(verdict.difference);
  change.more_ratio = y.median_ns / x.median_ns - 1;
  change.sentence = times;
  if (change.change == Change::slower || change.change == Change::faster)
    change.sentence += percent(*change.more_ratio) + ", ";
  change.sentence += verdict.sentence;
  if (change.change == Change::slower && *change.more_ratio < rules.slower_ratio) {
    change.change = Change::tolerated;
    change.sentence += ", which is below the limit";
  }
  if ((before.sm_clock_mhz > 0) != (after.sm_clock_mhz > 0))
    change.sentence +=
        std::string(" (the clock was not read ") + (before.sm_clock_mhz > 0 ? "after)" : "before)");
  return change;
}

PointChange lone(Change change, std::optional<CacheState> cache, std::string sentence) {
  PointChange made;
  made.change = change;
  made.cache = cache;
  made.sentence = std::move(sentence);
  return made;
}

const std::optional<Timing>& timing_of(const Measurement& m, CacheState cache) {
  return cache == CacheState::cold ? m.cold : m.warm;
}

// Both outputs are correct: each time that one of them has.
std::vector<PointChange> changes_of_times(const Measurement& a, const Measurement& b,
                                          const ComparisonRules& rules) {
  if (!a.cold && !a.warm && !b.cold && !b.warm)
    return {lone(Change::same, {}, "correct as before; neither was timed")};
  std::vector<CacheState> states;
  if (rules.cold) states.push_back(CacheState::cold);
  if (rules.warm) states.push_back(CacheState::warm);
  const auto any = [&states](const Measurement& m) {
    return std::any_of(states.begin(), states.end(),
                       [&m](CacheState state) { return timing_of(m, state).has_value(); });
  };
  const bool common = std::any_of(states.begin(), states.end(), [&](CacheState state) {
    return timing_of(a, state) && timing_of(b, state);
  });
  std::vector<PointChange> changes;
  if (!common && ((any(a) && any(b)) || (!any(a) && !any(b)))) {
    const auto has = [](const Measurement& m) {
      return std::string(m.cold && m.warm ? "cold and warm"
                         : m.cold         ? "cold"
                         : m.warm         ? "warm"
                                          : "no");
    };
    PointChange change = lone(Change::incomparable, {},
                              has(a) + " times before, " + has(b) + " times after" +
                                  (any(a) ? "" : ", but others were requested"));
    change.obstacle = Obstacle::cache;
    return {change};
  }
  for (const CacheState state : states) {
    const std::optional<Timing>&x = timing_of(a, state), &y = timing_of(b, state);
    if (x && y) {
      changes.push_back(times_of(a, *x, b, *y, rules));
    } else if (x) {
      changes.push_back(lone(Change::missing, state,
                             "was " + format_value(x->median_ns, "ns") + ", has no time now"));
      changes.back().before_ns = x->median_ns;
    } else if (y) {
      changes.push_back(
          lone(Change::added, state, format_value(y->median_ns, "ns") + ", had no time before"));
      changes.back().after_ns = y->median_ns;
    }
  }
  return changes;
}

std::vector<PointChange> changes_of(const Measurement& a, const Measurement& b,
                                    const ComparisonRules& rules) {
  const Outcome was = a.verdict.outcome, is = b.verdict.outcome;
  if (was == Outcome::correct && is == Outcome::correct) return changes_of_times(a, b, rules);
  const std::string words = std::string("was ") + to_text(was) + ", is " + to_text(is) +
                            (b.verdict.sentence.empty() ? "" : ": " + b.verdict.sentence);
  Change change = Change::same;
  if (is == Outcome::correct) {
    change = Change::mended;
  } else if (failed(is)) {
    change = failed(was) || wrong_as_expected(b) ? Change::still_failing : Change::wrong;
  } else if (was == Outcome::correct) {
    change = Change::missing;
  }
  return {lone(change, {}, words)};
}

PointChange added(const Measurement& m) {
  if (failed(m.verdict.outcome))
    return lone(
        wrong_as_expected(m) ? Change::added : Change::wrong, {},
        std::string("was not there, is ") + to_text(m.verdict.outcome) + ": " + m.verdict.sentence);
  const Timing* timing = m.warm ? &*m.warm : m.cold ? &*m.cold : nullptr;
  PointChange change = lone(Change::added, {}, "was not there, is ");
  change.sentence += timing != nullptr
                         ? format_value(timing->median_ns, "ns") + " " + to_text(timing->cache)
                         : to_text(m.verdict.outcome);
  if (timing != nullptr) change.after_ns = timing->median_ns;
  return change;
}

void judge(PointChange& change, const ComparisonRules& rules) {
  switch (change.change) {
    case Change::wrong:
      change.finding = true;
      return;
    case Change::missing:
    case Change::incomparable:
    case Change::slower:
      change.waived = rules.allowed.count(change.change) != 0 ||
                      (change.obstacle && rules.allowed_obstacles.count(*change.obstacle) != 0);
      change.finding = !change.waived;
      return;
    default:
      return;
  }
}

// By code where both know theirs: comments and white space make no other source.
bool source_changed(const Conditions& a, const Conditions& b) {
  if (!a.code_id.empty() && !b.code_id.empty()) return a.code_id != b.code_id;
  return !a.source_hash.empty() && !b.source_hash.empty() && a.source_hash != b.source_hash;
}

ComparedPoint point_of(const Measurement& m, const DeviceName& device) {
  return {m.scene, m.variant, m.key, m.axes, league_of(m), device, false, {}};
}

// The same point of another device of the other session, where this one has it not.
struct Elsewhere {
  const Measurement* point = nullptr;
  DevicePoints* device = nullptr;
};
Elsewhere elsewhere(const Measurement& m, Devices& before, Devices& after,
                    const std::vector<std::size_t>& partner, std::size_t own) {
  for (std::size_t j = 0; j < after.size(); ++j) {
    if (j == own) continue;
    const Measurement* other = after[j].latest(m);
    if (other == nullptr || after[j].joined.count(other) != 0) continue;
    const auto back = std::find(partner.begin(), partner.end(), j);
    if (back != partner.end() &&
        before[static_cast<std::size_t>(back - partner.begin())].latest(m) != nullptr)
      continue;
    return {other, &after[j]};
  }
  return {};
}

// "2 incomparable (other device (A and B)), 1 missing"
std::string reasons_of(const SessionComparison& comparison) {
  std::map<std::string, int> reasons;
  for (const ComparedPoint& point : comparison.points) {
    for (const PointChange& change : point.changes) {
      std::string reason = to_text(change.change);
      if (change.obstacle) reason += std::string(" by ") + to_text(*change.obstacle);
      ++reasons[reason];
    }
  }
  std::string text;
  for (const auto& [reason, count] : reasons)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + reason;
  return text;
}

void count(SessionComparison& comparison, const ComparisonRules& rules, bool before_empty,
           bool after_empty) {
  for (ComparedPoint& point : comparison.points) {
    comparison.sources_changed += point.source_changed ? 1 : 0;
    for (PointChange& change : point.changes) {
      judge(change, rules);
      ++comparison.counts[change.change];
      comparison.findings += change.finding ? 1 : 0;
      comparison.waived += change.waived ? 1 : 0;
      const bool alone = change.change == Change::missing || change.change == Change::added ||
                         change.change == Change::incomparable;
      comparison.compared += alone ? 0 : 1;
    }
  }
  if (comparison.compared > 0) return;
  comparison.nothing_compared =
      "nothing could be compared: " + (before_empty  ? "the session before has none of these points"
                                       : after_empty ? "the session after has none of these points"
                                                     : reasons_of(comparison));
}

Error no_points(const Session& before, const Session& after, const ComparisonRules& rules) {
  std::set<std::string> names;
  for (const Session* session : {&before, &after}) {
    for (const Measurement* m : session->newest_points())
      names.insert({m->scene, m->scene + "/" + m->variant});
  }
  if (names.empty())
    return {ErrorKind::input, "neither session contains a measurement", "compare",
            "record them with `warpscope measure … --session FILE`"};
  return {ErrorKind::usage, "neither session contains a point of this name",
          "--only " + rules.only[0], suggest(rules.only[0], {names.begin(), names.end()})};
}

}  // namespace

bool ComparedPoint::finding() const {
  return std::any_of(changes.begin(), changes.end(),
                     [](const PointChange& change) { return change.finding; });
}

Result<SessionComparison> compare_sessions(const Session& before, const Session& after,
                                           const ComparisonRules& rules) {
  Devices old_points = by_device(before, rules.only), new_points = by_device(after, rules.only);
  if (old_points.empty() && new_points.empty())
    return tl::unexpected(no_points(before, after, rules));
  SessionComparison comparison;
  const std::vector<std::size_t> partner = partners(old_points, new_points, comparison.notes);
  for (std::size_t i = 0; i < old_points.size(); ++i) {
    const DeviceName& device = old_points[i].device;
    for (const Measurement* a : old_points[i].points) {
      ComparedPoint point = point_of(*a, device);
      DevicePoints* own = partner[i] == kNone ? nullptr : &new_points[partner[i]];
      const Measurement* b = own == nullptr ? nullptr : own->latest(*a);
      if (b != nullptr) {
        own->joined.insert(b);
        point.source_changed = source_changed(a->conditions, b->conditions);
        point.changes = changes_of(*a, *b, rules);
      } else if (const Elsewhere other = elsewhere(*a, old_points, new_points, partner, partner[i]);
                 other.point != nullptr) {
        other.device->joined.insert(other.point);
        // Where a UUID is lacking nobody knows whether it is another one.
        const Comparable may = comparable(*a, *other.point);
        point.changes = {lone(Change::incomparable, {},
                              may ? "it may be another device: " + to_text(device) + " before, " +
                                        to_text(other.device->device) + " after"
                                  : may.reason)};
        point.changes[0].obstacle = Obstacle::device;
        if (failed(other.point->verdict.outcome) && !failed(a->verdict.outcome))
          point.changes.push_back(lone(Change::wrong, {},
                                       std::string("is ") + to_text(other.point->verdict.outcome) +
                                           " there: " + other.point->verdict.sentence));
      } else {
        point.changes = {lone(
            Change::missing, {},
            std::string("was ") + to_text(a->verdict.outcome) + ", is not in the session after")};
      }
      comparison.points.push_back(std::move(point));
    }
  }
  for (const DevicePoints& device : new_points) {
    for (const Measurement* b : device.points) {
      if (device.joined.count(b) != 0) continue;
      comparison.points.push_back(point_of(*b, device.device));
      comparison.points.back().changes = {added(*b)};
    }
  }
  count(comparison, rules, old_points.empty(), new_points.empty());
  return comparison;
}

}  // namespace warpscope
