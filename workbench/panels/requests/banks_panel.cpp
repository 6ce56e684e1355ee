// workbench/panels/requests/banks_panel.cpp: one shared-memory request, or A's and B's: 32 banks, a
// row a wavefront.
#include <imgui.h>

#include <algorithm>

#include "workbench/panels/requests/request_panel.h"

namespace warpscope {

void draw_banks_panel(const PanelContext& context, Selection& selection, RequestsPanel& state) {
  const Style& style = context.style;
  draw_requests_panel(
      context, selection, RequestFamily::shared, state,
      [&](const Diagram& diagram, const WarpRequest& request, float table) {
        const AccessSite& site = diagram.trace->sites[request.site];
        const AccessTotals cost = request_cost(*diagram.trace, request);
        const float line = ImGui::GetTextLineHeightWithSpacing();
        // All wavefronts where there is room, and a shorter table below them.
        const float space = ImGui::GetContentRegionAvail().y - 4 * line;
        const auto rows = static_cast<int>(cost.wavefronts);
        const float wanted =
            fit_banks(0, 0, 100, style.unit(1), rows, 0).height(rows) + style.unit(1);
        const float height = std::max(space - table, std::min(wanted, space - 4 * line));
        draw_request_banks(context, selection, {*diagram.trace, request, diagram.stale},
                           std::max(height, style.unit(10)));
        draw_caption(style, describe(request, site), cost.wavefronts <= cost.ideal_wavefronts);
        draw_banks_legend(style, cost.remote_requests() > 0);
      });
}

}  // namespace warpscope
