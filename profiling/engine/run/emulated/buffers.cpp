// profiling/engine/run/emulated/buffers.cpp: inputs and a run's buffers in host memory.
#include "profiling/engine/run/emulated/buffers.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "profiling/capture/stored_addresses.h"
#include "scenes/base/step_buffers.h"

namespace warpscope {

tl::unexpected<Error> too_large_to_emulate(std::int64_t bytes, const char* needs) {
  return failure(ErrorKind::resource,
                 std::string(needs) + " " + format_value(static_cast<double>(bytes), "B") +
                     ", the emulator takes at most " +
                     format_value(static_cast<double>(kMostEmulatedBytes), "B"),
                 "emulator", "choose smaller sizes");
}

Result<void> EmulatedBuffers::lay_out(const Scene& scene, const Workload& workload,
                                      const Variant& variant, const std::vector<Step>& steps,
                                      bool keeps_variables) {
  held_.clear();
  const EmulatedMemory earlier = std::exchange(memory_, EmulatedMemory());
  if (keeps_variables) memory_.keep_variables_of(earlier);
  std::vector<BufferSpec> specs = scene.buffers(workload);
  if (variant.scratch) {
    for (BufferSpec& spec : variant.scratch(workload)) {
      spec.role = BufferRole::scratch;
      specs.push_back(std::move(spec));
    }
  }
  Result<HostSide> host = host_side_of(steps, specs);
  if (!host) return tl::unexpected(host.error());
  left_on_host_ = std::move(host->left_on_host);
  for (const BufferSpec& spec : specs) {
    if (Result<void> done = hold(spec, host->mirrors.count(spec.name) != 0); !done) return done;
  }
  place_stored_addresses(specs);
  return {};
}

void EmulatedBuffers::place_stored_addresses(const std::vector<BufferSpec>& specs) {
  const std::map<std::string, std::string> holders = address_holders(specs);
  if (holders.empty()) return;
  std::map<std::int64_t, std::uint64_t> addresses;
  for (const auto& [name, held] : held_) addresses[address_target_of(name)] = held.address;
  for (const auto& [holder, table] : holders)
    place_addresses(held_.at(table).array->as<std::int64_t>(), addresses, held_.at(holder).bytes());
}

Result<void> EmulatedBuffers::hold(const BufferSpec& spec, bool mirrored) {
  const auto array = inputs_.find(spec.name);
  const bool made = array != inputs_.end();
  const bool input = spec.role == BufferRole::input, state = spec.role == BufferRole::state;
  if (input && !made)
    return failure(ErrorKind::internal, "no group of inputs creates it", spec.name);
  Held& held = held_[spec.name];
  held.spec = spec;
  if (state && made) {
    held.own = array->second;
  } else if (!input) {
    // 0xFF bytes are NaN in every floating type; a state that nothing makes begins as zeros.
    const std::byte value = state ? std::byte{0} : std::byte{0xFF};
    held.own = HostArray::by_page(spec.type, spec.count,
                                  [value](std::int64_t, std::span<std::byte> bytes) {
                                    std::fill(bytes.begin(), bytes.end(), value);
                                  });
  }
  held.array = input ? &array->second : &held.own;
  if (mirrored) {
    held.mirror.assign(static_cast<std::size_t>(held.array->size_bytes()), std::byte{0xFF});
    if (input || state) held.mirror.assign(held.bytes().begin(), held.bytes().end());
  }
  held.address =
      memory_.add({spec.name, spec.symbol, spec.type, spec.shape}, *held.array, input || state);
  if (input) memory_.refuse_writes(held.address);
  return {};
}

Result<EmulatedBuffers::Held*> EmulatedBuffers::find(const Step& step, const std::string& buffer) {
  const auto found = held_.find(buffer);
  if (found != held_.end()) return &found->second;
  return failure(ErrorKind::internal, "the step uses an undeclared buffer: " + buffer, step.name);
}

bool EmulatedBuffers::is_input(const std::string& name) const {
  const auto found = held_.find(name);
  return found != held_.end() && found->second.spec.role == BufferRole::input;
}

std::span<const std::byte> EmulatedBuffers::bytes_of(const std::string& buffer) const {
  const auto found = held_.find(buffer);
  return found == held_.end() ? std::span<const std::byte>{} : found->second.bytes();
}

Result<void> EmulatedBuffers::write(const std::string& buffer, std::span<const std::byte> bytes) {
  const auto found = held_.find(buffer);
  if (found == held_.end())
    return failure(ErrorKind::usage, "there is no buffer of this name here", buffer);
  Held& held = found->second;
  if (held.bytes().size() != bytes.size())
    return failure(ErrorKind::usage, "it has another size than what is written to it", buffer);
  std::copy(bytes.begin(), bytes.end(), held.bytes().begin());
  if (!held.mirror.empty()) held.mirror.assign(bytes.begin(), bytes.end());
  memory_.set_initialised(held.address, true);
  return {};
}

void EmulatedBuffers::bring_back() {
  for (const std::string& name : left_on_host_) {
    Held& held = held_.at(name);
    std::copy(held.mirror.begin(), held.mirror.end(), held.bytes().begin());
  }
}

EmulatedBuffers::Laid EmulatedBuffers::put_aside() {
  return {std::exchange(held_, {}), std::exchange(memory_, EmulatedMemory())};
}

void EmulatedBuffers::put_back(Laid laid) {
  held_ = std::move(laid.held);
  memory_ = std::move(laid.memory);
}

Result<EmulatedTensorMap> EmulatedBuffers::map_of(const Step& step, const TensorMapArgument& map) {
  const Result<Held*> held = find(step, map.buffer);
  if (!held) return tl::unexpected(held.error());
  return emulated_tensor_map(map, (*held)->address, (*held)->array->size_bytes());
}

Result<std::vector<ArgumentBytes>> EmulatedBuffers::arguments_of(const Step& step,
                                                                 const KernelLaunch& kernel) {
  std::vector<ArgumentBytes> arguments;
  for (const Argument& argument : kernel.arguments) {
    if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
      Result<Held*> held = find(step, buffer->buffer);
      if (!held) return tl::unexpected(held.error());
      arguments.push_back(
          argument_of((*held)->address + static_cast<std::uint64_t>(buffer->offset_bytes)));
      continue;
    }
    if (const auto* map = std::get_if<TensorMapArgument>(&argument)) {
      const Result<EmulatedTensorMap> encoded = map_of(step, *map);
      if (!encoded) return tl::unexpected(encoded.error());
      arguments.push_back(argument_of(*encoded));
      continue;
    }
    if (const auto* record = std::get_if<RecordArgument>(&argument)) {
      ArgumentBytes bytes{record->bytes};
      for (const auto& [at, part] : record->addresses) {
        Result<Held*> held = find(step, part.buffer);
        if (!held) return tl::unexpected(held.error());
        const std::uint64_t address =
            (*held)->address + static_cast<std::uint64_t>(part.offset_bytes);
        std::memcpy(bytes.value.data() + at, &address, sizeof address);
      }
      for (const auto& [at, map] : record->maps) {
        const Result<EmulatedTensorMap> encoded = map_of(step, map);
        if (!encoded) return tl::unexpected(encoded.error());
        std::memcpy(bytes.value.data() + at, &*encoded, sizeof *encoded);
      }
      arguments.push_back(std::move(bytes));
      continue;
    }
    std::visit(
        [&](const auto& value) {
          if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>)
            arguments.push_back(argument_of(value));
        },
        argument);
  }
  return arguments;
}

std::int64_t EmulatedBuffers::taken_bytes() const {
  const auto taken = [](const HostArray& array) {
    return array.pages() != nullptr ? array.pages()->made_bytes() : array.size_bytes();
  };
  std::int64_t bytes = 0;
  for (const auto& [name, array] : inputs_) bytes += taken(array);
  for (const auto& [name, held] : held_) bytes += taken(held.own);
  return bytes;
}

bool EmulatedBuffers::take_too_much() const { return taken_bytes() > kMostEmulatedBytes; }

Result<void> EmulatedBuffers::admit(const Held& held, std::int64_t bytes) const {
  const PagedBytes* pages = held.array->pages();
  if (pages == nullptr) return {};
  const std::int64_t absent = std::max<std::int64_t>(0, pages->size() - pages->made_bytes());
  const std::int64_t then = taken_bytes() + std::min(bytes, absent);
  if (then <= kMostEmulatedBytes) return {};
  return too_large_to_emulate(then, "what its steps access takes");
}

}  // namespace warpscope
