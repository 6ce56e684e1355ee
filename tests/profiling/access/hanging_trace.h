// tests/profiling/access/hanging_trace.h: a block with a producer and consumers that wait for each
// other in a circle, put together by hand.
#pragma once

#include "tests/profiling/access/synthetic_trace.h"

namespace warpscope {

namespace hanging {

inline constexpr int consumers = 4;  // warps 0 … 3; the producer is the warp after them
inline constexpr int stages = 2, rounds = 3;
inline constexpr int producer_waits_at = 24, consumers_wait_at = 31, ended_at = 38, barrier_at = 40,
                     flag_read_at = 52, flag_set_at = 60;

inline SourcePosition at(int line) { return {"csrmm/float4_columns.cu", line, 4}; }

inline WaitingWarps wait(WaitKind kind, std::int64_t block, std::vector<int> warps, int line,
                         std::string object, std::vector<AbsentWarps> absent) {
  WaitingWarps w;
  w.kind = kind;
  w.block = block;
  w.threads = 32 * std::ssize(warps);
  w.warps = std::move(warps);
  w.position = at(line);
  w.operation = kind == WaitKind::block_barrier ? "bar.sync" : "mbarrier.try_wait";
  w.object = std::move(object);
  w.expected = w.threads + 32;
  w.arrived = w.threads;
  w.absent = std::move(absent);
  return w;
}

}  // namespace hanging

// Block 0: consumers wait for full[1], which the producer would fill, and it for empty[1], which
// they would. Block 1: two warps at a barrier that two others ended before. Block 2 reads a flag
// that block 3 would set.
inline HangStory hanging_story() {
  using namespace hanging;
  HangStory story;
  const std::vector<int> all = {0, 1, 2, 3};
  story.waits = {wait(WaitKind::mbarrier, 0, all, consumers_wait_at, "full[1]",
                      {{0, {4}, 0, false, at(producer_waits_at), 1}}),
                 wait(WaitKind::mbarrier, 0, {4}, producer_waits_at, "empty[1]",
                      {{0, all, 0, false, at(consumers_wait_at), 0}}),
                 wait(WaitKind::block_barrier, 1, {0, 1}, barrier_at, "barrier 2",
                      {{1, {2, 3}, 0, true, at(ended_at), -1}}),
                 wait(WaitKind::flag, 2, {0}, flag_read_at, "flag[3]",
                      {{3, {}, 0, true, at(flag_set_at), -1}})};
  story.waits[3].stores = {{at(flag_set_at), "st.global.u32", 0, 3, -1}};
  story.waits[3].value = "0";
  story.circle = {0, 1};
  story.blocks = 264;
  tell(story);
  return story;
}

// The events of a ring of two stages, in an order in which they can have happened.
inline Trace trace_of_ring() {
  using namespace hanging;
  Trace t = synthetic_trace();
  t.requests.clear();
  t.launch.block = {kWarpLanes * (consumers + 1), 1, 1};
  t.warps = consumers + 1;
  t.issued.assign(consumers + 1, {});
  const auto issue = [&](int warp, std::uint32_t first, int line) {
    for (std::uint32_t k = 0; k < 6; ++k)
      t.issued[static_cast<std::size_t>(warp)].push_back({first + k, kAllLanes, line});
  };
  for (int stage = 0; stage < stages; ++stage) {
    for (const char* name : {"full", "empty"})
      t.barriers.push_back({BarrierFamily::mbarrier, 8 * std::ssize(t.barriers),
                            std::string(name) + "[" + std::to_string(stage) + "]"});
  }
  const auto event = [&](int warp, int barrier, BarrierMark mark, int phase, std::uint32_t at,
                         int line) {
    t.barrier_events.push_back({static_cast<std::uint32_t>(warp),
                                static_cast<std::uint32_t>(barrier), mark, phase, 1, at, line,
                                static_cast<std::uint64_t>(t.barrier_events.size())});
  };
  constexpr std::uint32_t kConsume = 100, kProduce = 200;
  for (int step = 0; step < stages * rounds; ++step) {
    const int full = 2 * (step % stages), empty = full + 1, round = step / stages;
    if (round > 0)
      event(consumers, empty, BarrierMark::wait, round - 1, kProduce, producer_waits_at);
    event(consumers, full, BarrierMark::expect, round, kProduce + 1, producer_waits_at + 1);
    event(consumers, full, BarrierMark::arrive, round, kProduce + 1, producer_waits_at + 1);
    event(consumers, full, BarrierMark::copy, round, kProduce + 2, producer_waits_at + 2);
    issue(consumers, kProduce, producer_waits_at);
    for (int warp = 0; warp < consumers; ++warp) {
      event(warp, full, BarrierMark::wait, round, kConsume, consumers_wait_at);
      event(warp, empty, BarrierMark::arrive, round, kConsume + 3, consumers_wait_at + 3);
      issue(warp, kConsume, consumers_wait_at);
    }
  }
  AccessSite copy = traced_by_hand::site(kProduce + 2, Space::global, AccessKind::bulk_copy, 16,
                                         producer_waits_at + 2, "cp.async.bulk", "b");
  t.sites.push_back(copy);
  t.sites.push_back(traced_by_hand::site(kConsume + 1, Space::shared, AccessKind::load, 4,
                                         consumers_wait_at + 1, "ld.shared.f32", ""));
  return t;
}

inline Trace hanging_trace() {
  Trace t = trace_of_ring();
  t.scope = {true, 0, -1};
  t.hang = hanging_story();
  return t;
}

}  // namespace warpscope
