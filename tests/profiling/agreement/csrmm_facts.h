// tests/profiling/agreement/csrmm_facts.h: the facts of the inputs of csrmm at its default.
#pragma once

#include "scenes/base/scene.h"

namespace warpscope {

inline Facts facts_of_default_csrmm() {
  return {{"nnz", 2e6},          {"mean_row", 200},          {"distinct_columns", 10000},
          {"longest_row", 200},  {"longest_column", 264},    {"row_segments", 10000},
          {"sell_entries", 2e6}, {"column_segments", 10000}, {"empty_rows", 0},
          {"empty_columns", 0}};
}

}  // namespace warpscope
