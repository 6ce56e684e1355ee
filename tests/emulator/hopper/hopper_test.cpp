// tests/emulator/hopper/hopper_test.cpp: kernels with wgmma compute what a CPU computes.
#include <gtest/gtest.h>

#include "tests/emulator/hopper/cases.h"

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {
namespace {

std::string sentences(const std::vector<Fault>& faults) {
  std::string text;
  for (const Fault& fault : faults) text += fault.sentence + "\n";
  return text;
}

void expect_right(const std::vector<HopperCase>& cases, EmulatedAs as = EmulatedAs::ptx) {
  for (const HopperCase& c : cases) {
    SCOPED_TRACE(c.name);
    const Result<HopperRun> run = emulate_hopper(c, as);
    if (!run && run.error().kind == ErrorKind::environment) GTEST_SKIP() << sentence(run.error());
    ASSERT_TRUE(run) << sentence(run.error());
    EXPECT_EQ(sentences(run->trace.faults), "");
    EXPECT_EQ(difference(c, run->output, c.expected, c.bound), "");
  }
}

TEST(HopperKernels, MatrixProductsOfEachTypeAndSwizzleAreRight) { expect_right(hopper_gemms()); }
TEST(HopperKernels, MatricesThatLieAlongTheirRowsAreRight) { expect_right(hopper_columns()); }
TEST(HopperKernels, PipelinesOfWarpgroupsAreRight) { expect_right(hopper_pipelines()); }
TEST(HopperKernels, AnAttentionTileIsRight) { expect_right(hopper_attention()); }
TEST(HopperProducts, AreRightForEachTypeWidthAndDescriptor) { expect_right(hopper_probes()); }

// Every `every`th of the matrix products, and of those of matrices along their rows.
void expect_right_as_machine_code(std::size_t every) {
  for (const std::vector<HopperCase>& products : {hopper_gemms(), hopper_columns()}) {
    std::vector<HopperCase> chosen;
    for (std::size_t i = 0; i < products.size(); i += every) chosen.push_back(products[i]);
    expect_right(chosen, EmulatedAs::machine_code);
  }
  expect_right(hopper_pipelines(), EmulatedAs::machine_code);
  expect_right(hopper_attention(), EmulatedAs::machine_code);
}
TEST(HopperKernels, GiveTheSameAsMachineCode) { expect_right_as_machine_code(4); }
TEST(SlowHopperKernels, GiveTheSameAsMachineCode) { expect_right_as_machine_code(1); }

}  // namespace
}  // namespace warpscope

#endif  // WARPSCOPE_WITH_COMPILER
