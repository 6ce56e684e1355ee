// workbench/commands/plans/device_team.h: engines, one per device, that measure points of a plan
// together.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiling/plans/point_pool.h"
#include "profiling/plans/sweep_state.h"
#include "profiling/session/session.h"
#include "workbench/client/engine_client.h"
#include "workbench/commands/plans/plan_jobs.h"
#include "workbench/commands/plans/team_display.h"

//   DeviceTeam team({catalogue, *file, *parse_devices("0,1", {}, engine), engine}, points);
//   const TeamResult result = team.run();

namespace warpscope {

// What `--devices` and `--ssh` name.
struct DeviceList {
  std::vector<std::string> hosts;  // every one has these devices; "": this machine
  std::vector<int> devices;        // their numbers
  std::size_t emulators = 0;       // instead of devices
  bool all = false;                // 0 and those after it, as many as there are
};
// "all", "0,2", "emulated,emulated"; empty: the engine's own choice. `ssh`: "gpu1,user@gpu2";
// empty: the engine's host. error: usage.
Result<DeviceList> parse_devices(const std::string& text, const std::string& ssh,
                                 const EngineChoice& engine);

struct TeamOptions {
  std::shared_ptr<Catalogue> catalogue;
  SessionFile& file;
  DeviceList devices;
  EngineChoice engine;
  std::string version;     // that all engines must have
  bool roofs = false;      // of every device, first
  SweepState state;        // what that says of the command that goes on with the sweep
  std::size_t before = 0;  // points that the session has answers to
};

struct DeviceShare {
  std::string name;  // "device 0: NVIDIA H200 (GPU-c84b)", "emulator 1"
  std::int64_t points = 0, deaths = 0;
};

struct TeamResult {
  std::map<Outcome, std::int64_t> outcomes;  // of points
  std::vector<DeviceShare> shares;
  std::size_t left = 0;        // points without an answer
  bool findings = false;       // an output is wrong
  std::optional<Error> error;  // why not all points were measured, or not on all devices
  bool said = false;           // … and that stands on standard error already
};

class DeviceTeam {
 public:
  DeviceTeam(TeamOptions options, std::vector<PlannedPoint> points);
  // Until all points have an answer, no device is left, the session cannot be written, or a signal
  // asks for the end. An engine that dies costs the point that it ran: that is measured once more.
  TeamResult run();

 private:
  // A job that an engine has.
  struct Given {
    std::size_t point = 0;  // index into points_; kNoPoint: roofs
    Job job;
    bool written = false;  // in the session
    bool died = false;     // to be measured again
    bool answered = false;
  };
  struct Member {
    std::string name, doing, host;
    int device = 0;
    std::unique_ptr<EngineClient> client;
    std::map<std::int64_t, Given> given;
    DeviceShare share;
    bool ready = false, gone = false, optional = false;
  };
  void add_member(const std::string& host, int device, bool optional);
  // For `all`: begins as many engines of the host at once as there may be devices. One that finds
  // no device leaves without a word.
  void add_devices(const std::string& host);
  void add_emulator();
  void deal(Member& member);
  void submit(Member& member, std::size_t point);
  void take(Member& member, const Message& message);
  void take_hello(Member& member, const Hello& hello);
  void take_answer(Member& member, Given& given, const Message& message);
  void take_end(Member& member, const Done& done);
  void look_at_outputs(const Given& given, const Trace& trace);
  void look_after(Member& member);
  void wait() const;
  void leave(Member& member, const Error& why);
  void keep(const Message& message);
  bool measuring() const;
  std::size_t active() const;
  std::vector<std::string> lines() const;
  double expected_left_s() const;  // 0: not known
  // Writes how far the sweep is beside its session, or removes that at its end.
  void write_state(const std::string& ended) const;
  TeamResult result(const char* signal);

  TeamOptions options_;
  std::vector<PlannedPoint> points_;
  std::vector<int> attempts_;
  PointPool pool_;
  std::vector<Member> members_;
  std::shared_ptr<std::int64_t> numbers_ = std::make_shared<std::int64_t>(0);
  TeamDisplay display_;
  Session wrong_;  // what is not correct
  TeamResult result_;
  std::size_t done_ = 0;
  double all_weight_ = 0, done_weight_ = 0;
  std::optional<Error> not_kept_, last_trouble_;
  bool said_ = false;          // the last trouble
  bool wrong_output_ = false;  // of a launch that is emulated
  std::chrono::steady_clock::time_point last_state_{};
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace warpscope
