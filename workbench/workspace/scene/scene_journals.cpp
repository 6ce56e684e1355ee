// workbench/workspace/scene/scene_journals.cpp: the journals of the scene: what was noted, by whom.
#include "workbench/workspace/scene/scene_journals.h"

#include <algorithm>
#include <utility>

#include "profiling/points/point.h"
#include "scenes/host/clock.h"

namespace warpscope {

SceneJournals::SceneJournals(OpenedSession& opened, const ShownScene& scene,
                             const Selection& selection, const SelectedPoints& points,
                             const SceneWords& words, const KernelFiles& files, WindowLog& log,
                             std::shared_ptr<Catalogue> catalogue)
    : opened_(opened),
      scene_(scene),
      selection_(selection),
      points_(points),
      words_(words),
      files_(files),
      log_(log),
      journals_(std::move(catalogue)) {}

const Measurement* SceneJournals::noted_point(const Iteration& iteration) const {
  const Scene& scene = scene_.scene();
  const Variant* variant = find_variant(scene, iteration.variant);
  if (variant == nullptr) return nullptr;
  const Result<Configuration> axes = axes_of(scene, iteration, selection_.axes);
  if (!axes || !applies(*variant, *axes)) return nullptr;
  const Measurement* point = opened_.session().latest(
      {scene.name, variant->name, configuration_key(scene.axes, *axes, variant->name), "",
       points_.device()});
  return point != nullptr && points_.earlier_source(*point).empty() ? point : nullptr;
}

std::vector<JournalEntry> SceneJournals::own() const {
  std::vector<Iteration> own;
  for (const Iteration* each : opened_.session().outcomes().iterations()) {
    if (each->scene == scene_.name()) own.push_back(*each);
  }
  return journal_entries(
      std::move(own), [this](const Iteration& i) { return noted_point(i); }, selection_.cache);
}

const std::vector<Iteration>& SceneJournals::shipped_iterations() const {
  return shipped_.of(scene_.name(), [this] {
    return shipped_journal(scene_.name()).value_or(std::vector<Iteration>());
  });
}

SceneJournals::Shown SceneJournals::shown() const {
  return {scene_.name(),
          opened_.session().revision(),
          opened_.openings(),
          points_.device(),
          problem_key(scene_.scene().axes, selection_.axes),
          selection_.cache};
}

const std::vector<JournalEntry>& SceneJournals::shipped_unfilled() const {
  return shipped_entries_.of(shown(), [&] {
    return journal_entries(
        shipped_iterations(), [this](const Iteration& i) { return noted_point(i); },
        selection_.cache);
  });
}

const std::vector<JournalEntry>& SceneJournals::shipped() const {
  return filled_entries_.of(shown(), [&] {
    Entries entries = shipped_unfilled();
    fill_words(entries, words_.claims());
    return entries;
  });
}

bool SceneJournals::empty() const {
  const std::vector<const Iteration*> noted = opened_.session().outcomes().iterations();
  const bool own = std::any_of(noted.begin(), noted.end(), [this](const Iteration* each) {
    return each->scene == scene_.name();
  });
  return !own && shipped_iterations().empty();
}

// The journal that lies in the folder is part of the session, and so is what other programs note
// there; what is noted here goes there too.
void SceneJournals::follow() {
  const std::string& scene = scene_.name();
  const auto take = [this](const Iteration& each) { opened_.apply(each); };
  const bool begins = journal_of_ != scene;
  journal_of_ = scene;
  const Result<void> taken = begins ? journals_.begin(scene, take) : journals_.look(scene, take);
  if (!taken) log_.notify(sentence(taken.error()));
  const bool edited = !scene_.folder().empty() || !scene_.catalogue().file_of(scene).empty();
  if (begins && taken && edited) watch_.begin(scene, files_.sources());
}

Result<void> SceneJournals::in_journal(const std::string& scene,
                                       const std::function<Result<void>()>& act) {
  bool acted = false;
  Result<void> done = journals_.locked(
      scene, [this](const Iteration& each) { opened_.apply(each); },
      [&] {
        acted = true;
        return act();
      });
  if (acted) return done;
  // The session has it all the same.
  log_.notify(sentence(done.error()));
  return act();
}

void SceneJournals::keep_noted(const Iteration& iteration) {
  if (Result<void> kept = journals_.keep(iteration); !kept) log_.notify(sentence(kept.error()));
  opened_.keep(iteration);
}

void SceneJournals::note(const std::string& variant, const Iteration& asked) {
  const Result<void> noted = in_journal(scene_.name(), [&] {
    if (const std::optional<Iteration> iteration = to_note(variant, asked)) keep_noted(*iteration);
    return Result<void>{};
  });
  if (!noted) log_.notify(sentence(noted.error()));
}

Result<void> SceneJournals::go_back(const Iteration& iteration) {
  const auto note = [this](const Iteration& last) {
    keep_noted(last);
    return Result<void>{};
  };
  return in_journal(scene_.name(), [&] { return go_back_to(iteration, opened_.session(), note); });
}

std::optional<Iteration> SceneJournals::to_note(const std::string& name,
                                                const Iteration& asked) const {
  Iteration iteration = asked;
  // What another program noted of it since the panel drew it stays.
  for (const Iteration* each : opened_.session().outcomes().iterations()) {
    if (each->scene != iteration.scene || each->number != iteration.number) continue;
    iteration = *each;
    iteration.decision = asked.decision;
    if (iteration.hypothesis.empty()) iteration.hypothesis = asked.hypothesis;
    return iteration;
  }
  if (iteration.number == 0) {
    const Variant* variant = find_variant(scene_.scene(), name);
    if (variant == nullptr) return std::nullopt;
    if (std::optional<Iteration> save = unexplained_save(variant->name)) {
      save->hypothesis = iteration.hypothesis;
      return save;
    }
    iteration.number = next_iteration(opened_.session(), scene_.name());
    iteration.scene = scene_.name();
    iteration.variant = variant->name;
    const Configuration axes = for_variant(scene_.scene().axes, selection_.axes, variant->name);
    for (const Axis& axis : scene_.scene().axes) {
      if (!of_problem(axis) && axes.has(axis.name))
        iteration.axes[axis.name] = to_text(axes.at(axis.name));
    }
    iteration.problem = problem_key(scene_.scene().axes, axes);
    iteration.date = now_utc();
    if (const Measurement* point = noted_point(iteration)) {
      iteration.code_id = point->conditions.code_id;
      iteration.device = point->conditions.device;
      iteration.device_uuid = point->conditions.device_uuid;
      iteration.measured = noted_figures(*point);
    } else {
      iteration.predicted = predicted_figures(opened_.session(), points_.id(variant->name));
    }
  }
  return iteration;
}

std::optional<Iteration> SceneJournals::unexplained_save(const std::string& variant) const {
  const Iteration* last = nullptr;
  for (const Iteration* each : opened_.session().outcomes().iterations()) {
    const bool its = each->scene == scene_.name() && each->variant == variant;
    if (its && (last == nullptr || each->number > last->number)) last = each;
  }
  const bool bare = last != nullptr && last->hypothesis.empty() && !last->diff.empty();
  return bare ? std::optional(*last) : std::nullopt;
}

std::vector<Iteration> SceneJournals::changes_of(const Measurement& measured) {
  std::vector<Iteration> changes;
  const KernelTexts* texts = files_.sources_of(measured.job);
  if (texts == nullptr) return changes;
  const Result<void> noted = in_journal(measured.scene, [&]() -> Result<void> {
    changes = watch_.see(measured, *texts, opened_.session());
    for (const Iteration& made : changes) {
      if (Result<void> kept = journals_.keep(made); !kept) return kept;
    }
    return {};
  });
  if (!noted) log_.notify(sentence(noted.error()));
  return changes;
}

}  // namespace warpscope
