// profiling/access/trace_view.cpp: elements, inputs and lanes of a trace.
#include "profiling/access/trace_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace warpscope {

const TracedBuffer* buffer_at(const Trace& trace, std::uint64_t address) {
  for (const TracedBuffer& buffer : trace.buffers) {
    if (address >= buffer.address &&
        static_cast<std::int64_t>(address - buffer.address) < buffer.bytes)
      return &buffer;
  }
  return nullptr;
}

const TracedBuffer* find_buffer(const Trace& trace, const std::string& name) {
  for (const TracedBuffer& buffer : trace.buffers) {
    if (buffer.name == name) return &buffer;
  }
  return nullptr;
}

std::int64_t element_count(const TracedBuffer& buffer) {
  return std::max<std::int64_t>(0, buffer.bytes) / element_bytes(buffer.type);
}

ArrayShape array_shape(const TracedBuffer& buffer, std::int64_t row_length) {
  const std::int64_t count = element_count(buffer);
  std::int64_t columns = buffer.shape.size() > 1 ? buffer.shape.back() : row_length;
  columns = std::max<std::int64_t>(1, columns);
  if (buffer.shape.size() < 2) columns = std::clamp<std::int64_t>(count, 1, columns);
  return {(count + columns - 1) / columns, columns};
}

std::string array_name(const TracedBuffer& buffer) {
  const std::string name = buffer.symbol.substr(0, buffer.symbol.find('['));
  return name.empty() ? buffer.name : name;
}

namespace {

// The indices of an element, slowest first.
std::vector<std::int64_t> indices_of(const TracedBuffer& buffer, std::int64_t element) {
  const std::size_t dimensions = std::max<std::size_t>(1, buffer.shape.size());
  std::vector<std::int64_t> indices(dimensions);
  for (std::size_t d = dimensions; d-- > 1;) {
    const std::int64_t extent = std::max<std::int64_t>(1, buffer.shape[d]);
    indices[d] = element % extent;
    element /= extent;
  }
  indices[0] = element;
  return indices;
}

std::string bracketed(const std::vector<std::int64_t>& indices, const std::string& last) {
  std::string text = "[";
  for (std::size_t i = 0; i + 1 < indices.size(); ++i) text += std::to_string(indices[i]) + ", ";
  return text + last + "]";
}

}  // namespace

std::string element_text(const TracedBuffer& buffer, std::int64_t first, std::int64_t last) {
  const std::string name = array_name(buffer);
  const std::vector<std::int64_t> a = indices_of(buffer, first), b = indices_of(buffer, last);
  if (first == last) return name + bracketed(a, std::to_string(a.back()));
  if (std::equal(a.begin(), a.end() - 1, b.begin()))
    return name + bracketed(a, fmt::format("{}..{}", a.back(), b.back()));
  return name + bracketed(a, std::to_string(a.back())) + " … " + name +
         bracketed(b, std::to_string(b.back()));
}

std::string range_text(const Trace& trace, std::uint64_t first, std::uint64_t last) {
  // A line may begin before a buffer or end after it: only the part inside counts.
  const TracedBuffer* buffer = buffer_at(trace, first);
  if (buffer == nullptr) buffer = buffer_at(trace, last);
  if (buffer == nullptr) return fmt::format("0x{:x}", first);
  const std::int64_t size = element_bytes(buffer->type);
  const std::uint64_t end = buffer->address + static_cast<std::uint64_t>(buffer->bytes - 1);
  const auto offset = [&](std::uint64_t address) {
    return static_cast<std::int64_t>(std::clamp(address, buffer->address, end) - buffer->address);
  };
  return element_text(*buffer, offset(first) / size, offset(last) / size);
}

bool belongs(const AccessSite& site, RequestFamily family) {
  return family == RequestFamily::any ||
         (site.space == Space::shared) == (family == RequestFamily::shared);
}

bool writes(AccessKind kind) {
  return kind != AccessKind::load && kind != AccessKind::async_copy &&
         kind != AccessKind::matrix_load && kind != AccessKind::bulk_copy &&
         kind != AccessKind::product_read;
}

bool reads(AccessKind kind) {
  return kind != AccessKind::store && kind != AccessKind::matrix_store &&
         kind != AccessKind::reduction && kind != AccessKind::bulk_store &&
         kind != AccessKind::bulk_reduction;
}

std::pair<std::size_t, std::size_t> requests_of_warp(const Trace& trace, std::uint32_t warp) {
  const auto first = std::partition_point(trace.requests.begin(), trace.requests.end(),
                                          [&](const WarpRequest& r) { return r.warp < warp; });
  const auto last = std::partition_point(first, trace.requests.end(),
                                         [&](const WarpRequest& r) { return r.warp == warp; });
  return {static_cast<std::size_t>(first - trace.requests.begin()),
          static_cast<std::size_t>(last - trace.requests.begin())};
}

std::optional<std::size_t> nearest_request(const Trace& trace, std::uint32_t warp,
                                           std::uint64_t order, RequestFamily family,
                                           std::int64_t site) {
  const auto [first, last] = requests_of_warp(trace, warp);
  std::optional<std::size_t> best;
  std::uint64_t best_distance = 0;
  for (std::size_t i = first; i < last; ++i) {
    const WarpRequest& r = trace.requests[i];
    if (!belongs(trace.sites[r.site], family) || (site >= 0 && r.site != site)) continue;
    const std::uint64_t distance = r.order > order ? r.order - order : order - r.order;
    if (best && distance >= best_distance) {
      if (r.order > order) break;  // they only get farther
      continue;
    }
    best = i;
    best_distance = distance;
  }
  return best;
}

std::optional<std::uint32_t> busiest_warp(const Trace& trace, RequestFamily family) {
  std::optional<std::uint32_t> best;
  std::int64_t most = 0, count = 0;
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {  // by warp
    const WarpRequest& r = trace.requests[i];
    if (i > 0 && trace.requests[i - 1].warp != r.warp) count = 0;
    count += belongs(trace.sites[r.site], family) ? 1 : 0;
    if (count > most) most = count, best = r.warp;
  }
  return best;
}

std::optional<std::size_t> nearest_request(const Trace& trace, std::uint64_t order,
                                           RequestFamily family) {
  const bool any = std::any_of(trace.sites.begin(), trace.sites.end(), [&](const AccessSite& site) {
    return belongs(site, family) && site.totals.requests > 0;
  });
  if (!any) return std::nullopt;
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    const WarpRequest& r = trace.requests[i];
    if (belongs(trace.sites[r.site], family))
      return nearest_request(trace, r.warp, order, family, -1);
  }
  return std::nullopt;
}

AccessTotals request_cost(const Trace& trace, const WarpRequest& request) {
  const AccessSite& site = trace.sites[request.site];
  return site.space == Space::shared ? shared_cost(request, site.width_bytes, site.kind)
                                     : global_cost(request, site.width_bytes, site.kind);
}

std::vector<RequestCost> request_costs(const Trace& trace) {
  std::vector<RequestCost> costs;
  costs.reserve(trace.requests.size());
  for (const WarpRequest& request : trace.requests) {
    const AccessTotals t = request_cost(trace, request);
    const bool shared = trace.sites[request.site].space == Space::shared;
    // Lanes that go to another block count with their sectors, none of which is in excess.
    costs.push_back(
        {static_cast<std::int32_t>(shared ? t.wavefronts + t.remote_sectors() : t.sectors),
         static_cast<std::int32_t>(shared ? t.ideal_wavefronts + t.remote_sectors()
                                          : t.ideal_sectors)});
  }
  return costs;
}

LineRequests requests_of_line(const Trace& trace, const SourcePosition& position,
                              RequestFamily family, std::span<const RequestCost> costs) {
  LineRequests found;
  for (std::size_t i = 0; i < std::min(trace.requests.size(), costs.size()); ++i) {
    const AccessSite& site = trace.sites[trace.requests[i].site];
    if (site.position.line != position.line || site.position.file != position.file ||
        !belongs(site, family))
      continue;
    found.requests.push_back(i);
    const auto rows =
        family == RequestFamily::shared
            ? costs[i].cost
            : static_cast<std::int32_t>(touched_lines(trace.requests[i], site.width_bytes).size());
    found.most_rows = std::max(found.most_rows, rows);
  }
  const auto waste = [&](std::size_t i) { return costs[i].cost - costs[i].ideal; };
  std::stable_sort(found.requests.begin(), found.requests.end(),
                   [&](std::size_t a, std::size_t b) { return waste(a) > waste(b); });
  return found;
}

namespace {

void add_elements(const Trace& trace, const TracedBuffer& buffer, std::size_t request,
                  std::uint32_t lanes, std::vector<ElementAccess>& list) {
  const WarpRequest& r = trace.requests[request];
  const AccessSite& site = trace.sites[r.site];
  const std::int64_t size = element_bytes(buffer.type);
  for (std::uint32_t rest = r.active & lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t address = r.addresses[static_cast<std::size_t>(lane)];
    if (site.space != Space::global || address < buffer.address) continue;
    const auto offset = static_cast<std::int64_t>(address - buffer.address);
    if (offset < 0 || offset >= buffer.bytes) continue;
    const std::int64_t end = std::min(offset + site.width_bytes, buffer.bytes);
    for (std::int64_t e = offset / size; e * size < end; ++e)
      list.push_back({e, static_cast<std::uint32_t>(request), static_cast<std::uint8_t>(lane)});
  }
}

void sort_by_element(const Trace& trace, std::vector<ElementAccess>& list) {
  std::sort(list.begin(), list.end(), [&](const ElementAccess& a, const ElementAccess& b) {
    if (a.element != b.element) return a.element < b.element;
    const std::uint64_t x = trace.requests[a.request].order, y = trace.requests[b.request].order;
    return x != y ? x < y : a.request != b.request ? a.request < b.request : a.lane < b.lane;
  });
}

}  // namespace

std::vector<ElementAccess> element_accesses(const Trace& trace, const TracedBuffer& buffer,
                                            bool writing) {
  std::vector<ElementAccess> list;
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    const AccessKind kind = trace.sites[trace.requests[i].site].kind;
    if (writing ? writes(kind) : reads(kind)) add_elements(trace, buffer, i, kAllLanes, list);
  }
  sort_by_element(trace, list);
  return list;
}

std::vector<ElementAccess> element_accesses(const Trace& trace, const TracedBuffer& buffer,
                                            std::span<const std::size_t> requests, int lane) {
  std::vector<ElementAccess> list;
  for (const std::size_t request : requests)
    add_elements(trace, buffer, request, lane >= 0 ? 1U << lane : kAllLanes, list);
  sort_by_element(trace, list);
  return list;
}

ElementSummary summary(const Trace& trace, std::span<const ElementAccess> accesses) {
  ElementSummary s;
  std::int64_t before = -1, times = 0;
  for (const ElementAccess& access : accesses) {
    times = access.element == before ? times + 1 : 1;
    s.elements += access.element == before ? 0 : 1;
    s.most = std::max(s.most, times);
    s.last_order = std::max(s.last_order, trace.requests[access.request].order);
    before = access.element;
  }
  return s;
}

const WriterMap* find_writers(const Trace& trace, const TracedBuffer& buffer) {
  for (const WriterMap& writers : trace.writers) {
    if (writers.buffer == buffer.name && !writers.blocks.empty()) return &writers;
  }
  return nullptr;
}

std::int64_t writer_of(const WriterMap& writers, std::int64_t element) {
  const std::int64_t entry = element / writers.elements;
  if (element < 0 || entry >= static_cast<std::int64_t>(writers.blocks.size())) return -1;
  return writers.blocks[static_cast<std::size_t>(entry)];
}

std::optional<std::size_t> request_on(const Trace& trace, const TracedBuffer& buffer, bool writing,
                                      std::size_t request) {
  if (request >= trace.requests.size()) return std::nullopt;
  const auto touches = [&](std::size_t i) {
    const AccessSite& site = trace.sites[trace.requests[i].site];
    return site.space == Space::global && site.buffer == buffer.name &&
           (writing ? writes(site.kind) : reads(site.kind));
  };
  const auto [first, last] = requests_of_warp(trace, trace.requests[request].warp);
  for (std::size_t i = request; i < last; ++i) {
    if (touches(i)) return i;
  }
  for (std::size_t i = request; i-- > first;) {
    if (touches(i)) return i;
  }
  return std::nullopt;
}

std::vector<std::size_t> inputs_of(const Trace& trace, std::size_t request, int lane) {
  std::vector<std::size_t> inputs;
  const std::uint32_t warp = trace.requests[request].warp;
  for (std::size_t i = request; i-- > 0 && trace.requests[i].warp == warp;) {
    const WarpRequest& r = trace.requests[i];
    const AccessSite& site = trace.sites[r.site];
    if (site.space != Space::global || (r.active >> lane & 1U) == 0) continue;
    if (reads(site.kind)) inputs.push_back(i);
    if (writes(site.kind)) break;
  }
  std::reverse(inputs.begin(), inputs.end());
  return inputs;
}

std::vector<LaneColumn> lane_columns(std::span<const IssuedInstruction> issued, std::int64_t first,
                                     std::int64_t count, int columns) {
  std::vector<LaneColumn> list;
  const auto size = static_cast<std::int64_t>(issued.size());
  first = std::clamp<std::int64_t>(first, 0, size);
  count = std::clamp<std::int64_t>(count, 0, size - first);
  const std::int64_t pieces = std::min<std::int64_t>(std::max(columns, 0), count);
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    LaneColumn column;
    column.first = first + count * piece / pieces;
    column.count = first + count * (piece + 1) / pieces - column.first;
    column.all = kAllLanes;
    std::int64_t lanes = 0;
    for (std::int64_t i = column.first; i < column.first + column.count; ++i) {
      const std::uint32_t active = issued[static_cast<std::size_t>(i)].active;
      column.any |= active;
      column.all &= active;
      lanes += std::popcount(active);
    }
    column.mean_active = static_cast<double>(lanes) / static_cast<double>(column.count);
    list.push_back(column);
  }
  return list;
}

ActivitySummary activity(std::span<const IssuedInstruction> issued) {
  ActivitySummary summary;
  std::int64_t lanes = 0;
  for (const IssuedInstruction& at : issued) {
    lanes += std::popcount(at.active);
    summary.partial += at.active != kAllLanes && at.active != 0 ? 1 : 0;
    summary.skipped += at.active == 0 ? 1 : 0;
  }
  summary.instructions = static_cast<std::int64_t>(issued.size());
  const std::int64_t taken = summary.instructions - summary.skipped;
  if (taken > 0) summary.mean_active = static_cast<double>(lanes) / static_cast<double>(taken);
  return summary;
}

}  // namespace warpscope
