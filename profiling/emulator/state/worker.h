// profiling/emulator/state/worker.h: what one OS thread has while it runs blocks: warps, memory,
// sums.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "profiling/access/barrier_events.h"
#include "profiling/access/hang_story.h"
#include "profiling/access/launch_sums.h"
#include "profiling/emulator/emulator.h"
#include "profiling/emulator/shadow/shadow.h"
#include "profiling/emulator/state/async_barriers.h"
#include "profiling/emulator/state/block_races.h"
#include "profiling/emulator/state/cluster.h"
#include "profiling/emulator/state/kernel_code.h"
#include "profiling/emulator/state/memory.h"
#include "profiling/emulator/state/read_only_loads.h"
#include "profiling/emulator/state/repetition.h"
#include "profiling/emulator/state/warp.h"

namespace warpscope {

// What all workers of a run share; nothing here changes while it runs but the counters.
struct RunShared {
  const KernelCode* kernel = nullptr;
  EmulatedMemory::State* memory = nullptr;
  const EmulateOptions* options = nullptr;
  Launch launch;
  std::vector<std::byte> parameters;
  std::atomic<std::int64_t> budget{0};  // warp instructions left
  std::atomic<bool> stop{false};
  std::atomic<bool> out_of_time{false};  // the run ends where a block is asked next
  std::atomic<bool> cancelled{false};
  std::vector<std::uint64_t> variable_addresses;
  std::unique_ptr<ReadOnlyLoads> read_only_loads;  // null: the kernel has none, or none are checked
  // By index in the memory: 1 where threads of one block are compared; empty: nowhere.
  std::vector<std::uint8_t> compared_buffers;
  BlockRaces* races = nullptr;      // null: accesses of different blocks are not compared
  const Worker* workers = nullptr;  // all of the run
  std::size_t worker_count = 0;
  std::int64_t resident_blocks = 1;  // at most this many have begun and not ended
  bool resident_by_memory = false;   // the host's memory limits them, not the device
  std::uint64_t workspace = 0;       // address of the grid's workspace; 0: no cooperative launch
  bool one_thread = true;            // atomics need not be atomic on the host
  // What the traced block did, once it has ended.
  std::vector<WarpRequest> requests;
  std::vector<std::vector<IssuedInstruction>> issued;
  std::vector<TracedBarrier> barriers;
  std::vector<BarrierEvent> barrier_events;
  std::int64_t kept_instructions = 2'000'000;  // of the traced block, for diagrams
};

// Faults of one worker, the first of each kind at each instruction.
class FaultLog {
 public:
  struct Entry {
    Fault fault;
    std::int64_t block = 0;  // linear index of the first
  };
  // Counts lanes; true when it is the first here and its story is wanted.
  bool first(FaultKind kind, std::uint32_t source, std::int64_t count);
  void tell(FaultKind kind, std::uint32_t source, Entry entry);
  // Notes how many elements the buffer would need to hold one more access of a fault that was told.
  // 0: no size would hold it; Fault::needed is then -1 from now on.
  void need(FaultKind kind, std::uint32_t source, const std::string& buffer, std::int64_t elements);
  const std::map<std::pair<std::uint32_t, FaultKind>, Entry>& entries() const { return entries_; }

 private:
  std::map<std::pair<std::uint32_t, FaultKind>, Entry> entries_;
};

// Warps of a block that can never go on, as the story of the hang begins.
struct HangNote {
  WaitingWarps row;
  std::uint32_t pc = 0;       // where they wait
  std::uint32_t source = 0;   // of a flag: the instruction that reads it
  std::uint64_t address = 0;  // of a flag: in global memory, or its byte in shared memory
  bool in_shared = false;
  std::vector<std::uint32_t> absent_pcs;  // of row.absent: where they wait; 0: they ended
};

struct BarrierState {
  std::int64_t expected = 0;  // threads; 0: all of the block that have not ended
  std::int64_t threads = 0;   // that arrived
  std::int64_t counted = 0;   // the same with whole warps counted as 32
  std::uint32_t arrived_warps = 0, waiting_warps = 0;
  std::int64_t phase = 0;            // times that it was complete
  std::uint32_t arrived_before = 0;  // warps, in those phases
  std::int64_t votes = 0;            // of bar.red: lanes whose predicate was true
  // Lanes that came without others of their warp. Those may end before the barrier is complete,
  // which is right; until then it is not known.
  struct Part {
    std::uint32_t warp = 0, pc = 0, lanes = 0;
  };
  std::vector<Part> parts;
};

// What a block has from its beginning to its end. One that waits for other blocks is put aside with
// it, and goes on in any worker.
struct BlockState {
  Dim3 block;
  std::int64_t block_index = 0;
  std::vector<Warp> warps;
  std::vector<std::byte> shared;
  std::array<BarrierState, 16> barriers;
  AsyncBarriers async_barriers;
  SharedShadow shadow;
  std::vector<WarpFlight> flights;              // by warp, of kernels with wgmma
  BlockClock clock;                             // what other blocks know of this one
  std::vector<std::uint8_t> local_initialised;  // a byte a byte, warp by warp
  std::byte* register_file = nullptr;
  std::unique_ptr<std::byte[]> register_storage;
  std::vector<std::byte> local_memory;
  std::vector<WarpRequest> requests;                   // of the block that is traced
  std::vector<std::vector<IssuedInstruction>> issued;  // the same
  std::vector<TracedBarrier> traced_barriers;          // the same
  std::vector<BarrierEvent> barrier_events;            // the same
  std::string printed;
  LaunchSums did;                     // in the turns so far, where blocks are sampled
  bool lanes_ended = false;           // since barriers were last looked at
  bool suspect = false;               // it was found going in circles: look at once when it goes on
  bool begun = false, ended = false;  // a turn has begun; all of its lanes are over
  std::uint64_t state_hash = 0;       // when it was put aside, while the run looks for repetition
  std::int64_t looked_at = -1;        // BlockPool: at that state of the run it could not go on
  // For the block of rank 0 that is put aside: the others of its cluster, and phases of its
  // barrier.
  std::vector<std::unique_ptr<BlockState>> others;
  std::uint32_t cluster_phases = 0;
  bool meets_cluster = false;  // it came to barrier.cluster
};

// Sums of some blocks.
struct BlockSums {
  std::vector<std::int64_t> executed, lanes;  // by index in KernelCode::code
  std::vector<AccessTotals> totals;           // by site
};

struct Worker : BlockState {
  RunShared* run = nullptr;
  const KernelCode* kernel = nullptr;
  int threads = 0;             // of a block
  bool shadowed = false;       // the shadow is asked at all
  Cluster* cluster = nullptr;  // that its block runs in; null: the launch has none

  // Looking for states that repeat; see repetition.h.
  Watch watch;
  std::vector<BlockMeeting> block_meetings;
  // Its block + 1, while BlockRaces has noted a store that is not in memory yet; 0: none.
  std::atomic<std::uint32_t> storing{0};
  std::int64_t slice = 0;  // warp instructions of a turn of a warp

  // Sums.
  bool sums = true;
  std::vector<std::int64_t> executed, lanes;        // by index in KernelCode::code
  std::vector<AccessTotals> totals;                 // by site
  std::vector<std::vector<std::uint32_t>> touched;  // by site, by buffer index of the memory
  // By buffer of the memory: a bit for each 32-byte sector that a load touched; an empty list:
  // none.
  std::vector<std::vector<std::uint64_t>> loaded;
  std::vector<MemoryBuffer*> last_buffer;  // by instruction: where its last access was
  std::vector<std::uint8_t> site_space;    // by site: Space met + 1, 0: none yet
  // Where blocks are sampled; see sampled_sums.h.
  BlockSums before_turn;
  std::vector<BlockSums> by_stratum;
  std::vector<std::pair<std::int64_t, LaunchSums>> ran;  // blocks that ended, and what they did
  // By buffer of the memory: bytes an entry as a power of two, and the block that wrote it; an
  // empty list: nothing wrote the buffer yet.
  struct Writers {
    int shift = 0;
    std::vector<std::int64_t> blocks;
  };
  bool notes_writers = false;
  std::vector<Writers> writers;
  bool truncated = false;
  FaultLog faults;
  std::vector<HangNote> hang;
  std::int64_t hung_blocks = 0, last_hung_block = -1;
  std::vector<std::pair<std::int64_t, std::string>> prints;  // by block
  std::int64_t instructions = 0;                             // of the whole worker
  bool yields = false;  // the warp that runs asked in vain: others first

  const InstructionSource& source(const Instruction& i) const { return kernel->sources[i.source]; }
};

// After the bytes of a store are in memory: notes what it changed. Other blocks no longer wait.
inline void end_block_store(Worker& worker) {
  if (!worker.block_meetings.empty()) settle_block_meetings(worker);
  if (worker.storing.load(std::memory_order_relaxed) != 0) {
    worker.storing.store(0, std::memory_order_release);
  }
}

// The text that begins every fault: "csrmm/warp_row.cu:26".
std::string place_of(const Worker& worker, const Instruction& i);
Dim3 thread_of(const Worker& worker, const Warp& warp, int lane);
// Notes a fault of `lanes` at an instruction; `detail` follows the place: "ld.global.f32 reads …".
// The sentence gets line, block and thread of the first lane.
void note_fault(Warp& warp, const Instruction& i, FaultKind kind, std::uint32_t lanes,
                const std::string& detail, const std::string& buffer = {}, std::int64_t index = -1);
// The two halves of it, for faults whose sentence takes work: count, and tell if it is the first.
bool fault_is_first(Warp& warp, const Instruction& i, FaultKind kind, std::uint32_t lanes);
void tell_fault(Warp& warp, const Instruction& i, FaultKind kind, std::uint32_t lanes,
                const std::string& detail, const std::string& buffer, std::int64_t index);

}  // namespace warpscope
