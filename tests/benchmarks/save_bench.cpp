// tests/benchmarks/save_bench.cpp: prints how long a saved kernel takes to its diagram and figure.
//
//   build/bin/warpscope_save_bench [FOLDER …] [SAVES]
//
// FOLDER is a scene's folder; without one, five of assets/examples/kernels are taken. A copy of
// each is edited: its first variant's kernel is saved SAVES times (20 by default), each time with
// another constant in it, so that no cache can answer. The rest happens as in the window: the
// folder is checked twenty times per second, the description is read, the kernel is compiled. The
// first time ends when the diagram of the saved text is there, the second when its verdict is
// there. With a GPU the verdict is a time, measured to the end and checked against the reference
// before and after; without one it is emulated. The times do not include the frame that draws the
// results, nor what a window measures at its start (that time is printed apart, and so is that of
// the first figure in it). A save comes half a second after everything that followed the one
// before. For the slowest save, the work done meanwhile is printed.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "profiling/figures/timing.h"
#include "scenes/catalogue.h"
#include "scenes/folder_watch.h"
#include "scenes/host/input_file.h"
#include "scenes/host/write_file.h"
#include "tests/folders.h"
#include "workbench/client/engine_command.h"
#include "workbench/window/remembered.h"
#include "workbench/workspace/trace_state.h"
#include "workbench/workspace/workspace.h"

namespace {

using namespace warpscope;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr double kLimitS = 120, kPauseMs = 500;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Frames without a window until `there` holds. Returns whether it did.
template <typename There>
bool frames_until(FolderWatch& watch, Workspace& workspace, const There& there) {
  const auto start = Clock::now();
  while (!there()) {
    if (ms_since(start) > 1e3 * kLimitS) return false;
    workspace.wait(0.002);
    follow_folder(watch, workspace);
    workspace.update();
  }
  return true;
}

void print_times(const char* what, std::vector<double> ms) {
  if (ms.empty()) return;
  std::printf("%-28s p50 %7.1f ms, p95 %7.1f ms, most %7.1f ms of %zu saves\n", what,
              quantile(ms, 0.5), quantile(ms, 0.95), quantile(ms, 1), ms.size());
}

int failed(const std::string& why) {
  std::fprintf(stderr, "warpscope_save_bench: %s\n", why.c_str());
  return 1;
}

// A folder's scene in a workspace with engines, as the window has it.
class Saves {
 public:
  Saves(const fs::path& folder, const Scene& scene, const std::shared_ptr<Catalogue>& catalogue)
      : workspace_(engine_command({}), emulator_command({}), catalogue) {
    begun_ = workspace_.begin_at(scene.name);
    variant_ = workspace_.scene().variants.front().name;
    workspace_.selection.variant = variant_;
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".cu") kernel_ = entry.path();
    text_ = read_input(kernel_, 1 << 20).value_or("");
  }
  int run(int saves) {
    if (!begun_) return failed(sentence(begun_.error()));
    if (int status = begin(); status != 0) return status;
    for (int save = 0; save < saves; ++save) {
      if (int status = once(save); status != 0) return status;
    }
    print_times("save to diagram", diagrams_);
    print_times(device() ? "save to verified figure" : "save to emulated verdict", verdicts_);
    std::printf("  the slowest, of %.1f ms:%s\n", slowest_ms_, slowest_.c_str());
    return 0;
  }

 private:
  bool device() const { return workspace_.view().has_device(); }
  bool drawn() const {
    return trace_state(workspace_.view(), variant_).freshness == Freshness::fresh;
  }
  // The newest whole measurement, of whatever text it is.
  const Measurement* figure() const {
    const Measurement* point = workspace_.session().latest(workspace_.view().point_id(variant_));
    const bool whole = point != nullptr && !point->partial && point->warm &&
                       point->verdict.outcome == Outcome::correct;
    return whole ? point : nullptr;
  }
  // A figure of the text before has another code.
  bool judged() const {
    if (!device()) return workspace_.view().folder.judged(variant_) != nullptr;
    return figure() != nullptr && figure()->conditions.code_id != code_;
  }
  // An engine that starts may have a device yet.
  bool settled() const {
    return (workspace_.view().engines.engine_ready() || workspace_.view().engines.trouble()) &&
           drawn() && !workspace_.view().progress().busy && (!device() || figure() != nullptr);
  }
  // Counters begin where a person rests.
  bool rested() {
    if (!settled()) settled_at_ = Clock::now();
    return ms_since(settled_at_) > kPauseMs;
  }
  int begin() {
    const auto start = Clock::now();
    double first_ms = 0;
    const bool settled = frames_until(watch_, workspace_, [&] {
      if (first_ms == 0 && device() && figure() != nullptr) first_ms = ms_since(start);
      return rested();
    });
    if (!settled) return failed("no diagram and figure of " + variant_ + " when it begins");
    if (!device()) return 0;
    std::printf(
        "%s takes %.3f ms on %s; its first figure was there after %.1f s, all that a "
        "window measures when it begins after %.1f s\n",
        variant_.c_str(), figure()->warm->median_ns * 1e-6, figure()->conditions.device.c_str(),
        first_ms * 1e-3, ms_since(start) * 1e-3);
    return 0;
  }
  int once(int save) {
    // What follows the figure of the save before (its counters) has come to its end.
    settled_at_ = Clock::now();
    if (!frames_until(watch_, workspace_, [&] { return rested(); }))
      return failed("save " + std::to_string(save) + " was not measured to its end");
    if (device()) code_ = figure()->conditions.code_id;
    const Result<void> written =
        write_file(kernel_, text_ + "\n__device__ int saved = " + std::to_string(save) + ";\n");
    if (!written) return failed(sentence(written.error()));
    const auto start = Clock::now();
    double diagram_ms = 0, verdict_ms = 0;
    std::string doing, done;
    // The workspace learns of the text with the folder's next look; until then all is as before.
    const bool noticed = frames_until(watch_, workspace_, [&] { return !drawn(); });
    const bool seen = noticed && frames_until(watch_, workspace_, [&] {
                        if (diagram_ms == 0 && drawn()) diagram_ms = ms_since(start);
                        if (verdict_ms == 0 && judged()) verdict_ms = ms_since(start);
                        const std::string now = workspace_.view().progress().text;
                        if (std::exchange(doing, now) != now)
                          done += "\n    " + std::to_string(std::lround(ms_since(start))) + " ms " +
                                  (now.empty() ? "nothing" : now);
                        return diagram_ms > 0 && verdict_ms > 0;
                      });
    if (!seen) return failed("save " + std::to_string(save + 1) + " was not answered");
    diagrams_.push_back(diagram_ms);
    verdicts_.push_back(verdict_ms);
    if (verdict_ms > slowest_ms_) slowest_ms_ = verdict_ms, slowest_ = done;
    return 0;
  }

  Workspace workspace_;
  FolderWatch watch_;
  Result<void> begun_;
  std::string variant_, text_, code_, slowest_;
  Clock::time_point settled_at_ = Clock::now();
  double slowest_ms_ = 0;
  fs::path kernel_;
  std::vector<double> diagrams_, verdicts_;
};

int bench(const fs::path& folder, int saves) {
  const auto catalogue = std::make_shared<Catalogue>();
  const Result<const Scene*> opened = catalogue->open_folder(folder);
  if (!opened) return failed(sentence(opened.error()));
  return Saves(folder, **opened, catalogue).run(saves);
}

// Runs on a copy of the folder, under the folder's own name.
int bench_copy(const fs::path& folder, int saves) {
  const fs::path copies =
      fs::temp_directory_path() / ("warpscope-save-bench-" + std::to_string(::getpid()));
  std::error_code wrong;
  fs::create_directory(copies, wrong);
  const fs::path copy = copies / (folder.has_filename() ? folder : folder.parent_path()).filename();
  fs::copy(folder, copy, fs::copy_options::recursive, wrong);
  if (wrong) return failed(folder.string() + " cannot be copied: " + wrong.message());
  std::printf("%s\n", copy.filename().c_str());
  const int status = bench(copy, saves);
  fs::remove_all(copies, wrong);
  return status;
}

}  // namespace

int main(int count, char** words) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::vector<fs::path> folders;
  int saves = 20;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const bool number = word.find_first_not_of("0123456789") == std::string::npos;
    if (number && i + 1 == count) {
      saves = std::max(1, std::atoi(words[i]));
    } else {
      folders.emplace_back(word);
    }
  }
  const bool named = !folders.empty();
  for (const char* example : {"softmax", "row_sum", "transpose", "sgemm_tile", "stencil"}) {
    if (named) break;
    folders.push_back(source_folder() / "assets" / "examples" / "kernels" / example);
  }
  int status = 0;
  for (const fs::path& folder : folders) status = std::max(status, bench_copy(folder, saves));
  return status;
}
