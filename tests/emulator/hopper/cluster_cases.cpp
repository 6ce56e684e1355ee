// tests/emulator/hopper/cluster_cases.cpp: runs the kernels in the emulator and holds them to what
// they must give.
#include "tests/emulator/hopper/cluster_cases.h"

#ifdef WARPSCOPE_WITH_COMPILER

#include <algorithm>
#include <cmath>
#include <map>
#include <variant>

#include "profiling/emulator/emulator.h"
#include "profiling/emulator/state/tensor_map.h"
#include "profiling/engine/compile/compiler.h"

namespace warpscope {
namespace {

constexpr const char* kFolder = "../tests/emulator/hopper/";  // from kernels/

template <typename T>
T element(std::span<const std::byte> bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof value);
  return value;
}

const KernelBuffer& buffer_of(const ClusterKernel& kernel, const std::string& name) {
  return *std::find_if(kernel.buffers.begin(), kernel.buffers.end(),
                       [&](const KernelBuffer& b) { return b.name == name; });
}

Result<ArgumentBytes> bytes_of_argument(const ClusterKernel& kernel, const Argument& argument,
                                        const std::map<std::string, std::uint64_t>& addresses) {
  if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
    return argument_of(addresses.at(buffer->buffer) +
                       static_cast<std::uint64_t>(buffer->offset_bytes));
  }
  if (const auto* map = std::get_if<TensorMapArgument>(&argument)) {
    return emulated_tensor_map(*map, addresses.at(map->buffer),
                               std::ssize(buffer_of(kernel, map->buffer).bytes))
        .map([](const EmulatedTensorMap& m) { return argument_of(m); });
  }
  ArgumentBytes bytes;
  std::visit(
      [&](const auto& value) {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>) {
          bytes = argument_of(value);
        }
      },
      argument);
  return bytes;
}

}  // namespace

std::span<const ClusterKernel> cluster_kernels() {
  static const std::vector<ClusterKernel> kernels = [] {
    std::vector<ClusterKernel> list;
    add_meeting_kernels(list);
    add_copy_kernels(list);
    return list;
  }();
  return kernels;
}

std::span<const ClusterKernel> probe_kernels() {
  static const std::vector<ClusterKernel> kernels = [] {
    std::vector<ClusterKernel> list;
    add_probe_kernels(list);
    return list;
  }();
  return kernels;
}

KernelLaunch launch_of(const ClusterKernel& kernel) {
  KernelLaunch launch;
  launch.source = kFolder + (kernel.file.empty() ? kernel.name : kernel.file) + ".cu";
  launch.entry = kernel.entry.empty() ? kernel.name : kernel.entry;
  launch.launch = kernel.launch;
  launch.arguments = kernel.arguments;
  launch.architecture_features = true;
  return launch;
}

Result<ClusterRun> emulate_cluster_kernel(const ClusterKernel& kernel, EmulatedAs as) {
  const KernelLaunch launch = launch_of(kernel);
  const Result<CompiledPtx> ptx = compile_to_ptx({launch.source, {}, 90, true});
  if (!ptx) return tl::unexpected(ptx.error());
  const Result<Program> program = Program::parse(ptx->ptx, launch.source);
  if (!program) return tl::unexpected(program.error());
  ClusterRun run;
  EmulatedMemory memory;
  std::map<std::string, std::uint64_t> addresses;
  run.outputs.reserve(kernel.buffers.size());
  for (const KernelBuffer& b : kernel.buffers) {
    std::vector<std::byte>& bytes = run.outputs.emplace_back(b.bytes);
    const std::int64_t elements = std::ssize(bytes) / element_bytes(b.type);
    addresses[b.name] =
        memory.add({b.name, b.name + "[i]", b.type, {elements}}, bytes, b.initialised);
  }
  std::vector<ArgumentBytes> arguments;
  for (const Argument& argument : kernel.arguments) {
    Result<ArgumentBytes> bytes = bytes_of_argument(kernel, argument, addresses);
    if (!bytes) return tl::unexpected(bytes.error());
    arguments.push_back(std::move(*bytes));
  }
  Result<EmulatedRun> done = emulate_launch(launch, *program, as, arguments, memory);
  if (!done) return tl::unexpected(done.error());
  run.trace = std::move(done->trace);
  return run;
}

std::string output_difference(const ClusterKernel& kernel, std::size_t buffer,
                              std::span<const std::byte> output) {
  const KernelBuffer& b = kernel.buffers[buffer];
  if (b.expected.empty()) return {};
  const auto size = static_cast<std::size_t>(element_bytes(b.type));
  for (std::size_t i = 0; i * size < b.expected.size(); ++i) {
    if (std::memcmp(output.data() + i * size, b.expected.data() + i * size, size) == 0) continue;
    std::string text = kernel.name + ": " + b.name + "[" + std::to_string(i) + "]";
    if (b.type != ElementType::f32) {
      return text + " differs: " + std::to_string(element<std::uint32_t>(output, i * size / 4)) +
             " for " + std::to_string(element<std::uint32_t>(b.expected, i * size / 4));
    }
    const double is = element<float>(output, i), want = element<float>(b.expected, i);
    if (std::abs(is - want) <= kernel.bound * std::abs(want)) continue;
    return text + " is " + std::to_string(is) + ", not " + std::to_string(want);
  }
  return {};
}

}  // namespace warpscope

#endif  // WARPSCOPE_WITH_COMPILER
