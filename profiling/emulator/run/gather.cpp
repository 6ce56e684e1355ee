// profiling/emulator/run/gather.cpp: what the workers of a run did, as a trace.
#include "profiling/emulator/run/gather.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "profiling/emulator/hangs/hang_story.h"

namespace warpscope {
namespace {

std::string named_buffer(const std::vector<std::int64_t>& touched,
                         const EmulatedMemory::State& memory) {
  const auto most = std::max_element(touched.begin(), touched.end());
  if (most == touched.end() || *most == 0) return {};
  return memory.buffers[static_cast<std::size_t>(most - touched.begin())]->spec.name;
}

std::vector<WriterMap> writers_of(const EmulatedMemory::State& memory,
                                  const std::vector<Worker>& workers) {
  std::vector<WriterMap> maps;
  for (std::size_t b = 0; b < memory.buffers.size(); ++b) {
    const MemoryBuffer& buffer = *memory.buffers[b];
    WriterMap map{buffer.spec.name, 1, {}};
    for (const Worker& w : workers) {
      if (b >= w.writers.size() || w.writers[b].blocks.empty()) continue;
      const Worker::Writers& part = w.writers[b];
      map.elements = (std::int64_t{1} << part.shift) / element_bytes(buffer.spec.type);
      map.blocks.resize(part.blocks.size(), -1);
      for (std::size_t e = 0; e < part.blocks.size(); ++e)
        map.blocks[e] = std::max(map.blocks[e], part.blocks[e]);
    }
    if (!map.blocks.empty() && !buffer.internal) maps.push_back(std::move(map));
  }
  return maps;
}

// Warp after warp, each in its own order. Requests are large: places are sorted, then every request
// is moved once, along the cycles of the permutation, without a second list.
void sort_by_warp(std::vector<WarpRequest>& requests) {
  const auto before = [](const WarpRequest& a, const WarpRequest& b) {
    return a.warp != b.warp ? a.warp < b.warp : a.order < b.order;
  };
  if (std::is_sorted(requests.begin(), requests.end(), before)) return;
  std::vector<std::uint32_t> from(requests.size());  // the request that belongs at each place
  std::iota(from.begin(), from.end(), 0U);
  std::stable_sort(from.begin(), from.end(), [&](std::uint32_t a, std::uint32_t b) {
    return before(requests[a], requests[b]);
  });
  for (std::uint32_t start = 0; start < from.size(); ++start) {
    if (from[start] == start) continue;
    const WarpRequest first = requests[start];
    std::uint32_t place = start;
    for (std::uint32_t next = from[place]; next != start; next = from[place]) {
      requests[place] = requests[next];
      from[place] = place;
      place = next;
    }
    requests[place] = first;
    from[place] = place;
  }
}

// By instruction and kind, of all workers.
using FaultsByPlace = std::map<std::pair<std::uint32_t, FaultKind>, FaultLog::Entry>;

void add_faults(FaultsByPlace& faults, const FaultLog& log) {
  for (const auto& [key, entry] : log.entries()) {
    const auto [known, added] = faults.try_emplace(key, entry);
    if (added) continue;
    Fault& fault = known->second.fault;
    const std::int64_t count = fault.count + entry.fault.count;
    const bool held =
        fault.needed > 0 && entry.fault.needed > 0 && fault.buffer == entry.fault.buffer;
    const std::int64_t needed = held ? std::max(fault.needed, entry.fault.needed) : -1;
    if (entry.block < known->second.block) known->second = entry;
    fault.count = count;
    fault.needed = needed;
  }
}

// The first fault of the first block comes first.
std::vector<Fault> in_order(const FaultsByPlace& faults) {
  std::vector<Fault> list;
  std::vector<const FaultLog::Entry*> ordered;
  for (const auto& [key, entry] : faults) ordered.push_back(&entry);
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto* a, const auto* b) { return a->block < b->block; });
  list.reserve(ordered.size());
  for (const FaultLog::Entry* entry : ordered) {
    list.push_back(entry->fault);
    list.back().needed = std::max<std::int64_t>(0, list.back().needed);
  }
  return list;
}

// What the instructions and sites of each line did; `executed` and `lanes` by instruction.
std::vector<LineTotals> lines_of(const KernelCode& kernel,
                                 const std::vector<std::int64_t>& executed,
                                 const std::vector<std::int64_t>& lanes,
                                 const std::vector<AccessSite>& sites) {
  std::vector<LineTotals> lines(kernel.lines.size());
  for (std::size_t k = 0; k < lines.size(); ++k) lines[k].position = kernel.lines[k];
  for (std::size_t pc = 0; pc < executed.size(); ++pc) {
    const int line = kernel.sources[kernel.code[pc].source].line_index;
    if (line < 0) continue;
    lines[static_cast<std::size_t>(line)].instructions += executed[pc];
    lines[static_cast<std::size_t>(line)].threads += lanes[pc];
  }
  for (const AccessSite& site : sites) {
    const int line = kernel.sources[site.instruction].line_index;
    if (line < 0) continue;
    LineTotals& totals = lines[static_cast<std::size_t>(line)];
    ++totals.sites;
    if (site.space == Space::global) totals.global += site.totals;
    if (site.space == Space::shared) totals.shared += site.totals;
    if (site.space == Space::local) totals.local += site.totals;
  }
  std::erase_if(lines, [](const LineTotals& l) { return l.instructions == 0; });
  std::sort(lines.begin(), lines.end(), [](const LineTotals& a, const LineTotals& b) {
    return a.position.file != b.position.file ? a.position.file < b.position.file
                                              : a.position.line < b.position.line;
  });
  return lines;
}

// Executed instructions of machine code; who knows their texts adds them.
MachineFigures rows_of(const KernelCode& kernel, const std::vector<std::int64_t>& executed,
                       const std::vector<std::int64_t>& lanes) {
  MachineFigures code;
  code.rows.resize(kernel.sources.size());
  code.unknown = kernel.unknown;
  for (std::size_t pc = 0; pc < executed.size(); ++pc) {
    const std::size_t source = kernel.code[pc].source;
    if (source >= code.rows.size()) continue;
    code.rows[source].executed += executed[pc];
    code.rows[source].threads += lanes[pc];
  }
  for (std::size_t k = 0; k < code.rows.size(); ++k)
    code.rows[k].position = kernel.sources[k].position;
  return code;
}

}  // namespace

void gather(const KernelCode& kernel, const EmulatedMemory::State& memory,
            std::vector<Worker>& workers, Trace& trace) {
  std::vector<std::int64_t> executed(kernel.code.size(), 0), lanes(kernel.code.size(), 0);
  trace.sites = kernel.sites;
  std::vector<std::vector<std::int64_t>> touched(
      kernel.sites.size(), std::vector<std::int64_t>(memory.buffers.size(), 0));
  FaultsByPlace faults;
  std::vector<std::pair<std::int64_t, std::string>> prints;
  for (Worker& w : workers) {
    for (std::size_t pc = 0; pc < executed.size(); ++pc) {
      executed[pc] += w.executed[pc];
      lanes[pc] += w.lanes[pc];
    }
    for (std::size_t s = 0; s < trace.sites.size(); ++s) {
      trace.sites[s].totals += w.totals[s];
      if (w.site_space[s] != 0) trace.sites[s].space = static_cast<Space>(w.site_space[s] - 1);
      for (std::size_t b = 0; b < w.touched[s].size() && b < touched[s].size(); ++b) {
        touched[s][b] += w.touched[s][b];
      }
    }
    add_faults(faults, w.faults);
    trace.truncated = trace.truncated || w.truncated;
    prints.insert(prints.end(), w.prints.begin(), w.prints.end());
  }
  trace.requests = std::move(workers.front().run->requests);
  trace.issued = std::move(workers.front().run->issued);
  trace.barriers = std::move(workers.front().run->barriers);
  trace.barrier_events = std::move(workers.front().run->barrier_events);
  sort_by_warp(trace.requests);
  std::stable_sort(prints.begin(), prints.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [block, text] : prints) trace.printed += text;
  trace.writers = writers_of(memory, workers);
  trace.faults = in_order(faults);
  trace.hang = hang_story(workers);

  for (std::size_t s = 0; s < trace.sites.size(); ++s) {
    trace.sites[s].buffer = named_buffer(touched[s], memory);
  }
  trace.warp_instructions += std::accumulate(executed.begin(), executed.end(), std::int64_t{0});
  trace.thread_instructions += std::accumulate(lanes.begin(), lanes.end(), std::int64_t{0});
  trace.lines = lines_of(kernel, executed, lanes, trace.sites);
  if (kernel.of_machine_code) trace.machine_code = rows_of(kernel, executed, lanes);
}

}  // namespace warpscope
