// workbench/commands/commands.h: the command line: one row a command.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "profiling/session/session.h"
#include "scenes/base/scene.h"
#include "workbench/options/shared_options.h"
#include "workbench/workspace/workspace.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace warpscope {

struct CommandRow {
  const char* name;
  const char* sentence;
  const char* example;  // what comes after the name; --help shows it
  // Declares the options; `status` gets the exit status when the command has run.
  void (*declare)(CLI::App& command, int& status);
};
std::span<const CommandRow> all_command_rows();

void declare_new(CLI::App&, int&);
void declare_fork(CLI::App&, int&);
void declare_list(CLI::App&, int&);
void declare_measure(CLI::App&, int&);
void declare_sweep(CLI::App&, int&);
void declare_trace(CLI::App&, int&);
void declare_sass(CLI::App&, int&);
void declare_stalls(CLI::App&, int&);
void declare_warps(CLI::App&, int&);
void declare_kernels(CLI::App&, int&);
void declare_registers(CLI::App&, int&);
void declare_verify(CLI::App&, int&);
void declare_roofs(CLI::App&, int&);
void declare_render(CLI::App&, int&);
void declare_play(CLI::App&, int&);
void declare_export(CLI::App&, int&);
void declare_report(CLI::App&, int&);
void declare_ci(CLI::App&, int&);
void declare_grade(CLI::App&, int&);
void declare_compare(CLI::App&, int&);
void declare_agree(CLI::App&, int&);
void declare_journal(CLI::App&, int&);
void declare_serve(CLI::App&, int&);
void declare_tune(CLI::App&, int&);
void declare_capture(CLI::App&, int&);
void declare_doctor(CLI::App&, int&);
void declare_help(CLI::App&, int&);
void declare_check(CLI::App&, int&);
void declare_train(CLI::App&, int&);
// The window: what `warpscope` without a command does.
void declare_window(CLI::App&, int&);

// `warpscope agree --random`: counts and emulates every variant of a scene at configurations drawn
// from a seed, and returns the exit status: 1 where a figure differs without a reason or an output
// is wrong, 3 where nothing can be counted. Ctrl-C keeps what is done.
struct RandomAgreement {
  EngineChoice engine;
  std::string scene;              // or SCENE/VARIANT
  std::vector<std::string> axes;  // axis=value: not drawn
  int count = 0;
  std::uint64_t seed = 1;
  std::string session;  // a .wsj file that everything is appended to; empty: none
  bool json = false;
};
int run_agree_random(const RandomAgreement& options);

// Why jobs did not all run, and whether the sentence stands on standard error already.
struct JobsFailure {
  Error error;
  bool said = false;
  bool interrupted = false;  // by Ctrl-C, SIGTERM or SIGHUP
};

// `warpscope compare --outputs`: runs two variants of one scene at one configuration, on the GPU
// where there is one, else emulated, and holds their outputs to each other bit by bit. Returns the
// exit status: 1 where one of them does not run or is wrong.
struct OutputsComparison {
  EngineChoice engine;
  std::string first, second;      // SCENE/VARIANT
  std::vector<std::string> axes;  // axis=value
  std::string csv, session;
  bool json = false, emulated = false;  // emulated: though there is a GPU
};
int run_output_pair(const OutputsComparison& options);

// `warpscope verify --hard`: emulates variants at the hard cases that their scenes state, and
// returns the exit status: 1 where one is wrong that is not so on purpose. Ctrl-C keeps what is
// done.
struct HardVerification {
  EngineChoice engine;
  std::string what;       // SCENE or SCENE/VARIANT,…; empty: all scenes
  std::string hard_case;  // its name; empty: all of them
  std::string csv, session;
  bool json = false;
};
int run_verify_hard(const HardVerification& options);

// Prints the sentence on standard error, unless it was said, and returns the exit status.
int fail(const Error& error);
int fail_jobs(const JobsFailure& failure);

// "csrmm" or "csrmm/float4_columns"; of a scene that is a folder its path, that of its description,
// or its name where it lies in the user's scene folder: "./saxpy/naive". A built-in scene's name
// comes first. error: usage; input, of a description.
struct SceneAndVariants {
  const Scene* scene = nullptr;
  std::vector<const Variant*> variants;  // all where none is named
};
Result<SceneAndVariants> scene_argument(Catalogue& catalogue, const std::string& text);
// The same with several variants: "csrmm/k_tiles,auto". error: also usage, one is named twice.
Result<SceneAndVariants> variants_argument(Catalogue& catalogue, const std::string& text);

// "n=128" words into axis → text. error: usage (no axis=value, an axis twice).
Result<std::map<std::string, std::string>> axis_arguments(const std::vector<std::string>& words);

// Whether each of these axes is one of a variant that is named; of several those that have an axis
// take it. error: usage, with the variants whose axis it is.
Result<void> admit_own_axes(const SceneAndVariants& chosen,
                            const std::map<std::string, std::string>& axes);

// Says once a run, on standard error, why this user has no cache, where that is so.
void say_where_there_is_no_cache();

// One `measure` without what concerns the engine and the files: a line of a plan.
struct MeasureRequest {
  std::string what;               // SCENE or SCENE/VARIANT[,VARIANT…]
  std::vector<std::string> axes;  // axis=value, axis=a,b,c or axis=lo:hi:n
  std::string counters = "none";
  double time_limit_s = 5;
  bool cold_counters = false, timeline = false;
  ChooseBy choose = ChooseBy::device;
};
CLI::Option& declare_measure_request(CLI::App& command, MeasureRequest& request);

// --code: which code of a kernel is emulated.
void declare_code(CLI::App& command, TracedCode& code);

// Runs jobs on the engine of this command line until all are done or Ctrl-C, SIGTERM or SIGHUP (the
// engine has two seconds to answer, none after a second Ctrl-C), with progress and the time left on
// standard error where it is a terminal. Everything goes
// into `session` and, where given, to `file`; when that cannot be written any more, it says so at
// once and goes on. error: environment (no engine, no device; at the end: the file), resource
// (cancelled).
// `seen`: is shown every message as it comes; null: nobody is. A training is waited for longer
// where it was cancelled: it ends with a whole step.
tl::expected<void, JobsFailure> run_jobs(const std::vector<std::string>& command,
                                         std::vector<Job> jobs, Session& session, SessionFile* file,
                                         const std::function<void(const Message&)>& seen = {});

// "; about 4 min left" of work of which this part, 0 … 1, took so many seconds; empty where that is
// not known or soon over.
std::string time_left(double done_ratio, double so_far_s);

// Says on standard error how far work in parts has come, in place: "step 3 of 8; about 20 s left".
// Only where that is a terminal.
class StepReport {
 public:
  explicit StepReport(std::size_t count);
  StepReport(const StepReport&) = delete;
  StepReport& operator=(const StepReport&) = delete;
  ~StepReport();
  void begin(std::size_t at) const;

 private:
  std::size_t count_;
  bool terminal_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

// Says on standard error what keeps an engine from answering: at once, then ever more seldom; in
// place where that is a terminal.
class DelayReport {
 public:
  DelayReport();
  void look(const std::optional<EngineDelay>& delay);

 private:
  bool terminal_, shown_ = false;
  double last_s_ = 0;  // what the last delay said had come to
};

// Whether the engine says hello with a device. error: environment, where another engine holds the
// device.
Result<bool> device_answers(const EngineChoice& engine);

// Reads sessions as one and prints their warnings; of one device, where its UUID or the beginning
// of it is given. error: as read_session; usage (no such device).
Result<Session> load_sessions(const std::vector<std::string>& paths,
                              const std::string& device_uuid = {},
                              PointParts parts = PointParts::all,
                              const std::shared_ptr<Catalogue>& catalogue = nullptr);
inline Result<Session> load_session(const std::string& path, const std::string& device_uuid = {},
                                    const std::shared_ptr<Catalogue>& catalogue = nullptr) {
  return load_sessions({path}, device_uuid, PointParts::all, catalogue);
}
// How commands on sessions begin: reads them so and returns the exit status of what `act` does with
// them; where they cannot be read, says why.
int with_sessions(const std::vector<std::string>& paths, const std::string& device_uuid,
                  const std::function<int(Session& session)>& act);

// Makes a folder that is to hold what a command writes, and those above it. error: environment.
Result<void> make_folder(const std::string& path);

// Opens the session file of an option; nothing when the option is empty. error: as
// SessionFile::open.
Result<std::unique_ptr<SessionFile>> session_option(const std::string& path,
                                                    std::shared_ptr<const Catalogue> catalogue);

}  // namespace warpscope
