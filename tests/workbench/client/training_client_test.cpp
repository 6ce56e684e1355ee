// tests/workbench/client/training_client_test.cpp: a training beside other jobs of a real engine,
// and after one that was killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>

#include "profiling/session/session.h"
#include "scenes/host/clock.h"
#include "tests/folders.h"
#include "workbench/client/engine_client.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

std::vector<std::string> emulator() {
  return {built_program("warpscope-engine"), "--role", "emulate"};
}

// A training on the processor with images of 8×8: thousands of steps per second.
Job training(int epochs) {
  Job job;
  job.work = TrainJob{};
  job.tag = "train";
  job.scene = "autoencoder";
  job.variant = "cpu_sequential";
  job.axes = {{"part", "step"}, {"batch", "4"}, {"channels", "4"}, {"size", "8"}, {"lr", "0.05"}};
  job.as<TrainJob>()->training = {{"samples", "64"}, {"epochs", std::to_string(epochs)}};
  job.as<TrainJob>()->checkpoint_s = 0.05;
  return job;
}

// What came, in order.
class Conversation {
 public:
  explicit Conversation(EngineClient& client) : client_(client) {}
  template <typename Happened>
  bool until(Happened happened, double seconds = 120) {
    const auto start = std::chrono::steady_clock::now();
    while (!happened()) {
      if (seconds_since(start) > seconds) return false;
      client_.wait(0.05);
      for (Message& message : client_.poll()) {
        session_.apply(message);
        if (const auto* state = std::get_if<TrainingState>(&message)) last_ = *state;
        if (const auto* log = std::get_if<LogLine>(&message)) log_ += log->text + "\n";
        said_.push_back(std::move(message));
      }
    }
    return true;
  }
  const Session& session() const { return session_; }
  const std::optional<TrainingState>& last() const { return last_; }
  const std::string& log() const { return log_; }
  std::vector<double> curve(const std::string& name) const {
    for (const Series* series : session_.outcomes().series()) {
      if (series->name == name) return series->y;
    }
    return {};
  }
  // Where the first message of a job's kind came.
  template <typename M>
  std::ptrdiff_t first(std::int64_t job) const {
    const auto found = std::find_if(said_.begin(), said_.end(), [job](const Message& message) {
      const auto* one = std::get_if<M>(&message);
      return one != nullptr && one->job == job;
    });
    return found == said_.end() ? -1 : found - said_.begin();
  }

 private:
  EngineClient& client_;
  Session session_;
  std::optional<TrainingState> last_;
  std::string log_;
  std::vector<Message> said_;
};

TEST(TrainingClient, JobsOfADragAreAnsweredWhileATrainingRuns) {
  EngineClient client(emulator());
  Conversation talk(client);
  const std::int64_t train = client.submit(training(10000));
  ASSERT_TRUE(talk.until([&] { return talk.last().has_value(); })) << talk.log();
  std::int64_t drag = 0;
  for (const char* n : {"64", "128", "192"}) {
    Job job;
    job.work = TraceJob{};
    job.tag = "live trace";
    job.scene = "patterns";
    job.variant = "copy";
    job.axes = {{"n", n}};
    job.as<TraceJob>()->grid = false;
    drag = client.submit(job);
  }
  ASSERT_TRUE(talk.until([&] { return talk.session().done(drag).has_value(); })) << talk.log();
  EXPECT_EQ(talk.session().done(drag)->status, DoneStatus::finished);
  EXPECT_FALSE(talk.session().done(train)) << "the training was over: nothing was served between";
  // It goes on after them.
  const std::int64_t step = talk.last()->step;
  ASSERT_TRUE(talk.until([&] { return talk.last()->step > step; }));
  // A pause: it ends with a whole step and its state.
  client.cancel_tagged("train");
  ASSERT_TRUE(talk.until([&] { return talk.session().done(train).has_value(); }));
  EXPECT_EQ(talk.session().done(train)->status, DoneStatus::cancelled);
  // One step in every eight of 160 000 is drawn. Whether one of the last eight is drawn already
  // depends on where the pause fell.
  const auto drawn = static_cast<std::int64_t>(talk.curve("loss").size());
  EXPECT_GE(drawn, talk.last()->step / 8);
  EXPECT_LE(drawn, (talk.last()->step + 7) / 8);
}

TEST(TrainingClient, ANewerTrainingTakesThePlaceOfTheOneUnderWay) {
  EngineClient client(emulator());
  Conversation talk(client);
  const std::int64_t older = client.submit(training(10000));
  ASSERT_TRUE(talk.until([&] { return talk.last().has_value(); })) << talk.log();
  const std::int64_t newer = client.submit(training(1));
  ASSERT_TRUE(talk.until([&] { return talk.session().done(newer).has_value(); }));
  EXPECT_EQ(talk.session().done(older)->status, DoneStatus::replaced);
  EXPECT_EQ(talk.session().done(newer)->status, DoneStatus::finished)
      << sentence(talk.session().done(newer)->error.value_or(Error{}));
}

TEST(TrainingClient, GoesOnFromItsLastCheckpointWhereTheEngineIsKilled) {
  constexpr int kEpochs = 400;
  EngineClient unbroken_client(emulator()), client(emulator());
  Conversation unbroken(unbroken_client), talk(client);
  const std::int64_t whole = unbroken_client.submit(training(kEpochs));
  ASSERT_TRUE(unbroken.until([&] { return unbroken.session().done(whole).has_value(); }));
  const std::int64_t train = client.submit(training(kEpochs));
  for (int kills = 0; kills < 2; ++kills) {
    const std::int64_t before = talk.last() ? talk.last()->step : 0;
    ASSERT_TRUE(talk.until([&] { return talk.last() && talk.last()->step > before + 16; }))
        << talk.log();
    ASSERT_FALSE(talk.session().done(train)) << "too quick to be killed";
    ASSERT_GT(client.process(), 0);
    ::kill(client.process(), SIGKILL);
    ASSERT_TRUE(talk.until(
        [&] { return std::count(talk.log().begin(), talk.log().end(), '\n') > 2 * kills; }));
  }
  ASSERT_TRUE(talk.until([&] { return talk.session().done(train).has_value(); })) << talk.log();
  EXPECT_EQ(talk.session().done(train)->status, DoneStatus::finished);
  EXPECT_THAT(talk.log(), HasSubstr("the training continues from step"));
  EXPECT_EQ(talk.last()->weights, unbroken.last()->weights);
  for (const char* name : {"loss", "train", "test", "psnr"})
    EXPECT_EQ(talk.curve(name), unbroken.curve(name)) << name;
  // It says nothing of the rung.
  EXPECT_TRUE(talk.session().all_points().empty());
}

TEST(TrainingClient, FailsWhereTheEngineDiesBeforeItCameAnyFurther) {
  EngineClient client(emulator());
  Conversation talk(client);
  Job job = training(10000);
  job.as<TrainJob>()->checkpoint_s = 1000;
  const std::int64_t train = client.submit(job);
  ASSERT_TRUE(talk.until([&] { return !talk.curve("loss").empty(); })) << talk.log();
  ::kill(client.process(), SIGKILL);
  ASSERT_TRUE(talk.until([&] { return talk.session().done(train).has_value(); }));
  EXPECT_EQ(talk.session().done(train)->status, DoneStatus::failed);
  EXPECT_TRUE(talk.session().all_points().empty());
}

}  // namespace
}  // namespace warpscope
