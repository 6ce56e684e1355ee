// profiling/overview/pixel_view.h: which pixels of an array's pictures a warp reads, lane by lane.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiling/access/trace.h"
#include "scenes/base/array.h"

//   const PixelView view = pixel_view(trace, scene.pixel_maps(workload), warp);
//   for (const PixelTouch& touch : view.touches) …
//
// A pure function of its arguments that goes over all kept requests: callers keep what it gives.

namespace warpscope {

// One lane's reading of a pixel.
struct PixelTouch {
  std::size_t map = 0;
  std::int64_t image = 0, row = 0, column = 0;
  std::uint32_t request = 0;  // index into Trace::requests
  std::uint8_t lane = 0;
};
// A place that a lane has read of.
struct PlaceTouch {
  PixelPlace at;
  std::uint8_t lane = 0;
};
// The pixels from one to the other, both included; none where `pixels` is 0.
struct PixelWindow {
  std::int64_t first_row = 0, last_row = 0, first_column = 0, last_column = 0;
  std::int64_t pixels = 0;  // that are read, each once
  std::int64_t rows() const { return pixels == 0 ? 0 : last_row - first_row + 1; }
  std::int64_t columns() const { return pixels == 0 ? 0 : last_column - first_column + 1; }
};

struct PixelView {
  std::vector<PixelTouch> touches;             // of the warp, a lane once a request and pixel
  std::vector<PlaceTouch> places;              // of the warp
  std::vector<PixelWindow> of_warp, of_block;  // by map
  std::int64_t warp_pixels = 0, block_pixels = 0, all_pixels = 0;  // all: of one image
};

PixelView pixel_view(const Trace& trace, const PixelMaps& maps, std::uint32_t warp);

// "Warp 3 reads 641 pixels, its block 2 897 of an image's 20 522, within 38 × 66 of 94 × 162, …"
std::string describe(const PixelView& view, const PixelMaps& maps, std::uint32_t warp);

}  // namespace warpscope
