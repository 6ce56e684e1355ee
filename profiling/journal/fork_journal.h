// profiling/journal/fork_journal.h: the journal that lies in a scene's folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiling/session/session.h"
#include "scenes/host/result.h"

// A session of its own beside the description: the iterations of the folder's variants, each with
// the folder's text as it stood, so that every one can be gone back to.

namespace warpscope {

inline constexpr const char* kJournalFile = "journal.wsj";

// What a fork begins with: its parent as it was (kept), and the copy with what is expected of it
// (open). `scene` is open in the catalogue and `copy` one of its variants. `parent`: of a copy
// whose description does not say it. error: as SessionFile.
Result<void> note_fork(const std::shared_ptr<Catalogue>& catalogue,
                       const std::filesystem::path& folder, const std::string& scene,
                       const std::string& copy, const std::string& hypothesis,
                       const std::string& parent = {});

// Back to the text that an iteration of a folder's scene has, as a save of its own. What stands
// there and is not an iteration of `session` yet is given to `note` first, as one: nothing is lost.
// error: usage (no folder, or its text then is not known), environment.
Result<void> go_back_to(const Iteration& iteration, const Session& session,
                        const std::function<Result<void>(const Iteration&)>& note);

// The iterations in the journal of a scene's folder; none where it has no journal, or the scene is
// no folder here. The texts that it keeps are opened in the catalogue. error: as read_session.
Result<std::vector<Iteration>> folder_journal(const std::shared_ptr<Catalogue>& catalogue,
                                              const std::string& scene);

// The journals of folders, which other programs may note in at the same time: a window and
// `warpscope serve`, or two of either. Numbers are given under a lock on the folder, after what the
// others noted was taken in:
//
//   journals.begin(scene, take_in);                 // all that is there
//   journals.look(scene, take_in);                  // what others noted since
//   journals.locked(scene, take_in, [&] {           // nobody else notes meanwhile
//     iteration.number = next_iteration(session, scene);
//     return journals.keep(iteration);
//   });
//
// A scene that is not a folder here has no journal: nothing is read or kept, and `locked` only
// acts.
class FolderJournals {
 public:
  using TakeIn = std::function<void(const Iteration&)>;
  explicit FolderJournals(std::shared_ptr<Catalogue> catalogue)
      : catalogue_(std::move(catalogue)) {}
  // error: as read_session.
  Result<void> begin(const std::string& scene, const TakeIn& take_in);
  // Costs one look at the file's size where nothing came. A line that is not finished yet is left
  // for later. error: as read_session.
  Result<void> look(const std::string& scene, const TakeIn& take_in);
  // error: environment: another program has held the lock for seconds; as look; of `act`.
  Result<void> locked(const std::string& scene, const TakeIn& take_in,
                      const std::function<Result<void>()>& act);
  // Within `locked`. A journal begins with its first iteration. error: as SessionFile.
  Result<void> keep(const Iteration& iteration);

 private:
  struct Journal {
    std::filesystem::path folder;
    std::uint64_t device = 0, inode = 0;  // of the file that was read; 0: there was none
    std::int64_t read_bytes = 0;          // taken in
    std::int64_t looked_bytes = -1;       // the size at the last look
    std::optional<SessionFile> file;      // open to be appended to
    bool locked = false;
  };
  Journal* journal_of(const std::string& scene);
  Result<void> take_in_all(const std::string& scene, const TakeIn& take_in, Journal& journal);

  std::shared_ptr<Catalogue> catalogue_;
  std::map<std::string, Journal> journals_;  // by scene
};

}  // namespace warpscope
