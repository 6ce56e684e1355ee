// workbench/workspace/selection/named_baselines.h: points under names of a person's, and the one
// that the focus is compared with.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "profiling/points/outcome_messages.h"
#include "scenes/host/result.h"

namespace warpscope {

// A change is another list, so that undo brings back the one before.
struct NamedBaselines {
  std::vector<std::shared_ptr<const NamedBaseline>> all;
  std::string chosen;  // id; empty: the variant that is the baseline
  bool operator==(const NamedBaselines&) const = default;
};

// Null: the variant that is the baseline is compared with.
const NamedBaseline* chosen_baseline(const NamedBaselines& baselines);
const NamedBaseline* find_baseline(const NamedBaselines& baselines, const std::string& id);

// Adds a point and chooses it. A name that is taken gets a number: "before tiling 2". `session`:
// the file that it comes from; empty: it was measured in the session at hand.
void add_baseline(NamedBaselines& baselines, const Measurement& point, const std::string& name,
                  const std::string& session = {});
// error: usage: no name, or one that another baseline has.
Result<void> rename_baseline(NamedBaselines& baselines, const std::string& id,
                             const std::string& name);
// If it was the chosen one, the variant that is the baseline is compared with again.
void remove_baseline(NamedBaselines& baselines, const std::string& id);

// What leads from one list to the other: first those that are gone, with `removed` set, then those
// that are new or have another name.
std::vector<NamedBaseline> changes_between(const NamedBaselines& before, const NamedBaselines& now);

// "float4 columns at n=256, from before.wsj": what a baseline is of.
std::string describe(const NamedBaseline& baseline);

}  // namespace warpscope
