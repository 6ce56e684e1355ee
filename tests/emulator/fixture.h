// tests/emulator/fixture.h: runs small kernels, written in PTX or compiled by NVRTC, for the tests.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "profiling/emulator/emulator.h"
#ifdef WARPSCOPE_WITH_COMPILER
#include "profiling/engine/compile/compiler.h"
#endif

namespace warpscope {

// The text around the body of one entry `k`, whose parameters are pointers p0, p1, … and an s32 n;
// %p, %h, %r, %f, %d and %l are predicates, 16-, 32-, f32, f64 and 64-bit registers.
inline std::string ptx_entry(int pointers, const std::string& body,
                             const std::string& before = {}) {
  std::string text =
      ".version 9.0\n.target sm_90\n.address_size 64\n" + before + "\n.visible .entry k(";
  for (int i = 0; i < pointers; ++i) text += ".param .u64 p" + std::to_string(i) + ", ";
  return text +
         ".param .u32 n)\n{\n.reg .pred %p<20>;\n.reg .b16 %h<20>;\n.reg .b32 %r<60>;\n"
         ".reg .f32 %f<40>;\n.reg .f64 %d<40>;\n.reg .b64 %l<60>;\n" +
         body + "\n}\n.file 1 \"test.cu\"\n";
}

// An entry of pointers p0 and p1. Each lane loads its element of p0 into the register `from` with
// the instruction `load`, and stores the register `to` to its element of p1 with `store`.
inline std::string ptx_per_lane(int bytes, const std::string& load, const std::string& from,
                                const std::string& body, const std::string& store,
                                const std::string& to) {
  return ptx_entry(2, "mov.u32 %r1, %laneid; mul.wide.u32 %l0, %r1, " + std::to_string(bytes) +
                          ";\nld.param.u64 %l1, [p0]; add.s64 %l2, %l1, %l0;\n" + load + " " +
                          from + ", [%l2];\n" + body +
                          "\nld.param.u64 %l1, [p1]; add.s64 %l2, %l1, %l0;\n" + store +
                          " [%l2], " + to + ";\nret;");
}

// Buffers and arguments of one launch.
class Bench {
 public:
  template <typename T>
  std::uint64_t add(const std::string& name, std::vector<T>& values, bool initialised = true) {
    EmulatedMemory::Spec spec;
    spec.name = name;
    spec.symbol = name + "[i]";
    spec.type = element_type_of<T>();
    spec.shape = {static_cast<std::int64_t>(values.size())};
    const std::uint64_t address =
        memory.add(spec, std::as_writable_bytes(std::span<T>(values)), initialised);
    arguments.push_back(argument_of(address));
    return address;
  }
  template <typename T>
  void pass(const T& value) {
    arguments.push_back(argument_of(value));
  }
  Trace run(const std::string& ptx, const Launch& launch, const std::string& entry = "k",
            const std::string& file = "test.cu", const std::string& source = {}) {
    const Result<Program> program = Program::parse(ptx, file, source);
    if (!program) {
      ADD_FAILURE() << sentence(program.error()) << "\n" << ptx;
      return {};
    }
    Result<EmulatedRun> done = emulate(*program, entry, launch, arguments, memory, options);
    if (!done) {
      ADD_FAILURE() << sentence(done.error());
      return {};
    }
    return std::move(done->trace);
  }

  EmulatedMemory memory;
  std::vector<ArgumentBytes> arguments;
  EmulateOptions options;
};

inline std::string faults_text(const Trace& trace) {
  std::string text;
  for (const Fault& f : trace.faults) text += f.sentence + "\n";
  return text;
}

inline Launch launch_of(std::int64_t blocks, std::int64_t threads, std::int64_t shared = 0) {
  Launch launch;
  launch.grid.x = blocks;
  launch.block.x = threads;
  launch.dynamic_shared_bytes = shared;
  return launch;
}

#ifdef WARPSCOPE_WITH_COMPILER
// The PTX of CUDA text; skips the test where there is no NVRTC.
#define WARPSCOPE_COMPILE(ptx, text)                                          \
  std::string ptx;                                                            \
  {                                                                           \
    Result<CompiledPtx> compiled = compile_to_ptx({"test.cu", {}, 90}, text); \
    if (!compiled && compiled.error().kind == ErrorKind::environment)         \
      GTEST_SKIP() << sentence(compiled.error());                             \
    ASSERT_TRUE(compiled) << sentence(compiled.error());                      \
    ptx = compiled->ptx;                                                      \
  }
#endif

}  // namespace warpscope
