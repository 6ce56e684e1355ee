// profiling/export/report.cpp: sessions as Markdown and HTML reports, also for paper.
#include <algorithm>
#include <map>
#include <set>

#include "profiling/agreement/trace_metrics.h"
#include "profiling/claims/claim.h"
#include "profiling/export/export.h"
#include "profiling/export/report_tables.h"
#include "profiling/figures/inert_text.h"
#include "profiling/points/point.h"
#include "profiling/session/baselines.h"
#include "profiling/session/roof_join.h"
#include "profiling/session/source_standing.h"
#include "profiling/text/base64.h"
#include "scenes/base/plural.h"
#include "scenes/catalogue.h"
#include "scenes/host/input_file.h"

namespace warpscope {
namespace {

// The latest point that a device measured. Null: none.
const Measurement* latest_on(const std::vector<const Measurement*>& points,
                             const DeviceName& device) {
  const Measurement* latest = nullptr;
  for (const Measurement* m : points) {
    if (!on_a_device(*m) || device_of(m->conditions) != device) continue;
    if (latest == nullptr || m->conditions.date >= latest->conditions.date) latest = m;
  }
  return latest;
}

std::string provenance(const Session& session) {
  const std::vector<const Measurement*> points = session.all_points();
  if (points.empty()) return "This session has no measurements.";
  if (session.devices().empty())
    return "Nothing in this session was measured on a device: outputs were only verified, so there "
           "are no times.";
  std::string text;
  for (const DeviceName& device : session.devices()) {
    const Measurement* latest = latest_on(points, device);
    if (latest == nullptr) continue;
    const Conditions& c = latest->conditions;
    text += "Measured on " + to_text(device) + ", driver " + c.driver + ", toolkit " + c.toolkit +
            ", with Warpscope " + c.build + ", last on " + c.date + ". ";
  }
  if (session.devices().size() > 1)
    text +=
        "The session contains several devices. Each table shows one of them, and figures of "
        "different devices are never compared. ";
  return text +
         "Times are medians of CUDA-event samples; cold flushes L2 before every sample, warm "
         "does not. A variant whose output was wrong has no time.";
}

// The newest points of a scene on a device.
struct MeasuredScene {
  std::string scene;
  DeviceName device;
  std::vector<const Measurement*> points;
};

std::vector<MeasuredScene> measured_scenes(const Session& session) {
  std::vector<MeasuredScene> scenes;
  for (const Measurement* m : session.newest_points()) {
    if (!on_a_device(*m)) continue;
    const DeviceName device = device_of(m->conditions);
    auto found = std::find_if(scenes.begin(), scenes.end(), [&](const MeasuredScene& each) {
      return each.scene == m->scene && each.device.id() == device.id();
    });
    if (found == scenes.end()) found = scenes.insert(scenes.end(), {m->scene, device, {}});
    found->points.push_back(m);
  }
  return scenes;
}

// What is wrong on purpose is not ranked, also where it is right by luck. An automatic choice runs
// the kernel of a variant that is ranked itself.
bool is_ranked(const Measurement& m, SourceStandings& sources) {
  if (m.verdict.outcome != Outcome::correct || !m.warm) return false;
  const Result<const Scene*> scene = catalogue_of(m).find(m.scene);
  const Variant* variant = scene ? find_variant(**scene, m.variant) : nullptr;
  if (variant != nullptr && variant->choice) return false;
  if (variant != nullptr && variant->expected_fault && variant->expected_fault({m.axes, m.facts}))
    return false;
  return sources.of(m).state != SourceState::changed;
}

// The problem at which most variants can be ranked, the first of equals.
std::string chief_problem(const MeasuredScene& measured, SourceStandings& sources) {
  std::vector<std::pair<std::string, int>> counts;
  for (const Measurement* m : measured.points) {
    if (!is_ranked(*m, sources)) continue;
    auto found = std::find_if(counts.begin(), counts.end(),
                              [&](const auto& each) { return each.first == m->problem; });
    if (found == counts.end()) found = counts.insert(counts.end(), {m->problem, 0});
    ++found->second;
  }
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? "" : most->first;
}

// "n=64": the values of the problem that are not the scene's defaults.
std::string values_of(const Measurement& m) {
  const Result<const Scene*> scene = catalogue_of(m).find(m.scene);
  std::string words;
  const Configuration problem = problem_axes(m);
  for (const auto& [name, value] : problem.values()) {
    const Axis* axis = scene ? find_axis((*scene)->axes, name) : nullptr;
    if (axis != nullptr && axis->default_value == value) continue;
    words += (words.empty() ? "" : ", ") + name + "=" + to_text(value);
  }
  return words.empty() ? "its default values" : words;
}

std::string label_of(const Measurement& m) {
  const Result<const Scene*> scene = catalogue_of(m).find(m.scene);
  const Variant* variant = scene ? find_variant(**scene, m.variant) : nullptr;
  return variant == nullptr ? m.variant : variant->label;
}

// "csrmm at n=64, TF32: the fastest of 12 variants is K tiles: 46.3 µs warm, 2.92× faster than …".
std::string fastest_sentence(const Session& session, const Measurement& best, std::size_t of,
                             const Measurement* base, const std::vector<RoofSet>& lent) {
  const std::string league = league_of(best);
  std::string text =
      best.scene + " at " + values_of(best) +
      (session.devices().size() > 1 ? " on " + to_text(device_of(best.conditions)) : "") +
      (league.empty() ? "" : ", " + league) + ": the fastest of " +
      plural(static_cast<std::int64_t>(of), "variant") + " is " + label_of(best) + ", " +
      format_value(best.warm->median_ns, "ns") + " with warm caches";
  if (base == &best) {
    text += "; it is the baseline";
  } else if (base != nullptr && base->warm) {
    text += "; against " + label_of(*base) +
            ", the baseline: " + compare_times(*base, best, CacheState::warm).sentence;
  }
  const RoofJoin join = join_roofs(session, best.conditions, lent);
  const std::optional<RooflineStanding> standing =
      join.roofs != nullptr
          ? stand(best, CacheState::warm, *join.roofs, modelled_beside(session, best))
          : std::nullopt;
  return text + "." +
         (standing && !standing->sentence.empty() ? " Its roofs: " + standing->sentence + "." : "");
}

// The fastest variant of each league, where there are two or more to choose from.
void add_fastest(const Session& session, const MeasuredScene& measured, SourceStandings& sources,
                 const std::vector<RoofSet>& lent, std::vector<std::string>& sentences) {
  const std::string problem = chief_problem(measured, sources);
  std::map<std::string, std::vector<const Measurement*>> leagues;
  for (const Measurement* m : measured.points) {
    if (m->problem == problem && is_ranked(*m, sources)) leagues[league_of(*m)].push_back(m);
  }
  Baselines baselines(session);
  for (const auto& [league, points] : leagues) {
    std::set<std::string> variants;
    for (const Measurement* m : points) variants.insert(m->variant);
    if (variants.size() < 2) continue;
    const Measurement* best = *std::min_element(
        points.begin(), points.end(),
        [](const auto* a, const auto* b) { return a->warm->median_ns < b->warm->median_ns; });
    const Measurement* base = baselines.of(*best);
    if (base != nullptr && !is_ranked(*base, sources)) base = nullptr;
    sentences.push_back(fastest_sentence(session, *best, variants.size(), base, lent));
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

}  // namespace

std::vector<std::string> report_conclusions(const Session& session,
                                            const std::vector<ReportTable>& tables) {
  std::vector<std::string> sentences;
  SourceStandings sources(session.catalogue());
  const std::vector<RoofSet> lent = lent_roofs(session);
  const std::vector<MeasuredScene> scenes = measured_scenes(session);
  for (const MeasuredScene& measured : scenes)
    add_fastest(session, measured, sources, lent, sentences);
  if (std::string failures = failures_sentence(scenes); !failures.empty())
    sentences.push_back(std::move(failures));
  for (const ReportTable& table : tables) {
    const bool card = table.part == ReportPart::article && table.header.size() > 1 &&
                      table.header[1] == kCardVerdict && !table.rows.empty();
    if (card) sentences.push_back(article_sentence(table));
    if (table.part == ReportPart::agreement) sentences.push_back(table.title + ".");
  }
  return sentences;
}

std::string no_figure(const ReportFigure& figure) {
  return "There is no figure “" + figure.title + "”: " + figure.missing + ".";
}

Report report_of(const Session& session) {
  Report report{provenance(session), report_tables(session), {}};
  report.conclusions = report_conclusions(session, report.tables);
  return report;
}

namespace {

// Whether a part begins with this table.
bool begins_part(const Report& report, std::size_t table) {
  return table == 0 || report.tables[table - 1].part != report.tables[table].part;
}

std::string place_of(std::size_t table) { return "table-" + std::to_string(table + 1); }

std::string markdown_contents(const Report& report) {
  std::string text = "## Contents\n\n";
  for (std::size_t i = 0; i < report.tables.size(); ++i) {
    if (begins_part(report, i)) text += std::string("- ") + to_text(report.tables[i].part) + "\n";
    text += "  - [" + markdown_text(report.tables[i].title) + "](#" + place_of(i) + ")\n";
  }
  return text + "\n";
}

std::string markdown_table(const ReportTable& table) {
  std::string text = "|";
  for (const std::string& cell : table.header) text += " " + markdown_text(cell) + " |";
  text += "\n|";
  for (std::size_t i = 0; i < table.header.size(); ++i) text += " --- |";
  text += "\n";
  for (const auto& row : table.rows) {
    text += "|";
    for (const std::string& cell : row) text += " " + markdown_text(cell) + " |";
    text += "\n";
  }
  return text + "\n";
}

}  // namespace

std::string markdown_report(const Report& report, const std::vector<ReportFigure>& figures) {
  std::string text = "# Warpscope report\n\n";
  for (const std::string& sentence : report.conclusions)
    text += "- " + markdown_text(sentence) + "\n";
  if (!report.conclusions.empty()) text += "\n";
  text += markdown_text(report.provenance) + "\n\n";
  if (report.tables.size() > 1) text += markdown_contents(report);
  for (const ReportFigure& figure : figures) {
    text += figure.png.empty() ? "**" + markdown_text(no_figure(figure)) + "**\n\n"
                               : "![" + markdown_text(figure.title) + "](" + figure.png + ")\n\n" +
                                     markdown_text(figure.caption) + "\n\n";
  }
  for (std::size_t i = 0; i < report.tables.size(); ++i) {
    const ReportTable& table = report.tables[i];
    text += "<a id=\"" + place_of(i) + "\"></a>\n\n## " + markdown_text(table.title) + "\n\n";
    if (!table.note.empty()) text += markdown_text(table.note) + "\n\n";
    text += markdown_table(table);
  }
  return text;
}
namespace {

// On paper: A4, a table's head on each of its pages, a short table whole, and a new page before
// each part. What is folded stays so: a reader opens it to have it printed.
constexpr const char* kStyle =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 "
    "1rem;color:#1a1d23}"
    "table{border-collapse:collapse;width:100%;margin:1rem 0 2rem;font-size:.85rem}"
    "th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid "
    "#d5d9e0;vertical-align:top}"
    "img{max-width:100%;border:1px solid #d5d9e0}figure{margin:1.5rem 0}"
    "h2{font-size:1.25rem;margin-top:2.5rem}h3,summary{font-size:1.05rem;font-weight:600}"
    "summary{cursor:pointer;margin:1rem 0}nav li{margin:.1rem 0}nav summary{margin:0}"
    "h2,h3,p,li,summary,figcaption{overflow-wrap:anywhere}details{overflow-x:auto}"
    "@page{size:A4;margin:15mm}"
    "@media print{"
    "body{font-size:9.5pt;max-width:none;margin:0;padding:0}"
    "table{font-size:7.5pt;margin:2mm 0 6mm}th,td{padding:.6mm 1mm}td{overflow-wrap:anywhere}"
    "thead{display:table-header-group}tr,figure{break-inside:avoid}"
    "h2,h3,summary{break-after:avoid}.part{break-before:page}.short{break-inside:avoid}"
    "a{color:inherit;text-decoration:none}details:not([open]),nav li:has(>details){display:none}}";

// A table of at most so many rows is not divided between two pages.
constexpr std::size_t kShortRows = 25;

// Sweeps are long, and the first table of a scene's variants says most: the others are folded below
// their titles.
bool is_folded(const Report& report, std::size_t index) {
  const ReportTable& table = report.tables[index];
  if (table.part != ReportPart::variants) return table.part == ReportPart::sweeps;
  const auto scene_of = [](const ReportTable& each) {
    return each.title.substr(0, each.title.find(" at "));
  };
  return std::any_of(report.tables.begin(),
                     report.tables.begin() + static_cast<std::ptrdiff_t>(index),
                     [&](const ReportTable& before) {
                       return before.part == table.part && scene_of(before) == scene_of(table);
                     });
}

std::string contents(const Report& report) {
  std::string html = "<nav><h2>Contents</h2><ul>";
  for (int part = 0; part < kReportParts; ++part) {
    std::string shown, folded;
    std::int64_t more = 0;
    for (std::size_t i = 0; i < report.tables.size(); ++i) {
      const ReportTable& table = report.tables[i];
      if (static_cast<int>(table.part) != part) continue;
      const bool away = is_folded(report, i);
      (away ? folded : shown) +=
          "<li><a href=\"#" + place_of(i) + "\">" + markup_text(table.title) + "</a></li>";
      more += away ? 1 : 0;
    }
    if (shown.empty() && folded.empty()) continue;
    html += std::string("<li>") + to_text(static_cast<ReportPart>(part)) + "<ul>" + shown;
    if (more > 0)
      html += "<li><details><summary>" + plural(more, "folded table") + "</summary><ul>" + folded +
              "</ul></details></li>";
    html += "</ul></li>";
  }
  return html + "</ul></nav>";
}

std::string rows_of(const ReportTable& table) {
  std::string html = "<table><thead><tr>";
  for (const std::string& cell : table.header) html += "<th>" + markup_text(cell) + "</th>";
  html += "</tr></thead><tbody>";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (const std::string& cell : row) html += "<td>" + markup_text(cell) + "</td>";
    html += "</tr>";
  }
  return html + "</tbody></table>";
}

std::string section(const Report& report, std::size_t index) {
  const ReportTable& table = report.tables[index];
  const bool folded = is_folded(report, index);
  const std::string note = table.note.empty() ? "" : "<p>" + markup_text(table.note) + "</p>";
  const std::string title = markup_text(table.title);
  return "<section id=\"" + place_of(index) + "\"" +
         (table.rows.size() <= kShortRows ? " class=\"short\"" : "") + ">" +
         (folded ? "<details><summary>" + title + "</summary>" : "<h3>" + title + "</h3>") + note +
         rows_of(table) + (folded ? "</details>" : "") + "</section>";
}

Result<std::string> figure_of(const ReportFigure& figure, const std::filesystem::path& folder) {
  if (figure.png.empty()) return "<p><strong>" + markup_text(no_figure(figure)) + "</strong></p>";
  constexpr std::int64_t kMostPngBytes = 256 << 20;  // far beyond what we render
  const Result<std::string> png = read_input(folder / figure.png, kMostPngBytes);
  if (!png) {
    return failure(ErrorKind::environment, "a figure cannot be read back: " + png.error().what,
                   (folder / figure.png).string(), "check the folder's permissions");
  }
  return "<figure><img alt=\"" + markup_text(figure.title) + "\" src=\"data:image/png;base64," +
         base64(*png) + "\"><figcaption>" + markup_text(figure.caption) + "</figcaption></figure>";
}

}  // namespace

Result<std::string> html_report(const Report& report, const std::vector<ReportFigure>& figures,
                                const std::filesystem::path& folder) {
  std::string html =
      "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Warpscope "
      "report</title><style>" +
      std::string(kStyle) + "</style><h1>Warpscope report</h1>";
  if (!report.conclusions.empty()) {
    html += "<ul class=\"conclusions\">";
    for (const std::string& sentence : report.conclusions)
      html += "<li>" + markup_text(sentence) + "</li>";
    html += "</ul>";
  }
  html += "<p>" + markup_text(report.provenance) + "</p>";
  if (report.tables.size() > 1) html += contents(report);
  for (const ReportFigure& figure : figures) {
    const Result<std::string> drawn = figure_of(figure, folder);
    if (!drawn) return drawn;
    html += *drawn;
  }
  for (std::size_t i = 0; i < report.tables.size(); ++i) {
    if (begins_part(report, i))
      html += std::string("<h2 class=\"part\">") + to_text(report.tables[i].part) + "</h2>";
    html += section(report, i);
  }
  return html + "</html>\n";
}

}  // namespace warpscope
