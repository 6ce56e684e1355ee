// profiling/export/report/figures/journal_figure.cpp: the times of an optimisation's iterations.
#include <algorithm>

#include "profiling/export/report/figures/figures.h"

namespace warpscope {
namespace {

constexpr std::size_t kMostRows = 40;

const char* style_of(Decision decision) {
  return decision == Decision::kept ? "s0" : decision == Decision::reverted ? "s1" : "other";
}

struct Row {
  std::string label, style, hover;
  double ns = 0;
};

std::vector<Row> rows_of(const Catalogue& catalogue, const SceneJournal& journal) {
  std::vector<Row> rows;
  for (const JournalEntry& entry : journal.entries) {
    if (!entry.time_ns || *entry.time_ns <= 0) continue;
    const Iteration& i = entry.iteration;
    const std::string name = std::to_string(i.number) + ". " + journal_place(catalogue, i);
    std::string hover =
        name + ": " + format_value(*entry.time_ns, "ns") + ", " + decision_text(i.decision);
    if (!entry.against_parent.empty()) hover += "; " + entry.against_parent;
    if (!i.hypothesis.empty()) hover += ". Expected: " + i.hypothesis;
    rows.push_back({name, style_of(i.decision), hover, *entry.time_ns});
    if (rows.size() == kMostRows) break;
  }
  return rows;
}

void draw_rows(Drawing& svg, const std::vector<Row>& rows) {
  constexpr double kBar = 14, kValue = 78;
  const bool narrow = svg.narrow();
  const double left = narrow ? 4 : 290, step = narrow ? 38 : 22, first = narrow ? 26 : 10;
  double longest = 0;
  for (const Row& row : rows) longest = std::max(longest, row.ns);
  const Scale x{0, longest, false, left, svg.width() - kValue};
  const double bottom = first + step * static_cast<double>(rows.size());
  draw_bar_ticks(svg, x, bottom, "ns");
  double y = first;
  for (const Row& row : rows) {
    draw_bar_name(svg, left, y, row.label);
    svg.box({left, y}, x.at(row.ns) - left, kBar, row.style + " bar", row.hover);
    svg.words({x.at(row.ns) + 5, y + 11}, format_value(row.ns, "ns"));
    y += step;
  }
  svg.line({left, 4}, {left, bottom}, "axis");
  svg.words({svg.width() - kValue, bottom + 2.2 * kTextHeight}, "time of a run, warm", "name",
            Anchor::end);
  std::vector<LegendItem> items;
  for (const Decision decision : {Decision::kept, Decision::reverted, Decision::open}) {
    if (std::any_of(rows.begin(), rows.end(),
                    [&](const Row& row) { return row.style == style_of(decision); }))
      items.push_back({decision_text(decision), style_of(decision), 0, true});
  }
  svg.grow_to(draw_legend(svg, bottom + 2.6 * kTextHeight, items));
}

}  // namespace

std::optional<ReportFigure> journal_figure(const Catalogue& catalogue,
                                           const SceneJournal& journal) {
  const std::vector<Row> rows = rows_of(catalogue, journal);
  if (rows.size() < 2) return std::nullopt;
  return drawn(journal.own ? "Iterations of this session" : "Iterations of the article",
               "Times in the order of the journal, each with what became of it. The table of "
               "journals has what was expected and what was learnt.",
               [&](Drawing& svg) { draw_rows(svg, rows); });
}

}  // namespace warpscope
