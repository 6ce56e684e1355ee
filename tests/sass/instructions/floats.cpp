// tests/sass/instructions/floats.cpp: cases of floating-point numbers of 32 and 64 bits.
#include "tests/sass/instructions/cases.h"

namespace warpscope::instructions {
namespace {

constexpr const char* kRoundings[] = {".rn", ".rz", ".rm", ".rp"};

void add_float_arithmetic(CaseList& list) {
  list.family("float");
  for (const std::string rounding : kRoundings) {
    for (const std::string more : {"", ".ftz", ".sat", ".ftz.sat"}) {
      list.add("add" + rounding + more, "add" + rounding + more + ".f32 %r0, %a, %b",
               Inputs::floats);
      list.add("mul" + rounding + more, "mul" + rounding + more + ".f32 %r0, %a, %b",
               Inputs::floats);
      list.add("fma" + rounding + more, "fma" + rounding + more + ".f32 %r0, %a, %b, %c",
               Inputs::floats);
    }
    list.add("sub" + rounding, "sub" + rounding + ".f32 %r0, %a, %b", Inputs::floats);
    for (const std::string ftz : {"", ".ftz"}) {
      list.add("div" + rounding + ftz, "div" + rounding + ftz + ".f32 %r0, %a, %b", Inputs::floats);
      list.add("rcp" + rounding + ftz, "rcp" + rounding + ftz + ".f32 %r0, %a", Inputs::sweep);
      list.add("sqrt" + rounding + ftz, "sqrt" + rounding + ftz + ".f32 %r0, %a", Inputs::sweep);
    }
  }
  list.add("fma_negated", "neg.f32 %t0, %a;\n  neg.f32 %t1, %c;\n  fma.rn.f32 %r0, %t0, %b, %t1",
           Inputs::floats);
  list.add("sum_of_absolutes",
           "abs.f32 %t0, %a;\n  abs.f32 %t1, %b;\n  neg.f32 %t1, %t1;\n"
           "  add.rn.f32 %r0, %t0, %t1",
           Inputs::floats);
  list.add("immediate", "fma.rn.f32 %r0, %a, 0f3DCCCCCD, %b", Inputs::floats);
  list.add("immediate_addend", "fma.rn.f32 %r0, %a, %b, 0fBF800000", Inputs::floats);
  list.add("times_two", "mul.rn.f32 %r0, %a, 0f40000000", Inputs::floats);
  for (const std::string ftz : {"", ".ftz"}) {
    list.add("neg" + ftz, "neg" + ftz + ".f32 %r0, %a", Inputs::floats);
    list.add("abs" + ftz, "abs" + ftz + ".f32 %r0, %a", Inputs::floats);
    for (const std::string op : {"min", "max"}) {
      for (const std::string more : {"", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"})
        list.add(op + ftz + more, op + ftz + more + ".f32 %r0, %a, %b", Inputs::floats);
    }
  }
  list.add("min_of_negated", "neg.f32 %t0, %a;\n  abs.f32 %t1, %b;\n  min.f32 %r0, %t0, %t1",
           Inputs::floats);
  list.add("min_of_three", "min.f32 %t0, %a, %b;\n  min.f32 %r0, %t0, %c", Inputs::floats);
  list.add("copysign", "copysign.f32 %r0, %a, %b", Inputs::floats);
  for (const std::string test :
       {"finite", "infinite", "number", "notanumber", "normal", "subnormal"})
    list.add("testp_" + test, "testp." + test + ".f32 %p, %a", Inputs::sweep);
}

void add_float_comparisons(CaseList& list) {
  list.family("float_compare");
  for (const std::string how : {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu",
                                "gtu", "geu", "num", "nan"}) {
    list.add(how, "setp." + how + ".f32 %p, %a, %b", Inputs::floats);
    list.add(how + "_or", "setp.gt.u32 %s, %d, 100;\n  setp." + how + ".or.f32 %p, %a, %b, %s",
             Inputs::floats);
    list.add(how + "_or_64", "setp.gt.u32 %s, %i, 100;\n  setp." + how + ".or.f64 %p, %A, %B, %s",
             Inputs::doubles);
    list.add(how + "_ftz", "setp." + how + ".ftz.f32 %p, %a, %b", Inputs::floats);
    list.add(how + "_64", "setp." + how + ".f64 %p, %A, %B", Inputs::doubles);
    list.add("set_" + how, "set." + how + ".u32.f32 %r0, %a, %b", Inputs::floats);
  }
  for (const std::string join : {"and", "or", "xor"}) {
    list.add(join, "setp.gt.u32 %s, %d, 100;\n  setp.lt." + join + ".f32 %p|%q, %a, %b, %s",
             Inputs::floats);
    list.add(join + "_64",
             "setp.gt.u32 %s, %i, 100;\n  setp.lt." + join + ".f64 %p|%q, %A, %B, !%s",
             Inputs::doubles);
  }
  list.add("set_f32", "set.lt.f32.f32 %r0, %a, %b", Inputs::floats);
  list.add("absolute", "abs.f32 %t0, %a;\n  neg.f32 %t1, %b;\n  setp.lt.f32 %p, %t0, %t1",
           Inputs::floats);
  list.add("select", "setp.lt.f32 %s, %a, %b;\n  neg.f32 %t0, %c;\n  selp.f32 %r0, %t0, %d, %s",
           Inputs::floats);
  list.add("slct", "slct.f32.f32 %r0, %a, %b, %c", Inputs::floats);
  list.add("slct_ftz", "slct.ftz.s32.f32 %r0, %a, %b, %c", Inputs::floats);
}

// PTX gives bounds of their errors only, so their bits are the device's own.
void add_approximations(CaseList& list) {
  list.family("approximate");
  const auto add = [&](const std::string& name, const std::string& body, Inputs inputs) {
    list.add(name, body, inputs).approximate = true;
  };
  for (const std::string ftz : {"", ".ftz"}) {
    for (const std::string op : {"rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2"})
      add(op + ftz, op + ".approx" + ftz + ".f32 %r0, %a", Inputs::sweep);
    add("div" + ftz, "div.approx" + ftz + ".f32 %r0, %a, %b", Inputs::floats);
    add("div_full" + ftz, "div.full" + ftz + ".f32 %r0, %a, %b", Inputs::floats);
  }
  add("tanh", "tanh.approx.f32 %r0, %a", Inputs::sweep);
  add("rcp_64", "rcp.approx.ftz.f64 %R0, %A", Inputs::doubles);
  add("rsqrt_64", "rsqrt.approx.f64 %R0, %A", Inputs::doubles);
  add("rsqrt_ftz_64", "rsqrt.approx.ftz.f64 %R0, %A", Inputs::doubles);
  for (const std::string type : {"f16", "f16x2", "bf16", "bf16x2"}) {
    const bool two = type.ends_with("x2"), bfloat = type[0] == 'b';
    const std::string registers = two ? " %r0, %a" : " %h0, %h4";
    const Inputs inputs = bfloat ? Inputs::bfloats : Inputs::halves;
    add("tanh_" + type, "tanh.approx." + type + registers, inputs);
    add("ex2_" + type, "ex2.approx." + std::string(bfloat ? "ftz." : "") + type + registers,
        inputs);
  }
  add("negated",
      "neg.f32 %t0, %a;\n  ex2.approx.f32 %t1, %t0;\n  abs.f32 %t2, %b;\n"
      "  rsqrt.approx.f32 %r0, %t2;\n  mov.u32 %r1, %t1",
      Inputs::sweep);
}

void add_doubles(CaseList& list) {
  list.family("double");
  for (const std::string rounding : kRoundings) {
    for (const std::string op : {"add", "sub", "mul", "div"})
      list.add(op + rounding, op + rounding + ".f64 %R0, %A, %B", Inputs::doubles);
    list.add("fma" + rounding, "fma" + rounding + ".f64 %R0, %A, %B, %A", Inputs::doubles);
    list.add("fma_less" + rounding, "neg.f64 %T0, %A;\n  fma" + rounding + ".f64 %R0, %T0, %B, %B",
             Inputs::doubles);
    list.add("rcp" + rounding, "rcp" + rounding + ".f64 %R0, %A", Inputs::doubles);
    list.add("sqrt" + rounding, "sqrt" + rounding + ".f64 %R0, %A", Inputs::doubles);
  }
  list.add("min", "min.f64 %R0, %A, %B", Inputs::doubles);
  list.add("max", "max.f64 %R0, %A, %B", Inputs::doubles);
  list.add("neg", "neg.f64 %R0, %A", Inputs::doubles);
  list.add("abs", "abs.f64 %R0, %A", Inputs::doubles);
  list.add("copysign", "copysign.f64 %R0, %A, %B", Inputs::doubles);
  list.add("immediate", "fma.rn.f64 %R0, %A, 0d3FF8000000000000, %B", Inputs::doubles);
  list.add("third", "mul.rn.f64 %R0, %A, 0d3FD5555555555555", Inputs::doubles);
  list.add("sum_of_absolutes",
           "abs.f64 %T0, %A;\n  abs.f64 %T1, %B;\n  neg.f64 %T1, %T1;\n"
           "  add.rn.f64 %R0, %T0, %T1",
           Inputs::doubles);
  for (const std::string test :
       {"finite", "infinite", "number", "notanumber", "normal", "subnormal"})
    list.add("testp_" + test, "testp." + test + ".f64 %p, %A", Inputs::doubles);
}

}  // namespace

void add_float_cases(CaseList& list) {
  add_float_arithmetic(list);
  add_float_comparisons(list);
  add_approximations(list);
  add_doubles(list);
}

// Halves and bfloats, alone and in pairs.
void add_half_cases(CaseList& list) {
  for (const std::string type : {"f16", "f16x2", "bf16", "bf16x2"}) {
    list.family("half_" + type);
    const bool two = type.ends_with("x2"), bfloat = type[0] == 'b';
    const std::string d = two ? " %r0" : " %h0", x = two ? ", %a" : ", %h4",
                      y = two ? ", %b" : ", %h5", z = two ? ", %c" : ", %h6";
    const Inputs inputs = bfloat ? Inputs::bfloats : Inputs::halves;
    for (const std::string more : {"", ".ftz", ".sat", ".ftz.sat"}) {
      if (bfloat && !more.empty()) continue;
      for (const std::string op : {"add", "sub", "mul"})
        list.add(op + more, op + ".rn" + more + "." + type + d + x + y, inputs);
      list.add("fma" + more, "fma.rn" + more + "." + type + d + x + y + z, inputs);
    }
    list.add("fma_relu", "fma.rn.relu." + type + d + x + y + z, inputs);
    list.add("neg", "neg." + type + d + x, inputs);
    list.add("abs", "abs." + type + d + x, inputs);
    for (const std::string op : {"min", "max"}) {
      for (const std::string more : {"", ".ftz", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"}) {
        if (bfloat && more == ".ftz") continue;
        list.add(op + more, op + more + "." + type + d + x + y, inputs);
      }
    }
    for (const std::string how : {"eq", "ne", "lt", "ge", "equ", "neu", "ltu", "geu", "num", "nan"})
      list.add("setp_" + how, "setp." + how + "." + type + (two ? " %p|%q" : " %p") + x + y,
               inputs);
    list.add("setp_and",
             "setp.gt.u32 %s, %d, 100;\n  setp.lt.and." + type + (two ? " %p|%q" : " %p") + x + y +
                 ", %s",
             inputs);
    list.add("set_u32", "set.lt.u32." + type + " %r0" + x + y, inputs);
    for (const std::string how : {"eq", "ne", "le", "gt", "ge", "neu", "ltu", "num"})
      list.add("set_u32_" + how, "set." + how + ".u32." + type + " %r0" + x + y, inputs);
    if (two) {
      for (const std::string how : {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "num"})
        list.add("set_" + how + "_" + type, "set." + how + "." + type + "." + type + " %r0, %a, %b",
                 inputs);
      list.add("set_" + type, "set.geu." + type + "." + type + " %r0" + x + y, inputs);
      list.add("swapped", "prmt.b32 %t0, %a, 0, 0x1032;\n  fma.rn." + type + " %r0, %t0, %b, %c",
               inputs);
      list.add("spread",
               "prmt.b32 %t0, %a, 0, 0x1010;\n  prmt.b32 %t1, %b, 0, 0x3232;\n  fma.rn." + type +
                   " %r0, %t0, %t1, %c",
               inputs);
      list.add("immediate",
               "mov.b32 %t0, " + std::string(bfloat ? "0x3f804020" : "0x3c00bc01") +
                   ";\n  fma.rn." + type + " %r0, %a, %t0, %b",
               inputs);
    }
  }
}

}  // namespace warpscope::instructions
