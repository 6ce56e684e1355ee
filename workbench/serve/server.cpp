// workbench/serve/server.cpp: `warpscope serve`: requests of scripts and assistants, answered in
// turn.
#include "workbench/serve/server.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "scenes/base/source.h"
#include "scenes/host/clock.h"
#include "workbench/commands/commands.h"
#include "workbench/workspace/session/opened_session.h"

namespace warpscope {

Server::Server(EngineChoice engine, int input, int output, std::shared_ptr<Catalogue> catalogue,
               std::unique_ptr<SessionFile> file)
    : engine_(std::move(engine)),
      lines_(input, output),
      catalogue_(std::move(catalogue)),
      file_(std::move(file)) {}

int Server::run() {
  Json requests = Json::array();
  for (const ServeRow& row : serve_rows()) requests.push_back(row.name);
  lines_.say(answer_line(nullptr, {{"serves", "warpscope"}, {"requests", requests}}));
  while (!quit_ && lines_.output_failure() == 0) {
    while (!lines_.has_request() && !lines_.ended()) {
      // Ends engines that were told to end and did not.
      for (EngineClient* engine : {emulator_.get(), measurer_.get()}) {
        if (engine == nullptr) continue;
        for (const Message& message : engine->poll()) session_.apply(message);
      }
      lines_.read(1);
    }
    if (!lines_.has_request() || lines_.output_failure() != 0) break;
    const ServeLines::Asked request = lines_.next();
    if (!request) {
      lines_.say(refusal_line(request.error().id, request.error().error));
      continue;
    }
    lines_.begin();
    noted_ = 0;
    Result<Json> result = act(*request);
    lines_.end();
    session_.let_go(OpenedSession::memory_limits(), {});  // the file keeps everything
    if (result) {
      // An answer that is not what the rows say is a defect of ours, and is said as one.
      if (const std::string why = against_rows(request->row->gives, *result); !why.empty())
        result = failure(ErrorKind::internal, "the answer does not match the schema: " + why,
                         request->row->name, "report it with the request");
    }
    lines_.say(result ? answer_line(request->id, *result)
                      : refusal_line(request->id, result.error()));
  }
  const int code = lines_.output_failure();
  if (code == 0) return 0;
  return fail({ErrorKind::environment,
               std::string("standard output cannot be written: ") + std::strerror(code), "serve",
               code == ENOSPC ? "free some space" : "read all answers"});
}

// An engine that was told to end and did not is ended while nobody asks for anything.
Result<nlohmann::json> Server::act(const ServeRequest& request) {
  const std::string name = request.row->name;
  if (name == "list") return list_scenes(*catalogue_, request);
  if (name == "fork") return fork(request);
  if (name == "edit") return edit(request);
  if (name == "verify") return verify(request);
  if (name == "trace") return trace(request);
  if (name == "measure") return measure(request);
  if (name == "stalls") return stalls(request);
  if (name == "warps") return warps(request);
  if (name == "compare") return compare(request);
  if (name == "journal") return journal(request);
  if (name == "note") return note(request);
  if (name == "go_back") return go_back(request);
  if (name == "tune") return tune(request);
  if (name == "cancel") return Json{{"cancelled", false}};  // nothing ran or waited
  quit_ = true;
  return Json{{"answered", lines_.answered()}};
}

Result<void> Server::work(EngineClient& client, std::vector<Job> jobs, Session& own) {
  if (lines_.broken_off()) return failure(ErrorKind::resource, "cancelled", "request", "");
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
    lines_.read(0);
    if (lines_.quitting()) break;
    if (lines_.cancelled() && !told) {
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
  if (lines_.broken_off())
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
  emulator_->end_grown();
  emulator_->start();
  return *emulator_;
}

Result<EngineClient*> Server::measurer() {
  if (!measurer_)
    measurer_ = std::make_unique<EngineClient>(engine_command(engine_), RestartPacing{}, numbers_,
                                               catalogue_);
  measurer_->end_grown();
  return with_device(*measurer_, lines_, session_);
}

Result<EngineClient*> with_device(EngineClient& client, ServeLines& lines, Session& session) {
  client.start();
  while (!client.ready() && !client.given_up() && !lines.broken_off()) {
    client.wait(0.05);
    lines.read(0);
    for (const Message& message : client.poll()) session.apply(message);
  }
  if (lines.broken_off()) return failure(ErrorKind::resource, "cancelled", "request", "");
  if (client.trouble()) return tl::unexpected(*client.trouble());
  if (client.hello()->device) return &client;
  const Capability* cuda = find_capability(*client.hello(), "cuda");
  if (cuda == nullptr)
    return failure(ErrorKind::environment, "the engine has no device", "measure", "");
  return failure(ErrorKind::environment, cuda->reason, "measure",
                 cuda->remedy.empty() ? "verify and trace work without a GPU" : cuda->remedy);
}

}  // namespace warpscope
