// profiling/findings/fault_findings.cpp: faults and hangs of a trace as findings.
#include <algorithm>
#include <iterator>
#include <utility>

#include "profiling/findings/finding_parts.h"
#include "scenes/host/enumerators.h"

namespace warpscope {
namespace {

constexpr const char* kCheckIndex = "check the index before the access.";
constexpr const char* kSayWhatTheyHold =
    "Say what the buffers hold. If they may hold such numbers, the kernel is wrong. ";

struct FaultRow {
  FaultKind fault;
  FindingKind finding;
  const char* better;
};
// In the order of FaultKind.
constexpr FaultRow kFaultRows[] = {
    {FaultKind::out_of_bounds, FindingKind::invalid_address,
     "Check the index against the array's extent before the access."},
    {FaultKind::misaligned, FindingKind::invalid_address,
     "Access vectors at addresses that are a multiple of their size, or use a narrower type."},
    {FaultKind::uninitialised_read, FindingKind::uninitialised_read,
     "Write the element before it is read, or do not read it."},
    {FaultKind::shared_race, FindingKind::race,
     "Put __syncthreads() between the two accesses, or let each thread use its own element."},
    {FaultKind::block_race, FindingKind::race,
     "Use an atomic operation, or let each block write its own elements and combine them in a "
     "second kernel."},
    {FaultKind::divergent_barrier, FindingKind::missing_synchronisation,
     "Move the barrier out of the condition, so that every thread of the block reaches it."},
    {FaultKind::missing_wait, FindingKind::missing_synchronisation,
     "Wait for the copy or the product before its memory or registers are used."},
    {FaultKind::budget, FindingKind::stopped_at_limit,
     "Trace a smaller problem, or raise the limit with --limit SECONDS."},
    {FaultKind::deadlock, FindingKind::hang,
     "Let every warp that is waited for reach the barrier."},
    {FaultKind::endless_loop, FindingKind::hang,
     "Change a value that the loop's condition depends on."},
    {FaultKind::assertion, FindingKind::failed_assertion,
     "Correct what the asserted condition checks."},
    {FaultKind::unsupported, FindingKind::not_emulated,
     "Run this kernel on a GPU, or replace the instruction."},
    {FaultKind::stale_read, FindingKind::missing_synchronisation,
     "Read the element with an ordinary load: leave out __ldg, const __restrict__ and "
     "ld.global.nc."},
    {FaultKind::absent_lane, FindingKind::missing_synchronisation,
     "Name exactly the lanes that take part in the mask, and read from those only."},
    {FaultKind::missing_fence, FindingKind::missing_synchronisation,
     "Put the fence between the write and the instruction that reads it."},
    {FaultKind::global_race, FindingKind::race,
     "Put __syncthreads() between the two accesses, or use an atomic operation."},
};
static_assert(std::size(kFaultRows) == kEnumeratorCount<FaultKind>);

const FaultRow& row_of(FaultKind kind) { return kFaultRows[static_cast<std::size_t>(kind)]; }

FindingDiagram diagram_of(Space space) {
  return space == Space::shared ? FindingDiagram::shared_requests : FindingDiagram::global_requests;
}

// The memory instruction of the line, if it has any.
void point_at_site(const Trace& trace, Finding& finding) {
  for (std::size_t i = 0; i < trace.sites.size(); ++i) {
    const AccessSite& site = trace.sites[i];
    if (site.totals.requests == 0 || site.position.file != finding.position.file ||
        site.position.line != finding.position.line)
      continue;
    finding.site = static_cast<std::int64_t>(i);
    finding.diagram = diagram_of(site.space);
    return;
  }
  finding.diagram = FindingDiagram::active_lanes;
}

FindingSeverity severity_of_fault(FindingKind kind, const Fault& fault) {
  const bool wrong = kind != FindingKind::not_emulated && kind != FindingKind::stopped_at_limit &&
                     !is_of_a_guess(fault);
  return wrong ? FindingSeverity::error : FindingSeverity::warning;
}

// "out of bounds, 128 times".
std::string times_text(FaultKind kind, std::int64_t count) {
  if (kind == FaultKind::budget) return "the result is partial";
  return std::string(to_text(kind)) + ", " + (count == 1 ? "once" : brief_count(count) + " times");
}

// The story of a hang tells these in one sentence.
bool is_told_by(const std::optional<HangStory>& hang, FaultKind kind) {
  return hang && (kind == FaultKind::deadlock || kind == FaultKind::endless_loop);
}

Finding hang_finding(const Trace& trace) {
  const HangStory& story = *trace.hang;
  Finding f;
  f.kind = FindingKind::hang;
  f.what = story.verdict;
  f.unit = "blocks";
  f.count = std::max<std::int64_t>(story.blocks, 1);
  f.figure = f.count == 1 ? "1 block never ends" : brief_count(f.count) + " blocks never end";
  f.diagram = FindingDiagram::active_lanes;
  if (!story.waits.empty()) f.position = story.waits.front().position;
  const bool loops = !story.waits.empty() && (story.waits.front().kind == WaitKind::flag ||
                                              story.waits.front().kind == WaitKind::values);
  f.better = row_of(loops ? FaultKind::endless_loop : FaultKind::deadlock).better;
  return f;
}

}  // namespace

std::vector<Finding> fault_findings(const Trace& trace) {
  std::vector<Finding> list;
  if (trace.hang) list.push_back(hang_finding(trace));
  for (const Fault& fault : trace.faults) {
    if (is_told_by(trace.hang, fault.kind)) continue;
    const FaultRow& row = row_of(fault.kind);
    const std::string better =
        fault.guessed_size
            ? "Say how large " + fault.buffer + " is. If it " +
                  (is_dynamic_shared(fault) ? "is that small, " : "has so few elements, ") +
                  kCheckIndex
        : fault.guessed_content ? kSayWhatTheyHold + std::string(row.better)
                                : row.better;
    const auto same = std::find_if(list.begin(), list.end(), [&](const Finding& f) {
      return f.kind == row.finding && f.better == better &&
             f.position.file == fault.position.file && f.position.line == fault.position.line;
    });
    if (same != list.end()) {
      same->count += fault.count;
      same->figure = times_text(fault.kind, same->count);
      continue;
    }
    Finding f;
    f.kind = row.finding;
    f.severity = severity_of_fault(row.finding, fault);
    f.position = fault.position;
    f.what = fault.sentence;
    f.count = fault.count;
    f.unit = "times";
    f.figure = times_text(fault.kind, fault.count);
    f.better = better;
    point_at_site(trace, f);
    list.push_back(std::move(f));
  }
  // A warning about a guess comes after what is certain.
  std::stable_sort(list.begin(), list.end(), [](const Finding& a, const Finding& b) {
    return std::pair(a.severity, a.kind) < std::pair(b.severity, b.kind);
  });
  return list;
}

}  // namespace warpscope
