// workbench/lessons/lesson.cpp: reads a lesson: texts, choices, slider moves, waits and captures.
#include "workbench/lessons/lesson.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "profiling/claims/claim_names.h"
#include "profiling/claims/claim_text.h"
#include "profiling/figures/metric.h"
#include "profiling/text/json_text.h"
#include "scenes/catalogue.h"
#include "scenes/host/nearest.h"
#include "scenes/host/paths.h"
#include "scenes/host/write_file.h"
#include "scenes/read_folder.h"

namespace warpscope {
namespace {

using nlohmann::json;

struct TextField {
  const char* name;
  std::string LessonStep::*member;
};
constexpr TextField kTextFields[] = {{"text", &LessonStep::text},
                                     {"variant", &LessonStep::variant},
                                     {"baseline", &LessonStep::baseline},
                                     {"panel", &LessonStep::panel},
                                     {"maximise", &LessonStep::maximise},
                                     {"cache", &LessonStep::cache},
                                     {"capture", &LessonStep::capture},
                                     {"counters", &LessonStep::counters},
                                     {"sweep_axis", &LessonStep::sweep_axis},
                                     {"sweep_metric", &LessonStep::sweep_metric},
                                     {"notes", &LessonStep::notes},
                                     {"zoom", &LessonStep::zoom}};
constexpr const char* kOtherFields[] = {"sweep",   "path",      "timeout_s", "axes",
                                        "drag",    "spotlight", "show",      "train",
                                        "request", "question",  "columns"};
constexpr const char* kLessonFields[] = {"title",   "scene", "folder", "session",
                                         "minutes", "steps", "offers"};

// The metrics that a point of the scene can have. find_metric knows more: terms of other scenes,
// terms that earlier versions recorded, and figures of traces.
std::vector<std::string> metric_names(const Scene& scene) {
  std::vector<std::string> names;
  for (const Metric& metric : all_metrics()) {
    if (metric.source != MetricSource::emulator) names.push_back(metric.id);
  }
  for (const WorkTerm& term : scene.work_terms) names.push_back(term.id);
  return names;
}

Result<void> check_metric(const std::string& id, const Scene& scene) {
  const std::vector<std::string> names = metric_names(scene);
  if (std::find(names.begin(), names.end(), id) != names.end()) return {};
  if (find_metric(id) == nullptr) return unknown("metric", id, names);
  std::string terms;
  for (const WorkTerm& term : scene.work_terms) terms += (terms.empty() ? "" : ", ") + term.id;
  return failure(
      ErrorKind::input, "no point of " + scene.name + " has the metric “" + id + "”", "",
      "sweep a time, a counter or a term of the scene's own" + (terms.empty() ? "" : ": " + terms));
}

// All names of a step, except those of axes and panels.
Result<void> check_names(const LessonStep& step, const Scene& scene) {
  for (const std::string* name : {&step.variant, &step.baseline}) {
    if (name->empty()) continue;
    if (Result<void> known = check_variant(*name, scene); !known) return known;
  }
  for (const std::string& name : step.show) {
    if (Result<void> known = check_variant(name, scene); !known) return known;
  }
  if (!step.train.empty() && (scene.training == nullptr || step.variant.empty())) {
    return failure(ErrorKind::input, "“train” needs a variant that can be trained", "",
                   "name a variant of a scene with training, or leave out “train”");
  }
  for (const auto& [name, value] : step.train) {
    if (name != "samples" && name != "epochs")
      return unknown("setting of a training", name, {"samples", "epochs"});
  }
  Result<void> good = check_text(with_ones(step.text + "\n" + step.notes), scene);
  if (good && step.question) good = check_question(*step.question, scene);
  if (!good) {
    const Error& error = good.error();
    return failure(error.kind, error.what + (error.where.empty() ? "" : " in " + error.where), "",
                   error.remedy);
  }
  if (!step.cache.empty() && step.cache != "cold" && step.cache != "warm")
    return unknown("state of the cache", step.cache, {"cold", "warm"});
  const std::vector<std::string> zooms = {"grid", "block", "warp", "request"};
  if (!step.zoom.empty() && std::find(zooms.begin(), zooms.end(), step.zoom) == zooms.end())
    return unknown("zoom of diagrams", step.zoom, zooms);
  const std::vector<std::string> columns = {"cuda", "ptx", "sass"};
  for (const std::string& column : step.columns) {
    if (std::find(columns.begin(), columns.end(), column) == columns.end())
      return unknown("column of Source", column, columns);
  }
  if (const auto counters = parse_counters(step.counters); !counters) {
    return failure(ErrorKind::input, counters.error().what + ": " + counters.error().where, "",
                   counters.error().remedy);
  }
  for (const std::string* axis :
       {&step.sweep_axis, &step.spotlight.axis, &step.answer_spotlight.axis}) {
    if (axis->empty() || find_axis(scene.axes, *axis) != nullptr) continue;
    std::vector<std::string> names;
    for (const Axis& each : scene.axes) names.push_back(each.name);
    return unknown("axis", *axis, names);
  }
  for (const std::string* lit : {&step.spotlight.metric, &step.answer_spotlight.metric}) {
    const std::vector<std::string> names = metric_names(scene);
    if (!lit->empty() && std::find(names.begin(), names.end(), *lit) == names.end())
      return unknown("metric", *lit, names);
  }
  return step.sweep_metric.empty() ? Result<void>{} : check_metric(step.sweep_metric, scene);
}

// The configuration after the step. error: of the axis.
Result<Configuration> moved_axes(const LessonStep& step, const Scene& scene,
                                 const Configuration& before) {
  Result<Configuration> axes = axes_at(step, scene, before);
  if (!step.drag) return axes;
  for (const std::string& end : {step.drag->from, step.drag->to}) {
    if (axes) axes = with_values(scene.axes, *axes, {{step.drag->axis, end}});
  }
  return axes;
}

// A variant that a step names must apply to the step's configuration. Otherwise the window would
// show another variant, and the figures would be missing.
Result<void> check_applies(const LessonStep& step, const Scene& scene, const Configuration& axes) {
  std::vector<std::string> named = {step.variant, step.baseline};
  named.insert(named.end(), step.show.begin(), step.show.end());
  for (const QuotedFigure& figure : figures_in(quoted_words(step), scene, axes))
    named.push_back(figure.variant);
  for (const std::string& name : named) {
    const Variant* variant = find_variant(scene, name);
    if (variant == nullptr || applies(*variant, axes)) continue;
    std::string remedy = "name another variant";
    if (const auto elsewhere = where_applies(scene, *variant, axes)) {
      for (const auto& [axis, value] : elsewhere->values()) {
        // Axes of variants alone stand in no configuration of the problem.
        if (!axes.has(axis) || value != axes.at(axis))
          remedy = "set " + axis + " to " + to_text(value);
      }
    }
    return failure(ErrorKind::input,
                   "“" + name + "” does not compute what the step's configuration asks for", "",
                   remedy);
  }
  return {};
}

// {"panel": …}, {"line": …}, {"metric": …} or {"axis": …}. error: input.
Result<LessonSpot> spot_of(const json& object) {
  if (!object.is_object() || object.size() != 1) {
    return failure(ErrorKind::input, "a spotlight points at one thing", "",
                   R"(name a panel, a line, a metric or an axis, such as {"panel": "roofline"})");
  }
  LessonSpot spot;
  const std::string& name = object.begin().key();
  const json& value = object.begin().value();
  if (!value.is_string() || value.get<std::string>().empty())
    return failure(ErrorKind::input, "a spotlight's " + name + " must be a text", "",
                   "correct the lesson");
  if (name == "panel") {
    spot.panel = value;
  } else if (name == "line") {
    spot.line = value;
  } else if (name == "metric") {
    spot.metric = value;
  } else if (name == "axis") {
    spot.axis = value;
  } else {
    return failure(ErrorKind::input, "a spotlight cannot point at a “" + name + "”", "",
                   suggest(name, {"panel", "line", "metric", "axis"}));
  }
  return spot;
}

// {"line": words of the line, "warp": …, "visit": …} or {"worst": "sectors" or "wavefronts"}.
// error: input.
Result<LessonRequest> request_of(const json& object) {
  const bool line = object.is_object() && object.contains("line") && object["line"].is_string();
  const bool one =
      line || (object.is_object() && object.size() == 1 && object.begin().value().is_string());
  if (!one) {
    return failure(ErrorKind::input, "a request is named by a line, or is the worst", "",
                   R"(write {"line": words of the line} or {"worst": "wavefronts"})");
  }
  LessonRequest request;
  for (const auto& [name, value] : object.items()) {
    if (name == "line" || name == "worst") {
      value.get_to(name == "line" ? request.line : request.worst);
    } else if (name != "warp" && name != "visit") {
      return failure(ErrorKind::input, "a request cannot be named by “" + name + "”", "",
                     suggest(name, {"line", "worst", "warp", "visit"}));
    } else if (const int least = name == "warp" ? 0 : 1; !value.is_number_integer() ||
                                                         value.get<std::int64_t>() < least ||
                                                         value.get<std::int64_t>() > 1'000'000) {
      return failure(
          ErrorKind::input,
          "the " + name + " of a request must be a whole number from " + std::to_string(least), "",
          "correct the lesson");
    } else {
      value.get_to(name == "warp" ? request.warp : request.visit);
    }
  }
  if (line && request.line.empty())
    return failure(ErrorKind::input, "the line of a request is empty", "",
                   "copy some words of the line from the kernel's file");
  if (!line && request.worst != "sectors" && request.worst != "wavefronts")
    return unknown("figure of a request", request.worst, {"sectors", "wavefronts"});
  return request;
}

// error: input.
Result<void> take_question(const json& value, LessonStep& step) {
  Result<LessonQuestion> question = question_of(value);
  if (!question) return tl::unexpected(question.error());
  step.question = std::move(*question);
  if (!value.contains("spotlight")) return {};
  Result<LessonSpot> spot = spot_of(value["spotlight"]);
  if (!spot) return tl::unexpected(spot.error());
  step.answer_spotlight = std::move(*spot);
  return {};
}

// Takes one field of a step. error: input, if there is no such field or its spotlight or request is
// wrong; throws json::exception if its type is wrong.
Result<void> take_field(const std::string& name, const json& value, LessonStep& step) {
  for (const TextField& field : kTextFields) {
    if (name != field.name) continue;
    value.get_to(step.*field.member);
    return {};
  }
  if (name == "sweep") {
    value.get_to(step.sweep);
  } else if (name == "path") {
    value.get_to(step.path);
  } else if (name == "show") {
    value.get_to(step.show);
  } else if (name == "columns") {
    value.get_to(step.columns);
  } else if (name == "train") {
    value.get_to(step.train);
  } else if (name == "timeout_s") {
    value.get_to(step.timeout_s);
  } else if (name == "axes") {
    for (const auto& [axis, text] : value.get_ref<const json::object_t&>()) {
      if (text.is_null()) {
        step.back_to_default.push_back(axis);
      } else {
        text.get_to(step.axes[axis]);
      }
    }
  } else if (name == "drag") {
    step.drag = LessonDrag{value.at("axis").get<std::string>(), value.at("from").get<std::string>(),
                           value.at("to").get<std::string>(), value.value("steps", 20)};
  } else if (name == "spotlight") {
    Result<LessonSpot> spot = spot_of(value);
    if (!spot) return tl::unexpected(spot.error());
    step.spotlight = std::move(*spot);
  } else if (name == "request") {
    Result<LessonRequest> request = request_of(value);
    if (!request) return tl::unexpected(request.error());
    step.request = std::move(*request);
  } else if (name == "question") {
    return take_question(value, step);
  } else {
    std::vector<std::string> known(std::begin(kOtherFields), std::end(kOtherFields));
    for (const TextField& field : kTextFields) known.emplace_back(field.name);
    return failure(ErrorKind::input, "there is no field “" + name + "”", "", suggest(name, known));
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
      if (Result<void> taken = take_field(name, value, step); !taken)
        return bad(taken.error().what, taken.error().remedy);
    }
  } catch (const json::exception& error) {
    return bad(words_of(error), "correct the lesson");
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

// The scene that the lesson names, or that its folder contains; this opens the folder. error:
// input; environment, if the assets are not found.
Result<const Scene*> scene_of_lesson(Catalogue& catalogue, const Lesson& lesson,
                                     const std::string& name) {
  if (lesson.folder.empty()) {
    Result<const Scene*> scene = catalogue.find(lesson.scene);
    if (scene) return scene;
    return failure(ErrorKind::input, "there is no scene “" + lesson.scene + "”", name,
                   scene.error().remedy);
  }
  if (!lesson.scene.empty())
    return failure(ErrorKind::input, "the lesson has both a scene and a folder", name,
                   "leave out “scene”: the folder is a scene");
  const auto folder = inner_path(lesson.folder);
  if (!folder)
    return failure(ErrorKind::input, "the folder “" + lesson.folder + "” is not in assets", name,
                   "write its path in assets, such as examples/kernels/softmax");
  const auto home = home_folder();
  if (!home) return tl::unexpected(home.error());
  const std::filesystem::path path = *home / "assets" / *folder;
  if (!is_scene_folder(path)) {
    return failure(ErrorKind::input, "the folder “" + lesson.folder + "” of assets has no scene",
                   name, "name one that has a " + std::string(kDescriptionFile));
  }
  return catalogue.open_folder(path);
}

}  // namespace

std::string quoted_words(const LessonStep& step) {
  const std::string words = step.text + "\n" + step.notes;
  return with_ones(step.question ? words + "\n" + all_words(*step.question) : words);
}

Result<Configuration> axes_at(const LessonStep& step, const Scene& scene, Configuration before) {
  for (const std::string& name : step.back_to_default) {
    const Axis* axis = find_axis(scene.axes, name);
    if (axis == nullptr) return with_values(scene.axes, before, {{name, ""}});  // names the nearest
    if (of_problem(*axis)) {
      before.set(name, axis->default_value);
    } else {
      before.unset(name);
    }
  }
  return with_values(scene.axes, before, step.axes);
}

Result<Lesson> parse_lesson(const std::string& text, const std::string& name,
                            const std::shared_ptr<Catalogue>& catalogue) {
  const Result<json> parsed = parse_json(text, name);
  if (!parsed) return tl::unexpected(parsed.error());
  const json& root = *parsed;
  if (!root.is_object() || !root.contains("steps") || !root["steps"].is_array()) {
    return failure(ErrorKind::input,
                   "the file is not a lesson: it needs a title, a scene and steps", name,
                   "assets/lessons/csrmm.json is an example");
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
    lesson.folder = root.value("folder", "");
    lesson.session = root.value("session", "");
    lesson.minutes = root.value("minutes", 0.0);
    lesson.offers = root.value("offers", false);
  } catch (const json::exception&) {
    return failure(
        ErrorKind::input,
        "title, scene, folder and session must be texts, minutes a number and offers true or false",
        name, "correct the lesson");
  }
  constexpr double kMostMinutes = 600;
  if (!(lesson.minutes >= 0 && lesson.minutes <= kMostMinutes))
    return failure(ErrorKind::input, "a lesson takes 0 to 600 minutes", name, "correct the lesson");
  const Result<const Scene*> scene = scene_of_lesson(*catalogue, lesson, name);
  if (!scene) return tl::unexpected(scene.error());
  lesson.scene = (*scene)->name;
  Configuration axes = default_configuration((*scene)->axes);
  constexpr std::size_t kMostSteps = 1000;  // far beyond a long lesson; each step is checked
  if (root["steps"].size() > kMostSteps)
    return failure(ErrorKind::input, "the lesson has more than 1000 steps", name, "split it");
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

}  // namespace warpscope
