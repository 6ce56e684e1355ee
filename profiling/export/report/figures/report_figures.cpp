// profiling/export/report/figures/report_figures.cpp: which figures a report has, and their
// colours.
#include <algorithm>
#include <utility>

#include "profiling/export/report/figures/figures.h"

namespace warpscope {

ReportFigure drawn(const std::string& title, const std::string& caption,
                   const std::function<void(Drawing&)>& draw) {
  ReportFigure figure{"", title, caption, "", "", ""};
  for (const double width : {kPageWidth, kPhoneWidth}) {
    Drawing svg(width, width / 2);
    draw(svg);
    (width == kPageWidth ? figure.wide : figure.narrow) = svg.text_of(title);
  }
  return figure;
}

ReportFigure not_drawn(const std::string& title, const std::string& why) {
  return {"", title, "", "", "", why};
}

SeriesStyles::SeriesStyles(ReportMaterial& material, const MeasuredScene& scene,
                           const std::vector<Sweep>& sweeps) {
  constexpr std::size_t kFirst = 3;
  const std::vector<const Measurement*> chief = fastest_of_variants(scene, scene.chief);
  for (const auto& [league, points] : leagues_at(scene, scene.chief)) {
    add(points.front()->variant);
    if (const Measurement* base = material.baseline_of(*points.front())) add(base->variant);
  }
  for (std::size_t i = 0; i < std::min(kFirst, chief.size()); ++i) add(chief[i]->variant);
  std::map<std::string, int> wins;
  for (const Sweep& sweep : sweeps) {
    for (const AxisValue& value : shown_values(sweep.values)) {
      for (const auto& [league, points] : leagues_at(scene, sweep.problem_at.at(value)))
        ++wins[points.front()->variant];
    }
  }
  std::vector<std::pair<int, std::string>> most;
  for (const auto& [variant, count] : wins) most.emplace_back(-count, variant);
  std::sort(most.begin(), most.end());
  for (const auto& [count, variant] : most) add(variant);
  for (const Measurement* m : chief) add(m->variant);
}

void SeriesStyles::add(const std::string& variant) {
  const int number = static_cast<int>(variants_.size());
  if (number < kSeriesColours && numbers_.emplace(variant, number).second)
    variants_.push_back(variant);
}

std::string SeriesStyles::style_of(const std::string& variant) const {
  const auto found = numbers_.find(variant);
  return found == numbers_.end() ? "other" : "s" + std::to_string(found->second);
}

int SeriesStyles::shape_of(const std::string& variant) const {
  const auto found = numbers_.find(variant);
  return found == numbers_.end() ? 0 : found->second;
}

std::vector<ReportFigure> report_figures(ReportMaterial& material) {
  std::vector<ReportFigure> figures;
  const std::vector<SceneJournal> journals =
      journals_of(material.session()).value_or(std::vector<SceneJournal>());
  const std::vector<Sweep> all_sweeps = sweeps_of(material.session());
  for (const MeasuredScene& scene : material.scenes()) {
    if (scene.chief.empty()) continue;
    std::vector<Sweep> sweeps;
    for (const Sweep& sweep : all_sweeps)
      if (sweep.place == SceneOnDevice(scene.scene, scene.device.id())) sweeps.push_back(sweep);
    const SeriesStyles styles(material, scene, sweeps);
    std::vector<ReportFigure> of_scene;
    of_scene.push_back(times_figure(material, scene, styles));
    of_scene.push_back(roofline_figure(material, scene, styles));
    for (const Sweep& sweep : sweeps) of_scene.push_back(sweep_figure(scene, styles, sweep));
    of_scene.push_back(stalls_figure(material, scene));
    for (const SceneJournal& journal : journals) {
      if (journal.scene != scene.scene || journal.device != to_text(scene.device)) continue;
      if (auto figure = journal_figure(material.session().catalogue(), journal))
        of_scene.push_back(std::move(*figure));
    }
    for (ReportFigure& figure : of_scene) {
      figure.group = scene.scene + material.on_device(scene.device);
      figures.push_back(std::move(figure));
    }
  }
  for (ReportFigure& figure : request_figures(material.session()))
    figures.push_back(std::move(figure));
  return figures;
}

}  // namespace warpscope
