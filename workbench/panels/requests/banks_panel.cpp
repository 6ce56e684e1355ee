// workbench/panels/requests/banks_panel.cpp: one shared-memory request, or A's and B's: 32 banks, a
// row a wavefront.
#include <imgui.h>

#include <algorithm>

#include "workbench/panels/diagrams/diagram.h"
#include "workbench/panels/requests/request_multiples.h"
#include "workbench/panels/requests/request_pair.h"

namespace warpscope {

void draw_banks_panel(const PanelContext& context, Selection& selection, BanksPanel& state) {
  if (shows_pair(selection))
    return draw_request_pair(context, selection, "banks", RequestFamily::shared);
  const Style& style = context.style;
  const Diagram diagram = begin_diagram(context, selection, "banks");
  if (diagram.trace == nullptr) return;
  const float line = ImGui::GetTextLineHeightWithSpacing();
  const float room = ImGui::GetContentRegionAvail().y;
  const float table = std::clamp(room * 0.38f, 4 * line, 12 * line);
  if (selection.trace.zoom == TraceZoom::request) {
    const WarpRequest* request =
        diagram_request(context, diagram, selection, RequestFamily::shared);
    if (request != nullptr) {
      const AccessSite& site = diagram.trace->sites[request->site];
      draw_site_line(context, selection, site);
      draw_multiples_switch(context.style, state.multiples.shown);
      if (state.multiples.shown) {
        draw_request_multiples(context, diagram, selection, RequestFamily::shared,
                               costs_of(*diagram.trace, state.costs), state.multiples,
                               std::max(room - table - 2 * line, line * 4));
        return draw_site_table(context, diagram, selection, RequestFamily::shared, state.filter);
      }
      const AccessTotals cost = request_cost(*diagram.trace, *request);
      // All wavefronts where there is room, and a shorter table below them.
      const float space = ImGui::GetContentRegionAvail().y - 4 * line;
      const auto rows = static_cast<int>(cost.wavefronts);
      const float wanted =
          fit_banks(0, 0, 100, style.unit(1), rows, 0).height(rows) + style.unit(1);
      const float height = std::max(space - table, std::min(wanted, space - 4 * line));
      draw_request_banks(context, selection, {*diagram.trace, *request, diagram.stale},
                         std::max(height, style.unit(10)));
      draw_caption(style, describe(*request, site), cost.wavefronts <= cost.ideal_wavefronts);
      draw_banks_legend(style, cost.remote_requests() > 0);
    }
  } else if (selection.trace.zoom == TraceZoom::grid) {
    draw_grid_overview(context, diagram, selection, std::max(room - table - 4 * line, line * 3));
  } else {
    draw_request_strip(context, diagram, selection, costs_of(*diagram.trace, state.costs),
                       RequestFamily::shared, std::max(room - table - 4 * line, line * 3));
  }
  draw_site_table(context, diagram, selection, RequestFamily::shared, state.filter);
}

}  // namespace warpscope
