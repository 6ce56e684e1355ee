// scenes/patterns/article.cpp: what textbooks claim of access patterns, as relations.
#include "scenes/patterns/article.h"

namespace warpscope::patterns {

// All at the scene's defaults but for what they name.
std::vector<ArticleClaim> article() {
  return {
      {"A copy that starts one element later is slower.",
       "copy@offset=1.time.warm > copy@offset=0.time.warm",
       "{copy@offset=1.time.warm} with the offset, {copy@offset=0.time.warm} without; "
       "{copy@offset=1.l1.sectors_per_request_load} and "
       "{copy@offset=0.l1.sectors_per_request_load} sectors per load request."},
      {"A stride of eight floats reads all bytes and uses an eighth.",
       "copy@stride=8.dram.bytes_read > 0.9 * copy@stride=1.dram.bytes_read",
       "{copy@stride=8.dram.bytes_read} are read from DRAM for an eighth of the elements, "
       "{copy@stride=1.dram.bytes_read} for all."},
      {"Copying 16 bytes per lane is faster than 4.",
       "copy@width=16.time.warm < copy@width=4.time.warm",
       "{copy@width=16.time.warm} with 16 bytes per lane, {copy@width=4.time.warm} with 4 bytes."},
      {"A structure of arrays is faster than an array of structures.",
       "structures_arrays@op=structures.time.warm < structures_fields@op=structures.time.warm",
       "{structures_arrays@op=structures.time.warm} as arrays, "
       "{structures_fields@op=structures.time.warm} as structures, three of eight fields."},
      {"A tile in shared memory makes a transpose faster.",
       "transpose_tiled@op=transpose.time.warm < transpose_naive@op=transpose.time.warm",
       "{transpose_tiled@op=transpose.time.warm} with a tile, "
       "{transpose_naive@op=transpose.time.warm} without."},
      {"Padding the tile by one word removes its bank conflicts.",
       "transpose_padded@op=transpose.shared.bank_conflicts < 0.02 * "
       "transpose_tiled@op=transpose.shared.bank_conflicts",
       "{transpose_padded@op=transpose.shared.bank_conflicts} bank conflicts with padding, "
       "{transpose_tiled@op=transpose.shared.bank_conflicts} without padding; the time is "
       "{transpose_padded@op=transpose.time.warm} instead of "
       "{transpose_tiled@op=transpose.time.warm}."},
      {"Letting the first lanes do the additions of a reduction makes it faster.",
       "reduction_strided@op=reduction.time.warm < reduction_interleaved@op=reduction.time.warm",
       "{reduction_strided@op=reduction.time.warm} with the first lanes, "
       "{reduction_interleaved@op=reduction.time.warm} with every second one."},
      {"Shuffles sum faster than shared memory.",
       "reduction_shuffle@op=reduction.time.warm < reduction_sequential@op=reduction.time.warm",
       "{reduction_shuffle@op=reduction.time.warm} by shuffles, "
       "{reduction_sequential@op=reduction.time.warm} in shared memory."},
      {"Merging atomics within the warp is faster if all 32 lanes add to one bin.",
       "atomics_aggregated@op=atomics,contention=32.time.warm < "
       "atomics_global@op=atomics,contention=32.time.warm",
       "{atomics_aggregated@op=atomics,contention=32.time.warm} merged, "
       "{atomics_global@op=atomics,contention=32.time.warm} one by one."},
  };
}

}  // namespace warpscope::patterns
