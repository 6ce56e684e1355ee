// profiling/journal/fork_journal.cpp: the journal that lies in a scene's folder.
#include "profiling/journal/fork_journal.h"

#include "profiling/journal/change_watch.h"
#include "scenes/catalogue.h"
#include "scenes/host/clock.h"
#include "scenes/opened_scenes.h"

namespace warpscope {

Result<void> note_fork(const std::filesystem::path& folder, const std::string& scene,
                       const std::string& copy, const std::string& hypothesis) {
  const std::filesystem::path path = folder / kJournalFile;
  Session before;
  if (std::filesystem::exists(path)) {
    Result<SessionReading> reading = read_session(path);
    if (!reading) return tl::unexpected(reading.error());
    before = std::move(reading->session);
  }
  Result<SessionFile> file = SessionFile::open(path);
  if (!file) return tl::unexpected(file.error());
  const Scene* opened = opened_scene(scene);
  const Variant* variant = opened == nullptr ? nullptr : find_variant(*opened, copy);
  if (variant == nullptr) {
    return failure(ErrorKind::internal, "the fork is not open", scene + "/" + copy,
                   "open the folder before its journal begins");
  }
  Iteration first;
  first.number = next_iteration(before, scene);
  first.scene = scene;
  first.variant = variant->parent;
  first.hypothesis = "as it was";
  first.decision = Decision::kept;
  first.scene_text = opened_text(scene)->hash;
  first.date = now_utc();
  // Its line goes on where the parent is a copy itself.
  for (const Iteration* each : before.outcomes().iterations()) {
    if (each->scene == scene && each->variant == variant->parent) first.number = each->number;
  }
  Iteration second = first;
  second.number = std::max(next_iteration(before, scene), first.number + 1);
  second.parent = first.number;
  second.variant = copy;
  second.hypothesis = hypothesis.empty() ? "a copy of " + variant->parent : hypothesis;
  second.decision = Decision::open;
  if (first.number == next_iteration(before, scene)) {
    if (Result<void> kept = file->append(first); !kept) return kept;
  }
  return file->append(second);
}

}  // namespace warpscope
