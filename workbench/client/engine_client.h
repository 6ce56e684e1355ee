// workbench/client/engine_client.h: the engine's process: started, spoken to, watched, and started
// again.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/messages/protocol.h"
#include "workbench/client/engine_command.h"
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

// What keeps an answer from coming, in words for a person.
struct EngineDelay {
  double for_s = 0;
  bool held = false;  // another engine has the device
  std::string words;  // "no answer for 5 s from the engine about csrmm/x; it is ended after 30 s"
};

class EngineClient {
 public:
  // Clients that share `numbers` give no two jobs one number. Scenes that are folders are the
  // catalogue's.
  explicit EngineClient(std::vector<std::string> command, RestartPacing pacing = {},
                        std::shared_ptr<std::int64_t> numbers = nullptr,
                        std::shared_ptr<const Catalogue> catalogue = std::make_shared<Catalogue>());
  EngineClient(const EngineClient&) = delete;
  EngineClient& operator=(const EngineClient&) = delete;
  ~EngineClient();

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
  // What has arrived since the last call, with answers made up for jobs whose engine died.
  std::vector<Message> poll();
  // Waits until something can be polled, at most `seconds`.
  void wait(double seconds) const;
  // Waits until one of them has something; null ones are passed over.
  static void wait(std::initializer_list<const EngineClient*> clients, double seconds);

  bool ready() const { return hello_.has_value(); }
  // The hello of the running engine; empty until it has arrived.
  const std::optional<Hello>& hello() const { return hello_; }
  // It does not start, dies again and again, or speaks another protocol: why, and what to do.
  bool given_up() const { return trouble_.has_value(); }
  const std::optional<Error>& trouble() const { return trouble_; }
  // Given up because another engine holds the device.
  bool refused() const { return refused_; }
  // Submitted and not answered, in the order in which the engine runs them.
  const std::vector<Job>& outstanding() const { return outstanding_; }
  bool is_outstanding(std::string_view tag_prefix) const;
  // The job that the engine has begun; null when none.
  const Job* running() const;
  pid_t process() const { return process_; }  // -1: none
  // Another engine has the device, or nothing has been heard for a few seconds.
  std::optional<EngineDelay> delay() const;

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double kNoLimitS = 1e9;
  // A process that was told to end and is not gone yet.
  struct Leaving {
    pid_t process;
    Clock::time_point since;
    bool killed = false;
  };
  // Why the engine ended.
  struct Death {
    Outcome outcome = Outcome::engine_died;
    std::string why, remedy;
    bool hopeless = false;  // another start would end the same way
  };
  void launch();
  void send(const Message& message);
  void send_job(const Job& job);
  void flush();
  // Stops after the message at which the limit has passed; the rest is for the next call.
  void read_output(std::vector<Message>& messages, double limit_s = kNoLimitS);
  void read_errors(std::vector<Message>& messages);
  void take(Message message, std::vector<Message>& messages);
  // What ended before it was measured was on the engine's device.
  void name_device(Measurement& verdict) const;
  void finish(const Done& done);
  void note(const TrainingState& state);
  bool goes_on(const Job& job) const;  // a training that came further
  void cancel(const Job& job);
  void answer(std::int64_t job, Done done, std::vector<Message>& messages);
  void answer_cancelled(std::vector<Message>& messages);
  Death death_of(int status);
  std::optional<Error> not_let_in(int status) const;
  double start_limit_s() const;
  void handle_death(std::vector<Message>& messages, const Death& death);
  void give_up(std::vector<Message>& messages, Error why);
  void fail_outstanding(std::vector<Message>& messages);
  void retire();
  void reap();
  void close_pipes();

  std::vector<std::string> command_;
  RestartPacing pacing_;
  pid_t process_ = -1;
  int to_engine_ = -1, from_engine_ = -1, errors_ = -1, start_failure_ = -1;
  JobSources sources_;  // that this process was sent
  std::string outgoing_, incoming_, error_text_, last_error_;
  std::vector<Job> outstanding_;
  std::set<std::int64_t> cancelled_;                // of the outstanding ones
  std::map<std::int64_t, std::int64_t> sent_from_;  // of trainings: the step that they began with
  std::optional<std::int64_t> begun_;               // the job that the engine last spoke of
  std::optional<std::int64_t> measured_;  // the job whose answer has come, though not its end
  std::vector<Message> made_up_;          // for the next poll
  std::vector<Leaving> leaving_;
  std::shared_ptr<std::int64_t> numbers_;  // the last one given
  std::optional<double> limit_s_;
  double silence_s_ = 0;  // what the engine announced last
  std::string held_by_;   // … of the device it waits for
  double waited_s_ = 0;
  bool refused_ = false;
  bool spoken_ = false;  // the engine that runs has sent a message
  bool wanted_ = false, end_expected_ = false;
  bool more_ = false;         // lines have come that were not taken in yet
  std::size_t searched_ = 0;  // of incoming_: without a newline
  std::optional<Hello> hello_;
  std::optional<DeviceDescription> device_;  // of the last hello, when the engine is gone too
  std::optional<Error> trouble_;
  int deaths_ = 0, failed_starts_ = 0;
  Clock::time_point last_sign_, last_heartbeat_, started_, start_at_;
};

}  // namespace warpscope
