// workbench/client/captures/live_capture.h: a program that is watched while it runs, and the
// launches of it that a person takes meanwhile.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "workbench/client/captures/kept_capture.h"
#include "workbench/client/captures/seen_launches.h"
#include "workbench/client/captures/watched_program.h"

//   Result<std::unique_ptr<LiveCapture>> live = LiveCapture::start({{"./train"}, folder,
//   settings});
//   (*live)->take_next("norm");
//   while ((*live)->runs()) (*live)->update(50);   // a window: update(0) in each frame
//   (*live)->kept();                               // files, the newest last

namespace warpscope {

struct LiveRequest {
  std::vector<std::string> words;  // program and arguments
  std::filesystem::path folder;    // in which captures are written
  CaptureSettings settings;
  // The program runs in the folder, and its output goes to a file (LiveCapture::output).
  bool alone = false;
};

class LiveCapture {
 public:
  // error: environment: the folder cannot be written; as WatchedProgram::start.
  static Result<std::unique_ptr<LiveCapture>> start(LiveRequest request);
  LiveCapture(const LiveCapture&) = delete;
  LiveCapture& operator=(const LiveCapture&) = delete;
  ~LiveCapture();  // the program goes on; a file that is being packed is finished first

  // Takes in what was reported; waits at most `wait_ms` for it.
  void update(int wait_ms);

  // The next launch whose name has a match; empty: of any kernel. error: usage: not a regular
  // expression; a launch is waited for already; the program has ended.
  Result<void> take_next(const std::string& kernel);
  // The next launch of this kernel, and of this shape where there is one.
  Result<void> take_like(const std::string& symbol, const std::optional<Launch>& shape);
  // The next launch like the longest one so far. error: also, none was timed yet.
  Result<void> take_slowest();
  void cancel();       // stops waiting, or gives up what is being saved
  void end_program();  // asks it to end; the second time it is ended at once

  const SeenLaunches& seen() const { return seen_; }
  // The program is running, or a file is being packed.
  bool runs() const;
  bool has_ended() const { return program_.has_ended(); }
  double seconds() const;  // since the start, until the program ended

  // The launch that is waited for or being saved.
  struct Waiting {
    std::int64_t id = 0;
    std::string words;  // "the next launch of add(…)"
    bool packs = false;
    std::uint64_t done_bytes = 0, of_bytes = 0;
  };
  const std::optional<Waiting>& waiting() const { return waiting_; }
  const std::vector<KeptCapture>& kept() const { return kept_; }
  // What happened and could not be done, a sentence each, the newest last.
  const std::vector<std::string>& messages() const { return messages_; }
  // The program's last lines, where it runs alone.
  std::vector<std::string> last_output(std::size_t lines) const;
  // "runs, 12 s, 2 processes, 1 204 launches"
  std::string status() const;
  std::uint64_t revision() const { return revision_; }

 private:
  LiveCapture(LiveRequest request, WatchedProgram program);
  Result<void> take(TakeRequest request, std::string words);
  void see(const CaptureReport& report);
  void say(std::string words);
  void pack_next();

  LiveRequest request_;
  std::unique_ptr<SpoolFolder> spool_;
  WatchedProgram program_;
  SeenLaunches seen_;
  std::optional<Waiting> waiting_;
  TakeRequest taking_;
  std::int64_t last_id_ = 0;
  std::deque<TakenReport> to_pack_;
  std::future<Result<KeptCapture>> packing_;
  std::vector<KeptCapture> kept_;
  std::vector<std::string> messages_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), end_{};
  bool told_end_ = false;
  int asked_to_end_ = 0;
  std::uint64_t revision_ = 0;
};

}  // namespace warpscope
