// profiling/findings/finding_rules.cpp: the kinds of findings, and what each means.
#include <array>

#include "profiling/findings/findings.h"
#include "scenes/host/enumerators.h"

namespace warpscope {
namespace {

constexpr FindingRule kRules[] = {
    {FindingKind::invalid_address, "invalid-address", "invalid address",
     "A lane accesses memory outside of every array, or at an address that the access's width does "
     "not divide. On a GPU the launch fails, or it reads or overwrites other data."},
    {FindingKind::race, "race", "race",
     "Two threads access the same element, at least one writes it, and nothing orders the two. "
     "The result depends on timing."},
    {FindingKind::uninitialised_read, "uninitialised-read", "uninitialised read",
     "A lane reads memory that nothing has written. The value is whatever was there before."},
    {FindingKind::missing_synchronisation, "missing-synchronisation", "missing synchronisation",
     "A barrier, fence or wait that the code needs is missing, or only some of the threads reach "
     "it. The values may not have arrived when they are used."},
    {FindingKind::hang, "hang", "hang",
     "Warps wait for something that never comes, or a loop never ends. The launch does not "
     "return."},
    {FindingKind::failed_assertion, "failed-assertion", "failed assertion",
     "An assert failed or the kernel executed trap. The launch stops with an error."},
    {FindingKind::not_emulated, "not-emulated", "not emulated",
     "The emulator does not know an instruction that the kernel reached, so it cannot say what "
     "happens afterwards."},
    {FindingKind::stopped_at_limit, "stopped-at-limit", "stopped at the limit",
     "The run reached its limit of time or instructions before the launch ended. This is not a "
     "fault of the kernel: outputs and sums are those of the part that ran."},
    {FindingKind::uncoalesced_access, "uncoalesced-access", "uncoalesced access",
     "Memory moves whole sectors of 32 bytes. If the lanes of a warp access addresses that are far "
     "apart, most bytes of each sector are moved and not used."},
    {FindingKind::unaligned_access, "unaligned-access", "unaligned access",
     "The lanes of a warp access consecutive elements that begin inside a sector of 32 bytes, so "
     "each request touches one sector more than its bytes need."},
    {FindingKind::bank_conflict, "bank-conflict", "bank conflict",
     "Shared memory has 32 banks of 4-byte words. If lanes of a request need different words of "
     "one bank, the request takes one wavefront per word."},
    {FindingKind::atomic_conflict, "atomic-conflict", "atomics on one address",
     "Atomic operations on one address are executed one after another, whichever thread asks."},
    {FindingKind::divergence, "divergence", "divergence",
     "The lanes of a warp execute the same instruction. If a condition holds for only some lanes, "
     "the others are idle: in a branch until the paths reconverge, and in every instruction that "
     "the condition predicates."},
    {FindingKind::partial_warps, "partial-warps", "partly filled warps",
     "A warp always has 32 lanes. If the threads of a block do not fill its last warp, the other "
     "lanes are idle for the whole launch."},
    {FindingKind::local_memory, "local-memory", "local memory",
     "Arrays that are indexed with a variable, and values whose address is taken, lie in local "
     "memory. It is part of device memory, so each use is a load or a store."},
    {FindingKind::register_spill, "register-spill", "spilled registers",
     "The kernel needs more registers than a thread may have. The compiler stores some values to "
     "local memory and loads them again."},
};
static_assert(std::size(kRules) == kEnumeratorCount<FindingKind>);

}  // namespace

const char* to_text(FindingSeverity severity) {
  return named(severity, {"error", "warning", "note"});
}

std::span<const FindingRule> finding_rules() { return kRules; }

const FindingRule& rule_of(FindingKind kind) { return kRules[static_cast<std::size_t>(kind)]; }

}  // namespace warpscope
