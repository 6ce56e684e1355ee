// profiling/journal/fork_journal.cpp: the journal that lies in a scene's folder.
#include "profiling/journal/fork_journal.h"

#include <algorithm>

#include "profiling/journal/change_watch.h"
#include "scenes/catalogue.h"
#include "scenes/folder/fork/copied_texts.h"
#include "scenes/host/clock.h"
#include "scenes/host/write_file.h"
#include "scenes/opened_scenes.h"
#include "scenes/read_folder.h"

namespace warpscope {

Result<void> note_fork(const std::filesystem::path& folder, const std::string& scene,
                       const std::string& copy, const std::string& hypothesis) {
  Session before;
  const Result<std::vector<Iteration>> noted = folder_journal(scene);
  if (!noted) return tl::unexpected(noted.error());
  for (const Iteration& each : *noted) before.apply(each);
  Result<SessionFile> file = SessionFile::open(folder / kJournalFile);
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

Result<void> go_back_to(const Iteration& iteration, const Session& session,
                        const std::function<Result<void>(const Iteration&)>& note) {
  const std::string& scene = iteration.scene;
  const std::filesystem::path folder = folder_of_scene(scene);
  const auto then = opened_text(scene, iteration.scene_text), now = opened_text(scene);
  if (folder.empty() || now == nullptr || then == nullptr) {
    return failure(ErrorKind::usage,
                   "the text of iteration " + std::to_string(iteration.number) + " is not known",
                   scene, "iterations of folders keep theirs from the first save on");
  }
  const std::vector<const Iteration*> noted = session.outcomes().iterations();
  const bool known = std::any_of(noted.begin(), noted.end(), [&](const Iteration* each) {
    return each->scene == scene && each->scene_text == now->hash;
  });
  if (!known) {
    Iteration last;
    last.number = next_iteration(session, scene);
    last.scene = scene;
    last.variant = iteration.variant;
    last.scene_text = now->hash;
    last.hypothesis = "as it stood before going back to " + std::to_string(iteration.number);
    last.diff = difference_of(then->sources, now->sources);
    last.parent = iteration.number;
    last.date = now_utc();
    if (Result<void> kept = note(last); !kept) return kept;
  }
  for (const auto& [file, text] : files_of(*then)) {
    if (Result<void> written = write_file(folder / file, text); !written) return written;
  }
  if (then->description == now->description) return {};
  return write_file(folder / kDescriptionFile, then->description);
}

Result<std::vector<Iteration>> folder_journal(const std::string& scene) {
  const std::filesystem::path folder = folder_of_scene(scene);
  std::error_code ignored;
  std::vector<Iteration> iterations;
  if (folder.empty() || !std::filesystem::exists(folder / kJournalFile, ignored)) return iterations;
  const Result<SessionReading> reading = read_session(folder / kJournalFile);
  if (!reading) return tl::unexpected(reading.error());
  for (const Iteration* each : reading->session.outcomes().iterations())
    iterations.push_back(*each);
  return iterations;
}

Result<void> FolderJournals::keep(const Iteration& iteration) {
  const std::filesystem::path folder = folder_of_scene(iteration.scene);
  if (folder.empty()) return {};
  auto file = files_.find(iteration.scene);
  if (file == files_.end()) {
    Result<SessionFile> opened = SessionFile::open(folder / kJournalFile);
    if (!opened) return tl::unexpected(opened.error());
    file = files_.emplace(iteration.scene, std::move(*opened)).first;
  }
  return file->second.append(iteration);
}

}  // namespace warpscope
