// scenes/base/step_buffers.h: which buffers a step names, which bytes of them, and what the host
// must hold.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "scenes/base/scene.h"

// Device and emulator run the same steps; the rules of parts and of the host's memory stand here
// once. A buffer that a host step or a host copy names has a mirror: host memory of its size.

namespace warpscope {

struct ByteRange {
  std::int64_t offset = 0, bytes = 0;
};
// The part of a buffer of `buffer_bytes`. error: usage, with the part and the size.
Result<ByteRange> range_of(const BufferPart& part, std::int64_t buffer_bytes,
                           const std::string& buffer);

struct CopyRanges {
  ByteRange from, to;
};
// error: usage; parts of different sizes, or of one buffer that overlap.
Result<CopyRanges> ranges_of(const DeviceCopy& copy, std::int64_t from_bytes,
                             std::int64_t to_bytes);

// Checks that the bytes fill a constant array of `symbol_bytes`, or its beginning. error: usage.
Result<void> fits_constant(const std::string& symbol, std::int64_t symbol_bytes,
                           std::int64_t bytes);

// The names of all buffers that a step reads or writes.
std::set<std::string> buffers_of(const Step& step);

// Whether a reference computes this buffer: every output, and a state that its steps write the
// ".reference" of.
bool covers(const Reference& reference, const Workload& workload, const BufferSpec& buffer);

// What the steps of a variant need of the host's memory.
struct HostSide {
  std::set<std::string> mirrors;  // buffers that need one
  // Written by a host step and never copied to the device: a comparison takes the mirror.
  std::set<std::string> left_on_host;
};
// A mirror of an input or a state begins as the buffer does. error: usage (a host step reads what
// only the device has, or the device what only the host has), internal (no such buffer).
Result<HostSide> host_side_of(const std::vector<Step>& steps,
                              const std::vector<BufferSpec>& buffers);

}  // namespace warpscope
