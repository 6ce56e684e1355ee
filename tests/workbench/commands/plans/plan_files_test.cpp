// tests/workbench/commands/plans/plan_files_test.cpp: plans of a person's own files: folders,
// kernels, compiled files, captures and launch files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "profiling/plans/plan_file.h"
#include "profiling/session/session.h"
#include "tests/folders.h"
#include "tests/profiling/binaries/made_binaries.h"
#include "tests/workbench/commands/command_line.h"
#include "tests/workbench/commands/twice_launch.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class PlansOfFiles : public CommandLine {
 protected:
  // A copy that a test may change.
  std::string copied(const std::string& from, const std::string& to) const {
    fs::copy(source_folder() / from, path(to), fs::copy_options::recursive);
    return path(to);
  }
  Plan planned(const std::string& words, const std::string& name = "a.plan") const {
    const Ran ran = run("plan " + words + " --out " + path(name));
    EXPECT_EQ(ran.status, 0) << words << ": " << ran.err;
    const auto plan = parse_plan(text_of(path(name)), name);
    EXPECT_TRUE(plan);
    return plan ? *plan : Plan{};
  }
  std::vector<const Measurement*> points_in(const std::string& name) {
    auto reading = read_session(path(name));
    EXPECT_TRUE(reading);
    if (!reading) return {};
    session_ = std::move(reading->session);
    return session_.all_points();
  }
  std::size_t traces_in(const std::string& name) const {
    const std::string text = text_of(path(name)), mark = "\"type\":\"trace\"";
    std::size_t count = 0;
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1))
      ++count;
    return count;
  }
  static std::string object_with(const std::string& ptx) {
    return made_object(made_fat_binary({{1, ptx, 80}}));
  }
  // The launch file, and what it expects where n is 8.
  std::string launch() const {
    write("twice.cu", kTwiceKernel);
    std::string expected;
    for (int i = 0; i < 8; ++i) {
      const float y = 2.0F * static_cast<float>(i);
      expected.append(reinterpret_cast<const char*>(&y), sizeof y);
    }
    write("good.raw", expected);
    return write("twice.toml", twice_launch("good.raw"));
  }
  Session session_;
};

TEST_F(PlansOfFiles, AreOneSessionOfScenesFoldersKernelsAndCaptures) {
  const std::string folder = copied("assets/examples/kernels/saxpy", "saxpy"),
                    program = copied("assets/examples/programs/row_sums.cu", "row_sums.cu"),
                    ptx = copied("tests/situations/public/c12_bucket.ptx", "bucket.ptx"),
                    capture = copied("assets/examples/captured_norm/norm.wcap", "norm.wcap");
  write("wanted.txt", "# one line each\ncsrmm/k_tiles n=32,64\n" + folder + " n=1000,2000\n" +
                          program + "\n" + ptx + "\n" + capture + " --time-limit 0.5\n");
  const Plan plan = planned("--points " + path("wanted.txt"));
  ASSERT_EQ(plan.scenes.size(), 5u);
  EXPECT_GE(plan.points.size(), 8u);
  EXPECT_THAT(plan.estimate.at(0), HasSubstr("about "));  // csrmm was recorded
  EXPECT_EQ(plan.points.back().words, capture + "/as_captured --time-limit 0.5");
  const Ran ran = run_fake("sweep --plan " + path("a.plan") + " --devices 0,1", "good");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(points_in("a.wsj").size(), plan.points.size());
  // The same plan by one engine, and one that has nothing left to do.
  const std::string measure = "measure --plan " + path("a.plan") + " --session " + path("m.wsj");
  EXPECT_EQ(run_fake(measure, "good").status, 0);
  EXPECT_EQ(points_in("m.wsj").size(), plan.points.size());
  EXPECT_EQ(run_fake("sweep --resume " + path("a.plan") + " --devices 0", "hangs").status, 0);
}

TEST_F(PlansOfFiles, AreVerifiedByEmulatorsWhereThereIsNoGpu) {
  const std::string capture = copied("assets/examples/captured_norm/norm.wcap", "norm.wcap"),
                    ptx = copied("tests/situations/public/c12_bucket.ptx", "bucket.ptx");
  write("wanted.txt", capture + "\n" + ptx + "\n");
  planned("--points " + path("wanted.txt"));
  const Ran ran = run("sweep --plan " + path("a.plan") + " --devices emulated,emulated");
  if (ran.err.find("NVRTC") != std::string::npos) GTEST_SKIP() << "no compiler: " << ran.err;
  const auto points = points_in("a.wsj");
  ASSERT_EQ(points.size(), 2u) << ran.err;
  for (const Measurement* point : points) {
    EXPECT_EQ(point->conditions.device, "emulator");
    EXPECT_FALSE(point->warm);
  }
}

TEST_F(PlansOfFiles, AreRefusedIfAFileIsGoneOrChanged) {
  write("made.o", object_with(std::string(kMadePtx)));
  copied("assets/examples/kernels/saxpy", "saxpy");
  copied("assets/examples/programs/row_sums.cu", "row_sums.cu");
  copied("assets/examples/captured_norm/norm.wcap", "norm.wcap");
  launch();
  struct Row {
    std::string words, file;
  };
  const std::vector<Row> rows = {
      {path("saxpy"), "saxpy/saxpy.cu"},
      {path("row_sums.cu"), "row_sums.cu"},
      {path("made.o"), "made.o"},
      {path("norm.wcap"), "norm.wcap"},
      {"--launch " + path("twice.toml"), "twice.toml"},
      {"--launch " + path("twice.toml"), "twice.cu"},
      {"--launch " + path("twice.toml"), "good.raw"},
  };
  for (const Row& row : rows) {
    planned(row.words);
    const std::string sweep = "sweep --plan " + path("a.plan") + " --devices emulated";
    const std::string before = text_of(path(row.file));
    std::string changed = before;
    if (row.file == "twice.toml") {
      changed.replace(changed.find("iota"), 4, "zero");
    } else if (row.file.ends_with(".cu")) {
      changed.insert(changed.rfind('}'), "  __syncthreads();\n");
    } else if (row.file == "made.o") {
      changed = object_with(std::string(kMadePtx) + "// another\n");
    } else {
      changed[changed.size() / 2] = static_cast<char>(changed[changed.size() / 2] ^ 1);
    }
    write(row.file, changed);
    const Ran other = run(sweep);
    EXPECT_EQ(other.status, 2) << row.file << ": " << other.err;
    EXPECT_EQ(other.sentences(), 1) << other.err;
    fs::remove(path(row.file));
    const Ran gone = run(sweep);
    EXPECT_EQ(gone.status, 2) << row.file << ": " << gone.err;
    EXPECT_EQ(gone.sentences(), 1) << gone.err;
    EXPECT_THAT(gone.err, HasSubstr(row.file.substr(0, row.file.find('/'))));
    write(row.file, before);
  }
}

TEST_F(PlansOfFiles, EmulateALaunchFileForEveryValue) {
  const std::string file = launch();
  const Plan plan = planned("--launch " + file + " n=8,4");
  ASSERT_EQ(plan.points.size(), 2u);
  EXPECT_EQ(plan.points[0].words, "trace --launch " + file + " n=8");
  EXPECT_EQ(plan.estimate, std::vector<std::string>{"2 launches to emulate, of unknown time"});
  const Ran ran = run("sweep --plan " + path("a.plan") + " --devices emulated,emulated");
  if (ran.err.find("NVRTC") != std::string::npos) GTEST_SKIP() << "no compiler: " << ran.err;
  EXPECT_EQ(ran.status, 1) << "with n=4 it expects other elements: " << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("twice.cu: y: "));
  EXPECT_THAT(ran.out, HasSubstr("2 of 2 points"));
  EXPECT_EQ(traces_in("a.wsj"), 2u);
  const Ran again = run("sweep --resume " + path("a.plan") + " --devices emulated");
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("2 of them from before"));
  planned("--launch " + file + " n=8", "good.plan");
  EXPECT_EQ(run("sweep --plan " + path("good.plan") + " --devices emulated").status, 0);
  expect_statuses({
      {"sweep --plan {folder}/a.plan --devices 0", 2, {"is emulated, not measured", "--devices"}},
      {"measure --plan {folder}/a.plan", 2, {"emulated, not measured", "warpscope sweep"}},
      {"plan --launch {folder}/no.toml --out {folder}/b.plan", 2, {"no.toml"}},
      {"plan --launch {folder}/twice.toml m=3 --out {folder}/b.plan", 2, {"m"}},
      {"plan --launch {folder}/twice.toml 8 --out {folder}/b.plan", 2, {"not name=value"}},
      {"plan --points {folder}/none.txt --out {folder}/b.plan", 2, {"none.txt"}},
      {"plan csrmm --points {folder}/none.txt --out {folder}/b.plan", 2, {"--points"}},
  });
  write("empty.txt", "# nothing\n");
  expect_statuses({{"plan --points {folder}/empty.txt --out {folder}/b.plan",
                    2,
                    {"no line with a point", "warpscope measure"}}});
}

TEST_F(PlansOfFiles, AreThoseOfAGateWithALaunchFile) {
  launch();
  write("gate.toml",
        "architectures = [90]\n[[kernel]]\nname = \"twice\"\nlaunch = \"twice.toml\"\n");
  const Plan plan = planned("--gate " + path("gate.toml"));
  ASSERT_EQ(plan.points.size(), 1u);
  EXPECT_EQ(plan.scenes.at(0).words, "trace --launch " + path("twice.toml"));
  const Ran ran = run("sweep --plan " + path("a.plan") + " --devices emulated");
  if (ran.err.find("NVRTC") != std::string::npos) GTEST_SKIP() << "no compiler: " << ran.err;
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(traces_in("a.wsj"), 1u);
  const std::string ci = "ci " + path("gate.toml");
  EXPECT_EQ(run(ci + " --update").status, 0);
  const Ran compared = run(ci + " --from " + path("a.wsj"));
  EXPECT_EQ(compared.status, 0) << compared.out << compared.err;
}

}  // namespace
}  // namespace warpscope
