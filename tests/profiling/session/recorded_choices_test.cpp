// tests/profiling/session/recorded_choices_test.cpp: automatic choices keep what they promise at
// every point that is recorded: 3 %, but for one scene.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "profiling/session/session.h"
#include "profiling/session/source_standing.h"
#include "scenes/catalogue.h"
#include "tests/recorded_session.h"

namespace warpscope {
namespace {

struct Choosing {
  const char *scene, *variant;
  CacheState cache;
  int at_least;  // points at which the choice is checked
  // How long the choice may take, over the best. Fitted costs are not told of points at which few
  // rows were timed, and may miss there.
  double most = 1.03;
};
void PrintTo(const Choosing& choosing, std::ostream* out) { *out << choosing.scene; }

std::optional<double> median(const Measurement& m, CacheState cache) {
  const std::optional<Timing>& timing = cache == CacheState::cold ? m.cold : m.warm;
  if (m.verdict.outcome != Outcome::correct || !timing) return std::nullopt;
  return timing->median_ns;
}

// Whether it computes what the choice promises: the same terms, with the same bound.
bool alike(const Variant& v, const Variant& choice, const Configuration& axes) {
  const auto bound = [&axes](const Variant& of) {
    const Tolerance t = of.tolerance_at ? of.tolerance_at(axes) : of.tolerance;
    return std::tuple(t.accumulation, t.magnitude, t.reference, t.absolute);
  };
  return v.reference == choice.reference && v.accuracy == choice.accuracy && !v.expected_fault &&
         bound(v) == bound(choice);
}

// The variant whose steps the choice takes, by its label or name before the reason.
const Variant* picked(const Scene& scene, const std::string& choice) {
  const std::string name = choice.substr(0, choice.find(": "));
  for (const Variant& v : scene.variants) {
    if (v.name == name || v.label == name) return &v;
  }
  return nullptr;
}

// The kernels of a call as they are compiled: of two rows that launch the same, either's time will
// do, for the card's clock moves by 3 % between the two.
using Defines = std::vector<std::pair<std::string, std::string>>;
std::vector<std::tuple<std::string, std::string, Defines>> kernels(const Variant& v,
                                                                   const Workload& w) {
  std::vector<std::tuple<std::string, std::string, Defines>> all;
  for (const Step& step : v.steps(w)) {
    if (const auto* kernel = std::get_if<KernelLaunch>(&step.action))
      all.emplace_back(kernel->source, kernel->entry, kernel->defines);
  }
  return all;
}

// The time of what the choice launches now: of its own point where that is of today's sources, of
// the row that it picks where that launches the same; the shorter of both.
std::optional<double> time_of_choice(const Scene& scene, const Variant& choice,
                                     const Variant& chosen, const Measurement& own,
                                     const Measurement* its, CacheState cache,
                                     SourceStandings* standings) {
  std::optional<double> time;
  if (standings->of(own).state == SourceState::same) time = median(own, cache);
  if (its == nullptr || !median(*its, cache)) return time;
  const Workload w{for_variant(scene.axes, own.axes, choice.name), own.facts};
  const Workload there{for_variant(scene.axes, its->axes, chosen.name), its->facts};
  if (kernels(choice, w) != kernels(chosen, there)) return time;
  return std::min(time.value_or(*median(*its, cache)), *median(*its, cache));
}

class RecordedChoices : public ::testing::TestWithParam<Choosing> {};

TEST_P(RecordedChoices, AreNearTheBestRecorded) {
  const Choosing& choosing = GetParam();
  const Scene& scene = **built_in_catalogue().find(choosing.scene);
  const Variant& choice = *find_variant(scene, choosing.variant);
  const Result<SessionReading> reading = read_session(recorded_session(choosing.scene));
  ASSERT_TRUE(reading) << sentence(reading.error());
  std::map<std::string, std::map<std::string, const Measurement*>> points;
  for (const Measurement* m : reading->session.all_points()) {
    if (m->scene != scene.name || find_variant(scene, m->variant) == nullptr) continue;
    // Only points at the defaults of the variant's own axes: those are what the choice would
    // launch.
    const Configuration own = for_variant(scene.axes, m->axes, m->variant);
    Configuration plain = own;
    for (const Axis& axis : scene.axes) {
      if (!of_problem(axis)) plain.unset(axis.name);
    }
    if (own == for_variant(scene.axes, plain, m->variant))
      points[problem_key(scene.axes, plain)][m->variant] = m;
  }
  // What it picks at one of the points it might at each, of whatever class: a bound may be another
  // one where a transform leaves rests.
  std::set<const Variant*> picks;
  for (const auto& [key, at] : points) {
    const auto found = at.find(choice.name);
    if (found == at.end()) continue;
    const Workload w{for_variant(scene.axes, found->second->axes, choice.name),
                     found->second->facts};
    picks.insert(picked(scene, choice.choice(w)));
  }
  int held = 0;
  SourceStandings standings(built_in_catalogue());
  for (const auto& [key, at] : points) {
    const auto found = at.find(choice.name);
    if (found == at.end() || at.size() < 3) continue;
    const Workload w{for_variant(scene.axes, found->second->axes, choice.name),
                     found->second->facts};
    const std::string said = choice.choice(w);
    const Variant* const chosen = picked(scene, said);
    ASSERT_NE(chosen, nullptr) << said;
    const auto its = at.find(chosen->name);
    const std::optional<double> taken =
        time_of_choice(scene, choice, *chosen, *found->second,
                       its == at.end() ? nullptr : its->second, choosing.cache, &standings);
    if (!taken) continue;
    const Measurement* best = nullptr;
    for (const auto& [name, m] : at) {
      const Variant& v = *find_variant(scene, name);
      const bool may_be = picks.contains(&v) || alike(v, choice, w.axes);
      if (&v == &choice || !may_be || !median(*m, choosing.cache)) continue;
      if (best == nullptr || *median(*m, choosing.cache) < *median(*best, choosing.cache)) best = m;
    }
    ASSERT_NE(best, nullptr) << key;
    ++held;
    EXPECT_LE(*taken, choosing.most * *median(*best, choosing.cache))
        << said << "; the best is " << best->variant << " at " << key;
  }
  EXPECT_GE(held, choosing.at_least);
}

INSTANTIATE_TEST_SUITE_P(
    Scenes, RecordedChoices,
    ::testing::Values(Choosing{"csrmm", "auto", CacheState::warm, 30},
                      Choosing{"led", "pick_by_shape", CacheState::cold, 40},
                      Choosing{"esmm", "auto", CacheState::warm, 12},
                      Choosing{"esmm", "auto_fp32_tensor", CacheState::warm, 4},
                      Choosing{"esmm", "auto_tf32", CacheState::warm, 4},
                      Choosing{"esmm", "auto_bf16", CacheState::warm, 4},
                      Choosing{"deform", "auto", CacheState::warm, 12, 1.06},
                      Choosing{"autoencoder", "auto", CacheState::warm, 8},
                      Choosing{"autoencoder", "auto_bf16", CacheState::warm, 8},
                      Choosing{"autoencoder", "step_auto", CacheState::warm, 5},
                      Choosing{"autoencoder", "step_auto_fp32_tensor", CacheState::warm, 5},
                      Choosing{"autoencoder", "step_auto_tf32", CacheState::warm, 5},
                      Choosing{"autoencoder", "step_auto_bf16", CacheState::warm, 4}),
    [](const auto& param) { return std::string(param.param.scene) + "_" + param.param.variant; });

// The figures that ship are of the sources that ship: an axis or a file that came later changed
// none of their points.
TEST(RecordedSeeds, HavePointsOfTodaysSources) {
  for (const char* name : {"csrmm", "led"}) {
    const Scene& scene = **built_in_catalogue().find(name);
    const Result<SessionReading> reading = read_session(recorded_session(name));
    ASSERT_TRUE(reading) << sentence(reading.error());
    std::set<std::string> seen;
    SourceStandings standings(built_in_catalogue());
    for (const Measurement* m : reading->session.all_points()) {
      const Variant* const v = find_variant(scene, m->variant);
      ASSERT_NE(v, nullptr) << m->variant;
      const bool came_later = std::ranges::any_of(scene.axes, [&](const Axis& axis) {
        return axis.before && !of_problem(axis) && of_variant(axis, v->name);
      });
      if (!came_later) continue;
      EXPECT_NE(standings.of(*m).state, SourceState::changed) << m->variant << " at " << m->key;
      seen.insert(m->variant);
    }
    EXPECT_GE(seen.size(), 2u) << name;
  }
}

}  // namespace
}  // namespace warpscope
