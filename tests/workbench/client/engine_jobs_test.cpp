// tests/workbench/client/engine_jobs_test.cpp: the list of unanswered jobs follows the engine's
// queue.
#include "workbench/client/engine_jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpscope {
namespace {

using testing::ElementsAre;

Job job_of(std::int64_t number, const std::string& tag = {}) {
  Job job;
  job.job = number;
  job.tag = tag;
  return job;
}

std::vector<std::int64_t> numbers(const EngineJobs& jobs) {
  std::vector<std::int64_t> all;
  for (const Job& job : jobs.all()) all.push_back(job.job);
  return all;
}

TEST(EngineJobs, AnUrgentOneStandsAfterTheOneThatRunsAndBeforeThoseThatWait) {
  EngineJobs jobs;
  jobs.add(job_of(1));
  jobs.add(job_of(2));
  Job urgent = job_of(3);
  urgent.first = true;
  jobs.began(1);
  jobs.add(urgent);
  EXPECT_THAT(numbers(jobs), ElementsAre(1, 3, 2));
  jobs.forget_begun();  // none runs: a later urgent one stands before all
  urgent.job = 4;
  jobs.add(urgent);
  EXPECT_THAT(numbers(jobs), ElementsAre(4, 1, 3, 2));
}

TEST(EngineJobs, BeforeTheEngineIsUpANewerOneTakesThePlaceOfItsTag) {
  EngineJobs jobs;
  EXPECT_FALSE(jobs.wait_with(job_of(1, "live")));
  EXPECT_FALSE(jobs.wait_with(job_of(2)));
  EXPECT_EQ(jobs.wait_with(job_of(3, "live")), 1);
  EXPECT_FALSE(jobs.wait_with(job_of(4))) << "jobs without a tag replace nothing";
  EXPECT_THAT(numbers(jobs), ElementsAre(3, 2, 4));
}

TEST(EngineJobs, AReplacedOneThatWaitedGivesItsPlaceToTheNewerOne) {
  EngineJobs jobs;
  for (const Job& job : {job_of(1, "live"), job_of(2), job_of(3, "live")}) jobs.add(job);
  jobs.finish({1, DoneStatus::replaced});
  EXPECT_THAT(numbers(jobs), ElementsAre(3, 2));
  // One that ran when it was replaced leaves the newer one where it stands.
  for (const Job& job : {job_of(4), job_of(5, "live")}) jobs.add(job);
  jobs.began(3);
  jobs.finish({3, DoneStatus::replaced});
  EXPECT_THAT(numbers(jobs), ElementsAre(2, 4, 5));
  EXPECT_EQ(jobs.running(), nullptr);
  EXPECT_EQ(jobs.in_hand()->job, 2) << "the one that is begun next";
}

TEST(EngineJobs, CancelledOnesAreAnsweredAsCancelledAlsoWhereNoEngineIsToBeHad) {
  EngineJobs jobs;
  for (const Job& job : {job_of(1, "sweep/0"), job_of(2, "run"), job_of(3, "sweep/1")})
    jobs.add(job);
  EXPECT_THAT(jobs.cancel_tagged("sweep/"), ElementsAre(1, 3));
  EXPECT_THAT(jobs.cancel_tagged("sweep/"), ElementsAre()) << "the engine is told once";
  std::vector<Message> answers;
  jobs.fail_all({ErrorKind::environment, "there is no engine", "", ""}, answers);
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(std::get<Done>(answers[0]).status, DoneStatus::cancelled);
  EXPECT_EQ(std::get<Done>(answers[1]).status, DoneStatus::failed);
  EXPECT_EQ(std::get<Done>(answers[1]).error->what, "there is no engine");
  EXPECT_EQ(std::get<Done>(answers[2]).status, DoneStatus::cancelled);
  EXPECT_TRUE(jobs.empty());
}

TEST(EngineJobs, ATrainingGoesOnOnlyFromALaterStepThanItWasSentWith) {
  EngineJobs jobs;
  Job training = job_of(1);
  training.work = TrainJob{};
  training.as<TrainJob>()->resume.emplace().step = 10;
  jobs.add(training);
  jobs.sent(training);
  TrainingState state;
  state.job = 1;
  state.step = 10;
  EXPECT_FALSE(jobs.note(state));
  state.step = 11;
  EXPECT_TRUE(jobs.note(state));
  EXPECT_EQ(jobs.all().front().as<TrainJob>()->resume->step, 11);
}

}  // namespace
}  // namespace warpscope
