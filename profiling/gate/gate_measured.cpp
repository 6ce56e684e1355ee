// profiling/gate/gate_measured.cpp: what a gate records, of a trace and of a compilation.
#include "profiling/gate/gate_measured.h"

#include <algorithm>
#include <utility>

#include "profiling/points/occupancy.h"

namespace warpscope {
namespace {

void add(GateCounts& counts, const char* id, std::int64_t value) {
  if (value != 0) counts[id] += value;
}

void add_access(GateCounts& counts, const LineTotals& line) {
  add(counts, "global_requests", line.global.requests);
  add(counts, "global_sectors", line.global.sectors);
  add(counts, "shared_requests", line.shared.requests);
  add(counts, "shared_wavefronts", line.shared.wavefronts);
  add(counts, "local_requests", line.local.requests);
  add(counts, "local_sectors", line.local.sectors);
}

// Arrays and launch bounds decide what the compiler says of a kernel, and no instruction is of
// them.
bool declares(const std::string& text) {
  const bool array = text.ends_with("];") && text.find('=') == std::string::npos;
  return array || text.find("__shared__") != std::string::npos ||
         text.find("__launch_bounds__") != std::string::npos;
}

// Adds those above the last line that runs, without counts.
void add_declarations(std::map<std::pair<std::string, int>, GateCounts>& lines,
                      const GateTexts& texts) {
  std::map<std::string, int> last;
  for (const auto& [place, counts] : lines) last[place.first] = place.second;
  for (const auto& [file, line] : last) {
    for (int at = 1; at < line; ++at) {
      if (declares(texts(file, at))) lines.try_emplace({file, at});
    }
  }
}

}  // namespace

GateRecord gate_record_of(const Trace& trace, const std::string& kernel, const GateTexts& texts) {
  GateRecord record;
  record.kernel = kernel;
  // Each is said, also where it is 0: a kernel that begins to spill must differ from one of before.
  for (const GateCountRow& row : gate_counts()) {
    if (row.lines) record.counts[row.id] = 0;
  }
  record.counts["instructions"] = trace.warp_instructions;
  std::map<std::pair<std::string, int>, GateCounts> lines;
  for (const LineTotals& line : trace.lines) {
    GateCounts& counts = lines[{line.position.file, line.position.line}];
    add(counts, "instructions", line.instructions);
    add_access(counts, line);
    GateCounts all;
    add_access(all, line);
    for (const auto& [id, value] : all) record.counts[id] += value;
  }
  for (const Fault& fault : trace.faults) {
    if (!is_wrong(fault)) continue;
    record.counts["faults"] += fault.count;
    add(lines[{fault.position.file, fault.position.line}], "faults", fault.count);
  }
  std::erase_if(lines, [](const auto& line) { return line.second.empty(); });
  add_declarations(lines, texts);
  for (const auto& [place, counts] : lines)
    record.lines.push_back({place.first, texts(place.first, place.second), place.second, counts});
  for (const TracedOutput& output : trace.outputs) {
    // A launch file says what it must be.
    if (output.wrong) ++record.counts["faults"];
    if (!output.hash.empty() || !output.no_hash.empty())
      record.outputs[output.name] = {output.hash, output.no_hash};
  }
  return record;
}

void add_compiled(GateRecord& record, const StepRecord& step) {
  if (!step.resources) return;
  const KernelResources& r = *step.resources;
  record.counts["registers"] = r.registers_per_thread;
  record.counts["spill_store_bytes"] = r.spill_store_bytes;
  record.counts["spill_load_bytes"] = r.spill_load_bytes;
  record.counts["local_bytes"] = r.local_bytes_per_thread;
  record.counts["shared_bytes"] = r.static_shared_bytes + step.launch.dynamic_shared_bytes;
  const auto occupancy = occupancy_of(r, step.launch, limits_of_architecture(record.architecture));
  record.counts["resident_warps"] = occupancy ? occupancy->blocks * warps_of(step.launch) : 0;
}

}  // namespace warpscope
