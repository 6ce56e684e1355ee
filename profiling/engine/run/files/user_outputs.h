// profiling/engine/run/files/user_outputs.h: what buffers of a person's launches hold at the end.
#pragma once

#include <vector>

#include "profiling/access/trace.h"
#include "profiling/engine/run/files/user_buffers.h"
#include "profiling/messages/protocol.h"

namespace warpscope {

// Compares with files, writes files and prints elements, in the order in which they are asked for.
// error: usage: no such buffer; input: the file of expected elements; environment: a file cannot be
// written.
Result<std::vector<TracedOutput>> outputs_of(const std::vector<UserOutput>& wanted,
                                             const UserBuffers& buffers,
                                             const EmulatedMemory& memory);

}  // namespace warpscope
