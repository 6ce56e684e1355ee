// workbench/panels/sweep/sweep_expected.cpp: places of a map that were not measured, by fitted
// costs.
#include "workbench/panels/sweep/sweep_expected.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "profiling/session/remedy.h"
#include "profiling/tuning/choice_story.h"
#include "workbench/panels/sweep/sweep_map.h"
#include "workbench/workspace/jobs/sweep_places.h"

namespace warpscope {

// Answers of the costs at the places of one map.
struct KeptExpected {
  // Openings, scene, automatic variant, the two axes, and the values of all others.
  using Of = std::tuple<std::size_t, std::string, std::string, std::string, std::string,
                        std::vector<std::pair<std::string, std::string>>>;
  Of of;
  std::optional<ExpectedPlaces> places;
  std::map<std::pair<AxisValue, AxisValue>, ExpectedPlace> known;
};

namespace {

constexpr std::size_t kMostPlaces = 2500;  // as a sweep may have

// The variant in focus if it chooses by costs, else the first of its league that does.
const Variant* automatic_of(const Scene& scene, const std::string& focus) {
  const Variant* chosen = find_variant(scene, focus);
  if (chosen != nullptr && chooses_by_costs(scene, focus)) return chosen;
  for (const Variant& variant : scene.variants) {
    if (chosen != nullptr && variant.league != chosen->league) continue;
    if (chooses_by_costs(scene, variant.name)) return &variant;
  }
  return nullptr;
}

// The values of an axis with figures, and those that a sweep would take, in order.
std::vector<AxisValue> with_swept(const Axis& axis, const Selection& selection,
                                  std::vector<AxisValue> values) {
  const Result<std::vector<AxisValue>> swept = swept_values(axis, selection);
  if (!swept) return values;
  for (const AxisValue& value : *swept) {
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  const auto order = [&axis](const AxisValue& value) {
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr) {
      const auto* whole = std::get_if<std::int64_t>(&value);
      return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
    }
    const auto at = std::find(axis.choices.begin(), axis.choices.end(), *text);
    return static_cast<double>(std::distance(axis.choices.begin(), at));
  };
  std::stable_sort(values.begin(), values.end(),
                   [&](const AxisValue& a, const AxisValue& b) { return order(a) < order(b); });
  return values;
}

// The same cells with room for more values.
WinnerMap extended(const WinnerMap& map, std::vector<AxisValue> xs, std::vector<AxisValue> ys) {
  WinnerMap larger;
  larger.xs = std::move(xs);
  larger.ys = std::move(ys);
  larger.cells.resize(larger.xs.size() * larger.ys.size());
  const auto place = [](const std::vector<AxisValue>& values, const AxisValue& value) {
    return static_cast<std::size_t>(
        std::distance(values.begin(), std::find(values.begin(), values.end(), value)));
  };
  for (std::size_t row = 0; row < map.ys.size(); ++row) {
    for (std::size_t column = 0; column < map.xs.size(); ++column)
      larger.cells[place(larger.ys, map.ys[row]) * larger.xs.size() +
                   place(larger.xs, map.xs[column])] = map.at(column, row);
  }
  return larger;
}

KeptExpected& kept_for(const PanelContext& context, const Selection& selection, const SweepMap& map,
                       const Variant& automatic, SweepPanel& state) {
  const SessionView& view = context.view;
  std::vector<std::pair<std::string, std::string>> others;
  for (const auto& [name, value] : selection.axes.values()) {
    if (name != map.x->name && name != map.y->name) others.emplace_back(name, to_text(value));
  }
  for (const auto& [name, free] : selection.unlinked) {
    if (free) others.emplace_back("free", name);
  }
  KeptExpected::Of of{
      view.opened.openings(), view.scene().name, automatic.name, map.x->name, map.y->name,
      std::move(others)};
  if (state.expected == nullptr || state.expected->of != of) {
    state.expected = std::make_shared<KeptExpected>();
    state.expected->of = std::move(of);
    const Hello* engine = view.session().engine();
    state.expected->places.emplace(
        view.scene(), automatic.name,
        limits_of(engine != nullptr && engine->device ? &*engine->device : nullptr));
  }
  return *state.expected;
}

// Null: there is no time for it in this frame.
const ExpectedPlace* place_at(const PanelContext& context, const Selection& selection,
                              const SweepMap& map, const AxisValue& x, const AxisValue& y,
                              const Variant& automatic, KeptExpected& kept) {
  const auto found = kept.known.find({x, y});
  if (found != kept.known.end()) return &found->second;
  if (context.budget != nullptr && context.budget->is_spent()) return nullptr;
  const Scene& scene = context.view.scene();
  ExpectedPlace place;
  const Result<Selection> moved = with_place(scene, selection, *map.x, x, *map.y, y);
  if (!moved) {
    place.why = sentence(moved.error());
  } else if (!applies(automatic, moved->axes)) {
    place.why = automatic.label + " does not compute what is asked here";
  } else {
    place = kept.places->at(for_variant(scene.axes, moved->axes, automatic.name));
  }
  return &(kept.known[{x, y}] = std::move(place));
}

}  // namespace

ExpectedMap expect_places(const PanelContext& context, const Selection& selection, SweepMap& map,
                          SweepPanel& state) {
  const Scene& scene = context.view.scene();
  ExpectedMap expected;
  const Variant* automatic = automatic_of(scene, selection.variant);
  if (automatic == nullptr) return expected;
  expected.model = built_in_choice(scene.name);
  const char* const metric = expected.model->cold ? "time.cold" : "time.warm";
  if (map.metric->id != metric) {
    expected.why = std::string("Places without a measurement are predicted only for the ") +
                   find_metric(metric)->label + ".";
    return expected;
  }
  std::vector<AxisValue> xs = with_swept(*map.x, selection, map.winners.xs),
                         ys = with_swept(*map.y, selection, map.winners.ys);
  if (xs.size() * ys.size() > kMostPlaces) {
    expected.why = "Nothing is predicted on a map of more than 2,500 places.";
    return expected;
  }
  expected.automatic = automatic;
  map.winners = extended(map.winners, std::move(xs), std::move(ys));
  KeptExpected& kept = kept_for(context, selection, map, *automatic, state);
  // Row by row along x, then back, so that neighbours share most of their inputs.
  for (std::size_t n = 0; n < map.winners.cells.size(); ++n) {
    if (!map.winners.cells[n].empty()) continue;
    const std::size_t columns = map.winners.xs.size();
    const ExpectedPlace* place = place_at(context, selection, map, map.winners.xs[n % columns],
                                          map.winners.ys[n / columns], *automatic, kept);
    if (place == nullptr) {
      expected.unfinished = true;
      break;
    }
    expected.places[n] = place;
  }
  return expected;
}

std::string expected_sentence(const Scene& scene, const ExpectedPlace& place) {
  if (place.rows.empty()) return "nothing is measured here; not predicted: " + place.why;
  const auto text = [&scene](const ExpectedTime& row) {
    return label_of(scene.variants, row.row) + " " + format_value(row.ns, "ns");
  };
  std::string sentence = place.rows[0].measured ? text(place.rows[0]) + " in the table"
                                                : "predicted: " + text(place.rows[0]);
  if (place.rows.size() > 1) sentence += "; second is " + text(place.rows[1]);
  if (place.ratio() > 0) sentence += " (" + ratio_text(place.ratio()) + ")";
  return sentence;
}

std::string expected_lines(const Scene& scene, const ExpectedMap& map, const ExpectedPlace& place) {
  constexpr std::size_t kMost = 12;
  std::string text = expected_sentence(scene, place);
  if (place.rows.empty()) return text;
  text += "\nnot measured here: by the fitted costs of " + map.automatic->label + ", on an " +
          map.model->device;
  for (std::size_t i = 0; i < std::min(kMost, place.rows.size()); ++i) {
    text += fmt::format("\n{}. {}  {}{}", i + 1, label_of(scene.variants, place.rows[i].row),
                        format_value(place.rows[i].ns, "ns"),
                        i > 0 ? "  " + ratio_text(place.rows[i].ns / place.rows[0].ns) : "");
  }
  return text;
}

}  // namespace warpscope
