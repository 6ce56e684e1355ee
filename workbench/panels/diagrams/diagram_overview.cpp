// workbench/panels/diagrams/diagram_overview.cpp: all blocks of a grid, and the requests of many
// warps.
#include <imgui.h>

#include <algorithm>

#include "workbench/drawing/focus.h"
#include "workbench/panels/diagrams/diagram.h"

namespace warpscope {
namespace {

std::string number(std::int64_t value) { return format_value(static_cast<double>(value), "1"); }

}  // namespace

TraceKey trace_key(const Trace& trace) {
  return {trace.variant,
          trace.key,
          trace.step,
          trace.job,
          trace.scope.block,
          trace.requests.size(),
          trace.barrier_events.size()};
}

const BlockStory& story_of(const Trace& trace, BlockStories& kept) {
  return kept.of(trace_key(trace), [&] {
    return BlockStory{warp_roles(trace), barrier_timeline(trace)};
  });
}

const std::vector<RequestCost>& costs_of(const Trace& trace, TraceCosts& kept) {
  return kept.of(trace_key(trace), [&] { return request_costs(trace); });
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
  press_area("grid", {width, std::max(height, style.unit(2))});
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
        context.requests.ask(request::Trace{selection.variant});
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

namespace {

// The requests of a warp, in order.
struct StripRow {
  std::uint32_t warp = 0;
  std::vector<std::size_t> requests;
};

struct RequestStrip {
  const std::vector<RequestCost>& costs;
  std::vector<StripRow> rows;
  std::size_t longest = 0;
  std::int32_t worst = 1;  // cost
  bool tall = false;       // one warp: bars as high as their cost
};

// The requests of all warps or the chosen one, of the family and of the chosen instruction.
RequestStrip request_strip(const Trace& trace, const TraceSelection& t,
                           const std::vector<RequestCost>& costs, RequestFamily family) {
  RequestStrip strip{costs, {}};
  strip.tall = t.zoom != TraceZoom::block;
  for (int warp = 0; warp < warps_of(trace.launch); ++warp) {
    if (strip.tall && warp != static_cast<int>(t.warp)) continue;
    StripRow row{static_cast<std::uint32_t>(warp), {}};
    const auto [first, last] = requests_of_warp(trace, row.warp);
    for (std::size_t i = first; i < last; ++i) {
      const std::uint32_t site = trace.requests[i].site;
      if (!belongs(trace.sites[site], family) || (t.site >= 0 && t.site != site)) continue;
      row.requests.push_back(i);
      strip.worst = std::max(strip.worst, costs[i].cost);
    }
    strip.longest = std::max(strip.longest, row.requests.size());
    strip.rows.push_back(std::move(row));
  }
  return strip;
}

// Requests that share a column: it is drawn as the costliest of them.
struct StripColumn {
  std::size_t costliest = 0;
  bool chosen = false, lit = false;
};

StripColumn column_of(const RequestStrip& strip, const StripRow& row, std::size_t first,
                      std::size_t end, const TraceSelection& t) {
  StripColumn column{row.requests[first]};
  for (std::size_t i = first; i < end; ++i) {
    const std::size_t request = row.requests[i];
    if (strip.costs[request].cost > strip.costs[column.costliest].cost) column.costliest = request;
    column.chosen = column.chosen || (request == t.request && row.warp == t.warp);
    column.lit = column.lit || static_cast<std::int64_t>(request) == t.hovered.request;
  }
  return column;
}

void draw_column(const Style& style, const RequestStrip& strip, const StripColumn& column,
                 const Box& whole, bool stale) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const RequestCost& cost = strip.costs[column.costliest];
  Box box = whole;
  if (box.width() > 3) box.x1 -= 1;
  const double ratio = static_cast<double>(cost.cost) / strip.worst;
  if (strip.tall) {
    const Box ground = box;
    box.y0 = box.y1 - std::max(1.0f, box.height() * static_cast<float>(ratio));
    // As little as would do, as an outline: what stands above it is waste.
    const float ideal = static_cast<float>(cost.ideal) / static_cast<float>(strip.worst);
    add_box(list, box, heat_colour(style, ratio));
    add_outline(list,
                {box.x0, std::max(box.y0, ground.y1 - ground.height() * ideal), box.x1, box.y1},
                style.colours.text, 1);
  } else {
    add_box(list, box, heat_colour(style, ratio));
  }
  if (stale) add_box(list, box, faded(style.colours.panel, 0.55f));
  if (column.chosen || column.lit)
    add_outline(list, whole, column.chosen ? style.colours.accent : style.colours.text,
                style.unit(0.2f));
}

// What the request under the pointer says; a click looks into it.
void explain_request(const Trace& trace, std::uint32_t warp, std::size_t index, bool clicked,
                     TraceSelection& t) {
  t.hovering.request = static_cast<std::int64_t>(index);
  t.hovering.warp = static_cast<int>(warp);
  const AccessSite& site = trace.sites[trace.requests[index].site];
  t.hovering.file = site.position.file;
  t.hovering.line = site.position.line;
  ImGui::SetTooltip("line %d: %s\n%s", site.position.line, site.text.c_str(),
                    describe(trace.requests[index], site).c_str());
  if (!clicked) return;
  choose_request(t, trace, index);
  t.zoom = TraceZoom::request;
}

// The columns of one warp.
void draw_strip_row(const PanelContext& context, const Diagram& diagram, const RequestStrip& strip,
                    const StripRow& row, const Box& area, bool hovered, bool clicked,
                    TraceSelection& t) {
  const Style& style = context.style;
  const StripDiagram d =
      fit_strip(static_cast<std::int64_t>(strip.longest), area, style.unit(0.5f), style.unit(4));
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto under = hovered ? d.column_at(mouse.x, mouse.y) : std::nullopt;
  for (std::int64_t c = 0; c < d.columns; ++c) {
    const auto first = static_cast<std::size_t>(d.first_of(c));
    const std::size_t end =
        std::min(static_cast<std::size_t>(d.first_of(c + 1)), row.requests.size());
    if (first >= end) continue;
    const StripColumn column = column_of(strip, row, first, end, t);
    draw_column(style, strip, column, d.column(c), diagram.stale);
    if (under && *under == c)
      explain_request(*diagram.trace, row.warp, column.costliest, clicked, t);
  }
}

}  // namespace

void draw_request_strip(const PanelContext& context, const Diagram& diagram, Selection& selection,
                        const std::vector<RequestCost>& costs, RequestFamily family, float height) {
  const Style& style = context.style;
  TraceSelection& t = selection.trace;
  const bool shared = family == RequestFamily::shared;
  const RequestStrip strip = request_strip(*diagram.trace, t, costs, family);
  if (strip.longest == 0) {
    return draw_note(style, std::string("No request to ") + (shared ? "shared" : "global") +
                                " memory was kept" + (t.site >= 0 ? " of this instruction." : "."));
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float label = ImGui::CalcTextSize("warp 31 ").x;
  const float width = std::max(ImGui::GetContentRegionAvail().x, label + style.unit(4));
  const auto count = static_cast<float>(strip.rows.size());
  const float line =
      std::clamp(height / count, style.unit(0.5f), strip.tall ? style.unit(14) : style.unit(3));
  press_area("strip", {width, line * count});
  const bool hovered = ImGui::IsItemHovered(), clicked = ImGui::IsItemClicked();
  float label_end = -1e9f;
  for (std::size_t r = 0; r < strip.rows.size(); ++r) {
    const StripRow& row = strip.rows[r];
    const float top = at.y + static_cast<float>(r) * line;
    if (top >= label_end) {
      const std::string name = "warp " + std::to_string(row.warp);
      ImGui::GetWindowDrawList()->AddText(
          {at.x, top}, row.warp == t.warp ? style.colours.text : style.colours.muted, name.c_str());
      label_end = top + ImGui::GetTextLineHeight();
    }
    const Box area{at.x + label, top, at.x + width, top + line - (line > 4 ? 1.0f : 0.0f)};
    draw_strip_row(context, diagram, strip, row, area, hovered, clicked, t);
  }
  draw_heat_legend(style, "0", std::to_string(strip.worst) + (shared ? " wavefronts" : " sectors"));
  draw_note(
      style,
      strip.tall
          ? "One bar for each request, in the order they were made; its height is its cost, the "
            "outline the least that its bytes need. Click a bar to look into the request."
          : "One row for each warp, one column for each request, in the order they were made. "
            "Click one to look into it.");
}

}  // namespace warpscope
