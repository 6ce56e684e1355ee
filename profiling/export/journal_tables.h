// profiling/export/journal_tables.h: the journals of a session's scenes, as reports and commands
// show them.
#pragma once

#include <string>
#include <vector>

#include "profiling/export/report_tables.h"
#include "profiling/journal/journal.h"

namespace warpscope {

// A scene's journal with the figures of one device of a session, at one configuration of the
// problem.
struct SceneJournal {
  std::string scene;
  bool own = false;             // the iterations are the session's; else the article's
  std::string problem, device;  // of the figures; empty: there are none
  std::vector<JournalEntry> entries;
};

// The session's own iterations, and the article's of every scene that the session has points of (of
// all scenes where it has no points), or of one scene. The configuration is the one at which most
// of the journal's variants were measured, of several the scene's default. error: as
// shipped_journal. Points stay the session's.
Result<std::vector<SceneJournal>> journals_of(const Session& session,
                                              const std::string& scene = {});

// "csrmm: the iterations of its article, with the figures of NVIDIA H200 at n=128".
std::string heading_of(const SceneJournal& journal);

// The variant of an iteration, with the axes that it names: "block_row (rows=fixed)".
std::string journal_place(const Catalogue& catalogue, const Iteration& iteration);

// One a journal of which the session has a figure, or that is the session's own.
std::vector<ReportTable> journal_tables(const Session& session);

}  // namespace warpscope
