// workbench/workspace/workspace.h: session, selection and engine together: what is asked becomes
// jobs.
#pragma once

#include <chrono>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "profiling/claims/claim.h"
#include "profiling/journal/change_watch.h"
#include "profiling/journal/fork_journal.h"
#include "profiling/journal/journal.h"
#include "profiling/session/recorded_stops.h"
#include "profiling/session/roof_join.h"
#include "profiling/session/session.h"
#include "profiling/session/source_standing.h"
#include "scenes/base/scene.h"
#include "scenes/catalogue.h"
#include "workbench/client/engine_client.h"
#include "workbench/workspace/selection.h"
#include "workbench/workspace/standing.h"

// Panels read `session()` and write `selection`; `update` turns what changed into jobs and brings
// answers in. It never waits.
//
//   Workspace workspace(engine_command({}));
//   while (open) { workspace.update(); draw(workspace); }

namespace warpscope {

class Workspace {
 public:
  // With no command there is no engine: recorded sessions only; without an emulator there are no
  // new traces. The emulator is started at the first trace asked for.
  explicit Workspace(std::vector<std::string> engine_command,
                     std::vector<std::string> emulator_command = {});

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
  // From now on everything that arrives is appended to `path`. error: as SessionFile::open.
  Result<void> record(const std::filesystem::path& path);

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
  // Waits for the engine, at most `seconds`.
  void wait(double seconds) const;

  const Session& session() const { return session_; }
  const Scene& scene() const { return *catalogue_->find(scene_).value(); }
  const Scene* find_scene(const std::string& name) const;  // null: the catalogue has none
  Selection selection;

  // What to look up of a variant: its point at the selected configuration, of the newest source, on
  // the device that is shown. Recorded or not: a figure of another one never stands for it.
  const PointId& point_id(const std::string& variant) const;
  // The device whose figures are shown, as PointId has it: the chosen one; else the one that the
  // engine measures on. Where a recording has several, one is chosen when it is opened: the one
  // whose roofs it has, where that measured the scene, else the one that measured most of it.
  const std::string& device() const;
  // The key of the variant in focus.
  const std::string& key() const { return point_id(selection.variant).key; }
  bool recorded() const { return recorded_; }  // no engine measures: a recorded session is shown
  const std::string& recorded_name() const { return recorded_name_; }
  // The files that were opened last, as one; empty: none were.
  const std::vector<std::filesystem::path>& opened() const { return opened_; }
  // The file that is shown, where it is none of the shipped recordings; empty: it is.
  std::string opened_by_hand() const;
  // Grows where the session's points are other ones or in other places: a file was opened, or
  // memory was let go of.
  std::size_t openings() const { return openings_; }
  PointState state(const std::string& variant) const;
  // "measured with an earlier source: …"; empty where it was with today's, or that is not known.
  std::string earlier_source(const Measurement& point) const;
  // "of an earlier text of kernels/…": why lines and addresses of a trace, or the counted lines of
  // a step, are not those of the file as it stands; empty: they are, or that is not known.
  std::string earlier_text(const Trace& trace) const;
  std::string earlier_text(const StepRecord& step) const;
  // What a variant is compared with: the chosen baseline; in a scene with leagues that of its own
  // league; or itself on another device, where that was asked for. Empty: nothing.
  PointId baseline_id(const std::string& variant) const;
  PointState baseline_state(const std::string& variant) const;
  // Where the session has points of the scene, from the selected configuration on: of the problem's
  // axes, and of those that the variant in focus has of its own. Null while an engine measures.
  const RecordedStops* stops() const { return recorded_ ? &recorded_stops().problem : nullptr; }
  const RecordedStops* own_stops() const { return recorded_ ? &recorded_stops().own : nullptr; }
  // Why nothing is recorded at the selection: "not recorded at n=44"; empty where something is, or
  // an engine measures.
  std::string not_recorded() const;
  // A measurement of this variant is on its way, at whatever configuration.
  bool awaits(const std::string& variant) const;
  WorkProgress progress() const;
  SweepProgress sweep_progress() const;
  bool profiler_starts() const;  // for counters waited for; what draws on its GPU holds it up
  // How many passes a set took when last collected here, where that is known of the device.
  std::optional<int> counter_passes(const std::string& set) const;
  // The newest job of this kind for a variant of the scene (any variant where none is named), and
  // how it ended, where it has.
  struct JobState {
    const Job* job = nullptr;
    std::optional<Progress> progress;
    std::optional<Done> done;
  };
  JobState last_job(JobKind kind, const std::string& variant = {}) const;
  TrainingStanding training() const;
  // The roofs that a point is held to: those of its device.
  RoofJoin roofs_of(const Conditions& point) const { return join_roofs(session_, point, lent_); }
  // What texts are held to: the session and the selected configuration, exactly.
  ClaimContext claims() const;
  // A text of the scene with its claims decided and its figures filled in
  // (profiling/claims/claim_text.h), at the selection or (a preset) at other axes; and the story of
  // any scene.
  const std::string& words(const std::string& text) const;
  std::string words(const std::string& text, const Configuration& axes) const;
  std::string story(const Scene& scene) const;
  // The roofs of this device are not measured yet, which takes seconds: they follow the time of the
  // variant in focus, when sliders rest. Until they are there the workspace is busy.
  bool roofs_due() const { return roofs_due_; }
  // They are due or being measured.
  bool awaits_roofs() const;
  bool has_engine() const { return client_ != nullptr; }
  bool has_emulator() const { return emulator_ != nullptr; }
  bool engine_ready() const { return client_ != nullptr && client_->ready(); }
  // What keeps an engine from answering; nothing while all is well.
  std::optional<EngineDelay> engine_delay() const;
  // The engine was given up because another one holds its device.
  bool engine_refused() const { return client_ != nullptr && client_->refused(); }
  // From now on jobs may be silent for so long before their engine is ended.
  void limit_jobs(double seconds);
  // Why there is no engine to wait for; nothing while there may be one.
  std::optional<Error> engine_trouble() const {
    return client_ != nullptr ? client_->trouble() : std::nullopt;
  }
  // Whether the engine of this session runs and has a device.
  bool has_device() const;
  const std::vector<std::string>& notices() const { return notices_; }
  void clear_notices() { notices_.clear(); }
  void notify(std::string text) { notices_.push_back(std::move(text)); }
  // What the window itself has to say; it stays whichever session is opened.
  void log(LogLine line) { log_.push_back(std::move(line)); }
  const std::vector<LogLine>& log() const { return log_; }

  // The journals of the scene: the person's own iterations, which the session has, and those of the
  // article that it retells, which ship. Each with the points of the selected configuration.
  std::vector<JournalEntry> own_journal() const;
  const std::vector<JournalEntry>& seed_journal() const;

  // What keeps a folder's last good state in place of what was saved: in its description, or (line
  // 0) in what the compiler says of a kernel. Nothing: all is well.
  struct Mistake {
    std::string file;  // "scene.toml", or as sources have it: "mine/warp_row.cu"
    int line = 0;
    std::string sentence;
  };
  const std::optional<Mistake>& mistake() const { return mistake_; }
  void say_mistake(std::optional<Mistake> mistake) { mistake_ = std::move(mistake); }
  // What the emulator said last of a variant of this scene's folder as it stands; null: nothing.
  const Measurement* judged(const std::string& variant) const;
  // Where the scene lies; empty: it is no folder of this machine.
  const std::filesystem::path& folder() const;

  // Variants that apply to the selected configuration and are not hidden, in teaching order.
  std::vector<const Variant*> shown_variants() const { return shown_variants(selection.axes); }
  std::vector<const Variant*> shown_variants(const Configuration& axes) const;
  void undo();
  void redo();
  std::size_t submitted_jobs() const { return submitted_; }

  // How much of what comes is kept in memory. What is recorded to a file stays there whole; a trace
  // that went is emulated again when its configuration is selected.
  static const Session::Limits& memory_limits();
  void limit_memory(const Session::Limits& limits) { limits_ = limits; }
  const Session::Limits& limits() const { return limits_; }
  const Session::LetGo& let_go() const { return let_go_; }  // since the session was opened
  bool records() const { return file_.has_value(); }
  // Resident bytes of the processes that this machine runs for the window; nothing where there is
  // none or it is elsewhere.
  std::optional<std::int64_t> engine_memory() const;
  std::optional<std::int64_t> emulator_memory() const;

 private:
  struct Change {
    std::string scene;
    Configuration axes;
    std::string variant, baseline, device, baseline_device;
    Pins pins;
    bool operator==(const Change&) const = default;
  };
  void submit(const Variant& variant, JobKind kind, const std::string& tag, bool live,
              const std::string& counters, const Configuration& axes, bool first = false);
  void submit_trace(const Variant& variant, bool live, const Request& asked = {});
  void submit_roofs();
  void submit_registers(const Variant& variant);
  void submit_outputs(const Variant& variant);
  void submit_listing(const Variant& variant, const std::string& step, int architecture);
  void train(const Request& request);
  void submit_training(const Variant& variant, Job job);
  void keep_training(const TrainingState& state);
  void find_training();  // that an earlier window left
  // Turns to what the last training or trace of a session without points is of, where it has one.
  Result<void> show_last_job();
  void note(const Request& request);
  std::optional<Iteration> to_note(const Request& request) const;  // none: the variant is gone
  // No other program notes in the folder's journal while `act` gives numbers and keeps iterations.
  Result<void> in_journal(const std::string& scene, const std::function<Result<void>()>& act);
  void keep_noted(const Iteration& iteration);  // in the folder's journal, and here
  // The last iteration of a variant, where a save made it and nobody said what was expected of it.
  std::optional<Iteration> unexplained_save(const std::string& variant) const;
  void note_change(const Measurement& measured);
  const Measurement* noted_point(const Iteration& iteration) const;
  void follow_traces();
  Change chosen() const;
  void return_to(const Change& change);
  void turn_to(const Scene& scene);
  void come_back();  // to the scene's choices in selection.left_at
  // Focus, baseline and sweep axis apply to the selected configuration, or others take their place.
  void fit_selection();
  // Unpins what the session that was opened has no point of, and says so.
  void keep_pins();
  // Of a recording of several devices one that has the scene is chosen.
  void fit_device();
  void follow_selection();
  // Short times of all shown variants, the one in focus first, in place of what is asked of a place
  // or a text that is no more; counters follow when nothing moves.
  void measure_live();
  bool take_without_device(const Request& request);
  bool take_folder_request(const Request& request);
  void submit_judge(const Variant& variant);
  void fork(const Variant& variant);
  Result<void> edit(const std::string& file, const std::string& text);
  bool keep_judged(const Measurement& measured);
  void follow_journal();
  void take_requests();
  void sweep();
  void receive(const Message& message);
  void bound_memory();
  void note_text(const Trace& trace);
  bool forgotten(const Message& message) const;
  // Whether the session has roofs of the device that measures; whether they are due and can come.
  bool has_own_roofs() const;
  bool roofs_follow() const { return roofs_due_ && engine_ready() && !recorded_; }

  Session session_;
  std::vector<RoofSet> lent_;  // roofs of shipped recordings, where the opened session is old
  const Catalogue* catalogue_ = &built_in_catalogue();
  std::string scene_;  // its name, which the catalogue has
  std::shared_ptr<std::int64_t> job_numbers_ = std::make_shared<std::int64_t>(0);
  std::unique_ptr<EngineClient> client_, emulator_;
  std::filesystem::path fallback_;
  std::string traced_;                 // what the last live trace was asked for
  std::set<std::int64_t> unrecorded_;  // jobs whose answers are shown and not recorded
  std::optional<SessionFile> file_;
  bool recorded_ = true;
  std::string recorded_name_;
  std::vector<std::filesystem::path> opened_;
  std::size_t openings_ = 0;
  std::vector<std::string> notices_;
  std::vector<LogLine> log_;
  Change seen_;
  bool held_ = false;  // the last change came from a slider that is still dragged
  std::deque<Change> past_, future_;
  std::chrono::steady_clock::time_point moved_;
  bool counters_due_ = false, roofs_due_ = false;
  Session::Limits limits_ = memory_limits();
  Session::LetGo let_go_;
  std::uint64_t bounded_ = 0;      // the session's revision when memory was last bounded
  std::int64_t traced_bytes_ = 0;  // that came since freed memory was last given back
  std::size_t submitted_ = 0, batch_ = 0;
  std::int64_t last_job_ = 0;             // submitted by this window
  std::optional<TrainingState> trained_;  // the last checkpoint, of any scene
  std::int64_t training_job_ = 0;         // of this window; 0: none yet
  bool training_stopped_ = false;         // by hand, for good
  std::string swept_axis_;
  std::vector<std::int64_t> sweep_jobs_;
  std::int64_t forgotten_jobs_ = 0;  // up to this one they belong to a session no longer open
  // Ids are asked for many times a frame, and their texts have some hundred characters. Made anew
  // when one of these is another one.
  struct SeenSource {
    std::string words;
    std::chrono::steady_clock::time_point at;
  };
  struct Ids {
    std::string scene;
    std::uint64_t revision = 0;
    Configuration axes;
    std::string chosen_device;
    bool recorded = false;
    std::string device;
    std::map<std::string, PointId> points;      // by variant
    std::map<std::string, SeenSource> sources;  // by variant and code_id
  };
  Ids& ids() const;
  mutable SourceStandings standings_;  // of what is drawn, and of what takes part in claims
  // "at n=128", "on NVIDIA H200 (GPU-…)": where the point is other than the selection.
  std::string place_of(const Measurement& point) const;
  std::string device_at(const Scene& scene, const Configuration& axes) const;
  mutable Ids ids_;
  // Stops are asked for many times a frame as well; places change with the session's points alone.
  struct Stops {
    std::uint64_t revision = 0;
    std::size_t openings = 0, points = 0;
    std::string scene, device, variant;
    std::optional<RecordedPlaces> places, own_places;
    Configuration axes;
    std::map<std::string, bool> unlinked;
    RecordedStops problem, own;
  };
  const Stops& recorded_stops() const;
  // The kernels of the scene as their files stand now, looked at a few times a second.
  struct Texts {
    std::string scene, all;                     // all: stands for all of them
    std::map<std::string, std::string> hashes;  // text_hash, by path below kernels/
    KernelTexts sources;                        // null: they cannot be read
    std::chrono::steady_clock::time_point at;
  };
  const std::shared_ptr<const Texts>& texts() const;
  mutable std::shared_ptr<const Texts> texts_;
  // Of jobs under way, and of traces that came, by variant, key and step: what they are of.
  std::map<std::int64_t, std::shared_ptr<const Texts>> texts_of_jobs_;
  std::map<std::string, std::string> texts_of_traces_;
  // Of jobs that measure: the texts that went with them, for the journal.
  std::map<std::int64_t, KernelTexts> sources_of_jobs_;
  ChangeWatch watch_;
  std::vector<Iteration> changes_;  // that the measurement just received made
  struct SeedJournal {
    std::string scene, made_of;  // made_of: session, configuration and device of the points
    std::vector<Iteration> iterations;
    std::vector<JournalEntry> entries;
  };
  mutable SeedJournal seed_journal_;
  std::optional<Mistake> mistake_;
  std::map<std::int64_t, std::string> texts_of_judged_;  // of jobs: SceneText::hash
  struct Judged {
    std::string scene_text;
    Measurement point;
  };
  std::map<std::string, Judged> judged_;  // by scene and variant
  // The journal that lies in the scene's folder, and whose it is.
  std::string journal_of_;
  FolderJournals journals_;
  mutable std::string folder_of_;
  mutable std::filesystem::path folder_;
  mutable Stops stops_;
  mutable std::map<std::string, PointId> last_id_;  // per variant, for stale points
  struct Words {
    std::uint64_t revision = 0;
    std::size_t openings = 0;
    std::string scene, device;
    Configuration axes;
    std::map<std::string, std::string> texts;
  };
  mutable Words words_;  // the last answers of words()
};

// What the tag of the job that a quote became begins with, before "/" and the variant.
std::string quote_tag(const std::string& counters);

// The selection with one axis at another value, as a slider moves it: it and the axes linked to it
// move as one unless the person unlinked them. error: usage.
Result<Configuration> with_axis(const Scene& scene, const Selection& selection, const Axis& axis,
                                const std::string& text);

// Turns to a recorded stop. Where other axes move with it, says which.
void choose_stop(Selection& selection, const std::string& axis, const Stop& stop);

// What a person should know before lines are appended to a session file whose last one is torn,
// because its writer was killed; nothing where it is whole.
std::optional<std::string> torn_end(const std::filesystem::path& path);

// assets/sessions/*.wsj and *.wsj.gz, the first scene's last; of two that differ in .gz alone the
// packed one. Empty when there are none.
std::vector<std::filesystem::path> recorded_sessions();
std::optional<std::filesystem::path> recorded_session_of(const std::string& scene);

}  // namespace warpscope
