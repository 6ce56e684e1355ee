// profiling/journal/fork_journal.cpp: the journal that lies in a scene's folder.
#include "profiling/journal/fork_journal.h"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "profiling/journal/change_watch.h"
#include "profiling/journal/folder_lock.h"
#include "profiling/messages/protocol.h"
#include "scenes/captured_folder.h"
#include "scenes/catalogue.h"
#include "scenes/folder/fork/copied_texts.h"
#include "scenes/folder_file.h"
#include "scenes/host/clock.h"
#include "scenes/read_folder.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

// What stands in a file from one place to another, as far as it can be read.
std::string bytes_of(const fs::path& path, std::int64_t from, std::int64_t to) {
  std::string bytes(static_cast<std::size_t>(to - from), '\0');
  std::ifstream file(path, std::ios::binary);
  file.seekg(from);
  file.read(bytes.data(), to - from);
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

// A journal lies in its folder: a link could lead to any file of the person's.
Result<SessionFile> open_journal(const fs::path& folder,
                                 const std::shared_ptr<const Catalogue>& catalogue) {
  const fs::path path = folder / kJournalFile;
  std::error_code ignored;
  if (!fs::is_symlink(path, ignored)) return SessionFile::open(path, catalogue);
  return failure(ErrorKind::input, "the journal is a link, and nothing is written through a link",
                 path.string(), "put the file itself there");
}

// How many bytes of a file are lines that are finished; 0: it is not a regular file.
std::int64_t whole_lines_bytes(const fs::path& path) {
  constexpr std::int64_t kChunk = 1 << 16;
  std::error_code failed;
  std::int64_t end = fs::is_regular_file(path, failed)
                         ? static_cast<std::int64_t>(fs::file_size(path, failed))
                         : 0;
  while (!failed && end > 0) {
    const std::int64_t begin = std::max<std::int64_t>(0, end - kChunk);
    const std::size_t last = bytes_of(path, begin, end).rfind('\n');
    if (last != std::string::npos) return begin + static_cast<std::int64_t>(last) + 1;
    end = begin;
  }
  return 0;
}

Result<void> note_fork_locked(const std::shared_ptr<Catalogue>& catalogue, const fs::path& folder,
                              const std::string& scene, const std::string& copy,
                              const std::string& hypothesis, const std::string& parent);

}  // namespace

Result<void> note_fork(const std::shared_ptr<Catalogue>& catalogue, const fs::path& folder,
                       const std::string& scene, const std::string& copy,
                       const std::string& hypothesis, const std::string& parent) {
  const Result<FolderLock> lock = FolderLock::take(folder);
  if (!lock) return tl::unexpected(lock.error());
  return note_fork_locked(catalogue, folder, scene, copy, hypothesis, parent);
}

namespace {

Result<void> note_fork_locked(const std::shared_ptr<Catalogue>& catalogue, const fs::path& folder,
                              const std::string& scene, const std::string& copy,
                              const std::string& hypothesis, const std::string& parent) {
  Session before;
  const Result<std::vector<Iteration>> noted = folder_journal(catalogue, scene);
  if (!noted) return tl::unexpected(noted.error());
  for (const Iteration& each : *noted) before.apply(each);
  Result<SessionFile> file = open_journal(folder, catalogue);
  if (!file) return tl::unexpected(file.error());
  const auto text = catalogue->text(scene);
  const Result<const Scene*> opened = catalogue->find(scene);
  const Variant* variant = text && opened ? find_variant(**opened, copy) : nullptr;
  if (variant == nullptr) {
    return failure(ErrorKind::internal, "the fork is not open", scene + "/" + copy,
                   "open the folder before its journal begins");
  }
  Iteration first;
  first.number = next_iteration(before, scene);
  first.scene = scene;
  first.variant = variant->parent.empty() ? parent : variant->parent;
  first.hypothesis = "as it was";
  first.decision = Decision::kept;
  first.scene_text = text->hash;
  first.date = now_utc();
  // Its line goes on where the parent is a copy itself.
  for (const Iteration* each : before.outcomes().iterations()) {
    if (each->scene == scene && each->variant == first.variant) first.number = each->number;
  }
  Iteration second = first;
  second.number = std::max(next_iteration(before, scene), first.number + 1);
  second.parent = first.number;
  second.variant = copy;
  second.hypothesis = hypothesis.empty() ? "a copy of " + first.variant : hypothesis;
  second.decision = Decision::open;
  if (first.number == next_iteration(before, scene)) {
    if (Result<void> kept = file->append(first); !kept) return kept;
  }
  return file->append(second);
}

}  // namespace

Result<void> go_back_to(const Iteration& iteration, const Session& session,
                        const std::function<Result<void>(const Iteration&)>& note) {
  const std::string& scene = iteration.scene;
  const Catalogue& catalogue = session.catalogue();
  const fs::path folder = catalogue.folder_of(scene);
  const auto then = catalogue.text(scene, iteration.scene_text), now = catalogue.text(scene);
  if (folder.empty() || now == nullptr || then == nullptr) {
    return failure(ErrorKind::usage,
                   "the text of iteration " + std::to_string(iteration.number) + " is not known",
                   scene, "the journal keeps the text of an iteration from the first save on");
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
    last.hypothesis = "as it was before going back to " + std::to_string(iteration.number);
    last.diff = difference_of(then->sources, now->sources);
    last.parent = iteration.number;
    last.date = now_utc();
    if (Result<void> kept = note(last); !kept) return kept;
  }
  // Names come from a journal, which may be anybody's.
  for (const auto& [file, text] : files_of(without_capture(*then))) {
    if (Result<void> written = write_in_folder(folder, file, text); !written) return written;
  }
  if (then->description == now->description) return {};
  return write_in_folder(folder, kDescriptionFile, own_description(*then));
}

Result<std::vector<Iteration>> folder_journal(const std::shared_ptr<Catalogue>& catalogue,
                                              const std::string& scene) {
  const fs::path folder = catalogue->folder_of(scene);
  std::error_code ignored;
  std::vector<Iteration> iterations;
  if (folder.empty() || !fs::exists(folder / kJournalFile, ignored)) return iterations;
  const Result<SessionReading> reading =
      read_sessions({folder / kJournalFile}, {.catalogue = catalogue});
  if (!reading) return tl::unexpected(reading.error());
  for (const Iteration* each : reading->session.outcomes().iterations())
    iterations.push_back(*each);
  return iterations;
}

FolderJournals::Journal* FolderJournals::journal_of(const std::string& scene) {
  const fs::path folder = catalogue_->folder_of(scene);
  if (folder.empty()) return nullptr;
  Journal& journal = journals_[scene];
  if (journal.folder != folder) journal = {.folder = folder};
  return &journal;
}

Result<void> FolderJournals::begin(const std::string& scene, const TakeIn& take_in) {
  Journal* journal = journal_of(scene);
  if (journal == nullptr) return {};
  journal->read_bytes = 0;
  journal->looked_bytes = -1;
  return look(scene, take_in);
}

// From the beginning, with all that read_session refuses.
Result<void> FolderJournals::take_in_all(const std::string& scene, const TakeIn& take_in,
                                         Journal& journal) {
  const fs::path path = journal.folder / kJournalFile;
  // Lines that come while it is read are taken in once more at the next look: to no effect.
  const std::int64_t whole = whole_lines_bytes(path);
  std::error_code ignored;
  // The process that began it was killed at its first line, or is writing that line now.
  if (whole == 0 && fs::is_regular_file(path, ignored)) return {};
  const Result<std::vector<Iteration>> noted = folder_journal(catalogue_, scene);
  if (!noted) return tl::unexpected(noted.error());
  journal.read_bytes = whole;
  for (const Iteration& each : *noted) take_in(each);
  return {};
}

Result<void> FolderJournals::look(const std::string& scene, const TakeIn& take_in) {
  Journal* journal = journal_of(scene);
  if (journal == nullptr) return {};
  const fs::path path = journal->folder / kJournalFile;
  struct stat now {};
  if (::stat(path.c_str(), &now) != 0) now = {};  // it begins with its first iteration
  if (now.st_dev != journal->device || now.st_ino != journal->inode ||
      now.st_size < journal->read_bytes) {
    *journal = {.folder = journal->folder,
                .device = now.st_dev,
                .inode = now.st_ino,
                .locked = journal->locked};
  }
  if (now.st_size == 0 || now.st_size == journal->looked_bytes) return {};
  journal->looked_bytes = now.st_size;
  if (journal->read_bytes == 0) return take_in_all(scene, take_in, *journal);
  const std::string lines = bytes_of(path, journal->read_bytes, now.st_size);
  std::size_t begin = 0;
  for (std::size_t end = lines.find('\n'); end != std::string::npos;
       end = lines.find('\n', begin)) {
    const Result<Message> message = parse_line(std::string_view(lines).substr(begin, end - begin));
    begin = end + 1;
    if (!message) continue;  // what a program that was killed left unfinished
    if (const auto* text = std::get_if<SceneText>(&*message))
      static_cast<void>(catalogue_->open_text(*text));
    if (const auto* iteration = std::get_if<Iteration>(&*message)) take_in(*iteration);
  }
  journal->read_bytes += static_cast<std::int64_t>(begin);
  return {};
}

Result<void> FolderJournals::locked(const std::string& scene, const TakeIn& take_in,
                                    const std::function<Result<void>()>& act) {
  Journal* journal = journal_of(scene);
  if (journal == nullptr || journal->locked) return act();
  const Result<FolderLock> lock = FolderLock::take(journal->folder);
  if (!lock) return tl::unexpected(lock.error());
  if (Result<void> looked = look(scene, take_in); !looked) return looked;
  journal->locked = true;
  Result<void> done = act();
  journal->locked = false;
  return done;
}

Result<void> FolderJournals::keep(const Iteration& iteration) {
  Journal* journal = journal_of(iteration.scene);
  if (journal == nullptr) return {};
  if (!journal->locked) {
    return failure(ErrorKind::internal, "the journal is not locked", journal->folder.string(),
                   "report it");
  }
  const fs::path path = journal->folder / kJournalFile;
  const auto is_read = [&](const struct stat& now) {
    return now.st_dev == journal->device && now.st_ino == journal->inode;
  };
  struct stat now {};
  // Another file may lie there by now: a folder is restored, a branch is changed.
  if (!journal->file || ::stat(path.c_str(), &now) != 0 || !is_read(now)) {
    Result<SessionFile> opened = open_journal(journal->folder, catalogue_);
    if (!opened) return tl::unexpected(opened.error());
    journal->file = std::move(*opened);
  }
  if (Result<void> kept = journal->file->append(iteration); !kept) return kept;
  if (::stat(path.c_str(), &now) != 0) now = {};
  journal->device = now.st_dev;
  journal->inode = now.st_ino;
  // Nobody else wrote since the look: what stands there is known.
  journal->read_bytes = journal->looked_bytes = now.st_size;
  return {};
}

}  // namespace warpscope
