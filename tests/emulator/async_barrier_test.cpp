// tests/emulator/async_barrier_test.cpp: rings of bulk copies guarded by mbarriers, right and
// wrong.
#include <algorithm>
#include <array>
#include <numeric>

#include "profiling/emulator/state/tensor_map.h"
#include "tests/emulator/fixture.h"

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {
namespace {

// A producer warp streams boxes of 8 rows of 32 floats through two slots to three warps, each of
// which adds up the columns. Lines that a test changes carry a mark.
const char* const kRing = R"(#include "tensor_copy.cuh"
extern "C" __global__ void k(const float* b, float* out, const __grid_constant__ TensorMap map,
                             int steps) {
  constexpr int W = 3, SLOTS = 2, ROWS = 8;
  __shared__ alignas(128) float ring[SLOTS][ROWS * 32];
  __shared__ alignas(8) unsigned long long barriers[2 * SLOTS];
  const unsigned full = shared_address(barriers), empty = full + 8 * SLOTS;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int i = 0; i < SLOTS; ++i) {
      barrier_init(full + 8 * i, 1);
      barrier_init(empty + 8 * i, W);
    }
  }
  __syncthreads();
  if (warp == W) {
    if (lane != 0) return;
#pragma unroll 1
    for (int f = 0; f < steps; ++f) {
      const int slot = f % SLOTS;
      if (f >= SLOTS) barrier_wait(empty + 8 * slot, (f / SLOTS + 1) & 1);  // EMPTY
      barrier_arrive_expecting(full + 8 * slot, ROWS * 128);  // EXPECT
      copy_box(shared_address(ring[slot]), map, 0, f * ROWS, full + 8 * slot);  // COPY
    }
    return;
  }
  float sum = 0;
#pragma unroll 1
  for (int s = 0; s < steps; ++s) {
    const int slot = s % SLOTS;
    barrier_wait(full + 8 * slot, s / SLOTS & 1);  // FULL
#pragma unroll 1
    for (int r = 0; r < ROWS; ++r) sum += ring[slot][r * 32 + lane];  // READ
    __syncwarp();
    if (lane == 0) barrier_arrive(empty + 8 * slot);
  }
  out[threadIdx.x] = sum * (warp + 1);
}
)";

int line_of(const std::string& text, const std::string& mark) {
  const std::size_t at = text.find("// " + mark);
  EXPECT_NE(at, std::string::npos) << mark;
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

// The line of a mark without what it does.
std::string without(std::string text, const std::string& mark) {
  const std::size_t at = text.find("// " + mark);
  const std::size_t begin = text.rfind('\n', at) + 1;
  return text.replace(begin, at - begin, "  ");
}
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

constexpr int kRows = 50, kSteps = 7;  // the last box has rows outside

struct RingRun {
  std::vector<float> b = std::vector<float>(kRows * 32), out = std::vector<float>(96);
  Trace trace;
};
void run_ring(const std::string& text, RingRun& run) {
  WARPSCOPE_COMPILE(ptx, text);
  for (std::size_t i = 0; i < run.b.size(); ++i) run.b[i] = static_cast<float>(i % 37);
  Bench bench;
  const std::uint64_t b = bench.add("b", run.b);
  bench.add("out", run.out, false);
  const Result<EmulatedTensorMap> map =
      emulated_tensor_map({"b", ElementType::f32, {32, kRows}, {128}, {32, 8}}, b, kRows * 128);
  ASSERT_TRUE(map) << sentence(map.error());
  bench.pass(*map);
  bench.pass(kSteps);
  bench.options.instruction_budget = 1'000'000;
  run.trace = bench.run(ptx, launch_of(1, 128));
}

const Fault* fault_at(const Trace& trace, FaultKind kind, int line) {
  for (const Fault& f : trace.faults) {
    if (f.kind == kind && f.position.line == line && f.position.file == "test.cu") return &f;
  }
  return nullptr;
}

TEST(AsyncBarriers, ARingOfTensorCopiesGivesTheColumnSums) {
  RingRun run;
  run_ring(kRing, run);
  if (IsSkipped()) return;
  EXPECT_EQ(faults_text(run.trace), "");
  for (std::size_t i = 0; i < 96; ++i) {
    float sum = 0;
    for (std::size_t r = 0; r < kRows; ++r) sum += run.b[r * 32 + i % 32];
    EXPECT_EQ(run.out[i], sum * static_cast<float>(i / 32 + 1)) << i;
  }
}

// Six boxes of eight whole rows of 128 bytes and one of two rows: 50 lines of four sectors.
TEST(AsyncBarriers, BulkCopiesAreCountedByTheBytesTheyRead) {
  RingRun run;
  run_ring(kRing, run);
  if (IsSkipped()) return;
  std::size_t index = 0;
  while (index < run.trace.sites.size() && run.trace.sites[index].kind != AccessKind::bulk_copy) {
    ++index;
  }
  ASSERT_LT(index, run.trace.sites.size());
  const AccessSite& site = run.trace.sites[index];
  EXPECT_EQ(site.space, Space::global);
  EXPECT_EQ(site.buffer, "b");
  EXPECT_EQ(site.position.line, line_of(kRing, "COPY"));
  EXPECT_EQ(site.totals.requests, kSteps);
  EXPECT_EQ(site.totals.lanes, kSteps);
  EXPECT_EQ(site.totals.unique_bytes, kRows * 128);
  EXPECT_EQ(site.totals.sectors, kRows * 4);
  EXPECT_EQ(site.totals.ideal_sectors, kRows * 4);
  EXPECT_EQ(site.totals.lines, kRows);
  AccessTotals sum;
  int requests = 0;
  for (const WarpRequest& r : run.trace.requests) {
    if (r.site != index) continue;
    EXPECT_EQ(r.active, 1u);
    EXPECT_EQ(r.addresses[0],
              run.trace.buffers[0].address + static_cast<std::uint64_t>(requests * 8 * 128));
    EXPECT_EQ(r.bulk.bytes, requests < 6 ? 1024 : 256);
    sum += global_cost(r, site.width_bytes, site.kind);
    ++requests;
  }
  EXPECT_EQ(requests, kSteps);
  EXPECT_EQ(sum, site.totals);
  const auto line =
      std::find_if(run.trace.lines.begin(), run.trace.lines.end(), [&](const LineTotals& l) {
        return l.position.line == site.position.line && l.position.file == "test.cu";
      });
  ASSERT_NE(line, run.trace.lines.end());
  EXPECT_EQ(line->global, site.totals);
}

struct Planted {
  const char* name;
  std::string text;
  FaultKind kind;
  const char* mark;
  const char* words;
};

TEST(AsyncBarriers, PlantedBugsAreFoundAtTheirLines) {
  const Planted planted[] = {
      {"no wait for the copy", without(kRing, "FULL"), FaultKind::missing_wait, "READ",
       " before it has waited for phase 0 of the barrier at shared byte 2048, which ends when the "
       "copy of thread (96, 0, 0) is over"},
      {"the other parity", replaced(kRing, "s / SLOTS & 1", "s / SLOTS + 1 & 1"),
       FaultKind::deadlock, "FULL",
       " waits for phase 1 of the barrier at shared byte 2048: 0 of 1 arrival, no bytes "
       "outstanding"},
      {"nothing expected", without(kRing, "EXPECT"), FaultKind::deadlock, "FULL",
       " waits for phase 0 of the barrier at shared byte 2048: 0 of 1 arrival, 1024 bytes more "
       "than were expected"},
      {"too much expected", replaced(kRing, "ROWS * 128)", "ROWS * 128 + 16)"), FaultKind::deadlock,
       "FULL",
       " waits for phase 0 of the barrier at shared byte 2048: 1 of 1 arrival, 16 bytes "
       "outstanding"},
      {"one arrival too few", replaced(kRing, "8 * i, W)", "8 * i, W + 1)"), FaultKind::deadlock,
       "EMPTY",
       " waits for phase 0 of the barrier at shared byte 2064: 3 of 4 arrivals, no bytes "
       "outstanding"},
      {"no wait for the readers", without(kRing, "EMPTY"), FaultKind::shared_race, "COPY",
       "which the copy of thread (96, 0, 0) may still fill: it has not waited for phase 0 of the "
       "barrier at shared byte 2048"},
      {"a wait for one reader of three", replaced(kRing, "8 * i, W)", "8 * i, 1)"),
       FaultKind::shared_race, "COPY", " also accesses, without a barrier between them"},
      {"no barrier made", replaced(kRing, "barrier_init(full + 8 * i, 1);", ""),
       FaultKind::uninitialised_read, "EXPECT",
       " uses the barrier at shared byte 2048, which no mbarrier.init has initialised"},
      {"barriers made in passing", replaced(kRing, "  __syncthreads();\n", ""),
       FaultKind::shared_race, "FULL",
       " of the same warp also accesses, without __syncwarp between them"},
      {"a destination off the grid",
       replaced(kRing, "shared_address(ring[slot])", "shared_address(ring[slot]) + 64"),
       FaultKind::misaligned, "COPY",
       " has the destination, shared byte 64, which is not a multiple"},
      {"no room for the box",
       replaced(kRing, "shared_address(ring[slot])", "shared_address(ring[slot]) + 4096"),
       FaultKind::out_of_bounds, "COPY", " writes 1024 bytes of shared memory from byte 4096 on"},
  };
  for (const Planted& bug : planted) {
    SCOPED_TRACE(bug.name);
    RingRun run;
    run_ring(bug.text, run);
    if (IsSkipped()) return;
    const Fault* fault = fault_at(run.trace, bug.kind, line_of(bug.text, bug.mark));
    ASSERT_NE(fault, nullptr) << faults_text(run.trace);
    EXPECT_NE(fault->sentence.find(bug.words), std::string::npos) << fault->sentence;
    EXPECT_LT(run.trace.warp_instructions, 20'000);  // who waits costs nothing
    for (const Fault& f : run.trace.faults) EXPECT_NE(f.kind, FaultKind::budget) << f.sentence;
  }
}

// What 1-D copies need beside tensor_copy.cuh.
const char* const kBytes = R"(#include "tensor_copy.cuh"
#define copy_bytes(to, from, bytes, barrier) asm volatile( \
  "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" \
  :: "r"(to), "l"(from), "r"(bytes), "r"(barrier) : "memory")
#define copy_4(to, from) asm volatile( \
  "cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(from) : "memory")
extern "C" __global__ void k(const float* a, float* out, int n) {
  __shared__ alignas(128) float s[256];
  __shared__ alignas(8) unsigned long long place;
  const unsigned barrier = shared_address(&place);
  const int t = threadIdx.x;
  if (n < 0) {  // keeps s in place where a program has no use for it
    s[t] = a[t];
    __syncthreads();
    out[t] = s[t ^ 1];
  }
)";

Trace run_bytes(const std::string& body, std::vector<float>& out, std::int64_t threads = 64) {
  const std::string text = kBytes + body + "\n}\n";
  const Result<CompiledPtx> ptx = compile_to_ptx({"test.cu", {}, 90}, text);
  if (!ptx) {
    ADD_FAILURE() << sentence(ptx.error());
    return {};
  }
  std::vector<float> a(256);
  std::iota(a.begin(), a.end(), 1.0f);
  out.assign(256, 0.0f);
  Bench bench;
  bench.add("a", a);
  bench.add("out", out, false);
  bench.pass(256);
  bench.options.instruction_budget = 1'000'000;
  return bench.run(ptx->ptx, launch_of(1, threads));
}
bool has_compiler() { return nvrtc_version().has_value(); }

// Programs that are right; each leaves out[t] = t + 1 for 64 threads.
const char* const kRight[] = {
    // One copy of bytes.
    "if (t == 0) { barrier_init(barrier, 1); } __syncthreads();"
    "if (t == 0) { barrier_arrive_expecting(barrier, 256); copy_bytes(shared_address(s), a, 256, "
    "barrier); } barrier_wait(barrier, 0); out[t] = s[t];",
    // One warp waits, a block barrier tells the others.
    "if (t == 0) { barrier_init(barrier, 1); } __syncthreads();"
    "if (t == 0) { barrier_arrive_expecting(barrier, 256); copy_bytes(shared_address(s), a, 256, "
    "barrier); } if (t < 32) barrier_wait(barrier, 0); __syncthreads(); out[t] = s[t];",
    // Two copies of two lanes report to one phase.
    "if (t == 0) { barrier_init(barrier, 2); } __syncthreads();"
    "if (t < 2) { barrier_arrive_expecting(barrier, 128); copy_bytes(shared_address(s) + 128 * t, "
    "a + 32 * t, 128, barrier); } barrier_wait(barrier, 0); out[t] = s[t];",
    // The bytes are expected after they came.
    "if (t == 0) { barrier_init(barrier, 1); } __syncthreads();"
    "if (t == 0) { copy_bytes(shared_address(s), a, 256, barrier);"
    "asm volatile(\"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 256;\" :: \"r\"(barrier) "
    ": \"memory\"); barrier_arrive(barrier); } barrier_wait(barrier, 0); out[t] = s[t];",
    // cp.async of every thread, which arrive when theirs are over.
    "if (t == 0) { barrier_init(barrier, 64); } __syncthreads(); copy_4(shared_address(s + t), a + "
    "t); asm volatile(\"cp.async.mbarrier.arrive.noinc.shared.b64 [%0];\" :: \"r\"(barrier) : "
    "\"memory\"); barrier_wait(barrier, 0); out[t ^ 33] = s[t ^ 33];",
    // The same with arrivals of their own beside those of the copies.
    "if (t == 0) { barrier_init(barrier, 64); } __syncthreads(); copy_4(shared_address(s + t), a + "
    "t); asm volatile(\"cp.async.mbarrier.arrive.shared.b64 [%0];\" :: \"r\"(barrier) : "
    "\"memory\"); barrier_arrive(barrier); barrier_wait(barrier, 0); out[t ^ 33] = s[t ^ 33];",
    // Tokens instead of parities, arrivals by the count, a generic address.
    "if (t == 0) { asm volatile(\"mbarrier.init.b64 [%0], 64;\" :: \"l\"(&place) : \"memory\"); } "
    "__syncthreads(); s[t] = a[t]; unsigned long long token; unsigned over = 0;"
    "asm volatile(\"mbarrier.arrive.b64 %0, [%1], 1;\" : \"=l\"(token) : \"l\"(&place) : "
    "\"memory\");"
    "while (!over) asm volatile(\"{ .reg .pred p; mbarrier.test_wait.b64 p, [%1], %2; selp.u32 %0, "
    "1, 0, p; }\" : \"=r\"(over) : \"l\"(&place), \"l\"(token) : \"memory\"); out[t ^ 37] = s[t ^ "
    "37];",
    // Lanes of one warp hand values to each other, phase after phase.
    "if (t == 0) { barrier_init(barrier, 64); } __syncthreads();"
    "for (int p = 0; p < 4; ++p) { s[t] = a[t]; barrier_arrive(barrier); barrier_wait(barrier, p & "
    "1); out[t ^ 1] = s[t ^ 1]; __syncwarp(); }",
    // Half of the threads leave after the first phase.
    "if (t == 0) { barrier_init(barrier, 64); } __syncthreads(); s[t] = a[t];"
    "if (t >= 32) { asm volatile(\"{ .reg .b64 u; mbarrier.arrive_drop.shared.b64 u, [%0]; }\" :: "
    "\"r\"(barrier) : \"memory\"); out[t] = t + 1; return; }"
    "barrier_arrive(barrier); barrier_wait(barrier, 0); float x = s[t + 32] - 32; barrier_arrive("
    "barrier); barrier_wait(barrier, 1); out[t] = x;",
    // Made anew for something else.
    "if (t == 0) { barrier_init(barrier, 64); } __syncthreads(); barrier_arrive(barrier);"
    "barrier_wait(barrier, 0); __syncthreads(); if (t == 0) { asm volatile(\"mbarrier.inval."
    "shared.b64 [%0];\" :: \"r\"(barrier) : \"memory\"); barrier_init(barrier, 1); }"
    "asm volatile(\"fence.mbarrier_init.release.cluster;\"); __syncthreads();"
    "if (t == 0) { barrier_arrive_expecting(barrier, 256); copy_bytes(shared_address(s), a, 256, "
    "barrier); } barrier_wait(barrier, 0); out[t] = s[t];",
    // The lane that elect.sync chooses asks.
    "if (t == 0) { barrier_init(barrier, 1); } __syncthreads(); unsigned chosen = 0;"
    "asm volatile(\"{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }\" : "
    "\"=r\"(chosen)); if (t < 32 && chosen) { barrier_arrive_expecting(barrier, 256); copy_bytes("
    "shared_address(s), a, 256, barrier); } barrier_wait(barrier, 0); out[t] = s[t];",
};

TEST(AsyncBarriers, RightProgramsAreRightAndNotBlamed) {
  if (!has_compiler()) GTEST_SKIP() << "there is no NVRTC";
  for (const char* body : kRight) {
    SCOPED_TRACE(body);
    std::vector<float> out;
    const Trace trace = run_bytes(body, out);
    EXPECT_EQ(faults_text(trace), "");
    for (std::size_t t = 0; t < 64; ++t) ASSERT_EQ(out[t], static_cast<float>(t + 1)) << t;
  }
}

struct WrongProgram {
  const char* name;
  FaultKind kind;
  const char* body;  // the line with the mark BUG is at fault
  const char* words;
};
#define WARPSCOPE_MADE "if (t == 0) { barrier_init(barrier, 1); } __syncthreads();\n"
const WrongProgram kWrong[] = {
    {"source off the grid", FaultKind::misaligned,
     WARPSCOPE_MADE
     "if (t == 0) {\nbarrier_arrive_expecting(barrier, 64);\n"
     "copy_bytes(shared_address(s), a + 1, 64, barrier);  // BUG\n} barrier_wait(barrier, 0);",
     " reads from a[1], which is not aligned to a multiple of 16"},
    {"destination off the grid", FaultKind::misaligned,
     WARPSCOPE_MADE
     "if (t == 0) {\nbarrier_arrive_expecting(barrier, 64);\n"
     "copy_bytes(shared_address(s + 2), a, 64, barrier);  // BUG\n} barrier_wait(barrier, 0);",
     " has the destination, shared byte 8, which is not a multiple of 16"},
    {"size off the grid", FaultKind::misaligned,
     WARPSCOPE_MADE
     "if (t == 0) {\nbarrier_arrive_expecting(barrier, 20);\n"
     "copy_bytes(shared_address(s), a, 20, barrier);  // BUG\n} barrier_wait(barrier, 0);",
     " has a size of bytes, 20, which is not a multiple of 16"},
    {"source past the end", FaultKind::out_of_bounds,
     WARPSCOPE_MADE
     "if (t == 0) {\nbarrier_arrive_expecting(barrier, 256);\n"
     "copy_bytes(shared_address(s), a + 240, 256, barrier);  // BUG\n} barrier_wait(barrier, 0);",
     " reads 256 bytes from a[240], 192 bytes beyond the 1024 bytes of a"},
    {"source nobody wrote", FaultKind::uninitialised_read,
     WARPSCOPE_MADE
     "if (t == 0) {\nbarrier_arrive_expecting(barrier, 64);\n"
     "copy_bytes(shared_address(s), out, 64, barrier);  // BUG\n} barrier_wait(barrier, 0);",
     " reads out[0], which was never written"},
    {"cp.async read too soon", FaultKind::missing_wait,
     "if (t == 0) { barrier_init(barrier, 64); } __syncthreads(); copy_4(shared_address(s + t), a "
     "+ "
     "t);\nasm volatile(\"cp.async.mbarrier.arrive.noinc.shared.b64 [%0];\" :: \"r\"(barrier) : "
     "\"memory\");\nout[t] = s[t];  // BUG",
     " has waited for its asynchronous copy"},
    {"cp.async after the arrival", FaultKind::missing_wait,
     "if (t == 0) { barrier_init(barrier, 64); } __syncthreads();\nasm volatile(\"cp.async."
     "mbarrier.arrive.noinc.shared.b64 [%0];\" :: \"r\"(barrier) : \"memory\"); copy_4("
     "shared_address(s + t), a + t);\nbarrier_wait(barrier, 0);\nout[t] = s[t];  // BUG",
     " has waited for its asynchronous copy"},
    {"too many arrivals", FaultKind::divergent_barrier,
     "if (t == 0) { barrier_init(barrier, 40); } __syncthreads();\n"
     "asm volatile(\"{ .reg .b64 u; mbarrier.arrive.shared.b64 u, [%0], 64; }\" :: \"r\"(barrier) "
     ": "
     "\"memory\");  // BUG",
     " makes 64 arrivals at the barrier at shared byte 1024, whose phase 0 waits for 40 more"},
    {"barrier off the grid", FaultKind::misaligned,
     "s[t] = a[t];\nif (t == 0)\nbarrier_init(barrier - 4, 1);  // BUG\n__syncthreads(); out[t] = "
     "s[t ^ 1];",
     "not a multiple of its 8 bytes"},
    {"no order through a relaxed arrival", FaultKind::shared_race,
     "if (t == 0) { barrier_init(barrier, 64); } __syncthreads(); s[t] = a[t];\nasm volatile(\"{ "
     ".reg .b64 u; mbarrier.arrive.relaxed.cta.shared::cta.b64 u, [%0]; }\" :: \"r\"(barrier) : "
     "\"memory\"); barrier_wait(barrier, 0);\nout[t] = s[t ^ 32];  // BUG",
     " also accesses, without a barrier between them"},
    {"multicast", FaultKind::out_of_bounds,
     WARPSCOPE_MADE "if (t == 0)\nasm volatile(\"cp.async.bulk.shared::cluster.global.mbarrier::"
                    "complete_tx::bytes.multicast::cluster [%0], [%1], 64, [%2], %3;\" :: "
                    "\"r\"(shared_address(s)), "
                    "\"l\"(a), \"r\"(barrier), \"h\"((short)2) : \"memory\");  // BUG",
     "goes to the block of rank 1 in a cluster of 1 block"},
    {"mapa", FaultKind::out_of_bounds,
     "unsigned there;\nasm volatile(\"mapa.shared::cluster.u32 %0, %1, 3;\" : \"=r\"(there) : "
     "\"r\"(barrier));\nasm volatile(\"ld.shared::cluster.u32 %0, [%1];\" : \"=r\"(there) : "
     "\"r\"(there));  // BUG\nout[t] = there;",
     "goes to the block of rank 3 in a cluster of 1 block"},
    {"image to columns", FaultKind::unsupported,
     "asm volatile(\"cp.async.bulk.tensor.3d.global.shared::cta.im2col.bulk_group [%0, {%1, %1, "
     "%1}], [%2];\" :: \"l\"(out), \"r\"(0), \"r\"(shared_address(s)) : \"memory\");  // BUG",
     "is not emulated: .im2col"},
    {"noComplete", FaultKind::unsupported,
     WARPSCOPE_MADE "asm volatile(\"{ .reg .b64 u; mbarrier.arrive.noComplete.shared.b64 u, [%0], "
                    "1; }\" :: \"r\"(barrier) : \"memory\");  // BUG",
     "mbarrier.arrive.noComplete.shared.b64 is not emulated"},
};
#undef WARPSCOPE_MADE

TEST(AsyncBarriers, WrongProgramsAreBlamedAtTheirLine) {
  if (!has_compiler()) GTEST_SKIP() << "there is no NVRTC";
  for (const WrongProgram& wrong : kWrong) {
    SCOPED_TRACE(wrong.name);
    std::vector<float> out;
    const Trace trace = run_bytes(wrong.body, out);
    const int line = line_of(std::string(kBytes) + wrong.body, "BUG");
    const Fault* fault = fault_at(trace, wrong.kind, line);
    ASSERT_NE(fault, nullptr) << "line " << line << "\n" << faults_text(trace);
    EXPECT_NE(fault->sentence.find(wrong.words), std::string::npos) << fault->sentence;
  }
}

// The kernel and the boxes that a GPU test runs too: each box has parts outside the tensor.
TEST(AsyncBarriers, ABoxHasZerosWhereTheTensorIsNot) {
  const Result<CompiledPtx> ptx = compile_to_ptx({"engine/tensor_box.cu", {}, 90});
  if (!ptx && ptx.error().kind == ErrorKind::environment) GTEST_SKIP() << sentence(ptx.error());
  ASSERT_TRUE(ptx) << sentence(ptx.error());
  constexpr int kWidth = 40, kHeight = 24, kBox = 32 * 16;
  std::vector<float> from(kWidth * kHeight), to(4 * kBox);
  std::iota(from.begin(), from.end(), 1.0f);
  Bench bench;
  const std::uint64_t address = bench.add("from", from);
  bench.arguments.clear();
  const Result<EmulatedTensorMap> map =
      emulated_tensor_map({"from", ElementType::f32, {kWidth, kHeight}, {kWidth * 4}, {32, 16}},
                          address, kWidth * kHeight * 4);
  ASSERT_TRUE(map) << sentence(map.error());
  bench.pass(*map);
  bench.add("to", to, false);
  bench.pass(-8);
  bench.pass(-4);
  Launch launch = launch_of(2, 128);
  launch.grid.y = 2;
  const Trace trace = bench.run(ptx->ptx, launch, "tensor_box", "engine/tensor_box.cu");
  EXPECT_EQ(faults_text(trace), "");
  for (int box = 0; box < 4; ++box) {
    for (int k = 0; k < kBox; ++k) {
      const int x = -8 + 32 * (box % 2) + k % 32, y = -4 + 16 * (box / 2) + k / 32;
      const bool inside = x >= 0 && x < kWidth && y >= 0 && y < kHeight;
      ASSERT_EQ(to[static_cast<std::size_t>(box * kBox + k)],
                inside ? static_cast<float>(y * kWidth + x + 1) : 0.0f)
          << "box " << box << ", element (" << x << ", " << y << ")";
    }
  }
}

// One-dimensional and three-dimensional boxes against plain loops, at every kind of overlap.
TEST(AsyncBarriers, BoxesOfOneAndThreeDimensionsAreWhatLoopsSay) {
  const char* const text = R"(#include "tensor_copy.cuh"
extern "C" __global__ void k(const float* b, float* out, const __grid_constant__ TensorMap line,
                             const __grid_constant__ TensorMap cube, int x, int y, int z) {
  __shared__ alignas(128) float s[32 + 8 * 3 * 2];
  __shared__ alignas(8) unsigned long long place;
  const unsigned barrier = shared_address(&place);
  if (threadIdx.x == 0) {
    barrier_init(barrier, 1);
    barrier_arrive_expecting(barrier, sizeof s);
    asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2}], [%3];" :: "r"(shared_address(s)), "l"(&line), "r"(x),
                 "r"(barrier) : "memory");
    asm volatile("cp.async.bulk.tensor.3d.shared::cta.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3, %4}], [%5];" :: "r"(shared_address(s) + 128), "l"(&cube),
                 "r"(x), "r"(y), "r"(z), "r"(barrier) : "memory");
  }
  __syncthreads();
  barrier_wait(barrier, 0);
  for (int i = threadIdx.x; i < 80; i += 32) out[i] = s[i];
})";
  WARPSCOPE_COMPILE(ptx, text);
  for (const auto& [x, y, z] :
       {std::array{0, 0, 0}, std::array{-3, -1, 1}, std::array{9, 3, -1}, std::array{6, 4, 2},
        std::array{100, 0, 0}, std::array{-40, 9, 9}}) {
    std::vector<float> b(12 * 5 * 3), out(80);
    std::iota(b.begin(), b.end(), 1.0f);
    Bench bench;
    const std::uint64_t address = bench.add("b", b);
    bench.add("out", out, false);
    const auto bytes = static_cast<std::int64_t>(b.size() * 4);
    for (const TensorMapArgument& map :
         {TensorMapArgument{"b", ElementType::f32, {50}, {}, {32}},
          TensorMapArgument{"b", ElementType::f32, {12, 5, 3}, {48, 240}, {8, 3, 2}}}) {
      const Result<EmulatedTensorMap> encoded = emulated_tensor_map(map, address, bytes);
      ASSERT_TRUE(encoded) << sentence(encoded.error());
      bench.pass(*encoded);
    }
    for (const int c : {x, y, z}) bench.pass(c);
    const Trace trace = bench.run(ptx, launch_of(1, 32));
    EXPECT_EQ(faults_text(trace), "");
    for (int i = 0; i < 32; ++i) {
      const int at = x + i;
      ASSERT_EQ(out[static_cast<std::size_t>(i)],
                at >= 0 && at < 50 ? static_cast<float>(at + 1) : 0.0f)
          << x << ", element " << i;
    }
    for (int i = 0; i < 48; ++i) {
      const int cx = x + i % 8, cy = y + i / 8 % 3, cz = z + i / 24;
      const bool inside = cx >= 0 && cx < 12 && cy >= 0 && cy < 5 && cz >= 0 && cz < 3;
      ASSERT_EQ(out[static_cast<std::size_t>(32 + i)],
                inside ? static_cast<float>(cx + 12 * cy + 60 * cz + 1) : 0.0f)
          << "(" << x << ", " << y << ", " << z << "), element " << i;
    }
  }
}

// Labels inside braces belong to them, however often the text stands there.
TEST(AsyncBarriers, LabelsOfInlineTextAreItsOwn) {
  const std::string part =
      "{\n.reg .pred q;\nAGAIN:\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 q, %r1, LIMIT;\n@q bra "
      "AGAIN;\nbra DONE;\nadd.u32 %r1, %r1, 1000;\nDONE:\n}\n";
  std::vector<std::int32_t> out(32);
  Bench bench;
  bench.add("out", out);
  bench.pass(0);
  const Trace trace =
      bench.run(ptx_entry(1, "mov.u32 %r1, 0;\n" + replaced(part, "LIMIT", "5") +
                                 "mul.lo.u32 %r1, %r1, 10;\n" + replaced(part, "LIMIT", "60") +
                                 "ld.param.u64 %l1, [p0]; st.global.u32 [%l1], %r1; ret;"),
                launch_of(1, 1));
  EXPECT_EQ(faults_text(trace), "");
  EXPECT_EQ(out[0], 60);
}

}  // namespace
}  // namespace warpscope

#endif
