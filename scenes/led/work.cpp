// scenes/led/work.cpp: what `led` must cost, as far as the emulator does not answer it.
#include "scenes/led/work.h"

#include <cmath>
#include <optional>
#include <utility>

#include "scenes/base/device_units.h"
#include "scenes/led/shapes.h"
#include "scenes/led/steps.h"

namespace warpscope::led {
namespace {

constexpr auto kL2Bytes = static_cast<double>(kDesignDevice.l2_bytes);

using Value = std::optional<double>;

double value_bytes(const Workload& w) { return static_cast<double>(shape_of(w.axes).value_bytes); }
double pattern_bytes_once(const Workload& w) {
  return value_bytes(w) * static_cast<double>(shape_of(w.axes).values());
}
double output_bytes(const Workload& w) {
  return 4 * static_cast<double>(shape_of(w.axes).outputs());
}
double frame_bytes(const Workload& w) {
  return value_bytes(w) * static_cast<double>(shape_of(w.axes).pixels());
}
// Bytes of pixels under the blocks, each counted once for every block over it.
double gathered_bytes(const Workload& w) {
  return value_bytes(w) * static_cast<double>(shape_of(w.axes).products());
}
double covered_bytes(const Workload& w) {
  return value_bytes(w) * w.real("frames") * w.fact("covered_pixels");
}
double position_bytes(const Workload& w) { return 8 * w.real("leds") * w.real("channels"); }

double pattern_reads(const Workload& w, const Reads& reads) {
  return reads.patterns == nullptr ? 1 : static_cast<double>(reads.patterns(w));
}

// The frames in their new layout stay in L2 unless patterns stream through it.
double read_from_dram(const Workload& w, const Reads& reads) {
  const double once = pattern_bytes_once(w);
  const bool streams = once > kL2Bytes;
  const double relaid = streams && reads.pixels == Pixels::innermost ? frame_bytes(w) : 0;
  return once * (streams && reads.apart ? pattern_reads(w, reads) : 1) + covered_bytes(w) +
         position_bytes(w) + relaid;
}

// The fact that counts the sectors under the rows of what is fetched.
const char* sectors_of(Pixels pixels) {
  switch (pixels) {
    case Pixels::blocks:
      return "block_sectors";
    case Pixels::innermost:
      return "innermost_sectors";
    case Pixels::windows:
      return "window_sectors";
    case Pixels::boxes:
      return "box_sectors";
    case Pixels::cores:
      break;
  }
  return "core_sectors";
}

// Sessions from before the count of sectors have none.
Value read_from_l2(const Workload& w, const Reads& reads) {
  const auto sectors = w.facts.find(sectors_of(reads.pixels));
  if (sectors == w.facts.end()) return std::nullopt;
  const double relaid = reads.pixels == Pixels::innermost ? frame_bytes(w) : 0;
  return pattern_bytes_once(w) * pattern_reads(w, reads) + kSectorBytes * sectors->second + relaid;
}

// Pixels of all windows of the variant's groups; no value if it has no windows.
Value window_pixels(const Workload& w, Pixels pixels) {
  switch (pixels) {
    case Pixels::windows:
      return w.fact("window_pixels");
    case Pixels::boxes:
      return w.fact("box_pixels");
    case Pixels::cores:
      return w.fact("core_pixels");
    case Pixels::blocks:
    case Pixels::innermost:
      break;
  }
  return std::nullopt;
}

double image_bytes(const Workload& w, const Reads& reads) {
  const Value windows = window_pixels(w, reads.pixels);
  return windows ? value_bytes(w) * w.real("frames") * *windows : gathered_bytes(w);
}

// A new layout reads and writes every frame once more.
double useful_from_l2(const Workload& w, const Reads& reads) {
  const double relaid = reads.pixels == Pixels::innermost ? 2 * frame_bytes(w) : 0;
  return pattern_bytes_once(w) * pattern_reads(w, reads) + image_bytes(w, reads) + relaid;
}

double operand_bytes(const Workload& w, const Reads& reads) {
  if (reads.pixels == Pixels::cores)
    return pattern_bytes_once(w) * pattern_reads(w, reads) + image_bytes(w, reads);
  return gathered_bytes(w) * (reads.pattern_held ? 1 : 2);
}

Value window_reuse(const Workload& w, const Reads& reads) {
  const Value windows = window_pixels(w, reads.pixels);
  if (!windows || *windows == 0) return std::nullopt;
  return static_cast<double>(shape_of(w.axes).values()) / *windows;
}

}  // namespace

void charge_reads(Variant& v, const Reads& reads) {
  const auto add = [&](const char* term, Value (*formula)(const Workload&, const Reads&)) {
    charge(v, term, [reads, formula](const Workload& w) { return formula(w, reads); });
  };
  add("model.dram_read_bytes",
      [](const Workload& w, const Reads& r) -> Value { return read_from_dram(w, r); });
  add("model.dram_bytes", [](const Workload& w, const Reads& r) -> Value {
    return read_from_dram(w, r) + output_bytes(w);
  });
  add(kL2ReadTerm, read_from_l2);
  add("model.l2_gather_bytes",
      [](const Workload& w, const Reads& r) -> Value { return useful_from_l2(w, r); });
  add("model.operand_bytes",
      [](const Workload& w, const Reads& r) -> Value { return operand_bytes(w, r); });
  add("model.window_reuse", window_reuse);
}

L2Expectation l2_expectation() {
  return {
      "Bytes read from L2 if L1 never has anything for a second read. Patterns as often as the "
      "variant reads them. For every frame the 32-byte sectors under the rows of every block (or "
      "of every group's window or boxes, if neighbours share one), counted over all positions.",
      0.09};
}

std::vector<WorkTerm> work_terms() {
  return {
      {"model.flops", "arithmetic", "FLOP",
       "2·F·N·C·B²: one multiply and one add per pixel under a block and frame.",
       [](const Workload& w, const Variant&) -> Value {
         return 2 * static_cast<double>(shape_of(w.axes).products());
       }},
      {"model.dram_bytes", "compulsory DRAM bytes", "B",
       "Every pattern once (once per frame or tile, if a variant reads them again and they exceed "
       "the 60 MB of an H200's L2), every covered pixel of every frame once, positions and "
       "outputs. Rearranged frames are read once more if patterns evict them from L2.",
       [](const Workload& w, const Variant&) -> Value {
         return read_from_dram(w, {}) + output_bytes(w);
       }},
      {"model.dram_read_bytes", "compulsory DRAM reads", "B",
       "The same without outputs. (Writes may stay in L2.)",
       [](const Workload& w, const Variant&) -> Value { return read_from_dram(w, {}); }},
      term_of(l2_expectation()),
      {"model.l2_gather_bytes", "useful bytes from L2", "B",
       "Patterns as often as the variant reads them, and for every frame the pixels under every "
       "block (or of every group's window, if neighbours share one).",
       nullptr},
      {"model.operand_bytes", "operand bytes", "B",
       "e·F·N·C·B² for the pixels of all products, and the same again for the patterns if they are "
       "read for every product instead of kept in registers. On tensor cores, every window and "
       "pattern once.",
       nullptr},
      {"model.window_reuse", "uses per pixel fetched", "1",
       "N·C·B² over the pixels of all groups' windows: how often a fetched pixel is used.",
       nullptr},
      {"model.quantisation_error", "largest error of the patterns' bytes", "1",
       "Largest difference of byte / 255 from the f32 value over the first patterns, for the rule "
       "chosen on the axis quantise.",
       [](const Workload& w, const Variant&) -> Value {
         if (!integers(w.axes)) return std::nullopt;
         return w.fact("quantisation_error");
       }},
  };
}

}  // namespace warpscope::led
