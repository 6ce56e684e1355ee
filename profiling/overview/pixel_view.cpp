// profiling/overview/pixel_view.cpp: which pixels of an array's pictures a warp reads.
#include "profiling/overview/pixel_view.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "profiling/access/trace_view.h"
#include "profiling/figures/metric.h"

namespace warpscope {
namespace {

std::vector<std::size_t> reading_requests(const Trace& trace, std::size_t first, std::size_t last) {
  std::vector<std::size_t> list;
  for (std::size_t i = first; i < last; ++i) {
    if (reads(trace.sites[trace.requests[i].site].kind)) list.push_back(i);
  }
  return list;
}

// The pixel of an element; no value if it lies in none of the maps.
std::optional<PixelTouch> pixel_of(const PixelMaps& maps, const ElementAccess& access) {
  const std::int64_t image = maps.image > 0 ? access.element / maps.image : 0;
  const std::int64_t within = access.element - image * maps.image;
  for (std::size_t m = 0; m < maps.maps.size(); ++m) {
    const PixelMap& map = maps.maps[m];
    const std::int64_t pixel = (within - map.first) / maps.pixel;
    if (within < map.first || pixel >= map.rows * map.columns) continue;
    return PixelTouch{m,          image, pixel / map.columns, pixel % map.columns, access.request,
                      access.lane};
  }
  return std::nullopt;
}

std::vector<PixelTouch> touches_of(const Trace& trace, const PixelMaps& maps,
                                   const TracedBuffer& buffer,
                                   const std::vector<std::size_t>& requests) {
  std::vector<PixelTouch> touches;
  for (const ElementAccess& access : element_accesses(trace, buffer, requests, -1)) {
    if (const auto touch = pixel_of(maps, access)) touches.push_back(*touch);
  }
  const auto key = [](const PixelTouch& t) {
    return std::tie(t.request, t.lane, t.map, t.image, t.row, t.column);
  };
  std::sort(touches.begin(), touches.end(),
            [&](const PixelTouch& a, const PixelTouch& b) { return key(a) < key(b); });
  touches.erase(
      std::unique(touches.begin(), touches.end(),
                  [&](const PixelTouch& a, const PixelTouch& b) { return key(a) == key(b); }),
      touches.end());
  return touches;
}

std::vector<PixelWindow> windows_of(const std::vector<PixelTouch>& touches, std::size_t maps) {
  std::vector<PixelWindow> windows(maps);
  std::set<std::tuple<std::size_t, std::int64_t, std::int64_t, std::int64_t>> seen;
  for (const PixelTouch& t : touches) {
    if (!seen.emplace(t.map, t.image, t.row, t.column).second) continue;
    PixelWindow& w = windows[t.map];
    const bool first = w.pixels++ == 0;
    w.first_row = first ? t.row : std::min(w.first_row, t.row);
    w.last_row = first ? t.row : std::max(w.last_row, t.row);
    w.first_column = first ? t.column : std::min(w.first_column, t.column);
    w.last_column = first ? t.column : std::max(w.last_column, t.column);
  }
  return windows;
}

std::int64_t pixels_of(const std::vector<PixelWindow>& windows) {
  return std::accumulate(windows.begin(), windows.end(), std::int64_t{0},
                         [](std::int64_t sum, const PixelWindow& w) { return sum + w.pixels; });
}

std::vector<PlaceTouch> places_of(const Trace& trace, const PixelMaps& maps,
                                  const std::vector<std::size_t>& requests) {
  std::vector<PlaceTouch> places;
  const TracedBuffer* const buffer = find_buffer(trace, maps.places);
  if (buffer == nullptr || !maps.places_of) return places;
  std::set<std::pair<std::int64_t, std::uint8_t>> read;
  for (const ElementAccess& access : element_accesses(trace, *buffer, requests, -1))
    read.emplace(access.element, access.lane);
  std::vector<std::int64_t> elements;
  for (const auto& [element, lane] : read) elements.push_back(element);
  const std::vector<std::optional<PixelPlace>> found = maps.places_of(elements);
  std::set<std::tuple<std::size_t, double, double, std::uint8_t>> seen;  // x and y say the same
  std::size_t at = 0;
  for (const auto& [element, lane] : read) {
    const std::optional<PixelPlace>& place = found[at++];
    if (place && seen.emplace(place->map, place->x, place->y, lane).second)
      places.push_back({*place, lane});
  }
  return places;
}

}  // namespace

PixelView pixel_view(const Trace& trace, const PixelMaps& maps, std::uint32_t warp) {
  PixelView view;
  for (const PixelMap& map : maps.maps) view.all_pixels += map.rows * map.columns;
  const TracedBuffer* const buffer = find_buffer(trace, maps.array);
  if (buffer == nullptr) return view;
  const auto [first, last] = requests_of_warp(trace, warp);
  const std::vector<std::size_t> requests = reading_requests(trace, first, last);
  view.touches = touches_of(trace, maps, *buffer, requests);
  view.places = places_of(trace, maps, requests);
  view.of_warp = windows_of(view.touches, maps.maps.size());
  view.of_block = windows_of(
      touches_of(trace, maps, *buffer, reading_requests(trace, 0, trace.requests.size())),
      maps.maps.size());
  view.warp_pixels = pixels_of(view.of_warp);
  view.block_pixels = pixels_of(view.of_block);
  return view;
}

std::string describe(const PixelView& view, const PixelMaps& maps, std::uint32_t warp) {
  const auto number = [](std::int64_t v) { return format_value(static_cast<double>(v), "1"); };
  std::string text = "Warp " + number(warp) + " reads " + number(view.warp_pixels) +
                     " pixels, its block " + number(view.block_pixels) + " of an image's " +
                     number(view.all_pixels);
  std::string windows;
  for (std::size_t m = 0; m < view.of_block.size(); ++m) {
    const PixelWindow& w = view.of_block[m];
    if (w.pixels == 0) continue;
    windows += (windows.empty() ? ", within " : ", ") + number(w.rows()) + " × " +
               number(w.columns()) + " of " + number(maps.maps[m].rows) + " × " +
               number(maps.maps[m].columns);
  }
  return text + windows + ".";
}

}  // namespace warpscope
