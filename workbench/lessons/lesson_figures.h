// workbench/lessons/lesson_figures.h: the figures that a lesson's step quotes, measured if they are
// missing.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "profiling/claims/claim_text.h"
#include "workbench/lessons/lesson.h"
#include "workbench/workspace/workspace.h"

// A figure is taken from the point at exactly the selected axes and the current device. Points are
// compared only if they are comparable (profiling/claims/claim.h). If a figure is not recorded, the
// text says so and names the nearest stop. On a device a step's text waits for its figures: exactly
// the missing times and counters are requested, ahead of everything that waits. On a recorded
// session nothing is requested.
//
//   LessonFigures figures(workspace);
//   figures.update(step);            // once a frame
//   state.lesson_text = figures.text(step.text);

namespace warpscope {

class LessonFigures {
 public:
  explicit LessonFigures(Workspace& workspace) : workspace_(workspace) {}
  // Requests what the step lacks at the selected configuration, once per step and configuration,
  // when both have come to rest.
  void update(const LessonStep& step);
  // Whether a figure that the step quotes has not arrived yet. A figure that does not arrive in two
  // minutes counts as missing.
  bool pending(const LessonStep& step) const;
  // The text with its figures. A figure on its way says so; a missing figure says why. Asked for
  // once a frame for every text that is shown.
  const std::string& text(const std::string& words);
  // The figures of the emulation, if the trace of the variant in focus is fresh.
  std::optional<TraceNames> traced() const;

 private:
  using Clock = std::chrono::steady_clock;
  enum class Standing { there, on_its_way, to_be_asked, lacking };
  Standing standing(const QuotedFigure& figure) const;
  std::optional<std::string> instead_of(const QuotedFigure& figure) const;
  // The requested job; null: not yet submitted.
  const Job* asked_job(const std::string& tag, const std::string& variant) const;
  bool was_asked(const std::string& tag, const std::string& variant) const {
    return asked_.count({tag, variant}) != 0;
  }
  void ask(const std::string& variant, const std::string& counters);
  void ask_for_counters(const LessonStep& step, const std::string& variant);
  bool is_coming(const std::string& words) const;  // a figure that they quote
  const Measurement* point(const std::string& variant) const;
  const std::string& key() const { return workspace_.view().key(); }
  std::vector<QuotedFigure> figures(const std::string& words) const;
  double seconds_here() const;

  struct Told {  // the last answer of text() for some words
    std::string key;
    std::uint64_t revision = 0;
    std::size_t openings = 0;
    bool recorded = false;
    std::optional<TraceNames> traced;  // empty too where the words name none
    Clock::time_point at;
    std::string text;
    bool waits = false;  // for roofs or a sweep
  };

  Told told_again(const std::string& words, std::optional<TraceNames> traced);

  Workspace& workspace_;
  std::map<std::string, Told> told_;  // by words, of the step at hand
  const LessonStep* step_ = nullptr;  // the requests belong to this step …
  std::string key_;                   // … at this configuration, …
  Clock::time_point since_;           // … both selected since then
  std::int64_t earlier_jobs_ = 0;     // jobs up to this number are not of this step
  std::set<std::pair<std::string, std::string>> asked_;  // tags and variants
};

}  // namespace warpscope
