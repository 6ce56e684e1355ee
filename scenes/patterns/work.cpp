// scenes/patterns/work.cpp: what each operation must cost by arithmetic alone, as far as the
// emulator does not answer it.
#include "scenes/patterns/work.h"

#include <algorithm>
#include <optional>

#include "scenes/patterns/shapes.h"

namespace warpscope::patterns {
namespace {

using Value = std::optional<double>;

double bytes_of(std::int64_t elements) { return static_cast<double>(elements * kValueBytes); }

double sector_bytes_of(std::int64_t sectors) { return static_cast<double>(sectors * kSectorBytes); }

// Distinct sectors of `count` aligned accesses of at most 32 bytes, `step` bytes apart.
std::int64_t sectors_of(std::int64_t first_byte, std::int64_t step, std::int64_t count) {
  if (count == 0 || step >= kSectorBytes) return count;
  return (first_byte + (count - 1) * step) / kSectorBytes - first_byte / kSectorBytes + 1;
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
  if (op_is(w.axes, "structures")) return bytes_of((kFields + 1) * structures(w.axes));
  if (op_is(w.axes, "gather"))
    return bytes_of(2 * w.integer("n")) +
           sector_bytes_of(static_cast<std::int64_t>(w.fact("distinct_sectors")));
  return useful_bytes(w, v);
}

// L2 fetches 64 bytes at a time from DRAM, two sectors. source: cudaLimitMaxL2FetchGranularity of
// the CUDA Runtime API; strided copies count so on an H200.
constexpr std::int64_t kFetchedBytes = 64;

Value dram_read_bytes(const Workload& w, const Variant&) {
  const std::int64_t n = w.integer("n");
  if (op_is(w.axes, "copy")) {
    const std::int64_t step = w.integer("stride") * elements_per_lane(w.axes) * kValueBytes;
    const std::int64_t first = w.integer("offset") * kValueBytes, count = copied_vectors(w.axes);
    if (step >= kFetchedBytes) return static_cast<double>(count * kFetchedBytes);
    return sector_bytes_of(sectors_of(first, step, count));
  }
  if (op_is(w.axes, "structures")) return bytes_of(kFields * structures(w.axes));
  if (op_is(w.axes, "transpose")) return bytes_of(input_elements(w.axes));
  if (op_is(w.axes, "reduction")) return bytes_of(n);
  if (op_is(w.axes, "gather"))
    return bytes_of(n) + sector_bytes_of(static_cast<std::int64_t>(w.fact("distinct_sectors")));
  return bytes_of(2 * n);
}

}  // namespace

void charge_own_arrays(Variant& v) {
  charge(v, "model.dram_bytes", [](const Workload& w) -> Value {
    return bytes_of((w.integer("fields") + 1) * structures(w.axes));
  });
  charge(v, "model.dram_read_bytes", [](const Workload& w) -> Value {
    return bytes_of(w.integer("fields") * structures(w.axes));
  });
}

std::vector<WorkTerm> work_terms() {
  return {
      {"model.flops", "arithmetic", "FLOP",
       "One addition per element added to a sum: structures × (fields − 1), n minus one per piece, "
       "or n. Copies, transposes and gathers have none.",
       flops},
      {"model.useful_bytes", "useful bytes", "B",
       "4 bytes for every element of x and every index or key that the operation uses (once), and "
       "for every element of y.",
       useful_bytes},
      {"model.dram_bytes", "compulsory DRAM bytes", "B",
       "Every 32-byte sector with used data, once in and once out (CUDA C++ Programming Guide: "
       "memory moves sectors). A structure is one sector and read whole, unless each field has its "
       "own array.",
       dram_bytes},
      {"model.dram_read_bytes", "compulsory DRAM reads", "B",
       "The part that is read, in units of 64 bytes if copied elements are further apart. (Writes "
       "may stay in L2.)",
       dram_read_bytes},
  };
}

}  // namespace warpscope::patterns
