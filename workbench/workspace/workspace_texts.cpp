// workbench/workspace/workspace_texts.cpp: of which texts the traces and counted lines of a session
// are.
#include "scenes/base/source.h"
#include "workbench/workspace/trace_state.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {
namespace {

std::string trace_place(const Trace& trace) {
  return trace.scene + "/" + trace.variant + "/" + trace.key + "/" + trace.step;
}

}  // namespace

const std::shared_ptr<const Workspace::Texts>& Workspace::texts() const {
  // Asked for in every frame; files change when a person saves one.
  constexpr std::chrono::milliseconds kLooked{250};
  const auto now = std::chrono::steady_clock::now();
  if (texts_ != nullptr && texts_->scene == scene_ && now - texts_->at < kLooked) return texts_;
  Texts texts{scene_, "", {}, kept_sources_of_scene(scene_).value_or(nullptr), now};
  if (texts.sources != nullptr) {
    for (const KernelSource& source : *texts.sources) texts.all += source.hash;
    texts.all = hash_of(texts.all);
  }
  if (texts_ != nullptr && texts_->scene == texts.scene && texts_->all == texts.all) {
    texts.hashes = texts_->hashes;
  } else if (texts.sources != nullptr) {
    const SourceLookup find = sources_among(*texts.sources);
    for (const KernelSource& source : *texts.sources) {
      if (const auto whole = find(source.path)) texts.hashes[source.path] = text_hash_of(*whole);
    }
  }
  texts_ = std::make_shared<const Texts>(std::move(texts));
  return texts_;
}

// A trace is of the texts that went to the emulator with its job, whatever the files have become.
void Workspace::note_text(const Trace& trace) {
  const auto job = texts_of_jobs_.find(trace.job);
  if (job == texts_of_jobs_.end()) return;
  constexpr std::size_t kMost = 4096;
  if (texts_of_traces_.size() >= kMost) {
    const std::vector<const Trace*> traces = session_.traces();
    std::map<std::string, std::string> kept;
    for (const Trace* held : traces) {
      const auto known = texts_of_traces_.find(trace_place(*held));
      if (known != texts_of_traces_.end()) kept.insert(*known);
    }
    texts_of_traces_ = std::move(kept);
  }
  const auto& hashes = job->second->hashes;
  const auto text = hashes.find(trace.source);
  texts_of_traces_[trace_place(trace)] = text == hashes.end() ? "" : text->second;
}

std::string Workspace::earlier_text(const StepRecord& step) const {
  const auto now = texts()->hashes.find(step.source);
  if (step.text_hash.empty() || now == texts()->hashes.end() || now->second == step.text_hash)
    return "";
  return "of an earlier text of kernels/" + step.source;
}

std::string Workspace::earlier_text(const Trace& trace) const {
  StepRecord step;
  step.source = trace.source;
  if (const auto known = texts_of_traces_.find(trace_place(trace));
      known != texts_of_traces_.end()) {
    step.text_hash = known->second;
    return earlier_text(step);
  }
  // A recorded trace does not name its text; what was measured at its place does.
  const Measurement* point = session_.latest({trace.scene, trace.variant, trace.key, "", device()});
  if (point != nullptr) {
    for (const StepRecord& measured : point->steps) {
      if (measured.name != trace.step || measured.source != trace.source) continue;
      if (std::string earlier = earlier_text(measured); !earlier.empty()) return earlier;
    }
  }
  const std::string code = code_of(trace);
  const std::optional<Configuration> axes = parse_key(scene().axes, trace.key);
  if (code.empty() || trace.scene != scene_ || !axes) return "";
  Measurement traced;
  if (point != nullptr) traced.facts = point->facts;
  traced.scene = trace.scene;
  traced.variant = trace.variant;
  traced.axes = for_variant(scene().axes, *axes, trace.variant);
  traced.conditions.code_id = code;
  return earlier_source(traced).empty() ? "" : "of an earlier source of kernels/" + trace.source;
}

}  // namespace warpscope
