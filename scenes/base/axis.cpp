// scenes/base/axis.cpp: what a person can vary, an axis, and one choice of all: a configuration.
#include "scenes/base/axis.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>

#include "scenes/host/nearest.h"

namespace warpscope {
namespace {

// Shortest text that reads back as the same double, with an exponent only where it is shorter.
std::string shortest(double value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return std::string(text, end.ptr);
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::string range_text(const Axis& axis) {
  return shortest(axis.typed_minimum) + " to " + shortest(axis.typed_maximum);
}

std::vector<std::string> axis_names(const std::vector<Axis>& axes) {
  std::vector<std::string> names;
  names.reserve(axes.size());
  for (const Axis& axis : axes) names.push_back(axis.name);
  return names;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

}  // namespace

Configuration::Stamp Configuration::Stamp::fresh() {
  static std::atomic<std::uint64_t> changes{0};
  Stamp stamp;
  stamp.change_ = ++changes;
  return stamp;
}

double Configuration::real(const std::string& axis) const {
  const AxisValue& value = values_.at(axis);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    return static_cast<double>(*integer);
  }
  return std::get<double>(value);
}

std::vector<double> Configuration::list(const std::string& axis) const {
  std::vector<double> numbers;
  for (const std::string_view item : split(text(axis), ',')) {
    if (const std::optional<double> number = parse_number(item)) numbers.push_back(*number);
  }
  return numbers;
}

Axis number_axis(std::string name, std::string label, std::string unit, std::string description,
                 AxisKind kind, AxisScale scale, Binding binds, double minimum, double maximum,
                 AxisValue default_value) {
  Axis axis;
  axis.name = std::move(name);
  axis.label = std::move(label);
  axis.unit = std::move(unit);
  axis.description = std::move(description);
  axis.kind = kind;
  axis.scale = scale;
  axis.binds = binds;
  axis.minimum = axis.typed_minimum = minimum;
  axis.maximum = axis.typed_maximum = maximum;
  axis.default_value = std::move(default_value);
  return axis;
}

Axis whole_axis(std::string name, std::string label, std::string unit, std::string description,
                AxisScale scale, Binding binds, double minimum, double maximum,
                std::int64_t default_value, std::vector<double> stops) {
  Axis axis =
      number_axis(std::move(name), std::move(label), std::move(unit), std::move(description),
                  AxisKind::integer, scale, binds, minimum, maximum, AxisValue(default_value));
  axis.stops = std::move(stops);
  return axis;
}

Axis typed_from(Axis axis, double minimum, double maximum) {
  axis.typed_minimum = minimum;
  axis.typed_maximum = maximum;
  return axis;
}

Axis only_where(Axis axis, bool (*holds)(const Configuration&)) {
  axis.applies = holds;
  return axis;
}

Axis choice_axis(std::string name, std::string label, std::string description,
                 std::vector<std::string> choices, Binding binds) {
  Axis axis;
  axis.name = std::move(name);
  axis.label = std::move(label);
  axis.description = std::move(description);
  axis.kind = AxisKind::choice;
  axis.binds = binds;
  axis.default_value = choices.front();
  axis.choices = std::move(choices);
  return axis;
}

bool applies(const Axis& axis, const Configuration& configuration) {
  return !axis.applies || axis.applies(configuration);
}

bool of_problem(const Axis& axis) { return axis.of_variants.empty(); }

bool of_variant(const Axis& axis, std::string_view variant) {
  return of_problem(axis) || std::find(axis.of_variants.begin(), axis.of_variants.end(), variant) !=
                                 axis.of_variants.end();
}

const Axis* find_axis(const std::vector<Axis>& axes, std::string_view name) {
  for (const Axis& axis : axes) {
    if (axis.name == name) return &axis;
  }
  return nullptr;
}

Configuration default_configuration(const std::vector<Axis>& axes) {
  Configuration configuration;
  for (const Axis& axis : axes) {
    if (of_problem(axis)) configuration.set(axis.name, axis.default_value);
  }
  return configuration;
}

const AxisValue& default_of(const Axis& axis, std::string_view variant) {
  const auto own = axis.defaults_of.find(std::string(variant));
  return own == axis.defaults_of.end() ? axis.default_value : own->second;
}

const AxisValue& before_of(const Axis& axis, std::string_view variant) {
  const auto own = axis.befores_of.find(std::string(variant));
  if (own != axis.befores_of.end()) return own->second;
  return axis.before ? *axis.before : default_of(axis, variant);
}

const AxisValue& value_of(const Axis& axis, const Configuration& configuration,
                          std::string_view variant) {
  return configuration.has(axis.name) ? configuration.at(axis.name) : default_of(axis, variant);
}

Configuration for_variant(const std::vector<Axis>& axes, const Configuration& configuration,
                          std::string_view variant) {
  Configuration completed = configuration;
  for (const Axis& axis : axes) {
    if (!of_variant(axis, variant)) {
      completed.unset(axis.name);
    } else if (!completed.has(axis.name)) {
      completed.set(axis.name, default_of(axis, variant));
    }
  }
  return completed;
}

Configuration with_defaults(const std::vector<Axis>& axes, const Configuration& configuration) {
  Configuration completed = configuration;
  for (const Axis& axis : axes) {
    if (!completed.has(axis.name)) completed.set(axis.name, axis.default_value);
  }
  return completed;
}

namespace {

Result<AxisValue> parse_list(const Axis& axis, std::string_view text) {
  const auto refuse = [&axis](std::string what) {
    const std::string items =
        axis.minimum_items == axis.maximum_items
            ? std::to_string(axis.minimum_items)
            : std::to_string(axis.minimum_items) + " to " + std::to_string(axis.maximum_items);
    return failure(ErrorKind::usage, std::move(what), "axis " + axis.name,
                   "give " + items + " numbers from " + range_text(axis) +
                       " with commas between, such as " + to_text(axis.default_value));
  };
  const auto trimmed = [](std::string_view item) {
    const std::size_t first = item.find_first_not_of(' ');
    return first == std::string_view::npos
               ? std::string_view()
               : item.substr(first, item.find_last_not_of(' ') - first + 1);
  };
  std::string list;
  const std::vector<std::string_view> items = split(text, ',');
  for (const std::string_view item : items) {
    const std::optional<double> number = parse_number(trimmed(item));
    if (!number) return refuse("“" + std::string(item) + "” is not a number");
    if (*number < axis.typed_minimum || *number > axis.typed_maximum)
      return refuse(shortest(*number) + " is out of range");
    list += (list.empty() ? "" : ",") + shortest(*number);
  }
  if (items.size() < axis.minimum_items || items.size() > axis.maximum_items)
    return refuse("there are " + std::to_string(items.size()) + " numbers in “" +
                  std::string(text) + "”");
  return AxisValue(std::move(list));
}

Result<AxisValue> parse_text(const Axis& axis, std::string_view text) {
  const Result<void> admitted = axis.admit_text ? axis.admit_text(text) : Result<void>{};
  if (admitted) return AxisValue(std::string(text));
  Error error = admitted.error();
  if (error.where.empty()) error.where = "axis " + axis.name;
  return tl::unexpected(std::move(error));
}

}  // namespace

Result<AxisValue> parse_axis_value(const Axis& axis, std::string_view text) {
  if (axis.kind == AxisKind::file) return AxisValue(std::string(text));
  if (axis.kind == AxisKind::text) return parse_text(axis, text);
  if (axis.kind == AxisKind::list) return parse_list(axis, text);
  if (axis.kind == AxisKind::choice) {
    if (std::find(axis.choices.begin(), axis.choices.end(), text) != axis.choices.end()) {
      return AxisValue(std::string(text));
    }
    return failure(ErrorKind::usage, "“" + std::string(text) + "” is not one of its choices",
                   "axis " + axis.name, suggest(text, axis.choices));
  }
  const std::optional<double> value = parse_number(text);
  if (!value) {
    return failure(ErrorKind::usage, "“" + std::string(text) + "” is not a number",
                   "axis " + axis.name, "give a value from " + range_text(axis));
  }
  if (*value < axis.typed_minimum || *value > axis.typed_maximum) {
    return failure(ErrorKind::usage, shortest(*value) + " is out of range", "axis " + axis.name,
                   "give a value from " + range_text(axis));
  }
  if (axis.kind == AxisKind::real) return AxisValue(*value);
  if (*value != std::floor(*value)) {
    return failure(ErrorKind::usage, shortest(*value) + " is not a whole number",
                   "axis " + axis.name, "give a whole number from " + range_text(axis));
  }
  return AxisValue(static_cast<std::int64_t>(*value));
}

Result<Configuration> with_values(const std::vector<Axis>& axes, const Configuration& base,
                                  const std::map<std::string, std::string>& changes) {
  Configuration changed = base;
  for (const auto& [name, text] : changes) {
    const Axis* axis = find_axis(axes, name);
    if (axis == nullptr) {
      return failure(ErrorKind::usage, "there is no axis of this name", "axis " + name,
                     suggest(name, axis_names(axes)));
    }
    Result<AxisValue> value = parse_axis_value(*axis, text);
    if (!value) return tl::unexpected(value.error());
    changed.set(name, std::move(*value));
  }
  for (const Axis& axis : axes) {
    if (axis.linked_to.empty() || changes.count(axis.name) != 0) continue;
    if (changes.count(axis.linked_to) != 0) changed.set(axis.name, changed.at(axis.linked_to));
  }
  return changed;
}

std::string to_text(const AxisValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&value)) return shortest(*real);
  return std::get<std::string>(value);
}

namespace {

void add_to_key(std::string& key, const Axis& axis, const AxisValue& value) {
  if (!key.empty()) key += ',';
  key += axis.name + "=" + to_text(value);
}

}  // namespace

std::string configuration_key(const std::vector<Axis>& axes, const Configuration& configuration,
                              std::string_view variant) {
  std::string key;
  for (const Axis& axis : axes) {
    if (!of_variant(axis, variant) || !applies(axis, configuration)) continue;
    add_to_key(key, axis, value_of(axis, configuration, variant));
  }
  return key;
}

std::string problem_key(const std::vector<Axis>& axes, const Configuration& configuration) {
  std::string key;
  for (const Axis& axis : axes) {
    if (of_problem(axis) && configuration.has(axis.name) && applies(axis, configuration))
      add_to_key(key, axis, configuration.at(axis.name));
  }
  return key;
}

std::optional<Configuration> parse_key(const std::vector<Axis>& axes, std::string_view key) {
  Configuration configuration;
  while (!key.empty()) {
    const std::size_t equals = key.find('=');
    const Axis* axis = find_axis(axes, key.substr(0, equals));
    if (equals == std::string_view::npos || axis == nullptr) return std::nullopt;
    // A path, a text or a list may have commas: the value ends where another axis begins.
    std::size_t end = key.size();
    for (const Axis& other : axes)
      end = std::min(end, key.find("," + other.name + "=", equals + 1));
    const std::string text(key.substr(equals + 1, end - equals - 1));
    // What was recorded counts, also where an axis has narrower limits now.
    const bool number = axis->kind == AxisKind::integer || axis->kind == AxisKind::real;
    const std::optional<double> value = number ? parse_number(text) : std::nullopt;
    if (number && !value) return std::nullopt;
    if (!number) {
      configuration.set(axis->name, text);
    } else if (axis->kind == AxisKind::integer) {
      configuration.set(axis->name, static_cast<std::int64_t>(std::llround(*value)));
    } else {
      configuration.set(axis->name, *value);
    }
    key.remove_prefix(std::min(end + 1, key.size()));
  }
  if (configuration.values().empty()) return std::nullopt;
  return configuration;
}

Result<std::vector<AxisValue>> parse_axis_range(const Axis& axis, std::string_view text) {
  if (axis.kind == AxisKind::text || axis.kind == AxisKind::list) {
    Result<AxisValue> value = parse_axis_value(axis, text);
    if (!value) return tl::unexpected(value.error());
    return std::vector<AxisValue>{std::move(*value)};
  }
  std::vector<AxisValue> values;
  const auto add = [&values](AxisValue value) {
    if (std::find(values.begin(), values.end(), value) == values.end()) {
      values.push_back(std::move(value));
    }
  };
  for (const std::string_view part : split(text, ',')) {
    const std::vector<std::string_view> bounds = split(part, ':');
    const bool numeric = axis.kind == AxisKind::integer || axis.kind == AxisKind::real;
    if (bounds.size() == 1 || !numeric) {
      Result<AxisValue> value = parse_axis_value(axis, part);
      if (!value) return tl::unexpected(value.error());
      add(std::move(*value));
      continue;
    }
    constexpr double kMaximumPoints = 1000;
    const auto lo = parse_axis_value(axis, bounds[0]), hi = parse_axis_value(axis, bounds[1]);
    if (!lo) return tl::unexpected(lo.error());
    if (!hi) return tl::unexpected(hi.error());
    const auto points = bounds.size() == 3 ? parse_number(bounds[2]) : std::nullopt;
    if (!points || *points < 2 || *points > kMaximumPoints || *points != std::floor(*points)) {
      return failure(ErrorKind::usage, "“" + std::string(part) + "” is not a range",
                     "axis " + axis.name, "write lo:hi:n with n from 2 to 1000");
    }
    const double first = std::stod(to_text(*lo)), last = std::stod(to_text(*hi));
    const bool log = axis.scale == AxisScale::log && first > 0 && last > 0;
    const int last_point = static_cast<int>(*points) - 1;
    for (int i = 0; i <= last_point; ++i) {
      const double t = static_cast<double>(i) / last_point;
      double value = log ? first * std::pow(last / first, t) : first + (last - first) * t;
      const bool end = i == 0 || i == last_point;
      if (end) value = i == 0 ? first : last;
      if (axis.kind == AxisKind::integer) {
        add(static_cast<std::int64_t>(std::llround(value)));
      } else if (end) {
        add(value);
      } else {
        // Four digits: a key that a person can type again.
        char digits[32];
        std::snprintf(digits, sizeof digits, "%.4g", value);
        add(std::stod(digits));
      }
    }
  }
  return values;
}

}  // namespace warpscope
