// profiling/tuning/choice_story.h: which row fitted costs take at a workload, and what decides it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenes/choice_scenes.h"

//   const Result<ChoiceStory> story = choice_story(scene, "auto", workload, device);
//   for (const ExpectedTime& row : story->rows) …          // shortest first
//   for (const Decider& decider : story->deciders) …       // largest share first

namespace warpscope {

// Whether this variant of a scene chooses by fitted costs that are compiled in.
bool chooses_by_costs(const Scene& scene, const std::string& variant);
// The scene's first variant that does; null: none does.
const Variant* variant_by_costs(const Scene& scene);

// A feature of the costs, by what the predictions would be if it had another value: half or twice
// the number, or another choice of the table. The value that costs the first row most of its lead
// counts; if none does, the one that lengthens the lead most.
struct Decider {
  std::string name;   // "mean_row"
  std::string label;  // "mean entries per row of C"
  std::string value;  // here: "200", "f16"
  std::string other;  // "100", "f32"
  // How far the logarithm of second / first falls at the other value: above 0, the feature is for
  // the first row.
  double shift = 0;
  double other_lead = 0;   // that logarithm there: below 0, the second row is the faster one
  double share_ratio = 0;  // of the sum of all features' shifts, without their signs
};

struct ChoiceStory {
  const ChoiceModel* model = nullptr;
  std::vector<ExpectedTime> rows;  // that can run on the device, shortest first; may be empty
  // What speaks for the first row against the second, the largest share first. Empty if the table
  // has a time of this configuration, so that nothing is predicted, or if there is one row.
  std::vector<Decider> deciders;
  // What a first run here times; empty if the table has a time of this configuration, or if there
  // is one row.
  std::vector<ExpectedTime> timed;
};

// The expected times alone. error: usage: no costs; input: a fact of the inputs is missing.
Result<std::vector<ExpectedTime>> expected_rows(const Scene& scene, const std::string& automatic,
                                                const Workload& workload,
                                                const DeviceLimits& device);
// error: as expected_rows.
Result<ChoiceStory> choice_story(const Scene& scene, const std::string& automatic,
                                 const Workload& workload, const DeviceLimits& device);
// The same by a given model.
Result<ChoiceStory> choice_story(const Scene& scene, const ChoiceModel& model,
                                 const ChoiceFeatures& features, const std::string& automatic,
                                 const Workload& workload, const DeviceLimits& device);

}  // namespace warpscope
