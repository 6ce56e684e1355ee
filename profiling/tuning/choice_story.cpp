// profiling/tuning/choice_story.cpp: which row fitted costs take at a workload, and what decides
// it.
#include "profiling/tuning/choice_story.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

#include "profiling/tuning/row_choice.h"

namespace warpscope {
namespace {

struct Costs {
  const ChoiceModel* model;
  const CostTable* table;
  ChoiceFeatures features;
};

Result<Costs> costs_of(const Scene& scene, const std::string& automatic) {
  const Result<const ChoiceScene*> about = find_choice_scene(scene.name);
  const ChoiceModel* model = about ? built_in_choice(scene.name) : nullptr;
  const CostTable* table = model == nullptr ? nullptr : model->table(automatic);
  if (table == nullptr)
    return failure(ErrorKind::usage, automatic + " does not choose by fitted costs", scene.name,
                   "look at a variant that does");
  return Costs{model, table, (*about)->features(scene.axes)};
}

tl::unexpected<Error> without_facts(const std::string& automatic) {
  return failure(ErrorKind::input,
                 "the costs ask for facts of the inputs, which are not known before they are made",
                 automatic, "run a variant here");
}

// What each feature is at a workload, so that it is asked once.
struct FixedFeature {
  const ChoiceFeature* of = nullptr;
  std::optional<double> number;
  std::optional<std::string> text;
};

ChoiceFeatures as_features(const std::vector<FixedFeature>& fixed) {
  ChoiceFeatures features;
  for (const FixedFeature& each : fixed) {
    ChoiceFeature feature = *each.of;
    if (feature.number) feature.number = [value = each.number](const Workload&) { return value; };
    if (feature.text) feature.text = [value = each.text](const Workload&) { return value; };
    features.push_back(std::move(feature));
  }
  return features;
}

std::optional<double> ns_of(const std::vector<ExpectedTime>& times, const ChosenRow& row) {
  const auto found = std::ranges::find_if(
      times, [&row](const ExpectedTime& each) { return each.row == row && !each.measured; });
  return found == times.end() ? std::nullopt : std::optional(found->ns);
}

// The logarithm of the second row's time over the first's. No value: one of them has none there.
class Lead {
 public:
  Lead(const CostTable& table, const Workload& workload, ChosenRow first, ChosenRow second)
      : table_(table), workload_(workload), first_(std::move(first)), second_(std::move(second)) {}
  std::optional<double> of(const std::vector<FixedFeature>& fixed) const {
    const auto times = expected_times(table_, as_features(fixed), workload_);
    const auto first = ns_of(times, first_), second = ns_of(times, second_);
    return first && second ? std::optional(std::log(*second / *first)) : std::nullopt;
  }

 private:
  const CostTable& table_;
  const Workload& workload_;
  ChosenRow first_, second_;
};

std::string number_text(double number) { return fmt::format("{:.4g}", number); }

// The lead where one feature has another value.
struct OtherLead {
  std::string value;
  double lead = 0;
};

// At half a number and at twice it, or at the other values of a choice.
std::vector<OtherLead> other_leads(const CostTable& table, const Lead& lead,
                                   const std::vector<FixedFeature>& fixed, std::size_t n) {
  std::vector<FixedFeature> other = fixed;
  std::vector<OtherLead> leads;
  const auto add = [&](std::string value) {
    if (const std::optional<double> there = lead.of(other)) leads.push_back({value, *there});
  };
  if (const std::optional<double> number = fixed[n].number) {
    const std::vector<double> others =
        *number == 0 ? std::vector<double>{1} : std::vector<double>{*number / 2, *number * 2};
    for (const double each : others) {
      other[n].number = each;
      add(number_text(each));
    }
  }
  for (const CostFeature& each : table.features) {
    if (each.name != fixed[n].of->name || each.is.empty()) continue;
    if (fixed[n].text && packed(*fixed[n].text) == each.is) continue;
    other[n].text = each.is;
    add(each.is);
  }
  return leads;
}

std::string value_text(const FixedFeature& feature) {
  if (feature.of->number) return feature.number ? number_text(*feature.number) : "–";
  return feature.text.value_or("–");
}

std::vector<Decider> deciders_of(const CostTable& table, const Lead& lead,
                                 const std::vector<FixedFeature>& fixed) {
  std::vector<Decider> deciders;
  const std::optional<double> here = lead.of(fixed);
  if (!here) return deciders;
  double sum = 0;
  for (std::size_t n = 0; n < fixed.size(); ++n) {
    const std::vector<OtherLead> others = other_leads(table, lead, fixed, n);
    if (others.empty()) continue;
    const auto [least, most] = std::ranges::minmax_element(others, {}, &OtherLead::lead);
    // A feature whose other values only lengthen the lead is for the second row.
    const OtherLead& other = least->lead < *here ? *least : *most;
    if (other.lead == *here) continue;
    deciders.push_back({fixed[n].of->name, fixed[n].of->label, value_text(fixed[n]), other.value,
                        *here - other.lead, other.lead, 0});
    sum += std::abs(deciders.back().shift);
  }
  for (Decider& each : deciders) each.share_ratio = std::abs(each.shift) / sum;
  std::ranges::stable_sort(deciders, std::greater<>(), &Decider::share_ratio);
  return deciders;
}

}  // namespace

bool chooses_by_costs(const Scene& scene, const std::string& variant) {
  return find_variant(scene, variant) != nullptr && costs_of(scene, variant).has_value();
}

const Variant* variant_by_costs(const Scene& scene) {
  const Result<const ChoiceScene*> about = find_choice_scene(scene.name);
  if (!about) return nullptr;
  for (const char* row : (*about)->rows) {
    if (chooses_by_costs(scene, row)) return find_variant(scene, row);
  }
  return nullptr;
}

Result<std::vector<ExpectedTime>> expected_rows(const Scene& scene, const std::string& automatic,
                                                const Workload& workload,
                                                const DeviceLimits& device) {
  const Result<Costs> costs = costs_of(scene, automatic);
  if (!costs) return tl::unexpected(costs.error());
  try {
    return runnable_rows(scene, costs->features, *costs->table, workload, device);
  } catch (const std::out_of_range&) {  // what a map of facts throws
    return without_facts(automatic);
  }
}

Result<ChoiceStory> choice_story(const Scene& scene, const std::string& automatic,
                                 const Workload& workload, const DeviceLimits& device) {
  const Result<Costs> costs = costs_of(scene, automatic);
  if (!costs) return tl::unexpected(costs.error());
  return choice_story(scene, *costs->model, costs->features, automatic, workload, device);
}

Result<ChoiceStory> choice_story(const Scene& scene, const ChoiceModel& model,
                                 const ChoiceFeatures& features, const std::string& automatic,
                                 const Workload& workload, const DeviceLimits& device) {
  const CostTable& table = *model.table(automatic);
  ChoiceStory story;
  story.model = &model;
  try {
    story.rows = runnable_rows(scene, features, table, workload, device);
    story.timed = timed_rows(scene, features, table, workload, device);
    if (story.timed.size() < 2 || story.timed.front().measured) story.timed.clear();
    if (story.rows.size() < 2 || story.rows.front().measured) return story;
    std::set<std::string> used;
    for (const CostFeature& each : table.features) used.insert(each.name);
    std::vector<FixedFeature> fixed;
    for (const ChoiceFeature& each : features) {
      if (used.count(each.name) == 0) continue;
      fixed.push_back({&each, each.number ? each.number(workload) : std::nullopt,
                       each.text ? each.text(workload) : std::nullopt});
    }
    story.deciders =
        deciders_of(table, {table, workload, story.rows[0].row, story.rows[1].row}, fixed);
  } catch (const std::out_of_range&) {
    return without_facts(automatic);
  }
  return story;
}

}  // namespace warpscope
