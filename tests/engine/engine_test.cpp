// tests/engine/engine_test.cpp: the queue, the compiler and the conversation, without a device.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>

#include "profiling/engine/compiler.h"
#include "profiling/engine/job_queue.h"
#include "profiling/engine/roof_attempts.h"
#include "scenes/cache.h"
#include "scenes/registry.h"
#include "tests/scenes/small_configurations.h"

namespace warpscope {
namespace {

Job job_of(std::int64_t number, const std::string& tag) {
  Job job;
  job.job = number;
  job.tag = tag;
  return job;
}

TEST(JobQueue, ReplacesAWaitingJobOfTheSameTag) {
  JobQueue queue;
  EXPECT_FALSE(queue.push(job_of(1, "live/a")));
  EXPECT_FALSE(queue.push(job_of(2, "live/b")));
  const std::optional<Job> replaced = queue.push(job_of(3, "live/a"));
  ASSERT_TRUE(replaced);
  EXPECT_EQ(replaced->job, 1);
  EXPECT_EQ(queue.pop()->job, 3);
  EXPECT_EQ(queue.pop()->job, 2);
}

TEST(JobQueue, NeverReplacesJobsWithoutATag) {
  JobQueue queue;
  EXPECT_FALSE(queue.push(job_of(1, "")));
  EXPECT_FALSE(queue.push(job_of(2, "")));
  EXPECT_EQ(queue.pop()->job, 1);
  EXPECT_EQ(queue.pop()->job, 2);
}

TEST(JobQueue, PutsAJobThatGoesFirstBeforeThoseThatWait) {
  JobQueue queue;
  queue.push(job_of(1, "live/a"));
  queue.push(job_of(2, "live/b"));
  Job first = job_of(3, "counters/a");
  first.first = true;
  queue.push(first);
  EXPECT_EQ(queue.pop()->job, 3);
  EXPECT_EQ(queue.pop()->job, 1);
  EXPECT_EQ(queue.pop()->job, 2);
}

TEST(JobQueue, InterruptsTheRunningJobOfANewerOnesTag) {
  JobQueue queue;
  queue.push(job_of(1, "live/a"));
  queue.pop();
  EXPECT_FALSE(queue.interrupted());
  queue.push(job_of(2, "live/b"));
  EXPECT_FALSE(queue.interrupted());
  queue.push(job_of(3, "live/a"));
  EXPECT_TRUE(queue.interrupted());
}

TEST(JobQueue, DropsWhatWaitsAndInterruptsWhatRunsWhenNobodyIsThereToAnswer) {
  JobQueue queue;
  queue.push(job_of(1, ""));
  queue.push(job_of(2, ""));
  ASSERT_EQ(queue.pop()->job, 1);
  EXPECT_FALSE(queue.interrupted());
  queue.close();
  EXPECT_TRUE(queue.interrupted());
  queue.finish();
  EXPECT_FALSE(queue.pop());
  queue.push(job_of(3, ""));
  EXPECT_FALSE(queue.pop());
}

TEST(JobQueue, WaitsForAJobForAWhile) {
  JobQueue queue;
  EXPECT_FALSE(queue.wait(0.01));
  queue.push(job_of(1, ""));
  EXPECT_TRUE(queue.wait(60));
  EXPECT_EQ(queue.pop()->job, 1);
}

TEST(JobQueue, CancelsWaitingAndRunningJobs) {
  JobQueue queue;
  queue.push(job_of(1, "a"));
  queue.push(job_of(2, "b"));
  queue.pop();
  EXPECT_FALSE(queue.cancel(1));
  EXPECT_TRUE(queue.cancelled());
  EXPECT_EQ(queue.cancel(2)->job, 2);
  queue.close();
  EXPECT_FALSE(queue.pop());
}

// Every kernel that a variant or a reference launches at any choice of its scene, for three
// generations.
TEST(Compiler, CompilesEveryKernelOfEverySceneForThreeArchitectures) {
  if (Result<std::string> version = nvrtc_version(); !version)
    GTEST_SKIP() << sentence(version.error());
  std::set<CompileRequest> requests;
  const auto add = [&requests](const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      if (const auto* kernel = std::get_if<KernelLaunch>(&step.action))
        requests.insert({kernel->source, kernel->defines, 90});
    }
  };
  for (const Scene& scene : all_scenes()) {
    for (const Configuration& axes : small_configurations(scene)) {
      Inputs inputs;
      Workload workload{axes, {}};
      const auto made = regenerate_inputs(scene, nullptr, axes, inputs, workload.facts);
      ASSERT_TRUE(made) << sentence(made.error());
      for (const Variant& variant : scene.variants) {
        if (applies(variant, axes)) add(variant.steps(workload));
      }
      for (const Reference& reference : scene.references) add(reference.steps(workload));
    }
  }
  for (const char* own : {"engine/compare.cu", "engine/block.cu", "engine/selftest.cu",
                          "engine/read_all.cu", "roofs/fill.cu"}) {
    requests.insert({own, {}, 90});
  }
  const DeviceLimits device;
  for (const RoofAttempt& attempt : roof_attempts(device, roof_arrays(device))) {
    const auto& kernel = std::get<KernelLaunch>(attempt.runs[0][0].action);
    requests.insert({kernel.source, kernel.defines, 90, kernel.architecture_features});
  }
  EXPECT_GT(requests.size(), 60u);
  for (CompileRequest request : requests) {
    for (const int architecture : {80, 90, 100}) {
      if (request.architecture_features && architecture != 90) continue;  // of that one alone
      request.compute_capability = architecture;
      const Result<Compiled> code = compile(request);
      EXPECT_TRUE(code) << sentence(code.error());
    }
  }
}

TEST(Compiler, CompilesAgainWhereTheCacheIsBroken) {
  if (Result<std::string> version = nvrtc_version(); !version)
    GTEST_SKIP() << sentence(version.error());
  // A cache of its own: other tests write to the common one at the same time.
  const char* before = std::getenv("XDG_CACHE_HOME");
  const std::string kept = before == nullptr ? "" : before;
  // Empty: what NVRTC makes names the folder that it ran in, and an earlier run's was another.
  const std::string folder = testing::TempDir() + "/broken_cache";
  std::filesystem::remove_all(folder);
  setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  const CompileRequest request{"engine/block.cu", {}, 90};
  const Result<Compiled> first = compile(request);
  ASSERT_TRUE(first) << sentence(first.error());
  const std::filesystem::path entry = Cache::open()->folder() / "cubin" / (first->hash + ".bin");
  ASSERT_TRUE(std::filesystem::exists(entry));
  EXPECT_TRUE(compile(request)->from_cache);
  std::ofstream(entry, std::ios::binary) << "warpscope-cubin 5 5\ntorn";
  const Result<Compiled> again = compile(request);
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->from_cache);
  EXPECT_EQ(again->cubin, first->cubin);
  kept.empty() ? unsetenv("XDG_CACHE_HOME") : setenv("XDG_CACHE_HOME", kept.c_str(), 1);
}

TEST(Compiler, HashesATextWithTheHeadersThatItIncludes) {
  const std::filesystem::path home = std::filesystem::path(testing::TempDir()) / "text_hash";
  std::filesystem::create_directories(home / "kernels" / "own");
  std::filesystem::create_directories(home / "assets");
  const auto write = [&](const char* name, const char* text) {
    std::ofstream(home / "kernels" / "own" / name) << text;
  };
  write("kernel.cu", "#include \"own/outer.cuh\"\nint kernel;\n");
  write("outer.cuh", "#include \"own/inner.cuh\"\n");
  write("inner.cuh", "int inner;\n");
  write("other.cuh", "int other;\n");
  const char* before = std::getenv("WARPSCOPE_HOME");
  const std::string kept = before == nullptr ? "" : before;
  setenv("WARPSCOPE_HOME", home.c_str(), 1);
  const std::string first = text_hash_of("own/kernel.cu");
  write("other.cuh", "int changed;\n");
  const std::string other_changed = text_hash_of("own/kernel.cu");
  write("inner.cuh", "int changed;\n");
  const std::string inner_changed = text_hash_of("own/kernel.cu");
  const std::string absent = text_hash_of("own/absent.cu");
  kept.empty() ? unsetenv("WARPSCOPE_HOME") : setenv("WARPSCOPE_HOME", kept.c_str(), 1);
  EXPECT_EQ(first.size(), 16u);
  EXPECT_EQ(other_changed, first);
  EXPECT_NE(inner_changed, first);
  EXPECT_EQ(absent, "");
}

// Runs the real engine with these lines on its stdin and returns what it says.
std::string conversation(const std::string& lines) {
  std::string said;
  FILE* pipe = popen(
      ("( printf '%s\\n' '" + lines +
       "'; sleep 2 ) | " WARPSCOPE_BINARY_FOLDER "/warpscope-engine --role measure 2>/dev/null")
          .c_str(),
      "r");
  char chunk[4096];
  while (pipe != nullptr && std::fgets(chunk, sizeof chunk, pipe) != nullptr) said += chunk;
  if (pipe != nullptr) pclose(pipe);
  return said;
}

TEST(Engine, SaysHelloAndAnswersWithoutADriver) {
  if (std::filesystem::exists("/proc/driver/nvidia/version"))
    GTEST_SKIP() << "this machine has a driver";
  const std::string said = conversation(R"(not a message
{"type":"job","job":5,"scene":"csrmm","variant":"float4_columns"})");
  // What it does until then may stand before the hello, answers never.
  std::optional<Message> hello;
  std::istringstream lines(said);
  for (std::string line; !hello && std::getline(lines, line);) {
    const Result<Message> message = parse_line(line);
    ASSERT_TRUE(message) << line;
    if (const auto* progress = std::get_if<Progress>(&*message)) {
      EXPECT_EQ(progress->job, 0) << line;
    } else {
      hello = *message;
    }
  }
  ASSERT_TRUE(hello && std::holds_alternative<Hello>(*hello)) << said;
  const Capability* cuda = find_capability(std::get<Hello>(*hello), "cuda");
  ASSERT_NE(cuda, nullptr);
  EXPECT_FALSE(cuda->available);
  EXPECT_FALSE(cuda->reason.empty());
  EXPECT_FALSE(cuda->remedy.empty());
  EXPECT_NE(said.find("was not understood"), std::string::npos);
  EXPECT_NE(said.find("\"status\":\"failed\""), std::string::npos);
}

}  // namespace
}  // namespace warpscope
