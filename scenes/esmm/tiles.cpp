// scenes/esmm/tiles.cpp: the tiles of warp-tiled kernels: whose they are, and which are legal.
#include "scenes/esmm/tiles.h"

#include <algorithm>
#include <utility>

#include "scenes/esmm/inputs/shapes.h"

namespace warpscope::esmm {
namespace {

struct OwnTile {
  const char* variant;
  Tile tile;
};

constexpr Tile kSeed = {};                                 // of A-pattern skip
constexpr Tile kTuned = {64, 128, 8, 64, 32, 1, 8, 2};     // of its tuned form
constexpr Tile kColumns = {128, 128, 8, 64, 32, 8, 1, 1};  // a lane has a column
constexpr Tile kSquare = {64, 128, 8, 32, 32, 1, 8, 2};    // 32 × 32 a warp
constexpr Tile kWide = {128, 128, 8, 64, 64, 1, 8, 4};     // 64 × 64 a warp

const std::vector<OwnTile>& own_tiles() {
  static const std::vector<OwnTile> tiles = {
      {"dense_warp_tile", kSeed},
      {"global_list", kSeed},
      {"a_skip", kSeed},
      {"a_bit_test", kSeed},
      {"a_skip_tuned", kTuned},
      {"ab_fine", kSeed},
      {"transposed_b", kColumns},
      {"transposed_b_capped", kColumns},
      {"k_major_b", kColumns},
      {"joint_lists", kSquare},
      {"joint_lookup", kSquare},
      {"joint_64", kWide},
      {"joint_granularity", kSquare},
      {"joint_table", kSquare},
      {"block_list", kSquare},
  };
  return tiles;
}

// Tiles without axes: each kernel is written for one tile only.
const std::vector<OwnTile>& fixed_tiles() {
  static const std::vector<OwnTile> tiles = {
      {"ab_bodies", {64, 128, 8, 32, 16, 1, 8, 1}},
      {"skip_before_barrier", kSeed},
      {"shared_pattern_tile", kSeed},
      {"stride_of_128", kSquare},
      {"half_of_the_rows", kColumns},
      {"broadcast_b", kColumns},
      {"byte_loop", kColumns},
      {"tf32_skip", {64, 128, 32, 32, 32, 1, 8, 2}},
  };
  return tiles;
}

// A size of the tile: its axis, what it is called in words, and where it stands.
struct TileSize {
  const char *axis, *label, *description;
  std::int64_t Tile::*size;
  std::vector<double> stops;
};

const std::vector<TileSize>& tile_sizes() {
  static const std::vector<TileSize> sizes = {
      {"bm", "BM", "Rows of C per block.", &Tile::bm, {64, 128}},
      {"bn", "BN", "Columns of C per block.", &Tile::bn, {64, 128}},
      {"bk", "BK", "Steps of k that a block keeps in shared memory.", &Tile::bk, {8, 16}},
      {"wm", "WM", "Rows of C per warp.", &Tile::wm, {32, 64}},
      {"wn", "WN", "Columns of C per warp.", &Tile::wn, {32, 64}},
      {"tm", "TM", "Neighbouring rows per lane in a sub-tile.", &Tile::tm, {1, 8}},
      {"tn", "TN", "Neighbouring columns per lane in a sub-tile.", &Tile::tn, {1, 4, 8}},
      {"wniter", "WNITER", "Sub-tiles of a warp side by side.", &Tile::wniter, {1, 2, 4}},
  };
  return sizes;
}

std::string number(std::int64_t value) { return std::to_string(value); }

bool divides(std::int64_t part, std::int64_t whole) { return part > 0 && whole % part == 0; }

// The sizes of a tile as values of axes.
std::map<std::string, std::string> values_of(const Tile& tile) {
  std::map<std::string, std::string> values;
  for (const TileSize& size : tile_sizes()) values[size.axis] = number(tile.*size.size);
  return values;
}

Constraint legal_tile(const std::string& variant) {
  return {"the tile must be legal: whole warps, whole sub-tiles, 32 lanes in each",
          [](const Workload& w, const DeviceLimits& d) -> std::optional<std::string> {
            const Tile tile = tile_of(w);
            if (std::optional<std::string> broken = broken_rule(tile)) return broken;
            if (tile.shared_bytes() <= d.shared_bytes_per_block) return std::nullopt;
            return "the tile takes " + number(tile.shared_bytes()) +
                   " bytes of shared memory; a block has " + number(d.shared_bytes_per_block);
          },
          [variant](const Workload&, const DeviceLimits& d) -> std::optional<AxisChange> {
            const Tile own = own_tile(variant);
            if (own.shared_bytes() > d.shared_bytes_per_block) return std::nullopt;
            return AxisChange{"use its own tile", values_of(own)};
          }};
}

Constraint whole_tiles(const TileAt& tile_at) {
  return {"M and N must be multiples of BM and BN, K of BK",
          [tile_at](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
            const Tile tile = tile_at(w);
            const Shape s = shape_of(w.axes);
            for (const auto& [name, size, part] :
                 {std::tuple("M", s.m, tile.bm), {"N", s.n, tile.bn}, {"K", s.k, tile.bk}}) {
              if (!divides(part, size))
                return std::string(name) + " = " + number(size) + " is not a multiple of " +
                       number(part) + ": partial tiles are not supported";
            }
            return std::nullopt;
          },
          [tile_at](const Workload& w, const DeviceLimits&) -> std::optional<AxisChange> {
            const Tile tile = tile_at(w);
            const Shape s = shape_of(w.axes);
            const auto up = [](std::int64_t size, std::int64_t part) {
              return number(std::max<std::int64_t>(1, ceil_divide(size, part)) * part);
            };
            return AxisChange{
                "use whole tiles",
                {{"m", up(s.m, tile.bm)}, {"n", up(s.n, tile.bn)}, {"k", up(s.k, tile.bk)}}};
          }};
}

Constraint whole_groups(const std::string& variant, bool reads_a, bool reads_b) {
  return {std::string(reads_a && reads_b ? "WM and WN"
                      : reads_a          ? "WM"
                                         : "WN") +
              " must be a multiple of 32, the group that a mask byte covers",
          [reads_a, reads_b](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
            const Tile tile = tile_of(w);
            if (reads_a && !divides(kGroup, tile.wm))
              return "WM = " + number(tile.wm) +
                     " is not a multiple of 32: two warps would share a mask byte of A";
            if (reads_b && !divides(kGroup, tile.wn))
              return "WN = " + number(tile.wn) +
                     " is not a multiple of 32: two warps would share a mask byte of B";
            return std::nullopt;
          },
          [variant](const Workload&, const DeviceLimits&) -> std::optional<AxisChange> {
            return AxisChange{"use its own tile", values_of(own_tile(variant))};
          }};
}

}  // namespace

std::optional<std::string> broken_rule(const Tile& t) {
  const auto parts = [](const char* what, std::int64_t part, const char* of, std::int64_t whole) {
    return std::string(what) + " = " + number(part) + " must divide " + of + " = " + number(whole);
  };
  if (!divides(t.wm, t.bm)) return parts("WM", t.wm, "BM", t.bm);
  if (!divides(t.wn, t.bn)) return parts("WN", t.wn, "BN", t.bn);
  if (!divides(kByteSteps, t.bk)) return "BK = " + number(t.bk) + " must be a multiple of 8";
  if (t.threads() > 1024)
    return "BM/WM · BN/WN = " + number(t.warps()) + " warps, and a block has at most 32";
  if (!divides(t.wniter, t.wn)) return parts("WNITER", t.wniter, "WN", t.wn);
  const std::int64_t lane_elements = kWarpLanes * t.tm * t.tn * t.wniter;
  if (!divides(lane_elements, t.wm * t.wn) || !divides(t.wmiter(), t.wm)) {
    return "WMITER = WM·WN/(32·TM·TN·WNITER) = " + number(t.wm * t.wn) + "/" +
           number(lane_elements) + " must be a whole number that divides WM";
  }
  const std::int64_t rows = t.wm / t.wmiter(), columns = t.wn / t.wniter;
  if (!divides(t.tm, rows) || !divides(t.tn, columns) ||
      rows / t.tm * (columns / t.tn) != kWarpLanes) {
    return "a sub-tile of " + number(rows) + "×" + number(columns) + " cut into pieces of " +
           number(t.tm) + "×" + number(t.tn) + " must have one piece per lane, 32 in all";
  }
  // Loads go by quads: of BK along a row of A, of BN along a row of B.
  if (!divides(t.bk / 4, t.threads()))
    return "the quads of BK = " + number(t.bk) + " must divide the block's " + number(t.threads()) +
           " threads";
  if (!divides(std::min(t.bn / 4, t.threads()), std::max(t.bn / 4, t.threads())) || t.bn % 4 != 0)
    return "the quads of BN = " + number(t.bn) + " and the block's " + number(t.threads()) +
           " threads must divide one another";
  return std::nullopt;
}

Tile own_tile(const std::string& variant) {
  for (const auto* tiles : {&own_tiles(), &fixed_tiles()}) {
    for (const OwnTile& own : *tiles) {
      if (variant == own.variant) return own.tile;
    }
  }
  return kSeed;
}

std::vector<std::string> tiled_variants() {
  std::vector<std::string> names;
  for (const OwnTile& own : own_tiles()) names.emplace_back(own.variant);
  return names;
}

std::vector<Axis> tile_axes() {
  std::vector<Axis> axes;
  for (const TileSize& size : tile_sizes()) {
    Axis axis = number_axis(size.axis, size.label, "", size.description, AxisKind::integer,
                            AxisScale::log, Binding::compile_time, size.stops.front(),
                            size.stops.back(), AxisValue(kSeed.*size.size));
    axis.stops = size.stops;
    axis.typed_minimum = 1;
    axis.typed_maximum = 256;
    axis.of_variants = tiled_variants();
    for (const OwnTile& own : own_tiles()) {
      if (own.tile.*size.size != kSeed.*size.size)
        axis.defaults_of[own.variant] = AxisValue(own.tile.*size.size);
    }
    axes.push_back(std::move(axis));
  }
  Axis shared =
      choice_axis("shared_tiles", "tiles as",
                  "How shared-memory tiles are declared: as words, as published, or as aligned "
                  "quads, which let the compiler read a lane's neighbouring words at once.",
                  {"words", "quads"}, Binding::compile_time);
  shared.of_variants = tiled_variants();
  axes.push_back(std::move(shared));
  return axes;
}

Tile tile_of(const Workload& w) {
  Tile tile;
  for (const TileSize& size : tile_sizes()) tile.*size.size = w.integer(size.axis);
  return tile;
}

Defines tile_defines(const Tile& t, bool quads) {
  return {define("BM", t.bm), define("BN", t.bn),         define("BK", t.bk),
          define("WM", t.wm), define("WN", t.wn),         define("TM", t.tm),
          define("TN", t.tn), define("WNITER", t.wniter), define("QUADS", quads ? 1 : 0)};
}

std::vector<Constraint> tile_constraints(const std::string& variant, bool reads_a, bool reads_b) {
  std::vector<Constraint> all = {legal_tile(variant)};
  if (reads_a || reads_b) all.push_back(whole_groups(variant, reads_a, reads_b));
  all.push_back(whole_tiles(tile_of));
  return all;
}

std::vector<Constraint> fixed_tile_constraints(const std::string& variant) {
  return {whole_tiles([tile = own_tile(variant)](const Workload&) { return tile; })};
}

Constraint size_must_be(const std::string& axis, const std::string& name, std::int64_t value,
                        const std::string& reason) {
  const std::string rule = name + " must be " + number(value);
  return {rule,
          [=](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
            if (w.integer(axis) == value) return std::nullopt;
            return rule + ", not " + number(w.integer(axis)) + ": " + reason;
          },
          [=](const Workload&, const DeviceLimits&) -> std::optional<AxisChange> {
            return AxisChange{"use " + name + " = " + number(value), {{axis, number(value)}}};
          }};
}

}  // namespace warpscope::esmm
