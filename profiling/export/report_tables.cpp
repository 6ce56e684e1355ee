// profiling/export/report_tables.cpp: what a report says of a session, as tables of text.
#include "profiling/export/report_tables.h"

#include <algorithm>
#include <map>
#include <set>

#include "profiling/agreement/agree.h"
#include "profiling/agreement/trace_metrics.h"
#include "profiling/claims/article.h"
#include "profiling/export/journal_tables.h"
#include "profiling/export/report/material.h"
#include "profiling/export/report/sweeps.h"
#include "profiling/export/step_tables.h"
#include "profiling/export/timeline_tables.h"
#include "profiling/figures/time_unit.h"
#include "profiling/points/derive.h"
#include "profiling/session/baselines.h"
#include "profiling/session/roof_join.h"
#include "profiling/session/source_standing.h"
#include "scenes/catalogue.h"

namespace warpscope {
namespace {

// In the unit of the shortest time of its table.
std::string time_cell(const std::optional<Timing>& timing, double shortest_ns) {
  return timing ? time_beside(timing->median_ns, shortest_ns) : "–";
}

// Whether a figure is of an earlier source: another one of its point is newer, or today's files say
// another thing. It takes part in no verdict.
bool is_of_earlier_source(const Session& session, SourceStandings& sources, const Measurement& m) {
  return session.earlier_source(m) || sources.of(m).state == SourceState::changed;
}

std::string gain_cell(const Session& session, SourceStandings& sources, const Measurement* base,
                      const Measurement& m) {
  if (is_of_earlier_source(session, sources, m))
    return "– (measured with an earlier source: not compared)";
  if (base == &m) return "baseline";
  if (base == nullptr || !base->warm || !m.warm) return "–";
  if (is_of_earlier_source(session, sources, *base))
    return "– (the baseline was measured with an earlier source)";
  const std::string tuning = tuning_text(*base);
  return compare_times(*base, m, CacheState::warm).sentence +
         (tuning.empty() ? "" : ", the baseline at " + tuning);
}

// The variant, with its own axes, which others of the table do not have.
std::string variant_cell(const Session& session, SourceStandings& sources, const Measurement& m) {
  const std::string own = own_axes_text(m);
  return m.variant + (own.empty() ? "" : " (" + own + ")") +
         (is_of_earlier_source(session, sources, m) ? ", measured with an earlier source" : "");
}

// Where and on what, for a title: the device where the session has several, and the emulator.
std::string on_device(const Session& session, const Measurement& m) {
  const auto& devices = session.devices();
  const DeviceName device = device_of(m.conditions);
  if (devices.empty() || (devices.size() == 1 && devices.front().id() == device.id())) return "";
  return " on " + to_text(device);
}

ReportTable roof_table(const RoofSet& roofs) {
  ReportTable table{
      "Roofs, measured on " + to_text(device_of(roofs.conditions)) + " on " + roofs.conditions.date,
      {"roof", "value", "how", "check"},
      {}};
  for (const Roof& roof : roofs.roofs) {
    table.rows.push_back({label(roof), format_value(roof.value, roof.unit), roof.method,
                          roof.trusted ? roof.note : "NOT TRUSTED: " + roof.note});
  }
  return table;
}

// Warm times: a variant a row, a value of the axis a column.
ReportTable sweep_table(const Session& session, SourceStandings& sources, const Sweep& sweep) {
  std::vector<std::string> variants;
  std::map<std::string, std::map<AxisValue, const Measurement*>> cells;
  std::vector<const Measurement*> held;
  for (const Measurement* m : session.all_points()) {
    if (!sweep.holds(*m)) continue;
    const std::string variant = variant_cell(session, sources, *m);
    if (cells.count(variant) == 0) variants.push_back(variant);
    cells[variant][m->axes.at(sweep.axis)] = m;
    held.push_back(m);
  }
  const double shortest_ns = shortest_time_ns(held);
  ReportTable table{sweep.place.first + " over " + sweep.axis + on_device(session, *sweep.first) +
                        ", warm times" + rest_of(sweep),
                    {"variant"},
                    {}};
  const std::vector<AxisValue> shown = shown_values(sweep.values);
  if (shown.size() < sweep.values.size())
    table.note = std::to_string(shown.size()) + " of " +
                 grouped(static_cast<std::int64_t>(sweep.values.size())) + " values of " +
                 sweep.axis + " are shown; `warpscope export --csv` writes all.";
  for (const AxisValue& value : shown) table.header.push_back(sweep.axis + " = " + to_text(value));
  for (const std::string& variant : variants) {
    std::vector<std::string> row = {variant};
    for (const AxisValue& value : shown) {
      const auto cell = cells[variant].find(value);
      const Measurement* m = cell == cells[variant].end() ? nullptr : cell->second;
      row.push_back(m == nullptr                       ? "–"
                    : !has_figures(m->verdict.outcome) ? to_text(m->verdict.outcome)
                                                       : time_cell(m->warm, shortest_ns));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Where a point stands, and whose roofs those are.
std::string standing_text(const std::optional<RooflineStanding>& standing, const RoofJoin& join) {
  if (join.roofs == nullptr) return join.words;
  if (!standing || standing->sentence.empty()) return "–";
  return standing->sentence + (join.words.empty() ? "" : " (" + join.words + ")");
}

// One table a problem and device, in the order first measured; those of sweeps after the first are
// in the sweeps' tables.
std::vector<ReportTable> ladder_tables(const Session& session, SourceStandings& sources,
                                       const std::vector<Sweep>& sweeps,
                                       const std::vector<RoofSet>& lent) {
  std::vector<ReportTable> tables;
  Baselines baselines(session);
  std::map<std::pair<std::string, std::string>, RoofJoin> joins;  // by a device's name and UUID
  using ShownPlace = std::pair<SceneOnDevice, std::string>;       // and its problem
  std::map<ShownPlace, std::size_t> at;
  std::map<ShownPlace, std::vector<const Measurement*>> beside;
  for (const Measurement* m : session.all_points()) beside[{place_of(*m), m->problem}].push_back(m);
  std::map<ShownPlace, double> shortest;
  for (const auto& [place, points] : beside) shortest[place] = shortest_time_ns(points);
  std::map<SceneOnDevice, std::string> first;
  for (const Measurement* m : session.all_points()) {
    const bool swept = std::any_of(sweeps.begin(), sweeps.end(),
                                   [&](const Sweep& sweep) { return sweep.holds(*m); });
    if (first.emplace(place_of(*m), m->problem).first->second != m->problem && swept) continue;
    const ShownPlace place{place_of(*m), m->problem};
    const auto [table, unseen] = at.emplace(place, tables.size());
    if (table->second >= kMostShown) continue;
    const std::string league = league_of(*m);
    if (unseen) {
      tables.push_back(
          {m->scene + " at " + values_of(*m) + on_device(session, *m),
           {"variant", "verdict", "cold", "warm", "noise",
            league.empty() ? "compared with the baseline" : "compared with its league's baseline",
            "DRAM", "L2", "limited by"},
           {}});
      tables.back().note = "All values: " + m->problem + ". ";
    }
    const Measurement* base = baselines.of(*m);
    const double shortest_ns = shortest.at(place);
    const auto bytes = [&](const char* id) {
      const MetricValue* value = find_value(m->metrics, id);
      return value == nullptr ? std::string("not collected")
             : value->value   ? format_value(*value->value, "B/s")
                              : value->reason.string();
    };
    const auto [joined, unjoined] =
        joins.try_emplace({m->conditions.device, m->conditions.device_uuid});
    if (unjoined) joined->second = join_roofs(session, m->conditions, lent);
    const RoofJoin& join = joined->second;
    const std::optional<RooflineStanding> standing =
        join.roofs != nullptr
            ? stand(*m, CacheState::warm, *join.roofs, modelled_beside(session, *m))
            : std::nullopt;
    tables[table->second].rows.push_back(
        {variant_cell(session, sources, *m) + (league.empty() ? "" : ", league " + league),
         std::string(to_text(m->verdict.outcome)) +
             (m->verdict.outcome == Outcome::correct ? "" : ": " + m->verdict.sentence),
         time_cell(m->cold, shortest_ns), time_cell(m->warm, shortest_ns),
         m->warm ? format_value(m->warm->noise_ratio, "ratio") : "–",
         gain_cell(session, sources, base, *m),
         has_figures(m->verdict.outcome) ? bytes("rate.dram_bytes") : "–",
         has_figures(m->verdict.outcome) ? bytes("rate.l2_bytes") : "–",
         standing_text(standing, join)});
  }
  if (!tables.empty()) tables.front().note += selection_note(at.size(), "configurations");
  return tables;
}

// Figures of the work model and the emulator that are not what a device counted, with the reason of
// each. `on`: " on" which, where the session has several.
ReportTable agreement_table(const Session& session, const std::string& device,
                            const std::string& on) {
  std::vector<FigureMatch> all = agree_with_model_on(session, device);
  for (FigureMatch& pair : agree_with_emulator_on(session, device)) all.push_back(std::move(pair));
  int agree = 0;
  std::size_t differ = 0;
  ReportTable table{"", {"point", "step", "figure", "ours", "counted", "difference", "reason"}, {}};
  for (const FigureMatch& pair : all) {
    agree += pair.match == Match::agrees ? 1 : 0;
    if (pair.match != Match::explained && pair.match != Match::differs) continue;
    if (++differ > kMostShown) continue;
    table.rows.push_back({pair.scene + "/" + pair.variant + " at " + pair.key,
                          pair.step.empty() ? "the whole run" : pair.step, pair.figure,
                          format_value(*pair.ours, pair.unit),
                          format_value(*pair.counted, pair.unit) + " (" + pair.counter + ")",
                          format_value(pair.difference_ratio, "ratio"), pair.reason});
  }
  table.title = "Our figures and the counters" + on + ": " + std::to_string(agree) +
                " agree, these " + std::to_string(differ) + " do not";
  table.note = selection_note(differ, "figures that do not agree");
  return table;
}

ReportTable card_of(const ClaimContext& context, const std::string& device) {
  ReportTable table{context.scene->name + ": what the article says, and what " + device + " shows",
                    {"the article says", kCardVerdict, "this device shows"},
                    {}};
  for (const ArticleRow& row : article_rows(context))
    table.rows.push_back({row.said, to_text(row.standing),
                          row.shown + (row.standing == ClaimStanding::unknown && !row.remedy.empty()
                                           ? ": " + row.remedy
                                           : "")});
  return table;
}

// One set per device for every scene that has points in the session: its card, and the tables of
// its article. Points that no device measured fill tables as well, with what is missing.
std::vector<ReportTable> article_tables(const Session& session, SourceStandings& sources,
                                        const std::vector<RoofSet>& lent) {
  std::vector<ReportTable> tables;
  const auto points = session.all_points();
  for (const Scene& scene : built_in_scenes()) {
    const bool has_points = std::any_of(
        points.begin(), points.end(), [&](const Measurement* m) { return m->scene == scene.name; });
    std::vector<std::string> devices = devices_of(session, scene);
    if (devices.empty() && has_points) devices.emplace_back();
    for (const std::string& device : devices) {
      const ClaimContext context{&scene, &session, {}, device, lent, &sources};
      std::string name = device;
      for (const Measurement* m : points) {
        if (m->conditions.device_uuid == device) name = m->conditions.device + " (" + device + ")";
      }
      if (!scene.article.empty() && !device.empty()) tables.push_back(card_of(context, name));
      for (FilledTable& filled : filled_tables(context)) {
        tables.push_back(
            {scene.name + ": " + filled.title + (devices.size() > 1 ? " on " + name : ""),
             std::move(filled.header), std::move(filled.rows), std::move(filled.note)});
      }
    }
  }
  return tables;
}

}  // namespace

std::string selection_note(std::size_t all, const std::string& what) {
  if (all <= kMostShown) return "";
  return "The first " + std::to_string(kMostShown) + " of " +
         grouped(static_cast<std::int64_t>(all)) + " " + what +
         " are shown; `warpscope export --csv` writes all points.";
}

const char* to_text(ReportPart part) {
  constexpr const char* kWords[kReportParts] = {"Who is fastest",
                                                "The article",
                                                "Roofs",
                                                "Variants",
                                                "Sweeps",
                                                "Lines of source",
                                                "Emulated launches",
                                                "Journals",
                                                "Steps",
                                                "Timelines",
                                                "Our figures and the counters"};
  return kWords[static_cast<int>(part)];
}

std::vector<ReportTable> report_tables(const Session& session) {
  SourceStandings sources(session.catalogue());
  const std::vector<RoofSet> lent = lent_roofs(session);
  std::vector<ReportTable> tables;
  const auto add = [&tables](ReportPart part, std::vector<ReportTable> more) {
    for (ReportTable& table : more) {
      table.part = part;
      tables.push_back(std::move(table));
    }
  };
  add(ReportPart::article, article_tables(session, sources, lent));
  for (const RoofSet& roofs : session.roof_sets()) add(ReportPart::roofs, {roof_table(roofs)});
  const std::vector<Sweep> sweeps = sweeps_of(session);
  add(ReportPart::variants, ladder_tables(session, sources, sweeps, lent));
  for (const Sweep& sweep : sweeps) add(ReportPart::sweeps, {sweep_table(session, sources, sweep)});
  add(ReportPart::journals, journal_tables(session));
  add(ReportPart::steps, step_tables(session, lent));
  add(ReportPart::timelines, timeline_tables(session));
  const bool several = session.devices().size() > 1;
  for (const DeviceName& device : several ? session.devices() : std::vector<DeviceName>(1)) {
    ReportTable table =
        agreement_table(session, device.id(), several ? " on " + to_text(device) : "");
    if (!table.rows.empty()) add(ReportPart::agreement, {std::move(table)});
  }
  return tables;
}

}  // namespace warpscope
