// workbench/workspace/session/user_baselines.h: the named baselines of a person, kept in a file
// from one start of the window to the next.
#pragma once

#include <filesystem>
#include <memory>

#include "workbench/workspace/selection/named_baselines.h"
#include "workbench/workspace/session/window_log.h"

//   UserBaselines user(log);
//   user.begin(user_baselines_path(), catalogue);             // once
//   selection.baselines = user.beside(session.baselines());   // when a session is opened
//   user.follow(selection.baselines);                         // once per update

namespace warpscope {

// The file is a session of baselines alone. Each change is appended, so two windows may write to
// it. A window that opened no file keeps nothing.
class UserBaselines {
 public:
  explicit UserBaselines(WindowLog& log) : log_(log) {}

  // Reads the file, if it exists, and writes to it from now on. error: as read_sessions: nothing is
  // written to it then.
  Result<void> begin(const std::filesystem::path& path,
                     const std::shared_ptr<Catalogue>& catalogue);
  // The baselines of a session that was opened, followed by the person's. If both have a baseline,
  // it is the person's, who may have given it another name.
  NamedBaselines beside(const NamedBaselines& of_session);
  // Appends what is different in this list since the last call. If that fails, a notice says so and
  // nothing more is written.
  void follow(const NamedBaselines& baselines);

 private:
  Result<void> append(const std::vector<NamedBaseline>& changes);

  WindowLog& log_;
  std::filesystem::path path_;  // empty: nothing is written
  std::shared_ptr<const Catalogue> catalogue_;
  NamedBaselines kept_;  // those in the file
  NamedBaselines seen_;  // the whole list at the last call
};

// $XDG_DATA_HOME/warpscope/baselines.wsj, else below ~/.local/share; empty: there is no home.
std::filesystem::path user_baselines_path();

}  // namespace warpscope
