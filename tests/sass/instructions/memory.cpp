// tests/sass/instructions/memory.cpp: cases of loads, stores and atomics.
#include "tests/sass/instructions/cases.h"

namespace warpscope::instructions {
namespace {

// The address of the lane's 16 bytes, in %T0.
const std::string kGlobal = "mul.wide.u32 %T1, %i, 16;\n  add.u64 %T0, %M, %T1;\n  ";
// The same of shared memory, which begins as the lanes' inputs.
const std::string kShared =
    "mov.u32 %t1, shared_words;\n  shl.b32 %t2, %t31, 4;\n  add.u32 %t0, %t1, %t2;\n"
    "  st.shared.v4.b32 [%t0], {%a, %b, %c, %d};\n  barrier.cta.sync.aligned 0;\n  ";

void add_global(CaseList& list) {
  list.family("global");
  for (const std::string cache : {"",
                                  ".ca",
                                  ".cg",
                                  ".cs",
                                  ".lu",
                                  ".cv",
                                  ".volatile",
                                  ".relaxed.cta",
                                  ".relaxed.gpu",
                                  ".relaxed.sys",
                                  ".acquire.cta",
                                  ".acquire.gpu",
                                  ".acquire.sys",
                                  ".nc",
                                  ".L1::evict_last",
                                  ".L1::evict_first",
                                  ".L1::no_allocate",
                                  ".nc.L1::no_allocate",
                                  ".L2::64B",
                                  ".L2::128B",
                                  ".L2::256B"}) {
    const bool nc = cache.starts_with(".nc");
    const std::string how =
        nc ? ".global" + cache
        : cache.starts_with(".L") || cache.starts_with(".c") || cache.starts_with(".lu")
            ? ".global" + cache
            : cache + ".global";
    list.add("load" + cache, kGlobal + "ld" + how + ".b32 %r0, [%T0+4]");
  }
  for (const std::string cache :
       {"", ".wb", ".cg", ".cs", ".wt", ".volatile", ".relaxed.cta", ".relaxed.gpu", ".relaxed.sys",
        ".release.cta", ".release.gpu", ".release.sys", ".L1::evict_last", ".L1::no_allocate"}) {
    const bool after =
        cache.starts_with(".L") || cache.starts_with(".c") || cache.starts_with(".w");
    list.add("store" + cache,
             kGlobal + "st" + (after ? ".global" + cache : cache + ".global") + ".b32 [%T0+4], %a")
        .memory = true;
  }
  for (const std::string type : {"u8", "s8", "u16", "s16"}) {
    list.add("load_" + type, kGlobal + "ld.global." + type + " %r0, [%T0+2]");
    list.add("load_nc_" + type, kGlobal + "ld.global.nc." + type + " %r0, [%T0+2]");
    list.add("store_" + type, kGlobal + "st.global." + type + " [%T0+2], %a").memory = true;
  }
  list.add("load_b64", kGlobal + "ld.global.b64 %R0, [%T0+8]");
  list.add("load_v2", kGlobal + "ld.global.v2.b32 {%r0, %r1}, [%T0]");
  list.add("load_v4", kGlobal + "ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%T0]");
  list.add("load_v2_b64", kGlobal + "ld.global.v2.b64 {%R0, %R1}, [%T0]");
  list.add("load_nc_v4", kGlobal + "ld.global.nc.v4.b32 {%r0, %r1, %r2, %r3}, [%T0]");
  list.add("load_v4_u8", kGlobal + "ld.global.v4.u8 {%r0, %r1, %r2, %r3}, [%T0]");
  list.add("load_nc_b64", kGlobal + "ld.global.nc.b64 %R0, [%T0+8]");
  for (const std::string cache : {".cs", ".nc.L1::no_allocate", ".nc.L1::no_allocate.L2::128B",
                                  ".nc.L2::256B", ".cg", ".lu", ".cv"}) {
    list.add("load_v4" + cache,
             kGlobal + "ld.global" + cache + ".v4.b32 {%r0, %r1, %r2, %r3}, [%T0]");
    list.add("load_b64" + cache, kGlobal + "ld.global" + cache + ".b64 %R0, [%T0]");
  }
  for (const std::string how :
       {".global.cs", ".volatile.global", ".global.cg", ".relaxed.sys.global"}) {
    list.add("store_v4" + how, kGlobal + "st" + how + ".v4.b32 [%T0], {%a, %b, %c, %d}").memory =
        true;
    list.add("store_b64" + how, kGlobal + "st" + how + ".b64 [%T0], %A").memory = true;
  }
  for (const std::string type : {"u8", "s8", "u16", "s16"}) {
    list.add("generic_" + type, kGlobal + "cvta.global.u64 %T2, %T0;\n  ld." + type +
                                    " %r0, [%T2+2];\n  st." + type + " [%T2+6], %a")
        .memory = true;
  }
  list.add("store_b64", kGlobal + "st.global.b64 [%T0], %A").memory = true;
  list.add("store_v2", kGlobal + "st.global.v2.b32 [%T0+8], {%a, %b}").memory = true;
  list.add("store_v4", kGlobal + "st.global.v4.b32 [%T0], {%a, %b, %c, %d}").memory = true;
  list.add("store_guarded", kGlobal + "setp.lt.s32 %s, %a, %b;\n  @%s st.global.b32 [%T0], %c")
      .memory = true;
  list.add("generic",
           kGlobal + "cvta.global.u64 %T2, %T0;\n  ld.b32 %r0, [%T2];\n  st.b32 [%T2+8], %a")
      .memory = true;
  list.add("prefetch", kGlobal +
                           "prefetch.global.L1 [%T0];\n  prefetch.global.L2 [%T0];\n"
                           "  ld.global.b32 %r0, [%T0]");
  list.add("discard_none", kGlobal +
                               "ld.global.b32 %r0, [%T0];\n  membar.cta;\n  membar.gl;\n"
                               "  membar.sys;\n  fence.acq_rel.gpu;\n  fence.sc.cta;\n"
                               "  st.global.b32 [%T0], %r0");
  list.add("policy", "createpolicy.fractional.L2::evict_last.b64 %T3, 1.0;\n  " + kGlobal +
                         "ld.global.L2::cache_hint.b32 %r0, [%T0], %T3;\n"
                         "  st.global.L2::cache_hint.b32 [%T0+4], %r0, %T3")
      .memory = true;
}

void add_shared_and_local(CaseList& list) {
  list.family("shared");
  for (const std::string type : {"u8", "s8", "u16", "s16"}) {
    list.add("load_" + type, kShared + "ld.shared." + type + " %r0, [%t0+2]");
    list.add("store_" + type,
             kShared + "st.shared." + type + " [%t0+2], %b;\n  ld.shared.b32 %r0, [%t0]");
  }
  list.add("load_v2", kShared + "xor.b32 %t0, %t0, 16;\n  ld.shared.v2.b32 {%r0, %r1}, [%t0+8]");
  list.add("load_v4",
           kShared + "xor.b32 %t0, %t0, 16;\n  ld.shared.v4.b32 {%r0, %r1, %r2, %r3}, [%t0]");
  list.add("load_b64", kShared + "xor.b32 %t0, %t0, 48;\n  ld.shared.b64 %R0, [%t0]");
  list.add("volatile", kShared +
                           "ld.volatile.shared.b32 %r0, [%t0+4];\n"
                           "  st.volatile.shared.b32 [%t0+4], %d;\n  ld.shared.b32 %r1, [%t0+4]");
  list.add("store_v2",
           kShared + "st.shared.v2.b32 [%t0+8], {%a, %b};\n  ld.shared.v2.b32 {%r0, %r1}, [%t0+8]");
  list.add("generic", kShared +
                          "cvt.u64.u32 %T0, %t0;\n  cvta.shared.u64 %T0, %T0;\n"
                          "  ld.b32 %r0, [%T0+4];\n  isspacep.shared %p, %T0;\n"
                          "  isspacep.global %q, %T0;\n  selp.u32 %r1, 1, 0, %p;\n"
                          "  selp.u32 %r2, 1, 0, %q");
  list.add("map",
           kShared + "mapa.shared::cluster.u32 %t5, %t0, 0;\n  ld.shared::cluster.b32 %r0, [%t5]");
  list.family("local");
  const std::string local =
      "mov.u64 %T0, local_words;\n  and.b32 %t0, %c, 15;\n"
      "  mul.wide.u32 %T1, %t0, 4;\n  add.u64 %T1, %T0, %T1;\n"
      "  st.local.v4.b32 [%T0], {%a, %b, %c, %d};\n"
      "  st.local.v4.b32 [%T0+16], {%b, %c, %d, %a};\n"
      "  st.local.v4.b32 [%T0+32], {%c, %d, %a, %b};\n"
      "  st.local.v4.b32 [%T0+48], {%d, %c, %b, %a};\n  ";
  list.add("load", local + "ld.local.b32 %r0, [%T1]");
  list.add("load_v2", "and.b32 %c, %c, 14;\n  " + local + "ld.local.v2.b32 {%r0, %r1}, [%T1]");
  list.add("load_v4",
           "and.b32 %c, %c, 12;\n  " + local + "ld.local.v4.b32 {%r0, %r1, %r2, %r3}, [%T1]");
  list.add("store_any",
           local + "st.local.b32 [%T1], %b;\n  ld.local.v4.b32 {%r0, %r1, %r2, %r3}, [%T0+16]");
  list.add("store_v2", "and.b32 %c, %c, 14;\n  " + local +
                           "st.local.v2.b32 [%T1], {%b, %a};\n"
                           "  ld.local.v4.b32 {%r0, %r1, %r2, %r3}, [%T0+32]");
  list.add("load_u8", local + "ld.local.u8 %r0, [%T1+3]");
  list.add("load_s16", local + "ld.local.s16 %r0, [%T1+2]");
  list.add("store", local +
                        "st.local.u8 [%T1+1], %d;\n  st.local.u16 [%T1+2], %a;\n"
                        "  ld.local.v2.b32 {%r0, %r1}, [%T0+16];\n  ld.local.b64 %T3, [%T0+24];\n"
                        "  mov.b64 {%r2, %r3}, %T3");
  list.add("generic", local + "cvta.local.u64 %T1, %T1;\n  ld.b32 %r0, [%T1]");
}

struct Atomic {
  std::string op, type;
  Inputs inputs;
};
std::vector<Atomic> atomics() {
  std::vector<Atomic> all;
  for (const std::string type : {"u32", "s32", "u64", "s64"}) {
    const Inputs inputs = type.ends_with("64") ? Inputs::longs : Inputs::words;
    for (const std::string op : {"min", "max"}) all.push_back({op, type, inputs});
    if (type != "s64") all.push_back({"add", type, inputs});
  }
  for (const std::string type : {"b32", "b64"}) {
    for (const std::string op : {"and", "or", "xor", "exch", "cas"})
      all.push_back({op, type, type == "b64" ? Inputs::longs : Inputs::words});
  }
  all.push_back({"inc", "u32", Inputs::words});
  all.push_back({"dec", "u32", Inputs::words});
  all.push_back({"add", "f32", Inputs::floats});
  all.push_back({"add", "f64", Inputs::doubles});
  all.push_back({"add.noftz", "f16x2", Inputs::halves});
  all.push_back({"add.noftz", "bf16x2", Inputs::bfloats});
  all.push_back({"add.noftz", "f16", Inputs::halves});
  all.push_back({"add.noftz", "bf16", Inputs::bfloats});
  all.push_back({"cas", "b16", Inputs::words});
  return all;
}

// Each lane has words of its own: first its inputs, then what the instruction leaves.
void add_atomics(CaseList& list, bool shared) {
  list.family(shared ? "atomic_shared" : "atomic_global");
  const std::string space = shared ? ".shared" : ".global", at = shared ? "[%t0]" : "[%T0]";
  const std::string begin =
      shared ? kShared : kGlobal + "st.global.v4.b32 [%T0], {%c, %d, %a, %b};\n  ";
  for (const Atomic& a : atomics()) {
    const bool wide = a.type.ends_with("64"), half = a.type.ends_with("16");
    const std::string d = wide   ? "%R0"
                          : half ? "%h0"
                                 : "%r0",
                      x = wide   ? "%A"
                          : half ? "%h5"
                                 : "%b",
                      y = wide   ? ", %B"
                          : half ? ", %h6"
                                 : ", %c",
                      more = a.op == "cas" ? y : "";
    const std::string name = a.op + "_" + a.type;
    const std::string rest = space + "." + a.op + "." + a.type + " ";
    const std::string after = wide ? ";\n  ld" + space + ".b64 %R1, " + at
                              : half
                                  ? ";\n  cvt.u32.u16 %r0, %h0;\n  ld" + space + ".b32 %r1, " + at
                                  : ";\n  ld" + space + ".b32 %r1, " + at;
    list.add(name, begin + "atom" + rest + d + ", " + at + ", " + x + more + after, a.inputs);
    if (a.op == "exch" || a.op == "cas") continue;
    list.add("red_" + name,
             begin + "red" + rest + at + ", " + x + ";\n  ld" + space +
                 (wide ? ".b64 %R0, " : ".b32 %r0, ") + at,
             a.inputs);
  }
  for (const std::string how : {".relaxed.cta", ".relaxed.sys", ".acquire.gpu", ".release.gpu",
                                ".acq_rel.gpu", ".acq_rel.sys", ".acq_rel.cta"}) {
    list.add("add" + how, begin + "atom" + how + space + ".add.u32 %r0, " + at + ", %b");
    list.add("exch" + how, begin + "atom" + how + space + ".exch.b32 %r0, " + at + ", %b");
  }
  // All lanes of a warp at a few words.
  const std::string few = shared ? "mov.u32 %t3, shared_words;\n  and.b32 %t4, %i, 3;\n"
                                   "  shl.b32 %t4, %t4, 2;\n  add.u32 %t0, %t3, %t4;\n  "
                                 : "shr.u32 %t3, %i, 5;\n  and.b32 %t4, %i, 3;\n"
                                   "  mad.lo.u32 %t3, %t3, 128, %t4;\n"
                                   "  mul.wide.u32 %T1, %t3, 4;\n  add.u64 %T0, %M, %T1;\n  ";
  const std::string at_end = shared ? ";\n  barrier.cta.sync.aligned 0;\n  ld.shared.b32 %r0, [%t0]"
                                    : ";\n  bar.warp.sync -1;\n  ld.volatile.global.b32 %r0, [%T0]";
  for (const std::string op :
       {"add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32", "inc.u32", "dec.u32"}) {
    // With bounds of their own the order of lanes would show.
    const std::string operand = op == "inc.u32" || op == "dec.u32" ? ", 9" : ", %a";
    list.add("few_" + op, (shared ? kShared : "") + few + "red" + space + "." + op + " " + at +
                              operand + at_end);
  }
  list.add("few_same",
           (shared ? kShared : "") + few + "red" + space + ".add.u32 " + at + ", 1" + at_end);
  list.add(
      "few_64",
      (shared ? kShared : "") + few + "and.b32 %t5, %i, 0;\n  " +
          (shared ? "mov.u32 %t0, %t3" : "mul.wide.u32 %T3, %t4, 4;\n  sub.u64 %T0, %T0, %T3") +
          ";\n  red" + space + ".add.u64 " + at + ", %A" + at_end,
      Inputs::longs);
}

void add_wide_atomics(CaseList& list) {
  list.family("atomic_wide");
  const std::string begin = kGlobal + "st.global.v4.b32 [%T0], {%c, %d, %a, %b};\n  ";
  list.add("exch_128",
           begin +
               "mov.b128 %w, {%A, %B};\n  atom.global.exch.b128 %w, [%T0], %w;\n"
               "  mov.b128 {%R0, %R1}, %w",
           Inputs::longs);
  list.add("cas_128",
           begin +
               "mov.b128 %w, {%B, %A};\n  mov.b128 %v, {%A, %A};\n"
               "  atom.global.cas.b128 %w, [%T0], %w, %v;\n"
               "  ld.global.v2.b64 {%R0, %R1}, [%T0]",
           Inputs::longs);
  list.add("red_v2_f32",
           begin +
               "red.global.v2.f32.add [%T0], {%a, %b};\n"
               "  ld.global.v2.b32 {%r0, %r1}, [%T0]",
           Inputs::floats);
  list.add("red_v4_f32",
           begin +
               "red.global.v4.f32.add [%T0], {%a, %b, %c, %d};\n"
               "  ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%T0]",
           Inputs::floats);
  list.add("atom_v2_f32",
           begin +
               "atom.global.v2.f32.add {%r0, %r1}, [%T0], {%a, %b};\n"
               "  ld.global.v2.b32 {%r2, %r3}, [%T0]",
           Inputs::floats);
  list.add("red_v4_f16x2",
           begin +
               "red.global.v4.f16x2.add.noftz [%T0], {%a, %b, %c, %d};\n"
               "  ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%T0]",
           Inputs::halves);
  for (Case* c : {&list.add(
           "generic", begin + "cvta.global.u64 %T2, %T0;\n  atom.add.u32 %r0, [%T2], %b;\n"
                              "  atom.cas.b32 %r1, [%T2+4], %b, %c;\n"
                              "  atom.exch.b64 %T3, [%T2+8], %A;\n  mov.b64 {%r2, %r3}, %T3")})
    c->memory = true;
}

void add_copies(CaseList& list) {
  list.family("copy");
  const std::string wait =
      ";\n  cp.async.commit_group;\n  cp.async.wait_group 0;\n"
      "  barrier.cta.sync.aligned 0;\n  xor.b32 %t0, %t0, 16;\n"
      "  ld.shared.v4.b32 {%r0, %r1, %r2, %r3}, [%t0]";
  for (const std::string bytes : {"4", "8", "16"}) {
    list.add("ca_" + bytes,
             kGlobal + kShared + "cp.async.ca.shared.global [%t0], [%T0], " + bytes + wait);
    list.add("ca_part_" + bytes, kGlobal + kShared +
                                     "and.b32 %t5, %i, 3;\n"
                                     "  cp.async.ca.shared.global [%t0], [%T0], " +
                                     bytes + ", %t5" + wait);
  }
  list.add("cg", kGlobal + kShared + "cp.async.cg.shared.global [%t0], [%T0], 16" + wait);
  list.add("cg_part", kGlobal + kShared +
                          "and.b32 %t5, %i, 15;\n"
                          "  cp.async.cg.shared.global [%t0], [%T0], 16, %t5" +
                          wait);
  list.add("cg_prefetch",
           kGlobal + kShared + "cp.async.cg.shared.global.L2::128B [%t0], [%T0], 16" + wait);
  list.add("cg_guarded", kGlobal + kShared +
                             "setp.lt.s32 %s, %a, %b;\n"
                             "  @%s cp.async.cg.shared.global [%t0], [%T0], 16" +
                             wait);
}

// The block's 1024 bytes at once.
void add_bulk_copies(CaseList& list) {
  list.family("bulk");
  const std::string begin =
      "mov.u32 %t1, shared_words;\n  setp.eq.u32 %s, %t31, 0;\n"
      "  shl.b32 %t2, %t31, 4;\n  add.u32 %t0, %t1, %t2;\n"
      "  mul.wide.u32 %T1, %t30, 1024;\n  add.u64 %T0, %M, %T1;\n  ";
  list.add("load", begin +
                       "@%s mbarrier.init.shared.b64 [%t1+2048], 1;\n"
                       "  @%s fence.mbarrier_init.release.cluster;\n  barrier.cta.sync.aligned 0;\n"
                       "  @%s mbarrier.arrive.expect_tx.shared.b64 _, [%t1+2048], 1024;\n"
                       "  @%s cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                       "[%t1], [%T0], 1024, [%t1+2048];\nwaiting:\n"
                       "  mbarrier.try_wait.parity.shared.b64 %q, [%t1+2048], 0;\n"
                       "  @!%q bra waiting;\n  ld.shared.v4.b32 {%r0, %r1, %r2, %r3}, [%t0]");
  const std::string fill = begin +
                           "st.shared.v4.b32 [%t0], {%a, %b, %c, %d};\n"
                           "  fence.proxy.async.shared::cta;\n"
                           "  barrier.cta.sync.aligned 0;\n  @!%s bra end;\n  ";
  const std::string end =
      ".global.shared::cta.bulk_group$1 [%T0], [%t1], 1024;\n"
      "  cp.async.bulk.commit_group;\n  cp.async.bulk.wait_group 0;\nend:\n"
      "  mov.u32 %r0, %a";
  list.add("store", fill + "cp.async.bulk" + with(end, "")).memory = true;
  for (const std::string op :
       {".add.u32", ".add.s32", ".add.u64", ".inc.u32", ".dec.u32", ".min.u32", ".max.s32",
        ".min.s64", ".max.u64", ".and.b32", ".or.b64", ".xor.b32", ".add.f32", ".add.f64",
        ".add.noftz.f16", ".add.noftz.bf16", ".min.f16", ".max.bf16"}) {
    const bool floats = op.ends_with("f32"), doubles = op.ends_with("f64");
    list.add("reduce" + op, fill + "cp.reduce.async.bulk" + with(end, op),
             floats    ? Inputs::floats
             : doubles ? Inputs::doubles
                       : Inputs::words)
        .memory = true;
  }
}

}  // namespace

void add_memory_cases(CaseList& list) {
  add_global(list);
  add_shared_and_local(list);
  add_atomics(list, false);
  add_atomics(list, true);
  add_wide_atomics(list);
  add_copies(list);
  add_bulk_copies(list);
}

// Products of the tensor cores, and how their parts reach registers.
void add_matrix_cases(CaseList& list) {
  list.family("matrix");
  for (const std::string n : {"1", "2", "4"}) {
    for (const std::string trans : {"", ".trans"}) {
      const std::string registers = n == "1"   ? "{%r0}"
                                    : n == "2" ? "{%r0, %r1}"
                                               : "{%r0, %r1, %r2, %r3}";
      list.add("load_x" + n + trans, kShared + "ldmatrix.sync.aligned.m8n8.x" + n + trans +
                                         ".shared.b16 " + registers + ", [%t0]");
      const std::string given = n == "1" ? "{%a}" : n == "2" ? "{%a, %b}" : "{%a, %b, %c, %d}";
      list.add("store_x" + n + trans, kShared + "stmatrix.sync.aligned.m8n8.x" + n + trans +
                                          ".shared.b16 [%t0], " + given +
                                          ";\n  barrier.cta.sync.aligned 0;\n"
                                          "  ld.shared.v4.b32 {%r0, %r1, %r2, %r3}, [%t0]");
    }
  }
  list.add("transpose", "movmatrix.sync.aligned.m8n8.trans.b16 %r0, %a");
  const std::string four = "{%r0, %r1, %r2, %r3}, ", a4 = "{%a, %b, %c, %d}, ", a2 = "{%a, %b}, ",
                    b2 = "{%b, %c}, ", b1 = "{%d}, ", zero = "{%t3, %t3, %t3, %t3}",
                    c4 = "{%d, %c, %b, %a}";
  const auto whole = [&](const std::string& name, const std::string& op, const std::string& a,
                         const std::string& b) {
    list.add(name, "mma.sync.aligned." + op + " " + four + a + b + c4, Inputs::bytes);
  };
  for (const std::string x : {"s8", "u8"}) {
    for (const std::string y : {"s8", "u8"}) {
      whole("k32_" + x + y, with("m16n8k32.row.col.s32.$1.$2.s32", x, y), a4, b2);
      whole("k32_sat_" + x + y, with("m16n8k32.row.col.satfinite.s32.$1.$2.s32", x, y), a4, b2);
      whole("k16_" + x + y, with("m16n8k16.row.col.s32.$1.$2.s32", x, y), a2, b1);
    }
  }
  whole("k64_s4", "m16n8k64.row.col.s32.s4.s4.s32", a4, b2);
  whole("k256_and", "m16n8k256.row.col.s32.b1.b1.s32.and.popc", a4, b2);
  whole("k256_xor", "m16n8k256.row.col.s32.b1.b1.s32.xor.popc", a4, b2);
  // Small whole numbers, whose products and sums are exact in any order, and edges.
  const std::string small =
      "and.b32 %a, %a, 0x40404040;\n  and.b32 %b, %b, 0x40404040;\n"
      "  and.b32 %c, %c, 0x40404040;\n  and.b32 %d, %d, 0x40404040;\n"
      "  mov.u32 %t3, 0;\n  ";
  const auto real = [&](const std::string& name, const std::string& op, const std::string& a,
                        const std::string& b, Inputs edges) {
    list.add(name + "_small", small + "mma.sync.aligned." + op + " " + four + a + b + zero,
             Inputs::bytes);
    list.add(name + "_edges", "mma.sync.aligned." + op + " " + four + a + b + c4, edges);
  };
  real("k16_f16", "m16n8k16.row.col.f32.f16.f16.f32", a4, b2, Inputs::halves);
  real("k8_f16", "m16n8k8.row.col.f32.f16.f16.f32", a2, b1, Inputs::halves);
  real("k16_bf16", "m16n8k16.row.col.f32.bf16.bf16.f32", a4, b2, Inputs::bfloats);
  real("k8_bf16", "m16n8k8.row.col.f32.bf16.bf16.f32", a2, b1, Inputs::bfloats);
  real("k8_tf32", "m16n8k8.row.col.f32.tf32.tf32.f32", a4, b2, Inputs::floats);
  real("k4_tf32", "m16n8k4.row.col.f32.tf32.tf32.f32", a2, b1, Inputs::floats);
  list.add("k16_to_f16",
           "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r0, %r1}, " + a4 + b2 + "{%d, %a}",
           Inputs::halves);
  list.add("k8_to_f16",
           "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r0, %r1}, " + a2 + b1 + "{%d, %a}",
           Inputs::halves);
  list.add("double",
           "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%R0, %R1}, {%A}, {%B}, {%B, %A}",
           Inputs::doubles);
  list.add("double_small",
           "cvt.rn.f64.s8 %T0, %a;\n  cvt.rn.f64.s8 %T1, %b;\n"
           "  cvt.rn.f64.s8 %T2, %c;\n  cvt.rn.f64.s8 %T3, %d;\n"
           "  mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%R0, %R1, %T4, %T5}, "
           "{%T0, %T1}, {%T2}, {%T3, %T1, %T2, %T0}",
           Inputs::bytes);
}

}  // namespace warpscope::instructions
