// tests/engine/engine_test.cpp: the queue, the compiler and the conversation, without a device.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

#include "profiling/engine/compile/compiler.h"
#include "profiling/engine/measure/roof_attempts.h"
#include "profiling/engine/process/job_queue.h"
#include "profiling/engine/process/kept_sources.h"
#include "scenes/host/cache.h"
#include "scenes/host/paths.h"
#include "tests/folders.h"
#include "tests/scenes/own_home.h"
#include "tests/scenes/small_configurations.h"
#include "tests/scenes/tested_scenes.h"

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

// What scenes, roofs and the engine itself launch, as asked of the compiler for one architecture.
void collect_every_kernel(Choices choices, std::set<CompileRequest>& requests) {
  const auto add = [&requests](const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      if (const auto* kernel = std::get_if<KernelLaunch>(&step.action))
        requests.insert({kernel->source, kernel->defines, 90, kernel->architecture_features});
    }
  };
  for (const Scene& scene : tested_scenes()) {
    for (const Configuration& axes : TriedScene{&scene, choices}.configurations()) {
      Inputs inputs;
      Workload workload{axes, {}};
      const auto made = regenerate_inputs(scene, nullptr, axes, inputs, workload.facts);
      ASSERT_TRUE(made) << sentence(made.error());
      for (const Variant& variant : scene.variants) {
        if (!applies(variant, axes)) continue;
        // At these values of its own axes, and at its own defaults; there is no kernel for an
        // illegal tile.
        Configuration own = axes;
        for (const Axis& axis : scene.axes) {
          if (!of_problem(axis)) own.unset(axis.name);
        }
        for (const Configuration& at : {axes, for_variant(scene.axes, own, variant.name)}) {
          const Workload there{at, workload.facts};
          if (!unavailable(variant, there, DeviceLimits{})) add(variant.steps(there));
        }
      }
      for (const Reference& reference : scene.references) add(reference.steps(workload));
    }
  }
  for (const char* own :
       {"engine/compare.cu", "engine/block.cu", "engine/selftest.cu", "engine/read_all.cu",
        "engine/sum_bytes.cu", "engine/random_numbers.cu", "roofs/fill.cu"}) {
    requests.insert({own, {}, 90});
  }
  const DeviceLimits device;
  for (const RoofAttempt& attempt : roof_attempts(device, roof_arrays(device))) {
    const auto& kernel = std::get<KernelLaunch>(attempt.runs[0][0].action);
    requests.insert({kernel.source, kernel.defines, 90, kernel.architecture_features});
  }
  EXPECT_GT(requests.size(), 60u);
}

// Compiled for more than ten seconds each: among the slow tests, and as PTX wherever they run.
const std::set<std::string> kLongToCompile = {"csrmm/bitmap.cu", "esmm/ab_bodies.cu"};

// Whether a kernel's file, or one that it includes from kernels/, has PTX of its own.
bool has_inline_ptx(const std::string& source) {
  const Result<std::string> text = read_kernel_source(source);
  EXPECT_TRUE(text) << source;
  if (!text) return false;
  if (text->find("asm") != std::string::npos) return true;
  constexpr std::string_view kInclude = "#include \"";
  for (std::size_t at = text->find(kInclude); at != std::string::npos;
       at = text->find(kInclude, at + 1)) {
    const std::size_t begin = at + kInclude.size();
    if (has_inline_ptx(text->substr(begin, text->find('"', begin) - begin))) return true;
  }
  return false;
}

// Each of their files that has PTX of its own once: only that can be PTX which ptxas refuses. The
// tests that emulate kernels compile all others to PTX.
std::set<CompileRequest> one_of_each_file(const std::set<CompileRequest>& requests) {
  std::set<CompileRequest> chosen;
  std::set<std::string> seen = kLongToCompile;
  for (const CompileRequest& request : requests) {
    if (seen.insert(request.source).second && has_inline_ptx(request.source))
      chosen.insert(request);
  }
  return chosen;
}

// Those of one of `parts` tests, which run beside each other.
void compile_every_kernel(std::initializer_list<int> architectures, int part, int parts, bool all) {
  if (Result<std::string> version = nvrtc_version(); !version)
    GTEST_SKIP() << sentence(version.error());
  std::set<CompileRequest> requests;
  ASSERT_NO_FATAL_FAILURE(
      collect_every_kernel(all ? Choices::in_pairs : Choices::one_by_one, requests));
  if (!all) requests = one_of_each_file(requests);
  EXPECT_GT(requests.size(), 40u);
  int next = 0;
  for (CompileRequest request : requests) {
    if (next++ % parts != part) continue;
    for (const int architecture : architectures) {
      if (request.architecture_features && architecture != 90) continue;  // of that one alone
      request.compute_capability = architecture;
      const Result<Compiled> code = compile(request);
      EXPECT_TRUE(code) << sentence(code.error());
    }
  }
}

constexpr int kParts = 4, kSlowParts = 6;
class EveryKernel : public testing::TestWithParam<int> {};
class SlowEveryKernel : public testing::TestWithParam<int> {};

TEST_P(EveryKernel, ThatHasPtxOfItsOwnCompilesAtSomeChoice) {
  compile_every_kernel({90}, GetParam(), kParts, false);
}
TEST_P(SlowEveryKernel, CompilesAtEveryChoiceForThreeGenerations) {
  compile_every_kernel({80, 90, 100}, GetParam(), kSlowParts, true);
}
INSTANTIATE_TEST_SUITE_P(Parts, EveryKernel, testing::Range(0, kParts));
INSTANTIATE_TEST_SUITE_P(SlowParts, SlowEveryKernel, testing::Range(0, kSlowParts));

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

// Texts alone decide: the folder and the time of a file say nothing, and nothing is read.
TEST(Compiler, FindsWhatItMadeByTextsAndNotByPaths) {
  if (Result<std::string> version = nvrtc_version(); !version)
    GTEST_SKIP() << sentence(version.error());
  const CompileRequest request{"own/kernel.cu", {}, 90};
  const auto sources = [](const char* value) {
    return std::vector<KernelSource>{
        kernel_source("own/kernel.cu",
                      "#include \"own/value.cuh\"\n"
                      "extern \"C\" __global__ void k(int* a) { a[0] = value(); }\n"),
        kernel_source("own/value.cuh",
                      std::string("__device__ int value() { return ") + value + "; }\n")};
  };
  const auto compiled = [&](const char* value) {
    const Result<CompiledPtx> ptx = compile_to_ptx(request, sources(value));
    EXPECT_TRUE(ptx) << sentence(ptx.error());
    return ptx ? ptx->ptx : "";
  };
  const std::string first = compiled("4711"), changed = compiled("4712");
  EXPECT_NE(first.find("4711"), std::string::npos);
  EXPECT_NE(changed.find("4712"), std::string::npos);
  EXPECT_EQ(compiled("4711"), first);
  EXPECT_NE(compile_hash(request, sources("1")), compile_hash(request, sources("2")));
  EXPECT_NE(compile_hash(request, sources("1")),
            compile_hash({"own/kernel.cu", {{"A", "1"}}, 90}, sources("1")));
  EXPECT_NE(compile_hash({"k.cu", {{"A", "1"}, {"B", "2"}}, 90}, {}),
            compile_hash({"k.cu", {{"A", "1\n1:B=1:2"}}, 90}, {}));
  EXPECT_NE(compile_hash({"k.cu", {}, 90, true}, {}), compile_hash({"k.cu", {}, 90, false}, {}));
  // A header that nobody carries is not looked for on disk.
  const OwnHome home("compiler-texts");
  home.write("own/value.cuh", "__device__ int value() { return 1; }\n");
  const Result<CompiledPtx> lacking = compile_to_ptx(request, {sources("1").front()});
  ASSERT_FALSE(lacking);
  EXPECT_EQ(lacking.error().kind, ErrorKind::input);
  EXPECT_NE(lacking.error().what.find("own/value.cuh"), std::string::npos);
}

TEST(OwnSources, AreTheFilesOfTheTreeAndNeedNone) {
  std::map<std::string, std::string> files;
  for (const KernelSource& source : own_sources())
    files[source.path] = read_kernel(source.path).value_or(KernelSource{}).text;
  const OwnHome empty("own-sources");
  for (const KernelSource& source : own_sources()) {
    EXPECT_EQ(source.text, files[source.path]) << source.path;
    EXPECT_FALSE(source.text.empty()) << source.path;
  }
  const SourceLookup find = with_own_sources(sources_among({kernel_source("a.cu", "int a;")}));
  for (const char* path :
       {"engine/compare.cu", "engine/block.cu", "engine/read_all.cu", "engine/selftest.cu",
        "engine/sum_bytes.cu", "roofs/fill.cu", "roofs/tensor_mma.cu"}) {
    const auto found = find(path);
    ASSERT_TRUE(found) << path;
    EXPECT_EQ(found->front().path, path);
  }
  const DeviceLimits device;
  for (const RoofAttempt& attempt : roof_attempts(device, roof_arrays(device))) {
    const auto& kernel = std::get<KernelLaunch>(attempt.runs[0][0].action);
    EXPECT_TRUE(find(kernel.source)) << kernel.source;
  }
  EXPECT_EQ(find("a.cu")->front().text, "int a;");
  EXPECT_FALSE(find("b.cu"));
}

TEST(KeptSources, PutInTheTextsThatCameBefore) {
  const KernelSource a = kernel_source("a.cu", "int a;"), b = kernel_source("b.cu", "int b;"),
                     empty = kernel_source("empty.cuh", "");
  const auto by_hash = [](KernelSource source) {
    source.text.clear();
    return source;
  };
  KeptSources kept;
  Job first;
  first.sources = {a, empty};
  kept.complete(first);
  EXPECT_EQ(first.sources, (std::vector<KernelSource>{a, empty}));
  Job second;
  second.sources = {by_hash(a), b, by_hash(kernel_source("c.cu", "never sent")), empty};
  // It stands under another name now.
  second.sources[0].path = "moved.cu";
  kept.complete(second);
  EXPECT_EQ(second.sources,
            (std::vector<KernelSource>{kernel_source("moved.cu", "int a;"), b, empty}));
  // A set stands for all that came with it.
  Job whole;
  whole.source_set = "both";
  whole.sources = {by_hash(a), by_hash(b)};
  kept.complete(whole);
  Job named, unknown;
  named.source_set = "both";
  kept.complete(named);
  EXPECT_EQ(named.sources, (std::vector<KernelSource>{a, b}));
  unknown.source_set = "never sent";
  kept.complete(unknown);
  EXPECT_TRUE(unknown.sources.empty());
  // A text whose hash is not its own is known by its own.
  Job wrong;
  wrong.sources = {{"d.cu", "int d;", b.hash}};
  kept.complete(wrong);
  EXPECT_EQ(wrong.sources, std::vector<KernelSource>{kernel_source("d.cu", "int d;")});
}

// Runs the real engine with these lines on its stdin and returns what it says.
std::string conversation(const std::string& lines) {
  std::string said;
  FILE* pipe = popen(("( printf '%s\\n' '" + lines + "'; sleep 2 ) | " +
                      built_program("warpscope-engine") + " --role measure 2>/dev/null")
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
  EXPECT_NE(said.find("a line could not be read"), std::string::npos);
  EXPECT_NE(said.find("\"status\":\"failed\""), std::string::npos);
}

}  // namespace
}  // namespace warpscope
