// tests/workbench/commands/trace_command_test.cpp: the real programs trace and verify with no GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "profiling/session/session.h"
#include "tests/folders.h"
#include "tests/workbench/commands/run_warpscope.h"
#include "workbench/workspace/trace_state.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

class TraceCommand : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(built_program("warpscope-engine"))) GTEST_SKIP() << "the engine is not built";
    if (run_warpscope("trace csrmm/float4_columns m=10 k=10 n=4").status == 3)
      GTEST_SKIP() << "there is no NVRTC here";
    folder_ = fs::temp_directory_path() / ("warpscope-trace-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  fs::path folder_;
};

TEST_F(TraceCommand, CountsTheSectorsOfAVariantByLineAndInstruction) {
  const std::string what = "trace csrmm/float4_columns m=64 k=64 n=128 p=0.1 --grid";
  const WarpscopeRun ran = run_warpscope(what + " --code ptx");
  EXPECT_EQ(ran.status, 0) << ran.said;
  EXPECT_THAT(ran.said, HasSubstr("all blocks of 16, as PTX"));
  EXPECT_THAT(ran.said, HasSubstr("ld.global.nc.v4.f32"));
  EXPECT_THAT(ran.said, HasSubstr("16.00  16.00  sectors/request"));
  EXPECT_THAT(ran.said, HasSubstr("float4_columns.cu:33"));
  // Without a disassembler, the heading says that the figures are of PTX, and why.
  const WarpscopeRun best = run_warpscope(what);
  EXPECT_EQ(best.status, 0) << best.said;
  EXPECT_THAT(best.said, AnyOf(AllOf(HasSubstr("all blocks of 16, as SASS of sm_90"),
                                     HasSubstr("LDG.E.128.CONSTANT")),
                               HasSubstr("figures of PTX: there is no nvdisasm")));
  EXPECT_THAT(best.said, HasSubstr("16.00  16.00  sectors/request"));
  const WarpscopeRun lines = run_warpscope("trace csrmm/float4_columns m=64 k=64 n=128 --json");
  const Result<Message> message = parse_line(lines.said.substr(0, lines.said.find('\n')));
  ASSERT_TRUE(message) << lines.said.substr(0, 300);
  EXPECT_EQ(std::get<Trace>(*message).variant, "float4_columns");
  EXPECT_FALSE(std::get<Trace>(*message).requests.empty());
}

// Progress is no answer: what never ends is named within the limit, and so is what never compiles.
TEST_F(TraceCommand, EndlessKernelsAndCompilationsHaveAVerdictWithinTheLimit) {
  const std::string endless =
      write("endless.cu",
            "extern \"C\" __global__ void k(float* p) {\n  unsigned long long x = 1;\n"
            "  while (x != 0) {\n    x ^= x << 13, x ^= x >> 7, x ^= x << 17;\n"
            "    p[x & 63] += 1;\n  }\n}\n");
  const std::string flood =
      write("flood.cu",
            "extern \"C\" __global__ void k(float* p) {\n"
            "  for (int i = 0; i < 100000000; ++i) printf(\"hello %d %f\\n\", i, p[0]);\n}\n");
  for (const std::string& source : {endless, flood}) {
    const WarpscopeRun ran = run_warpscope("trace --source " + source +
                                           " --kernel k --block 1 --arg f32[64]:zero --limit 2");
    EXPECT_EQ(ran.status, 0) << ran.said;
    EXPECT_THAT(ran.said, HasSubstr("warning, stopped at the limit, at ")) << source;
    EXPECT_THAT(ran.said, HasSubstr("stopped at the limit after ")) << source;
    EXPECT_THAT(ran.said, HasSubstr("the result is partial")) << source;
    EXPECT_THAT(ran.said, Not(HasSubstr(", hang"))) << source;
  }
  std::string bomb = "#define A0 x + x + x + x\n";
  for (int k = 1; k < 10; ++k) {
    const std::string inner = " A" + std::to_string(k - 1) + " +";
    bomb +=
        "#define A" + std::to_string(k) + inner + inner + inner + inner + inner + inner + " 1\n";
  }
  bomb += "extern \"C\" __global__ void k(float* p) { float x = p[0]; p[1] = A9; }\n";
  const WarpscopeRun ran = run_warpscope("trace --source " + write("bomb.cu", bomb) +
                                         " --kernel k --arg f32[64]:zero --limit 1");
  EXPECT_EQ(ran.status, 2) << ran.said;
  EXPECT_THAT(ran.said, HasSubstr("the compiler did not end within 1 s"));
}

TEST_F(TraceCommand, SaysWhichBlocksStandForTheGridAndHowSure) {
  const std::string what = "trace csrmm/warp_row_zero_test m=3000 k=200 n=32 p=0.05 ";
  const WarpscopeRun ran = run_warpscope(what + "--sample 40000");
  EXPECT_EQ(ran.status, 0) << ran.said;
  EXPECT_THAT(ran.said, HasSubstr(" of 3,000 blocks, chosen by position and work"));
  EXPECT_THAT(ran.said, HasSubstr("; ±"));
  EXPECT_THAT(ran.said, HasSubstr("scaled to the grid"));
  EXPECT_THAT(run_warpscope(what + "--grid").said, HasSubstr("all blocks of 3000"));
  const WarpscopeRun block = run_warpscope(what + "--block 7");
  EXPECT_THAT(block.said, HasSubstr("block 7 of 3000"));
  EXPECT_THAT(block.said, Not(HasSubstr("chosen by")));
  const WarpscopeRun json = run_warpscope(what + "--sample 40000 --json");
  const Result<Message> message = parse_line(json.said.substr(0, json.said.find('\n')));
  ASSERT_TRUE(message) << json.said.substr(0, 300);
  const Trace& trace = std::get<Trace>(*message);
  ASSERT_TRUE(trace.sample);
  EXPECT_EQ(trace.sample->spreads.count("l1.sectors_load"), 1u);
  EXPECT_TRUE(find_value(trace.metrics, "emulated.l1.sectors_load")->sampled);
  EXPECT_EQ(run_warpscope(what + "--grid --sample 40000").status, 2);
}

// There is no verdict on such a kernel. A fault before the instruction is one all the same.
TEST_F(TraceCommand, EndsWithStatus3WhereTheEmulatorLacksAnInstruction) {
  const auto kernel = [](const char* before) {
    return std::string("extern \"C\" __global__ void k(unsigned long long t, float* p) {\n") +
           before +
           "  float r, g, b, a;\n"
           "  asm volatile(\"tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5}];\"\n"
           "               : \"=f\"(r), \"=f\"(g), \"=f\"(b), \"=f\"(a) : \"l\"(t), \"r\"(0));\n"
           "  p[0] = r;\n}\n";
  };
  const std::string call = " --kernel k --grid 1 --block 1 --arg u64:0 --arg f32[4]:zero";
  for (const char* code : {"ptx", "best"}) {
    const WarpscopeRun unknown =
        run_warpscope("trace --source " + write("tex.cu", kernel("")) + call + " --code " + code);
    EXPECT_EQ(unknown.status, 3) << unknown.said;
    EXPECT_THAT(unknown.said, HasSubstr("1. warning, not emulated, at tex.cu:"));
    EXPECT_THAT(unknown.said, HasSubstr("no verdict on this kernel"));
  }
  const WarpscopeRun faulty =
      run_warpscope("trace --source " + write("both.cu", kernel("  p[4] = 1;\n")) + call);
  EXPECT_EQ(faulty.status, 1) << faulty.said;
  EXPECT_THAT(faulty.said, Not(HasSubstr("no verdict on this kernel")));
}

TEST_F(TraceCommand, RunsAFileOfThePersonsOwnAndFindsItsFault) {
  const std::string file = write("saxpy.cu",
                                 "template <typename T>\n"
                                 "__global__ void saxpy(T a, const T* x, T* y, int n) {\n"
                                 "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "  if (i <= n) y[i] = a * x[i] + y[i];\n"
                                 "}\n");
  const std::string call = "trace --source " + file +
                           " --kernel 'saxpy<float>' --grid 4 --block 256 --arg f32:2 --arg "
                           "'f32[1000]' --arg 'f32[1000]:iota' --arg i32:";
  const WarpscopeRun faulty = run_warpscope(call + "1000");
  EXPECT_EQ(faulty.status, 1) << faulty.said;
  EXPECT_THAT(faulty.said, HasSubstr("out of bounds"));
  EXPECT_THAT(faulty.said, HasSubstr("1. error, invalid address, at saxpy.cu:4"));
  EXPECT_THAT(faulty.said, HasSubstr("thread (232, 0, 0)"));
  const WarpscopeRun good = run_warpscope(call + "999");
  EXPECT_EQ(good.status, 0) << good.said;
  EXPECT_THAT(good.said, Not(HasSubstr("out of bounds")));
}

// Findings come before the tables, in JSON and in SARIF, whose paths are relative.
TEST_F(TraceCommand, ListsFindingsFirstAndWritesThemAsJsonAndSarif) {
  const std::string call =
      "trace patterns/copy n=65536 stride=8 --sarif " + (folder_ / "copy.sarif").string() + " ";
  const WarpscopeRun text = run_warpscope(call);
  EXPECT_EQ(text.status, 0) << "waste is not a wrong result: " << text.said;
  const std::size_t finding = text.said.find("1. warning, uncoalesced access, at copy.cu:16");
  EXPECT_LT(finding, text.said.find("line  "));
  EXPECT_THAT(text.said, HasSubstr("Neighbouring lanes read addresses 32 B apart in x[n]."));
  const WarpscopeRun lines = run_warpscope(call + "--json");
  const auto json = nlohmann::json::parse(lines.said.substr(0, lines.said.find('\n')));
  ASSERT_EQ(json["findings"].size(), 1u) << lines.said.substr(0, 300);
  EXPECT_EQ(json["findings"][0]["kind"], "uncoalesced-access");
  EXPECT_EQ(json["findings"][0]["line"], 16);
  std::ifstream file(folder_ / "copy.sarif");
  const auto sarif = nlohmann::json::parse(file);
  const auto& result = sarif["runs"][0]["results"][0];
  EXPECT_EQ(result["ruleId"], "uncoalesced-access");
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "kernels/patterns/copy.cu");
}

TEST_F(TraceCommand, ListsNothingOfAnIdealCopy) {
  EXPECT_THAT(run_warpscope("trace patterns/copy n=65536").said,
              AllOf(HasSubstr("no findings\n"), HasSubstr("Not listed: waste below 1 %")));
}

// The blocks of a cluster read each other's shared memory, and those of a cooperative launch meet:
// both need what the command line says of the launch.
// Its own axes are not among the problem's.
TEST_F(TraceCommand, RunsAVariantWithAxesOfItsOwnWhereItApplies) {
  const WarpscopeRun ran = run_warpscope(
      "trace led/frames_per_warp_early_exit leds=16 height=32 width=32 block=4 --block 0");
  EXPECT_EQ(ran.status, 0) << ran.said;
  EXPECT_THAT(ran.said, HasSubstr("led/frames_per_warp_early_exit at "));
}

TEST_F(TraceCommand, LaunchesClustersAndGridsThatMeet) {
  const std::string folder = (source_folder() / "tests/emulator/hopper").string();
  const std::string call = "trace -I " + (source_folder() / "tests").string() + " --source " +
                           folder +
                           "/histogram.cu --kernel histogram --grid 8 --block 128 --arg "
                           "'i32[1024]:iota' --arg 'u32[1024]:zero' --arg i32:1024 ";
  const WarpscopeRun clusters = run_warpscope(call + "--cluster 4 --json");
  EXPECT_EQ(clusters.status, 0) << clusters.said;
  const Result<Message> message = parse_line(clusters.said.substr(0, clusters.said.find('\n')));
  ASSERT_TRUE(message) << clusters.said.substr(0, 300);
  const Trace& trace = std::get<Trace>(*message);
  EXPECT_EQ(trace.launch.cluster, (Dim3{4, 1, 1}));
  // 24 of 32 requests with one value per lane go to other blocks, in 4 sectors each.
  AccessTotals shared;
  for (const AccessSite& site : trace.sites) {
    // The machine code has an atomic whose result nobody reads.
    const bool adds = site.kind == AccessKind::reduction || site.kind == AccessKind::atomic;
    if (adds && site.space == Space::shared) shared += site.totals;
  }
  EXPECT_EQ(shared.requests, 32);
  EXPECT_EQ(shared.remote_requests(), 24);
  EXPECT_EQ(shared.remote_sectors(), 96);
  const WarpscopeRun alone = run_warpscope(call);
  EXPECT_EQ(alone.status, 1) << alone.said;
  EXPECT_THAT(alone.said, HasSubstr("rank 1 in a cluster of 1 block"));
  const std::string file =
      write("k.cu", "extern \"C\" __global__ void k(int* out) { out[blockIdx.x] = 1; }\n");
  const std::string wide =
      "trace --source " + file + " --kernel k --grid 3000 --block 1024 --arg 'i32[3000]' ";
  EXPECT_EQ(run_warpscope(wide).status, 0);
  const WarpscopeRun meeting =
      run_warpscope(wide + "--cooperative");  // an H200 holds 264 such blocks at once
  EXPECT_NE(meeting.status, 0) << meeting.said;
  EXPECT_THAT(meeting.said, HasSubstr("cooperative"));
}

TEST_F(TraceCommand, RefusesWhatItCannotRunInOneSentence) {
  const std::string file =
      write("k.cu", "extern \"C\" __global__ void k(float* x) { x[0] = 1; }\n");
  const std::string broken = write("broken.cu", "extern \"C\" __global__ void k( { }\n");
  const std::string large = write("large.cu",
                                  "extern \"C\" __global__ void k(float* x) {\n"
                                  "  __shared__ float s[51200];\n"
                                  "  s[threadIdx.x] = x[0];\n"
                                  "  __syncthreads();\n"
                                  "  x[threadIdx.x] = s[31 - threadIdx.x];\n"
                                  "}\n");
  // A hundred floats a thread that all live across a barrier.
  const std::string wide = write("wide.cu",
                                 "extern \"C\" __global__ void k(float* x) {\n"
                                 "  float v[100];\n"
                                 "#pragma unroll\n"
                                 "  for (int i = 0; i < 100; ++i) v[i] = x[i];\n"
                                 "  __syncthreads();\n"
                                 "#pragma unroll\n"
                                 "  for (int i = 0; i < 100; ++i) x[i] = v[99 - i];\n"
                                 "}\n");
  const struct {
    std::string arguments;
    int status;
    const char* words;
  } cases[] = {
      {"trace", 2, "name exactly one thing to trace"},
      {"trace csrmm", 2, "one variant"},
      {"trace csrmm/nothing", 2, "nothing"},
      {"trace csrmm/cusparse_default", 2, "no kernel that can be traced"},
      {"trace csrmm/float4_columns m=64 k=64 --block 9999", 2, "block"},
      {"trace csrmm/float4_columns m=64 k=64 --step nothing", 2, "nothing"},
      {"trace --source " + file, 2, "give one --arg per parameter, in order"},
      {"trace --source " + file + " --kernel absent --arg 'f32[4]'", 2, "absent"},
      {"trace --source " + file + " --kernel k", 2, "argument"},
      {"trace --source " + file + " --kernel k --arg 'f99[4]'", 2, "f99"},
      {"trace --source " + file + " --kernel k --block 0 --arg 'f32[4]'", 2, "shape"},
      {"trace --source " + file + " --kernel k --block 1025 --arg 'f32[4]'", 2, "at most 64 in z"},
      {"trace --source " + file + " --kernel k --shared 232449 --arg 'f32[4]'", 2,
       "no block can have so much shared memory; choose at most 232448 bytes"},
      {"trace --source " + large + " --kernel k --arg 'f32[32]'", 2,
       "204800 bytes of static shared memory are more than the 49152 that ptxas allows"},
      {"trace --source " + wide + " --kernel k --block 1024 --arg 'f32[100]:iota'", 2,
       ", and may have 65536"},
      {"trace --source " + broken + " --kernel k --arg 'f32[4]'", 2, "does not compile"},
      {"trace --source /nonexistent.cu --kernel k", 2, "there is no such file"},
  };
  for (const auto& c : cases) {
    const WarpscopeRun ran = run_warpscope(c.arguments);
    EXPECT_EQ(ran.status, c.status) << c.arguments << "\n" << ran.said;
    EXPECT_THAT(ran.said, HasSubstr(c.words)) << c.arguments;
  }
}

// As on a machine without a GPU, wherever this runs.
constexpr const char* kNoGpu = "CUDA_VISIBLE_DEVICES=-1 ";

TEST_F(TraceCommand, StandsRecordedCountersBesideTheLines) {
  const std::string what = "csrmm/float4_columns m=64 k=64 n=128 p=0.1";
  const WarpscopeRun json = run_warpscope("trace " + what + " --grid --json", kNoGpu);
  const Result<Message> message = parse_line(json.said.substr(0, json.said.find('\n')));
  ASSERT_TRUE(message) << json.said.substr(0, 300);
  const Trace& trace = std::get<Trace>(*message);
  // A recording in which the device counted what the emulator does, but for one line.
  Measurement point;
  point.scene = trace.scene;
  point.variant = trace.variant;
  point.key = trace.key;
  point.verdict.outcome = Outcome::correct;
  point.counters = "lines";
  point.steps.resize(1);
  point.steps[0].name = trace.step;
  point.steps[0].kind = "kernel";
  int first = 0;
  for (const LineTotals& line : trace.lines) {
    LineCount row;
    row.position = line.position;
    row.figures[LineMetric::sectors] = line.global.sectors;
    if (first == 0 && line.global.sectors > 0) {
      first = line.position.line;
      row.figures[LineMetric::sectors] = 2 * line.global.sectors;
    }
    point.steps[0].lines.rows.push_back(row);
  }
  ASSERT_GT(first, 0);
  const std::string session =
      write("recorded.wsj", to_line(Hello{}) + "\n" + to_line(point) + "\n");
  const WarpscopeRun ran =
      run_warpscope("trace " + what + " --measured --session " + session, kNoGpu);
  EXPECT_EQ(ran.status, 0) << ran.said;
  EXPECT_THAT(ran.said, HasSubstr("modelled, and measured"));
  EXPECT_THAT(ran.said, HasSubstr("= same"));
  EXPECT_THAT(ran.said, HasSubstr("+100.0 %"));
  const WarpscopeRun lines =
      run_warpscope("trace " + what + " --measured --json --session " + session, kNoGpu);
  EXPECT_EQ(lines.status, 0) << lines.said;
  EXPECT_THAT(lines.said, HasSubstr("\"type\":\"line_comparison\""));
  // Another point of the session has none.
  const WarpscopeRun other = run_warpscope(
      "trace csrmm/float4_columns m=64 k=64 n=64 --measured --session " + session, kNoGpu);
  EXPECT_EQ(other.status, 3) << other.said;
  EXPECT_THAT(other.said, HasSubstr("no counters by source line of this point"));
  // If two cards counted, the person chooses one; its name is above the lines.
  point.conditions.device = "NVIDIA H200";
  point.conditions.device_uuid = "GPU-aaaaaaaa-0000";
  point.conditions.date = "2026-01-01T10:00:00Z";
  std::string both = to_line(point) + "\n";
  point.conditions.device_uuid = "GPU-bbbbbbbb-0000";
  both += to_line(point) + "\n";
  const std::string cards = write("cards.wsj", both);
  const WarpscopeRun silent =
      run_warpscope("trace " + what + " --measured --session " + cards, kNoGpu);
  EXPECT_EQ(silent.status, 2) << silent.said;
  EXPECT_THAT(silent.said, HasSubstr("choose one with --device-uuid: NVIDIA H200 (GPU-aaaaaaaa), "
                                     "NVIDIA H200 (GPU-bbbbbbbb)"));
  EXPECT_THAT(silent.said, Not(HasSubstr("modelled, and measured")));
  const WarpscopeRun chosen = run_warpscope(
      "trace " + what + " --measured --device-uuid GPU-bbbb --session " + cards, kNoGpu);
  EXPECT_EQ(chosen.status, 0) << chosen.said;
  EXPECT_THAT(
      chosen.said,
      HasSubstr(
          "modelled, and measured on NVIDIA H200 (GPU-bbbbbbbb) on 2026-01-01T10:00:00Z, by line"));
  const WarpscopeRun told = run_warpscope(
      "trace " + what + " --json --measured --device-uuid GPU-bbbb --session " + cards, kNoGpu);
  EXPECT_THAT(told.said, HasSubstr("\"device_uuid\":\"GPU-bbbbbbbb-0000\""));
}

TEST_F(TraceCommand, SaysThatNothingCanCountByLineAndPrintsTheTrace) {
  const WarpscopeRun ran =
      run_warpscope("trace csrmm/float4_columns m=64 k=64 n=128 --measured", kNoGpu);
  EXPECT_EQ(ran.status, 3) << ran.said;
  EXPECT_THAT(ran.said, HasSubstr("16.00  16.00  sectors/request"));
  EXPECT_THAT(ran.said, HasSubstr("there is no GPU here to count by source line"));
  EXPECT_THAT(ran.said, HasSubstr("--counters lines"));
  const std::string file =
      write("k.cu", "extern \"C\" __global__ void k(float* x) { x[0] = 1; }\n");
  const WarpscopeRun own =
      run_warpscope("trace --source " + file + " --kernel k --arg 'f32[4]' --measured", kNoGpu);
  EXPECT_EQ(own.status, 2) << own.said;
  EXPECT_THAT(own.said, HasSubstr("not for a file of your own"));
}

TEST_F(TraceCommand, VerifiesOnTheEmulator) {
  const WarpscopeRun ran = run_warpscope("verify csrmm m=64 k=48 n=20");
  EXPECT_EQ(ran.status, 0) << ran.said;
  EXPECT_THAT(ran.said, HasSubstr("csrmm/float4_columns"));
  EXPECT_THAT(ran.said, HasSubstr("correct"));
}

TEST_F(TraceCommand, VerifiesAtHardCases) {
  const WarpscopeRun ran = run_warpscope("verify --hard patterns --case copy_above");
  EXPECT_EQ(ran.status, 0) << ran.said;
  EXPECT_THAT(ran.said, HasSubstr("patterns     copy_above"));
  EXPECT_THAT(ran.said, HasSubstr("at 1 hard case, 0 of them wrong"));
  const WarpscopeRun unknown = run_warpscope("verify patterns --case hardest");
  EXPECT_EQ(unknown.status, 2) << unknown.said;
  EXPECT_THAT(unknown.said, HasSubstr("choose among copy_below, copy_above"));
  const WarpscopeRun axes = run_warpscope("verify --hard patterns n=5");
  EXPECT_EQ(axes.status, 2) << axes.said;
  EXPECT_THAT(axes.said, HasSubstr("a hard case sets its axes itself"));
}

TEST_F(TraceCommand, VerifiesVariantsOfAListAtHardCases) {
  const WarpscopeRun two =
      run_warpscope("verify --hard patterns/copy,copy_grid_stride --case copy_above");
  EXPECT_EQ(two.status, 0) << two.said;
  EXPECT_THAT(two.said, HasSubstr("2 runs at 1 hard case, 0 of them wrong"));
  const WarpscopeRun twice = run_warpscope("verify --hard patterns/copy,copy --case copy_above");
  EXPECT_EQ(twice.status, 2) << twice.said;
  EXPECT_THAT(twice.said, HasSubstr("the variant is named twice"));
}

TEST_F(TraceCommand, VerifyNamesTheOperationOfAVariantOfAnother) {
  const WarpscopeRun ran = run_warpscope("verify patterns/transpose_tiled rows=64 columns=64");
  EXPECT_EQ(ran.status, 2) << ran.said;
  EXPECT_THAT(ran.said, HasSubstr("set op=transpose"));
}

// A student without a GPU moves a slider: the diagrams' trace follows.
TEST_F(TraceCommand, WorkspaceTracesTheVariantInFocusAsASliderMoves) {
  Workspace workspace({}, {built_program("warpscope-engine"), "--role", "emulate"});
  workspace.selection.axes.set("m", std::int64_t{500});
  workspace.selection.axes.set("k", std::int64_t{500});
  for (const std::int64_t n : {64, 96}) {
    workspace.selection.axes.set("n", n);
    const auto start = std::chrono::steady_clock::now();
    const auto fresh = [&] {
      return trace_state(workspace.view(), workspace.selection.variant).freshness ==
             Freshness::fresh;
    };
    do {
      workspace.update();
      workspace.wait(0.02);
    } while (!fresh() && std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
    const TraceState state = trace_state(workspace.view(), workspace.selection.variant);
    ASSERT_NE(state.trace, nullptr);
    EXPECT_EQ(state.freshness, Freshness::fresh);
    EXPECT_EQ(state.trace->key, workspace.view().key());
    EXPECT_FALSE(state.trace->requests.empty());
    EXPECT_EQ(state.trace->launch.grid.y, n / 32);
  }
}

}  // namespace
}  // namespace warpscope
