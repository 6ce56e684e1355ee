// workbench/workspace/scene/kernel_files.cpp: the kernels of the scene as their files stand, and
// which texts went with each job.
#include "workbench/workspace/scene/kernel_files.h"

namespace warpscope {
namespace {

// "kernels/csrmm/warp_row.cu"; of a folder's "mine/warp_row.cu".
std::string shown_path(const Catalogue& catalogue, const std::string& source) {
  return (catalogue.text(source.substr(0, source.find('/'))) ? "" : "kernels/") + source;
}

}  // namespace

KernelFiles::KernelFiles(const OpenedSession& opened, const ShownScene& scene,
                         const SelectedPoints& points)
    : opened_(opened), scene_(scene), points_(points) {}

KernelFiles::TracePlace KernelFiles::place_of(const Trace& trace) {
  return {trace.scene, trace.variant, trace.key, trace.step};
}

void KernelFiles::went_to_measure(std::int64_t job) { of_measured_jobs_[job] = now()->sources; }
void KernelFiles::went_to_trace(std::int64_t job) { of_traced_jobs_[job] = now(); }

const KernelTexts* KernelFiles::sources_of(std::int64_t job) const {
  const auto texts = of_measured_jobs_.find(job);
  return texts == of_measured_jobs_.end() ? nullptr : &texts->second;
}

bool KernelFiles::are_others_than_of(std::int64_t trace_job) const {
  const auto known = of_ended_jobs_.find(trace_job);
  return known != of_ended_jobs_.end() && known->second != now()->all;
}

void KernelFiles::forget_job(std::int64_t job) {
  if (const auto traced = of_traced_jobs_.find(job); traced != of_traced_jobs_.end()) {
    constexpr std::size_t kKept = 256;  // the newest matter: a diagram asks for its last emulation
    of_ended_jobs_[job] = traced->second->all;
    if (of_ended_jobs_.size() > kKept) of_ended_jobs_.erase(of_ended_jobs_.begin());
  }
  of_traced_jobs_.erase(job);
  of_measured_jobs_.erase(job);
}

void KernelFiles::forget_traces() {
  of_traced_jobs_.clear();
  of_ended_jobs_.clear();
  of_traces_.clear();
}

const std::shared_ptr<const KernelFiles::Texts>& KernelFiles::now() const {
  // Asked for in every frame; files change when a person saves one.
  constexpr std::chrono::milliseconds kLooked{250};
  const auto present = std::chrono::steady_clock::now();
  if (now_ != nullptr && now_->scene == scene_.name() && present - now_->at < kLooked) return now_;
  Texts texts{scene_.name(),
              "",
              {},
              scene_.catalogue().sources_of(scene_.name()).value_or(nullptr),
              present};
  if (texts.sources != nullptr) {
    for (const KernelSource& source : *texts.sources) texts.all += source.hash;
    texts.all = hash_of(texts.all);
  }
  if (now_ != nullptr && now_->scene == texts.scene && now_->all == texts.all) {
    texts.hashes = now_->hashes;
  } else if (texts.sources != nullptr) {
    const SourceLookup find = sources_among(*texts.sources);
    for (const KernelSource& source : *texts.sources) {
      if (const auto whole = find(source.path)) texts.hashes[source.path] = text_hashes_of(*whole);
    }
  }
  now_ = std::make_shared<const Texts>(std::move(texts));
  return now_;
}

// A trace is of the texts that went to the emulator with its job, whatever the files have become.
void KernelFiles::keep(const Trace& trace) {
  const auto job = of_traced_jobs_.find(trace.job);
  if (job == of_traced_jobs_.end()) return;
  constexpr std::size_t kMost = 4096;
  if (of_traces_.size() >= kMost) {
    const std::vector<const Trace*> traces = opened_.session().traces();
    std::map<TracePlace, std::string> kept;
    for (const Trace* held : traces) {
      const auto known = of_traces_.find(place_of(*held));
      if (known != of_traces_.end()) kept.insert(*known);
    }
    of_traces_ = std::move(kept);
  }
  const auto& hashes = job->second->hashes;
  const auto text = hashes.find(trace.source);
  of_traces_[place_of(trace)] = text == hashes.end() ? "" : text->second.of_code;
}

std::string KernelFiles::earlier_text(const StepRecord& step) const {
  const auto& hashes = now()->hashes;
  const auto text = hashes.find(step.source);
  if (step.text_hash.empty() || text == hashes.end() || text->second.include(step.text_hash))
    return "";
  return "of an earlier text of " + shown_path(scene_.catalogue(), step.source);
}

std::string KernelFiles::earlier_text(const Trace& trace) const {
  StepRecord step;
  step.source = trace.source;
  if (const auto known = of_traces_.find(place_of(trace)); known != of_traces_.end()) {
    step.text_hash = known->second;
    return earlier_text(step);
  }
  // A recorded trace does not name its text; what was measured at its place does.
  const Measurement* point =
      opened_.session().latest({trace.scene, trace.variant, trace.key, "", points_.device()});
  if (point != nullptr) {
    for (const StepRecord& measured : point->steps) {
      if (measured.name != trace.step || measured.source != trace.source) continue;
      if (std::string earlier = earlier_text(measured); !earlier.empty()) return earlier;
    }
  }
  const std::string code = code_of(trace);
  const std::optional<Configuration> axes = parse_key(scene_.scene().axes, trace.key);
  if (code.empty() || trace.scene != scene_.name() || !axes) return "";
  Measurement traced;
  if (point != nullptr) traced.facts = point->facts;
  traced.scene = trace.scene;
  traced.variant = trace.variant;
  traced.axes = for_variant(scene_.scene().axes, *axes, trace.variant);
  traced.conditions.code_id = code;
  return points_.earlier_source(traced).empty()
             ? ""
             : "of an earlier source of " + shown_path(scene_.catalogue(), trace.source);
}

std::string code_of(const Trace& trace) {
  constexpr std::size_t kDigits = 32;  // source: scenes/base/texts/code_id.h
  return trace.source_hash.size() == kDigits ? trace.source_hash : "";
}

}  // namespace warpscope
