// scenes/deform/variants/placed_variants.cpp: variants that share metadata, stage levels, or choose
// which queries lie together.
#include <utility>

#include "scenes/deform/constraints.h"
#include "scenes/deform/inputs/shapes.h"
#include "scenes/deform/variants/variants.h"
#include "scenes/deform/work.h"

namespace warpscope::deform {
namespace {

Variant shuffle_variant() {
  Variant v = lanes_variant(
      "lane_per_point_shuffle", "one lane per point",
      "The lanes of a query share its points: each computes an address and four weights, and "
      "shuffles pass them to the others.",
      "Executed instructions: metadata is shared by the lanes of a "
      "query[[lane_per_point_shuffle.inst.executed < interleaved_compile_time_points.inst.executed "
      "=> : {inst.executed:lane_per_point_shuffle}, and "
      "{inst.executed:interleaved_compile_time_points} in the baseline]]. The lines of the gather "
      "stay the same[[lane_per_point_shuffle.time.warm < interleaved_compile_time_points.time.warm "
      "=> ; it is {ratio(interleaved_compile_time_points.time.warm, "
      "lane_per_point_shuffle.time.warm)} times as fast | , and the time with them]].");
  v.steps = lane_per_point_steps;
  v.constraints.insert(v.constraints.end(), {query_lanes_hold_channels(), whole_warps()});
  return v;
}

Variant tiles_variant() {
  Variant v = lanes_variant("query_tiles", "tiles of queries",
                            "A block has 8 × 8 neighbouring queries of the image, two per lane.",
                            "L1's hit rate if queries sample around their own reference points "
                            "(reference + offset). If all sample one window, nothing changes.");
  v.steps = query_tiles_steps;
  return v;
}

Variant async_variant() {
  Variant v = lanes_variant(
      "async_metadata", "metadata copied ahead",
      "Asynchronous copies bring the locations and weights of the next tile of queries to shared "
      "memory while this tile is sampled.",
      "Sectors of loc and weight, each fetched once, and the stall reasons of warps.");
  v.steps = async_metadata_steps;
  v.constraints.insert(v.constraints.end(),
                       {lanes_divide_a_warp(), whole_warps(), whole_metadata_pieces(),
                        compute_capability(80, "asynchronous copies"), metadata_fits_shared()});
  return v;
}

Variant small_levels_variant() {
  Variant v = lanes_variant(
      "small_levels_in_shared", "small levels in shared memory",
      "Persistent blocks go through the images and keep the last levels of the current image in "
      "shared memory.",
      "Wavefronts of shared memory and of L1 together: both use the same 32 banks, where two "
      "corners conflict every second time. What shared memory takes is not available to L1.");
  v.steps = [](const Workload& w) { return staged_steps(w, "small_levels_in_shared"); };
  v.constraints.push_back(levels_fit_shared());
  charge_staging(v, v.name);
  v.own_roof_at = nullptr;  // corners come from shared memory as well
  return v;
}

Variant bulk_levels_variant() {
  Variant v = lanes_variant(
      "bulk_staged_levels", "small levels by bulk copy",
      "The same, but one thread starts a few bulk copies that bring the levels.",
      "Instructions for staging, which disappear, compared with small levels in shared memory.");
  v.steps = [](const Workload& w) { return staged_steps(w, "bulk_staged_levels"); };
  v.constraints.insert(v.constraints.end(),
                       {compute_capability(90, "bulk copies"), levels_fit_shared()});
  charge_staging(v, v.name);
  v.own_roof_at = nullptr;  // corners come from shared memory as well
  return v;
}

Variant box_variant() {
  Variant v =
      lanes_variant("tma_box_per_sample", "one tensor copy per sample",
                    "One bulk tensor copy brings the four corners of each sample to shared memory.",
                    "The number of copies, each of a few hundred bytes: the rate at which they "
                    "start limits it, not their bytes.");
  v.family = "lesson";
  v.steps = tma_box_steps;
  v.constraints.insert(v.constraints.end(),
                       {lanes_divide_a_warp(), whole_warps(), whole_boxes(),
                        compute_capability(90, "bulk tensor copies"), boxes_fit_shared()});
  v.own_roof_at = nullptr;  // corners come from shared memory as well
  return v;
}

Variant sorted_variant() {
  Variant v =
      lanes_variant("sorted_queries", "sorted queries",
                    "Queries of an image are first sorted by the cell of the largest level that "
                    "holds their first sample.",
                    "L1's hit rate and the bytes from L2, compared with the cost of sorting in the "
                    "same call. It pays if samples of such queries coincide.");
  v.steps = sorted_queries_steps;
  v.scratch = sorted_queries_scratch;
  return v;
}

Variant sorted_windows_variant() {
  Variant v = lanes_variant(
      "sorted_windows", "sorted queries, a shared window",
      "Sorted queries of one head. The two blocks of a cluster hold the same window of the largest "
      "level in shared memory, and each copies a part of it into both.",
      "Bytes from L2 and sectors per request compared with sorted queries. Corners inside the "
      "window come from shared memory, and the window is copied wherever queries sample.");
  v.steps = sorted_windows_steps;
  v.scratch = sorted_queries_scratch;
  v.constraints.insert(v.constraints.end(),
                       {compute_capability(90, "copies to both blocks of a cluster"),
                        windows_have_halves(), windows_fit_shared()});
  v.own_roof_at = nullptr;  // corners come from shared memory as well
  return v;
}

}  // namespace

std::vector<Variant> placed_variants() {
  return {shuffle_variant(),     tiles_variant(), async_variant(),  small_levels_variant(),
          bulk_levels_variant(), box_variant(),   sorted_variant(), sorted_windows_variant()};
}

}  // namespace warpscope::deform
