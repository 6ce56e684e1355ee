// scenes/choice/picked_row.h: which row an automatic row ran, and why.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenes/choice/model.h"

namespace warpscope {

enum class PickReason {
  table,       // the fitted costs, or a point that they were fitted to
  measured,    // it was the fastest of the nearest candidates, which were timed for this run
  remembered,  // the same, timed in an earlier run on such a device
};
const char* to_text(PickReason reason);

// A candidate that was timed, or one that could not be taken.
struct TriedRow {
  ChosenRow row;
  double expected_ns = 0;    // by the table, for the device that it was fitted on
  std::optional<double> ns;  // the median, in the state of the caches that the table is fitted to
  std::string left_out;      // why it has no time: “wrong: …”; empty: it has one
};

struct PickedRow {
  ChosenRow row;
  PickReason reason = PickReason::table;
  std::vector<TriedRow> tried;  // by expected time; empty for `table`
};

}  // namespace warpscope
