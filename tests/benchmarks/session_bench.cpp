// tests/benchmarks/session_bench.cpp: prints what large sessions cost: time and memory of commands.
//
//   build/bin/warpscope_session_bench [RECORDED.wsj.gz] [POINTS …]
//
// Copies of a recorded session (eight iterations, unless another is named) are made with 1 000,
// 10 000 and 100 000 points, or with the numbers that are given: see large_session.h. Each command
// of the table runs once in a process of its own. Seconds pass on the clock and on the processors;
// memory is the most that the process had at a time. "Open" reads the session into the window's
// workspace and draws one panel; it needs what drawing without a screen needs.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/benchmarks/large_session.h"
#include "tests/benchmarks/process_cost.h"
#include "tests/folders.h"

namespace {

namespace fs = std::filesystem;

void print(const std::string& name, const std::vector<std::string>& words) {
  const warpscope::ProcessCost cost = warpscope::cost_of(words);
  std::printf("  %-15s %7.2f s  %7.2f s of processors  %7.0f MB%s\n", name.c_str(), cost.seconds,
              cost.processor_seconds, cost.megabytes,
              cost.status == 0 ? "" : ("  ended with " + std::to_string(cost.status)).c_str());
}

int bench(const fs::path& recorded, std::int64_t points, const fs::path& folder) {
  const std::string session = (folder / "large.wsj").string();
  if (const auto made = warpscope::write_large_session(recorded, points, session); !made) {
    std::fprintf(stderr, "warpscope_session_bench: %s\n",
                 warpscope::sentence(made.error()).c_str());
    return 1;
  }
  std::printf("%lld points, %.1f MB\n", static_cast<long long>(points),
              static_cast<double>(fs::file_size(session)) * 1e-6);
  const std::string program = warpscope::built_program("warpscope");
  const auto out = [&folder](const char* name) { return (folder / name).string(); };
  print("open", {program, "render", session, "--panel", "variants", "--out", out("variants.png")});
  print("export --csv", {program, "export", session, "--csv", out("points.csv")});
  print("export --json", {program, "export", session, "--json", out("points.json")});
  print("export --trace", {program, "export", session, "--trace", out("trace.json")});
  print("export --wsj", {program, "export", session, "--wsj", out("copy.wsj")});
  print("compare", {program, "compare", session, session});
  print("compare --json", {program, "compare", session, session, "--json"});
  print("report", {program, "report", session, "--out", out("report")});
  print("journal", {program, "journal", session});
  return 0;
}

}  // namespace

int main(int count, char** words) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  fs::path recorded =
      warpscope::source_folder() / "assets" / "sessions" / "h200-eight_iterations.wsj.gz";
  std::vector<std::int64_t> points;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word.find_first_not_of("0123456789") == std::string::npos) {
      points.push_back(std::max(1L, std::atol(words[i])));
    } else {
      recorded = word;
    }
  }
  if (points.empty()) points = {1'000, 10'000, 100'000};
  const fs::path folder =
      fs::temp_directory_path() / ("warpscope-session-bench-" + std::to_string(::getpid()));
  std::error_code wrong;
  fs::create_directory(folder, wrong);
  int status = 0;
  for (const std::int64_t each : points) status = std::max(status, bench(recorded, each, folder));
  fs::remove_all(folder, wrong);
  return status;
}
