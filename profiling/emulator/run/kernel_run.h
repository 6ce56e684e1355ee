// profiling/emulator/run/kernel_run.h: the blocks of one launch, on threads of the host.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "profiling/emulator/run/block_pool.h"
#include "profiling/emulator/run/block_sample.h"
#include "profiling/emulator/run/scheduler.h"

namespace warpscope {

// How many blocks of a launch an H200 holds at once, as far as threads and shared memory say; with
// the registers that ptxas gives a thread it may be fewer.
std::int64_t device_blocks(const KernelCode& kernel, const Launch& launch);

// Runs blocks in rounds: one round where all of the grid or a list of blocks runs, as many as the
// sample asks for where blocks are sampled.
class KernelRun {
 public:
  KernelRun(const KernelCode& code, const Launch& launch, const EmulateOptions& options,
            EmulatedMemory::State& memory);
  void set_arguments(std::span<const ArgumentBytes> arguments,
                     const std::vector<std::uint64_t>& variable_addresses);
  // On as many threads as the options ask for, at most `affordable`. What one of them throws (there
  // is no memory left) is thrown here, when all have ended.
  void run(std::int64_t affordable);
  // Where the launch is cooperative: what its blocks meet in.
  void set_workspace(std::uint64_t address) { run_.workspace = address; }
  bool cancelled() const { return run_.cancelled; }
  // After run(): what was done, and of which blocks.
  void describe(Trace& trace);

 private:
  using Clock = std::chrono::steady_clock;
  void sample_clusters();
  void after_turn(std::span<Worker> blocks);
  void bound_resident_blocks(std::int64_t threads);
  void watch_races();
  // The blocks of a round: some of the threads' workers take them from the pool until none is left.
  void run_round();
  void work(std::size_t index);
  // The workers of a thread: one, or one for each block of a cluster.
  std::span<Worker> team(std::size_t thread) {
    return std::span(workers_).subspan(thread * each_, each_);
  }
  void begin(std::span<Worker> blocks, BlockPool::Task& task);
  void put_aside(std::span<Worker> blocks, BlockPool::Task& task, const Turn& turn);
  void end(std::span<Worker> blocks, BlockPool::Task& task, TurnEnd how,
           std::size_t& printed_bytes);
  // Lets a worker begin the block of a rank, of a place in the list of what is run.
  void begin_one(Worker& worker, std::int64_t place, std::int64_t rank);
  void choose_sums(Worker& worker, std::int64_t block) const;
  void ask();
  // Ends the blocks that can never go on, each with what it waits for.
  void end_stuck_blocks();
  std::string why_endless() const;

  const KernelCode& code_;
  const Launch& launch_;
  const EmulateOptions& options_;
  EmulatedMemory::State& memory_;
  const std::int64_t grid_;
  const std::size_t each_;  // blocks of a cluster, 1 without clusters
  std::optional<BlockSample> sample_;
  std::vector<std::int64_t> blocks_;  // or clusters, that are run now; empty: all
  std::int64_t count_ = 0;            // of this round
  std::int64_t ended_ = 0;            // in the rounds before
  RunShared run_;
  std::unique_ptr<BlockRaces> races_;
  std::vector<Worker> workers_;
  std::vector<Cluster> clusters_;  // by thread
  std::optional<BlockPool> pool_;
  Clock::time_point begun_at_ = Clock::now(), asked_at_ = begun_at_;
  std::exception_ptr thrown_;
  std::mutex throwing_;
};

}  // namespace warpscope
