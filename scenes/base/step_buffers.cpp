// scenes/base/step_buffers.cpp: which buffers a step names, which bytes of them, and what the host
// must hold.
#include "scenes/base/step_buffers.h"

#include <algorithm>
#include <utility>

namespace warpscope {
namespace {

std::string part_text(const ByteRange& range) {
  return std::to_string(range.bytes) + " bytes from byte " + std::to_string(range.offset) + " on";
}

}  // namespace

Result<ByteRange> range_of(const BufferPart& part, std::int64_t buffer_bytes,
                           const std::string& buffer) {
  ByteRange range{part.offset_bytes, part.bytes};
  if (range.bytes == -1) range.bytes = buffer_bytes - range.offset;
  // Subtracted, not added: the sum of two large numbers would wrap.
  if (range.offset < 0 || range.offset > buffer_bytes || range.bytes < 0 ||
      range.bytes > buffer_bytes - range.offset) {
    const std::string what = part.bytes == -1
                                 ? "a part from byte " + std::to_string(part.offset_bytes) + " on"
                                 : "a part of " + part_text({part.offset_bytes, part.bytes});
    return failure(
        ErrorKind::usage,
        what + " is not inside the " + std::to_string(buffer_bytes) + " bytes of " + buffer, buffer,
        "correct the step's offset and size");
  }
  return range;
}

Result<CopyRanges> ranges_of(const DeviceCopy& copy, std::int64_t from_bytes,
                             std::int64_t to_bytes) {
  const Result<ByteRange> from = range_of(copy.from_part, from_bytes, copy.from);
  if (!from) return tl::unexpected(from.error());
  const Result<ByteRange> to = range_of(copy.to_part, to_bytes, copy.to);
  if (!to) return tl::unexpected(to.error());
  if (from->bytes != to->bytes) {
    return failure(ErrorKind::usage,
                   "a copy of " + std::to_string(from->bytes) + " bytes of " + copy.from +
                       " into " + std::to_string(to->bytes) + " of " + copy.to,
                   copy.to, "give both parts the same size");
  }
  if (copy.from == copy.to && from->bytes > 0 && from->offset < to->offset + to->bytes &&
      to->offset < from->offset + from->bytes) {
    return failure(ErrorKind::usage,
                   "a copy inside " + copy.to + " whose parts overlap: " + part_text(*from) +
                       " into " + part_text(*to),
                   copy.to, "copy through another buffer");
  }
  return CopyRanges{*from, *to};
}

Result<void> fits_constant(const std::string& symbol, std::int64_t symbol_bytes,
                           std::int64_t bytes) {
  if (bytes <= symbol_bytes) return {};
  return failure(ErrorKind::usage,
                 "a copy of " + std::to_string(bytes) + " bytes into the constants " + symbol +
                     ", which have " + std::to_string(symbol_bytes),
                 symbol, "copy a part, or declare the array larger");
}

std::set<std::string> buffers_of(const Step& step) {
  std::set<std::string> names;
  const auto add = [&names](const HostFunction& function) {
    names.insert(function.reads.begin(), function.reads.end());
    names.insert(function.writes.begin(), function.writes.end());
  };
  if (const auto* kernel = std::get_if<KernelLaunch>(&step.action)) {
    for (const Argument& argument : kernel->arguments) {
      if (const auto* buffer = std::get_if<BufferArgument>(&argument)) names.insert(buffer->buffer);
      if (const auto* map = std::get_if<TensorMapArgument>(&argument)) names.insert(map->buffer);
      if (const auto* record = std::get_if<RecordArgument>(&argument)) {
        for (const auto& [at, address] : record->addresses) names.insert(address.buffer);
        for (const auto& [at, map] : record->maps) names.insert(map.buffer);
      }
    }
  } else if (const auto* memset = std::get_if<Memset>(&step.action)) {
    names.insert(memset->buffer);
  } else if (const auto* copy = std::get_if<DeviceCopy>(&step.action)) {
    names.insert({copy->from, copy->to});
  } else if (const auto* call = std::get_if<LibraryCall>(&step.action)) {
    for (const auto& [operand, buffer] : call->buffers) names.insert(buffer);
    if (call->on_host) add(*call->on_host);
  } else if (const auto* across = std::get_if<HostCopy>(&step.action)) {
    names.insert(across->buffer);
  } else if (const auto* constants = std::get_if<ConstantCopy>(&step.action)) {
    names.insert(constants->from);
  } else {
    add(std::get<HostStep>(step.action).function);
  }
  return names;
}

bool covers(const Reference& reference, const Workload& workload, const BufferSpec& buffer) {
  if (buffer.role == BufferRole::output) return true;
  if (buffer.role != BufferRole::state || !reference.steps) return false;
  const std::vector<Step> steps = reference.steps(workload);
  return std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
    return buffers_of(step).count(buffer.name + ".reference") != 0;
  });
}

namespace {

// Where the newest of every buffer is while the steps run one after another.
struct Holdings {
  std::set<std::string> known, constant;  // all buffers; inputs
  std::set<std::string> on_host;          // mirrors that hold what the buffer holds
  HostSide side;

  explicit Holdings(const std::vector<BufferSpec>& buffers) {
    for (const BufferSpec& spec : buffers) {
      known.insert(spec.name);
      if (spec.role == BufferRole::input) constant.insert(spec.name);
      if (spec.role == BufferRole::input || spec.role == BufferRole::state)
        on_host.insert(spec.name);
    }
  }

  Result<void> run(const Step& step) {
    const auto* host = std::get_if<HostStep>(&step.action);
    const auto* across = std::get_if<HostCopy>(&step.action);
    if (host == nullptr && across == nullptr) return run_on_device(step);
    for (const std::string& name : buffers_of(step)) {
      if (known.count(name) == 0) {
        return failure(ErrorKind::internal, "the step uses a buffer that is not declared: " + name,
                       step.name);
      }
      side.mirrors.insert(name);
    }
    return host != nullptr ? run_on_host(step, host->function) : copy_across(step, *across);
  }

  Result<void> run_on_host(const Step& step, const HostFunction& function) {
    for (const std::string& name : function.reads) {
      if (on_host.count(name) != 0) continue;
      return failure(ErrorKind::usage,
                     "a step on the host reads " + name + ", which only the device has",
                     "step " + step.name, "copy it to the host in an earlier step");
    }
    for (const std::string& name : function.writes) {
      on_host.insert(name);
      side.left_on_host.insert(name);
    }
    return {};
  }

  Result<void> copy_across(const Step& step, const HostCopy& copy) {
    if (copy.direction == HostCopy::Direction::to_host) {
      on_host.insert(copy.buffer);
    } else if (on_host.count(copy.buffer) == 0) {
      return failure(
          ErrorKind::usage,
          "it copies " + copy.buffer + " to the device, but no earlier step wrote it on the host",
          "step " + step.name, "write it in an earlier step on the host");
    }
    side.left_on_host.erase(copy.buffer);
    return {};
  }

  Result<void> run_on_device(const Step& step) {
    for (const std::string& name : buffers_of(step)) {
      if (side.left_on_host.count(name) != 0) {
        return failure(ErrorKind::usage,
                       "a step on the device uses " + name + ", which only the host has",
                       "step " + step.name, "copy it to the device in an earlier step");
      }
      // It may have been written: the mirror is of before.
      if (constant.count(name) == 0) on_host.erase(name);
    }
    return {};
  }
};

}  // namespace

Result<HostSide> host_side_of(const std::vector<Step>& steps,
                              const std::vector<BufferSpec>& buffers) {
  Holdings holdings(buffers);
  // Prepare steps run before all others, whatever their place in the list.
  for (const Phase phase : {Phase::prepare, Phase::run}) {
    for (const Step& step : steps) {
      if (step.phase != phase) continue;
      if (Result<void> fits = holdings.run(step); !fits) return tl::unexpected(fits.error());
    }
  }
  return holdings.side;
}

}  // namespace warpscope
