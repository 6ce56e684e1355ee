// scenes/esmm/tiles.h: the tiles of warp-tiled kernels: whose they are, and which are legal.
#pragma once

#include <cstdint>
#include <functional>
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

// The rule that a tile breaks, with its numbers; no value if the tile is legal.
std::optional<std::string> broken_rule(const Tile& tile);

// The tile that a variant has where nobody set another one.
Tile own_tile(const std::string& variant);
// The variants whose tiles are axes, and those axes.
std::vector<std::string> tiled_variants();
std::vector<Axis> tile_axes();
// The tile of a variant that has those axes.
Tile tile_of(const Workload& w);
Defines tile_defines(const Tile& tile, bool quads);
using TileAt = std::function<Tile(const Workload&)>;

// M, N and K are whole tiles, the tile is legal, and WM, or WN, is a multiple of 32 where a pattern
// of A, or of B, is read.
std::vector<Constraint> tile_constraints(const std::string& variant, bool reads_a, bool reads_b);

// The same for a variant whose tile is not an axis.
std::vector<Constraint> fixed_tile_constraints(const std::string& variant);
// For kernels that are written for one value of a size: size_must_be("bk", "BK", 8, "a byte has
// …").
Constraint size_must_be(const std::string& axis, const std::string& name, std::int64_t value,
                        const std::string& reason);

}  // namespace warpscope::esmm
