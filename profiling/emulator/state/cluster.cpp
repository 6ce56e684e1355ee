// profiling/emulator/state/cluster.cpp: the blocks of a cluster, and addresses in each other's
// shared memory.
#include "profiling/emulator/state/cluster.h"

#include "profiling/emulator/state/worker.h"
#include "scenes/base/plural.h"

namespace warpscope {

std::string block_text(const Dim3& b) {
  return "block (" + std::to_string(b.x) + ", " + std::to_string(b.y) + ", " + std::to_string(b.z) +
         ")";
}

std::int64_t blocks_of(const Dim3& extents) { return extents.x * extents.y * extents.z; }

std::int64_t rank_of(const Dim3& block, const Dim3& cluster) {
  return block.x % cluster.x +
         cluster.x * (block.y % cluster.y + cluster.y * (block.z % cluster.z));
}

std::int64_t block_of_cluster(const Launch& launch, std::int64_t cluster, std::int64_t rank) {
  const Dim3 &c = launch.cluster, &g = launch.grid;
  const std::int64_t across = g.x / c.x, down = g.y / c.y;
  const std::int64_t x = cluster % across * c.x + rank % c.x;
  const std::int64_t y = cluster / across % down * c.y + rank / c.x % c.y;
  const std::int64_t z = cluster / (across * down) * c.z + rank / (c.x * c.y);
  return x + g.x * (y + g.y * z);
}

std::int64_t cluster_of_block(const Launch& launch, std::int64_t block_index) {
  const Dim3 &c = launch.cluster, &g = launch.grid;
  const std::int64_t x = block_index % g.x, y = block_index / g.x % g.y,
                     z = block_index / (g.x * g.y);
  return x / c.x + g.x / c.x * (y / c.y + g.y / c.y * (z / c.z));
}

std::uint64_t mapped_address(const Worker& worker, std::uint64_t offset, std::uint64_t rank) {
  const auto own = static_cast<std::uint64_t>(rank_of(worker.block, worker.run->launch.cluster));
  const std::uint64_t inside = offset % kSpaceWindowBytes;
  return rank == own ? inside : inside + (rank + 1) * kSpaceWindowBytes;
}

Worker* block_at(Warp& w, const Instruction& i, int lane, std::uint64_t& address) {
  Worker& worker = *w.worker;
  if (!names_block(address)) return &worker;
  const std::uint64_t rank = address / kSpaceWindowBytes - 1;
  const std::int64_t size = blocks_of(worker.run->launch.cluster);
  const std::string begin = worker.source(i).opcode + " goes to ";
  if (rank >= static_cast<std::uint64_t>(size)) {
    note_fault(w, i, FaultKind::out_of_bounds, 1u << lane,
               begin + "the block of rank " + std::to_string(rank) + " in a cluster of " +
                   plural(size, "block"),
               "shared memory");
    return nullptr;
  }
  address %= kSpaceWindowBytes;
  if (worker.cluster == nullptr) return &worker;
  Worker& other = *worker.cluster->blocks[rank];
  if (!other.ended && other.begun) return &other;
  const std::string name = "shared memory of " + block_text(other.block) + ", rank " +
                           std::to_string(rank) + " of the cluster, ";
  note_fault(
      w, i, FaultKind::out_of_bounds, 1u << lane,
      begin + name +
          (other.ended ? "which has ended: a barrier.cluster before its end would keep it alive"
                       : "which may not have started: there is no barrier.cluster before this"),
      "shared memory");
  return nullptr;
}

void publish_to_cluster(Warp& w) {
  if (BlockRaces* const races = w.worker->run->races) races->publish(w);
}

void learn_from_cluster(Worker& worker) {
  if (BlockRaces* const races = worker.run->races) races->learn(worker);
}

}  // namespace warpscope
