// profiling/emulator/memory/whole_warp.h: global loads and stores of all lanes of a warp at once.
#pragma once

#include <cstdint>

#include "profiling/emulator/state/worker.h"

// Most requests have all 32 lanes, one after the other or on one address. They need no list of
// addresses: the functions below check them, count them and find their bytes by the address of lane
// 0. They do what resolve() of access_path.h does, and leave to it whatever is not plain.

namespace warpscope {

// The bytes of all 32 lanes, `width` each, lane 0's at `first` and the others' after it; lanes of
// a load may instead share `first`. Null, with nothing counted or noted: resolve() has to look, for
// a fault or because requests are recorded. `width`: 1, 2, 4, 8, 16 or 32.
const std::byte* load_contiguous(Warp& warp, const Instruction& i, std::uint64_t first, int width);
const std::byte* load_broadcast(Warp& warp, const Instruction& i, std::uint64_t first, int width);
std::byte* store_contiguous(Warp& warp, const Instruction& i, std::uint64_t first, int width);

}  // namespace warpscope
