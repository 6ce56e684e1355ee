// profiling/claims/claim_names.cpp: the names that claims and texts may use.
#include "profiling/claims/claim_names.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>

#include "profiling/claims/claim_steps.h"
#include "profiling/figures/metric.h"
#include "scenes/catalogue.h"
#include "scenes/host/enumerators.h"
#include "scenes/host/nearest.h"
#include "scenes/random_configuration.h"

namespace warpscope {
namespace {

constexpr std::array kFunctions = {"min",  "max",       "abs",     "ratio",
                                   "best", "best.cold", "fastest", "fastest.cold"};
constexpr std::array kGatherings = {"mean", "min", "max", "count", "at_min", "at_max", "points"};
constexpr std::array kDeviceFacts = {
    "name", "l2_bytes", "multiprocessors", "capability", "shared_bytes_per_block", "memory_bytes"};
constexpr std::array kRoofs = {"l2", "l1", "shared", "issue"};
// source: the streams of the engine's roofs, which a test holds to these.
constexpr std::array kMixes = {"dram.read", "dram.write", "dram.copy", "dram.scale", "dram.triad"};
constexpr std::array kPointWords = {"binds",   "binds.cold", "binding_ratio", "binding_ratio.cold",
                                    "outcome", "reference"};
constexpr std::array kEpochWords = {"epoch.time", "epoch.steps"};  // of what was trained
constexpr std::array kStepWords = {"time", "count", "shared_bytes"};

template <std::size_t N>
bool among(const std::array<const char*, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}
template <std::size_t N>
std::vector<std::string> list_of(const std::array<const char*, N>& names) {
  return {names.begin(), names.end()};
}

std::vector<std::string> variant_names(const Scene& scene) {
  std::vector<std::string> names;
  for (const Variant& variant : scene.variants) names.push_back(variant.name);
  return names;
}

tl::unexpected<Error> wrong(std::string what, std::string remedy) {
  return failure(ErrorKind::input, std::move(what), "", std::move(remedy));
}

Result<void> check_figure(const ClaimName& name, const Scene& scene) {
  if (name.path.empty())
    return wrong("“" + name.head + "” is a variant, not a figure",
                 "write " + name.head + ".time.warm");
  const std::optional<StepPath> steps = step_path(name.path);
  if (among(kPointWords, name.path) || (steps && among(kStepWords, steps->id))) return {};
  if (scene.training && among(kEpochWords, name.path)) return {};
  const Metric* metric = find_metric(steps ? steps->id : name.path);
  if (metric == nullptr) {
    std::vector<std::string> names = steps ? list_of(kStepWords) : list_of(kPointWords);
    for (const Metric& each : all_metrics()) names.push_back(each.id);
    for (const WorkTerm& term : scene.work_terms) names.push_back(term.id);
    return unknown("figure", steps ? steps->id : name.path, names);
  }
  if (metric->source == MetricSource::emulator)
    return wrong("“" + name.path + "” is emulated, but claims need measurements",
                 "name the counter without “emulated.”");
  return {};
}

// The facts of a scene's inputs that were found so far, in small ones.
struct FoundFacts {
  bool none = false;  // no inputs can be made
  std::set<std::string> names;
  // What is still to be drawn: facts may depend on a choice.
  std::vector<std::map<std::string, std::string>> rest;
};

FoundFacts first_facts(const Scene& scene) {
  FoundFacts facts;
  for (const Axis& axis : scene.axes) {
    for (const std::string& choice : axis.choices) facts.rest.push_back({{axis.name, choice}});
  }
  facts.rest.emplace_back();  // drawn first
  std::reverse(facts.rest.begin(), facts.rest.end() - 1);
  return facts;
}

void draw_next(const Scene& scene, FoundFacts& facts) {
  RandomDraw draw;
  draw.most_bytes = 1 << 20;
  draw.fixed = std::move(facts.rest.back());
  facts.rest.pop_back();
  const bool first = draw.fixed.empty();
  const auto drawn = random_configurations(scene, draw, 1);
  facts.none = facts.none || (first && !drawn);
  if (!drawn) return;
  for (const RandomConfiguration& each : *drawn) {
    for (const auto& [name, value] : each.facts) facts.names.insert(name);
  }
}

// The facts that inputs of the scene have, as far as they have to be looked for until `wanted` is
// among them: without it they are all. No value if no inputs are made.
std::optional<std::vector<std::string>> fact_names(const Scene& scene, const std::string& wanted) {
  static std::mutex mutex;
  static std::map<std::string, FoundFacts> known;  // by scene
  const std::lock_guard lock(mutex);
  auto found = known.find(scene.name);
  if (found == known.end()) found = known.emplace(scene.name, first_facts(scene)).first;
  FoundFacts& facts = found->second;
  while (!facts.none && facts.names.count(wanted) == 0 && !facts.rest.empty())
    draw_next(scene, facts);
  if (facts.none) return std::nullopt;
  return std::vector<std::string>(facts.names.begin(), facts.names.end());
}

// What follows “device.” and its like.
Result<void> check_path(const ClaimName& name, const std::string& kind,
                        const std::vector<std::string>& names) {
  if (!name.settings.empty()) return wrong(name.head + " has no configuration", "leave out the @");
  if (std::find(names.begin(), names.end(), name.path) != names.end()) return {};
  return unknown(kind, name.path, names);
}

}  // namespace

tl::unexpected<Error> unknown(const std::string& kind, const std::string& name,
                              const std::vector<std::string>& names) {
  return wrong("there is no " + kind + " “" + name + "”", suggest(name, names));
}

Result<void> check_variant(const std::string& name, const Scene& scene) {
  const Result<const Variant*> found = find_variant_or_explain(scene, name);
  if (found) return {};
  return wrong("there is no variant “" + name + "”", found.error().remedy);
}

Result<void> check_function(const std::string& name) {
  if (is_function(name) || is_gathering(name)) return {};
  std::vector<std::string> names = list_of(kFunctions);
  names.insert(names.end(), kGatherings.begin(), kGatherings.end());
  return unknown("function", name, names);
}

bool is_function(const std::string& name) { return among(kFunctions, name); }
bool is_gathering(const std::string& name) { return among(kGatherings, name); }

Result<void> check_name(const ClaimName& name, const Scene& scene) {
  if (find_variant(scene, name.head) != nullptr) return check_figure(name, scene);
  if (name.head == "device")
    return name.path.empty() ? Result<void>{}
                             : check_path(name, "fact of a device", list_of(kDeviceFacts));
  if (name.head == "axis") {
    std::vector<std::string> names;
    for (const Axis& axis : scene.axes) names.push_back(axis.name);
    return check_path(name, "axis", names);
  }
  if (name.head == "fact")  // may stand elsewhere, as a figure does
    return check_path({name.head, name.path, {}}, "fact",
                      fact_names(scene, name.path).value_or(std::vector{name.path}));
  if (name.head == "roof") {
    std::vector<std::string> names = list_of(kRoofs);
    names.insert(names.end(), kMixes.begin(), kMixes.end());
    for (int pipe = 0; pipe < kEnumeratorCount<Pipe>; ++pipe)
      names.push_back("pipe." + pipe_word(static_cast<Pipe>(pipe)));
    return check_path(name, "roof", names);
  }
  std::vector<std::string> names = variant_names(scene);
  names.insert(names.end(), {"device", "roof", "axis", "fact"});
  return unknown("variant", name.head, names);
}

Result<void> check_set(const ClaimNode& node, const Scene& scene) {
  const ClaimName& name = node.name;
  if (variants_of(node, scene, {})) {
    if (name.settings.empty()) return {};
    return wrong("a set always uses the current configuration", "leave out the @");
  }
  std::set<std::string> known = {"all"};
  for (const Variant& variant : scene.variants) {
    known.insert("family." + variant.family);
    known.insert("like." + variant.name);
  }
  for (const League& league : scene.leagues) known.insert("league." + league.name);
  std::vector<std::string> names = variant_names(scene);
  names.insert(names.end(), known.begin(), known.end());
  return unknown("variant or set", name.head + (name.path.empty() ? "" : "." + name.path), names);
}

}  // namespace warpscope
