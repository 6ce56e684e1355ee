// workbench/workspace/session/opened_session.h: the session that is shown, and the file it is
// recorded to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiling/session/session.h"
#include "workbench/workspace/selection/named_baselines.h"
#include "workbench/workspace/session/window_log.h"

namespace warpscope {

// A session begins empty and is either read from files, which are never written to, or measured by
// an engine. Messages are applied to it, and appended to a file if one was chosen.
class OpenedSession {
 public:
  // Scenes of files are opened in the catalogue.
  OpenedSession(WindowLog& log, std::shared_ptr<Catalogue> catalogue)
      : log_(log), catalogue_(std::move(catalogue)) {}

  const Session& session() const { return session_; }
  const std::shared_ptr<Catalogue>& catalogue() const { return catalogue_; }
  bool recorded() const { return recorded_; }  // no engine measures: a recorded session is shown
  // The file names, joined; empty: none was opened.
  const std::string& recorded_name() const { return recorded_name_; }
  const std::vector<std::filesystem::path>& opened() const { return opened_; }  // as one session
  // The file that is shown, if it is not one of the shipped recordings; empty: it is.
  std::string opened_by_hand() const;
  // Whether it is one of the shipped recordings.
  bool bundled() const;
  // Grows if the session's points are other ones or in other places: a file was opened, or memory
  // was released.
  std::size_t openings() const { return openings_; }
  // Roofs of shipped recordings, for an opened session that is older than roofs are.
  const std::vector<RoofSet>& lent() const { return lent_; }

  // Shows these files in place of the present session. error: as read_sessions: it stays.
  Result<void> open(const std::vector<std::filesystem::path>& paths);
  void begin_measuring() { recorded_ = false; }  // an engine has a device
  // From now on everything that is appended goes to `path`. error: as SessionFile::open.
  Result<void> record(const std::filesystem::path& path);
  bool records() const { return file_.has_value(); }
  // The file; null: nothing is recorded.
  const SessionFile* file() const { return file_ ? &*file_ : nullptr; }

  void apply(const Message& message) { session_.apply(message); }
  // Writes to the file. Progress and points that are not complete yet are not written. If writing
  // fails the person is told so, and recording ends.
  void append(const Message& message);
  void keep(const Message& message);  // apply and append
  // The named baselines that the file had, or that were kept since.
  const NamedBaselines& baselines() const { return baselines_; }
  // Keeps what is different in this list, by whatever hand it was changed: also undo's. `others`:
  // what is different belongs to other files, and is not kept here.
  void follow(const NamedBaselines& baselines, bool others = false);
  void use_traces(const PointId& id) { session_.use_traces(id); }  // they are released last

  // How much of what comes is kept in memory. What is recorded to a file stays there whole. A trace
  // that was released is emulated again when its configuration is selected.
  static const Session::Limits& memory_limits();
  void limit_memory(const Session::Limits& limits) { limits_ = limits; }
  const Session::Limits& limits() const { return limits_; }
  const Session::LetGo& let_go() const { return let_go_; }  // since the session was opened
  // Releases what is beyond the limits, if anything came since the last call.
  void bound_memory(const Session::Needed& needed);
  // Releases the traces that are neither of a file nor needed, whatever they take.
  void release_traces(const std::function<bool(const Trace&)>& needed);

 private:
  WindowLog& log_;
  std::shared_ptr<Catalogue> catalogue_;
  Session session_{catalogue_};
  std::vector<RoofSet> lent_;
  bool recorded_ = true;
  std::string recorded_name_;
  std::vector<std::filesystem::path> opened_;
  std::size_t openings_ = 0;
  std::optional<SessionFile> file_;
  NamedBaselines baselines_;
  Session::Limits limits_ = memory_limits();
  Session::LetGo let_go_;
  std::uint64_t bounded_ = 0;  // the session's revision when memory was last bounded
};

}  // namespace warpscope
