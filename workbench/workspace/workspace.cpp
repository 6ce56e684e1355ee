// workbench/workspace/workspace.cpp: session, selection and engines together: what is opened,
// heard, asked for and undone.
#include "workbench/workspace/workspace.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "profiling/points/output_pair.h"
#include "profiling/session/overload.h"
#include "scenes/folder/fork/copied_texts.h"
#include "scenes/folder/fork/fork.h"
#include "scenes/host/clock.h"
#include "workbench/workspace/kept_baselines.h"
#include "workbench/workspace/scene/launch_edits.h"
#include "workbench/workspace/selection/code_change.h"
#include "workbench/workspace/trace_state.h"

namespace warpscope {
namespace {

// The job that a message answers; 0 when none.
std::int64_t answered_job(const Message& message) {
  if (const auto* progress = std::get_if<Progress>(&message)) return progress->job;
  if (const auto* measurement = std::get_if<Measurement>(&message)) return measurement->job;
  if (const auto* timeline = std::get_if<Timeline>(&message)) return timeline->job;
  if (const auto* warps = std::get_if<WarpTimeline>(&message)) return warps->job;
  if (const auto* trace = std::get_if<Trace>(&message)) return trace->job;
  if (const auto* series = std::get_if<Series>(&message)) return series->job;
  if (const auto* picture = std::get_if<Picture>(&message)) return picture->job;
  if (const auto* made = std::get_if<Compilation>(&message)) return made->job;
  if (const auto* pair = std::get_if<OutputPair>(&message)) return pair->job;
  if (const auto* hard = std::get_if<HardVerdict>(&message)) return hard->job;
  if (const auto* listing = std::get_if<Listing>(&message)) return listing->job;
  if (const auto* state = std::get_if<TrainingState>(&message)) return state->job;
  if (const auto* job = std::get_if<Job>(&message)) return job->job;
  if (const auto* done = std::get_if<Done>(&message)) return done->job;
  return 0;
}

// If a recording is of several devices, one that has the scene is chosen.
void fit_device(Selection& selection, const SessionView& view) {
  const Session& session = view.session();
  if (!view.recorded() || session.devices().size() < 2) return;
  const auto points = session.all_points();
  const std::string& scene = view.shown.name();
  const bool measured = std::any_of(points.begin(), points.end(), [&](const Measurement* point) {
    return point->scene == scene && device_of(point->conditions).id() == selection.device;
  });
  if (measured) return;
  selection.device.clear();
  selection.device = view.points.device_at(view.scene(), selection.axes);
}

// Where a recording has one value of the swept axis, the number axis with most values is swept.
void fit_sweep(Selection& selection, const SessionView& view) {
  const RecordedStops* stops = view.points.stops();
  if (stops == nullptr) return;
  const auto values = [stops](const std::string& axis) {
    for (const AxisStops& list : stops->axes) {
      if (list.axis == axis) return list.stops.size();
    }
    return std::size_t{0};
  };
  if (values(selection.sweep_axis) > 1) return;
  for (const Axis& axis : view.scene().axes) {
    const bool number = axis.kind == AxisKind::integer || axis.kind == AxisKind::real;
    if (number && values(axis.name) > std::max<std::size_t>(1, values(selection.sweep_axis)))
      selection.sweep_axis = axis.name;
  }
}

// Unpins what the session that was opened has no point of, and says so.
void keep_pins(Pins& pins, const OpenedSession& opened, WindowLog& log) {
  for (const auto& [side, name] : {std::pair(&pins.a, "A"), std::pair(&pins.b, "B")}) {
    if (!*side || opened.session().latest(id_of(**side)) != nullptr) continue;
    log.notify(std::string(name) + " is unpinned: " + opened.recorded_name() + " has no point of " +
               (*side)->scene + "/" + (*side)->variant + " at " + (*side)->key);
    side->reset();
  }
}

// The session's baselines and the person's. Neither undo nor a file that is recorded takes this for
// a change by the person.
void list_baselines(UserBaselines& own, OpenedSession& opened, Selection& selection,
                    SelectionHistory& history) {
  selection.baselines = own.beside(opened.baselines());
  opened.follow(selection.baselines, true);
  history.choose_baselines(selection.baselines);
}

// Writes the scene of a file as a folder, and turns to that.
Result<void> turn_to_made(const std::string& folder, Catalogue& catalogue, Selection& selection,
                          ShownScene& scene, WindowLog& log) {
  const Result<const Scene*> made = make_scene(catalogue, selection, folder);
  if (!made) return tl::unexpected(made.error());
  scene.turn_to(**made);
  log.notify("the scene is in " + folder + ": its description has a comment on every field");
  return {};
}

// What a person should be told of a message; `ours`: it answers a job of the session that is open.
void tell_outcome(const Message& message, bool ours, const SessionView& view, WindowLog& log) {
  const auto* line = std::get_if<LogLine>(&message);
  if (line != nullptr && line->level == "error") log.notify(line->text);
  if (const auto* pair = std::get_if<OutputPair>(&message); pair != nullptr && ours)
    log.notify(pair->first.variant + " beside " + pair->second.variant + ": " + sentence_of(*pair));
  const auto* done = std::get_if<Done>(&message);
  if (!ours || done == nullptr || !done->error || view.jobs.unrecorded(done->job)) return;
  if (done->error->kind != ErrorKind::environment || view.has_device())
    log.notify(sentence(*done->error));
}

// Turns to what the last training or trace of a session without points is of, where it has one.
Result<void> show_last_job(Workspace& workspace) {
  const auto& jobs = workspace.session().jobs();
  const auto last = std::find_if(jobs.rbegin(), jobs.rend(), [](const auto& numbered) {
    const Job& job = numbered.second;
    return (job.is<TrainJob>() || job.is<TraceJob>()) && !job.scene.empty();
  });
  if (last == jobs.rend()) return {};
  const Job& job = last->second;
  if (Result<void> turned = workspace.choose_scene(job.scene); !turned) return turned;
  Selection& selection = workspace.selection;
  const Scene& scene = workspace.scene();
  if (auto axes = with_values(scene.axes, selection.axes, job.axes)) {
    selection.axes = std::move(*axes);
    if (find_variant(scene, job.variant) != nullptr) selection.variant = job.variant;
    fit(selection, scene);
  }
  return {};
}

}  // namespace

Workspace::Workspace(std::vector<std::string> engine_command,
                     std::vector<std::string> emulator_command,
                     const std::shared_ptr<Catalogue>& catalogue)
    : scene_(catalogue),
      opened_(log, catalogue),
      engines_(std::move(engine_command), std::move(emulator_command), catalogue),
      points_(opened_, scene_, selection, engines_),
      scene_parts_(opened_, scene_, selection, points_, log, catalogue),
      work_(opened_, scene_, selection, points_, scene_parts_.files, engines_, log),
      view_{opened_,
            scene_,
            selection,
            points_,
            scene_parts_.words,
            scene_parts_.files,
            scene_parts_.folder,
            scene_parts_.journals,
            engines_,
            work_.jobs,
            work_.live,
            work_.training,
            work_.sweeps,
            log} {
  turn_to(scene_.catalogue().scenes().front());
  history_.begin(chosen(selection));
}

Result<void> Workspace::open(const std::vector<std::filesystem::path>& paths) {
  if (Result<void> opened = opened_.open(paths); !opened) return opened;
  work_.jobs.forget_all();
  work_.live.forget_all();
  scene_parts_.journals.begin_again();  // its iterations belong to whatever session is at hand
  points_.forget();
  scene_parts_.files.forget_traces();
  selection.device.clear();
  selection.baseline_device.clear();
  const auto points = session().all_points();
  const auto holds = [&points](const std::string& scene) {
    return std::any_of(points.begin(), points.end(),
                       [&scene](const Measurement* point) { return point->scene == scene; });
  };
  Result<void> turned;
  if (!holds(scene_.name())) {
    const std::vector<const Scene*> scenes = scene_.catalogue().all();
    const auto held = std::find_if(scenes.begin(), scenes.end(),
                                   [&](const Scene* scene) { return holds(scene->name); });
    turned = held != scenes.end() ? choose_scene((*held)->name) : show_last_job(*this);
  }
  fit_device(selection, view_);
  fit_sweep(selection, view_);
  keep_pins(selection.pins, opened_, log);
  list_baselines(scene_parts_.baselines, opened_, selection, history_);
  // What was chosen before was of another session's devices.
  history_.choose_device(selection.device);
  return turned;
}

Result<void> Workspace::choose_device(const std::string& wanted) {
  Result<std::string> device = find_device(session(), wanted);
  if (!device) return tl::unexpected(device.error());
  selection.device = std::move(*device);
  return {};
}

void Workspace::turn_to(const Scene& scene) {
  scene_.turn_to(scene);
  begin_scene(selection, scene);
  points_.forget_last();
  fit_device(selection, view_);
  fit(selection, scene);
  fit_sweep(selection, view_);
  work_.training.find();
}

Result<void> Workspace::choose_scene(const std::string& name) {
  const Result<const Scene*> scene = scene_.catalogue().find(name);
  if (!scene) return tl::unexpected(scene.error());
  if (name == scene_.name()) return {};
  turn_to(**scene);
  // One of our own recorded sessions gives way to that of the scene.
  const bool bundled = opened_.bundled();
  const auto other = recorded_session_of(name);
  if (opened_.recorded() && bundled && other &&
      other->filename().string() != opened_.recorded_name())
    return open(*other);
  return {};
}

Result<void> Workspace::begin_at(const std::string& scene) {
  if (Result<void> turned = choose_scene(scene); !turned) return turned;
  come_back(selection, this->scene());
  history_.begin(chosen(selection));
  if (!opened_.recorded()) requests.ask(request::Measure{});
  return {};
}

void Workspace::follow_selection(SelectionHistory::Cause cause) {
  if (selection.scene != scene_.name()) {
    const std::string left = scene_.name();
    const SceneChoice choice = {selection.axes, selection.variant, selection.baseline};
    if (Result<void> turned = choose_scene(selection.scene); !turned) {
      log.notify(sentence(turned.error()));
      selection.scene = scene_.name();
    } else {
      selection.left_at[left] = choice;
      come_back(selection, scene());
    }
  }
  const auto moved = [&](const Chosen& from) {
    return selection.scene != from.scene || !(selection.axes == from.axes);
  };
  const Chosen before = history_.seen();
  if (moved(before)) fit(selection, scene());
  if (!history_.see(chosen(selection), selection.held, cause) || !moved(before)) return;
  ++selection.moved;
  work_.live.moved();
}

void Workspace::return_to(const Chosen& change, SelectionHistory::Cause cause) {
  const Scene* scene = scene_.find(change.scene);
  if (scene != nullptr && change.scene != scene_.name()) turn_to(*scene);
  selection.axes = change.axes;
  selection.variant = change.variant;
  selection.baseline = change.baseline;
  selection.device = change.device;
  selection.baseline_device = change.baseline_device;
  selection.pins = change.pins;
  selection.launches = change.launches;
  selection.baselines = change.baselines;
  follow_selection(cause);
}

void Workspace::follow(const EngineChoice& choice) {
  if (choice.limit_s) engines_.limit_jobs(*choice.limit_s);
  work_.sweeps.choose_engine(options_of(choice));
}

void Workspace::undo() {
  if (const auto change = history_.undo(chosen(selection)))
    return_to(*change, SelectionHistory::Cause::undo);
}

void Workspace::redo() {
  if (const auto change = history_.redo()) return_to(*change, SelectionHistory::Cause::redo);
}

void Workspace::receive(const Message& message) {
  const std::int64_t job = answered_job(message);
  const bool ours = !work_.jobs.forgotten(job);
  const auto* measured = std::get_if<Measurement>(&message);
  std::vector<Iteration> changes;
  if (ours && measured != nullptr) changes = scene_parts_.journals.changes_of(*measured);
  const bool verdict = measured != nullptr && scene_parts_.folder.keep_verdict(*measured);
  // A verdict of the emulator is not a figure of a device, so it is not a point of the session.
  const auto* line = std::get_if<LogLine>(&message);
  // Beside a recording, what an engine says today stays apart from what one said then.
  if (line != nullptr && opened_.recorded()) {
    log.add(*line);
  } else if (ours && !verdict) {
    if (const auto* trace = std::get_if<Trace>(&message))
      follow_code(selection.trace, stepped_trace(view_), *trace);
    opened_.apply(message);
  }
  if (const auto* state = std::get_if<TrainingState>(&message)) return work_.training.keep(*state);
  for (const Iteration& made : changes) scene_parts_.journals.keep_change(made);
  if (const auto* trace = std::get_if<Trace>(&message)) {
    memory_.came(*trace);
    scene_parts_.files.keep(*trace);
  }
  const bool done = std::holds_alternative<Done>(message);
  if (done) {
    scene_parts_.files.forget_job(job);
    scene_parts_.folder.forget_job(job);
  }
  tell_outcome(message, ours, view_, log);
  if (const auto* hello = std::get_if<Hello>(&message)) {
    points_.standings().hear(*hello);
    if (hello->role == "emulate") return;
  }
  const bool unrecorded = work_.jobs.unrecorded(job);
  if (done) work_.jobs.forget_job(job);
  if (!unrecorded && !verdict) opened_.append(message);
}

void Workspace::poll() {
  // A burst of answers must not hold up a frame: the rest is for the next one, in its order. A poll
  // reads for less than this, so that what keeping the answers takes counts as well.
  constexpr double kTakingS = 0.0025;
  const auto start = std::chrono::steady_clock::now();
  const auto take_from = [&](EngineClient* client) {
    const std::vector<Message> messages =
        client != nullptr ? client->poll() : std::vector<Message>{};
    for (const Message& message : messages) {
      receive(message);
      const auto* hello = std::get_if<Hello>(&message);
      if (client != engines_.measuring() || hello == nullptr || hello->role == "workbench" ||
          !hello->device)
        continue;
      if (opened_.recorded() && opened_.recorded_name().empty()) {
        opened_.begin_measuring();
        work_.live.begin_measuring();
        requests.ask(request::Measure{});
      }
    }
    return !messages.empty() && seconds_since(start) < kTakingS;
  };
  while (take_from(engines_.measuring())) continue;
  while (take_from(engines_.emulating())) continue;
  if (engines_.sampling_now() == nullptr) return;
  while (take_from(engines_.sampling())) continue;
  engines_.end_sampling();
}

void Workspace::open_fallback() {
  if (fallback_.first.empty() || (!engines_.engine_ready() && !engines_.trouble())) return;
  const auto [path, says_so] = std::exchange(fallback_, {});
  if (view_.has_device()) return;
  const bool answered = engines_.engine_ready();
  if (Result<void> opened = open(path); !opened) return log.notify(sentence(opened.error()));
  if (says_so && answered)
    log.notify("There is no GPU here: a recorded session is shown, and nothing is measured.");
}

void Workspace::update() {
  poll();
  memory_.keep(view_, opened_);
  open_fallback();
  follow_selection();
  follow_launches(*catalogue(), selection, requests, log);
  opened_.follow(selection.baselines);
  scene_parts_.baselines.follow(selection.baselines);
  scene_parts_.journals.follow();
  for (std::string& notice : std::exchange(selection.notices, {})) log.notify(std::move(notice));
  for (const Request& request : requests.take()) take(request);
  work_.sweeps.follow();
  work_.live.follow();
}

void Workspace::take(const Request& request) {
  const auto tell = [&](const Result<void>& done) {
    if (!done) log.notify(sentence(done.error()));
  };
  std::visit(Overload{
                 [&](const request::Cancel&) {
                   engines_.cancel_all();
                   work_.live.cancel();
                 },
                 [&](const request::CancelSweep&) { work_.jobs.cancel_sweep(); },
                 [&](const request::RestartEngine&) { engines_.restart(); },
                 [&](const request::Release&) {
                   memory_.release(view_, opened_);
                   engines_.rest();
                 },
                 [&](const request::Train& asked) { work_.training.begin(asked.variant); },
                 [&](const request::TrainOn&) { work_.training.go_on(); },
                 [&](const request::TrainPause&) { work_.training.pause(); },
                 [&](const request::TrainStop&) { work_.training.stop(); },
                 [&](const request::Saved&) {
                   if (opened_.recorded()) return log.notify(kNothingMeasures);
                   scene_parts_.files.look_again();  // what was looked at is not what is saved now
                   work_.live.measure();
                 },
                 [&](const request::Judge& asked) {
                   const Variant* variant = find_variant(scene(), asked.variant);
                   const auto job = variant != nullptr ? work_.jobs.judge(*variant) : std::nullopt;
                   if (job) scene_parts_.folder.await_verdict(*job);
                 },
                 [&](const request::Fork& asked) { fork(asked.variant); },
                 [&](const request::Edit& asked) {
                   tell(scene_parts_.folder.edit(asked.file, asked.text));
                 },
                 [&](const request::GoBack& asked) {
                   tell(scene_parts_.journals.go_back(asked.iteration));
                 },
                 [&](const request::MakeScene& to) {
                   const auto made = turn_to_made(to.folder, *catalogue(), selection, scene_, log);
                   tell(made);
                   if (made) scene_parts_.journals.begin_again();
                 },
                 [&](const PlanRequest& asked) { tell(work_.sweeps.take(asked)); },
                 [&](const request::OpenSession& asked) { tell(open(asked.path)); },
                 [&](const request::WriteText& asked) { tell(write_new(asked.path, asked.text)); },
                 [&](const request::TakeBaselines& from) {
                   tell(take_baselines(from.path, view_, selection));
                 },
                 [&](const request::KeepBaselines& in) {
                   tell(scene_parts_.baselines.begin(in.path, catalogue()));
                   list_baselines(scene_parts_.baselines, opened_, selection, history_);
                 },
                 [&](const request::Note& asked) {
                   scene_parts_.journals.note(asked.variant, asked.iteration);
                 },
                 // Only what a JobRequest can be.
                 [&](const auto& asked) { work_.jobs.take(asked); },
             },
             request);
}

void Workspace::fork(const std::string& name) {
  const Variant* const found = find_variant(scene(), name);
  if (found == nullptr) return;
  const Variant& variant = *found;
  const Result<Fork> made = write_fork(*catalogue(), scene(), variant,
                                       {free_fork_folder(*catalogue(), scene(), variant), {}});
  const Result<const Scene*> opened =
      made ? catalogue()->open_folder(made->folder) : tl::unexpected(made.error());
  if (made && !opened) take_back(*made);
  if (!opened) return log.notify(sentence(opened.error()));
  if (Result<void> noted = note_fork(catalogue(), made->folder, (*opened)->name, made->variant, "");
      !noted)
    log.notify(sentence(noted.error()));
  const Configuration axes = selection.axes;
  scene_parts_.journals.begin_again();
  if (Result<void> turned = choose_scene((*opened)->name); !turned)
    return log.notify(sentence(turned.error()));
  // The same point, so that both are compared where the person was.
  selection.axes = axes;
  selection.baseline = variant.name;
  selection.variant = made->variant;
  scene_parts_.journals.follow();
  log.notify(variant.name + " was copied to " + made->folder.string() +
             ": edit it in Source, or in your own editor");
}

}  // namespace warpscope
