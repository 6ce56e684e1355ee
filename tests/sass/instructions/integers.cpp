// tests/sass/instructions/integers.cpp: cases of whole numbers and bits.
#include "tests/sass/instructions/cases.h"

namespace warpscope::instructions {
namespace {

void add_sums(CaseList& list) {
  list.family("sum");
  list.add("add", "add.u32 %r0, %a, %b");
  list.add("sub", "sub.u32 %r0, %a, %b");
  list.add("add_immediate", "add.u32 %r0, %a, 0x80000001");
  list.add("sub_from_immediate", "sub.u32 %r0, 0x7fffffff, %a");
  list.add("three", "add.u32 %t0, %a, %b;\n  add.u32 %r0, %t0, %c");
  list.add("three_less", "sub.u32 %t0, %a, %b;\n  sub.u32 %r0, %t0, %c");
  list.add("neg", "neg.s32 %r0, %a");
  list.add("abs", "abs.s32 %r0, %a");
  list.add("add_sat", "add.sat.s32 %r0, %a, %b");
  list.add("sub_sat", "sub.sat.s32 %r0, %a, %b");
  list.add("sum_64", "add.u64 %R0, %A, %B", Inputs::longs);
  list.add("difference_64", "sub.u64 %R0, %A, %B", Inputs::longs);
  list.add("neg_64", "neg.s64 %R0, %A", Inputs::longs);
  list.add("abs_64", "abs.s64 %R0, %A", Inputs::longs);
  list.add("carry_96",
           "add.cc.u32 %r0, %a, %b;\n  addc.cc.u32 %r1, %b, %c;\n  addc.u32 %r2, %c, %d");
  list.add("borrow_96",
           "sub.cc.u32 %r0, %a, %b;\n  subc.cc.u32 %r1, %b, %c;\n  subc.u32 %r2, %c, %d");
  list.add("carry_out", "add.cc.u32 %r0, %a, %b;\n  addc.u32 %r1, 0, 0");
  list.add("borrow_out", "sub.cc.u32 %r0, %a, %b;\n  subc.u32 %r1, 0, 0");
  list.add("product_carry", "mad.lo.cc.u32 %r0, %a, %b, %c;\n  madc.hi.u32 %r1, %a, %b, %d");
  list.add("product_carries",
           "mad.lo.cc.u32 %r0, %a, %b, %c;\n  madc.hi.cc.u32 %r1, %a, %b, %d;\n"
           "  addc.u32 %r2, %c, %d");
  list.add("shift_add", "shl.b32 %t0, %a, 5;\n  add.u32 %r0, %t0, %b");
  list.add("shift_sub", "shl.b32 %t0, %a, 5;\n  sub.u32 %r0, %b, %t0");
  list.add("right_add", "shr.s32 %t0, %a, 5;\n  add.u32 %r0, %t0, %b");
  list.add("right_unsigned_add", "shr.u32 %t0, %a, 5;\n  add.u32 %r0, %t0, %b");
  list.add("sum_min_relu", "add.s32 %t0, %a, %b;\n  min.s32 %t0, %t0, %c;\n  max.s32 %r0, %t0, 0");
  list.add("sum_max_relu", "add.s32 %t0, %a, %b;\n  max.s32 %t0, %t0, %c;\n  max.s32 %r0, %t0, 0");
  list.add("shift_add_64", "shl.b64 %T0, %A, 3;\n  add.u64 %R0, %T0, %B", Inputs::longs);
  list.add("index_64", "mul.wide.s32 %T0, %a, 8;\n  add.u64 %R0, %T0, %B");
  list.add("index_unsigned_64", "mul.wide.u32 %T0, %a, 8;\n  add.u64 %R0, %T0, %B");
  for (const std::string type : {"u32", "s32", "u64", "s64", "u16", "s16"}) {
    const bool wide = type.ends_with("64"), half = type.ends_with("16");
    const std::string d = wide   ? "%R0"
                          : half ? "%h0"
                                 : "%r0",
                      x = wide   ? "%A"
                          : half ? "%h4"
                                 : "%a",
                      y = wide   ? "%B"
                          : half ? "%h5"
                                 : "%b",
                      z = wide   ? "%A"
                          : half ? "%h6"
                                 : "%c";
    const Inputs inputs = wide ? Inputs::longs : Inputs::words;
    list.add("min_" + type, "min." + type + " " + d + ", " + x + ", " + y, inputs);
    list.add("max_" + type, "max." + type + " " + d + ", " + x + ", " + y, inputs);
    list.add("sad_" + type, "sad." + type + " " + d + ", " + x + ", " + y + ", " + z, inputs);
    list.add("div_" + type, "div." + type + " " + d + ", " + x + ", " + y, inputs);
    list.add("rem_" + type, "rem." + type + " " + d + ", " + x + ", " + y, inputs);
    if (wide || half) continue;
    list.add("div_10_" + type, "div." + type + " %r0, %a, 10");
    list.add("min_immediate_" + type, "min." + type + " %r0, %a, 77");
    list.add("clamp_" + type, "max." + type + " %t0, %a, 5;\n  min." + type + " %r0, %t0, %b");
    list.add("min_of_three_" + type,
             "min." + type + " %t0, %a, %b;\n  min." + type + " %r0, %t0, %c");
    list.add("max_of_sum_" + type, "add.u32 %t0, %a, %b;\n  max." + type + " %r0, %t0, %c");
  }
  list.add("min_relu", "min.relu.s32 %r0, %a, %b");
  list.add("max_relu", "max.relu.s32 %r0, %a, %b");
}

void add_products(CaseList& list) {
  list.family("product");
  list.add("mul_immediate", "mul.lo.u32 %r0, %a, 0x10001");
  for (const std::string type : {"u32", "s32"}) {
    for (const std::string part : {"lo", "hi"}) {
      list.add("mul_" + part + type, with("mul.$1.$2 %r0, %a, %b", part, type));
      list.add("mad_" + part + type, with("mad.$1.$2 %r0, %a, %b, %c", part, type));
      list.add("mul24_" + part + type, with("mul24.$1.$2 %r0, %a, %b", part, type));
      list.add("mad24_" + part + type, with("mad24.$1.$2 %r0, %a, %b, %c", part, type));
    }
    list.add("mul_wide_" + type, "mul.wide." + type + " %R0, %a, %b");
    list.add("mad_wide_" + type, "mad.wide." + type + " %R0, %a, %b, %B");
    list.add("mul_less_" + type,
             "mul.lo." + type + " %t0, %a, %b;\n  sub." + type + " %r0, %c, %t0");
    for (const std::string other : {"u32", "s32"}) {
      list.add("dp4a_" + type + other, with("dp4a.$1.$2 %r0, %a, %b, %c", type, other),
               Inputs::bytes);
      for (const std::string part : {"lo", "hi"})
        list.add("dp2a_" + part + type + other,
                 with("dp2a.$3.$1.$2 %r0, %a, %b, %c", type, other, part), Inputs::bytes);
    }
    list.add("mad_hi_sat_" + type, type == "s32" ? "mad.hi.sat.s32 %r0, %a, %b, %c"
                                                 : "mad.hi.u32 %r0, %a, 0x80000001, %c");
  }
  for (const std::string type : {"u64", "s64"}) {
    list.add("mul_lo_" + type, "mul.lo." + type + " %R0, %A, %B", Inputs::longs);
    list.add("mul_hi_" + type, "mul.hi." + type + " %R0, %A, %B", Inputs::longs);
    list.add("mad_lo_" + type, "mad.lo." + type + " %R0, %A, %B, %A", Inputs::longs);
    list.add("mad_hi_" + type, "mad.hi." + type + " %R0, %A, %B, %B", Inputs::longs);
  }
  for (const std::string type : {"u16", "s16"}) {
    list.add("mul_lo_" + type, "mul.lo." + type + " %h0, %h4, %h5");
    list.add("mul_hi_" + type, "mul.hi." + type + " %h0, %h4, %h5");
    list.add("mul_wide_" + type, "mul.wide." + type + " %r0, %h4, %h5");
    list.add("mad_wide_" + type, "mad.wide." + type + " %r0, %h4, %h5, %c");
    list.add("mad_lo_" + type, "mad.lo." + type + " %h0, %h4, %h5, %h6");
  }
  list.add("add_u16", "add.u16 %h0, %h4, %h5");
  list.add("neg_s16", "neg.s16 %h0, %h4");
  list.add("add_u16x2", "add.u16x2 %r0, %a, %b", Inputs::bytes);
  for (const std::string type : {"u16x2", "s16x2"}) {
    list.add("min_" + type, "min." + type + " %r0, %a, %b", Inputs::bytes);
    list.add("max_" + type, "max." + type + " %r0, %a, %b", Inputs::bytes);
  }
  list.add("min_relu_s16x2", "min.relu.s16x2 %r0, %a, %b", Inputs::bytes);
  list.add("max_relu_s16x2", "max.relu.s16x2 %r0, %a, %b", Inputs::bytes);
}

void add_bits(CaseList& list) {
  list.family("bits");
  for (const std::string op : {"and", "or", "xor"}) {
    list.add(op, op + ".b32 %r0, %a, %b");
    list.add(op + "_64", op + ".b64 %R0, %A, %B", Inputs::longs);
    list.add(op + "_immediate", op + ".b32 %r0, %a, 0xff00ff01");
    list.add(op + "_pred",
             "setp.lt.s32 %s, %a, %b;\n  setp.gt.u32 %q, %c, %b;\n  " + op + ".pred %p, %s, %q");
  }
  list.add("not", "not.b32 %r0, %a");
  list.add("cnot", "cnot.b32 %r0, %a");
  list.add("not_pred", "setp.lt.s32 %s, %a, %b;\n  not.pred %p, %s");
  for (const std::string lut : {"0x00", "0x01", "0x16", "0x1b", "0x2c", "0x69", "0x80", "0x96",
                                "0xca", "0xe8", "0xd8", "0xf8", "0xfe", "0x7f", "0xb4", "0x4d"})
    list.add("lop3_" + lut, "lop3.b32 %r0, %a, %b, %c, " + lut);
  list.add("lop3_or",
           "setp.lt.s32 %q, %a, %b;\n  lop3.or.b32 %r0|%p, %a, %b, %c, 0x96, %q;\n"
           "  selp.u32 %r1, 1, 0, %p");
  list.add("lop3_and",
           "setp.lt.s32 %q, %a, %b;\n  lop3.and.b32 %r0|%p, %a, %b, %c, 0x80, %q;\n"
           "  selp.u32 %r1, 1, 0, %p");
  list.add("and_is_zero", "and.b32 %t0, %a, %b;\n  setp.eq.u32 %p, %t0, 0");
  for (const std::string type : {"b32", "b64", "b16", "u32", "u64", "u16", "s32", "s64", "s16"}) {
    const bool left = type[0] == 'b';
    const std::string d = type.ends_with("64")   ? "%R0"
                          : type.ends_with("16") ? "%h0"
                                                 : "%r0",
                      x = type.ends_with("64")   ? "%T0"
                          : type.ends_with("16") ? "%h4"
                                                 : "%a",
                      before = type.ends_with("64") ? "mov.b64 %T0, {%a, %d};\n  " : "",
                      op = left ? "shl." : "shr.";
    list.add("shift_" + type, before + op + type + " " + d + ", " + x + ", %b", Inputs::shifts);
    for (const std::string n : {"1", "13", "31", "32", "40", "64"})
      list.add("shift_" + type + "_by_" + n, before + op + type + " " + d + ", " + x + ", " + n,
               Inputs::shifts);
  }
  for (const std::string side : {"l", "r"}) {
    for (const std::string mode : {"clamp", "wrap"}) {
      list.add("shf_" + side + mode, with("shf.$1.$2.b32 %r0, %a, %d, %b", side, mode),
               Inputs::shifts);
      list.add("shf_" + side + mode + "_by_7", with("shf.$1.$2.b32 %r0, %a, %d, 7", side, mode),
               Inputs::shifts);
    }
  }
  list.add("rotate", "shf.l.wrap.b32 %r0, %a, %a, %b", Inputs::shifts);
}

void add_fields(CaseList& list) {
  list.family("field");
  for (const std::string mode : {"", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"})
    list.add("prmt" + mode, "prmt.b32" + mode + " %r0, %a, %d, %b", Inputs::shifts);
  list.add("prmt_random", "prmt.b32 %r0, %a, %b, %c", Inputs::bytes);
  for (const std::string selector : {"0x9410", "0x4432", "0xfedc", "0x0123", "0x5410"})
    list.add("prmt_" + selector, "prmt.b32 %r0, %a, %b, " + selector, Inputs::bytes);
  for (const std::string type : {"u32", "s32", "u64", "s64"}) {
    const bool wide = type.ends_with("64");
    const std::string d = wide ? "%R0" : "%r0", x = wide ? "%T0" : "%a",
                      before = wide ? "mov.b64 %T0, {%a, %d};\n  " : "";
    list.add("bfe_" + type, before + with("bfe.$1 $2, $3, %b, %c", type, d, x), Inputs::shifts);
    list.add("bfe_" + type + "_immediate", before + with("bfe.$1 $2, $3, 5, 9", type, d, x),
             Inputs::shifts);
    list.add("bfind_" + type, with("bfind.$1 %r0, $2", type, wide ? "%A" : "%a"),
             wide ? Inputs::longs : Inputs::words);
    list.add("bfind_shift_" + type, with("bfind.shiftamt.$1 %r0, $2", type, wide ? "%A" : "%a"),
             wide ? Inputs::longs : Inputs::words);
  }
  list.add("bfi", "bfi.b32 %r0, %d, %a, %b, %c", Inputs::shifts);
  list.add("bfi_immediate", "bfi.b32 %r0, %d, %a, 8, 8", Inputs::shifts);
  list.add("bfi_64",
           "mov.b64 %T0, {%a, %d};\n  mov.b64 %T1, {%d, %b};\n"
           "  bfi.b64 %R0, %T0, %T1, %b, %c",
           Inputs::shifts);
  for (const std::string op : {"popc", "clz"}) {
    list.add(op, op + ".b32 %r0, %a");
    list.add(op + "_64", op + ".b64 %r0, %A", Inputs::longs);
  }
  list.add("brev", "brev.b32 %r0, %a");
  list.add("brev_64", "brev.b64 %R0, %A", Inputs::longs);
  list.add("fns", "and.b32 %t0, %b, 31;\n  sub.s32 %t1, %c, 18;\n  fns.b32 %r0, %a, %t0, %t1",
           Inputs::shifts);
  for (const std::string mode : {"clamp", "wrap"}) {
    list.add("bmsk_" + mode, "bmsk." + mode + ".b32 %r0, %b, %c", Inputs::shifts);
    list.add("szext_u32" + mode, "szext." + mode + ".u32 %r0, %a, %b", Inputs::shifts);
    list.add("szext_s32" + mode, "szext." + mode + ".s32 %r0, %a, %b", Inputs::shifts);
  }
  list.add("byte_1", "shr.u32 %t0, %a, 8;\n  and.b32 %r0, %t0, 255");
  list.add("low_byte_signed", "cvt.s32.s8 %r0, %a");
}

void add_integer_comparisons(CaseList& list) {
  list.family("compare");
  for (const std::string type : {"u32", "s32", "u64", "s64", "u16", "s16"}) {
    const bool wide = type.ends_with("64"), half = type.ends_with("16");
    const std::string x = wide ? "%A" : half ? "%h4" : "%a", y = wide ? "%B" : half ? "%h5" : "%b";
    const Inputs inputs = wide ? Inputs::longs : Inputs::words;
    for (const std::string how : {"eq", "ne", "lt", "le", "gt", "ge"})
      list.add(how + "_" + type, with("setp.$1.$2 %p, $3, $4", how, type, x, y), inputs);
    for (const std::string how : {"eq", "ne", "le", "gt", "ge"})
      list.add(
          "or_" + how + "_" + type,
          "setp.gt.u32 %s, %d, 100;\n  " + with("setp.$1.or.$2 %p, $3, $4, %s", how, type, x, y),
          inputs);
    for (const std::string join : {"and", "or", "xor"})
      list.add(join + "_" + type,
               "setp.gt.u32 %s, %d, 100;\n  " +
                   with("setp.lt.$1.$2 %p|%q, $3, $4, ", join, type, x, y) +
                   (join == "or" ? "!%s" : "%s"),
               inputs);
    list.add("select_" + type,
             with("setp.lt.$1 %s, $2, $3;\n  ", type, x, y) +
                 (wide ? "selp.b64 %R0, %A, %B, %s" : "selp.b32 %r0, %a, %c, %s"),
             inputs);
    if (half) continue;
    list.add("set_" + type, with("set.ge.u32.$1 %r0, $2, $3", type, x, y), inputs);
    list.add("set_f32_" + type, with("set.ge.f32.$1 %r0, $2, $3", type, x, y), inputs);
  }
  list.add("immediate", "setp.gt.s32 %p, %a, -5");
  list.add("slct", "slct.u32.s32 %r0, %a, %b, %c");
  list.add("many_predicates",
           "setp.lt.s32 %s, %a, %b;\n  setp.lt.and.s32 %p, %b, %c, %s;\n"
           "  setp.gt.or.u32 %q, %c, %d, %p;\n  xor.pred %p, %p, %q");
  // What a predicate guards, and a branch.
  list.add("guarded",
           "setp.lt.s32 %s, %a, %b;\n  mov.u32 %r0, %c;\n  @%s add.u32 %r0, %a, %d;\n"
           "  @!%s mul.lo.u32 %r0, %b, %d");
  list.add("branch",
           "mov.u32 %r0, %a;\n  and.b32 %t0, %i, 3;\n  mov.u32 %t1, 0;\n"
           "again:\n  mad.lo.u32 %r0, %r0, %b, %c;\n  add.u32 %t1, %t1, 1;\n"
           "  setp.le.u32 %s, %t1, %t0;\n  @%s bra again");
  list.add("indirect",
           "and.b32 %t0, %i, 3;\n  mov.u32 %r0, %a;\n"
           "ways: .branchtargets one, two, three, four;\n  brx.idx %t0, ways;\n"
           "one:\n  add.u32 %r0, %r0, 1;\n  bra end;\n"
           "two:\n  mul.lo.u32 %r0, %r0, %b;\n  bra end;\n"
           "three:\n  xor.b32 %r0, %r0, %c;\n  bra end;\n"
           "four:\n  div.u32 %r0, %r0, 3;\nend:\n  add.u32 %r0, %r0, %d");
}

// The uniform datapath: values that are the same in a block. A bulk copy to an address that depends
// on them makes ptxas compute them there.
void add_uniform(CaseList& list) {
  list.family("uniform");
  const std::string begin =
      "mov.u32 %t10, shared_words;\n  setp.eq.u32 %q, %t31, 0;\n"
      "  @%q st.shared.v4.b32 [%t10], {%u, %u, %u, %u};\n"
      "  fence.proxy.async.shared::cta;\n  mov.u32 %t0, %ctaid.x;\n"
      "  mad.lo.u32 %t1, %t0, %u, 0x7ffffff1;\n  mul.lo.u32 %t2, %t0, 0x13579bdf;\n"
      "  xor.b32 %t2, %t2, %t1;\n  mul.lo.u32 %t3, %t0, 5;\n  ";
  const std::string end =
      ";\n  and.b32 %t11, %t9, 0xff0;\n  cvt.u64.u32 %T8, %t11;\n  add.u64 %T8, %M, %T8;\n"
      "  setp.eq.u32 %q, %t31, 0;\n  @!%q bra copied;\n"
      "  cp.async.bulk.global.shared::cta.bulk_group [%T8], [%t10], 16;\n"
      "  cp.async.bulk.commit_group;\n  cp.async.bulk.wait_group 0;\ncopied:\n"
      "  add.u32 %r0, %t9, %a";
  const std::string pairs = "mov.b64 %T0, {%t1, %t2};\n  mov.b64 %T1, {%t2, %t1};\n  ",
                    upper = ";\n  shr.u64 %T2, %T2, 27;\n  cvt.u32.u64 %t9, %T2";
  const std::pair<std::string, std::string> bodies[] = {
      {"sum", "sub.u32 %t9, %t1, %t2"},
      {"three", "add.u32 %t8, %t1, %t2;\n  add.u32 %t9, %t8, %t3"},
      {"product", "mul.lo.u32 %t9, %t1, %t2"},
      {"high", "mul.hi.u32 %t9, %t1, %t2"},
      {"high_signed", "mul.hi.s32 %t9, %t1, %t2"},
      {"wide", "mul.wide.s32 %T2, %t1, %t2;\n  add.u64 %T2, %T2, 77" + upper},
      {"wide_unsigned", "mul.wide.u32 %T2, %t1, %t2" + upper},
      {"min", "min.s32 %t9, %t1, %t2"},
      {"max", "max.u32 %t9, %t1, %t2"},
      {"abs", "abs.s32 %t9, %t1"},
      {"logic", "lop3.b32 %t9, %t1, %t2, %t3, 0x6a"},
      {"left", "shl.b32 %t9, %t1, %t3"},
      {"right", "shr.u32 %t9, %t1, %t3"},
      {"right_signed", "shr.s32 %t9, %t1, %t3"},
      {"right_by_5", "shr.s32 %t9, %t1, 5"},
      {"right_unsigned_by_5", "shr.u32 %t9, %t1, 5"},
      {"divide_by_8", "div.s32 %t9, %t1, 8"},
      {"divide_by_10", "div.s32 %t9, %t1, 10"},
      {"funnel", "shf.r.clamp.b32 %t9, %t1, %t2, %t3"},
      {"left_64", pairs + "shl.b64 %T2, %T0, 5" + upper},
      {"left_64_any", pairs + "shl.b64 %T2, %T0, %t3" + upper},
      {"right_64", pairs + "shr.s64 %T2, %T0, 5" + upper},
      {"right_64_any", pairs + "shr.u64 %T2, %T0, %t3" + upper},
      {"sum_64", pairs + "add.u64 %T2, %T0, %T1" + upper},
      {"difference_64", pairs + "sub.u64 %T2, %T0, %T1" + upper},
      {"product_64", pairs + "mul.lo.u64 %T2, %T0, %T1" + upper},
      {"index_64", pairs + "mul.wide.s32 %T2, %t1, 8;\n  add.u64 %T2, %T2, %T1" + upper},
      {"index_unsigned_64", pairs + "shl.b64 %T2, %T0, 4;\n  add.u64 %T2, %T2, %T1" + upper},
      {"shift_add", "shl.b32 %t8, %t1, 4;\n  add.u32 %t9, %t8, %t2"},
      {"right_add", "shr.s32 %t8, %t1, 5;\n  add.u32 %t9, %t8, %t2"},
      {"right_unsigned_add", "shr.u32 %t8, %t1, 5;\n  add.u32 %t9, %t8, %t2"},
      {"clamp_64", pairs + "min.s64 %T2, %T0, %T1;\n  max.s64 %T2, %T2, 7" + upper},
      {"clamp_unsigned_64", pairs + "max.u64 %T2, %T0, %T1" + upper},
      {"permute", "prmt.b32 %t9, %t1, %t2, 0x9a35"},
      {"permute_any", "prmt.b32 %t9, %t1, %t2, %t3"},
      {"popc", "popc.b32 %t9, %t1"},
      {"clz", "clz.b32 %t9, %t1"},
      {"brev", "brev.b32 %t9, %t1"},
      {"find", "bfind.s32 %t9, %t1"},
      {"select", "setp.lt.s32 %s, %t1, %t2;\n  selp.u32 %t9, %t1, %t3, %s"},
      {"select_64", pairs + "setp.lt.u64 %s, %T0, %T1;\n  selp.u32 %t9, %t1, %t3, %s"},
      {"select_signed_64", pairs + "setp.ge.s64 %s, %T0, %T1;\n  selp.u32 %t9, %t1, %t3, %s"},
      {"predicates",
       "setp.lt.s32 %s, %t1, %t2;\n  setp.gt.and.u32 %s, %t2, %t3, %s;\n"
       "  selp.u32 %t9, 5, 9, %s"},
      {"field", "bfe.s32 %t9, %t1, 3, 11"},
      {"field_any", "bfe.u32 %t9, %t1, %t3, %t0"},
      {"insert", "bfi.b32 %t9, %t1, %t2, 4, 8"},
      {"mask", "bmsk.clamp.b32 %t9, %t3, %t0"},
      {"divide", "div.u32 %t9, %t1, %t2"},
      {"shuffle", "shfl.sync.idx.b32 %t9, %a, %t3, 31, -1"},
      {"load",
       "and.b32 %t8, %t1, 511;\n  add.u32 %t8, %t8, 1024;\n  mul.wide.u32 %T2, %t8, 4;\n  add.u64 "
       "%T2, %M, %T2;\n"
       "  ld.global.u32 %t9, [%T2]"},
      {"vote",
       "setp.lt.s32 %s, %t1, %a;\n  vote.sync.any.pred %s, %s, -1;\n"
       "  selp.u32 %t9, %t1, 3, %s"},
      {"branch",
       "mov.u32 %t9, %t1;\n  setp.gt.s32 %s, %t1, %t2;\n  @%s bra skip;\n"
       "  mul.lo.u32 %t9, %t9, %t2;\n  st.global.u32 [%M+4096], %u;\n"
       "skip:\n  add.u32 %t9, %t9, 1"}};
  for (const auto& [name, body] : bodies) list.add(name, begin + body + end);
  for (const std::string type : {"s32", "u32", "s64", "u64"}) {
    const std::string x = type.ends_with("64") ? "%T0" : "%t1",
                      y = type.ends_with("64") ? "%T1" : "%t2";
    for (const std::string how : {"eq", "ne", "lt", "le", "gt", "ge"}) {
      list.add(how + "_" + type, begin + pairs + with("setp.$1.$2 %s, $3, $4", how, type, x, y) +
                                     ";\n  selp.u32 %t9, %t1, %t3, %s" + end);
      list.add(how + "_or_" + type, begin + pairs + "setp.gt.u32 %q, %t0, 17;\n  " +
                                        with("setp.$1.or.$2 %s, $3, $4, %q", how, type, x, y) +
                                        ";\n  selp.u32 %t9, %t1, %t3, %s" + end);
    }
  }
}

void add_video(CaseList& list) {
  list.family("video");
  for (const std::string op : {"vadd", "vsub", "vabsdiff", "vmin", "vmax"}) {
    list.add(op, op + ".s32.s32.s32 %r0, %a, %b");
    list.add(op + "_sat_bytes", op + ".s32.u32.s32.sat %r0, %a.b1, %b.h1");
    list.add(op + "_add", op + ".u32.u32.u32.add %r0, %a.b0, %b.b3, %c");
    list.add(op + "_merge", op + ".u32.u32.u32 %r0.b2, %a.b0, %b.b3, %c");
    list.add(op + "2", op + "2.s32.s32.s32.sat %r0, %a, %b, %c", Inputs::bytes);
    list.add(op + "4", op + "4.u32.u32.u32 %r0, %a, %b, %c", Inputs::bytes);
    list.add(op + "4_add", op + "4.u32.u32.u32.add %r0, %a, %b, %c", Inputs::bytes);
  }
  list.add("vavrg2", "vavrg2.s32.s32.s32 %r0, %a, %b, %c", Inputs::bytes);
  list.add("vavrg4", "vavrg4.u32.u32.u32 %r0, %a, %b, %c", Inputs::bytes);
  for (const std::string mode : {"clamp", "wrap"}) {
    list.add("vshl_" + mode, "vshl.u32.u32.u32." + mode + " %r0, %a, %b", Inputs::shifts);
    list.add("vshr_" + mode, "vshr.s32.s32.u32." + mode + " %r0, %a, %b", Inputs::shifts);
  }
  list.add("vmad", "vmad.s32.s32.s32 %r0, %a.h0, %b.h1, %c");
  list.add("vmad_sat", "vmad.s32.s32.s32.sat.shr7 %r0, %a.h0, %b.h1, %c");
  list.add("vset", "vset.s32.s32.lt %r0, %a, %b");
  list.add("vset4", "vset4.s32.s32.ge %r0, %a, %b, %c", Inputs::bytes);
}

}  // namespace

void add_integer_cases(CaseList& list) {
  add_sums(list);
  add_products(list);
  add_bits(list);
  add_fields(list);
  add_integer_comparisons(list);
  add_uniform(list);
  add_video(list);
}

}  // namespace warpscope::instructions
