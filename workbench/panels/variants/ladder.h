// workbench/panels/variants/ladder.h: what stands in a row of Variants.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiling/points/device_comparison.h"
#include "profiling/session/remedy.h"
#include "workbench/panels/panels.h"

namespace warpscope {

struct LadderRow {
  const Variant* variant = nullptr;
  int index = 0;
  PointState state;
  double shortest_ns = 0;  // of all rows: its unit is that of every time
  bool stale = false;      // the point takes part in no comparison: state.apart says why
  std::string baseline;    // the variant that it is compared with; empty: none
  Comparison comparison;
  AcrossDevices across;  // where the baseline is another device
  std::string library;   // the library row beside the baseline; empty: none, or itself
  Comparison with_library;
  std::optional<AxisChange> remedy;     // what lets it run, where it cannot
  const OutputPair* outputs = nullptr;  // its outputs beside the baseline's; null: not compared
};

// Those that compute what the selection asks for, in teaching order.
std::vector<LadderRow> ladder_rows(const PanelContext& context, const Selection& selection);

// Whether a row that is wrong on purpose came out right here: it is shown, and wins nothing.
bool right_by_luck(const LadderRow& row);
bool right_by_luck(const Variant& variant, const Measurement& point);
// What was found against a reference that does not decide the verdict: "without effect on the
// verdict, against exact: …". The reference is named once.
std::string reported_words(const ReportedError& error);
// Whether the outcome stands in place of the times.
bool stands_for_times(Outcome outcome);
Outcome outcome_of(const LadderRow& row);
inline constexpr double kNoTime = 1e300;
double time_of(const LadderRow& row, CacheState cache);  // kNoTime: it has none

enum LadderColumn : std::uint8_t {
  kLadderMarker,
  kLadderName,
  kLadderVerdict,
  kLadderCold,
  kLadderWarm,
  kLadderGain,
  kLadderColumns,
  kLadderAgainst = kLadderColumns,  // from here on they are copied and exported, not drawn
  kLadderConfiguration,
  kLadderDevice,
  kLadderLibraryGain,
  kLadderLibrary,
  kLadderCells
};
// What filtering, sorting, copying and exporting see: of every row its configuration and device, so
// that it stands for itself elsewhere.
std::array<TableColumn, kLadderCells> ladder_columns(const SessionView& view,
                                                     const Selection& selection);
TableRow ladder_cells(const Scene& scene, const LadderRow& row, std::size_t index);

// "NVIDIA H200 (GPU-c84bc8ec)" of a device of the session.
std::string device_text(const SessionView& view, const std::string& id);

}  // namespace warpscope
