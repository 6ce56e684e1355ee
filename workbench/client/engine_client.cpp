// workbench/client/engine_client.cpp: the engine's process: started, spoken to, watched, and
// started again.
#include "workbench/client/engine_client.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

#include "profiling/messages/packed_text.h"
#include "scenes/catalogue.h"
#include "scenes/host/build_stamp.h"
#include "workbench/client/child_process.h"

namespace warpscope {
namespace {

// A process of ours speaks as soon as it runs; over ssh a person may be typing a password.
constexpr double kFirstSignS = 15, kFirstSignOverSshS = 60;
constexpr double kStartLimitS = 60;     // from sign to sign until the hello
constexpr double kNoticeS = 5;          // of silence, after which a person is told
constexpr double kWatchdogMarginS = 5;  // beyond the engine's own watchdog
constexpr double kGraceS = 0.2;         // between SIGTERM and SIGKILL
constexpr double kReapLimitS = 5;       // a process stuck in the driver may not end at all
constexpr int kSshFailed = 255;         // ssh's own exit status
constexpr int kNoSuchCommand = 127;     // a shell's
constexpr int kNotExecutable = 126;
constexpr const char* kStartAnew = "see `warpscope doctor`, then start the engine anew";

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::chrono::steady_clock::duration seconds(double count) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(count));
}

// "csrmm/float4_columns", "the roofs": what a person asked for.
std::string name_of(const Job& job) {
  if (job.kind == JobKind::roofs) return "the roofs";
  if (job.kind == JobKind::selftest) return "the self-test of the counters";
  if (job.user) return job.user->entry;
  return job.scene + "/" + job.variant;
}

std::string seconds_text(double seconds) { return std::to_string(std::llround(seconds)) + " s"; }

Measurement verdict_for(const Job& job, Outcome outcome, const std::string& why,
                        const std::string& remedy) {
  Measurement m;
  m.job = job.job;
  m.scene = job.scene;
  m.variant = job.variant;
  if (Result<const Scene*> scene = built_in_catalogue().find(job.scene)) {
    if (const Result<Configuration> axes = configured(**scene, job.variant, job.axes)) {
      m.axes = *axes;
      m.key = configuration_key((*scene)->axes, *axes, job.variant);
      m.problem = problem_key((*scene)->axes, *axes);
    }
  }
  m.verdict = {outcome, why, remedy};
  return m;
}

}  // namespace

EngineClient::EngineClient(std::vector<std::string> command, RestartPacing pacing,
                           std::shared_ptr<std::int64_t> numbers)
    : command_(std::move(command)),
      pacing_(pacing),
      numbers_(numbers ? std::move(numbers) : std::make_shared<std::int64_t>(0)) {
  ::signal(SIGPIPE, SIG_IGN);  // a dead engine is an answer, not the end of the workbench
}

EngineClient::~EngineClient() {
  close_pipes();  // the engine ends at the end of its stdin
  if (process_ > 0) leaving_.push_back({process_, Clock::now()});
  // A process that even SIGKILL does not end is left to init.
  const Clock::time_point start = Clock::now();
  while (!leaving_.empty() && seconds_since(start) < kGraceS + 1) {
    reap();
    if (!leaving_.empty()) ::usleep(5000);
  }
}

const Job* EngineClient::running() const {
  const auto found = std::find_if(outstanding_.begin(), outstanding_.end(),
                                  [this](const Job& job) { return job.job == begun_; });
  return found == outstanding_.end() ? nullptr : &*found;
}

void EngineClient::start() {
  wanted_ = true;
  if (process_ > 0 || given_up() || Clock::now() < start_at_) return;
  // The one before may still hold the device.
  if (!leaving_.empty() && seconds_since(leaving_.back().since) < kReapLimitS) return;
  launch();
}

void EngineClient::launch() {
  const ChildProcess child = start_child(command_);
  process_ = child.process;
  if (process_ < 0) {
    handle_death(made_up_, {Outcome::engine_died,
                            std::string("no process can be started: ") + std::strerror(child.error),
                            "close other programs"});
    return;
  }
  to_engine_ = child.to_child;
  from_engine_ = child.from_child;
  errors_ = child.errors;
  start_failure_ = child.start_failure;
  end_expected_ = false;
  hello_.reset();
  begun_.reset();
  started_ = last_sign_ = last_heartbeat_ = Clock::now();
  spoken_ = false;
  silence_s_ = waited_s_ = 0;
  held_by_.clear();
  incoming_.clear();
  searched_ = 0;
  more_ = false;
  outgoing_.clear();
  error_text_.clear();
  last_error_.clear();
  Hello hello;
  hello.role = "workbench";
  hello.build = build_stamp();
  hello.process = ::getpid();
  send(hello);
  sources_ = {};
  for (const Job& job : outstanding_) send_job(job);
}

void EngineClient::close_pipes() {
  for (int* descriptor : {&to_engine_, &from_engine_, &errors_, &start_failure_}) {
    if (*descriptor >= 0) ::close(*descriptor);
    *descriptor = -1;
  }
}

// Tells the process to end; `reap` sees to it that it does.
void EngineClient::retire() {
  close_pipes();
  end_expected_ = false;
  hello_.reset();
  begun_.reset();
  if (process_ <= 0) return;
  ::kill(process_, SIGTERM);
  leaving_.push_back({std::exchange(process_, -1), Clock::now()});
}

void EngineClient::reap() {
  for (Leaving& l : leaving_) {
    if (::waitpid(l.process, nullptr, WNOHANG) != 0) {
      l.process = -1;
    } else if (!l.killed && seconds_since(l.since) >= kGraceS) {
      ::kill(l.process, SIGKILL);
      l.killed = true;
    }
  }
  std::erase_if(leaving_, [](const Leaving& l) { return l.process < 0; });
}

void EngineClient::send(const Message& message) {
  if (process_ <= 0) return;  // `launch` sends all that is outstanding
  outgoing_ += to_line(message) + "\n";
  flush();
}

void EngineClient::send_job(const Job& job) {
  if (process_ > 0) send(sources_.with_sources(job, made_up_));
}

void EngineClient::flush() {
  while (!outgoing_.empty() && to_engine_ >= 0) {
    const ssize_t step = ::write(to_engine_, outgoing_.data(), outgoing_.size());
    if (step < 0 && errno == EINTR) continue;
    if (step <= 0) return;  // full or gone: polling finds out which
    outgoing_.erase(0, static_cast<std::size_t>(step));
  }
}

std::int64_t EngineClient::submit(Job job) {
  job.job = ++*numbers_;
  if (limit_s_) job.hang_limit_s = *limit_s_;
  const std::int64_t number = job.job;
  if (outstanding_.empty()) last_sign_ = Clock::now();
  if (process_ > 0) {
    // As the engine's queue does.
    const bool runs =
        running() != nullptr && !outstanding_.empty() && running()->job == outstanding_.front().job;
    outstanding_.insert(job.first ? outstanding_.begin() + (runs ? 1 : 0) : outstanding_.end(),
                        job);
    send_job(job);
    return number;
  }
  const auto waiting =
      std::find_if(outstanding_.begin(), outstanding_.end(),
                   [&job](const Job& other) { return !job.tag.empty() && other.tag == job.tag; });
  if (waiting != outstanding_.end()) {
    made_up_.push_back(Done{waiting->job, DoneStatus::replaced});
    *waiting = std::move(job);
  } else {
    outstanding_.push_back(std::move(job));
  }
  start();
  return number;
}

void EngineClient::cancel(const Job& job) {
  cancelled_.insert(job.job);
  send(Cancel{job.job});
}

void EngineClient::cancel_all() { cancel_tagged(""); }

void EngineClient::cancel_tagged(std::string_view prefix) {
  for (const Job& job : outstanding_) {
    if (job.tag.starts_with(prefix)) cancel(job);
  }
  if (process_ <= 0) answer_cancelled(made_up_);  // nobody else will
}

void EngineClient::restart() {
  trouble_.reset();
  refused_ = false;
  deaths_ = failed_starts_ = 0;
  if (process_ > 0) {
    read_output(made_up_);
    read_errors(made_up_);
    trouble_.reset();
  }
  const Job* hanging = running();
  if (hanging == nullptr && ready() && !outstanding_.empty()) hanging = &outstanding_.front();
  if (hanging != nullptr) {
    const std::int64_t job = hanging->job;
    answer(job, Done{job, DoneStatus::cancelled}, made_up_);
  }
  answer_cancelled(made_up_);
  retire();
  start_at_ = Clock::now();
  start();
}

void EngineClient::wait(double limit_s) const { wait({this}, limit_s); }

void EngineClient::wait(std::initializer_list<const EngineClient*> clients, double limit_s) {
  double wait_s = limit_s;
  std::vector<pollfd> descriptors;
  for (const EngineClient* client : clients) {
    if (client == nullptr) continue;
    if (!client->made_up_.empty() || client->more_) wait_s = 0;
    if (client->process_ <= 0 && client->wanted_ && !client->given_up())
      wait_s = std::min(wait_s, std::max(0.0, -seconds_since(client->start_at_)) + 0.001);
    constexpr double kReapEveryS = 0.01;
    if (!client->leaving_.empty()) wait_s = std::min(wait_s, kReapEveryS);
    descriptors.push_back({client->from_engine_, POLLIN, 0});
    descriptors.push_back({client->errors_, POLLIN, 0});
  }
  ::poll(descriptors.data(), descriptors.size(), static_cast<int>(std::ceil(wait_s * 1000)));
}

// An answer that we make up.
void EngineClient::answer(std::int64_t job, Done done, std::vector<Message>& messages) {
  std::erase_if(outstanding_, [job](const Job& other) { return other.job == job; });
  cancelled_.erase(job);
  messages.push_back(std::move(done));
}

void EngineClient::answer_cancelled(std::vector<Message>& messages) {
  for (const std::int64_t job : std::set<std::int64_t>(cancelled_))
    answer(job, Done{job, DoneStatus::cancelled}, messages);
}

// Takes an answered job off the list.
void EngineClient::finish(const Done& done) {
  const auto place = std::find_if(outstanding_.begin(), outstanding_.end(),
                                  [&](const Job& job) { return job.job == done.job; });
  cancelled_.erase(done.job);
  if (done.status == DoneStatus::finished || done.status == DoneStatus::failed) deaths_ = 0;
  if (place != outstanding_.end()) {
    // A waiting job is replaced in its place in the engine's queue, one that runs from the end.
    const bool waited = done.status == DoneStatus::replaced && begun_ != done.job;
    const auto newer = std::find_if(place + 1, outstanding_.end(), [&](const Job& job) {
      return !job.tag.empty() && job.tag == place->tag;
    });
    if (waited && newer != outstanding_.end()) {
      *place = std::move(*newer);
      outstanding_.erase(newer);
    } else {
      outstanding_.erase(place);
    }
  }
  if (begun_ == done.job) begun_.reset();
  if (done.restart) end_expected_ = true;
}

void EngineClient::name_device(Measurement& verdict) const {
  if (!verdict.conditions.device.empty() || !device_) return;
  verdict.conditions.device = device_->name, verdict.conditions.device_uuid = device_->uuid;
}

void EngineClient::take(Message message, std::vector<Message>& messages) {
  if (given_up()) return;  // nothing of an engine that speaks another protocol counts
  last_sign_ = Clock::now();
  spoken_ = true;
  silence_s_ = waited_s_ = 0;
  held_by_.clear();
  if (const auto* hello = std::get_if<Hello>(&message)) {
    hello_ = *hello;
    device_ = hello->device;
    failed_starts_ = 0;
    if (hello->protocol != protocol_version) {
      const std::string what = "the engine speaks protocol " + std::to_string(hello->protocol) +
                               ", this program " + std::to_string(protocol_version);
      give_up(messages, {ErrorKind::environment, what, "", "install the same version of both"});
    }
  } else if (const auto* progress = std::get_if<Progress>(&message)) {
    begun_ = progress->job;
    silence_s_ = progress->silence_s;
    held_by_ = progress->held_by;
    waited_s_ = progress->waited_s;
  } else if (auto* measurement = std::get_if<Measurement>(&message)) {
    name_device(*measurement);
    begun_ = measurement->job;
    if (!measurement->partial) measured_ = measurement->job;
  } else if (const auto* done = std::get_if<Done>(&message)) {
    finish(*done);
  }
  messages.push_back(std::move(message));
}

void EngineClient::read_output(std::vector<Message>& messages, double limit_s) {
  const auto start = Clock::now();
  char chunk[65536];
  // What was left over last time comes first; meanwhile the engine may wait at its full pipe.
  const bool left_over = std::exchange(more_, false);
  while (from_engine_ >= 0 && (!left_over || limit_s == kNoLimitS)) {
    const ssize_t count = ::read(from_engine_, chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    incoming_.append(chunk, static_cast<std::size_t>(count));
    if (static_cast<std::int64_t>(incoming_.size()) > longest_line_bytes) break;
  }
  std::size_t begin = 0;
  // What was looked through before has no newline: a long line is not searched again and again.
  for (std::size_t end = incoming_.find('\n', searched_); end != std::string::npos;
       end = incoming_.find('\n', begin)) {
    if (seconds_since(start) > limit_s) {
      more_ = true;
      break;
    }
    const std::string_view line = std::string_view(incoming_).substr(begin, end - begin);
    begin = end + 1;
    if (line.empty()) continue;
    if (Result<Message> message = parse_line(line)) {
      take(std::move(*message), messages);
    } else {
      messages.push_back(
          LogLine{"warning", "the engine sent a line that is no message: " + message.error().what});
    }
  }
  incoming_.erase(0, begin);
  searched_ = more_ ? 0 : incoming_.size();
  if (!more_ && static_cast<std::int64_t>(incoming_.size()) > longest_line_bytes) {
    incoming_ = {};
    searched_ = 0;
    give_up(messages, {ErrorKind::environment,
                       "the engine sent a line that does not end within " +
                           format_value(static_cast<double>(longest_line_bytes), "B"),
                       "", kStartAnew});
  }
}

void EngineClient::read_errors(std::vector<Message>& messages) {
  char chunk[4096];
  while (errors_ >= 0) {
    const ssize_t count = ::read(errors_, chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    error_text_.append(chunk, static_cast<std::size_t>(count));
    constexpr std::size_t kLongestError = 64 << 10;  // what goes on without a newline is divided
    if (error_text_.size() > kLongestError) error_text_ += '\n';
  }
  std::size_t begin = 0;
  for (std::size_t end = error_text_.find('\n'); end != std::string::npos;
       end = error_text_.find('\n', begin)) {
    std::string line = error_text_.substr(begin, end - begin);
    begin = end + 1;
    while (!line.empty() && line.back() == '\r') line.pop_back();  // ssh ends its lines with both
    if (line.empty()) continue;
    last_error_ = line;
    messages.push_back(LogLine{"info", "engine: " + line});
  }
  error_text_.erase(0, begin);
}

// All outstanding jobs fail: there is no engine to be had. That says nothing of their variants, so
// there are no verdicts.
void EngineClient::fail_outstanding(std::vector<Message>& messages) {
  for (const Job& job : std::exchange(outstanding_, {})) {
    if (cancelled_.count(job.job) != 0) {
      messages.push_back(Done{job.job, DoneStatus::cancelled});
      continue;
    }
    messages.push_back(Done{job.job, DoneStatus::failed, *trouble_});
  }
  cancelled_.clear();
}

void EngineClient::give_up(std::vector<Message>& messages, Error why) {
  messages.push_back(LogLine{"error", sentence(why)});
  trouble_ = std::move(why);
}

double EngineClient::start_limit_s() const {
  if (spoken_) return std::max(kStartLimitS, silence_s_);
  return host_of(command_).empty() ? kFirstSignS : kFirstSignOverSshS;
}

// Why an engine ended that waited for its device in vain. The wait is no fault of a variant's.
std::optional<Error> EngineClient::not_let_in(int status) const {
  const bool lacked =
      WIFEXITED(status) && WEXITSTATUS(status) == exit_status(ErrorKind::environment);
  if (!lacked || held_by_.empty()) return std::nullopt;
  const std::string in_vain =
      waited_s_ < 0.5 ? "" : " and did not come free within " + seconds_text(waited_s_);
  return Error{ErrorKind::environment, "the device is held by " + held_by_ + in_vain, "",
               "wait until that ends, or wait longer with --wait"};
}

std::optional<EngineDelay> EngineClient::delay() const {
  if (process_ <= 0 || given_up()) return std::nullopt;
  const double quiet_s = seconds_since(last_sign_);
  if (!held_by_.empty()) {
    const double waited_s = waited_s_ + quiet_s;
    return EngineDelay{
        waited_s, true,
        "waiting for the device since " + seconds_text(waited_s) + ": it is held by " + held_by_};
  }
  if (!ready()) {
    const double starting_s = seconds_since(started_);
    if (starting_s < kNoticeS) return std::nullopt;
    return EngineDelay{starting_s, false,
                       "the engine has not said hello for " + seconds_text(starting_s) +
                           "; without a sign it is given up after " +
                           seconds_text(start_limit_s())};
  }
  if (outstanding_.empty() || quiet_s < kNoticeS) return std::nullopt;
  const Job& job = running() != nullptr ? *running() : outstanding_.front();
  const double limit_s = std::max(job.hang_limit_s, silence_s_);
  // Host work is announced, because it cannot be interrupted: inputs, compilers, libraries' plans.
  const std::string words =
      silence_s_ > job.hang_limit_s
          ? name_of(job) + " has been prepared on the host for " + seconds_text(quiet_s)
          : "no answer for " + seconds_text(quiet_s) + " from the engine about " + name_of(job);
  return EngineDelay{quiet_s, false, words + "; it is ended after " + seconds_text(limit_s)};
}

EngineClient::Death EngineClient::death_of(int status) {
  int code = 0;
  const bool never_ran = start_failure_ >= 0 && ::read(start_failure_, &code, sizeof code) ==
                                                    static_cast<ssize_t>(sizeof code);
  const std::string host = host_of(command_);
  if (never_ran && !host.empty() && code == ENOENT)
    return {Outcome::engine_died, "ssh is not installed on this machine", "install openssh-client",
            true};
  if (never_ran)
    return {Outcome::engine_died, command_.front() + ": " + std::strerror(code),
            "build warpscope-engine beside warpscope, or name it with --engine", true};
  const int exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (!host.empty() && exit_code == kSshFailed) {
    const std::string_view words = last_error_;
    const std::string said(words.substr(words.starts_with("ssh: ") ? 5 : 0));
    return {Outcome::engine_died,
            "the connection to " + host + " failed" + (said.empty() ? "" : ": " + said),
            "try `ssh " + host + "` by hand"};
  }
  if (!host.empty() && !ready() && (exit_code == kNoSuchCommand || exit_code == kNotExecutable)) {
    return {Outcome::engine_died, "there is no warpscope-engine to run on " + host,
            "install Warpscope there with warpscope-engine on its PATH, or name it with --engine",
            true};
  }
  std::string why = WIFSIGNALED(status)
                        ? "the engine was ended by signal " + std::to_string(WTERMSIG(status))
                        : "the engine ended with status " + std::to_string(exit_code);
  if (!ready() && !last_error_.empty()) why += ": " + last_error_;
  return {Outcome::engine_died, std::move(why), ""};
}

void EngineClient::handle_death(std::vector<Message>& messages, Death death) {
  read_output(messages);
  const bool was_ready = ready(), expected = end_expected_;
  const Job* running_job = running();
  const std::optional<Job> blamed = running_job ? std::optional(*running_job) : std::nullopt;
  retire();
  start_at_ = Clock::now();
  if (given_up()) return fail_outstanding(messages);
  if (!expected) {
    ++deaths_;
    if (!was_ready) ++failed_starts_;
    const double factor = std::pow(2.0, std::min(deaths_ - 1, 30));
    start_at_ += seconds(std::min(pacing_.first_wait_s * factor, pacing_.longest_wait_s));
  }
  const bool does_not_start =
      !expected && !was_ready && (death.hopeless || failed_starts_ >= pacing_.most_failed_starts);
  const bool last = does_not_start || (!expected && deaths_ >= pacing_.most_deaths);
  const bool unwanted =
      blamed && cancelled_.count(blamed->job) != 0 && death.outcome == Outcome::engine_died;
  if (unwanted) {
    // Nobody waits for a verdict; it is answered below.
  } else if (blamed && blamed->job == measured_) {
    // It died behind the answer, which stands.
    answer(blamed->job, Done{blamed->job}, messages);
  } else if (blamed && !expected) {
    const char* remedy = last ? kStartAnew : "the engine starts again by itself";
    if (!blamed->variant.empty()) {
      Measurement verdict = verdict_for(*blamed, death.outcome, death.why, remedy);
      name_device(verdict);
      messages.push_back(std::move(verdict));
    }
    answer(blamed->job,
           Done{blamed->job, DoneStatus::failed,
                Error{ErrorKind::fault, death.why, blamed->variant, remedy}},
           messages);
  }
  answer_cancelled(messages);
  if (last) {
    const std::string what =
        does_not_start
            ? "the engine does not start: " + death.why
            : "the engine died " + std::to_string(deaths_) +
                  " times in a row without an answer to a job, the last time because " + death.why;
    give_up(messages,
            {ErrorKind::environment, what, "", death.remedy.empty() ? kStartAnew : death.remedy});
  }
  if (given_up()) return fail_outstanding(messages);
  if (!expected) messages.push_back(LogLine{"warning", death.why + "; it is started again"});
}

std::vector<Message> EngineClient::poll() {
  std::vector<Message> messages = std::exchange(made_up_, {});
  reap();
  if (process_ <= 0) {
    if (given_up()) {
      fail_outstanding(messages);
    } else if (wanted_) {
      start();
    }
    return messages;
  }
  if (!host_of(command_).empty() && seconds_since(last_heartbeat_) >= heartbeat_s) {
    last_heartbeat_ = Clock::now();
    if (outgoing_.empty()) outgoing_ = "\n";
  }
  flush();
  constexpr double kTakingS = 0.004;  // a burst of answers must not hold up a frame
  read_output(messages, kTakingS);
  read_errors(messages);
  int status = 0;
  if (given_up()) {
    handle_death(messages, {});
  } else if (::waitpid(process_, &status, WNOHANG) == process_) {
    process_ = -1;
    read_output(messages);  // its last words
    read_errors(messages);
    if (std::optional<Error> held = not_let_in(status)) {
      refused_ = true;
      give_up(messages, std::move(*held));
    }
    handle_death(messages, death_of(status));
  } else if (end_expected_) {
    handle_death(messages, {});
  } else if (!ready() && seconds_since(last_sign_) > start_limit_s()) {
    const std::string host = host_of(command_);
    handle_death(messages, {Outcome::engine_died,
                            (host.empty() ? "the engine" : "the engine on " + host) +
                                (spoken_ ? " did not say hello within " : " said nothing for ") +
                                seconds_text(start_limit_s()),
                            "", true});
  } else if (ready() && !outstanding_.empty()) {
    const Job& job = running() != nullptr ? *running() : outstanding_.front();
    if (seconds_since(last_sign_) > std::max(job.hang_limit_s, silence_s_) + kWatchdogMarginS) {
      begun_ = job.job;
      handle_death(messages,
                   {Outcome::timed_out, "the engine did not answer within the job's limit"});
    }
  }
  return messages;
}

}  // namespace warpscope
