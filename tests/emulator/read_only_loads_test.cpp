// tests/emulator/read_only_loads_test.cpp: read-only loads of what the same launch writes.
#include "tests/emulator/fixture.h"

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {
namespace {

// a has 256 elements, b 256; the load stands in line 3, the store in line 5.
struct ReadOnly {
  const char* name;
  const char *load, *store;
  std::int64_t blocks = 1, threads = 64;
  const char* words = nullptr;  // of the sentence; null: nothing is wrong
  std::int64_t index = -1;
  bool store_first = false;
};

const ReadOnly kReadOnly[] = {
    {"another array", "x = __ldg(a + i);", "b[i] = x;"},
    {"another part of the array", "x = __ldg(a + 128 + i);", "a[i] = x;"},
    {"neighbouring bytes", "x = __ldg((const char*)a + 4 * i);", "((char*)a)[4 * i + 1] = x;"},
    {"a plain load", "x = *(volatile float*)(a + i);", "a[i] = x;"},
    {"the same thread, later", "x = __ldg(a + i);", "a[i] = x + 1;", 1, 64,
     "a[0] through the read-only cache, and st.global.f32 at test.cu:5 writes it later in the same "
     "launch",
     0},
    {"the same thread, before", "x = __ldg(a + i);", "a[i] = i;", 1, 64,
     "a[0] through the read-only cache, and st.global.f32 at test.cu:5 writes it in the same "
     "launch",
     0, true},
    {"another block, later", "if (blockIdx.x == 0) x = __ldg(a + 70);", "if (i >= 64) a[i] = x;", 2,
     64, "a[70] through the read-only cache", 70},
    {"another block, before", "if (blockIdx.x == 1) x = __ldg(a + 9);", "if (i < 64) a[i] = x;", 2,
     64, "a[9] through the read-only cache", 9},
    {"scattered lanes", "x = __ldg(a + (i * 7 & 63));", "if (i == 5) a[35] = x;", 1, 64,
     "a[35] through the read-only cache", 35},
    {"vectors", "float4 v = __ldg((const float4*)a + i); x = v.y;", "if (i == 0) a[6] = x;", 1, 64,
     "a[6] through the read-only cache", 6},
    {"an atomic", "x = __ldg(a + i);", "atomicAdd(a + 20, x);", 1, 64,
     "a[20] through the read-only cache, and atom.global.add.f32 at test.cu:5 writes it", 20},
    {"ldu", "asm volatile(\"ldu.global.f32 %0, [%1];\" : \"=f\"(x) : \"l\"(a + i));",
     "a[i] = x + 1;", 1, 64, "ldu.global.f32 reads a[0] through the read-only cache", 0},
};

// Where another block or thread writes it the two race as well.
void leave_stale_reads(Trace& trace) {
  std::erase_if(trace.faults, [](const Fault& f) {
    return f.kind == FaultKind::block_race || f.kind == FaultKind::global_race;
  });
}

TEST(ReadOnlyLoads, OfWhatTheLaunchWritesAreFaultsWithBothLines) {
  for (const ReadOnly& c : kReadOnly) {
    for (const int threads : {1, 3}) {
      SCOPED_TRACE(c.name);
      // The compiler may not move the accesses. The store comes after the load in the text, and
      // runs before it in a loop's second round.
      std::string text =
          "extern \"C\" __global__ void k(float* a, float* b, int n) { int i = blockIdx.x * "
          "blockDim.x + threadIdx.x; float x = i;\n"
          "for (int round = 0; round < 2; ++round) {\n";
      text += std::string("if (") + (c.store_first ? "round == 1" : "round == 0") + ") { " +
              c.load + " }\nasm volatile(\"\" ::: \"memory\");\n" +
              "if (round == " + (c.store_first ? "0" : "1") + ") { " + c.store +
              " }\n} b[i] = x; }";
      WARPSCOPE_COMPILE(ptx, text);
      std::vector<float> a(1024, 1.0f), b(1024);
      Bench bench;
      bench.add("a", a);
      bench.add("b", b);
      bench.pass(256);
      bench.options.threads = threads;
      Trace trace = bench.run(ptx, launch_of(c.blocks, c.threads));
      leave_stale_reads(trace);
      if (c.words == nullptr) {
        EXPECT_EQ(faults_text(trace), "");
        continue;
      }
      ASSERT_EQ(trace.faults.size(), 1u) << faults_text(trace);
      const Fault& fault = trace.faults.front();
      EXPECT_EQ(fault.kind, FaultKind::stale_read);
      EXPECT_NE(fault.sentence.find("test.cu:3: "), std::string::npos) << fault.sentence;
      EXPECT_NE(fault.sentence.find("at test.cu:5 writes it"), std::string::npos) << fault.sentence;
      EXPECT_EQ(fault.position.line, 3) << fault.sentence;
      EXPECT_EQ(fault.buffer, "a") << fault.sentence;
      // With several host threads, any may be the first.
      if (threads > 1 && c.blocks > 1) continue;
      EXPECT_NE(fault.sentence.find(c.words), std::string::npos) << fault.sentence;
      EXPECT_EQ(fault.index, c.index) << fault.sentence;
    }
  }
}

// Pointers that promise what the caller does not keep; a later launch may read it.
TEST(ReadOnlyLoads, AnArrayGivenTwiceIsSeenAndAnotherLaunchIsNot) {
  WARPSCOPE_COMPILE(ptx, R"(
extern "C" __global__ void k(const float* __restrict__ from, float* __restrict__ to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n) to[i] = from[i + 1] + 1;
})");
  std::vector<float> a(256, 1.0f), b(256);
  Bench twice;
  const std::uint64_t at = twice.add("a", a);
  twice.pass(at);
  twice.pass(256);
  Trace aliased = twice.run(ptx, launch_of(2, 128));
  leave_stale_reads(aliased);
  ASSERT_EQ(aliased.faults.size(), 1u) << faults_text(aliased);
  EXPECT_EQ(aliased.faults[0].kind, FaultKind::stale_read);
  EXPECT_EQ(aliased.faults[0].position.line, 4);

  const Result<Program> program = Program::parse(ptx, "test.cu");
  ASSERT_TRUE(program);
  EmulatedMemory memory;
  const auto bytes = [](std::vector<float>& v) { return std::as_writable_bytes(std::span(v)); };
  const std::uint64_t x = memory.add({"a", "a", ElementType::f32, {256}}, bytes(a), true);
  const std::uint64_t y = memory.add({"b", "b", ElementType::f32, {256}}, bytes(b), true);
  for (const auto& [from, to] : {std::pair{x, y}, std::pair{y, x}}) {
    const std::vector<ArgumentBytes> arguments = {argument_of(from), argument_of(to),
                                                  argument_of(256)};
    const Result<EmulatedRun> run =
        emulate(*program, "k", launch_of(2, 128), arguments, memory, {});
    ASSERT_TRUE(run) << sentence(run.error());
    EXPECT_EQ(faults_text(run->trace), "");
  }
}

}  // namespace
}  // namespace warpscope

#endif
