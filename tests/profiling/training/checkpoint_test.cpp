// tests/profiling/training/checkpoint_test.cpp: a checkpoint is read as it was written, or refused
// in one sentence.
#include "profiling/training/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "profiling/messages/protocol.h"
#include "profiling/session/session.h"
#include "tests/folders.h"
#include "tests/profiling/training/training_state.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string refusal(const std::string& text) {
  const Result<TrainingState> state = parse_checkpoint(text, "run.checkpoint");
  if (state) return "";
  EXPECT_EQ(state.error().kind, ErrorKind::input);
  EXPECT_FALSE(state.error().remedy.empty());
  return sentence(state.error());
}

// As whoever knows the format would forge it: with a hash that is right.
std::string refusal_of(const TrainingState& state) { return refusal(checkpoint_text(state)); }

TEST(Checkpoint, IsReadAsItWasWritten) {
  const TrainingState state = sample::training_state();
  const Result<TrainingState> read = parse_checkpoint(checkpoint_text(state), "run.checkpoint");
  ASSERT_TRUE(read) << sentence(read.error());
  EXPECT_EQ(read->scene, state.scene);
  EXPECT_EQ(read->variant, state.variant);
  EXPECT_EQ(read->axes, state.axes);
  EXPECT_EQ(read->settings, state.settings);
  EXPECT_EQ(read->step, state.step);
  EXPECT_EQ(read->steps, state.steps);
  EXPECT_EQ(read->epoch, state.epoch);
  // To the bit: the mean of an epoch goes on from it.
  EXPECT_EQ(read->epoch_loss, state.epoch_loss);
  EXPECT_EQ(read->first_loss, state.first_loss);
  EXPECT_EQ(read->weights, state.weights);
}

TEST(Checkpoint, IsRefusedWhereverItIsTorn) {
  const std::string text = checkpoint_text(sample::training_state());
  for (std::size_t bytes = 0; bytes < text.size(); ++bytes)
    ASSERT_NE(refusal(text.substr(0, bytes)), "") << bytes << " of " << text.size();
}

TEST(Checkpoint, IsRefusedWhereverAByteIsAnother) {
  const std::string text = checkpoint_text(sample::training_state());
  for (std::size_t at = 0; at < text.size(); at += 7) {
    std::string damaged = text;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    ASSERT_NE(refusal(damaged), "") << at;
  }
}

TEST(Checkpoint, SaysWhatIsWrongWithIt) {
  const TrainingState good = sample::training_state();
  std::string text = checkpoint_text(good);
  EXPECT_THAT(refusal(""), HasSubstr("is empty"));
  EXPECT_THAT(refusal("PK\x03\x04"), HasSubstr("not a checkpoint"));
  EXPECT_THAT(refusal(text.substr(0, 500)), HasSubstr("torn after 500 bytes"));
  std::string damaged = text;
  damaged[damaged.size() / 2] = damaged[damaged.size() / 2] == '0' ? '1' : '0';
  EXPECT_THAT(refusal(damaged), HasSubstr("is damaged: its hash is another one"));
  text.replace(text.find(" 1 "), 3, " 2 ");
  EXPECT_THAT(refusal(text), HasSubstr("of format 2, this version reads 1"));
}

TEST(Checkpoint, OfAForeignTrainingIsRefused) {
  TrainingState state = sample::training_state();
  state.scene = "csrmm";
  EXPECT_THAT(refusal_of(state), HasSubstr("scene csrmm"));
  state = sample::training_state();
  state.variant = "step_of_tomorrow";
  EXPECT_THAT(refusal_of(state), HasSubstr("variant step_of_tomorrow"));
  state = sample::training_state();
  state.axes["channels"] = "8";
  EXPECT_THAT(refusal_of(state), HasSubstr("1644 bytes, and "));
  state = sample::training_state();
  state.axes["channels"] = "wide";
  EXPECT_THAT(refusal_of(state), HasSubstr("channels"));
  state = sample::training_state();
  state.settings["samples"] = "-1";
  EXPECT_THAT(refusal_of(state), HasSubstr("samples"));
  state = sample::training_state();
  state.step = 13;
  EXPECT_THAT(refusal_of(state), HasSubstr("step 13 of 12"));
}

TEST(Checkpoint, IsWrittenWholeOrNotAtAll) {
  const std::filesystem::path folder = testing::TempDir() + "checkpoints";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::filesystem::path path = folder / "run.checkpoint";
  TrainingState state = sample::training_state();
  ASSERT_TRUE(write_checkpoint(path, state));
  state.step = 6;
  ASSERT_TRUE(write_checkpoint(path, state));
  EXPECT_EQ(read_checkpoint(path)->step, 6);
  // Nothing is left beside it.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  const Result<void> nowhere = write_checkpoint(folder / "none" / "run.checkpoint", state);
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().kind, ErrorKind::environment);
  EXPECT_FALSE(read_checkpoint(folder / "missing.checkpoint"));
}

Series piece(std::vector<double> x, std::vector<double> y, bool continues) {
  Series series;
  series.point = {"autoencoder", "step_nchw", "part=step", "", ""};
  series.name = "loss";
  series.x = std::move(x);
  series.y = std::move(y);
  series.continues = continues;
  series.partial = true;
  return series;
}

// As a file keeps it: nothing but appended lines.
TEST(GrowingCurves, AreOneCurveOfASessionReplayed) {
  const std::filesystem::path path = testing::TempDir() + "growing.wsj";
  std::filesystem::remove(path);
  {
    Result<SessionFile> file = SessionFile::open(path);
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->append(piece({9}, {9}, true)));  // of an earlier training
    ASSERT_TRUE(file->append(piece({1, 2}, {1, 0.5}, false)));
    ASSERT_TRUE(file->append(sample::training_state()));
    ASSERT_TRUE(file->append(piece({3, 4, 5}, {0.4, 0.3, 0.2}, true)));
    // The engine was killed after step 5 and goes on from its checkpoint of step 3.
    ASSERT_TRUE(file->append(piece({4, 5, 6}, {0.3, 0.25, 0.1}, true)));
    Job job;
    job.work = TrainJob{};
    job.as<TrainJob>()->resume = sample::training_state();
    ASSERT_TRUE(file->append(job));
  }
  // A torn session keeps what was flushed.
  std::ofstream(path, std::ios::app) << R"({"type":"series","name":"lo)";
  const Result<SessionReading> reading = read_session(path);
  ASSERT_TRUE(reading) << sentence(reading.error());
  EXPECT_EQ(reading->warnings.size(), 1u);
  const std::vector<const Series*> series = reading->session.outcomes().series();
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0]->x, (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(series[0]->y, (std::vector<double>{1, 0.5, 0.4, 0.3, 0.25, 0.1}));
  // Weights are in no session.
  EXPECT_LT(std::filesystem::file_size(path), 4000u);
}

TEST(TrainingMessages, SurviveTheLine) {
  Job job;
  job.work = TrainJob{};
  job.as<TrainJob>()->training = {{"samples", "8"}};
  job.as<TrainJob>()->checkpoint_s = 2.5;
  job.as<TrainJob>()->latents = true;
  job.as<TrainJob>()->resume = sample::training_state();
  const Message message = *parse_line(to_line(job));
  ASSERT_TRUE(std::get<Job>(message).is<TrainJob>());
  const TrainJob& read = *std::get<Job>(message).as<TrainJob>();
  EXPECT_EQ(read.training, job.as<TrainJob>()->training);
  EXPECT_EQ(read.checkpoint_s, 2.5);
  EXPECT_TRUE(read.latents);
  ASSERT_TRUE(read.resume);
  EXPECT_EQ(read.resume->weights, job.as<TrainJob>()->resume->weights);
  const Latents latents{3, 4, {1, 2}, {0, 255, 16, 1}};
  const Message other = *parse_line(to_line(latents));
  EXPECT_EQ(std::get<Latents>(other).shape, latents.shape);
  EXPECT_EQ(std::get<Latents>(other).values, latents.values);
  EXPECT_FALSE(parse_line(R"({"type":"latents","values":"0"})"));
  EXPECT_FALSE(parse_line(R"({"type":"training_state","weights":"0g"})"));
}

}  // namespace
}  // namespace warpscope
