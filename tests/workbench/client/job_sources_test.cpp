// tests/workbench/client/job_sources_test.cpp: jobs carry the texts of kernels: an engine reads no
// file.
#include "workbench/client/job_sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>

#include "profiling/session/session.h"
#include "profiling/session/source_standing.h"
#include "scenes/catalogue.h"
#include "scenes/host/paths.h"
#include "tests/folders.h"
#include "tests/scenes/own_home.h"
#include "workbench/client/engine_client.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

const std::string kEngine = built_program("warpscope-engine");
constexpr const char* kVariant = "float4_columns";

Job small_job(JobKind kind) {
  Job job;
  job.work = work_of(kind);
  job.scene = "csrmm";
  job.variant = kVariant;
  job.axes = {{"m", "40"}, {"k", "40"}, {"n", "8"}, {"p", "0.2"}};
  job.time_limit_s = 0.1;
  return job;
}

// An engine of the real program to which $WARPSCOPE_HOME is a folder that is not there.
class EngineWithoutFiles {
 public:
  explicit EngineWithoutFiles(const std::string& role)
      : client_({"env", "WARPSCOPE_HOME=/nonexistent/warpscope", kEngine, "--role", role}) {
    client_.start();
    listen([&] { return client_.ready() || client_.given_up(); }, 60);
  }
  const Session& session() const { return session_; }
  const EngineClient& client() const { return client_; }
  // How the job ended.
  Done run(const Job& job) {
    const std::int64_t number = client_.submit(job);
    listen([&] { return session_.done(number).has_value(); }, 60 + job.hang_limit_s);
    return session_.done(number).value_or(
        Done{number, DoneStatus::failed, Error{ErrorKind::internal, "it did not end"}});
  }
  // The measurement that answers the job.
  Measurement answer(const Job& job) {
    const Done done = run(job);
    EXPECT_EQ(done.status, DoneStatus::finished) << (done.error ? sentence(*done.error) : "");
    return session_.history().empty() ? Measurement{} : session_.history().back();
  }

 private:
  void listen(const std::function<bool()>& enough, double limit_s) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(limit_s);
    while (!enough() && std::chrono::steady_clock::now() < end) {
      client_.wait(0.02);
      for (const Message& message : client_.poll()) session_.apply(message);
    }
  }
  EngineClient client_;
  Session session_;
};

class SourcesInJobs : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kEngine)) GTEST_SKIP() << "the engine is not built";
    EngineWithoutFiles engine("emulate");
    const Capability* emulator = engine.session().engine() == nullptr
                                     ? nullptr
                                     : find_capability(*engine.session().engine(), "emulator");
    if (emulator != nullptr && !emulator->available) GTEST_SKIP() << emulator->reason;
    ASSERT_TRUE(engine.client().ready());
    const Result<fs::path> real = home_folder();
    ASSERT_TRUE(real);
    home_ = std::make_unique<OwnHome>("job-sources");
    home_->copy_kernels(*real / "kernels");
    text_ = read_kernel(path())->text;
  }
  static std::string path() { return std::string("csrmm/") + kVariant + ".cu"; }

  std::unique_ptr<OwnHome> home_;  // of this program, which the engine does not see
  std::string text_;
};

std::string text_hash(const Measurement& m) {
  return m.steps.empty() ? "" : m.steps.front().text_hash;
}

// The kernel's text changes while the engine runs: what is measured next is the new text.
void expect_hot_reload(EngineWithoutFiles& engine, const Job& job, const OwnHome& home,
                       const std::string& path, const std::string& text) {
  const Measurement first = engine.answer(job);
  ASSERT_EQ(first.verdict.outcome, Outcome::correct) << first.verdict.sentence;
  const Variant& variant =
      **find_variant_or_explain(**built_in_catalogue().find("csrmm"), kVariant);
  const LibraryVersions none = [](std::string_view) { return std::nullopt; };
  EXPECT_EQ(first.conditions.code_id,
            current_code_id(variant, {first.axes, first.facts}, sources_on_disk(), none));
  EXPECT_EQ(text_hash(first), text_hash_of(*sources_on_disk()(path)));

  home.write(path, "// another comment\n" + text);
  const Measurement commented = engine.answer(job);
  EXPECT_EQ(commented.verdict.outcome, Outcome::correct) << commented.verdict.sentence;
  EXPECT_EQ(commented.conditions.code_id, first.conditions.code_id);
  EXPECT_NE(text_hash(commented), text_hash(first));
  EXPECT_EQ(SourceStandings(built_in_catalogue()).of(first).state, SourceState::same);

  // It stores nothing.
  const std::size_t body = text.find('{', text.find("__global__"));
  home.write(path, text.substr(0, body) + "{}\n");
  const Measurement broken = engine.answer(job);
  EXPECT_EQ(broken.verdict.outcome, Outcome::wrong) << broken.verdict.sentence;
  EXPECT_NE(broken.conditions.code_id, first.conditions.code_id);
  const SourceStanding standing = SourceStandings(built_in_catalogue()).of(first);
  EXPECT_EQ(standing.state, SourceState::changed);
  EXPECT_THAT(standing.sentence, HasSubstr("measured with an earlier source"));

  home.write(path, text);
  const Measurement mended = engine.answer(job);
  EXPECT_EQ(mended.verdict.outcome, Outcome::correct) << mended.verdict.sentence;
  EXPECT_EQ(mended.conditions.code_id, first.conditions.code_id);
}

TEST_F(SourcesInJobs, LetAnEngineWithoutKernelFilesVerifyAndTrace) {
  EngineWithoutFiles engine("emulate");
  const Measurement verified = engine.answer(small_job(JobKind::verify));
  EXPECT_EQ(verified.verdict.outcome, Outcome::correct) << verified.verdict.sentence;
  const Done traced = engine.run(small_job(JobKind::trace));
  EXPECT_EQ(traced.status, DoneStatus::finished) << (traced.error ? sentence(*traced.error) : "");
  ASSERT_EQ(engine.session().traces().size(), 1u);
  // Headers are named below kernels/, as the kernel is, wherever the engine runs.
  const Trace& trace = *engine.session().traces().front();
  EXPECT_EQ(trace.source, path());
  for (const LineTotals& line : trace.lines) {
    EXPECT_TRUE(line.position.file == path() || read_kernel(line.position.file))
        << line.position.file;
  }
}

TEST_F(SourcesInJobs, ChangeWithTheFileWhileTheEngineRuns) {
  EngineWithoutFiles engine("emulate");
  expect_hot_reload(engine, small_job(JobKind::verify), *home_, path(), text_);
}

TEST_F(SourcesInJobs, LackWhatCannotBeReadAndTheJobSaysSo) {
  home_->remove(path());
  EngineWithoutFiles engine("emulate");
  const Measurement verified = engine.answer(small_job(JobKind::verify));
  EXPECT_EQ(verified.verdict.outcome, Outcome::cannot_run);
  EXPECT_THAT(verified.verdict.sentence, HasSubstr(path()));
  EXPECT_THAT(verified.verdict.sentence, HasSubstr("does not contain the source"));
  const Done traced = engine.run(small_job(JobKind::trace));
  EXPECT_EQ(traced.status, DoneStatus::failed);
  ASSERT_TRUE(traced.error);
  EXPECT_EQ(traced.error->kind, ErrorKind::environment);
  EXPECT_EQ(traced.error->where, path());
}

TEST_F(SourcesInJobs, OfAPersonsOwnKernelGoWithTheHeadersBesideIt) {
  home_->write_anywhere("mine/k.cu",
                        "#include \"twice.cuh\"\n"
                        "extern \"C\" __global__ void k(float* x) {\n"
                        "  x[threadIdx.x] = twice(x[threadIdx.x]);\n}\n");
  home_->write_anywhere("mine/twice.cuh",
                        "__device__ float twice(float x) {\n"
                        "  printf(\"two\\n\");\n  return 2 * x;\n}\n");
  Job job;
  job.work = TraceJob{};
  job.user = UserKernel{home_->path("mine/k.cu"), "k", Launch{{}, {1, 1, 1}}, {"f32[32]"}, {}};
  EngineWithoutFiles engine("emulate");
  Done done = engine.run(job);
  ASSERT_EQ(done.status, DoneStatus::finished) << (done.error ? sentence(*done.error) : "");
  EXPECT_EQ(engine.session().traces().back()->printed, "two\n");
  home_->write_anywhere("mine/twice.cuh",
                        "__device__ float twice(float x) {\n"
                        "  printf(\"too\\n\");\n  return 2 * x;\n}\n");
  done = engine.run(job);
  ASSERT_EQ(done.status, DoneStatus::finished) << (done.error ? sentence(*done.error) : "");
  EXPECT_EQ(engine.session().traces().back()->printed, "too\n");
}

TEST_F(SourcesInJobs, GoOnceAndThenByTheirHash) {
  JobSources sources;
  std::vector<Message> said;
  const Job first = sources.with_sources(small_job(JobKind::measure), said);
  const Job second = sources.with_sources(small_job(JobKind::measure), said);
  ASSERT_GT(first.sources.size(), 20u);
  for (const KernelSource& source : first.sources) EXPECT_FALSE(source.text.empty()) << source.path;
  // The set by its name …
  EXPECT_TRUE(second.sources.empty());
  ASSERT_FALSE(second.source_set.empty());
  EXPECT_EQ(second.source_set, first.source_set);
  EXPECT_LT(to_line(second).size(), 1000u);
  // … and where one text is another, all the others by their hashes.
  home_->write(path(), text_ + "// more\n");
  const Job edited = sources.with_sources(small_job(JobKind::measure), said);
  ASSERT_EQ(edited.sources.size(), first.sources.size());
  EXPECT_NE(edited.source_set, first.source_set);
  std::size_t texts = 0;
  for (std::size_t i = 0; i < first.sources.size(); ++i) {
    const bool same = edited.sources[i].hash == first.sources[i].hash;
    EXPECT_EQ(same, edited.sources[i].text.empty()) << first.sources[i].path;
    texts += same ? 0 : 1;
  }
  EXPECT_EQ(texts, 1u);
  // As it was before is a set that went, too.
  home_->write(path(), text_);
  EXPECT_EQ(sources.with_sources(small_job(JobKind::measure), said).source_set, first.source_set);
  EXPECT_TRUE(said.empty());
  // On the way they are lines like any others.
  const Result<Message> read = parse_line(to_line(first));
  ASSERT_TRUE(read) << sentence(read.error());
  EXPECT_EQ(std::get<Job>(*read).sources, first.sources);
  EXPECT_EQ(std::get<Job>(*read).source_set, first.source_set);
}

TEST_F(SourcesInJobs, OfOneRoundAreLookedAtOnce) {
  JobSources sources;
  std::vector<Message> said;
  sources.begin_round();
  const Job first = sources.with_sources(small_job(JobKind::measure), said);
  home_->write(path(), text_ + "// more\n");
  const Job beside = sources.with_sources(small_job(JobKind::trace), said);
  EXPECT_EQ(beside.source_set, first.source_set);
  EXPECT_TRUE(beside.sources.empty());
  sources.begin_round();
  EXPECT_NE(sources.with_sources(small_job(JobKind::measure), said).source_set, first.source_set);
}

TEST_F(SourcesInJobs, AreNoPartOfWhatASessionHoldsOfAJob) {
  EngineClient client({"sleep", "60"});
  Job job = small_job(JobKind::verify);
  job.job = client.submit(job);
  ASSERT_EQ(client.outstanding().size(), 1u);
  EXPECT_TRUE(client.outstanding().front().sources.empty());
  EXPECT_THAT(to_line(job), Not(HasSubstr("sources")));
}

TEST_F(SourcesInJobs, ThatCannotBeReadAreSaidOnce) {
  JobSources sources;
  std::vector<Message> said;
  Job job;
  job.user = UserKernel{home_->path("absent.cu"), "k", {}, {}, {}};
  EXPECT_TRUE(sources.with_sources(job, said).sources.empty());
  EXPECT_TRUE(sources.with_sources(job, said).sources.empty());
  ASSERT_EQ(said.size(), 1u);
  EXPECT_THAT(std::get<LogLine>(said.front()).text, HasSubstr("absent.cu"));
}

// A baseline whose kernels are ours is followed by the emulator like any variant.
TEST(LiveTraces, FollowWhatRunsKernelsOfOursWhateverItIsCalled) {
  const auto traced = [](const std::string& variant) {
    Workspace workspace({}, {built_program("fake_engine"), "good"});
    EXPECT_TRUE(workspace.choose_scene("csrmm"));
    workspace.selection.variant = variant;
    workspace.update();
    for (const auto& [number, job] : workspace.session().jobs()) {
      if (job.is<TraceJob>() && is_live(job) && job.variant == variant) return true;
    }
    return false;
  };
  EXPECT_EQ((*find_variant_or_explain(**built_in_catalogue().find("csrmm"), "gather_segment_add"))
                ->family,
            "library");
  EXPECT_TRUE(traced("gather_segment_add"));
  EXPECT_TRUE(traced(kVariant));
  EXPECT_FALSE(traced("cusparse_default"));
}

// The same on a device.
class GpuSourcesInJobs : public SourcesInJobs {};

TEST_F(GpuSourcesInJobs, ChangeWithTheFileWhileTheEngineRuns) {
  EngineWithoutFiles engine("measure");
  const Hello* hello = engine.session().engine();
  if (hello == nullptr || !hello->device) {
    const Capability* cuda = hello != nullptr ? find_capability(*hello, "cuda") : nullptr;
    GTEST_SKIP() << (cuda != nullptr ? cuda->reason : "the engine did not start");
  }
  expect_hot_reload(engine, small_job(JobKind::measure), *home_, path(), text_);
  Job roofs;
  roofs.work = RoofsJob{.fresh = true};
  roofs.hang_limit_s = 600;
  const Done done = engine.run(roofs);
  EXPECT_EQ(done.status, DoneStatus::finished) << (done.error ? sentence(*done.error) : "");
}

}  // namespace
}  // namespace warpscope
