// tests/engine/captures/capture_faults_test.cpp: what goes wrong while a launch is captured is one
// sentence, and the program goes on or ends as it would have without us.
#include <chrono>

#include "tests/engine/captures/made/capture_runs.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;

// The program's own output of a run without us.
std::string alone(const std::string& program) {
  FILE* run = ::popen(("'" + built_program("fake_program") + "' " + program).c_str(), "r");
  std::string text;
  char bytes[256];
  while (run != nullptr && std::fgets(bytes, sizeof bytes, run) != nullptr) text += bytes;
  EXPECT_EQ(::pclose(run), 0);
  return text;
}

// CUPTI calls back before and after each of two launches; with the module's load before all three.
TEST_F(CaptureProgramTest, AProgramsOwnProfilerSeesTheSameWithAndWithoutUs) {
  for (const auto& [program, events] :
       {std::pair("profiler", "profiled 4\n"), std::pair("profiler-first", "profiled 7\n")}) {
    const std::string own = alone(program);
    EXPECT_THAT(own, HasSubstr(events));
    const Ran ran = capture("", program);
    EXPECT_EQ(ran.status, 0) << ran.errors;
    EXPECT_EQ(ran.out.substr(0, own.size()), own);
    EXPECT_THAT(ran.out, HasSubstr("       3  add(float const*, float*, int)"));
    EXPECT_EQ(ran.errors,
              "warpscope: the program uses CUPTI itself, so its launches are seen at the driver's "
              "entry points from here on\n");
  }
  // A launch after the change is taken, too.
  const Ran taken = capture("--kernel add --launch 3 --out a.wcap", "profiler");
  EXPECT_EQ(taken.status, 0) << taken.errors;
  EXPECT_EQ(taken.out, alone("profiler"));
  const Result<CaptureFile> file = opened("a.wcap");
  ASSERT_TRUE(file) << sentence(file.error());
  EXPECT_EQ(file->capture().number, 3);
  EXPECT_EQ(warpscope("verify a.wcap").status, 0);
}

TEST_F(CaptureProgramTest, WithNeitherCuptiNorOurEntryPointsTheRemedyIsSaid) {
  const Ran ran = warpscope("capture -- env -u LD_PRELOAD '" + built_program("fake_program") + "'",
                            "FAKE_CUPTI_TAKEN=1");
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.out, HasSubstr(kSum));
  EXPECT_THAT(ran.errors,
              HasSubstr("another tool uses CUPTI in this program, and its launches cannot be seen "
                        "at the driver's entry points; start the program itself"));
}

// A limit on the size of files stands for a full disk.
TEST_F(CaptureProgramTest, NoSpaceIsOneSentenceAndTheProgramGoesOn) {
  const std::string command =
      "cd '" + folder_.string() + "' && trap '' XFSZ && ulimit -f 4 && CUDA_HOME='" +
      built_program("fake_cuda") + "' WARPSCOPE_CUDA_ROOT= '" + built_program("warpscope") +
      "' capture --kernel add --out a.wcap -- '" + built_program("fake_program") +
      "' >out 2>errors </dev/null";
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_EQ(own_.text("out"), kSum);
  EXPECT_THAT(own_.text("errors"), HasSubstr("was not captured: the capture cannot be written: "));
  EXPECT_FALSE(is_there("a.wcap"));
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    EXPECT_FALSE(entry.is_directory()) << entry.path();
}

// The last two launches are on device 0, the first is on device 1.
TEST_F(CaptureProgramTest, ALaunchIsTakenFromTheDeviceThatItRunsOn) {
  const Ran listed = capture("", "gpus");
  EXPECT_THAT(listed.out, HasSubstr("       3  add("));
  const std::pair<int, const char*> launches[] = {{1, "22222222"}, {2, "11111111"}};
  for (const auto& [launch, uuid] : launches) {
    const std::string file = "gpu" + std::to_string(launch) + ".wcap";
    const Ran ran =
        capture("--kernel add --launch " + std::to_string(launch) + " --out " + file, "gpus");
    EXPECT_EQ(ran.status, 0) << ran.errors;
    EXPECT_EQ(ran.out, kSum);
    EXPECT_THAT(opened(file)->capture().device_uuid, HasSubstr(uuid));
  }
}

// 16 threads launch at the same time, each on a stream of its own: 19 launches, 19 times x.
TEST_F(CaptureProgramTest, LaunchesOfSixteenStreamsAreSeenAndOneOfThemIsTaken) {
  const Ran listed = capture("", "streams");
  EXPECT_THAT(listed.out, HasSubstr("      19  add("));
  const Ran ran = capture("--kernel add --launch 9 --out a.wcap", "streams");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  const Result<CaptureFile> file = opened("a.wcap");
  ASSERT_TRUE(file) << sentence(file.error());
  EXPECT_EQ(file->capture().number, 9);
}

TEST_F(CaptureProgramTest, AnArgumentThatIsMemoryOfTheHostIsNoted) {
  const Ran ran = capture("--kernel add --out a.wcap", "host");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_THAT(ran.errors,
              HasSubstr("note: argument 1 is an address of the program's own memory, which the "
                        "device may read directly; it was not saved"));
}

TEST_F(CaptureProgramTest, ABudgetThatIsExceededIsOneSentenceAndTheProgramGoesOn) {
  const Ran ran = capture("--kernel add --budget 1 --out a.wcap", "large");
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out, kSum);
  EXPECT_THAT(ran.errors,
              HasSubstr("was not captured: its arguments reach 3.0 MB of memory, more than the "
                        "budget of 1.0 MB; raise --budget, or use --no-data"));
  EXPECT_FALSE(is_there("a.wcap"));
}

// The first kernel ends once the second launch is made, by the thread that waits for us. While the
// first one is saved, and before the second one is, the device is not idle; the third is taken.
TEST_F(CaptureProgramTest, AKernelThatWaitsForALaterLaunchIsPassedOverAfterTheLimit) {
  const auto start = std::chrono::steady_clock::now();
  const Ran ran = capture("--kernel add --hold 0.4 --out a.wcap", "waits");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_EQ(ran.out, kSum);
  for (const char* launch : {"launch 1", "launch 2"})
    EXPECT_THAT(ran.errors,
                HasSubstr(std::string(launch) +
                          " of add(float const*, float*, int) was not captured: the device was not "
                          "idle within 0.4 s: the kernel may wait for another stream, process or "
                          "GPU; raise --hold, or choose another launch\n"));
  const Result<CaptureFile> file = opened("a.wcap");
  ASSERT_TRUE(file) << sentence(file.error());
  EXPECT_EQ(file->capture().number, 3);
  EXPECT_GE(took.count(), 0.8);
  EXPECT_LT(took.count(), 10);
}

// Another thread loads code while a launch is taken. The driver tells us of it with a lock held
// that the launch's own questions need.
TEST_F(CaptureProgramTest, CodeThatIsLoadedWhileALaunchIsTakenDoesNotWaitForIt) {
  const Ran ran = capture("--kernel add --out a.wcap", "loads");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_EQ(ran.out, kSum);
  const Result<CaptureFile> file = opened("a.wcap");
  ASSERT_TRUE(file) << sentence(file.error());
  EXPECT_EQ(file->capture().number, 1);
}

TEST_F(CaptureProgramTest, MemoryThatCannotBeReadInTimeIsPassedOverToo) {
  const Ran ran = capture("--kernel add --hold 0.3 --out a.wcap", "held-copies");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_EQ(ran.out, kSum);
  EXPECT_THAT(ran.errors, HasSubstr("launch 1 of add(float const*, float*, int) was not captured: "
                                    "its memory was not read within 0.3 s: "));
  const Result<CaptureFile> file = opened("a.wcap");
  ASSERT_TRUE(file) << sentence(file.error());
  EXPECT_EQ(file->capture().number, 2);
}

// Eight launches would hold the program for 1.6 s.
TEST_F(CaptureProgramTest, AfterThreeWaitsInVainNoOtherLaunchIsTried) {
  const Ran ran = capture("--kernel add --hold 0.2 --out a.wcap", "endless");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("sum 3998000.00\n"));
  EXPECT_THAT(ran.errors, HasSubstr("launch 3 of add(float const*, float*, int) was not captured"));
  EXPECT_THAT(ran.errors, HasSubstr("warpscope: the time limit (--hold) has passed for 3 launches, "
                                    "so that no other one is tried\n"));
  EXPECT_THAT(ran.errors, Not(HasSubstr("launch 4 of")));
}

TEST_F(CaptureProgramTest, AKernelOfNcclIsRefusedWithTheTrueReason) {
  const Ran ran = capture("--kernel nccl --out a.wcap", "nccl");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("added 200\n"));
  for (const char* launch : {"launch 1", "launch 2"})
    EXPECT_THAT(ran.errors,
                HasSubstr(std::string(launch) +
                          " of ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<"
                          "4096ul>) was not captured: it waits for kernels of other GPUs (NCCL), "
                          "which a replay does not have; choose another kernel\n"));
}

// 24 of 4096 bytes, as an argument block. The second launch doubles the sum.
TEST_F(CaptureProgramTest, AnArgumentBlockMayBeShorterThanTheParameters) {
  const Ran ran = capture("--kernel add_all --launch 2 --out a.wcap", "block");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_THAT(ran.out, HasSubstr("added 200\n"));
  EXPECT_THAT(ran.errors, HasSubstr("note: the launch passes 24 of the 4096 bytes of argument 1; "
                                    "the others count as zeros"));
  const Result<CaptureFile> file = opened("a.wcap");
  ASSERT_TRUE(file) << sentence(file.error());
  ASSERT_EQ(file->capture().parameters.size(), 1u);
  EXPECT_EQ(file->capture().parameters[0].bytes.size(), 4096u);
  EXPECT_EQ(file->capture().pointers.size(), 2u);
  const Ran good = warpscope("verify a.wcap");
  EXPECT_EQ(good.status, 0) << good.out << good.errors;
  EXPECT_THAT(good.out, HasSubstr("correct"));
}

TEST_F(CaptureProgramTest, AFaultOfTheProgramEndsItAsWithoutUs) {
  for (const auto& [program, signal] :
       {std::pair("crash", "signal 6"), std::pair("segfault", "signal 11")}) {
    const Ran ran = capture("--kernel add --out " + std::string(program) + ".wcap", program);
    EXPECT_EQ(ran.status, 0) << ran.errors;
    EXPECT_THAT(ran.errors, HasSubstr(std::string("the program was ended by ") + signal));
    EXPECT_TRUE(opened(std::string(program) + ".wcap"));
  }
}

}  // namespace
}  // namespace warpscope
