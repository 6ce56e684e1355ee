// profiling/journal/fork_journal.h: the journal that lies in a scene's folder.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "profiling/session/session.h"
#include "scenes/host/result.h"

// A session of its own beside the description: the iterations of the folder's variants, each with
// the folder's text as it stood, so that every one can be gone back to.

namespace warpscope {

inline constexpr const char* kJournalFile = "journal.wsj";

// What a fork begins with: its parent as it was (kept), and the copy with what is expected of it
// (open). `scene` is open and `copy` one of its variants. error: as SessionFile.
Result<void> note_fork(const std::filesystem::path& folder, const std::string& scene,
                       const std::string& copy, const std::string& hypothesis);

// Back to the text that an iteration of a folder's scene has, as a save of its own. What stands
// there and is no iteration of `session` yet is given to `note` first, as one: nothing is lost.
// error: usage (no folder, or its text then is not known), environment.
Result<void> go_back_to(const Iteration& iteration, const Session& session,
                        const std::function<Result<void>(const Iteration&)>& note);

// The iterations in the journal of a scene's folder; none where it has no journal, or the scene is
// no folder here. error: as read_session.
Result<std::vector<Iteration>> folder_journal(const std::string& scene);

// The journals of folders, open to be appended to.
class FolderJournals {
 public:
  // A journal begins with its first iteration. Of a scene that is no folder here nothing is kept.
  // error: as SessionFile.
  Result<void> keep(const Iteration& iteration);

 private:
  std::map<std::string, SessionFile> files_;  // by scene
};

}  // namespace warpscope
