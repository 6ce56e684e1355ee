// workbench/serve/server.cpp: `warpscope serve`: requests of scripts and assistants, answered in
// turn.
#include "workbench/serve/server.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "scenes/base/source.h"
#include "scenes/host/program.h"

namespace warpscope {

Server::Server(EngineChoice engine, int input, int output, std::unique_ptr<SessionFile> file)
    : engine_(std::move(engine)), input_(input), output_(output), file_(std::move(file)) {}

int Server::run() {
  Json requests = Json::array();
  for (const ServeRow& row : serve_rows()) requests.push_back(row.name);
  say(answer_line(nullptr, {{"serves", "warpscope"}, {"requests", requests}}));
  while (!quit_) {
    while (waiting_.empty() && !ended_) read_lines(1);
    if (waiting_.empty()) break;
    const std::string line = std::move(waiting_.front());
    waiting_.pop_front();
    const auto request = parse_request(line);
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
        result = failure(ErrorKind::internal, "the answer is not as described: " + why,
                         request->row->name, "report it with the request");
    }
    say(result ? answer_line(request->id, *result) : refusal_line(request->id, result.error()));
  }
  return 0;
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
  if (name == "cancel") return Json{{"cancelled", false}};  // nothing runs now
  quit_ = true;
  return Json{{"answered", answered_}};
}

void Server::read_lines(double wait_s) {
  pollfd waits{input_, POLLIN, 0};
  const int ready = ::poll(&waits, 1, static_cast<int>(wait_s * 1000));
  if (ready <= 0) return;
  char chunk[65536];
  const ssize_t bytes = ::read(input_, chunk, sizeof chunk);
  if (bytes < 0 && errno == EINTR) return;
  if (bytes <= 0) {
    ended_ = true;
    if (!incoming_.empty()) take_line(std::exchange(incoming_, {}));
    return;
  }
  incoming_.append(chunk, static_cast<std::size_t>(bytes));
  for (std::size_t end = incoming_.find('\n'); end != std::string::npos;
       end = incoming_.find('\n')) {
    take_line(incoming_.substr(0, end));
    incoming_.erase(0, end + 1);
  }
}

// Cancel passes by those that wait: they are answered as cancelled, in their order.
void Server::take_line(std::string line) {
  if (line.find_first_not_of(" \t\r") == std::string::npos) return;
  const auto request =
      busy_ ? parse_request(line)
            : tl::expected<ServeRequest, RefusedRequest>(tl::unexpected(RefusedRequest{}));
  if (!request || std::string(request->row->name) != "cancel") {
    waiting_.push_back(std::move(line));
    return;
  }
  cancelled_ = true;
  ++answered_;
  say(answer_line(request->id, {{"cancelled", true}}));
  for (const std::string& each : std::exchange(waiting_, {})) {
    const auto dropped = parse_request(each);
    ++answered_;
    say(refusal_line(dropped ? dropped->id : dropped.error().id,
                     {ErrorKind::resource, "cancelled before it began", "request", ""}));
  }
}

void Server::say(const std::string& line) {
  // Whoever asked is gone: there is nobody to answer.
  if (write_all(output_, line + "\n") != 0) quit_ = ended_ = true;
}

Result<void> Server::work(EngineClient& client, std::vector<Job> jobs, Session& own) {
  const KernelTexts texts =
      jobs.empty() ? nullptr : kept_sources_of_scene(jobs.front().scene).value_or(nullptr);
  Result<void> failed;
  for (Job& job : jobs) {
    job.job = client.submit(job);
    own.apply(job);
    if (Result<void> kept = keep(job); !kept) failed = kept;
  }
  bool told = false;
  while (!client.outstanding().empty()) {
    client.wait(0.05);
    read_lines(0);
    if (cancelled_ && !std::exchange(told, true)) client.cancel_all();
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
  if (cancelled_)
    return failure(ErrorKind::resource, "cancelled", "request", "what came until then is kept");
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
    emulator_ =
        std::make_unique<EngineClient>(emulator_command(engine_), RestartPacing{}, numbers_);
  emulator_->start();
  return *emulator_;
}

Result<EngineClient*> Server::measurer() {
  if (!measurer_)
    measurer_ = std::make_unique<EngineClient>(engine_command(engine_), RestartPacing{}, numbers_);
  measurer_->start();
  while (!measurer_->ready() && !measurer_->given_up() && !cancelled_) {
    measurer_->wait(0.05);
    read_lines(0);
    for (const Message& message : measurer_->poll()) session_.apply(message);
  }
  if (cancelled_) return failure(ErrorKind::resource, "cancelled", "request", "");
  if (measurer_->trouble()) return tl::unexpected(*measurer_->trouble());
  if (measurer_->hello()->device) return measurer_.get();
  const Capability* cuda = find_capability(*measurer_->hello(), "cuda");
  if (cuda == nullptr)
    return failure(ErrorKind::environment, "the engine has no device", "measure", "");
  return failure(ErrorKind::environment, cuda->reason, "measure",
                 cuda->remedy.empty() ? "verify and trace work without a GPU" : cuda->remedy);
}

}  // namespace warpscope
