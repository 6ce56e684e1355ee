// workbench/lesson.cpp: a lesson: words, choices, slider moves, waits and captures.
#include "workbench/lesson.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "profiling/measurement.h"
#include "profiling/read_file.h"
#include "scenes/registry.h"

namespace warpscope {
namespace {

using nlohmann::json;

Result<LessonStep> step_of(const json& object, const Scene& scene, const std::string& where) {
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
        return bad("there is no field “" + name + "”", "see workbench/lesson.h for the fields");
      }
    }
  } catch (const json::exception& error) {
    return bad(std::string("a field has the wrong type: ") + error.what(), "correct the lesson");
  }
  for (const std::string* name : {&step.variant, &step.baseline}) {
    if (name->empty()) continue;
    if (auto found = find_variant_or_explain(scene, *name); !found)
      return bad(sentence(found.error()), "correct the lesson");
  }
  if (auto axes = with_values(scene.axes, default_configuration(scene.axes), step.axes); !axes) {
    return bad(sentence(axes.error()), "correct the lesson");
  }
  if (step.drag) {
    for (const std::string& end : {step.drag->from, step.drag->to}) {
      auto moved =
          with_values(scene.axes, default_configuration(scene.axes), {{step.drag->axis, end}});
      if (!moved) return bad(sentence(moved.error()), "correct the lesson");
    }
    if (step.drag->steps < 2 || step.drag->steps > 10000)
      return bad("a drag has 2 to 10000 steps", "correct the lesson");
  }
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
  if (!scene) return tl::unexpected(scene.error());
  for (const json& object : root["steps"]) {
    const std::string where = name + ", step " + std::to_string(lesson.steps.size() + 1);
    if (!object.is_object())
      return failure(ErrorKind::input, "a step must be an object", where, "correct the lesson");
    Result<LessonStep> step = step_of(object, **scene, where);
    if (!step) return tl::unexpected(step.error());
    lesson.steps.push_back(std::move(*step));
  }
  if (lesson.steps.empty())
    return failure(ErrorKind::input, "the lesson has no steps", name, "add a step");
  return lesson;
}

Result<Lesson> read_lesson(const std::filesystem::path& path) {
  const Result<std::string> text = read_file(path);
  if (!text) return tl::unexpected(text.error());
  return parse_lesson(*text, path.filename().string());
}

std::string filled_in(const std::string& text, const Session& session, const Scene& scene,
                      const std::string& key) {
  std::string why;  // the last figure asked for is not there
  const auto figure = [&](const std::string& id, const std::string& name) -> std::optional<double> {
    const Variant* variant = find_variant(scene, name);
    const Measurement* point = session.latest(scene.name, name, key);
    const MetricValue* value = point == nullptr ? nullptr : find_value(point->metrics, id);
    if (value != nullptr && value->value) return value->value;
    const std::string label = variant == nullptr ? name : variant->label;
    if (variant == nullptr) {
      why = "there is no variant “" + name + "”";
    } else if (point == nullptr) {
      why = label + " is not measured at this configuration";
    } else if (point->verdict.outcome != Outcome::correct) {
      why = label + ": " + to_text(point->verdict.outcome) + ", " + point->verdict.sentence;
    } else if (value != nullptr && !value->reason.empty()) {
      why = value->reason;
    } else {
      why = label + " was measured without “" + id + "”";
    }
    return std::nullopt;
  };
  std::string filled;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t open = text.find('{', at),
                      close = open == std::string::npos ? open : text.find('}', open);
    if (close == std::string::npos) return filled + text.substr(at);
    filled += text.substr(at, open - at);
    const std::string inside = text.substr(open + 1, close - open - 1);
    at = close + 1;
    const std::size_t colon = inside.find(':');
    const std::string id = inside.substr(0, colon),
                      name = colon == std::string::npos ? "" : inside.substr(colon + 1);
    if (id == "ratio") {
      const std::size_t slash = name.find('/');
      const auto a = figure("time.warm", name.substr(0, slash));
      const auto b =
          slash == std::string::npos ? std::nullopt : figure("time.warm", name.substr(slash + 1));
      if (slash == std::string::npos) why = "a ratio needs two variants, a/b";
      char number[32];
      std::snprintf(number, sizeof number, "%.2f", a && b && *b > 0 ? *a / *b : 0.0);
      filled += a && b && *b > 0 ? number : "– (" + why + ")";
    } else {
      const std::optional<double> value = figure(id, name);
      const Metric* metric = find_metric(id);
      filled +=
          value ? format_value(*value, metric == nullptr ? "1" : metric->unit) : "– (" + why + ")";
    }
  }
  return filled;
}

}  // namespace warpscope
