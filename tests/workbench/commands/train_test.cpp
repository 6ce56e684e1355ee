// tests/workbench/commands/train_test.cpp: `warpscope train` by the real programs, without a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "profiling/session/session.h"
#include "scenes/catalogue.h"
#include "scenes/training.h"
#include "tests/folders.h"
#include "tests/workbench/commands/command_line.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Train : public CommandLine {
 protected:
  Ran train(const std::string& words, int limit_s = 120) const {
    return run("train autoencoder/cpu_sequential batch=2 channels=4 size=8 lr=0.05 samples=8 " +
                   words + " --checkpoint {folder}/run.checkpoint",
               "", limit_s);
  }
};

TEST_F(Train, PrintsItsEpochsAndKeepsWhatIsAskedFor) {
  const Ran ran = train(
      "epochs=3 --session {folder}/run.wsj --csv {folder}/curves.csv --export-weights "
      "{folder}/weights --export-latents {folder}/latents.npy");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("epoch"), HasSubstr("held-out loss"), HasSubstr("psnr dB")));
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 2 + 4);
  EXPECT_THAT(ran.err, HasSubstr("step 12 of 12 is kept: --resume"));
  EXPECT_EQ(text_of(path("weights/weights.f32")).size(), 1644u);
  EXPECT_THAT(text_of(path("latents.npy")), HasSubstr("'shape': (2, 2, 2, 2)"));
  EXPECT_THAT(text_of(path("curves.csv")), HasSubstr("psnr"));
  // What a window opens later: curves and pictures, and no weights.
  const auto reading = read_session(path("run.wsj"));
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->session.outcomes().series().size(), 5u);
  EXPECT_EQ(reading->session.outcomes().pictures().size(), 3u);
  for (const Series* series : reading->session.outcomes().series()) EXPECT_FALSE(series->partial);
  EXPECT_THAT(text_of(path("run.wsj")), Not(HasSubstr("training_state")));
}

TEST_F(Train, WritesOverNoFileThatIsNoCheckpoint) {
  const std::string mine = write("run.checkpoint", "what a person wrote\n");
  const Ran ran = train("epochs=1");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("not a checkpoint and is not written over"));
  EXPECT_EQ(text_of(mine), "what a person wrote\n");
  // Its own it writes over, as it does an empty one.
  write("run.checkpoint", "");
  for (int again = 0; again < 2; ++again) EXPECT_EQ(train("epochs=1").status, 0);
}

TEST_F(Train, SaysNothingIsKeptThatCouldNotBeWritten) {
  const Ran ran =
      run("train autoencoder/cpu_sequential batch=2 channels=4 size=8 lr=0.05 samples=8 epochs=1 "
          "--checkpoint {folder}/absent/run.checkpoint");
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.err, HasSubstr("cannot be written"));
  EXPECT_THAT(ran.err, Not(HasSubstr("is kept")));
}

std::vector<float> floats_of_npy(const std::string& file) {
  const auto header =
      static_cast<unsigned char>(file.at(8)) + 256u * static_cast<unsigned char>(file.at(9));
  std::vector<float> values((file.size() - 10 - header) / sizeof(float));
  std::memcpy(values.data(), file.data() + 10 + header, values.size() * sizeof(float));
  return values;
}

// The mean of squares against the held-out images themselves is the loss that the training said.
TEST_F(Train, MakesImagesOfExportedCodesAgain) {
  ASSERT_EQ(train("epochs=3 --session {folder}/run.wsj --export-weights {folder}/weights "
                  "--export-latents {folder}/latents.npy")
                .status,
            0);
  const std::string decode =
      "train autoencoder batch=2 channels=4 size=8 --decode {folder}/latents.npy --out {folder}/";
  const Ran ran = run(decode + "images.npy --weights {folder}/weights");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(text_of(path("images.npy")), HasSubstr("'shape': (2, 3, 8, 8)"));
  const std::vector<float> made = floats_of_npy(text_of(path("images.npy")));
  const Scene& scene = *built_in_catalogue().find("autoencoder").value();
  const Configuration axes =
      configured(scene, "cpu_sequential",
                 {{"part", "step"}, {"batch", "2"}, {"channels", "4"}, {"size", "8"}})
          .value();
  const TrainingSet set = scene.training->open(axes, 8).value();
  std::vector<float> images(made.size());
  ASSERT_EQ(set.held_out, 2);
  set.fill(set.samples, images);
  double loss = 0;
  for (std::size_t i = 0; i < made.size(); ++i)
    loss += std::pow(double{made[i]} - double{images[i]}, 2) / static_cast<double>(made.size());
  const auto reading = read_session(path("run.wsj"));
  ASSERT_TRUE(reading);
  for (const Series* series : reading->session.outcomes().series()) {
    if (series->name != "test") continue;
    EXPECT_NEAR(loss, series->y.back(), 1e-6 * loss);
  }
  EXPECT_GT(loss, 0);
  // The same by the checkpoint, which says its axes itself.
  const Ran resumed =
      run("train autoencoder --resume {folder}/run.checkpoint --decode "
          "{folder}/latents.npy --out {folder}/again.npy");
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(text_of(path("again.npy")), text_of(path("images.npy")));
  ASSERT_EQ(run(decode + "images.png --weights {folder}/weights").status, 0);
  EXPECT_THAT(text_of(path("images.png")), testing::StartsWith("\x89PNG"));
}

TEST_F(Train, RefusesCodesThatItCannotRead) {
  ASSERT_EQ(train("epochs=1 --export-weights {folder}/weights --export-latents "
                  "{folder}/latents.npy")
                .status,
            0);
  const auto refused = [&](const std::string& words, int status = 2) {
    const Ran ran = run("train autoencoder " + words);
    EXPECT_EQ(ran.status, status) << words;
    EXPECT_FALSE(std::filesystem::exists(path("out.npy")));
    return ran.err;
  };
  const std::string small = "batch=2 channels=4 size=8 ", out = " --out {folder}/out.npy";
  const std::string codes = "--decode {folder}/latents.npy", by = " --weights {folder}/weights";
  EXPECT_THAT(refused(small + codes + out), AllOf(HasSubstr("--weights"), HasSubstr("--resume")));
  EXPECT_THAT(refused(small + codes + by), HasSubstr("--out"));
  EXPECT_THAT(refused(small + by + out), HasSubstr("--decode"));
  EXPECT_THAT(refused(small + codes + by + " --out {folder}/out.jpg"),
              AllOf(HasSubstr("out.jpg"), HasSubstr(".png or .npy")));
  EXPECT_THAT(refused("batch=2 channels=4 size=16 " + codes + by + out),
              AllOf(HasSubstr("(2, 2, 2, 2)"), HasSubstr("(2, 2, 4, 4)")));
  EXPECT_THAT(refused(small + "--decode {folder}/weights/weights.f32" + by + out),
              HasSubstr("weights.f32"));
  EXPECT_THAT(refused(small + "--decode {folder}/none.npy" + by + out), HasSubstr("none.npy"));
}

TEST_F(Train, GoesOnFromACheckpointToTheBitsOfAnUnbrokenRun) {
  ASSERT_EQ(train("epochs=4 --export-weights {folder}/whole").status, 0);
  ASSERT_EQ(train("epochs=2").status, 0);
  const Ran rest = run(
      "train autoencoder epochs=4 --resume {folder}/run.checkpoint --export-weights {folder}/rest "
      "--json");
  ASSERT_EQ(rest.status, 0) << rest.err;
  EXPECT_EQ(text_of(path("rest/weights.f32")), text_of(path("whole/weights.f32")));
  // Steps 9 to 16 alone were run.
  for (const auto& series : nlohmann::json::parse(rest.out)["series"]) {
    if (series["name"] != "loss") continue;
    EXPECT_EQ(series["x"].front(), 9);
  }
  // From the same weights, with nothing to learn.
  const Ran same =
      run("train autoencoder/cpu_sequential batch=2 channels=4 size=8 lr=0 samples=8 epochs=1 "
          "--weights {folder}/whole --export-weights {folder}/same --checkpoint {folder}/c");
  ASSERT_EQ(same.status, 0) << same.err;
  EXPECT_EQ(text_of(path("same/weights.f32")), text_of(path("whole/weights.f32")));
}

TEST_F(Train, ResumesWithTheRungOfTheCheckpoint) {
  ASSERT_EQ(train("epochs=2").status, 0);
  expect_statuses({
      {"train autoencoder/step_nchw --resume {folder}/run.checkpoint",
       2,
       {"has variant cpu_sequential, but you asked for step_nchw"},
       {}},
      {"train autoencoder channels=8 --resume {folder}/run.checkpoint",
       2,
       {"has channels=4, but you asked for 8"},
       {}},
      {"train autoencoder samples=16 --resume {folder}/run.checkpoint",
       2,
       {"has samples=8, but you asked for 16"},
       {}},
      {"train autoencoder --resume {folder}/run.checkpoint --weights {folder}/w",
       2,
       {"has weights of its own"},
       {}},
  });
}

TEST_F(Train, BadArgumentsAreNamed) {
  write("short.f32", "0123");
  write("torn.checkpoint", "warpscope checkpoint 1 00");
  write("other.checkpoint", "not one");
  const std::string small =
      "train autoencoder/cpu_sequential batch=2 channels=4 --checkpoint {folder}/c ";
  expect_statuses({
      {"train csrmm", 2, {"train nothing"}, {}},
      {"train autoencoder/naive_nhwc", 2, {"not a whole training step"}, {}},
      {"train autoencoder part=conv", 2, {"part=step, not conv"}, {}},
      {"train autoencoder unheard=1", 2, {"unheard"}, {}},
      {small + "size=8 samples=0", 2, {"samples"}, {}},
      {small + "size=8 epochs=x", 2, {"epochs"}, {}},
      {small + "size=8 --weights {folder}/short.f32",
       2,
       {"has 4 bytes, and 1644 are expected", "[out, 3, 3, in]"},
       {}},
      {small + "size=8 --weights {folder}/short.f32 --layout chwn", 2, {"chwn", "nhwc"}, {}},
      {small + "size=8 --resume {folder}/torn.checkpoint", 2, {"torn"}, {}},
      {small + "size=8 --resume {folder}/other.checkpoint", 2, {"not a checkpoint"}, {}},
      {small + "size=8 --resume {folder}/missing.checkpoint", 2, {"no such file"}, {}},
      {small + "size=32 data=file data_file={folder}/missing.bin", 2, {"no such file"}, {}},
  });
}

// A rate that is too large is the person's to change, and nothing is made of what it made.
TEST_F(Train, StopsWhereTheLossIsNoNumber) {
  const std::vector<float> wild(411, std::nanf(""));
  write("wild.f32", std::string(reinterpret_cast<const char*>(wild.data()), 4 * wild.size()));
  const Ran ran =
      run("train autoencoder/cpu_sequential batch=2 channels=4 size=8 lr=0.3 samples=8 epochs=3 "
          "--weights "
          "{folder}/wild.f32 --checkpoint {folder}/c");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err,
              AllOf(HasSubstr("became NaN or infinite at step 1, with a learning rate of 0.3"),
                    HasSubstr("training stopped"), HasSubstr("lower lr")));
}

// The engine too is in front of the terminal: Ctrl-C reaches both, once.
TEST_F(Train, StopsWithACheckpointWhereItIsInterrupted) {
  const std::string session = path("stopped.wsj"), err = path("err");
  const pid_t command = ::fork();
  ASSERT_GE(command, 0);
  if (command == 0) {
    ::setpgid(0, 0);
    static_cast<void>(std::freopen(err.c_str(), "w", stderr));
    static_cast<void>(std::freopen("/dev/null", "w", stdout));
    ::execl(built_program("warpscope").c_str(), "warpscope", "train", "autoencoder/cpu_sequential",
            "batch=4", "channels=4", "size=8", "samples=64", "epochs=10000", "--session",
            session.c_str(), "--checkpoint", path("stopped.checkpoint").c_str(), nullptr);
    ::_exit(127);
  }
  // Beyond the first epoch of 16 steps: the curve begins empty.
  const auto steps_done = [&session] {
    std::istringstream lines(text_of(session));
    double last = 0;
    for (std::string line; std::getline(lines, line);) {
      const auto entry = nlohmann::json::parse(line, nullptr, false);
      if (!entry.is_object()) continue;  // still being written
      if (entry.value("name", "") == "loss" && !entry["x"].empty()) last = entry["x"].back();
    }
    return last;
  };
  constexpr int kTries = 600;
  for (int tries = 0; steps_done() <= 16 && tries < kTries; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ::kill(-command, SIGINT);
  int status = 0;
  ASSERT_EQ(::waitpid(command, &status, 0), command);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130) << "interrupted, with a checkpoint: nothing is lacking";
  EXPECT_THAT(text_of(err), AllOf(HasSubstr("is kept: --resume"),
                                  HasSubstr("interrupted; the training so far is kept"),
                                  Not(HasSubstr("measured"))));
  const Ran rest = run("train autoencoder --resume {folder}/stopped.checkpoint epochs=1");
  EXPECT_EQ(rest.status, 2) << "it is beyond the first epoch: " << rest.err;
  EXPECT_THAT(rest.err, HasSubstr("the checkpoint is of step"));
}

}  // namespace
}  // namespace warpscope
