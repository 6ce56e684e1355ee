// workbench/workspace/selection/trace_steps.cpp: keeps the trace selection inside its trace, and
// moves it.
#include "workbench/workspace/selection/trace_steps.h"

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

const TracedBuffer* same_array(const Trace& trace, const Trace& other, const std::string& name) {
  const TracedBuffer *here = find_buffer(trace, name), *there = find_buffer(other, name);
  const bool same = here != nullptr && there != nullptr && here->type == there->type &&
                    here->shape == there->shape;
  return same ? here : nullptr;
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

TraceSelection::LookedAt looked_at(const Trace& trace) {
  return {trace.scene, trace.variant, trace.step};
}

void settle(TraceSelection& selection, const Trace& trace) {
  const TraceSelection::LookedAt what = looked_at(trace);
  if (selection.looked_at != what) {
    if (selection.looked_at || (selection.request == 0 && selection.warp == 0)) {
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

void turn_to(TraceSelection& selection, const Trace* from, const Trace& to) {
  const bool inside = from != nullptr && from != &to && selection.looked_at == looked_at(*from) &&
                      selection.request < from->requests.size();
  if (inside) {
    const Counterpart there = counterpart(*from, selection.request, to);
    const std::uint64_t order = from->requests[selection.request].order;
    const bool one_instruction = selection.site >= 0;
    selection.site = -1;
    selection.looked_at = looked_at(to);
    selection.request = there.request.value_or(to.requests.size());
    if (!there.request) go_near(selection, to, order);
    if (one_instruction && there.request) selection.site = to.requests[*there.request].site;
  }
  settle(selection, to);
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

bool choose_line(TraceSelection& selection, const Trace& trace, const std::string& file, int line,
                 RequestFamily family) {
  settle(selection, trace);
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    const AccessSite& site = trace.sites[trace.requests[i].site];
    if (site.position.line != line || site.position.file != file || !belongs(site, family))
      continue;
    choose_request(selection, trace, i);
    selection.zoom = TraceZoom::request;
    return true;
  }
  return false;
}

bool choose_worst(TraceSelection& selection, const Trace& trace, RequestFamily family) {
  settle(selection, trace);
  std::pair<std::int64_t, std::int64_t> most{-1, -1};  // beyond what is needed, and all
  std::size_t worst = trace.requests.size();
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    if (!belongs(trace.sites[trace.requests[i].site], family)) continue;
    const AccessTotals cost = request_cost(trace, trace.requests[i]);
    const bool banks = family == RequestFamily::shared;
    const std::int64_t all = banks ? cost.wavefronts : cost.sectors,
                       needed = banks ? cost.ideal_wavefronts : cost.ideal_sectors;
    const std::pair beyond(all - needed, all);
    if (beyond <= most) continue;
    most = beyond;
    worst = i;
  }
  if (worst == trace.requests.size()) return false;
  choose_request(selection, trace, worst);
  selection.zoom = TraceZoom::request;
  return true;
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

NearRequest shown_request(const TraceSelection& t, const Trace& trace, RequestFamily family) {
  const WarpRequest* chosen = chosen_request(t, trace);
  if (chosen != nullptr && belongs(trace.sites[chosen->site], family)) return {t.request, ""};
  const std::uint64_t order =
      t.request < trace.requests.size() ? trace.requests[t.request].order : 0;
  const std::string what = family == RequestFamily::shared ? "shared" : "global";
  if (const auto near = nearest_request(trace, t.warp, order, family, -1)) {
    if (chosen == nullptr) return {near, ""};
    return {near, std::string("The chosen request is to ") +
                      to_text(trace.sites[chosen->site].space) + " memory: this is the " + what +
                      " one nearest in time."};
  }
  const auto near = nearest_request(trace, order, family);
  if (!near) return {near, "No warp of this block uses " + what + " memory."};
  return {near, "Warp " + std::to_string(t.warp) + " uses no " + what +
                    " memory: this is a request of warp " +
                    std::to_string(trace.requests[*near].warp) + ", nearest in time."};
}

HoveredBytes hovered_bytes(const Hovered& hovered, char pin, const Trace& trace,
                           const Trace* other) {
  HoveredBytes bytes;
  const bool own = hovered.pin == pin || other == nullptr;
  if (hovered.buffer.empty()) {
    if (own && hovered.sector >= 0)
      bytes.sector = static_cast<std::uint64_t>(hovered.sector) * kSectorBytes;
    return bytes;
  }
  const TracedBuffer* buffer =
      own ? find_buffer(trace, hovered.buffer) : same_array(trace, *other, hovered.buffer);
  if (buffer == nullptr) return bytes;
  if (hovered.sector >= 0)
    bytes.sector = buffer->address + static_cast<std::uint64_t>(hovered.sector) * kSectorBytes;
  if (hovered.element >= 0) {
    const auto size = static_cast<std::uint64_t>(element_bytes(buffer->type));
    bytes.first = buffer->address + static_cast<std::uint64_t>(hovered.element) * size;
    bytes.last = bytes.first + size - 1;
  }
  return bytes;
}

}  // namespace warpscope
