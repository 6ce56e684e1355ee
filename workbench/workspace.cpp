// workbench/workspace.cpp: session, selection and engine together: what is asked becomes jobs.
#include "workbench/workspace.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scenes/paths.h"
#include "scenes/registry.h"

namespace warpscope {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kRestS = 0.25;  // a slider that has not moved for this long rests
constexpr std::size_t kMostUndo = 200;

std::map<std::string, std::string> texts_of(const Configuration& axes) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, value] : axes.values()) texts[name] = to_text(value);
  return texts;
}

// How far two values of an axis are apart, in parts of its range; choices are equal or a world
// apart.
double distance(const Axis& axis, const Configuration& a, const Configuration& b) {
  if (!a.has(axis.name) || !b.has(axis.name)) return 0;
  if (axis.kind == AxisKind::choice || axis.kind == AxisKind::file) {
    return a.at(axis.name) == b.at(axis.name) ? 0 : 100;
  }
  double x = a.real(axis.name), y = b.real(axis.name), low = axis.minimum, high = axis.maximum;
  if (axis.scale == AxisScale::log) {
    const double tiny = std::max(low, 1e-9);
    x = std::log(std::max(x, tiny));
    y = std::log(std::max(y, tiny));
    low = std::log(tiny);
    high = std::log(std::max(high, tiny));
  }
  return high > low ? std::abs(x - y) / (high - low) : 0;
}

}  // namespace

std::string nearest_recorded(const Session& session, const Scene& scene,
                             const Configuration& axes) {
  std::string best;
  double best_distance = 0;
  for (const Measurement* point : session.all_points()) {
    if (point->scene != scene.name) continue;
    double sum = 0;
    for (const Axis& axis : scene.axes) {
      if (applies(axis, axes)) sum += distance(axis, axes, point->axes);
    }
    if (best.empty() || sum < best_distance) {
      best = point->key;
      best_distance = sum;
    }
  }
  return best;
}

std::vector<std::filesystem::path> recorded_sessions() {
  std::vector<std::filesystem::path> paths;
  const auto home = home_folder();
  if (!home) return paths;
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry(*home / "assets" / "sessions", ignored), end;
       entry != end; entry.increment(ignored)) {
    if (entry->path().extension() == ".wsj") paths.push_back(entry->path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Workspace::Workspace(std::vector<std::string> engine_command) {
  scene_ = &all_scenes().front();
  selection.scene = scene_->name;
  selection.axes = default_configuration(scene_->axes);
  selection.variant = scene_->baseline;
  selection.baseline = scene_->baseline;
  seen_ = {selection.axes, selection.variant};
  if (!engine_command.empty()) {
    client_ = std::make_unique<EngineClient>(std::move(engine_command));
    client_->start();
  }
}

Result<void> Workspace::open(const std::filesystem::path& path) {
  Result<SessionReading> reading = read_session(path);
  if (!reading) return tl::unexpected(reading.error());
  session_ = std::move(reading->session);
  for (const std::string& warning : reading->warnings)
    notify(path.filename().string() + ": " + warning);
  recorded_ = true;
  recorded_name_ = path.filename().string();
  return {};
}

Result<void> Workspace::record(const std::filesystem::path& path) {
  Result<SessionFile> file = SessionFile::open(path);
  if (!file) return tl::unexpected(file.error());
  file_ = std::move(*file);
  return {};
}

bool Workspace::has_device() const {
  if (!client_ || !client_->ready()) return false;
  const Hello* hello = session_.engine();
  return hello != nullptr && hello->device.has_value() && hello->process == client_->process();
}

void Workspace::wait(double seconds) const {
  if (client_) client_->wait(seconds);
}

std::string Workspace::key() const {
  const std::string wanted = configuration_key(scene_->axes, selection.axes);
  if (!recorded_) return wanted;
  const std::string nearest = nearest_recorded(session_, *scene_, selection.axes);
  return nearest.empty() ? wanted : nearest;
}

PointState Workspace::state(const std::string& variant) const {
  const std::string wanted = key();
  PointState state;
  state.point = session_.latest(scene_->name, variant, wanted);
  if (state.point != nullptr) {
    last_key_[variant] = wanted;
    state.freshness = state.point->partial ? Freshness::pending : Freshness::fresh;
    return state;
  }
  bool waiting = false;
  if (client_) {
    for (const Job& job : client_->outstanding()) waiting = waiting || job.variant == variant;
  }
  if (const auto last = last_key_.find(variant); last != last_key_.end()) {
    state.point = session_.latest(scene_->name, variant, last->second);
  }
  state.freshness = waiting                  ? Freshness::pending
                    : state.point != nullptr ? Freshness::stale
                                             : Freshness::nothing;
  return state;
}

std::vector<const Variant*> Workspace::shown_variants() const {
  std::vector<const Variant*> shown;
  for (const Variant& variant : scene_->variants) {
    if (variant.applies && !variant.applies(selection.axes)) continue;
    const auto hidden = selection.hidden.find(variant.name);
    if (hidden == selection.hidden.end() || !hidden->second) shown.push_back(&variant);
  }
  return shown;
}

WorkProgress Workspace::progress() const {
  WorkProgress progress;
  if (!client_ || client_->outstanding().empty()) return progress;
  progress.busy = true;
  progress.waiting = client_->outstanding().size();
  const Job& job = client_->outstanding().front();
  const std::size_t done = batch_ > progress.waiting ? batch_ - progress.waiting : 0;
  const std::optional<Progress> running = session_.progress(job.job);
  progress.ratio = (static_cast<double>(done) + (running ? running->done_ratio : 0.0)) /
                   static_cast<double>(std::max<std::size_t>(1, batch_));
  progress.text = client_->ready() ? "measuring " + job.variant : "the engine is starting";
  if (running) progress.text += " · " + running->text;
  if (progress.waiting > 1)
    progress.text += " · " + std::to_string(progress.waiting - 1) + " waiting";
  return progress;
}

void Workspace::submit(const Variant& variant, JobKind kind, const std::string& tag, bool live,
                       const std::string& counters, const Configuration& axes) {
  if (!client_) return;
  Job job;
  job.kind = kind;
  job.tag = tag.empty() ? "" : tag + "/" + variant.name;
  job.scene = scene_->name;
  job.variant = variant.name;
  job.axes = texts_of(axes);
  job.counters = counters;
  job.time = kind == JobKind::measure && counters == "none";
  job.live = live;
  job.time_limit_s = live ? 0.15 : 1.5;
  if (client_->outstanding().empty()) batch_ = 0;
  ++batch_;
  ++submitted_;
  job.job = client_->submit(job);
  receive(job);
}

void Workspace::receive(const Message& message) {
  session_.apply(message);
  const auto* log = std::get_if<LogLine>(&message);
  if (log != nullptr && log->level == "error") notify(log->text);
  if (const auto* done = std::get_if<Done>(&message); done != nullptr && done->error) {
    if (done->error->kind != ErrorKind::environment || has_device()) notify(sentence(*done->error));
  }
  if (!file_ || std::holds_alternative<Progress>(message)) return;
  const auto* measurement = std::get_if<Measurement>(&message);
  if (measurement != nullptr && measurement->partial) return;
  if (Result<void> kept = file_->append(message); !kept) {
    notify(sentence(kept.error()));
    file_.reset();
  }
}

void Workspace::follow_selection() {
  const Change now{selection.axes, selection.variant};
  if (now == seen_) return;
  const bool moved = !(now.axes == seen_.axes);
  past_.push_back(std::exchange(seen_, now));
  if (past_.size() > kMostUndo) past_.pop_front();
  future_.clear();
  if (!moved) return;
  ++selection.moved;
  moved_ = Clock::now();
  if (recorded_ || !selection.live) return;
  counters_due_ = selection.counters != "none";
  // What waits for the last position is out of date, whatever variant it is of.
  for (const char* tag : {"live/", "counters/", "run/"}) client_->cancel_tagged(tag);
  const std::vector<const Variant*> shown = shown_variants();
  // The variant in focus first: its point is what the person looks at.
  for (const bool focus : {true, false}) {
    for (const Variant* variant : shown) {
      if ((variant->name == selection.variant) == focus) {
        submit(*variant, JobKind::measure, "live", true, "none", selection.axes);
      }
    }
  }
}

void Workspace::sweep() {
  const Axis* axis = find_axis(scene_->axes, selection.sweep_axis);
  if (axis == nullptr) return notify("choose an axis to sweep first");
  std::vector<AxisValue> values;
  if (axis->kind == AxisKind::choice) {
    for (const std::string& choice : axis->choices) values.emplace_back(choice);
  } else if (!axis->stops.empty()) {
    for (const double stop : axis->stops) {
      values.push_back(axis->kind == AxisKind::integer ? AxisValue(static_cast<std::int64_t>(stop))
                                                       : AxisValue(stop));
    }
  } else {
    const std::string range =
        std::to_string(axis->minimum) + ":" + std::to_string(axis->maximum) + ":9";
    if (Result<std::vector<AxisValue>> spread = parse_axis_range(*axis, range))
      values = std::move(*spread);
  }
  for (const AxisValue& value : values) {
    Configuration axes = selection.axes;
    axes.set(axis->name, value);
    for (const Axis& other : scene_->axes) {
      const auto unlinked = selection.unlinked.find(other.name);
      if (other.linked_to == axis->name &&
          (unlinked == selection.unlinked.end() || !unlinked->second)) {
        axes.set(other.name, value);
      }
    }
    for (const Variant* variant : shown_variants())
      submit(*variant, JobKind::measure, "", false, "none", axes);
  }
}

void Workspace::take_requests() {
  const std::vector<Request> requests = std::exchange(selection.requests, {});
  for (const Request& request : requests) {
    if (request.kind == Request::Kind::restart_engine) {
      if (client_) client_->restart();
      continue;
    }
    if (request.kind == Request::Kind::cancel) {
      if (client_) client_->cancel_all();
      counters_due_ = false;
      continue;
    }
    if (request.kind == Request::Kind::trace) {
      notify("no emulator answers here: diagrams show the traces that the session has");
      continue;
    }
    if (recorded_) {
      notify("this is a recorded session: there is no GPU here to measure on");
      continue;
    }
    if (request.kind == Request::Kind::sweep) {
      sweep();
      continue;
    }
    if (request.kind == Request::Kind::roofs) {
      Job job;
      job.kind = JobKind::roofs;
      job.scene = scene_->name;
      job.fresh = true;
      job.job = client_->submit(job);
      ++batch_;
      receive(job);
      continue;
    }
    for (const Variant* variant : shown_variants()) {
      if (!request.variant.empty() && variant->name != request.variant) continue;
      if (request.kind == Request::Kind::timeline) {
        submit(*variant, JobKind::timeline, "timeline", false, "none", selection.axes);
      } else if (request.kind == Request::Kind::verify) {
        submit(*variant, JobKind::verify, "verify", false, "none", selection.axes);
      } else {
        submit(*variant, JobKind::measure, "run", false, "none", selection.axes);
        if (selection.counters != "none") {
          submit(*variant, JobKind::measure, "counters", false, selection.counters, selection.axes);
        }
      }
    }
  }
}

void Workspace::update() {
  if (client_) {
    for (const Message& message : client_->poll()) {
      receive(message);
      const auto* hello = std::get_if<Hello>(&message);
      if (hello == nullptr || hello->role == "workbench" || !hello->device) continue;
      if (recorded_ && recorded_name_.empty()) {
        recorded_ = false;
        if (session_.roofs() == nullptr) {
          Job job;
          job.kind = JobKind::roofs;
          job.scene = scene_->name;
          job.job = client_->submit(job);
          receive(job);
        }
        selection.requests.push_back({Request::Kind::measure, ""});
      }
    }
  }
  follow_selection();
  take_requests();
  const bool rests = std::chrono::duration<double>(Clock::now() - moved_).count() > kRestS;
  if (counters_due_ && rests && !recorded_) {
    counters_due_ = false;
    for (const Variant* variant : shown_variants()) {
      submit(*variant, JobKind::measure, "counters", false, selection.counters, selection.axes);
    }
  }
}

void Workspace::undo() {
  if (past_.empty()) return;
  future_.push_back({selection.axes, selection.variant});
  const Change change = past_.back();
  past_.pop_back();
  const std::deque<Change> past = past_, future = future_;
  selection.axes = change.axes;
  selection.variant = change.variant;
  follow_selection();
  past_ = past;
  future_ = future;
}

void Workspace::redo() {
  if (future_.empty()) return;
  const Change change = future_.back();
  std::deque<Change> future = future_;
  future.pop_back();
  selection.axes = change.axes;
  selection.variant = change.variant;
  follow_selection();
  future_ = std::move(future);
}

}  // namespace warpscope
