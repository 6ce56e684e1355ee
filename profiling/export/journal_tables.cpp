// profiling/export/journal_tables.cpp: the journals of a session's scenes, as reports and commands
// show them.
#include "profiling/export/journal_tables.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "profiling/points/point.h"
#include "profiling/session/source_standing.h"
#include "scenes/catalogue.h"

namespace warpscope {
namespace {

// A configuration of the problem on one device.
struct ShownPlace {
  std::string problem, device;
  bool operator<(const ShownPlace& other) const {
    return std::tie(problem, device) < std::tie(other.problem, other.device);
  }
};
ShownPlace place_of(const Measurement& m) { return {m.problem, device_of(m.conditions).id()}; }

// Whether an iteration stands at the problem at hand, whichever that is.
bool stands_anywhere(const Scene& scene, const Iteration& iteration) {
  return std::none_of(iteration.axes.begin(), iteration.axes.end(), [&](const auto& named) {
    const Axis* axis = find_axis(scene.axes, named.first);
    return axis != nullptr && of_problem(*axis);
  });
}

// Whether a point is where an iteration stands when its own problem is at hand.
bool is_of(const Scene& scene, const Measurement& m, const Iteration& iteration) {
  const Result<Configuration> axes = axes_of(scene, iteration, m.axes);
  return axes && configuration_key(scene.axes, *axes, m.variant) == m.key;
}

// Figures of an earlier source take part in no verdict.
bool is_of_today(const Session& session, SourceStandings& sources, const Measurement& m) {
  return !session.earlier_source(m) && sources.of(m).state != SourceState::changed;
}

const Measurement* point_at(const Session& session, SourceStandings& sources,
                            const ClaimContext& context, const Iteration& iteration) {
  const Result<Configuration> axes = axes_of(*context.scene, iteration, context.axes);
  if (!axes) return nullptr;
  const Measurement* m = exact_point(context, iteration.variant, *axes);
  return m != nullptr && is_of_today(session, sources, *m) ? m : nullptr;
}

// Where most of the iterations' variants were measured with a correct output; of several places the
// scene's default.
ShownPlace best_place(const Session& session, SourceStandings& sources, const Scene& scene,
                      const std::vector<Iteration>& iterations) {
  const std::string usual = problem_key(scene.axes, default_configuration(scene.axes));
  std::map<ShownPlace, std::set<std::int64_t>> found;
  for (const Iteration& iteration : iterations) {
    if (!stands_anywhere(scene, iteration)) continue;
    for (const Measurement* m : session.points(scene.name, iteration.variant)) {
      if (m->verdict.outcome == Outcome::correct && m->warm && is_of(scene, *m, iteration) &&
          is_of_today(session, sources, *m))
        found[place_of(*m)].insert(iteration.number);
    }
  }
  ShownPlace best;
  std::pair<std::size_t, bool> most = {0, false};
  for (const auto& [place, numbers] : found) {
    const std::pair<std::size_t, bool> here = {numbers.size(), place.problem == usual};
    if (here > most) most = here, best = place;
  }
  return best;
}

SceneJournal journal_of(const Session& session, SourceStandings& sources, const Scene& scene,
                        std::vector<Iteration> iterations, bool own) {
  SceneJournal journal;
  journal.scene = scene.name;
  journal.own = own;
  ShownPlace place = best_place(session, sources, scene, iterations);
  if (place.problem.empty()) {  // every iteration names its own
    const Configuration usual = default_configuration(scene.axes);
    place = {problem_key(scene.axes, usual), device_at_hand({&scene, &session, usual})};
  }
  journal.problem = place.problem;
  for (const DeviceName& device : session.devices()) {
    if (device.id() == place.device) journal.device = to_text(device);
  }
  ClaimContext context{
      &scene,
      &session,
      parse_key(scene.axes, place.problem).value_or(default_configuration(scene.axes)),
      place.device,
      {},
      &sources};
  journal.entries = journal_entries(
      std::move(iterations),
      [&](const Iteration& i) { return point_at(session, sources, context, i); }, CacheState::warm);
  if (!own) fill_words(journal.entries, context);
  return journal;
}

bool has_figure(const SceneJournal& journal) {
  for (const JournalEntry& entry : journal.entries) {
    if (entry.time_ns) return true;
  }
  return false;
}

}  // namespace

Result<std::vector<SceneJournal>> journals_of(const Session& session, const std::string& only) {
  SourceStandings sources(session.catalogue());
  std::set<std::string> studied;
  for (const Measurement* m : session.all_points()) studied.insert(m->scene);
  for (const Iteration* each : session.outcomes().iterations()) studied.insert(each->scene);
  std::vector<SceneJournal> journals;
  for (const Scene* listed : session.catalogue().all()) {  // folders that were opened, too
    const Scene& scene = *listed;
    if (!only.empty() && scene.name != only) continue;
    std::vector<Iteration> own;
    for (const Iteration* each : session.outcomes().iterations()) {
      if (each->scene == scene.name) own.push_back(*each);
    }
    if (!own.empty()) journals.push_back(journal_of(session, sources, scene, std::move(own), true));
    if (only.empty() && !studied.empty() && studied.count(scene.name) == 0) continue;
    Result<std::vector<Iteration>> shipped = shipped_journal(scene.name);
    if (!shipped) return tl::unexpected(shipped.error());
    if (!shipped->empty())
      journals.push_back(journal_of(session, sources, scene, std::move(*shipped), false));
  }
  return journals;
}

std::string heading_of(const SceneJournal& journal) {
  std::string text = journal.scene + (journal.own ? ": the iterations of this session"
                                                  : ": the iterations of its article");
  if (has_figure(journal))
    text += ", with the figures of " + journal.device + " at " + journal.problem;
  return text;
}

std::string journal_place(const Catalogue& catalogue, const Iteration& iteration) {
  const auto scene = catalogue.find(iteration.scene);
  const std::string axes = scene ? axes_text(**scene, iteration) : "";
  return iteration.variant + (axes.empty() ? "" : " (" + axes + ")");
}

std::vector<ReportTable> journal_tables(const Session& session) {
  std::vector<ReportTable> tables;
  const Result<std::vector<SceneJournal>> journals = journals_of(session);
  if (!journals) return tables;
  for (const SceneJournal& journal : *journals) {
    if (!journal.own && !has_figure(journal)) continue;
    ReportTable table{heading_of(journal),
                      {"iteration", "variant", "what was expected", "what the article says",
                       "time here", "compared with its parent", "became"},
                      {}};
    for (const JournalEntry& entry : journal.entries) {
      const Iteration& i = entry.iteration;
      table.rows.push_back(
          {std::to_string(i.number) +
               (i.parent > 0 ? " (from " + std::to_string(i.parent) + ")" : ""),
           journal_place(session.catalogue(), i), i.hypothesis, i.said.empty() ? "–" : i.said,
           entry.time_ns ? format_value(*entry.time_ns, "ns") : "–",
           entry.against_parent.empty() ? "–" : entry.against_parent,
           decision_text(i.decision) + (i.verdict.empty() ? "" : ": " + i.verdict)});
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace warpscope
