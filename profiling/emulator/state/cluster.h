// profiling/emulator/state/cluster.h: the blocks of a cluster, and addresses in each other's shared
// memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiling/emulator/state/kernel_code.h"
#include "profiling/emulator/state/memory.h"
#include "scenes/base/step.h"

// The blocks of a cluster run together, a worker each, and their ranks are the indices of
// Cluster::blocks. An address below kSpaceWindowBytes is one of the block's own shared memory, as
// everywhere; mapa makes one that names a rank: (rank + 1) · kSpaceWindowBytes + offset. A block's
// own rank maps to its own plain address. So an own address that is handed to another block, not
// mapped, means that other block's memory there; on a device it keeps meaning the first block's.
// source: PTX ISA, "mapa" and "State Spaces: .shared"; the layout is ours.

namespace warpscope {

struct Warp;
struct Worker;

struct Cluster {
  std::vector<Worker*> blocks;    // by rank
  std::uint32_t phases_over = 0;  // of barrier.cluster
};

std::string block_text(const Dim3& block);  // "block (1, 0, 0)"
// Ranks count x first, as blocks do.
std::int64_t blocks_of(const Dim3& extents);
// The rank of a block in its cluster.
std::int64_t rank_of(const Dim3& block, const Dim3& cluster);
// The linear index in the grid of the block of a rank, of the cluster with a linear index among
// the clusters of the grid.
std::int64_t block_of_cluster(const Launch& launch, std::int64_t cluster, std::int64_t rank);
// The linear index of the cluster that a block belongs to.
std::int64_t cluster_of_block(const Launch& launch, std::int64_t block_index);

// The address in shared::cluster of `offset` in the block of a rank, for a warp that may be of it.
std::uint64_t mapped_address(const Worker& worker, std::uint64_t offset, std::uint64_t rank);
// Whether an offset names another block's memory.
inline bool names_block(std::uint64_t address) {
  return address >= kSpaceWindowBytes && address - kSpaceWindowBytes < kMostMappedBytes;
}
// The block whose shared memory an address of a lane lies in, and the address becomes the offset
// there. Null after noting why there is none: the rank is outside the cluster, the block has ended,
// or nothing has yet let it begin.
Worker* block_at(Warp& warp, const Instruction& i, int lane, std::uint64_t& address);

// What a warp did to global memory so far is known to the blocks of its cluster that come after it
// by barriers and fences; and the other way round. Where blocks are not compared, nothing.
void publish_to_cluster(Warp& warp);
void learn_from_cluster(Worker& worker);

}  // namespace warpscope
