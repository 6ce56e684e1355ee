// profiling/export/step_tables.cpp: what a report says of the layers of a run.
#include "profiling/export/step_tables.h"

#include <set>

#include "profiling/export/report/material.h"
#include "profiling/session/roof_join.h"
#include "profiling/steps/step_rows.h"

namespace warpscope {
namespace {

constexpr const char* kLayer = "layer";

bool has_layers(const Measurement& point) {
  std::set<std::string> layers;
  for (const StepRecord& step : point.steps) {
    const auto layer = step.tags.find(kLayer);
    if (step.phase == Phase::run && layer != step.tags.end()) layers.insert(layer->second);
  }
  return layers.size() > 1;
}

std::string cell(const std::optional<double>& value, const std::string& unit) {
  return value ? format_value(*value, unit) : "–";
}

std::vector<std::string> cells_of(const StepRow& row) {
  std::string bytes = cell(row.dram_bytes, "B");
  if (row.dram_bytes && row.bytes_origin == Origin::modelled) bytes = "≥ " + bytes;
  const bool bound = row.standing && row.standing->binding;
  return {row.name,
          std::to_string(row.steps),
          row.time_ns ? format_value(*row.time_ns, "ns") : "– (" + row.no_time + ")",
          cell(row.share_ratio, "ratio"),
          cell(row.flops, "FLOP"),
          bytes,
          bound ? row.standing->binding_name : "–",
          bound ? format_value(row.standing->binding_ratio, "ratio") : "–",
          row.how};
}

}  // namespace

std::vector<ReportTable> step_tables(const Session& session, std::span<const RoofSet> lent) {
  std::vector<ReportTable> tables;
  const bool several = session.devices().size() > 1;
  std::size_t all = 0;
  for (const Measurement* point : session.newest_points()) {
    if (point->verdict.outcome != Outcome::correct || !has_layers(*point)) continue;
    if (++all > kMostShown) continue;
    const RoofJoin join = join_roofs(session, point->conditions, lent);
    ReportTable table{point->scene + "/" + point->variant + " by layer, at " +
                          values_of_key(session.catalogue(), point->scene, point->key) +
                          (several ? " on " + to_text(device_of(point->conditions)) : ""),
                      {"layer and phase", "steps", "time", "share", "FLOP", "DRAM bytes",
                       "nearest roof", "of that roof", "how"},
                      {}};
    const RoofSet none;
    for (const StepRow& row :
         step_rows(*point, join.roofs != nullptr ? *join.roofs : none, StepGroups::tags))
      table.rows.push_back(cells_of(row));
    tables.push_back(std::move(table));
  }
  if (!tables.empty()) tables.front().note = selection_note(all, "points with layers");
  return tables;
}

}  // namespace warpscope
