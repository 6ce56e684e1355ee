// profiling/engine/measure/roof_attempts.cpp: the kernels and launch shapes that are tried for each
// roof.
#include "profiling/engine/measure/roof_attempts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "scenes/base/device_units.h"
#include "scenes/base/texts/code_id.h"

namespace warpscope {
namespace {

constexpr double kAgreement = 0.03;  // of counted with claimed work
constexpr std::int64_t kFloat4Bytes = 16;
constexpr std::int32_t kInnerTurns = 2000;

std::string bytes_text(std::int64_t bytes) { return format_value(static_cast<double>(bytes), "B"); }

ExpectedCount expect(std::string id, double value) {
  return {std::move(id), value, kAgreement * value};
}

std::vector<Step> step_of(KernelLaunch launch) {
  std::string name = launch.entry;
  return {Step{std::move(name), Phase::run, std::move(launch)}};
}

// What a kernel of stream.cu does with its arrays.
struct Stream {
  const char* mix;
  const char* entry;
  int reads, writes;  // arrays
  bool has_sink = false, has_factor = false;
};
constexpr Stream kRead{"read", "roof_read", 1, 0, true}, kWrite{"write", "roof_write", 0, 1},
    kCopy{"copy", "roof_copy", 1, 1}, kScale{"scale", "roof_scale", 1, 1, false, true},
    kTriad{"triad", "roof_triad", 2, 1, false, true};

// source: profiling/README.md, Roofs: the shapes that were best on an H200 and their neighbours.
struct StreamShape {
  const Stream& stream;
  int in_flight, threads;
  bool streaming;
};
constexpr StreamShape kStreamShapes[] = {
    {kCopy, 1, 256, false},  {kCopy, 1, 512, false},   {kCopy, 1, 1024, false},
    {kCopy, 2, 256, false},  {kCopy, 4, 512, true},    {kScale, 1, 256, false},
    {kScale, 1, 512, false}, {kScale, 2, 256, false},  {kTriad, 1, 256, false},
    {kTriad, 1, 512, false}, {kTriad, 1, 1024, false}, {kTriad, 2, 256, false},
    {kRead, 4, 256, false},  {kRead, 8, 256, false},   {kRead, 4, 512, false},
    {kRead, 8, 128, false},  {kRead, 8, 256, true},    {kWrite, 1, 256, false},
    {kWrite, 1, 512, false}, {kWrite, 2, 512, false},  {kWrite, 4, 256, false},
    {kWrite, 4, 256, true}};

RoofAttempt stream_attempt(const StreamShape& shape, const RoofArrays& arrays) {
  const Stream& s = shape.stream;
  const int used = s.reads + s.writes;
  const std::int64_t count = arrays.bytes / kFloat4Bytes;
  const std::int64_t of_a_block = static_cast<std::int64_t>(shape.threads) * shape.in_flight;
  const auto array = static_cast<double>(arrays.bytes);
  RoofAttempt attempt;
  attempt.roof.level = Level::dram;
  attempt.roof.unit = "B/s";
  attempt.roof.mix = {s.mix, static_cast<double>(s.writes) / used};
  attempt.roof.method = std::string(s.mix) + " of float4, arrays of " + bytes_text(arrays.bytes) +
                        " in turn, blocks of " + std::to_string(shape.threads) + ", " +
                        std::to_string(shape.in_flight) + " in flight" +
                        (shape.streaming ? ", streaming hints" : "");
  attempt.work = array * used;
  for (int first = 0; first + used <= arrays.count; first += used) {
    KernelLaunch launch{
        "roofs/stream.cu",
        s.entry,
        {{"IN_FLIGHT", std::to_string(shape.in_flight)},
         {"STREAMING", shape.streaming ? "1" : "0"}},
        {{(count + of_a_block - 1) / of_a_block, 1, 1}, {shape.threads, 1, 1}, 0, {}},
        {}};
    for (int i = 0; i < used; ++i)
      launch.arguments.emplace_back(BufferArgument{array_name(first + i)});
    if (s.has_sink) launch.arguments.emplace_back(BufferArgument{"sink"});
    if (s.has_factor) launch.arguments.emplace_back(1.0009765625f);
    launch.arguments.emplace_back(count);
    attempt.runs.push_back(step_of(std::move(launch)));
  }
  // The slack is a share of all bytes, so that a direction without any has slack too.
  attempt.counts = {{"dram.bytes_read", array * s.reads, kAgreement * attempt.work},
                    {"dram.bytes_write", array * s.writes, kAgreement * attempt.work}};
  return attempt;
}

RoofAttempt gather_attempt(int segment_bytes, int in_flight, const RoofArrays& arrays) {
  constexpr std::int64_t kThreads = 256;
  const std::int64_t segments = arrays.bytes / segment_bytes;
  RoofAttempt attempt;
  attempt.roof.level = Level::dram;
  attempt.roof.unit = "B/s";
  attempt.roof.mix = {"gather of " + std::to_string(segment_bytes) + " B", 0, segment_bytes};
  attempt.roof.method = "random segments of " + std::to_string(segment_bytes) + " B, each of " +
                        bytes_text(arrays.bytes) + " once, " + std::to_string(in_flight) +
                        " in flight per lane; requested bytes";
  attempt.work = static_cast<double>(arrays.bytes);
  attempt.keeps_moved_ratio = true;
  const auto bits = static_cast<std::uint32_t>(std::llround(std::log2(segments)));
  for (int i = 0; i < arrays.count; ++i) {
    attempt.runs.push_back(step_of(
        {"roofs/gather.cu",
         "roof_gather",
         {{"SEGMENT", std::to_string(segment_bytes)}, {"IN_FLIGHT", std::to_string(in_flight)}},
         {{arrays.bytes / kFloat4Bytes / (kThreads * in_flight), 1, 1}, {kThreads, 1, 1}, 0, {}},
         {BufferArgument{array_name(i)}, BufferArgument{"sink"}, bits}}));
  }
  attempt.counts = {expect("l1.sectors_load", attempt.work / kSectorBytes)};
  return attempt;
}

RoofAttempt arithmetic_attempt(Pipe pipe, KernelLaunch launch, double operations,
                               std::vector<ExpectedCount> counts, std::string method) {
  RoofAttempt attempt;
  attempt.roof.level = Level::pipe;
  attempt.roof.pipe = pipe;
  attempt.roof.unit =
      pipe == Pipe::dp4a || pipe == Pipe::mma_s8 || pipe == Pipe::wgmma_s8 ? "OP/s" : "FLOP/s";
  attempt.roof.method = std::move(method);
  attempt.work = operations;
  attempt.runs = {step_of(std::move(launch))};
  attempt.counts = std::move(counts);
  return attempt;
}

void add_chains(std::vector<RoofAttempt>& list, std::int64_t sms) {
  for (const auto& [blocks, threads] : {std::pair<std::int64_t, std::int64_t>(4, 512), {8, 256}}) {
    const auto lanes = static_cast<double>(sms * blocks * threads);
    const double lane_instructions = 128.0 * kInnerTurns * lanes;
    const Launch shape{{sms * blocks, 1, 1}, {threads, 1, 1}, 0, {}};
    const std::string where = ", " + std::to_string(blocks) + " blocks of " +
                              std::to_string(threads) + " per multiprocessor";
    const auto launch = [&](const char* entry, std::vector<Argument> arguments) {
      return KernelLaunch{"roofs/arithmetic.cu", entry, {}, shape, std::move(arguments)};
    };
    list.push_back(arithmetic_attempt(
        Pipe::fp32, launch("roof_fp32", {BufferArgument{"sink"}, 1.0001f, 0.5f, kInnerTurns}),
        2 * lane_instructions, {expect("inst.ffma", lane_instructions)}, "chains of FMAs" + where));
    list.push_back(arithmetic_attempt(
        Pipe::half2, launch("roof_half2", {BufferArgument{"sink"}, 0.9f, 0.1f, kInnerTurns}),
        4 * lane_instructions, {expect("inst.hfma", lane_instructions)},
        "chains of half2 FMAs" + where));
    list.push_back(arithmetic_attempt(
        Pipe::dp4a, launch("roof_dp4a", {BufferArgument{"sink"}, 77, kInnerTurns}),
        8 * lane_instructions, {expect("inst.executed", lane_instructions / 32)},
        "chains of dp4a" + where));
  }
}

// Types of tensor operands in the order of TYPE in tensor_operands.cuh.
struct TensorType {
  Pipe mma, wgmma;
  int k;  // of 32 bytes
};
constexpr TensorType kTensorTypes[] = {{Pipe::mma_f16, Pipe::wgmma_f16, 16},
                                       {Pipe::mma_bf16, Pipe::wgmma_bf16, 16},
                                       {Pipe::mma_tf32, Pipe::wgmma_tf32, 8},
                                       {Pipe::mma_s8, Pipe::wgmma_s8, 32}};

void add_tensor_products(std::vector<RoofAttempt>& list, const DeviceLimits& device) {
  const std::int64_t sms = device.multiprocessors;
  for (std::size_t type = 0; type < std::size(kTensorTypes); ++type) {
    const TensorType& t = kTensorTypes[type];
    const std::vector<std::pair<std::string, std::string>> defines = {
        {"TYPE", std::to_string(type)}};
    for (const std::int64_t blocks : {2, 3}) {
      constexpr std::int64_t kThreads = 256;
      constexpr double kProducts = 32;  // of a warp and turn: 4 slices of k, 8 sums
      const std::int64_t warps = sms * blocks * kThreads / 32;
      const double products = static_cast<double>(warps) * kProducts * kInnerTurns;
      KernelLaunch launch{"roofs/tensor_mma.cu",
                          "roof_mma",
                          defines,
                          {{sms * blocks, 1, 1}, {kThreads, 1, 1}, 0, {}},
                          {BufferArgument{"sink"}, kInnerTurns}};
      list.push_back(arithmetic_attempt(
          t.mma, std::move(launch), products * 2 * 16 * 8 * t.k, {expect("inst.tensor", products)},
          "independent products 16×8×" + std::to_string(t.k) + " of random registers, " +
              std::to_string(blocks) + " blocks of 256 per multiprocessor"));
    }
    if (device.compute_capability != 90) continue;  // wgmma is of this architecture alone
    constexpr std::int64_t kThreads = 256;
    constexpr double kProducts = 16;  // of a warpgroup and turn
    const std::int64_t warpgroups = sms * kThreads / 128;
    const double products = static_cast<double>(warpgroups) * kProducts * kInnerTurns;
    KernelLaunch launch{"roofs/tensor_wgmma.cu",
                        "roof_wgmma",
                        defines,
                        {{sms, 1, 1}, {kThreads, 1, 1}, 0, {}},
                        {BufferArgument{"sink"}, kInnerTurns},
                        true};
    list.push_back(arithmetic_attempt(
        t.wgmma, std::move(launch), products * 2 * 64 * 128 * t.k,
        {expect("inst.tensor", products * 4)},
        "products 64×128×" + std::to_string(t.k) +
            " of random operands in shared memory, 2 warpgroups per multiprocessor"));
  }
}

// At a level of the caches: bytes per second.
RoofAttempt attempt_at(Level level, std::string method, double bytes, KernelLaunch launch,
                       ExpectedCount count) {
  RoofAttempt attempt;
  attempt.roof.level = level;
  attempt.roof.unit = "B/s";
  attempt.roof.method = std::move(method);
  attempt.work = bytes;
  attempt.runs = {step_of(std::move(launch))};
  attempt.counts = {std::move(count)};
  return attempt;
}

void add_l2_reads(std::vector<RoofAttempt>& list, const DeviceLimits& device,
                  const RoofArrays& arrays) {
  const std::int64_t sms = device.multiprocessors;
  for (const double share : {0.4, 0.55, 0.7}) {
    const std::int64_t threads = sms * 4 * 512;
    const std::int64_t count =
        static_cast<std::int64_t>(share * static_cast<double>(device.l2_bytes)) / kFloat4Bytes /
        (threads * 4) * (threads * 4);
    if (count == 0 || count * kFloat4Bytes > arrays.bytes) continue;
    constexpr std::int32_t kTurns = 20;
    const double bytes = static_cast<double>(count * kFloat4Bytes) * kTurns;
    list.push_back(attempt_at(
        Level::l2, "reads past L1 (ld.global.cg), working set " + bytes_text(count * kFloat4Bytes),
        bytes,
        {"roofs/bandwidth.cu",
         "roof_l2_read",
         {},
         {{sms * 4, 1, 1}, {512, 1, 1}, 0, {}},
         {BufferArgument{array_name(0)}, BufferArgument{"sink"}, count, kTurns}},
        expect("l1.sectors_load", bytes / kSectorBytes)));
  }
}

// Blocks that are far from each other keep more of L2 busy than a grid that reads side by side.
// Where they read piece after piece, requests of several multiprocessors for a line reach L2 as
// one: an H200 counted 85 % of the sectors at 8 MB, 95 % at 24 MB, and 99 % in steps of 127
// pieces, at 9.1 to 9.2 TB/s in each. Above half of L2 it reads again from DRAM.
void add_l2_windows(std::vector<RoofAttempt>& list, const DeviceLimits& device,
                    const RoofArrays& arrays) {
  const std::int64_t sms = device.multiprocessors;
  for (const double share : {0.25, 0.33, 0.4}) {
    constexpr std::int64_t kWhole = 512 * kFloat4Bytes * 8;  // of a block's reads in flight
    const std::int64_t window_bytes =
        static_cast<std::int64_t>(share * static_cast<double>(device.l2_bytes)) / kWhole * kWhole;
    if (window_bytes == 0 || window_bytes > arrays.bytes) continue;
    const std::int64_t pieces = window_bytes / (512 * kFloat4Bytes);
    std::int64_t step = std::min<std::int64_t>(127, pieces / 8 | 1);
    while (std::gcd(step, pieces) != 1) step += 2;
    for (const std::int64_t in_flight : {4, 8}) {
      constexpr std::int64_t kBlocks = 4, kTurns = 2;
      const std::int64_t count = window_bytes / kFloat4Bytes;
      const auto bytes = static_cast<double>(window_bytes * kTurns * sms * kBlocks);
      list.push_back(attempt_at(
          Level::l2,
          "every block reads a window of " + bytes_text(window_bytes) +
              " past L1 (ld.global.cg) in steps of " + bytes_text(step * 512 * kFloat4Bytes) +
              ", " + std::to_string(in_flight) + " in flight",
          bytes,
          {"roofs/bandwidth.cu",
           "roof_l2_window",
           {{"IN_FLIGHT", std::to_string(in_flight)}},
           {{sms * kBlocks, 1, 1}, {512, 1, 1}, 0, {}},
           {BufferArgument{array_name(0)}, BufferArgument{"sink"}, static_cast<std::int32_t>(count),
            static_cast<std::int32_t>(step), static_cast<std::int32_t>(kTurns)}},
          expect("l1.sectors_load", bytes / kSectorBytes)));
      list.back().counts.push_back(expect("l2.sectors_sm", bytes / kSectorBytes));
    }
  }
}

void add_l1_and_shared(std::vector<RoofAttempt>& list, const DeviceLimits& device) {
  const std::int64_t sms = device.multiprocessors;
  const double tile = 32.0 * 1024 * kInnerTurns * static_cast<double>(sms * 2);
  list.push_back(attempt_at(
      Level::l1, "16-byte loads of 32 KB that stay in L1, 2 blocks of 1024 per multiprocessor",
      tile,
      {"roofs/bandwidth.cu",
       "roof_l1_read",
       {},
       {{sms * 2, 1, 1}, {1024, 1, 1}, 0, {}},
       {BufferArgument{array_name(0)}, BufferArgument{"sink"}, kInnerTurns}},
      expect("l1.sectors_load", tile / kSectorBytes)));
  list.push_back(
      attempt_at(Level::shared,
                 "conflict-free 16-byte loads of 32 KB, 2 blocks of 1024 per multiprocessor", tile,
                 {"roofs/bandwidth.cu",
                  "roof_shared_read",
                  {},
                  {{sms * 2, 1, 1}, {1024, 1, 1}, 0, {}},
                  {BufferArgument{"sink"}, kInnerTurns}},
                 expect("shared.wavefronts", tile / 128)));
}

}  // namespace

std::string array_name(int i) { return "array" + std::to_string(i); }

RoofArrays roof_arrays(const DeviceLimits& device) {
  constexpr int kMost = 6, kFewest = 3;
  constexpr std::int64_t kLargest = 4LL << 30;
  const std::int64_t room = device.free_bytes / 2;
  for (std::int64_t bytes = kLargest; bytes >= 2 * device.l2_bytes; bytes /= 2) {
    const auto count = static_cast<int>(std::min<std::int64_t>(kMost, room / bytes));
    if (count >= kFewest) return {bytes, count};
  }
  return {};
}

std::vector<RoofAttempt> roof_attempts(const DeviceLimits& device, const RoofArrays& arrays) {
  std::vector<RoofAttempt> list;
  for (const StreamShape& shape : kStreamShapes) list.push_back(stream_attempt(shape, arrays));
  for (const int segment_bytes : {32, 64}) {
    for (const int in_flight : {4, 8})
      list.push_back(gather_attempt(segment_bytes, in_flight, arrays));
  }
  add_l2_reads(list, device, arrays);
  add_l2_windows(list, device, arrays);
  add_l1_and_shared(list, device);
  add_chains(list, device.multiprocessors);
  add_tensor_products(list, device);
  return list;
}

RoofAttempt attempt_of(const SceneRoof& roof, const std::string& scene,
                       const DeviceLimits& device) {
  RoofAttempt attempt;
  attempt.roof.level = roof.level;
  attempt.roof.scene = scene;
  attempt.roof.name = roof.name;
  attempt.roof.unit = "B/s";
  attempt.roof.method = roof.sentence;
  attempt.work = roof.bytes(device);
  attempt.runs = {roof.steps(device)};
  for (const auto& [id, value] : roof.counts(device)) attempt.counts.push_back(expect(id, value));
  return attempt;
}

std::string scene_roofs_id(std::span<const Scene> scenes, const DeviceLimits& device,
                           const SourceLookup& sources) {
  std::string all;
  const auto no_version = [](std::string_view) { return std::nullopt; };
  for (const Scene& scene : scenes) {
    for (const SceneRoof& roof : scene.roofs) {
      const auto code = code_id(roof.steps(device), sources, no_version);
      all += scene.name + " " + roof.name + " " +
             (code ? code->value_or("not known") : "without its source") + "\n";
    }
  }
  return all.empty() ? "" : hash_of(all);
}

}  // namespace warpscope
