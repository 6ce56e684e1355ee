// scenes/deform/work.cpp: what a sum of samples must cost by arithmetic alone.
#include "scenes/deform/work.h"

#include <functional>
#include <optional>

#include "scenes/deform/inputs/shapes.h"
#include "scenes/deform/steps.h"

namespace warpscope::deform {
namespace {

using Value = std::optional<double>;

double value_bytes(const Workload& w) {
  return static_cast<double>(element_bytes(value_type(w.axes)));
}
double location_bytes(const Workload& w) {
  return static_cast<double>(element_bytes(location_type(w.axes)));
}
double count(std::int64_t elements) { return static_cast<double>(elements); }

double read_bytes(const Workload& w) {
  const Shape s = shape_of(w.axes);
  return value_bytes(w) * count(s.values() + s.samples()) +
         location_bytes(w) * 2 * count(s.samples());
}
double write_bytes(const Workload& w) { return value_bytes(w) * count(shape_of(w.axes).outputs()); }

// Corners that are added up, one channel each.
double corner_channels(const Workload& w) {
  const Shape s = shape_of(w.axes);
  return 4 * count(s.samples()) * count(s.channels) * w.fact("valid_ratio");
}

void charge_dram(Variant& v, const std::function<double(const Workload&)>& reads,
                 const std::function<double(const Workload&)>& writes) {
  charge(v, "model.dram_read_bytes", [reads](const Workload& w) -> Value { return reads(w); });
  charge(v, "model.dram_bytes",
         [reads, writes](const Workload& w) -> Value { return reads(w) + writes(w); });
}

}  // namespace

void charge_value_bytes(Variant& v, std::int64_t bytes, std::int64_t (*rows)(const Workload&)) {
  const auto reads = [bytes, rows](const Workload& w) {
    const Shape s = shape_of(w.axes);
    const double stored = count(bytes * s.batch * rows(w) * s.heads * s.channels);
    return read_bytes(w) - value_bytes(w) * count(s.values()) + stored;
  };
  charge_dram(v, reads, write_bytes);
  charge(v, "model.gather_bytes",
         [bytes](const Workload& w) -> Value { return count(bytes) * corner_channels(w); });
}

void charge_samples(Variant& v) {
  const auto samples = [](const Workload& w) { return count(sample_bytes(w)); };
  charge_dram(
      v, [samples](const Workload& w) { return read_bytes(w) + samples(w); },
      [samples](const Workload& w) { return write_bytes(w) + samples(w); });
  charge(v, "model.sample_bytes", [samples](const Workload& w) -> Value { return samples(w); });
}

void charge_staging(Variant& v, const std::string& technique) {
  charge(v, "model.staged_bytes", [technique](const Workload& w) -> Value {
    const Steps steps = staged_steps(w, technique);
    const std::int64_t blocks = std::get<KernelLaunch>(steps.at(0).action).launch.grid.x;
    const Shape s = shape_of(w.axes);
    const std::int64_t image_groups = s.queries * s.heads;
    std::int64_t copies = 0;
    for (std::int64_t b = 0; b < blocks; ++b) {
      const std::int64_t first = s.groups() * b / blocks, end = s.groups() * (b + 1) / blocks;
      if (first < end) copies += (end - 1) / image_groups - first / image_groups + 1;
    }
    return count(copies) * count(staged_bytes(w));
  });
}

std::vector<WorkTerm> work_terms() {
  return {
      {"model.flops", "arithmetic", "FLOP",
       "8·C per sample that counts: a multiply and an add for each of four corners and C channels. "
       "Addresses and weights are not counted.",
       [](const Workload& w, const Variant&) -> Value { return 2 * corner_channels(w); }},
      {"model.dram_bytes", "compulsory DRAM bytes", "B",
       "Values, locations and weights read once, outputs written once.",
       [](const Workload& w, const Variant&) -> Value { return read_bytes(w) + write_bytes(w); }},
      {"model.dram_read_bytes", "compulsory DRAM reads", "B",
       "Values, locations and weights read once. (What is written may stay in L2.)",
       [](const Workload& w, const Variant&) -> Value { return read_bytes(w); }},
      {"model.gather_bytes", "gathered bytes", "B",
       "Four corners of C channels per sample that counts: what passes through L1 or shared "
       "memory, wherever it comes from.",
       [](const Workload& w, const Variant&) -> Value {
         return value_bytes(w) * corner_channels(w);
       }},
      {"model.sample_bytes", "samples written out", "B",
       "2·C per sample, if samples are stored before they are weighted and summed.", nullptr},
      {"model.staged_bytes", "staged bytes", "B",
       "The staged levels once per block and image of its queries.", nullptr},
      {"model.valid_ratio", "samples inside", "1",
       "The share of samples that count, of all samples or of a million of them.",
       [](const Workload& w, const Variant&) -> Value { return w.fact("valid_ratio"); }},
  };
}

}  // namespace warpscope::deform
