// workbench/serve/server.h: `warpscope serve`: requests of scripts and assistants, answered in
// turn.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "profiling/journal/change_watch.h"
#include "profiling/journal/fork_journal.h"
#include "profiling/session/session.h"
#include "workbench/client/engine_client.h"
#include "workbench/serve/serve_lines.h"

// Requests are answered one after the other in the order in which they came, so that an edit is
// done before the verify after it begins. Cancel passes by what waits. Quit stays in its place, but
// from when it is read no engine is waited for any more. Where standard input ends, what came until
// then is answered first. Where nobody reads the answers any more, all of it ends at once, engines
// too. All that is measured stays in one session; iterations of folders lie in their journals as
// well.

namespace warpscope {

// What need not be emulated again.
struct EmulatedTexts {
  // Texts and variants that passed the gate.
  std::set<std::pair<std::string, std::string>> passed;
  // Texts, variants and keys that were predicted.
  std::set<std::tuple<std::string, std::string, std::string>> predicted;
};

// The client, once its engine has said hello with a device. error: as Server::measurer.
Result<EngineClient*> with_device(EngineClient& client, ServeLines& lines, Session& session);

// The request `list`. error: usage, no such scene.
Result<nlohmann::json> list_scenes(Catalogue& catalogue, const ServeRequest& request);

class Server {
 public:
  // Descriptors of the pipe; `file`: everything is appended to it, null: nothing.
  Server(EngineChoice engine, int input, int output, std::shared_ptr<Catalogue> catalogue,
         std::unique_ptr<SessionFile> file);
  // Until quit or the end of the input. Returns the exit status.
  int run();

 private:
  using Json = nlohmann::json;
  Result<Json> act(const ServeRequest& request);
  Result<Json> fork(const ServeRequest& request);
  Result<Json> edit(const ServeRequest& request);
  Result<Json> verify(const ServeRequest& request);
  Result<Json> trace(const ServeRequest& request);
  Result<Json> measure(const ServeRequest& request);
  Result<Json> stalls(const ServeRequest& request);
  Result<Json> warps(const ServeRequest& request);
  Result<Json> compare(const ServeRequest& request);
  Result<Json> journal(const ServeRequest& request);
  Result<Json> note(const ServeRequest& request);
  Result<Json> go_back(const ServeRequest& request);
  Result<Json> tune(const ServeRequest& request);

  // Runs jobs of one scene until all are done, and keeps what they say in the session and in `own`.
  // What is measured of another text than before is an iteration.
  Result<void> work(EngineClient& client, std::vector<Job> jobs, Session& own);
  Result<void> keep(const Message& message);
  // What a folder's journal has, and its texts as they stand, before anything of it is done; later
  // what other programs noted there since.
  Result<void> begin_journal(const std::string& scene);
  // Numbers are given and iterations kept within `act`, in which no other program notes.
  Result<void> locked(const std::string& scene, const std::function<Result<void>()>& act);
  Result<void> note_change(const Measurement& measured, const KernelTexts& texts);
  Result<void> note_iteration(const Iteration& iteration);
  // For a folder's variant: whether it is right with other inputs, at odd sizes and after other
  // runs, emulated; once a text. error: input, what is not.
  Result<void> gate(const Scene& scene, const Variant& variant);
  // Emulates what a text asks for, before it is measured.
  Result<void> predict(const Scene& scene, const Variant& variant, const Job& measured);
  // The engine that measures, once it has said hello with a device. error: environment: there is
  // none, with what to do; resource: cancelled.
  Result<EngineClient*> measurer();
  EngineClient& emulator();

  EngineChoice engine_;
  ServeLines lines_;
  std::shared_ptr<Catalogue> catalogue_;
  std::unique_ptr<SessionFile> file_;
  Session session_{catalogue_};
  ChangeWatch watch_;
  FolderJournals journals_{catalogue_};
  std::set<std::string> begun_;                  // scenes whose journal is part of the session
  std::map<std::string, std::string> expected_;  // of a change that nothing judged yet, by scene
  EmulatedTexts emulated_;
  std::int64_t noted_ = 0;  // the iteration that this request made; 0: none
  std::shared_ptr<std::int64_t> numbers_ = std::make_shared<std::int64_t>(0);
  std::unique_ptr<EngineClient> measurer_, emulator_;
  bool quit_ = false;  // it was answered
};

// The name of a scene, also where its folder does not open any more: an edit may mend it. error:
// usage.
Result<std::string> scene_to_edit(Catalogue& catalogue, const std::string& text);

}  // namespace warpscope
