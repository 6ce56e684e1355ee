// workbench/window/lesson_player.cpp: walks through a lesson on a workspace.
#include "workbench/window/lesson_player.h"

#include <algorithm>
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
  state.spotlight = {
      s.spotlight.panel, s.spotlight.line, s.spotlight.metric, s.spotlight.axis, true, {}, -1};
  // A sweep of an earlier step is of other axes: it does not stay in front.
  const auto sweeps = [](const LessonStep& each) {
    return each.panel == "sweep" || each.maximise == "sweep";
  };
  const auto here = lesson_.steps.begin() + static_cast<std::ptrdiff_t>(at_);
  const bool swept = !sweeps(s) && std::any_of(lesson_.steps.begin(), here, sweeps);
  state.more_tabs = {swept ? "overview" : "", s.panel, panel_of(s.spotlight)};
  // What the person switched on stays, where no step asked for it.
  if (s.path != state.lesson_path) state.path_wish = state.lesson_path = s.path;
  show_rows();
  ask_device();
  drag_at_ = s.drag ? 0 : -1;
  chosen_ = !s.request.any();
  chosen_of_.reset();
  awaited_.clear();
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
  if (s.request.line.empty()) {
    static_cast<void>(choose_worst(selection, *found.trace, family));
    return;
  }
  const std::string& file = found.trace->source;
  const int line = line_with(*workspace_.catalogue(), file, s.request.line);
  static_cast<void>(choose_line(selection, *found.trace, file, line, family));
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
  if (drag_at_ < 0 && !chosen_) choose_request();
  state.lesson_title = lesson_.title;
  state.lesson_scene = lesson_.scene;
  state.lesson_offers = lesson_.offers;
  state.lesson_step = static_cast<int>(at_) + 1;
  state.lesson_steps = static_cast<int>(lesson_.steps.size());
  if (state.lesson_words.size() != lesson_.steps.size()) {
    state.lesson_words.clear();
    for (const LessonStep& each : lesson_.steps) state.lesson_words.push_back(spoken(each.text));
  }
  if (drag_at_ < 0) figures_.update(step());
  state.lesson_text = figures_.text(step().text);
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
