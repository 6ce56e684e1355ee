// workbench/window/lesson_player.cpp: walks through a lesson on a workspace.
#include "workbench/window/lesson_player.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "scenes/base/source.h"
#include "scenes/host/clock.h"
#include "workbench/workspace/jobs/training_control.h"
#include "workbench/workspace/selection/trace_steps.h"
#include "workbench/workspace/trace_state.h"

namespace warpscope {
namespace {

// The panel that holds what a step points at: it comes to the front as well.
std::string panel_of(const LessonSpot& spot) {
  if (!spot.line.empty()) return "source";
  if (!spot.axis.empty()) return "axes";
  return spot.metric.empty() ? spot.panel : "metrics";
}

// The first line of a kernel's text that has these words; 0: none has.
int line_with(const Catalogue& catalogue, const std::string& file, const std::string& words) {
  const Result<KernelSource> source = catalogue.kernel(file);
  const std::size_t found = source ? source->text.find(words) : std::string::npos;
  if (found == std::string::npos) return 0;
  const auto end = source->text.begin() + static_cast<std::ptrdiff_t>(found);
  return 1 + static_cast<int>(std::count(source->text.begin(), end, '\n'));
}

// Another spotlight than the one at hand; the same one stays as it is.
void point_at(const LessonSpot& spot, FrameState& state) {
  const Spotlight& now = state.spotlight;
  if (LessonSpot{now.panel, now.line, now.metric, now.axis} == spot && spot.any()) return;
  state.spotlight = {spot.panel, spot.line, spot.metric, spot.axis, true, {}, -1};
}

// The columns of Source that the step opens; no value: it does not show Source.
std::optional<std::vector<SourceColumn>> columns_of(const LessonStep& step) {
  const bool source =
      step.panel == "source" || step.maximise == "source" || panel_of(step.spotlight) == "source";
  if (!source && step.columns.empty()) return std::nullopt;
  std::vector<SourceColumn> columns;
  for (const std::string& name : step.columns) {
    columns.push_back(name == "ptx"    ? SourceColumn::ptx
                      : name == "sass" ? SourceColumn::machine_code
                                       : SourceColumn::text);
  }
  if (columns.empty()) columns.push_back(SourceColumn::text);
  return columns;
}

void zoom_to(const std::string& wanted, TraceSelection& selection) {
  for (const TraceZoom zoom :
       {TraceZoom::grid, TraceZoom::block, TraceZoom::warp, TraceZoom::request}) {
    if (wanted == to_text(zoom)) selection.zoom = zoom;
  }
}

// A line of a text, from 1; empty: it has none.
std::string line_of_text(const std::string& text, int number) {
  std::istringstream lines(text);
  std::string line;
  for (int at = 0; at < number; ++at) {
    if (!std::getline(lines, line)) return "";
  }
  return line;
}

// All that a question may show, about as long as when it is shown.
QuestionWords spoken_words(const LessonQuestion& question) {
  QuestionWords words{spoken(question.ask), label_of(question), {}, {}};
  for (const LessonChoice& choice : question.choices) {
    words.choices.push_back(spoken(choice.text));
    words.feedback.push_back(spoken(choice.hint));
  }
  words.feedback.push_back(spoken(question.hint));
  words.feedback.push_back(spoken(question.explain));
  return words;
}

// Whether a text or the question of the step needs the emulation.
bool names_trace_figures(const LessonStep& step) {
  return names_trace(step.text) || names_trace(step.notes) ||
         (step.question &&
          (step.question->kind == QuestionKind::sector || names_trace(all_words(*step.question))));
}

// The request of this line that the step names; no value: the trace has none.
std::optional<std::size_t> request_at(const Trace& trace, const LessonRequest& wanted, int line) {
  int visits = 0;
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    const SourcePosition& at = trace.sites[trace.requests[i].site].position;
    const bool of_warp =
        wanted.warp < 0 || trace.requests[i].warp == static_cast<std::uint32_t>(wanted.warp);
    if (at.line == line && at.file == trace.source && of_warp && ++visits == wanted.visit) return i;
  }
  return std::nullopt;
}

}  // namespace

bool LessonPlayer::next() {
  if (at_ + 1 >= lesson_.steps.size()) return false;
  ++at_;
  applied_ = false;
  return true;
}

void LessonPlayer::show_rows() {
  const LessonStep& s = step();
  Selection& selection = workspace_.selection;
  if (s.show.empty()) {
    if (hidden_before_) selection.hidden = *std::exchange(hidden_before_, std::nullopt);
    return;
  }
  if (!hidden_before_) hidden_before_ = selection.hidden;
  for (const Variant& variant : workspace_.scene().variants) {
    const std::string& name = variant.name;
    const bool shown = std::find(s.show.begin(), s.show.end(), name) != s.show.end();
    selection.hidden[name] = !shown && name != selection.variant && name != selection.baseline;
  }
}

void LessonPlayer::choose_launch() {
  if (std::exchange(turned_, false)) workspace_.selection.step.clear();
  const LessonStep& s = step();
  const std::string& words = s.spotlight.line.empty() ? s.request.line : s.spotlight.line;
  const Measurement* point =
      words.empty() ? nullptr
                    : exact_point(workspace_.view().words.claims(), workspace_.selection.variant);
  if (point == nullptr || point->steps.size() < 2) return;
  for (const StepRecord& launch : point->steps) {
    if (launch.kind != "kernel" || line_with(*workspace_.catalogue(), launch.source, words) == 0)
      continue;
    workspace_.selection.step = launch.name;
    turned_ = true;
    return;
  }
}

void LessonPlayer::ask_device() {
  const LessonStep& s = step();
  Selection& selection = workspace_.selection;
  if (workspace_.view().recorded()) return;
  if (s.sweep) workspace_.requests.ask(request::Sweep{});
  if (s.panel == "timeline" || s.maximise == "timeline")
    workspace_.requests.ask(request::Timeline{selection.variant});
  // One that a person began goes on.
  const bool trains =
      workspace_.view().training.standing().stage == TrainingStanding::Stage::under_way;
  if (!s.train.empty() && workspace_.view().has_device() && !trains) {
    selection.training = s.train;
    workspace_.requests.ask(request::Train{selection.variant});
  }
}

void LessonPlayer::apply(FrameState& state) {
  const LessonStep& s = step();
  Selection& selection = workspace_.selection;
  if (Result<void> turned = workspace_.choose_scene(lesson_.scene); !turned)
    workspace_.log.notify(sentence(turned.error()));
  if (auto axes = axes_at(s, workspace_.scene(), selection.axes)) selection.axes = std::move(*axes);
  if (!s.variant.empty()) selection.variant = s.variant;
  if (!s.baseline.empty()) {
    selection.baseline = s.baseline;
    selection.baselines.chosen.clear();
  }
  if (!s.cache.empty()) selection.cache = s.cache == "cold" ? CacheState::cold : CacheState::warm;
  if (!s.counters.empty()) selection.counters = s.counters;
  if (!s.sweep_axis.empty()) {
    selection.sweep_axis = s.sweep_axis;
    selection.sweep_second_axis.clear();
  }
  if (!s.sweep_metric.empty()) selection.sweep_metric = s.sweep_metric;
  if (!s.panel.empty()) state.wanted_tab = s.panel;
  if (!s.maximise.empty()) state.wanted_tab = s.maximise;
  state.maximised = s.maximise;
  state.spotlight = {};
  point_at(s.spotlight, state);
  // A sweep of an earlier step is of other axes: it does not stay in front.
  const auto sweeps = [](const LessonStep& each) {
    return each.panel == "sweep" || each.maximise == "sweep";
  };
  const auto here = lesson_.steps.begin() + static_cast<std::ptrdiff_t>(at_);
  const bool swept = !sweeps(s) && std::any_of(lesson_.steps.begin(), here, sweeps);
  state.more_tabs = {swept ? "overview" : "", s.panel, panel_of(s.spotlight)};
  // What the person switched on stays, where no step asked for it.
  if (s.path != state.lesson_path) state.path_wish = state.lesson_path = s.path;
  if (auto columns = columns_of(s)) state.strip.columns_wish = std::move(columns);
  show_rows();
  choose_launch();
  ask_device();
  drag_at_ = s.drag ? 0 : -1;
  chosen_ = !s.request.any() && s.zoom.empty() && !names_trace_figures(s);
  chosen_of_.reset();
  awaited_.clear();
  said_.clear();
  said_first_.clear();
  state.strip.question = {};
  since_ = Clock::now();
  applied_ = true;
}

bool LessonPlayer::awaits_request() const {
  if (chosen_) return false;
  const Freshness freshness =
      trace_state(workspace_.view(), workspace_.selection.variant).freshness;
  return freshness == Freshness::pending ||
         (freshness != Freshness::fresh && workspace_.view().engines.has_emulator());
}

void LessonPlayer::choose_request() {
  const LessonStep& s = step();
  const TraceState found = trace_state(workspace_.view(), workspace_.selection.variant);
  if (found.trace == nullptr || found.freshness != Freshness::fresh) return;
  // An emulation gives its steps one after the other, and the diagrams turn to the costliest: there
  // the request is chosen again.
  chosen_ = !workspace_.view().progress().busy;
  const TraceSelection::LookedAt shown{found.trace->scene, found.trace->variant, found.trace->step};
  if (std::exchange(chosen_of_, shown) == shown) return;
  const bool banks = s.request.worst == "wavefronts" || s.panel == "banks" || s.maximise == "banks";
  const RequestFamily family = banks ? RequestFamily::shared : RequestFamily::global;
  TraceSelection& selection = workspace_.selection.trace;
  if (!s.request.any()) return;  // only the trace was waited for
  if (s.request.line.empty()) {
    static_cast<void>(choose_worst(selection, *found.trace, family));
    return;
  }
  const std::string& file = found.trace->source;
  const int line = line_with(*workspace_.catalogue(), file, s.request.line);
  static_cast<void>(choose_line(selection, *found.trace, file, line, family));
  if (s.request.warp < 0 && s.request.visit == 1) return;
  const auto at = request_at(*found.trace, s.request, line);
  if (at) warpscope::choose_request(selection, *found.trace, *at);
}

PointId LessonPlayer::awaited() const {
  PointId id = workspace_.view().point_id(workspace_.selection.variant);
  id.key = awaited_;
  return id;
}

void LessonPlayer::drag() {
  const LessonDrag& d = *step().drag;
  const Scene& scene = workspace_.scene();
  const Axis* axis = find_axis(scene.axes, d.axis);
  if (!awaited_.empty()) {
    const Measurement* point = workspace_.session().latest(awaited());
    constexpr double kGiveUpS = 5;
    const bool late = seconds_since(moved_) >= kGiveUpS;
    if (point == nullptr && !late && !workspace_.view().recorded()) return;
    if (!workspace_.view().recorded()) {
      const std::string outcome = point == nullptr ? "no answer in 5 s"
                                  : point->warm    ? "correct"
                                                   : to_text(point->verdict.outcome);
      latencies_.push_back({awaited_, seconds_since(moved_) * 1e3, outcome});
    }
  }
  if (drag_at_ >= d.steps) {
    drag_at_ = -1;
    return;
  }
  const auto values = parse_axis_range(*axis, d.from + ":" + d.to + ":" + std::to_string(d.steps));
  if (!values || drag_at_ >= static_cast<int>(values->size())) {
    drag_at_ = -1;
    return;
  }
  const std::string text = to_text((*values)[static_cast<std::size_t>(drag_at_++)]);
  if (auto axes = with_values(scene.axes, workspace_.selection.axes, {{d.axis, text}}))
    workspace_.selection.axes = std::move(*axes);
  awaited_ = workspace_.view().key();
  moved_ = Clock::now();
}

QuestionWords LessonPlayer::words_of(const LessonQuestion& question) {
  QuestionWords words;
  words.ask = figures_.text(question.ask);
  words.label = label_of(question);
  for (const LessonChoice& choice : question.choices)
    words.choices.push_back(figures_.text(choice.text));
  return words;
}

std::optional<GivenAnswer> LessonPlayer::answer_of_click(const Hovered& clicked) const {
  GivenAnswer given;
  if (step().question->kind == QuestionKind::line) {
    given.file = clicked.file;
    given.line = clicked.line;
    const Result<KernelSource> source = workspace_.catalogue()->kernel(clicked.file);
    if (!source) return std::nullopt;
    given.line_text = line_of_text(source->text, clicked.line);
    return given;
  }
  const TraceState found = trace_state(workspace_.view(), workspace_.selection.variant);
  if (found.trace == nullptr || found.freshness != Freshness::fresh) return std::nullopt;
  const TracedBuffer* buffer =
      clicked.buffer.empty() ? nullptr : find_buffer(*found.trace, clicked.buffer);
  const std::uint64_t from = buffer == nullptr ? 0 : buffer->address;
  const auto address = from + static_cast<std::uint64_t>(clicked.sector * kSectorBytes);
  given.sector = sector_names(*found.trace, workspace_.selection.trace, address);
  return given;
}

void LessonPlayer::say_answer(FrameState& state) {
  const LessonQuestion& question = *step().question;
  const std::optional<TraceNames> names = figures_.traced();
  const ClaimContext context = workspace_.view().words.claims();
  const auto right = right_answer(question, context, names ? &*names : nullptr);
  state.strip.question.standing = AnswerStanding::told;
  said_first_ = right ? (right->empty() ? "" : "Answer: " + figures_.text(*right) + ". ")
                      : "The answer is not known here, because a figure is missing. ";
  said_ = question.explain;
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    if (right == question.choices[i].text) state.strip.question.right = static_cast<int>(i);
  }
}

void LessonPlayer::answer(const GivenAnswer& given, FrameState& state) {
  const LessonQuestion& question = *step().question;
  const std::optional<TraceNames> names = figures_.traced();
  const ClaimContext context = workspace_.view().words.claims();
  const AnswerVerdict verdict = check_answer(question, given, context, names ? &*names : nullptr);
  ShownQuestion& shown = state.strip.question;
  shown.standing = verdict.standing;
  said_ = verdict.words;
  said_first_.clear();
  if (verdict.standing == AnswerStanding::right) {
    said_first_ = "Right. ";
    said_ = question.explain;
    if (given.choice) shown.right = *given.choice;
  } else if (verdict.standing == AnswerStanding::wrong) {
    said_first_ = "Not this. ";
    if (given.choice) shown.tried[static_cast<std::size_t>(*given.choice)] = true;
  }
}

void LessonPlayer::ask(FrameState& state) {
  ShownQuestion& shown = state.strip.question;
  const LessonStep& s = step();
  shown.any = s.question.has_value();
  if (!shown.any) return;
  shown.kind = s.question->kind;
  shown.words = words_of(*s.question);
  shown.tried.resize(shown.words.choices.size());
  if (const auto clicked = std::exchange(shown.clicked, std::nullopt); clicked && !shown.is_over())
    shown.given = answer_of_click(*clicked);
  if (const auto given = std::exchange(shown.given, std::nullopt)) answer(*given, state);
  if (std::exchange(shown.tell, false)) say_answer(state);
  if (shown.is_over() && s.answer_spotlight.any()) {
    point_at(s.answer_spotlight, state);
    state.more_tabs.push_back(panel_of(s.answer_spotlight));
  }
  shown.said = said_first_ + (said_.empty() ? "" : figures_.text(said_));
}

void LessonPlayer::note(SpeakerNotes& notes) {
  notes.step = "step " + std::to_string(at_ + 1) + " of " + std::to_string(lesson_.steps.size());
  if (!notes.open) return;  // figures of notes are not looked up for nobody
  notes.words = figures_.text(step().notes);
  notes.next = at_ + 1 < lesson_.steps.size() ? spoken(lesson_.steps[at_ + 1].text) : "";
  notes.answer.clear();
  if (!step().question) return;
  const std::optional<TraceNames> names = figures_.traced();
  const auto right =
      right_answer(*step().question, workspace_.view().words.claims(), names ? &*names : nullptr);
  if (right) notes.answer = right->empty() ? "" : figures_.text(*right) + ". ";
  notes.answer += figures_.text(step().question->explain);
}

bool LessonPlayer::tell(FrameState& state) const {
  if (!step().question) return false;
  state.strip.question.tell = true;
  return true;
}

void LessonPlayer::update(FrameState& state) {
  if (state.lesson_move > 0) next();
  if (state.lesson_move < 0 && at_ > 0) {
    --at_;
    applied_ = false;
  }
  state.lesson_move = 0;
  if (!applied_) apply(state);
  // What the engine does when it starts (the roofs, all variants once) is not the drag's.
  const bool begun = drag_at_ > 0 || !awaited_.empty();
  if (drag_at_ >= 0 &&
      (begun || workspace_.view().recorded() || !workspace_.view().progress().busy))
    drag();
  if (drag_at_ < 0 && !awaited_.empty() && !counters_ms_) {
    const Measurement* point = workspace_.session().latest(awaited());
    if (point != nullptr && point->counter_passes > 0) counters_ms_ = seconds_since(moved_) * 1e3;
  }
  if (drag_at_ < 0 && !chosen_) {
    choose_request();
    zoom_to(step().zoom, workspace_.selection.trace);
  }
  state.lesson_title = lesson_.title;
  state.lesson_scene = lesson_.scene;
  state.lesson_offers = lesson_.offers;
  state.lesson_step = static_cast<int>(at_) + 1;
  state.lesson_steps = static_cast<int>(lesson_.steps.size());
  if (state.lesson_words.size() != lesson_.steps.size()) {
    state.lesson_words.clear();
    state.strip.questions.clear();
    for (const LessonStep& each : lesson_.steps) {
      state.lesson_words.push_back(spoken(each.text));
      state.strip.questions.push_back(each.question ? spoken_words(*each.question)
                                                    : QuestionWords{});
    }
  }
  if (drag_at_ < 0) figures_.update(step());
  state.lesson_text = figures_.text(step().text);
  ask(state);
  note(state.strip.notes);
}

bool LessonPlayer::settled() const {
  if (!applied_ || drag_at_ >= 0 || figures_.pending(step())) return false;
  if (seconds_since(since_) > step().timeout_s) return true;
  if (awaits_request()) return false;
  if (workspace_.view().progress().busy || !workspace_.requests.empty()) return false;
  if (workspace_.view().recorded()) return true;
  constexpr double kRestS = 0.5;  // counters start when the sliders have rested
  return seconds_since(since_) > kRestS;
}

}  // namespace warpscope
