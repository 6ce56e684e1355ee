// profiling/warps/warp_picture.cpp: warps over time in the order in which a picture has them.
#include "profiling/warps/warp_picture.h"

#include <algorithm>
#include <tuple>

namespace warpscope {

WarpPicture picture_of(const WarpTimeline& timeline) {
  WarpPicture picture;
  picture.roles = roles_of(timeline);
  picture.sums = sums_of(timeline, picture.roles);
  picture.of_roles = role_sums(picture.sums, picture.roles);
  for (std::size_t k = 0; k < timeline.rows.size(); ++k) {
    const WarpRow& row = timeline.rows[k];
    picture.warps.push_back({k, picture.roles.of_warp[static_cast<std::size_t>(row.warp)], false,
                             spans_of(timeline, row)});
  }
  std::stable_sort(picture.warps.begin(), picture.warps.end(),
                   [&](const PicturedWarp& a, const PicturedWarp& b) {
                     const WarpRow &x = timeline.rows[a.row], &y = timeline.rows[b.row];
                     return std::tie(x.multiprocessor, x.block, x.warp) <
                            std::tie(y.multiprocessor, y.block, y.warp);
                   });
  for (std::size_t k = 0; k < picture.warps.size(); ++k) {
    const WarpRow& row = timeline.rows[picture.warps[k].row];
    const bool fresh =
        picture.multiprocessors.empty() || picture.multiprocessors.back() != row.multiprocessor;
    if (fresh) {
      picture.multiprocessors.push_back(row.multiprocessor);
      picture.starts.push_back(k);
    }
    picture.warps[k].first_of_block =
        fresh || timeline.rows[picture.warps[k - 1].row].block != row.block;
  }
  picture.starts.push_back(picture.warps.size());
  return picture;
}

std::ptrdiff_t span_at(const PicturedWarp& warp, std::int64_t cycle) {
  std::ptrdiff_t found = -1;
  const auto rank = [](const WarpSpan& span) {
    const int kind = span.type == SpanType::loop ? 2 : span.type == SpanType::work ? 1 : 0;
    return std::tuple(kind, span.end - span.begin);
  };
  for (std::size_t k = 0; k < warp.spans.size(); ++k) {
    const WarpSpan& span = warp.spans[k];
    if (span.type == SpanType::moment || cycle < span.begin || cycle > span.end) continue;
    if (found < 0 || rank(span) < rank(warp.spans[static_cast<std::size_t>(found)]))
      found = static_cast<std::ptrdiff_t>(k);
  }
  return found;
}

}  // namespace warpscope
