// workbench/lesson.h: a lesson: words, choices, slider moves, waits and captures.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiling/session.h"
#include "scenes/scene.h"

// assets/lessons/*.json: {"title": …, "scene": …, "session": …, "steps": [{"text": …, "variant": …,
// "baseline": …, "axes": {…}, "panel": …, "cache": …, "capture": "name.png", "drag": {"axis": …,
// "from": …, "to": …, "steps": …}}]}. Words may hold {metric:variant} and {ratio:a/b}, filled in
// from the session when they are shown. Every name in a lesson must be known (scene, variants,
// axes, metrics, counters, panels, files' fields): reading says which is not, in which step, and
// what it may have meant.

namespace warpscope {

struct LessonDrag {
  std::string axis, from, to;
  int steps = 20;
};

struct LessonStep {
  std::string text, variant, baseline, panel, cache, capture, counters, sweep_axis, sweep_metric;
  std::map<std::string, std::string> axes;
  std::optional<LessonDrag> drag;
  bool sweep = false;
  double timeout_s = 20;  // to wait for fresh measurements
};

struct Lesson {
  std::string title, scene, session;
  std::vector<LessonStep> steps;
};

// error: input (naming the step; no such file).
Result<Lesson> read_lesson(const std::filesystem::path& path);
// The same of a text. Names of panels are not looked at: the window knows them.
Result<Lesson> parse_lesson(const std::string& text, const std::string& name);

// A figure that a text quotes. {ratio:a/b} quotes the warm times of both.
struct LessonFigure {
  std::string id, variant;
  bool operator==(const LessonFigure&) const = default;
};
std::vector<LessonFigure> figures_in(const std::string& text);

// What stands where a figure is missing; nothing: "– (why)" with what the measurement says.
using MissingFigure = std::function<std::optional<std::string>(const LessonFigure&)>;

// The point of a variant whose figures the text quotes: of the configuration and device at hand.
using PointOf = std::function<PointId(const std::string& variant)>;

// The text with its figures: "{time.warm:float4_columns}" becomes "119.5 µs", "{ratio:a/b}" the
// ratio of two warm times. A mean over the steps of a run says that it is one.
std::string filled_in(const std::string& text, const Session& session, const Scene& scene,
                      const PointOf& point_of, const MissingFigure& missing = {});

}  // namespace warpscope
