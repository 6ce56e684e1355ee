// tests/workbench/client/gpu_recovery_test.cpp: planted faults on a real device become verdicts,
// and the engine is back.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "profiling/session/session.h"
#include "scenes/host/paths.h"
#include "workbench/client/engine_client.h"

// The kernels are copied to a folder of the test's own, and the text of one variant is replaced by
// one with a planted fault: everything else is the product's way from job to verdict.

namespace warpscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBroken = "float4_columns";
constexpr const char* kGood = "rows_per_block";

class GpuRecovery : public testing::Test {
 protected:
  void SetUp() override {
    home_ = fs::temp_directory_path() / ("warpscope-recovery-" + std::to_string(::getpid()));
    fs::create_directories(home_ / "assets");
    const Result<fs::path> real = home_folder();
    ASSERT_TRUE(real) << sentence(real.error());
    fs::copy(*real / "kernels", home_ / "kernels", fs::copy_options::recursive);
    before_ = std::getenv("WARPSCOPE_HOME") != nullptr ? std::getenv("WARPSCOPE_HOME") : "";
    ::setenv("WARPSCOPE_HOME", home_.c_str(), 1);
    client_ = std::make_unique<EngineClient>(engine_command({}));
    client_->start();
    listen([&] { return client_->ready() || client_->given_up(); });
    const Hello* hello = session_.engine();
    if (hello == nullptr || !hello->device) {
      const Capability* cuda = hello != nullptr ? find_capability(*hello, "cuda") : nullptr;
      GTEST_SKIP() << (cuda != nullptr ? cuda->reason : "the engine did not start");
    }
  }
  void TearDown() override {
    client_.reset();
    if (before_.empty()) {
      ::unsetenv("WARPSCOPE_HOME");
    } else {
      ::setenv("WARPSCOPE_HOME", before_.c_str(), 1);
    }
    fs::remove_all(home_);
  }

  // Replaces the body of the broken variant's kernel.
  void plant(const std::string& body) {
    std::ofstream(home_ / "kernels/csrmm/float4_columns.cu")
        << "extern \"C\" __global__ void float4_columns(const int* indptr, const int* indices,\n"
           "    const float* weights, const float4* b, float4* c, int m, int quads) {\n"
        << body << "\n}\n";
  }

  void listen(const std::function<bool()>& enough) {
    const auto start = std::chrono::steady_clock::now();
    while (!enough() && std::chrono::steady_clock::now() - start < std::chrono::seconds(60)) {
      client_->wait(0.02);
      for (const Message& message : client_->poll()) session_.apply(message);
    }
  }

  std::int64_t submit(const std::string& variant,
                      const std::map<std::string, std::string>& axes = {}) {
    Job job;
    job.scene = "csrmm";
    job.variant = variant;
    job.axes = {{"m", "1000"}, {"k", "1000"}};
    for (const auto& [axis, value] : axes) job.axes[axis] = value;
    job.time_limit_s = 0.2;
    job.hang_limit_s = 3;
    return client_->submit(job);
  }

  // The measurement that answers a job of `variant`; an unchecked one when there is none.
  Measurement run(const std::string& variant, const std::map<std::string, std::string>& axes = {}) {
    const std::int64_t job = submit(variant, axes);
    listen([&] { return session_.done(job).has_value(); });
    return answer_to(job);
  }
  Measurement answer_to(std::int64_t job) const {
    for (const Measurement& m : session_.history()) {
      if (m.job == job) return m;
    }
    return {};
  }

  // What must hold after every fault: the verdict, no figure, and an engine that works.
  void expect_recovery(const Measurement& m, Outcome outcome) {
    EXPECT_EQ(m.verdict.outcome, outcome) << m.verdict.sentence;
    EXPECT_FALSE(m.verdict.sentence.empty());
    EXPECT_FALSE(m.cold || m.warm);
    const Measurement good = run(kGood);
    EXPECT_EQ(good.verdict.outcome, Outcome::correct) << good.verdict.sentence;
    EXPECT_TRUE(good.warm);
  }

  fs::path home_;
  std::string before_;  // what WARPSCOPE_HOME was
  std::unique_ptr<EngineClient> client_;
  Session session_;
};

TEST_F(GpuRecovery, IllegalAddress) {
  plant("c[(1ll << 40) + threadIdx.x] = b[0];");
  expect_recovery(run(kBroken), Outcome::faulted);
}

TEST_F(GpuRecovery, Trap) {
  plant("__trap();");
  expect_recovery(run(kBroken), Outcome::faulted);
}

TEST_F(GpuRecovery, KernelThatNeverEnds) {
  plant("while (*(volatile const int*)indptr >= 0) {}");
  const auto start = std::chrono::steady_clock::now();
  const Measurement m = run(kBroken);
  const double took =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_LT(took, 20) << "the limit was 3 s";
  expect_recovery(m, Outcome::timed_out);
}

TEST_F(GpuRecovery, NanInTheOutput) {
  plant(
      "const long long at = (long long)blockIdx.x * blockDim.y + threadIdx.y;\n"
      "const int quad = blockIdx.y * 32 + threadIdx.x;\n"
      "const float nan = __int_as_float(0x7fc00000);\n"
      "if (at < m && quad < quads) c[at * quads + quad] = make_float4(nan, nan, nan, nan);");
  const Measurement m = run(kBroken);
  EXPECT_GT(m.verdict.mismatches, 0);
  expect_recovery(m, Outcome::wrong);
}

TEST_F(GpuRecovery, OutputThatIsNeverWritten) {
  plant("");
  expect_recovery(run(kBroken), Outcome::wrong);
}

TEST_F(GpuRecovery, WriteJustBeyondTheOutput) {
  plant(
      "const long long at = (long long)blockIdx.x * blockDim.y + threadIdx.y;\n"
      "const int quad = blockIdx.y * 32 + threadIdx.x;\n"
      "if (at == m - 1 && quad == 0) c[(long long)m * quads] = b[0];");
  const Measurement m = run(kBroken);
  EXPECT_NE(m.verdict.sentence.find("outside"), std::string::npos) << m.verdict.sentence;
  expect_recovery(m, Outcome::wrong);
}

TEST_F(GpuRecovery, TextThatDoesNotCompile) {
  plant("this is not C++;");
  const Measurement m = run(kBroken);
  ASSERT_FALSE(m.steps.empty());
  EXPECT_NE(m.steps[0].compile_log.find("error"), std::string::npos);
  expect_recovery(m, Outcome::compile_failed);
}

TEST_F(GpuRecovery, MoreThanTheDeviceHolds) {
  const Measurement m = run(kGood, {{"m", "1000000"}, {"n", "8192"}, {"p", "0.001"}});
  EXPECT_NE(m.verdict.remedy.find('n'), std::string::npos) << m.verdict.remedy;
  expect_recovery(m, Outcome::out_of_memory);
}

TEST_F(GpuRecovery, EngineKilledFromOutside) {
  plant("while (*(volatile const int*)indptr >= 0) {}");
  const std::int64_t job = submit(kBroken);
  const auto start = std::chrono::steady_clock::now();
  listen([&] { return std::chrono::steady_clock::now() - start > std::chrono::seconds(1); });
  ::kill(client_->process(), SIGKILL);
  listen([&] { return session_.done(job).has_value(); });
  expect_recovery(answer_to(job), Outcome::engine_died);
}

}  // namespace
}  // namespace warpscope
