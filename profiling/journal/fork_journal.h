// profiling/journal/fork_journal.h: the journal that lies in a scene's folder.
#pragma once

#include <filesystem>
#include <string>

#include "scenes/host/result.h"

// A session of its own beside the description: the iterations of the folder's variants, each with
// the folder's text as it stood, so that every one can be gone back to.

namespace warpscope {

inline constexpr const char* kJournalFile = "journal.wsj";

// What a fork begins with: its parent as it was (kept), and the copy with what is expected of it
// (open). `scene` is open and `copy` one of its variants. error: as SessionFile.
Result<void> note_fork(const std::filesystem::path& folder, const std::string& scene,
                       const std::string& copy, const std::string& hypothesis);

}  // namespace warpscope
