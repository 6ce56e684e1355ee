// workbench/panels/diagrams/warp_map_tiles.cpp: the elements of one array as coloured tiles.
#include "workbench/panels/diagrams/warp_map_tiles.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace warpscope {

ImU32 block_colour(const Style& style, std::int64_t block, std::int64_t blocks) {
  if (blocks <= kBlockColours) return variant_colour(style, static_cast<int>(block));
  return lane_colour(style, static_cast<int>(block * (kWarpLanes - 1) / (blocks - 1)));
}

bool in_zoom(const TraceSelection& t, const Trace& trace, std::size_t output,
             const ElementAccess& access) {
  const WarpRequest& request = trace.requests[access.request];
  if (t.zoom == TraceZoom::warp) return request.warp == t.warp;
  if (t.zoom == TraceZoom::request) return access.request == output;
  return true;
}

MapDetail detail_of(const Style& style, const MapView& view, const Box& area) {
  return map_detail(view, area.width(), area.height(), style.unit(0.25f));
}

bool MapPainter::shows(const ElementAccess& access) const {
  return trace.requests[access.request].order <= until;
}

ImU32 MapPainter::colour(const ElementAccess& access) const {
  const WarpRequest& r = trace.requests[access.request];
  if (colour_by == kByWarp) return variant_colour(style, static_cast<int>(r.warp));
  if (colour_by == kByBlock) return block_colour(style, r.block, block_count(trace.launch));
  if (colour_by == kByTime)
    return heat_colour(style, static_cast<double>(r.order) / static_cast<double>(last_order));
  return lane_colour(style, access.lane);
}

void draw_ground(const Style& style, const Box& area, const MapView& view,
                 const TracedBuffer& buffer) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  add_box(list, area, faded(style.colours.raised, 0.45f));
  const float digit = ImGui::CalcTextSize("0").x, line = ImGui::GetTextLineHeight();
  const auto numbers = [&](double low, double high, int most, bool down) {
    float taken = -1e9f;
    for (const Tick& tick : ticks({false, low, high}, "", most)) {
      if (tick.value != std::floor(tick.value)) continue;
      const std::string text = format_value(tick.value, "1");
      const auto p = static_cast<float>((tick.value + 0.5 - low) / (high - low));
      if (p < 0 || p > 1) continue;
      const ImVec2 size = ImGui::CalcTextSize(text.c_str());
      if (down) {
        const float y = std::max(area.y0, area.y0 + p * area.height() - line / 2);
        if (y < taken || y + line > area.y1 + line / 2) continue;
        list->AddText({area.x0 - size.x - digit * 0.75f, y}, style.colours.muted, text.c_str());
        taken = y + line;
      } else {
        const float x =
            std::clamp(area.x0 + p * area.width() - size.x / 2, area.x0, area.x1 - size.x);
        if (x < taken) continue;
        list->AddText({x, area.y0 - line - 1}, style.colours.muted, text.c_str());
        taken = x + size.x + digit;
      }
    }
  };
  numbers(view.top, view.bottom, std::max(2, static_cast<int>(area.height() / (line * 2))), true);
  numbers(view.left, view.right, std::max(2, static_cast<int>(area.width() / (digit * 8))), false);
  const std::string name = array_name(buffer);
  list->AddText({area.x0 - ImGui::CalcTextSize(name.c_str()).x - digit * 1.75f, area.y0 - line - 1},
                style.colours.text, name.c_str());
}

std::vector<MapTile> tiles_in(const MapPainter& paint, const MapView& view, const MapDetail& detail,
                              const ArrayShape& array, const std::vector<ElementAccess>& accesses) {
  const auto row_begin = [&](double row) {
    const auto element = static_cast<std::int64_t>(std::max(0.0, std::floor(row))) * array.columns;
    return std::partition_point(accesses.begin(), accesses.end(),
                                [&](const ElementAccess& a) { return a.element < element; });
  };
  std::vector<ElementAccess> shown;
  std::copy_if(row_begin(view.top), row_begin(view.bottom + 1), std::back_inserter(shown),
               [&](const ElementAccess& access) { return paint.shows(access); });
  return map_tiles(shown, array, detail);
}

const ElementAccess* access_of(const MapPainter& paint, const std::vector<ElementAccess>& accesses,
                               std::int64_t element) {
  const ElementAccess* last = nullptr;
  auto at = std::partition_point(accesses.begin(), accesses.end(),
                                 [&](const ElementAccess& a) { return a.element < element; });
  for (; at != accesses.end() && at->element == element; ++at) {
    if (paint.shows(*at)) last = &*at;
  }
  return last;
}

void draw_tiles(const MapPainter& paint, const Box& area, const MapView& view,
                const MapDetail& detail, const std::vector<MapTile>& tiles) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Hovered& h = paint.t.hovered;
  list->PushClipRect({area.x0, area.y0}, {area.x1, area.y1}, true);
  JoinedCells cells;  // tiles too small for a line between them touch
  std::vector<Box> chosen;
  for (const MapTile& tile : tiles) {
    Box box = tile_box(view, detail, area, tile.row, tile.column);
    if (box.x1 < area.x0 || box.x0 > area.x1) continue;
    if (box.width() > 4) box.x1 -= 1;
    if (box.height() > 4) box.y1 -= 1;
    const WarpRequest& request = paint.trace.requests[tile.last.request];
    const bool near = paint.beside || in_zoom(paint.t, paint.trace, paint.output, tile.last);
    const bool lit = (h.lane < 0 || tile.last.lane == h.lane) &&
                     (h.request < 0 || paint.beside || tile.last.request == h.request) &&
                     (h.warp < 0 || static_cast<int>(request.warp) == h.warp);
    const ImU32 colour = paint.colour(tile.last);
    // Fainter if less than half was written or read.
    const auto wanted = static_cast<double>(detail.rows_a_tile * detail.columns_a_tile);
    const bool sparse = tile.elements < wanted * 0.5;
    const float strength = (near ? 1.0f : 0.35f) * (lit ? 1.0f : 0.45f) * (sparse ? 0.6f : 1.0f);
    cells.add(box, faded(colour, strength));
    if (!paint.beside && tile.last.request == paint.output && paint.t.zoom != TraceZoom::request)
      chosen.push_back(box);
  }
  for (const JoinedCells::Piece& piece : cells.pieces()) {
    if (paint.stale) {
      add_outline(list, piece.box, piece.colour, 1);
    } else {
      add_box(list, piece.box, piece.colour);
    }
  }
  for (const Box& box : chosen) add_outline(list, box, paint.style.colours.text, 1);
  list->PopClipRect();
}

void draw_runs(const MapPainter& paint, const Box& area, const MapView& view,
               const MapDetail& detail, const std::vector<WriterRun>& runs) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->PushClipRect({area.x0, area.y0}, {area.x1, area.y1}, true);
  for (const WriterRun& run : runs) {
    Box box = tile_box(view, detail, area, run.row, run.first_column);
    box.x1 = tile_box(view, detail, area, run.row, run.first_column + run.columns - 1).x1;
    if (box.height() > 4) box.y1 -= 1;
    if (box.width() > 4) box.x1 -= 1;
    const ImU32 colour = block_colour(paint.style, run.block, block_count(paint.trace.launch));
    const bool own = run.block == paint.trace.scope.block;
    if (paint.stale) {
      add_outline(list, box, colour, 1);
    } else {
      // Neighbours of nearly one colour differ in strength.
      add_box(list, box, faded(colour, own ? 1.0f : run.block % 2 == 0 ? 0.75f : 0.6f));
    }
    if (own) add_outline(list, box, paint.style.colours.text, 1);
  }
  list->PopClipRect();
}

}  // namespace warpscope
