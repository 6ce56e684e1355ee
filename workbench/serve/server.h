// workbench/serve/server.h: `warpscope serve`: requests of scripts and assistants, answered in
// turn.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "profiling/journal/change_watch.h"
#include "profiling/journal/fork_journal.h"
#include "profiling/session/session.h"
#include "workbench/client/engine_client.h"
#include "workbench/serve/serve_protocol.h"

// Requests are answered one behind the other in the order in which they came, so that an edit is
// done before the verify behind it begins. Cancel is looked at while another runs. Standard input
// that ends is a quit behind what waits. All that is measured stays in one session; iterations of
// folders lie in their journals as well.

namespace warpscope {

class Server {
 public:
  // Descriptors of the pipe; `file`: everything is appended to it, null: nothing.
  Server(EngineChoice engine, int input, int output, std::unique_ptr<SessionFile> file);
  // Until quit or the end of the input. Returns the exit status.
  int run();

 private:
  using Json = nlohmann::json;
  Result<Json> act(const ServeRequest& request);
  Result<Json> list(const ServeRequest& request);
  Result<Json> fork(const ServeRequest& request);
  Result<Json> edit(const ServeRequest& request);
  Result<Json> verify(const ServeRequest& request);
  Result<Json> trace(const ServeRequest& request);
  Result<Json> measure(const ServeRequest& request);
  Result<Json> compare(const ServeRequest& request);
  Result<Json> journal(const ServeRequest& request);
  Result<Json> note(const ServeRequest& request);
  Result<Json> go_back(const ServeRequest& request);
  Result<Json> tune(const ServeRequest& request);

  // Takes what has come; waits for it at most `wait_s`. False: the input has ended.
  void read_lines(double wait_s);
  void take_line(std::string line);
  void say(const std::string& line);
  // Runs jobs of one scene until all are done, and keeps what they say in the session and in `own`.
  // What is measured of another text than before is an iteration.
  Result<void> work(EngineClient& client, std::vector<Job> jobs, Session& own);
  Result<void> keep(const Message& message);
  // What a folder's journal has, and its texts as they stand, before anything of it is done.
  Result<void> begin_journal(const std::string& scene);
  Result<void> note_change(const Measurement& measured, const KernelTexts& texts);
  Result<void> note_iteration(const Iteration& iteration);
  // Of a folder's variant: whether it is right with other inputs, at odd sizes and behind other
  // runs, emulated; once a text. error: input, what is not.
  Result<void> gate(const Scene& scene, const Variant& variant);
  // Emulates what a text asks for, before it is measured.
  Result<void> predict(const Scene& scene, const Variant& variant, const Job& measured);
  // The engine that measures, once it has said hello with a device. error: environment: there is
  // none, with what to do; resource: cancelled.
  Result<EngineClient*> measurer();
  EngineClient& emulator();

  EngineChoice engine_;
  int input_, output_;
  std::unique_ptr<SessionFile> file_;
  Session session_;
  ChangeWatch watch_;
  FolderJournals journals_;
  std::set<std::string> begun_;                  // scenes whose journal is part of the session
  std::map<std::string, std::string> expected_;  // of a change that nothing judged yet, by scene
  std::set<std::string> passed_;                 // texts and variants that passed the gate
  std::set<std::string> predicted_;              // texts, variants and keys that were emulated
  std::int64_t noted_ = 0;                       // the iteration that this request made; 0: none
  std::shared_ptr<std::int64_t> numbers_ = std::make_shared<std::int64_t>(0);
  std::unique_ptr<EngineClient> measurer_, emulator_;
  std::string incoming_;
  std::deque<std::string> waiting_;
  bool busy_ = false, cancelled_ = false, ended_ = false, quit_ = false;
  std::int64_t answered_ = 0;
};

// The name of a scene, also where its folder does not open any more: an edit may mend it. error:
// usage.
Result<std::string> scene_to_edit(const std::string& text);

}  // namespace warpscope
