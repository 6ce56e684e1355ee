// profiling/export/export.h: sessions as CSV, Perfetto JSON, and reports for other tools and
// people.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profiling/export/report/report.h"
#include "profiling/session/session.h"
#include "scenes/host/write_file.h"

namespace warpscope {

// Tidy CSV: a row a metric: date, device and its UUID, driver, toolkit, build, code_id, source
// hash, scene, variant, step, verdict, league, problem (the axes that every variant is asked), key
// (with the variant's own), axes that the recording lacked, every axis, metric id, label, unit,
// value (empty with reason), origin, cache, samples, noise. Rows of several devices and of earlier
// sources are all there. RFC 4180 quoting.
std::string tidy_csv(const Session& session);
// Wide CSV: a row a measurement, a column a metric, named "id [unit]".
std::string wide_csv(const Session& session);
// The same texts given away in parts, so that of a large session no whole text is in memory.
void write_tidy_csv(const Session& session, const TextSink& write);
void write_wide_csv(const Session& session, const TextSink& write);

// Chrome trace event JSON (opens in Perfetto): ranges and activities of all timelines, each a
// process whose threads are its lanes.
std::string perfetto_json(const Session& session);
void write_perfetto_json(const Session& session, const TextSink& write);
// The points of a session as one JSON array of measurements.
std::string points_json(const Session& session);
void write_points_json(const Session& session, const TextSink& write);
// Roofs with level, mix or pipe, value, unit, method and check, and their conditions.
std::string roofs_json(const RoofSet& roofs);

}  // namespace warpscope
