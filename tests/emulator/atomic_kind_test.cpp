// tests/emulator/atomic_kind_test.cpp: which atomics of PTX are reductions on the device, and in
// which a warp adds its lanes up first.
#include <algorithm>
#include <optional>
#include <string>

#include "profiling/emulator/state/kernel_code.h"
#include "tests/emulator/fixture.h"

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

// How the atomic of a body merges lanes; no value: it does not. %r2 is threadIdx.x, %r9 gridDim.x
// and %l2 the address of element threadIdx.x.
std::optional<WarpMerge> merge_of(const std::string& body) {
  const std::string text =
      ".version 9.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<8>;\n.reg .b32 %r<20>;\n"
      ".reg .f32 %f<4>;\n.reg .b64 %l<10>;\nld.param.u64 %l1, [p];\nmov.u32 %r2, %tid.x;\n"
      "mov.u32 %r9, %nctaid.x;\nmad.wide.u32 %l2, %r2, 4, %l1;\nand.b32 %r8, %r2, 1;\n"
      "setp.eq.u32 %p7, %r8, 0;\nmov.f32 %f1, 0f3f800000;\nmov.u64 %l9, 1;\n" +
      body + "\nret;\n}\n";
  const Result<Program> program = Program::parse(text, "test.cu");
  if (!program) {
    ADD_FAILURE() << sentence(program.error());
    return std::nullopt;
  }
  const auto kernel = program->kernel("k");
  if (!kernel || !(*kernel)->unknown.empty()) {
    ADD_FAILURE() << "not decoded: " << body;
    return std::nullopt;
  }
  for (const Instruction& i : (*kernel)->code) {
    if ((i.flags & kFlagMerged) == 0 || i.site == kNoSite) continue;
    const AccessSite& site = (*kernel)->sites[i.site];
    if (site.kind != AccessKind::atomic && site.kind != AccessKind::reduction) continue;
    EXPECT_TRUE(site.merged) << body;
    return static_cast<WarpMerge>(i.b);
  }
  EXPECT_TRUE(std::none_of((*kernel)->sites.begin(), (*kernel)->sites.end(),
                           [](const AccessSite& site) { return site.merged; }))
      << body;
  return std::nullopt;
}

constexpr auto kAny = std::optional(WarpMerge::any_lanes);
constexpr auto kWhole = std::optional(WarpMerge::whole_warps);
constexpr std::optional<WarpMerge> kNone;
const std::string kUse = "st.global.u32 [%l2+64], %r7;";

// Each case is a kernel whose machine code, by ptxas 13.0 for sm_90, was read: REDUX or POPC before
// one predicated RED, a scan by SHFL.UP before one ATOM of the last lane, or RED and ATOM as they
// stand.
TEST(AtomicMerge, IsDoneForTheOperationsThatPtxasDoesItFor) {
  for (const char* operation : {"add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32"})
    EXPECT_EQ(merge_of(std::string("red.global.") + operation + " [%l1], %r2;"), kAny) << operation;
  EXPECT_EQ(merge_of("red.global.inc.u32 [%l1], %r2;"), kNone);
  EXPECT_EQ(merge_of("red.global.add.f32 [%l1], %f1;"), kNone);
  EXPECT_EQ(merge_of("red.global.add.u64 [%l1], %l9;"), kNone);
  EXPECT_EQ(merge_of("atom.global.exch.b32 %r7, [%l1], %r2;"), kNone);
  EXPECT_EQ(merge_of("red.add.u32 [%l1], %r2;"), kAny);
}

TEST(AtomicMerge, OfAWantedOldValueIsDoneForAdditionsAndWholeWarps) {
  EXPECT_EQ(merge_of("atom.global.add.u32 %r7, [%l1], %r2;\n" + kUse), kWhole);
  EXPECT_EQ(merge_of("atom.global.add.u32 %r7, [%l1], 1;\n" + kUse), kAny);
  EXPECT_EQ(merge_of("atom.global.add.u32 %r7, [%l1], %r9;\n" + kUse), kAny);
  EXPECT_EQ(merge_of("atom.global.min.s32 %r7, [%l1], 5;\n" + kUse), kNone);
  EXPECT_EQ(merge_of("atom.global.or.b32 %r7, [%l1], %r2;\n" + kUse), kNone);
  EXPECT_EQ(merge_of("atom.global.add.u32 %r7, [%l1], %r2;"), kAny);  // nobody reads it: RED
}

TEST(AtomicMerge, NeedsAnAddressThatIsTheSameInAllLanes) {
  const std::string add = "mad.wide.u32 %l3, %r3, 4, %l1;\nred.global.add.u32 [%l3], %r2;";
  EXPECT_EQ(merge_of("red.global.add.u32 [%l2], %r2;"), kNone);
  EXPECT_EQ(merge_of("mov.u32 %r3, %tid.y;\n" + add), kNone);
  EXPECT_EQ(merge_of("mov.u32 %r3, %ctaid.x;\n" + add), kAny);
  EXPECT_EQ(merge_of("ld.global.u32 %r3, [%l1+4];\n" + add), kAny);
  EXPECT_EQ(merge_of("ld.global.u32 %r3, [%l2];\n" + add), kNone);
  EXPECT_EQ(merge_of("vote.sync.ballot.b32 %r3, %p7, -1;\n" + add), kAny);
  EXPECT_EQ(merge_of("shfl.sync.idx.b32 %r3, %r2, 0, 31, -1;\n" + add), kAny);
  EXPECT_EQ(merge_of("shfl.sync.idx.b32 %r3, %r2, %r9, 31, -1;\n" + add), kAny);
  EXPECT_EQ(merge_of("shfl.sync.idx.b32 %r3, %r2, 0, 6175, -1;\n" + add), kNone);  // of 8 lanes
  EXPECT_EQ(merge_of("shfl.sync.up.b32 %r3, %r2, 1, 0, -1;\n" + add), kNone);
  EXPECT_EQ(merge_of("redux.sync.add.s32 %r3, %r2, -1;\n" + add), kAny);
  EXPECT_EQ(merge_of("bar.red.popc.u32 %r3, 0, %p7;\n" + add), kNone);
  EXPECT_EQ(merge_of("selp.u32 %r3, 1, 0, %p7;\n" + add), kNone);
}

TEST(AtomicMerge, SeesThroughLoopsAndBranches) {
  const std::string begin = "mov.u32 %r3, 0;\nagain:\n",
                    add = "mad.wide.u32 %l3, %r3, 4, %l1;\nred.global.add.u32 [%l3], %r2;\n",
                    step = "add.u32 %r3, %r3, 1;\n";
  const std::string rounds = "setp.lt.u32 %p1, %r3, %r9;\n@%p1 bra again;\n";
  const std::string own_rounds = "setp.lt.u32 %p1, %r3, %r8;\n@%p1 bra again;\n";
  EXPECT_EQ(merge_of(begin + add + step + rounds), kAny);
  EXPECT_EQ(merge_of(begin + add + step + own_rounds), kNone);
  // Lanes that have left, or that go round something, change nothing for the loop.
  EXPECT_EQ(merge_of("@%p7 bra out;\n" + begin + add + step + rounds + "out:"), kAny);
  EXPECT_EQ(
      merge_of(begin + "@%p7 bra over;\nst.global.u32 [%l2], %r2;\nover:\n" + add + step + rounds),
      kAny);
  // A value that lanes set only on a divergent path differs after it.
  EXPECT_EQ(merge_of("mov.u32 %r3, 0;\n@%p7 bra over;\nmov.u32 %r3, %r9;\nover:\n" + add), kNone);
  EXPECT_EQ(merge_of("mov.u32 %r3, 0;\n@%p7 mov.u32 %r3, %r9;\n" + add), kNone);
  EXPECT_EQ(merge_of("setp.eq.u32 %p1, %r9, 3;\nmov.u32 %r3, 0;\n@%p1 bra over;\nmov.u32 %r3, "
                     "%r9;\nover:\n" +
                     add),
            kAny);
  // Both divergent paths: the second lies after the jump around it.
  EXPECT_EQ(merge_of("@%p7 bra other;\nmov.u32 %r3, 1;\nbra behind;\nother:\nmov.u32 %r3, "
                     "2;\nbehind:\n" +
                     add),
            kNone);
}

// A warp with all lanes, then with the odd ones alone: requests and sectors.
AccessTotals totals_of(const std::string& atomic, bool odd_only) {
  std::vector<std::int32_t> p(256);
  Bench bench;
  bench.add("p", p);
  bench.pass(0);
  const std::string body =
      "ld.param.u64 %l1, [p0];\nmov.u32 %r2, %tid.x;\nmad.wide.u32 %l2, %r2, 4, %l1;\n"
      "and.b32 %r8, %r2, 1;\nsetp.eq.u32 %p7, %r8, 0;\n" +
      std::string(odd_only ? "@%p7 bra out;\n" : "") + atomic + "\nst.global.u32 [%l2+64], %r7;" +
      "\nout:\nret;";
  const Trace trace = bench.run(ptx_entry(1, body), launch_of(1, 32));
  EXPECT_EQ(faults_text(trace), "");
  AccessTotals all;
  for (const AccessSite& site : trace.sites) {
    if (site.kind == AccessKind::atomic) all += site.totals;
  }
  // The sum over the requests that were kept is the same.
  AccessTotals kept;
  for (const WarpRequest& r : trace.requests) {
    const AccessSite& site = trace.sites[r.site];
    if (site.kind == AccessKind::atomic) kept += global_cost(r, site.width_bytes, site.kind);
  }
  EXPECT_EQ(kept, all);
  // All lanes were added, whoever went to memory.
  EXPECT_NE(p[0], 0);
  return all;
}

TEST(AtomicMerge, SendsOneLaneAWarpAndPartsOfWarpsOnlyWhereAllAddTheSame) {
  const std::string own = "atom.global.add.u32 %r7, [%l1], %r2;",
                    same = "atom.global.add.u32 %r7, [%l1], 1;";
  EXPECT_EQ(totals_of(own, false).sectors, 1);
  EXPECT_EQ(totals_of(own, false).lanes, 1);
  EXPECT_EQ(totals_of(same, false).sectors, 1);
  EXPECT_EQ(totals_of(same, true).sectors, 1);
  EXPECT_EQ(totals_of(own, true).sectors, 16);
  EXPECT_EQ(totals_of(own, true).requests, 1);
}

}  // namespace
}  // namespace warpscope
