// workbench/workspace/trace_steps.cpp: keeps the trace selection inside its trace, and moves it.
#include "workbench/workspace/trace_steps.h"

#include <algorithm>
#include <map>

#include "scenes/host/enumerators.h"

namespace warpscope {
namespace {

bool passes(const TraceSelection& selection, const WarpRequest& request) {
  return selection.site < 0 || request.site == selection.site;
}

bool has_requests(const Trace& trace, std::uint32_t warp) {
  const auto [first, last] = requests_of_warp(trace, warp);
  return first < last;
}

void go_near(TraceSelection& selection, const Trace& trace, std::uint64_t order) {
  if (const auto near =
          nearest_request(trace, selection.warp, order, RequestFamily::any, selection.site))
    selection.request = *near;
}

}  // namespace

const char* to_text(TraceZoom zoom) { return named(zoom, {"grid", "block", "warp", "request"}); }

// The busiest warp's first request of the instruction that moves most: what a person wants to see
// first.
void look_at_the_heaviest(TraceSelection& selection, const Trace& trace) {
  const std::optional<std::uint32_t> warp = busiest_warp(trace, RequestFamily::any);
  if (!warp) return;
  selection.warp = *warp;
  std::int64_t most = -1;
  const auto [first, last] = requests_of_warp(trace, *warp);
  for (std::size_t i = first; i < last; ++i) {
    const AccessTotals& totals = trace.sites[trace.requests[i].site].totals;
    const std::int64_t cost = totals.sectors + totals.wavefronts;
    if (cost <= most) continue;
    most = cost;
    selection.request = i;
  }
}

void settle(TraceSelection& selection, const Trace& trace) {
  const std::string what = trace.scene + "/" + trace.variant + "/" + trace.step;
  if (selection.looked_at != what) {
    if (!selection.looked_at.empty() || (selection.request == 0 && selection.warp == 0)) {
      selection.site = -1;
      look_at_the_heaviest(selection, trace);
    }
    selection.looked_at = what;
  }
  if (selection.site >= static_cast<std::int64_t>(trace.sites.size())) selection.site = -1;
  selection.warp =
      std::min(selection.warp, static_cast<std::uint32_t>(std::max(0, warps_of(trace.launch) - 1)));
  if (!trace.requests.empty() && !has_requests(trace, selection.warp))
    selection.warp = trace.requests.front().warp;
  const bool inside = selection.request < trace.requests.size() &&
                      trace.requests[selection.request].warp == selection.warp &&
                      passes(selection, trace.requests[selection.request]);
  if (!inside) {
    const bool known = selection.request < trace.requests.size();
    const auto [first, last] = requests_of_warp(trace, selection.warp);
    selection.request = std::min(first, std::max<std::size_t>(trace.requests.size(), 1) - 1);
    go_near(selection, trace, known ? trace.requests[selection.request].order : 0);
  }
  if (find_buffer(trace, selection.buffer) == nullptr) selection.buffer = most_written(trace);
}

const WarpRequest* chosen_request(const TraceSelection& selection, const Trace& trace) {
  if (selection.request >= trace.requests.size()) return nullptr;
  const WarpRequest& request = trace.requests[selection.request];
  return request.warp == selection.warp && passes(selection, request) ? &request : nullptr;
}

StepPosition step_position(const TraceSelection& selection, const Trace& trace) {
  StepPosition position;
  const auto [first, last] = requests_of_warp(trace, selection.warp);
  for (std::size_t i = first; i < last; ++i) {
    if (!passes(selection, trace.requests[i])) continue;
    ++position.of;
    if (i <= selection.request) position.at = position.of;
  }
  return position;
}

bool step_request(TraceSelection& selection, const Trace& trace, int by) {
  const auto [first, last] = requests_of_warp(trace, selection.warp);
  auto at = static_cast<std::ptrdiff_t>(selection.request);
  for (at += by; at >= static_cast<std::ptrdiff_t>(first) && at < static_cast<std::ptrdiff_t>(last);
       at += by) {
    if (!passes(selection, trace.requests[static_cast<std::size_t>(at)])) continue;
    selection.request = static_cast<std::size_t>(at);
    return true;
  }
  return false;
}

void step_warp(TraceSelection& selection, const Trace& trace, int by) {
  const std::uint64_t order =
      selection.request < trace.requests.size() ? trace.requests[selection.request].order : 0;
  const int warps = warps_of(trace.launch);
  for (int to = static_cast<int>(selection.warp) + by; to >= 0 && to < warps; to += by) {
    if (!has_requests(trace, static_cast<std::uint32_t>(to))) continue;
    selection.warp = static_cast<std::uint32_t>(to);
    go_near(selection, trace, order);
    settle(selection, trace);
    return;
  }
}

void choose_request(TraceSelection& selection, const Trace& trace, std::size_t request) {
  if (request >= trace.requests.size()) return;
  selection.request = request;
  selection.warp = trace.requests[request].warp;
  if (!passes(selection, trace.requests[request])) selection.site = -1;
}

void choose_site(TraceSelection& selection, const Trace& trace, std::int64_t site) {
  const std::uint64_t order =
      selection.request < trace.requests.size() ? trace.requests[selection.request].order : 0;
  selection.site = selection.site == site ? -1 : site;
  go_near(selection, trace, order);
}

void zoom(TraceSelection& selection, int by) {
  selection.zoom = static_cast<TraceZoom>(
      std::clamp(static_cast<int>(selection.zoom) + by, 0, static_cast<int>(TraceZoom::request)));
}

void play(TraceSelection& selection, const Trace& trace, double seconds) {
  if (!selection.playing) return;
  selection.since_step_s += seconds;
  const double pause = 1 / std::max(selection.speed, 0.1);
  while (selection.playing && selection.since_step_s >= pause) {
    selection.since_step_s -= pause;
    if (!step_request(selection, trace, 1)) selection.playing = false;
  }
  if (!selection.playing) selection.since_step_s = 0;
}

std::string most_written(const Trace& trace) {
  std::map<std::string, std::int64_t> bytes;
  for (const AccessSite& site : trace.sites) {
    if (site.space == Space::global && find_buffer(trace, site.buffer) != nullptr)
      bytes[site.buffer] += writes(site.kind) ? site.totals.lane_bytes : 0;
  }
  std::string best = trace.buffers.empty() ? "" : trace.buffers.front().name;
  std::int64_t most = 0;
  for (const auto& [name, count] : bytes) {
    if (count > most) best = name, most = count;
  }
  return best;
}

}  // namespace warpscope
