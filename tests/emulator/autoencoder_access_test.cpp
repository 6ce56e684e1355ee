// tests/emulator/autoencoder_access_test.cpp: accesses of `autoencoder`, emulated: per request what
// the kernels' heads say of them.
#include <gtest/gtest.h>

#include <tuple>

#include "scenes/base/kernel_parts.h"
#include "tests/emulator/emulated_scene.h"
#include "tests/emulator/fixture.h"
#include "tests/engine/compiling_test.h"

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {
namespace {

// What requests for one array cost together.
struct Cost {
  double requests = 0, sectors = 0, used_bytes = 0;
  double sectors_each() const { return sectors / requests; }
};

Cost cost_of(const EmulatedCounts& counts, AccessKind kind, const std::string& buffer,
             Space space = Space::global) {
  Cost cost;
  for (const Trace& trace : counts.traces) {
    for (const AccessSite& site : trace.sites) {
      if (site.space != space || site.kind != kind) continue;
      if (space == Space::global && site.buffer != buffer) continue;
      cost.requests += static_cast<double>(site.totals.requests);
      cost.sectors += static_cast<double>(site.totals.sectors);
      cost.used_bytes += static_cast<double>(site.totals.unique_bytes);
    }
  }
  return cost;
}

// Warp instructions of the step that convolves.
double instructions(const EmulatedCounts& counts) {
  double sum = 0;
  for (const Trace& trace : counts.traces) {
    if (trace.step == "convolve") sum += static_cast<double>(trace.warp_instructions);
  }
  EXPECT_GT(sum, 0);
  return sum;
}

EmulatedCounts emulated(const std::string& variant, Changes changes) {
  changes.insert({{"batch", "1"}, {"channels", "64"}, {"size", "32"}});
  return counts_of("autoencoder", variant, changes);
}

using AutoencoderAccess = CompilingTest;

// 32 lanes are the 32 outputs of a pixel: their weights lie 9·64·4 bytes apart.
TEST_F(AutoencoderAccess, OfAThreadAnOutputBroadcastsTheInputAndScattersTheWeights) {
  const EmulatedCounts counts = emulated("naive_nhwc", {{"layer", "Conv2"}, {"size", "16"}});
  const Cost w = cost_of(counts, AccessKind::load, "w_nhwc");
  EXPECT_EQ(w.sectors_each(), 32);
  EXPECT_EQ(cost_of(counts, AccessKind::load, "x_nhwc").sectors_each(), 1);
  const EmulatedCounts gradient =
      emulated("naive_nhwc", {{"layer", "Conv2"}, {"size", "16"}, {"direction", "dgrad"}});
  EXPECT_EQ(cost_of(gradient, AccessKind::load, "w_nhwc").sectors_each(), 4)
      << "weights of neighbouring inputs lie side by side";
  EXPECT_EQ(cost_of(gradient, AccessKind::store, "dx").sectors_each(), 4);
}

// 9 products per channel, but for those beyond the border: (3·16 − 2)² of 9·16² are inside.
TEST_F(AutoencoderAccess, OfTheNaiveConvolutionIsTheSameInEitherOrderOfLoops) {
  const Changes conv = {{"layer", "Conv2"}, {"size", "32"}, {"channels", "64"}};
  const EmulatedCounts listed = emulated("naive_nhwc", conv);
  const EmulatedCounts outside = emulated("naive_taps_outside", conv);
  // A warp is one pixel with its 32 outputs.
  const double products = 46.0 * 46 * 64;
  for (const char* array : {"x_nhwc", "w_nhwc"}) {
    EXPECT_EQ(cost_of(listed, AccessKind::load, array).requests, products) << array;
    EXPECT_EQ(cost_of(outside, AccessKind::load, array).requests, products) << array;
    EXPECT_EQ(cost_of(listed, AccessKind::load, array).sectors,
              cost_of(outside, AccessKind::load, array).sectors)
        << array;
  }
  EXPECT_GT(instructions(listed), 1.8 * instructions(outside))
      << "a border test and an address for each product";
}

// The window's size is known when it is compiled, or it is not: the same requests.
TEST_F(AutoencoderAccess, OfAWindowKnownAtRunTimeIsThatOfTheUnrolledOne) {
  const EmulatedCounts unrolled = emulated("nchw_grid2d", {{"channels", "4"}});
  const EmulatedCounts looped = emulated("nchw_run_time_window", {{"channels", "4"}});
  EXPECT_EQ(cost_of(looped, AccessKind::load, "x").requests,
            cost_of(unrolled, AccessKind::load, "x").requests);
  EXPECT_GT(instructions(looped), instructions(unrolled));
}

// One warp per channel asks for its pixels alone; eight and a second stage take shared memory.
TEST_F(AutoencoderAccess, OfABiasGradientByOneWarpHasNoSharedMemory) {
  const Changes wgrad = {{"direction", "wgrad"}, {"channels", "4"}, {"size", "16"}};
  const EmulatedCounts warp = emulated("bias_one_warp", wgrad);
  const EmulatedCounts tree = emulated("bias_shared_tree", wgrad);
  EXPECT_EQ(warp.shared_loads + warp.shared_stores, 0);
  // 256 sums and seven halves that are whole warps or less: 8, 4, 2, 1, 1, 1, 1, 1 warps store.
  EXPECT_EQ(cost_of(tree, AccessKind::store, "", Space::shared).requests, 4 * (8 + 4 + 2 + 6));
}

TEST_F(AutoencoderAccess, OfPlanesBroadcastsTheWeight) {
  const EmulatedCounts counts = emulated("nchw_grid2d", {});
  EXPECT_EQ(cost_of(counts, AccessKind::load, "w").sectors_each(), 1);
  // Two rows of 16 pixels: 2 sectors each, one more where the tap moves them off a multiple of 8.
  const Cost x = cost_of(counts, AccessKind::load, "x");
  EXPECT_GE(x.sectors_each(), 3.5);
  EXPECT_LE(x.sectors_each(), 6);
}

// Each plane is loaded as one tile of 18×18 and not nine times as 16×16. In rows of 18 words two
// lanes of a request use the same bank.
TEST_F(AutoencoderAccess, OfATileInSharedMemoryLoadsAPixelOnce) {
  const Changes conv = {{"size", "16"}, {"channels", "4"}};
  const EmulatedCounts direct = emulated("nchw_grid2d", conv), tile = emulated("shared_tile", conv);
  const double planes = 4, warps = 8, channels = 3;
  EXPECT_LE(cost_of(direct, AccessKind::load, "x").requests, planes * warps * channels * 9);
  EXPECT_GT(cost_of(direct, AccessKind::load, "x").requests, planes * warps * channels * 9 * 0.9);
  EXPECT_LE(cost_of(tile, AccessKind::load, "x").requests, planes * (channels * 324 / 32 + 4));
  EXPECT_EQ(tile.shared_loads, planes * warps * channels * 9 * 2);
}

TEST_F(AutoencoderAccess, OfFourOutputsAThreadIsAQuarterOfTheRequests) {
  const EmulatedCounts direct = emulated("nchw_grid2d", {}), fours = emulated("float4_loads", {});
  EXPECT_NEAR(cost_of(fours, AccessKind::load, "w").requests /
                  cost_of(direct, AccessKind::load, "w").requests,
              0.25, 0.01);
  // Three loads of a row for twelve products in place of twelve.
  EXPECT_NEAR(cost_of(fours, AccessKind::load, "x").requests /
                  cost_of(direct, AccessKind::load, "x").requests,
              0.25, 0.03);
}

// Every input value becomes nine words; what multiplies them in place writes the outputs alone.
TEST_F(AutoencoderAccess, OfColumnsIsNineTimesTheInput) {
  const EmulatedCounts columns = emulated("im2col_cublas_strided", {{"layer", "Conv2"}});
  EXPECT_EQ(32 * cost_of(columns, AccessKind::store, "columns").sectors, 36.0 * 64 * 16 * 16);
  EXPECT_EQ(32 * cost_of(columns, AccessKind::store, "y").sectors, 4.0 * 32 * 16 * 16)
      << "bias and ReLU, in place";
  EXPECT_EQ(32 * cost_of(columns, AccessKind::load, "y").sectors, 4.0 * 32 * 16 * 16);
  const EmulatedCounts implicit = emulated("implicit_gemm_fp32", {{"layer", "Conv2"}});
  EXPECT_EQ(32 * implicit.stores, 4.0 * 32 * 16 * 16);
}

// Stages of the tile are written and read without a conflict: a wavefront a request.
TEST_F(AutoencoderAccess, OfAnImplicitProductHasNoBankConflicts) {
  const EmulatedCounts counts = emulated("implicit_gemm_fp32", {{"layer", "Conv2"}});
  EXPECT_EQ(counts.shared_stores, cost_of(counts, AccessKind::store, "", Space::shared).requests);
  EXPECT_EQ(counts.shared_loads, cost_of(counts, AccessKind::load, "", Space::shared).requests);
}

// A thread reads eight numbers of either side in two loads, for 64 products. Eight lanes that are
// served together read 32 or 64 bytes of it.
TEST_F(AutoencoderAccess, OfRegisterTilesAreFourSharedLoadsFor64Products) {
  // 128 pixels by 128 outputs: one tile of eight warps; 9·128 rows in shares of at least 64.
  const Changes sizes = {{"channels", "256"}, {"size", "32"}, {"layer", "Conv3"}, {"batch", "2"}};
  EmulatedCounts counts = emulated("register_tiles", sizes);
  std::erase_if(counts.traces, [](const Trace& trace) { return trace.step != "convolve"; });
  const double rows = 9 * 128, warps = 8;
  const Cost loads = cost_of(counts, AccessKind::load, "", Space::shared);
  EXPECT_EQ(loads.requests, warps * rows * 4);
  const auto wavefronts = [](const EmulatedCounts& of, const char* id) {
    double sum = 0;
    for (const Trace& trace : of.traces) sum += value_of(emulated_metrics(trace), id).value_or(0);
    return sum;
  };
  EXPECT_EQ(wavefronts(counts, "emulated.shared.wavefronts_load"), 2 * loads.requests)
      << "lanes in rows of eight would take three";
  Changes back = sizes;
  back["direction"] = "wgrad";
  const EmulatedCounts gradients = emulated("wgrad_register_tiles", back);
  // 9·128 columns are nine tiles, and 128 pixels the rows; the first tile's biases are read again.
  const Cost of_wgrad = cost_of(gradients, AccessKind::load, "", Space::shared);
  EXPECT_EQ(of_wgrad.requests, 9 * warps * 128 * 4 + 4 * 128);
  const Cost stores = cost_of(gradients, AccessKind::store, "", Space::shared);
  EXPECT_EQ(gradients.shared_stores, stores.requests) << "four words of padding";
}

// Each of two phases writes every second word of a row, and no less of a sector.
TEST_F(AutoencoderAccess, OfAFoldedProductIsHalfOfEverySectorWritten) {
  const Changes folded = {{"layer", "Conv4"}, {"channels", "16"}};
  const Cost stores = cost_of(emulated("upsample_folded", folded), AccessKind::store, "y");
  EXPECT_EQ(stores.used_bytes, 16 * stores.sectors);
  EXPECT_EQ(stores.used_bytes, 4.0 * 16 * 16 * 16);
}

// What packs weights loads and stores every sector once, and of three warps' words at most one
// meets another in a bank.
TEST_F(AutoencoderAccess, OfPackedWeightsIsEverySectorOnce) {
  EmulatedCounts counts = emulated("register_tiles", {{"channels", "256"}, {"layer", "Conv3"}});
  std::erase_if(counts.traces, [](const Trace& trace) { return trace.step != "pack weights"; });
  ASSERT_EQ(counts.traces.size(), 1u);
  const double bytes = 4.0 * 9 * 128 * 128;
  EXPECT_EQ(32 * cost_of(counts, AccessKind::load, "w").sectors, bytes);
  EXPECT_EQ(32 * cost_of(counts, AccessKind::store, "packed").sectors, bytes);
  EXPECT_LE(value_of(emulated_metrics(counts.traces.front()), "emulated.shared.bank_conflicts"),
            9 * 128 * 128 / 32 / 3);
}

// A window's row is 8 bytes: 32 lanes stand for 256 bytes of it, of which a word at a time uses
// half.
TEST_F(AutoencoderAccess, OfPoolsAreHalfOrWholeSectors) {
  const Changes pool = {{"part", "pool"}};
  const Cost words = cost_of(emulated("pool_scatter", pool), AccessKind::load, "x");
  EXPECT_EQ(words.sectors_each(), 8);
  EXPECT_EQ(words.used_bytes, 16 * words.sectors);
  const Cost rows = cost_of(emulated("pool_windows", pool), AccessKind::load, "x");
  EXPECT_EQ(rows.requests, words.requests / 2);
  EXPECT_EQ(rows.sectors_each(), 8);
  EXPECT_EQ(rows.used_bytes, 32 * rows.sectors);
  const Cost fours = cost_of(emulated("pool_float4", pool), AccessKind::load, "x");
  EXPECT_EQ(fours.requests, rows.requests / 2);
  EXPECT_EQ(fours.sectors, rows.sectors);
  const EmulatedCounts scatter = emulated("pool_scatter", {{"part", "pool"}, {"pass", "backward"}});
  EXPECT_EQ(scatter.reduction_lanes, 64.0 * 16 * 16) << "an atomic a window";
  const EmulatedCounts owned = emulated("pool_windows", {{"part", "pool"}, {"pass", "backward"}});
  EXPECT_EQ(owned.reduction_lanes, 0);
  EXPECT_EQ(32 * owned.stores, 4.0 * 64 * 32 * 32) << "every pixel once";
}

// A store of 8 or 16 bytes stays one: sectors are written whole and once.
TEST_F(AutoencoderAccess, OfRowsIsEverySectorWrittenOnce) {
  for (const auto& [variant, buffer, changes] :
       {std::tuple("pool_windows", "dx", Changes{{"part", "pool"}, {"pass", "backward"}}),
        {"pool_float4", "dx", Changes{{"part", "pool"}, {"pass", "backward"}}},
        {"upsample_row_pairs", "y", Changes{{"part", "upsample"}}},
        {"float4_loads", "y", Changes{{"layer", "Conv4"}, {"channels", "16"}}}}) {
    const Cost stores = cost_of(emulated(variant, changes), AccessKind::store, buffer);
    EXPECT_GT(stores.sectors, 0) << variant;
    EXPECT_EQ(stores.used_bytes, 32 * stores.sectors) << variant;
  }
}

TEST_F(AutoencoderAccess, OfTheLossAreAsManyAtomicsAsItSays) {
  const Changes loss = {{"part", "loss"}};
  EXPECT_EQ(emulated("loss_atomic_per_element", loss).reduction_lanes, 3 * 1024);
  EXPECT_EQ(emulated("loss_block_atomic", loss).reduction_lanes, 3 * 1024 / 256);
  const EmulatedCounts stages = emulated("loss_two_stage", loss),
                       fused = emulated("loss_fused_gradient", loss);
  EXPECT_EQ(stages.reduction_lanes, 0);
  EXPECT_EQ(cost_of(stages, AccessKind::load, "p").sectors,
            2 * cost_of(fused, AccessKind::load, "p").sectors)
      << "both inputs are read once instead of twice";
}

TEST_F(AutoencoderAccess, OfAFusedPoolNeverTouchesTheMap) {
  const Changes both = {{"part", "conv_pool"}, {"channels", "8"}};
  const EmulatedCounts chain = emulated("conv_then_pool", both),
                       fused = emulated("fused_relu_pool", both);
  const double pooled = 4.0 * 8 * 16 * 16;
  EXPECT_EQ(32 * chain.stores, 5 * pooled);
  EXPECT_EQ(32 * fused.stores, pooled);
  EXPECT_NEAR(cost_of(fused, AccessKind::load, "x").requests /
                  cost_of(chain, AccessKind::load, "x").requests,
              16.0 / 36, 0.05);
}

// A warp loads the words of 16, of 31 or of no other lanes, where 5, 4 or no shuffles do the rest.
TEST_F(AutoencoderAccess, OfMasksReadsWhatTheLanesOutsideHave) {
  const auto loads = [](const char* variant) {
    return emulated(variant, {{"part", "loss"}}).shared_loads;
  };
  const std::int64_t warps = 3 * 32 * 32 / 32, blocks = warps / 8, of_warps = 7 * blocks;
  EXPECT_EQ(loads("loss_mask_all"), of_warps);
  EXPECT_EQ(loads("loss_mask_half"), of_warps + warps);
  EXPECT_EQ(loads("loss_mask_lane"), of_warps + 31 * warps);
}

// What each row's mask says, and what happens to one that names lanes which take the other way.
TEST_F(AutoencoderAccess, OfMasksWaitsForLanesThatDoNotCome) {
  struct Case {
    std::int64_t lanes, mask;
    const char* fault;
  };
  for (const Case& each : {Case{32, 0xffffffff, ""},
                           {16, 0x0000ffff, ""},
                           {1, 0x00000001, ""},
                           {16, 0xffffffff, "waits for lanes 16–31, which never reach it"},
                           {1, 0x0000ffff, "waits for lanes 1–15, which never reach it"}}) {
    const Result<CompiledPtx> compiled =
        compile_to_ptx({"autoencoder/loss_masks.cu",
                        {define("LANES", each.lanes), define("MASK", each.mask)},
                        90});
    ASSERT_TRUE(compiled) << sentence(compiled.error());
    std::vector<float> p(256, 3), t(256, 1), loss(1, 0);
    Bench bench;
    bench.add("p", p);
    bench.add("t", t);
    bench.add("loss", loss);
    bench.pass(std::int64_t{256});
    const Trace trace =
        bench.run(compiled->ptx, launch_of(1, 256), "loss_masks", "autoencoder/loss_masks.cu");
    if (each.fault[0] == 0) {
      EXPECT_EQ(faults_text(trace), "") << each.lanes;
      EXPECT_EQ(loss.front(), 4) << each.lanes;
    } else {
      EXPECT_NE(faults_text(trace).find(each.fault), std::string::npos) << faults_text(trace);
    }
  }
}

// Two words of a warp lie in one sector, 32 values of it in four.
TEST_F(AutoencoderAccess, OfPlacesInTwoBitsIsOneSectorAWarp) {
  const EmulatedCounts fused =
      emulated("pool_fused_argmax", {{"part", "conv_pool"}, {"channels", "8"}});
  const double pooled = 4.0 * 8 * 16 * 16;
  EXPECT_EQ(32 * fused.stores, pooled + pooled / 4);
  EXPECT_EQ(cost_of(fused, AccessKind::store, "places").requests, 8.0 * 16 * 16 / 32);
}

}  // namespace
}  // namespace warpscope

#endif
