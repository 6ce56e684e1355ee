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
  bool cancelled() const { return run_.cancelled; }
  // After run(): what was done, and of which blocks.
  void describe(Trace& trace);

 private:
  using Clock = std::chrono::steady_clock;
  // What a worker printed, which ends after some bytes.
  struct Printed {
    std::size_t blocks = 0, bytes = 0;
  };
  void bound_resident_blocks(std::int64_t threads);
  void watch_races();
  // The blocks of a round: some of the threads' workers take them from the pool until none is left.
  void run_round();
  void work(std::size_t index);
  void begin(Worker& worker, BlockPool::Task& task);
  void end(Worker& worker, BlockPool::Task& task, TurnEnd how, Printed& printed);
  void ask();
  // Ends the blocks that can never go on, each with what it waits for.
  void end_stuck_blocks();
  std::string why_endless() const;

  const KernelCode& code_;
  const Launch& launch_;
  const EmulateOptions& options_;
  EmulatedMemory::State& memory_;
  const std::int64_t grid_;
  std::optional<BlockSample> sample_;
  std::vector<std::int64_t> blocks_;  // that are run now; empty: all
  std::int64_t count_ = 0;            // of this round
  std::int64_t ended_ = 0;            // in the rounds before
  RunShared run_;
  std::unique_ptr<BlockRaces> races_;
  std::vector<Worker> workers_;
  std::optional<BlockPool> pool_;
  Clock::time_point asked_at_ = Clock::now();
  std::exception_ptr thrown_;
  std::mutex throwing_;
};

}  // namespace warpscope
