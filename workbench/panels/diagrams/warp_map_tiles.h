// workbench/panels/diagrams/warp_map_tiles.h: the elements of one array as coloured tiles: who
// touched which.
#pragma once

#include <cstdint>
#include <vector>

#include "workbench/panels/diagrams/diagram.h"

//   const MapPainter paint{style, trace, t, …};
//   draw_ground(style, area, view, buffer);
//   draw_tiles(paint, area, view, detail, tiles_in(paint, view, detail, array, accesses));

namespace warpscope {

// Up to this many blocks have a colour each; more are coloured along the ramp of lanes.
constexpr std::int64_t kBlockColours = 8;
ImU32 block_colour(const Style& style, std::int64_t block, std::int64_t blocks);

// Whether an access belongs to what the zoom looks at; `output` is the request that stands for the
// chosen one.
bool in_zoom(const TraceSelection& t, const Trace& trace, std::size_t output,
             const ElementAccess& access);
// How many elements a tile holds, so that it can be seen.
MapDetail detail_of(const Style& style, const MapView& view, const Box& area);

// What a tile's colour follows: WarpMapPanel::colour_by.
constexpr int kByWarp = 1, kByTime = 2, kByBlock = 3;

// Which accesses are shown, and how.
struct MapPainter {
  const Style& style;
  const Trace& trace;
  const TraceSelection& t;
  int colour_by = 0;
  std::uint64_t last_order = 1;
  std::uint64_t until = ~0ULL;  // later accesses are left out
  bool stale = false;
  std::size_t output = 0;  // the request that the zoom looks at
  bool beside = false;     // the second array: nothing in it is dimmed

  bool shows(const ElementAccess& access) const;
  ImU32 colour(const ElementAccess& access) const;
};

// The last shown access of an element; null: none.
const ElementAccess* access_of(const MapPainter& paint, const std::vector<ElementAccess>& accesses,
                               std::int64_t element);

// Ground, rows and columns, and the axis numbers of an array.
void draw_ground(const Style& style, const Box& area, const MapView& view,
                 const TracedBuffer& buffer);
// The tiles of the accesses that are in view and shown.
std::vector<MapTile> tiles_in(const MapPainter& paint, const MapView& view, const MapDetail& detail,
                              const ArrayShape& array, const std::vector<ElementAccess>& accesses);
void draw_tiles(const MapPainter& paint, const Box& area, const MapView& view,
                const MapDetail& detail, const std::vector<MapTile>& tiles);
// What all blocks wrote: the traced one is bright and outlined.
void draw_runs(const MapPainter& paint, const Box& area, const MapView& view,
               const MapDetail& detail, const std::vector<WriterRun>& runs);

}  // namespace warpscope
