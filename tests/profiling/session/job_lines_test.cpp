// tests/profiling/session/job_lines_test.cpp: each kind of job is written and read as it always
// was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <sstream>
#include <string>

#include "profiling/messages/protocol.h"
#include "profiling/session/session.h"
#include "tests/folders.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;

Job read(const std::string& line) {
  const Result<Message> message = parse_line(line);
  EXPECT_TRUE(message) << sentence(message.error());
  return message ? std::get<Job>(*message) : Job{};
}

// {"type":"job","job":3,"kind":KIND, and what follows}
Job read(const char* kind, const std::string& fields) {
  return read(R"({"type":"job","job":3,"scene":"led","variant":"lds","kind":")" +
              std::string(kind) + "\"" + fields + "}");
}

TEST(JobLines, OfEveryShippedSessionAreWrittenAsTheyWereRead) {
  std::map<JobKind, int> lines;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(source_folder() / "assets")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".wsj") && !name.ends_with(".wsj.gz")) continue;
    const Result<std::string> text = session_text(entry.path());
    ASSERT_TRUE(text) << sentence(text.error());
    std::istringstream stream(*text);
    for (std::string line; std::getline(stream, line);) {
      if (line.find(R"("type":"job")") == std::string::npos) continue;
      const Job job = read(line);
      EXPECT_EQ(to_line(job), line) << name;
      ++lines[job.kind()];
    }
  }
  EXPECT_GT(lines[JobKind::measure], 3000);
  EXPECT_GT(lines[JobKind::timeline], 100);
  EXPECT_GT(lines[JobKind::roofs], 5);
  EXPECT_GT(lines[JobKind::train], 5);
}

TEST(JobLines, NameTheirKindByItsPayload) {
  EXPECT_TRUE(read("measure", "").is<MeasureJob>());
  EXPECT_TRUE(read("roofs", "").is<RoofsJob>());
  EXPECT_TRUE(read("timeline", "").is<TimelineJob>());
  EXPECT_TRUE(read("verify", "").is<VerifyJob>());
  EXPECT_TRUE(read("selftest", "").is<SelftestJob>());
  EXPECT_TRUE(read("trace", "").is<TraceJob>());
  EXPECT_TRUE(read("registers", "").is<RegistersJob>());
  EXPECT_TRUE(read("outputs", "").is<OutputsJob>());
  EXPECT_TRUE(read("listing", "").is<ListingJob>());
  EXPECT_TRUE(read("train", "").is<TrainJob>());
  for (const char* kind : {"measure", "roofs", "timeline", "verify", "selftest", "trace",
                           "registers", "outputs", "listing", "train"}) {
    EXPECT_THAT(to_line(read(kind, "")), HasSubstr(R"("kind":")" + std::string(kind) + "\""));
  }
  EXPECT_TRUE(read("dream", "").is<MeasureJob>()) << "of a newer version";
}

TEST(JobLines, KeepTheFieldsOfTheirKind) {
  const std::string lines[] = {
      // fields sorted by name
      {R"({"axes":{},"choose":"measure","cold_counters":true,"counters":"standard","hang_limit_s":30.0,)"
       R"("job":1,"kind":"measure","live":true,"scene":"led","time":false,)"
       R"("time_limit_s":0.15,"type":"job","variant":"lds"})"},
      {R"({"axes":{},"cold_counters":false,"counters":"none","first":true,)"
       R"("fresh":true,"hang_limit_s":120.0,"job":1,"kind":"roofs","scene":"led",)"
       R"("tag":"roofs","time_limit_s":15.0,"type":"job","variant":""})"},
      {R"({"axes":{},"cold_counters":false,"counters":"none",)"
       R"("hang_limit_s":30.0,"hard_case":"primes","job":1,"kind":"verify",)"
       R"("scene":"led","time_limit_s":15.0,"type":"job","variant":"lds"})"},
      {R"({"axes":{"n":"8"},"block":"1,2,3","cold_counters":false,)"
       R"("counters":"none","grid":false,"hang_limit_s":30.0,"job":1,)"
       R"("kind":"trace","live":true,"sample_instructions":5,"scene":"led",)"
       R"("step":"fill","time_limit_s":15.0,"type":"job","variant":"lds","warp":4})"},
      {R"({"architectures":[90,80],"axes":{},"cold_counters":false,)"
       R"("counters":"none","hang_limit_s":30.0,"job":1,"kind":"registers",)"
       R"("scene":"led","time_limit_s":15.0,"type":"job","variant":"lds"})"},
      {R"({"axes":{},"cold_counters":false,"counters":"none",)"
       R"("hang_limit_s":30.0,"job":1,"kind":"outputs","other":"regs",)"
       R"("scene":"led","time_limit_s":15.0,"type":"job","variant":"lds"})"},
      {R"({"architectures":[90],"axes":{},"cold_counters":false,)"
       R"("counters":"none","hang_limit_s":30.0,"job":1,"kind":"listing",)"
       R"("scene":"led","step":"fill","time_limit_s":15.0,"type":"job",)"
       R"("variant":"lds"})"},
      {R"({"axes":{},"checkpoint_s":2.5,"cold_counters":false,)"
       R"("counters":"none","hang_limit_s":30.0,"job":1,"kind":"train",)"
       R"("latents":true,"scene":"led","time_limit_s":15.0,)"
       R"("training":{"epochs":"3"},"type":"job","variant":"lds"})"},
  };
  for (const std::string& line : lines) EXPECT_EQ(to_line(read(line)), line);
}

TEST(JobLines, LeaveFieldsOfOtherKindsAside) {
  const Job traced = read("trace", R"(,"counters":"full","time":false,"hard_case":"primes")");
  EXPECT_EQ(counters_of(traced), "none");
  EXPECT_THAT(to_line(traced), Not(HasSubstr("primes")));
  // A window wrote this of its timelines.
  EXPECT_TRUE(read("timeline", R"(,"time":false)").is<TimelineJob>());
  EXPECT_TRUE(is_live(read("trace", R"(,"live":true)")));
  EXPECT_TRUE(is_live(read("measure", R"(,"live":true)")));
  EXPECT_FALSE(is_live(read("verify", R"(,"live":true)")));
}

}  // namespace
}  // namespace warpscope
