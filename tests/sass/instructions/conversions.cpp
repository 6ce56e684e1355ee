// tests/sass/instructions/conversions.cpp: cases of numbers of one type to another.
#include "tests/sass/instructions/cases.h"

namespace warpscope::instructions {
namespace {

struct Type {
  std::string name, source, result;
  Inputs inputs;
  int bits;
  bool is_signed() const { return name[0] == 's'; }
};
const std::vector<Type>& whole_types() {
  static const std::vector<Type> all = {
      {"u8", "%a", "%r0", Inputs::words, 8},    {"s8", "%a", "%r0", Inputs::words, 8},
      {"u16", "%h4", "%h0", Inputs::words, 16}, {"s16", "%h4", "%h0", Inputs::words, 16},
      {"u32", "%a", "%r0", Inputs::words, 32},  {"s32", "%a", "%r0", Inputs::words, 32},
      {"u64", "%A", "%R0", Inputs::longs, 64},  {"s64", "%A", "%R0", Inputs::longs, 64}};
  return all;
}
const std::vector<Type>& real_types() {
  static const std::vector<Type> all = {{"f16", "%h4", "%h0", Inputs::halves, 16},
                                        {"bf16", "%h4", "%h0", Inputs::bfloats, 16},
                                        {"f32", "%a", "%r0", Inputs::floats, 32},
                                        {"f64", "%A", "%R0", Inputs::doubles, 64}};
  return all;
}

void add(CaseList& list, const std::string& how, const Type& to, const Type& from) {
  list.add(from.name + "_" + to.name + how,
           "cvt" + how + "." + to.name + "." + from.name + " " + to.result + ", " + from.source,
           from.inputs);
}

void add_whole(CaseList& list) {
  list.family("convert_whole");
  for (const Type& from : whole_types()) {
    for (const Type& to : whole_types()) {
      if (from.name == to.name) continue;
      add(list, "", to, from);
      // PTX has .sat only where a number may not fit.
      const bool fits =
          to.is_signed() ? to.bits > from.bits : !from.is_signed() && to.bits > from.bits;
      if (!fits) add(list, ".sat", to, from);
    }
  }
  for (const std::string to : {"u16", "s16"})
    list.add("pack_" + to, "cvt.pack.sat." + to + ".s32 %r0, %a, %b");
  for (const std::string to : {"u8", "s8", "u4", "s4", "u2", "s2"})
    list.add("pack_" + to, "cvt.pack.sat." + to + ".s32.b32 %r0, %a, %b, %c");
  list.family("convert_to_real");
  for (const Type& from : whole_types()) {
    for (const Type& to : real_types()) {
      if (from.bits == 8 && to.name == "bf16") continue;
      for (const std::string how : {".rn", ".rz", ".rm", ".rp"}) add(list, how, to, from);
    }
  }
  list.add("upper_half", "cvt.rn.f32.s16 %r0, %h8");
  list.add("byte_3", "shr.u32 %t0, %a, 24;\n  cvt.rn.f32.u32 %r0, %t0");
  list.add("byte_1", "bfe.u32 %t0, %a, 8, 8;\n  cvt.rn.f32.u32 %r0, %t0");
  list.family("convert_to_whole");
  for (const Type& from : real_types()) {
    for (const Type& to : whole_types()) {
      if (to.bits == 8 && from.name == "bf16") continue;
      for (const std::string how : {".rni", ".rzi", ".rmi", ".rpi"}) {
        add(list, how, to, from);
        if (from.name == "f32") add(list, how + ".ftz", to, from);
      }
    }
  }
  list.add("absolute", "abs.f32 %t0, %a;\n  neg.f32 %t0, %t0;\n  cvt.rzi.s32.f32 %r0, %t0",
           Inputs::floats);
}

void add_real(CaseList& list) {
  list.family("convert_real");
  const std::vector<Type>& real = real_types();
  for (const Type& type : real) {
    for (const std::string how : {".rni", ".rzi", ".rmi", ".rpi"}) {
      if (type.name == "bf16") continue;
      add(list, how, type, type);
      if (type.name == "f32") {
        add(list, how + ".ftz", type, type);
        add(list, how + ".sat", type, type);
      }
    }
    if (type.name != "bf16") add(list, ".sat", type, type);
    for (const Type& to : real) {
      if (to.bits > type.bits) {
        add(list, "", to, type);
        if (type.name == "f16" && to.name == "f32") {
          add(list, ".ftz", to, type);
          add(list, ".sat", to, type);
        }
      } else if (to.name != type.name) {
        for (const std::string how : {".rn", ".rz", ".rm", ".rp"}) add(list, how, to, type);
        if (type.name == "f64" && to.name == "f32") {
          add(list, ".rn.ftz", to, type);
          add(list, ".rn.sat", to, type);
        }
        if (type.name == "f32" && to.name == "f16") {
          add(list, ".rn.ftz", to, type);
          add(list, ".rn.sat", to, type);
        }
      }
    }
  }
  for (const std::string how : {".rn", ".rz", ".rn.relu", ".rz.relu"}) {
    list.add("pack_f16x2" + how, "cvt" + how + ".f16x2.f32 %r0, %a, %b", Inputs::floats);
    list.add("pack_bf16x2" + how, "cvt" + how + ".bf16x2.f32 %r0, %a, %b", Inputs::floats);
    list.add("f16" + how, "cvt" + how + ".f16.f32 %h0, %a", Inputs::floats);
    list.add("bf16" + how, "cvt" + how + ".bf16.f32 %h0, %a", Inputs::floats);
    list.add("tf32" + how, "cvt" + how + ".tf32.f32 %r0, %a", Inputs::floats);
  }
  list.add("tf32.rna", "cvt.rna.tf32.f32 %r0, %a", Inputs::floats);
  for (const std::string type : {"e4m3x2", "e5m2x2"}) {
    for (const std::string relu : {"", ".relu"}) {
      list.add(type + relu, "cvt.rn.satfinite" + relu + "." + type + ".f32 %h0, %a, %b",
               Inputs::floats);
      list.add(type + relu + "_f16x2", "cvt.rn.satfinite" + relu + "." + type + ".f16x2 %h0, %a",
               Inputs::halves);
      list.add("f16x2_" + type + relu, "cvt.rn" + relu + ".f16x2." + type + " %r0, %h4",
               Inputs::bytes);
    }
  }
}

}  // namespace

void add_conversion_cases(CaseList& list) {
  add_whole(list);
  add_real(list);
}

}  // namespace warpscope::instructions
