// tests/profiling/access/trace_view_test.cpp: elements, inputs, activity and comparisons of traces.
#include "profiling/access/trace_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <random>

#include "profiling/figures/csv_text.h"
#include "tests/profiling/access/synthetic_trace.h"

namespace warpscope {
namespace {

using namespace traced_by_hand;

TEST(TraceView, NamesElementsInTheArraysOwnTerms) {
  const TracedBuffer b{"b", "B[k, n]", ElementType::f32, {10, 8}, 256, 320};
  EXPECT_EQ(element_text(b, 0, 0), "B[0, 0]");
  EXPECT_EQ(element_text(b, 24, 31), "B[3, 0..7]");
  EXPECT_EQ(element_text(b, 30, 33), "B[3, 6] … B[4, 1]");
  const TracedBuffer cube{"x", "", ElementType::f64, {2, 3, 4}, 0, 192};
  EXPECT_EQ(element_text(cube, 23, 23), "x[1, 2, 3]");
  const TracedBuffer flat{"i", "indices[nnz]", ElementType::i32, {7}, 0, 28};
  EXPECT_EQ(element_text(flat, 2, 5), "indices[2..5]");
}

TEST(TraceView, FindsTheBufferOfAnAddressAndCutsALineToIt) {
  Trace t;
  t.buffers = {{"b", "B[k, n]", ElementType::f32, {10, 8}, 256, 320}};
  EXPECT_EQ(buffer_at(t, 255), nullptr);
  EXPECT_EQ(buffer_at(t, 256), &t.buffers[0]);
  EXPECT_EQ(buffer_at(t, 575), &t.buffers[0]);
  EXPECT_EQ(buffer_at(t, 576), nullptr);
  EXPECT_EQ(range_text(t, 256, 287), "B[0, 0..7]");
  EXPECT_EQ(range_text(t, 512, 639), "B[8, 0] … B[9, 7]");  // the line ends after the buffer
  EXPECT_EQ(range_text(t, 0x1000, 0x107f), "0x1000");
}

TEST(TraceView, AnArrayOfOneDimensionIsCutIntoRows) {
  const TracedBuffer flat{"i", "i[n]", ElementType::i32, {300}, 0, 1200};
  EXPECT_EQ(array_shape(flat).columns, 128);
  EXPECT_EQ(array_shape(flat).rows, 3);
  const TracedBuffer two{"b", "B", ElementType::f32, {10, 8}, 0, 320};
  EXPECT_EQ(array_shape(two).columns, 8);
  EXPECT_EQ(array_shape(two).rows, 10);
  const TracedBuffer odd{"b", "B", ElementType::f32, {10, 0}, 0, 0};
  EXPECT_EQ(array_shape(odd).rows, 0);
}

TEST(TraceView, ElementsAreThoseThatLanesTouchInOrder) {
  const Trace t = synthetic_trace();
  const TracedBuffer& c = *find_buffer(t, "c");
  const std::vector<ElementAccess> list = element_accesses(t, c, true);
  std::map<std::int64_t, std::vector<std::pair<std::uint64_t, int>>> naive;
  for (std::size_t i = 0; i < t.requests.size(); ++i) {
    const WarpRequest& r = t.requests[i];
    const AccessSite& s = t.sites[r.site];
    if (s.buffer != "c") continue;
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      for (int byte = 0; byte < s.width_bytes; byte += 4)
        naive[static_cast<std::int64_t>(r.addresses[static_cast<std::size_t>(lane)] - c.address +
                                        static_cast<std::uint64_t>(byte)) /
              4]
            .emplace_back(r.order, lane);
    }
  }
  std::size_t count = 0;
  for (const auto& [element, touches] : naive) count += touches.size();
  ASSERT_EQ(list.size(), count);
  for (std::size_t i = 1; i < list.size(); ++i) {
    ASSERT_LE(list[i - 1].element, list[i].element);
    if (list[i - 1].element == list[i].element) {
      ASSERT_LE(t.requests[list[i - 1].request].order, t.requests[list[i].request].order);
    }
  }
  for (const ElementAccess& access : list) ASSERT_EQ(naive.count(access.element), 1u);
  EXPECT_TRUE(element_accesses(t, c, false).empty());  // a reduction reads nothing back
  EXPECT_FALSE(element_accesses(t, *find_buffer(t, "b"), false).empty());
}

TEST(TraceView, ElementsOfOneLaneAreItsOwn) {
  const Trace t = synthetic_trace();
  const TracedBuffer& c = *find_buffer(t, "c");
  const std::vector<std::size_t> store = {*request_on(t, c, true, 0)};
  const std::vector<ElementAccess> lane = element_accesses(t, c, store, 5);
  ASSERT_EQ(lane.size(), 4u);  // 16 bytes of f32
  EXPECT_EQ(lane[0].element % columns, 20);
  EXPECT_EQ(lane[3].element, lane[0].element + 3);
  EXPECT_EQ(element_accesses(t, c, store, -1).size(), 128u);
  EXPECT_TRUE(element_accesses(t, *find_buffer(t, "b"), store, -1).empty());
}

TEST(TraceView, ASummaryCountsElementsAndHowOftenTheyAreTouched) {
  const Trace t = synthetic_trace();
  const std::vector<ElementAccess> list = {{3, 0, 0}, {3, 1, 0}, {3, 2, 1}, {4, 0, 0}, {9, 5, 7}};
  const ElementSummary s = summary(t, list);
  EXPECT_EQ(s.elements, 3);
  EXPECT_EQ(s.most, 3);
  EXPECT_EQ(s.last_order, t.requests[5].order);
  EXPECT_EQ(summary(t, {}).elements, 0);
}

TEST(TraceView, InputsAreWhatTheLaneReadSinceItsLastWrite) {
  const Trace t = synthetic_trace();
  const auto [first, last] = requests_of_warp(t, 2);
  std::size_t store = first;
  while (t.requests[store].site != store_c) ++store;
  // Lane 3 is active in all entries, lane 20 in the first two: an index and a quad for each.
  EXPECT_EQ(inputs_of(t, store, 3).size(), 2u * entries);
  EXPECT_EQ(inputs_of(t, store, 20).size(), 4u);
  for (const std::size_t input : inputs_of(t, store, 20)) {
    EXPECT_GE(input, first);
    EXPECT_LT(input, store);
  }
  EXPECT_TRUE(inputs_of(t, store + 1, 3).empty());  // the next write follows at once
  EXPECT_EQ(last - first, 4u * entries + 2);
}

TEST(TraceView, FindsTheRequestOnAnArrayThatStandsForAnother) {
  const Trace t = synthetic_trace();
  const TracedBuffer &b = *find_buffer(t, "b"), &c = *find_buffer(t, "c");
  const auto [first, last] = requests_of_warp(t, 3);
  EXPECT_EQ(t.requests[*request_on(t, c, true, first)].site, store_c);  // the next write
  EXPECT_EQ(request_on(t, c, true, last - 1), last - 1);                // itself
  EXPECT_EQ(request_on(t, b, false, last - 1), last - 2 - 3);           // the last gather before
  EXPECT_FALSE(request_on(t, b, true, first));
  EXPECT_FALSE(request_on(t, c, true, t.requests.size()));
}

TEST(TraceView, FindsTheNearestRequestInTime) {
  const Trace t = synthetic_trace();
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    const auto warp = static_cast<std::uint32_t>(random() % warps);
    const std::uint64_t order = random() % 70;
    const auto family = static_cast<RequestFamily>(random() % 3);
    const std::int64_t site = static_cast<std::int64_t>(random() % 7) - 1;
    std::uint64_t best = ~0ULL;
    for (const WarpRequest& r : t.requests) {
      if (r.warp != warp || !belongs(t.sites[r.site], family) || (site >= 0 && r.site != site))
        continue;
      best = std::min(best, r.order > order ? r.order - order : order - r.order);
    }
    const auto found = nearest_request(t, warp, order, family, site);
    ASSERT_EQ(found.has_value(), best != ~0ULL);
    if (!found) continue;
    const WarpRequest& r = t.requests[*found];
    EXPECT_EQ(r.warp, warp);
    EXPECT_EQ(r.order > order ? r.order - order : order - r.order, best);
  }
}

TEST(TraceView, LaneColumnsHoldEveryInstructionOnce) {
  const Trace t = synthetic_trace();
  const auto& issued = t.issued[1];
  const auto size = static_cast<std::int64_t>(issued.size());
  for (const int columns : {1, 7, 10, 1000}) {
    const std::vector<LaneColumn> list = lane_columns(issued, 0, size, columns);
    EXPECT_EQ(static_cast<std::int64_t>(list.size()), std::min<std::int64_t>(columns, size));
    std::int64_t next = 0;
    double lanes = 0;
    for (const LaneColumn& column : list) {
      EXPECT_EQ(column.first, next);
      EXPECT_GE(column.count, 1);
      EXPECT_EQ(column.any & column.all, column.all);
      next += column.count;
      lanes += column.mean_active * static_cast<double>(column.count);
    }
    EXPECT_EQ(next, size);
    double expected = 0;
    for (const IssuedInstruction& at : issued) expected += std::popcount(at.active);
    EXPECT_NEAR(lanes, expected, 1e-9);
  }
  EXPECT_TRUE(lane_columns({}, 0, 5, 10).empty());
  EXPECT_TRUE(lane_columns(issued, size, 5, 10).empty());
}

// 4 + 6·10 + 3 instructions per warp: the entries after the second, 10 each, with half of the
// lanes.
TEST(TraceView, ActivityCountsPartialInstructions) {
  const Trace t = synthetic_trace();
  const ActivitySummary a = activity(t.issued[0]);
  const auto size = static_cast<std::int64_t>(t.issued[0].size());
  const std::int64_t an_entry = (size - 4 - 3) / entries;
  EXPECT_EQ(a.instructions, size);
  EXPECT_EQ(a.partial, 4 * an_entry);
  EXPECT_NEAR(
      a.mean_active,
      static_cast<double>(32 * (size - a.partial) + 16 * a.partial) / static_cast<double>(size),
      1e-12);
  EXPECT_EQ(activity({}).mean_active, 0);
}

TEST(TraceView, AnInstructionThatAllLanesSkipIsNoDivergence) {
  std::vector<IssuedInstruction> issued(9, {0, ~0U, 1});
  issued.push_back({1, 0, 2});  // a predicate that no lane has
  const ActivitySummary perfect = activity(issued);
  EXPECT_EQ(perfect.partial, 0);
  EXPECT_EQ(perfect.skipped, 1);
  EXPECT_EQ(perfect.mean_active, 32);
  issued.push_back({2, 0xFFFF, 3});
  const ActivitySummary half = activity(issued);
  EXPECT_EQ(half.partial, 1);
  EXPECT_DOUBLE_EQ(half.partial_ratio(), 0.1) << "of the ten that a lane takes";
  EXPECT_DOUBLE_EQ(half.mean_active, (9 * 32 + 16) / 10.0);
}

TEST(TraceFigures, ShareAndEfficiencyFollowTheSums) {
  const Trace t = synthetic_trace();
  const std::vector<SiteFigures> figures = site_figures(t, {});
  ASSERT_EQ(figures.size(), t.sites.size());
  double global = 0, shared = 0;
  for (const SiteFigures& f : figures)
    (t.sites[f.site].space == Space::shared ? shared : global) += f.share_ratio;
  EXPECT_NEAR(global, 1, 1e-12);
  EXPECT_NEAR(shared, 1, 1e-12);
  // Lanes 16 bytes apart in shared memory: banks 0, 4, …: four ways with all lanes, two with half.
  EXPECT_NEAR(figures[unstage].modelled, (2 * 4 + 4 * 2) / 6.0, 1e-12);
  EXPECT_NEAR(figures[unstage].ideal, 1, 1e-12);
  EXPECT_NEAR(figures[unstage].efficiency_ratio, 6.0 / 16, 1e-12);
  EXPECT_NEAR(figures[store_c].modelled, 16, 1e-12);
  EXPECT_NEAR(figures[add_c].modelled, 32, 1e-12);
  EXPECT_FALSE(figures[store_c].measured);
  EXPECT_FALSE(figures[store_c].missing.empty());
}

TEST(TraceFigures, StandBesideTheCountersOfTheirGroup) {
  const Trace t = synthetic_trace();
  const std::vector<MetricValue> counters = {
      {"l1.sectors_load", 8000.0, Origin::measured, "", ""},
      {"l1.requests_load", 1000.0, Origin::measured, "", ""},
      {"l1.sectors_store", 1600.0, Origin::measured, "", ""},
      {"l1.requests_store", 100.0, Origin::measured, "", ""}};
  const std::vector<GroupFigures> groups = group_figures(t, counters);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].measured, 8.0);
  EXPECT_EQ(groups[1].measured, 16.0);
  EXPECT_NEAR(*groups[1].modelled, 16, 1e-12);
  EXPECT_FALSE(groups[2].measured);
  EXPECT_NE(groups[2].missing.find("shared.wavefronts"), std::string::npos);
  const std::vector<SiteFigures> figures = site_figures(t, counters);
  EXPECT_EQ(figures[store_c].measured, 16.0);  // the kernel's only store
  EXPECT_FALSE(figures[gather_b].measured);    // one of two loads
  EXPECT_NE(figures[gather_b].missing.find("all 2 global loads"), std::string::npos);
  EXPECT_TRUE(figures[gather_b].summed) << "its line can be counted";
  EXPECT_FALSE(figures[store_c].summed);
}

TEST(TraceFigures, DoNotCompareASumOfOneBlockWithTheGrids) {
  Trace t = synthetic_trace();
  t.scope.grid = false;
  const std::vector<MetricValue> counters = {
      {"shared.wavefronts", 5000.0, Origin::measured, "", ""}};
  for (const GroupFigures& group : group_figures(t, counters)) {
    if (group.space == Space::shared) {
      EXPECT_FALSE(group.modelled);
    }
  }
}

TEST(TraceFigures, KeepTheReasonOfAMissingCounter) {
  const Trace t = synthetic_trace();
  const std::vector<MetricValue> counters = {
      {"l1.sectors_load", std::nullopt, Origin::measured, "no permission", "ask"}};
  EXPECT_EQ(group_figures(t, counters)[0].missing, "no permission");
}

TEST(TraceFigures, ComeAsCsvWithUnitsInEveryRow) {
  const Trace t = synthetic_trace();
  const auto rows = parse_csv(accesses_csv(t, {}));
  ASSERT_TRUE(rows) << sentence(rows.error());
  ASSERT_EQ(rows->size(), t.sites.size() + 1);
  const auto column = [&](const std::string& name) {
    const auto& header = (*rows)[0];
    return static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
  };
  for (std::size_t i = 0; i < t.sites.size(); ++i) {
    const auto& row = (*rows)[i + 1];
    ASSERT_EQ(row.size(), (*rows)[0].size());
    EXPECT_EQ(row[column("key")], t.key);
    EXPECT_EQ(row[column("line")], std::to_string(t.sites[i].position.line));
    EXPECT_EQ(row[column("cost_unit")],
              t.sites[i].space == Space::shared ? "wavefronts" : "sectors");
    EXPECT_EQ(row[column("requests")], std::to_string(t.sites[i].totals.requests));
  }
}

}  // namespace
}  // namespace warpscope
