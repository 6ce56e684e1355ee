// scenes/choice_scenes.h: which scenes have automatic rows, and what their costs may depend on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenes/choice/choose.h"

namespace warpscope {

struct ChoiceScene {
  const char* scene;
  std::vector<const char*> rows;  // its automatic rows: one table each
  bool cold;                      // whether they are judged by times with cold caches
  ChoiceFeatures (*features)(const std::vector<Axis>& axes);
};
const std::vector<ChoiceScene>& choice_scenes();
// error: usage, with the scenes there are.
Result<const ChoiceScene*> find_choice_scene(std::string_view name);

// The variants that an automatic row may take: those with its reference, accuracy and league, but
// neither automatic rows nor rows that are wrong on purpose or have no use but to teach.
std::vector<const Variant*> choice_candidates(const Scene& scene, std::string_view automatic);

// Those rows of expected_times that apply at a workload and can run there on `device`, shortest
// first.
std::vector<ExpectedTime> runnable_rows(const Scene& scene, const ChoiceFeatures& features,
                                        const CostTable& table, const Workload& workload,
                                        const DeviceLimits& device);
// The table for rows whose output is checked before one is taken: those that were wrong with one of
// the workload's choices are expected like others.
CostTable where_checked(CostTable table);
// What a row runs at where an automatic row takes it at `workload`.
Workload workload_of(const std::vector<Axis>& axes, const Workload& workload, const ChosenRow& row);
// An automatic row that takes this row of its scene whatever its table says. The row must exist.
Variant taking(const Scene& scene, const Variant& automatic, const ChosenRow& row);

}  // namespace warpscope
