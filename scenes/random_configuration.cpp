// scenes/random_configuration.cpp: configurations of a scene drawn at random, the same
// everywhere.
#include "scenes/random_configuration.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "scenes/base/texts/code_id.h"
#include "scenes/host/random.h"

namespace warpscope {
namespace {

constexpr std::uint32_t kFirstStream = 0x7261'6e64;  // apart from the streams of the inputs
constexpr int kMostAttempts = 1000;

// Three significant digits: libraries may differ in the last bit of a logarithm.
double rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return std::strtod(text, nullptr);
}

// The draws of one attempt, in the order in which they are asked for.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint32_t configuration, int attempt)
      : stream_(seed, kFirstStream + configuration),
        next_(static_cast<std::uint64_t>(attempt) << 16) {}
  double uniform() { return stream_.uniform(next_++); }
  std::size_t below(std::size_t bound) {
    return static_cast<std::size_t>(stream_.below(next_++, bound));
  }

 private:
  RandomStream stream_;
  std::uint64_t next_;
};

double between(double low, double high, AxisScale scale, double share) {
  if (scale == AxisScale::log && low > 0)
    return std::exp(std::log(low) + share * (std::log(high) - std::log(low)));
  return low + share * (high - low);
}

// Half of the values are anywhere on the slider, an eighth each are marks of it and the default. A
// quarter are where only typing leads: below the slider's range, which is where warps are not full.
// All draws are made whether needed or not, so that no axis moves another's.
AxisValue number(const Axis& axis, Draws& draws, bool beyond_sliders) {
  const std::size_t way = draws.below(8);
  const double share = draws.uniform();
  const std::size_t mark = draws.below(std::max<std::size_t>(1, axis.stops.size()));
  const std::size_t odd = draws.below(10);
  const bool whole = axis.kind == AxisKind::integer;
  double value = between(axis.minimum, axis.maximum, axis.scale, share);
  if (way == 0) return axis.default_value;
  if (way == 1 && !axis.stops.empty()) value = axis.stops[mark];
  if (beyond_sliders && (way == 2 || way == 3)) {
    // Nothing at all is a case of its own that has nothing to count.
    const double least = std::max(axis.typed_minimum, std::min(axis.minimum, whole ? 1.0 : 1e-4));
    value = between(least, std::max(least, axis.minimum), axis.scale, share);
  }
  value = rounded(value);
  if (!whole) return value;
  // Rounding to three digits would make most sizes even.
  const double moved = value >= 1000 && way >= 4 ? value + static_cast<double>(odd) : value;
  return static_cast<std::int64_t>(
      std::clamp(std::round(moved), axis.typed_minimum, axis.typed_maximum));
}

Configuration drawn(const Scene& scene, const Configuration& base, const RandomDraw& draw,
                    Draws& draws) {
  const std::map<std::string, std::string>& fixed = draw.fixed;
  Configuration axes = base;
  for (const Axis& axis : scene.axes) {
    if (fixed.count(axis.name) != 0) continue;
    if (axis.kind == AxisKind::choice) {
      // Half of the time the first: few variants know every type and operation.
      const bool first = draws.below(2) == 0;
      const std::size_t any = draws.below(axis.choices.size());
      axes.set(axis.name, axis.choices[first ? 0 : any]);
    } else if (axis.kind == AxisKind::integer || axis.kind == AxisKind::real) {
      axes.set(axis.name, number(axis, draws, draw.beyond_sliders));
    }
  }
  for (const Axis& axis : scene.axes) {
    if (axis.linked_to.empty() || fixed.count(axis.name) != 0) continue;
    if (draws.below(2) == 0) axes.set(axis.name, axes.at(axis.linked_to));
  }
  // An axis that does not apply here is not part of the key, so it keeps its default.
  for (const Axis& axis : scene.axes) {
    if (applies(axis, axes) || fixed.count(axis.name) != 0) continue;
    if (of_problem(axis)) {
      axes.set(axis.name, axis.default_value);
    } else {
      axes.unset(axis.name);
    }
  }
  return axes;
}

// The most multiply-adds that the model counts of any variant that can be emulated here.
double flops_of(const Scene& scene, const Workload& workload) {
  double most = 0;
  for (const WorkTerm& term : scene.work_terms) {
    if (term.id != "model.flops") continue;
    for (const Variant& variant : scene.variants) {
      const Workload own{for_variant(scene.axes, workload.axes, variant.name), workload.facts};
      if (!applies(variant, workload.axes) || calls_library(variant, own)) continue;
      most = std::max(most, evaluate(term, own, variant).value_or(0));
    }
  }
  return most;
}

bool needs_a_file(const Scene& scene, const Configuration& axes) {
  return std::any_of(scene.axes.begin(), scene.axes.end(), [&](const Axis& axis) {
    return axis.kind == AxisKind::file && applies(axis, axes) && axes.text(axis.name).empty();
  });
}

Error refusal(const char* what) { return {ErrorKind::input, what, "random", ""}; }

// The configuration with its facts, or why it is drawn again.
Result<RandomConfiguration> accepted(const Scene& scene, const RandomDraw& draw,
                                     Configuration axes) {
  if (needs_a_file(scene, axes)) return tl::unexpected(refusal("it needs a file"));
  if (scene.settle) {
    Result<Configuration> settled = scene.settle(axes);
    if (!settled) return tl::unexpected(settled.error());
    axes = std::move(*settled);
  }
  if (Result<void> admitted = scene.admit(axes); !admitted) return tl::unexpected(admitted.error());
  if (scene.estimate_bytes(axes) > draw.most_bytes)
    return tl::unexpected(refusal("its buffers are larger than the limit"));
  RandomConfiguration made{axes, {}};
  Inputs inputs;
  if (auto generated = regenerate_inputs(scene, nullptr, axes, inputs, made.facts); !generated)
    return tl::unexpected(generated.error());
  const Workload workload{axes, made.facts};
  if (scene.nothing_to_do && scene.nothing_to_do(workload))
    return tl::unexpected(refusal("there is nothing to do"));
  if (flops_of(scene, workload) > draw.most_flops)
    return tl::unexpected(refusal("it is more work than the limit"));
  return made;
}

}  // namespace

Result<std::vector<RandomConfiguration>> random_configurations(const Scene& scene,
                                                               const RandomDraw& draw, int count) {
  const Result<Configuration> base =
      with_values(scene.axes, default_configuration(scene.axes), draw.fixed);
  if (!base) return tl::unexpected(base.error());
  std::vector<RandomConfiguration> list;
  for (int i = 0; i < count; ++i) {
    std::optional<Error> last;
    bool found = false;
    for (int attempt = 0; attempt < kMostAttempts && !found; ++attempt) {
      Draws draws(draw.seed, static_cast<std::uint32_t>(i), attempt);
      Result<RandomConfiguration> made = accepted(scene, draw, drawn(scene, *base, draw, draws));
      found = made.has_value();
      if (found) list.push_back(std::move(*made));
      if (!found) last = made.error();
    }
    if (!found) {
      return failure(ErrorKind::input,
                     std::to_string(kMostAttempts) +
                         " random draws in a row were refused. The last: " +
                         (last ? sentence(*last) : std::string()),
                     scene.name, "fix fewer axes, or use smaller sizes");
    }
  }
  return list;
}

std::map<std::string, std::string> changes_of(const Scene& scene, const Configuration& axes) {
  const Configuration base = default_configuration(scene.axes);
  std::map<std::string, std::string> changes;
  for (const Axis& axis : scene.axes) {
    // An axis that follows another is named whatever its value, or it would follow.
    if (!axes.has(axis.name)) continue;  // every variant's own default
    const bool moved = !base.has(axis.name) || axes.at(axis.name) != base.at(axis.name);
    if (moved || !axis.linked_to.empty()) changes[axis.name] = to_text(axes.at(axis.name));
  }
  return changes;
}

}  // namespace warpscope
