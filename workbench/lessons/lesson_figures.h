// workbench/lessons/lesson_figures.h: the figures that a lesson's step quotes, measured where they
// lack.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "profiling/claims/claim_text.h"
#include "workbench/lessons/lesson.h"
#include "workbench/workspace/workspace.h"

// A figure is quoted of the point at exactly the selected axes, of the device at hand, and points
// are held to each other only where they are comparable (profiling/claims/claim.h): what is not
// recorded there says so, with the nearest stop. On a device a step's text waits for what it
// quotes: exactly the times and counters that the points at hand lack are asked for, before all
// that waits. On a recorded session nothing is.
//
//   LessonFigures figures(workspace);
//   figures.update(step);            // once a frame
//   state.lesson_text = figures.text(step.text);

namespace warpscope {

class LessonFigures {
 public:
  explicit LessonFigures(Workspace& workspace) : workspace_(workspace) {}
  // Asks for what the step lacks at the selected configuration, once for each step and
  // configuration, when neither moves any more.
  void update(const LessonStep& step);
  // Something that the step quotes is not answered yet. Ends by itself: a figure that does not come
  // in two minutes is missing.
  bool pending(const LessonStep& step) const;
  // The text with its figures; one that is on its way says so, one that cannot be had says why.
  const std::string& text(const std::string& words);

 private:
  using Clock = std::chrono::steady_clock;
  enum class Standing { there, on_its_way, to_be_asked, lacking };
  Standing standing(const QuotedFigure& figure) const;
  std::optional<std::string> instead_of(const QuotedFigure& figure) const;
  // The job that was asked for; null: not yet submitted.
  const Job* asked_job(const std::string& tag, const std::string& variant) const;
  bool was_asked(const std::string& tag, const std::string& variant) const {
    return asked_.count(tag + "/" + variant) != 0;
  }
  void ask(const std::string& variant, const std::string& counters);
  void ask_for_counters(const LessonStep& step, const std::string& variant);
  const Measurement* point(const std::string& variant) const;
  const std::string& key() const { return workspace_.view().key(); }
  std::vector<QuotedFigure> figures(const std::string& words) const;
  double seconds_here() const;

  struct Told {  // the last answer of text()
    std::string words, key;
    std::uint64_t revision = 0;
    std::size_t openings = 0;
    bool recorded = false;
    Clock::time_point at;
    std::string text;
  };

  Workspace& workspace_;
  Told told_;
  const LessonStep* step_ = nullptr;  // what was asked belongs to this step …
  std::string key_;                   // … at this configuration …
  Clock::time_point since_;           // … which are selected since then
  std::int64_t earlier_jobs_ = 0;     // up to this number they are not of this step
  std::set<std::string> asked_;       // tags
};

}  // namespace warpscope
