// tests/engine/counted_points_test.cpp: what others counted at configurations nobody had looked at.
#include <gtest/gtest.h>

#include "profiling/engine/run/emulated/emulated_stage.h"
#include "scenes/catalogue.h"
#include "tests/engine/compiling_test.h"

namespace warpscope {
namespace {

// The accesses of one kind of a step's global memory, emulated over the whole grid.
AccessTotals emulated(const char* variant, const std::map<std::string, std::string>& changes,
                      const char* step, AccessKind kind) {
  AccessTotals totals;
  const Scene& scene = **built_in_catalogue().find("csrmm");
  const Result<Configuration> axes =
      with_values(scene.axes, with_defaults(scene.axes, {}), changes);
  EmulatedStage stage;
  EmulatedStage::View view;
  view.step = step;
  if (!axes || !stage.set(scene, *axes)) {
    ADD_FAILURE() << "the configuration is refused";
    return totals;
  }
  const Result<EmulatedStage::Run> run = stage.run(*find_variant(scene, variant), view);
  if (!run || run->traces.size() != 1) {
    ADD_FAILURE() << (run ? "no trace" : sentence(run.error()));
    return totals;
  }
  for (const AccessSite& site : run->traces[0].sites) {
    if (site.space == Space::global && site.kind == kind) totals += site.totals;
  }
  return totals;
}

using CountedPoints = CompilingTest;

// An H200 counted 1.36 sectors per load request: five of eight warps of a row have no entry, and in
// the machine code they do not load the weight.
TEST_F(CountedPoints, BlockRowAsksForTheWeightOnlyWhereThereIsAnEntry) {
  for (const char* variant : {"block_row", "block_row_zero_test"}) {
    const AccessTotals loads = emulated(variant,
                                        {{"m", "1000"},
                                         {"k", "300"},
                                         {"p", "0.01"},
                                         {"n", "32"},
                                         {"weights", "homo"},
                                         {"rows", "banded"}},
                                        "", AccessKind::load);
    EXPECT_EQ(loads.requests, 25000) << variant;
    EXPECT_EQ(loads.sectors, 34000) << variant;
  }
}

// A row of 500 entries is sixteen stores of a warp, the last of 20 lanes; unrolled by 16, 8 and 4
// the machine code makes 31 of them (7967 of 257 rows), because lanes part.
TEST_F(CountedPoints, RowsAreExpandedByOneStoreForEachThirtyTwoEntries) {
  const AccessTotals stores =
      emulated("gather_scatter_add",
               {{"m", "257"}, {"k", "3000"}, {"p", "0.1666667"}, {"n", "8"}, {"op", "T"}},
               "expand rows", AccessKind::store);
  EXPECT_EQ(stores.requests, 257 * 16);
  EXPECT_EQ(stores.lanes, 257 * 500);
}

}  // namespace
}  // namespace warpscope
