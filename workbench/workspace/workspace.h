// workbench/workspace/workspace.h: session, selection and engines together: what is asked becomes
// jobs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "workbench/workspace/jobs/job_scheduler.h"
#include "workbench/workspace/jobs/live_jobs.h"
#include "workbench/workspace/jobs/training_control.h"
#include "workbench/workspace/scene/kernel_files.h"
#include "workbench/workspace/scene/scene_folder.h"
#include "workbench/workspace/scene/scene_journals.h"
#include "workbench/workspace/scene/scene_words.h"
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

// Owns the parts that a view shows, and does what concerns several of them: a session is opened, a
// scene is turned to, a message arrives, a choice is undone.
class Workspace {
 public:
  // With no command there is no engine: recorded sessions only; without an emulator there are no
  // new traces. The emulator is started at the first trace asked for.
  explicit Workspace(std::vector<std::string> engine_command,
                     std::vector<std::string> emulator_command = {});
  Workspace(const Workspace&) = delete;  // its parts know one another
  Workspace& operator=(const Workspace&) = delete;

  Selection selection;
  const SessionView& view() const { return view_; }
  const Session& session() const { return opened_.session(); }
  const Scene& scene() const { return scene_.scene(); }

  // Loads a .wsj, packed or not, which is never written to, and turns to a scene that it holds;
  // jobs in flight are cancelled and do not reach the loaded session. error: as read_session; the
  // present session and its jobs stay.
  Result<void> open(const std::filesystem::path& path) { return open(std::vector{path}); }
  Result<void> open(const std::vector<std::filesystem::path>& paths);  // shown as one
  // Shows the figures of one device of the session, by its UUID or the beginning of it. error:
  // usage, naming those there are.
  Result<void> choose_device(const std::string& wanted);
  // Opens `path` at the update at which it is known that no device answers. Until then, and
  // where one does, nothing is opened.
  void open_without_device(const std::filesystem::path& path) { fallback_ = path; }
  // Turns to a scene: its default axes, baseline in focus, nothing hidden or unlinked. What is on
  // its way to the engine for the last scene's slider is cancelled; undo leads back. The same
  // happens at the next update when a panel writes another name into selection.scene, but that the
  // scene comes back as it was left. error: usage.
  Result<void> choose_scene(const std::string& name);
  // Turns to a scene as selection.left_at has it, before anything is chosen by hand: undo does not
  // lead behind it. error: usage.
  Result<void> begin_at(const std::string& scene);
  // Turns to the first scene of another catalogue, which must outlive the workspace.
  void choose_catalogue(const Catalogue& catalogue);

  void update();
  // Waits for an engine or the emulator, at most `seconds`.
  void wait(double seconds) const { engines_.wait(seconds); }
  void undo();
  void redo();

  // From now on everything that arrives is appended to `path`. error: as SessionFile::open.
  Result<void> record(const std::filesystem::path& path) { return opened_.record(path); }
  void limit_memory(const Session::Limits& limits) { opened_.limit_memory(limits); }
  // From now on jobs may be silent for so long before their engine is ended.
  void limit_jobs(double seconds) { engines_.limit_jobs(seconds); }
  void say_mistake(std::optional<Mistake> mistake) { folder_.say_mistake(std::move(mistake)); }
  void notify(std::string text) { log_.notify(std::move(text)); }
  void clear_notices() { log_.clear_notices(); }
  void log(LogLine line) { log_.add(std::move(line)); }

  // Short for what the view has.
  using Mistake = warpscope::Mistake;
  using JobState = warpscope::JobState;
  const Scene* find_scene(const std::string& name) const { return scene_.find(name); }
  const PointId& point_id(const std::string& variant) const { return points_.id(variant); }
  const std::string& device() const { return points_.device(); }
  const std::string& key() const { return view_.key(); }
  bool recorded() const { return opened_.recorded(); }
  const std::string& recorded_name() const { return opened_.recorded_name(); }
  const std::vector<std::filesystem::path>& opened() const { return opened_.opened(); }
  std::string opened_by_hand() const { return opened_.opened_by_hand(); }
  std::size_t openings() const { return opened_.openings(); }
  PointState state(const std::string& variant) const { return points_.state(variant); }
  std::string earlier_source(const Measurement& point) const {
    return points_.earlier_source(point);
  }
  std::string earlier_text(const Trace& trace) const { return files_.earlier_text(trace); }
  std::string earlier_text(const StepRecord& step) const { return files_.earlier_text(step); }
  PointId baseline_id(const std::string& variant) const { return points_.baseline_id(variant); }
  PointState baseline_state(const std::string& variant) const {
    return points_.baseline_state(variant);
  }
  const RecordedStops* stops() const { return points_.stops(); }
  const RecordedStops* own_stops() const { return points_.own_stops(); }
  std::string not_recorded() const { return points_.not_recorded(); }
  bool awaits(const std::string& variant) const { return engines_.awaits(scene_.name(), variant); }
  WorkProgress progress() const { return view_.progress(); }
  SweepProgress sweep_progress() const { return jobs_.sweep_progress(); }
  bool profiler_starts() const { return jobs_.profiler_starts(); }
  std::optional<int> counter_passes(const std::string& set) const {
    return warpscope::counter_passes(session(), set);
  }
  JobState last_job(JobKind kind, const std::string& variant = {}) const {
    return view_.last_job(kind, variant);
  }
  TrainingStanding training() const { return training_.standing(); }
  RoofJoin roofs_of(const Conditions& point) const { return points_.roofs_of(point); }
  ClaimContext claims() const { return words_.claims(); }
  const std::string& words(const std::string& text) const { return words_.words(text); }
  std::string words(const std::string& text, const Configuration& axes) const {
    return words_.words(text, axes);
  }
  std::string story(const Scene& scene) const { return words_.story(scene); }
  bool roofs_due() const { return live_.roofs_due(); }
  bool awaits_roofs() const { return live_.awaits_roofs(); }
  bool has_engine() const { return engines_.has_engine(); }
  bool has_emulator() const { return engines_.has_emulator(); }
  bool engine_ready() const { return engines_.engine_ready(); }
  std::optional<EngineDelay> engine_delay() const { return engines_.delay(); }
  bool engine_refused() const { return engines_.refused(); }
  std::optional<Error> engine_trouble() const { return engines_.trouble(); }
  bool has_device() const { return view_.has_device(); }
  const std::vector<std::string>& notices() const { return log_.notices(); }
  const std::vector<LogLine>& log() const { return log_.lines(); }
  std::vector<JournalEntry> own_journal() const { return journals_.own(); }
  const std::vector<JournalEntry>& seed_journal() const { return journals_.shipped(); }
  const std::optional<Mistake>& mistake() const { return folder_.mistake(); }
  const Measurement* judged(const std::string& variant) const { return folder_.judged(variant); }
  const std::filesystem::path& folder() const { return scene_.folder(); }
  std::vector<const Variant*> shown_variants() const { return points_.shown_variants(); }
  std::vector<const Variant*> shown_variants(const Configuration& axes) const {
    return points_.shown_variants(axes);
  }
  std::size_t submitted_jobs() const { return jobs_.submitted(); }
  static const Session::Limits& memory_limits() { return OpenedSession::memory_limits(); }
  const Session::Limits& limits() const { return opened_.limits(); }
  const Session::LetGo& let_go() const { return opened_.let_go(); }
  bool records() const { return opened_.file() != nullptr; }
  std::optional<std::int64_t> engine_memory() const { return engines_.engine_memory(); }
  std::optional<std::int64_t> emulator_memory() const { return engines_.emulator_memory(); }

 private:
  void turn_to(const Scene& scene);
  // Turns to what the last training or trace of a session without points is of, where it has one.
  Result<void> show_last_job();
  // Unpins what the session that was opened has no point of, and says so.
  void keep_pins();
  // Of a recording of several devices one that has the scene is chosen.
  void fit_device();
  void follow_selection(SelectionHistory::Cause cause = SelectionHistory::Cause::person);
  void return_to(const Chosen& change, SelectionHistory::Cause cause);
  void poll();
  void receive(const Message& message);
  void tell_outcome(const Message& message, bool ours);
  void bound_memory();
  void open_fallback();
  void take_requests();
  bool take_folder_request(const Request& request);
  void fork(const Variant& variant);

  WindowLog log_;
  ShownScene scene_;
  OpenedSession opened_;
  Engines engines_;
  SelectedPoints points_;
  SceneWords words_;
  KernelFiles files_;
  SceneFolder folder_;
  SceneJournals journals_;
  JobScheduler jobs_;
  LiveJobs live_;
  TrainingControl training_;
  SessionView view_;
  SelectionHistory history_;
  std::filesystem::path fallback_;
  std::int64_t traced_bytes_ = 0;  // that came since freed memory was last given back
};

}  // namespace warpscope
