// workbench/lesson.cpp: a lesson: words, choices, slider moves, waits and captures.
#include "workbench/lesson.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>

#include "profiling/measurement.h"
#include "profiling/step_means.h"
#include "scenes/nearest.h"
#include "scenes/registry.h"

namespace warpscope {
namespace {

using nlohmann::json;

constexpr const char* kStepFields[] = {
    "text",  "variant", "baseline",   "panel",        "cache",     "capture", "counters",
    "sweep", "axes",    "sweep_axis", "sweep_metric", "timeout_s", "drag"};
constexpr const char* kLessonFields[] = {"title", "scene", "session", "steps"};

// A part of a text between braces, and where it stands.
struct Quote {
  std::size_t begin = 0, end = 0;  // with the braces; an end at npos: there is no closing one
  std::string id, name;            // before and behind the colon
  bool is_ratio() const { return id == "ratio"; }
  std::string first() const { return name.substr(0, name.find('/')); }
  std::string second() const {
    const std::size_t slash = name.find('/');
    return slash == std::string::npos ? "" : name.substr(slash + 1);
  }
};

std::vector<Quote> quotes_in(const std::string& text) {
  std::vector<Quote> quotes;
  for (std::size_t at = text.find('{'); at != std::string::npos;) {
    const std::size_t close = text.find('}', at);
    Quote quote{at, close == std::string::npos ? close : close + 1, "", ""};
    if (close != std::string::npos) {
      const std::string inside = text.substr(at + 1, close - at - 1);
      const std::size_t colon = inside.find(':');
      quote.id = inside.substr(0, colon);
      quote.name = colon == std::string::npos ? "" : inside.substr(colon + 1);
    }
    quotes.push_back(quote);
    at = close == std::string::npos ? close : text.find('{', quote.end);
  }
  return quotes;
}

std::vector<std::string> metric_names(const Scene& scene) {
  std::vector<std::string> names;
  for (const Metric& metric : all_metrics()) names.push_back(metric.id);
  for (const WorkTerm& term : scene.work_terms) names.push_back(term.id);
  return names;
}

tl::unexpected<Error> unknown(const std::string& kind, const std::string& name,
                              const std::vector<std::string>& names) {
  return failure(ErrorKind::input, "there is no " + kind + " “" + name + "”", "",
                 suggest(name, names));
}

Result<void> check_variant(const std::string& name, const Scene& scene) {
  if (find_variant(scene, name) != nullptr) return {};
  std::vector<std::string> names;
  for (const Variant& variant : scene.variants) names.push_back(variant.name);
  return unknown("variant", name, names);
}

Result<void> check_metric(const std::string& id, const Scene& scene,
                          const std::vector<std::string>& besides = {}) {
  const Metric* metric = find_metric(id);
  if (metric != nullptr) return {};
  std::vector<std::string> names = metric_names(scene);
  names.insert(names.end(), besides.begin(), besides.end());
  return unknown("metric", id, names);
}

Result<void> check_quote(const Quote& quote, const std::string& text, const Scene& scene) {
  if (quote.end == std::string::npos) {
    return failure(ErrorKind::input, "a { in the text has no }", "",
                   "write {metric:variant} or {ratio:a/b}");
  }
  const std::string whole = text.substr(quote.begin, quote.end - quote.begin);
  if (quote.name.empty() || (quote.is_ratio() && quote.second().empty())) {
    return failure(ErrorKind::input, "“" + whole + "” is no figure", "",
                   "write {metric:variant} or {ratio:a/b}");
  }
  if (!quote.is_ratio()) {
    if (Result<void> known = check_metric(quote.id, scene, {"ratio"}); !known) return known;
    if (find_metric(quote.id)->source == MetricSource::emulator) {
      return failure(ErrorKind::input,
                     "“" + quote.id + "” is of an emulation, and a text quotes measurements", "",
                     "quote the counter of the same name without “emulated.”");
    }
    return check_variant(quote.name, scene);
  }
  return check_variant(quote.first(), scene).and_then([&] {
    return check_variant(quote.second(), scene);
  });
}

// All names of a step but the axes' and the panel's.
Result<void> check_names(const LessonStep& step, const Scene& scene) {
  for (const std::string* name : {&step.variant, &step.baseline}) {
    if (name->empty()) continue;
    if (Result<void> known = check_variant(*name, scene); !known) return known;
  }
  for (const Quote& quote : quotes_in(step.text)) {
    if (Result<void> good = check_quote(quote, step.text, scene); !good) return good;
  }
  if (!step.cache.empty() && step.cache != "cold" && step.cache != "warm")
    return unknown("state of the cache", step.cache, {"cold", "warm"});
  if (const auto counters = parse_counters(step.counters); !counters) {
    return failure(ErrorKind::input, counters.error().what + ": " + counters.error().where, "",
                   counters.error().remedy);
  }
  if (!step.sweep_axis.empty() && find_axis(scene.axes, step.sweep_axis) == nullptr) {
    std::vector<std::string> names;
    for (const Axis& axis : scene.axes) names.push_back(axis.name);
    return unknown("axis", step.sweep_axis, names);
  }
  return step.sweep_metric.empty() ? Result<void>{} : check_metric(step.sweep_metric, scene);
}

// The configuration that the step leaves behind. error: of the axis.
Result<Configuration> moved_axes(const LessonStep& step, const Scene& scene,
                                 const Configuration& before) {
  Result<Configuration> axes = with_values(scene.axes, before, step.axes);
  if (!step.drag) return axes;
  for (const std::string& end : {step.drag->from, step.drag->to}) {
    if (axes) axes = with_values(scene.axes, *axes, {{step.drag->axis, end}});
  }
  return axes;
}

// What a step names must compute what its configuration asks for: another variant would take its
// place in the window, and its figures would be missing.
Result<void> check_applies(const LessonStep& step, const Scene& scene, const Configuration& axes) {
  std::vector<std::string> named = {step.variant, step.baseline};
  for (const LessonFigure& figure : figures_in(step.text)) named.push_back(figure.variant);
  for (const std::string& name : named) {
    const Variant* variant = find_variant(scene, name);
    if (variant == nullptr || applies(*variant, axes)) continue;
    std::string remedy = "name another variant";
    if (const auto elsewhere = where_applies(scene, *variant, axes)) {
      for (const auto& [axis, value] : elsewhere->values()) {
        if (value != axes.at(axis)) remedy = "set " + axis + " to " + to_text(value);
      }
    }
    return failure(ErrorKind::input,
                   "“" + name + "” does not compute what the step's configuration asks for", "",
                   remedy);
  }
  return {};
}

Result<LessonStep> step_of(const json& object, const Scene& scene, Configuration& axes,
                           const std::string& where) {
  const auto bad = [&where](std::string what, std::string remedy) {
    return failure(ErrorKind::input, std::move(what), where, std::move(remedy));
  };
  LessonStep step;
  try {
    for (const auto& [name, value] : object.items()) {
      if (name == "text") {
        value.get_to(step.text);
      } else if (name == "variant") {
        value.get_to(step.variant);
      } else if (name == "baseline") {
        value.get_to(step.baseline);
      } else if (name == "panel") {
        value.get_to(step.panel);
      } else if (name == "cache") {
        value.get_to(step.cache);
      } else if (name == "capture") {
        value.get_to(step.capture);
      } else if (name == "counters") {
        value.get_to(step.counters);
      } else if (name == "sweep") {
        value.get_to(step.sweep);
      } else if (name == "sweep_axis") {
        value.get_to(step.sweep_axis);
      } else if (name == "sweep_metric") {
        value.get_to(step.sweep_metric);
      } else if (name == "timeout_s") {
        value.get_to(step.timeout_s);
      } else if (name == "axes") {
        value.get_to(step.axes);
      } else if (name == "drag") {
        step.drag =
            LessonDrag{value.at("axis").get<std::string>(), value.at("from").get<std::string>(),
                       value.at("to").get<std::string>(), value.value("steps", 20)};
      } else {
        return bad("there is no field “" + name + "”",
                   suggest(name, {std::begin(kStepFields), std::end(kStepFields)}));
      }
    }
  } catch (const json::exception& error) {
    return bad(std::string("a field has the wrong type: ") + error.what(), "correct the lesson");
  }
  if (Result<void> known = check_names(step, scene); !known)
    return bad(known.error().what, known.error().remedy);
  if (auto moved = moved_axes(step, scene, axes); !moved) {
    return bad(sentence(moved.error()), "correct the lesson");
  } else {
    axes = std::move(*moved);
  }
  if (step.drag && (step.drag->steps < 2 || step.drag->steps > 10000))
    return bad("a drag has 2 to 10000 steps", "correct the lesson");
  if (Result<void> fit = check_applies(step, scene, axes); !fit)
    return bad(fit.error().what, fit.error().remedy);
  if (step.capture.find('/') != std::string::npos)
    return bad("a capture is a file name without a folder", "correct the lesson");
  return step;
}

}  // namespace

Result<Lesson> parse_lesson(const std::string& text, const std::string& name) {
  const json root = json::parse(text, nullptr, false);
  if (!root.is_object() || !root.contains("steps") || !root["steps"].is_array()) {
    return failure(ErrorKind::input, "the file is no lesson: it needs a title, a scene and steps",
                   name, "see assets/lessons/csrmm.json for one");
  }
  for (const auto& [field, value] : root.items()) {
    const std::vector<std::string> known(std::begin(kLessonFields), std::end(kLessonFields));
    if (std::find(known.begin(), known.end(), field) == known.end()) {
      return failure(ErrorKind::input, "there is no field “" + field + "”", name,
                     suggest(field, known));
    }
  }
  Lesson lesson;
  try {
    lesson.title = root.value("title", name);
    lesson.scene = root.value("scene", "");
    lesson.session = root.value("session", "");
  } catch (const json::exception&) {
    return failure(ErrorKind::input, "title, scene and session must be texts", name,
                   "correct the lesson");
  }
  Result<const Scene*> scene = find_scene(lesson.scene);
  if (!scene) {
    return failure(ErrorKind::input, "there is no scene “" + lesson.scene + "”", name,
                   scene.error().remedy);
  }
  Configuration axes = default_configuration((*scene)->axes);
  constexpr std::size_t kMostSteps = 1000;  // a hundred times a long lesson; each is checked
  if (root["steps"].size() > kMostSteps)
    return failure(ErrorKind::input, "the lesson has more than 1000 steps", name, "divide it");
  for (const json& object : root["steps"]) {
    const std::string where = name + ", step " + std::to_string(lesson.steps.size() + 1);
    if (!object.is_object())
      return failure(ErrorKind::input, "a step must be an object", where, "correct the lesson");
    Result<LessonStep> step = step_of(object, **scene, axes, where);
    if (!step) return tl::unexpected(step.error());
    lesson.steps.push_back(std::move(*step));
  }
  if (lesson.steps.empty())
    return failure(ErrorKind::input, "the lesson has no steps", name, "add a step");
  return lesson;
}

std::vector<LessonFigure> figures_in(const std::string& text) {
  std::vector<LessonFigure> figures;
  const auto add = [&figures](LessonFigure figure) {
    if (std::find(figures.begin(), figures.end(), figure) == figures.end())
      figures.push_back(std::move(figure));
  };
  for (const Quote& quote : quotes_in(text)) {
    if (quote.end == std::string::npos || quote.name.empty()) continue;
    if (quote.is_ratio()) {
      add({"time.warm", quote.first()});
      if (!quote.second().empty()) add({"time.warm", quote.second()});
    } else {
      add({quote.id, quote.name});
    }
  }
  return figures;
}

namespace {

// Why a point has no such figure, as the session knows it.
std::string why_missing(const Measurement* point, const Variant& variant, const std::string& id) {
  const std::string& label = variant.label;
  if (point == nullptr) return label + " is not measured at this configuration";
  if (point->verdict.outcome != Outcome::correct)
    return label + ": " + to_text(point->verdict.outcome) + ", " + point->verdict.sentence;
  const MetricValue* value = find_value(point->metrics, id);
  return value != nullptr && !value->reason.empty() ? value->reason
                                                    : label + " was measured without “" + id + "”";
}

}  // namespace

std::string filled_in(const std::string& text, const Session& session, const Scene& scene,
                      const PointOf& point_of, const MissingFigure& missing) {
  std::string lacking;  // what stands in place of the last figure asked for, which is not there
  const auto figure = [&](const LessonFigure& wanted) -> std::optional<double> {
    const Variant* variant = find_variant(scene, wanted.variant);
    if (variant == nullptr) {
      lacking = "– (there is no variant “" + wanted.variant + "”)";
      return std::nullopt;
    }
    const Measurement* point = session.latest(point_of(wanted.variant));
    const MetricValue* value = point == nullptr ? nullptr : find_value(point->metrics, wanted.id);
    if (value != nullptr && value->value) return value->value;
    const auto instead = missing ? missing(wanted) : std::nullopt;
    lacking = instead ? *instead : "– (" + why_missing(point, *variant, wanted.id) + ")";
    return std::nullopt;
  };
  std::string filled;
  std::size_t at = 0;
  for (const Quote& quote : quotes_in(text)) {
    if (quote.end == std::string::npos) break;
    filled += text.substr(at, quote.begin - at);
    at = quote.end;
    if (quote.is_ratio() && quote.second().empty()) {
      filled += "– (a ratio needs two variants, a/b)";
    } else if (quote.is_ratio()) {
      const auto a = figure({"time.warm", quote.first()});
      const auto b = figure({"time.warm", quote.second()});
      char number[32];
      std::snprintf(number, sizeof number, "%.2f", a && b && *b > 0 ? *a / *b : 0.0);
      filled += a && b && *b > 0 ? number : lacking;
    } else if (const std::optional<double> value = figure({quote.id, quote.name})) {
      const Metric* metric = find_metric(quote.id);
      const std::string words = mean_in_words(*session.latest(point_of(quote.name)), quote.id);
      filled += format_value(*value, metric == nullptr ? "1" : metric->unit) +
                (words.empty() ? "" : " (" + words + ")");
    } else {
      filled += lacking;
    }
  }
  return filled + text.substr(at);
}

}  // namespace warpscope
