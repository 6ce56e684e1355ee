// profiling/access/hang_story.h: why a launch never ends: who waits for what, and who never came.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiling/access/access.h"

// Warps that wait for the same thing at the same line are one row, `WaitingWarps`; those that it
// waits for and that cannot come any more are its `absent`. Rows are in the order in which they
// explain each other: the first is what the verdict is about. Lists are bounded: a grid that hangs
// has as many rows as its first few blocks.

namespace warpscope {

enum class WaitKind {
  block_barrier,    // bar.sync of the block, named or not
  mbarrier,         // mbarrier.try_wait or test_wait
  cluster_barrier,  // barrier.cluster.wait
  lanes,            // a shuffle, vote or __syncwarp waits for lanes of its own warp
  flag,             // a loop reads a word again and again
  values,           // a loop whose registers repeat and that reads no memory
  warpgroup,        // wgmma.mma_async waits for the other warps of its warpgroup
};
const char* to_text(WaitKind kind);  // "mbarrier"

// Warps of one block that did not come.
struct AbsentWarps {
  std::int64_t block = 0;   // linear index
  std::vector<int> warps;   // of the block
  std::uint32_t lanes = 0;  // of a single warp where only some lanes did not come; 0: all
  bool ended = false;       // they left the kernel at `position`; else they wait there
  SourcePosition position;
  int wait = -1;  // the row of HangStory::waits in which they wait; −1: none
  bool operator==(const AbsentWarps&) const = default;
};

// A line that could change the word that a loop waits for.
struct PossibleStore {
  SourcePosition position;
  std::string operation;      // "atom.global.exch.b32"
  std::int64_t executed = 0;  // warp instructions of the whole run
  // Which block's thread would store there, by what the address is computed from: −1: no thread of
  // the grid does; −2: not known, as the address depends on values from memory.
  std::int64_t block = -2;
  int warp = -1;
  bool operator==(const PossibleStore&) const = default;
};
inline constexpr std::int64_t kNobodyStores = -1, kStoreNotKnown = -2;

struct WaitingWarps {
  WaitKind kind = WaitKind::block_barrier;
  std::int64_t block = 0;  // linear index
  std::vector<int> warps;
  std::int64_t threads = 0;  // of these warps, that wait here
  SourcePosition position;
  std::string operation;  // "bar.sync"
  std::string object;     // "barrier 1", "full[0]", "flag[7]"; empty for lanes and values
  // For barriers. The number of a block's barrier, or the byte of an mbarrier in shared memory.
  std::int64_t id = -1;
  std::int64_t expected = 0, arrived = 0;  // threads; arrivals of the phase, of an mbarrier
  bool counted = false;    // a block's barrier: the kernel gives the number of threads
  std::int64_t phase = 0;  // that is waited for, from 0 at mbarrier.init
  int parity = -1;         // that the wait asks for; −1: it has a token, or there is none
  std::int64_t bytes = 0;  // of copies; above 0: still expected; below: more than were expected
  std::vector<int> came;   // warps of the block that arrived
  // For an mbarrier: its mbarrier.init, and the last instruction that expected bytes. Line 0: none.
  SourcePosition made_at, expected_at;
  // Flags.
  std::string buffer;       // empty: not known
  std::int64_t index = -1;  // element of the buffer
  std::string value;        // that is read
  std::string writer;       // "block 3, warp 0 at line 12"; empty: not known; "nobody"
  std::vector<PossibleStore> stores;
  std::vector<AbsentWarps> absent;
  std::string sentence;  // the row in words: what it waits for and who never came
  bool operator==(const WaitingWarps&) const = default;
};

struct HangStory {
  std::string verdict;  // one sentence: the thing, the number, what it means, what to do
  std::vector<WaitingWarps> waits;
  // Rows each of which waits for the next, and the last for the first; empty: there is no circle.
  std::vector<int> circle;
  std::int64_t blocks = 0;  // that never end; `waits` has rows of the first of them
  bool operator==(const HangStory&) const = default;
};

// "warps 0–3, 7", "warp 5".
std::string warps_text(const std::vector<int>& warps);
// "warps 1–3 of block 0 ended at line 12", "lanes 4–7 of warp 0 of block 2 wait at line 9".
std::string absent_text(const AbsentWarps& absent);

// Writes the sentence of every row, the circle and the verdict from the rows' other members.
void tell(HangStory& story);

}  // namespace warpscope
