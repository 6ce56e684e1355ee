// profiling/access/trace_view.h: what diagrams and tables ask of a trace: elements, inputs,
// comparisons.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "profiling/access/line_counters.h"
#include "profiling/access/trace.h"

// Pure functions of a trace that passed defect(). Panels call them each frame, so whatever goes
// over all requests is kept by the caller until the trace changes.

namespace warpscope {

// The buffer that holds the byte at `address`; null: none.
const TracedBuffer* buffer_at(const Trace& trace, std::uint64_t address);
const TracedBuffer* find_buffer(const Trace& trace, const std::string& name);
std::int64_t element_count(const TracedBuffer& buffer);
// Rows and columns when the array is drawn as a grid: the last extent is a row, the others make the
// number of rows; an array of one dimension is cut into rows of `row_length`.
struct ArrayShape {
  std::int64_t rows = 0, columns = 0;
};
ArrayShape array_shape(const TracedBuffer& buffer, std::int64_t row_length = 128);
std::string array_name(const TracedBuffer& buffer);  // "B": the symbol up to its bracket
// "B[4711, 0..31]", "indices[7]", "B[3, 120] … B[4, 7]": elements first to last in the array's own
// indices.
std::string element_text(const TracedBuffer& buffer, std::int64_t first, std::int64_t last);
// The bytes first to last of global memory as elements of a buffer, else as addresses.
std::string range_text(const Trace& trace, std::uint64_t first, std::uint64_t last);

enum class RequestFamily { any, global, shared };  // global: also local and constant memory
bool belongs(const AccessSite& site, RequestFamily family);
bool writes(AccessKind kind);  // also atomics and reductions
bool reads(AccessKind kind);   // also atomics

// The requests of a warp: [first, second) in Trace::requests.
std::pair<std::size_t, std::size_t> requests_of_warp(const Trace& trace, std::uint32_t warp);
// The request of the warp nearest in time to `order` that belongs to `family` and (≥ 0) to `site`.
std::optional<std::size_t> nearest_request(const Trace& trace, std::uint32_t warp,
                                           std::uint64_t order, RequestFamily family,
                                           std::int64_t site);
// The warp with the most kept requests of `family`, which is what a person wants to see first: not
// the warp that only copies tiles for the others. If several have as many, the first of them. No
// value if no warp has such a request.
std::optional<std::uint32_t> busiest_warp(const Trace& trace, RequestFamily family);
// The request of `family` nearest in time to `order`, of the first warp of the block that has any.
std::optional<std::size_t> nearest_request(const Trace& trace, std::uint64_t order,
                                           RequestFamily family);
// What one request costs: sectors of global memory, wavefronts of shared memory.
AccessTotals request_cost(const Trace& trace, const WarpRequest& request);
// The sectors or wavefronts of every request, and as many as would do, in Trace::requests' order.
struct RequestCost {
  std::int32_t cost = 0, ideal = 0;
};
std::vector<RequestCost> request_costs(const Trace& trace);
// The kept requests of a source line to one memory: those that cost most beyond the ideal first, of
// equals by warp and time.
struct LineRequests {
  std::vector<std::size_t> requests;
  // 128-byte lines that one of them touches, or wavefronts that it takes, at most.
  std::int32_t most_rows = 0;
};
LineRequests requests_of_line(const Trace& trace, const SourcePosition& position,
                              RequestFamily family, std::span<const RequestCost> costs);

// One lane touching one element.
struct ElementAccess {
  std::int64_t element = 0;
  std::uint32_t request = 0;  // index into Trace::requests
  std::uint8_t lane = 0;
};
// Every element of `buffer` that kept requests write (or read), by element, then by time.
std::vector<ElementAccess> element_accesses(const Trace& trace, const TracedBuffer& buffer,
                                            bool writing);
// The same of these requests, whatever they do; of one lane (≥ 0) or all.
std::vector<ElementAccess> element_accesses(const Trace& trace, const TracedBuffer& buffer,
                                            std::span<const std::size_t> requests, int lane);
struct ElementSummary {
  std::int64_t elements = 0;     // touched at all
  std::int64_t most = 0;         // accesses to one element
  std::uint64_t last_order = 0;  // of the latest access
};
ElementSummary summary(const Trace& trace, std::span<const ElementAccess> accesses);
// Which blocks of the grid wrote a buffer; null where the trace does not know.
const WriterMap* find_writers(const Trace& trace, const TracedBuffer& buffer);
// The block that wrote an element, or one of those that share its entry; −1: none.
std::int64_t writer_of(const WriterMap& writers, std::int64_t element);
// The request of the same warp that writes (or reads) `buffer` and stands for `request`: itself,
// else the next one, else the last one before it. No value: the warp has none.
std::optional<std::size_t> request_on(const Trace& trace, const TracedBuffer& buffer, bool writing,
                                      std::size_t request);
// The requests that gave a lane its values before it wrote: its reads of global memory since its
// last write to global memory, in order.
std::vector<std::size_t> inputs_of(const Trace& trace, std::size_t request, int lane);

// The figures of one instruction beside its group's counters.
struct SiteFigures {
  std::uint32_t site = 0;
  std::string unit;             // "sectors/request", "wavefronts/request"
  double modelled = 0;          // cost of a request
  double ideal = 0;             // as few as the bytes or words need
  double efficiency_ratio = 1;  // used of fetched bytes; ideal of actual wavefronts
  double share_ratio = 0;       // of all sectors, or of all wavefronts, of the kernel
  double waste_ratio = 0;       // the part of it that is beyond the ideal
  // From the group's counters, if this is the group's only instruction; see also add_line_counts.
  std::optional<double> measured;
  std::string counted;  // what was counted, if it is not this instruction by its group's counters
  std::string missing;  // why there is no measured figure
  bool summed = false;  // it is counted, but together with the group's other instructions
};
// One group of instructions that a counter sums over: "global loads", "global stores", "shared".
struct GroupFigures {
  std::string name, unit;
  Space space = Space::global;
  std::optional<double> modelled, measured;
  std::string missing;
};
// `counters` are a measurement's metrics; empty: nothing is measured.
std::vector<SiteFigures> site_figures(const Trace& trace, const std::vector<MetricValue>& counters);
// Instructions without a measured figure get what the counter set `lines` counted (null: nothing):
// of SASS each its own, of PTX the sum over its source line, where all blocks stand in the trace.
void add_line_counts(std::vector<SiteFigures>& figures, const Trace& trace,
                     const LineCounters* lines);
std::vector<GroupFigures> group_figures(const Trace& trace,
                                        const std::vector<MetricValue>& counters);
// One row per instruction, with units and conditions in every row.
std::string accesses_csv(const Trace& trace, const std::vector<MetricValue>& counters);

// `columns` pieces of the instructions [first, first + count) of a warp, for drawing.
struct LaneColumn {
  std::int64_t first = 0, count = 0;
  double mean_active = 0;          // 0 … 32
  std::uint32_t any = 0, all = 0;  // lanes active in some, in every instruction of the piece
};
std::vector<LaneColumn> lane_columns(std::span<const IssuedInstruction> issued, std::int64_t first,
                                     std::int64_t count, int columns);
struct ActivitySummary {
  // Instructions that warps execute; those that only some lanes take; and those that no lane takes.
  // In the last case all lanes skip it together, which is not divergence.
  std::int64_t instructions = 0, partial = 0, skipped = 0;
  double mean_active = 0;  // over instructions that any lane takes
  // The share among instructions that any lane takes, weighted by how often warps execute them.
  double partial_ratio() const {
    return instructions > skipped
               ? static_cast<double>(partial) / static_cast<double>(instructions - skipped)
               : 0;
  }
};
ActivitySummary activity(std::span<const IssuedInstruction> issued);

}  // namespace warpscope
