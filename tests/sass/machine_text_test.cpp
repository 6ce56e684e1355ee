// tests/sass/machine_text_test.cpp: what nvdisasm prints becomes instructions and operands.
#include "profiling/emulator/sass/read/machine_text.h"

#include <gtest/gtest.h>

#include <string>

namespace warpscope {
namespace {

TEST(MachineText, RegistersKeepTheirSignsAndParts) {
  const MachineOperand o = read_operand("-|R12.H0_H0|");
  EXPECT_EQ(o.kind, OperandKind::general);
  EXPECT_EQ(o.number, 12);
  EXPECT_TRUE(o.negated);
  EXPECT_TRUE(o.absolute);
  ASSERT_EQ(o.parts.size(), 1U);
  EXPECT_EQ(o.parts[0], "H0_H0");
  EXPECT_TRUE(read_operand("~UR3").inverted);
  EXPECT_TRUE(read_operand("R4.reuse").parts.empty());
  EXPECT_EQ(read_operand("RZ").number, kZeroRegister);
  EXPECT_EQ(read_operand("URZ").number, kZeroUniform);
  EXPECT_EQ(read_operand("!UPT").number, kTruePredicate);
  EXPECT_TRUE(read_operand("!UPT").complement);
}

TEST(MachineText, ConstantsAndAddressesKeepTheirTerms) {
  const MachineOperand c = read_operand("-c[0x3][R2+0x14]");
  EXPECT_EQ(c.kind, OperandKind::constant);
  EXPECT_EQ(c.bank, 3);
  EXPECT_EQ(c.value, 0x14);
  EXPECT_TRUE(c.negated);
  ASSERT_EQ(c.terms.size(), 1U);
  const MachineOperand a = read_operand("desc[UR4][R6.64+-0x8]");
  EXPECT_EQ(a.kind, OperandKind::memory);
  EXPECT_EQ(a.descriptor, 4);
  EXPECT_EQ(a.value, -8);
  ASSERT_EQ(a.terms.size(), 1U);
  EXPECT_EQ(a.terms[0].part, "64");
  EXPECT_EQ(read_operand("[RZ+URZ+0x20]").terms.size(), 0U);
}

TEST(MachineText, NumbersAreNotRegisters) {
  EXPECT_EQ(read_operand("-0x10").value, -16);
  for (const char* text : {"1.5", "+INF", "-QNAN", "1.84467440737095516160e+19", "0"})
    EXPECT_EQ(read_operand(text).kind, OperandKind::number) << text;
  for (const char* text : {"R256", "UR256", "P8", "R", "R-1", "UB0", "SR_TID.X", "gsb0", "|R2"})
    EXPECT_EQ(read_operand(text).kind, OperandKind::name) << text;
}

TEST(MachineText, OfOlderArchitecturesHasAnInfoInItsSection) {
  const Result<MachineFunction> function = read_machine_text(
      "\t.section\t.text.k,\"ax\",@progbits\n\t.sectioninfo\t@\"SHI_REGISTERS=10\"\n.text.k:\n"
      "        /*0000*/                   EXIT ;\n",
      "k");
  ASSERT_TRUE(function) << sentence(function.error());
  EXPECT_EQ(function->code.size(), 1U);
}

constexpr const char* kText =
    "\t.section\t.text.k,\"ax\",@progbits\nk:\n.text.k:\n"
    "\t//## File \"/a/deep.cuh\", line 5 inlined at \"/a/k.cu\", line 9\n"
    "\t//## File \"/a/k.cu\", line 9\n"
    "        /*0000*/              @!P0 FSEL R7, R0, -QNAN, P0 ;  /* 0xffc5432100077808 */\n"
    "                                                         /* 0x000fe20000000000 */\n"
    ".L_x_1:\n"
    "        /*0010*/                   BRX R4 -0x20 (*\"BRANCH_TARGETS .L_x_1\"*) ; /* 0x1 */\n"
    "                                                         /* 0x2 */\n"
    "\t.section\t.text.other,\"ax\",@progbits\n"
    "        /*0000*/                   NOP ;  /* 0x0 */\n";

TEST(MachineText, AFunctionHasItsOwnInstructionsLabelsAndLines) {
  const Result<MachineFunction> f = read_machine_text(kText, "k");
  ASSERT_TRUE(f) << sentence(f.error());
  ASSERT_EQ(f->code.size(), 2U);
  EXPECT_EQ(f->labels.at(".L_x_1"), 16U);
  EXPECT_EQ(f->code[0].immediate(), 0xffc54321U);
  EXPECT_EQ(f->code[0].high, 0x000fe20000000000U);
  EXPECT_TRUE(f->code[0].guard.complement);
  ASSERT_EQ(f->code[0].positions.size(), 2U);
  EXPECT_EQ(f->code[0].positions[0].line, 5);
  EXPECT_EQ(f->code[1].operands.size(), 2U);
}

TEST(MachineText, WhatIsMissingOrOutOfPlaceIsAnError) {
  EXPECT_FALSE(read_machine_text(kText, "absent"));
  std::string gap = kText;
  gap.replace(gap.find("/*0010*/"), 8, "/*0020*/");
  EXPECT_FALSE(read_machine_text(gap, "k"));
}

TEST(MachineText, CutAndChangedTextsAreReadOrRefused) {
  const std::string whole = kText;
  for (std::size_t n = 0; n < whole.size(); ++n) (void)read_machine_text(whole.substr(0, n), "k");
  for (std::size_t n = 0; n < whole.size(); ++n) {
    for (const char c : {'\0', '[', ']', ',', '|', '.', '9'}) {
      std::string text = whole;
      text[n] = c;
      (void)read_machine_text(text, "k");
    }
  }
}

}  // namespace
}  // namespace warpscope
