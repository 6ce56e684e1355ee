// scenes/autoencoder/winograd_steps.h: convolutions by F(2×2, 3×3): winograd_2x2.cu.
#pragma once

#include "scenes/autoencoder/tile_steps.h"

namespace warpscope::autoencoder {

struct Winograd {
  std::int64_t images = 0, sources = 0, targets = 0, side = 0;
  bool dgrad = false, relu = false;
  TileShape tile;

  std::int64_t rows() const { return ceil_divide(sources, tile.depth) * tile.depth; }
  std::int64_t columns() const { return ceil_divide(targets, tile.m()) * tile.m(); }
  std::int64_t windows() const { return images * ceil_divide(side, 2) * ceil_divide(side, 2); }
  std::int64_t across() const { return ceil_divide(windows(), tile.n()) * tile.n(); }
  std::int64_t u_values() const { return 16 * rows() * columns(); }
  std::int64_t v_values() const { return 16 * rows() * across(); }
  std::int64_t sum_values() const { return 16 * columns() * across(); }
};
Winograd winograd(const Conv& s, bool dgrad);

// Filters, windows, sums: scratch of that name, with the prefix. Four steps, named what they do.
Steps winograd_layer(const Winograd& conv, const BufferArgument& from, const BufferArgument& w,
                     const Argument& other, const BufferArgument& to, const Argument& places,
                     Finish finish, const std::string& prefix = "");
Buffers winograd_buffers(const std::vector<Winograd>& convs, const std::string& prefix = "");

// Rows of part conv: forward and dgrad.
Steps winograd_steps(const Workload& w);
Buffers winograd_scratch(const Workload& w);

}  // namespace warpscope::autoencoder
