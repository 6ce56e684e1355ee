// tests/engine/machine_code_test.cpp: kernels compiled to machine code, emulated and counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <numeric>

#include "profiling/access/trace_view.h"
#include "profiling/capture/capture_scene.h"
#include "profiling/capture/machine_code_text.h"
#include "profiling/emulator/sass/live/live_registers.h"
#include "profiling/engine/compile/disassembly.h"
#include "profiling/engine/run/emulation.h"
#include "tests/engine/compiling_test.h"
#include "tests/profiling/capture/made_capture.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kAdd = R"(
extern "C" __global__ void add(float* x, const float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += y[i];
}
)";
constexpr const char* kScale = R"(
__constant__ float table[16];
__global__ void scale(float* x, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * factor + table[0];
}
)";

class MachineCodeTest : public CompilingTest {
 protected:
  void SetUp() override {
    CompilingTest::SetUp();
    if (const Result<std::string> program = find_disassembler(); !program)
      GTEST_SKIP() << sentence(program.error());
  }
};

struct Answer {
  std::vector<Trace> traces;
  std::vector<Measurement> verdicts;
  std::vector<Listing> listings;
  std::string refused;
};

Answer answer_of(Emulation& emulation, const Job& job) {
  Answer answer;
  JobChannel channel;
  channel.send = [&](Message message) {
    if (auto* trace = std::get_if<Trace>(&message)) answer.traces.push_back(std::move(*trace));
    if (auto* m = std::get_if<Measurement>(&message)) answer.verdicts.push_back(std::move(*m));
    if (auto* listing = std::get_if<Listing>(&message))
      answer.listings.push_back(std::move(*listing));
  };
  channel.host_work = [](double) {};
  if (const Result<void> ran = emulation.run(job, channel); !ran)
    answer.refused = sentence(ran.error());
  return answer;
}

// x = 0, 1, 2, …, y = 1, in two blocks of 128 threads.
Job add_job(KernelSource source, TracedCode code) {
  UserKernel user;
  user.path = source.path;
  user.entry = "add";
  user.launch.grid = {2, 1, 1};
  user.launch.block = {128, 1, 1};
  user.buffers = {{"x", "f32[256]:iota"}, {"y", "f32[256]:one"}};
  user.arguments = {"&x", "&y", "i32:256"};
  UserOutput output;
  output.buffer = "x";
  output.first = 253;
  output.count = 3;
  user.outputs = {output};
  Job job;
  TraceJob asked;
  asked.code = code;
  asked.live_registers = true;
  job.work = asked;
  job.user = user;
  job.sources = {std::move(source)};
  return job;
}

Answer add_answer(KernelSource source, TracedCode code) {
  Emulation emulation;
  return answer_of(emulation, add_job(std::move(source), code));
}

std::string cubin_of(const std::string& path, const char* text) {
  CompileRequest request{path, {}, 90};
  const Result<Compiled> code = compile(request, {kernel_source(path, text)});
  EXPECT_TRUE(code) << sentence(code.error());
  return code ? code->cubin : "";
}

KernelSource cubin_source(const std::string& path, const std::string& cubin) {
  return kernel_source(path, machine_code_text({cubin, 90, ""}));
}

AccessTotals totals_of(const Trace& trace, AccessKind kind) {
  AccessTotals totals;
  for (const AccessSite& site : trace.sites) {
    if (site.space == Space::global && site.kind == kind) totals += site.totals;
  }
  return totals;
}

// Eight warps load x and y and store x: four sectors of 32 bytes each.
void expect_figures_of_add(const Answer& answer) {
  ASSERT_EQ(answer.refused, "");
  ASSERT_EQ(answer.traces.size(), 1u);
  const Trace& trace = answer.traces[0];
  EXPECT_TRUE(trace.faults.empty()) << trace.faults.front().sentence;
  ASSERT_TRUE(trace.machine_code) << trace.no_machine_code;
  EXPECT_EQ(totals_of(trace, AccessKind::load).requests, 16);
  EXPECT_EQ(totals_of(trace, AccessKind::load).sectors, 64);
  EXPECT_EQ(totals_of(trace, AccessKind::store).requests, 8);
  EXPECT_EQ(totals_of(trace, AccessKind::store).sectors, 32);
  ASSERT_EQ(trace.outputs.size(), 1u);
  EXPECT_THAT(trace.outputs[0].printed, HasSubstr("254"));
  EXPECT_THAT(trace.outputs[0].printed, HasSubstr("256"));
  const MachineFigures& code = *trace.machine_code;
  EXPECT_EQ(code.compute_capability, 90);
  EXPECT_GT(code.registers_per_thread, 0);
  std::int64_t executed = 0, stores = 0;
  int most = 0;
  for (const MachineRow& row : code.rows) {
    executed += row.executed;
    most = std::max(most, row.live.general);
    if (row.text.starts_with("STG.E")) stores += row.executed;
    if (row.text.starts_with("LDG.E")) {
      EXPECT_EQ(row.executed, 8);
      EXPECT_EQ(row.threads, 256);
    }
  }
  EXPECT_EQ(stores, 8);
  EXPECT_EQ(executed, trace.warp_instructions);
  EXPECT_GT(most, 2) << "addresses and values are in use at the same time";
  EXPECT_LE(most, code.registers_per_thread);
}

TEST_F(MachineCodeTest, OfATextHasTheFiguresOfItsInstructions) {
  const Answer answer = add_answer(kernel_source("/me/add.cu", kAdd), TracedCode::machine_code);
  expect_figures_of_add(answer);
  ASSERT_EQ(answer.traces.size(), 1u);
  bool placed = false;
  for (const MachineRow& row : answer.traces[0].machine_code->rows)
    placed = placed || (row.text.starts_with("STG.E") && row.position.line == 4);
  EXPECT_TRUE(placed) << "x[i] += y[i] is line 4";
}

TEST_F(MachineCodeTest, AloneIsEmulatedWhateverIsAskedFor) {
  const std::string cubin = cubin_of("add.cu", kAdd);
  expect_figures_of_add(add_answer(cubin_source("/me/add.cubin", cubin), TracedCode::ptx));
  expect_figures_of_add(add_answer(cubin_source("/me/program", cubin), TracedCode::best));
}

TEST_F(MachineCodeTest, IsNotWhatATraceOfPtxIsOf) {
  const Answer answer = add_answer(kernel_source("/me/add.cu", kAdd), TracedCode::ptx);
  ASSERT_EQ(answer.traces.size(), 1u) << answer.refused;
  EXPECT_FALSE(answer.traces[0].machine_code);
  EXPECT_EQ(answer.traces[0].no_machine_code, "");
}

// Machine code finds the bounds of global memory in constants that the emulator does not know.
TEST_F(MachineCodeTest, ThatIsNotKnownLeavesThePtxWithTheReason) {
  std::string text = kAdd;
  text.replace(text.rfind("  if (i < n)"), 12,
               "  __shared__ float word;\n"
               "  const void* place = n > 77 ? (const void*)&word : (const void*)x;\n"
               "  if (__isGlobal(place) && n == 1) x[0] = 1;\n"
               "  if (i < n)");
  const Answer best = add_answer(kernel_source("/me/add.cu", text), TracedCode::best);
  ASSERT_EQ(best.traces.size(), 1u) << best.refused;
  EXPECT_FALSE(best.traces[0].machine_code);
  EXPECT_THAT(best.traces[0].no_machine_code, HasSubstr("a form that is not emulated yet: "));
  EXPECT_EQ(totals_of(best.traces[0], AccessKind::load).requests, 16);
  const Answer forced = add_answer(kernel_source("/me/add.cu", text), TracedCode::machine_code);
  ASSERT_EQ(forced.traces.size(), 1u) << forced.refused;
  ASSERT_FALSE(forced.traces[0].faults.empty());
  EXPECT_EQ(forced.traces[0].faults[0].kind, FaultKind::unsupported);
  EXPECT_THAT(forced.traces[0].faults[0].sentence, HasSubstr("cannot run this"));
}

TEST_F(MachineCodeTest, OfClosedLibrariesIsNotDisassembled) {
  std::string text = kAdd;
  text.replace(text.find("add("), 3, "ampere_sgemm_128x64_nn");
  Job job = add_job(kernel_source("/me/add.cu", text), TracedCode::machine_code);
  job.user->entry = "ampere_sgemm_128x64_nn";
  Emulation emulation;
  EXPECT_THAT(answer_of(emulation, job).refused, HasSubstr("NVIDIA's terms forbid"));
}

TEST_F(MachineCodeTest, OfAFileIsListedWithoutARun) {
  Job job = add_job(cubin_source("/me/add.cubin", cubin_of("add.cu", kAdd)), TracedCode::ptx);
  job.work = ListingJob{"", {90}};
  Emulation emulation;
  const Answer answer = answer_of(emulation, job);
  ASSERT_EQ(answer.listings.size(), 1u) << answer.refused;
  const Listing& listing = answer.listings[0];
  EXPECT_EQ(listing.compute_capability, 90);
  ASSERT_EQ(listing.kernels.size(), 1u);
  ASSERT_EQ(listing.kernels[0].parameters.size(), 3u);
  EXPECT_EQ(listing.kernels[0].parameters[2].bytes, 4);
  const std::vector<ListedRow> rows =
      machine_rows(listing.machine_code, listing.entry, listing.files);
  EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [](const ListedRow& row) {
    return row.instruction && row.text.find("STG.E") != std::string::npos;
  }));
}

// nvdisasm counts the stack pointer R1 as in use everywhere, and says nothing of what is not
// reached.
TEST_F(MachineCodeTest, HasTheRegistersInUseThatNvdisasmFinds) {
  const std::string cubin = cubin_of("add.cu", kAdd);
  const Result<std::string> code = disassemble_function(cubin, "add", Disassembly::code);
  const Result<std::string> table = disassemble_function(cubin, "add", Disassembly::live_registers);
  ASSERT_TRUE(code && table);
  const Result<MachineFunction> function = read_machine_text(*code, "add");
  ASSERT_TRUE(function);
  const std::vector<int> theirs = live_registers(*table, "add");
  const std::vector<RegisterSet> ours = live_sets(*function);
  ASSERT_GT(theirs.size(), 8U);
  ASSERT_GE(ours.size(), theirs.size());
  for (std::size_t k = 0; k < theirs.size(); ++k) {
    RegisterSet general;
    for (std::size_t r = 0; r < kUniformPlace; ++r) general[r] = ours[k][r];
    general.set(1);
    EXPECT_EQ(static_cast<int>(general.count()), theirs[k]) << function->code[k].text;
  }
}

TEST_F(MachineCodeTest, IsListedWithTheLineOfThePtxThatItWasMadeFrom) {
  Job job = add_job(kernel_source("/me/add.cu", kAdd), TracedCode::ptx);
  job.work = ListingJob{"", {90}};
  Emulation emulation;
  const Answer answer = answer_of(emulation, job);
  ASSERT_EQ(answer.listings.size(), 1u) << answer.refused;
  const Listing& listing = answer.listings[0];
  EXPECT_TRUE(listing.ptx_lines);
  const auto ptx = ptx_rows(listing.ptx, listing.entry, listing.files);
  int loads = 0, stores = 0;
  std::size_t instructions = 0;
  for (const ListedRow& row : machine_rows(listing.machine_code, listing.entry, listing.files)) {
    instructions += row.instruction ? 1 : 0;
    const bool load = row.text.find("LDG.E") != std::string::npos;
    if (!load && row.text.find("STG.E") == std::string::npos) continue;
    ++(load ? loads : stores);
    const auto from = std::find_if(ptx.begin(), ptx.end(),
                                   [&](const ListedRow& r) { return r.ptx_line == row.ptx_line; });
    ASSERT_NE(from, ptx.end()) << row.text;
    EXPECT_THAT(from->text, HasSubstr(load ? "ld.global" : "st.global")) << row.text;
  }
  EXPECT_EQ(loads, 2);
  EXPECT_EQ(stores, 1);
  EXPECT_EQ(listing.live.size(), instructions);
  EXPECT_TRUE(listing.guessed.empty()) << listing.guessed.front();
}

TEST_F(MachineCodeTest, IsNotDisassembledOnceNobodyWantsIt) {
  // A name of its own: what was disassembled before comes from the cache.
  const std::string name = "add" + std::to_string(::getpid());
  std::string text = kAdd;
  text.replace(text.find("add("), 3, name);
  const std::string cubin = cubin_of("other.cu", text.c_str());
  const Result<std::string> made =
      disassemble_function(cubin, name, Disassembly::code, [] { return true; });
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().what, "cancelled");
  EXPECT_TRUE(disassemble_function(cubin, name, Disassembly::code, [] { return false; }));
}

// A captured launch: x = i before, 2 · i + 3 afterwards; the module's table begins with 3.
std::string captured_scale(const CaptureFolder& folder, const std::string& cubin, float after) {
  const std::string path = folder("scale.wcap");
  Capture capture = made_capture(2048);
  capture.parameters[2].bytes = raw_bytes(std::int32_t{400});
  std::string before(2048, '\0'), expected = before, table(64, '\0');
  for (int i = 0; i < 448; ++i) {
    const auto x = static_cast<float>(i);
    const float y = i < 400 ? 2 * x + after : x;
    std::memcpy(before.data() + 256 + 4 * i, &x, 4);
    std::memcpy(expected.data() + 256 + 4 * i, &y, 4);
  }
  const float three = 3;
  std::memcpy(table.data(), &three, 4);
  Result<CaptureWriter> writer = CaptureWriter::create(path);
  EXPECT_TRUE(writer->add_memory(0, CaptureWriter::Side::before, before));
  EXPECT_TRUE(writer->add_memory(0, CaptureWriter::Side::after, expected));
  EXPECT_TRUE(writer->add_memory(1, CaptureWriter::Side::before, table));
  writer->same_after(1);
  EXPECT_TRUE(writer->write_section("CODE", cubin));
  EXPECT_TRUE(writer->finish(capture));
  return path;
}

Answer captured_answer(const std::string& path, const JobWork& work) {
  Result<SceneText> text = capture_scene(path, "scale");
  EXPECT_TRUE(text) << sentence(text.error());
  Catalogue catalogue;
  EXPECT_TRUE(catalogue.open_text(*text));
  Emulation emulation(catalogue);
  Job job;
  job.work = work;
  job.scene = "scale";
  job.scene_text = text->hash;
  job.variant = "as_captured";
  job.sources = text->sources;
  return answer_of(emulation, job);
}

TEST_F(MachineCodeTest, OfACaptureLeavesTheMemoryOfTheProgram) {
  const CaptureFolder folder;
  const std::string cubin = cubin_of("scale.cu", kScale);
  const std::string path = captured_scale(folder, cubin, 3);
  const Answer verified = captured_answer(path, VerifyJob{});
  ASSERT_EQ(verified.verdicts.size(), 1u) << verified.refused;
  EXPECT_EQ(verified.verdicts[0].verdict.outcome, Outcome::correct)
      << verified.verdicts[0].verdict.sentence;
  const Answer traced = captured_answer(path, TraceJob{});
  ASSERT_EQ(traced.traces.size(), 1u) << traced.refused;
  ASSERT_TRUE(traced.traces[0].machine_code);
  EXPECT_TRUE(traced.traces[0].faults.empty()) << traced.traces[0].faults[0].sentence;
  // 400 of 512 threads: 13 warps, 12.5 · 4 sectors each way; byte 256 begins a sector.
  EXPECT_EQ(totals_of(traced.traces[0], AccessKind::load).requests, 13);
  EXPECT_EQ(totals_of(traced.traces[0], AccessKind::load).sectors, 50);
  EXPECT_EQ(totals_of(traced.traces[0], AccessKind::store).sectors, 50);
}

TEST_F(MachineCodeTest, OfACaptureThatLeftOtherMemoryIsWrong) {
  const CaptureFolder folder;
  const std::string path = captured_scale(folder, cubin_of("scale.cu", kScale), 4);
  const Answer verified = captured_answer(path, VerifyJob{});
  ASSERT_EQ(verified.verdicts.size(), 1u) << verified.refused;
  EXPECT_EQ(verified.verdicts[0].verdict.outcome, Outcome::wrong);
  EXPECT_THAT(verified.verdicts[0].verdict.sentence, Not(HasSubstr("approximates")));
}

// A GPU's MUFU has other last bits than the emulator's: what was captured there is not equal here.
TEST_F(MachineCodeTest, OfACaptureWithAnApproximationSaysThatBitsMayDiffer) {
  const CaptureFolder folder;
  std::string text = kScale;
  const std::string line = "x[i] * factor";
  text.replace(text.find(line), line.size(), line + " * rsqrtf(x[i] + 1)");
  const std::string path = captured_scale(folder, cubin_of("scale.cu", text.c_str()), 3);
  const Answer verified = captured_answer(path, VerifyJob{});
  ASSERT_EQ(verified.verdicts.size(), 1u) << verified.refused;
  EXPECT_EQ(verified.verdicts[0].verdict.outcome, Outcome::wrong);
  EXPECT_THAT(verified.verdicts[0].verdict.sentence,
              AllOf(HasSubstr("a GPU approximates MUFU.RSQ"), HasSubstr("verify it on a GPU"),
                    HasSubstr("fork with --elements f32")));
}

}  // namespace
}  // namespace warpscope
