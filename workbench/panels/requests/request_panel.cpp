// workbench/panels/requests/request_panel.cpp: what Coalescing and Banks share: one request, a
// line's requests, a warp's or the grid, and the table below them.
#include "workbench/panels/requests/request_panel.h"

#include <imgui.h>

#include <algorithm>

#include "workbench/panels/requests/request_multiples.h"
#include "workbench/panels/requests/request_pair.h"

namespace warpscope {
namespace {

// The chosen request, or all of its source line. `room`: the height of the panel below its first
// rows.
void draw_request_or_line(const PanelContext& context, const Diagram& diagram, Selection& selection,
                          RequestFamily family, RequestsPanel& state, const DrawRequest& draw_one,
                          float room, float table) {
  const WarpRequest* request = diagram_request(context, diagram, selection, family);
  if (request == nullptr) return;
  draw_site_line(context, selection, diagram.trace->sites[request->site]);
  draw_multiples_switch(context.style, state.multiples.shown);
  if (!state.multiples.shown) return draw_one(diagram, *request, table);
  const float line = ImGui::GetTextLineHeightWithSpacing();
  draw_request_multiples(context, diagram, selection, family, costs_of(*diagram.trace, state.costs),
                         state.multiples, std::max(room - table - 2 * line, line * 4));
}

}  // namespace

void draw_requests_panel(const PanelContext& context, Selection& selection, RequestFamily family,
                         RequestsPanel& state, const DrawRequest& draw_one) {
  const char* panel = family == RequestFamily::shared ? "banks" : "coalescing";
  if (shows_pair(selection)) return draw_request_pair(context, selection, panel, family);
  const Diagram diagram = begin_diagram(context, selection, panel);
  if (diagram.trace == nullptr) return;
  const float line = ImGui::GetTextLineHeightWithSpacing();
  const float room = ImGui::GetContentRegionAvail().y;
  const float table = std::clamp(room * 0.38f, 4 * line, 12 * line);
  const float overview = std::max(room - table - 4 * line, line * 3);
  if (selection.trace.zoom == TraceZoom::request) {
    draw_request_or_line(context, diagram, selection, family, state, draw_one, room, table);
  } else if (selection.trace.zoom == TraceZoom::grid) {
    draw_grid_overview(context, diagram, selection, overview);
  } else {
    draw_request_strip(context, diagram, selection, costs_of(*diagram.trace, state.costs), family,
                       overview);
  }
  draw_site_table(context, diagram, selection, family, state.filter);
}

}  // namespace warpscope
