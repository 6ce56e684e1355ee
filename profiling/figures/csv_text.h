// profiling/figures/csv_text.h: cells as lines of CSV, and CSV text back as cells.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenes/host/result.h"

namespace warpscope {

// One row of cells, each as csv_cell of inert_text.h writes it (a formula is made text), and its
// line end. RFC 4180.
std::string csv_row(const std::vector<std::string>& cells);

// A CSV text back into rows of cells; the apostrophe before a formula stays. error: input, naming
// the line.
Result<std::vector<std::vector<std::string>>> parse_csv(std::string_view text);

}  // namespace warpscope
