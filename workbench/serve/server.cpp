// workbench/serve/server.cpp: `warpscope serve`: requests of scripts and assistants, answered in
// turn.
#include "workbench/serve/server.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "scenes/base/source.h"
#include "scenes/host/clock.h"
#include "scenes/host/program.h"
#include "workbench/commands/commands.h"

namespace warpscope {

Server::Server(EngineChoice engine, int input, int output, std::shared_ptr<Catalogue> catalogue,
               std::unique_ptr<SessionFile> file)
    : engine_(std::move(engine)),
      input_(input),
      output_(output),
      catalogue_(std::move(catalogue)),
      file_(std::move(file)) {}

int Server::run() {
  Json requests = Json::array();
  for (const ServeRow& row : serve_rows()) requests.push_back(row.name);
  say(answer_line(nullptr, {{"serves", "warpscope"}, {"requests", requests}}));
  while (!quit_ && output_failure_ == 0) {
    while (waiting_.empty() && !ended_ && output_failure_ == 0) {
      tend_engines();
      read_lines(1);
    }
    if (waiting_.empty() || output_failure_ != 0) break;
    const auto request = std::move(waiting_.front());
    waiting_.pop_front();
    ++answered_;
    if (!request) {
      say(refusal_line(request.error().id, request.error().error));
      continue;
    }
    busy_ = true;
    cancelled_ = false;
    noted_ = 0;
    Result<Json> result = act(*request);
    busy_ = false;
    if (result) {
      // An answer that is not what the rows say is a defect of ours, and is said as one.
      if (const std::string why = against_rows(request->row->gives, *result); !why.empty())
        result = failure(ErrorKind::internal, "the answer does not match the schema: " + why,
                         request->row->name, "report it with the request");
    }
    say(result ? answer_line(request->id, *result) : refusal_line(request->id, result.error()));
  }
  if (output_failure_ == 0) return 0;
  return fail({ErrorKind::environment,
               std::string("standard output cannot be written: ") + std::strerror(output_failure_),
               "serve", output_failure_ == ENOSPC ? "free some space" : "read all answers"});
}

// An engine that was told to end and did not is ended while nobody asks for anything.
void Server::tend_engines() {
  for (EngineClient* engine : {emulator_.get(), measurer_.get()}) {
    if (engine == nullptr) continue;
    for (const Message& message : engine->poll()) session_.apply(message);
  }
}

Result<nlohmann::json> Server::act(const ServeRequest& request) {
  const std::string name = request.row->name;
  if (name == "list") return list(request);
  if (name == "fork") return fork(request);
  if (name == "edit") return edit(request);
  if (name == "verify") return verify(request);
  if (name == "trace") return trace(request);
  if (name == "measure") return measure(request);
  if (name == "compare") return compare(request);
  if (name == "journal") return journal(request);
  if (name == "note") return note(request);
  if (name == "go_back") return go_back(request);
  if (name == "tune") return tune(request);
  if (name == "cancel") return Json{{"cancelled", false}};  // nothing ran or waited
  quit_ = true;
  return Json{{"answered", answered_}};
}

void Server::read_lines(double wait_s) {
  // A pipe that nobody reads any more is an error of its writing end, whatever is asked of it.
  // Where the input has ended there is nothing to wait for, but for that.
  pollfd waits[] = {{ended_ ? -1 : input_, POLLIN, 0}, {output_, 0, 0}};
  constexpr int kMostChunks = 32;  // a cancel is seen also where much stands before it
  for (int i = 0; i < kMostChunks; ++i) {
    if (::poll(waits, 2, i == 0 ? static_cast<int>(wait_s * 1000) : 0) <= 0) return;
    if ((waits[1].revents & (POLLERR | POLLHUP)) != 0) return lose_reader(EPIPE);
    if (waits[0].revents == 0) return;
    char chunk[65536];
    const ssize_t bytes = ::read(input_, chunk, sizeof chunk);
    if (bytes < 0 && errno == EINTR) return;
    if (bytes <= 0) {
      ended_ = true;
      if (!overlong_) take_line(std::exchange(incoming_, {}));
      return;
    }
    take_bytes({chunk, static_cast<std::size_t>(bytes)});
  }
}

void Server::take_bytes(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    if (!overlong_ && incoming_.size() + part.size() > kMostRequestBytes) {
      overlong_ = true;
      incoming_ = {};
      waiting_.emplace_back(tl::unexpected(overlong_request()));
    }
    if (!overlong_) incoming_ += part;
    if (end == std::string_view::npos) return;
    if (!std::exchange(overlong_, false)) take_line(std::exchange(incoming_, {}));
    bytes.remove_prefix(end + 1);
  }
}

void Server::take_line(std::string_view line) {
  if (quitting_ || line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  auto request = parse_request(line);
  const std::string name = request ? request->row->name : "";
  if (name == "cancel" && (busy_ || !waiting_.empty())) return cancel_all(request->id);
  quitting_ = name == "quit";
  waiting_.push_back(std::move(request));
}

// Cancel passes by those that wait: they are answered as cancelled, in their order.
void Server::cancel_all(const Json& id) {
  cancelled_ = true;
  ++answered_;
  say(answer_line(id, {{"cancelled", true}}));
  for (const auto& each : std::exchange(waiting_, {})) {
    ++answered_;
    say(refusal_line(each ? each->id : each.error().id,
                     {ErrorKind::resource, "cancelled before it began", "request", ""}));
  }
}

void Server::say(const std::string& line) {
  if (output_failure_ != 0) return;
  if (const int code = write_all(output_, line + "\n"); code != 0) lose_reader(code);
}

// Whoever asked is gone, or the disk is full: there is nobody to work for.
void Server::lose_reader(int code) {
  output_failure_ = code;
  ended_ = true;
  waiting_.clear();
}

Result<void> Server::work(EngineClient& client, std::vector<Job> jobs, Session& own) {
  if (broken_off()) return failure(ErrorKind::resource, "cancelled", "request", "");
  if (Result<void> there = check_sources(*catalogue_, jobs); !there) return there;
  const KernelTexts texts =
      jobs.empty() ? nullptr : catalogue_->sources_of(jobs.front().scene).value_or(nullptr);
  Result<void> failed;
  for (Job& job : jobs) {
    job.job = client.submit(job);
    own.apply(job);
    if (Result<void> kept = keep(job); !kept) failed = kept;
  }
  constexpr double kPatienceS = 1;  // with an engine that was told to cancel: it may be stopped
  std::optional<std::chrono::steady_clock::time_point> told;
  while (!client.outstanding().empty()) {
    client.wait(0.05);
    read_lines(0);
    if (quitting_ || output_failure_ != 0) break;
    if (cancelled_ && !told) {
      told = std::chrono::steady_clock::now();
      client.cancel_all();
    }
    if (told && seconds_since(*told) > kPatienceS) client.restart();
    for (const Message& message : client.poll()) {
      const auto* measured = std::get_if<Measurement>(&message);
      Result<void> kept = measured != nullptr ? note_change(*measured, texts) : Result<void>{};
      own.apply(message);
      if (kept) kept = keep(message);
      if (!kept) failed = kept;
      const auto* done = std::get_if<Done>(&message);
      if (done != nullptr && done->error && failed) failed = tl::unexpected(*done->error);
    }
  }
  if (client.trouble()) return tl::unexpected(*client.trouble());
  if (broken_off())
    return failure(ErrorKind::resource, "cancelled", "request", "earlier answers are kept");
  return failed;
}

Result<void> Server::keep(const Message& message) {
  session_.apply(message);
  const auto* measurement = std::get_if<Measurement>(&message);
  const bool passing =
      std::holds_alternative<Progress>(message) || (measurement != nullptr && measurement->partial);
  return file_ == nullptr || passing ? Result<void>{} : file_->append(message);
}

EngineClient& Server::emulator() {
  if (!emulator_)
    emulator_ = std::make_unique<EngineClient>(emulator_command(engine_), RestartPacing{}, numbers_,
                                               catalogue_);
  emulator_->start();
  return *emulator_;
}

Result<EngineClient*> Server::measurer() {
  if (!measurer_)
    measurer_ = std::make_unique<EngineClient>(engine_command(engine_), RestartPacing{}, numbers_,
                                               catalogue_);
  measurer_->start();
  while (!measurer_->ready() && !measurer_->given_up() && !broken_off()) {
    measurer_->wait(0.05);
    read_lines(0);
    for (const Message& message : measurer_->poll()) session_.apply(message);
  }
  if (broken_off()) return failure(ErrorKind::resource, "cancelled", "request", "");
  if (measurer_->trouble()) return tl::unexpected(*measurer_->trouble());
  if (measurer_->hello()->device) return measurer_.get();
  const Capability* cuda = find_capability(*measurer_->hello(), "cuda");
  if (cuda == nullptr)
    return failure(ErrorKind::environment, "the engine has no device", "measure", "");
  return failure(ErrorKind::environment, cuda->reason, "measure",
                 cuda->remedy.empty() ? "verify and trace work without a GPU" : cuda->remedy);
}

}  // namespace warpscope
