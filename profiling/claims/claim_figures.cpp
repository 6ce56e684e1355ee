// profiling/claims/claim_figures.cpp: the figures that a claim names, looked up in the session at
// hand.
#include "profiling/claims/claim_figures.h"

#include <algorithm>
#include <cmath>

#include "profiling/claims/claim_steps.h"
#include "profiling/points/step_means.h"
#include "profiling/session/roof_join.h"
#include "profiling/session/source_standing.h"

namespace warpscope {
namespace {

tl::unexpected<MissingFigure> no_session() {
  return missing("needs a session", "open one, or measure");
}

// " at n=64" for a name that sets axes.
std::string place_of(const ClaimName& name) {
  std::string text;
  for (const auto& [axis, value] : name.settings)
    text += (text.empty() ? " at " : ", ") + axis + "=" + value;
  return text;
}

bool of_device(const Measurement& point, const std::string& device) {
  return device.empty() || device_of(point.conditions).id() == device;
}

}  // namespace

OrMissing<ClaimValue> ClaimFigures::best(const ClaimNode& node) const {
  if (context_.session == nullptr) return no_session();
  const CacheState cache = node.word.ends_with(".cold") ? CacheState::cold : CacheState::warm;
  std::optional<ClaimValue> shortest;
  const Variant* whose = nullptr;
  for (const ClaimNode& part : node.parts) {
    const auto variants = variants_of(part, scene_, context_.axes);
    if (!variants) return nonsense("“" + part.name.head + "” is not a set of variants");
    for (const Variant* variant : *variants) {
      const Measurement* point = exact_point(context_, variant->name);
      if (point != nullptr && !point->partial && point->verdict.outcome != Outcome::correct &&
          point->verdict.outcome != Outcome::unchecked)
        continue;
      OrMissing<ClaimValue> time =
          time_of({variant->name, {}, {}}, *variant, point, cache, &nothing_set_);
      if (!time) return time;
      if (!shortest || time->number < shortest->number) {
        shortest = std::move(*time);
        whose = variant;
      }
    }
  }
  if (!shortest) return missing("none of these variants runs here", "choose another configuration");
  return node.word.starts_with("best") ? *shortest : words_of(whose->label);
}

std::optional<MissingFigure> ClaimFigures::unusable(const ClaimName& name, const Variant& variant,
                                                    const Measurement* point,
                                                    const std::string& id) const {
  const std::string needs = "needs " + id + " of " + variant.label + place_of(name);
  if (point == nullptr) {
    const std::string command = command_of(name, id);
    return MissingFigure{needs + ", which is not measured there", "run `" + command + "`", command};
  }
  if (point->partial || point->verdict.outcome == Outcome::unchecked)
    return MissingFigure{needs + ", which is being measured", "wait", ""};
  if (point->verdict.outcome != Outcome::correct)
    return MissingFigure{
        needs + ": " + to_text(point->verdict.outcome) + ", " + point->verdict.sentence,
        point->verdict.remedy, ""};
  if (context_.sources == nullptr || point->conditions.code_id.empty()) return std::nullopt;
  if (const SourceStanding standing = context_.sources->of(*point);
      standing.state == SourceState::changed)
    return MissingFigure{needs + ", which was " + standing.sentence, "measure it again", ""};
  return std::nullopt;
}

std::string ClaimFigures::command_of(const ClaimName& name, const std::string& id) const {
  std::string command = "warpscope measure " + scene_.name + "/" + name.head;
  const Result<Configuration> asked = configuration_of(name, scene_, context_.axes);
  if (!asked) return command;
  const Configuration axes = for_variant(scene_.axes, *asked, name.head);
  const Configuration usual =
      for_variant(scene_.axes, default_configuration(scene_.axes), name.head);
  for (const Axis& axis : scene_.axes) {
    if (!axes.has(axis.name) || !applies(axis, axes)) continue;
    if (usual.has(axis.name) && axes.at(axis.name) == usual.at(axis.name)) continue;
    const std::string setting = axis.name + "=" + to_text(axes.at(axis.name));
    const bool spaces = setting.find(' ') != std::string::npos;
    command += spaces ? " \"" + setting + "\"" : " " + setting;
  }
  const std::optional<StepPath> steps = step_path(id);
  const Metric* metric = find_metric(steps ? steps->id : id);
  const bool counted = metric != nullptr && (metric->source == MetricSource::cupti ||
                                             !counters_behind(metric->id).empty());
  if (!counted) return command;
  const Result<std::vector<std::string>> standard = parse_counters("standard");
  const bool usual_one =
      std::find(standard->begin(), standard->end(), metric->id) != standard->end();
  return command + " --counters " +
         (usual_one || metric->source != MetricSource::cupti ? "standard" : metric->id);
}

OrMissing<ClaimValue> ClaimFigures::time_of(
    const ClaimName& name, const Variant& variant, const Measurement* point, CacheState cache,
    const std::map<std::string, std::string>* settings) const {
  const std::string id = std::string("time.") + to_text(cache);
  if (auto why = unusable(name, variant, point, id)) return tl::unexpected(*why);
  const std::optional<Timing>& timing = cache == CacheState::cold ? point->cold : point->warm;
  const std::optional<double> metric = value_of(point->metrics, id);
  if (!timing && !metric)
    return missing(
        "needs " + id + " of " + variant.label + place_of(name) + ", which has no samples of it",
        "run it again with cold and warm caches");
  ClaimValue value = number_of(timing ? timing->median_ns : *metric, "ns");
  if (timing && !timing->samples_ns.empty())
    value.time = ScaledTiming{
        &*timing, {point->conditions.device, point->conditions.toolkit, timing->sm_clock_mhz}, 1};
  value.sources = {{point, settings}};
  return value;
}

OrMissing<ClaimValue> ClaimFigures::named(const ClaimNode& node) const {
  const ClaimName& name = node.name;
  if (const Variant* variant = find_variant(scene_, name.head)) return figure(name, *variant);
  if (name.head == "axis") {
    if (context_.axes.values().empty()) return missing("needs a configuration", "open a session");
    const Configuration whole = with_defaults(scene_.axes, context_.axes);
    const AxisValue& at = whole.at(name.path);
    if (const auto* text = std::get_if<std::string>(&at)) return words_of(*text);
    ClaimValue value = number_of(whole.real(name.path), "");
    value.whole = std::holds_alternative<std::int64_t>(at);
    return value;
  }
  if (context_.session == nullptr) return no_session();
  if (name.head == "device") return device_fact(name.path);
  if (name.head == "roof") return roof(name.path);
  return fact(name);
}

OrMissing<ClaimValue> ClaimFigures::figure(const ClaimName& name, const Variant& variant) const {
  if (name.path == "reference") return words_of(variant.reference);
  if (context_.session == nullptr) return no_session();
  const Result<Configuration> axes = configuration_of(name, scene_, context_.axes);
  if (!axes) return nonsense(sentence(axes.error()));
  const std::string& path = name.path;
  if (path.starts_with("epoch.")) return of_epoch(name, variant, *axes);
  const Measurement* point = exact_point(context_, name.head, *axes);
  if (path == "outcome") {
    if (point == nullptr) return tl::unexpected(*unusable(name, variant, point, path));
    return words_of(to_text(point->verdict.outcome));
  }
  if (path == "time.cold" || path == "time.warm")
    return time_of(name, variant, point, path == "time.cold" ? CacheState::cold : CacheState::warm,
                   &name.settings);
  if (auto why = unusable(name, variant, point, path)) return tl::unexpected(*why);
  if (path.starts_with("bind")) return standing(name, variant, *point);
  if (const std::optional<StepPath> steps = step_path(path)) {
    OrMissing<ClaimValue> made = figure_of_steps(*point, *steps, variant.label + place_of(name));
    if (made) {
      made->sources = {{point, &name.settings}};
    } else if (made.error().remedy.empty()) {
      made.error().command = command_of(name, path);
      made.error().remedy = "run `" + made.error().command + "`";
    }
    return made;
  }
  const MetricValue* value = find_value(point->metrics, path);
  if (value == nullptr || !value->value) {
    const std::string needs = "needs " + path + " of " + variant.label + place_of(name);
    if (value != nullptr && !value->reason.empty())
      return missing(needs + ": " + value->reason, value->remedy);
    const std::string command = command_of(name, path);
    return tl::unexpected(
        MissingFigure{needs + ", which was not collected", "run `" + command + "`", command});
  }
  ClaimValue made = value_of_metric(*value->value, path);
  made.sources = {{point, &name.settings}};
  return made;
}

OrMissing<ClaimValue> ClaimFigures::of_epoch(const ClaimName& name, const Variant& variant,
                                             const Configuration& axes) const {
  const std::string key = configuration_key(scene_.axes, axes, name.head);
  const Series *times = nullptr, *epochs = nullptr;
  for (const Series* series : context_.session->outcomes().series_of(scene_.name, name.head)) {
    const std::string& device = series->point.device_uuid;  // the emulator has none
    if (series->point.key != key || device.empty() || device != device_at_hand(context_)) continue;
    if (series->name == kEpochTime) times = series;
    if (series->name == "train") epochs = series;
  }
  if (times == nullptr || times->y.empty() || epochs == nullptr || epochs->x.empty()) {
    std::string command = command_of(name, name.path);
    command.replace(0, std::string("warpscope measure").size(), "warpscope train");
    return tl::unexpected(MissingFigure{
        "needs a whole epoch of " + variant.label + place_of(name) + ", and none was trained here",
        "run `" + command + "`", command});
  }
  if (name.path == "epoch.steps") {
    ClaimValue value = number_of(times->x.back() / epochs->x.back(), "");
    value.whole = true;
    return value;
  }
  std::vector<double> seconds = times->y;
  std::nth_element(seconds.begin(),
                   seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2),
                   seconds.end());
  constexpr double kNs = 1e9;
  return number_of(kNs * seconds[seconds.size() / 2], "ns");
}

OrMissing<ClaimValue> ClaimFigures::standing(const ClaimName& name, const Variant& variant,
                                             const Measurement& point) const {
  const CacheState cache = name.path.ends_with(".cold") ? CacheState::cold : CacheState::warm;
  const RoofJoin join = join_roofs(*context_.session, point.conditions, context_.lent);
  if (join.roofs == nullptr) return missing("needs roofs: " + join.words, "measure the roofs");
  const auto stands = stand(point, cache, *join.roofs);
  const bool above = stands && std::any_of(stands->points.begin(), stands->points.end(),
                                           [](const auto& p) { return !p.impossible.empty(); });
  if (!stands || !stands->binding)
    return missing("which roof limits " + variant.label + place_of(name) + " is not known" +
                       (stands && !stands->sentence.empty() ? ": " + stands->sentence : ""),
                   above ? "measure it and the roofs again" : "collect its counters");
  if (name.path.starts_with("binding_ratio")) {
    ClaimValue made = number_of(stands->binding_ratio, "ratio");
    made.sources = {{&point, &name.settings}};
    return made;
  }
  return words_of(*stands->binding == Level::pipe ? to_text(stands->pipe)
                                                  : to_text(*stands->binding));
}

DeviceName ClaimFigures::name_at_hand() const {
  const std::string device = device_at_hand(context_);
  const auto points = context_.session->all_points();
  const auto found = std::find_if(points.rbegin(), points.rend(), [&](const Measurement* point) {
    return !point->conditions.device.empty() && of_device(*point, device);
  });
  return found == points.rend() ? DeviceName{} : device_of((*found)->conditions);
}

OrMissing<ClaimValue> ClaimFigures::device_fact(const std::string& path) const {
  const DeviceName name = name_at_hand();
  const Hello* hello = context_.session->engine_of(name);
  const bool described = hello != nullptr && hello->device;
  if (path.empty() || path == "name") {
    if (!name.name.empty()) return words_of(name.name);
    if (described) return words_of(hello->device->name);
    return missing("needs the name of the device", "measure something");
  }
  if (!described)
    return missing("needs " + path + " of the device, which the session does not describe",
                   "record it again with this version");
  const DeviceDescription& d = *hello->device;
  const std::map<std::string, std::pair<double, const char*>> facts = {
      {"l2_bytes", {static_cast<double>(d.l2_bytes), "B"}},
      {"multiprocessors", {d.multiprocessors, "1"}},
      {"capability", {d.compute_capability, "1"}},
      {"shared_bytes_per_block", {static_cast<double>(d.shared_bytes_per_block), "B"}},
      {"memory_bytes", {static_cast<double>(d.memory_bytes), "B"}}};
  const auto& [number, unit] = facts.at(path);
  if (number <= 0) return missing("the device did not report its " + path, "record it again");
  return number_of(number, unit);
}

OrMissing<ClaimValue> ClaimFigures::roof(const std::string& path) const {
  Conditions of;
  const std::string device = device_at_hand(context_);
  const auto points = context_.session->all_points();
  const auto last = std::find_if(points.rbegin(), points.rend(), [&](const Measurement* point) {
    return of_device(*point, device);
  });
  if (last != points.rend()) of = (*last)->conditions;
  const RoofJoin join = join_roofs(*context_.session, of, context_.lent);
  if (join.roofs == nullptr) return missing("needs roofs: " + join.words, "measure the roofs");
  for (const Roof& roof : join.roofs->roofs) {
    if (!roof.library.empty() || !roof.scene.empty()) continue;
    const bool named = roof.level == Level::dram
                           ? roof.mix.segment_bytes == 0 && path == "dram." + roof.mix.name
                       : roof.level == Level::pipe  ? path == "pipe." + pipe_word(roof.pipe)
                       : roof.level == Level::l2    ? path == "l2"
                       : roof.level == Level::l1    ? path == "l1"
                       : roof.level == Level::issue ? path == "issue"
                                                    : path == "shared";
    if (!named) continue;
    if (!roof.trusted)
      return missing("the roof " + label(roof) + " is not trusted: " + roof.note,
                     "measure the roofs");
    return number_of(roof.value, roof.unit);
  }
  return missing("the session has no roof " + path, "measure the roofs again");
}

std::optional<double> ClaimFigures::look_up(const std::string& fact, const Configuration& axes,
                                            const std::string& problem) const {
  const auto among = [&](const std::vector<const Measurement*>& points) -> std::optional<double> {
    for (const Measurement* point : points) {
      if (point->problem != problem) continue;
      const auto found = point->facts.find(fact);
      if (found != point->facts.end()) return found->second;
    }
    return std::nullopt;
  };
  // Facts are the problem's: any point there has them. Those at exactly these axes are found at
  // once; others take a look at all points of the scene.
  const Session& session = *context_.session;
  for (const Variant& variant : scene_.variants) {
    const std::string key = configuration_key(scene_.axes, axes, variant.name);
    if (const auto found = among(session.points_at(scene_.name, variant.name, key))) return found;
  }
  for (const Variant& variant : scene_.variants) {
    if (const auto found = among(session.points(scene_.name, variant.name))) return found;
  }
  return std::nullopt;
}

OrMissing<ClaimValue> ClaimFigures::fact(const ClaimName& name) const {
  const Result<Configuration> axes = configuration_of(name, scene_, context_.axes);
  if (!axes) return nonsense(sentence(axes.error()));
  const std::string problem = problem_key(scene_.axes, *axes);
  KnownFacts none;
  KnownFacts& known = context_.facts != nullptr ? *context_.facts : none;
  const auto [at, added] = known.try_emplace({scene_.name, problem, name.path});
  if (added) at->second = look_up(name.path, *axes, problem);
  if (at->second) {
    ClaimValue value = number_of(*at->second, "");
    value.whole = value.number == std::round(value.number);
    return value;
  }
  return missing("needs the fact " + name.path + " of the inputs" +
                     (name.settings.empty() ? " at this configuration" : place_of(name)),
                 "measure any variant there");
}

}  // namespace warpscope
