// workbench/client/engine_client.cpp: the engine's process: started, spoken to, and watched.
#include "workbench/client/engine_client.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <utility>

#include "profiling/messages/packed_text.h"
#include "scenes/catalogue.h"
#include "scenes/host/build_stamp.h"
#include "scenes/host/clock.h"
#include "workbench/client/child_process.h"
#include "workbench/client/engine_waits.h"

namespace warpscope {
namespace {

constexpr double kWatchdogMarginS = 5;  // beyond the engine's own watchdog

}  // namespace

EngineClient::EngineClient(std::vector<std::string> command, RestartPacing pacing,
                           std::shared_ptr<std::int64_t> numbers,
                           std::shared_ptr<const Catalogue> catalogue)
    : command_(std::move(command)),
      pacing_(pacing),
      sources_(std::move(catalogue)),
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
  sources_.forget();
  for (const Job& job : outstanding_) send_job(job);
}

void EngineClient::close_pipes() {
  for (int* descriptor : {&to_engine_, &from_engine_, &errors_, &start_failure_}) {
    if (*descriptor >= 0) ::close(*descriptor);
    *descriptor = -1;
  }
}

void EngineClient::send(const Message& message) {
  if (process_ <= 0) return;  // `launch` sends all that is outstanding
  outgoing_ += to_line(message) + "\n";
  flush();
}

void EngineClient::send_job(const Job& job) {
  if (process_ <= 0) return;
  if (job.kind == JobKind::train) sent_from_[job.job] = job.resume ? job.resume->step : 0;
  if (const std::optional<SceneText> scene = sources_.scene_before(job)) send(*scene);
  send(sources_.with_sources(job, made_up_));
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
  if (const Result<void> admitted = admit_files(sources_.catalogue(), job); !admitted) {
    made_up_.emplace_back(Done{job.job, DoneStatus::failed, admitted.error()});
    return job.job;
  }
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
    made_up_.emplace_back(Done{waiting->job, DoneStatus::replaced});
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

bool EngineClient::is_outstanding(std::string_view tag_prefix) const {
  return std::any_of(outstanding_.begin(), outstanding_.end(),
                     [&](const Job& job) { return job.tag.starts_with(tag_prefix); });
}

void EngineClient::cancel_all() { cancel_tagged(""); }

void EngineClient::cancel_tagged(std::string_view prefix) {
  for (const Job& job : outstanding_) {
    if (job.tag.starts_with(prefix)) cancel(job);
  }
  if (process_ <= 0) answer_cancelled(made_up_);  // nobody else will
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
  messages.emplace_back(std::move(done));
}

void EngineClient::answer_cancelled(std::vector<Message>& messages) {
  for (const std::int64_t job : std::set<std::int64_t>(cancelled_))
    answer(job, Done{job, DoneStatus::cancelled}, messages);
}

// Takes an answered job off the list.
void EngineClient::note(const TrainingState& state) {
  const auto job = std::find_if(outstanding_.begin(), outstanding_.end(),
                                [&](const Job& one) { return one.job == state.job; });
  if (job == outstanding_.end()) return;
  job->resume = state;
  if (goes_on(*job)) deaths_ = 0;  // no deaths without an answer
}

bool EngineClient::goes_on(const Job& job) const {
  const auto from = sent_from_.find(job.job);
  return job.kind == JobKind::train && job.resume && from != sent_from_.end() &&
         job.resume->step > from->second;
}

void EngineClient::finish(const Done& done) {
  sent_from_.erase(done.job);
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
    if (hello->protocol != kProtocolVersion) {
      const std::string what = "the engine speaks protocol " + std::to_string(hello->protocol) +
                               ", this program " + std::to_string(kProtocolVersion);
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
  } else if (const auto* state = std::get_if<TrainingState>(&message)) {
    note(*state);
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
    if (static_cast<std::int64_t>(incoming_.size()) > kLongestLineBytes) break;
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
      messages.emplace_back(LogLine{
          "warning", "the engine sent a line that is not a message: " + message.error().what});
    }
  }
  incoming_.erase(0, begin);
  searched_ = more_ ? 0 : incoming_.size();
  if (!more_ && static_cast<std::int64_t>(incoming_.size()) > kLongestLineBytes) {
    incoming_ = {};
    searched_ = 0;
    give_up(messages, {ErrorKind::environment,
                       "the engine sent a line that does not end within " +
                           format_value(static_cast<double>(kLongestLineBytes), "B"),
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
    messages.emplace_back(LogLine{"info", "engine: " + line});
  }
  error_text_.erase(0, begin);
}

std::vector<Message> EngineClient::poll() {
  sources_.begin_round();
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
  if (!host_of(command_).empty() && seconds_since(last_heartbeat_) >= kHeartbeatS) {
    last_heartbeat_ = Clock::now();
    if (outgoing_.empty()) outgoing_ = "\n";
  }
  flush();
  constexpr double kTakingS = 0.004;  // a burst of answers must not hold up a frame
  read_output(messages, kTakingS);
  read_errors(messages);
  int status = 0;
  const bool gave_up = given_up();
  if (!gave_up && ::waitpid(process_, &status, WNOHANG) == process_) {
    process_ = -1;
    read_output(messages);  // its last words
    read_errors(messages);
    if (std::optional<Error> held = not_let_in(status)) {
      refused_ = true;
      give_up(messages, std::move(*held));
    }
    handle_death(messages, death_of(status));
  } else if (gave_up || end_expected_) {
    handle_death(messages, {});
  } else if (!ready() && seconds_since(last_sign_) > start_limit_s()) {
    const std::string host = host_of(command_);
    handle_death(messages, {Outcome::engine_died,
                            (host.empty() ? "the engine" : "the engine on " + host) +
                                (spoken_ ? " did not say hello within " : " said nothing for ") +
                                seconds_text(start_limit_s()),
                            "", true});
  } else if (ready() && !outstanding_.empty()) {
    const Job* in_hand = running();
    const Job& job = in_hand != nullptr ? *in_hand : outstanding_.front();
    if (seconds_since(last_sign_) > std::max(job.hang_limit_s, silence_s_) + kWatchdogMarginS) {
      begun_ = job.job;
      handle_death(messages,
                   {Outcome::timed_out, "the engine did not answer within the job's limit"});
    }
  }
  return messages;
}

}  // namespace warpscope
