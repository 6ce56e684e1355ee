// tests/benchmarks/plan_bench.cpp: prints what it costs to distribute a sweep: plan, read, merge.
//
//   build/bin/warpscope_plan_bench [POINTS …]
//
// For 100, 1 000, 10 000 and 100 000 points, or the numbers that are given: `plan` writes the plan;
// `read` checks it and cuts its chunks (sweep --slurm --dry-run); `merge` merges two sessions that
// have the same points; `again` merges the result. Each is a process of its own. The status is 1 if
// a point of the largest number costs more than twice what it costs at the number before it: the
// cost must grow no faster than linearly.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/benchmarks/large_session.h"
#include "tests/benchmarks/process_cost.h"
#include "tests/folders.h"

namespace {

namespace fs = std::filesystem;
using warpscope::cost_of;
using warpscope::ProcessCost;

class PlanBench {
 public:
  explicit PlanBench(fs::path folder) : folder_(std::move(folder)) {}

  int run(std::int64_t points) {
    const fs::path recorded =
        warpscope::source_folder() / "assets" / "sessions" / "h200-eight_iterations.wsj.gz";
    const std::string session = out("a.wsj"), other = out("b.wsj"), plan = out("a.plan");
    if (const auto made = warpscope::write_large_session(recorded, points, session); !made) {
      std::fprintf(stderr, "warpscope_plan_bench: %s\n", warpscope::sentence(made.error()).c_str());
      return 1;
    }
    std::error_code wrong;
    fs::copy_file(session, other, fs::copy_options::overwrite_existing, wrong);
    std::printf("%lld points, a session of %.1f MB\n", static_cast<long long>(points),
                static_cast<double>(fs::file_size(session)) * 1e-6);
    // An axis takes at most a thousand values.
    constexpr std::int64_t kMostValues = 1000;
    const std::string seeds = std::to_string(std::min(points, kMostValues));
    const std::string values = std::to_string(points / kMostValues);
    std::vector<std::string> make = {"plan", "csrmm/k_tiles", "seed=1:" + seeds + ":" + seeds,
                                     "--out", plan};
    if (points > kMostValues) make.insert(make.begin() + 2, "p=0.001:0.1:" + values);
    int status = 0;
    const auto step = [&](const std::string& name, std::vector<std::string> words) {
      words.insert(words.begin(), warpscope::built_program("warpscope"));
      status = std::max(status, print(name, cost_of(words), points));
    };
    step("plan", make);
    step("read", {"sweep", "--plan", plan, "--slurm", "--tasks", "8", "--dry-run"});
    step("merge", {"merge", session, other, "--out", out("m.wsj")});
    step("again", {"merge", out("m.wsj"), "--out", out("n.wsj")});
    return status;
  }

 private:
  std::string out(const char* name) const { return (folder_ / name).string(); }
  int print(const std::string& name, const ProcessCost& cost, std::int64_t points) {
    const double each = cost.processor_seconds / static_cast<double>(points) * 1e6;
    const auto before = before_.find(name);
    constexpr double kMostGrowth = 2;
    const bool faster = before != before_.end() && each > kMostGrowth * before->second;
    before_[name] = each;
    std::printf("  %-6s %7.2f s  %7.2f s of processors  %9.1f us per point  %6.0f MB%s%s\n",
                name.c_str(), cost.seconds, cost.processor_seconds, each, cost.megabytes,
                faster ? "  grows faster than linearly" : "",
                cost.status == 0 ? "" : ("  ended with " + std::to_string(cost.status)).c_str());
    return faster || cost.status != 0 ? 1 : 0;
  }

  fs::path folder_;
  std::map<std::string, double> before_;  // microseconds of a point, by step
};

}  // namespace

int main(int count, char** words) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::vector<std::int64_t> points;
  for (int i = 1; i < count; ++i) points.push_back(std::max(1L, std::atol(words[i])));
  if (points.empty()) points = {100, 1'000, 10'000, 100'000};
  const fs::path folder =
      fs::temp_directory_path() / ("warpscope-plan-bench-" + std::to_string(::getpid()));
  std::error_code wrong;
  fs::create_directory(folder, wrong);
  PlanBench bench(folder);
  int status = 0;
  for (const std::int64_t each : points) status = std::max(status, bench.run(each));
  fs::remove_all(folder, wrong);
  return status;
}
