// tests/profiling/access/trace_test.cpp: traces survive a round trip, stay small, and are refused
// when no panel could draw them.
#include "profiling/access/trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "profiling/messages/protocol.h"
#include "profiling/session/session.h"
#include "tests/profiling/access/synthetic_trace.h"

namespace warpscope {
namespace {

Trace round_trip(const Trace& trace) {
  const Result<Message> message = parse_line(to_line(trace));
  EXPECT_TRUE(message) << sentence(message.error());
  return message ? std::get<Trace>(*message) : Trace{};
}

TEST(Trace, TheStoryOfAHangAndEventsAtBarriersComeBack) {
  Trace before = synthetic_trace();
  before.barriers = {{BarrierFamily::block, 3, "barrier 3"},
                     {BarrierFamily::mbarrier, 2048, "full[1]"}};
  before.barrier_events = {{0, 1, BarrierMark::wait, 7, 0xffffffffu, 12, 31, 900},
                           {0, 0, BarrierMark::arrive_and_wait, 0, 0x80000001u, 14, 33, 901}};
  HangStory story;
  story.verdict = "k.cu:4: the launch never ends";
  story.blocks = 264;
  story.circle = {0, 1};
  WaitingWarps wait;
  wait.kind = WaitKind::mbarrier;
  wait.block = 5;
  wait.warps = {0, 2};
  wait.threads = 64;
  wait.position = {"k.cu", 4, 2};
  wait.operation = "mbarrier.try_wait.parity.shared.b64";
  wait.object = "full[1]";
  wait.id = 2048;
  wait.expected = 4;
  wait.arrived = 3;
  wait.phase = 9;
  wait.parity = 1;
  wait.bytes = -16;
  wait.came = {1};
  wait.made_at = {"k.cu", 1, 0};
  wait.expected_at = {"k.cu", 2, 0};
  wait.absent = {{5, {3}, 0, true, {"k.cu", 8, 0}, -1},
                 {6, {1}, 0xf0000000u, false, {"k.cu", 9, 1}, 1}};
  wait.sentence = "k.cu:4: …";
  WaitingWarps flag;
  flag.kind = WaitKind::flag;
  flag.counted = true;
  flag.buffer = "flag";
  flag.index = 7;
  flag.value = "-1";
  flag.writer = "block 3, warp 0 at line 12";
  flag.stores = {{{"k.cu", 12, 0}, "st.volatile.global.u32", 2, kNobodyStores, -1},
                 {{"k.cu", 13, 0}, "red.global.add.u32", 0, 7, 2}};
  story.waits = {wait, flag};
  before.hang = story;
  const Trace after = round_trip(before);
  EXPECT_EQ(after.barriers, before.barriers);
  EXPECT_EQ(after.barrier_events, before.barrier_events);
  ASSERT_TRUE(after.hang);
  EXPECT_EQ(*after.hang, *before.hang);
  EXPECT_EQ(defect(after), std::nullopt);
  before.hang->circle = {2};
  EXPECT_NE(defect(before), std::nullopt);
  before.hang.reset();
  before.barrier_events[1].barrier = 2;
  EXPECT_NE(defect(before), std::nullopt);
}

TEST(Trace, ComesBackAsItWas) {
  Trace before = synthetic_trace();
  before.sites[traced_by_hand::add_c].merged = true;
  before.writers = {{"c", 4, {0, 0, 0, 7, -1, -1, 3}}, {"b", 1, {-1}}};
  const Trace after = round_trip(before);
  EXPECT_EQ(after.writers, before.writers);
  EXPECT_EQ(after.requests, before.requests);
  EXPECT_EQ(after.step, before.step);
  EXPECT_EQ(after.launch.grid, before.launch.grid);
  EXPECT_EQ(after.launch.block, before.launch.block);
  EXPECT_EQ(after.scope.grid, before.scope.grid);
  EXPECT_EQ(after.warp_instructions, before.warp_instructions);
  ASSERT_EQ(after.sites.size(), before.sites.size());
  for (std::size_t i = 0; i < before.sites.size(); ++i) {
    EXPECT_EQ(after.sites[i].totals, before.sites[i].totals);
    EXPECT_EQ(after.sites[i].position, before.sites[i].position);
    EXPECT_EQ(after.sites[i].inlined_at, before.sites[i].inlined_at);
    EXPECT_EQ(after.sites[i].space, before.sites[i].space);
    EXPECT_EQ(after.sites[i].kind, before.sites[i].kind);
    EXPECT_EQ(after.sites[i].width_bytes, before.sites[i].width_bytes);
    EXPECT_EQ(after.sites[i].text, before.sites[i].text);
    EXPECT_EQ(after.sites[i].buffer, before.sites[i].buffer);
    EXPECT_EQ(after.sites[i].merged, before.sites[i].merged);
  }
  ASSERT_EQ(after.lines.size(), before.lines.size());
  for (std::size_t i = 0; i < before.lines.size(); ++i) {
    EXPECT_EQ(after.lines[i].position, before.lines[i].position);
    EXPECT_EQ(after.lines[i].global, before.lines[i].global);
    EXPECT_EQ(after.lines[i].shared, before.lines[i].shared);
    EXPECT_EQ(after.lines[i].instructions, before.lines[i].instructions);
    EXPECT_EQ(after.lines[i].threads, before.lines[i].threads);
    EXPECT_EQ(after.lines[i].sites, before.lines[i].sites);
  }
  ASSERT_EQ(after.buffers.size(), before.buffers.size());
  for (std::size_t i = 0; i < before.buffers.size(); ++i) {
    EXPECT_EQ(after.buffers[i].symbol, before.buffers[i].symbol);
    EXPECT_EQ(after.buffers[i].type, before.buffers[i].type);
    EXPECT_EQ(after.buffers[i].shape, before.buffers[i].shape);
    EXPECT_EQ(after.buffers[i].address, before.buffers[i].address);
    EXPECT_EQ(after.buffers[i].bytes, before.buffers[i].bytes);
  }
  ASSERT_EQ(after.issued.size(), before.issued.size());
  for (std::size_t w = 0; w < before.issued.size(); ++w) {
    ASSERT_EQ(after.issued[w].size(), before.issued[w].size());
    for (std::size_t i = 0; i < before.issued[w].size(); ++i) {
      EXPECT_EQ(after.issued[w][i].instruction, before.issued[w][i].instruction);
      EXPECT_EQ(after.issued[w][i].active, before.issued[w][i].active);
      EXPECT_EQ(after.issued[w][i].line, before.issued[w][i].line);
    }
  }
  EXPECT_EQ(to_line(after), to_line(before));
}

TEST(Trace, KeepsWhatBulkCopiesRead) {
  Trace before = synthetic_trace();
  ASSERT_GE(before.requests.size(), 2u);
  before.sites[before.requests[1].site].kind = AccessKind::bulk_copy;
  before.requests[1].bulk = {32768, 1024, 256};
  const Trace after = round_trip(before);
  EXPECT_EQ(after.requests, before.requests);
  EXPECT_EQ(after.sites[before.requests[1].site].kind, AccessKind::bulk_copy);
}

TEST(Trace, KeepsFaultsAndWhatAKernelPrinted) {
  Trace before = synthetic_trace();
  before.faults = {{FaultKind::misaligned, {"a.cu", 3, 1}, {1, 2, 3}, {4, 5, 6}, "b", 17, 9, "it"}};
  before.printed = "hello\n";
  before.truncated = true;
  const Trace after = round_trip(before);
  ASSERT_EQ(after.faults.size(), 1u);
  EXPECT_EQ(after.faults[0].kind, FaultKind::misaligned);
  EXPECT_EQ(after.faults[0].block, (Dim3{1, 2, 3}));
  EXPECT_EQ(after.faults[0].thread, (Dim3{4, 5, 6}));
  EXPECT_EQ(after.faults[0].index, 17);
  EXPECT_EQ(after.faults[0].count, 9);
  EXPECT_EQ(after.faults[0].sentence, "it");
  EXPECT_EQ(after.printed, "hello\n");
  EXPECT_TRUE(after.truncated);
}

// A run that was stopped is not a fault: its sentence has a field of its own, and comes last.
TEST(Trace, KeepsFaultsOfEveryKind) {
  Trace before = synthetic_trace();
  before.faults.clear();
  const auto add = [&before](FaultKind kind) { before.faults.emplace_back().kind = kind; };
  for (int kind = 0; kind <= static_cast<int>(FaultKind::absent_lane); ++kind) {
    if (static_cast<FaultKind>(kind) != FaultKind::budget) add(static_cast<FaultKind>(kind));
  }
  add(FaultKind::budget);
  const Trace after = round_trip(before);
  ASSERT_EQ(after.faults.size(), before.faults.size());
  for (std::size_t k = 0; k < before.faults.size(); ++k) {
    EXPECT_EQ(after.faults[k].kind, before.faults[k].kind) << to_text(before.faults[k].kind);
  }
}

// Addresses of all sizes in all masks, also with differences that do not fit in 63 bits.
TEST(Trace, ComesBackWithAnyAddresses) {
  std::mt19937_64 random(3);
  Trace before;
  before.launch.block = {1024, 1, 1};
  before.sites.resize(3);
  for (int i = 0; i < 3000; ++i) {
    WarpRequest r;
    r.site = static_cast<std::uint32_t>(random() % 3);
    r.warp = static_cast<std::uint32_t>(random() % 32);
    r.order = random() >> random() % 64;
    r.active = static_cast<std::uint32_t>(random() >> random() % 64);
    r.block = static_cast<std::int64_t>(random() % 3);
    const int shift = static_cast<int>(random() % 64);
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
      if ((r.active >> lane & 1U) != 0)
        r.addresses[lane] = random() % 2 == 0 ? random() >> shift : 1ULL << random() % 64;
    }
    before.requests.push_back(r);
  }
  std::sort(before.requests.begin(), before.requests.end(), [](const auto& a, const auto& b) {
    return a.warp != b.warp ? a.warp < b.warp : a.order < b.order;
  });
  EXPECT_EQ(round_trip(before).requests, before.requests);
}

// The worst there is: every lane gathers from its own place of a 5 MB array.
TEST(Trace, KeepsFiveThousandScatteredRequestsInAMegabyte) {
  std::mt19937_64 random(5);
  Trace trace = synthetic_trace();
  trace.requests.clear();
  trace.issued.clear();
  for (std::uint64_t i = 0; i < 5000; ++i) {
    WarpRequest r;
    r.warp = static_cast<std::uint32_t>(i / 625);
    r.order = i % 625 * 7;
    r.active = kAllLanes;
    for (std::uint64_t& address : r.addresses)
      address = trace.buffers[0].address + random() % 1280000 * 4;
    trace.requests.push_back(r);
  }
  EXPECT_LT(to_line(trace).size(), 1'000'000u);
  EXPECT_EQ(round_trip(trace).requests, trace.requests);
  for (WarpRequest& r : trace.requests) {
    for (std::size_t lane = 1; lane < kWarpLanes; ++lane)
      r.addresses[lane] = r.addresses[0] + lane * 16;
  }
  EXPECT_LT(to_line(trace).size(), 200'000u);
  EXPECT_EQ(round_trip(trace).requests, trace.requests);
}

TEST(Trace, LeavesOutInstructionsThatHaveNoRoomAndSaysSo) {
  Trace trace;
  trace.issued.resize(1);
  for (std::uint32_t i = 0; i < kMostIssuedInstructions + 5; ++i)
    trace.issued[0].push_back({i % 100, kAllLanes, 1});
  const Trace after = round_trip(trace);
  EXPECT_EQ(static_cast<std::int64_t>(after.issued[0].size()), kMostIssuedInstructions);
  EXPECT_TRUE(after.truncated);
}

TEST(Trace, IsRefusedWhenNoPanelCouldDrawIt) {
  EXPECT_FALSE(defect(synthetic_trace()));
  const std::vector<void (*)(Trace&)> spoil = {
      [](Trace& t) { t.requests[0].site = 99; },
      [](Trace& t) { t.requests[0].warp = 8; },
      [](Trace& t) { t.sites[0].width_bytes = 3; },
      [](Trace& t) { t.sites[0].width_bytes = 0; },
      [](Trace& t) { t.launch.grid.x = 0; },
      [](Trace& t) {
        t.launch.block = {1025, 1, 1};
      },
      [](Trace& t) { std::swap(t.requests[0], t.requests[1]); },
      [](Trace& t) { t.scope.block = -1; },
      [](Trace& t) { t.scope.block = 1LL << 40; },
      [](Trace& t) {
        t.buffers[0].shape = {1LL << 40, 1LL << 40};
      },
      [](Trace& t) { t.issued.resize(33); }};
  for (std::size_t i = 0; i < spoil.size(); ++i) {
    Trace trace = synthetic_trace();
    spoil[i](trace);
    EXPECT_TRUE(defect(trace)) << i;
    const Result<Message> message = parse_line(to_line(trace));
    ASSERT_FALSE(message) << i;
    EXPECT_EQ(message.error().kind, ErrorKind::input);
  }
}

TEST(Session, KeepsTheNewestTraceOfEachStep) {
  Session session;
  Trace multiply = synthetic_trace(), clear = multiply;
  clear.step = "clear";
  session.apply(multiply);
  session.apply(clear);
  multiply.emulate_ms = 77;
  session.apply(multiply);
  ASSERT_EQ(session.traces().size(), 2u);
  const auto find = [&](const char* step) {
    return session.trace({multiply.scene, multiply.variant, multiply.key, "", ""}, step);
  };
  ASSERT_NE(find("multiply"), nullptr);
  EXPECT_EQ(find("multiply")->emulate_ms, 77);
  EXPECT_EQ(find("clear")->step, "clear");
  EXPECT_EQ(find(""), find("multiply"));
  EXPECT_EQ(find("other"), nullptr);
  EXPECT_EQ(session.trace({multiply.scene, multiply.variant, "elsewhere", "", ""}), nullptr);
}

TEST(Protocol, GivesATraceJobBack) {
  Job job;
  job.work = TraceJob{};
  job.as<TraceJob>()->block = "3,1,0";
  job.as<TraceJob>()->warp = 5;
  job.as<TraceJob>()->grid = false;
  job.as<TraceJob>()->step = "multiply";
  const Result<Message> message = parse_line(to_line(job));
  ASSERT_TRUE(message);
  ASSERT_TRUE(std::get<Job>(*message).is<TraceJob>());
  const TraceJob& after = *std::get<Job>(*message).as<TraceJob>();
  EXPECT_EQ(after.block, "3,1,0");
  EXPECT_EQ(after.warp, 5);
  EXPECT_FALSE(after.grid);
  EXPECT_EQ(after.step, "multiply");
}

TEST(Protocol, ReadsABlockByItsCoordinatesOrItsIndex) {
  Launch launch;
  launch.grid = {10, 4, 2};
  EXPECT_EQ(parse_block("17", launch), 17);
  EXPECT_EQ(parse_block("3,2,1", launch), 3 + 10 * (2 + 4 * 1));
  EXPECT_EQ(parse_block("3,2", launch), 23);
  for (const char* text : {"", "80", "-1", "10,0,0", "0,4,0", "0,0,2", "1,2,3,4", "1,", "x", "1 ",
                           "99999999999999999999"}) {
    const Result<std::int64_t> block = parse_block(text, launch);
    ASSERT_FALSE(block) << text;
    EXPECT_NE(block.error().remedy.find("0 to 79"), std::string::npos);
  }
  for (std::int64_t i = 0; i < block_count(launch); ++i)
    EXPECT_EQ(linear_block(launch, block_at(launch, i)), i);
}

}  // namespace
}  // namespace warpscope
