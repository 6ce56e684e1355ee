// profiling/engine/run/emulated/other_steps.cpp: steps of an emulated run that are not kernels.
#include "profiling/engine/run/emulated/other_steps.h"

#include <algorithm>
#include <utility>

#include "scenes/base/step_buffers.h"

namespace warpscope {
namespace {

// The function's buffers: those of the device, or their mirrors.
Result<void> run_function(EmulatedBuffers& buffers, const Step& step, const HostFunction& function,
                          bool in_mirrors) {
  HostBuffers host;
  for (const std::vector<std::string>* names : {&function.reads, &function.writes}) {
    for (const std::string& name : *names) {
      Result<EmulatedBuffers::Held*> held = buffers.find(step, name);
      if (!held) return tl::unexpected(held.error());
      if (Result<void> room = buffers.admit(**held, in_mirrors ? 0 : (*held)->array->size_bytes());
          !room)
        return room;
      host[name] = in_mirrors ? std::span<std::byte>((*held)->mirror) : (*held)->bytes();
    }
  }
  if (Result<void> done = function.compute(host); !done) return done;
  for (const std::string& name : function.writes) {
    if (!in_mirrors) buffers.memory().set_initialised((*buffers.find(step, name))->address, true);
  }
  return {};
}

Result<void> fill_constants(EmulatedBuffers& buffers, EmulatedPrograms& programs, const Step& step,
                            const ConstantCopy& copy) {
  Result<EmulatedBuffers::Held*> from = buffers.find(step, copy.from);
  if (!from) return tl::unexpected(from.error());
  const Result<ByteRange> range = range_of(copy.part, (*from)->array->size_bytes(), copy.from);
  if (!range) return tl::unexpected(range.error());
  if (Result<void> room = buffers.admit(**from, range->bytes); !room) return room;
  const Result<EmulatedPrograms::Compiled> compiled =
      programs.of(request_for(copy, kEmulatedArchitecture));
  if (!compiled) return tl::unexpected(compiled.error());
  return buffers.memory().fill_constant(compiled->program, copy.symbol,
                                        (*from)->array->part(range->offset, range->bytes));
}

}  // namespace

Result<void> run_without_kernel(EmulatedBuffers& buffers, EmulatedPrograms& programs,
                                const Step& step) {
  const auto part = [](std::span<std::byte> bytes, const ByteRange& range) {
    return bytes.subspan(static_cast<std::size_t>(range.offset),
                         static_cast<std::size_t>(range.bytes));
  };
  const auto size = [](const EmulatedBuffers::Held& held) { return held.array->size_bytes(); };
  const auto device_part = [](const EmulatedBuffers::Held& held, const ByteRange& range) {
    return held.array->part(range.offset, range.bytes);
  };
  if (const auto* memset = std::get_if<Memset>(&step.action)) {
    Result<EmulatedBuffers::Held*> held = buffers.find(step, memset->buffer);
    if (!held) return tl::unexpected(held.error());
    const Result<ByteRange> range = range_of(memset->part, size(**held), memset->buffer);
    if (!range) return tl::unexpected(range.error());
    if (range->bytes == size(**held)) {
      (*held)->array->fill(std::byte{memset->value});
      buffers.memory().set_initialised((*held)->address, true);
      return {};
    }
    if (Result<void> room = buffers.admit(**held, range->bytes); !room) return room;
    const std::span<std::byte> bytes = device_part(**held, *range);
    std::fill(bytes.begin(), bytes.end(), std::byte{memset->value});
    buffers.memory().mark_initialised((*held)->address, range->offset, range->bytes);
    return {};
  }
  if (const auto* copy = std::get_if<DeviceCopy>(&step.action)) {
    Result<EmulatedBuffers::Held*> from = buffers.find(step, copy->from),
                                   to = buffers.find(step, copy->to);
    if (!from) return tl::unexpected(from.error());
    if (!to) return tl::unexpected(to.error());
    const Result<CopyRanges> ranges = ranges_of(*copy, size(**from), size(**to));
    if (!ranges) return tl::unexpected(ranges.error());
    for (const auto& [held, range] : {std::pair(*from, ranges->from), std::pair(*to, ranges->to)}) {
      if (Result<void> room = buffers.admit(*held, range.bytes); !room) return room;
    }
    const std::span<std::byte> bytes = device_part(**from, ranges->from);
    std::copy(bytes.begin(), bytes.end(), device_part(**to, ranges->to).begin());
    buffers.memory().mark_initialised((*to)->address, ranges->to.offset, ranges->to.bytes);
    return {};
  }
  if (const auto* copy = std::get_if<HostCopy>(&step.action)) {
    Result<EmulatedBuffers::Held*> held = buffers.find(step, copy->buffer);
    if (!held) return tl::unexpected(held.error());
    const Result<ByteRange> range = range_of(copy->part, size(**held), copy->buffer);
    if (!range) return tl::unexpected(range.error());
    const bool to_host = copy->direction == HostCopy::Direction::to_host;
    const std::span<std::byte> device = device_part(**held, *range),
                               host = part((*held)->mirror, *range);
    std::copy_n((to_host ? device : host).begin(), device.size(),
                (to_host ? host : device).begin());
    if (!to_host) buffers.memory().mark_initialised((*held)->address, range->offset, range->bytes);
    return {};
  }
  if (const auto* constants = std::get_if<ConstantCopy>(&step.action))
    return fill_constants(buffers, programs, step, *constants);
  if (const auto* host = std::get_if<HostStep>(&step.action))
    return run_function(buffers, step, host->function, true);
  return run_function(buffers, step, *std::get<LibraryCall>(step.action).on_host, false);
}

}  // namespace warpscope
