// scenes/choice/choose.cpp: which row fitted costs take at a workload, and why.
#include "scenes/choice/choose.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "scenes/base/kernel_parts.h"

namespace warpscope {
namespace {

std::string time_text(double ns) {
  char text[32];
  const double us = ns / 1e3;
  std::snprintf(text, sizeof text, us >= 100 ? "%.0f µs" : "%.3g µs", us);
  return text;
}

const Variant* named(const std::vector<Variant>& variants, const std::string& name) {
  const auto found = std::find_if(variants.begin(), variants.end(),
                                  [&](const Variant& v) { return v.name == name; });
  return found == variants.end() ? nullptr : &*found;
}

tl::unexpected<Error> unknown(const CostTable& table, const char* what, const std::string& name,
                              const std::vector<std::string>& known) {
  std::string list;
  for (const std::string& each : known) list += (list.empty() ? "" : ", ") + each;
  return failure(
      ErrorKind::input,
      "the table of " + table.row + " names the " + what + " “" + name + "”, which does not exist",
      "fitted choice",
      "fit it again with `warpscope tune --fit`" + (list.empty() ? "" : ", or use one of " + list));
}

bool has_value(const ChoiceFeatures& features, const Workload& workload, const std::string& name,
               const std::string& value) {
  const ChoiceFeature* feature = find_feature(features, name);
  const auto text = feature != nullptr && feature->text ? feature->text(workload) : std::nullopt;
  return text && packed(*text) == value;
}

}  // namespace

ChoiceFeature number_feature(std::string name, std::string label,
                             std::function<std::optional<double>(const Workload&)> number) {
  ChoiceFeature feature;
  feature.name = std::move(name);
  feature.label = std::move(label);
  feature.number = std::move(number);
  return feature;
}

ChoiceFeature axis_feature(const Axis& axis) {
  ChoiceFeature feature;
  feature.name = axis.name;
  feature.label = axis.label;
  const auto known = [axis](const Workload& w) {
    return w.axes.has(axis.name) && applies(axis, w.axes);
  };
  if (axis.kind == AxisKind::integer || axis.kind == AxisKind::real) {
    feature.number = [axis, known](const Workload& w) {
      return known(w) ? std::optional<double>(w.real(axis.name)) : std::nullopt;
    };
  } else {
    feature.text = [axis, known](const Workload& w) {
      return known(w) ? std::optional<std::string>(w.text(axis.name)) : std::nullopt;
    };
  }
  return feature;
}

const ChoiceFeature* find_feature(const ChoiceFeatures& features, std::string_view name) {
  const auto found = std::find_if(features.begin(), features.end(),
                                  [name](const ChoiceFeature& f) { return f.name == name; });
  return found == features.end() ? nullptr : &*found;
}

std::vector<double> feature_values(const CostTable& table, const ChoiceFeatures& features,
                                   const Workload& workload) {
  std::vector<double> values;
  for (const CostFeature& each : table.features) {
    const ChoiceFeature* feature = find_feature(features, each.name);
    std::optional<double> value;
    if (!each.is.empty()) {
      value = has_value(features, workload, each.name, each.is) ? 1 : 0;
    } else if (feature != nullptr && feature->number) {
      value = feature->number(workload);
    }
    values.push_back(value.value_or(kAbsent));
  }
  return values;
}

std::string label_of(const std::vector<Variant>& variants, const ChosenRow& row) {
  const Variant* variant = named(variants, row.variant);
  return to_text(row, variant == nullptr ? row.variant : variant->label);
}

std::vector<ExpectedTime> expected_times(const CostTable& table, const ChoiceFeatures& features,
                                         const Workload& workload) {
  const std::vector<double> here = feature_values(table, features, workload);
  const std::vector<double> logarithms = expected_logarithms(table, here);
  std::vector<ExpectedTime> times;
  for (std::size_t n = 0; n < table.rows.size(); ++n) {
    const RowCosts& costs = table.rows[n];
    const bool never = std::any_of(costs.never.begin(), costs.never.end(), [&](const auto& choice) {
      return has_value(features, workload, choice.first, choice.second);
    });
    if (!never) times.push_back({costs.row, std::exp(std::min(logarithms[n], 60.0))});
  }
  std::stable_sort(times.begin(), times.end(),
                   [](const ExpectedTime& a, const ExpectedTime& b) { return a.ns < b.ns; });
  const std::uint64_t place = place_of(here);
  for (const CostPoint& point : table.points) {
    if (point.place != place) continue;
    std::erase_if(times, [&point](const ExpectedTime& each) { return each.row == point.best; });
    times.insert(times.begin(), {point.best, point.best_ns, true});
    break;
  }
  return times;
}

Result<void> fits_scene(const CostTable& table, const ChoiceFeatures& features,
                        const std::vector<Variant>& variants, const std::vector<Axis>& axes) {
  std::vector<std::string> feature_names, variant_names;
  for (const ChoiceFeature& feature : features) feature_names.push_back(feature.name);
  for (const Variant& variant : variants) variant_names.push_back(variant.name);
  for (const CostFeature& each : table.features) {
    const ChoiceFeature* feature = find_feature(features, each.name);
    if (feature == nullptr) return unknown(table, "feature", each.name, feature_names);
    if ((feature->text != nullptr) == each.is.empty())
      return failure(ErrorKind::input,
                     "the table of " + table.row + " uses " + each.name +
                         (each.is.empty() ? ", which is a choice, as a number"
                                          : ", which is a number, as a choice"),
                     "fitted choice", "fit it again with `warpscope tune --fit`");
  }
  std::set<ChosenRow> rows;
  for (const CostPoint& point : table.points) rows.insert(point.best);
  for (const RowCosts& costs : table.rows) rows.insert(costs.row);
  for (const ChosenRow& row : rows) {
    if (named(variants, row.variant) == nullptr)
      return unknown(table, "row", row.variant, variant_names);
    const Result<Configuration> values = with_values(axes, default_configuration(axes), row.axes);
    if (!values) return tl::unexpected(values.error());
    for (const auto& [name, value] : row.axes) {
      const Axis* axis = find_axis(axes, name);
      if (of_problem(*axis) || !of_variant(*axis, row.variant))
        return unknown(table, "own axis", row.variant + " " + name, {});
    }
  }
  for (const RowCosts& costs : table.rows) {
    for (const auto& [name, value] : costs.never) {
      const ChoiceFeature* feature = find_feature(features, name);
      if (feature == nullptr || !feature->text)
        return unknown(table, "choice", name, feature_names);
    }
  }
  return {};
}

AutomaticChoice::AutomaticChoice(const ChoiceModel* model, const std::string& row,
                                 ChoiceFeatures features, const std::vector<Variant>& among,
                                 std::vector<Axis> axes)
    : features_(std::move(features)), axes_(std::move(axes)) {
  const CostTable* table = model != nullptr ? model->table(row) : nullptr;
  if (table == nullptr) {
    Variant none;
    none.name = none.label = "none";
    none.steps = [](const Workload&) { return std::vector<Step>{}; };
    none.constraints = {{"a fitted choice must be compiled in", [](const auto&, const auto&) {
                           return std::optional<std::string>(
                               "no fitted choice of this row is compiled in");
                         }}};
    CostTable alone;
    alone.rows.push_back({{none.name, {}}, 0, {}});
    table_ = std::make_shared<const CostTable>(std::move(alone));
    rows_.push_back(std::move(none));
    return;
  }
  table_ = {std::shared_ptr<const void>(), table};
  device_ = model->device;
  std::set<std::string> names;
  for (const RowCosts& costs : table->rows) names.insert(costs.row.variant);
  for (const CostPoint& point : table->points) names.insert(point.best.variant);
  for (const Variant& variant : among) {
    if (names.count(variant.name) != 0) rows_.push_back(variant);
  }
}

AutomaticChoice::AutomaticChoice(const std::string& built_in, const std::string& row,
                                 ChoiceFeatures features, const std::vector<Variant>& among,
                                 std::vector<Axis> axes)
    : AutomaticChoice(built_in_outline(built_in), row, std::move(features), among,
                      std::move(axes)) {
  built_in_ = built_in;
}

const CostTable& AutomaticChoice::table() const {
  const ChoiceModel* whole = built_in_.empty() ? nullptr : built_in_choice(built_in_);
  const CostTable* found = whole == nullptr ? nullptr : whole->table(table_->row);
  return found == nullptr ? *table_ : *found;
}

const Variant& AutomaticChoice::row(const std::string& name) const { return *named(rows_, name); }

Workload AutomaticChoice::at(const Workload& workload, const ChosenRow& chosen) const {
  Workload own = workload;
  own.axes = for_variant(axes_, own.axes, chosen.variant);
  if (Result<Configuration> tuned = with_values(axes_, own.axes, chosen.axes); tuned)
    own.axes = *tuned;
  return own;
}

AutomaticChoice::Order AutomaticChoice::order(const Workload& workload) const {
  Order order;
  order.rows = expected_times(table(), features_, workload);
  std::erase_if(order.rows, [this](const ExpectedTime& expected) {
    return named(rows_, expected.row.variant) == nullptr;
  });
  const auto runs = std::stable_partition(
      order.rows.begin(), order.rows.end(), [&](const ExpectedTime& expected) {
        const Variant& variant = row(expected.row.variant);
        return applies(variant, workload.axes) &&
               !unavailable(variant, at(workload, expected.row), kDesignDevice);
      });
  order.can_run = static_cast<std::size_t>(runs - order.rows.begin());
  return order;
}

const Variant& AutomaticChoice::picked(const Workload& workload) const {
  return row(order(workload).rows.front().row.variant);
}

Workload AutomaticChoice::own(const Workload& workload) const {
  return at(workload, order(workload).rows.front().row);
}

std::string AutomaticChoice::why(const Workload& workload) const {
  const Order all = order(workload);
  const ExpectedTime& first = all.rows.front();
  const auto label = [this](const ExpectedTime& expected) { return label_of(rows_, expected.row); };
  std::string text =
      row(first.row.variant).label + (first.measured ? ": measured here: " : ": fitted costs: ");
  if (all.can_run == 0) return text + "no row that was fitted can run here";
  for (const auto& [axis, value] : first.row.axes) text += axis + "=" + value + ", ";
  text += time_text(first.ns) + (first.measured ? " on an " : " expected on an ") + device_;
  if (first.measured) return text;
  if (all.can_run > 1)
    text += "; the next, " + label(all.rows[1]) + ", " + time_text(all.rows[1].ns);
  for (std::size_t n = all.can_run; n < all.rows.size(); ++n) {
    if (all.rows[n].ns >= first.ns || !applies(row(all.rows[n].row.variant), workload.axes))
      continue;
    return text + "; " + label(all.rows[n]) + " cannot run here";
  }
  return text;
}

void act_as_picked(Variant& automatic, const std::shared_ptr<const AutomaticChoice>& choice,
                   const std::vector<WorkTerm>& terms) {
  automatic.steps = [choice](const Workload& w) { return choice->picked(w).steps(choice->own(w)); };
  automatic.scratch = [choice](const Workload& w) {
    const Variant& picked = choice->picked(w);
    return picked.scratch ? picked.scratch(choice->own(w)) : std::vector<BufferSpec>{};
  };
  automatic.constraints.push_back(
      {"what the picked variant needs", [choice](const Workload& w, const DeviceLimits& device) {
         return unavailable(choice->picked(w), choice->own(w), device);
       }});
  automatic.choice = [choice](const Workload& w) { return choice->why(w); };
  automatic.own_formulas.clear();
  for (const WorkTerm& term : terms) {
    const bool own =
        std::any_of(choice->rows().begin(), choice->rows().end(), [&term](const Variant& row) {
          return std::any_of(row.own_formulas.begin(), row.own_formulas.end(),
                             [&term](const OwnFormula& f) { return f.term == term.id; });
        });
    if (!own) continue;
    charge(automatic, term.id, [choice, term](const Workload& w) {
      return evaluate(term, choice->own(w), choice->picked(w));
    });
  }
}

}  // namespace warpscope
