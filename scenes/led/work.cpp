// scenes/led/work.cpp: what `led` must cost by arithmetic alone, level by level.
#include "scenes/led/work.h"

#include <cmath>
#include <optional>

#include "scenes/led/shapes.h"
#include "scenes/led/steps.h"

namespace warpscope::led {
namespace {

using Value = std::optional<double>;

double trait(const Variant& v, const char* name) {
  const auto found = v.traits.find(name);
  return found == v.traits.end() ? 0 : found->second;
}

double value_bytes(const Workload& w) { return static_cast<double>(shape_of(w.axes).value_bytes); }
double pattern_bytes_once(const Workload& w) {
  return value_bytes(w) * static_cast<double>(shape_of(w.axes).values());
}
double outputs(const Workload& w) { return static_cast<double>(shape_of(w.axes).outputs()); }
// Bytes of pixels under the blocks, each counted once for every block over it.
double gathered_bytes(const Workload& w) {
  return value_bytes(w) * static_cast<double>(shape_of(w.axes).products());
}

// How often the variant reads every pattern.
double pattern_reads(const Workload& w, const Variant& v) {
  if (trait(v, "frames_a_read") != 0)
    return std::ceil(w.real("frames") / trait(v, "frames_a_read"));
  if (trait(v, "resident_tiles") != 0)
    return static_cast<double>(ceil_divide(w.integer("frames"), resident_frames(w)));
  if (trait(v, "frame_tiles") != 0)
    return static_cast<double>(ceil_divide(w.integer("frames"), frames_of_tile(w)));
  return 1;
}

// Patches are written and read again.
double patch_bytes(const Workload& w, const Variant& v) {
  return trait(v, "gathers_patches") != 0 ? 2 * gathered_bytes(w) : 0;
}

double dram_bytes(const Workload& w, const Variant& v) {
  constexpr double kL2Bytes = 60.0 * (1 << 20);  // of an H200
  const double once = pattern_bytes_once(w);
  const bool apart = trait(v, "tiles_together") == 0;  // readings of one pattern
  const double reads = once > kL2Bytes && apart ? pattern_reads(w, v) : 1;
  const double patches = gathered_bytes(w) > kL2Bytes ? patch_bytes(w, v) : 0;
  return once * reads + patches + value_bytes(w) * w.real("frames") * w.fact("covered_pixels") +
         8 * w.real("leds") * w.real("channels") + 4 * outputs(w);
}

// Pixels of all windows of the variant's groups.
double window_pixels(const Workload& w, const Variant& v) {
  return w.fact(trait(v, "boxes") != 0          ? "box_pixels"
                : trait(v, "tensor_terms") != 0 ? "core_pixels"
                                                : "window_pixels");
}

double image_bytes(const Workload& w, const Variant& v) {
  return trait(v, "groups") != 0 ? value_bytes(w) * w.real("frames") * window_pixels(w, v)
                                 : gathered_bytes(w);
}

Value l2_bytes(const Workload& w, const Variant& v) {
  if (trait(v, "gathers_patches") != 0)
    return pattern_bytes_once(w) + gathered_bytes(w) + patch_bytes(w, v);
  if (trait(v, "global") == 0) return std::nullopt;
  // A new layout reads and writes every frame once more.
  const double relaid = trait(v, "transposes_frames") != 0
                            ? 2 * value_bytes(w) * static_cast<double>(shape_of(w.axes).pixels())
                            : 0;
  return pattern_bytes_once(w) * pattern_reads(w, v) + image_bytes(w, v) + relaid;
}

Value shared_bytes(const Workload& w, const Variant& v) {
  if (trait(v, "tensor_terms") != 0)
    return 2 * (pattern_bytes_once(w) * pattern_reads(w, v) + image_bytes(w, v));
  if (trait(v, "shared_image") != 0) return gathered_bytes(w) + image_bytes(w, v);
  if (trait(v, "stages_pattern") != 0)
    return gathered_bytes(w) + pattern_bytes_once(w) * pattern_reads(w, v);
  return std::nullopt;
}

// Stores and reads of one value a lane; rows of a lane are read four values at a time.
Value shared_wavefronts(const Workload& w, const Variant& v) {
  if (trait(v, "stages_pattern") == 0 || integers(w.axes)) return std::nullopt;
  const auto products = static_cast<double>(shape_of(w.axes).products());
  const double staged = static_cast<double>(shape_of(w.axes).values()) * pattern_reads(w, v);
  if (trait(v, "runs_of_a_lane") != 0) return staged + products / 4;
  return (staged + products) / kLanes;
}

Value instructions(const Workload& w, const Variant& v) {
  if (trait(v, "global") == 0) return std::nullopt;
  const auto products = static_cast<double>(shape_of(w.axes).products());
  if (trait(v, "tensor_terms") != 0)
    return integers(w.axes) ? products / 4096 : products * trait(v, "tensor_terms") / 1024;
  if (integers(w.axes) && trait(v, "runs_of_a_lane") == 0) return products / 128;
  return products / 32;
}

}  // namespace

std::vector<WorkTerm> work_terms() {
  return {
      {"model.flops", "arithmetic", "FLOP",
       "2·F·N·C·B²: one multiply and one add for every pixel under a block, frame by frame.",
       [](const Workload& w, const Variant&) -> Value {
         return 2 * static_cast<double>(shape_of(w.axes).products());
       }},
      {"model.dram_bytes", "compulsory DRAM bytes", "B",
       "Every pattern once (once a frame or tile, where a variant reads them again and they exceed "
       "L2), every covered pixel of every frame once, positions and outputs; gathered patches are "
       "written and read, where they exceed L2.",
       [](const Workload& w, const Variant& v) -> Value { return dram_bytes(w, v); }},
      {"model.l2_bytes", "L2 to multiprocessors", "B",
       "Patterns as often as the variant reads them, and the pixels under every block (of every "
       "group's window, where neighbours share one) for every frame.",
       l2_bytes},
      {"model.l1_bytes", "L1 and shared-memory reads", "B",
       "e·F·N·C·B² for the pixels of all products, and as much again for the patterns where they "
       "are read for every product instead of held in registers; on tensor cores every window "
       "and pattern once.",
       [](const Workload& w, const Variant& v) -> Value {
         if (trait(v, "global") == 0) return std::nullopt;
         if (trait(v, "tensor_terms") != 0)
           return pattern_bytes_once(w) * pattern_reads(w, v) + image_bytes(w, v);
         return gathered_bytes(w) * (trait(v, "pattern_held") != 0 ? 1 : 2);
       }},
      {"model.shared_bytes", "shared-memory bytes", "B",
       "What is staged in shared memory, written once and read once a product; on tensor cores "
       "once for all LEDs of a group.",
       shared_bytes},
      {"model.shared_wavefronts", "shared-memory wavefronts", "1",
       "With a run a lane, 32 lanes meet in one bank: F·N·C·B² wavefronts of stores and a quarter "
       "as many of 16-byte reads; side by side 1/32 each.",
       shared_wavefronts},
      {"model.instructions", "multiply-add warp instructions", "1",
       "F·N·C·B² / 32, for four-byte dot products / 128, on tensor cores / 1024 a TF32 product and "
       "/ 4096 of bytes: the fewest instructions for the arithmetic alone.",
       instructions},
      {"model.window_reuse", "pixels used a pixel fetched", "ratio",
       "N·C·B² over the pixels of all groups' windows: how often a pixel that is fetched once is "
       "used.",
       [](const Workload& w, const Variant& v) -> Value {
         if (trait(v, "groups") == 0 || window_pixels(w, v) == 0) return std::nullopt;
         return static_cast<double>(shape_of(w.axes).values()) / window_pixels(w, v);
       }},
      {"model.quantisation_error", "largest error of the patterns' bytes", "1",
       "Largest difference of byte / 255 from the f32 value over the first patterns, for the rule "
       "that the axis quantise names.",
       [](const Workload& w, const Variant&) -> Value {
         if (!integers(w.axes)) return std::nullopt;
         return w.fact("quantisation_error");
       }},
  };
}

}  // namespace warpscope::led
