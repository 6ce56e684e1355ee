// workbench/workspace/workspace_points.cpp: which point of a session stands for the selection, what
// it is compared with, and where a recording has any.
#include <algorithm>

#include "scenes/catalogue.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {

Result<void> Workspace::choose_device(const std::string& wanted) {
  Result<std::string> device = find_device(session_, wanted);
  if (!device) return tl::unexpected(device.error());
  selection.device = std::move(*device);
  return {};
}

const Scene* Workspace::find_scene(const std::string& name) const {
  const Result<const Scene*> found = catalogue_->find(name);
  return found ? *found : nullptr;
}

Workspace::Ids& Workspace::ids() const {
  const std::uint64_t revision = session_.revision();
  const bool same = ids_.scene == scene_ && ids_.axes == selection.axes &&
                    ids_.chosen_device == selection.device && ids_.recorded == recorded_;
  // What an engine measures moves no point: only its device can come to be known.
  if (same && ids_.revision == revision) return ids_;
  std::string device = device_at(scene(), selection.axes);
  if (same && ids_.device == device) {
    ids_.revision = revision;
    return ids_;
  }
  ids_ = {scene_, revision, selection.axes, selection.device, recorded_, std::move(device), {}, {}};
  return ids_;
}

std::string Workspace::device_at(const Scene& scene, const Configuration& axes) const {
  if (!selection.device.empty()) return selection.device;
  const Hello* engine = session_.engine();
  if (!recorded_ && engine != nullptr && engine->device)
    return DeviceName{engine->device->name, engine->device->uuid}.id();
  return device_at_hand({&scene, &session_, axes});
}

const std::string& Workspace::device() const { return ids().device; }

const PointId& Workspace::point_id(const std::string& variant) const {
  Ids& known = ids();
  const auto [place, added] = known.points.try_emplace(variant);
  if (added) {
    place->second = {scene_, variant, configuration_key(scene().axes, known.axes, variant), "",
                     known.device};
  }
  return place->second;
}

std::string Workspace::earlier_source(const Measurement& point) const {
  if (point.conditions.code_id.empty()) return "";  // not recorded: nothing can be said
  // Asked for many times a frame; what files hold is looked at as often as by SourceStandings.
  constexpr std::chrono::milliseconds kLooked{250};
  Ids& known = ids();
  SeenSource& seen = known.sources[point.variant + "/" + point.conditions.code_id];
  const auto now = std::chrono::steady_clock::now();
  if (seen.at == std::chrono::steady_clock::time_point{} || now - seen.at > kLooked) {
    const SourceStanding standing = standings_.of(point);
    seen = {standing.state == SourceState::changed ? standing.sentence : "", now};
  }
  return seen.words;
}

PointState Workspace::state(const std::string& variant) const {
  const PointId& wanted = point_id(variant);
  PointState state;
  state.point = session_.latest(wanted);
  if (state.point != nullptr) {
    last_id_[variant] = wanted;
    state.freshness = state.point->partial ? Freshness::pending : Freshness::fresh;
    state.apart = earlier_source(*state.point);
    return state;
  }
  // A recording has the point or has it not.
  if (recorded_) return state;
  const bool waiting = awaits(variant);
  if (const auto last = last_id_.find(variant); last != last_id_.end()) {
    state.point = session_.latest(last->second);
    if (state.point != nullptr) state.apart = "measured " + place_of(*state.point);
  }
  state.freshness = waiting                  ? Freshness::pending
                    : state.point != nullptr ? Freshness::stale
                                             : Freshness::nothing;
  return state;
}

const Workspace::Stops& Workspace::recorded_stops() const {
  Stops& known = stops_;
  const bool same = known.places && known.scene == scene_ && known.openings == openings_ &&
                    known.device == device() && known.variant == selection.variant;
  bool places = same;
  if (same && known.revision != session_.revision()) {
    known.revision = session_.revision();
    places = known.points == session_.all_points().size();
  }
  if (!places) {
    known.revision = session_.revision();
    known.openings = openings_;
    known.points = session_.all_points().size();
    known.scene = scene_;
    known.device = device();
    known.variant = selection.variant;
    known.places.emplace(session_, scene(), known.device);
    known.own_places.emplace(session_, scene(), known.device, selection.variant);
  }
  if (!places || !(known.axes == selection.axes) || known.unlinked != selection.unlinked) {
    known.axes = selection.axes;
    known.unlinked = selection.unlinked;
    known.problem = known.places->stops(selection.axes, selection.unlinked);
    known.own = known.own_places->stops(
        for_variant(scene().axes, selection.axes, selection.variant), selection.unlinked);
  }
  return known;
}

std::string Workspace::not_recorded() const {
  const RecordedStops* here = stops();
  if (here == nullptr || here->recorded) return "";
  if (!here->nearest) {
    return selection.device.empty() ? "nothing of this scene is recorded"
                                    : "nothing of this scene is recorded on this device";
  }
  std::string words;
  for (const AxisMove& move : here->nearest->moves)
    words += (words.empty() ? "not recorded at " : ", ") + move.axis + "=" + to_text(move.from);
  return words;
}

std::string Workspace::place_of(const Measurement& point) const {
  std::string words;
  for (const Axis& axis : scene().axes) {
    if (!of_variant(axis, point.variant) || !point.axes.has(axis.name)) continue;
    if (point.axes.at(axis.name) == value_of(axis, selection.axes, point.variant)) continue;
    words += (words.empty() ? "at " : ", ") + axis.name + "=" + to_text(point.axes.at(axis.name));
  }
  const DeviceName measured = device_of(point.conditions);
  if (measured.id() == device()) return words.empty() ? "at " + point.key : words;
  return words + (words.empty() ? "on " : " on ") + to_text(measured);
}

PointId Workspace::baseline_id(const std::string& variant) const {
  if (!selection.baseline_device.empty()) {
    PointId there = point_id(variant);
    there.device_uuid = selection.baseline_device;
    return there;
  }
  const Variant *of = find_variant(scene(), variant),
                *chosen = find_variant(scene(), selection.baseline);
  if (of != nullptr && !scene().leagues.empty() &&
      (chosen == nullptr || chosen->league != of->league)) {
    const bool known = std::any_of(scene().leagues.begin(), scene().leagues.end(),
                                   [of](const League& l) { return l.name == of->league; });
    const Variant* own = known ? baseline_at(scene(), selection.axes, variant) : nullptr;
    return own == nullptr ? PointId{} : point_id(own->name);
  }
  return chosen == nullptr ? PointId{} : point_id(selection.baseline);
}

PointState Workspace::baseline_state(const std::string& variant) const {
  const PointId id = baseline_id(variant);
  if (id.variant.empty()) return {};
  if (selection.baseline_device.empty()) return state(id.variant);
  PointState there;
  there.point = session_.latest(id);
  if (there.point == nullptr) return there;
  there.freshness = Freshness::fresh;
  there.apart = earlier_source(*there.point);
  return there;
}

}  // namespace warpscope
