// tests/engine/cubin_test.cpp: how many parameters a kernel takes, by its machine code.
#include "profiling/binaries/cubin.h"

#include <gtest/gtest.h>

#include "profiling/engine/compile/compiler.h"

namespace warpscope {
namespace {

struct Case {
  CompileRequest request;
  std::string entry;
};
const std::vector<Case> kCases = {
    {{"engine/selftest.cu", {}, 90}, "selftest_copy"},
    {{"engine/block.cu", {}, 75}, "block_stream"},
    {{"engine/read_all.cu", {}, 100}, "read_all"},
    {{"csrmm/warp_row.cu", {{"UNROLL", "1"}, {"HOMO", "1"}, {"READ_ONLY", "1"}}, 90}, "warp_row"},
    {{"csrmm/gather_add.cu", {}, 90}, "scatter_add"},  // one of four entries of a source
};

// The parameters in the head of the entry's PTX.
std::size_t parameters_in(const std::string& ptx, const std::string& entry) {
  const std::size_t begin = ptx.find(".entry " + entry + "(");
  const std::size_t end = ptx.find(')', begin);
  std::size_t count = 0;
  for (std::size_t at = ptx.find(".param", begin); at < end; at = ptx.find(".param", at + 1))
    ++count;
  return count;
}

TEST(Cubin, CountsTheParametersThatThePtxDeclares) {
  if (Result<std::string> version = nvrtc_version(); !version)
    GTEST_SKIP() << sentence(version.error());
  for (const Case& c : kCases) {
    const Result<Compiled> code = compile(c.request);
    ASSERT_TRUE(code) << sentence(code.error());
    const Result<CompiledPtx> ptx = compile_to_ptx(c.request);
    ASSERT_TRUE(ptx) << sentence(ptx.error());
    const std::size_t declared = parameters_in(ptx->ptx, c.entry);
    EXPECT_GT(declared, 0u) << c.entry;
    const auto kernel = kernel_in_cubin(code->cubin, c.entry);
    ASSERT_TRUE(kernel) << c.entry;
    EXPECT_EQ(kernel->parameters.size(), declared) << c.entry;
    EXPECT_FALSE(kernel_in_cubin(code->cubin, "absent"));
  }
}

}  // namespace
}  // namespace warpscope
