// workbench/lessons/lesson.h: a lesson: texts, choices, slider moves, waits and captures.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scenes/base/scene.h"
#include "scenes/catalogue.h"
#include "workbench/lessons/question.h"

// assets/lessons/*.json: {"title": …, "scene": …, "session": …, "steps": [{"text": …, "variant": …,
// "baseline": …, "axes": {…}, "panel": …, "cache": …, "capture": "name.png", "drag": {"axis": …,
// "from": …, "to": …, "steps": …}, "path": true, "maximise": "coalescing", "spotlight": {"panel":
// …} or {"line": …}, {"metric": …} or {"axis": …}, "request": {"line": …} or {"worst":
// "wavefronts"}}], "minutes": …, "offers": true}.
// - "request" is the request that diagrams show. A line's request may say more: {"line": …, "warp":
//   1, "visit": 3} is the third request of that line in warp 1 of the block.
// - "columns" are those of Source, of "cuda", "ptx" and "sass"; without it the CUDA text is alone.
// - "zoom" is how near diagrams look: "grid", "block", "warp" or "request".
// - "question" is described in question.h. "notes" are for the speaker, in a window of their own.
// - "spotlight" dims everything except what it names: a panel, the first line of the variant's
//   kernel with these words, a metric's row, or an axis.
// - "path" joins the journal's iterations by arrows in the roofline.
// - "folder" may replace "scene": the path of a scene's folder in assets. Reading opens it.
// - An axis that is null returns to its default; an axis of variants to each variant's own default.
// - A text may contain figures, {metric:variant}, {ratio:a/b} and {expression}, and claims,
//   [[relation => words | other words || words if it is not known]]. Both are filled in from the
//   session when they are shown (profiling/claims/claim_text.h).
// - Every name must be known (scene, variants, axes, metrics, counters, panels, fields). The error
//   says which name is unknown, in which step, and the nearest known name.
// - "sweep_metric" must be a metric that points of the scene have.

namespace warpscope {

struct LessonDrag {
  std::string axis, from, to;
  int steps = 20;
};

// What a step points at, one of: a panel, a line of a kernel's source, a metric's row, an axis.
struct LessonSpot {
  std::string panel, line, metric, axis;
  bool any() const { return !panel.empty() || !line.empty() || !metric.empty() || !axis.empty(); }
  bool operator==(const LessonSpot&) const = default;
};

// The request that diagrams show, one of: the first request of the line with these words, or the
// worst of the trace, by sectors or by wavefronts beyond those that it needs.
struct LessonRequest {
  std::string line, worst;
  int warp = -1;  // −1: the first warp that has it
  int visit = 1;  // of that warp to this line, from 1
  bool any() const { return !line.empty() || !worst.empty(); }
  bool operator==(const LessonRequest&) const = default;
};

struct LessonStep {
  std::string text, variant, baseline, panel, cache, capture, counters, sweep_axis, sweep_metric;
  std::string maximise;  // the panel that is maximised
  std::string zoom;      // how near diagrams look: grid, block, warp, request; empty: as it is
  LessonSpot spotlight;
  LessonRequest request;
  std::vector<std::string> columns;  // of Source: cuda, ptx, sass; empty: the CUDA text alone
  std::map<std::string, std::string> axes;
  std::vector<std::string> back_to_default;  // axes of the step that are null
  std::optional<LessonDrag> drag;
  std::optional<LessonQuestion> question;
  LessonSpot answer_spotlight;  // in place of `spotlight` once the question is answered
  std::string notes;            // for the speaker
  bool sweep = false;
  // Variants that plots show and a device measures, besides variant and baseline; empty: all.
  std::vector<std::string> show;
  // On a device: trains the variant with these `samples` and `epochs`; empty: no training.
  std::map<std::string, std::string> train;
  bool path = false;      // the roofline joins the journal's iterations by arrows
  double timeout_s = 20;  // to wait for fresh measurements
};

struct Lesson {
  std::string title, scene, session;
  std::string folder;   // of the scene, relative to assets; empty: the scene is in the catalogue
  double minutes = 0;   // as the author says; 0: not given (lesson_outline.h estimates it)
  bool offers = false;  // its last step offers lessons, scenes and opening a kernel
  std::vector<LessonStep> steps;
};

// Every text and expression of a step that may quote figures, as one text for figures_in.
std::string quoted_words(const LessonStep& step);

// The axes after this step, from those after the step before. error: of the axis.
Result<Configuration> axes_at(const LessonStep& step, const Scene& scene, Configuration before);

// The folder of a lesson is opened in the catalogue. error: input (naming the step; no such file).
Result<Lesson> read_lesson(
    const std::filesystem::path& path,
    const std::shared_ptr<Catalogue>& catalogue = std::make_shared<Catalogue>());
// The same for a text. Names of panels and lines of kernels are not checked here; the window checks
// them.
Result<Lesson> parse_lesson(
    const std::string& text, const std::string& name,
    const std::shared_ptr<Catalogue>& catalogue = std::make_shared<Catalogue>());

}  // namespace warpscope
