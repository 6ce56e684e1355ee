// workbench/client/captures/seen_launches.cpp: the kernels that a program launched, summed over its
// processes.
#include "workbench/client/captures/seen_launches.h"

#include <algorithm>
#include <utility>

#include "profiling/capture/capture.h"
#include "profiling/listings/kernel_name.h"

namespace warpscope {
namespace {

void add_to(TallyRow& sum, const TallyRow& row) {
  sum.launches += row.launches;
  sum.timed += row.timed;
  sum.time_ms += row.time_ms;
  if (row.longest_ms > sum.longest_ms) {
    sum.longest_ms = row.longest_ms;
    sum.longest_number = row.longest_number;
  }
}

}  // namespace

std::string shape_text(const Launch& launch) {
  std::string text = extents_text(launch.grid) + " × " + extents_text(launch.block);
  if (launch.dynamic_shared_bytes > 0)
    text += ", " + std::to_string(launch.dynamic_shared_bytes) + " B shared";
  return text;
}

void SeenLaunches::add(const LaunchesReport& report) {
  Process& process = processes_[report.process];
  process.graph_launches = report.graph_launches;
  for (const TallyRow& row : report.rows)
    process.rows[row.symbol + "\n" + shape_text(row.launch) + "\n" + row.range] = row;
  constexpr std::size_t kMostRecent = 4000;
  for (const LaunchSpan& span : report.spans) {
    const TallyRow& row = report.rows[span.row];
    recent_.push_back(
        {report.process, span.stream, row.symbol, row.range, row.launch, span.start_ms, span.ms});
  }
  while (recent_.size() > kMostRecent) recent_.pop_front();
}

std::int64_t SeenLaunches::launches() const {
  std::int64_t count = 0;
  for (const auto& [pid, process] : processes_) {
    for (const auto& [key, row] : process.rows) count += row.launches;
  }
  return count;
}

std::int64_t SeenLaunches::graph_launches() const {
  std::int64_t count = 0;
  for (const auto& [pid, process] : processes_) count += process.graph_launches;
  return count;
}

std::vector<SeenLaunches::Kernel> SeenLaunches::kernels() const {
  std::map<std::string, Kernel> by_symbol;
  for (const auto& [pid, process] : processes_) {
    for (const auto& [key, row] : process.rows) {
      Kernel& kernel = by_symbol[row.symbol];
      TallyRow sum{kernel.symbol,
                   "",
                   {},
                   kernel.launches,
                   kernel.timed,
                   kernel.time_ms,
                   kernel.longest_ms,
                   kernel.longest_number};
      add_to(sum, row);
      kernel.symbol = row.symbol;
      kernel.launches = sum.launches;
      kernel.timed = sum.timed;
      kernel.time_ms = sum.time_ms;
      kernel.longest_ms = sum.longest_ms;
      kernel.longest_number = sum.longest_number;
      const auto known =
          std::find_if(kernel.shapes.begin(), kernel.shapes.end(),
                       [&](const TallyRow& shape) { return same_shape(shape.launch, row.launch); });
      if (known == kernel.shapes.end()) {
        kernel.shapes.push_back(row);
      } else {
        add_to(*known, row);
      }
      const bool told =
          std::find(kernel.ranges.begin(), kernel.ranges.end(), row.range) != kernel.ranges.end();
      if (!row.range.empty() && !told && kernel.ranges.size() < kMostRanges)
        kernel.ranges.push_back(row.range);
    }
  }
  std::vector<Kernel> all;
  for (auto& [symbol, kernel] : by_symbol) {
    kernel.name = demangled(symbol);
    std::stable_sort(kernel.shapes.begin(), kernel.shapes.end(),
                     [](const TallyRow& a, const TallyRow& b) { return a.launches > b.launches; });
    all.push_back(std::move(kernel));
  }
  std::stable_sort(all.begin(), all.end(), [](const Kernel& a, const Kernel& b) {
    return a.time_ms != b.time_ms ? a.time_ms > b.time_ms : a.launches > b.launches;
  });
  return all;
}

std::optional<TallyRow> SeenLaunches::longest(
    const std::function<bool(const TallyRow& row)>& among) const {
  std::optional<TallyRow> longest;
  for (const auto& [pid, process] : processes_) {
    for (const auto& [key, row] : process.rows) {
      if (row.timed > 0 && (!longest || row.longest_ms > longest->longest_ms) && among(row))
        longest = row;
    }
  }
  return longest;
}

}  // namespace warpscope
