// tests/workbench/situations.h: programs as people ask about them, and the answer that must stand
// first.
#pragma once

#include <vector>

// The programs are in tests/situations. tests/situations/THREADS.md names the public threads that
// some of them follow. Their answers follow from the texts: a line that is wrong, the element
// beyond an end, or sectors per request by counting addresses.

namespace warpscope {

struct Situation {
  const char* file;
  std::vector<const char*> answer;  // parts of the first finding; without one, of the summary
  int status = 1;                   // of `warpscope trace`
  // With --code sass, where they differ. Machine code does not name arrays in shared memory, and
  // its lanes of a warp run in step where ptxas left out what synchronises them.
  std::vector<const char*> machine_answer = {};
  int machine_status = status;
};

inline std::vector<Situation> situations() {
  return {
      {"public/c01_norm_scratch.cu", {"misaligned", "c01_norm_scratch.cu:48", "of its 16 bytes"}},
      {"public/c04_scan_loop.cu", {"shared race", "c04_scan_loop.cu:17"}},
      {"public/c05_matmul_patterns.cu",
       {"walk_rows_and_columns, line 42: no findings; global loads: 2.50 sectors per request, "
        "efficiency 82.5 %",
        "walk_rows, line 43: no findings; global loads: 1.00 sectors per request, efficiency 12.5 "
        "%",
        "walk_columns, line 44: no findings; global loads: 4.00 sectors per request, efficiency "
        "100.0 %"},
       0},
      {"public/c12_bucket.ptx",
       {"out of bounds", "c12_bucket.py:10", "The size of argument_1 is a guess"},
       0,
       {"Unsupported .version"},  // a newer compiler's PTX than this ptxas assembles
       2},
      {"public/c13_old_dot.cu",
       {"shared race", "c13_old_dot.cu:25"},
       1,
       {"divergence, at c13_old_dot.cu:28"},
       0},
      {"memory/off_by_one.cu", {"out of bounds", "off_by_one.cu:7", "x[1000]"}},
      {"memory/no_tail_test.cu", {"out of bounds", "no_tail_test.cu:6", "a[3000]"}},
      {"memory/unaligned_float4.cu", {"misaligned", "unaligned_float4.cu:8"}},
      {"memory/walk_columns.cu",
       {"uncoalesced access, at walk_columns.cu:8", "32.00 sectors per request", "12.50 %"},
       0},
      {"memory/particles.cu",
       {"uncoalesced access, at particles.cu:11", "32.00 sectors per request"},
       0},
      {"memory/transpose_tile.cu",
       {"bank conflict, at transpose_tile.cu:13", "32.00 wavefronts per request"},
       0},
      {"memory/pitched_image.cu", {"out of bounds", "pitched_image.cu:8", "image["}},
      {"memory/constant_filter.cu", {"out of bounds", "constant_filter.cu:13", "filter[9]"}},
      {"memory/dynamic_shared.cu", {"out of bounds", "dynamic_shared.cu:7", "shared"}},
      {"memory/unset_shared.cu",
       {"uninitialised read", "unset_shared.cu:12", "partial[8]"},
       1,
       {"uninitialised read", "unset_shared.cu:12", "shared memory at byte 32"}},
      {"memory/stencil.cu", {"out of bounds", "stencil.cu:6", "u[-1]"}},
      {"memory/half_pairs.cu", {"out of bounds", "half_pairs.cu:9", "x[1000]"}},
      {"memory/image_by_value.cu", {"out of bounds", "image_by_value.cu:14", "pixels["}},
      {"order/tile_without_barrier.cu",
       {"shared race", "tile_without_barrier.cu:10"},
       1,
       {"shared race", "tile_without_barrier.cu:11"}},
      {"order/barrier_in_branch.cu", {"divergent barrier", "barrier_in_branch.cu:11"}},
      {"order/shuffle_mask.cu", {"absent lane", "shuffle_mask.cu:8"}},
      {"order/histogram.cu", {"race", "histogram.cu:7", "bins["}},
      {"order/scan_in_place.cu", {"shared race", "scan_in_place.cu:10"}},
      {"order/two_reductions.cu", {"shared race", "two_reductions.cu:12"}},
      {"order/whole_grid.cu", {"1. warning, divergence, at whole_grid.cu:12"}, 0},
      {"order/last_block.cu", {"out of bounds", "last_block.cu:20", "result[1]"}},
      {"order/grid_barrier.cu", {"1. note, divergence, at grid_barrier.cu:13"}, 0},
      {"threads/elimination.cu",
       {"divergent barrier", "elimination.cu:18"},
       1,
       {"shared race", "elimination.cu:21"}},
      {"threads/row_products.cu",
       {"shared race", "row_products.cu:12"},
       1,
       {"uninitialised read", "row_products.cu:12"}},
      {"threads/words_of_three.cu", {"misaligned", "words_of_three.cu:8"}},
      {"threads/pixel_tiles.cu",
       {"shared race", "pixel_tiles.cu:10", "storage["},
       1,
       {"shared race", "pixel_tiles.cu:10"}},
      {"threads/storage_copy.cu",
       {"uninitialised read", "storage_copy.cu:9", "local memory"},
       1,
       {"divergence, at storage_copy.cu:9"},  // ptxas keeps the copy in registers
       0},
      {"threads/window_sum.cu",
       {"uninitialised read", "window_sum.cu:19", "tile["},
       1,
       {"uninitialised read", "window_sum.cu:19"}},
      {"threads/row_or_column.cu",
       {"uncoalesced access, at row_or_column.cu:9", "32.00 sectors per request"},
       0},
      {"threads/softmax_fours.cu", {"out of bounds", "softmax_fours.cu:8", "x[1020]"}},
      {"threads/membrane.cu", {"race", "membrane.cu:12", "now["}},
      {"threads/two_arrays.cu",
       {"shared race", "two_arrays.cu:8", "shared memory[40]"},
       1,
       {"shared race", "two_arrays.cu:8", "byte 160"}},
  };
}

}  // namespace warpscope
