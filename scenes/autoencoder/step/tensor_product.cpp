// scenes/autoencoder/step/tensor_product.cpp: launches of the convolutions on tensor cores.
#include "scenes/autoencoder/step/tensor_product.h"

#include <algorithm>
#include <utility>

namespace warpscope::autoencoder {
namespace {

constexpr std::int64_t kSliceBytes = 128, kBoxWidth = 8;
constexpr std::int64_t kBlock = 288;  // two warpgroups that multiply, a warp that copies
constexpr std::int64_t kBarrierBytes = 16;
constexpr std::int64_t kPixels = 128, kColumns = 128, kFewColumns = 64;
constexpr std::int64_t kTile = 128, kSharesStages = 3;
// A warpgroup or two that multiply, and one of which a thread has the copies made.
std::int64_t shares_block(TensorType type) { return 128 * (parts_of(type) + 1); }
constexpr std::int64_t kTileBytes = kTile * kSliceBytes;
constexpr std::int64_t kWindows = 32;  // of a box of PooledShares
constexpr std::int64_t kPlacesOfWord = 16, kTileWords = 8;

std::int64_t slice_channels(TensorType type) {
  return kSliceBytes / element_bytes(element_of(type));
}
std::int64_t pixels_of_share(TensorType type) { return slice_channels(type); }

// How often tensor cores multiply for one product.
double products_of(TensorType type) { return type == TensorType::tf32x3 ? 3 : 1; }
// Blocks of three stages that a multiprocessor holds.
std::int64_t blocks_of_multiprocessor(TensorType type) { return 2 / parts_of(type); }

// A box is 8 pixels wide; as many rows as the map has, then images, fill it up.
struct Box {
  std::int64_t rows = 1, images = 1;
};
Box box_of(std::int64_t pixels, std::int64_t side) {
  Box box;
  const std::int64_t lines = pixels / kBoxWidth;
  while (box.rows < side && box.rows < lines) box.rows *= 2;
  // A pool's windows have two rows.
  box.rows = std::max<std::int64_t>(box.rows, 2);
  box.images = lines / box.rows;
  return box;
}
std::int64_t boxes_of(const Box& box, std::int64_t images, std::int64_t side) {
  return ceil_divide(side, kBoxWidth) * ceil_divide(side, box.rows) *
         ceil_divide(images, box.images);
}

// `windows`: the map is read as four, a place of its 2×2 windows each.
TensorMapArgument pixels_argument(TensorType type, const PixelMap& map, const Box& box,
                                  bool windows) {
  const ElementType element = element_of(type);
  const std::int64_t channels = channels_of_pixel(type, map);
  const std::int64_t pixel = channels * element_bytes(element), row = map.side * pixel;
  const std::int64_t step = windows ? 2 : 1;
  return {map.buffer,
          element,
          {step * channels, map.side / step, step, map.side / step, map.images},
          {step * pixel, row, step * row, map.side * row},
          {slice_channels(type), kBoxWidth, 1, box.rows, box.images},
          TensorSwizzle::bytes_128};
}

std::int64_t filters_of(TensorTaps taps) {
  return taps == TensorTaps::phase ? static_cast<std::int64_t>(TensorTaps::window)
                                   : static_cast<std::int64_t>(taps);
}
std::int64_t phases_of(TensorTaps taps) { return taps == TensorTaps::phase ? 4 : 1; }
bool has_places(After after) { return after == After::pool || after == After::unpool; }
// A tile of 128 outputs has a word of places for an output in eight.
std::int64_t columns_of(const TensorProduct& p) {
  return p.out <= kFewColumns && !has_places(p.after) ? kFewColumns : kColumns;
}

// Blocks that share out a tile's sums, where there are fewer tiles than multiprocessors.
std::int64_t split_of(const TensorProduct& p) {
  constexpr std::int64_t kMostBlocks = 8;  // of a cluster that every device has
  // With a phase's filters or a pool, one block makes all sums of a tile.
  if (p.taps == TensorTaps::phase || p.after == After::pool) return 1;
  const std::int64_t tiles =
      boxes_of(box_of(kPixels, p.side), p.from.images, p.side) * ceil_divide(p.out, columns_of(p));
  const std::int64_t stages =
      static_cast<std::int64_t>(p.taps) * p.from.pitch / slice_channels(p.type);
  std::int64_t split = 1;
  while (2 * split <= kMostBlocks && 2 * split <= stages &&
         2 * split * tiles <= kDesignDevice.multiprocessors)
    split *= 2;
  return split;
}

// How a product's tiles are given to blocks.
struct Blocks {
  std::int64_t tiles = 0;    // of 128 pixels
  std::int64_t across = 0;   // blocks beside each other, each with every so-manieth tile
  std::int64_t columns = 0;  // tiles of outputs
  std::int64_t split = 1;    // of a cluster that share out a tile's sums
  std::int64_t stages = 3;
};
Blocks blocks_of(const TensorProduct& p) {
  constexpr std::int64_t kStagesAlone = 6;
  Blocks blocks;
  blocks.tiles = boxes_of(box_of(kPixels, p.side), p.from.images, p.side);
  blocks.columns = ceil_divide(p.out, columns_of(p));
  blocks.split = split_of(p);
  blocks.across = blocks.tiles;
  const std::int64_t each = blocks.columns * phases_of(p.taps) * blocks.split;
  const std::int64_t resident = blocks_of_multiprocessor(p.type) * kDesignDevice.multiprocessors;
  if (blocks.split == 1 && each * blocks.tiles > resident)
    blocks.across = std::min(blocks.tiles, std::max<std::int64_t>(resident / each, 1));
  // One block has all of a multiprocessor's shared memory.
  if (blocks.split == 1 && each * blocks.tiles <= kDesignDevice.multiprocessors)
    blocks.stages = kStagesAlone / parts_of(p.type);
  return blocks;
}

}  // namespace

ElementType element_of(TensorType type) {
  return type == TensorType::bf16 ? ElementType::bf16 : ElementType::f32;
}

std::int64_t padded(TensorType type, std::int64_t channels) {
  return ceil_divide(channels, slice_channels(type)) * slice_channels(type);
}

std::int64_t parts_of(TensorType type) { return type == TensorType::tf32x3 ? 2 : 1; }

Defines defines_of(TensorType type) {
  Defines defines = {define("BF16", type == TensorType::bf16 ? 1 : 0)};
  if (parts_of(type) > 1) defines.push_back(define("PARTS", parts_of(type)));
  return defines;
}

std::int64_t channels_of_pixel(TensorType type, const PixelMap& map) {
  return parts_of(type) * map.pitch;
}

BufferSpec map_buffer(TensorType type, const PixelMap& map) {
  const std::int64_t channels = channels_of_pixel(type, map);
  return {map.buffer,
          element_of(type),
          map.images * map.side * map.side * channels,
          BufferRole::scratch,
          {map.images, map.side, map.side, channels},
          map.buffer + "[N, S, S, C]"};
}

BufferSpec places_buffer(std::string name, const PixelMap& pooled) {
  const std::int64_t words = ceil_divide(pooled.pitch, kPlacesOfWord * kTileWords) * kTileWords;
  std::string symbol = name + "[N, S, S, words]";
  return {std::move(name),
          ElementType::u32,
          pooled.images * pooled.side * pooled.side * words,
          BufferRole::scratch,
          {pooled.images, pooled.side, pooled.side, words},
          std::move(symbol)};
}

BufferSpec filters_buffer(TensorType type, std::string name, std::int64_t filters,
                          std::int64_t rows, std::int64_t depth) {
  std::string symbol = name + "[filters, rows, channels]";
  const std::int64_t pitch = parts_of(type) * padded(type, depth);
  return {std::move(name),     element_of(type),       filters * rows * pitch,
          BufferRole::scratch, {filters, rows, pitch}, std::move(symbol)};
}

KernelLaunch tensor_product(const TensorProduct& p) {
  const Box box = box_of(kPixels, p.side);
  const std::int64_t columns = columns_of(p), element = element_bytes(element_of(p.type));
  const std::int64_t channels = channels_of_pixel(p.type, p.from), row = channels * element;
  const Blocks blocks = blocks_of(p);
  KernelLaunch kernel;
  kernel.source = "autoencoder/tensor_conv.cu";
  kernel.entry = "tensor_conv";
  kernel.defines = defines_of(p.type);
  for (const auto& [name, value] : {std::pair("TAPS", static_cast<std::int64_t>(p.taps)),
                                    {"MIRRORED", p.mirrored ? 1 : 0},
                                    {"COLUMNS", columns},
                                    {"STAGES", blocks.stages},
                                    {"SPLIT", blocks.split},
                                    {"AFTER", static_cast<std::int64_t>(p.after)},
                                    {"RELU", p.relu ? 1 : 0},
                                    {"EXACT", p.exact.empty() ? 0 : 1},
                                    {"PAIRED", p.pitch % 2 == 0 ? 1 : 0}})
    kernel.defines.push_back(define(name, value));
  kernel.launch = {
      {blocks.across, blocks.columns, phases_of(p.taps) * blocks.split},
      {kBlock, 1, 1},
      blocks.stages * (parts_of(p.type) * (kPixels + columns) * kSliceBytes + kBarrierBytes),
      {1, 1, blocks.split}};
  // What a kernel of these defines does not touch is the result.
  const auto or_result = [&](const std::string& buffer) {
    return BufferArgument{buffer.empty() ? p.result : buffer};
  };
  kernel.arguments = {pixels_argument(p.type, p.from, box, p.taps == TensorTaps::window),
                      TensorMapArgument{p.filters,
                                        element_of(p.type),
                                        {channels, p.out, filters_of(p.taps)},
                                        {row, p.out * row},
                                        {slice_channels(p.type), columns, 1},
                                        TensorSwizzle::bytes_128},
                      p.bias.buffer.empty() ? BufferArgument{p.filters} : p.bias,
                      or_result(p.y),
                      or_result(p.places),
                      or_result(p.exact),
                      BufferArgument{p.result},
                      as_int(p.from.images),
                      as_int(p.side),
                      as_int(box.rows),
                      as_int(p.from.pitch / slice_channels(p.type)),
                      as_int(p.out),
                      as_int(p.pitch),
                      as_int(channels)};
  kernel.architecture_features = true;
  return kernel;
}

double executed_flops(const TensorProduct& p) {
  const Blocks blocks = blocks_of(p);
  return 2.0 * products_of(p.type) * static_cast<double>(blocks.tiles * kPixels) *
         static_cast<double>(blocks.columns * columns_of(p)) *
         static_cast<double>(phases_of(p.taps) * static_cast<std::int64_t>(p.taps) * p.from.pitch);
}

std::int64_t blocks_of_share(const Configuration& axes) {
  return axes.has("share_blocks") ? std::stoll(axes.text("share_blocks")) : 1;
}

std::int64_t TensorShares::count() const { return blocks() / sharing; }

std::int64_t TensorShares::blocks() const {
  const std::int64_t tiles =
      ceil_divide(out, kTile) * ceil_divide(in, kTile) * static_cast<std::int64_t>(taps);
  const std::int64_t boxes = boxes_of(box_of(pixels_of_share(type), x.side), x.images, x.side);
  const std::int64_t wanted =
      blocks_of_multiprocessor(type) * kDesignDevice.multiprocessors / tiles * sixths / 6;
  return std::max(sharing, std::clamp<std::int64_t>(wanted, 1, boxes) / sharing * sharing);
}

KernelLaunch tensor_shares(const TensorShares& s) {
  const Box box = box_of(pixels_of_share(s.type), s.x.side);
  KernelLaunch kernel;
  kernel.source = "autoencoder/tensor_wgrad.cu";
  kernel.entry = "tensor_wgrad";
  kernel.defines = defines_of(s.type);
  kernel.defines.push_back(define("TAPS", static_cast<std::int64_t>(s.taps)));
  kernel.defines.push_back(define("STAGES", kSharesStages));
  kernel.defines.push_back(define("SHARING", s.sharing));
  kernel.launch = {{ceil_divide(s.out, kTile) * ceil_divide(s.in, kTile),
                    static_cast<std::int64_t>(s.taps), s.blocks()},
                   {shares_block(s.type), 1, 1},
                   kSharesStages * (2 * parts_of(s.type) * kTileBytes + kBarrierBytes),
                   {}};
  if (s.sharing > 1) kernel.launch.cluster = {1, 1, s.sharing};
  kernel.arguments = {pixels_argument(s.type, s.dy, box, s.taps == TensorTaps::window),
                      pixels_argument(s.type, s.x, box, false),
                      BufferArgument{s.shares},
                      BufferArgument{s.bias_shares},
                      as_int(s.x.images),
                      as_int(s.x.side),
                      as_int(box.rows),
                      as_int(s.out),
                      as_int(s.in),
                      as_int(channels_of_pixel(s.type, s.dy))};
  kernel.architecture_features = true;
  return kernel;
}

double executed_flops(const TensorShares& s) {
  const Box box = box_of(pixels_of_share(s.type), s.x.side);
  const Dim3 grid = tensor_shares(s).launch.grid;
  const std::int64_t pixels = boxes_of(box, s.x.images, s.x.side) * pixels_of_share(s.type);
  return 2.0 * products_of(s.type) * static_cast<double>(grid.x * kTile * kTile) *
         static_cast<double>(grid.y * pixels);
}

std::int64_t PooledShares::count() const {
  const std::int64_t tiles = ceil_divide(out, kTile);
  return std::clamp<std::int64_t>(
      blocks_of_multiprocessor(type) * kDesignDevice.multiprocessors / tiles, 1,
      boxes_of(box_of(kWindows, slopes.side), slopes.images, slopes.side));
}

KernelLaunch tensor_shares(const PooledShares& s) {
  const Box small = box_of(kWindows, s.slopes.side);
  const Box large = {2 * small.rows, small.images};
  const BufferSpec words = places_buffer(s.places, s.slopes);
  const PixelMap places = {s.places, s.slopes.images, s.slopes.side, words.shape.back()};
  const std::int64_t pixel = places.pitch * element_bytes(words.type), row = places.side * pixel;
  TensorMapArgument columns = pixels_argument(s.type, s.columns, large, false);
  columns.box[1] = 2 * kBoxWidth;
  KernelLaunch kernel;
  kernel.source = "autoencoder/tensor_wgrad_pooled.cu";
  kernel.entry = "tensor_wgrad_pooled";
  kernel.defines = defines_of(s.type);
  kernel.defines.push_back(define("STAGES", kSharesStages));
  const std::int64_t boxes = kTile / slice_channels(s.type) + 4;
  kernel.launch = {{ceil_divide(s.out, kTile), 1, s.count()},
                   {kBlock, 1, 1},
                   kSharesStages * (parts_of(s.type) * boxes * kWindows * kSliceBytes +
                                    kWindows * kTileWords * 4 + kBarrierBytes),
                   {}};
  kernel.arguments = {pixels_argument(s.type, s.slopes, small, false),
                      TensorMapArgument{s.places,
                                        words.type,
                                        {places.pitch, places.side, 1, places.side, places.images},
                                        {pixel, row, row, places.side * row},
                                        {kTileWords, kBoxWidth, 1, small.rows, small.images}},
                      std::move(columns),
                      BufferArgument{s.shares},
                      as_int(s.slopes.images),
                      as_int(s.slopes.side),
                      as_int(small.rows),
                      as_int(s.out)};
  kernel.architecture_features = true;
  return kernel;
}

double executed_flops(const PooledShares& s) {
  constexpr std::int64_t kColumnsOfTile = 32, kPixelsOfWindow = 4;
  const std::int64_t windows =
      kWindows * boxes_of(box_of(kWindows, s.slopes.side), s.slopes.images, s.slopes.side);
  return 2.0 * products_of(s.type) *
         static_cast<double>(ceil_divide(s.out, kTile) * kTile * kColumnsOfTile) *
         static_cast<double>(windows * kPixelsOfWindow);
}

Buffers shares_buffers(const TensorShares& s) {
  const auto taps = static_cast<std::int64_t>(s.taps);
  return {{s.shares,
           ElementType::f32,
           s.count() * taps * s.out * s.in,
           BufferRole::scratch,
           {s.count(), taps, s.out, s.in},
           s.shares + "[shares, taps, out, in]"},
          {s.bias_shares,
           ElementType::f32,
           s.count() * taps * s.out,
           BufferRole::scratch,
           {s.count(), taps, s.out},
           s.bias_shares + "[shares, taps, out]"}};
}

}  // namespace warpscope::autoencoder
