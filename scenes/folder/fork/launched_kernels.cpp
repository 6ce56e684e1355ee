// scenes/folder/fork/launched_kernels.cpp: which kernels a variant launches.
#include <algorithm>
#include <cctype>
#include <exception>
#include <mutex>
#include <set>
#include <utility>

#include "scenes/folder/fork/fork.h"
#include "scenes/random_configuration.h"

namespace warpscope {
namespace {

void add_path(const std::string& path, std::vector<std::string>& paths) {
  if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
}

// Where the variant cannot run its steps name the same texts: they count where there is no other
// configuration, its shapes do not.
void add_launches(const Scene& scene, const Variant& variant, const Configuration& axes,
                  const Facts& facts, LaunchedKernels& found, LaunchedKernels& elsewhere) {
  const Workload workload{for_variant(scene.axes, axes, variant.name), facts};
  if (!applies(variant, workload.axes)) return;
  LaunchedKernels& kept = unavailable(variant, workload, {}) ? elsewhere : found;
  std::vector<Step> steps;
  try {
    steps = variant.steps(workload);
  } catch (const std::exception&) {
    return;  // a fact that is not there where the variant cannot run
  }
  for (const Step& step : steps) {
    if (const auto* kernel = std::get_if<KernelLaunch>(&step.action)) {
      add_path(kernel->source, kept.paths);
      kept.steps.emplace(step.name, *kernel);
    } else if (const auto* constants = std::get_if<ConstantCopy>(&step.action)) {
      add_path(constants->source, kept.paths);
    }
  }
}

// The same with the variant's own choices as they stand: what a person edits first is what runs.
Configuration own_defaults(const Scene& scene, Configuration axes) {
  for (const Axis& axis : scene.axes) {
    if (!of_problem(axis) && axis.kind == AxisKind::choice) axes.unset(axis.name);
  }
  return axes;
}

void add_names(const Scene& scene, const Variant& variant, const Configuration& axes,
               const Facts& facts, std::set<std::string>& names) {
  const Workload workload{for_variant(scene.axes, axes, variant.name), facts};
  if (!applies(variant, workload.axes)) return;
  try {
    for (const Step& step : variant.steps(workload))
      if (std::holds_alternative<KernelLaunch>(step.action)) names.insert(step.name);
  } catch (const std::exception&) {
    // A fact that is not there where the variant cannot run.
  }
}

// "Conv2 dgrad: add up": what is launched for which layer, each without its numbers.
std::set<std::string> parts_of(const std::string& name) {
  std::set<std::string> parts;
  std::string part;
  for (const char c : name + ":") {
    if (c == ':') {
      parts.insert(std::exchange(part, {}));
    } else if (c == ' ' && part.empty()) {
      continue;  // what follows a colon
    } else if (std::isdigit(static_cast<unsigned char>(c)) == 0) {
      part += c;
    }
  }
  return parts;
}

}  // namespace

const std::vector<std::string>& launch_names(const Scene& scene) {
  // One variant at few configurations lacks names: what is launched follows from inputs. All
  // variants at 64 have every name that they have at 300.
  constexpr int kDrawn = 64;
  static std::mutex mutex;
  static std::map<std::string, std::vector<std::string>> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(scene.name);
  if (found != known.end()) return found->second;
  std::set<std::string> names;
  const auto drawn = random_configurations(scene, {1, 16 << 20}, kDrawn);
  for (const RandomConfiguration& each : drawn ? *drawn : std::vector<RandomConfiguration>{}) {
    for (const Variant& variant : scene.variants) {
      add_names(scene, variant, each.axes, each.facts, names);
      add_names(scene, variant, own_defaults(scene, each.axes), each.facts, names);
    }
  }
  return known[scene.name] = {names.begin(), names.end()};
}

bool is_launch_name(const std::string& name, const std::vector<std::string>& names) {
  std::set<std::string> known;
  for (const std::string& other : names) known.merge(parts_of(other));
  const std::set<std::string> parts = parts_of(name);
  return std::includes(known.begin(), known.end(), parts.begin(), parts.end());
}

Result<LaunchedKernels> launched_kernels(const Scene& scene, const Variant& variant) {
  constexpr int kDrawn = 8;
  LaunchedKernels found, unable;
  const auto drawn = random_configurations(scene, {1, 16 << 20}, kDrawn);
  for (const RandomConfiguration& each : drawn ? *drawn : std::vector<RandomConfiguration>{}) {
    add_launches(scene, variant, own_defaults(scene, each.axes), each.facts, found, unable);
  }
  for (const RandomConfiguration& each : drawn ? *drawn : std::vector<RandomConfiguration>{}) {
    add_launches(scene, variant, each.axes, each.facts, found, unable);
    // The same sizes with another choice, where the variant is of that alone.
    const auto elsewhere = where_applies(scene, variant, each.axes);
    if (!elsewhere || *elsewhere == each.axes) continue;
    Inputs inputs;
    Facts facts;
    if (regenerate_inputs(scene, nullptr, *elsewhere, inputs, facts))
      add_launches(scene, variant, *elsewhere, facts, found, unable);
  }
  if (!found.paths.empty()) return found;
  Result<Configuration> axes = configured(scene, variant.name, {});
  if (axes && !applies(variant, *axes)) {
    if (const auto elsewhere = where_applies(scene, variant, *axes)) axes = *elsewhere;
  }
  if (!axes) return tl::unexpected(axes.error());
  Inputs inputs;
  Facts facts;
  if (const auto made = regenerate_inputs(scene, nullptr, *axes, inputs, facts); !made)
    return tl::unexpected(made.error());
  add_launches(scene, variant, *axes, facts, found, unable);
  return found.paths.empty() ? unable : found;
}

std::map<std::string, Launch> launches_at(const Variant& variant, const Configuration& axes) {
  std::map<std::string, Launch> launches;
  const Workload workload{axes, {}};
  if (!applies(variant, axes)) return launches;
  try {
    if (unavailable(variant, workload, {})) return launches;
    for (const Step& step : variant.steps(workload)) {
      if (const auto* kernel = std::get_if<KernelLaunch>(&step.action))
        launches.emplace(step.name, kernel->launch);
    }
  } catch (const std::exception&) {
    return {};  // it asks for a fact
  }
  return launches;
}

}  // namespace warpscope
