// tests/profiling/warps/warp_spans_test.cpp: spans, roles and sums of recorded warps, and what is
// written of them.
#include "profiling/warps/warp_spans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "profiling/figures/csv_text.h"
#include "profiling/messages/protocol.h"
#include "profiling/session/session.h"
#include "profiling/warps/warp_export.h"
#include "profiling/warps/warp_picture.h"

namespace warpscope {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

ProbedSpan place(SpanKind kind, int line) {
  ProbedSpan span;
  span.kind = kind;
  span.position = {"ring.cu", line, 0};
  return span;
}

enum Place : std::uint32_t { kBarrier, kFree, kFilled, kLoop, kStart };

WarpRecord begin(std::uint32_t span, std::int64_t cycle) { return {cycle, 2 * span}; }
WarpRecord end(std::uint32_t span, std::int64_t cycle) { return {cycle, 2 * span + 1}; }

// Two blocks of a warp that copies and one that computes.
WarpTimeline ring() {
  WarpTimeline t;
  t.scene = "mine";
  t.variant = "ring";
  t.key = "n=8";
  t.step = "ring";
  t.entry = "ring";
  t.source = "ring.cu";
  t.spans = {place(SpanKind::barrier, 10), place(SpanKind::mbarrier, 20),
             place(SpanKind::mbarrier, 30), place(SpanKind::loop, 29),
             place(SpanKind::issue_copy, 22)};
  t.blocks = 4;
  t.warps_per_block = 2;
  t.clock_hz = 1e9;
  t.plain_ns = 1000;
  t.probed_ns = 1020;
  t.all_probes_ns = 1020;
  for (std::int64_t block = 0; block < 2; ++block) {
    const std::int64_t at = 100 * block;
    t.rows.push_back({block,
                      0,
                      7 + static_cast<int>(block),
                      1,
                      at,
                      at + 90,
                      0,
                      {begin(kBarrier, at + 5), end(kBarrier, at + 10), begin(kFree, at + 12),
                       end(kFree, at + 40), begin(kStart, at + 41)}});
    t.rows.push_back({block,
                      1,
                      7 + static_cast<int>(block),
                      2,
                      at,
                      at + 100,
                      0,
                      {begin(kBarrier, at + 5), end(kBarrier, at + 10), begin(kLoop, at + 11),
                       begin(kFilled, at + 12), end(kFilled, at + 50), begin(kFilled, at + 60),
                       end(kFilled, at + 65), end(kLoop, at + 80)}});
  }
  return t;
}

TEST(WarpSpans, LieBetweenTheirProbesAndWorkBetweenWaits) {
  const WarpTimeline t = ring();
  EXPECT_THAT(spans_of(t, t.rows[1]),
              ElementsAre(WarpSpan{SpanType::work, -1, 0, 5, false},
                          WarpSpan{SpanType::wait, kBarrier, 5, 10, false},
                          WarpSpan{SpanType::work, kBarrier, 10, 12, false},
                          WarpSpan{SpanType::loop, kLoop, 11, 80, false},
                          WarpSpan{SpanType::wait, kFilled, 12, 50, false},
                          WarpSpan{SpanType::work, kFilled, 50, 60, false},
                          WarpSpan{SpanType::wait, kFilled, 60, 65, false},
                          WarpSpan{SpanType::work, kFilled, 65, 100, false}));
}

TEST(WarpSpans, OfLanesThatPartedGoFromTheFirstToTheLast) {
  WarpTimeline t = ring();
  t.rows[0].records = {begin(kFree, 10), begin(kFree, 12), end(kFree, 20), end(kFree, 30)};
  EXPECT_EQ(spans_of(t, t.rows[0])[1], (WarpSpan{SpanType::wait, kFree, 10, 30, false}));
}

TEST(WarpSpans, WithoutAnEndAreCutAtTheWarpsEnd) {
  WarpTimeline t = ring();
  t.rows[0].records = {begin(kFree, 10)};
  EXPECT_EQ(spans_of(t, t.rows[0])[1], (WarpSpan{SpanType::wait, kFree, 10, 90, true}));
}

TEST(WarpRoles, AreOfWarpsThatPassDifferentWaits) {
  const RecordedRoles roles = roles_of(ring());
  EXPECT_TRUE(roles.specialised);
  ASSERT_EQ(roles.roles.size(), 2u);
  EXPECT_EQ(roles.roles[0].name, "producer");
  EXPECT_EQ(roles.roles[0].sentence, "starts copies; waits alone in line 20");
  EXPECT_EQ(roles.roles[1].name, "consumer");
  EXPECT_THAT(roles.of_warp, ElementsAre(0, 1));
}

TEST(WarpRoles, AreKnownOfPlacesWhoseProbesWereDropped) {
  WarpTimeline t = ring();
  for (WarpRow& row : t.rows) row.records.clear();
  EXPECT_FALSE(roles_of(t).specialised);
  t.spans[kFree].warps = t.spans[kStart].warps = 1U << 0;
  t.spans[kFilled].warps = 1U << 1;
  const RecordedRoles roles = roles_of(t);
  EXPECT_TRUE(roles.specialised);
  ASSERT_EQ(roles.roles.size(), 2u);
  EXPECT_EQ(roles.roles[0].name, "producer");
  EXPECT_EQ(roles.roles[1].name, "consumer");
}

TEST(WarpRoles, DoNotFollowFromAWarpThatPassesLess) {
  WarpTimeline t = ring();
  for (WarpRow& row : t.rows) {
    if (row.warp == 0) row.records.resize(2);
  }
  const RecordedRoles roles = roles_of(t);
  EXPECT_FALSE(roles.specialised);
  ASSERT_EQ(roles.roles.size(), 1u);
  EXPECT_EQ(roles.roles[0].name, "warps");
  EXPECT_THAT(roles.of_warp, ElementsAre(0, 0));
}

TEST(WarpSums, AreSharesOfTheTimeOfTheRolesWarps) {
  const WarpTimeline t = ring();
  const RecordedRoles roles = roles_of(t);
  const std::vector<SpanSum> sums = sums_of(t, roles);
  const auto of = [&](int role, SpanType type, std::int32_t span) {
    for (const SpanSum& sum : sums) {
      if (sum.role == role && sum.type == type && sum.span == span) return sum;
    }
    ADD_FAILURE() << "no sum";
    return SpanSum{};
  };
  const SpanSum waits = of(1, SpanType::wait, kFilled);
  EXPECT_EQ(waits.count, 4);
  EXPECT_EQ(waits.warps, 2);
  EXPECT_EQ(waits.longest, 38);
  EXPECT_DOUBLE_EQ(waits.mean_cycles(), 21.5);
  EXPECT_DOUBLE_EQ(waits.share_ratio, 0.43);
  EXPECT_DOUBLE_EQ(of(0, SpanType::wait, kFree).share_ratio, 28.0 / 90);
  const std::vector<RoleSum> of_roles = role_sums(sums, roles);
  EXPECT_DOUBLE_EQ(of_roles[1].waiting_ratio, 0.48);
}

TEST(WarpPictures, HaveTheWarpsOfAMultiprocessorTogether) {
  WarpTimeline t = ring();
  for (WarpRow& row : t.rows) row.multiprocessor = row.block == 0 ? 9 : 3;
  const WarpPicture picture = picture_of(t);
  EXPECT_THAT(picture.multiprocessors, ElementsAre(3, 9));
  EXPECT_THAT(picture.starts, ElementsAre(0, 2, 4));
  EXPECT_EQ(t.rows[picture.warps[0].row].block, 1);
  EXPECT_TRUE(picture.warps[0].first_of_block);
  EXPECT_FALSE(picture.warps[1].first_of_block);
  const PicturedWarp& computing = picture.warps[3];
  EXPECT_EQ(span_at(computing, 20), 4) << "the wait, not the loop around it";
  EXPECT_EQ(span_at(computing, 1000), -1);
}

TEST(WarpExports, SayWhatWasRecorded) {
  WarpTimeline t = ring();
  t.spans[kLoop].dropped = true;
  t.notes = {"The first 2 of 4 blocks are recorded."};
  const std::string text = warps_text(t);
  EXPECT_THAT(text, HasSubstr("2 of 4 blocks recorded, 2 warps per block"));
  EXPECT_THAT(text, HasSubstr("Probes make the kernel 2.0 % slower"));
  EXPECT_THAT(text, HasSubstr("No probe: loop, line 29"));
  EXPECT_THAT(text, HasSubstr("The first 2 of 4 blocks are recorded."));
  const json object = json::parse(warps_json(t));
  EXPECT_EQ(object["roles"][0]["name"], "producer");
  EXPECT_EQ(object["dropped"][0]["line"], 29);
  EXPECT_NEAR(object["slowdown_ratio"].get<double>(), 0.02, 1e-12);
  std::string csv, trace;
  write_warps_csv({&t}, [&](std::string_view part) { csv += part; });
  const auto rows = parse_csv(csv);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->size(), 1u + 2 * (6 + 8));
  EXPECT_EQ((*rows)[1].size(), (*rows)[0].size());
  write_warps_trace({&t}, [&](std::string_view part) { trace += part; });
  const json events = json::parse(trace)["traceEvents"];
  std::map<std::int64_t, double> ends;
  int starts = 0;
  for (const json& event : events) {
    starts += event["ph"] == "i" ? 1 : 0;
    if (event["ph"] != "X") continue;
    EXPECT_GE(event["dur"].get<double>(), 0);
  }
  EXPECT_EQ(starts, 2);
}

TEST(WarpMessages, ComeBackAsTheyWere) {
  WarpTimeline t = ring();
  t.spans[kLoop].dropped = true;
  t.spans[kLoop].depth = 2;
  t.rows[1].lost = 3;
  t.notes = {"A sentence."};
  const Result<Message> back = parse_line(to_line(t));
  ASSERT_TRUE(back) << sentence(back.error());
  const auto* read = std::get_if<WarpTimeline>(&*back);
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(read->spans, t.spans);
  ASSERT_EQ(read->rows.size(), t.rows.size());
  for (std::size_t k = 0; k < t.rows.size(); ++k) {
    EXPECT_EQ(read->rows[k].records, t.rows[k].records);
    EXPECT_EQ(read->rows[k].begin, t.rows[k].begin);
    EXPECT_EQ(read->rows[k].lost, t.rows[k].lost);
  }
  EXPECT_EQ(read->notes, t.notes);
  EXPECT_EQ(to_line(*read), to_line(t));
  Session session;
  session.apply(t);
  EXPECT_NE(session.outcomes().warps_of({"mine", "ring", "n=8", "", ""}, ""), nullptr);
  EXPECT_EQ(session.outcomes().warps_of({"mine", "ring", "n=9", "", ""}, ""), nullptr);
}

TEST(WarpMessages, WithARecordOfNoSpanAreRefused) {
  WarpTimeline t = ring();
  t.rows[0].records.push_back({89, 99});
  EXPECT_FALSE(parse_line(to_line(t)));
}

}  // namespace
}  // namespace warpscope
