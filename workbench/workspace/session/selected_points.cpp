// workbench/workspace/session/selected_points.cpp: which points of a session stand for the
// selection.
#include "workbench/workspace/session/selected_points.h"

#include <algorithm>
#include <utility>

#include "profiling/claims/claim.h"
#include "scenes/catalogue.h"

namespace warpscope {

SelectedPoints::SelectedPoints(const OpenedSession& opened, const ShownScene& scene,
                               const Selection& selection, const Engines& engines)
    : opened_(opened),
      scene_(scene),
      selection_(selection),
      engines_(engines),
      standings_(scene.catalogue()) {}

// What an engine measures moves no point: only its device can come to be known.
SelectedPoints::Here& SelectedPoints::here() const {
  const bool recorded = opened_.recorded();
  Here& here = here_.of(std::tie(scene_.name(), selection_.axes, selection_.device, recorded),
                        [] { return Here{}; });
  if (here.seen == seen()) return here;
  here.seen = seen();
  std::string device = device_at(scene_.scene(), selection_.axes);
  if (device == here.device) return here;
  here.device = std::move(device);
  here.points.clear();
  here.sources.clear();
  return here;
}

const std::string& SelectedPoints::device() const { return here().device; }

void SelectedPoints::forget_last() {
  last_id_.clear();
  here_.forget();
}

void SelectedPoints::forget() {
  forget_last();
  compared_.forget();
}

std::string SelectedPoints::device_at(const Scene& scene, const Configuration& axes) const {
  if (!selection_.device.empty()) return selection_.device;
  const Hello* engine = opened_.session().engine();
  if (!opened_.recorded() && engine != nullptr && engine->device)
    return DeviceName{engine->device->name, engine->device->uuid}.id();
  return device_at_hand({&scene, &opened_.session(), axes});
}

SelectedPoints::KeptPoint& SelectedPoints::kept(const std::string& variant) const {
  Here& at = here();
  const auto [place, added] = at.points.try_emplace(variant);
  KeptPoint& kept = place->second;
  if (added)
    kept.id = {scene_.name(), variant,
               configuration_key(scene_.scene().axes, selection_.axes, variant), "", at.device};
  return kept;
}

const PointId& SelectedPoints::id(const std::string& variant) const { return kept(variant).id; }

const std::string& SelectedPoints::words_of(const Measurement& point, SeenSource& source) const {
  // Asked for many times a frame; what files hold is looked at as often as by SourceStandings.
  constexpr std::chrono::milliseconds kLooked{250};
  const auto now = std::chrono::steady_clock::now();
  if (source.at == std::chrono::steady_clock::time_point{} || now - source.at > kLooked) {
    const SourceStanding standing = standings_.of(point);
    source = {standing.state == SourceState::changed ? standing.sentence : "", now};
  }
  return source.words;
}

std::string SelectedPoints::earlier_source(const Measurement& point) const {
  if (point.conditions.code_id.empty()) return "";  // not recorded: nothing can be said
  return words_of(point, here().sources[{point.variant, point.conditions.code_id}]);
}

SelectedPoints::Compared& SelectedPoints::compared() const {
  return compared_.of(std::tuple(seen(), &scene_.scene()), [] { return Compared{}; });
}

const Comparison& SelectedPoints::compare(const Measurement& base, const Measurement& point,
                                          CacheState cache) const {
  const auto [place, added] = compared().times.try_emplace({&base, &point, cache});
  if (added) place->second = compare_times(base, point, cache);
  return place->second;
}

const std::optional<AxisChange>& SelectedPoints::remedy(const Measurement& point) const {
  const auto [place, added] = compared().remedies.try_emplace(&point);
  if (added) {
    const Hello* engine = opened_.session().engine();
    place->second =
        remedy_of(scene_.scene(), point,
                  limits_of(engine != nullptr && engine->device ? &*engine->device : nullptr));
  }
  return place->second;
}

PointState SelectedPoints::state(const std::string& variant) const {
  KeptPoint& wanted = kept(variant);
  if (wanted.seen != seen()) {
    wanted.seen = seen();
    wanted.point = opened_.session().latest(wanted.id);
    wanted.source = {};
    if (wanted.point != nullptr) last_id_[variant] = wanted.id;
  }
  PointState state;
  state.point = wanted.point;
  if (state.point != nullptr) {
    state.freshness = state.point->partial ? Freshness::pending : Freshness::fresh;
    if (!state.point->conditions.code_id.empty())
      state.apart = words_of(*state.point, wanted.source);
    return state;
  }
  // A recording has the point or has it not.
  if (opened_.recorded()) return state;
  const bool waiting = engines_.awaits(scene_.name(), variant);
  if (const auto last = last_id_.find(variant); last != last_id_.end()) {
    state.point = opened_.session().latest(last->second);
    if (state.point != nullptr) state.apart = "measured " + place_of(*state.point);
  }
  state.freshness = waiting                  ? Freshness::pending
                    : state.point != nullptr ? Freshness::stale
                                             : Freshness::nothing;
  return state;
}

const SelectedPoints::Stops& SelectedPoints::recorded_stops() const {
  const Session& session = opened_.session();
  const Scene& scene = scene_.scene();
  const std::size_t openings = opened_.openings();
  const std::uint64_t revision = session.revision();
  // Places change with the session's points alone.
  const std::size_t points =
      point_count_.of(std::tie(openings, revision), [&] { return session.all_points().size(); });
  const Places& places =
      places_.of(std::tie(openings, points, scene_.name(), device(), selection_.variant), [&] {
        stops_.forget();
        return Places{{session, scene, device()}, {session, scene, device(), selection_.variant}};
      });
  return stops_.of(std::tie(selection_.axes, selection_.unlinked), [&] {
    return Stops{places.problem.stops(selection_.axes, selection_.unlinked),
                 places.own.stops(for_variant(scene.axes, selection_.axes, selection_.variant),
                                  selection_.unlinked)};
  });
}

const RecordedStops* SelectedPoints::stops() const {
  return opened_.recorded() ? &recorded_stops().problem : nullptr;
}

const RecordedStops* SelectedPoints::own_stops() const {
  return opened_.recorded() ? &recorded_stops().own : nullptr;
}

RoofJoin SelectedPoints::roofs_of(const Conditions& point) const {
  return join_roofs(opened_.session(), point, opened_.lent());
}

std::vector<const Variant*> SelectedPoints::shown_variants(const Configuration& axes) const {
  std::vector<const Variant*> shown;
  for (const Variant& variant : scene_.scene().variants) {
    if (!applies(variant, axes)) continue;
    const auto hidden = selection_.hidden.find(variant.name);
    if (hidden == selection_.hidden.end() || !hidden->second) shown.push_back(&variant);
  }
  return shown;
}

std::string SelectedPoints::not_recorded() const {
  const RecordedStops* here = stops();
  if (here == nullptr || here->recorded) return "";
  if (!here->nearest) {
    return selection_.device.empty() ? "nothing of this scene is recorded"
                                     : "nothing of this scene is recorded on this device";
  }
  std::string words;
  for (const AxisMove& move : here->nearest->moves)
    words += (words.empty() ? "not recorded at " : ", ") + move.axis + "=" + to_text(move.from);
  return words;
}

std::string SelectedPoints::place_of(const Measurement& point) const {
  std::string words;
  for (const Axis& axis : scene_.scene().axes) {
    if (!of_variant(axis, point.variant) || !point.axes.has(axis.name)) continue;
    if (point.axes.at(axis.name) == value_of(axis, selection_.axes, point.variant)) continue;
    words += (words.empty() ? "at " : ", ") + axis.name + "=" + to_text(point.axes.at(axis.name));
  }
  const DeviceName measured = device_of(point.conditions);
  if (measured.id() == device()) return words.empty() ? "at " + point.key : words;
  return words + (words.empty() ? "on " : " on ") + to_text(measured);
}

PointId SelectedPoints::baseline_id(const std::string& variant) const {
  if (!selection_.baseline_device.empty()) {
    PointId there = id(variant);
    there.device_uuid = selection_.baseline_device;
    return there;
  }
  const Variant *of = find_variant(scene_.scene(), variant),
                *chosen = find_variant(scene_.scene(), selection_.baseline);
  if (of != nullptr && !scene_.scene().leagues.empty() &&
      (chosen == nullptr || chosen->league != of->league)) {
    const bool known = std::any_of(scene_.scene().leagues.begin(), scene_.scene().leagues.end(),
                                   [of](const League& l) { return l.name == of->league; });
    const Variant* own = known ? baseline_at(scene_.scene(), selection_.axes, variant) : nullptr;
    return own == nullptr ? PointId{} : id(own->name);
  }
  return chosen == nullptr ? PointId{} : id(selection_.baseline);
}

PointState SelectedPoints::baseline_state(const std::string& variant) const {
  const PointId id = baseline_id(variant);
  if (id.variant.empty()) return {};
  if (selection_.baseline_device.empty()) return state(id.variant);
  PointState there;
  there.point = opened_.session().latest(id);
  if (there.point == nullptr) return there;
  there.freshness = Freshness::fresh;
  there.apart = earlier_source(*there.point);
  return there;
}

}  // namespace warpscope
