// workbench/window/lesson_player.h: walks through a lesson on a workspace.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "workbench/lessons/lesson.h"
#include "workbench/lessons/lesson_figures.h"
#include "workbench/window/frame.h"

namespace warpscope {

// Call `update` once a frame: it applies the step, moves a dragged slider, and says when what the
// step asked for is there.
class LessonPlayer {
 public:
  LessonPlayer(const Lesson& lesson, Workspace& workspace)
      : lesson_(lesson), workspace_(workspace), figures_(workspace) {}
  void update(FrameState& state);
  // The step is applied, its drag is over, every figure in its text is there or has a reason, and
  // its points are fresh (or its time is over).
  bool settled() const;
  const LessonStep& step() const { return lesson_.steps[at_]; }
  std::size_t at() const { return at_; }
  // False after the last step.
  bool next();

  // One move of a dragged slider and when its point was there.
  struct Latency {
    std::string key;
    double ms = 0;
    std::string outcome;  // "correct", or why there is no time
  };
  const std::vector<Latency>& latencies() const { return latencies_; }
  // Shows the right answer of the step's question, as if a person had asked for it. Returns whether
  // there is a question.
  bool tell(FrameState& state) const;
  // From the drag's last move to the counters of the variant in focus; no value before they came.
  std::optional<double> counters_ms() const { return counters_ms_; }

 private:
  using Clock = std::chrono::steady_clock;
  void apply(FrameState& state);
  // Hides what the step does not show. After the step, what a person had hidden is hidden again.
  void show_rows();
  // Asks for what plots and words of the step need from a device besides times and counters.
  void ask_device();
  void drag();
  // The texts of the step's question, and what is said to an answer of this frame.
  void ask(FrameState& state);
  void answer(const GivenAnswer& given, FrameState& state);
  void say_answer(FrameState& state);
  void note(SpeakerNotes& notes);
  // What was clicked, as an answer; no value: it is not known what it was.
  std::optional<GivenAnswer> answer_of_click(const Hovered& clicked) const;
  QuestionWords words_of(const LessonQuestion& question);
  // Turns to the launch whose kernel has the line that the step points at.
  void choose_launch();
  // Once the trace is there: the request that the step asks for.
  void choose_request();
  // Whether the request is still to come with a trace.
  bool awaits_request() const;
  PointId awaited() const;  // what the last move of a drag asked for

  const Lesson& lesson_;
  Workspace& workspace_;
  LessonFigures figures_;
  std::size_t at_ = 0;
  bool applied_ = false;
  bool turned_ = false;                                // to a launch, for this step
  bool chosen_ = false;                                // the step's request, for good …
  std::optional<TraceSelection::LookedAt> chosen_of_;  // … and the trace that it is of
  int drag_at_ = -1;
  std::optional<std::map<std::string, bool>> hidden_before_;  // by a person
  std::string awaited_;                                       // the key a dragged slider waits for
  // A hint or an explanation before its figures are filled in, and what stands before it.
  std::string said_, said_first_;
  Clock::time_point since_, moved_;
  std::vector<Latency> latencies_;
  std::optional<double> counters_ms_;
};

}  // namespace warpscope
