// profiling/export/report/figures/figures.h: the figures of a report, drawn from a session as SVG.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiling/export/journal_tables.h"
#include "profiling/export/report/figures/drawing.h"
#include "profiling/export/report/material.h"
#include "profiling/export/report/report.h"
#include "profiling/export/report/sweeps.h"

namespace warpscope {

// One drawing for each of the two widths.
ReportFigure drawn(const std::string& title, const std::string& caption,
                   const std::function<void(Drawing&)>& draw);
ReportFigure not_drawn(const std::string& title, const std::string& why);

// The variants of a scene that have a colour, the same one in all its figures: at the chief problem
// the fastest and the baselines, then those that are fastest somewhere in a sweep, then further
// ones of the chief problem.
class SeriesStyles {
 public:
  SeriesStyles(ReportMaterial& material, const MeasuredScene& scene,
               const std::vector<Sweep>& sweeps);
  const std::vector<std::string>& variants() const { return variants_; }
  bool has(const std::string& variant) const { return numbers_.count(variant) != 0; }
  std::string style_of(const std::string& variant) const;  // "s0"; "other"
  int shape_of(const std::string& variant) const;

 private:
  void add(const std::string& variant);
  std::vector<std::string> variants_;
  std::map<std::string, int> numbers_;
};

// Preconditions: the scene has a chief problem; the points of a sweep are of the scene.
ReportFigure times_figure(ReportMaterial& material, const MeasuredScene& scene,
                          const SeriesStyles& styles);
ReportFigure roofline_figure(ReportMaterial& material, const MeasuredScene& scene,
                             const SeriesStyles& styles);
ReportFigure sweep_figure(const MeasuredScene& scene, const SeriesStyles& styles,
                          const Sweep& sweep);
ReportFigure stalls_figure(ReportMaterial& material, const MeasuredScene& scene);

// No value if fewer than two iterations have a time in the session.
std::optional<ReportFigure> journal_figure(const Catalogue& catalogue, const SceneJournal& journal);

// Requests of warps, as the emulator saw them: sectors of global memory and banks of shared memory.
// Empty: the session has no trace.
std::vector<ReportFigure> request_figures(const Session& session);

// All of a session.
std::vector<ReportFigure> report_figures(ReportMaterial& material);

}  // namespace warpscope
