// tests/workbench/lessons/claims_on_sessions_test.cpp: no text states what its session does not
// show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <regex>
#include <set>

#include "profiling/claims/article.h"
#include "profiling/claims/claim_text.h"
#include "tests/awaited_rows.h"
#include "tests/folders.h"
#include "tests/workbench/window/every_text.h"
#include "tests/workbench/window/slow_gpu.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

struct NamedSession {
  std::string name;
  Session session;
};

bool holds(const Session& session, const Scene& scene) {
  const auto points = session.all_points();
  return std::any_of(points.begin(), points.end(),
                     [&](const Measurement* point) { return point->scene == scene.name; });
}

// Every shipped recording, and each as three devices that do not exist would have made it.
const std::vector<NamedSession>& sessions() {
  static const std::vector<NamedSession> all = [] {
    std::vector<NamedSession> made;
    for (const std::filesystem::path& path : recorded_sessions()) {
      Session recorded = read_session(path).value().session;
      for (std::uint64_t seed = 1; seed <= 3; ++seed)
        made.push_back({path.filename().string() + " on slow GPU " + std::to_string(seed),
                        slow_gpu(recorded, seed)});
      made.push_back({path.filename().string(), std::move(recorded)});
    }
    return made;
  }();
  return all;
}

// What a person works out with a pencil: figures of one point, found by its axes, with nothing of
// the claims' own code.
class Pencil {
 public:
  Pencil(const Session& session, const NamedText& text) : session_(session), text_(text) {}

  const Measurement* point(const std::string& variant,
                           const std::map<std::string, std::string>& changes = {}) const {
    const Configuration wanted = with_values(text_.scene->axes, text_.axes, changes).value();
    const Measurement* found = nullptr;
    for (const Measurement* each : session_.all_points()) {
      if (each->scene != text_.scene->name || each->variant != variant) continue;
      bool same = true;
      for (const auto& [axis, value] : wanted.values()) {
        const Axis* row = find_axis(text_.scene->axes, axis);
        same = same && (!row->applies || row->applies(wanted) == row->applies(each->axes)) &&
               (!each->axes.has(axis) || (row->applies && !row->applies(wanted)) ||
                each->axes.at(axis) == value);
      }
      if (same) found = each;
    }
    return found;
  }
  double figure(const std::string& variant, const std::string& id,
                const std::map<std::string, std::string>& changes = {}) const {
    const Measurement* at = point(variant, changes);
    return at == nullptr ? 0 : value_of(at->metrics, id).value_or(0);
  }
  double warm(const std::string& v, const std::map<std::string, std::string>& c = {}) const {
    const Measurement* at = point(v, c);
    return at == nullptr || !at->warm ? 0 : at->warm->median_ns;
  }
  double cold(const std::string& v, const std::map<std::string, std::string>& c = {}) const {
    const Measurement* at = point(v, c);
    return at == nullptr || !at->cold ? 0 : at->cold->median_ns;
  }
  double l2() const { return static_cast<double>(session_.engine()->device->l2_bytes); }
  double roof(Level level) const {
    for (const Roof& roof : session_.roofs()->roofs) {
      if (roof.level == level && roof.mix.name == "copy" && roof.library.empty()) return roof.value;
    }
    return 0;
  }

 private:
  const Session& session_;
  const NamedText& text_;
};

// A phrase that a text may show, and the relation that must be so where it does. `clearly`: the
// same relation with 6 % to spare, beyond all noise of these recordings, where it must show.
struct Hand {
  const char* where;
  const char* phrase;
  std::function<bool(const Pencil&)> so, clearly;
};

using Figure = std::function<double(const Pencil&)>;
Hand less(const char* where, const char* phrase, Figure a, Figure b) {
  return {where, phrase, [=](const Pencil& p) { return a(p) < b(p); },
          [=](const Pencil& p) { return a(p) < 0.94 * b(p); }};
}
Figure warm(std::string variant, std::map<std::string, std::string> changes = {}) {
  return [=](const Pencil& p) { return p.warm(variant, changes); };
}
Figure cold(std::string variant, std::map<std::string, std::string> changes = {}) {
  return [=](const Pencil& p) { return p.cold(variant, changes); };
}
Figure figure(std::string variant, std::string id) {
  return [=](const Pencil& p) { return p.figure(variant, id); };
}
Figure times(double factor, Figure of) {
  return [=](const Pencil& p) { return factor * of(p); };
}
// The shortest time of cuSPARSE's products of A as it stands.
Figure of_library() {
  return [](const Pencil& p) {
    double best = 0;
    for (const char* name : {"cusparse_default", "cusparse_alg1", "cusparse_alg2", "cusparse_alg3",
                             "cusparse_coo_alg4"}) {
      const double time = p.warm(name);
      if (time > 0 && (best == 0 || time < best)) best = time;
    }
    return best;
  };
}
Figure l2() {
  return [](const Pencil& p) { return p.l2(); };
}
Hand both(Hand a, const Hand& b) {
  const auto so = a.so, clearly = a.clearly;
  a.so = [=](const Pencil& p) { return so(p) && b.so(p); };
  a.clearly = [=](const Pencil& p) { return clearly(p) && b.clearly(p); };
  return a;
}

std::vector<Hand> by_hand() {
  const char *zero = "warp_row_zero_test", *plain = "warp_row_branch_free";
  return {
      less("csrmm.json step 3", "and fits in the", figure(zero, "model.dram_bytes"), l2()),
      less("csrmm.json step 3", "more than the", l2(), figure(zero, "model.dram_bytes")),
      less("csrmm.json step 5", "instead of", warm(plain), warm(zero)),
      less("csrmm.json step 5", "which is slower than", warm(zero), warm(plain)),
      less("csrmm.json step 7", "The shuffle alone is not to blame", warm("warp_row_shuffle_4"),
           warm("warp_row_shuffle")),
      less("csrmm.json step 8", "slower than the plain loop's", warm(plain),
           warm("warp_row_unroll4")),
      both(less("csrmm.json step 15", "Occupancy is not speed", figure(zero, "occupancy.achieved"),
                figure("rows_per_block", "occupancy.achieved")),
           less("", "", warm(zero), warm("rows_per_block"))),
      less("csrmm.json step 15", "And it pays", warm("rows_per_block"), warm(zero)),
      less("csrmm.json step 16", "instead of", warm("float4_columns"), warm(plain)),
      less("csrmm.json step 18", "less than the final published kernel", of_library(),
           warm("warp_row_unroll4")),
      less("csrmm.json step 18", "the claim holds here", times(7, warm("warp_row_unroll4")),
           of_library()),
      less("led.json step 9", "there it wins", cold("grid3d_shared_pattern"),
           cold("single_frame_repeated")),
      less("led.json step 9", "there it loses as well", cold("single_frame_repeated"),
           cold("grid3d_shared_pattern")),
      less("csrmm.json step 20", "is paid in full", times(1.3, warm(zero, {{"n", "32"}})),
           warm(zero, {{"n", "33"}})),
      less("csrmm.json step 21", "cost it more", times(1.2, warm("cusparse_alg3", {{"n", "128"}})),
           warm("cusparse_alg3", {{"n", "127"}})),
      both(less("csrmm.json step 23", "faster than either", warm("cusparse_csc"),
                warm("t_scatter_atomics")),
           less("", "", warm("cusparse_csc"), warm("cusparse_t"))),
      less("csrmm_beyond.json step 5", "times as fast as the gather", warm("k_tiles"),
           warm("float4_columns")),
      less("csrmm_beyond.json step 5", "slower than the gather", warm("float4_columns"),
           warm("k_tiles")),
      less("csrmm_beyond.json step 15", "which is more", warm("k_tiles"), of_library()),
      less("csrmm_beyond.json step 15", "which is less on this device", of_library(),
           warm("k_tiles")),
      less("led.json step 5", "slower, not faster", cold("single_frame_repeated"),
           cold("grid3d_shared_pattern")),
      less("led.json step 5", "faster on this device", cold("grid3d_shared_pattern"),
           cold("single_frame_repeated")),
      less("led.json step 18", "so much of the time was conflicts", cold("grid3d_column_lanes"),
           cold("grid3d_shared_pattern")),
      less("led.json step 25", "instead of", cold("leds_per_block"), cold("pattern_in_registers")),
      less("led.json step 30", "slower than strips", cold("window_strips"), cold("window_boxes")),
      less("led.json step 30", "instead of", cold("window_boxes"), cold("window_strips")),
      less("led.json step 34", "now fits in the", figure("window_boxes", "model.dram_bytes"), l2()),
      less("coalescing.json step 14", "instead of", warm("structures_arrays"),
           warm("structures_fields")),
      less("coalescing.json step 18", "instead of", warm("transpose_tiled"),
           warm("transpose_naive")),
      less("coalescing.json step 19", "the counter falls to",
           figure("transpose_padded", "shared.bank_conflicts"),
           times(0.1, figure("transpose_tiled", "shared.bank_conflicts"))),
      less("coalescing.json step 27", "aggregation pays here", warm("atomics_aggregated"),
           warm("atomics_global")),
      less("coalescing.json step 27", "aggregation does not pay", warm("atomics_global"),
           warm("atomics_aggregated")),
  };
}

// The text of every shipped lesson on every session, in order.
struct Told {
  const NamedSession* session = nullptr;
  NamedText text;
  std::string words;
};
std::vector<Told> all_told() {
  std::vector<Told> told;
  for (const auto& path : shipped_lesson_paths()) {
    for (const NamedText& text : texts_of_lesson(path)) {
      for (const NamedSession& session : sessions()) {
        if (!holds(session.session, *text.scene)) continue;
        told.push_back(
            {&session, text, resolve(text.text, {text.scene, &session.session, text.axes})});
      }
    }
  }
  return told;
}

TEST(ClaimsOnSessions, EveryLessonIsWholeOnEveryDevice) {
  std::set<std::string> devices;
  for (const Told& told : all_told()) {
    devices.insert(told.session->name);
    EXPECT_FALSE(told.words.empty()) << told.text.where;
    for (const char* sign : {"{", "}", "[[", "]]", "||", "=>", "– (", "  ", " .", " ,", ".."})
      EXPECT_THAT(told.words, Not(HasSubstr(sign)))
          << told.text.where << " on " << told.session->name;
  }
  EXPECT_GE(devices.size(), 12u);
}

TEST(ClaimsOnSessions, EveryTextOfEverySceneIsWholeOnEveryDeviceAndWithout) {
  for (const NamedText& text : every_text()) {
    const auto whole = [&](const std::string& words, const std::string& where) {
      for (const char* sign : {"{", "}", "[[", "]]", "||", "=>", "– (", "  ", " .", " ,", ".."})
        EXPECT_THAT(words, Not(HasSubstr(sign))) << text.where << " on " << where;
    };
    if (text.where.find(".json") != std::string::npos) continue;
    whole(resolve(text.text, {text.scene}), "no session");
    EXPECT_FALSE(text.text.empty()) << text.where;
    for (const NamedSession& session : sessions()) {
      if (holds(session.session, *text.scene))
        whole(resolve(text.text, {text.scene, &session.session, text.axes}), session.name);
    }
  }
}

TEST(ClaimsOnSessions, NoLessonSaysWhatAPencilContradicts) {
  const std::vector<Hand> hands = by_hand();
  std::map<const char*, std::set<bool>> seen;
  std::set<std::string> steps;
  for (const Told& told : all_told()) {
    for (const Hand& hand : hands) {
      if (told.text.where != hand.where) continue;
      const Pencil pencil(told.session->session, told.text);
      const bool shown = told.words.find(hand.phrase) != std::string::npos;
      const std::string what = std::string(hand.where) + " on " + told.session->name + ", “" +
                               hand.phrase + "”: " + told.words;
      if (shown) {
        EXPECT_TRUE(hand.so(pencil)) << what;
      } else if (devices_of(told.session->session, *told.text.scene).size() == 1) {
        // A recording from several cards cannot compare all of them with each other.
        EXPECT_FALSE(hand.clearly(pencil)) << what;
      }
      seen[hand.phrase].insert(shown);
      steps.insert(hand.where);
    }
  }
  EXPECT_GE(steps.size(), 18u);
  // The devices differ enough for the sample to mean something.
  const auto flipped = std::count_if(seen.begin(), seen.end(),
                                     [](const auto& each) { return each.second.size() == 2; });
  EXPECT_GE(flipped, 10) << "of " << seen.size();
}

TEST(ClaimsOnSessions, ABentFigureTurnsItsSentence) {
  const Session recorded = read_session(*recorded_session_of("csrmm")).value().session;
  const NamedText text = texts_of_lesson(source_folder() / "assets/lessons/csrmm.json").at(4);
  const auto told = [&](const Session& session) {
    return resolve(text.text, {text.scene, &session, text.axes});
  };
  const Session slower = with_times_of(recorded, "warp_row_branch_free", 3);
  const Session faster = with_times_of(recorded, "warp_row_branch_free", 0.3);
  EXPECT_THAT(told(slower), HasSubstr("which is slower than"));
  EXPECT_THAT(told(faster), HasSubstr("instead of"));
}

TEST(ClaimsOnSessions, TheCardOfASceneStandsOnEveryDevice) {
  for (const NamedSession& session : sessions()) {
    for (const Scene& scene : built_in_catalogue().scenes()) {
      if (!holds(session.session, scene)) continue;
      const auto rows = article_rows({&scene, &session.session});
      EXPECT_EQ(rows.size(), scene.article.size());
      std::size_t not_measured = 0;
      for (const ArticleRow& row : rows) {
        EXPECT_FALSE(row.said.empty());
        EXPECT_FALSE(row.shown.empty()) << row.said;
        EXPECT_THAT(row.shown, Not(HasSubstr("– ("))) << row.said << " on " << session.name;
        // A recording from several cards cannot compare all of them with each other.
        const bool one_device = devices_of(session.session, scene).size() == 1;
        if (row.standing != ClaimStanding::unknown || !one_device) continue;
        // A point above a roof has no roof that limits it: the text says so, and the point takes no
        // part.
        if (row.shown.find("above the ") != std::string::npos) continue;
        EXPECT_THAT(row.shown, AnyOf(HasSubstr("not measured"), HasSubstr("needs the fact")))
            << row.said << " on " << session.name;
        if (!is_awaited(scene.name, row.said)) ++not_measured;
      }
      EXPECT_EQ(not_measured, 0u) << scene.name << " on " << session.name;
    }
  }
}

TEST(ClaimsOnSessions, TheCardTurnsWithABentFigureAndSaysWhatIsMissing) {
  const Scene& scene = *built_in_catalogue().find("csrmm").value();
  const Session recorded = read_session(*recorded_session_of("csrmm")).value().session;
  const auto row = [&](const Session& session) {
    const auto rows = article_rows({&scene, &session});
    const auto found = std::find_if(rows.begin(), rows.end(), [](const ArticleRow& each) {
      return each.said.starts_with("Removing the test for zero");
    });
    return found == rows.end() ? ArticleRow{} : *found;
  };
  EXPECT_EQ(row(with_times_of(recorded, "warp_row_branch_free", 0.5)).standing,
            ClaimStanding::holds);
  EXPECT_EQ(row(with_times_of(recorded, "warp_row_branch_free", 2)).standing,
            ClaimStanding::does_not_hold);
  const ArticleRow lacking = row(Session());
  EXPECT_EQ(lacking.standing, ClaimStanding::unknown);
  EXPECT_THAT(lacking.shown, HasSubstr("needs time.warm of warp-row branch-free"));
  EXPECT_THAT(lacking.remedy, HasSubstr("warpscope measure csrmm/warp_row_branch_free"));
}

ArticleRow row_of(const Session& session, const std::string& scene, const std::string& said) {
  for (const ArticleRow& each : article_rows({*built_in_catalogue().find(scene), &session})) {
    if (each.said.starts_with(said)) return each;
  }
  ADD_FAILURE() << "no claim begins with “" << said << "”";
  return {};
}

// The recording of a scene with one figure of one variant multiplied.
Session bent(const std::string& scene, const std::string& variant, const std::string& id,
             double factor) {
  const Session recorded = read_session(*recorded_session_of(scene)).value().session;
  Session made;
  for (const Measurement* point : recorded.all_points()) {
    Measurement copy = *point;
    for (MetricValue& value : copy.metrics) {
      if (copy.variant == variant && value.id == id && value.value) *value.value *= factor;
    }
    made.apply(copy);
  }
  return made;
}

TEST(ClaimsOnSessions, TheWordsOfACardFollowItsVerdict) {
  struct Case {
    const char *said, *id, *otherwise;
  };
  for (const Case& each :
       {Case{"First cause", "shared.bank_conflicts", "It is not latency"},
        Case{"A pattern is loaded once", "l2.bytes_to_sm", "a block is one frame"}}) {
    const ArticleRow as_recorded =
        row_of(bent("led", "grid3d_shared_pattern", each.id, 1), "led", each.said);
    EXPECT_EQ(as_recorded.standing, ClaimStanding::does_not_hold) << each.said;
    EXPECT_THAT(as_recorded.shown, HasSubstr(each.otherwise));
    const ArticleRow other =
        row_of(bent("led", "grid3d_shared_pattern", each.id, 1e-6), "led", each.said);
    EXPECT_EQ(other.standing, ClaimStanding::holds) << each.said;
    EXPECT_THAT(other.shown, Not(HasSubstr(each.otherwise)));
  }
}

TEST(ClaimsOnSessions, TheCardHoldsABatchToTheBestOfItsKind) {
  const Session recorded = read_session(*recorded_session_of("led")).value().session;
  EXPECT_EQ(row_of(recorded, "led", "Several LEDs per block").standing, ClaimStanding::holds);
  Session slower = with_times_of(recorded, "window_boxes", 9);
  for (const char* variant : {"window_strips", "leds_per_block"})
    slower = with_times_of(slower, variant, 9);
  EXPECT_EQ(row_of(slower, "led", "Several LEDs per block").standing, ClaimStanding::does_not_hold);
}

// “Costs 87 %” would hold beside 203 % if the claim only said “more than half”.
TEST(ClaimsOnSessions, AFigureThatACardQuotesIsTestedOnBothSides) {
  const std::regex quoted(R"(\d ?(%|×(?!\d)|ms|µs|GB|times))");
  int found = 0;
  for (const Scene& scene : built_in_catalogue().scenes()) {
    for (const ArticleClaim& claim : scene.article) {
      if (!std::regex_search(claim.said, quoted)) continue;
      ++found;
      const bool bound = claim.said.find("at best") != std::string::npos ||
                         claim.said.find("at most") != std::string::npos;
      const bool range = claim.expression.find(">=") != std::string::npos &&
                         claim.expression.find("<=") != std::string::npos;
      EXPECT_THAT(claim.expression, HasSubstr(bound || range ? "<=" : "within")) << claim.said;
    }
  }
  EXPECT_GE(found, 7);
  const ArticleRow shuffles = row_of(read_session(*recorded_session_of("csrmm")).value().session,
                                     "csrmm", "Broadcasting indices");
  EXPECT_EQ(shuffles.standing, ClaimStanding::does_not_hold) << shuffles.shown;
}

}  // namespace
}  // namespace warpscope
