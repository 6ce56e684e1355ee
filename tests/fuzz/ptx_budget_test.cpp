// tests/fuzz/ptx_budget_test.cpp: PTX that declares, calls or branches without measure is refused
// or run within 1 GB and 5 s.
#include <string>
#include <vector>

#include "profiling/emulator/emulator.h"
#include "tests/fuzz/budget.h"

namespace warpscope {
namespace {

constexpr const char* kHead = ".version 9.0\n.target sm_90\n.address_size 64\n";
constexpr const char* kEntry = ".visible .entry k()\n{\n";

std::string filled(const std::string& part, std::size_t bytes = most_input_bytes - 500'000) {
  std::string text;
  text.reserve(bytes + part.size());
  while (text.size() < bytes) text += part;
  return text;
}

template <typename Part>
std::string numbered(Part part, std::size_t bytes = most_input_bytes - 500'000) {
  std::string text;
  for (std::size_t i = 0; text.size() < bytes; ++i) text += part(std::to_string(i));
  return text;
}

// Reads, decodes and runs one block of a thousand threads, as trace does, with as many threads.
void expect_ptx(const std::string& what, const std::string& body, const std::string& before = "",
                Launch launch = {{1, 1, 1}, {1024, 1, 1}, 0, {}}) {
  const std::string text = kHead + before + kEntry + body + "ret;\n}\n";
  ASSERT_LE(text.size(), static_cast<std::size_t>(most_input_bytes)) << what;
  expect_within_budget(what, [&] {
    const Result<Program> program = Program::parse(text, "bomb.cu");
    if (!program) return;
    EmulatedMemory memory;
    EmulateOptions options;
    options.threads = 8;
    options.writer_entries = kUsualWriterEntries;
    // What runs is bounded by its own budget: here by one that leaves the time to the rest.
    options.instruction_budget = 1'000'000;
    static_cast<void>(emulate(*program, "k", launch, {}, memory, options));
  });
}

TEST(PtxBudget, Declarations) {
  expect_ptx("10⁹ registers", ".reg .b32 %r<1000000000>;\n");
  expect_ptx("many registers",
             numbered([](const std::string& i) { return ".reg .b32 %r" + i + "_<1000000>;\n"; }));
  expect_ptx("registers that are all used",
             ".reg .b64 %l<60000>;\n" +
                 numbered([](const std::string& i) { return "mov.u64 %l" + i + ", 1;\n"; }));
  expect_ptx("local memory", ".local .align 4 .b8 d[268435456];\n");
  expect_ptx("much local memory",
             numbered([](const std::string& i) { return ".local .b8 d" + i + "[200000000];\n"; }));
  expect_ptx("shared memory",
             numbered([](const std::string& i) { return ".shared .b8 s" + i + "[200000000];\n"; }));
  const auto arrays = [](const std::string& bytes) {
    return numbered(
        [&](const std::string& i) { return ".global .b8 g" + i + "[" + bytes + "];\n"; });
  };
  expect_ptx("one large array", "", ".global .b8 g[268435456];\n");
  expect_ptx("global arrays", "", arrays("268435456"));
  expect_ptx("small global arrays", "", arrays("1"));
  expect_ptx("arrays of arrays", "", ".global .b8 g[1000000][1000000][1000000][1000000];\n");
  expect_ptx("arrays in one list", "", ".global .b8 a" + filled(",a") + ";\n");
  expect_ptx("addresses of arrays", "",
             numbered([](const std::string& i) { return ".global .b8 g" + i + ";\n"; }, 700'000) +
                 ".global .b64 t[100000] = {g1" + filled(",g1", 400'000) + "};\n");
  expect_ptx("values", "", ".global .b64 t[1000000] = {1" + filled(",1") + "};\n");
}

TEST(PtxBudget, Statements) {
  expect_ptx("instructions", ".reg .b32 %r<4>;\n" + filled("mov.u32 %r1,1;\n"));
  expect_ptx("what is not known", filled("x;\n"));
  expect_ptx("blocks", filled("{}\n"));
  expect_ptx("labels", numbered([](const std::string& i) { return "L" + i + ":\n"; }));
  expect_ptx("operands", "x " + filled("a,") + "a;\n");
  expect_ptx("blanks", filled(" "));
  expect_ptx("an opcode without end", filled("a") + ";\n");
  expect_ptx("loads beside arrays",
             ".reg .b32 %r<4>;\n" + filled("ld.global.u32 %r1,[g1];\n", 900'000),
             numbered([](const std::string& i) { return ".global .u32 g" + i + ";\n"; }, 900'000));
}

TEST(PtxBudget, Calls) {
  // Each function calls the next one twice: 2³⁰ bodies.
  std::string doubling = ".func f0() { ret; }\n";
  for (int i = 1; i < 31; ++i) {
    const std::string before = std::to_string(i - 1);
    doubling += ".func f" + std::to_string(i) + "() { call.uni f" + before + ", (); call.uni f" +
                before + ", (); ret; }\n";
  }
  expect_ptx("doubling calls", "call.uni f30, ();\n", doubling);
  expect_ptx("calls of a function with many registers", filled("call.uni f, ();\n"),
             ".func f() { .reg .b32 %r<1000000>; ret; }\n");
  expect_ptx("calls of a function with a long opcode", filled("call.uni f, ();\n", 500'000),
             ".func f() { " + filled("a", 1'000'000) + "; ret; }\n");
  expect_ptx("recursion", "call.uni f, ();\n", ".func f() { call.uni f, (); call.uni f, (); }\n");
}

TEST(PtxBudget, Positions) {
  const std::string chain = [] {
    std::string text = ".loc 1 1 1\n";
    for (int i = 2; i < 70; ++i) {
      text += ".loc 1 " + std::to_string(i) + " 1, function_name $x, inlined_at 1 " +
              std::to_string(i - 1) + " 1\n";
    }
    return text;
  }();
  const std::string file = ".file 1 \"" + std::string(4000, 'a') + "\"\n";
  expect_ptx("instructions inlined 64 deep", chain + filled("ret;\n"), file);
  expect_ptx("a long name of a file", chain + filled("ret;\n", 900'000),
             ".file 1 \"" + filled("a", 900'000) + "\"\n");
}

TEST(PtxBudget, Branches) {
  const std::string head = ".reg .pred %p<4>;\n";
  expect_ptx("branches to the next instruction", head + numbered([](const std::string& i) {
                                                   return "@%p1 bra L" + i + ";\nL" + i + ":\n";
                                                 }));
  expect_ptx("branches to the end", head + filled("@%p1 bra E;\n") + "E:\n");
  expect_ptx("branches to the beginning", head + "B:\n" + filled("@%p1 bra B;\n"));
  std::string crossing = head, labels;
  for (int i = 0; crossing.size() + labels.size() < 1'500'000; ++i) {
    crossing += "@%p1 bra L" + std::to_string(i) + ";\n";
    labels = "L" + std::to_string(i) + ":\nbar.sync 0;\n" + labels;
    if (i == 20'000) break;
  }
  expect_ptx("branches that nest", crossing + labels);
  std::string table = "T: .branchtargets L0" + filled(",L0", 500'000) + ";\nL0:\n";
  expect_ptx("tables", ".reg .b32 %r<4>;\n" + table + filled("brx.idx %r1, T;\n", 5'000));
  // Not reducible: into the middle of every loop.
  std::string loops = head;
  for (int i = 0; i < 20'000; ++i) {
    const std::string n = std::to_string(i);
    loops += "@%p1 bra M" + n + ";\nL" + n + ":\n@%p2 bra L" + std::to_string(i / 2) + ";\nM" + n +
             ":\n@%p3 bra L" + n + ";\n";
  }
  expect_ptx("loops with two entries", loops);
  // A chain that every pass over it follows by one link, beside an atomic that has to know.
  std::string chain = ".shared .b32 s;\n.reg .b32 %r<70000>;\nred.shared.add.u32 [s], %r1;\n";
  for (int i = 1; i < 50'000; ++i) {
    chain += "mov.u32 %r" + std::to_string(i) + ",%r" + std::to_string(i + 1) + ";\n";
  }
  expect_ptx("a chain of moves, last first", chain + "mov.u32 %r50000,%tid.x;\n");
  expect_ptx("an atomic in loops to the beginning",
             head +
                 ".shared .b32 s;\n.reg .b32 %r<4>;\nB:\nmov.u32 %r1,%tid.x;\n"
                 "setp.eq.u32 %p1,%r1,0;\nred.shared.add.u32 [s], %r1;\n" +
                 filled("@%p1 bra B;\n"));
}

TEST(PtxBudget, GridsOfAllBlocks) {
  // 2³¹ blocks of nothing end by the budget of a run, not by hours.
  expect_ptx("a grid of 2³¹ blocks", "", "", {{2147483647, 65535, 65535}, {32, 1, 1}, 0, {}});
  const std::string text = std::string(kHead) + kEntry + "ret;\n}\n";
  const Result<Program> program = Program::parse(text, "grid.cu");
  ASSERT_TRUE(program);
  EmulatedMemory memory;
  EmulateOptions options;
  options.instruction_budget = 100'000;
  const Result<EmulatedRun> run =
      emulate(*program, "k", {{2147483647, 1, 1}, {32, 1, 1}, 0, {}}, {}, memory, options);
  ASSERT_TRUE(run);
  ASSERT_EQ(run->trace.faults.size(), 1u);
  EXPECT_EQ(run->trace.faults[0].kind, FaultKind::budget);
  EXPECT_NE(run->trace.faults[0].sentence.find("after 100000 warp instructions, in block"),
            std::string::npos)
      << run->trace.faults[0].sentence;
}

TEST(PtxBudget, SharedMemoryThatOverflowsIsRefused) {
  const std::string text = std::string(kHead) + kEntry + ".shared .b8 s[64];\nret;\n}\n";
  const Result<Program> program = Program::parse(text, "shared.cu");
  ASSERT_TRUE(program);
  EmulatedMemory memory;
  for (const std::int64_t bytes : {std::int64_t{9223372036854775807}, std::int64_t{232448}}) {
    const Result<EmulatedRun> run =
        emulate(*program, "k", {{1, 1, 1}, {32, 1, 1}, bytes, {}}, {}, memory, {});
    ASSERT_FALSE(run) << bytes;
    EXPECT_EQ(run.error().kind, ErrorKind::usage);
  }
}

}  // namespace
}  // namespace warpscope
