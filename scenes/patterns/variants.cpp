// scenes/patterns/variants.cpp: each operation's variants: names, words, constraints.
#include "scenes/patterns/variants.h"

#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include "scenes/patterns/shapes.h"
#include "scenes/patterns/steps.h"
#include "scenes/patterns/work.h"

namespace warpscope::patterns {
namespace {

const double kF32 = std::ldexp(1.0, -24);  // unit roundoff. source: IEEE 754

using MakeSteps = std::function<std::vector<Step>(const Workload&)>;

Constraint vectors_are_aligned() {
  return {"the offset must be a multiple of the vector's elements",
          [](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
            const std::int64_t offset = w.integer("offset");
            if (offset % elements_per_lane(w.axes) == 0) return std::nullopt;
            return "a load of " + w.text("width") + " bytes must start at a multiple of " +
                   w.text("width") + ": offset " + std::to_string(offset) + " starts at byte " +
                   std::to_string(offset * kValueBytes);
          },
          [](const Workload& w, const DeviceLimits&) -> std::optional<AxisChange> {
            const std::int64_t elements = elements_per_lane(w.axes);
            const std::string offset = std::to_string(w.integer("offset") / elements * elements);
            return AxisChange{"use offset " + offset, {{"offset", offset}}};
          }};
}

Constraint copies_everything() {
  return {"x and y must have equal size: stride 1, offset 0, n a multiple of the vector's elements",
          [](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
            const std::int64_t from = input_elements(w.axes), to = output_elements(w.axes);
            if (from == to) return std::nullopt;
            return "the driver copies whole buffers, but x has " + std::to_string(from) +
                   " elements and y " + std::to_string(to);
          }};
}

Constraint elements_are_quads() {
  return {"n must be a multiple of 4",
          [](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
            if (w.integer("n") % 4 == 0) return std::nullopt;
            return "a lane reads four elements at once, but n = " + std::to_string(w.integer("n")) +
                   " is not a multiple of 4";
          },
          [](const Workload& w, const DeviceLimits&) -> std::optional<AxisChange> {
            const std::string n = std::to_string(w.integer("n") / 4 * 4);
            return AxisChange{"use " + n + " elements", {{"n", n}}};
          }};
}

Constraint bins_fit_shared_memory() {
  return {"bins × 4 bytes must fit in a block's shared memory",
          [](const Workload& w, const DeviceLimits& d) -> std::optional<std::string> {
            const std::int64_t bytes = w.integer("bins") * kValueBytes;
            if (bytes <= d.shared_bytes_per_block) return std::nullopt;
            return std::to_string(w.integer("bins")) + " bins take " + std::to_string(bytes) +
                   " bytes of shared memory; a block has at most " +
                   std::to_string(d.shared_bytes_per_block);
          },
          [](const Workload&, const DeviceLimits& d) -> std::optional<AxisChange> {
            const std::string bins = std::to_string(d.shared_bytes_per_block / kValueBytes);
            return AxisChange{"use " + bins + " bins", {{"bins", bins}}};
          }};
}

// What all rows share; `name` is the technique's source as well.
Variant pattern_variant(const char* op, std::string name, std::string label, std::string sentence,
                        std::string look_at, MakeSteps steps) {
  Variant v;
  v.name = std::move(name);
  v.label = std::move(label);
  v.family = op;
  v.sentence = std::move(sentence);
  v.look_at = std::move(look_at);
  v.accuracy = "same bits";
  v.reference = "exact";
  v.applies = [op](const Configuration& axes) { return op_is(axes, op); };
  v.steps = std::move(steps);
  return v;
}

Variant summing(Variant v) {
  v.accuracy = "f32 accumulation";
  v.tolerance = {.accumulation = 4 * kF32, .absolute = std::ldexp(1.0, -126)};
  return v;
}

std::vector<Variant> copies() {
  const auto copy = [](std::string name, std::string label, std::string sentence,
                       std::string look_at, MakeSteps steps) {
    Variant v = pattern_variant("copy", std::move(name), std::move(label), std::move(sentence),
                                std::move(look_at), std::move(steps));
    v.constraints = {vectors_are_aligned()};
    return v;
  };
  Variant driver =
      copy("copy_driver", "driver's copy", "The driver's own device-to-device copy.",
           "The DRAM rate of a copy that is not ours[[copy_driver.time.warm < copy.time.warm => : "
           "it is faster than the plain copy here | copy_driver.time.warm > copy.time.warm => : "
           "the plain copy is faster here | : within the noise, the plain copy is as fast here]].",
           device_copy_steps);
  driver.own_kernels = false;
  driver.constraints = {copies_everything()};
  return {
      copy("copy", "copy", "Each lane copies one vector. Neighbouring lanes read one stride apart.",
           "Sectors per load request (l1.sectors_per_request_load): 4 for neighbouring 4-byte "
           "elements, 32 for strides of 32 bytes and above.",
           [](const Workload& w) { return copy_steps(w, "copy", 1); }),
      copy("copy_grid_stride", "copy, grid-stride loop",
           "A grid that just fills the device loops over the array, one grid width per iteration.",
           "Sectors per load request are those of the plain copy: this stride is between "
           "iterations, not between lanes.",
           copy_grid_stride_steps),
      copy("copy_in_flight", "copy, 4 in flight",
           "Each lane loads four vectors before it stores the first.",
           "The stall on memory (stall.long_scoreboard) and the percentage of the DRAM roof: four "
           "loads are in flight[[copy_in_flight.time.warm < copy.time.warm => , and it takes "
           "{ratio(copy_in_flight.time.warm, copy.time.warm)} of the plain copy's time | "
           "copy_in_flight.time.warm > copy.time.warm => , but it is slower than the plain copy "
           "here | , but it is no faster than the plain copy here]].",
           [](const Workload& w) { return copy_steps(w, "copy_in_flight", 4); }),
      std::move(driver),
  };
}

std::vector<Variant> layouts() {
  Variant fields =
      pattern_variant("structures", "structures_fields", "structures, by field",
                      "An array of 32-byte structures, read one field at a time.",
                      "Sectors per load request: one per structure. See how many are still in L1 "
                      "when the next field is read (l1.hit_ratio[[structures_fields.l1.hit_ratio > "
                      "0 => : {l1.hit_ratio:structures_fields}]]).",
                      [](const Workload& w) { return structures_steps(w, "structures_fields"); });
  Variant vectors = pattern_variant(
      "structures", "structures_vectors", "structures, by 16 bytes",
      "The same structures, read in halves of four fields.",
      "Load requests (l1.requests_load)[[structures_vectors.l1.requests_load < "
      "structures_fields.l1.requests_load => : {ratio(structures_vectors.l1.requests_load, "
      "structures_fields.l1.requests_load)} of those by field | : no fewer than by field]]. A "
      "request still reads one sector per structure.",
      [](const Workload& w) { return structures_steps(w, "structures_vectors"); });
  Variant arrays = pattern_variant("structures", "structures_arrays", "structure of arrays",
                                   "Each field has its own array, filled by a prepare step.",
                                   "Sectors per load request, which neighbouring lanes share. And "
                                   "the prepare time: after how many runs does the layout pay off?",
                                   structures_arrays_steps);
  charge_own_arrays(arrays);
  arrays.scratch = structures_arrays_scratch;
  return {summing(std::move(fields)), summing(std::move(vectors)), summing(std::move(arrays))};
}

std::vector<Variant> transposes() {
  const auto by = [](const char* name, std::string label, std::string sentence,
                     std::string look_at) {
    return pattern_variant("transpose", name, std::move(label), std::move(sentence),
                           std::move(look_at),
                           [name](const Workload& w) { return transpose_steps(w, name); });
  };
  std::vector<Variant> rows = {
      by("transpose_naive", "transpose, naive", "Reads along rows, writes along columns.",
         "Sectors per store request (l1.sectors_per_request_store): "
         "[[transpose_naive.l1.sectors_per_request_store > 24 => "
         "{l1.sectors_per_request_store:transpose_naive} for 128 bytes. | "
         "{l1.sectors_per_request_store:transpose_naive}. || neighbouring lanes store one row "
         "apart.]]"),
      by("transpose_tiled", "transpose, tiled",
         "A block transposes a 32 × 32 tile in shared memory, so loads and stores are whole lines.",
         "Bank conflicts (shared.bank_conflicts): a column of the tile is in one bank."),
      by("transpose_padded", "transpose, padded", "Each row of the tile is padded by one word.",
         "Bank conflicts: [[transpose_padded.shared.bank_conflicts < 0.05 * "
         "transpose_tiled.shared.bank_conflicts => {shared.bank_conflicts:transpose_padded} are "
         "counted, {shared.bank_conflicts:transpose_tiled} with the plain tile: nearly all are "
         "gone | {shared.bank_conflicts:transpose_padded} are counted, "
         "{shared.bank_conflicts:transpose_tiled} with the plain tile || compare with the plain "
         "tile]], for 128 bytes of shared memory per block."),
      by("transpose_swizzled", "transpose, swizzled",
         "Row r of the tile stores column c at position c xor r.",
         "Bank conflicts without padding: [[transpose_swizzled.shared.bank_conflicts < 0.05 * "
         "transpose_tiled.shared.bank_conflicts => {shared.bank_conflicts:transpose_swizzled} are "
         "counted, {shared.bank_conflicts:transpose_tiled} with the plain tile: nearly all are "
         "gone too | {shared.bank_conflicts:transpose_swizzled} are counted, "
         "{shared.bank_conflicts:transpose_tiled} with the plain tile || compare with the plain "
         "tile]]; also compare warp instructions."),
  };
  explain(rows.front(), "model.dram_read_bytes", Side::below, 0.18,
          "Blocks write 4 of the 32 bytes of a sector at a time. L2 evicts some sectors half "
          "written and must read them again. At 4096 × 4096 those were 14 % of what an H200 read.");
  return rows;
}

std::vector<Variant> reductions() {
  const auto by = [](const char* name, std::string label, std::string sentence,
                     std::string look_at) {
    Variant v = summing(pattern_variant(
        "reduction", name, std::move(label), std::move(sentence), std::move(look_at),
        [name](const Workload& w) { return reduction_steps(w, name); }));
    return v;
  };
  Variant warp = summing(pattern_variant(
      "reduction", "reduction_warp", "reduction, warp per piece",
      "One warp sums a piece of 256: two 16-byte loads, five shuffles, no barrier.",
      "The percentage of the DRAM roof[[reduction_warp.binds = 'DRAM' => : memory limits it, at "
      "{reduction_warp.binding_ratio} of its roof | : {reduction_warp.binds} limits it]].",
      reduction_warp_steps));
  warp.constraints = {elements_are_quads()};
  std::vector<Variant> rows = {
      by("reduction_interleaved", "reduction, interleaved",
         "In each step, every second remaining lane adds its neighbour's value.",
         "Divergence: lanes drop out step by step, but all warps stay active. The counter "
         "inst.lanes hardly drops: it also counts lanes that are predicated off."),
      by("reduction_strided", "reduction, strided",
         "The first lanes do the same additions. Their words are 2, then 4, then 8 … words apart.",
         "Bank conflicts (shared.bank_conflicts): two, four, then eight lanes access one bank."),
      by("reduction_sequential", "reduction, sequential",
         "The upper half is added to the lower half until one value is left.",
         "Bank conflicts[[reduction_sequential.shared.bank_conflicts < 0.1 * "
         "reduction_strided.shared.bank_conflicts => : "
         "{ratio(reduction_sequential.shared.bank_conflicts, "
         "reduction_strided.shared.bank_conflicts)} of the strided reduction's]]; the stall on "
         "barriers (stall.barrier) remains."),
      by("reduction_shuffle", "reduction, shuffle",
         "Lanes of a warp add with shuffles; one barrier joins eight warps.",
         "The stall on barriers, and shared-memory wavefronts (shared.wavefronts)."),
      std::move(warp),
  };
  return rows;
}

std::vector<Variant> gathers() {
  Variant plain = pattern_variant("gather", "gather", "gather",
                                  "Each lane loads an index, then the element at that index.",
                                  "Sectors per load request as locality changes, and which level "
                                  "serves them (l1.hit_ratio, l2.hit_ratio).",
                                  gather_steps);
  Variant four = pattern_variant(
      "gather", "gather_in_flight", "gather, 4 in flight",
      "One 16-byte load reads four indices. Their elements are in flight together.",
      "The stall on memory (stall.long_scoreboard), and sectors per load request at high locality.",
      gather_in_flight_steps);
  four.constraints = {elements_are_quads()};
  return {std::move(plain), std::move(four)};
}

std::vector<Variant> atomics() {
  const auto by = [](std::string name, std::string label, std::string sentence, std::string look_at,
                     MakeSteps steps) {
    Variant v = summing(pattern_variant("atomics", std::move(name), std::move(label),
                                        std::move(sentence), std::move(look_at), std::move(steps)));
    v.repeatable = false;
    return v;
  };
  Variant shared = by(
      "atomics_shared", "atomics, bins in shared memory",
      "A block adds to its own bins in shared memory, then adds each to the global bin once.",
      "Warp instructions (inst.executed): lanes that share a bin repeat a compare-and-swap loop.",
      atomics_shared_steps);
  shared.constraints = {bins_fit_shared_memory()};
  return {
      by("atomics_global", "atomics, global", "Every element is added to its bin by L2.",
         "L2 reduction sectors (l2.sectors_red) as contention rises.",
         [](const Workload& w) { return atomics_steps(w, "atomics_global"); }),
      by("atomics_aggregated", "atomics, merged in the warp",
         "Lanes that share a bin add up their values, then one lane does one atomic.",
         "L2 reduction sectors, and warp instructions (inst.executed): finding equal bins is not "
         "free.",
         [](const Workload& w) { return atomics_steps(w, "atomics_aggregated"); }),
      std::move(shared),
  };
}

}  // namespace

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (std::vector<Variant> (*ladder)() :
       {copies, layouts, transposes, reductions, gathers, atomics}) {
    std::vector<Variant> rows = ladder();
    std::move(rows.begin(), rows.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace warpscope::patterns
