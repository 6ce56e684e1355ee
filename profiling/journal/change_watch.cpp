// profiling/journal/change_watch.cpp: iterations that make themselves: a kernel was saved, and
// measured again.
#include "profiling/journal/change_watch.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "profiling/agreement/trace_metrics.h"
#include "profiling/listings/kernel_text.h"
#include "profiling/listings/line_diff.h"
#include "profiling/points/point.h"
#include "scenes/base/texts/code_tokens.h"
#include "scenes/catalogue.h"
#include "scenes/host/clock.h"

namespace warpscope {
namespace {

constexpr std::size_t kAround = 2;  // lines that both have, before and after a difference

const KernelSource* named(const std::vector<KernelSource>& texts, const std::string& path) {
  const auto found = std::find_if(texts.begin(), texts.end(),
                                  [&](const KernelSource& text) { return text.path == path; });
  return found == texts.end() ? nullptr : &*found;
}

// Nobody ran it to an end, nor says which kernels it has.
bool ended_without_answer(const Measurement& m) {
  return m.steps.empty() &&
         (m.verdict.outcome == Outcome::engine_died || m.verdict.outcome == Outcome::timed_out);
}

// The files that a measurement's kernels are compiled from, of these texts; where it does not say,
// all that are the scene's own.
std::vector<KernelSource> used_by(const Measurement& m, const std::vector<KernelSource>& texts) {
  if (ended_without_answer(m)) {
    std::vector<KernelSource> own;
    std::copy_if(texts.begin(), texts.end(), std::back_inserter(own),
                 [&](const KernelSource& each) { return each.path.starts_with(m.scene + "/"); });
    return own;
  }
  const SourceLookup find = sources_among(texts);
  std::vector<KernelSource> used;
  for (const StepRecord& step : m.steps) {
    if (step.kind != "kernel") continue;
    const Result<std::vector<KernelSource>> files = find(step.source);
    for (const KernelSource& file : files ? *files : std::vector<KernelSource>{}) {
      if (named(used, file.path) == nullptr) used.push_back(file);
    }
  }
  return used;
}

bool of_other_code(const std::vector<KernelSource>& before,
                   const std::vector<KernelSource>& after) {
  for (const KernelSource& file : after) {
    const KernelSource* old = named(before, file.path);
    if (old == nullptr) return true;
    if (old->hash != file.hash && code_tokens(old->text) != code_tokens(file.text)) return true;
  }
  return false;
}

void add_file(const std::string& path, const std::string& before, const std::string& after,
              std::string& out) {
  const std::vector<DiffRow> rows = line_diff(lines_of(before), lines_of(after));
  if (changes_of(rows).empty()) return;
  out += "--- " + path + "\n";
  for (const DiffStretch& stretch : stretches_of(rows, kAround)) {
    if (stretch.hidden) continue;
    const DiffRow& first = rows[stretch.first];
    out += "@@ " + std::to_string(first.right > 0 ? first.right : first.left) + " @@\n";
    for (std::size_t i = stretch.first; i < stretch.first + stretch.count; ++i)
      out += (rows[i].same() ? " " : rows[i].left > 0 ? "-" : "+") + rows[i].text + "\n";
  }
}

// The folder's text that has these kernels; empty: the scene is none.
std::string text_of(const Catalogue& catalogue, const std::string& scene,
                    const KernelTexts& texts) {
  if (texts == nullptr) return "";
  const auto folder = catalogue.text_among(scene, *texts);
  return folder == nullptr ? "" : folder->hash;
}

// The last iteration of a folder's variant; null: none is noted.
const Iteration* last_noted(const Session& session, const Measurement& m) {
  const Iteration* last = nullptr;
  for (const Iteration* each : session.outcomes().iterations()) {
    if (each->scene == m.scene && each->variant == m.variant && !each->scene_text.empty() &&
        (last == nullptr || each->number > last->number))
      last = each;
  }
  return last;
}

Iteration iteration_of(const Catalogue& catalogue, const Measurement& m, const KernelTexts& texts,
                       std::int64_t number) {
  const Result<const Scene*> scene = catalogue.find(m.scene);
  Iteration i;
  i.number = number;
  i.scene = m.scene;
  i.variant = m.variant;
  i.problem = m.problem;
  i.code_id = m.conditions.code_id;
  i.date = m.conditions.date.empty() ? now_utc() : m.conditions.date;
  i.device = m.conditions.device;
  i.device_uuid = m.conditions.device_uuid;
  i.measured = noted_figures(m);
  i.scene_text = text_of(catalogue, m.scene, texts);
  if (!scene) return i;
  for (const Axis& axis : (*scene)->axes) {
    if (!of_problem(axis) && m.axes.has(axis.name))
      i.axes[axis.name] = to_text(m.axes.at(axis.name));
  }
  return i;
}

// "1.42× faster than before", or the verdict where the output is not right.
std::string verdict_against(const Measurement* before, const Measurement& m) {
  if (m.verdict.outcome != Outcome::correct)
    return std::string(to_text(m.verdict.outcome)) + ": " + m.verdict.sentence;
  if (!m.warm || before == nullptr || before->verdict.outcome != Outcome::correct) return "";
  return compare_times(*before, m, CacheState::warm).sentence;
}

// What was measured last at the place of a measurement, of another code; null: nothing.
const Measurement* last_of_other_code(const Session& before, const Measurement& m) {
  for (const Measurement* each : before.sources(id_of(m))) {
    const std::string& code = each->conditions.code_id;
    if (!code.empty() && code != m.conditions.code_id) return each;
  }
  return nullptr;
}

// A trace of another text predicts nothing.
std::vector<MetricValue> predicted_of(const Session& before, const Measurement& m) {
  PointId place = id_of(m);
  place.code_id.clear();
  const Trace* trace = before.trace(place);
  return trace != nullptr && of_one_code(*trace, m) ? predicted_figures(before, place)
                                                    : std::vector<MetricValue>{};
}

// The iteration of this number with what a device says of it; no value if none said it before, or
// this is not a device's.
std::vector<Iteration> completed(std::int64_t number, const Measurement& m, const Session& before) {
  const auto all = before.outcomes().iterations();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Iteration* each) {
    return each->number == number && each->scene == m.scene && each->variant == m.variant;
  });
  const bool figures = !has_figures(m.verdict.outcome) || m.warm;
  if (number == 0 || found == all.end() || m.conditions.device_uuid.empty() || !figures) return {};
  Iteration i = **found;
  const bool known = !i.code_id.empty() && i.code_id != m.conditions.code_id;
  if (known || !i.device_uuid.empty() || ended_without_answer(m)) return {};
  if (i.predicted.empty() || i.problem != m.problem) i.predicted = predicted_of(before, m);
  i.problem = m.problem;
  i.code_id = m.conditions.code_id;
  i.device = m.conditions.device;
  i.device_uuid = m.conditions.device_uuid;
  i.measured = noted_figures(m);
  i.verdict = verdict_against(last_of_other_code(before, m), m);
  return {std::move(i)};
}

}  // namespace

std::string difference_of(const std::vector<KernelSource>& before,
                          const std::vector<KernelSource>& after) {
  std::set<std::string> paths;
  for (const auto* side : {&before, &after}) {
    for (const KernelSource& file : *side) paths.insert(file.path);
  }
  std::string out;
  for (const std::string& path : paths) {
    const KernelSource *old = named(before, path), *now = named(after, path);
    if (old != nullptr && now != nullptr && old->hash == now->hash) continue;
    add_file(path, old != nullptr ? old->text : "", now != nullptr ? now->text : "", out);
  }
  return out;
}

void ChangeWatch::begin(const std::string& scene, const KernelTexts& texts) {
  if (texts != nullptr) begun_.try_emplace(scene, texts);
}

std::vector<Iteration> ChangeWatch::see(const Measurement& m, const KernelTexts& texts,
                                        const Session& before) {
  // Without a reference it ran all the same.
  const bool ran = m.verdict.outcome != Outcome::unchecked || !m.steps.empty();
  if (texts == nullptr || m.partial || !ran || m.verdict.outcome == Outcome::nothing_to_do ||
      m.verdict.outcome == Outcome::cannot_run ||
      m.verdict.outcome == Outcome::compile_failed)  // a save half-way: the next one is judged
    return {};
  Seen& seen = seen_[{m.scene, m.variant}];
  // The usual case, thousands of times while a slider moves: nothing was saved.
  if (seen.number == 0 && seen.texts == texts) return {};
  const std::vector<KernelSource> now = used_by(m, *texts);
  if (now.empty()) return {};
  if (seen.texts == nullptr) {
    // If the folder has a journal, the first save is compared with the last iteration in it.
    const Iteration* noted = last_noted(before, m);
    const auto then =
        noted != nullptr ? before.catalogue().text(m.scene, noted->scene_text) : nullptr;
    if (then != nullptr) {
      seen.number = noted->number;
      seen.texts = std::make_shared<const std::vector<KernelSource>>(then->sources);
    } else if (const auto begun = begun_.find(m.scene); begun != begun_.end()) {
      seen.texts = begun->second;
    }
  }
  if (seen.texts == nullptr) {
    seen.texts = texts;
    return {};
  }
  const std::vector<KernelSource> old = used_by(m, *seen.texts);
  const KernelTexts first = std::exchange(seen.texts, texts);
  if (old.empty()) return {};  // a kernel that was not there before
  if (first == texts || !of_other_code(old, now)) return completed(seen.number, m, before);
  std::vector<Iteration> made;
  const Measurement* last = last_of_other_code(before, m);
  if (seen.number == 0) {
    Iteration beginning = iteration_of(before.catalogue(), last != nullptr ? *last : m, first,
                                       next_iteration(before, m.scene));
    if (last == nullptr) {
      beginning.measured.clear();
      beginning.code_id = beginning.device = beginning.device_uuid = "";
    }
    beginning.hypothesis = "as it was";
    beginning.decision = Decision::kept;
    seen.number = beginning.number;
    made.push_back(std::move(beginning));
  }
  Iteration change =
      iteration_of(before.catalogue(), m, texts,
                   std::max(next_iteration(before, m.scene), made.empty() ? 0 : seen.number + 1));
  change.parent = seen.number;
  change.diff = difference_of(old, now);
  change.verdict = verdict_against(last, m);
  if (ended_without_answer(m)) change.device = change.device_uuid = "";
  change.predicted = predicted_of(before, m);
  seen.number = change.number;
  made.push_back(std::move(change));
  return made;
}

std::int64_t next_iteration(const Session& session, const std::string& scene) {
  std::int64_t last = 0;
  for (const Iteration* each : session.outcomes().iterations()) {
    if (each->scene == scene) last = std::max(last, each->number);
  }
  return last + 1;
}

std::vector<MetricValue> noted_figures(const Measurement& point) {
  constexpr const char* kNoted[] = {"time.warm",         "time.cold",     "dram.bytes_read",
                                    "l2.sectors_sm",     "l1.wavefronts", "l1.sectors_load",
                                    "shared.wavefronts", "inst.executed"};
  std::vector<MetricValue> figures;
  for (const char* id : kNoted) {
    const MetricValue* value = find_value(point.metrics, id);
    if (value != nullptr && value->value) figures.push_back(*value);
  }
  return figures;
}

std::vector<MetricValue> predicted_figures(const Session& session, const PointId& point) {
  std::vector<MetricValue> figures;
  const std::vector<const Trace*> traces = session.traces(point);
  if (traces.size() != 1) return figures;  // of a run of several steps one trace says too little
  for (MetricValue value : traces.front()->metrics) {
    if (!value.value || !value.id.starts_with(kEmulatedPrefix)) continue;
    value.id = value.id.substr(kEmulatedPrefix.size());
    if (find_metric(value.id) != nullptr) figures.push_back(std::move(value));
  }
  return figures;
}

}  // namespace warpscope
