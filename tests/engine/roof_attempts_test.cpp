// tests/engine/roof_attempts_test.cpp: the roofs' kernels do the work they claim, by the emulator.
#include "profiling/engine/measure/roof_attempts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <span>
#include <sstream>

#include "profiling/claims/claim.h"
#include "profiling/emulator/emulator.h"
#include "profiling/engine/compile/compiler.h"
#include "scenes/catalogue.h"
#include "scenes/host/enumerators.h"
#include "scenes/host/paths.h"
#include "tests/engine/own_roof_scene.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kArrayBytes = 1 << 17;
constexpr std::int32_t kTurns = 2;

// One multiprocessor and small arrays: the emulator runs every block.
std::vector<RoofAttempt> small_attempts() {
  DeviceLimits device;
  device.multiprocessors = 1;
  device.l2_bytes = 1 << 18;
  return roof_attempts(device, {kArrayBytes, 3});
}

struct Emulated {
  Trace trace;
  std::map<std::string, std::vector<float>> buffers;
};

// The first run of an attempt; loops of 2000 turns have kTurns instead.
Result<Emulated> emulated(const RoofAttempt& attempt, std::int64_t traced_block = 0) {
  const auto& kernel = std::get<KernelLaunch>(attempt.runs[0][0].action);
  const Result<CompiledPtx> code = compile_to_ptx({kernel.source, kernel.defines, 90});
  if (!code) return tl::unexpected(code.error());
  const Result<Program> program = Program::parse(code->ptx, kernel.source);
  if (!program) return tl::unexpected(program.error());
  Emulated result;
  EmulatedMemory memory;
  std::vector<ArgumentBytes> arguments;
  for (const Argument& argument : kernel.arguments) {
    if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
      std::vector<float>& values = result.buffers[buffer->buffer];
      values.resize((buffer->buffer == "sink"   ? 256
                     : buffer->buffer == "from" ? 2 * kArrayBytes
                                                : kArrayBytes) /
                    4);
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] =
            static_cast<float>(i % 1021) + 0.25f * static_cast<float>(result.buffers.size());
      EmulatedMemory::Spec spec;
      spec.name = spec.symbol = buffer->buffer;
      spec.shape = {static_cast<std::int64_t>(values.size())};
      arguments.push_back(
          argument_of(memory.add(spec, std::as_writable_bytes(std::span<float>(values)), true)));
    } else if (const auto* turns = std::get_if<std::int32_t>(&argument);
               turns != nullptr && *turns == 2000) {
      arguments.push_back(argument_of(kTurns));
    } else if (const auto* word = std::get_if<std::int32_t>(&argument)) {
      arguments.push_back(argument_of(*word));
    } else if (const auto* bits = std::get_if<std::uint32_t>(&argument)) {
      arguments.push_back(argument_of(*bits));
    } else if (const auto* count = std::get_if<std::int64_t>(&argument)) {
      arguments.push_back(argument_of(*count));
    } else {
      arguments.push_back(argument_of(std::get<float>(argument)));
    }
  }
  EmulateOptions options;
  options.traced_block = traced_block;
  Result<EmulatedRun> run =
      emulate(*program, kernel.entry, kernel.launch, arguments, memory, options);
  if (!run) return tl::unexpected(run.error());
  result.trace = std::move(run->trace);
  return result;
}

#define EMULATE(result, ...)                                    \
  Result<Emulated> result = emulated(__VA_ARGS__);              \
  if (!result && result.error().kind == ErrorKind::environment) \
    GTEST_SKIP() << sentence(result.error());                   \
  ASSERT_TRUE(result) << sentence(result.error());              \
  ASSERT_TRUE(result->trace.faults.empty())                     \
      << label(attempt.roof) << ": " << result->trace.faults[0].sentence

double expected(const RoofAttempt& attempt, const std::string& id) {
  for (const ExpectedCount& count : attempt.counts) {
    if (count.id == id) return count.value;
  }
  ADD_FAILURE() << label(attempt.roof) << " expects no " << id;
  return -1;
}

// Bytes that lanes loaded from or stored to global memory.
double bytes_of(const Trace& trace, bool stores) {
  double bytes = 0;
  for (const AccessSite& site : trace.sites) {
    if (site.space == Space::global && (site.kind == AccessKind::store) == stores)
      bytes += static_cast<double>(site.totals.lane_bytes);
  }
  return bytes;
}

// Warp instructions of the lines of a kernel's source that hold `text`.
double instructions_of(const Trace& trace, const std::string& file, const std::string& text) {
  std::istringstream source(read_kernel_source(file).value_or(""));
  std::vector<std::string> lines;
  for (std::string line; std::getline(source, line);) lines.push_back(line);
  double count = 0;
  for (const LineTotals& line : trace.lines) {
    const auto at = static_cast<std::size_t>(line.position.line);
    if (at > 0 && at <= lines.size() && lines[at - 1].find(text) != std::string::npos)
      count += static_cast<double>(line.instructions);
  }
  return count;
}

TEST(RoofAttempts, CoverEveryMixLevelAndPipe) {
  const DeviceLimits device;
  std::set<std::string> found;
  for (const RoofAttempt& attempt : roof_attempts(device, roof_arrays(device))) {
    found.insert(label(attempt.roof));
    EXPECT_GT(attempt.work, 0) << label(attempt.roof);
    EXPECT_FALSE(attempt.counts.empty()) << label(attempt.roof);
    EXPECT_FALSE(attempt.roof.method.empty()) << label(attempt.roof);
  }
  std::set<std::string> wanted = {
      "DRAM read",           "DRAM write",          "DRAM copy", "DRAM scale", "DRAM triad",
      "DRAM gather of 32 B", "DRAM gather of 64 B", "L2",        "L1",         "shared"};
  for (int i = 0; i < kEnumeratorCount<Pipe>; ++i) wanted.insert(to_text(static_cast<Pipe>(i)));
  EXPECT_EQ(found, wanted);
}

TEST(RoofAttempts, TryNoWgmmaWhereThereIsNone) {
  for (const int capability : {80, 100}) {
    DeviceLimits device;
    device.compute_capability = capability;
    for (const RoofAttempt& attempt : roof_attempts(device, roof_arrays(device)))
      EXPECT_EQ(label(attempt.roof).find("wgmma"), std::string::npos) << capability;
  }
}

TEST(RoofAttempts, RotateThroughMoreThanL2Holds) {
  DeviceLimits device;
  const RoofArrays arrays = roof_arrays(device);
  EXPECT_EQ(arrays.bytes, 4LL << 30);
  EXPECT_EQ(arrays.count, 6);
  for (const RoofAttempt& attempt : roof_attempts(device, arrays)) {
    if (attempt.roof.level != Level::dram) continue;
    std::set<std::string> used;
    for (const auto& run : attempt.runs) {
      for (const Argument& a : std::get<KernelLaunch>(run[0].action).arguments) {
        const auto* buffer = std::get_if<BufferArgument>(&a);
        if (buffer == nullptr || buffer->buffer == "sink") continue;
        EXPECT_TRUE(used.insert(buffer->buffer).second) << buffer->buffer;
      }
    }
    EXPECT_EQ(used.size(), 6u) << label(attempt.roof);
  }
  device.free_bytes = 1LL << 30;
  EXPECT_LE(roof_arrays(device).bytes * roof_arrays(device).count, device.free_bytes / 2);
  EXPECT_GE(roof_arrays(device).bytes, 2 * device.l2_bytes);
  device.free_bytes = 100 << 20;
  EXPECT_EQ(roof_arrays(device).count, 0) << "arrays that L2 could hold measure L2";
}

TEST(RoofAttempts, StreamsMoveTheBytesThatTheyClaimAndGiveWhatTheirNameSays) {
  int streams = 0;
  for (const RoofAttempt& attempt : small_attempts()) {
    if (attempt.roof.level != Level::dram || attempt.roof.mix.segment_bytes != 0) continue;
    ++streams;
    EMULATE(run, attempt);
    const double read = bytes_of(run->trace, false), written = bytes_of(run->trace, true);
    EXPECT_EQ(read, expected(attempt, "dram.bytes_read")) << attempt.roof.method;
    EXPECT_EQ(written, expected(attempt, "dram.bytes_write")) << attempt.roof.method;
    EXPECT_EQ(read + written, attempt.work) << attempt.roof.method;
    EXPECT_DOUBLE_EQ(written / (read + written), attempt.roof.mix.write_share);
    const std::string& mix = attempt.roof.mix.name;
    for (std::size_t i = 0; i < kArrayBytes / 4; i += 37) {
      const float a = static_cast<float>(i % 1021) + 0.25f, b = a + 0.25f;
      const float written_there = mix == "copy"    ? a
                                  : mix == "scale" ? 1.0009765625f * a
                                                   : std::fmaf(1.0009765625f, b, a);
      const char* to = mix == "triad" ? "array2" : "array1";
      if (mix != "read" && mix != "write") {
        EXPECT_EQ(run->buffers[to][i], written_there) << mix;
      }
    }
    if (mix == "write") {
      const std::vector<float>& out = run->buffers["array0"];
      EXPECT_GT(std::set<float>(out.begin(), out.end()).size(), out.size() / 2) << "random";
    }
  }
  EXPECT_GE(streams, 15);
}

TEST(RoofAttempts, GathersReadEverySegmentOnceAndInNoOrder) {
  for (const RoofAttempt& attempt : small_attempts()) {
    if (attempt.roof.mix.segment_bytes == 0) continue;
    const auto& kernel = std::get<KernelLaunch>(attempt.runs[0][0].action);
    const std::int64_t segment = attempt.roof.mix.segment_bytes;
    std::set<std::int64_t> segments;
    std::int64_t neighbours = 0, previous = -1, lanes = 0;
    for (std::int64_t block = 0; block < kernel.launch.grid.x; ++block) {
      EMULATE(run, attempt, block);
      if (block == 0) {
        EXPECT_EQ(bytes_of(run->trace, false), attempt.work);
        double sectors = 0;
        for (const AccessSite& site : run->trace.sites)
          sectors += static_cast<double>(site.totals.sectors);
        EXPECT_EQ(sectors, expected(attempt, "l1.sectors_load"));
      }
      for (const WarpRequest& request : run->trace.requests) {
        for (int lane = 0; lane < 32; ++lane) {
          const auto at = static_cast<std::int64_t>(
              (request.addresses[static_cast<std::size_t>(lane)] - run->trace.buffers[0].address) /
              static_cast<std::uint64_t>(segment));
          segments.insert(at);
          neighbours += at == previous + 1 ? 1 : 0;
          previous = at;
          ++lanes;
        }
      }
    }
    EXPECT_EQ(static_cast<std::int64_t>(segments.size()), kArrayBytes / segment);
    EXPECT_EQ(lanes, kArrayBytes / 16);
    EXPECT_LT(neighbours, lanes / 50) << "neighbours would come in one line";
  }
}

TEST(RoofAttempts, ReadsPastL1ReadWhatTheyClaimFromEveryPlaceAlike) {
  int windows = 0, sets = 0;
  for (const RoofAttempt& attempt : small_attempts()) {
    if (attempt.roof.level != Level::l2) continue;
    EMULATE(run, attempt);
    EXPECT_EQ(bytes_of(run->trace, false), attempt.work) << attempt.roof.method;
    EXPECT_EQ(expected(attempt, "l1.sectors_load"), attempt.work / 32) << attempt.roof.method;
    const bool window = attempt.roof.method.find("window") != std::string::npos;
    ++(window ? windows : sets);
    if (!window) continue;
    // The traced block meets every 16 bytes of the window as often as any other: twice.
    std::map<std::uint64_t, int> met;
    for (const WarpRequest& request : run->trace.requests) {
      for (const std::uint64_t address : request.addresses) ++met[address];
    }
    ASSERT_FALSE(met.empty());
    const auto& launch = std::get<KernelLaunch>(attempt.runs[0][0].action);
    const double blocks = static_cast<double>(launch.launch.grid.x);
    EXPECT_EQ(static_cast<double>(met.size()) * 16 * 2 * blocks, attempt.work)
        << attempt.roof.method;
    for (const auto& [address, times] : met) ASSERT_EQ(times, 2) << attempt.roof.method;
  }
  EXPECT_GE(windows, 1);
  EXPECT_GE(sets, 1);
}

TEST(RoofAttempts, ChainsAndProductsDoTheOperationsThatTheyClaim) {
  int judged = 0;
  for (const RoofAttempt& attempt : small_attempts()) {
    if (attempt.roof.level != Level::pipe) continue;
    const Pipe pipe = attempt.roof.pipe;
    if (pipe >= Pipe::wgmma_f16) continue;  // not emulated: see GpuRoofs
    ++judged;
    EMULATE(run, attempt);
    const char* text = pipe == Pipe::fp32    ? "fmaf("
                       : pipe == Pipe::half2 ? "__hfma2("
                       : pipe == Pipe::dp4a  ? "__dp4a("
                                             : "\"r\"(b[i][1]));";  // where the compiler says it is
    const int k = pipe == Pipe::mma_tf32 ? 8 : pipe == Pipe::mma_s8 ? 32 : 16;
    const double each = pipe == Pipe::fp32    ? 32 * 2
                        : pipe == Pipe::half2 ? 32 * 4
                        : pipe == Pipe::dp4a  ? 32 * 8
                                              : 2.0 * 16 * 8 * k;
    const double instructions =
        instructions_of(run->trace, std::get<KernelLaunch>(attempt.runs[0][0].action).source, text);
    EXPECT_EQ(instructions * each, attempt.work / 2000 * kTurns) << label(attempt.roof);
    const ExpectedCount& count = attempt.counts[0];
    const double lanes = count.id == "inst.tensor" || count.id == "inst.executed" ? 1 : 32;
    EXPECT_EQ(instructions * lanes, count.value / 2000 * kTurns) << label(attempt.roof);
  }
  EXPECT_GE(judged, 14);
}

TEST(RoofAttempts, HoldAScenesOwnRoofToTheBytesThatItClaims) {
  DeviceLimits device;
  device.multiprocessors = 1;
  const Scene scene =
      own_roof_scene(std::filesystem::path(testing::TempDir()) / "warpscope_own_roof_emulated", 3);
  const RoofAttempt attempt = attempt_of(scene.roofs[0], scene.name, device);
  EXPECT_EQ(label(attempt.roof), "own_roof_test gather_64");
  EXPECT_EQ(attempt.roof.level, Level::l1);
  EMULATE(run, attempt);
  EXPECT_EQ(bytes_of(run->trace, false), attempt.work);
  double sectors = 0;
  for (const AccessSite& site : run->trace.sites)
    sectors += static_cast<double>(site.totals.sectors);
  // Segments that two quads of a warp share are fewer sectors: seldom among 2048.
  EXPECT_NEAR(sectors / expected(attempt, "l1.sectors_load"), 1, 0.02);
}

TEST(RoofAttempts, HaveAnotherIdWithAnotherTextOfAScenesOwnRoof) {
  const DeviceLimits device;
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "warpscope_own_roof_texts";
  const std::vector<Scene> scenes = {own_roof_scene(folder)};
  const std::string path = (folder / "gather_64.cu").string();
  const auto id = [&](const std::string& text) {
    return scene_roofs_id(scenes, device, sources_among({kernel_source(path, text)}));
  };
  EXPECT_EQ(id("int f() { return 1; }"), id("// why\nint f() {  return 1; }"));
  EXPECT_NE(id("int f() { return 1; }"), id("int f() { return 2; }"));
  EXPECT_EQ(scene_roofs_id({}, device, sources_among({})), "") << "no scene has one";
}

// Claims name the roofs of DRAM by their mix.
TEST(RoofAttempts, MeasureTheMixesThatClaimsMayName) {
  std::set<std::string> mixes;
  for (const RoofAttempt& attempt : small_attempts()) {
    if (attempt.roof.level == Level::dram && attempt.roof.mix.segment_bytes == 0)
      mixes.insert(attempt.roof.mix.name);
  }
  EXPECT_GE(mixes.size(), 4u);
  const Scene& scene = **built_in_catalogue().find("csrmm");
  for (const std::string& mix : mixes)
    EXPECT_TRUE(parse_claim("roof.dram." + mix + " > 1", scene)) << mix;
  for (const char* mix : {"read", "write", "copy", "scale", "triad"})
    EXPECT_EQ(mixes.count(mix), 1u) << mix;
}

TEST(RoofAttempts, AreJudgedByEachOfTheirCounters) {
  RoofAttempt attempt;
  attempt.work = 1000;
  attempt.counts = {{"dram.bytes_read", 1000, 30}, {"dram.bytes_write", 0, 30}};
  const auto judged = [&](std::optional<double> read, double written) {
    Roof roof = attempt.roof;
    judge(attempt,
          {{"dram.bytes_read", read, Origin::measured, "no such counter", ""},
           {"dram.bytes_write", written}},
          roof);
    return roof;
  };
  EXPECT_TRUE(judged(1029, 29).trusted);
  EXPECT_THAT(judged(1029, 29).note, HasSubstr("its counters agree"));
  EXPECT_FALSE(judged(1031, 0).trusted);
  EXPECT_FALSE(judged(1000, 500).trusted) << "a read that writes is another mix";
  EXPECT_THAT(judged(1000, 500).note,
              HasSubstr("500.0 B of dram.bytes_write, where none is expected"));
  attempt.counts.pop_back();
  EXPECT_TRUE(judged(std::nullopt, 0).trusted);
  EXPECT_THAT(judged(std::nullopt, 0).note, HasSubstr("not checked: no such counter"));
}

TEST(RoofAttempts, KeepTheBestThatIsTrusted) {
  RoofSet set;
  Roof roof{Level::l2, 5, "B/s"};
  roof.trusted = false;
  keep_best(set, roof);
  roof.value = 3, roof.trusted = true;
  keep_best(set, roof);
  EXPECT_EQ(set.roofs[0].value, 3) << "trusted before fast";
  roof.value = 4;
  keep_best(set, roof);
  roof.value = 9, roof.trusted = false;
  keep_best(set, roof);
  EXPECT_EQ(set.roofs[0].value, 4);
  roof.level = Level::l1;
  keep_best(set, roof);
  EXPECT_EQ(set.roofs.size(), 2u);
}

}  // namespace
}  // namespace warpscope
