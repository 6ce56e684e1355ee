// tests/engine/both_codes_test.cpp: figures of machine code beside findings of PTX.
#include "profiling/engine/run/emulated/both_codes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiling/engine/compile/disassembly.h"
#include "profiling/engine/run/emulation.h"
#include "scenes/base/source.h"
#include "tests/engine/compiling_test.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

class BothCodesTest : public CompilingTest {
 protected:
  void SetUp() override {
    CompilingTest::SetUp();
    if (const Result<std::string> program = find_disassembler(); !program)
      GTEST_SKIP() << sentence(program.error());
  }
};

std::vector<Trace> traces_of(Emulation& emulation, const Job& job, bool others_wait = false) {
  std::vector<Trace> traces;
  JobChannel channel;
  channel.send = [&](const Message& message) {
    if (const auto* trace = std::get_if<Trace>(&message)) traces.push_back(*trace);
  };
  channel.host_work = [](double) {};
  channel.interrupted = [] { return false; };
  channel.others_wait = [others_wait] { return others_wait; };
  const Result<void> ran = emulation.run(job, channel);
  EXPECT_TRUE(ran) << sentence(ran.error());
  return traces;
}

// One block of a warp. Lane l reads what lane l ^ 1 stored, without __syncwarp.
constexpr const char* kRace = R"(
extern "C" __global__ void swap(float* x) {
  __shared__ float s[32];
  s[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = s[threadIdx.x ^ 1];
}
)";

Trace trace_of_file(const char* text, const std::string& x, TracedCode code) {
  UserKernel user;
  user.path = "/me/swap.cu";
  user.entry = "swap";
  user.launch.grid = {1, 1, 1};
  user.launch.block = {32, 1, 1};
  user.buffers = {{"x", x}};
  user.arguments = {"&x"};
  Job job;
  TraceJob asked;
  asked.code = code;
  job.work = asked;
  job.user = user;
  job.sources = {kernel_source(user.path, text)};
  Emulation emulation;
  std::vector<Trace> traces = traces_of(emulation, job);
  EXPECT_EQ(traces.size(), 1u);
  return traces.empty() ? Trace{} : std::move(traces[0]);
}

TEST_F(BothCodesTest, ARaceWithinAWarpIsFoundInPtxAndCountedInMachineCode) {
  const Trace ptx = trace_of_file(kRace, "f32[32]:iota", TracedCode::ptx);
  const Trace best = trace_of_file(kRace, "f32[32]:iota", TracedCode::best);
  ASSERT_EQ(ptx.faults.size(), 1u);
  EXPECT_EQ(ptx.faults[0].kind, FaultKind::shared_race);
  EXPECT_EQ(ptx.faults[0].position.line, 5);
  ASSERT_EQ(best.faults.size(), 1u) << "machine code does not tell whether lanes are ordered";
  EXPECT_EQ(best.faults[0].sentence, ptx.faults[0].sentence);
  ASSERT_TRUE(best.machine_code) << best.no_machine_code;
  std::int64_t executed = 0;
  for (const MachineRow& row : best.machine_code->rows) executed += row.executed;
  EXPECT_EQ(best.warp_instructions, executed);
}

TEST_F(BothCodesTest, ARunThatStopsKeepsTheFiguresOfPtxAndSaysSo) {
  const Trace best = trace_of_file(kRace, "f32[16]:iota", TracedCode::best);
  ASSERT_FALSE(best.faults.empty());
  EXPECT_EQ(best.faults[0].kind, FaultKind::out_of_bounds);
  EXPECT_FALSE(best.machine_code);
  EXPECT_THAT(best.no_machine_code, HasSubstr("did not come to its end"));
}

Fault fault_of(FaultKind kind, const std::string& sentence) {
  Fault fault;
  fault.kind = kind;
  fault.sentence = sentence;
  return fault;
}

TEST(FiguresWithFindings, AreOfPtxIfMachineCodeStoppedAlone) {
  Trace ptx, machine;
  ptx.warp_instructions = 12;
  machine.warp_instructions = 5;
  machine.machine_code.emplace();
  machine.faults = {fault_of(FaultKind::unsupported, "the emulator cannot run this: FOO")};
  const Trace kept = figures_with_findings(ptx, machine);
  EXPECT_FALSE(kept.machine_code);
  EXPECT_EQ(kept.warp_instructions, 12);
  EXPECT_TRUE(kept.faults.empty());
  EXPECT_EQ(kept.no_machine_code,
            "SASS was not emulated to its end: the emulator cannot run this: FOO");
}

TEST(FiguresWithFindings, AreAllOfMachineCodeIfPtxHasAnInstructionThatIsNotEmulated) {
  Trace ptx, machine;
  ptx.faults = {fault_of(FaultKind::unsupported, "the emulator cannot run this: mov.b128")};
  machine.machine_code.emplace();
  EXPECT_EQ(why_ptx_alone({ptx}), "");
  const Trace made = figures_with_findings(ptx, machine);
  EXPECT_TRUE(made.machine_code);
  EXPECT_TRUE(made.faults.empty());
}

TEST(FiguresWithFindings, LeaveOutWhatOnlyMachineCodeFound) {
  Trace ptx, machine;
  ptx.faults = {fault_of(FaultKind::shared_race, "a race at line 3")};
  machine.warp_instructions = 7;
  machine.machine_code.emplace();
  machine.faults = {fault_of(FaultKind::uninitialised_read, "a word that nobody wrote")};
  const Trace made = figures_with_findings(ptx, machine);
  EXPECT_TRUE(made.machine_code);
  EXPECT_EQ(made.warp_instructions, 7);
  ASSERT_EQ(made.faults.size(), 1u);
  EXPECT_EQ(made.faults[0].sentence, "a race at line 3");
}

Job live_job(std::int64_t number, const std::string& n) {
  Job job;
  TraceJob asked;
  asked.grid = false;
  asked.live = true;
  asked.sample_instructions = 100000;
  asked.code = TracedCode::best;
  job.job = number;
  job.work = asked;
  job.scene = "csrmm";
  job.variant = "warp_row_shuffle";
  job.sources = sources_of_scene("csrmm").value();
  job.axes = {{"m", "64"}, {"k", "64"}, {"n", n}, {"p", "0.1"}};
  return job;
}

// "ptx", "sass" and "sass sample" in the order of their traces.
std::vector<std::string> kinds_of(const std::vector<Trace>& traces) {
  std::vector<std::string> kinds;
  for (const Trace& trace : traces)
    kinds.push_back(std::string(trace.machine_code ? "sass" : "ptx") +
                    (covers_grid(trace) ? " grid" : ""));
  return kinds;
}

TEST_F(BothCodesTest, ALiveDiagramIsOfPtxUntilItsMachineCodeIsMade) {
  Emulation emulation;
  const std::vector<Trace> first = traces_of(emulation, live_job(1, "32"));
  EXPECT_THAT(kinds_of(first), testing::ElementsAre("ptx", "sass", "sass grid"));
  EXPECT_FALSE(emulation.goes_on(live_job(1, "32")));
}

TEST_F(BothCodesTest, ALiveDiagramDoesNotFlickerOnceItsMachineCodeIsAtHand) {
  Emulation emulation;
  traces_of(emulation, live_job(1, "32"));
  const std::vector<Trace> again = traces_of(emulation, live_job(2, "64"));
  EXPECT_THAT(kinds_of(again), testing::ElementsAre("sass", "sass grid"));
}

TEST_F(BothCodesTest, JobsThatWaitRunBeforeTheMachineCode) {
  Emulation emulation;
  const Job job = live_job(1, "32");
  EXPECT_THAT(kinds_of(traces_of(emulation, job, true)), testing::ElementsAre("ptx"));
  ASSERT_TRUE(emulation.goes_on(job));
  EXPECT_THAT(kinds_of(traces_of(emulation, job, true)), testing::ElementsAre("sass", "sass grid"));
  EXPECT_FALSE(emulation.goes_on(job));
}

}  // namespace
}  // namespace warpscope
