// profiling/export/report/line_tables.cpp: the lines of source that cost most.
#include <algorithm>
#include <set>

#include "profiling/agreement/line_comparison.h"
#include "profiling/export/report/summary.h"
#include "profiling/listings/kernel_text.h"
#include "profiling/overview/costly_line.h"
#include "profiling/overview/costly_trace.h"
#include "profiling/overview/overview.h"
#include "profiling/points/point.h"
#include "scenes/base/texts/text_hash.h"

namespace warpscope {
namespace {

constexpr std::size_t kMostLines = 8;  // of one kernel
constexpr std::size_t kMostTables = 24;
constexpr std::size_t kMostInstructions = 12;

// The text of a kernel's file and of its headers, where it is the text that was measured. Only what
// the catalogue has of the scene: a session from elsewhere cannot name another file.
class SourceLines {
 public:
  SourceLines(const Session& session, const std::string& scene, const std::string& source,
              const std::string& text_hash) {
    const auto texts = session.catalogue().sources_of(scene);
    if (!texts) return;
    const auto found = sources_among(**texts)(source);
    if (!found || text_hash.empty() || !text_hashes_of(*found).include(text_hash)) return;
    texts_ = *found;
  }
  bool known() const { return !texts_.empty(); }
  std::string at(const std::string& file, int line) const {
    for (const KernelSource& text : texts_) {
      if (text.path != file) continue;
      const std::vector<std::string> lines = lines_of(text.text);
      if (line < 1 || line > static_cast<int>(lines.size())) return "–";
      const std::string& words = lines[static_cast<std::size_t>(line - 1)];
      const std::size_t first = words.find_first_not_of(" \t");
      return first == std::string::npos ? "–" : words.substr(first);
    }
    return "–";
  }

 private:
  std::vector<KernelSource> texts_;
};

std::string count_of(const ComparedFigure& figure) {
  const auto count = figure.measured ? figure.measured : figure.modelled;
  return count ? grouped(*count) : "–";
}

struct Kernel {
  std::string name, source;
  const Trace* trace = nullptr;
  const LineCounters* counters = nullptr;
  std::string_view figure;  // id of a row of line_figures()
};

// No rows: no line has any of the figure.
ReportTable lines_table(const Kernel& kernel, const SourceLines& texts) {
  const LineFigureRow* figure = find_line_figure(kernel.figure);
  const LineFigureRow* instructions = find_line_figure("instructions");
  const LineComparison comparison = compare_lines(kernel.trace, kernel.counters);
  const ComparedFigure all = compare_all(comparison, *figure);
  const bool counted = all.measured.has_value();
  ReportTable table{"Lines of " + kernel.name + " with most " + std::string(figure->label),
                    {"line", "source", std::string(figure->label), "share", "warp instructions"},
                    {}};
  if (!texts.known()) table.header.erase(table.header.begin() + 1);
  const double sum = static_cast<double>((counted ? all.measured : all.modelled).value_or(0));
  std::vector<const ComparedLine*> lines;
  const auto count = [&](const ComparedLine& line) {
    const ComparedFigure here = compare_figure(comparison, line, *figure);
    return (counted ? here.measured : here.modelled).value_or(0);
  };
  for (const ComparedLine& line : comparison.lines)
    if (line.line > 0 && count(line) > 0) lines.push_back(&line);
  std::stable_sort(lines.begin(), lines.end(),
                   [&](const auto* a, const auto* b) { return count(*a) > count(*b); });
  for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i) {
    const ComparedLine& line = *lines[i];
    std::vector<std::string>& row = table.rows.emplace_back();
    row.push_back(line.file.substr(line.file.rfind('/') + 1) + ":" + std::to_string(line.line));
    if (texts.known()) row.push_back(texts.at(line.file, line.line));
    row.push_back(grouped(count(line)));
    row.push_back(sum > 0 ? format_value(static_cast<double>(count(line)) / sum, "ratio") : "–");
    row.push_back(count_of(compare_figure(comparison, line, *instructions)));
  }
  table.note =
      std::string(counted
                      ? "Counted on the device, by line of source."
                      : "Emulated, not counted on a device: " +
                            (kernel.trace != nullptr ? scope_text(*kernel.trace) : std::string()) +
                            ".") +
      (texts.known()
           ? ""
           : " The text that was measured is not here, so only its line numbers are shown.");
  return table;
}

std::int64_t cost_of(const AccessSite& site) {
  return site.space == Space::shared ? site.totals.wavefronts : site.totals.sectors;
}

std::int64_t ideal_of(const AccessSite& site) {
  return site.space == Space::shared ? site.totals.ideal_wavefronts : site.totals.ideal_sectors;
}

// An instruction as it stands in the code: of SASS whole, of PTX its name.
std::string instruction_of(const Trace& trace, const AccessSite& site) {
  return trace.machine_code && site.instruction < trace.machine_code->rows.size()
             ? trace.machine_code->rows[site.instruction].text
             : site.text;
}

// The memory instructions that cost most beyond what they need, then those that cost most; no rows:
// none was emulated.
ReportTable instruction_table(const std::string& name, const Trace& trace) {
  const char* code = trace.machine_code ? "SASS" : "PTX";
  ReportTable table{"Memory instructions of " + name + " that cost most",
                    {code, "line", "memory", "requests", "sectors or wavefronts", "needed"},
                    {}};
  std::vector<const AccessSite*> sites;
  for (const AccessSite& site : trace.sites)
    if (cost_of(site) > 0) sites.push_back(&site);
  std::stable_sort(sites.begin(), sites.end(), [](const auto* a, const auto* b) {
    return std::pair(cost_of(*a) - ideal_of(*a), cost_of(*a)) >
           std::pair(cost_of(*b) - ideal_of(*b), cost_of(*b));
  });
  sites.resize(std::min(sites.size(), kMostInstructions));
  for (const AccessSite* site : sites) {
    table.rows.push_back(
        {instruction_of(trace, *site),
         site->position.line > 0 ? std::to_string(site->position.line) : "–",
         site->buffer.empty() ? to_text(site->space) : to_text(site->space) + (", " + site->buffer),
         grouped(site->totals.requests), grouped(cost_of(*site)), grouped(ideal_of(*site))});
  }
  table.note =
      "Emulated: " + scope_text(trace) +
      ". Sectors of 32 B of global memory, wavefronts of shared memory; needed: as many as "
      "the bytes would fill.";
  return table;
}

void add(std::vector<ReportTable>& tables, ReportTable table) {
  if (!table.rows.empty() && tables.size() < kMostTables) tables.push_back(std::move(table));
}

std::string_view figure_of(ReportMaterial& material, const Measurement& point) {
  const std::optional<RooflineStanding> standing = material.standing_of(point);
  const std::vector<MetricValue> emulated;
  return figure_behind(standing ? standing->binding : std::nullopt,
                       shared_ratio({point.metrics, emulated}));
}

void add_point(ReportMaterial& material, const Measurement& point, const Measurement& asked_like,
               std::vector<ReportTable>& tables, std::set<const Trace*>& shown) {
  const StepRecord* step = costly_step(point);
  if (step == nullptr) return;
  const Session& session = material.session();
  const Trace* trace = session.trace(id_of(point), step->name);
  const SourceLines texts(session, point.scene, step->source, step->text_hash);
  const Kernel kernel{tuned_label_of(point) + " (" + point.scene + " at " + values_of(point) +
                          material.on_device(device_of(point.conditions)) + ")",
                      step->source, trace, &step->lines, figure_of(material, asked_like)};
  add(tables, lines_table(kernel, texts));
  if (trace != nullptr && shown.insert(trace).second)
    add(tables, instruction_table(kernel.name, *trace));
}

// What was only emulated.
void add_trace(ReportMaterial& material, const Trace& trace, std::vector<ReportTable>& tables) {
  const Session& session = material.session();
  const std::string name =
      (trace.scene.empty() ? trace.entry : trace.scene + "/" + trace.variant) +
      (trace.step.empty() || trace.step == trace.entry ? "" : ", " + trace.step);
  // A trace does not name its text: it is shown where today's code is the one that was emulated.
  std::string hash;
  const auto scene = session.catalogue().find(trace.scene);
  const auto texts = session.catalogue().sources_of(trace.scene);
  const Variant* variant = scene ? find_variant(**scene, trace.variant) : nullptr;
  if (texts && variant != nullptr) {
    const auto axes = parse_key((*scene)->axes, trace.key);
    std::optional<std::string> now;
    if (axes) {
      const Workload workload{for_variant((*scene)->axes, *axes, trace.variant), {}};
      now = material.sources().current_code_id(**scene, *variant, workload);
    }
    const auto found = sources_among(**texts)(trace.source);
    if (found && now && *now == trace.source_hash) hash = text_hash_of(*found);
  }
  std::int64_t sectors = 0, wavefronts = 0;
  for (const LineTotals& line : trace.lines)
    sectors += line.global.sectors, wavefronts += line.shared.wavefronts;
  const Kernel kernel{name, trace.source, &trace, nullptr,
                      sectors > 0      ? "sectors"
                      : wavefronts > 0 ? "wavefronts"
                                       : "instructions"};
  add(tables, lines_table(kernel, SourceLines(session, trace.scene, trace.source, hash)));
  add(tables, instruction_table(name, trace));
}

}  // namespace

std::vector<ReportTable> line_tables(ReportMaterial& material) {
  std::vector<ReportTable> tables;
  std::set<const Trace*> shown;
  for (const MeasuredScene& scene : material.scenes()) {
    for (const auto& [league, points] : leagues_at(scene, scene.chief)) {
      const Measurement& best = *points.front();
      add_point(material, best, best, tables, shown);
      const Measurement* base = material.baseline_of(best);
      if (base != nullptr && base->variant != best.variant)
        add_point(material, *base, best, tables, shown);
    }
  }
  std::size_t looked_at = 0;
  for (const Trace* trace : material.session().traces()) {
    if (tables.size() >= kMostTables || looked_at++ == kMostShown) break;
    if (shown.insert(trace).second) add_trace(material, *trace, tables);
  }
  return tables;
}

}  // namespace warpscope
