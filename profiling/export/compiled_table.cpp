// profiling/export/compiled_table.cpp: what the compiler says of kernels by architecture, and
// outputs of two variants, as tables, CSV and JSON.
#include "profiling/export/compiled_table.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "profiling/figures/csv_text.h"
#include "profiling/messages/json_codec.h"
#include "profiling/session/remedy.h"
#include "scenes/catalogue.h"

namespace warpscope {
namespace {

std::string number(double value) {
  char text[64];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

std::int64_t threads_of(const Launch& launch) {
  return launch.block.x * launch.block.y * launch.block.z;
}

template <typename Rows>
std::string json_of(const Rows& rows) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto* row : rows) list.push_back(encode(*row));
  return list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

const char* CompiledRow::standing() const {
  return !refusal.empty() ? "not compiled" : failure ? "launch failed" : "starts";
}

std::string CompiledRow::sentence() const {
  return !refusal.empty() ? refusal : failure ? failure->sentence : "";
}

std::vector<CompiledRow> compiled_rows(const Catalogue& catalogue,
                                       const std::vector<const Compilation*>& compilations) {
  std::vector<CompiledRow> rows;
  for (const Compilation* made : compilations) {
    if (!made->refusal.empty() || made->steps.empty()) {
      CompiledRow row;
      row.compilation = made;
      row.refusal = made->refusal.empty() ? "it has no kernels of its own" : made->refusal;
      rows.push_back(std::move(row));
      continue;
    }
    const DeviceLimits device = limits_of_architecture(made->compute_capability);
    const Result<const Scene*> scene = catalogue.find(made->point.scene);
    const auto predicted = scene ? predicted_failure(**scene, *made) : std::nullopt;
    for (const StepRecord& step : made->steps) {
      CompiledRow row;
      row.compilation = made;
      row.step = &step;
      row.refusal = step.refusal;
      if (step.resources) {
        row.failure = launch_failure(*step.resources, step.launch, device);
        row.occupancy = occupancy_of(*step.resources, step.launch, device);
        if (row.failure && predicted) row.remedy = predicted->verdict.remedy;
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::optional<Compilation> compiled_of(const Measurement& point, int compute_capability) {
  Compilation made;
  made.job = point.job;
  made.point = id_of(point);
  made.axes = point.axes;
  made.facts = point.facts;
  made.compute_capability = compute_capability;
  made.toolkit = point.conditions.toolkit;
  for (const StepRecord& step : point.steps) {
    if (step.kind == "kernel" && step.resources) made.steps.push_back(step);
  }
  return made.steps.empty() ? std::nullopt : std::optional(std::move(made));
}

std::string compiled_csv(const Catalogue& catalogue,
                         const std::vector<const Compilation*>& compilations) {
  std::string csv = csv_row({"scene",
                             "variant",
                             "key",
                             "step",
                             "entry",
                             "architecture",
                             "registers_per_thread",
                             "spill_store_bytes",
                             "spill_load_bytes",
                             "local_bytes_per_thread",
                             "static_shared_bytes",
                             "dynamic_shared_bytes",
                             "threads_per_block",
                             "blocks_per_multiprocessor",
                             "theoretical_occupancy_ratio",
                             "limited_by",
                             "launch",
                             "sentence",
                             "remedy",
                             "toolkit",
                             "code_id"});
  for (const CompiledRow& row : compiled_rows(catalogue, compilations)) {
    const Compilation& made = *row.compilation;
    const StepRecord* step = row.step;
    std::vector<std::string> cells = {made.point.scene,
                                      made.point.variant,
                                      made.point.key,
                                      step == nullptr ? "" : step->name,
                                      step == nullptr ? "" : step->entry,
                                      architecture_name(made.compute_capability)};
    if (step != nullptr && step->resources) {
      const KernelResources& r = *step->resources;
      for (const std::int64_t value :
           {std::int64_t{r.registers_per_thread}, r.spill_store_bytes, r.spill_load_bytes,
            r.local_bytes_per_thread, r.static_shared_bytes, step->launch.dynamic_shared_bytes,
            threads_of(step->launch)})
        cells.push_back(std::to_string(value));
    } else {
      cells.resize(cells.size() + 7);
    }
    cells.insert(cells.end(), {row.occupancy ? std::to_string(row.occupancy->blocks) : "",
                               row.occupancy ? number(row.occupancy->ratio) : "",
                               row.occupancy ? to_text(row.occupancy->limit) : "", row.standing(),
                               row.sentence(), row.remedy, made.toolkit, made.point.code_id});
    csv += csv_row(cells);
  }
  return csv;
}

std::string compiled_json(const std::vector<const Compilation*>& compilations) {
  return json_of(compilations);
}

std::string output_pairs_csv(const std::vector<const OutputPair*>& pairs) {
  std::string csv = csv_row({"scene",
                             "first",
                             "first_key",
                             "second",
                             "second_key",
                             "device",
                             "device_uuid",
                             "toolkit",
                             "first_code_id",
                             "second_code_id",
                             "output",
                             "type",
                             "elements",
                             "bit_equal",
                             "not_numbers",
                             "most_ulps",
                             "at",
                             "first_value",
                             "second_value",
                             "first_verdict",
                             "second_verdict",
                             "missing_because"});
  for (const OutputPair* pair : pairs) {
    const std::vector<std::string> head = {pair->first.scene,
                                           pair->first.variant,
                                           pair->first.key,
                                           pair->second.variant,
                                           pair->second.key,
                                           pair->conditions.device,
                                           pair->conditions.device_uuid,
                                           pair->conditions.toolkit,
                                           pair->first.code_id,
                                           pair->second.code_id};
    const auto add = [&](std::vector<std::string> figures) {
      std::vector<std::string> cells = head;
      cells.insert(cells.end(), figures.begin(), figures.end());
      cells.insert(cells.end(), {to_text(pair->first_verdict.outcome),
                                 to_text(pair->second_verdict.outcome), pair->refusal});
      csv += csv_row(cells);
    };
    for (const OutputDifference& d : pair->outputs) {
      add({d.output, d.type, std::to_string(d.elements), std::to_string(d.bit_equal),
           std::to_string(d.not_numbers), number(d.most_ulps), d.at,
           d.at.empty() ? "" : number(d.here), d.at.empty() ? "" : number(d.there)});
    }
    if (pair->outputs.empty()) add(std::vector<std::string>(9));
  }
  return csv;
}

std::string output_pairs_json(const std::vector<const OutputPair*>& pairs) {
  return json_of(pairs);
}

}  // namespace warpscope
