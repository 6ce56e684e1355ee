// profiling/export/access_summary.h: what the accesses of a kernel cost, a row each, for reports.
#pragma once

#include <string>
#include <vector>

#include "profiling/access/line_counters.h"
#include "profiling/access/trace.h"
#include "profiling/export/report_tables.h"

// An access is what one line of source does to one kind of memory, however often it was inlined
// and unrolled: "load of a", "store to shared memory".
//
//   for (const ReportTable& table : access_tables(trace, measured_lines(point, trace)))
//     text += markdown_table(table);                    // or csv_table(table)

namespace warpscope {

struct SummedAccess {
  SourcePosition position;  // innermost: the line of the access itself
  Space space = Space::global;
  AccessKind kind = AccessKind::load;
  std::string buffer;             // empty: of shared memory, or not known
  int sites = 0;                  // memory instructions
  AccessTotals emulated;          // of what the trace covers
  LineFigures counted;            // of the line, by the device; no value if it was not asked
  std::size_t first_request = 0;  // of the kept requests; their number: none is kept
};

// By line. `counters` may be null.
std::vector<SummedAccess> summed_accesses(const Trace& trace, const LineCounters* counters);

// Two tables: what each access costs, emulated beside counted; and thread, element and byte offset
// of the first two and the last two lanes of its first request.
std::vector<ReportTable> access_tables(const Trace& trace, const LineCounters* counters);

std::string markdown_table(const ReportTable& table);
// RFC 4180; the title stands before the table, in a line of its own.
std::string csv_table(const ReportTable& table);

}  // namespace warpscope
