// scenes/folder/scope.cpp: what the names in a description's expressions stand for.
#include "scenes/folder/scope.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <memory>
#include <optional>

namespace warpscope {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

bool all_numbers(const std::vector<std::string>& choices) {
  return std::all_of(choices.begin(), choices.end(),
                     [](const std::string& choice) { return number_of(choice).has_value(); });
}

struct DeviceName {
  const char* name;
  double (*value)(const DeviceLimits&);
};
constexpr DeviceName kDeviceNames[] = {
    {"compute_capability", [](const DeviceLimits& d) -> double { return d.compute_capability; }},
    {"multiprocessors", [](const DeviceLimits& d) -> double { return d.multiprocessors; }},
    {"shared_bytes_per_block",
     [](const DeviceLimits& d) { return static_cast<double>(d.shared_bytes_per_block); }},
    {"l2_bytes", [](const DeviceLimits& d) { return static_cast<double>(d.l2_bytes); }},
    {"free_bytes", [](const DeviceLimits& d) { return static_cast<double>(d.free_bytes); }},
};

}  // namespace

void Scope::add(Axis axis) {
  const bool by_place = axis.kind == AxisKind::choice && !all_numbers(axis.choices);
  names_.push_back({axis.name, by_place ? axis.choices : std::vector<std::string>{}});
  axes_.push_back(std::move(axis));
}

void Scope::add(std::string name, Expression value) {
  names_.push_back({name, {}});
  values_.emplace_back(std::move(name), std::move(value));
}

bool Scope::has(std::string_view name) const {
  return std::any_of(names_.begin(), names_.end(),
                     [name](const ExpressionName& known) { return known.name == name; });
}

double Scope::value_of_axis(const Axis& axis, const AxisValue& value) const {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  const std::string& text = std::get<std::string>(value);
  if (all_numbers(axis.choices)) return number_of(text).value_or(kNothing);
  const auto found = std::find(axis.choices.begin(), axis.choices.end(), text);
  return found == axis.choices.end() ? kNothing : static_cast<double>(found - axis.choices.begin());
}

Expression::Lookup Scope::at(const Configuration& configuration, const std::string& variant) const {
  // Each value is worked out once, however many others are made of it.
  const auto known = std::make_shared<std::map<std::string, double>>();
  for (const Axis& axis : axes_)
    (*known)[axis.name] = value_of_axis(axis, value_of(axis, configuration, variant));
  const auto lookup = [known](const std::string& name) {
    const auto found = known->find(name);
    return found == known->end() ? kNothing : found->second;
  };
  for (const auto& [name, value] : values_) (*known)[name] = value.value(lookup);
  return lookup;
}

std::set<std::string> Scope::axes_of(const Expression& expression) const {
  std::set<std::string> open(expression.uses().begin(), expression.uses().end()), found;
  // A value is made of those before it alone: one pass from the last to the first meets them all.
  for (auto value = values_.rbegin(); value != values_.rend(); ++value) {
    if (open.count(value->first) != 0)
      open.insert(value->second.uses().begin(), value->second.uses().end());
  }
  for (const Axis& axis : axes_) {
    if (open.count(axis.name) != 0) found.insert(axis.name);
  }
  return found;
}

std::vector<ExpressionName> device_names() {
  std::vector<ExpressionName> names;
  for (const DeviceName& row : kDeviceNames) names.push_back({row.name, {}});
  return names;
}

Expression::Lookup with_device(const DeviceLimits& device, Expression::Lookup others) {
  return [device, others = std::move(others)](const std::string& name) {
    for (const DeviceName& row : kDeviceNames) {
      if (name == row.name) return row.value(device);
    }
    return others(name);
  };
}

}  // namespace warpscope
