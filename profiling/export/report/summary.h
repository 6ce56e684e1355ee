// profiling/export/report/summary.h: what a report says first: conclusions, conditions, winners,
// hot lines, and what was emulated.
#pragma once

#include <string>
#include <vector>

#include "profiling/export/report/material.h"
#include "profiling/export/report_tables.h"

namespace warpscope {

// What the session comes to, a sentence each: of every scene, device and league the fastest variant
// of the problem at which most points were ranked, how far it is from the baseline, what limits it
// and the line of source responsible; the worst findings of emulated kernels; outputs that were
// wrong; statements of the article that hold or not, as `tables` say.
std::vector<std::string> report_conclusions(ReportMaterial& material,
                                            const std::vector<ReportTable>& tables);

// A row per condition, a column per device. Without rows where no device measured.
ReportTable conditions_table(const Session& session);

// One table per scene and device: of every problem and league who is fastest, by how much, and what
// limits it. Only of what may be ranked.
std::vector<ReportTable> winner_tables(ReportMaterial& material);

// The lines of source that cost most, of the fastest variants and their baselines, as counted or
// emulated. Empty if no line was counted or emulated.
std::vector<ReportTable> line_tables(ReportMaterial& material);

// The traces of a session: what each launch costs, and what is wrong or wasteful in it.
std::vector<ReportTable> emulated_tables(const Session& session);

}  // namespace warpscope
