// workbench/workspace/scene/scene_journals.h: the journals of the scene: what was noted, by whom.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "profiling/journal/change_watch.h"
#include "profiling/journal/fork_journal.h"
#include "profiling/journal/journal.h"
#include "workbench/workspace/scene/kernel_files.h"
#include "workbench/workspace/scene/scene_words.h"

namespace warpscope {

// The person's own iterations, which the session has and, if the scene is a folder, the journal in
// it; and those of the article that the scene retells, which ship. An iteration is noted by hand,
// or makes itself: a kernel was saved and measured again. What is noted goes to the session, to its
// file and to the folder's journal.
class SceneJournals {
 public:
  SceneJournals(OpenedSession& opened, const ShownScene& scene, const Selection& selection,
                const SelectedPoints& points, const SceneWords& words, const KernelFiles& files,
                WindowLog& log, std::shared_ptr<Catalogue> catalogue);

  // Each with the points of the selected configuration.
  std::vector<JournalEntry> own() const;
  const std::vector<JournalEntry>& shipped() const;
  // The same as the article wrote them: figures in their sentences are left open. Each new answer
  // of an engine changes all entries, and to fill in their figures takes most of the time.
  const std::vector<JournalEntry>& shipped_unfilled() const;
  bool empty() const;  // neither own nor shipped iterations

  // Takes in what lies in the scene's folder, and what other programs have noted there since.
  void follow();
  // The session is another one: it gets the iterations of the folder again.
  void begin_again() { journal_of_.clear(); }
  // A new iteration of `variant` at the selection, or another decision on an old one.
  void note(const std::string& variant, const Iteration& asked);
  // The iterations that this measurement makes, noted in the folder's journal. They follow the
  // measurement into the session: pass each to `keep_change` after it.
  std::vector<Iteration> changes_of(const Measurement& measured);
  void keep_change(const Iteration& made) { opened_.keep(made); }
  // The scene's folder as it stood at `iteration`.
  Result<void> go_back(const Iteration& iteration);

 private:
  using Entries = std::vector<JournalEntry>;
  // No other program notes in the folder's journal while `act` gives numbers and keeps iterations.
  Result<void> in_journal(const std::string& scene, const std::function<Result<void>()>& act);
  void keep_noted(const Iteration& iteration);  // in the folder's journal, and here
  // The iteration to note for the variant of this name. No value: the variant is gone.
  std::optional<Iteration> to_note(const std::string& name, const Iteration& asked) const;
  // The last iteration of a variant, if a save made it and nobody said what was expected of it.
  std::optional<Iteration> unexplained_save(const std::string& variant) const;
  const Measurement* noted_point(const Iteration& iteration) const;

  OpenedSession& opened_;
  const ShownScene& scene_;
  const Selection& selection_;
  const SelectedPoints& points_;
  const SceneWords& words_;
  const KernelFiles& files_;
  WindowLog& log_;
  ChangeWatch watch_;
  std::string journal_of_;  // the scene whose folder's journal was taken in
  FolderJournals journals_;
  const std::vector<Iteration>& shipped_iterations() const;
  mutable Memo<std::string, std::vector<Iteration>> shipped_;  // by scene
  // By scene, revision, openings, device, problem and cache.
  using Shown =
      std::tuple<std::string, std::uint64_t, std::size_t, std::string, std::string, CacheState>;
  Shown shown() const;
  mutable Memo<Shown, Entries> shipped_entries_, filled_entries_;
};

}  // namespace warpscope
