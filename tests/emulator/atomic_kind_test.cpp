// tests/emulator/atomic_kind_test.cpp: which atomics of PTX are reductions on the device.
#include <gtest/gtest.h>

#include <string>

#include "profiling/emulator/emulator.h"
#include "profiling/emulator/kernel_code.h"

namespace warpscope {
namespace {

// The kind of the first memory access of `body`.
AccessKind kind_of(const std::string& body) {
  const std::string text =
      ".version 9.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<10>;\n"
      ".reg .b64 %l<4>;\nld.param.u64 %l1, [p];\nmov.u32 %r1, 1;\n" +
      body + "\nret;\n}\n";
  const Result<Program> program = Program::parse(text, "test.cu");
  if (!program) {
    ADD_FAILURE() << sentence(program.error());
    return AccessKind::load;
  }
  const auto kernel = program->kernel("k");
  if (!kernel || (*kernel)->sites.empty() || !(*kernel)->unknown.empty()) {
    ADD_FAILURE() << "not decoded: " << body;
    return AccessKind::load;
  }
  return (*kernel)->sites.front().kind;
}

TEST(AtomicKind, IsReductionWhereNothingReadsTheOldValue) {
  EXPECT_EQ(kind_of("red.global.add.u32 [%l1], %r1;"), AccessKind::reduction);
  EXPECT_EQ(kind_of("atom.global.add.u32 %r2, [%l1], %r1;"), AccessKind::reduction);
  EXPECT_EQ(kind_of("atom.global.max.u32 _, [%l1], %r1;"), AccessKind::reduction);
}

TEST(AtomicKind, IsAtomicWhereAnythingReadsTheOldValue) {
  const std::string add = "atom.global.add.u32 %r2, [%l1], %r1;\n";
  EXPECT_EQ(kind_of(add + "add.u32 %r3, %r2, 1;"), AccessKind::atomic);
  EXPECT_EQ(kind_of(add + "st.global.u32 [%l1+4], %r2;"), AccessKind::atomic);
  EXPECT_EQ(kind_of(add + "st.global.v2.u32 [%l1+8], {%r1, %r2};"), AccessKind::atomic);
  // Before it in the text, after it in a loop.
  EXPECT_EQ(
      kind_of("mov.u32 %r2, 0;\nagain:\nsetp.eq.u32 %p1, %r2, 7;\n" + add + "@!%p1 bra again;"),
      AccessKind::atomic);
}

TEST(AtomicKind, OfAnExchangeIsAtomicInAnyCase) {
  EXPECT_EQ(kind_of("atom.global.exch.b32 %r2, [%l1], %r1;"), AccessKind::atomic);
  EXPECT_EQ(kind_of("atom.global.cas.b32 %r2, [%l1], %r1, 5;"), AccessKind::atomic);
}

}  // namespace
}  // namespace warpscope
