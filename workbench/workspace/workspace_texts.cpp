// workbench/workspace/workspace_texts.cpp: of which texts the traces and counted lines of a session
// are, and what a person makes of those of a folder.
#include <algorithm>

#include "profiling/journal/fork_journal.h"
#include "scenes/base/carried_sources.h"
#include "scenes/base/source.h"
#include "scenes/folder/fork/copied_texts.h"
#include "scenes/folder/fork/fork.h"
#include "scenes/folder_file.h"
#include "scenes/host/clock.h"
#include "scenes/opened_scenes.h"
#include "scenes/read_folder.h"
#include "workbench/workspace/trace_state.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {
namespace {

// "kernels/csrmm/warp_row.cu"; of a folder's "mine/warp_row.cu".
std::string shown_path(const std::string& source) {
  return (carried_sources(source.substr(0, source.find('/'))) ? "" : "kernels/") + source;
}

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
  return "of an earlier text of " + shown_path(step.source);
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
  return earlier_source(traced).empty() ? ""
                                        : "of an earlier source of " + shown_path(trace.source);
}

const std::filesystem::path& Workspace::folder() const {
  if (folder_of_ != scene_) {
    folder_of_ = scene_;
    folder_ = folder_of_scene(scene_);
  }
  return folder_;
}

const Measurement* Workspace::judged(const std::string& variant) const {
  const auto found = judged_.find(scene_ + "/" + variant);
  const auto now = opened_text(scene_);
  if (found == judged_.end() || now == nullptr || found->second.scene_text != now->hash)
    return nullptr;
  return &found->second.point;
}

// Whether it is the verdict of a save.
bool Workspace::keep_judged(const Measurement& measured) {
  const auto text = texts_of_judged_.find(measured.job);
  if (text == texts_of_judged_.end()) return false;
  judged_[measured.scene + "/" + measured.variant] = {text->second, measured};
  return true;
}

bool Workspace::take_folder_request(const Request& request) {
  using Kind = Request::Kind;
  const Variant* variant = find_variant(scene(), request.variant);
  Result<void> done;
  if (request.kind == Kind::judge) {
    if (variant != nullptr) submit_judge(*variant);
  } else if (request.kind == Kind::fork) {
    if (variant != nullptr) fork(*variant);
  } else if (request.kind == Kind::edit) {
    done = edit(request.file, request.text);
  } else if (request.kind == Kind::go_back) {
    if (request.iteration) {
      const auto note = [this](const Iteration& last) {
        keep_noted(last);
        return Result<void>{};
      };
      done = in_journal(scene_, [&] { return go_back_to(*request.iteration, session_, note); });
    }
  } else {
    return false;
  }
  if (!done) notify(sentence(done.error()));
  return true;
}

// Verdicts of saves: a newer one takes the place of one that waits.
void Workspace::submit_judge(const Variant& variant) {
  if (!emulator_ || emulator_->given_up()) return;
  Job job;
  job.kind = JobKind::verify;
  job.tag = "judge";
  job.scene = scene_;
  job.variant = variant.name;
  for (const auto& [name, value] : selection.axes.values()) job.axes[name] = to_text(value);
  emulator_->start();
  job.job = last_job_ = emulator_->submit(job);
  // What is saved now is not what was looked at a moment ago.
  texts_ = nullptr;
  sources_of_jobs_[job.job] = texts()->sources;
  if (const auto text = opened_text(scene_)) texts_of_judged_[job.job] = text->hash;
  receive(job);
}

void Workspace::fork(const Variant& variant) {
  const Result<Fork> made = write_fork(scene(), variant, {free_fork_folder(scene(), variant), {}});
  const Result<const Scene*> opened =
      made ? open_scene_folder(made->folder) : tl::unexpected(made.error());
  if (made && !opened) take_back(*made);
  if (!opened) return notify(sentence(opened.error()));
  if (Result<void> noted = note_fork(made->folder, (*opened)->name, made->variant, ""); !noted)
    notify(sentence(noted.error()));
  const Configuration axes = selection.axes;
  journal_of_.clear();
  if (Result<void> turned = choose_scene((*opened)->name); !turned)
    return notify(sentence(turned.error()));
  // The same point, so that both are compared where the person was.
  selection.axes = axes;
  selection.baseline = variant.name;
  selection.variant = made->variant;
  follow_journal();
  notify(variant.name + " was copied to " + made->folder.string() +
         ": edit it in Source, or in your own editor");
}

Result<void> Workspace::edit(const std::string& file, const std::string& text) {
  if (folder().empty()) {
    return failure(ErrorKind::usage, "this text is no file of a folder", file,
                   "fork the variant first: the copy can be edited");
  }
  return write_in_folder(folder(), file, text);
}

// The journal that lies in the folder is part of the session, and so is what other programs note
// there; what is noted here goes there too.
void Workspace::follow_journal() {
  const auto take = [this](const Iteration& each) { session_.apply(each); };
  const bool begins = journal_of_ != scene_;
  journal_of_ = scene_;
  const Result<void> taken = begins ? journals_.begin(scene_, take) : journals_.look(scene_, take);
  if (!taken) notify(sentence(taken.error()));
  if (begins && taken && !folder().empty()) watch_.begin(scene_, texts()->sources);
}

Result<void> Workspace::in_journal(const std::string& scene,
                                   const std::function<Result<void>()>& act) {
  bool acted = false;
  Result<void> done = journals_.locked(
      scene, [this](const Iteration& each) { session_.apply(each); },
      [&] {
        acted = true;
        return act();
      });
  if (acted) return done;
  // The session has it all the same.
  notify(sentence(done.error()));
  return act();
}

void Workspace::keep_noted(const Iteration& iteration) {
  if (Result<void> kept = journals_.keep(iteration); !kept) notify(sentence(kept.error()));
  receive(iteration);
}

}  // namespace warpscope
