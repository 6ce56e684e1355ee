// scenes/patterns/work.cpp: what each operation must cost by arithmetic alone, level by level.
#include "scenes/patterns/work.h"

#include <algorithm>
#include <optional>

#include "scenes/patterns/shapes.h"

namespace warpscope::patterns {
namespace {

using Value = std::optional<double>;

bool has(const Variant& v, const char* trait) { return v.traits.count(trait) != 0; }

std::int64_t trait(const Variant& v, const char* name) {
  return static_cast<std::int64_t>(v.traits.at(name));
}

double bytes_of(std::int64_t elements) { return static_cast<double>(elements * kValueBytes); }

double sector_bytes_of(std::int64_t sectors) { return static_cast<double>(sectors * kSectorBytes); }

// Distinct sectors of `count` aligned accesses of at most 32 bytes, `step` bytes apart.
std::int64_t sectors_of(std::int64_t first_byte, std::int64_t step, std::int64_t count) {
  if (count == 0 || step >= kSectorBytes) return count;
  return (first_byte + (count - 1) * step) / kSectorBytes - first_byte / kSectorBytes + 1;
}

// The same, warp by warp: 32 steps are whole sectors, so every full warp is aligned like the first.
std::int64_t request_sectors(std::int64_t first_byte, std::int64_t step, std::int64_t count) {
  return count / kLanes * sectors_of(first_byte, step, kLanes) +
         sectors_of(first_byte, step, count % kLanes);
}

// Sectors of requests and their number: what loads and stores of global memory touch.
struct Traffic {
  std::int64_t load_requests = 0, load_sectors = 0, store_sectors = 0;
};

Traffic copy_traffic(const Workload& w) {
  const std::int64_t count = copied_vectors(w.axes), per_lane = elements_per_lane(w.axes);
  const std::int64_t width = per_lane * kValueBytes;
  return {ceil_divide(count, kLanes),
          request_sectors(w.integer("offset") * kValueBytes, w.integer("stride") * width, count),
          request_sectors(0, width, count)};
}

Traffic structures_traffic(const Workload& w, const Variant& v) {
  const std::int64_t count = structures(w.axes), fields = w.integer("fields");
  const std::int64_t warps = ceil_divide(count, kLanes);
  Traffic traffic{0, 0, request_sectors(0, kValueBytes, count)};
  if (has(v, "own_arrays")) {
    traffic.load_requests = fields * warps;
    for (std::int64_t f = 0; f < fields; ++f)
      traffic.load_sectors += request_sectors(f * count * kValueBytes, kValueBytes, count);
    return traffic;
  }
  const std::int64_t loads = ceil_divide(fields * kValueBytes, trait(v, "load_bytes"));
  traffic.load_requests = loads * warps;
  traffic.load_sectors = loads * request_sectors(0, kFields * kValueBytes, count);
  return traffic;
}

// Requests that each take up to 32 neighbours of a row of a matrix, `step` bytes apart, where row r
// begins at byte r · pitch: rows are aligned alike every eight of them.
std::int64_t matrix_sectors(std::int64_t rows, std::int64_t pitch, std::int64_t step,
                            std::int64_t columns) {
  constexpr std::int64_t kPeriod = kSectorBytes / kValueBytes;
  std::int64_t sectors = 0;
  for (std::int64_t r = 0; r < std::min(rows, kPeriod); ++r) {
    const std::int64_t alike = (rows - r - 1) / kPeriod + 1;
    sectors += alike * request_sectors(r * pitch % kSectorBytes, step, columns);
  }
  return sectors;
}

Traffic transpose_traffic(const Workload& w, const Variant& v) {
  const std::int64_t rows = w.integer("rows"), columns = w.integer("columns");
  const std::int64_t stores = has(v, "spread_stores")
                                  ? matrix_sectors(rows, kValueBytes, rows * kValueBytes, columns)
                                  : matrix_sectors(columns, rows * kValueBytes, kValueBytes, rows);
  return {rows * ceil_divide(columns, kLanes),
          matrix_sectors(rows, columns * kValueBytes, kValueBytes, columns), stores};
}

Traffic reduction_traffic(const Workload& w, const Variant& v) {
  const std::int64_t n = w.integer("n"), at_once = trait(v, "elements_per_load");
  const std::int64_t lanes = ceil_divide(n, at_once);
  // One lane stores the sum of a piece: a request and a sector each.
  return {ceil_divide(lanes, kLanes), request_sectors(0, at_once * kValueBytes, lanes),
          ceil_divide(n, kPiece)};
}

Traffic gather_traffic(const Workload& w, const Variant& v) {
  const std::int64_t n = w.integer("n"), at_once = trait(v, "indices_per_lane");
  const std::int64_t lanes = n / at_once, warps = ceil_divide(lanes, kLanes);
  const std::int64_t stream = request_sectors(0, at_once * kValueBytes, lanes);
  const double named = w.fact(at_once == 1 ? "gather_sectors" : "quad_sectors");
  return {warps * (1 + at_once), stream + static_cast<std::int64_t>(named), stream};
}

std::optional<Traffic> traffic(const Workload& w, const Variant& v) {
  if (has(v, "load_as_laid_out")) return copy_traffic(w);
  if (op_is(w.axes, "structures")) return structures_traffic(w, v);
  if (op_is(w.axes, "transpose")) return transpose_traffic(w, v);
  if (op_is(w.axes, "reduction")) return reduction_traffic(w, v);
  if (op_is(w.axes, "gather")) return gather_traffic(w, v);
  return std::nullopt;  // atomics go to L2 by rules of their own; the driver's copy is its own
                        // affair
}

Value flops(const Workload& w, const Variant&) {
  const std::int64_t outputs = output_elements(w.axes);
  if (op_is(w.axes, "structures")) return static_cast<double>((w.integer("fields") - 1) * outputs);
  if (op_is(w.axes, "reduction")) return static_cast<double>(w.integer("n") - outputs);
  if (op_is(w.axes, "atomics")) return w.real("n");
  return std::nullopt;
}

Value useful_bytes(const Workload& w, const Variant&) {
  const std::int64_t n = w.integer("n"), outputs = output_elements(w.axes);
  if (op_is(w.axes, "structures")) return bytes_of((w.integer("fields") + 1) * outputs);
  if (op_is(w.axes, "reduction")) return bytes_of(n + outputs);
  if (op_is(w.axes, "gather")) return bytes_of(3 * n);
  if (op_is(w.axes, "atomics")) return bytes_of(2 * n + outputs);
  return bytes_of(2 * outputs);
}

Value dram_bytes(const Workload& w, const Variant& v) {
  if (op_is(w.axes, "copy")) {
    const std::int64_t width = elements_per_lane(w.axes) * kValueBytes;
    const std::int64_t count = copied_vectors(w.axes);
    return sector_bytes_of(
        sectors_of(w.integer("offset") * kValueBytes, w.integer("stride") * width, count) +
        sectors_of(0, width, count));
  }
  if (op_is(w.axes, "structures") && !has(v, "own_arrays")) {
    const std::int64_t count = structures(w.axes);
    return bytes_of((kFields + 1) * count);
  }
  if (op_is(w.axes, "gather"))
    return bytes_of(2 * w.integer("n")) +
           sector_bytes_of(static_cast<std::int64_t>(w.fact("distinct_sectors")));
  return useful_bytes(w, v);
}

// L2 fetches 64 bytes at a time from DRAM, two sectors. source: cudaLimitMaxL2FetchGranularity of
// the CUDA Runtime API; strided copies count so on an H200.
constexpr std::int64_t kFetchedBytes = 64;

Value dram_read_bytes(const Workload& w, const Variant& v) {
  const std::int64_t n = w.integer("n");
  if (op_is(w.axes, "copy")) {
    const std::int64_t step = w.integer("stride") * elements_per_lane(w.axes) * kValueBytes;
    const std::int64_t first = w.integer("offset") * kValueBytes, count = copied_vectors(w.axes);
    if (step >= kFetchedBytes) return static_cast<double>(count * kFetchedBytes);
    return sector_bytes_of(sectors_of(first, step, count));
  }
  if (op_is(w.axes, "structures")) {
    const std::int64_t read = has(v, "own_arrays") ? w.integer("fields") : std::int64_t{kFields};
    return bytes_of(read * structures(w.axes));
  }
  if (op_is(w.axes, "transpose")) return bytes_of(input_elements(w.axes));
  if (op_is(w.axes, "reduction")) return bytes_of(n);
  if (op_is(w.axes, "gather"))
    return bytes_of(n) + sector_bytes_of(static_cast<std::int64_t>(w.fact("distinct_sectors")));
  return bytes_of(2 * n);
}

Value l1_bytes(const Workload& w, const Variant& v) {
  const std::optional<Traffic> t = traffic(w, v);
  if (!t) return std::nullopt;
  return sector_bytes_of(t->load_sectors + t->store_sectors);
}

Value l2_bytes(const Workload& w, const Variant& v) {
  // All fields of a structure share its sector: L1 has it from the first load on.
  if (has(v, "load_bytes")) return dram_bytes(w, v);
  return l1_bytes(w, v);
}

Value sectors_per_load(const Workload& w, const Variant& v) {
  const std::optional<Traffic> t = traffic(w, v);
  if (!t || t->load_requests == 0) return std::nullopt;
  return static_cast<double>(t->load_sectors) / static_cast<double>(t->load_requests);
}

Value shared_bytes(const Workload& w, const Variant& v) {
  if (has(v, "tile")) return bytes_of(2 * input_elements(w.axes));
  if (!has(v, "tree")) return std::nullopt;
  // A piece is written once; each of its additions reads two words and writes one; one is read.
  return bytes_of((kPiece + 3 * (kPiece - 1) + 1) * output_elements(w.axes));
}

Value atomics(const Workload& w, const Variant& v) {
  if (has(v, "atomic_lanes")) return w.real("n");
  if (has(v, "atomic_bins")) return w.fact("warp_bins");
  if (has(v, "own_bins"))
    return static_cast<double>(ceil_divide(w.integer("n"), kBinnedPerBlock) * w.integer("bins"));
  return std::nullopt;
}

}  // namespace

std::vector<WorkTerm> work_terms() {
  return {
      {"model.flops", "arithmetic", "FLOP",
       "One addition for every element that joins a sum: structures × (fields − 1), n less one a "
       "piece, or n. Copies, transposes and gathers have none.",
       flops},
      {"model.useful_bytes", "useful bytes", "B",
       "4 bytes for every element of x and index or key that the operation asks for, once, and for "
       "every element of y.",
       useful_bytes},
      {"model.dram_bytes", "compulsory DRAM bytes", "B",
       "Every 32-byte sector that holds something asked for, once in and once out (CUDA C++ "
       "Programming Guide: memory moves sectors); a structure is a sector, read whole.",
       dram_bytes},
      {"model.dram_read_bytes", "compulsory DRAM reads", "B",
       "The part that is read, in pieces of 64 bytes where copied elements lie further apart. "
       "(What "
       "is written may stay in L2.)",
       dram_read_bytes},
      {"model.l1_bytes", "L1 bytes", "B",
       "32 bytes for every sector that each request of 32 lanes touches, loads and stores, from "
       "the alignment, step and width of its lanes (gathers: counted over the indices).",
       l1_bytes},
      {"model.l2_bytes", "L2 bytes", "B",
       "The sectors of all requests, when L1 never hits; for an array of structures each structure "
       "once, since its later fields find the sector of the first in L1.",
       l2_bytes},
      {"model.sectors_per_load", "sectors per load request", "1",
       "Sectors that loads touch over the number of load requests; 4 is ideal for 4-byte lanes, 8 "
       "and 16 for 8 and 16 bytes.",
       sectors_per_load},
      {"model.shared_bytes", "shared-memory bytes", "B",
       "4 bytes for every word that lanes write to and read from shared memory, were there no bank "
       "conflicts: a tile in and out; a piece, and three words an addition.",
       shared_bytes},
      {"model.atomics", "additions that L2 makes", "1",
       "Atomics sent to L2: one an element, one a distinct bin of each warp, or (at most) one a "
       "bin "
       "and block.",
       atomics},
  };
}

}  // namespace warpscope::patterns
