// tests/benchmarks/file_bench.cpp: prints how long a person's own .cu file takes to its diagram.
//
//   build/bin/warpscope_file_bench [FILE.cu …] [SAVES]
//
// Unless files are named: a row sum, the same with the standard headers that programs have, the
// same with <cub/cub.cuh>, and 100 kernels in one file. Each
// is copied and opened as `warpscope FILE.cu` does it, by a process of its own that ends with the
// first diagram. "First" has an empty cache; "again" finds what the compiler made, so that all of
// its time is beyond compilation. Then a process opens the copy and saves it so many times (10
// unless said), each time with another constant. Seconds pass on the clock and on the processors,
// those of the emulator and the compiler included. The frame in which a diagram is drawn is not in
// them.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "profiling/figures/timing.h"
#include "scenes/catalogue.h"
#include "scenes/folder_watch.h"
#include "scenes/host/clock.h"
#include "scenes/host/input_file.h"
#include "scenes/host/write_file.h"
#include "workbench/client/engine_command.h"
#include "workbench/window/remembered.h"
#include "workbench/workspace/trace_state.h"
#include "workbench/workspace/workspace.h"

namespace {

using namespace warpscope;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// One warp per row.
std::string row_sum(const std::string& name) {
  return "__global__ void " + name +
         R"((const float* __restrict__ in, float* __restrict__ out, int columns) {
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += in[blockIdx.x * columns + c];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
)";
}

std::string host_code(const std::string& launches) {
  return R"(
int main() {
  const int rows = 1024, columns = 1024;
  float *in, *out;
  cudaMalloc(&in, rows * columns * sizeof(float));
  cudaMalloc(&out, rows * sizeof(float));
)" + launches +
         "  cudaDeviceSynchronize();\n}\n";
}

std::string launch_of(const std::string& name) {
  return "  " + name + "<<<rows, 32>>>(in, out, columns);\n";
}

std::string with_cub() {
  return R"(#include <cub/cub.cuh>

__global__ void row_sums(const float* __restrict__ in, float* __restrict__ out, int columns) {
  using Reduce = cub::BlockReduce<float, 32>;
  __shared__ typename Reduce::TempStorage storage;
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += in[blockIdx.x * columns + c];
  sum = Reduce(storage).Sum(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
)" + host_code(launch_of("row_sums"));
}

std::string hundred_kernels() {
  std::string kernels, launches;
  for (int n = 0; n < 100; ++n) {
    const std::string name = "row_sums_" + std::to_string(n);
    kernels += row_sum(name);
    launches += launch_of(name);
  }
  return kernels + host_code(launches);
}

int failed(const std::string& why) {
  std::fprintf(stderr, "warpscope_file_bench: %s\n", why.c_str());
  return 1;
}

// A file's scene in a workspace with engines, as the window has it.
class OpenedFile {
 public:
  explicit OpenedFile(const fs::path& file)
      : catalogue_(std::make_shared<Catalogue>()),
        opened_(catalogue_->open_file(file)),
        workspace_(engine_command({}), emulator_command({}), catalogue_) {
    if (opened_)
      opened_ = workspace_.begin_at((*opened_)->name).transform([this] { return *opened_; });
  }
  // Why there is no scene; empty: there is one.
  std::string refusal() const { return opened_ ? "" : sentence(opened_.error()); }
  bool is_drawn() const {
    return trace_state(workspace_.view(), workspace_.selection.variant).freshness ==
           Freshness::fresh;
  }
  // Frames without a window until the diagram is there, or is not any more.
  bool wait_for_diagram(bool wanted) {
    constexpr double kLimitS = 120;
    const auto start = Clock::now();
    while (is_drawn() != wanted && seconds_since(start) < kLimitS) {
      workspace_.wait(0.002);
      follow_folder(watch_, workspace_);
      workspace_.update();
    }
    return is_drawn() == wanted;
  }

 private:
  std::shared_ptr<Catalogue> catalogue_;
  Result<const Scene*> opened_;
  Workspace workspace_;
  FolderWatch watch_;
};

// In a process of its own.
int open_and_save(const fs::path& file, int saves) {
  OpenedFile opened(file);
  if (const std::string why = opened.refusal(); !why.empty()) return failed(why);
  if (!opened.wait_for_diagram(true)) return failed("there is no diagram of " + file.string());
  const std::string text = read_input(file, 1 << 20).value_or("");
  std::vector<double> ms;
  for (int save = 0; save < saves; ++save) {
    const Result<void> written =
        write_file(file, text + "__device__ int saved = " + std::to_string(save) + ";\n");
    if (!written) return failed(sentence(written.error()));
    const auto start = Clock::now();
    if (!opened.wait_for_diagram(false) || !opened.wait_for_diagram(true))
      return failed("save " + std::to_string(save + 1) + " was not answered");
    ms.push_back(milliseconds_since(start));
  }
  if (saves > 0)
    std::printf("  save to diagram: p50 %.0f ms, p95 %.0f ms, most %.0f ms\n", quantile(ms, 0.5),
                quantile(ms, 0.95), quantile(ms, 1));
  return 0;
}

double seconds_of(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

struct Cost {
  double seconds = 0, processor_seconds = 0;
  int status = 0;
};

Cost cost_of(const fs::path& file, int saves) {
  std::fflush(stdout);
  const std::string count = std::to_string(saves);
  const auto start = Clock::now();
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl("/proc/self/exe", "warpscope_file_bench", "--open", file.c_str(), count.c_str(),
            nullptr);
    ::_exit(127);
  }
  rusage used{};
  int status = 0;
  ::wait4(child, &status, 0, &used);
  return {seconds_since(start), seconds_of(used.ru_utime) + seconds_of(used.ru_stime),
          WIFEXITED(status) ? WEXITSTATUS(status) : 128};
}

int bench(const fs::path& folder, const std::string& name, const std::string& text, int saves) {
  const fs::path copy = folder / name;
  if (const Result<void> written = write_file(copy, text); !written)
    return failed(sentence(written.error()));
  std::printf("%s\n", name.c_str());
  const std::string cache = (folder / "cache" / name).string();
  ::setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  Cost again;
  for (const char* which : {"first", "again"}) {
    again = cost_of(copy, 0);
    if (again.status != 0) return again.status;
    std::printf("  to the diagram, %s: %.2f s, %.2f s of processors\n", which, again.seconds,
                again.processor_seconds);
  }
  const Cost saved = cost_of(copy, saves);
  if (saved.status == 0)
    std::printf("  per save: %.2f s of processors\n",
                (saved.processor_seconds - again.processor_seconds) / saves);
  return saved.status;
}

}  // namespace

int main(int count, char** words) {
  if (count == 4 && std::strcmp(words[1], "--open") == 0)
    return open_and_save(words[2], std::atoi(words[3]));
  std::vector<std::pair<std::string, std::string>> files;  // names and texts
  int saves = 10;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word.find_first_not_of("0123456789") == std::string::npos) {
      saves = std::max(1, std::atoi(words[i]));
    } else {
      const Result<std::string> text = read_input(word, 1 << 20);
      if (!text) return failed(sentence(text.error()));
      files.emplace_back(fs::path(word).filename(), *text);
    }
  }
  if (files.empty()) {
    const std::string plain = row_sum("row_sums") + host_code(launch_of("row_sums"));
    files = {{"row_sums.cu", plain},
             {"with_headers.cu",
              "#include <algorithm>\n#include <cstdio>\n#include <iostream>\n"
              "#include <random>\n#include <vector>\n" +
                  plain},
             {"with_cub.cu", with_cub()},
             {"hundred_kernels.cu", hundred_kernels()}};
  }
  const fs::path folder =
      fs::temp_directory_path() / ("warpscope-file-bench-" + std::to_string(::getpid()));
  std::error_code wrong;
  fs::create_directory(folder, wrong);
  int status = 0;
  for (const auto& [name, text] : files)
    status = std::max(status, bench(folder, name, text, saves));
  fs::remove_all(folder, wrong);
  return status;
}
