// tests/engine/planted_bugs_test.cpp: the test of the hard cases: bugs planted in kernels are
// found.
#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tests/engine/hard_answers.h"

namespace warpscope {
namespace {

// A bug by an exact replacement in one file of kernels/, everywhere the text stands there.
struct PlantedBug {
  const char* name;       // of the test
  const char* scene;      // and …
  const char* variant;    // … its variant that the bug is in
  const char* hard_case;  // at which it must be found
  const char* file;       // below kernels/
  const char* text;       // that is there
  const char* bug;        // that takes its place
  Outcome found;          // wrong: the reference found it; faulted: the emulator's own checks
  const char* said = "";  // what the verdict's sentence holds
};
void PrintTo(const PlantedBug& bug, std::ostream* out) { *out << bug.name; }

constexpr Outcome kWrong = Outcome::wrong, kFaulted = Outcome::faulted;

const PlantedBug kBugs[] = {
    // Sizes.
    {"OffByOneInAnUnrolledTail", "csrmm", "warp_row_unroll4", "one_above_tiles",
     "csrmm/seed_warp_row.cu", "for (; j < end; ++j) {", "for (; j + 1 < end; ++j) {", kWrong},
    {"OffByOneInAnUnrolledTailOf64Bits", "csrmm", "warp_row_unroll4", "bounds_and_64_bits",
     "csrmm/warp_row.cu", "for (; j < end; ++j) {", "for (; j + 1 < end; ++j) {", kWrong},
    {"AStepTooManyInAnUnrolledLoop", "csrmm", "merge_path", "primes", "csrmm/columns.cuh",
     "if (u < rest) {", "if (u <= rest) {", kFaulted},
    {"ALastRowMissing", "csrmm", "rows_per_block", "whole_tiles", "csrmm/rows_per_block.cu",
     "if (row >= m || column >= n) return;", "if (row >= m - 1 || column >= n) return;", kWrong,
     "never written"},
    {"TheLastStripMissing", "csrmm", "warp_row_zero_test", "one_above_tiles",
     "csrmm/seed_warp_row.cu", "if (column >= n) return;", "if (column >= n / 32 * 32) return;",
     kWrong, "never written"},
    {"TheLastStripNotMasked", "csrmm", "row_cache", "one_above_tiles", "csrmm/row_cache.cu",
     "if (first + 32 * i < n) c[", "c[", kFaulted},
    {"ALastQuadMissing", "csrmm", "float4_columns", "above_128_columns", "csrmm/float4_columns.cu",
     "quad >= quads", "quad >= quads - 1", kWrong, "never written"},
    {"AnEmptyRowNotWritten", "csrmm", "rows_per_block", "mostly_empty_rows",
     "csrmm/rows_per_block.cu", "  float sum = 0.0f;\n",
     "  if (indptr[row] == end) return;\n  float sum = 0.0f;\n", kWrong, "never written"},
    {"TheLastFrameMissing", "led", "direct_global", "one_above_tiles", "led/direct_global.cu",
     "if (f >= frame_count) return;", "if (f >= frame_count - 1) return;", kWrong, "never written"},
    {"TheLastFramesOfATileMissing", "led", "pattern_in_registers", "one_below_tiles",
     "led/pattern_in_registers.cu", "if (f < FRAME_TILE && tile + f < frame_count) {",
     "if (f < FRAME_TILE && tile + FRAME_TILE <= frame_count) {", kWrong, "never written"},
    {"TheLastGroupOfLedsMissing", "led", "leds_per_block", "one_above_tiles",
     "led/leds_per_block.cu", "place_in_order < leds;", "place_in_order < leds / GROUP * GROUP;",
     kWrong, "never written"},
    {"RowsOfABlockMissing", "led", "direct_global", "odd_sides", "led/pieces.cuh",
     "i < kPiecesOfBlock; i += 32", "i < kPiecesOfBlock / 32 * 32; i += 32", kWrong},
    {"ABitOfAPatternMissing", "esmm", "joint_rows", "primes", "esmm/patterns.cu",
     "if (row >= rows) return 0;", "if (row + 1 >= rows) return 0;", kWrong},
    {"AQueryMissing", "deform", "branch_free", "one_above_blocks", "deform/levels.cuh",
     "return {query < static_cast<unsigned>(batch)",
     "return {query + 1 < static_cast<unsigned>(batch)", kWrong, "never written"},
    {"ACornerBesideAWindow", "deform", "sorted_windows", "beyond_windows",
     "deform/sorted_windows.cu", "column < WINDOW - 1", "column < WINDOW", kFaulted},
    {"ASampleOnTheBorderThatCounts", "deform_backward", "warp_per_query", "on_borders",
     "deform_backward/samples.cuh", "0.0f < x &&", "0.0f <= x &&", kWrong},
    {"ACornerOfAnotherRow", "deform_backward", "vector_atomics", "primes",
     "deform_backward/quads.cuh", "add(lower + kPixelStride,", "add(lower,", kWrong},
    {"ALastPartOfACellMissing", "deform_backward", "sorted_cells", "one_place",
     "deform_backward/listed_cells.cu", "(end - begin + CHUNK - 1) / CHUNK",
     "(end - begin) / CHUNK", kWrong},
    {"APartAtThePlaceOfAnother", "deform_backward", "sorted_parts", "many_parts",
     "deform_backward/listed_cells.cu", "place += counts[at];", "place += p == 1 ? 0 : counts[at];",
     kFaulted},
    {"ASumOfAnotherPoint", "deform_backward", "transposed_sums", "many_channels",
     "deform_backward/transposed_sums.cuh", "offset = kPart; offset < kGroupLanes",
     "offset = 2 * kPart; offset < kGroupLanes", kWrong},
    {"APieceThatEndsTooEarly", "deform_backward", "sorted_tiles", "many_parts",
     "deform_backward/sorted_tiles.cu", "min(count, e + kPiece)", "min(count, e + kPiece - 1)",
     kWrong},
    {"AShareOfAnotherCorner", "deform_backward", "owner_lanes", "primes",
     "deform_backward/owner_lanes.cuh", "told.shares[1] = top * s.dx",
     "told.shares[1] = s.dy * s.dx", kWrong},
    {"AHalfLineOfAnotherPlace", "deform", "pair_rows_bulk", "one_above_blocks",
     "deform/pair_rows_bulk.cu", "swap ? late : early", "early", kWrong},
    {"ASecondGroupThatIsTheFirst", "esmm", "class_lists_lines", "whole_tiles",
     "esmm/line_copies.cuh", "WHOLE ? 128 : lines.column_group", "WHOLE ? 0 : lines.column_group",
     kWrong},
    {"ALineOfTheOtherGroup", "esmm", "class_lists_tf32_lines", "pieces_of_16_bytes",
     "esmm/line_copies.cuh", "groups == 2 ? 1 : 0", "groups == 1 ? 1 : 0", kFaulted},
    {"ATapMissing", "autoencoder", "naive_nhwc", "odd_sizes_forward", "autoencoder/naive_nhwc.cu",
     "q >= side) continue;\n        sum += x", "q >= side - 1) continue;\n        sum += x",
     kWrong},
    {"ATapOutsideMissing", "autoencoder", "naive_taps_outside", "odd_sizes_forward",
     "autoencoder/naive_taps_outside.cu", "q >= side) continue;", "q >= side - 1) continue;",
     kWrong},
    {"AWindowCutShort", "autoencoder", "nchw_run_time_window", "odd_sizes_forward",
     "autoencoder/nchw_run_time_window.cu", "across < window; ++across",
     "across < window - 1; ++across", kWrong},
    {"ALaneOfAWarpLeftOut", "autoencoder", "bias_one_warp", "odd_sizes_wgrad",
     "autoencoder/bias_one_warp.cu", "offset = 16", "offset = 8", kWrong},
    {"ARowOfAnotherLane", "esmm", "broadcast_b", "whole_tiles", "esmm/broadcast_b.cu",
     "as[k * BM + 32 * row]", "as[k * BM + 16 * row]", kWrong},
    {"ABitOfTheNextGroup", "esmm", "broadcast_b", "whole_tiles", "esmm/broadcast_b.cu",
     "bytes[warp_column / kColumns + group]", "bytes[(warp_column / kColumns + group + 4) % 16]",
     kWrong},
    {"ATapOnTheWrongPixelOfABox", "autoencoder", "implicit_gemm_tf32", "odd_sizes_forward",
     "autoencoder/tensor_tile.cuh", "x + tap % 3 - 1", "x + (tap == 8 ? 0 : tap % 3 - 1)", kWrong},
    {"ALastSliceOfChannelsMissing", "autoencoder", "implicit_gemm_tf32", "above_tiles_forward",
     "autoencoder/tensor_conv.cu", "box_rows, slices, out,", "box_rows, max(slices - 1, 1), out,",
     kWrong},
    {"AShareOfPixelsMissing", "autoencoder", "implicit_gemm_tf32", "odd_sizes_wgrad",
     "autoencoder/tensor_gradients.cuh", "i * step < count", "i * step + 1 < count", kWrong},
    {"AnotherOrderOfPixelsInOneFactor", "autoencoder", "implicit_gemm_tf32", "small_maps_wgrad",
     "autoencoder/tensor_wgrad_sums.cuh", "at_x(k, n));", "at_x(1 - k, n));", kWrong},
    {"AShareOfPixelsMissingOfBf16", "autoencoder", "implicit_gemm_bf16", "odd_sizes_wgrad",
     "autoencoder/tensor_wgrad_sums.cuh", "part < kPixels / 16", "part < kPixels / 16 - 1", kWrong},
    {"ABlockOfAClusterMissing", "autoencoder", "implicit_gemm_tf32", "small_maps_dgrad",
     "autoencoder/tensor_conv.cu", "block < SPLIT", "block < SPLIT - 1", kWrong},
    {"WhatRoundingLeftOfAFilterNotMultiplied", "autoencoder", "implicit_gemm_tf32x3",
     "above_tiles_forward", "autoencoder/tensor_conv.cu",
     "multiply(own, a + part * 2, b + kLeftOfB + part * 2);", "", kWrong},
    {"WhatRoundingLeftOfAMapNotMultiplied", "autoencoder", "implicit_gemm_tf32x3",
     "small_maps_wgrad", "autoencoder/tensor_wgrad_sums.cuh",
     "of_box.add_parts(dy, x + kTileBytes);", "", kWrong},
    {"TheFirstPartStoredTwice", "autoencoder", "step_fused_tf32x3", "step_one_image",
     "autoencoder/tensor_tile.cuh", "rounded(x - number(first))", "first", kWrong},
    {"WhatRoundingLeftOfImagesNotMultiplied", "autoencoder", "step_fused_tf32x3", "step_odd_batch",
     "autoencoder/tensor_wgrad_pooled.cu",
     "add(of_box, of_slopes, shared.places[stage], of_columns + kColumnBytes);", "", kWrong},
    {"AGradientAtAnotherPlaceOfItsWindow", "autoencoder", "step_fused_tf32", "step_odd_batch",
     "autoencoder/tensor_conv.cu", "2 * own.x + place % 2", "2 * own.x + 1 - place % 2", kWrong},
    {"AWindowsSecondPixelNotRead", "autoencoder", "step_fused_tf32", "step_odd_batch",
     "autoencoder/tensor_tile.cuh", "(across & 1) * pitch", "(across & 0) * pitch", kWrong},
    {"AnotherPhaseOfAFilter", "autoencoder", "step_fused_bf16", "step_odd_batch",
     "autoencoder/tensor_tile.cuh", "3 - phase % 2 - tap % 2 * 2", "2 + phase % 2 - tap % 2 * 2",
     kWrong},
    {"APlaceOfOneBitInAWord", "autoencoder", "step_fused_tf32", "step_odd_batch",
     "autoencoder/tensor_wgrad_pooled.cu", "word >> own / 8 * 2 & 3", "word >> own / 8 * 2 & 1",
     kWrong},
    {"ATapOfFourPlacesThatHasTwo", "autoencoder", "step_fused_bf16", "step_one_image",
     "autoencoder/tensor_gradients.cuh", "return 2 - tap + second;", "return 2 - tap;", kWrong},
    {"AnOutputWithoutTheWindowBesideIt", "autoencoder", "step_fused_tf32", "step_one_image",
     "autoencoder/tensor_loss.cu", "p[c] += given_by[k][c]", "p[c] += k < 3 ? given_by[k][c] : 0",
     kWrong},
    {"TheLastColumnMissing", "patterns", "transpose_tiled", "transpose_above",
     "patterns/transpose_tiled.cu", "if (row < columns && column < rows) {",
     "if (row < columns - 1 && column < rows) {", kWrong, "never written"},
    {"APieceReadTooFar", "patterns", "reduction_shuffle", "reduction_below",
     "patterns/reduction_shuffle.cu", "i < n ? x[i]", "i <= n ? x[i]", kFaulted},
    // Weights.
    {"AHomogeneousWeightDroppedInTheRowCache", "csrmm", "row_cache", "one_odd_weight",
     "csrmm/row_cache.cu", "{indices[base + lane], shared_weight}", "{indices[base + lane], 1.0f}",
     kWrong},
    {"AHomogeneousWeightDroppedOnTensorCores", "csrmm", "bitmap_tensor_cores_3",
     "one_odd_weight_unique", "csrmm/bitmap.cu", "= weight * sum[r][t][i];", "= sum[r][t][i];",
     kWrong},
    {"AHomogeneousWeightDroppedInTheScatter", "csrmm", "t_scatter_atomics", "one_odd_weight",
     "csrmm/seed_scatter.cu", "const Sum product = loaded(load(weights)) * value;",
     "const Sum product = value;", kWrong},
    {"AHomogeneousWeightDroppedInTheStream", "csrmm", "k_tiles", "one_odd_weight",
     "csrmm/k_tiles.cu",
     "make_float4(weight * total.x, weight * total.y, weight * total.z, weight * total.w)", "total",
     kWrong},
    {"AHomogeneousWeightDroppedInHalves", "csrmm", "float4_columns", "one_odd_weight_f16",
     "csrmm/float4_columns.cu", "const float weight = to_float(weights[0]);",
     "const float weight = 1.0f;", kWrong},
    {"AByteScaleTruncated", "led", "direct_global", "bytes", "led/operand.cuh", "(sum / 65025.0)",
     "(sum / 65025)", kWrong},
    {"AByteScaleOfTheWrongPower", "led", "dp4a_registers", "bytes", "led/operand.cuh",
     "(sum / 65025.0)", "(sum / 65536.0)", kWrong},
    {"AByteSumTruncated", "led", "direct_global", "brightest_raw_bytes", "led/operand.cuh",
     "return __dp4a(a, b, sum);", "return static_cast<unsigned short>(__dp4a(a, b, sum));", kWrong},
    // Numbers that are none, and ties.
    {"AZeroTestDropped", "csrmm", "t_scatter_atomics", "not_finite", "csrmm/seed_scatter.cu",
     "if (value == 0) return;", "", kWrong, "not a number"},
    {"AZeroTestAdded", "csrmm", "warp_row_branch_free", "not_finite", "csrmm/seed_warp_row.cu",
     "#if ZERO_TEST", "#if 1", kWrong, "not a number"},
    {"AZeroTestAddedToLeds", "led", "direct_global", "not_finite_patterns", "led/operand.cuh",
     "fmaf(a.x, b.x, sum)", "(b.x == 0.0f ? sum : fmaf(a.x, b.x, sum))", kWrong, "not a number"},
    {"AZeroTestThatDropsNaN", "esmm", "a_skip", "not_finite_a", "esmm/build_patterns.cu", "!= 0.0f",
     "* x[row * columns + column] > 0.0f", kWrong, "not a number"},
    {"ASelectThatMultiplies", "deform", "branch_free", "not_finite", "deform/branch_free.cu",
     "s.inside ? share : __float2half_rn(0.0f)", "share", kWrong, "not a number"},
    {"TheOtherOrderOfTies", "autoencoder", "pool_windows", "tied_windows",
     "autoencoder/windows.cuh", "if (other > value)", "if (other >= value)", kWrong},
    {"TheLastStageOfAPipelineMissing", "autoencoder", "register_tiles", "odd_sizes_forward",
     "autoencoder/register_tile.cuh", "if (left > STAGES - 1) copy(free);",
     "if (left > STAGES) copy(free);", kWrong},
    {"ABorderOfTapsNotTested", "autoencoder", "register_tiles", "small_maps_dgrad",
     "autoencoder/register_tiles.cu",
     "static_cast<unsigned>(column_of[c] + tap % TAPS_WIDTH) < kSourceSide", "true", kFaulted},
    {"AShareOfPixelsTwice", "autoencoder", "wgrad_register_tiles", "behind_upsampling_wgrad",
     "autoencoder/wgrad_register_tiles.cu",
     "const int begin = static_cast<int>(static_cast<long long>(share) * all / SPLITS);",
     "const int begin = 0;", kWrong},
    {"ABiasOfOnePhase", "autoencoder", "upsample_folded", "behind_upsampling_wgrad",
     "autoencoder/wgrad_register_tiles.cu", "s < PHASES * SPLITS", "s < SPLITS", kWrong},
    {"AnOddTapInTheWrongPixel", "autoencoder", "upsample_folded", "behind_upsampling_forward",
     "autoencoder/packed_weights.cuh", "tap < (odd ? 2 : 1)", "tap < 1", kWrong},
    {"ASecondPixelOfAPairMissing", "autoencoder", "upsample_folded", "above_tiles_forward",
     "autoencoder/three_outputs.cu", "column + 1 < HALF};", "column + 2 < HALF};", kWrong},
    {"AMaskThatIsNone", "autoencoder", "step_fused_fp32", "step_eight_channels",
     "autoencoder/register_tiles.cu", "other[index] > 0 ? sum : 0.0f", "sum", kWrong},
    {"AGradientInTheWrongPixelOfAWindow", "autoencoder", "step_fused_fp32", "step_odd_batch",
     "autoencoder/finish_shares.cu", "won == 2 ? masked", "won == 3 ? masked", kWrong},
    {"APlaceOfAnotherRow", "autoencoder", "step_fused_fp32", "step_odd_batch",
     "autoencoder/first_layer_wgrad.cu", "(place / 2 + tap / 3)", "(tap / 3)", kWrong},
    {"APartOfTheSharesMissing", "autoencoder", "step_fused_fp32", "step_odd_batch",
     "autoencoder/first_layer_wgrad.cu", "p < kParts; ++p", "p < kParts - 1; ++p", kWrong},
    {"APoolOfAnotherOrder", "autoencoder", "step_fused_fp32", "step_one_image",
     "autoencoder/register_tiles.cu", "window % kHalf * 2 + i % 2",
     "window % kHalf * 2 + i / 2 % 2", kWrong},
    {"AWindowsSignTurned", "autoencoder", "winograd_2x2", "odd_sizes_dgrad",
     "autoencoder/winograd.cuh", "all[2] = d[2] - d[1]", "all[2] = d[1] - d[2]", kWrong},
    {"AFarPixelsSignTurned", "autoencoder", "winograd_4x4", "odd_sizes_dgrad",
     "autoencoder/winograd.cuh", "far = d[4] - d[2]", "far = d[2] - d[4]", kWrong},
    {"AHalfForgotten", "autoencoder", "winograd_2x2", "small_maps_forward",
     "autoencoder/packed_weights.cuh", "0.5f * (number == 1", "(number == 1", kWrong},
    {"ATwelfthThatIsASixth", "autoencoder", "winograd_4x4", "small_maps_forward",
     "autoencoder/packed_weights.cuh", "middle * (1 / 12.0f)", "middle * (1 / 6.0f)", kWrong},
    {"APairThatBeginsElsewhere", "autoencoder", "winograd_folded", "behind_upsampling_forward",
     "autoencoder/winograd.cu", "read[kFromSmall ? (p + 1) / 2", "read[kFromSmall ? p / 2", kWrong},
    {"APairWithoutItsSecond", "autoencoder", "step_fused_winograd", "step_eight_channels",
     "autoencoder/winograd.cu", "y[2 * p] + y[2 * p + 1]", "y[2 * p]", kWrong},
    {"AWinogradFilterThatIsNotTurned", "autoencoder", "winograd_2x2", "odd_sizes_dgrad",
     "autoencoder/packed_weights.cuh", "turned ? 8 - q : q, down = turned ? -3 : 3", "q, down = 3",
     kWrong},
    {"AnOddSideWrittenBeyond", "autoencoder", "winograd_2x2", "odd_sizes_forward",
     "autoencoder/winograd.cu", "if (row + r >= kToSide || column + first >= kToSide) continue;",
     "", kFaulted},
    {"AWinogradMaskThatIsNone", "autoencoder", "step_fused_winograd", "step_eight_channels",
     "autoencoder/winograd.cu", "mask[q] > 0 ? sum : 0.0f", "sum", kWrong},
    {"AnUnpooledGradientInTheWrongPixel", "autoencoder", "step_fused_winograd", "step_odd_batch",
     "autoencoder/winograd.cu", "== 2 + q % 2 ? values", "== 3 - q % 2 ? values", kWrong},
    {"AGradientsSignTurned", "autoencoder", "winograd_2x2", "odd_sizes_wgrad",
     "autoencoder/winograd.cuh", "all[3] = -dy[1]", "all[3] = dy[1]", kWrong},
    {"AnEighthOfAnotherPower", "autoencoder", "winograd_4x4", "odd_sizes_wgrad",
     "autoencoder/winograd.cuh", "2 * dy[1] + 8 * dy[3]", "2 * dy[1] + 4 * dy[3]", kWrong},
    {"ATapWithoutItsLastNumber", "autoencoder", "winograd_2x2", "small_maps_wgrad",
     "autoencoder/winograd.cuh", "halves + s[3]", "halves", kWrong},
    {"ABiasOfAnotherNumber", "autoencoder", "winograd_2x2", "odd_sizes_wgrad",
     "autoencoder/winograd_wgrad.cu", "kSumOfAll = kOfSide + 1", "kSumOfAll = kOfSide + 2", kWrong},
    {"WindowsOfAShareTwice", "autoencoder", "winograd_2x2", "behind_upsampling_wgrad",
     "autoencoder/winograd_wgrad.cu",
     "const int begin = static_cast<int>(static_cast<long long>(share) * all / SPLITS);",
     "const int begin = 0;", kWrong},
    {"ALayersFirstBlockToTheOneBefore", "autoencoder", "step_fused_fp32", "step_eight_channels",
     "autoencoder/pack_weights.cu", "block >= jobs[next]", "block > jobs[next]", kFaulted},
    {"ALossOfOneBlock", "autoencoder", "loss_one_kernel", "contended_loss",
     "autoencoder/loss_one_kernel.cu", "== gridDim.x - 1;", "== 0;", kFaulted},
    {"AMaximumThatIsNone", "autoencoder", "pool_fused_argmax", "pool_not_finite_backward",
     "autoencoder/pool_fused_argmax.cu", "if (!(y[i] > 0)) continue;", "if (y[i] == 0) continue;",
     kWrong},
    {"APlaceOfOneBit", "autoencoder", "pool_fused_argmax", "back_through_Pool1",
     "autoencoder/pool_fused_argmax.cu", "bits.y >> lane & 1", "bits.x >> lane & 1", kWrong},
    {"AnotherOrderOfSums", "led", "grid3d_shared_pattern", "one_above_tiles",
     "led/grid3d_run_time.cu", "sum = warp_sum(sum);",
     "for (int s = 1; s < 32; s *= 2) sum += __shfl_xor_sync(kAllLanes, sum, s);", kWrong,
     "in their bits from single_frame_repeated"},
    // Addresses.
    {"ARowAddressOf32Bits", "csrmm", "rows_per_block", "far_rows_of_b", "csrmm/rows_of_b.cuh",
     "static_cast<long long>(row) * row_bytes",
     "(static_cast<unsigned>(row) * static_cast<unsigned>(row_bytes))", kWrong},
    {"AnAtomicAddressOf32Bits", "csrmm", "t_scatter_atomics", "far_rows_of_c",
     "csrmm/seed_scatter.cu", "static_cast<Index>(load(indices + j)) * n",
     "static_cast<int>(static_cast<unsigned>(load(indices + j)) * static_cast<unsigned>(n))",
     kFaulted},
    {"APatternAddressOf32Bits", "led", "direct_global", "far_patterns", "led/operand.cuh",
     "(static_cast<long long>(c) * s.leds + n) * (B * B)",
     "static_cast<int>((static_cast<unsigned>(c) * s.leds + n) * (B * B))", kFaulted},
    {"AMatrixAddressOf32Bits", "esmm", "dense_warp_tile", "far_rows_of_a", "esmm/warptile.cu",
     "a + row * depth + k", "a + static_cast<int>(row * depth + k)", kFaulted},
    {"AValueAddressOf32Bits", "deform", "branch_free", "far_values", "deform/levels.cuh",
     "static_cast<long long>(place.image) * rows * kPixelStride",
     "static_cast<int>(static_cast<unsigned>(place.image) * rows * kPixelStride)", kFaulted},
    {"APixelAddressOf32Bits", "led", "direct_global", "far_frames", "led/operand.cuh",
     "((static_cast<long long>(f) * s.channels + c) * s.height + row) * s.width",
     "static_cast<int>(((static_cast<unsigned>(f) * s.channels + c) * s.height + row) * s.width)",
     kFaulted},
    // Order between threads.
    {"AnAtomicMissing", "csrmm", "t_scatter_atomics", "contended_rows", "csrmm/seed_scatter.cu",
     "atomicAdd(sums + static_cast<Index>(load(indices + j)) * n + column, product);",
     "sums[static_cast<Index>(load(indices + j)) * n + column] += product;", kFaulted,
     "nothing orders the two"},
    {"AnAtomicMissingInABin", "patterns", "atomics_global", "atomics_one_bin",
     "patterns/atomics_global.cu", "atomicAdd(y + key[i], x[i]);", "y[key[i]] += x[i];", kFaulted},
    {"AnAtomicMissingInTheLoss", "autoencoder", "loss_block_atomic", "contended_loss",
     "autoencoder/loss_block_atomic.cu", "atomicAdd(loss, sum / count);", "*loss += sum / count;",
     kFaulted},
    {"ABoxNotWaitedFor", "autoencoder", "implicit_gemm_bf16", "above_tiles_dgrad",
     "autoencoder/tensor_conv.cu",
     "barrier_wait(shared_address(&shared.full[stage]), turn.parity);", "", kFaulted},
    {"ABarrierMissing", "led", "grid2d_frame_loop", "one_above_tiles", "led/grid2d_frame_loop.cu",
     "__syncthreads();", "", kFaulted},
    {"ABarrierMissingInAReduction", "csrmm", "block_row", "one_above_tiles", "csrmm/block_row.cu",
     "__syncthreads();", "", kFaulted},
};

// The first that a hard case finds by the reference, and the first by the emulator's checks; the
// others are among the slow tests.
std::vector<PlantedBug> bugs(bool first) {
  std::vector<PlantedBug> all;
  std::set<std::tuple<std::string, std::string, Outcome>> seen;
  for (const PlantedBug& bug : kBugs) {
    if (seen.emplace(bug.scene, bug.hard_case, bug.found).second == first) all.push_back(bug);
  }
  return all;
}

class PlantedBugs : public testing::TestWithParam<PlantedBug> {};
const auto kByName = [](const auto& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Kernels, PlantedBugs, testing::ValuesIn(bugs(true)), kByName);
INSTANTIATE_TEST_SUITE_P(SlowKernels, PlantedBugs, testing::ValuesIn(bugs(false)), kByName);

// How often the text stands in the file, which gets the bug in its place.
int plant(const PlantedBug& bug, std::vector<KernelSource>& sources) {
  const auto file = std::find_if(sources.begin(), sources.end(),
                                 [&](const KernelSource& s) { return s.path == bug.file; });
  if (file == sources.end()) return 0;
  std::string text = file->text;
  const std::string from = bug.text, to = bug.bug;
  int count = 0;
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
    ++count;
  }
  *file = kernel_source(bug.file, std::move(text));
  return count;
}

TEST_P(PlantedBugs, AreFoundByTheHardCaseAndTheKernelAsItIsPasses) {
  if (Result<std::string> version = nvrtc_version(); !version)
    GTEST_SKIP() << sentence(version.error());
  const PlantedBug& bug = GetParam();
  const Result<const Scene*> scene = built_in_catalogue().find(bug.scene);
  ASSERT_TRUE(scene);
  const Variant* variant = find_variant(**scene, bug.variant);
  ASSERT_NE(variant, nullptr) << bug.variant;
  const Result<HardCase> hard = find_hard_case(**scene, bug.hard_case);
  ASSERT_TRUE(hard) << sentence(hard.error());
  const auto runs = hard_runs(**scene, {*hard}, {variant});
  ASSERT_TRUE(runs) << sentence(runs.error());
  ASSERT_EQ(runs->size(), 1u) << bug.variant << " does not meet " << bug.hard_case;
  Result<std::vector<KernelSource>> sources = sources_of_scene(bug.scene);
  ASSERT_TRUE(sources) << sentence(sources.error());

  HardAnswers answers;
  const HardVerdict right = answers.of(**scene, runs->front(), *sources);
  EXPECT_EQ(right.verdict.outcome, Outcome::correct) << sentence_of(right);
  EXPECT_FALSE(right.finding || right.first_wrong) << sentence_of(right);

  ASSERT_GT(plant(bug, *sources), 0) << bug.file << " no longer holds: " << bug.text;
  const HardVerdict wrong = answers.of(**scene, runs->front(), *sources);
  EXPECT_TRUE(wrong.finding) << bug.bug << " was not found: " << sentence_of(wrong);
  EXPECT_EQ(wrong.verdict.outcome, bug.found) << sentence_of(wrong);
  EXPECT_NE(wrong.verdict.sentence.find(bug.said), std::string::npos) << sentence_of(wrong);
  EXPECT_EQ(wrong.first_wrong.has_value(), bug.found == Outcome::wrong) << sentence_of(wrong);
}

}  // namespace
}  // namespace warpscope
