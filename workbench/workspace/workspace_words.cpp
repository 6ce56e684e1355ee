// workbench/workspace/workspace_words.cpp: texts of scenes and journals as they stand on the
// session at hand.
#include <utility>

#include "profiling/claims/claim_text.h"
#include "profiling/points/point.h"
#include "scenes/host/clock.h"
#include "workbench/workspace/pins.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {

ClaimContext Workspace::claims() const {
  return {&scene(), &session_, selection.axes, device(), lent_, &standings_};
}

const std::string& Workspace::words(const std::string& text) const {
  // Asked for in every frame that shows it; a claim looks at points, roofs and samples.
  if (words_.revision != session_.revision() || words_.openings != openings_ ||
      words_.scene != scene_ || words_.axes != selection.axes || words_.device != device())
    words_ = {session_.revision(), openings_, scene_, device(), selection.axes, {}};
  const auto [found, added] = words_.texts.try_emplace(text);
  if (added) found->second = resolve(text, claims());
  return found->second;
}

std::string Workspace::words(const std::string& text, const Configuration& axes) const {
  return resolve(text, {&scene(), &session_, axes, device_at(scene(), axes), lent_, &standings_});
}

std::string Workspace::story(const Scene& scene) const {
  if (scene.name == scene_) return words(scene.story);
  const Configuration axes = default_configuration(scene.axes);
  return resolve(scene.story,
                 {&scene, &session_, axes, device_at(scene, axes), lent_, &standings_});
}

const Measurement* Workspace::noted_point(const Iteration& iteration) const {
  const Variant* variant = find_variant(scene(), iteration.variant);
  if (variant == nullptr) return nullptr;
  const Result<Configuration> axes = axes_of(scene(), iteration, selection.axes);
  if (!axes || !applies(*variant, *axes)) return nullptr;
  const Measurement* point = session_.latest(id_of(pin_at(*this, variant->name, *axes)));
  return point != nullptr && earlier_source(*point).empty() ? point : nullptr;
}

std::vector<JournalEntry> Workspace::own_journal() const {
  std::vector<Iteration> own;
  for (const Iteration* each : session_.outcomes().iterations()) {
    if (each->scene == scene_) own.push_back(*each);
  }
  return journal_entries(
      std::move(own), [this](const Iteration& i) { return noted_point(i); }, selection.cache);
}

const std::vector<JournalEntry>& Workspace::seed_journal() const {
  SeedJournal& journal = seed_journal_;
  if (journal.scene != scene_) {
    journal = {};
    journal.scene = scene_;
    if (Result<std::vector<Iteration>> shipped = shipped_journal(scene_))
      journal.iterations = std::move(*shipped);
  }
  const std::string made_of = std::to_string(session_.revision()) + "/" +
                              std::to_string(openings_) + "/" + device() + "/" +
                              problem_key(scene().axes, selection.axes) + to_text(selection.cache);
  if (journal.made_of != made_of) {
    journal.made_of = made_of;
    journal.entries = journal_entries(
        journal.iterations, [this](const Iteration& i) { return noted_point(i); }, selection.cache);
    fill_words(journal.entries, claims());
  }
  return journal.entries;
}

void Workspace::note(const Request& request) {
  if (!request.iteration) return;
  const Result<void> noted = in_journal(scene_, [&] {
    if (const std::optional<Iteration> iteration = to_note(request)) keep_noted(*iteration);
    return Result<void>{};
  });
  if (!noted) notify(sentence(noted.error()));
}

std::optional<Iteration> Workspace::to_note(const Request& request) const {
  Iteration iteration = *request.iteration;
  // What another program noted of it since the panel drew it stays.
  for (const Iteration* each : session_.outcomes().iterations()) {
    if (each->scene != iteration.scene || each->number != iteration.number) continue;
    const Iteration asked = std::exchange(iteration, *each);
    iteration.decision = asked.decision;
    if (iteration.hypothesis.empty()) iteration.hypothesis = asked.hypothesis;
    return iteration;
  }
  if (iteration.number == 0) {
    const Variant* variant = find_variant(scene(), request.variant);
    if (variant == nullptr) return std::nullopt;
    if (std::optional<Iteration> save = unexplained_save(variant->name)) {
      save->hypothesis = iteration.hypothesis;
      return save;
    }
    iteration.number = next_iteration(session_, scene_);
    iteration.scene = scene_;
    iteration.variant = variant->name;
    const Configuration axes = for_variant(scene().axes, selection.axes, variant->name);
    for (const Axis& axis : scene().axes) {
      if (!of_problem(axis) && axes.has(axis.name))
        iteration.axes[axis.name] = to_text(axes.at(axis.name));
    }
    iteration.problem = problem_key(scene().axes, axes);
    iteration.date = now_utc();
    if (const Measurement* point = noted_point(iteration)) {
      iteration.code_id = point->conditions.code_id;
      iteration.device = point->conditions.device;
      iteration.device_uuid = point->conditions.device_uuid;
      iteration.measured = noted_figures(*point);
    } else {
      iteration.predicted = predicted_figures(session_, point_id(variant->name));
    }
  }
  return iteration;
}

std::optional<Iteration> Workspace::unexplained_save(const std::string& variant) const {
  const Iteration* last = nullptr;
  for (const Iteration* each : session_.outcomes().iterations()) {
    const bool its = each->scene == scene_ && each->variant == variant;
    if (its && (last == nullptr || each->number > last->number)) last = each;
  }
  const bool bare = last != nullptr && last->hypothesis.empty() && !last->diff.empty();
  return bare ? std::optional(*last) : std::nullopt;
}

void Workspace::note_change(const Measurement& measured) {
  const auto texts = sources_of_jobs_.find(measured.job);
  if (texts == sources_of_jobs_.end()) return;
  const Result<void> noted = in_journal(measured.scene, [&]() -> Result<void> {
    changes_ = watch_.see(measured, texts->second, session_);
    for (const Iteration& made : changes_) {
      if (Result<void> kept = journals_.keep(made); !kept) return kept;
    }
    return {};
  });
  if (!noted) notify(sentence(noted.error()));
}

}  // namespace warpscope
