// scenes/folder/scope.h: what the names in a description's expressions stand for.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scenes/base/scene.h"
#include "scenes/folder/expression.h"

namespace warpscope {

// Axes: numbers as they stand, choices whose texts are all numbers as those, other choices by their
// place; and values with names of their own ([let]), each made of what stands before it.
class Scope {
 public:
  void add(Axis axis);
  void add(std::string name, Expression value);
  const std::vector<ExpressionName>& names() const { return names_; }
  const std::vector<Axis>& axes() const { return axes_; }
  bool has(std::string_view name) const;

  // Valid as long as the scope. A variant's own axes stand at its defaults where nobody set them.
  Expression::Lookup at(const Configuration& configuration, const std::string& variant = {}) const;
  // The axes that decide an expression, directly or through a value.
  std::set<std::string> axes_of(const Expression& expression) const;

 private:
  double value_of_axis(const Axis& axis, const AxisValue& value) const;
  std::vector<Axis> axes_;
  std::vector<std::pair<std::string, Expression>> values_;
  std::vector<ExpressionName> names_;
};

// The names of a device's limits, as constraints may use them besides.
std::vector<ExpressionName> device_names();
// Those of `device`, everything else by `others`.
Expression::Lookup with_device(const DeviceLimits& device, Expression::Lookup others);

}  // namespace warpscope
