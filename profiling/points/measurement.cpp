// profiling/points/measurement.cpp: words for outcomes, and what a measurement is of.
#include "profiling/points/measurement.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "scenes/choice_scenes.h"
#include "scenes/host/enumerators.h"

namespace warpscope {

const char* to_text(Outcome outcome) {
  return named(outcome, {"correct", "no reference", "unchecked", "nothing to do", "cannot run",
                         "wrong", "compile failed", "launch failed", "faulted", "timed out",
                         "out of memory", "engine died"});
}

bool has_figures(Outcome outcome) {
  return outcome == Outcome::correct || outcome == Outcome::no_reference;
}

const Catalogue& catalogue_of(const Measurement& measurement) {
  return measurement.catalogue != nullptr ? *measurement.catalogue : built_in_catalogue();
}

std::string league_of(const Measurement& measurement) {
  const Result<const Scene*> scene = catalogue_of(measurement).find(measurement.scene);
  const Variant* row = scene ? find_variant(**scene, measurement.variant) : nullptr;
  return row == nullptr ? "" : row->league;
}

RanRow ran_row(const Scene& scene, const Measurement& measurement) {
  const Workload workload{measurement.axes, measurement.facts};
  const PickedRow* const picked = measurement.picked.get();
  const Variant* const taken =
      picked == nullptr ? nullptr : find_variant(scene, picked->row.variant);
  if (taken == nullptr) return {find_variant(scene, measurement.variant), workload};
  return {taken, workload_of(scene.axes, workload, picked->row)};
}

bool calls_library(const Measurement& measurement) {
  return std::any_of(measurement.steps.begin(), measurement.steps.end(),
                     [](const StepRecord& step) { return step.kind == "library"; });
}

std::string in_words(const Verdict& verdict) {
  constexpr std::string_view kStart = "largest error ", kOf = " of the bound";
  const std::string& said = verdict.sentence;
  const std::size_t of = said.find(kOf);
  if (!said.starts_with(kStart) || of == std::string::npos) return said;
  char* end = nullptr;
  const double ratio = std::strtod(said.c_str() + kStart.size(), &end);
  if (end != said.c_str() + of) return said;
  return std::string(kStart) + format_value(ratio, "ratio") + " of what is allowed" +
         said.substr(of + kOf.size());
}

}  // namespace warpscope
