// tests/benchmarks/emulator_bench.cpp: warp instructions per second of the emulator, on this
// machine.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiling/emulator/emulator.h"
#include "profiling/engine/compile/compiler.h"
#include "profiling/engine/run/emulated/machine_programs.h"
#include "scenes/catalogue.h"

// Usage: warpscope_emulator_bench [WORDS]. Each line: what, the rate or the time, and the goal.
// With WORDS, only lines whose names contain them: "csrmm" gives the scene's variants. Lines of
// machine code follow where nvdisasm is installed, with their rate as a share of that of PTX.

namespace {

using namespace warpscope;

constexpr const char* kText = R"(
extern "C" __global__ void alu(const float* a, float* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = i, y = i * 0.5f, z = 1.0f;
  for (int k = 0; k < n; ++k) {
    x = x * 1.0001f + y;
    y = y * 0.9999f - z;
    z = z * 0.5f + x;
    x += z; y += x; z += y;
  }
  b[i & 1023] = x + y + z;
}
extern "C" __global__ void copy(const float* a, float* b, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) b[i] = a[i];
}
extern "C" __global__ void tile(const float* a, float* b, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = a[blockIdx.x * 256 + t];
  __syncthreads();
  for (int d = 128; d; d >>= 1) { if (t < d) s[t] += s[t + d]; __syncthreads(); }
  b[blockIdx.x * 256 + t] = s[0];
}
)";

struct Case {
  const char* name;
  const char* entry;
  std::int64_t blocks, threads;
  int n;
  bool sums, traced;
  const char* goal;
};

// Block 0 of the first kernel of every csrmm variant at the scene's defaults, traced.
void time_csrmm() {
  const Result<const Scene*> found = built_in_catalogue().find("csrmm");
  if (!found) return;
  const Scene& scene = **found;
  const Configuration axes = with_defaults(scene.axes, {});
  Inputs inputs;
  Facts facts;
  if (!regenerate_inputs(scene, nullptr, axes, inputs, facts)) return;
  const Workload w{axes, facts};
  for (const Variant& variant : scene.variants) {
    if ((variant.applies && !variant.applies(axes)) || unavailable(variant, w, {})) continue;
    std::vector<BufferSpec> specs = scene.buffers(w);
    if (variant.scratch) {
      for (BufferSpec& spec : variant.scratch(w)) specs.push_back(std::move(spec));
    }
    EmulatedMemory memory;
    std::map<std::string, HostArray> arrays;
    std::map<std::string, std::uint64_t> addresses;
    for (const BufferSpec& spec : specs) {
      const auto given = inputs.find(spec.name);
      HostArray& array = arrays[spec.name] =
          given != inputs.end() ? given->second : HostArray(spec.type, spec.count);
      addresses[spec.name] =
          memory.add({spec.name, spec.symbol, spec.type, spec.shape}, array.bytes(), true);
    }
    for (const Step& step : variant.steps(w)) {
      const auto* launch = std::get_if<KernelLaunch>(&step.action);
      if (launch == nullptr || step.phase != Phase::run) continue;
      const Result<CompiledPtx> compiled = compile_to_ptx({launch->source, launch->defines, 90});
      if (!compiled) break;
      const Result<Program> program = Program::parse(compiled->ptx, launch->source);
      if (!program) break;
      std::vector<ArgumentBytes> arguments;
      for (const Argument& argument : launch->arguments) {
        std::visit(
            [&](const auto& value) {
              if constexpr (std::is_same_v<std::decay_t<decltype(value)>, BufferArgument>) {
                arguments.push_back(argument_of(addresses.at(value.buffer) +
                                                static_cast<std::uint64_t>(value.offset_bytes)));
              } else if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>) {
                arguments.push_back(argument_of(value));
              }
            },
            argument);
      }
      EmulateOptions options;
      options.blocks = {0};
      const Result<EmulatedRun> run =
          emulate(*program, launch->entry, launch->launch, arguments, memory, options);
      if (run) {
        std::printf("csrmm/%-34s %8.2f ms  %zu faults  (goal 16 ms)\n", variant.name.c_str(),
                    run->trace.emulate_ms, run->trace.faults.size());
      }
      break;
    }
  }
}

// The best of five runs.
struct Rate {
  double best_ms = 1e30;
  std::int64_t instructions = 0;
  double millions_per_s() const { return static_cast<double>(instructions) / best_ms / 1e3; }
};

Rate rate_of(TracedCode code, const std::optional<MachinePrograms::Made>& made,
             const CodeLaunch& launch) {
  Rate rate;
  for (int turn = 0; turn < 5; ++turn) {
    const Result<EmulatedRun> run = emulate_as(
        code, [&made]() -> Result<MachinePrograms::Made> { return *made; }, launch);
    if (!run) {
      std::fprintf(stderr, "%s\n", sentence(run.error()).c_str());
      std::exit(1);
    }
    rate.best_ms = std::min(rate.best_ms, run->trace.emulate_ms);
    rate.instructions = run->trace.warp_instructions;
  }
  return rate;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string wanted = count > 1 ? arguments[1] : "";
  const Result<CompiledPtx> compiled = compile_to_ptx({"bench.cu", {}, 90}, kText);
  if (!compiled) {
    std::fprintf(stderr, "%s\n", sentence(compiled.error()).c_str());
    return 3;
  }
  const auto parse_start = std::chrono::steady_clock::now();
  const Result<Program> program = Program::parse(compiled->ptx, "bench.cu");
  if (!program || !program->kernel("alu")) return 1;
  std::printf("parse and decode: %.2f ms\n", std::chrono::duration<double, std::milli>(
                                                 std::chrono::steady_clock::now() - parse_start)
                                                 .count());
  const Case cases[] = {
      {"ALU loop, outputs only", "alu", 64, 256, 2000, false, false, "100 M/s"},
      {"ALU loop, with sums", "alu", 64, 256, 2000, true, false, "100 M/s"},
      {"copy, outputs only", "copy", 256, 256, 1 << 22, false, false, "50 M/s"},
      {"copy, with sums", "copy", 256, 256, 1 << 22, true, false, "20 M/s"},
      {"shared reduction, with sums and races", "tile", 4096, 256, 0, true, false, "none"},
      {"copy by one block, every request kept", "copy", 1, 256, 1 << 21, true, true, "none"},
      {"one traced block of 256 threads", "tile", 1, 256, 0, true, true, "2 ms"},
  };
  MachinePrograms machine;
  for (const Case& c : cases) {
    if (std::string(c.name).find(wanted) == std::string::npos) continue;
    std::vector<float> a(1 << 22, 1.0f), b(1 << 22);
    EmulatedMemory memory;
    const std::uint64_t at_a = memory.add({"a", "a", ElementType::f32, {1 << 22}},
                                          std::as_writable_bytes(std::span(a)), true);
    const std::uint64_t at_b = memory.add({"b", "b", ElementType::f32, {1 << 22}},
                                          std::as_writable_bytes(std::span(b)), true);
    const std::vector<ArgumentBytes> given = {argument_of(at_a), argument_of(at_b),
                                              argument_of(c.n)};
    EmulateOptions options;
    options.sums = c.sums;
    options.traced_block = c.traced ? 0 : -1;
    Launch launch;
    launch.grid.x = c.blocks;
    launch.block.x = c.threads;
    const CodeLaunch asked{*program, c.entry, launch, given, memory, options};
    const Rate ptx = rate_of(TracedCode::ptx, {}, asked);
    std::printf("%-40s %8.2f ms  %7.1f M warp instructions/s  (goal %s)\n", c.name, ptx.best_ms,
                ptx.millions_per_s(), c.goal);
    const Result<MachinePrograms::Made> made =
        machine.of({"bench.cu", {}, 90}, {{"bench.cu", kText}}, c.entry, false);
    if (!made) continue;
    const Rate sass = rate_of(TracedCode::machine_code, *made, asked);
    std::printf("%-40s %8.2f ms  %7.1f M warp instructions/s  (%.0f %% of the rate of PTX)\n",
                "  the same as machine code", sass.best_ms, sass.millions_per_s(),
                100 * sass.millions_per_s() / ptx.millions_per_s());
  }
  if (std::string("csrmm").find(wanted) != std::string::npos) time_csrmm();
  return 0;
}
