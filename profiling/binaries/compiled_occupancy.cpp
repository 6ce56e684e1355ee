// profiling/binaries/compiled_occupancy.cpp: the occupancy of a kernel of a compiled file.
#include "profiling/binaries/compiled_occupancy.h"

#include <algorithm>

namespace warpscope {

std::optional<BlockOccupancy> occupancy_of(const CompiledKernel& kernel, std::int64_t threads) {
  Launch launch;
  launch.block.x = threads;
  const auto& required = kernel.code.required_block;
  if (required[0] > 0) {
    launch.block = {required[0], std::max<std::int64_t>(required[1], 1),
                    std::max<std::int64_t>(required[2], 1)};
  } else if (kernel.code.most_threads > 0) {
    launch.block.x = std::min(threads, kernel.code.most_threads);
  }
  KernelResources resources;
  resources.registers_per_thread = kernel.code.registers;
  resources.static_shared_bytes = kernel.code.static_shared_bytes;
  resources.most_block_threads = kernel.code.most_threads;
  const auto occupancy =
      occupancy_of(resources, launch, limits_of_architecture(kernel.target.compute_capability));
  if (!occupancy) return std::nullopt;
  return BlockOccupancy{launch.block.x * launch.block.y * launch.block.z, *occupancy};
}

}  // namespace warpscope
