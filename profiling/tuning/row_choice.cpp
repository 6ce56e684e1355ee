// profiling/tuning/row_choice.cpp: which row an automatic row runs on a device.
#include "profiling/tuning/row_choice.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "profiling/figures/metric.h"
#include "scenes/base/kernel_parts.h"
#include "scenes/base/source.h"

namespace warpscope {
namespace {

const TriedRow* of_row(const std::vector<TriedRow>& tried, const ChosenRow& row) {
  const auto found =
      std::ranges::find_if(tried, [&row](const TriedRow& each) { return each.row == row; });
  return found == tried.end() ? nullptr : &*found;
}

// Rows that have times, shortest first.
std::vector<const TriedRow*> timed(const std::vector<TriedRow>& tried) {
  std::vector<const TriedRow*> rows;
  for (const TriedRow& each : tried) {
    if (each.ns) rows.push_back(&each);
  }
  std::ranges::stable_sort(rows, {}, [](const TriedRow* row) { return *row->ns; });
  return rows;
}

ChoicePlace place_of(const RowQuestion& q, const std::vector<ExpectedTime>& nearest) {
  ChoicePlace place;
  place.device = q.device;
  place.compute_capability = q.limits.compute_capability;
  place.driver = q.driver;
  place.scene = q.scene.name;
  place.row = q.automatic.name;
  place.problem = problem_key(q.scene.axes, q.workload.axes);
  place.facts = q.workload.facts;
  for (const ExpectedTime& each : nearest)
    place.candidates +=
        to_text(each.row) + " " + q.code_id(taking(q.scene, q.automatic, each.row)) + "\n";
  return place;
}

Result<RowChoice> by_known(const RowQuestion& q, std::vector<TriedRow> tried, PickReason reason) {
  const std::vector<const TriedRow*> rows = timed(tried);
  if (rows.empty()) {
    std::string why;
    for (const TriedRow& each : tried)
      why +=
          (why.empty() ? "" : "; ") + label_of(q.scene.variants, each.row) + ": " + each.left_out;
    return failure(ErrorKind::input, "none of the candidates can be taken here: " + why,
                   q.automatic.name, "run another variant of the scene");
  }
  auto picked = std::make_shared<PickedRow>();
  picked->row = rows.front()->row;
  picked->reason = reason;
  picked->tried = std::move(tried);
  return RowChoice{picked, taking(q.scene, q.automatic, picked->row), why_text(q.scene, *picked)};
}

// Times what has no time yet. What ends the process is noted before.
Result<void> time_rows(const RowQuestion& q, const std::vector<ExpectedTime>& nearest,
                       const ChoicePlace& place, ChoiceMemory& memory, const TryRow& try_row,
                       std::vector<TriedRow>& tried, bool& for_now) {
  for (const ExpectedTime& each : nearest) {
    if (of_row(tried, each.row) != nullptr) continue;
    Result<RowTrial> trial = try_row(each.row, taking(q.scene, q.automatic, each.row));
    if (!trial && trial.error().kind != ErrorKind::fault) return tl::unexpected(trial.error());
    tried.push_back({each.row, each.ns, trial ? trial->ns : std::nullopt,
                     trial ? trial->left_out : sentence(trial.error())});
    for_now = for_now || (trial && trial->for_now);
    if (trial) continue;
    memory.keep(place, {tried, false});
    return tl::unexpected(trial.error());
  }
  return {};
}

Result<RowChoice> by_times(const RowQuestion& q, const std::vector<ExpectedTime>& nearest,
                           ChoiceMemory& memory, const TryRow& try_row) {
  const ChoicePlace place = place_of(q, nearest);
  std::optional<KnownChoice> known = memory.recall(place);
  if (known && known->finished) return by_known(q, known->tried, PickReason::remembered);
  if (!q.may_time) return RowChoice{};
  const CacheTurn turn = memory.turn(place);
  if (!known) known = memory.recall(place);  // of the process that had the turn before
  if (known && known->finished) return by_known(q, known->tried, PickReason::remembered);
  std::vector<TriedRow> tried = known ? std::move(known->tried) : std::vector<TriedRow>{};
  bool for_now = false;
  if (Result<void> done = time_rows(q, nearest, place, memory, try_row, tried, for_now); !done)
    return tl::unexpected(done.error());
  std::ranges::stable_sort(tried, {}, &TriedRow::expected_ns);
  if (!for_now) memory.keep(place, {tried, true});
  return by_known(q, std::move(tried), PickReason::measured);
}

RowChoice by_table(const RowQuestion& q, const ExpectedTime& first, bool instead) {
  auto picked = std::make_shared<PickedRow>();
  picked->row = first.row;
  if (!instead) return {picked, std::nullopt, ""};
  return {picked, taking(q.scene, q.automatic, first.row),
          label_of(q.scene.variants, {first.row.variant, {}}) + ": fitted costs: " +
              format_value(first.ns, "ns") + " expected on an " + q.model->device};
}

}  // namespace

std::vector<ExpectedTime> timed_rows(const Scene& scene, const ChoiceFeatures& features,
                                     const CostTable& table, const Workload& workload,
                                     const DeviceLimits& device) {
  std::vector<ExpectedTime> rows =
      runnable_rows(scene, features, where_checked(table), workload, device);
  rows.resize(std::min(rows.size(), kTimedRows));
  return rows;
}

Result<RowChoice> choose_row(const RowQuestion& q, ChoiceMemory& memory, const TryRow& try_row) {
  const Result<const ChoiceScene*> about = find_choice_scene(q.scene.name);
  const CostTable* table = q.model == nullptr ? nullptr : q.model->table(q.automatic.name);
  if (!about || table == nullptr) return RowChoice{};
  const ChoiceFeatures features = (*about)->features(q.scene.axes);
  // On the device of the fit, as the row itself takes it.
  const bool fitted_here = q.model->device == q.device;
  const DeviceLimits& limits = fitted_here ? kDesignDevice : q.limits;
  const auto nearest = timed_rows(q.scene, features, *table, q.workload, limits);
  if (nearest.empty()) return RowChoice{};  // the row says itself that none can run
  const bool known = fitted_here && (nearest.front().measured || nearest.size() == 1);
  if (q.by == ChooseBy::measure || (q.by == ChooseBy::device && !known)) {
    RowQuestion asked = q;
    asked.may_time = q.may_time && (q.by == ChooseBy::measure || !q.live || !fitted_here);
    Result<RowChoice> choice = by_times(asked, nearest, memory, try_row);
    if (!choice || choice->picked) return choice;
  }
  const auto rows = runnable_rows(q.scene, features, *table, q.workload, limits);
  return rows.empty() ? RowChoice{} : by_table(q, rows.front(), !fitted_here);
}

std::string why_text(const Scene& scene, const PickedRow& picked) {
  const std::vector<const TriedRow*> rows = timed(picked.tried);
  // The label alone comes first: that is how other sentences find the row.
  std::string text = label_of(scene.variants, {picked.row.variant, {}});
  text += picked.reason == PickReason::measured ? ": measured now: " : ": remembered: ";
  for (const auto& [axis, value] : picked.row.axes) text += axis + "=" + value + ", ";
  text += rows.empty() ? "no time" : format_value(*rows.front()->ns, "ns");
  if (rows.size() > 1)
    text += "; the next, " + label_of(scene.variants, rows[1]->row) + ", " +
            format_value(*rows[1]->ns, "ns");
  for (const TriedRow& each : picked.tried) {
    if (!each.ns)
      text += "; left out: " + label_of(scene.variants, each.row) + ", " + each.left_out;
  }
  return text;
}

}  // namespace warpscope
