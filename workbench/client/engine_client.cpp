// workbench/client/engine_client.cpp: the engine's process: started, spoken to, and watched.
#include "workbench/client/engine_client.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <utility>

#include "profiling/messages/packed_text.h"
#include "scenes/catalogue.h"
#include "scenes/host/build_stamp.h"
#include "scenes/host/clock.h"
#include "workbench/client/process_memory.h"

namespace warpscope {

EngineClient::EngineClient(std::vector<std::string> command, RestartPacing pacing,
                           std::shared_ptr<std::int64_t> numbers,
                           std::shared_ptr<const Catalogue> catalogue)
    : command_(std::move(command)),
      sources_(std::move(catalogue)),
      waits_(!host_of(command_).empty()),
      restarts_{pacing},
      numbers_(numbers ? std::move(numbers) : std::make_shared<std::int64_t>(0)) {
  ::signal(SIGPIPE, SIG_IGN);  // a dead engine is an answer, not the end of the workbench
}

void EngineClient::start() {
  restarts_.wanted = true;
  if (process_.runs() || given_up() || std::chrono::steady_clock::now() < restarts_.at) return;
  // The one before may still hold the device.
  if (process_.has_leaving() && process_.leaving_s() < kReapLimitS) return;
  launch();
}

void EngineClient::launch() {
  if (const int error = process_.start(command_); error != 0) {
    handle_death(made_up_, {Outcome::engine_died,
                            std::string("no process can be started: ") + std::strerror(error),
                            "close other programs"});
    return;
  }
  jobs_.forget_begun();
  restarts_.first_bytes.reset();
  waits_.begin();
  Hello hello;
  hello.role = "workbench";
  hello.build = build_stamp();
  hello.process = ::getpid();
  process_.send(hello);
  sources_.forget();
  for (const Job& job : jobs_.all()) send_job(job);
  waits_.rest();  // from here on: large data takes seconds to pack
}

void EngineClient::send_job(const Job& job) {
  if (!process_.runs()) return;  // `launch` sends all that is outstanding
  jobs_.sent(job);
  if (const std::optional<SceneText> scene = sources_.scene_before(job)) process_.send(*scene);
  process_.send(sources_.with_sources(job, made_up_));
}

std::int64_t EngineClient::submit(Job job) {
  job.job = ++*numbers_;
  if (const Result<void> admitted = admit_files(sources_.catalogue(), job); !admitted) {
    made_up_.emplace_back(Done{job.job, DoneStatus::failed, admitted.error()});
    return job.job;
  }
  if (limit_s_) job.hang_limit_s = *limit_s_;
  const std::int64_t number = job.job;
  const bool is_first = jobs_.empty();
  if (process_.runs()) {
    jobs_.add(job);
    send_job(job);
    if (is_first) waits_.rest();
    return number;
  }
  if (const auto replaced = jobs_.wait_with(std::move(job)))
    made_up_.emplace_back(Done{*replaced, DoneStatus::replaced});
  start();
  return number;
}

void EngineClient::cancel_all() { cancel_tagged(""); }

void EngineClient::cancel_tagged(std::string_view prefix) {
  for (const std::int64_t job : jobs_.cancel_tagged(prefix)) process_.send(Cancel{job});
  if (!process_.runs()) jobs_.answer_cancelled(made_up_);  // nobody else will
}

void EngineClient::wait(double limit_s) const { wait({this}, limit_s); }

void EngineClient::wait(std::initializer_list<const EngineClient*> clients, double limit_s) {
  double wait_s = limit_s;
  std::vector<pollfd> descriptors;
  for (const EngineClient* client : clients) {
    if (client == nullptr) continue;
    const EngineProcess& process = client->process_;
    if (!client->made_up_.empty() || process.has_more()) wait_s = 0;
    if (!process.runs() && client->restarts_.wanted && !client->given_up())
      wait_s = std::min(wait_s, std::max(0.0, -seconds_since(client->restarts_.at)) + 0.001);
    constexpr double kReapEveryS = 0.01;
    if (process.has_leaving()) wait_s = std::min(wait_s, kReapEveryS);
    descriptors.push_back({process.output(), POLLIN, 0});
    descriptors.push_back({process.errors(), POLLIN, 0});
  }
  ::poll(descriptors.data(), descriptors.size(), static_cast<int>(std::ceil(wait_s * 1000)));
}

void EngineClient::take(Message message, std::vector<Message>& messages) {
  if (given_up()) return;  // nothing of an engine that speaks another protocol counts
  waits_.hear(message);
  if (const auto* hello = std::get_if<Hello>(&message)) {
    restarts_.failed_starts = 0;
    if (hello->protocol != kProtocolVersion) {
      const std::string what = "the engine speaks protocol " + std::to_string(hello->protocol) +
                               ", this program " + std::to_string(kProtocolVersion);
      give_up(messages, {ErrorKind::environment, what, "", "install the same version of both"});
    }
  } else if (const auto* progress = std::get_if<Progress>(&message)) {
    jobs_.began(progress->job);
  } else if (auto* measurement = std::get_if<Measurement>(&message)) {
    waits_.name_device(*measurement);
    jobs_.began(measurement->job);
    if (!measurement->partial) jobs_.measured(measurement->job);
  } else if (const auto* state = std::get_if<TrainingState>(&message)) {
    if (jobs_.note(*state)) restarts_.deaths = 0;  // no deaths without an answer
  } else if (const auto* done = std::get_if<Done>(&message)) {
    const std::size_t before = jobs_.all().size();
    jobs_.finish(*done);
    const bool answers = jobs_.all().size() < before;  // a job that was asked for
    if (answers && !restarts_.first_bytes) restarts_.first_bytes = own_bytes(process_.id());
    if (answers && (done->status == DoneStatus::finished || done->status == DoneStatus::failed))
      restarts_.deaths = 0;
  }
  messages.push_back(std::move(message));
}

void EngineClient::read(std::vector<Message>& messages, double limit_s) {
  const bool whole = process_.read_lines(limit_s, [&](std::string_view line) {
    if (Result<Message> message = parse_line(line)) {
      take(std::move(*message), messages);
    } else {
      messages.emplace_back(LogLine{
          "warning", "the engine sent a line that is not a message: " + message.error().what});
    }
  });
  if (!whole) {
    give_up(messages, {ErrorKind::environment,
                       "the engine sent a line that does not end within " +
                           format_value(static_cast<double>(kLongestLineBytes), "B"),
                       "", kStartAnew});
  }
  process_.read_errors([&](const std::string& line) {
    messages.emplace_back(LogLine{"info", "engine: " + line});
  });
}

std::vector<Message> EngineClient::poll() {
  sources_.begin_round();
  std::vector<Message> messages = std::exchange(made_up_, {});
  process_.reap();
  if (!process_.runs()) {
    if (given_up()) {
      jobs_.fail_all(*trouble_, messages);
    } else if (restarts_.wanted) {
      start();
    }
    return messages;
  }
  if (!host_of(command_).empty()) process_.send_heartbeat();
  process_.flush();
  constexpr double kReadingS = 0.0005;  // of a burst of answers the rest is for the next call
  read(messages, kReadingS);
  if (given_up()) {
    handle_death(messages, {});
  } else if (const std::optional<int> status = process_.ended()) {
    read(messages);  // its last words
    if (std::optional<Error> held = waits_.not_let_in(*status)) {
      restarts_.refused = true;
      give_up(messages, std::move(*held));
    }
    handle_death(messages, death_of(process_, command_, ready(), *status));
  } else if (waits_.expects_end()) {
    handle_death(messages, {});
  } else {
    watch(messages);
  }
  return messages;
}

std::optional<EngineDelay> EngineClient::delay() const {
  if (!process_.runs() || given_up()) return std::nullopt;
  return waits_.delay(jobs_.in_hand());
}

}  // namespace warpscope
