// profiling/export/access_summary.cpp: what the accesses of a kernel cost, a row each, for reports.
#include "profiling/export/access_summary.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "profiling/access/trace_view.h"
#include "profiling/figures/csv_text.h"
#include "profiling/figures/inert_text.h"

namespace warpscope {
namespace {

// The line of the access itself, inside of all calls.
const SourcePosition& innermost(const SourcePosition& position,
                                const std::vector<SourcePosition>& inlined_at) {
  return inlined_at.empty() ? position : inlined_at.front();
}

bool is_shared(const SummedAccess& access) { return access.space == Space::shared; }

std::string name_of(const SummedAccess& access) {
  const std::string what = is_shared(access)       ? "shared memory"
                           : access.buffer.empty() ? std::string(to_text(access.space)) + " memory"
                                                   : access.buffer;
  return std::string(to_text(access.kind)) + (writes(access.kind) ? " to " : " of ") + what;
}

std::string place_of(const SummedAccess& access) {
  return access.position.file + ":" + std::to_string(access.position.line);
}

std::string decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

std::string a_request(std::int64_t total, const SummedAccess& access) {
  return access.emulated.requests == 0
             ? "–"
             : decimal(static_cast<double>(total) / static_cast<double>(access.emulated.requests));
}

std::string counted(const std::optional<std::int64_t>& value) {
  return value ? std::to_string(*value) : "–";
}

ReportTable cost_table(const Trace& trace, const std::vector<SummedAccess>& accesses) {
  ReportTable table{
      "Accesses of " + trace.scene + "/" + trace.variant + ", " + trace.step + ", " +
          scope_text(trace),
      {"access", "line", "instructions", "requests", "lanes per request", "sectors per request",
       "lines per request", "wavefronts per request", "emulated, total", "counted, total"},
      {}};
  for (const SummedAccess& access : accesses) {
    const bool shared = is_shared(access);
    const std::int64_t all = shared ? access.emulated.wavefronts : access.emulated.sectors;
    table.rows.push_back(
        {name_of(access), place_of(access), std::to_string(access.sites),
         std::to_string(access.emulated.requests), a_request(access.emulated.lanes, access),
         shared ? "–" : a_request(access.emulated.sectors, access),
         shared ? "–" : a_request(access.emulated.lines, access),
         shared ? a_request(access.emulated.wavefronts, access) : "–",
         std::to_string(all) + (shared ? " wavefronts" : " sectors"),
         counted(access.counted[shared ? LineMetric::wavefronts : LineMetric::sectors])});
  }
  return table;
}

ReportTable lane_table(const Trace& trace, const std::vector<SummedAccess>& accesses) {
  ReportTable table{"Lanes of the first request of each",
                    {"access", "line", "thread", "lane", "element", "byte offset"},
                    {}};
  for (const SummedAccess& access : accesses) {
    if (access.first_request >= trace.requests.size()) continue;
    const WarpRequest& request = trace.requests[access.first_request];
    const AccessSite& site = trace.sites[request.site];
    for (const std::size_t lane : {0, 1, kWarpLanes - 2, kWarpLanes - 1}) {
      if ((request.active >> lane & 1) == 0) continue;
      const std::uint64_t address = request.addresses[lane];
      const std::uint64_t last = address + static_cast<std::uint64_t>(site.width_bytes) - 1;
      // Shared memory has offsets alone; constants have no address that says anything.
      const bool shared = is_shared(access);
      const TracedBuffer* buffer = shared ? nullptr : buffer_at(trace, address);
      const bool known = shared || buffer != nullptr;
      const std::uint64_t offset = buffer == nullptr ? address : address - buffer->address;
      table.rows.push_back({name_of(access), place_of(access),
                            std::to_string(std::int64_t{request.warp} * kWarpLanes + lane),
                            std::to_string(lane),
                            buffer == nullptr ? "–" : range_text(trace, address, last),
                            known ? std::to_string(offset) : "–"});
    }
  }
  return table;
}

}  // namespace

std::vector<SummedAccess> summed_accesses(const Trace& trace, const LineCounters* counters) {
  using Key = std::tuple<std::string, int, Space, bool, std::string>;
  std::map<Key, SummedAccess> rows;
  const auto key_of = [](const AccessSite& site) {
    const SourcePosition& at = innermost(site.position, site.inlined_at);
    return Key{at.file, at.line, site.space, writes(site.kind), site.buffer};
  };
  for (const AccessSite& site : trace.sites) {
    if (site.totals.requests == 0) continue;
    SummedAccess& row = rows[key_of(site)];
    row.position = innermost(site.position, site.inlined_at);
    row.space = site.space;
    row.kind = site.kind;
    row.buffer = site.buffer;
    row.emulated += site.totals;
    ++row.sites;
    row.first_request = trace.requests.size();
  }
  for (std::size_t i = trace.requests.size(); i-- > 0;) {
    const auto row = rows.find(key_of(trace.sites[trace.requests[i].site]));
    if (row != rows.end()) row->second.first_request = i;
  }
  std::vector<SummedAccess> accesses;
  for (auto& [key, row] : rows) {
    for (const LineCount& line : counters == nullptr ? std::vector<LineCount>{} : counters->rows) {
      const SourcePosition& at = innermost(line.position, line.inlined_at);
      if (at.file == row.position.file && at.line == row.position.line) row.counted += line.figures;
    }
    accesses.push_back(std::move(row));
  }
  return accesses;
}

std::vector<ReportTable> access_tables(const Trace& trace, const LineCounters* counters) {
  const std::vector<SummedAccess> accesses = summed_accesses(trace, counters);
  return {cost_table(trace, accesses), lane_table(trace, accesses)};
}

std::string markdown_table(const ReportTable& table) {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string text = "|";
    for (const std::string& cell : cells) text += " " + markdown_text(cell) + " |";
    return text + "\n";
  };
  std::string text = "## " + markdown_text(table.title) + "\n\n" + line(table.header);
  text += line(std::vector<std::string>(table.header.size(), "---"));
  for (const std::vector<std::string>& row : table.rows) text += line(row);
  return text + "\n";
}

std::string csv_table(const ReportTable& table) {
  std::string text = csv_row({table.title}) + csv_row(table.header);
  for (const std::vector<std::string>& row : table.rows) text += csv_row(row);
  return text;
}

}  // namespace warpscope
