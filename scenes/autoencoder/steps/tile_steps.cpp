// scenes/autoencoder/steps/tile_steps.cpp: what a product of register tiles runs.
#include "scenes/autoencoder/steps/tile_steps.h"

#include <algorithm>
#include <utility>

namespace warpscope::autoencoder {
namespace {

constexpr const char* kProduct = "autoencoder/register_tiles.cu";
constexpr const char* kThreeOutputs = "autoencoder/three_outputs.cu";
constexpr std::int64_t kShares = 3;  // EPILOGUE of sums that are left as they are
constexpr std::int64_t kWarpLanes = 32;
constexpr std::int64_t kWarpRows = 32;  // of a warp's tile
// Target and source channels that one block packs.
constexpr std::int64_t kPackedTargets = 32, kPackedSources = 8;

Defines defines_of(const ThreeOutputs& conv) {
  return {define("IN", conv.in), define("HALF", conv.half), define("SPLITS", conv.splits)};
}

std::int64_t number(PackKind kind) { return static_cast<std::int64_t>(kind); }
std::int64_t number(Finish finish) { return static_cast<std::int64_t>(finish); }

}  // namespace

Argument array_or_none(const std::string& buffer, std::int64_t offset_bytes) {
  if (buffer.empty()) return std::int64_t{0};
  return BufferArgument{buffer, offset_bytes};
}

Defines TileShape::defines() const {
  return {define("WARPS_M", warps_m), define("WARPS_N", warps_n), define("DEPTH", depth),
          define("STAGES", stages), define("MIN_BLOCKS", blocks)};
}

TileShape tile_for(std::int64_t rows) {
  if (rows > kWarpRows) return {};
  return {.warps_m = 1, .warps_n = 4, .blocks = 4};
}

TileShape wgrad_tile(std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kFewColumns = 64;
  if (columns <= kFewColumns && rows > kWarpRows) return {.warps_m = 4, .warps_n = 1, .blocks = 4};
  return tile_for(rows);
}

std::int64_t splits_for(std::int64_t tiles, std::int64_t stages, const TileShape& tile) {
  constexpr std::int64_t kFewestStages = 8;  // of a share: below, filling the pipeline costs more
  const std::int64_t blocks = kDesignDevice.multiprocessors * tile.blocks;
  return std::max<std::int64_t>(
      1, std::min(blocks / std::max<std::int64_t>(1, tiles), stages / kFewestStages));
}

std::int64_t TiledConv::taps_width() const {
  return kind == PackKind::folded ? 2 : kind == PackKind::folded_dgrad ? 4 : 3;
}

std::int64_t TiledConv::stages() const {
  return ceil_divide(taps_width() * taps_width() * sources(), tile.depth);
}

std::int64_t TiledConv::packed_columns() const {
  return ceil_divide(targets(), tile.m()) * tile.m();
}

TiledConv tiled(const Conv& s, PackKind kind, bool splits) {
  const bool folded = kind == PackKind::folded || kind == PackKind::folded_dgrad;
  TiledConv conv{kind, s.images, s.in, s.out, folded ? s.side / 2 : s.side, false, {}, 1};
  conv.relu = s.relu && !conv.back();
  conv.tile = tile_for(conv.targets());
  const std::int64_t tiles =
      ceil_divide(conv.pixels(), conv.tile.n()) * ceil_divide(conv.targets(), conv.tile.m());
  if (splits && conv.phases() == 1) conv.splits = splits_for(tiles, conv.stages(), conv.tile);
  return conv;
}

std::int64_t pack_blocks(std::int64_t sources, std::int64_t columns) {
  return columns / kPackedTargets * ceil_divide(sources, kPackedSources);
}

PackKind winograd_kind(std::int64_t outputs, bool back, bool upsampled) {
  constexpr int kBack = 1, kFourOutputs = 2, kUpsampled = 4;
  return static_cast<PackKind>(static_cast<int>(PackKind::winograd) + (back ? kBack : 0) +
                               (outputs == 4 ? kFourOutputs : 0) + (upsampled ? kUpsampled : 0));
}

std::int64_t bit_of(PackKind kind) { return std::int64_t{1} << number(kind); }

Step pack_step(const Packing& packing, const BufferArgument& w, const BufferArgument& packed) {
  KernelLaunch kernel = kernel_of_threads(
      "autoencoder/pack_weights.cu", "pack_weights", packing.blocks * kBlockThreads,
      {w, packed, as_int(number(packing.kind)), as_int(packing.out), as_int(packing.in),
       as_int(packing.rows), as_int(packing.columns)});
  kernel.defines = {define("KINDS", bit_of(packing.kind))};
  return run_kernel("pack weights", std::move(kernel));
}

Packing TiledConv::packing() const {
  return {kind,
          out,
          in,
          packed_rows(),
          packed_columns(),
          packed_values(),
          pack_blocks(sources(), packed_columns())};
}

Steps multiply_steps(const TiledConv& conv, const std::string& name, const TileArrays& arrays,
                     Finish finish) {
  // Results for places of a larger map are put there by the step that adds up.
  const bool split = conv.splits > 1 || finish == Finish::unpool;
  KernelLaunch product;
  product.source = kProduct;
  product.entry = "register_tiles";
  product.defines = conv.tile.defines();
  for (const auto& one :
       {define("SOURCES", conv.sources()), define("TARGETS", conv.targets()),
        define("SIDE", conv.side), define("TAPS_WIDTH", conv.taps_width()),
        define("STRIDE", conv.kind == PackKind::folded_dgrad ? 2 : 1), define("FIRST", -1),
        define("PHASES", conv.phases()), define("SPLITS", conv.splits),
        define("EPILOGUE", split ? kShares : number(finish))})
    product.defines.push_back(one);
  product.launch = {{ceil_divide(conv.pixels(), conv.tile.n()),
                     ceil_divide(conv.targets(), conv.tile.m()), conv.phases() * conv.splits},
                    {conv.tile.threads(), 1, 1},
                    0,
                    {}};
  const Argument other = array_or_none(arrays.other, arrays.other_offset);
  const Argument places = array_or_none(arrays.places);
  product.arguments = {arrays.from,
                       arrays.packed,
                       split ? Argument{std::int64_t{0}} : other,
                       split ? arrays.shares : arrays.to,
                       split ? Argument{std::int64_t{0}} : places,
                       as_int(conv.images),
                       as_int(conv.relu ? 1 : 0)};
  Steps steps = {run_kernel(name, std::move(product))};
  if (!split) return steps;
  const std::int64_t values = conv.share_values();
  KernelLaunch add = kernel_of_threads("autoencoder/finish_shares.cu", "finish_shares",
                                       finish == Finish::pool ? values / 4 : values,
                                       {arrays.shares, other, arrays.to, places, values,
                                        as_int(conv.targets()), as_int(conv.relu ? 1 : 0)});
  add.defines = {define("SPLITS", conv.splits), define("SIDE", conv.side),
                 define("FINISH", number(finish))};
  steps.push_back(run_kernel("add up", std::move(add)));
  return steps;
}

TiledWgrad tiled_wgrad(const Conv& s, bool folded) {
  TiledWgrad conv{s.images, s.in, s.out, folded ? s.side / 2 : s.side, folded, {}, 1};
  conv.tile = wgrad_tile(s.out, conv.across());
  const std::int64_t tiles = ceil_divide(conv.across(), conv.tile.n()) *
                             ceil_divide(conv.out, conv.tile.m()) * conv.phases();
  const std::int64_t stages = ceil_divide(s.images * conv.side * conv.side, conv.tile.depth);
  conv.splits = splits_for(tiles, stages, conv.tile);
  return conv;
}

Steps wgrad_steps(const TiledWgrad& conv, const BufferArgument& x, const BufferArgument& dy,
                  const BufferArgument& shares, const BufferArgument& dw,
                  const BufferArgument& db) {
  KernelLaunch product;
  product.source = "autoencoder/wgrad_register_tiles.cu";
  product.entry = "wgrad_register_tiles";
  product.defines = conv.tile.defines();
  for (const auto& one : {define("IN", conv.in), define("OUT", conv.out), define("SIDE", conv.side),
                          define("TAPS_WIDTH", conv.folded ? 2 : 3),
                          define("PHASES", conv.phases()), define("SPLITS", conv.splits)})
    product.defines.push_back(one);
  product.launch = {{ceil_divide(conv.across(), conv.tile.n()),
                     ceil_divide(conv.out, conv.tile.m()), conv.phases() * conv.splits},
                    {conv.tile.threads(), 1, 1},
                    0,
                    {}};
  product.arguments = {x, dy, shares, as_int(conv.images)};
  KernelLaunch add = kernel_of_threads(product.source, "add_weight_shares",
                                       conv.out * (kTaps * conv.in + 1), {shares, dw, db});
  add.defines = product.defines;
  return {run_kernel("shares of gradients", std::move(product)),
          run_kernel("add up", std::move(add))};
}

ThreeOutputs three_outputs(const Conv& s) {
  constexpr std::int64_t kWarpsEach = 16;  // of a multiprocessor
  ThreeOutputs conv{s.images, s.in, s.side / 2, 1};
  const std::int64_t pairs = s.images * conv.half * ceil_divide(conv.half, 2);
  const std::int64_t warps = kDesignDevice.multiprocessors * kWarpsEach;
  conv.splits = std::max<std::int64_t>(1, std::min(warps / s.in, pairs / (4 * kWarpLanes)));
  return conv;
}

Packing ThreeOutputs::packing() const {
  return {PackKind::three_outputs,
          kImageChannels,
          in,
          in,
          48,
          packed_values(),
          ceil_divide(packed_values(), kBlockThreads)};
}

Step three_outputs_step(const ThreeOutputs& conv, const BufferArgument& small,
                        const BufferArgument& packed, const BufferArgument& b,
                        const BufferArgument& y) {
  const std::int64_t pairs = conv.images * conv.half * ceil_divide(conv.half, 2);
  KernelLaunch kernel = kernel_of_threads(kThreeOutputs, "three_outputs",
                                          ceil_divide(pairs, kWarpLanes) * kBlockThreads,
                                          {small, packed, b, y, as_int(conv.images)});
  kernel.defines = defines_of(conv);
  return run_kernel("convolve", std::move(kernel));
}

Steps three_outputs_wgrad_steps(const ThreeOutputs& conv, const BufferArgument& small,
                                const BufferArgument& dy, const BufferArgument& shares,
                                const BufferArgument& dw, const BufferArgument& db) {
  constexpr std::int64_t kWarps = kBlockThreads / kWarpLanes;
  KernelLaunch sums{kThreeOutputs,
                    "three_outputs_wgrad",
                    defines_of(conv),
                    {{ceil_divide(conv.in, kWarps), conv.splits, 1}, {kBlockThreads, 1, 1}, 0, {}},
                    {small, dy, shares, as_int(conv.images)}};
  KernelLaunch add = kernel_of_threads(kThreeOutputs, "add_three_outputs",
                                       kImageChannels * (kTaps * conv.in + 1), {shares, dw, db});
  add.defines = defines_of(conv);
  return {run_kernel("shares of gradients", std::move(sums)), run_kernel("add up", std::move(add))};
}

BufferSpec floats_buffer(const std::string& name, std::int64_t values, const std::string& symbol) {
  return {name, ElementType::f32, values, BufferRole::scratch, {values}, symbol};
}

BufferSpec packed_buffer(const TiledConv& conv, const std::string& name) {
  return {name,
          ElementType::f32,
          conv.packed_values(),
          BufferRole::scratch,
          {conv.phases(), conv.packed_rows(), conv.packed_columns()},
          name + "[phases, taps·sources, targets]"};
}

}  // namespace warpscope::autoencoder
