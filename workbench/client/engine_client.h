// workbench/client/engine_client.h: the engine's process: started, spoken to, watched, and started
// again.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <initializer_list>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/messages/protocol.h"
#include "workbench/client/engine_command.h"
#include "workbench/client/engine_jobs.h"
#include "workbench/client/engine_process.h"
#include "workbench/client/engine_waits.h"
#include "workbench/client/job_sources.h"

// Nothing here blocks: `poll` returns the messages that have arrived.
//
//   EngineClient client(engine_command({}));
//   client.submit(job);
//   for (Message& message : client.poll()) session.apply(message);
//
// An engine that ends is started again after a wait, and gets the jobs that wait once more. The job
// that it had begun (the engine says Progress when it begins one) is answered with a verdict, a
// cancelled one as cancelled; neither is sent again. A training goes on from the last state that
// came of it: one that waited between two slices is sent again with it, and so is the one that ran,
// where it had come further since it was sent. An engine that waits for its device in vain is given
// up. The engine ends with the thread that started it (child_process.h).

namespace warpscope {

// How an engine that ends is started again.
struct RestartPacing {
  double first_wait_s = 0.2;   // after the first death; twice as long after each further one …
  double longest_wait_s = 10;  // … up to this, until a job is answered
  int most_deaths = 6;         // in a row without an answered job; then it is given up
  int most_failed_starts = 3;  // in a row without a hello; then it is given up
};

// Roofs compile and measure more than any other job between two signs of life.
inline constexpr double kRoofsLimitS = 120;

// An engine that grew by more than this is started anew when it rests.
inline constexpr std::int64_t kMostGrownBytes = 256 << 20;

// Why the process ended that had this status.
EngineDeath death_of(const EngineProcess& process, const std::vector<std::string>& command,
                     bool ready, int status);

class EngineClient {
 public:
  // Clients that share `numbers` give no two jobs one number. Scenes that are folders are the
  // catalogue's.
  explicit EngineClient(std::vector<std::string> command, RestartPacing pacing = {},
                        std::shared_ptr<std::int64_t> numbers = nullptr,
                        std::shared_ptr<const Catalogue> catalogue = std::make_shared<Catalogue>());

  // Starts the engine when it does not run and is not given up. Jobs may be submitted before it is
  // up.
  void start();
  // From now on jobs may be silent for so long, whatever they say of it themselves.
  void limit_jobs(double seconds) { limit_s_ = seconds; }
  // Gives the job its number and sends it. A job whose tag waits here replaces the waiting one.
  std::int64_t submit(Job job);
  void cancel_all();
  // Cancels the outstanding jobs whose tags begin so.
  void cancel_tagged(std::string_view prefix);
  // Ends the engine at once (SIGTERM, soon after SIGKILL) and starts another, also when it was
  // given up. The job that ran is answered as cancelled; those after it are sent again.
  void restart();
  // Ends an engine that has no job and more resident memory than this: the inputs of a large
  // problem. The next job starts another.
  void end_large(std::int64_t bytes);
  // Starts an engine anew that has no job and whose own memory grew by more than this since its
  // first one: what is kept of every job (an H200's measuring engine grew by 1.3 MB per job).
  void end_grown(std::int64_t bytes = kMostGrownBytes);
  // What has arrived since the last call, with answers made up for jobs whose engine died.
  std::vector<Message> poll();
  // Waits until something can be polled, at most `seconds`.
  void wait(double seconds) const;
  // Waits until one of them has something; null ones are passed over.
  static void wait(std::initializer_list<const EngineClient*> clients, double seconds);

  bool ready() const { return waits_.hello().has_value(); }
  // The hello of the running engine; empty until it has arrived.
  const std::optional<Hello>& hello() const { return waits_.hello(); }
  // It does not start, dies again and again, or speaks another protocol: why, and what to do.
  bool given_up() const { return trouble_.has_value(); }
  const std::optional<Error>& trouble() const { return trouble_; }
  // Given up because another engine holds the device.
  bool refused() const { return restarts_.refused; }
  // Submitted and not answered, in the order in which the engine runs them.
  const std::list<Job>& outstanding() const { return jobs_.all(); }
  bool is_outstanding(std::string_view tag_prefix) const { return jobs_.has_tagged(tag_prefix); }
  // The job that the engine has begun; null when none.
  const Job* running() const { return jobs_.running(); }
  pid_t process() const { return process_.id(); }  // -1: none
  // Another engine has the device, or nothing has been heard for a few seconds.
  std::optional<EngineDelay> delay() const;

 private:
  // How often it died, and whether and when it may be started again.
  struct Restarts {
    RestartPacing pacing;
    bool wanted = false, refused = false;
    int deaths = 0, failed_starts = 0;
    std::chrono::steady_clock::time_point at = {};
    std::optional<std::int64_t> first_bytes;  // of the process's own, after its first job
    void count(bool was_ready);               // a death
  };
  void launch();
  void send_job(const Job& job);
  // Stops after the message at which the limit has passed; the rest is for the next call.
  void read(std::vector<Message>& messages, double limit_s = EngineProcess::kNoLimitS);
  void take(Message message, std::vector<Message>& messages);
  // Ends an engine that has been quiet for too long.
  void watch(std::vector<Message>& messages);
  void handle_death(std::vector<Message>& messages, const EngineDeath& death);
  void give_up(std::vector<Message>& messages, Error why);
  void retire();

  std::vector<std::string> command_;
  EngineProcess process_;
  JobSources sources_;  // that this process was sent
  EngineJobs jobs_;
  EngineWaits waits_;
  Restarts restarts_;
  std::vector<Message> made_up_;           // for the next poll
  std::shared_ptr<std::int64_t> numbers_;  // the last one given
  std::optional<double> limit_s_;
  std::optional<Error> trouble_;
};

}  // namespace warpscope
