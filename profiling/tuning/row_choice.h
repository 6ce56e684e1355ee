// profiling/tuning/row_choice.h: which row an automatic row runs on a device: by its table, by
// times, or by times that are remembered.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiling/messages/protocol.h"
#include "profiling/tuning/choice_memory.h"
#include "scenes/choice_scenes.h"

//   Result<RowChoice> choice = choose_row(question, memory, try_row);
//   run(choice->instead ? *choice->instead : automatic);

namespace warpscope {

struct RowQuestion {
  const Scene& scene;
  const Variant& automatic;
  const Workload& workload;
  const ChoiceModel* model = nullptr;  // null, or without a table of this row: nothing is chosen
  ChooseBy by = ChooseBy::device;
  // False: what was not timed before is not timed now, and the table decides.
  bool may_time = true;
  // While a slider moves: on the device of the fit nothing is timed, so that a point comes at once.
  bool live = false;
  std::string device, driver;
  DeviceLimits limits;
  std::function<std::string(const Variant&)> code_id;  // of a row that runs at this workload
};

// The median of a row whose output was right before and after, or why it has none.
struct RowTrial {
  std::optional<double> ns;
  std::string left_out;
  bool for_now = false;  // left out because memory is short: nothing is remembered
};
// error: fault, the row ended the process and is left out from then on; any other: it is asked
// again next time (“cancelled”).
using TryRow = std::function<Result<RowTrial>(const ChosenRow&, const Variant& taking_it)>;

struct RowChoice {
  std::shared_ptr<const PickedRow> picked;  // null: the row does not choose by fitted costs
  std::optional<Variant> instead;           // to be run in place of the automatic row, if any
  std::string why;                          // of `instead`, as Variant::choice says it
};

// How many rows are timed: those with the shortest expected times.
inline constexpr std::size_t kTimedRows = 6;

// The rows that are timed where nothing is remembered, shortest expected time first: at most
// kTimedRows. Whether their output is right is checked then.
std::vector<ExpectedTime> timed_rows(const Scene& scene, const ChoiceFeatures& features,
                                     const CostTable& table, const Workload& workload,
                                     const DeviceLimits& device);

// error: input, if no candidate gave right results; else that of `try_row`.
Result<RowChoice> choose_row(const RowQuestion& question, ChoiceMemory& memory,
                             const TryRow& try_row);

// "K-tiled stream: measured now: 12 µs; the next, block row, 15 µs; left out: queue, wrong output".
std::string why_text(const Scene& scene, const PickedRow& picked);

}  // namespace warpscope
