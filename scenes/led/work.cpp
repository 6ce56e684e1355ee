// scenes/led/work.cpp: what `led` must cost by arithmetic alone, level by level.
#include "scenes/led/work.h"

#include <cmath>
#include <optional>

#include "scenes/led/shapes.h"
#include "scenes/led/steps.h"

namespace warpscope::led {
namespace {

constexpr double kSectorBytes = 32;  // source: EMULATOR section 4, checked against ncu

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

// Patches are written once and read once.
double patch_bytes(const Workload& w, const Variant& v) {
  return trait(v, "gathers_patches") != 0 ? gathered_bytes(w) : 0;
}

// A pattern that is read again comes from DRAM again where all others were read between, and they
// exceed L2: where frames, or tiles of them, go slower than LEDs. A block that loops over tiles
// reads its own patterns again at once. Patches come back from DRAM where they exceed L2.
constexpr double kL2Bytes = 60.0 * (1 << 20);  // of an H200
double dram_read_bytes(const Workload& w, const Variant& v) {
  const double once = pattern_bytes_once(w);
  const bool frames_last =
      (trait(v, "frames_a_read") != 0 && trait(v, "tiles_together") == 0) || trait(v, "boxes") != 0;
  const double reads = once > kL2Bytes && frames_last ? pattern_reads(w, v) : 1;
  const double patches = gathered_bytes(w) > kL2Bytes ? patch_bytes(w, v) : 0;
  return once * reads + patches + value_bytes(w) * w.real("frames") * w.fact("covered_pixels") +
         8 * w.real("leds") * w.real("channels");
}
double dram_bytes(const Workload& w, const Variant& v) {
  const double patches = gathered_bytes(w) > kL2Bytes ? patch_bytes(w, v) : 0;
  return dram_read_bytes(w, v) + patches + 4 * outputs(w);
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

// A new layout reads and writes every frame once more.
double relaid_bytes(const Workload& w, const Variant& v) {
  if (trait(v, "transposes_frames") == 0) return 0;
  return 2 * value_bytes(w) * static_cast<double>(shape_of(w.axes).pixels());
}

Value l2_gather_bytes(const Workload& w, const Variant& v) {
  if (trait(v, "gathers_patches") != 0)
    return pattern_bytes_once(w) + gathered_bytes(w) + 2 * patch_bytes(w, v);
  if (trait(v, "global") == 0) return std::nullopt;
  return pattern_bytes_once(w) * pattern_reads(w, v) + image_bytes(w, v) + relaid_bytes(w, v);
}

// The same with pixels in whole sectors, of which a row of a block has one more where it begins
// inside one, and a sector for every output, which one lane stores. Sessions from before the count
// of sectors have none.
Value l2_bytes(const Workload& w, const Variant& v) {
  if (trait(v, "global") == 0 && trait(v, "gathers_patches") == 0) return std::nullopt;
  const auto sectors = w.facts.find(trait(v, "boxes") != 0               ? "box_sectors"
                                    : trait(v, "tensor_terms") != 0      ? "core_sectors"
                                    : trait(v, "groups") != 0            ? "window_sectors"
                                    : trait(v, "transposes_frames") != 0 ? "innermost_sectors"
                                                                         : "block_sectors");
  if (sectors == w.facts.end()) return std::nullopt;
  return pattern_bytes_once(w) * pattern_reads(w, v) +
         kSectorBytes * (sectors->second + outputs(w)) + relaid_bytes(w, v) + 2 * patch_bytes(w, v);
}

// Sectors of the pixels under all blocks where lanes side by side take `together` pixels a request:
// a request that ends inside a row ends inside a sector where the row began inside one, and the
// next request touches that sector again. Nothing where requests and rows end in no common place.
Value sectors_side_by_side(const Workload& w, double together) {
  const auto counted = w.facts.find("block_sectors");
  const double side = w.real("block"), rows = gathered_bytes(w) / value_bytes(w) / side;
  if (counted == w.facts.end()) return std::nullopt;
  if (std::fmod(together, side) == 0) return counted->second;
  if (std::fmod(side, together) != 0 || std::fmod(together * value_bytes(w), kSectorBytes) != 0)
    return std::nullopt;
  const double split_rows = counted->second - rows * side * value_bytes(w) / kSectorBytes;
  return counted->second + split_rows * (side / together - 1);
}

// Sectors that loads of global memory touch, request by request. A warp also loads its position.
Value load_sectors(const Workload& w, const Variant& v) {
  const auto products = static_cast<double>(shape_of(w.axes).products());
  const double patterns = pattern_bytes_once(w) / kSectorBytes,
               quads = quads_are_aligned(w) ? 4 : 1;
  const double frames = w.real("frames"), blocks = static_cast<double>(shape_of(w.axes).blocks());
  if (trait(v, "rows_of_a_lane") != 0) {
    // Every lane is in a sector of its own, whatever it loads of it.
    const double a_load = integers(w.axes) || w.text("load_width") == "16" ? 4 : 1;
    const double copied = trait(v, "runs_of_a_lane") != 0 ? products : products / 4;
    return copied + products / a_load + frames * blocks;
  }
  if (trait(v, "transposes_frames") != 0) {
    // Lanes of a request are frames of as many neighbouring pixels as fit: one sector of patterns.
    const double lanes = std::exp2(std::ceil(std::log2(std::min(32.0, frames))));
    const auto image = w.facts.find("innermost_sectors");
    if (image == w.facts.end()) return std::nullopt;
    return relaid_bytes(w, v) / 2 / kSectorBytes + image->second +
           std::ceil(frames / lanes) * (products / frames * lanes / kLanes + 8 * blocks);
  }
  if (trait(v, "tensor_terms") != 0) return std::nullopt;  // its copies pass by
  if (trait(v, "groups") != 0) {
    // A warp an LED: window, order and position.
    const double tiles = pattern_reads(w, v);
    const auto window = w.facts.find("window_sectors");
    if (window == w.facts.end()) return std::nullopt;
    return patterns * tiles + 3 * blocks + (trait(v, "boxes") != 0 ? 0 : window->second);
  }
  if (trait(v, "warps_of_a_block") == 0 && trait(v, "frames_of_a_warp") == 0) return std::nullopt;
  const Value image =
      sectors_side_by_side(w, kLanes * (trait(v, "single_pixels") != 0 ? 1 : quads));
  if (!image) return std::nullopt;
  // A pattern is loaded by a block once, or by the warp of every frame.
  if (trait(v, "warps_of_a_block") != 0)
    return *image + patterns * pattern_reads(w, v) + blocks * trait(v, "warps_of_a_block");
  return *image + frames * (patterns + blocks);
}

Value l1_bytes(const Workload& w, const Variant& v) {
  if (trait(v, "global") == 0) return std::nullopt;
  const Value loads = load_sectors(w, v);
  if (!loads) return std::nullopt;
  return kSectorBytes * (*loads + outputs(w)) + relaid_bytes(w, v) / 2;
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
      {"model.dram_read_bytes", "compulsory DRAM reads", "B",
       "The same without outputs. (What is written may stay in L2.)",
       [](const Workload& w, const Variant& v) -> Value { return dram_read_bytes(w, v); }},
      {"model.l2_bytes", "L2 to and from multiprocessors", "B",
       "Patterns as often as the variant reads them; for every frame the 32-byte sectors under the "
       "rows of every block (of every group's window or boxes, where neighbours share one), "
       "counted "
       "over all positions; a sector for every output.",
       l2_bytes},
      {"model.l2_gather_bytes", "useful bytes from L2", "B",
       "Patterns as often as the variant reads them, and the pixels under every block (of every "
       "group's window, where neighbours share one) for every frame.",
       l2_gather_bytes},
      {"model.l1_bytes", "L1 bytes", "B",
       "32 bytes for every sector that each request of 32 lanes touches in global memory: "
       "patterns, "
       "pixels from where blocks begin, positions, outputs. What bulk copies bring is not among "
       "them.",
       l1_bytes},
      {"model.operand_bytes", "L1 and shared-memory reads", "B",
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
      {"model.window_reuse", "pixels used a pixel fetched", "1",
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
