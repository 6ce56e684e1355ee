// profiling/export/compiled_table.h: what the compiler says of kernels by architecture, and outputs
// of two variants, as tables, CSV and JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiling/points/occupancy.h"
#include "profiling/session/session.h"

namespace warpscope {

// A kernel step on an architecture.
struct CompiledRow {
  const Compilation* compilation = nullptr;
  const StepRecord* step = nullptr;      // null: the variant does not run there at all
  std::optional<Occupancy> occupancy;    // where its launch starts
  std::optional<LaunchFailure> failure;  // where it fails
  std::string refusal;                   // where there is no machine code: why
  std::string remedy;                    // of a failure: "use block_size = 256"
  // "starts", "launch failed", "not compiled".
  const char* standing() const;
  std::string sentence() const;  // why it is not the first of these; empty: it is
};
// In the order of the compilations, each with its steps in order; of scenes that the catalogue has
// with remedies.
std::vector<CompiledRow> compiled_rows(const Catalogue& catalogue,
                                       const std::vector<const Compilation*>& compilations);

// What a measured point kept of its kernels, as if it were compiled for the architecture that it
// was measured on. No value if it kept nothing.
std::optional<Compilation> compiled_of(const Measurement& point, int compute_capability);

// Tidy CSV, one row per kernel step and architecture: scene, variant, key, step, entry,
// architecture, registers per thread, spilled bytes that a thread stores and loads in the code,
// local bytes per thread, static and dynamic shared bytes per block, threads per block, blocks per
// multiprocessor, theoretical occupancy (a ratio), what limits it, launch, sentence, remedy,
// toolkit, code_id. If there is no machine code, or the launch fails, the cells that follow from it
// are empty.
std::string compiled_csv(const Catalogue& catalogue,
                         const std::vector<const Compilation*>& compilations);
// A JSON array of the messages.
std::string compiled_json(const std::vector<const Compilation*>& compilations);

// One row per pair and output: scene, first and second variant and their keys, device, its UUID,
// toolkit, both code_ids, output, type, elements, bit_equal, not_numbers, most_ulps, at, both
// values there, both verdicts, why there is nothing.
std::string output_pairs_csv(const std::vector<const OutputPair*>& pairs);
std::string output_pairs_json(const std::vector<const OutputPair*>& pairs);

}  // namespace warpscope
