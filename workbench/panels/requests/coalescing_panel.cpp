// workbench/panels/requests/coalescing_panel.cpp: one request of a warp, or A's and B's: lanes
// above, 128-byte lines below.
#include <imgui.h>

#include <algorithm>

#include "workbench/panels/diagrams/diagram.h"
#include "workbench/panels/requests/request_multiples.h"
#include "workbench/panels/requests/request_pair.h"

namespace warpscope {
namespace {

// "modelled 16.00 · measured 16.00 sectors per request", or that its line would be counted.
void draw_comparison(const PanelContext& context, const Diagram& diagram, std::uint32_t site) {
  for (const SiteFigures& f : counted_figures(diagram)) {
    if (f.site != site) continue;
    char text[160];
    std::snprintf(text, sizeof text, "this instruction: modelled %.2f", f.modelled);
    std::string line = text;
    if (f.measured) {
      std::snprintf(text, sizeof text, " · measured %.2f", *f.measured);
      line += text;
    } else if (!f.summed) {
      line += " · measured –";
    }
    line += " sectors per request";
    if (f.summed) line += " (counted by line)";
    ImGui::PushStyleColor(ImGuiCol_Text, context.style.colours.muted);
    draw_fitting_text(line, ImGui::GetContentRegionAvail().x);
    ImGui::PopStyleColor();
    const std::string& about = f.measured ? f.counted : f.missing;
    if (!about.empty() && ImGui::IsItemHovered()) ImGui::SetTooltip("%s", about.c_str());
  }
}

}  // namespace

void draw_coalescing_panel(const PanelContext& context, Selection& selection,
                           CoalescingPanel& state) {
  if (shows_pair(selection))
    return draw_request_pair(context, selection, "coalescing", RequestFamily::global);
  const Style& style = context.style;
  const Diagram diagram = begin_diagram(context, selection, "coalescing");
  if (diagram.trace == nullptr) return;
  const float line = ImGui::GetTextLineHeightWithSpacing();
  const float room = ImGui::GetContentRegionAvail().y;
  const float table = std::clamp(room * 0.38f, 4 * line, 12 * line);
  if (selection.trace.zoom == TraceZoom::request) {
    const WarpRequest* request =
        diagram_request(context, diagram, selection, RequestFamily::global);
    if (request != nullptr) {
      const AccessSite& site = diagram.trace->sites[request->site];
      draw_site_line(context, selection, site);
      draw_multiples_switch(context.style, state.multiples.shown);
      if (state.multiples.shown) {
        draw_request_multiples(context, diagram, selection, RequestFamily::global,
                               costs_of(*diagram.trace, state.costs), state.multiples,
                               std::max(room - table - 2 * line, line * 4));
        return draw_site_table(context, diagram, selection, RequestFamily::global, state.filter);
      }
      const float height = ImGui::GetContentRegionAvail().y - table - 4 * line;
      draw_request_lines(context, selection, {*diagram.trace, *request, diagram.stale},
                         std::max(height, style.unit(12)));
      const AccessTotals cost = request_cost(*diagram.trace, *request);
      draw_caption(style, describe(*request, site), cost.sectors <= cost.ideal_sectors);
      draw_comparison(context, diagram, request->site);
      draw_lines_legend(style);
    }
  } else if (selection.trace.zoom == TraceZoom::grid) {
    draw_grid_overview(context, diagram, selection, std::max(room - table - 4 * line, line * 3));
  } else {
    draw_request_strip(context, diagram, selection, costs_of(*diagram.trace, state.costs),
                       RequestFamily::global, std::max(room - table - 4 * line, line * 3));
  }
  draw_site_table(context, diagram, selection, RequestFamily::global, state.filter);
}

}  // namespace warpscope
