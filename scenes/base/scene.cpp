// scenes/base/scene.cpp: what can be studied: finding rows and making inputs anew where an axis
// moved.
#include "scenes/base/scene.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace warpscope {

const std::optional<Facts>& LateFacts::Group::facts(const std::function<Facts()>& before) const {
  std::call_once(once_, [&] { facts_ = make_(before()); });
  return facts_;
}

void LateFacts::each(const std::function<bool(const Facts&)>& take) const {
  for (std::size_t n = 0; n < groups_.size(); ++n) {
    const std::optional<Facts>& facts = groups_[n]->facts([&] {
      Facts before = known_;
      // Those before it are made, or it would not be asked.
      for (std::size_t i = 0; i < n; ++i) before.merge(Facts(*groups_[i]->facts({})));
      return before;
    });
    if (!facts || take(*facts)) return;
  }
}

std::optional<double> LateFacts::find(const std::string& name) const {
  std::optional<double> value;
  each([&](const Facts& facts) {
    const auto found = facts.find(name);
    if (found != facts.end()) value = found->second;
    return value.has_value();
  });
  return value;
}

Facts LateFacts::all() const {
  Facts all;
  each([&all](const Facts& facts) {
    all.insert(facts.begin(), facts.end());
    return false;
  });
  return all;
}

double Workload::fact(const std::string& name) const {
  const auto found = facts.find(name);
  if (found != facts.end()) return found->second;
  if (late) {
    if (const std::optional<double> value = late->find(name)) return *value;
  }
  throw std::out_of_range("no fact " + name);
}

Facts Workload::all_facts() const {
  Facts all = facts;
  if (late) all.merge(late->all());
  return all;
}

const Variant* find_variant(const Scene& scene, std::string_view name) {
  for (const Variant& variant : scene.variants) {
    if (variant.name == name) return &variant;
  }
  return nullptr;
}

const Reference* find_reference(const Scene& scene, std::string_view name) {
  for (const Reference& reference : scene.references) {
    if (reference.name == name) return &reference;
  }
  return nullptr;
}

bool applies(const Reference& reference, const Configuration& axes) {
  return !reference.applies || reference.applies(axes);
}

bool applies(const Variant& variant, const Configuration& axes) {
  return !variant.applies || variant.applies(axes);
}

const Variant* variant_at(const Scene& scene, const Configuration& axes, std::string_view wanted) {
  for (const std::string_view name : {wanted, std::string_view(scene.baseline)}) {
    const Variant* variant = find_variant(scene, name);
    if (variant != nullptr && applies(*variant, axes)) return variant;
  }
  const Variant* slow = nullptr;
  for (const Variant& variant : scene.variants) {
    if (!applies(variant, axes)) continue;
    if (!variant.measured_once) return &variant;
    if (slow == nullptr) slow = &variant;
  }
  return slow;
}

std::optional<Configuration> where_applies(const Scene& scene, const Variant& variant,
                                           const Configuration& base) {
  if (applies(variant, base)) return base;
  // An exhibit is asked for by an axis of its own, besides what it computes.
  Configuration asked = base;
  if (variant.expected_fault && find_axis(scene.axes, "broken") != nullptr)
    asked.set("broken", std::string("on"));
  if (applies(variant, asked)) return asked;
  for (const Axis& axis : scene.axes) {
    for (const std::string& choice : axis.choices) {
      Configuration changed = asked;
      changed.set(axis.name, choice);
      if (applies(variant, changed)) return changed;
    }
  }
  return std::nullopt;
}

Result<std::vector<std::string>> regenerate_inputs(const Scene& scene,
                                                   const Configuration* previous,
                                                   const Configuration& next, Inputs& inputs,
                                                   Facts& facts) {
  std::vector<std::string> made;
  // Inputs that a variant's own axis decides are made at its default for the others.
  const Configuration axes = with_defaults(scene.axes, next);
  const Configuration before =
      previous == nullptr ? Configuration() : with_defaults(scene.axes, *previous);
  for (const InputGroup& group : scene.input_groups) {
    const bool moved = std::any_of(group.axes.begin(), group.axes.end(), [&](const auto& axis) {
      return previous == nullptr || before.at(axis) != axes.at(axis);
    });
    const bool follows = std::any_of(group.after.begin(), group.after.end(), [&](const auto& name) {
      return std::find(made.begin(), made.end(), name) != made.end();
    });
    if (previous != nullptr && !moved && !follows) continue;
    // What `generate` leaves out is made of its elements where somebody needs it.
    if (group.elements) {
      for (const std::string& array : group.arrays) inputs.erase(array);
    }
    const Result<void> done = group.generate ? group.generate(axes, inputs, facts) : Result<void>{};
    if (!done) return tl::unexpected(done.error());
    made.push_back(group.name);
  }
  return made;
}

std::optional<std::string> unavailable(const Variant& variant, const Workload& workload,
                                       const DeviceLimits& device) {
  for (const Constraint& constraint : variant.constraints) {
    if (std::optional<std::string> reason = constraint.violated(workload, device)) return reason;
  }
  return std::nullopt;
}

const KnownDifference* known_difference(const Variant& variant, std::string_view figure, Side side,
                                        const Configuration& axes) {
  for (const KnownDifference& known : variant.known_differences) {
    if (known.figure == figure && known.side == side && (!known.where || known.where(axes)))
      return &known;
  }
  return nullptr;
}

void explain(Variant& variant, KnownDifference known) {
  for (KnownDifference& said : variant.known_differences) {
    if (said.figure == known.figure && said.side == known.side && !said.where && !known.where) {
      said = std::move(known);
      return;
    }
  }
  variant.known_differences.push_back(std::move(known));
}

void explain(Variant& variant, std::string figure, Side side, double most_ratio, std::string reason,
             double least_ratio) {
  explain(variant,
          KnownDifference{std::move(figure), side, std::move(reason), most_ratio, least_ratio});
}

void charge(Variant& variant, std::string term,
            std::function<std::optional<double>(const Workload&)> value) {
  for (OwnFormula& own : variant.own_formulas) {
    if (own.term == term) {
      own.value = std::move(value);
      return;
    }
  }
  variant.own_formulas.push_back({std::move(term), std::move(value)});
}

std::optional<double> evaluate(const WorkTerm& term, const Workload& workload,
                               const Variant& variant) {
  for (const OwnFormula& own : variant.own_formulas) {
    if (own.term == term.id) return own.value(workload);
  }
  return term.formula ? term.formula(workload, variant) : std::nullopt;
}

WorkTerm term_of(const L2Expectation& expectation) {
  return {kL2ReadTerm, "bytes from L2, expected", "B", expectation.assumption, nullptr};
}

Result<Configuration> configured(const Scene& scene, std::string_view variant,
                                 const std::map<std::string, std::string>& changes) {
  Result<Configuration> axes = with_values(scene.axes, default_configuration(scene.axes), changes);
  if (axes && scene.settle) axes = scene.settle(*axes);
  if (!axes) return axes;
  return for_variant(scene.axes, *axes, variant);
}

Pipe pipe_of(const Variant& variant, const Configuration& axes) {
  return variant.pipe_at ? variant.pipe_at(axes) : variant.pipe;
}

std::string own_roof_of(const Variant& variant, const Configuration& axes) {
  return variant.own_roof_at ? variant.own_roof_at(axes) : variant.own_roof;
}

Tolerance tolerance_of(const Variant& variant, const Configuration& axes) {
  return variant.tolerance_at ? variant.tolerance_at(axes) : variant.tolerance;
}

std::string range_name(const Scene& scene, const Variant& variant, const Configuration& axes) {
  return scene.name + "/" + variant.name + "/" + configuration_key(scene.axes, axes, variant.name);
}

}  // namespace warpscope
