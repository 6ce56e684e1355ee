// workbench/panels/diagram_overview.cpp: all blocks of a grid, and the requests of many warps.
#include <imgui.h>

#include <algorithm>

#include "workbench/panels/diagram.h"

namespace warpscope {
namespace {

std::string number(std::int64_t value) { return format_value(static_cast<double>(value), "1"); }

}  // namespace

const std::vector<RequestCost>& costs_of(const Trace& trace, TraceCosts& kept) {
  const std::string of = trace.variant + "/" + trace.key + "/" + trace.step + "/" +
                         std::to_string(trace.job) + "/" + std::to_string(trace.scope.block) + "/" +
                         std::to_string(trace.requests.size());
  if (kept.of != of) kept = {of, request_costs(trace)};
  return kept.costs;
}

void draw_grid_overview(const PanelContext& context, const Diagram& diagram, Selection& selection,
                        float height) {
  const Style& style = context.style;
  const Trace& trace = *diagram.trace;
  TraceSelection& t = selection.trace;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = std::max(ImGui::GetContentRegionAvail().x, style.unit(4));
  const GridDiagram grid =
      fit_grid(trace.launch, {at.x, at.y, at.x + width, at.y + height}, style.unit(0.75f));
  ImGui::InvisibleButton("grid", {width, std::max(height, style.unit(2))});
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float inset = grid.cell_width > 4 ? 1.0f : 0.0f;
  const auto cell_of = [&](std::int64_t block) {
    Box box = grid.cell(block / grid.blocks_a_cell);
    return Box{box.x0, box.y0, box.x1 - inset, box.y1 - inset};
  };
  for (std::int64_t i = 0; i < grid.cell_count(); ++i)
    add_box(list, cell_of(i * grid.blocks_a_cell), style.colours.raised);
  add_box(list, cell_of(trace.scope.block), style.colours.accent);
  if (t.block >= 0 && t.block < grid.blocks && t.block != trace.scope.block)
    add_outline(list, cell_of(t.block), style.colours.warning, style.unit(0.25f));
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (const auto block = grid.block_at(mouse.x, mouse.y); hovered && block) {
    add_outline(list, cell_of(*block), style.colours.text, 1);
    const Dim3 index = block_at(trace.launch, *block);
    const std::string more =
        grid.blocks_a_cell > 1 ? " and " + number(grid.blocks_a_cell - 1) + " after it" : "";
    ImGui::SetTooltip("block %lld, %lld, %lld%s\n%s", static_cast<long long>(index.x),
                      static_cast<long long>(index.y), static_cast<long long>(index.z),
                      more.c_str(),
                      *block == trace.scope.block ? "its requests are shown: click to look at them"
                                                  : "click to trace its requests");
    if (ImGui::IsItemClicked()) {
      t.block = *block;
      if (*block == trace.scope.block) {
        t.zoom = TraceZoom::block;
      } else {
        selection.requests.push_back({Request::Kind::trace, selection.variant});
      }
    }
  }
  const Dim3 &g = trace.launch.grid, &b = trace.launch.block;
  draw_note(style, number(block_count(trace.launch)) + " blocks (" + std::to_string(g.x) + " × " +
                       std::to_string(g.y) + " × " + std::to_string(g.z) + ") of " +
                       std::to_string(b.x * b.y * b.z) + " threads; the bright one is traced. " +
                       (trace.scope.grid     ? "The table sums over all of them."
                        : covers_grid(trace) ? "The table is " + scope_text(trace) + "."
                                             : "The table sums over that block only."));
}

void draw_request_strip(const PanelContext& context, const Diagram& diagram, Selection& selection,
                        const std::vector<RequestCost>& costs, RequestFamily family, float height) {
  const Style& style = context.style;
  const Trace& trace = *diagram.trace;
  TraceSelection& t = selection.trace;
  const bool all = t.zoom == TraceZoom::block;
  const bool shared = family == RequestFamily::shared;
  struct Row {
    std::uint32_t warp = 0;
    std::vector<std::size_t> requests;
  };
  std::vector<Row> rows;
  std::size_t longest = 0;
  std::int32_t worst = 1;
  for (int warp = 0; warp < warps_of(trace.launch); ++warp) {
    if (!all && warp != static_cast<int>(t.warp)) continue;
    Row row{static_cast<std::uint32_t>(warp), {}};
    const auto [first, last] = requests_of_warp(trace, row.warp);
    for (std::size_t i = first; i < last; ++i) {
      const std::uint32_t site = trace.requests[i].site;
      if (!belongs(trace.sites[site], family) || (t.site >= 0 && t.site != site)) continue;
      row.requests.push_back(i);
      worst = std::max(worst, costs[i].cost);
    }
    longest = std::max(longest, row.requests.size());
    rows.push_back(std::move(row));
  }
  if (longest == 0) {
    return draw_note(style, std::string("No request to ") + (shared ? "shared" : "global") +
                                " memory was kept" + (t.site >= 0 ? " of this instruction." : "."));
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float label = ImGui::CalcTextSize("warp 31 ").x;
  const float width = std::max(ImGui::GetContentRegionAvail().x, label + style.unit(4));
  const float line = std::clamp(height / static_cast<float>(rows.size()), style.unit(0.5f),
                                all ? style.unit(3) : style.unit(14));
  const float total = line * static_cast<float>(rows.size());
  ImGui::InvisibleButton("strip", {width, total});
  const bool hovered = ImGui::IsItemHovered(), clicked = ImGui::IsItemClicked();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool tall = !all;  // one warp: bars as high as their cost
  float label_end = -1e9f;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const float top = at.y + static_cast<float>(r) * line;
    const Box area{at.x + label, top, at.x + width, top + line - (line > 4 ? 1.0f : 0.0f)};
    const StripDiagram strip =
        fit_strip(static_cast<std::int64_t>(longest), area, style.unit(0.5f), style.unit(4));
    if (top >= label_end) {
      const std::string name = "warp " + std::to_string(rows[r].warp);
      list->AddText({at.x, top}, rows[r].warp == t.warp ? style.colours.text : style.colours.muted,
                    name.c_str());
      label_end = top + ImGui::GetTextLineHeight();
    }
    const auto under = hovered ? strip.column_at(mouse.x, mouse.y) : std::nullopt;
    for (std::int64_t c = 0; c < strip.columns; ++c) {
      const auto first = static_cast<std::size_t>(strip.first_of(c));
      const std::size_t end =
          std::min(static_cast<std::size_t>(strip.first_of(c + 1)), rows[r].requests.size());
      if (first >= end) continue;
      // The costliest of those that share the column.
      std::size_t index = rows[r].requests[first];
      bool chosen = false, lit = false;
      for (std::size_t i = first; i < end; ++i) {
        const std::size_t request = rows[r].requests[i];
        if (costs[request].cost > costs[index].cost) index = request;
        chosen = chosen || (request == t.request && rows[r].warp == t.warp);
        lit = lit || static_cast<std::int64_t>(request) == t.hovered.request;
      }
      Box box = strip.column(c);
      if (box.width() > 3) box.x1 -= 1;
      const double ratio = static_cast<double>(costs[index].cost) / worst;
      if (tall) {
        const Box ground = box;
        box.y0 = box.y1 - std::max(1.0f, box.height() * static_cast<float>(ratio));
        // As little as would do, hatched: the rest is waste.
        const float ideal = static_cast<float>(costs[index].ideal) / static_cast<float>(worst);
        add_box(list, box, heat_colour(style, ratio));
        add_hatch(list,
                  {box.x0, std::max(box.y0, ground.y1 - ground.height() * ideal), box.x1, box.y1},
                  faded(style.colours.panel, 0.6f), style.unit(0.75f));
      } else {
        add_box(list, box, heat_colour(style, ratio));
      }
      if (diagram.stale) add_box(list, box, faded(style.colours.panel, 0.55f));
      if (chosen || lit)
        add_outline(list, strip.column(c), chosen ? style.colours.accent : style.colours.text,
                    style.unit(0.2f));
      if (under && *under == c) {
        t.hovering.request = static_cast<std::int64_t>(index);
        t.hovering.warp = static_cast<int>(rows[r].warp);
        const AccessSite& site = trace.sites[trace.requests[index].site];
        t.hovering.file = site.position.file;
        t.hovering.line = site.position.line;
        ImGui::SetTooltip("line %d: %s\n%s", site.position.line, site.text.c_str(),
                          describe(trace.requests[index], site).c_str());
        if (clicked) {
          choose_request(t, trace, index);
          t.zoom = TraceZoom::request;
        }
      }
    }
  }
  draw_heat_legend(style, "0", std::to_string(worst) + (shared ? " wavefronts" : " sectors"));
  draw_note(style,
            all ? "A row a warp, a column a request, in order. Click one to look into it."
                : "A bar a request, in order, as high as its cost; hatched: what would do. Click "
                  "one to look into it.");
}

}  // namespace warpscope
