// profiling/tuning/tuning.h: a search over a variant's own axes that knows when to stop.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiling/points/measurement.h"
#include "scenes/base/scene.h"

// Candidates are all values of the variant's compile-time and launch axes at one configuration of
// the problem, tried in an order drawn at random: so what was tried is a sample of all of them, and
// the search may say what is left. It stops
//   - when all are tried, or the budget of points or seconds is spent;
//   - when of the last 59 none was faster than the best by more than the noise. Had a twentieth of
//   all
//     candidates been faster, that would happen in one search of twenty: (1 − 0.05)^59 < 0.05.
//     source: Wilks, "Determination of sample sizes for setting tolerance limits", Annals of
//     Mathematical Statistics 12, 1941; Hanley and Lippman-Hand, "If nothing goes wrong, is
//     everything all right?", JAMA 249, 1983.
// "Faster" is the verdict of compare_times: by more than the noise of both. Each point is measured
// through the gate of every measurement: one without a correct output has no time and is never
// best.
//
// Kernel Tuner, Optuna and OpenTuner search as well, and better in large spaces; they are Python,
// of which Debian 12 packages none, and would time without our gate, cold caches and noise.
//
//   Result<Candidates> all = candidates_of(scene, variant, {{"m", "1000"}}, {{"UNROLL", "1,2,4"}});
//   Tuning tuning(*all, {.points = 40, .seconds = 60});
//   while (const auto axes = tuning.next(elapsed_s)) tuning.tell(measure(*axes));
//   show(tuning.why_it_ended());

namespace warpscope {

inline constexpr int kInARow = 59;  // without a faster one; see above

struct Candidates {
  std::vector<std::string> searched;                       // the axes, in the scene's order
  std::vector<std::map<std::string, std::string>> points;  // changes, as a job takes them
  struct Skipped {
    std::map<std::string, std::string> axes;
    std::string reason;
  };
  std::vector<Skipped> skipped;  // that break a constraint
};

// `fixed`: values of other axes; `ranges`: of those that are searched, as parse_axis_range takes
// them; of the variant's compile-time and launch axes that are not named every stop and choice,
// else five values over the range. error: usage: no axis to search, a value, over 100 000
// candidates; as the scene's inputs.
Result<Candidates> candidates_of(const Scene& scene, const Variant& variant,
                                 const std::map<std::string, std::string>& fixed,
                                 const std::map<std::string, std::string>& ranges);

struct TuneBudget {
  int points = 200;
  double seconds = 300;
  std::uint64_t seed = 1;  // of the order
};

class Tuning {
 public:
  Tuning(Candidates candidates, TuneBudget budget);
  // What to measure now; no value: it has ended. The variant's own defaults come first.
  std::optional<std::map<std::string, std::string>> next(double elapsed_s);
  void tell(const Measurement& measured);

  const Measurement* best() const { return best_ ? &*best_ : nullptr; }
  int tried() const { return tried_; }
  int wrong() const { return wrong_; }  // tried, and without a time
  const Candidates& candidates() const { return candidates_; }
  // "59 in a row were no faster than the best by more than the noise: …".
  const std::string& why_it_ended() const { return ended_; }

 private:
  Candidates candidates_;
  TuneBudget budget_;
  std::vector<std::size_t> order_;
  std::optional<Measurement> best_;
  int tried_ = 0, wrong_ = 0, in_a_row_ = 0;
  std::string ended_;
};

}  // namespace warpscope
