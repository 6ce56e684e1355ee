// tests/profiling/listings/listing_test.cpp: rows of PTX and of machine code find their lines.
#include "profiling/listings/listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpscope {
namespace {

using testing::ElementsAre;

const std::vector<std::string> kFiles = {"csrmm/k.cu", "csrmm/rows.cuh"};

std::vector<std::pair<std::string, int>> places(const ListedRow& row) {
  std::vector<std::pair<std::string, int>> found;
  for (const SourcePosition& p : row.positions) found.emplace_back(p.file, p.line);
  return found;
}

// As NVRTC 13.0 writes it: .file directives at the end, a call inlined into a call.
constexpr const char* kPtx = R"(.version 9.0
.target sm_90
.visible .entry other(
	.param .u64 other_param_0
)
{
	.loc	1 3 1
	ret;
}
.visible .entry k(
	.param .u64 k_param_0
)
.maxntid 128, 1, 1
{
	.reg .b32 	%r<9>;
	.loc	1 15 0
	mov.u32 	%r1, %ctaid.x;
	.loc	1 34 5
	.loc	2 10 37, function_name $L__info_string0, inlined_at 1 34 5
	add.s32 	%r2, %r1, 1;
	.loc	2 4 2, function_name $L__info_string1, inlined_at 2 10 37
	mul.lo.s32 	%r3, %r2, 2;
	.loc	1 0 3
	@%p1 bra 	$L__BB0_2;
$L__BB0_2:
	.loc	1 40 3
	{
	ret;
	}
}
	.file	1 "/anywhere/csrmm/k.cu"
	.file	2 "/anywhere/csrmm/rows.cuh"
)";

TEST(PtxRows, AreOfOneKernelAndNameTheLinesTheyComeFrom) {
  const std::vector<ListedRow> rows = ptx_rows(kPtx, "k", kFiles);
  ASSERT_GE(rows.size(), 13U);
  EXPECT_EQ(rows.front().text, ".visible .entry k(");
  EXPECT_EQ(rows.back().text, "}");
  std::vector<ListedRow> code;
  for (const ListedRow& row : rows) {
    EXPECT_EQ(row.text.find(".loc"), std::string::npos) << row.text;
    EXPECT_EQ(row.text.find('\t'), std::string::npos) << row.text;
    if (row.instruction) code.push_back(row);
  }
  ASSERT_EQ(code.size(), 5U);
  using Places = std::vector<std::pair<std::string, int>>;
  EXPECT_EQ(places(code[0]), (Places{{"csrmm/k.cu", 15}}));
  EXPECT_EQ(places(code[1]), (Places{{"csrmm/rows.cuh", 10}, {"csrmm/k.cu", 34}}));
  EXPECT_EQ(places(code[2]),
            (Places{{"csrmm/rows.cuh", 4}, {"csrmm/rows.cuh", 10}, {"csrmm/k.cu", 34}}));
  EXPECT_TRUE(places(code[3]).empty()) << "line 0 is the compiler's own";
  EXPECT_EQ(places(code[4]), (Places{{"csrmm/k.cu", 40}}));
}

// As Triton 3.9 writes a load: LLVM gives the second line of the assembly a line of its own.
TEST(PtxRows, OfInlineAssemblyAreOnTheLineOfItsCall) {
  const std::vector<ListedRow> rows = ptx_rows(
      ".visible .entry k(\n)\n{\n\t.loc\t1 8 9\n\t// begin inline asm\n\t.loc\t1 9 9\n"
      "\tmov.u32 %r1, 0x0;\n\t.loc\t1 10 9\n\tld.global.b32 { %r1 }, [ %rd1 + 0 ];\n\n"
      "\t// end inline asm\n\tadd.s32 %r2, %r1, 1;\n\t.loc\t1 11 9\n\tret;\n}\n"
      "\t.file\t1 \"csrmm/k.cu\"\n",
      "k", kFiles);
  std::vector<int> lines;
  for (const ListedRow& row : rows)
    if (row.instruction) lines.push_back(line_in(row, "csrmm/k.cu"));
  EXPECT_THAT(lines, ElementsAre(9, 9, 9, 11));
}

TEST(PtxRows, AreNoneOfAKernelThatIsNotThere) {
  EXPECT_TRUE(ptx_rows(kPtx, "kernel", kFiles).empty());
  EXPECT_TRUE(ptx_rows("", "k", kFiles).empty());
  EXPECT_TRUE(ptx_rows(".file x\n.loc\n.visible .entry k(\n", "k", kFiles).size() == 1);
}

// As `nvdisasm -gi -c` of CUDA 13 writes it.
constexpr const char* kMachine = R"(	.target	sm_90
//--------------------- .text.other      --------------------------
	.section	.text.other,"ax",@progbits
.text.other:
	//## File "/anywhere/csrmm/k.cu", line 3
        /*0000*/                   EXIT ;
//--------------------- .text.k      --------------------------
	.section	.text.k,"ax",@progbits
        .other          k,@"STO_CUDA_ENTRY STV_DEFAULT"
k:
.text.k:
	//## File "/anywhere/csrmm/k.cu", line 14
        /*0000*/                   LDC R1, c[0x0][0x28] ;
.L_x_5:
	//## File "/anywhere/csrmm/rows.cuh", line 10 inlined at "/anywhere/csrmm/k.cu", line 33
	//## File "/anywhere/csrmm/k.cu", line 33
        /*0010*/                   IMAD R12, R12, c[0x0][0x18c], RZ ;
        /*0020*/              @!P0 BRA `(.L_x_5) ;
	//## File "/anywhere/csrmm/k.cu", line 40
        /*0030*/                   EXIT ;
//--------------------- .nv.shared      --------------------------
	.section	.nv.shared.k,"aw",@nobits
	.zero		16
)";

TEST(MachineRows, AreOfOneKernelAndNameTheLinesTheyComeFrom) {
  const std::vector<ListedRow> rows = machine_rows(kMachine, "k", kFiles);
  ASSERT_EQ(rows.size(), 5U);
  using Places = std::vector<std::pair<std::string, int>>;
  EXPECT_EQ(places(rows[0]), (Places{{"csrmm/k.cu", 14}}));
  EXPECT_FALSE(rows[1].instruction);
  EXPECT_EQ(rows[2].text, "/*0010*/       IMAD R12, R12, c[0x0][0x18c], RZ ;");
  EXPECT_EQ(rows[3].text, "/*0020*/ @!P0 BRA `(.L_x_5) ;");
  EXPECT_EQ(places(rows[2]), (Places{{"csrmm/rows.cuh", 10}, {"csrmm/k.cu", 33}}));
  EXPECT_EQ(places(rows[3]), places(rows[2]));
  EXPECT_EQ(places(rows[4]), (Places{{"csrmm/k.cu", 40}}));
  EXPECT_TRUE(machine_rows(kMachine, "kk", kFiles).empty());
}

TEST(Rows, AndLinesFindEachOther) {
  const std::vector<ListedRow> rows = machine_rows(kMachine, "k", kFiles);
  EXPECT_TRUE(comes_from(rows[2], "csrmm/k.cu", 33));
  EXPECT_TRUE(comes_from(rows[2], "csrmm/rows.cuh", 10));
  EXPECT_FALSE(comes_from(rows[2], "csrmm/k.cu", 10));
  EXPECT_EQ(line_in(rows[2], "csrmm/k.cu"), 33);
  EXPECT_EQ(line_in(rows[2], "csrmm/rows.cuh"), 10);
  EXPECT_EQ(line_in(rows[2], "other.cu"), 0);
  EXPECT_EQ(rows_of_line(rows, "csrmm/k.cu", 33).count, 2U);
  EXPECT_EQ(rows_of_line(rows, "csrmm/k.cu", 33).first, 2U);
  EXPECT_EQ(rows_of_line(rows, "csrmm/k.cu", 34).count, 0U);
}

}  // namespace
}  // namespace warpscope
