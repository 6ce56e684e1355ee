// scenes/autoencoder/steps/tile_steps.h: convolutions as products of register tiles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenes/autoencoder/steps/steps.h"

// The steps of kernels/autoencoder/register_tiles.cu, of packing its weights before it and of
// adding up its shares after it:
//
//   const TiledConv conv = tiled(s, PackKind::forward);
//   pack_step(conv.packing(), {"w"}, {"packed"}), multiply_steps(conv, "product", arrays, finish)

namespace warpscope::autoencoder {

// In the order of packed_weights.cuh.
enum class PackKind {
  forward,
  dgrad,
  folded,
  folded_dgrad,
  three_outputs,
  winograd,  // and seven more: see winograd_kind
};
// The kind of Winograd's filters: of 2×2 or 4×4 outputs, backward or not, after an upsampling or
// not.
PackKind winograd_kind(std::int64_t outputs, bool back, bool upsampled);
// In the order of the kernels' EPILOGUE; only split products have `unpool`.
enum class Finish { bias, mask, pool, unpool };

// An array that a kernel takes, or none where the name is empty.
Argument array_or_none(const std::string& buffer, std::int64_t offset_bytes = 0);

// The tile of a block: see register_tile.cuh.
struct TileShape {
  std::int64_t warps_m = 4, warps_n = 2, depth = 8, stages = 3, blocks = 2;
  std::int64_t m() const { return 32 * warps_m; }
  std::int64_t n() const { return 64 * warps_n; }
  std::int64_t threads() const { return 32 * warps_m * warps_n; }
  Defines defines() const;
};
// For this many rows: a layer of few channels does not fill a tile of 128.
TileShape tile_for(std::int64_t rows);
// For gradients of weights: few columns fill a tile of 64.
TileShape wgrad_tile(std::int64_t rows, std::int64_t columns);
// How many shares of a product with these tiles and stages fill the device twice.
std::int64_t splits_for(std::int64_t tiles, std::int64_t stages, const TileShape& tile);

// What packs the weights of a layer of `out` and `in` channels for one product: pack_weights.cu.
struct Packing {
  PackKind kind = PackKind::forward;
  std::int64_t out = 0, in = 0, rows = 0, columns = 0;
  std::int64_t values = 0;  // packed
  std::int64_t blocks = 0;
};
// The blocks that pack the weights of a product that reads `sources` channels, in rows of `columns`
// targets.
std::int64_t pack_blocks(std::int64_t sources, std::int64_t columns);
// The bit of a kind among those that pack_weights.cu packs.
std::int64_t bit_of(PackKind kind);
Step pack_step(const Packing& packing, const BufferArgument& w, const BufferArgument& packed);

struct TiledConv {
  PackKind kind = PackKind::forward;
  std::int64_t images = 0, in = 0, out = 0;  // of the layer
  std::int64_t side = 0;                     // of the pixels that are counted
  bool relu = false;
  TileShape tile;
  std::int64_t splits = 1;

  bool back() const { return kind == PackKind::dgrad || kind == PackKind::folded_dgrad; }
  std::int64_t sources() const { return back() ? out : in; }
  std::int64_t targets() const { return back() ? in : out; }
  std::int64_t phases() const { return kind == PackKind::folded ? 4 : 1; }
  std::int64_t taps_width() const;
  std::int64_t pixels() const { return images * side * side; }
  std::int64_t stages() const;
  std::int64_t packed_rows() const { return stages() * tile.depth; }
  std::int64_t packed_columns() const;
  std::int64_t packed_values() const { return phases() * packed_rows() * packed_columns(); }
  Packing packing() const;
  std::int64_t share_values() const { return pixels() * targets(); }
};
// `splits`: whether the sums of a small product are shared out.
TiledConv tiled(const Conv& s, PackKind kind, bool splits);

struct TileArrays {
  BufferArgument from, packed, to;
  std::string other;  // bias or mask; empty: neither
  std::int64_t other_offset = 0;
  std::string places;  // of pools
  BufferArgument shares{"shares"};
};
// One step, or two where the product is split. `name` is the first's.
Steps multiply_steps(const TiledConv& conv, const std::string& name, const TileArrays& arrays,
                     Finish finish);

// Gradients of weights and biases as a product over pixels: wgrad_register_tiles.cu. For a layer
// after an upsampling, x may be the small map.
struct TiledWgrad {
  std::int64_t images = 0, in = 0, out = 0;
  std::int64_t side = 0;  // of the pixels that are counted
  bool folded = false;
  TileShape tile;
  std::int64_t splits = 1;

  std::int64_t phases() const { return folded ? 4 : 1; }
  std::int64_t across() const { return (folded ? 4 : kTaps) * in; }
  std::int64_t share_values() const { return phases() * splits * out * (across() + 1); }
};
// Its shares fill the device twice.
TiledWgrad tiled_wgrad(const Conv& s, bool folded);
// Two steps: shares, and what adds them up.
Steps wgrad_steps(const TiledWgrad& conv, const BufferArgument& x, const BufferArgument& dy,
                  const BufferArgument& shares, const BufferArgument& dw, const BufferArgument& db);

// The layer of three outputs after an upsampling, on the small map: three_outputs.cu.
struct ThreeOutputs {
  std::int64_t images = 0, in = 0, half = 0, splits = 1;
  std::int64_t packed_values() const { return in * 48; }
  Packing packing() const;
  std::int64_t share_values() const { return splits * (in * 48 + 3); }
};
ThreeOutputs three_outputs(const Conv& s);
Step three_outputs_step(const ThreeOutputs& conv, const BufferArgument& small,
                        const BufferArgument& packed, const BufferArgument& b,
                        const BufferArgument& y);
Steps three_outputs_wgrad_steps(const ThreeOutputs& conv, const BufferArgument& small,
                                const BufferArgument& dy, const BufferArgument& shares,
                                const BufferArgument& dw, const BufferArgument& db);

BufferSpec packed_buffer(const TiledConv& conv, const std::string& name);
BufferSpec floats_buffer(const std::string& name, std::int64_t values, const std::string& symbol);

}  // namespace warpscope::autoencoder
