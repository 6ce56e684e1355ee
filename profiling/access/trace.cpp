// profiling/access/trace.cpp: names of faults, blocks of a launch, and what makes a trace
// undrawable.
#include "profiling/access/trace.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "scenes/base/texts/machine_code.h"
#include "scenes/host/enumerators.h"

namespace warpscope {
namespace {

// source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
constexpr std::int64_t kMostBlocksX = 2147483647, kMostBlocksYz = 65535, kMostThreads = 1024,
                       kMostThreadsZ = 64;
constexpr std::int64_t kMostElements = 1LL << 50;  // of a buffer: products of indices stay exact

bool within(std::int64_t value, std::int64_t most) { return value >= 1 && value <= most; }

}  // namespace

const char* to_text(FaultKind kind) {
  return named(kind, {"out of bounds", "misaligned", "uninitialised read", "shared race",
                      "block race", "divergent barrier", "missing wait", "stopped at the limit",
                      "deadlock", "endless loop", "assertion", "unsupported", "stale read",
                      "absent lane", "missing fence", "global race"});
}

bool is_dynamic_shared(const Fault& fault) {
  return fault.buffer == kDynamicShared || fault.buffer == kUnnamedShared;
}

bool has_faults(const Trace& trace) {
  return std::any_of(trace.faults.begin(), trace.faults.end(),
                     [](const Fault& fault) { return fault.kind != FaultKind::budget; });
}

bool is_of_a_guess(const Fault& fault) { return fault.guessed_size || fault.guessed_content; }

bool is_wrong(const Fault& fault) {
  return fault.kind != FaultKind::budget && !is_of_a_guess(fault);
}

bool is_wrong(const Trace& trace) {
  return std::any_of(trace.faults.begin(), trace.faults.end(),
                     [](const Fault& fault) { return is_wrong(fault); });
}

void mark_guessed_sizes(std::vector<Fault>& faults, const std::vector<std::string>& buffers) {
  constexpr std::int64_t kMostNeeded = 1LL << 34;  // elements: 64 GiB of f32
  for (Fault& fault : faults) {
    if (fault.kind != FaultKind::out_of_bounds || fault.guessed_size || fault.needed < 1 ||
        fault.needed > kMostNeeded ||
        std::find(buffers.begin(), buffers.end(), fault.buffer) == buffers.end())
      continue;
    fault.guessed_size = true;
    fault.sentence +=
        ". The size of " + fault.buffer + " is a guess: " + std::to_string(fault.needed) +
        (is_dynamic_shared(fault) ? " bytes" : " elements") + " would hold these accesses";
  }
}

void mark_guessed_contents(std::vector<Fault>& faults, const std::vector<Fault>& with_others,
                           const std::string& numbers, const std::vector<std::string>& buffers) {
  constexpr std::size_t kNamed = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(buffers.size(), kNamed); ++i)
    names += (i == 0 ? "" : i + 1 == buffers.size() ? " and " : ", ") + buffers[i];
  if (buffers.size() > kNamed) names += " and others";
  for (Fault& fault : faults) {
    if (!is_wrong(fault) || fault.kind == FaultKind::unsupported) continue;
    const auto other = std::find_if(with_others.begin(), with_others.end(), [&](const Fault& each) {
      return each.kind == fault.kind && each.position.line == fault.position.line &&
             each.position.file == fault.position.file;
    });
    // Which element is wrong depends on the numbers. Races depend on which blocks meet first.
    const bool by_element = fault.kind == FaultKind::out_of_bounds ||
                            fault.kind == FaultKind::misaligned ||
                            fault.kind == FaultKind::uninitialised_read;
    const bool happens = other != with_others.end();
    if (happens && !(by_element && (other->index != fault.index || other->block != fault.block ||
                                    other->thread != fault.thread)))
      continue;
    fault.guessed_content = true;
    fault.sentence += ". The content of " + names + " is a guess: with " + numbers +
                      " in it this " + (happens ? "happens elsewhere" : "does not happen");
  }
}

const Fault* stop_at_limit(const Trace& trace) {
  const auto found = std::find_if(trace.faults.begin(), trace.faults.end(), [](const Fault& fault) {
    return fault.kind == FaultKind::budget;
  });
  return found == trace.faults.end() ? nullptr : &*found;
}

std::optional<std::string> defect(const Launch& launch) {
  const Dim3 &grid = launch.grid, &block = launch.block;
  if (!within(grid.x, kMostBlocksX) || !within(grid.y, kMostBlocksYz) ||
      !within(grid.z, kMostBlocksYz))
    return "a grid has 1 to 2147483647 blocks in x and 1 to 65535 in y and z";
  if (!within(block.x, kMostThreads) || !within(block.y, kMostThreads) ||
      !within(block.z, kMostThreadsZ) || block.x * block.y * block.z > kMostThreads)
    return "a block has 1 to 1024 threads, at most 64 in z";
  return std::nullopt;
}

std::optional<std::string> defect(const Trace& trace) {
  if (const auto wrong = defect(trace.launch)) return "no device takes its launch: " + *wrong;
  if (trace.scope.block < 0 || trace.scope.block >= block_count(trace.launch))
    return "its block is not in the grid";
  if (trace.sample &&
      (trace.sample->blocks < 1 || trace.sample->blocks > block_count(trace.launch)))
    return "its sample has more blocks than the grid, or none";
  if (trace.sample) {
    for (const auto& [counter, spread] : trace.sample->spreads) {
      if (spread < 0) return "the spread of " + counter + " is below 0";
    }
  }
  for (const TracedBuffer& buffer : trace.buffers) {
    std::int64_t elements = 1;
    for (const std::int64_t extent : buffer.shape) {
      if (extent < 0 || (extent > 0 && elements > kMostElements / extent))
        return "buffer " + buffer.name + " has no sensible shape";
      elements *= extent;
    }
  }
  for (const AccessSite& site : trace.sites) {
    if (site.width_bytes < 1 || site.width_bytes > 16 ||
        !std::has_single_bit(static_cast<unsigned>(site.width_bytes)))
      return "no instruction moves " + std::to_string(site.width_bytes) + " bytes per lane";
  }
  const auto warps = static_cast<std::uint32_t>(warps_of(trace.launch));
  for (const WarpRequest& request : trace.requests) {
    if (request.site >= trace.sites.size()) return "a request belongs to no instruction";
    if (request.warp >= warps) return "a request belongs to a warp that the block does not have";
  }
  const auto earlier = [](const WarpRequest& a, const WarpRequest& b) {
    return a.warp != b.warp ? a.warp < b.warp : a.order < b.order;
  };
  if (!std::is_sorted(trace.requests.begin(), trace.requests.end(), earlier))
    return "its requests are out of order";
  if (trace.issued.size() > warps) return "more warps issued instructions than the block has";
  for (const BarrierEvent& event : trace.barrier_events) {
    if (event.warp >= warps || event.barrier >= trace.barriers.size() || event.phase < 0)
      return "what a warp did at a barrier belongs to no barrier or warp";
  }
  if (trace.hang) {
    const auto rows = static_cast<int>(trace.hang->waits.size());
    const auto is_row = [&](int row) { return row >= 0 && row < rows; };
    if (!std::all_of(trace.hang->circle.begin(), trace.hang->circle.end(), is_row))
      return "its circle of waits names a row that is not there";
    for (const WaitingWarps& wait : trace.hang->waits) {
      for (const AbsentWarps& absent : wait.absent) {
        if (absent.wait != -1 && !is_row(absent.wait))
          return "warps that never came wait in a row that is not there";
      }
    }
  }
  return std::nullopt;
}

bool covers_grid(const Trace& trace) {
  return trace.scope.grid || (trace.sample && trace.sample->unfit.empty());
}

namespace {

std::string blocks_text(const Trace& trace) {
  const std::int64_t grid = block_count(trace.launch);
  if (trace.scope.grid) return "all blocks of " + std::to_string(grid);
  if (!trace.sample)
    return "block " + std::to_string(trace.scope.block) + " of " + std::to_string(grid);
  const std::string share = share_text(trace.sample->blocks, grid);
  return trace.sample->unfit.empty()
             ? "from " + share + ", chosen by position and work, scaled to the grid"
             : "of " + share + " alone: " + trace.sample->unfit;
}

}  // namespace

std::string scope_text(const Trace& trace) {
  if (!trace.machine_code) return blocks_text(trace) + ", as PTX";
  const int compute_capability = trace.machine_code->compute_capability;
  return blocks_text(trace) + ", as SASS of sm_" + std::to_string(compute_capability) +
         (compute_capability == kCheckedMachineCode ? "" : ", not checked on hardware");
}

std::int64_t block_count(const Launch& launch) {
  return launch.grid.x * launch.grid.y * launch.grid.z;
}

int warps_of(const Launch& launch) {
  return static_cast<int>((launch.block.x * launch.block.y * launch.block.z + kWarpLanes - 1) /
                          kWarpLanes);
}

Dim3 block_at(const Launch& launch, std::int64_t linear) {
  const Dim3& grid = launch.grid;
  return {linear % grid.x, linear / grid.x % grid.y, linear / grid.x / grid.y};
}

std::int64_t linear_block(const Launch& launch, const Dim3& block) {
  return block.x + launch.grid.x * (block.y + launch.grid.y * block.z);
}

}  // namespace warpscope
