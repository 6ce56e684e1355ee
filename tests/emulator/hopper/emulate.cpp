// tests/emulator/hopper/emulate.cpp: kernels with wgmma on the emulator, and outputs compared.
#include <cmath>
#include <cstring>
#include <span>

#include "tests/emulator/hopper/cases.h"

#ifdef WARPSCOPE_WITH_COMPILER

#include "profiling/emulator/emulator.h"
#include "profiling/emulator/state/tensor_map.h"
#include "profiling/engine/compile/compiler.h"

namespace warpscope {
namespace {

struct Placed {
  const HopperBuffer* buffer = nullptr;
  std::uint64_t address = 0;
};

Result<ArgumentBytes> bytes_of(const Argument& argument, const std::map<std::string, Placed>& at) {
  if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
    return argument_of(at.at(buffer->buffer).address);
  }
  if (const auto* map = std::get_if<TensorMapArgument>(&argument)) {
    const Placed& placed = at.at(map->buffer);
    const Result<EmulatedTensorMap> encoded = emulated_tensor_map(
        *map, placed.address, static_cast<std::int64_t>(placed.buffer->bytes.size()));
    if (!encoded) return tl::unexpected(encoded.error());
    return argument_of(*encoded);
  }
  return std::visit(
      [](const auto& value) -> ArgumentBytes {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>) {
          return argument_of(value);
        } else {
          return {};
        }
      },
      argument);
}

}  // namespace

Result<HopperRun> emulate_hopper(const HopperCase& c, EmulatedAs as) {
  const KernelLaunch& k = c.launch;
  const Result<CompiledPtx> ptx =
      compile_to_ptx(CompileRequest{k.source, k.defines, 90, k.architecture_features});
  if (!ptx) return tl::unexpected(ptx.error());
  const Result<Program> program = Program::parse(ptx->ptx, k.source);
  if (!program) return tl::unexpected(program.error());
  std::vector<HopperBuffer> buffers = c.buffers;
  EmulatedMemory memory;
  std::map<std::string, Placed> placed;
  for (HopperBuffer& b : buffers) {
    const auto elements = std::ssize(b.bytes) / element_bytes(b.type);
    placed[b.name] = {&b, memory.add({b.name, b.name + "[i]", b.type, {elements}},
                                     std::span<std::byte>(b.bytes), b.initialised)};
  }
  std::vector<ArgumentBytes> arguments;
  for (const Argument& argument : k.arguments) {
    Result<ArgumentBytes> bytes = bytes_of(argument, placed);
    if (!bytes) return tl::unexpected(bytes.error());
    arguments.push_back(std::move(*bytes));
  }
  Result<EmulatedRun> run = emulate_launch(k, *program, as, arguments, memory);
  if (!run) return tl::unexpected(run.error());
  return HopperRun{placed.at(c.output).buffer->bytes, std::move(run->trace)};
}

std::string difference(const HopperCase& c, const std::vector<std::byte>& output,
                       const std::vector<std::byte>& expected, double bound) {
  ElementType type = ElementType::u8;
  for (const HopperBuffer& b : c.buffers) {
    if (b.name == c.output) type = b.type;
  }
  const auto size = static_cast<std::size_t>(element_bytes(type));
  if (output.size() != expected.size()) return "another size";
  for (std::size_t at = 0; at < output.size(); at += size) {
    if (std::memcmp(output.data() + at, expected.data() + at, size) == 0) continue;
    const std::string place = c.output + "[" + std::to_string(at / size) + "]";
    if (type != ElementType::f32 || bound == 0) {
      std::uint64_t is = 0, wanted = 0;
      std::memcpy(&is, output.data() + at, size);
      std::memcpy(&wanted, expected.data() + at, size);
      return place + " has the bits " + std::to_string(is) + " and not " + std::to_string(wanted);
    }
    float is = 0, wanted = 0;
    std::memcpy(&is, output.data() + at, 4);
    std::memcpy(&wanted, expected.data() + at, 4);
    if (!(std::fabs(is - wanted) <= bound)) {
      return place + " is " + std::to_string(is) + " and not " + std::to_string(wanted) +
             " within " + std::to_string(bound);
    }
  }
  return {};
}

}  // namespace warpscope

#endif  // WARPSCOPE_WITH_COMPILER
