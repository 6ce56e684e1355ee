// profiling/engine/run/emulated/buffers.h: inputs and a run's buffers in host memory.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "profiling/emulator/emulator.h"
#include "profiling/emulator/state/tensor_map.h"
#include "profiling/points/compare_output.h"
#include "scenes/base/scene.h"

namespace warpscope {

// Half of what a laptop has; the reference buffers of a device are not needed here.
inline constexpr std::int64_t kMostEmulatedBytes = 8LL << 30;
// error: resource; `needs` says what takes this many bytes.
tl::unexpected<Error> too_large_to_emulate(std::int64_t bytes, const char* needs);

// Inputs, outputs and scratch are made by page as kernels touch them, so that one block of
// gigabytes is drawn at once. Inputs stay from run to run.
class EmulatedBuffers {
 public:
  struct Held {
    BufferSpec spec;
    HostArray* array = nullptr;     // of the inputs, or own
    HostArray own;                  // of all but inputs
    std::vector<std::byte> mirror;  // the host's, where a step names it
    std::uint64_t address = 0;
    // All of it, every page made.
    std::span<std::byte> bytes() const { return array->bytes(); }
  };

  Inputs& inputs() { return inputs_; }
  const Inputs& inputs() const { return inputs_; }

  // The buffers of the variant as a run finds them: outputs poisoned, states as they begin.
  Result<void> lay_out(const Scene& scene, const Workload& workload, const Variant& variant,
                       const std::vector<Step>& steps, bool keeps_variables);
  Result<void> hold(const BufferSpec& spec, bool mirrored);
  // A run's buffers, while others take their place.
  struct Laid {
    std::map<std::string, Held> held;
    EmulatedMemory memory;
  };
  Laid put_aside();
  void put_back(Laid laid);

  Result<Held*> find(const Step& step, const std::string& buffer);
  Result<EmulatedTensorMap> map_of(const Step& step, const TensorMapArgument& map);
  std::map<std::string, Held>& all() { return held_; }
  const std::map<std::string, Held>& all() const { return held_; }
  bool holds(const std::string& buffer) const { return held_.count(buffer) != 0; }
  bool is_input(const std::string& buffer) const;
  EmulatedMemory& memory() { return memory_; }
  const EmulatedMemory& memory() const { return memory_; }
  Result<std::vector<ArgumentBytes>> arguments_of(const Step& step, const KernelLaunch& kernel);

  // What a buffer holds; empty where nobody declares it.
  std::span<const std::byte> bytes_of(const std::string& buffer) const;
  // Its mirror too. error: usage (no such buffer, or of another size).
  Result<void> write(const std::string& buffer, std::span<const std::byte> bytes);
  // What host steps wrote and none copied to the device.
  void bring_back();

  // Bytes of host memory that inputs and buffers take now: whole arrays, and pages that were made.
  std::int64_t taken_bytes() const;
  bool take_too_much() const;
  // Checks, before `bytes` bytes of a buffer are made, that there is room for them. error:
  // resource.
  Result<void> admit(const Held& held, std::int64_t bytes) const;

 private:
  // Addresses that captured memory holds: those of the buffers here.
  void place_stored_addresses(const std::vector<BufferSpec>& specs);

  Inputs inputs_;
  std::map<std::string, Held> held_;
  std::set<std::string> left_on_host_;
  EmulatedMemory memory_;
};

}  // namespace warpscope
