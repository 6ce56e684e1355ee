// tests/scenes/ptx_elements_test.cpp: what pointers of PTX point to, by the accesses of a kernel.
#include "scenes/ptx_elements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenes/ptx_description.h"

namespace warpscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::string> kNames = {"k_param_0", "k_param_1"};
constexpr const char* kLoads =
    "{\n.reg .b64 %rd<9>;\nld.param.u64 %rd1, [k_param_0];\nld.param.u64 %rd2, [k_param_1];\n"
    "cvta.to.global.u64 %rd3, %rd1;\ncvta.to.global.u64 %rd4, %rd2;\n";

std::vector<std::string> elements(const std::string& body) {
  return ptx_elements(kLoads + body + "ret;\n}\n", kNames);
}

TEST(PtxElements, AreTheTypesOfLoadsStoresAndAtomics) {
  EXPECT_THAT(elements("add.s64 %rd5, %rd3, %rd7;\nld.global.nc.f64 %fd1, [%rd5+8];\n"
                       "@%p1 st.global.u32 [%rd4], %r1;\n"),
              ElementsAre("f64", "u32"));
  EXPECT_THAT(elements("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd3];\n"
                       "red.global.add.s32 [%rd4], 1;\n"),
              ElementsAre("f32", "i32"));
  EXPECT_THAT(elements("@!%p1 ld.global.u8 %rs1, [%rd3];\n$L1:\tld.u64 %rd8, [%rd4];\n"),
              ElementsAre("u8", "u64"));
  EXPECT_THAT(elements("ld.global.L1::evict_last.f32 %f1, [%rd3];\n"
                       "$L2:st.global.L1::no_allocate.L2::cache_hint.v2.f64 [%rd4], {%fd1, %fd2}, "
                       "%rd9;\n"),
              ElementsAre("f32", "f64"));
}

TEST(PtxElements, OfAnAddressThatALoopMovesAreFound) {
  EXPECT_THAT(elements("$L1:\nld.global.u32 %r1, [%rd6];\nadd.s64 %rd6, %rd5, 4;\n"
                       "mov.u64 %rd5, %rd3;\n@%p1 bra $L1;\n"),
              ElementsAre("u32", ""));
}

TEST(PtxElements, SixteenBitsAreWhatTheKernelComputesWith) {
  const std::string loads = "ld.global.u16 %rs1, [%rd3];\nst.global.b16 [%rd4], %rs1;\n";
  EXPECT_THAT(elements(loads), ElementsAre("u16", "u16"));
  EXPECT_THAT(elements(loads + "{ cvt.f32.f16 %f1, %rs1;}\n"), ElementsAre("f16", "f16"));
  EXPECT_THAT(elements(loads + "fma.rn.bf16x2 %r1, %r2, %r3, %r4;\n"), ElementsAre("bf16", "bf16"));
}

TEST(PtxElements, BitsAloneSayHowWideTheyAre) {
  const std::string loads = "ld.global.b64 %rd8, [%rd3];\nst.global.v2.b64 [%rd4], {%rd8, %rd8};\n";
  EXPECT_THAT(elements(loads), ElementsAre("i64", "i64"));
  EXPECT_THAT(elements(loads + "fma.rn.f64 %fd1, %fd2, %fd3, %fd4;\n"), ElementsAre("f64", "f64"));
  EXPECT_THAT(elements(loads + "ld.global.f32 %f1, [%rd3];\nld.global.b32 %r1, [%rd4];\n"),
              ElementsAre("f32", ""));
}

TEST(PtxElements, AreLeftOpenWhereAccessesDifferOrSayNothing) {
  EXPECT_THAT(elements("ld.global.f32 %f1, [%rd3];\nld.global.u32 %r1, [%rd3+4];\n"
                       "ld.global.b32 %r2, [%rd4];\n"),
              ElementsAre("", ""));
  EXPECT_THAT(elements("selp.b64 %rd5, %rd3, %rd4, %p1;\nld.global.f32 %f1, [%rd5];\n"),
              ElementsAre("", ""));
  EXPECT_THAT(elements("ld.shared.f32 %f1, [%rd3];\nst.local.u32 [%rd4], %r1;\n"),
              ElementsAre("", ""));
}

TEST(PtxElements, OfOneKernelAreNotThoseOfTheNext) {
  const std::string one = std::string(".version 9.0\n.target sm_90\n.address_size 64\n") +
                          ".visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1)\n" +
                          kLoads +
                          "ld.global.u32 %r1, [%rd3];\nst.global.f64 [%rd4], %fd1;\nret;\n}\n";
  std::string other = one;
  for (std::size_t at = 0; (at = other.find("k_param", at)) != std::string::npos; at += 2)
    other.replace(at, 1, "j");
  other.replace(other.find(".entry k"), 8, ".entry j");
  other.replace(other.find("u32 %r1"), 3, "f32");
  const std::string both = one + other.substr(other.find(".visible"));
  const std::vector<PtxKernel> kernels = ptx_kernels(both);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].parameters[0].element, "u32");
  EXPECT_EQ(kernels[1].parameters[0].element, "f32");
  EXPECT_EQ(kernels[1].parameters[1].element, "f64");
  const auto text = ptx_description({{"k.ptx", both}}, "k.ptx");
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, HasSubstr("type = \"u32\""));
  EXPECT_THAT(*text, HasSubstr("from the kernel's loads and stores"));
}

TEST(PtxElements, BrokenBodiesEnd) {
  for (const std::string body :
       {"", "{", "ld.param.u64", "@", "@!", "ld.global.f32 %f1, [", ";;;", "}", "x:"})
    EXPECT_EQ(ptx_elements(body, kNames).size(), 2u) << body;
}

}  // namespace
}  // namespace warpscope
