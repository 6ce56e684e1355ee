// workbench/workspace/jobs/planned_sweeps.cpp: sweeps of plans, which run in programs of their own.
#include "workbench/workspace/jobs/planned_sweeps.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include "profiling/plans/plan_file.h"
#include "profiling/points/step_means.h"
#include "profiling/session/overload.h"
#include "scenes/host/build_stamp.h"
#include "scenes/host/clock.h"
#include "scenes/host/write_file.h"
#include "workbench/workspace/jobs/sweep_places.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

// Takes what has come; of a program that prints much, the end is kept.
void take_in(int descriptor, std::string& text) {
  constexpr std::size_t kMostKept = 1 << 16;
  char buffer[4096];
  for (ssize_t count = 0; (count = ::read(descriptor, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
  if (text.size() > kMostKept) text.erase(0, text.size() - kMostKept);
}

// The program of this window, also where a test stands in for it.
std::string own_program() {
  std::error_code none;
  const fs::path self = fs::read_symlink("/proc/self/exe", none);
  const fs::path beside = self.parent_path() / product_name();
  return (fs::exists(beside, none) ? beside : self).string();
}

void close_streams(const ChildProcess& child) {
  for (const int descriptor : {child.from_child, child.errors, child.start_failure})
    ::close(descriptor);
}

fs::path whole_path(const fs::path& path) { return fs::absolute(path).lexically_normal(); }

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// "no GPU here: …" of "warpscope: no GPU here: …", the last of several lines.
std::string last_sentence(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  text = text.substr(text.rfind('\n') + 1);
  const std::string name = "warpscope: ";
  return text.starts_with(name) ? text.substr(name.size()) : text;
}

// What a command line calls the scene.
Result<std::string> words_of_scene(const ShownScene& scene) {
  const std::string& name = scene.name();
  const Catalogue& catalogue = scene.catalogue();
  if (!catalogue.edits_of(name).empty())
    return failure(ErrorKind::usage,
                   "its launch was changed in this window, and a sweep takes the file as it stands",
                   name, "write it as a folder in Launch, and sweep that");
  if (!catalogue.file_of(name).empty()) return fs::absolute(catalogue.file_of(name)).string();
  if (!scene.folder().empty()) return fs::absolute(scene.folder()).string();
  const std::vector<Scene>& built_in = catalogue.scenes();
  if (std::any_of(built_in.begin(), built_in.end(),
                  [&](const Scene& one) { return one.name == name; }))
    return name;
  return failure(ErrorKind::usage, "the scene came with the session: its files are not here", name,
                 "open its folder or file, then sweep it");
}

// Values of the axes that one of the variants has and that are not the usual ones.
std::string words_of_place(const Scene& scene, const std::vector<const Variant*>& variants,
                           const Configuration& axes) {
  const Configuration usual = default_configuration(scene.axes);
  std::string words;
  for (const Axis& axis : scene.axes) {
    const bool had = std::any_of(variants.begin(), variants.end(), [&](const Variant* variant) {
      return of_variant(axis, variant->name);
    });
    if (!had || !axes.has(axis.name)) continue;
    if (usual.has(axis.name) && usual.at(axis.name) == axes.at(axis.name)) continue;
    words += " " + quoted_word(axis.name + "=" + to_text(axes.at(axis.name)));
  }
  return words;
}

}  // namespace

Result<std::string> planned_lines(const ShownScene& shown, const Selection& selection,
                                  const SelectedPoints& points) {
  const Result<std::string> name = words_of_scene(shown);
  if (!name) return name;
  const Scene& scene = shown.scene();
  const Result<SweepPlaces> places = sweep_places(scene, selection);
  if (!places) return tl::unexpected(places.error());
  std::string counters;
  for (const std::string& id : counters_behind(selection.sweep_metric))
    counters += (counters.empty() ? "" : ",") + id;
  std::string lines;
  for (const Configuration& axes : places->all) {
    std::vector<const Variant*> variants = points.shown_variants(axes);
    std::erase_if(variants, [](const Variant* variant) { return variant->measured_once; });
    if (variants.empty()) continue;
    std::string what = *name;
    for (const Variant* variant : variants)
      what += (variant == variants.front() ? "/" : ",") + variant->name;
    lines += quoted_word(what) + words_of_place(scene, variants, axes) + " --time-limit 1.5";
    lines += counters.empty() ? "\n" : " --counters " + counters + "\n";
  }
  if (lines.empty())
    return failure(ErrorKind::usage, "no shown variant can be measured at these values", "Sweep",
                   places->refused > 0 ? places->why : "show a variant, or choose other values");
  return lines;
}

PlannedSweeps::PlannedSweeps(const OpenedSession& opened, const ShownScene& scene,
                             const Selection& selection, const SelectedPoints& points,
                             WindowLog& log)
    : opened_(opened), scene_(scene), selection_(selection), points_(points), log_(log) {}

PlannedSweeps::~PlannedSweeps() {
  std::error_code none;
  if (!points_file_.empty()) fs::remove(points_file_, none);
  if (!running_) return;
  const pid_t process = running_->child.process;
  ::kill(process, SIGTERM);
  constexpr double kPatienceS = 3;
  constexpr std::chrono::milliseconds kPause{10};
  const auto asked = std::chrono::steady_clock::now();
  while (::waitpid(process, nullptr, WNOHANG) == 0) {
    if (seconds_since(asked) > kPatienceS) ::kill(process, SIGKILL);
    take_in(running_->child.from_child, running_->out);
    take_in(running_->child.errors, running_->err);
    std::this_thread::sleep_for(kPause);
  }
  close_streams(running_->child);
}

std::vector<std::string> PlannedSweeps::sweep_command(const std::string& plan,
                                                      const std::string& how) const {
  std::vector<std::string> command = {"sweep", how + "=" + plan};
  command.insert(command.end(), engine_.begin(), engine_.end());
  return command;
}

Result<void> PlannedSweeps::take(const PlanRequest& request) {
  return std::visit(Overload{
                        [&](const request::BeginPlan& asked) { return begin(asked); },
                        [&](const request::CancelPlan& of) { return cancel(of.session); },
                        [&](const request::ResumePlan& of) { return resume(of.session); },
                    },
                    request);
}

Result<void> PlannedSweeps::begin(const request::BeginPlan& asked) {
  if (running_) return is_busy();
  if (asked.session.empty())
    return failure(ErrorKind::usage, "the sweep needs a file for its points", "session",
                   "name one, for example " + scene_.name() + "-sweep.wsj");
  const fs::path session = whole_path(asked.session);
  std::deque<std::vector<std::string>> commands;
  std::string plan = asked.plan.empty() ? "" : whole_path(asked.plan).string();
  if (plan.empty()) {
    plan = fs::path(session).replace_extension(".plan").string();
    if (fs::exists(plan))
      return failure(ErrorKind::usage, "there is a plan of this name already", plan,
                     "name another session, or name this plan to sweep its points");
    const Result<std::string> lines = planned_lines(scene_, selection_, points_);
    if (!lines) return tl::unexpected(lines.error());
    points_file_ = plan + ".points";
    if (Result<void> written = write_file(points_file_.string(), *lines); !written) return written;
    commands.push_back({"plan", "--points=" + points_file_.string(), "--out=" + plan});
  }
  std::vector<std::string> sweep = sweep_command(plan, "--plan");
  sweep.push_back("--devices=" + (asked.devices.empty() ? "all" : asked.devices));
  sweep.push_back("--session=" + session.string());
  commands.push_back(std::move(sweep));
  return start(session, std::move(commands));
}

Result<void> PlannedSweeps::is_busy() const {
  return failure(ErrorKind::usage, "a sweep of this window runs already",
                 own_->session.filename().string(), "cancel it first, or wait for its end");
}

Result<void> PlannedSweeps::resume(const std::string& session) {
  if (running_) return is_busy();
  const auto found = std::find_if(followed_.begin(), followed_.end(),
                                  [&](const FollowedSweep& one) { return one.session == session; });
  if (found == followed_.end() || !found->state)
    return failure(ErrorKind::usage, "no sweep of this session was interrupted", session,
                   "begin one in Sweep");
  const SweepState& state = *found->state;
  if (found->runs != false)
    return failure(ErrorKind::usage, "the sweep of this session runs already", session,
                   "cancel it first");
  if (state.plan.empty())
    return failure(ErrorKind::usage, "the state of this sweep does not name its plan", session,
                   "run this in a terminal: " + state.command);
  std::vector<std::string> sweep = sweep_command(state.plan, "--resume");
  for (const auto& [option, value] :
       {std::pair("--chunk=", &state.chunk), std::pair("--devices=", &state.wanted_devices),
        std::pair("--ssh=", &state.ssh)}) {
    if (!value->empty()) sweep.push_back(option + *value);
  }
  sweep.push_back("--session=" + session);
  return start(session, {std::move(sweep)});
}

Result<void> PlannedSweeps::cancel(const std::string& session) {
  const auto found = std::find_if(followed_.begin(), followed_.end(),
                                  [&](const FollowedSweep& one) { return one.session == session; });
  if (found == followed_.end() || found->runs == false)
    return failure(ErrorKind::usage, "no sweep of this session runs", session, "");
  if (found->ours && running_) {
    next_.clear();
    own_->asked_to_end = true;
    ::kill(running_->child.process, SIGTERM);
    return {};
  }
  return ask_to_end(found->state.value_or(SweepState{}));
}

Result<void> PlannedSweeps::start(const fs::path& session,
                                  std::deque<std::vector<std::string>> commands) {
  own_ = FollowedSweep{session, {}, true, true, false, {}};
  next_ = std::move(commands);
  return start_next();
}

Result<void> PlannedSweeps::start_next() {
  std::vector<std::string> command = {own_program()};
  command.insert(command.end(), next_.front().begin(), next_.front().end());
  next_.pop_front();
  Running started{start_child(command), {}, {}};
  if (started.child.process < 0) {
    finish(std::strerror(started.child.error));
    return failure(ErrorKind::environment, std::strerror(started.child.error), command.front(),
                   "end other programs, then try again");
  }
  ::close(started.child.to_child);
  running_ = std::move(started);
  return {};
}

void PlannedSweeps::look_at_program() {
  if (!running_) return;
  take_in(running_->child.from_child, running_->out);
  take_in(running_->child.errors, running_->err);
  int status = 0;
  if (::waitpid(running_->child.process, &status, WNOHANG) == 0) return;
  take_in(running_->child.from_child, running_->out);
  take_in(running_->child.errors, running_->err);
  ended(status);
}

void PlannedSweeps::ended(int status) {
  constexpr int kFindings = 1;  // the exit status if an output is wrong
  const Running ran = *std::exchange(running_, std::nullopt);
  int code = 0;
  const bool failed = ::read(ran.child.start_failure, &code, sizeof code) == sizeof code;
  close_streams(ran.child);
  std::error_code none;
  if (!points_file_.empty()) fs::remove(std::exchange(points_file_, {}), none);
  const bool whole =
      WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == kFindings);
  if (failed) return finish("the program cannot be run: " + std::string(std::strerror(code)));
  if (own_->asked_to_end && WIFSIGNALED(status)) return finish("cancelled before it began");
  if (!whole && !ran.err.empty()) return finish(last_sentence(ran.err));
  if (!whole)
    return finish(WIFSIGNALED(status)
                      ? "its program was ended by signal " + std::to_string(WTERMSIG(status))
                      : "its program ended without a word");
  if (next_.empty()) return finish(first_line(ran.out));
  if (const Result<void> started = start_next(); !started) log_.notify(sentence(started.error()));
}

void PlannedSweeps::finish(const std::string& said) {
  next_.clear();
  own_->runs = false;
  own_->said = said;
  log_.notify("sweep of " + own_->session.filename().string() + ": " + said);
}

void PlannedSweeps::look_at_states() {
  std::vector<FollowedSweep> now;
  if (own_) now.push_back(*own_);
  for (const fs::path& path : opened_.opened()) {
    const fs::path session = whole_path(path);
    if (!own_ || session != own_->session)
      now.push_back({session, {}, std::nullopt, false, false, {}});
  }
  for (FollowedSweep& sweep : now) {
    std::error_code none;
    const auto written = fs::last_write_time(sweep_state_file(sweep.session), none);
    if (none) {
      seen_.erase(sweep.session);
      continue;
    }
    Seen& seen = seen_[sweep.session];
    if (!seen.state || seen.written != written) seen = {written, read_sweep_state(sweep.session)};
    sweep.state = seen.state;
    // Between two of our own programs, and before the second one has written anything.
    if (sweep.state && !(sweep.ours && running_)) sweep.runs = is_running(*sweep.state);
  }
  std::erase_if(now, [](const FollowedSweep& sweep) { return !sweep.ours && !sweep.state; });
  followed_ = std::move(now);
}

void PlannedSweeps::follow() {
  look_at_program();
  look_at_states();
}

bool PlannedSweeps::any_runs() const {
  return std::any_of(followed_.begin(), followed_.end(),
                     [](const FollowedSweep& sweep) { return sweep.runs != false; });
}

}  // namespace warpscope
