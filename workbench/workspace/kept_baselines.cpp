// workbench/workspace/kept_baselines.cpp: named baselines between the selection, the session and
// files.
#include "workbench/workspace/kept_baselines.h"

#include "scenes/catalogue.h"

namespace warpscope {
namespace {

std::string label_of(const Scene& scene, const std::string& variant) {
  const Variant* row = find_variant(scene, variant);
  return row == nullptr ? variant : row->label;
}

// The point in another session that stands where the focus is: on the device that is shown, else on
// any.
const Measurement* point_in(const Session& session, const PointId& wanted) {
  if (const Measurement* here = session.latest(wanted)) return here;
  const auto there = session.points_at(wanted.scene, wanted.variant, wanted.key);
  return there.empty() ? nullptr : there.back();
}

}  // namespace

void keep_baseline(const SessionView& view, Selection& selection, const std::string& variant) {
  const PointState state = view.state(variant);
  const std::string label = label_of(view.scene(), variant);
  if (state.point == nullptr || !has_figures(state.point->verdict.outcome) ||
      !state.apart.empty()) {
    selection.notices.push_back("No baseline was kept: " + label +
                                " has no figures at this configuration");
    return;
  }
  add_baseline(selection.baselines, *state.point, label);
  selection.notices.push_back("“" + selection.baselines.all.back()->name +
                              "” is a baseline now. Ctrl+5 lists them, and gives them other names");
}

Result<void> take_baselines(const std::filesystem::path& path, const SessionView& view,
                            Selection& selection) {
  const Result<SessionReading> reading = read_sessions({path}, {});
  if (!reading) return tl::unexpected(reading.error());
  const std::string file = path.filename().string();
  const auto add = [&](Measurement point, const std::string& name) {
    point.catalogue = view.shown.catalogue().shared();
    add_baseline(selection.baselines, point, name, file);
  };
  bool found = false;
  for (const NamedBaseline* baseline : reading->session.outcomes().baselines()) {
    if (baseline->point.scene != view.scene().name) continue;
    add(baseline->point, baseline->name);
    found = true;
  }
  if (found) return {};
  const PointId& wanted = view.point_id(selection.variant);
  const Measurement* point = point_in(reading->session, wanted);
  const std::string label = label_of(view.scene(), selection.variant);
  if (point == nullptr || !has_figures(point->verdict.outcome)) {
    return failure(ErrorKind::input,
                   "the session has no baselines of " + view.scene().name + ", and no figures of " +
                       label + " at " + wanted.key,
                   path.string(), "select a variant and values that it has");
  }
  add(*point, label + ", " + path.stem().stem().string());
  return {};
}

std::string session_of(const NamedBaselines& baselines) {
  std::string text;
  for (const auto& each : baselines.all) text += to_line(*each) + "\n";
  return text;
}

}  // namespace warpscope
