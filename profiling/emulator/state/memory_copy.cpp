// profiling/emulator/state/memory_copy.cpp: what device memory held before a launch, to run it
// again.
#include "profiling/emulator/state/memory_copy.h"

#include <algorithm>

#include "profiling/emulator/state/bit_words.h"

namespace warpscope {
namespace {

std::size_t words_of(const MemoryBuffer& buffer) {
  return static_cast<std::size_t>(buffer.bytes) / kBitsOfWord + 1;
}

}  // namespace

std::optional<MemoryCopy> MemoryCopy::of(EmulatedMemory::State& memory, std::int64_t most_bytes) {
  std::int64_t bytes = 0;
  for (const auto& buffer : memory.buffers) bytes += buffer->read_only ? 0 : buffer->bytes;
  if (bytes > most_bytes) return std::nullopt;
  MemoryCopy copy;
  for (const auto& buffer : memory.buffers) {
    Kept& kept = copy.buffers_.emplace_back();
    if (buffer->read_only) continue;
    buffer->prepare(0, static_cast<std::uint64_t>(buffer->bytes));
    kept.bytes.assign(buffer->data, buffer->data + buffer->bytes);
    if (!buffer->all_initialised)
      kept.initialised.assign(buffer->initialised.get(),
                              buffer->initialised.get() + words_of(*buffer));
  }
  return copy;
}

void MemoryCopy::restore(EmulatedMemory::State& memory) const {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    MemoryBuffer& buffer = *memory.buffers[i];
    if (buffer.read_only) continue;
    std::copy(buffers_[i].bytes.begin(), buffers_[i].bytes.end(), buffer.data);
    const std::vector<std::uint64_t>& initialised = buffers_[i].initialised;
    if (!initialised.empty())
      std::copy(initialised.begin(), initialised.end(), buffer.initialised.get());
  }
}

}  // namespace warpscope
