// workbench/workspace/workspace.cpp: session, selection and engine together: what is chosen, heard,
// undone.
#include "workbench/workspace/workspace.h"

#include <algorithm>
#include <utility>

#include "profiling/points/output_pair.h"
#include "profiling/session/kept_bytes.h"

namespace warpscope {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kRestS = 0.15;  // a slider that has not moved for this long rests
constexpr double kRoofsRestS =
    1;  // roofs take seconds: a drag that only pauses does not wait for them
constexpr std::size_t kMostUndo = 200;

// The job that a message answers; 0 when none.
std::int64_t job_of(const Message& message) {
  if (const auto* progress = std::get_if<Progress>(&message)) return progress->job;
  if (const auto* measurement = std::get_if<Measurement>(&message)) return measurement->job;
  if (const auto* timeline = std::get_if<Timeline>(&message)) return timeline->job;
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

}  // namespace

Result<Configuration> with_axis(const Scene& scene, const Selection& selection, const Axis& axis,
                                const std::string& text) {
  const auto free = [&selection](const Axis& one) {
    const auto unlinked = selection.unlinked.find(one.name);
    return one.linked_to.empty() || (unlinked != selection.unlinked.end() && unlinked->second);
  };
  const std::string& first = free(axis) ? axis.name : axis.linked_to;
  std::map<std::string, std::string> changes;
  for (const Axis& other : scene.axes) {
    if (other.name == first || (other.linked_to == first && !free(other)) ||
        other.name == axis.name) {
      changes[other.name] = text;
    } else if (other.linked_to == first || other.linked_to == axis.name) {
      changes[other.name] = to_text(value_of(other, selection.axes, selection.variant));
    }
  }
  return with_values(scene.axes, selection.axes, changes);
}

void choose_stop(Selection& selection, const std::string& axis, const Stop& stop) {
  selection.axes = stop.axes;
  selection.touched_axis = axis;
  if (!stop.full()) {
    selection.notices.push_back(axis + " = " + to_text(stop.value) + " is recorded with " +
                                words_of(stop.moves) + "; undo takes all of it back");
  }
}

Workspace::Workspace(std::vector<std::string> engine_command,
                     std::vector<std::string> emulator_command) {
  turn_to(catalogue_->scenes().front());
  seen_ = chosen();
  if (!engine_command.empty()) {
    client_ =
        std::make_unique<EngineClient>(std::move(engine_command), RestartPacing{}, job_numbers_);
    client_->start();
  }
  if (!emulator_command.empty()) {
    emulator_ =
        std::make_unique<EngineClient>(std::move(emulator_command), RestartPacing{}, job_numbers_);
  }
}

void Workspace::limit_jobs(double seconds) {
  if (client_) client_->limit_jobs(seconds);
  if (emulator_) emulator_->limit_jobs(seconds);
}

Result<void> Workspace::open(const std::vector<std::filesystem::path>& paths) {
  Result<SessionReading> reading = read_sessions(paths);
  if (!reading) return tl::unexpected(reading.error());
  if (client_) client_->cancel_all();
  if (emulator_) emulator_->cancel_all();
  forgotten_jobs_ = last_job_;
  traced_.clear();
  counters_due_ = false;
  batch_ = 0;
  sweep_jobs_.clear();
  session_ = std::move(reading->session);
  session_.opened_all();
  journal_of_.clear();  // its iterations belong to whatever session is at hand
  let_go_ = {};
  lent_ = lent_roofs(session_);
  ++openings_;
  opened_ = paths;
  last_id_.clear();
  ids_ = {};
  selection.device.clear();
  selection.baseline_device.clear();
  texts_of_jobs_.clear();
  texts_of_traces_.clear();
  recorded_ = true;
  recorded_name_.clear();
  for (const std::filesystem::path& path : paths)
    recorded_name_ += (recorded_name_.empty() ? "" : " + ") + path.filename().string();
  for (const std::string& warning : reading->warnings)
    notify(paths.size() == 1 ? recorded_name_ + ": " + warning : warning);
  const auto points = session_.all_points();
  const auto holds = [&points](const std::string& scene) {
    return std::any_of(points.begin(), points.end(),
                       [&scene](const Measurement* point) { return point->scene == scene; });
  };
  Result<void> turned;
  if (!holds(scene_)) {
    const std::vector<const Scene*> scenes = catalogue_->all();
    const auto held = std::find_if(scenes.begin(), scenes.end(),
                                   [&](const Scene* scene) { return holds(scene->name); });
    if (held != scenes.end()) turned = choose_scene((*held)->name);
    if (held == scenes.end()) turned = show_last_job();
  }
  fit_device();
  keep_pins();
  // What was chosen before was of another session's devices.
  seen_.device = selection.device;
  seen_.baseline_device.clear();
  for (std::deque<Change>* changes : {&past_, &future_}) {
    for (Change& change : *changes) {
      change.device = selection.device;
      change.baseline_device.clear();
    }
  }
  return turned;
}

void Workspace::fit_device() {
  if (!recorded_ || session_.devices().size() < 2) return;
  const auto points = session_.all_points();
  const bool measured = std::any_of(points.begin(), points.end(), [this](const Measurement* point) {
    return point->scene == scene_ && device_of(point->conditions).id() == selection.device;
  });
  if (measured) return;
  selection.device.clear();
  selection.device = device_at(scene(), selection.axes);
}

Workspace::Change Workspace::chosen() const {
  return {selection.scene,    selection.axes,   selection.variant,
          selection.baseline, selection.device, selection.baseline_device,
          selection.pins};
}

void Workspace::turn_to(const Scene& scene) {
  scene_ = scene.name;
  selection.scene = scene.name;
  selection.axes = default_configuration(scene.axes);
  selection.variant = selection.baseline = scene.baseline;
  // Of a fork the copy is what is looked at, beside what it was copied from.
  for (const Variant& variant : scene.variants) {
    if (scene.fork_of.empty() || variant.parent.empty()) continue;
    selection.variant = variant.name;
    selection.baseline = variant.parent;
  }
  selection.unlinked.clear();
  selection.hidden.clear();
  selection.step.clear();
  selection.sweep_metric = scene.sweep_metric.empty() ? "time.warm" : scene.sweep_metric;
  last_id_.clear();
  fit_device();
  fit_selection();
  find_training();
}

void Workspace::fit_selection() {
  for (std::string* name : {&selection.variant, &selection.baseline}) {
    const Variant* variant = variant_at(scene(), selection.axes, *name);
    if (variant != nullptr) *name = variant->name;
  }
  const auto sweeps = [this](const Axis* axis) {
    return axis != nullptr && applies(*axis, selection.axes);
  };
  if (sweeps(find_axis(scene().axes, selection.sweep_axis))) return;
  for (const char* usual : {"n", ""}) {
    for (const Axis& axis : scene().axes) {
      const bool number = axis.kind == AxisKind::integer || axis.kind == AxisKind::real;
      if (!number || !sweeps(&axis) || (*usual != '\0' && axis.name != usual)) continue;
      selection.sweep_axis = axis.name;
      return;
    }
  }
}

void Workspace::choose_catalogue(const Catalogue& catalogue) {
  catalogue_ = &catalogue;
  turn_to(catalogue.scenes().front());
}

Result<void> Workspace::choose_scene(const std::string& name) {
  const Result<const Scene*> scene = catalogue_->find(name);
  if (!scene) return tl::unexpected(scene.error());
  if (name == scene_) return {};
  turn_to(**scene);
  // One of our own recorded sessions gives way to that of the scene.
  const auto own = recorded_sessions();
  const bool bundled = std::any_of(own.begin(), own.end(), [this](const auto& path) {
    return path.filename().string() == recorded_name_;
  });
  const auto other = recorded_session_of(name);
  if (recorded_ && bundled && other && other->filename().string() != recorded_name_)
    return open(*other);
  return {};
}

Result<void> Workspace::record(const std::filesystem::path& path) {
  const std::optional<std::string> torn = torn_end(path);
  Result<SessionFile> file = SessionFile::open(path);
  if (!file) return tl::unexpected(file.error());
  if (torn) notify(*torn);
  file_ = std::move(*file);
  return {};
}

bool Workspace::has_device() const {
  if (!client_ || !client_->ready()) return false;
  const Hello *hello = session_.engine(), &running = *client_->hello();
  return hello != nullptr && hello->device.has_value() && hello->process == running.process &&
         hello->date == running.date;
}

void Workspace::wait(double seconds) const {
  if (client_ || emulator_) EngineClient::wait({client_.get(), emulator_.get()}, seconds);
}

std::vector<const Variant*> Workspace::shown_variants(const Configuration& axes) const {
  std::vector<const Variant*> shown;
  for (const Variant& variant : scene().variants) {
    if (!applies(variant, axes)) continue;
    const auto hidden = selection.hidden.find(variant.name);
    if (hidden == selection.hidden.end() || !hidden->second) shown.push_back(&variant);
  }
  return shown;
}

bool Workspace::forgotten(const Message& message) const {
  const std::int64_t job = job_of(message);
  return job > 0 && job <= forgotten_jobs_;
}

void Workspace::receive(const Message& message) {
  const bool ours = !forgotten(message);
  const auto* measured = std::get_if<Measurement>(&message);
  if (ours && measured != nullptr) note_change(*measured);
  const bool verdict = measured != nullptr && keep_judged(*measured);
  // A verdict of the emulator's is no figure of a device: it is no point of the session.
  const auto* log = std::get_if<LogLine>(&message);
  // Beside a recording, what an engine says today stays apart from what one said then.
  if (log != nullptr && recorded()) {
    log_.push_back(*log);
  } else if (ours && !verdict) {
    session_.apply(message);
  }
  if (const auto* state = std::get_if<TrainingState>(&message)) return keep_training(*state);
  for (const Iteration& iteration : std::exchange(changes_, {})) receive(iteration);
  if (const auto* trace = std::get_if<Trace>(&message)) {
    traced_bytes_ += kept_bytes(*trace);
    note_text(*trace);
  }
  if (const auto* done = std::get_if<Done>(&message)) {
    texts_of_jobs_.erase(done->job);
    sources_of_jobs_.erase(done->job);
    texts_of_judged_.erase(done->job);
  }
  if (log != nullptr && log->level == "error") notify(log->text);
  if (const auto* pair = std::get_if<OutputPair>(&message); pair != nullptr && ours)
    notify(pair->first.variant + " beside " + pair->second.variant + ": " + sentence_of(*pair));
  if (const auto* done = std::get_if<Done>(&message);
      ours && done != nullptr && done->error && unrecorded_.count(done->job) == 0) {
    if (done->error->kind != ErrorKind::environment || has_device()) notify(sentence(*done->error));
  }
  if (const auto* hello = std::get_if<Hello>(&message)) {
    standings_.hear(*hello);
    if (hello->role == "emulate") return;
  }
  if (const std::int64_t job = job_of(message); job > 0 && unrecorded_.count(job) != 0) {
    if (std::holds_alternative<Done>(message)) unrecorded_.erase(job);
    return;
  }
  if (!file_ || verdict || std::holds_alternative<Progress>(message)) return;
  const auto* measurement = std::get_if<Measurement>(&message);
  if (measurement != nullptr && measurement->partial) return;
  if (Result<void> kept = file_->append(message); !kept) {
    notify(sentence(kept.error()));
    file_.reset();
  }
}

void Workspace::follow_selection() {
  if (selection.scene != scene_) {
    const std::string left = scene_;
    const SceneChoice choice = {selection.axes, selection.variant, selection.baseline};
    if (Result<void> turned = choose_scene(selection.scene); !turned) {
      notify(sentence(turned.error()));
      selection.scene = scene_;
    } else {
      selection.left_at[left] = choice;
      come_back();
    }
  }
  if (selection.scene != seen_.scene || !(selection.axes == seen_.axes)) fit_selection();
  if (!selection.held) held_ = false;
  const Change now = chosen();
  if (now == seen_) return;
  const bool moved = now.scene != seen_.scene || !(now.axes == seen_.axes);
  const Change before = std::exchange(seen_, now);
  // All moves of one drag are one step back.
  if (!(held_ && selection.held && !past_.empty())) past_.push_back(before);
  held_ = selection.held;
  if (past_.size() > kMostUndo) past_.pop_front();
  future_.clear();
  if (!moved) return;
  ++selection.moved;
  moved_ = Clock::now();
  if (!recorded_ && selection.live) measure_live();
}

void Workspace::update() {
  if (client_) {
    for (const Message& message : client_->poll()) {
      receive(message);
      const auto* hello = std::get_if<Hello>(&message);
      if (hello == nullptr || hello->role == "workbench" || !hello->device) continue;
      if (recorded_ && recorded_name_.empty()) {
        recorded_ = false;
        roofs_due_ = !has_own_roofs();  // behind the first time of the variant in focus
        selection.requests.push_back({Request::Kind::measure, ""});
      }
    }
  }
  if (emulator_) {
    for (const Message& message : emulator_->poll()) receive(message);
  }
  bound_memory();
  if (!fallback_.empty() && (engine_ready() || engine_trouble())) {
    const std::filesystem::path path = std::exchange(fallback_, {});
    if (!has_device()) {
      if (Result<void> opened = open(path); !opened) notify(sentence(opened.error()));
    }
  }
  follow_selection();
  follow_journal();
  take_requests();
  follow_traces();
  const double rested_s = std::chrono::duration<double>(Clock::now() - moved_).count();
  if (roofs_follow() && rested_s > kRoofsRestS &&
      !client_->is_outstanding("live/" + selection.variant) &&
      !client_->is_outstanding("run/" + selection.variant)) {
    roofs_due_ = false;
    submit_roofs();
  }
  const bool rests = rested_s > kRestS;
  if (counters_due_ && rests && !recorded_) {
    counters_due_ = false;
    // The variant in focus does not wait for the others' times.
    for (const bool focus : {true, false}) {
      for (const Variant* variant : shown_variants()) {
        if ((variant->name == selection.variant) == focus) {
          submit(*variant, JobKind::measure, "counters", false, selection.counters, selection.axes,
                 focus);
        }
      }
    }
  }
}

}  // namespace warpscope
