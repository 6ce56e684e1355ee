// workbench/panels/outcome.h: which curves and pictures are shown, and why there are none.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "workbench/panels.h"

namespace warpscope {

template <typename Message>
struct ShownOutcomes {
  std::vector<const Message*> list;  // the newest of each name
  bool stale = false;                // of another configuration than the selected one
};

// Those of the selected point; while an engine measures, until it has some, those that came last.
template <typename Message>
ShownOutcomes<Message> outcomes_to_show(const Workspace& workspace, const std::string& variant,
                                        const std::vector<const Message*>& all) {
  ShownOutcomes<Message> shown;
  const PointId wanted = workspace.point_id(variant);
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
  const auto all_at = [&](const PointId& id) {
    for (const Message* message : all) {
      const std::string& device = message->point.device_uuid;
      const bool here = id.device_uuid.empty() || device.empty() || device == id.device_uuid;
      if (message->point.key == id.key && here) add(message);
    }
  };
  all_at(wanted);
  if (shown.list.empty() && !workspace.recorded() && !all.empty()) {
    shown.stale = true;
    all_at(all.back()->point);
  }
  return shown;
}

// Whether the scene has any at all.
bool leaves_curves(const Workspace& workspace);
bool leaves_pictures(const Workspace& workspace);

// Says why the variant has none at the selected configuration; `what` is "curve" or "picture".
void explain_no_outcome(const PanelContext& context, Selection& selection,
                        const std::string& variant, const std::string& what, bool scene_has_some);

// Says in the colour of warnings how old what is shown is, or what still comes.
void draw_age(const Style& style, const std::string& words);

// What of `all` the panel of the selected variant shows; nothing: it has said why there is none.
template <typename Message>
std::optional<ShownOutcomes<Message>> shown_or_explained(const PanelContext& context,
                                                         Selection& selection,
                                                         const std::vector<const Message*>& all,
                                                         const std::string& what,
                                                         bool scene_has_some) {
  const Workspace& workspace = context.workspace;
  if (find_variant(workspace.scene(), selection.variant) == nullptr) {
    draw_note(context.style, "Nothing is selected: click a variant in the list.");
    return std::nullopt;
  }
  ShownOutcomes<Message> shown = outcomes_to_show(workspace, selection.variant, all);
  if (!shown.list.empty()) return shown;
  explain_no_outcome(context, selection, selection.variant, what, scene_has_some);
  return std::nullopt;
}

}  // namespace warpscope
