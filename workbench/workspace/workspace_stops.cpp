// workbench/workspace/workspace_stops.cpp: which points a variant is compared with, and where a
// recording has any.
#include <algorithm>

#include "workbench/workspace/workspace.h"

namespace warpscope {

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
    const auto league = std::find_if(scene().leagues.begin(), scene().leagues.end(),
                                     [of](const League& l) { return l.name == of->league; });
    return league == scene().leagues.end() || find_variant(scene(), league->baseline) == nullptr
               ? PointId{}
               : point_id(league->baseline);
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
