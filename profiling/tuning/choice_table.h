// profiling/tuning/choice_table.h: the times of all rows that an automatic row chooses from, one
// line per configuration.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "profiling/session/session.h"
#include "scenes/choice_scenes.h"

//   const ChoiceTable table = choice_table(session, scene, **find_choice_scene("csrmm"), "auto");
//   for (const ChoicePoint& point : table.points) show(point.problem, point.best_ns);

namespace warpscope {

// One configuration of the problem on one device.
struct ChoicePoint {
  std::string device, problem;
  Workload workload;
  std::map<ChosenRow, double> ns;  // medians of rows whose output was correct; never empty
  std::set<ChosenRow> refused;     // rows that did not run there, and rows whose output was wrong
  std::set<ChosenRow> libraries;   // of those with a time, the ones that call a vendor's library
  std::set<std::string>
      unusable;  // variants that do not apply there, or whose constraints forbid it
  double best_ns = 0;
  ChosenRow best;
  // What the automatic row itself took when the session was recorded, and its words.
  std::optional<double> recorded_ns;
  std::string recorded_choice;
  // best / time: 1 is the best. No value if the row has no time here.
  std::optional<double> ratio(const ChosenRow& row) const;
  // Whether the row's constraints let an automatic row take it there. What came out wrong there is
  // not known before it has run.
  bool usable(const ChosenRow& row) const { return unusable.count(row.variant) == 0; }
};

struct ChoiceTable {
  std::string row;  // the automatic row
  bool cold = false;
  std::vector<ChoicePoint> points;
  int measured = 0;  // times in all points
  int left_out = 0;  // configurations at which too few rows were timed to know the best
  std::string device, driver, date, build;  // of the newest point
};

// At least half of the rows that apply must have been measured at a configuration, or five.
// Points whose facts an older version recorded without a name that is asked today are left out.
ChoiceTable choice_table(const Session& session, const Scene& scene, const ChoiceScene& about,
                         std::string_view automatic);

// How a choice does at points, and each point for itself.
struct ChoiceScore {
  struct Judged {
    const ChoicePoint* point = nullptr;
    ChosenRow taken;
    std::optional<double> ratio;  // best / time; no value: the taken row has no time there
    bool refused = false;         // it was wrong there, or did not run
  };
  std::vector<Judged> judged;
  int unknown = 0;  // points without a ratio, which count in no mean and no share
  int refused = 0;  // of these, where the taken row was wrong or did not run
  int within_3 = 0, within_5 = 0;
  double geometric_mean = 1, worst = 1;
  int known() const { return static_cast<int>(judged.size()) - unknown; }
};
// `timed`: how many of the rows with the shortest expected times are timed, so that the fastest of
// them is taken. A point of the table takes the row that it names.
ChoiceScore score_of(const CostTable& table, const ChoiceFeatures& features,
                     const std::vector<const ChoicePoint*>& points, std::size_t timed = 1);
// The same for the automatic row as it was recorded. Points at which it was not measured are
// unknown.
ChoiceScore recorded_score(const std::vector<const ChoicePoint*>& points);
// Counts and means of what `judged` holds.
void summarise(ChoiceScore& score);

std::vector<const ChoicePoint*> all_points_of(const ChoiceTable& table);

}  // namespace warpscope
