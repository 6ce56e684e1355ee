// workbench/panels/outcome.h: which curves and pictures are shown, and why there are none.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "workbench/panels/panels.h"

namespace warpscope {

template <typename Message>
struct ShownOutcomes {
  std::vector<const Message*> list;  // the newest of each name
  bool stale = false;                // of another configuration than the selected one
  std::string apart;  // why it is not compared: "measured with an earlier source: …"
};

// Why the results of a point with this source are not compared. `measured`: the measurement at its
// place, or null.
std::string earlier_source(const SessionView& view, const PointId& point,
                           const std::string& code_id, const Measurement* measured);

// Those of the point; while an engine measures, until it has some, those that came last.
template <typename Message>
ShownOutcomes<Message> outcomes_to_show(const SessionView& view, const PointId& wanted,
                                        const std::vector<const Message*>& all) {
  ShownOutcomes<Message> shown;
  const auto add = [&shown](const Message* message) {
    const auto same = std::find_if(shown.list.begin(), shown.list.end(), [&](const Message* other) {
      return other->name == message->name;
    });
    if (same != shown.list.end()) {
      *same = message;
    } else {
      shown.list.push_back(message);
    }
  };
  // If there are several sources, the one of the point that is shown; else the one that came last.
  const Measurement* point = view.session().latest(wanted);
  const auto all_at = [&](const PointId& id) {
    std::vector<const Message*> here;
    for (const Message* message : all) {
      const std::string& device = message->point.device_uuid;
      const bool same = id.device_uuid.empty() || device.empty() || device == id.device_uuid;
      if (message->point.key == id.key && same) here.push_back(message);
    }
    if (here.empty()) return;
    const auto of_source = [&here](const std::string& code_id) {
      return std::any_of(here.begin(), here.end(),
                         [&](const Message* message) { return message->point.code_id == code_id; });
    };
    const bool of_point = point != nullptr && of_source(point->conditions.code_id);
    const std::string& code_id = of_point ? point->conditions.code_id : here.back()->point.code_id;
    for (const Message* message : here) {
      if (message->point.code_id == code_id) add(message);
    }
    shown.apart = earlier_source(view, here.back()->point, code_id, point);
  };
  all_at(wanted);
  if (shown.list.empty() && !view.recorded() && !all.empty()) {
    shown.stale = true;
    all_at(all.back()->point);
  }
  return shown;
}

// Whether the scene has any at all.
bool leaves_curves(const SessionView& view);
bool leaves_pictures(const SessionView& view);

// Says why the variant has none at the selected configuration; `what` is "curve" or "picture".
void explain_no_outcome(const PanelContext& context, Selection& selection,
                        const std::string& variant, const std::string& what, bool scene_has_some);

// Says in the colour of warnings how old what is shown is, or what still comes.
void draw_age(const Style& style, const std::string& words);

// The part of `all` that the panel of the selected variant shows. No value: the panel has said why
// there is none.
template <typename Message>
std::optional<ShownOutcomes<Message>> shown_or_explained(const PanelContext& context,
                                                         Selection& selection,
                                                         const std::vector<const Message*>& all,
                                                         const std::string& what,
                                                         bool scene_has_some) {
  const SessionView& view = context.view;
  if (find_variant(view.scene(), selection.variant) == nullptr) {
    draw_note(context.style, "Nothing is selected: click a variant in the list.");
    return std::nullopt;
  }
  ShownOutcomes<Message> shown = outcomes_to_show(view, view.point_id(selection.variant), all);
  if (!shown.list.empty()) return shown;
  explain_no_outcome(context, selection, selection.variant, what, scene_has_some);
  return std::nullopt;
}

}  // namespace warpscope
