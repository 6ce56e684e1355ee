// workbench/workspace/workspace_jobs.cpp: what a person asks for becomes jobs of the engines.
#include <algorithm>
#include <set>
#include <utility>

#include "profiling/points/step_means.h"
#include "scenes/base/code_id.h"
#include "scenes/opened_scenes.h"
#include "scenes/training.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {
namespace {

std::map<std::string, std::string> texts_of(const Configuration& axes) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, value] : axes.values()) texts[name] = to_text(value);
  return texts;
}

Job roofs_job(const Scene& scene) {
  Job job;
  job.kind = JobKind::roofs;
  job.hang_limit_s = kRoofsLimitS;
  job.scene = scene.name;
  return job;
}

// The jobs that a request makes of every shown variant.
struct Asked {
  JobKind kind;
  const char* tag;
};
Asked asked_by(Request::Kind kind) {
  if (kind == Request::Kind::timeline) return {JobKind::timeline, "timeline"};
  if (kind == Request::Kind::verify) return {JobKind::verify, "verify"};
  return {JobKind::measure, "run"};
}

}  // namespace

void Workspace::submit(const Variant& variant, JobKind kind, const std::string& tag, bool live,
                       const std::string& counters, const Configuration& axes, bool first) {
  if (!client_) return;
  Job job;
  job.first = first;
  job.kind = kind;
  job.tag = tag.empty() ? "" : tag + "/" + variant.name;
  job.scene = scene_;
  job.variant = variant.name;
  job.axes = texts_of(axes);
  job.counters = counters;
  job.time = kind == JobKind::measure && counters == "none";
  job.live = live;
  job.time_limit_s = live ? 0.15 : 1.5;
  if (client_->outstanding().empty()) batch_ = 0;
  ++batch_;
  ++submitted_;
  job.job = last_job_ = client_->submit(job);
  sources_of_jobs_[job.job] = texts()->sources;
  receive(job);
}

void Workspace::measure_live() {
  moved_ = std::chrono::steady_clock::now();
  counters_due_ = selection.counters != "none";
  // What waits for the last position or text is out of date, whatever variant it is of.
  for (const char* tag : {"live/", "counters/", "run/", "quoted "}) client_->cancel_tagged(tag);
  if (!has_own_roofs()) {
    client_->cancel_tagged("roofs");
    roofs_due_ = true;
  }
  const std::vector<const Variant*> shown = shown_variants();
  // The variant in focus first: its point is what the person looks at.
  for (const bool focus : {true, false}) {
    for (const Variant* variant : shown) {
      if ((variant->name == selection.variant) == focus)
        submit(*variant, JobKind::measure, "live", true, "none", selection.axes);
    }
  }
}

bool Workspace::has_own_roofs() const {
  const Hello* engine = session_.engine();
  if (engine == nullptr || !engine->device) return session_.roofs() != nullptr;
  Conditions device;
  device.device = engine->device->name;
  device.device_uuid = engine->device->uuid;
  return join_roofs(session_, device).roofs != nullptr;
}

void Workspace::submit_roofs() {
  Job job = roofs_job(scene());
  job.tag = "roofs";
  job.first = true;
  job.job = last_job_ = client_->submit(job);
  receive(job);
}

void Workspace::submit_training(const Variant& variant, Job job) {
  job.kind = JobKind::train;
  job.tag = "train";
  job.scene = scene_;
  job.variant = variant.name;
  const Result<Configuration> axes = configured(scene(), variant.name, job.axes);
  if (!axes) return notify(sentence(axes.error()));
  // A rung of the processor needs no device, and none waits for it.
  const bool on_host = runs_on_host_alone(variant, {*axes, {}});
  EngineClient* engine = has_device() && !on_host ? client_.get() : emulator_.get();
  if (engine == nullptr) return notify("there is neither a device nor an emulator here");
  for (EngineClient* other : {client_.get(), emulator_.get()}) {
    if (other != nullptr && other != engine) other->cancel_tagged("train");
  }
  engine->start();
  training_stopped_ = false;
  job.job = last_job_ = training_job_ = engine->submit(job);
  receive(job);
}

void Workspace::train(const Request& request) {
  using Kind = Request::Kind;
  if (request.kind == Kind::train_pause || request.kind == Kind::train_stop) {
    training_stopped_ = request.kind == Kind::train_stop;
    for (EngineClient* engine : {client_.get(), emulator_.get()}) {
      if (engine != nullptr) engine->cancel_tagged("train");
    }
    return;
  }
  Job job;
  if (request.kind == Kind::train) {
    const Variant* variant = find_variant(scene(), request.variant);
    if (variant == nullptr || !scene().training) return;
    job.axes = texts_of(for_variant(scene().axes, selection.axes, variant->name));
    for (const auto& [name, text] : scene().training->settings) job.axes[name] = text;
    job.training = selection.training;
    return submit_training(*variant, std::move(job));
  }
  const Variant* variant =
      trained_ && trained_->scene == scene_ ? find_variant(scene(), trained_->variant) : nullptr;
  if (variant == nullptr) return notify("there is no training to go on with: start one");
  job.axes = trained_->axes;
  job.training = trained_->settings;
  // Longer than it was meant to be, where that is asked for.
  if (const auto epochs = selection.training.find("epochs"); epochs != selection.training.end())
    job.training["epochs"] = epochs->second;
  job.resume = trained_;
  if (auto axes = with_values(scene().axes, selection.axes, trained_->axes)) {
    selection.axes = std::move(*axes);
    selection.variant = variant->name;
  }
  submit_training(*variant, std::move(job));
}

void Workspace::submit_trace(const Variant& variant, bool live, const Request& asked) {
  const std::optional<Configuration>& axes = asked.axes;
  Job job;
  job.kind = JobKind::trace;
  job.tag = live ? "live trace" : "trace/" + variant.name;
  job.scene = scene_;
  job.variant = variant.name;
  job.axes = texts_of(axes.value_or(selection.axes));
  const std::int64_t block = axes ? asked.block : selection.trace.block;
  if (block >= 0) job.block = std::to_string(block);
  job.grid = !live;
  // Behind the block that is drawn at once; the next move of the slider ends it.
  if (live) job.sample_instructions = kUsualSampleInstructions;
  job.step = live || axes ? "" : selection.step;
  job.live = live;
  emulator_->start();
  job.job = last_job_ = emulator_->submit(job);
  texts_of_jobs_[job.job] = texts();
  if (live) unrecorded_.insert(job.job);
  receive(job);
}

void Workspace::submit_registers(const Variant& variant) {
  if (!emulator_) return;
  Job job;
  job.kind = JobKind::registers;
  job.tag = "registers";
  job.scene = scene_;
  job.variant = variant.name;
  job.axes = texts_of(selection.axes);
  // That of the device at hand first: it is looked at first.
  const Hello* engine = session_.engine();
  if (engine != nullptr && engine->device)
    job.architectures.push_back(engine->device->compute_capability);
  for (const int architecture : kUsualArchitectures) {
    if (job.architectures.empty() || job.architectures.front() != architecture)
      job.architectures.push_back(architecture);
  }
  emulator_->start();
  job.job = last_job_ = emulator_->submit(job);
  receive(job);
}

// On the device where one measures, else emulated.
void Workspace::submit_outputs(const Variant& variant) {
  const std::string baseline = baseline_id(variant.name).variant;
  if (baseline.empty() || baseline == variant.name)
    return notify("there is no other variant to hold its outputs to: choose a baseline");
  Job job;
  job.kind = JobKind::outputs;
  job.tag = "outputs";
  job.scene = scene_;
  job.variant = variant.name;
  job.other = baseline;
  job.axes = texts_of(selection.axes);
  EngineClient* engine = has_device() ? client_.get() : emulator_.get();
  if (engine == nullptr) return notify("there is neither a device nor an emulator here");
  engine->start();
  job.job = last_job_ = engine->submit(job);
  receive(job);
}

// A listing is of a text and quickly made again: it is shown, not recorded.
void Workspace::submit_listing(const Variant& variant, const std::string& step, int architecture) {
  if (!emulator_) return;
  Job job;
  job.kind = JobKind::listing;
  job.tag = "listing";
  job.scene = scene_;
  job.variant = variant.name;
  job.axes = texts_of(selection.axes);
  job.step = step;
  if (architecture > 0) job.architectures = {architecture};
  emulator_->start();
  job.job = last_job_ = emulator_->submit(job);
  unrecorded_.insert(job.job);
  receive(job);
}

// Diagrams follow the slider and the kernel's file: one block of the variant in focus is emulated
// at every move, and whenever the text is another one.
void Workspace::follow_traces() {
  if (!emulator_ || !selection.live || emulator_->given_up()) return;
  const PointId& id = point_id(selection.variant);
  // Of a folder its description counts like its kernels.
  const auto described = opened_text(id.scene);
  const std::string wanted = id.scene + "/" + id.variant + "/" + id.key + "/" +
                             std::to_string(selection.trace.block) + "/" + texts()->all +
                             (described ? described->hash : "");
  if (wanted == traced_) return;
  traced_ = wanted;
  const Trace* known = session_.trace(id);
  if (known != nullptr && selection.trace.block < 0 && earlier_text(*known).empty()) {
    session_.use_traces(id);
    return;  // the session has it
  }
  const Variant* variant = find_variant(scene(), selection.variant);
  if (variant == nullptr || !variant->own_kernels) return;
  submit_trace(*variant, true);
}

void Workspace::sweep() {
  const Axis* axis = find_axis(scene().axes, selection.sweep_axis);
  if (axis == nullptr) return notify("choose an axis to sweep first");
  if (!applies(*axis, selection.axes))
    return notify(axis->name + " means nothing at this configuration; choose another axis");
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
  client_->cancel_tagged("sweep/");
  sweep_jobs_.clear();
  swept_axis_ = axis->name;
  // What a time does not bring: plots show a point once it has the metric.
  std::string counters;
  for (const std::string& id : counters_behind(selection.sweep_metric))
    counters += (counters.empty() ? "" : ",") + id;
  std::set<std::string> keys;  // values that an input decides can make two points one
  std::size_t refused = 0;
  std::string why;
  for (const AxisValue& value : values) {
    Result<Configuration> axes = with_axis(scene(), selection, *axis, to_text(value));
    if (axes && scene().settle) axes = scene().settle(*axes);
    const Result<void> admitted = axes ? scene().admit(*axes) : tl::unexpected(axes.error());
    if (!admitted) {
      ++refused;
      why = sentence(admitted.error());
      continue;
    }
    for (const Variant* variant : shown_variants(*axes)) {
      if (variant->measured_once) continue;
      const std::string key = configuration_key(scene().axes, *axes, variant->name);
      if (!keys.insert(variant->name + "/" + key).second) continue;
      for (const std::string& asked : {std::string("none"), counters}) {
        if (asked.empty()) continue;
        submit(*variant, JobKind::measure, "sweep/" + std::to_string(sweep_jobs_.size()), false,
               asked, *axes);
        sweep_jobs_.push_back(last_job_);
      }
    }
  }
  if (refused > 0) {
    notify(std::to_string(refused) + " of " + std::to_string(values.size()) +
           " points of the sweep are left out: " + why);
  }
}

// What is answered without a device; false: it needs one.
bool Workspace::take_without_device(const Request& request) {
  using Kind = Request::Kind;
  if (take_folder_request(request)) return true;
  if (request.kind == Kind::note) {
    note(request);
    return true;
  }
  if (request.kind == Kind::train || request.kind == Kind::train_on ||
      request.kind == Kind::train_pause || request.kind == Kind::train_stop) {
    train(request);
    return true;
  }
  if (request.kind != Kind::trace && request.kind != Kind::registers &&
      request.kind != Kind::outputs && request.kind != Kind::listing)
    return false;
  const Variant* variant = find_variant(scene(), request.variant);
  if (request.kind == Kind::trace && !emulator_) {
    notify("there is no emulator here: diagrams show the traces that the session has");
  } else if (variant != nullptr && request.kind == Kind::trace) {
    submit_trace(*variant, false, request);
  } else if (variant != nullptr && request.kind == Kind::registers) {
    submit_registers(*variant);
  } else if (variant != nullptr && request.kind == Kind::listing) {
    submit_listing(*variant, request.step, request.architecture);
  } else if (variant != nullptr) {
    submit_outputs(*variant);
  }
  return true;
}

void Workspace::take_requests() {
  for (std::string& notice : std::exchange(selection.notices, {})) notify(std::move(notice));
  const std::vector<Request> requests = std::exchange(selection.requests, {});
  for (const Request& request : requests) {
    if (request.kind == Request::Kind::restart_engine) {
      if (client_) client_->restart();
      if (emulator_ && emulator_->process() > 0) emulator_->restart();
      continue;
    }
    if (request.kind == Request::Kind::cancel) {
      if (client_) client_->cancel_all();
      if (emulator_) emulator_->cancel_all();
      counters_due_ = false;
      continue;
    }
    if (request.kind == Request::Kind::cancel_sweep) {
      if (client_) client_->cancel_tagged("sweep/");
      continue;
    }
    if (take_without_device(request)) continue;
    if (recorded_) {
      notify("this is a recorded session: there is no GPU here to measure on");
      continue;
    }
    if (request.kind == Request::Kind::saved) {
      texts_ = nullptr;  // what is saved now is not what was looked at a moment ago
      measure_live();
      continue;
    }
    if (request.kind == Request::Kind::sweep) {
      sweep();
      continue;
    }
    if (request.kind == Request::Kind::roofs) {
      Job job = roofs_job(scene());
      job.fresh = true;
      job.job = last_job_ = client_->submit(job);
      ++batch_;
      receive(job);
      continue;
    }
    if (request.kind == Request::Kind::quote) {
      if (const Variant* variant = find_variant(scene(), request.variant)) {
        submit(*variant, JobKind::measure, quote_tag(request.counters), false, request.counters,
               selection.axes, true);
      }
      continue;
    }
    for (const Variant* variant : shown_variants()) {
      if (!request.variant.empty() && variant->name != request.variant) continue;
      const auto [kind, tag] = asked_by(request.kind);
      submit(*variant, kind, tag, false, "none", selection.axes);
      if (kind == JobKind::measure && selection.counters != "none")
        submit(*variant, kind, "counters", false, selection.counters, selection.axes);
    }
  }
}

}  // namespace warpscope
