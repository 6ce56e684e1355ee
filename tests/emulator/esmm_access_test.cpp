// tests/emulator/esmm_access_test.cpp: accesses of the two published kernels, emulated: per request
// what their tables say.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/emulator/emulated_scene.h"
#include "tests/engine/compiling_test.h"

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {
namespace {

// What every request of a kind costs. A row is met where each of its sites has just these figures.
struct Row {
  int sites = 0;  // of one body of k, or of the whole kernel where it is outside of them; 0: any
  double sectors = 0, lines = 0, wavefronts = 0, unique_bytes = 0;
  bool operator==(const Row&) const = default;
};

using Chooses = std::function<bool(const AccessSite&)>;

struct Kernel {
  const char* variant;
  Trace trace;

  explicit Kernel(const char* name, const Changes& more = {}) : variant(name) {
    Changes changes = {{"m", "256"}, {"n", "256"}, {"k", "64"}};
    changes.insert(more.begin(), more.end());
    EmulatedCounts counts = counts_of("esmm", name, changes);
    for (Trace& each : counts.traces) {
      if (each.step == "multiply") trace = std::move(each);
    }
    EXPECT_FALSE(trace.sites.empty()) << name;
  }
  // The one cost that all requests of the chosen sites have.
  Row row(const Chooses& chosen) const {
    Row row;
    std::set<std::tuple<double, double, double, double>> kinds;
    for (const AccessSite& site : trace.sites) {
      if (site.totals.requests == 0 || !chosen(site)) continue;
      const auto each = [&site](std::int64_t total) {
        return static_cast<double>(total) / static_cast<double>(site.totals.requests);
      };
      row = {row.sites + 1, each(site.totals.sectors), each(site.totals.lines),
             each(site.totals.wavefronts), each(site.totals.unique_bytes)};
      kinds.emplace(row.sectors, row.lines, row.wavefronts, row.unique_bytes);
    }
    EXPECT_EQ(kinds.size(), 1u) << variant;
    return row;
  }
  Row global_load(const char* buffer) const {
    return row([buffer](const AccessSite& s) {
      return s.space == Space::global && s.kind == AccessKind::load && s.buffer == buffer;
    });
  }
  Row global_store() const {
    return row([](const AccessSite& s) {
      return s.space == Space::global && s.kind == AccessKind::store;
    });
  }
  Row shared_store(int width) const {
    return row([width](const AccessSite& s) {
      return s.space == Space::shared && s.kind == AccessKind::store && s.width_bytes == width;
    });
  }
  // The shared reads whose requests touch `unique_bytes` distinct bytes.
  Row shared_load(std::int64_t unique_bytes) const {
    Row of = row([unique_bytes](const AccessSite& s) {
      return s.space == Space::shared && s.kind == AccessKind::load &&
             s.totals.unique_bytes == unique_bytes * s.totals.requests;
    });
    return of;
  }
};

using EsmmAccess = CompilingTest;

// Bodies of one to eight steps of k: each has the reads of its steps.
constexpr int kBodies = 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8;

TEST_F(EsmmAccess, OfAPatternSkipIsTheTableOfTheScene) {
  const Kernel k("a_skip");
  EXPECT_EQ(k.global_load("a"), (Row{1, 16, 16, 0, 512}));
  EXPECT_EQ(k.global_load("b"), (Row{1, 16, 4, 0, 512}));
  EXPECT_EQ(k.shared_store(4), (Row{4, 0, 0, 2, 128})) << "A, two-way";
  EXPECT_EQ(k.shared_store(16), (Row{1, 0, 0, 4, 512})) << "B";
  const Row a = k.shared_load(16 * 4), b = k.shared_load(2 * 4);
  EXPECT_EQ(a, (Row{a.sites, 0, 0, 1, 64})) << "16 neighbouring words, each for two lanes";
  EXPECT_EQ(b, (Row{b.sites, 0, 0, 1, 8})) << "two words";
  EXPECT_EQ(b.sites, 16 * a.sites) << "2 + 32 floats for 64 multiply-adds";
  EXPECT_LE(a.sites, 2 * kBodies);
  EXPECT_EQ(k.global_store(), (Row{16, 32, 16, 0, 512})) << "half of every sector";
}

TEST_F(EsmmAccess, OfTheTransposedTileIsTheTableOfTheScene) {
  const Kernel k("transposed_b");
  EXPECT_EQ(k.global_load("a"), (Row{1, 16, 16, 0, 512}));
  EXPECT_EQ(k.global_load("bt"), (Row{1, 16, 16, 0, 512})) << "rows of Bᵀ, like A";
  const Row a = k.shared_load(4), b = k.shared_load(128);
  EXPECT_EQ(a, (Row{a.sites, 0, 0, 1, 4})) << "a broadcast";
  EXPECT_EQ(b, (Row{b.sites, 0, 0, 8, 128})) << "eight lanes want one bank";
  EXPECT_EQ(a.sites, 64 * b.sites) << "64 + 1 floats for 64 multiply-adds";
  EXPECT_EQ(k.global_store(), (Row{64, 4, 1, 0, 128}));
}

// Blocks that share a multiprocessor change registers and nothing that is asked for.
TEST_F(EsmmAccess, OfTheCappedTransposedTileIsThatOfThePublishedOne) {
  const Kernel free("transposed_b"), capped("transposed_b_capped");
  for (const char* buffer : {"a", "bt"})
    EXPECT_EQ(free.global_load(buffer), capped.global_load(buffer)) << buffer;
  EXPECT_EQ(free.shared_load(128), capped.shared_load(128));
  EXPECT_EQ(free.global_store(), capped.global_store());
}

// All lanes on one column: B is a broadcast, and a lane's row of A lies beside the next lane's.
TEST_F(EsmmAccess, OfTheLoopOverColumnsBroadcastsBAndSpreadsA) {
  const Kernel k("broadcast_b");
  EXPECT_EQ(k.global_load("a"), (Row{1, 16, 16, 0, 512}));
  EXPECT_EQ(k.global_load("bt"), (Row{1, 16, 16, 0, 512}));
  const Row a = k.shared_load(128), b = k.shared_load(4);
  EXPECT_EQ(a, (Row{a.sites, 0, 0, 1, 128})) << "32 neighbouring words";
  EXPECT_EQ(b, (Row{b.sites, 0, 0, 1, 4})) << "one word";
  EXPECT_EQ(4 * a.sites, b.sites) << "8 columns by 2 rows per step of k";
  EXPECT_EQ(k.global_store(), (Row{16, 32, 32, 0, 512})) << "half of a sector per row";
}

TEST_F(EsmmAccess, OfTheKMajorTileIsTheTableOfTheScene) {
  const Kernel k("k_major_b");
  EXPECT_EQ(k.global_load("a"), (Row{1, 16, 16, 0, 512}));
  EXPECT_EQ(k.global_load("b"), (Row{1, 16, 4, 0, 512}));
  const Row a = k.shared_load(4), b = k.shared_load(128);
  EXPECT_EQ(a, (Row{a.sites, 0, 0, 1, 4})) << "a broadcast";
  EXPECT_EQ(b, (Row{b.sites, 0, 0, 1, 128})) << "no conflict";
  EXPECT_EQ(a.sites, 64 * b.sites);
  EXPECT_EQ(k.global_store(), (Row{64, 4, 1, 0, 128}));
}

// A warp copies four k at once, of one unit after the other: twelve or eight copies of 512 bytes a
// chunk, where a lane's part of every k makes sixteen of 256 or 384.
TEST_F(EsmmAccess, OfLineCopiesIsFewerRequestsForTheSameSectors) {
  for (const auto& [lanes, lines] : {std::pair("class_lists", "class_lists_lines"),
                                     {"class_lists_tf32", "class_lists_tf32_lines"}}) {
    const auto copies = [](const char* variant) {
      const Kernel k(variant, {{"k", "2048"}});
      AccessTotals sum;
      for (const AccessSite& site : k.trace.sites) {
        if (site.space == Space::global && site.kind == AccessKind::async_copy) sum += site.totals;
      }
      return sum;
    };
    const AccessTotals by_lane = copies(lanes), by_line = copies(lines);
    EXPECT_GT(by_line.requests, 0) << lines;
    EXPECT_EQ(by_line.sectors, by_lane.sectors) << lines;
    EXPECT_EQ(by_line.sectors, 16 * by_line.requests) << lines;
    EXPECT_LT(by_line.requests, 0.65 * static_cast<double>(by_lane.requests)) << lines;
  }
}

// The compiler reads a lane's neighbouring words together where the tile is declared aligned.
TEST_F(EsmmAccess, OfAlignedTilesTakesFewerRequestsForTheSameWords) {
  const auto reads = [](const char* tiles) {
    const Kernel k("a_skip", {{"shared_tiles", tiles}});
    AccessTotals sum;
    for (const AccessSite& site : k.trace.sites) {
      if (site.space == Space::shared && site.kind == AccessKind::load) sum += site.totals;
    }
    return sum;
  };
  const AccessTotals words = reads("words"), quads = reads("quads");
  EXPECT_EQ(words.lane_bytes, quads.lane_bytes);
  EXPECT_EQ(words.requests, words.wavefronts);
  EXPECT_LT(quads.requests * 3, words.requests);
  EXPECT_LT(quads.wavefronts, words.wavefronts);
}

// Steps that warps take, counted by the words that they read of B: the popcounts of the patterns.
TEST_F(EsmmAccess, TakesTheStepsThatThePatternsHave) {
  for (const char* variant : {"a_skip", "a_skip_tuned", "a_bit_test", "k_major_b", "joint_lookup",
                              "joint_lists", "joint_64", "joint_table", "block_list"}) {
    const Changes changes = {{"m", "256"}, {"n", "256"}, {"k", "64"}, {"da", "0.4"}, {"db", "0.3"}};
    const EmulatedCounts counts = counts_of("esmm", variant, changes);
    const Scene& scene = **built_in_catalogue().find("esmm");
    const Variant& v = *find_variant(scene, variant);
    const auto axes = with_values(scene.axes, default_configuration(scene.axes), changes);
    ASSERT_TRUE(axes);
    const Workload w{for_variant(scene.axes, *axes, variant), counts.facts};
    const auto term = std::find_if(scene.work_terms.begin(), scene.work_terms.end(),
                                   [](const WorkTerm& row) { return row.id == "model.flops"; });
    const double flops = evaluate(*term, w, v).value();
    std::int64_t lane_bytes = 0;
    for (const Trace& trace : counts.traces) {
      for (const AccessSite& site : trace.sites) {
        // The length of a block's list is one word for all.
        const bool one_word = site.totals.unique_bytes == 4 * site.totals.requests;
        if (one_word && variant == std::string("block_list")) continue;
        if (site.space == Space::shared && site.kind == AccessKind::load && site.width_bytes >= 4)
          lane_bytes += site.totals.lane_bytes;
      }
    }
    // A lane's words of one step, and its products.
    const auto size = [&w](const char* axis) { return static_cast<double>(w.integer(axis)); };
    const double across = size("wniter") * size("tn");
    const double products = size("wm") * size("wn") / 32, down = products / across;
    EXPECT_GT(flops, 0);
    EXPECT_EQ(static_cast<double>(lane_bytes) / (4 * (down + across)) * 2 * products, flops)
        << variant;
  }
}

}  // namespace
}  // namespace warpscope

#endif
