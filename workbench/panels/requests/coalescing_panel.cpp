// workbench/panels/requests/coalescing_panel.cpp: one request of a warp, or A's and B's: lanes
// above, 128-byte lines below.
#include <imgui.h>

#include <algorithm>

#include "workbench/panels/requests/request_panel.h"

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
                           RequestsPanel& state) {
  const Style& style = context.style;
  draw_requests_panel(context, selection, RequestFamily::global, state,
                      [&](const Diagram& diagram, const WarpRequest& request, float table) {
                        const float line = ImGui::GetTextLineHeightWithSpacing();
                        const float room = ImGui::GetContentRegionAvail().y;
                        const float height = room - table - 4 * line;
                        draw_request_lines(context, selection,
                                           {*diagram.trace, request, diagram.stale},
                                           std::max(height, style.unit(12)));
                        const AccessTotals cost = request_cost(*diagram.trace, request);
                        draw_caption(style, describe(request, diagram.trace->sites[request.site]),
                                     cost.sectors <= cost.ideal_sectors);
                        draw_comparison(context, diagram, request.site);
                        // A low panel has its last line for a row of the table.
                        constexpr float kLowUnits = 30;
                        if (room > style.unit(kLowUnits)) draw_lines_legend(style);
                      });
}

}  // namespace warpscope
