// workbench/lessons/lesson.h: a lesson: words, choices, slider moves, waits and captures.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scenes/base/scene.h"

// assets/lessons/*.json: {"title": …, "scene": …, "session": …, "steps": [{"text": …, "variant": …,
// "baseline": …, "axes": {…}, "panel": …, "cache": …, "capture": "name.png", "drag": {"axis": …,
// "from": …, "to": …, "steps": …}, "path": true, "maximise": "coalescing", "spotlight": {"panel":
// …} or {"line": …}, {"metric": …} or {"axis": …}, "request": {"line": …} or {"worst":
// "wavefronts"}}], "minutes": …, "offers": true}. A request is the one that diagrams show. A
// spotlight dims all but what it names: a panel, the first line of the variant's kernel that has
// these words, or a metric's row. A path joins the journal's iterations by arrows in the roofline.
// In place of "scene" a lesson may have "folder", the path of a scene's folder in assets, which
// reading opens. An axis that is null goes back to its default, and one of variants to each
// variant's own. Words may hold figures, {metric:variant}, {ratio:a/b} and {expression}, and
// claims, [[relation => words | other words || words where it is not known]]: both follow the
// session when they are shown (profiling/claims/claim_text.h). Every name in a lesson must be known
// (scene, variants, axes, metrics, counters, panels, files' fields): reading says which is not, in
// which step, and what it may have meant. A metric to sweep is one that points of the scene have.

namespace warpscope {

struct LessonDrag {
  std::string axis, from, to;
  int steps = 20;
};

// What a step's words point at: a panel, a line of a kernel's text, a metric's row or an axis; one
// of them.
struct LessonSpot {
  std::string panel, line, metric, axis;
  bool any() const { return !panel.empty() || !line.empty() || !metric.empty() || !axis.empty(); }
  bool operator==(const LessonSpot&) const = default;
};

// The request that diagrams show: the first of the line that has these words, or the worst of the
// trace, by sectors or by wavefronts beyond those it needs. One of the two.
struct LessonRequest {
  std::string line, worst;
  bool any() const { return !line.empty() || !worst.empty(); }
  bool operator==(const LessonRequest&) const = default;
};

struct LessonStep {
  std::string text, variant, baseline, panel, cache, capture, counters, sweep_axis, sweep_metric;
  std::string maximise;  // the panel that takes the place of all
  LessonSpot spotlight;
  LessonRequest request;
  std::map<std::string, std::string> axes;
  std::vector<std::string> back_to_default;  // axes of the step that are null
  std::optional<LessonDrag> drag;
  bool sweep = false;
  // Rows that plots have and a device measures, beside variant and baseline; empty: all.
  std::vector<std::string> show;
  // Of a device: variant learns so many `samples` and `epochs`, as typed; empty: it does not.
  std::map<std::string, std::string> train;
  bool path = false;      // the roofline joins the journal's iterations by arrows
  double timeout_s = 20;  // to wait for fresh measurements
};

struct Lesson {
  std::string title, scene, session;
  std::string folder;   // of the scene, relative to assets; empty: it is in the catalogue
  double minutes = 0;   // as its author says; 0: nothing was said (lesson_outline.h estimates it)
  bool offers = false;  // its last step offers the lessons, the stories and a kernel of one's own
  std::vector<LessonStep> steps;
};

// The axes as the step sets them, from those of the step before. error: of the axis.
Result<Configuration> axes_at(const LessonStep& step, const Scene& scene, Configuration before);

// error: input (naming the step; no such file).
Result<Lesson> read_lesson(const std::filesystem::path& path);
// The same of a text. Names of panels and lines of kernels are not looked at: the window knows
// them.
Result<Lesson> parse_lesson(const std::string& text, const std::string& name);

}  // namespace warpscope
