// profiling/capture/tally.cpp: how often and for how long each kernel of a program ran.
#include "profiling/capture/tally.h"

#include <string_view>

namespace warpscope {
namespace {

// Beyond, ranges are no longer told apart: a program may number them.
constexpr std::size_t kMostRows = 20'000;
constexpr std::size_t kMostSpans = 1000;  // of one report

}  // namespace

bool same_shape(const Launch& a, const Launch& b) {
  return a.grid == b.grid && a.block == b.block && a.dynamic_shared_bytes == b.dynamic_shared_bytes;
}

Tally::Place Tally::count(const char* symbol, const Launch& launch, const std::string& range) {
  ++launches_;
  auto kernel = kernels_.find(std::string_view(symbol));
  if (kernel == kernels_.end()) kernel = kernels_.emplace(symbol, Kernel{}).first;
  const std::int64_t number = ++kernel->second.launches;
  // Most launches are like the last one of their kernel.
  if (number > 1) {
    const TallyRow& last = rows_[kernel->second.row];
    if (same_shape(last.launch, launch) && last.range == range) {
      ++rows_[kernel->second.row].launches;
      fresh_[kernel->second.row] = true;
      return {kernel->second.row, number};
    }
  }
  const std::string told = rows_.size() < kMostRows ? range : std::string();
  const Dim3 &g = launch.grid, &b = launch.block;
  const auto [place, added] = places_.try_emplace(
      Key{symbol, told, g.x, g.y, g.z, b.x, b.y, b.z, launch.dynamic_shared_bytes}, rows_.size());
  if (added) {
    rows_.push_back({symbol, told, launch, 0, 0, 0, 0, 0});
    fresh_.push_back(true);
  }
  const std::size_t row = place->second;
  ++rows_[row].launches;
  fresh_[row] = true;
  kernel->second.row = row;
  return {row, number};
}

void Tally::timed(const Place& place, double ms, double start_ms, std::int64_t stream) {
  TallyRow& row = rows_[place.row];
  ++row.timed;
  row.time_ms += ms;
  if (ms > row.longest_ms) {
    row.longest_ms = ms;
    row.longest_number = place.number;
  }
  fresh_[place.row] = true;
  if (start_ms > 0 && spans_.size() < kMostSpans)
    spans_.push_back({place.row, start_ms, ms, stream});
}

Tally::Changes Tally::changes() {
  Changes changes;
  std::map<std::size_t, std::size_t> places;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (!fresh_[i]) continue;
    fresh_[i] = false;
    places[i] = changes.rows.size();
    changes.rows.push_back(rows_[i]);
  }
  changes.spans.swap(spans_);
  for (LaunchSpan& span : changes.spans) span.row = places.at(span.row);
  return changes;
}

}  // namespace warpscope
