// tests/benchmarks/save_bench.cpp: prints how long a saved kernel takes to its diagram and figure.
//
//   build/bin/warpscope_save_bench FOLDER [SAVES]
//
// FOLDER is a scene's folder, such as assets/examples/kernels/softmax; a copy of it is edited. Its
// first variant's kernel is saved so many times (20 unless said), each time with another constant
// in it, so that nothing kept can answer. What follows is the window's own: the folder is looked at
// twenty times a second, the description is read, the kernel compiled. The times end when the
// diagram of the saved text is there, and when its verdict is: measured where there is a GPU,
// emulated elsewhere. The frame in which they are drawn is not in them.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "profiling/figures/timing.h"
#include "scenes/folder_watch.h"
#include "scenes/host/input_file.h"
#include "scenes/host/write_file.h"
#include "scenes/opened_scenes.h"
#include "workbench/client/engine_command.h"
#include "workbench/window/remembered.h"
#include "workbench/workspace/trace_state.h"
#include "workbench/workspace/workspace.h"

namespace {

using namespace warpscope;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr double kLimitS = 60;

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

int bench(const fs::path& folder, int saves) {
  const Result<const Scene*> opened = open_scene_folder(folder);
  if (!opened) {
    std::fprintf(stderr, "warpscope_save_bench: %s\n", sentence(opened.error()).c_str());
    return 2;
  }
  Workspace workspace(engine_command({}), emulator_command({}));
  if (const Result<void> begun = workspace.begin_at((*opened)->name); !begun) {
    std::fprintf(stderr, "warpscope_save_bench: %s\n", sentence(begun.error()).c_str());
    return 2;
  }
  FolderWatch watch;
  const std::string variant = workspace.scene().variants.front().name;
  workspace.selection.variant = variant;
  const auto drawn = [&] { return trace_state(workspace, variant).freshness == Freshness::fresh; };
  const auto measured = [&] { return workspace.state(variant).freshness == Freshness::fresh; };
  // The emulator judges a saved text on machines with a GPU too; there the figure is awaited.
  const auto verdict = [&] {
    return workspace.has_device() ? measured() : workspace.judged(variant) != nullptr;
  };
  if (!frames_until(watch, workspace, drawn)) {
    std::fprintf(stderr, "warpscope_save_bench: no diagram of %s in %g s\n", variant.c_str(),
                 kLimitS);
    return 1;
  }
  fs::path kernel;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".cu") kernel = entry.path();
  const std::string text = read_input(kernel, 1 << 20).value_or("");
  std::vector<double> diagrams, verdicts;
  for (int save = 0; save < saves; ++save) {
    const Result<void> written =
        write_file(kernel, text + "\n__device__ int saved = " + std::to_string(save) + ";\n");
    if (!written) {
      std::fprintf(stderr, "warpscope_save_bench: %s\n", sentence(written.error()).c_str());
      return 2;
    }
    const auto start = Clock::now();
    double diagram_ms = 0;
    // The workspace learns of the text with the folder's next look; until then all is as before.
    const bool noticed = frames_until(watch, workspace, [&] { return !drawn(); });
    const bool seen = noticed && frames_until(watch, workspace, [&] {
                        if (diagram_ms == 0 && drawn()) diagram_ms = ms_since(start);
                        return diagram_ms > 0 && verdict();
                      });
    if (!seen) {
      std::fprintf(stderr, "warpscope_save_bench: save %d was not answered in %g s\n", save + 1,
                   kLimitS);
      return 1;
    }
    diagrams.push_back(diagram_ms);
    verdicts.push_back(ms_since(start));
  }
  print_times("save to diagram", diagrams);
  print_times(workspace.has_device() ? "save to verified figure" : "save to emulated verdict",
              verdicts);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count < 2 || count > 3) {
    std::fprintf(stderr, "usage: warpscope_save_bench FOLDER [SAVES]\n");
    return 2;
  }
  const fs::path copy =
      fs::temp_directory_path() / ("warpscope-save-bench-" + std::to_string(::getpid()));
  std::error_code failed;
  fs::copy(words[1], copy, fs::copy_options::recursive, failed);
  if (failed) {
    std::fprintf(stderr, "warpscope_save_bench: %s cannot be copied: %s\n", words[1],
                 failed.message().c_str());
    return 2;
  }
  const int status = bench(copy, count == 3 ? std::atoi(words[2]) : 20);
  fs::remove_all(copy, failed);
  return status;
}
