// profiling/binaries/compiled_occupancy.h: the occupancy of a kernel of a compiled file.
#pragma once

#include <cstdint>
#include <optional>

#include "profiling/binaries/binary_file.h"
#include "profiling/points/occupancy.h"

namespace warpscope {

struct BlockOccupancy {
  std::int64_t threads = 0;  // of the block
  Occupancy occupancy;
};

// With blocks of `threads` threads without dynamic shared memory; a required block stands instead,
// and launch bounds lower it. No value if the block does not start, or nothing is known of the
// architecture.
std::optional<BlockOccupancy> occupancy_of(const CompiledKernel& kernel, std::int64_t threads);

}  // namespace warpscope
