// workbench/workspace/workspace.h: session, selection and engines together: what is asked becomes
// jobs.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "workbench/client/engine_command.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/workspace/jobs/work_parts.h"
#include "workbench/workspace/memory_bounds.h"
#include "workbench/workspace/scene/scene_parts.h"
#include "workbench/workspace/selection/requests.h"
#include "workbench/workspace/selection/selection_history.h"
#include "workbench/workspace/session/recorded_sessions.h"
#include "workbench/workspace/session/selected_points.h"
#include "workbench/workspace/session_view.h"

// Panels read `view()`, write `selection` and ask through its requests. `update` turns what changed
// into jobs and brings answers in. It never waits.
//
//   Workspace workspace(engine_command({}));
//   while (open) { workspace.update(); draw(workspace.view()); }

namespace warpscope {

// Owns the parts that a view shows, and does what concerns
// several of them: a session is opened, a scene is turned to, a message arrives, a choice is
// undone.
class Workspace {
 public:
  // With no command there is no engine: recorded sessions only; without an emulator there are no
  // new traces. The emulator is started at the first trace asked for.
  // It begins at the first scene of the catalogue.
  explicit Workspace(std::vector<std::string> engine_command,
                     std::vector<std::string> emulator_command = {},
                     const std::shared_ptr<Catalogue>& catalogue = program_catalogue());
  Workspace(const Workspace&) = delete;  // its parts know one another
  Workspace& operator=(const Workspace&) = delete;

  Selection selection;
  Requests requests;
  WindowLog log;
  const SessionView& view() const { return view_; }
  const Session& session() const { return opened_.session(); }
  const Scene& scene() const { return scene_.scene(); }
  const std::shared_ptr<Catalogue>& catalogue() const { return opened_.catalogue(); }

  // Loads a .wsj, packed or not, which is never written to, and turns to a scene that it holds;
  // jobs in flight are cancelled and do not reach the loaded session. error: as read_session; the
  // present session and its jobs stay.
  Result<void> open(const std::filesystem::path& path) { return open(std::vector{path}); }
  Result<void> open(const std::vector<std::filesystem::path>& paths);  // shown as one
  // Shows the figures of one device of the session, by its UUID or the beginning of it. error:
  // usage, naming those there are.
  Result<void> choose_device(const std::string& wanted);
  // Opens `path` at the update at which it is known that no device answers. Until then, and
  // where one does, nothing is opened. `says_so`: a notice says that there is no GPU, and what is
  // shown instead.
  void open_without_device(const std::filesystem::path& path, bool says_so = false) {
    fallback_ = {path, says_so};
  }
  // Turns to a scene: its default axes, baseline in focus, nothing hidden or unlinked. What is on
  // its way to the engine for the last scene's slider is cancelled; undo leads back. The same
  // happens at the next update when a panel writes another name into selection.scene, but that the
  // scene comes back as it was left. error: usage.
  Result<void> choose_scene(const std::string& name);
  // Turns to a scene as selection.left_at has it, before anything is chosen by hand: undo does not
  // go back beyond it. error: usage.
  Result<void> begin_at(const std::string& scene);

  void update();
  // Waits for an engine or the emulator, at most `seconds`.
  void wait(double seconds) const { engines_.wait(seconds); }
  void undo();
  void redo();

  // From now on everything that arrives is appended to `path`. error: as SessionFile::open.
  Result<void> record(const std::filesystem::path& path) { return opened_.record(path); }
  void limit_memory(const Session::Limits& limits) { opened_.limit_memory(limits); }
  // From now on jobs may be silent for as long as `choice` says before their engine is ended, and
  // sweeps of plans use the engine that it names.
  void follow(const EngineChoice& choice);
  void say_mistake(std::optional<Mistake> mistake) {
    scene_parts_.folder.say_mistake(std::move(mistake));
  }

 private:
  void turn_to(const Scene& scene);
  void follow_selection(SelectionHistory::Cause cause = SelectionHistory::Cause::person);
  void return_to(const Chosen& change, SelectionHistory::Cause cause);
  void poll();
  void receive(const Message& message);
  void open_fallback();
  void take(const Request& request);
  void fork(const std::string& name);

  ShownScene scene_;
  OpenedSession opened_;
  Engines engines_;
  SelectedPoints points_;
  SceneParts scene_parts_;
  WorkParts work_;
  SessionView view_;
  SelectionHistory history_;
  std::pair<std::filesystem::path, bool> fallback_;  // and whether a notice says so
  MemoryBounds memory_;
};

}  // namespace warpscope
