// workbench/workspace/selection/named_baselines.cpp: points under names of a person's.
#include "workbench/workspace/selection/named_baselines.h"

#include <algorithm>
#include <utility>

#include "scenes/catalogue.h"
#include "scenes/host/clock.h"

namespace warpscope {
namespace {

template <typename Baselines>
auto place_of(Baselines& all, const std::string& id) {
  return std::find_if(all.begin(), all.end(), [&id](const auto& each) { return each->id == id; });
}

bool has_name(const NamedBaselines& baselines, const std::string& name) {
  return std::any_of(baselines.all.begin(), baselines.all.end(),
                     [&name](const auto& each) { return each->name == name; });
}

std::string without_spaces_around(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

}  // namespace

const NamedBaseline* find_baseline(const NamedBaselines& baselines, const std::string& id) {
  const auto found = place_of(baselines.all, id);
  return found == baselines.all.end() ? nullptr : found->get();
}

const NamedBaseline* chosen_baseline(const NamedBaselines& baselines) {
  return baselines.chosen.empty() ? nullptr : find_baseline(baselines, baselines.chosen);
}

void add_baseline(NamedBaselines& baselines, const Measurement& point, const std::string& name,
                  const std::string& session) {
  NamedBaseline made{"", name, session, false, point};
  for (int number = 2; has_name(baselines, made.name); ++number)
    made.name = name + " " + std::to_string(number);
  made.id = now_utc() + " " + made.name;
  while (find_baseline(baselines, made.id) != nullptr) made.id += "+";
  made.point.job = 0;
  baselines.chosen = made.id;
  baselines.all.push_back(std::make_shared<const NamedBaseline>(std::move(made)));
}

Result<void> rename_baseline(NamedBaselines& baselines, const std::string& id,
                             const std::string& name) {
  const auto found = place_of(baselines.all, id);
  if (found == baselines.all.end()) return {};
  const std::string wanted = without_spaces_around(name);
  if (wanted.empty()) return failure(ErrorKind::usage, "a baseline needs a name", "", "type one");
  if (wanted == (*found)->name) return {};
  if (has_name(baselines, wanted))
    return failure(ErrorKind::usage, "another baseline has this name", wanted, "type another one");
  NamedBaseline renamed = **found;
  renamed.name = wanted;
  *found = std::make_shared<const NamedBaseline>(std::move(renamed));
  return {};
}

void remove_baseline(NamedBaselines& baselines, const std::string& id) {
  std::erase_if(baselines.all, [&id](const auto& each) { return each->id == id; });
  if (baselines.chosen == id) baselines.chosen.clear();
}

std::vector<NamedBaseline> changes_between(const NamedBaselines& before,
                                           const NamedBaselines& now) {
  std::vector<NamedBaseline> changes;
  if (before.all == now.all) return changes;
  for (const auto& each : before.all) {
    if (find_baseline(now, each->id) != nullptr) continue;
    NamedBaseline& gone = changes.emplace_back();
    gone.id = each->id;
    gone.removed = true;
  }
  for (const auto& each : now.all) {
    if (std::find(before.all.begin(), before.all.end(), each) == before.all.end())
      changes.push_back(*each);
  }
  return changes;
}

std::string describe(const NamedBaseline& baseline) {
  const Measurement& point = baseline.point;
  const Scene* scene = catalogue_of(point).find(point.scene).value_or(nullptr);
  const Variant* variant = scene == nullptr ? nullptr : find_variant(*scene, point.variant);
  std::string values;
  for (const auto& [axis, value] : point.axes.values()) {
    const Axis* known = scene == nullptr ? nullptr : find_axis(scene->axes, axis);
    if (known != nullptr && value == known->default_value) continue;
    values += (values.empty() ? "" : ", ") + axis + "=" + to_text(value);
  }
  return (variant == nullptr ? point.variant : variant->label) +
         (values.empty() ? "" : " at " + values) +
         (baseline.session.empty() ? "" : ", from " + baseline.session);
}

}  // namespace warpscope
