// tests/sass/instructions/warps.cpp: cases of lanes of a warp with each other, and of barriers.
#include "tests/sass/instructions/cases.h"

namespace warpscope::instructions {
namespace {

void add_shuffles(CaseList& list) {
  list.family("shuffle");
  for (const std::string how : {"up", "down", "bfly", "idx"}) {
    const std::string clamp = how == "up" ? "0" : "31", quarter = how == "up" ? "0x1800" : "0x1807";
    list.add(how, "and.b32 %t0, %b, 63;\n  shfl.sync." + how + ".b32 %r0|%p, %a, %t0, " + clamp +
                      ", -1;\n  selp.u32 %r1, 1, 0, %p");
    list.add(how + "_3", "shfl.sync." + how + ".b32 %r0|%p, %a, 3, " + clamp +
                             ", -1;\n  selp.u32 %r1, 1, 0, %p");
    list.add(how + "_parts", "and.b32 %t0, %i, 5;\n  shfl.sync." + how + ".b32 %r0|%p, %a, %t0, " +
                                 quarter + ", -1;\n  selp.u32 %r1, 1, 0, %p");
    list.add(how + "_any_clamp", "and.b32 %t0, %c, 0x1f1f;\n  and.b32 %t1, %b, 31;\n  shfl.sync." +
                                     how +
                                     ".b32 %r0|%p, %a, %t1, %t0, -1;\n"
                                     "  selp.u32 %r1, 1, 0, %p");
  }
}

void add_votes(CaseList& list) {
  list.family("vote");
  const std::string test = "setp.lt.s32 %s, %a, %b;\n  ";
  for (const std::string how : {"all", "any", "uni"}) {
    list.add(how, test + "vote.sync." + how + ".pred %p, %s, -1");
    list.add(how + "_not", test + "vote.sync." + how + ".pred %p, !%s, -1");
    list.add(how + "_same", "setp.lt.u32 %s, %t30, 4;\n  vote.sync." + how + ".pred %p, %s, -1");
  }
  list.add("ballot", test + "vote.sync.ballot.b32 %r0, %s, -1");
  list.add("ballot_not", test + "vote.sync.ballot.b32 %r0, !%s, -1");
  list.add("active", test +
                         "mov.u32 %r0, 5;\n  @!%s bra skip;\n  activemask.b32 %r0;\nskip:\n"
                         "  mov.u32 %r1, %r0");
  // Lanes of a part of the warp.
  const std::string part =
      "and.b32 %t0, %i, 1;\n  setp.eq.u32 %s, %t0, 0;\n  mov.u32 %r0, 0;\n"
      "  mov.u32 %r1, 9;\n  @!%s bra skip;\n  ";
  const std::string end = ";\nskip:\n  add.u32 %r0, %r0, %r1";
  list.add("part_ballot", part +
                              "setp.lt.s32 %q, %a, %b;\n"
                              "  vote.sync.ballot.b32 %r0, %q, 0x55555555" +
                              end);
  list.add("part_shuffle", part + "shfl.sync.down.b32 %r0, %a, 2, 31, 0x55555555" + end);
  list.add("part_sum", part + "redux.sync.add.u32 %r0, %a, 0x55555555" + end);
  list.add("part_match",
           part + "and.b32 %t1, %a, 3;\n  match.any.sync.b32 %r0, %t1, 0x55555555" + end);
  list.add("match_any", "and.b32 %t0, %c, 3;\n  match.any.sync.b32 %r0, %t0, -1");
  list.add("match_all", "match.all.sync.b32 %r0|%p, %a, -1;\n  selp.u32 %r1, 1, 0, %p");
  list.add("match_all_same", "match.all.sync.b32 %r0|%p, %t30, -1;\n  selp.u32 %r1, 1, 0, %p");
  list.add("match_any_64", "and.b64 %T0, %B, 0x300000001;\n  match.any.sync.b64 %r0, %T0, -1");
  list.add("match_all_64", "match.all.sync.b64 %r0|%p, %B, -1;\n  selp.u32 %r1, 1, 0, %p");
  list.add("elect", "elect.sync %r0|%p, -1;\n  selp.u32 %r1, 1, 0, %p");
  list.add("elect_part", part + "elect.sync %r0|%p, 0x55555555;\n  selp.u32 %r1, 1, 0, %p" + end);
  for (const std::string type : {"u32", "s32"}) {
    for (const std::string op : {"add", "min", "max"})
      list.add("redux_" + op + type, "redux.sync." + op + "." + type + " %r0, %a, -1");
  }
  for (const std::string op : {"and", "or", "xor"})
    list.add("redux_" + op, "redux.sync." + op + ".b32 %r0, %a, -1");
}

void add_blocks(CaseList& list) {
  list.family("block");
  const std::string test = "setp.lt.s32 %s, %a, %b;\n  ";
  list.add("count", test + "barrier.cta.red.popc.aligned.u32 %r0, 0, %s");
  list.add("all", test + "barrier.cta.red.and.aligned.pred %p, 0, %s");
  list.add("any", test + "barrier.cta.red.or.aligned.pred %p, 0, !%s");
  list.add("count_unaligned", test + "barrier.cta.red.popc.u32 %r0, 3, %s");
  list.add("exchange",
           "mov.u32 %t1, shared_words;\n  shl.b32 %t2, %t31, 2;\n"
           "  add.u32 %t3, %t1, %t2;\n  st.shared.b32 [%t3], %a;\n"
           "  barrier.cta.sync.aligned 0;\n  xor.b32 %t2, %t2, 0x9c;\n"
           "  add.u32 %t3, %t1, %t2;\n  ld.shared.b32 %r0, [%t3]");
  list.add("named",
           "mov.u32 %t1, shared_words;\n  shl.b32 %t2, %t31, 2;\n"
           "  add.u32 %t3, %t1, %t2;\n  setp.lt.u32 %s, %t31, 32;\n  mov.u32 %r0, %b;\n"
           "  @%s bra first;\n  st.shared.b32 [%t3], %a;\n"
           "  barrier.cta.arrive.aligned 2, 64;\n  bra end;\n"
           "first:\n  barrier.cta.sync.aligned 2, 64;\n  ld.shared.b32 %r0, [%t3+128];\n"
           "end:\n  add.u32 %r0, %r0, 1");
  list.add("specials",
           "mov.u32 %r0, %laneid;\n  mov.u32 %t1, %lanemask_lt;\n  mov.u32 %t2, %lanemask_ge;\n"
           "  mov.u32 %t3, %lanemask_eq;\n  xor.b32 %r1, %t1, %t2;\n  xor.b32 %r1, %r1, %t3;\n"
           "  mov.u32 %r2, %lanemask_gt;\n  mov.u32 %t4, %nctaid.x;\n  mov.u32 %t5, %ntid.x;\n"
           "  mad.lo.u32 %r3, %t4, 1000, %t5;\n  mov.u32 %t6, %lanemask_le;\n"
           "  xor.b32 %r2, %r2, %t6;\n  mov.u32 %t7, %nctaid.y;\n  mov.u32 %t8, %ctaid.z;\n"
           "  add.u32 %r3, %r3, %t7;\n  add.u32 %r3, %r3, %t8");
  list.add("arrivals",
           "mov.u32 %t1, shared_words;\n  setp.eq.u32 %s, %t31, 0;\n"
           "  @%s mbarrier.init.shared.b64 [%t1], 64;\n  barrier.cta.sync.aligned 0;\n"
           "  shl.b32 %t2, %t31, 2;\n  add.u32 %t3, %t1, %t2;\n  st.shared.b32 [%t3+64], %a;\n"
           "  mbarrier.arrive.shared.b64 %T0, [%t1];\nwaiting:\n"
           "  mbarrier.test_wait.shared.b64 %q, [%t1], %T0;\n  @!%q bra waiting;\n"
           "  xor.b32 %t2, %t2, 0x9c;\n  add.u32 %t3, %t1, %t2;\n  ld.shared.b32 %r0, [%t3+64]");
  list.add("phases",
           "mov.u32 %t1, shared_words;\n  setp.eq.u32 %s, %t31, 0;\n"
           "  @%s mbarrier.init.shared.b64 [%t1], 64;\n  barrier.cta.sync.aligned 0;\n"
           "  mbarrier.arrive.shared.b64 _, [%t1];\nwaiting:\n"
           "  mbarrier.try_wait.parity.shared.b64 %q, [%t1], 0;\n  @!%q bra waiting;\n"
           "  mbarrier.test_wait.parity.shared.b64 %q, [%t1], 1;\n  selp.u32 %r0, 1, 0, %q;\n"
           "  mbarrier.arrive.expect_tx.shared.b64 %T0, [%t1], 0;\n"
           "  mbarrier.pending_count.b64 %r1, %T0;\n  and.b32 %r1, %r1, 0");
}

}  // namespace

void add_warp_cases(CaseList& list) {
  add_shuffles(list);
  add_votes(list);
  add_blocks(list);
}

}  // namespace warpscope::instructions
