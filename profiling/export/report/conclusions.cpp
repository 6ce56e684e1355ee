// profiling/export/report/conclusions.cpp: what a session comes to, in sentences.
#include <algorithm>
#include <map>

#include "profiling/claims/claim.h"
#include "profiling/export/report/summary.h"
#include "profiling/findings/findings.h"
#include "profiling/overview/costly_line.h"
#include "profiling/overview/overview.h"
#include "profiling/points/point.h"
#include "scenes/base/plural.h"

namespace warpscope {
namespace {

// Which line of its source costs most of what limits a point; empty: it is not known.
std::string line_sentence(ReportMaterial& material, const Measurement& point,
                          const std::optional<RooflineStanding>& standing) {
  const StepRecord* step = costly_step(point);
  if (step == nullptr) return "";
  const std::vector<MetricValue> emulated;
  const CostlyLine line =
      costly_line(figure_behind(standing ? standing->binding : std::nullopt,
                                shared_ratio({point.metrics, emulated})),
                  material.session().trace(id_of(point), step->name), &step->lines, step->source);
  return line.line > 0 ? " " + cause_sentence(line, point.steps.size() > 1 ? step->name : "") : "";
}

// "csrmm at n=64, TF32: the fastest of 12 variants is K tiles: 46.3 µs warm, 2.92× faster than …".
std::string fastest_sentence(ReportMaterial& material, const MeasuredScene& scene,
                             const std::vector<const Measurement*>& points) {
  const Measurement& best = *points.front();
  const Measurement* base = material.baseline_of(best);
  const std::string league = league_of(best);
  std::string text = best.scene + " at " + values_of(best) + material.on_device(scene.device) +
                     (league.empty() ? "" : ", " + league) + ": the fastest of " +
                     plural(static_cast<std::int64_t>(points.size()), "variant") + " is " +
                     label_of(best) + ", " + format_value(best.warm->median_ns, "ns") +
                     " with warm caches";
  if (base == &best) {
    text += "; it is the baseline";
  } else if (base != nullptr && base->warm) {
    text += "; against " + label_of(*base) +
            ", the baseline: " + compare_times(*base, best, CacheState::warm).sentence;
  }
  const std::optional<RooflineStanding> standing = material.standing_of(best);
  text += ".";
  if (standing && !standing->sentence.empty()) text += " Its roofs: " + standing->sentence + ".";
  return text + line_sentence(material, best, standing);
}

// The fastest variant of each league, where there are two or more to choose from.
void add_fastest(ReportMaterial& material, const MeasuredScene& scene,
                 std::vector<std::string>& sentences) {
  for (const auto& [league, points] : leagues_at(scene, scene.chief)) {
    if (points.size() > 1) sentences.push_back(fastest_sentence(material, scene, points));
  }
}

// The worst finding of each emulated kernel, faults before waste.
void add_findings(const Session& session, std::vector<std::string>& sentences) {
  constexpr std::size_t kMost = 5;
  std::size_t shown = 0, looked_at = 0;
  for (const Trace* trace : session.traces()) {
    if (looked_at++ == kMostShown) break;
    const FindingList list = findings_of(*trace);
    if (list.findings.empty()) continue;
    if (shown++ == kMost) break;
    const Finding& worst = list.findings.front();
    const std::string name =
        trace->scene.empty() ? trace->entry : trace->scene + "/" + trace->variant;
    sentences.push_back(
        name + ", emulated: " + rule_of(worst.kind).title +
        (worst.position.line > 0 ? " at line " + std::to_string(worst.position.line) : "") + ". " +
        worst.what + (worst.gain.empty() ? "" : " Gain: " + worst.gain + "."));
  }
}

// What ran and has no time, because its output was wrong or it did not end well.
std::string failures_sentence(const std::vector<MeasuredScene>& scenes) {
  constexpr std::size_t kNamed = 5;
  std::vector<std::string> failed;
  for (const MeasuredScene& measured : scenes) {
    for (const Measurement* m : measured.points) {
      const Outcome outcome = m->verdict.outcome;
      if (has_figures(outcome) || outcome == Outcome::unchecked ||
          outcome == Outcome::nothing_to_do || outcome == Outcome::cannot_run)
        continue;
      failed.push_back(m->scene + "/" + m->variant + " at " + values_of(*m) + " (" +
                       to_text(outcome) + ")");
    }
  }
  if (failed.empty()) return "";
  std::string text = plural(static_cast<std::int64_t>(failed.size()), "point") +
                     " without a time, because the output was wrong or the run failed: ";
  for (std::size_t i = 0; i < std::min(kNamed, failed.size()); ++i)
    text += (i == 0 ? "" : "; ") + failed[i];
  return text + (failed.size() > kNamed ? "; and more in the tables." : ".");
}

// "csrmm: of 12 statements of the article, 9 hold, 2 do not, and 1 is not known here."
std::string article_sentence(const ReportTable& card) {
  std::map<std::string, int> counts;
  for (const auto& row : card.rows) ++counts[row[1]];
  const auto count = [&](ClaimStanding standing) {
    return std::to_string(counts[to_text(standing)]);
  };
  return card.title + ": of " + plural(static_cast<std::int64_t>(card.rows.size()), "statement") +
         ", " + count(ClaimStanding::holds) + " hold, " + count(ClaimStanding::does_not_hold) +
         " do not hold, and " + count(ClaimStanding::unknown) + " are not known.";
}

// "Our figures and the counters: 251 agree, 6 do not."
std::string agreement_sentence(const ReportTable& table) {
  std::string text = table.title;
  const std::string these = "these ";
  if (const std::size_t at = text.find(these); at != std::string::npos)
    text.erase(at, these.size());
  return text + ".";
}

}  // namespace

std::vector<std::string> report_conclusions(ReportMaterial& material,
                                            const std::vector<ReportTable>& tables) {
  std::vector<std::string> sentences;
  for (const MeasuredScene& scene : material.scenes()) add_fastest(material, scene, sentences);
  add_findings(material.session(), sentences);
  if (std::string failures = failures_sentence(material.scenes()); !failures.empty())
    sentences.push_back(std::move(failures));
  for (const ReportTable& table : tables) {
    const bool card = table.part == ReportPart::article && table.header.size() > 1 &&
                      table.header[1] == kCardVerdict && !table.rows.empty();
    if (card) sentences.push_back(article_sentence(table));
    if (table.part == ReportPart::agreement) sentences.push_back(agreement_sentence(table));
  }
  return sentences;
}

}  // namespace warpscope
