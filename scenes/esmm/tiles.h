// scenes/esmm/tiles.h: the tiles of warp-tiled kernels: whose they are, and which are legal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenes/base/kernel_parts.h"
#include "scenes/base/scene.h"

namespace warpscope::esmm {

// A block has bm × bn of C and takes bk of k at once; a warp of it has wm × wn as wniter columns of
// sub-tiles, in each of which a lane has tm × tn elements.
struct Tile {
  std::int64_t bm = 128, bn = 128, bk = 8, wm = 32, wn = 64, tm = 1, tn = 8, wniter = 4;
  std::int64_t warps() const { return bm / wm * (bn / wn); }
  std::int64_t threads() const { return kWarpLanes * warps(); }
  std::int64_t wmiter() const { return wm * wn / (kWarpLanes * tm * tn * wniter); }
  std::int64_t shared_bytes() const { return 4 * bk * (bm + bn); }
  bool operator==(const Tile&) const = default;
};

// The rule that a tile breaks, with its numbers; nothing where it is legal.
std::optional<std::string> broken_rule(const Tile& tile);

// The tile that a variant has where nobody set another one.
Tile own_tile(const std::string& variant);
// The variants whose tiles are axes, and those axes.
std::vector<std::string> tiled_variants();
std::vector<Axis> tile_axes();
// The tile of a variant that has those axes.
Tile tile_of(const Workload& w);
Defines tile_defines(const Workload& w, const Tile& tile);

// M, N and K are whole tiles, and the tile is legal; `group`: WM and WN are multiples of it where a
// pattern of A, or of B, is read.
std::vector<Constraint> tile_constraints(const std::string& variant, bool reads_a, bool reads_b);

}  // namespace warpscope::esmm
