// profiling/claim_evaluation.cpp: claims held to the session at hand: figures looked up, compared.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "profiling/claim.h"
#include "profiling/point.h"
#include "profiling/roof_join.h"
#include "profiling/source_standing.h"

namespace warpscope {
namespace {

// Why there is no value.
struct Missing {
  std::string why, remedy;
};

struct ScaledTiming {
  const Timing* timing = nullptr;
  TimingConditions conditions;
  double factor = 1;
};

// Where a figure comes from, and the axes that its name sets apart.
struct Source {
  const Measurement* point = nullptr;
  const std::map<std::string, std::string>* settings = nullptr;
};

struct Value {
  enum class Kind { number, words, truth };
  Kind kind = Kind::number;
  double number = 0;
  std::string unit;
  std::string words;
  bool truth = false;
  std::optional<ScaledTiming> time;  // the samples behind a time …
  std::optional<ScaledTiming> over;  // … and of a ratio of two times those below the line
  std::vector<Source> sources;
};

template <typename T>
using Or = tl::expected<T, Missing>;

tl::unexpected<Missing> missing(std::string why, std::string remedy) {
  return tl::unexpected(Missing{std::move(why), std::move(remedy)});
}
tl::unexpected<Missing> no_session() { return missing("needs a session", "open one, or measure"); }
tl::unexpected<Missing> nonsense(const std::string& what) {
  return missing(what, "correct the claim");
}

Value number_of(double number, std::string unit) {
  Value value;
  value.number = number;
  value.unit = std::move(unit);
  return value;
}
Value words_of(std::string words) {
  Value value;
  value.kind = Value::Kind::words;
  value.words = std::move(words);
  return value;
}
Value truth_of(bool truth) {
  Value value;
  value.kind = Value::Kind::truth;
  value.truth = truth;
  return value;
}

bool is_pure(const std::string& unit) { return unit.empty() || unit == "1" || unit == "ratio"; }

// " at n=64" for a name that sets axes.
std::string place_of(const ClaimName& name) {
  std::string text;
  for (const auto& [axis, value] : name.settings)
    text += (text.empty() ? " at " : ", ") + axis + "=" + value;
  return text;
}

// Why two points may not be held to each other; empty: they may. Axes that a claim names differ on
// purpose.
std::string why_not(const Scene& scene, const Source& a, const Source& b) {
  if (a.point == b.point) return "";
  if (a.settings->empty() && b.settings->empty()) return comparable(*a.point, *b.point).reason;
  if (!same_device(a.point->conditions, b.point->conditions))
    return "measured on " + to_text(device_of(a.point->conditions)) + " and on " +
           to_text(device_of(b.point->conditions));
  const Configuration x = with_defaults(scene.axes, a.point->axes),
                      y = with_defaults(scene.axes, b.point->axes);
  for (const Axis& axis : scene.axes) {
    const std::string& name = axis.name;
    if (!of_problem(axis) || a.settings->count(name) != 0 || b.settings->count(name) != 0) continue;
    if ((applies(axis, x) || applies(axis, y)) && x.at(name) != y.at(name))
      return name + " is " + to_text(x.at(name)) + " in one and " + to_text(y.at(name)) +
             " in the other";
  }
  return "";
}

bool of_device(const Measurement& point, const std::string& device) {
  return device.empty() || device_of(point.conditions).id() == device;
}

class Evaluation {
 public:
  explicit Evaluation(const ClaimContext& context) : context_(context), scene_(*context.scene) {}

  Or<Value> value(const ClaimNode& node) {
    switch (node.kind) {
      case ClaimNode::Kind::number:
        return number_of(node.number, node.unit);
      case ClaimNode::Kind::words:
        return words_of(node.word);
      case ClaimNode::Kind::name:
        return named(node);
      case ClaimNode::Kind::call:
        return call(node);
      case ClaimNode::Kind::operation:
        break;
    }
    if (node.word == "not" || node.word == "and" || node.word == "or") return logic(node);
    Or<Value> left = value(node.parts[0]);
    if (!left) return left;
    if (node.parts.size() == 1) {
      if (left->kind != Value::Kind::number) return nonsense("a minus before what is no figure");
      return number_of(-left->number, left->unit);
    }
    Or<Value> right = value(node.parts[1]);
    if (!right) return right;
    if (const std::string why = apart(*left, *right); !why.empty())
      return missing("compares points that are not comparable: " + why, "name the axis after @");
    if (node.word == "+" || node.word == "-" || node.word == "*" || node.word == "/")
      return arithmetic(node.word[0], *left, *right);
    return relation(node.word, *left, *right);
  }

 private:
  // Kleene's logic: what is false whatever the unknown part is, is false.
  Or<Value> logic(const ClaimNode& node) {
    std::optional<Missing> unknown;
    const bool any = node.word == "or";
    for (const ClaimNode& part : node.parts) {
      const Or<Value> each = value(part);
      if (!each) {
        if (!unknown) unknown = each.error();
        continue;
      }
      if (each->kind != Value::Kind::truth) return nonsense(node.word + " joins relations");
      if (node.word == "not") return truth_of(!each->truth);
      if (each->truth == any) return truth_of(any);
    }
    if (unknown) return tl::unexpected(*unknown);
    return truth_of(!any);
  }

  std::string apart(const Value& a, const Value& b) const {
    for (const Source& x : a.sources) {
      for (const Source& y : b.sources) {
        if (std::string why = why_not(scene_, x, y); !why.empty()) return why;
      }
    }
    return "";
  }

  static std::vector<Source> joined(const Value& a, const Value& b) {
    std::vector<Source> all = a.sources;
    all.insert(all.end(), b.sources.begin(), b.sources.end());
    return all;
  }

  Or<Value> arithmetic(char sign, const Value& a, const Value& b) const {
    if (a.kind != Value::Kind::number || b.kind != Value::Kind::number)
      return nonsense(std::string("“") + sign + "” stands between what are no figures");
    Value made;
    made.sources = joined(a, b);
    if (sign == '+' || sign == '-') {
      if (a.unit != b.unit && !(is_pure(a.unit) && is_pure(b.unit)))
        return nonsense("adds " + a.unit + " and " + b.unit);
      made.number = sign == '+' ? a.number + b.number : a.number - b.number;
      made.unit = a.unit;
      return made;
    }
    const auto scaled = [&made](const Value& time, double factor) {
      made.time = time.time;
      made.over = time.over;
      if (made.time) made.time->factor *= factor;
    };
    if (sign == '*') {
      made.number = a.number * b.number;
      made.unit = is_pure(a.unit) ? b.unit : is_pure(b.unit) ? a.unit : a.unit + "·" + b.unit;
      if (a.time && !b.time && is_pure(b.unit)) scaled(a, b.number);
      if (b.time && !a.time && is_pure(a.unit)) scaled(b, a.number);
      return made;
    }
    if (b.number == 0) return missing("divides by nothing", "measure what is not 0");
    made.number = a.number / b.number;
    made.unit = a.unit == b.unit ? "" : is_pure(b.unit) ? a.unit : a.unit + "/" + b.unit;
    if (a.time && !b.time && is_pure(b.unit)) scaled(a, 1 / b.number);
    if (a.time && b.time && !a.over && !b.over) {
      made.time = a.time;
      made.over = b.time;
    }
    return made;
  }

  static Timing scaled(const ScaledTiming& of) {
    Timing timing = *of.timing;
    for (double& sample : timing.samples_ns) sample *= of.factor;
    for (double* figure : {&timing.median_ns, &timing.minimum_ns, &timing.first_quartile_ns,
                           &timing.third_quartile_ns, &timing.maximum_ns})
      *figure *= of.factor;
    return timing;
  }
  static Comparison verdict(const ScaledTiming& candidate, const ScaledTiming& baseline) {
    return compare(scaled(baseline), baseline.conditions, scaled(candidate), candidate.conditions);
  }

  static Or<Value> by_verdict(const std::string& sign, const Comparison& comparison) {
    const Difference d = comparison.difference;
    if (d == Difference::not_comparable) return missing(comparison.sentence, "measure both anew");
    if (sign == "<") return truth_of(d == Difference::faster);
    if (sign == ">") return truth_of(d == Difference::slower);
    if (sign == "<=") return truth_of(d != Difference::slower);
    if (sign == ">=") return truth_of(d != Difference::faster);
    if (d == Difference::ambiguous)
      return missing("the difference is " + comparison.sentence, "measure longer");
    return truth_of((d == Difference::same) == (sign != "!="));
  }

  static Or<Value> relation(const std::string& sign, const Value& a, const Value& b) {
    if (a.kind != b.kind) return nonsense("compares a figure with words");
    if (a.kind == Value::Kind::words) {
      if (sign != "=" && sign != "!=") return nonsense("words are equal or not");
      return truth_of((a.words == b.words) == (sign == "="));
    }
    if (a.kind == Value::Kind::truth) return nonsense("compares relations");
    if (a.unit != b.unit && !(is_pure(a.unit) && is_pure(b.unit)))
      return nonsense("compares " + (a.unit.empty() ? "a number" : a.unit) + " with " +
                      (b.unit.empty() ? "a number" : b.unit));
    if (a.time && b.time && !a.over && !b.over) return by_verdict(sign, verdict(*a.time, *b.time));
    // A ratio of two times beside a number is one of them beside so many times the other.
    if (a.over && !b.time) {
      ScaledTiming limit = *a.over;
      limit.factor *= b.number;
      return by_verdict(sign, verdict(*a.time, limit));
    }
    if (b.over && !a.time) {
      ScaledTiming limit = *b.over;
      limit.factor *= a.number;
      return by_verdict(sign, verdict(limit, *b.time));
    }
    constexpr double kSame = 0.01;  // of counters: what two runs of one kernel differ by
    const double x = a.number, y = b.number;
    if (sign == "<") return truth_of(x < y);
    if (sign == ">") return truth_of(x > y);
    if (sign == "<=") return truth_of(x <= y);
    if (sign == ">=") return truth_of(x >= y);
    const bool same =
        sign == "~" ? std::abs(x - y) <= kSame * std::max(std::abs(x), std::abs(y)) : x == y;
    return truth_of(same == (sign != "!="));
  }

  Or<Value> call(const ClaimNode& node) {
    if (node.word.starts_with("best") || node.word.starts_with("fastest")) return best(node);
    std::vector<Value> parts;
    for (const ClaimNode& part : node.parts) {
      Or<Value> each = value(part);
      if (!each) return each;
      if (each->kind != Value::Kind::number) return nonsense(node.word + " takes figures");
      for (const Value& other : parts) {
        if (const std::string why = apart(other, *each); !why.empty())
          return missing("compares points that are not comparable: " + why,
                         "name the axis after @");
        if (other.unit != each->unit && !(is_pure(other.unit) && is_pure(each->unit)))
          return nonsense(node.word + " of " + other.unit + " and " + each->unit);
      }
      parts.push_back(std::move(*each));
    }
    if (node.word == "ratio") return arithmetic('/', parts[0], parts[1]);
    if (node.word == "abs") {
      Value made = parts[0];
      made.number = std::abs(made.number);
      return made;
    }
    const auto less = [](const Value& a, const Value& b) { return a.number < b.number; };
    return node.word == "min" ? *std::min_element(parts.begin(), parts.end(), less)
                              : *std::max_element(parts.begin(), parts.end(), less);
  }

  Or<Value> best(const ClaimNode& node) {
    if (context_.session == nullptr) return no_session();
    const CacheState cache = node.word.ends_with(".cold") ? CacheState::cold : CacheState::warm;
    std::optional<Value> shortest;
    const Variant* whose = nullptr;
    for (const ClaimNode& part : node.parts) {
      const auto variants = variants_of(part, scene_, context_.axes);
      if (!variants) return nonsense("“" + part.name.head + "” is no set of variants");
      for (const Variant* variant : *variants) {
        const Measurement* point = exact_point(context_, variant->name);
        if (point != nullptr && !point->partial && point->verdict.outcome != Outcome::correct &&
            point->verdict.outcome != Outcome::unchecked)
          continue;
        Or<Value> time = time_of({variant->name, {}, {}}, *variant, point, cache, &nothing_set_);
        if (!time) return time;
        if (!shortest || time->number < shortest->number) {
          shortest = std::move(*time);
          whose = variant;
        }
      }
    }
    if (!shortest)
      return missing("none of these variants runs here", "choose another configuration");
    return node.word.starts_with("best") ? *shortest : words_of(whose->label);
  }

  // Why a point has no figures; nothing where it has some.
  std::optional<Missing> unusable(const ClaimName& name, const Variant& variant,
                                  const Measurement* point, const std::string& id) const {
    const std::string needs = "needs " + id + " of " + variant.label + place_of(name);
    if (point == nullptr)
      return Missing{
          needs + ", which is not measured there",
          "run `warpscope measure " + scene_.name + "/" + variant.name + "` at this configuration"};
    if (point->partial || point->verdict.outcome == Outcome::unchecked)
      return Missing{needs + ", which is being measured", "wait"};
    if (point->verdict.outcome != Outcome::correct)
      return Missing{
          needs + ": " + to_text(point->verdict.outcome) + ", " + point->verdict.sentence,
          point->verdict.remedy};
    if (context_.sources == nullptr || point->conditions.code_id.empty()) return std::nullopt;
    if (const SourceStanding standing = context_.sources->of(*point);
        standing.state == SourceState::changed)
      return Missing{needs + ", which was " + standing.sentence, "measure it again"};
    return std::nullopt;
  }

  Or<Value> time_of(const ClaimName& name, const Variant& variant, const Measurement* point,
                    CacheState cache, const std::map<std::string, std::string>* settings) const {
    const std::string id = std::string("time.") + to_text(cache);
    if (auto why = unusable(name, variant, point, id)) return tl::unexpected(*why);
    const std::optional<Timing>& timing = cache == CacheState::cold ? point->cold : point->warm;
    const std::optional<double> metric = value_of(point->metrics, id);
    if (!timing && !metric)
      return missing(
          "needs " + id + " of " + variant.label + place_of(name) + ", which has no such samples",
          "run it again with both states of the caches");
    Value value = number_of(timing ? timing->median_ns : *metric, "ns");
    if (timing && !timing->samples_ns.empty())
      value.time = ScaledTiming{
          &*timing, {point->conditions.device, point->conditions.toolkit, timing->sm_clock_mhz}, 1};
    value.sources = {{point, settings}};
    return value;
  }

  Or<Value> named(const ClaimNode& node) {
    const ClaimName& name = node.name;
    if (const Variant* variant = find_variant(scene_, name.head)) return figure(name, *variant);
    if (name.head == "axis") {
      if (context_.axes.values().empty()) return missing("needs a configuration", "open a session");
      const Configuration whole = with_defaults(scene_.axes, context_.axes);
      const AxisValue& at = whole.at(name.path);
      if (const auto* text = std::get_if<std::string>(&at)) return words_of(*text);
      return number_of(whole.real(name.path), "");
    }
    if (context_.session == nullptr) return no_session();
    if (name.head == "device") return device_fact(name.path);
    if (name.head == "roof") return roof(name.path);
    return fact(name.path);
  }

  Or<Value> figure(const ClaimName& name, const Variant& variant) const {
    if (context_.session == nullptr) return no_session();
    const Result<Configuration> axes = configuration_of(name, scene_, context_.axes);
    if (!axes) return nonsense(sentence(axes.error()));
    const Measurement* point = exact_point(context_, name.head, *axes);
    const std::string& path = name.path;
    if (path == "outcome") {
      if (point == nullptr) return tl::unexpected(*unusable(name, variant, point, path));
      return words_of(to_text(point->verdict.outcome));
    }
    if (path == "time.cold" || path == "time.warm")
      return time_of(name, variant, point,
                     path == "time.cold" ? CacheState::cold : CacheState::warm, &name.settings);
    if (auto why = unusable(name, variant, point, path)) return tl::unexpected(*why);
    if (path.starts_with("bind")) return standing(name, variant, *point);
    const MetricValue* value = find_value(point->metrics, path);
    if (value == nullptr || !value->value) {
      const bool said = value != nullptr && !value->reason.empty();
      return missing("needs " + path + " of " + variant.label + place_of(name) +
                         (said ? ": " + value->reason : ", which was measured without it"),
                     said && !value->remedy.empty()
                         ? value->remedy
                         : "run it with `--counters " + path + "`, or full");
    }
    const Metric* metric = find_metric(path);
    const std::string unit = metric == nullptr ? "" : metric->unit;
    // 47.5 of unit “%” is the ratio 0.475, as “50 %” in a claim is 0.5.
    Value made =
        unit == "%" ? number_of(*value->value / 100, "ratio") : number_of(*value->value, unit);
    made.sources = {{point, &name.settings}};
    return made;
  }

  Or<Value> standing(const ClaimName& name, const Variant& variant,
                     const Measurement& point) const {
    const CacheState cache = name.path.ends_with(".cold") ? CacheState::cold : CacheState::warm;
    const RoofJoin join = join_roofs(*context_.session, point.conditions, context_.lent);
    if (join.roofs == nullptr) return missing("needs roofs: " + join.words, "measure the roofs");
    const auto stands = stand(point, cache, *join.roofs);
    if (!stands || !stands->binding)
      return missing("which roof binds " + variant.label + place_of(name) + " is not known" +
                         (stands && !stands->sentence.empty() ? ": " + stands->sentence : ""),
                     "collect its counters");
    if (name.path.starts_with("binding_ratio")) {
      Value made = number_of(stands->binding_ratio, "ratio");
      made.sources = {{&point, &name.settings}};
      return made;
    }
    return words_of(*stands->binding == Level::pipe ? to_text(stands->pipe)
                                                    : to_text(*stands->binding));
  }

  // A card of the same model has the same L2 and multiprocessors.
  std::string name_at_hand() const {
    const std::string device = device_at_hand(context_);
    const auto points = context_.session->all_points();
    const auto found = std::find_if(points.rbegin(), points.rend(), [&](const Measurement* point) {
      return !point->conditions.device.empty() && of_device(*point, device);
    });
    return found == points.rend() ? "" : (*found)->conditions.device;
  }

  Or<Value> device_fact(const std::string& path) const {
    const std::string name = name_at_hand();
    const Hello* hello = context_.session->engine();
    const bool described =
        hello != nullptr && hello->device && (name.empty() || name == hello->device->name);
    if (path.empty() || path == "name") {
      if (!name.empty()) return words_of(name);
      if (described) return words_of(hello->device->name);
      return missing("needs the name of the device", "measure something");
    }
    if (!described)
      return missing("needs " + path + " of the device, which the session does not describe",
                     "record it anew with this version");
    const DeviceDescription& d = *hello->device;
    const std::map<std::string, std::pair<double, const char*>> facts = {
        {"l2_bytes", {static_cast<double>(d.l2_bytes), "B"}},
        {"multiprocessors", {d.multiprocessors, "1"}},
        {"capability", {d.compute_capability, "1"}},
        {"shared_bytes_per_block", {static_cast<double>(d.shared_bytes_per_block), "B"}},
        {"memory_bytes", {static_cast<double>(d.memory_bytes), "B"}}};
    const auto& [number, unit] = facts.at(path);
    if (number <= 0) return missing("the device did not say its " + path, "record it anew");
    return number_of(number, unit);
  }

  Or<Value> roof(const std::string& path) const {
    Conditions of;
    const std::string device = device_at_hand(context_);
    for (const Measurement* point : context_.session->all_points()) {
      if (of_device(*point, device)) of = point->conditions;
    }
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

  Or<Value> fact(const std::string& path) const {
    for (const Variant& variant : scene_.variants) {
      const Measurement* point = exact_point(context_, variant.name);
      if (point == nullptr) continue;
      if (const auto found = point->facts.find(path); found != point->facts.end())
        return number_of(found->second, "");
    }
    return missing("needs the fact " + path + " of the inputs at this configuration",
                   "measure any variant here");
  }

  const ClaimContext& context_;
  const Scene& scene_;
  const std::map<std::string, std::string> nothing_set_;  // the settings of names without @
};

}  // namespace

std::string device_at_hand(const ClaimContext& context) {
  if (!context.device_uuid.empty() || context.session == nullptr) return context.device_uuid;
  // Of a session of several devices none is chosen: that which measured most of the configuration
  // at hand, else the last that measured the scene.
  const std::string problem = context.scene == nullptr || context.axes.values().empty()
                                  ? ""
                                  : problem_key(context.scene->axes, context.axes);
  std::map<std::string, std::size_t> counts;
  std::string last;
  for (const Measurement* point : context.session->newest_points()) {
    if (context.scene != nullptr && point->scene != context.scene->name) continue;
    last = device_of(point->conditions).id();
    if (point->problem == problem) ++counts[last];
  }
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? last : most->first;
}

const Measurement* exact_point(const ClaimContext& context, const std::string& variant,
                               const Configuration& axes) {
  if (context.session == nullptr || context.scene == nullptr || axes.values().empty())
    return nullptr;
  const Scene& scene = *context.scene;
  return context.session->latest({scene.name, variant, configuration_key(scene.axes, axes, variant),
                                  "", device_at_hand(context)});
}

const Measurement* exact_point(const ClaimContext& context, const std::string& variant) {
  return exact_point(context, variant, context.axes);
}

ClaimResult evaluate(const Claim& claim, const ClaimContext& asked) {
  ClaimContext context = asked;
  context.device_uuid = device_at_hand(asked);
  const Or<Value> value = Evaluation(context).value(*claim.root);
  if (!value) return {ClaimStanding::unknown, value.error().why, value.error().remedy};
  if (value->kind != Value::Kind::truth)
    return {ClaimStanding::unknown, "“" + claim.text + "” is a figure, not a relation",
            "correct the claim"};
  return {value->truth ? ClaimStanding::holds : ClaimStanding::does_not_hold, "", ""};
}

ClaimFigureText figure_text(const Claim& expression, const ClaimContext& asked) {
  ClaimContext context = asked;
  context.device_uuid = device_at_hand(asked);
  const Or<Value> value = Evaluation(context).value(*expression.root);
  if (!value) return {"", value.error().why, value.error().remedy};
  if (value->kind == Value::Kind::words) return {value->words, "", ""};
  if (value->kind == Value::Kind::truth)
    return {"", "“" + expression.text + "” is a relation, not a figure", "correct the text"};
  if (!value->unit.empty()) return {format_value(value->number, value->unit), "", ""};
  char number[32];
  std::snprintf(number, sizeof number, "%.2f", value->number);
  return {number, "", ""};
}

}  // namespace warpscope
