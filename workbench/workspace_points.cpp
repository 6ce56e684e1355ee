// workbench/workspace_points.cpp: which point of a session stands for the selection.
#include <algorithm>
#include <cmath>

#include "workbench/workspace.h"

namespace warpscope {
namespace {

// How far two values of an axis are apart, in parts of its range; choices are equal or a world
// apart.
double distance(const Axis& axis, const Configuration& a, const Configuration& b) {
  if (!a.has(axis.name) || !b.has(axis.name)) return 0;
  if (axis.kind == AxisKind::choice || axis.kind == AxisKind::file) {
    return a.at(axis.name) == b.at(axis.name) ? 0 : 100;
  }
  double x = a.real(axis.name), y = b.real(axis.name), low = axis.minimum, high = axis.maximum;
  if (axis.scale == AxisScale::log) {
    const double tiny = std::max(low, 1e-9);
    x = std::log(std::max(x, tiny));
    y = std::log(std::max(y, tiny));
    low = std::log(tiny);
    high = std::log(std::max(high, tiny));
  }
  return high > low ? std::abs(x - y) / (high - low) : 0;
}

}  // namespace

const Measurement* nearest_recorded(const Session& session, const Scene& scene,
                                    const Configuration& axes, const std::string& device) {
  const Measurement* best = nullptr;
  double best_distance = 0;
  for (const Measurement* point : session.all_points()) {
    if (point->scene != scene.name) continue;
    if (!device.empty() && device_of(point->conditions).id() != device) continue;
    double sum = 0;
    for (const Axis& axis : scene.axes) {
      if (applies(axis, axes)) sum += distance(axis, axes, point->axes);
    }
    if (best == nullptr || sum < best_distance) {
      best = point;
      best_distance = sum;
    }
  }
  return best;
}

Result<void> Workspace::choose_device(const std::string& wanted) {
  Result<std::string> device = find_device(session_, wanted);
  if (!device) return tl::unexpected(device.error());
  selection.device = std::move(*device);
  return {};
}

Workspace::Ids& Workspace::ids() const {
  const std::uint64_t revision = session_.revision();
  const bool same = ids_.scene == scene_ && ids_.axes == selection.axes &&
                    ids_.chosen_device == selection.device && ids_.recorded == recorded_;
  // What an engine measures moves no point: only its device can come to be known.
  if (same && ids_.revision == revision) return ids_;
  if (same && !recorded_ && ids_.device == device_at(selection.axes)) {
    ids_.revision = revision;
    return ids_;
  }
  ids_ = {scene_, revision, selection.axes, selection.device, recorded_, selection.axes, {},
          {},     {}};
  if (recorded_) {
    const Measurement* nearest =
        nearest_recorded(session_, *scene_, selection.axes, selection.device);
    if (nearest != nullptr) {
      for (const Axis& axis : scene_->axes) {
        if (of_problem(axis) && nearest->axes.has(axis.name))
          ids_.nearest.set(axis.name, nearest->axes.at(axis.name));
      }
    }
  }
  ids_.device = device_at(ids_.nearest);
  return ids_;
}

std::string Workspace::device_at(const Configuration& axes) const {
  if (!selection.device.empty()) return selection.device;
  const Hello* engine = session_.engine();
  if (!recorded_ && engine != nullptr && engine->device)
    return DeviceName{engine->device->name, engine->device->uuid}.id();
  if (session_.devices().size() == 1) return session_.devices().front().id();
  const std::string problem = problem_key(scene_->axes, axes);
  const std::string of_roofs =
      session_.roofs() == nullptr ? "" : device_of(session_.roofs()->conditions).id();
  std::map<std::string, int> points;
  std::string most;
  for (const Measurement* point : session_.all_points()) {
    if (point->scene != scene_->name || point->problem != problem) continue;
    const std::string device = device_of(point->conditions).id();
    ++points[device];
    if (most.empty() || points[device] > points[most]) most = device;
  }
  return points.count(of_roofs) != 0 ? of_roofs : most;
}

const std::string& Workspace::device() const { return ids().device; }

const PointId& Workspace::point_id(const std::string& variant) const {
  Ids& known = ids();
  const auto [place, added] = known.points.try_emplace(variant);
  if (added) {
    place->second = {scene_->name, variant, configuration_key(scene_->axes, known.nearest, variant),
                     "", known.device};
  }
  return place->second;
}

const PointId& Workspace::selected_id(const std::string& variant) const {
  Ids& known = ids();
  const auto [place, added] = known.selected.try_emplace(variant);
  if (added) {
    place->second = {scene_->name, variant, configuration_key(scene_->axes, known.axes, variant),
                     "", known.device};
  }
  return place->second;
}

PointState Workspace::state(const std::string& variant) const {
  const PointId& wanted = point_id(variant);
  PointState state;
  state.point = session_.latest(wanted);
  if (state.point != nullptr) {
    last_id_[variant] = wanted;
    state.freshness = state.point->partial ? Freshness::pending : Freshness::fresh;
    return state;
  }
  const bool waiting = awaits(variant);
  if (const auto last = last_id_.find(variant); last != last_id_.end()) {
    state.point = session_.latest(last->second);
  }
  state.freshness = waiting                  ? Freshness::pending
                    : state.point != nullptr ? Freshness::stale
                                             : Freshness::nothing;
  return state;
}

}  // namespace warpscope
