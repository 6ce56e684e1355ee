// workbench/panels/roofline/roofline_standings.cpp: where the shown variants stand below the
// measured roofs.
#include "workbench/panels/roofline/roofline_standings.h"

#include <algorithm>
#include <utility>

#include "profiling/agreement/trace_metrics.h"
#include "profiling/points/point.h"

namespace warpscope {
namespace {

// Why a standing without arithmetic has no place on the plot, and how much of the binding roof's
// bandwidth it uses. A scene may leave the term out where there is none.
std::string why_no_dot(const Variant& variant, const Measurement& point,
                       const RooflineStanding& standing) {
  const bool is_zero = value_of(point.metrics, "model.flops").has_value();
  std::string why = is_zero ? variant.label + " has no floating-point work"
                            : "The scene's model has no floating-point work of " + variant.label;
  why += ", so it has no place on an axis of FLOP a byte";
  for (const RooflinePoint& p : standing.points) {
    if (standing.binding != p.level || !p.ceiling) continue;
    return why + "; its bandwidth is " + format_value(*p.ceiling * standing.binding_ratio, "B/s") +
           " of the " + format_value(*p.ceiling, "B/s") + " of the " + standing.binding_name + ".";
  }
  return why + ".";
}

}  // namespace

std::vector<VariantStanding> variant_standings(const PanelContext& context,
                                               const Selection& selection) {
  std::vector<VariantStanding> list;
  for (const Variant* variant : context.view.points.shown_variants()) {
    const PointState state = context.view.state(variant->name);
    if (state.point == nullptr) continue;
    const RoofJoin join = context.view.points.roofs_of(state.point->conditions);
    // Points without roofs have a place all the same.
    std::optional<RooflineStanding> standing =
        stand(*state.point, selection.cache, join.roofs != nullptr ? *join.roofs : RoofSet{},
              modelled_beside(context.view.session(), *state.point));
    if (!standing) continue;
    // Work without arithmetic has a roof that limits it, which the heading says, and no dot.
    const auto is_flat = [](const RooflinePoint& p) { return p.rate <= 0; };
    const std::string no_dot =
        std::any_of(standing->points.begin(), standing->points.end(), is_flat)
            ? why_no_dot(*variant, *state.point, *standing)
            : "";
    const double time_ns = timing_of(*state.point, selection.cache)->median_ns;
    std::vector<RoofUse> rates = roof_uses(*standing, time_ns);
    std::erase_if(standing->points, is_flat);
    if (standing->points.empty() && standing->sentence.empty() && no_dot.empty()) continue;
    list.push_back({variant, variant_index(context.view.scene(), variant->name), state.apart,
                    state.point, time_ns, std::move(*standing), join, no_dot, std::move(rates)});
  }
  return list;
}

RoofJoin join_of_device(const SessionView& view) {
  const std::string& shown = view.device();
  // Nothing was measured but the roofs themselves.
  if (shown.empty()) return {view.session().roofs(), ""};
  Conditions of;
  of.device = shown;
  const Hello* engine = view.session().engine();
  if (engine != nullptr && engine->device && engine->device->uuid == shown)
    of.device = engine->device->name;
  for (const DeviceName& device : view.session().devices()) {
    if (device.id() == shown) of.device = device.name;
  }
  if (of.device != shown) of.device_uuid = shown;
  return view.points.roofs_of(of);
}

const Roof* own_roof(const PanelContext& context, const VariantStanding& s, const RoofSet& roofs) {
  return find_roof(roofs, context.view.scene().name, bounds_of(*s.point).own_roof);
}

}  // namespace warpscope
