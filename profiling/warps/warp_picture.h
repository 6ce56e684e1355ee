// profiling/warps/warp_picture.h: warps over time in the order in which a picture has them.
#pragma once

#include <cstddef>
#include <vector>

#include "profiling/warps/warp_spans.h"

//   const WarpPicture picture = picture_of(timeline);
//   for (const PicturedWarp& warp : picture.warps) draw(timeline.rows[warp.row], warp.spans);

namespace warpscope {

struct PicturedWarp {
  std::size_t row = 0;  // of WarpTimeline::rows
  int role = 0;
  bool first_of_block = false;  // in this picture
  std::vector<WarpSpan> spans;
};

struct WarpPicture {
  RecordedRoles roles;
  std::vector<SpanSum> sums;
  std::vector<RoleSum> of_roles;
  std::vector<int> multiprocessors;  // that have rows, rising
  // By multiprocessor, then block, then warp; of one multiprocessor they stand together.
  std::vector<PicturedWarp> warps;
  // Where the rows of each multiprocessor begin; one more at the end.
  std::vector<std::size_t> starts;
};
WarpPicture picture_of(const WarpTimeline& timeline);

// The span that a pointer at this cycle is on: the shortest wait or work there, else a loop; −1:
// none.
std::ptrdiff_t span_at(const PicturedWarp& warp, std::int64_t cycle);

}  // namespace warpscope
