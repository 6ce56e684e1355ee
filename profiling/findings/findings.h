// profiling/findings/findings.h: what is wrong with a launch, or wasteful in it, ranked.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiling/access/trace.h"
#include "profiling/points/measurement.h"

// Wrong results come first, then waste by its share of the launch. Every finding names a line, the
// cause in a sentence, the figure with its unit, what would be better, and at most how much would
// go:
//
//   const FindingList list = findings_of(trace);
//   for (const Finding& f : list.findings) show(f.position, f.what, f.figure, f.better, f.gain);
//   if (list.findings.empty()) show(list.scope);
//
// A finding about waste bounds what a change can save: the memory may still have to serve other
// lines of the kernel, and caches may already hide some of it.

namespace warpscope {

enum class FindingKind : std::uint8_t {
  // Wrong results, in the order in which they are listed.
  invalid_address,
  race,
  uninitialised_read,
  missing_synchronisation,
  hang,
  failed_assertion,
  not_emulated,      // an instruction that the emulator does not know: what follows it is not known
  stopped_at_limit,  // the run took all of its time or instructions: what it says is partial
  // Waste.
  uncoalesced_access,
  unaligned_access,
  bank_conflict,
  atomic_conflict,
  divergence,
  partial_warps,
  local_memory,
  register_spill,
};
enum class FindingSeverity : std::uint8_t { error, warning, note };
const char* to_text(FindingSeverity severity);  // "error"

// Which diagram shows the access or the warps of a finding.
enum class FindingDiagram : std::uint8_t { none, global_requests, shared_requests, active_lanes };

struct FindingRule {
  FindingKind kind;
  const char* id;     // in JSON and SARIF: "uncoalesced-access"
  const char* title;  // "uncoalesced access"
  const char* help;   // what it is and why it matters
};
// One row per kind, in the order of FindingKind.
std::span<const FindingRule> finding_rules();
const FindingRule& rule_of(FindingKind kind);

struct Finding {
  FindingKind kind = FindingKind::invalid_address;
  FindingSeverity severity = FindingSeverity::error;
  SourcePosition position;  // line 0: none is known
  std::string what;         // the cause, a sentence or more
  std::string figure;       // the same figure in words, with its unit
  std::int64_t count = 0;   // faults: how often; waste: how much of `unit` is extra
  std::string unit;         // "accesses", "sectors", "wavefronts", "warp instructions", "requests"
  std::int64_t all = 0;     // of the launch, in the same unit; 0: a fault has no such sum
  std::string better;       // what to do
  std::string gain;         // "at most 3.67 M sectors fewer"; empty: a fault
  FindingDiagram diagram = FindingDiagram::none;
  std::int64_t site = -1;  // the instruction that the diagram shows, of Trace::sites; −1: none
  double share_ratio() const {
    return all > 0 ? static_cast<double>(count) / static_cast<double>(all) : 0;
  }
};

// Waste below this share of the launch's sectors, wavefronts or warp instructions is not listed.
// source: our choice, twice the change below which two counts are the same (kSmallestChange).
inline constexpr double kLeastWasteShare = 0.01;
// Nor is waste of fewer sectors, wavefronts or requests than this per warp instruction. source: a
// multiprocessor issues up to 4 warp instructions per cycle and serves one wavefront or two
// sectors, so this is at most 0.4 % of the cycles that issuing takes, below kSmallestChange.
inline constexpr double kLeastWastePerInstruction = 0.001;
// From this share on waste is a warning, below it a note. source: our choice.
inline constexpr double kWarningShare = 0.1;

struct FindingList {
  std::vector<Finding> findings;
  // What the figures are of, and which limit kept smaller waste out.
  std::string scope;
};

// `resources`: of the same kernel, where a compiler or a driver told them; they add spills that the
// trace does not have itself.
FindingList findings_of(const Trace& trace, const KernelResources* resources = nullptr);

// The kept request of an instruction that takes most sectors or wavefronts beyond those it needs;
// no value if none of it was kept.
std::optional<std::size_t> worst_request(const Trace& trace, std::uint32_t site);

}  // namespace warpscope
