// tests/engine/captures/capture_program_test.cpp: `warpscope capture` with a program whose driver
// and CUPTI are made for it: what is listed, what is taken, and what a program may do.
#include <cstring>
#include <fstream>

#include "profiling/engine/compile/disassembly.h"
#include "tests/engine/captures/made/capture_runs.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

TEST_F(CaptureProgramTest, AListHasEveryKernelWithItsShapes) {
  const Ran ran = capture("");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_EQ(ran.out, std::string(kSum) +
                         "launches  kernel\n"
                         "       3  add(float const*, float*, int)\n"
                         "          8 × 128 and 1 other shape\n");
  EXPECT_EQ(ran.errors, "");
}

TEST_F(CaptureProgramTest, TheListIsJsonWhereItIsAskedFor) {
  const Ran ran = capture("--json --times");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("\"launches\":3"));
  EXPECT_THAT(ran.out, HasSubstr("\"block\":[256,1,1]"));
  EXPECT_THAT(ran.out, HasSubstr("\"timed\":2"));
  EXPECT_THAT(ran.errors, HasSubstr(kSum));  // the program's own output
}

TEST_F(CaptureProgramTest, ALaunchIsSavedWithItsMemoryBeforeAndAfter) {
  const Ran ran = capture("--kernel add --launch 2 --out a.wcap");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_EQ(ran.out, kSum);
  EXPECT_THAT(ran.errors,
              HasSubstr("a.wcap: add(float const*, float*, int), launch 2, grid 8, "
                        "block 128, 40.0 kB of memory in 1 part, PTX as the program gave"));
  const Result<CaptureFile> file = opened("a.wcap");
  ASSERT_TRUE(file) << sentence(file.error());
  const Capture& c = file->capture();
  EXPECT_EQ(c.symbol, "_Z3addPKfPfi");
  EXPECT_EQ(c.number, 2);
  EXPECT_EQ(c.device, "a made device");
  EXPECT_EQ(c.compute_capability, 90);
  EXPECT_EQ(c.launch.grid.x, 8);
  ASSERT_EQ(c.parameters.size(), 3u);
  EXPECT_EQ(c.parameters[2].offset, 16u);
  EXPECT_EQ(c.parameters[2].bytes, std::string("\xe8\x03\0\0", 4));  // 1000
  ASSERT_EQ(c.memory.size(), 1u);
  EXPECT_EQ(c.memory[0].bytes, 40'000u);
  ASSERT_EQ(c.pointers.size(), 2u);
  EXPECT_EQ(c.pointers[0].offset, 1024u);
  EXPECT_EQ(c.pointers[1].offset, 8192u);
  // After the first launch y[i] is x[i]; after the second 2 x[i].
  for (const int i : {0, 1, 999}) {
    const auto at = static_cast<std::uint64_t>(8192 + 4 * i);
    float before = 0, after = 0;
    std::memcpy(&before, file->memory(0, CaptureFile::Side::before, at, 4)->data(), 4);
    std::memcpy(&after, file->memory(0, CaptureFile::Side::after, at, 4)->data(), 4);
    EXPECT_EQ(before, static_cast<float>(i) + 0.25f);
    EXPECT_EQ(after, 2 * (static_cast<float>(i) + 0.25f));
  }
}

TEST_F(CaptureProgramTest, ACapturedLaunchIsVerifiedByTheEmulatorByteForByte) {
  ASSERT_EQ(capture("--kernel add --launch 2 --out a.wcap").status, 0);
  const Ran good = warpscope("verify a.wcap");
  EXPECT_THAT(good.out, HasSubstr("as_captured")) << good.errors;
  EXPECT_THAT(good.out, HasSubstr("every bit of 10 000 elements of arg1 equals the reference"));
  const Ran traced = warpscope("trace a.wcap/as_captured --code ptx");
  EXPECT_EQ(traced.status, 0) << traced.errors;
  EXPECT_THAT(traced.out, HasSubstr("ld.global.f32")) << traced.errors;
}

// The emulator has the arrays at other addresses than the program. 100 + 200 at element 100.
TEST_F(CaptureProgramTest, AKernelThatFollowsPointersInMemoryIsReplayed) {
  const Ran ran = capture("--kernel gather --out a.wcap", "pointers");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_THAT(ran.out, HasSubstr("gathered 300\n"));
  EXPECT_THAT(ran.errors, HasSubstr("note: 2 words of its memory are taken for addresses of device "
                                    "memory, found by scanning; the replay moves them"));
  const Result<CaptureFile> file = opened("a.wcap");
  ASSERT_TRUE(file);
  ASSERT_EQ(file->capture().memory.size(), 4u);
  EXPECT_EQ(file->capture().memory[2].kind, CapturedMemory::Kind::pointed);
  const Ran good = warpscope("verify a.wcap");
  EXPECT_EQ(good.status, 0) << good.out << good.errors;
  EXPECT_THAT(good.out, HasSubstr("correct")) << good.errors;
  // A copy too: it is another variant beside the captured one.
  ASSERT_EQ(warpscope("fork a.wcap --to edited").status, 0);
  EXPECT_EQ(warpscope("verify edited").status, 0);
  std::string ptx = own_.text("edited/edited.ptx");
  ptx.replace(ptx.find(", 20;"), 5, ", 24;");
  std::ofstream(folder_ / "edited" / "edited.ptx") << ptx;
  const Ran bad = warpscope("verify edited/as_captured_fork");
  EXPECT_EQ(bad.status, 1) << bad.out;
  EXPECT_THAT(bad.out, HasSubstr("by 4"));
}

TEST_F(CaptureProgramTest, AWrongReplayIsNotCalledCorrect) {
  ASSERT_EQ(capture("--kernel add --launch 2 --out a.wcap").status, 0);
  const Result<CaptureFile> file = opened("a.wcap");
  // The same capture with one bit of the memory afterwards turned.
  Result<CaptureWriter> writer = CaptureWriter::create((folder_ / "b.wcap").string());
  std::string after = *file->memory(0, CaptureFile::Side::after);
  after[8192 + 4 * 500] = static_cast<char>(after[8192 + 4 * 500] ^ 1);
  ASSERT_TRUE(writer->add_memory(0, CaptureWriter::Side::before,
                                 *file->memory(0, CaptureFile::Side::before)));
  ASSERT_TRUE(writer->add_memory(0, CaptureWriter::Side::after, after));
  ASSERT_TRUE(writer->write_section("PTX ", *file->ptx()));
  ASSERT_TRUE(writer->finish(file->capture()));
  const Ran ran = warpscope("verify b.wcap");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("wrong")) << ran.errors;
}

TEST_F(CaptureProgramTest, MachineCodeAloneThatIsBrokenIsOneSentence) {
  ASSERT_EQ(capture("--kernel add --launch 2 --out a.wcap").status, 0);
  const Result<CaptureFile> file = opened("a.wcap");
  Result<CaptureWriter> writer = CaptureWriter::create((folder_ / "b.wcap").string());
  for (const auto& [side, from] :
       {std::pair{CaptureWriter::Side::before, CaptureFile::Side::before},
        std::pair{CaptureWriter::Side::after, CaptureFile::Side::after}})
    ASSERT_TRUE(writer->add_memory(0, side, *file->memory(0, from)));
  ASSERT_TRUE(writer->write_section("CODE", "machine code"));
  ASSERT_TRUE(writer->finish(file->capture()));
  // Without nvdisasm nothing is emulated, and verify ends with 0.
  const bool is_read = find_disassembler().has_value();
  const char* const sentence =
      is_read ? "b/capture.cubin: this is not an ELF file" : "there is no nvdisasm here";
  const Ran ran = warpscope("verify b.wcap");
  EXPECT_EQ(ran.status, is_read ? 1 : 0) << ran.out << ran.errors;
  EXPECT_THAT(ran.out, HasSubstr(sentence));
  EXPECT_THAT(warpscope("trace b.wcap").errors, HasSubstr(sentence));
}

TEST_F(CaptureProgramTest, WithoutDataNothingIsCalledCorrect) {
  ASSERT_EQ(capture("--kernel add --no-data --out a.wcap").status, 0);
  const Result<CaptureFile> file = opened("a.wcap");
  ASSERT_TRUE(file);
  EXPECT_FALSE(file->kept(0, CaptureFile::Side::before));
  const Ran ran = warpscope("verify a.wcap");
  EXPECT_THAT(ran.out, HasSubstr("no reference")) << ran.errors;
  EXPECT_THAT(ran.out, Not(HasSubstr("correct")));
}

TEST_F(CaptureProgramTest, EveryShapeIsTakenOnce) {
  const Ran ran = capture("--every-shape --out a.wcap");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_EQ(opened("a.wcap")->capture().launch.block.x, 128);
  EXPECT_EQ(opened("a-2.wcap")->capture().launch.block.x, 256);
  EXPECT_FALSE(is_there("a-3.wcap"));
}

TEST_F(CaptureProgramTest, TheSlowestIsTakenInASecondRun) {
  const Ran ran = capture("--slowest --out a.wcap");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_EQ(ran.out, std::string(kSum) + kSum);
  EXPECT_THAT(ran.errors, HasSubstr("the slowest was launch "));
  EXPECT_TRUE(opened("a.wcap"));
}

struct Case {
  const char* options;
  const char* program;
  const char* variables;
  int status;
  const char* said;
};

TEST_F(CaptureProgramTest, WhateverTheProgramDoesIsOneSentence) {
  const Case cases[] = {
      {"", "no-cuda", "", 1, "warpscope: the program did not use CUDA\n"},
      {"", "never", "", 1, "warpscope: the program launched no kernel\n"},
      {"--kernel mul", "", "", 1,
       "warpscope: nothing was captured: none of its 3 launches matched; `warpscope capture -- "
       "PROGRAM` lists them\n"},
      {"--kernel add --budget 1 --out a.wcap", "status", "", 0, "the program ended with status 7"},
      {"", "crash", "", 0, "warpscope: the program was ended by signal 6 (Aborted)\n"},
      {"--kernel add --launch 3 --out b.wcap", "crash", "", 0, "b.wcap: add("},
      {"--out c.wcap", "graph", "", 0,
       "launch 1 of add(float const*, float*, int) was not captured: it is recorded into a CUDA "
       "graph, not run; run the program without graphs"},
      {"--hold 0.2 --out d.wcap", "endless", "", 1,
       "the device was not idle within 0.2 s: the kernel may wait for another stream, process or "
       "GPU; raise --hold"},
      {"--time-limit 1", "sleep", "", 0, "the program was ended: its --time-limit was over"},
      {"", "", "FAKE_CUPTI_TAKEN=1", 0,
       "warpscope: another tool uses CUPTI in this program, so its launches are seen at the "
       "driver's entry points from here on\n"},
      {"--kernel 'add('", "", "", 2, "--kernel is not a regular expression: “add(”"},
      {"--out /nowhere/x.wcap", "", "", 3, "no file can be made in its folder"}};
  for (const Case& c : cases) {
    const Ran ran = capture(c.options, c.program, c.variables);
    EXPECT_EQ(ran.status, c.status) << c.options << " " << c.program << "\n" << ran.errors;
    EXPECT_THAT(ran.errors, HasSubstr(c.said)) << c.options << " " << c.program;
  }
}

TEST_F(CaptureProgramTest, AProgramThatIsNotThereIsOneSentence) {
  const Ran ran = warpscope("capture -- ./nothing");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.errors,
            "warpscope: ./nothing: the program cannot be started: No such file or directory; check "
            "its name and that it may be executed\n");
  EXPECT_EQ(warpscope("capture").status, 2);
  EXPECT_EQ(warpscope("capture --kernl add -- x").status, 2);
}

TEST_F(CaptureProgramTest, ThreadsAndForksAreWatchedToo) {
  const Ran threads = capture("", "threads");
  EXPECT_THAT(threads.out, HasSubstr("       4  add("));
  EXPECT_THAT(threads.out, HasSubstr("sum 1999000.00"));
  // Words of the program are its own, whatever they look like.
  EXPECT_EQ(warpscope("capture -- printf '%s|' -x '[a,b]' --").out, "-x|[a,b]|--|");
  const Ran forks = capture("--kernel add --launch 3 --out a.wcap", "fork");
  EXPECT_EQ(forks.status, 0) << forks.errors;
  EXPECT_THAT(forks.out, HasSubstr(kSum));
}

TEST_F(CaptureProgramTest, AFileThatIsThereIsNotOverwritten) {
  ASSERT_EQ(capture("--kernel add --out a.wcap").status, 0);
  const Ran again = capture("--kernel add --out a.wcap");
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.errors, HasSubstr("a.wcap: it exists already and is not overwritten"));
  EXPECT_EQ(again.out, "");  // the program did not run
}

// The program's kernel in a text of the person's own, with the header beside it.
constexpr const char* kAddText =
    "#include \"gain.h\"\n"
    "__global__ void add(const float* x, float* y, int n) {\n"
    "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)\n"
    "    y[i] += GAIN * x[i] * STEP / STEP;\n"
    "}\n";

TEST_F(CaptureProgramTest, AForkIsComparedWithWhatTheProgramComputed) {
  ASSERT_EQ(capture("--kernel add --launch 2 --out a.wcap").status, 0);
  std::ofstream(folder_ / "add.cu") << kAddText;
  std::ofstream(folder_ / "gain.h") << "#define GAIN 1.0f\n";
  const Ran made = warpscope(
      "fork a.wcap --source add.cu --define STEP=2 --block-axis threads --to edited "
      "--hypothesis 'a loop over the grid'");
  ASSERT_EQ(made.status, 0) << made.errors;
  EXPECT_THAT(made.out, HasSubstr("edited/add.cu"));
  EXPECT_THAT(made.out, HasSubstr("edited/gain.h"));
  for (const char* axes : {"", "STEP=4", "block=64"}) {
    const Ran good = warpscope(std::string("verify edited/as_captured_fork ") + axes);
    EXPECT_EQ(good.status, 0) << axes << good.errors << good.out;
    EXPECT_THAT(good.out, HasSubstr("every bit of 10 000 elements of arg1 equals the reference"));
  }
  EXPECT_EQ(warpscope("verify edited").status, 0);  // the program's own beside it
  EXPECT_THAT(warpscope("journal edited").out, HasSubstr("a loop over the grid"));
  // A copy that computes something else is wrong, unless that is within a tolerance.
  std::ofstream(folder_ / "edited" / "gain.h") << "#define GAIN 1.001f\n";
  const Ran bad = warpscope("verify edited/as_captured_fork");
  EXPECT_EQ(bad.status, 1);
  EXPECT_THAT(bad.out, HasSubstr("wrong")) << bad.errors;
  std::ofstream(folder_ / "gain.h") << "#define GAIN 1.001f\n";
  for (const auto& [tolerance, status] : {std::pair("1e-2", 0), std::pair("1e-5", 1)}) {
    const std::string to = std::string("near_") + (status == 0 ? "a" : "b");
    ASSERT_EQ(warpscope("fork a.wcap --source add.cu --define STEP=1 --elements f32 --tolerance " +
                        std::string(tolerance) + " --to " + to)
                  .status,
              0);
    const Ran near = warpscope("verify " + to + "/as_captured_fork");
    EXPECT_EQ(near.status, status) << near.out << near.errors;
  }
}

TEST_F(CaptureProgramTest, AForkWithoutATextEditsTheCapturedPtx) {
  ASSERT_EQ(capture("--kernel add --launch 2 --out a.wcap").status, 0);
  ASSERT_EQ(warpscope("fork a.wcap --to edited").status, 0);
  EXPECT_EQ(warpscope("verify edited").status, 0);
  std::string ptx = own_.text("edited/edited.ptx");
  const std::size_t add = ptx.find("add.f32");
  ASSERT_NE(add, std::string::npos);
  std::ofstream(folder_ / "edited" / "edited.ptx") << ptx.replace(add, 7, "sub.f32");
  EXPECT_EQ(warpscope("verify edited/as_captured_fork").status, 1);
}

TEST_F(CaptureProgramTest, AForkThatCannotBeMadeIsOneSentenceAndLeavesNothing) {
  ASSERT_EQ(capture("--kernel add --out a.wcap").status, 0);
  std::ofstream(folder_ / "other.cu") << "__global__ void other(float* x) { *x = 1; }\n";
  fs::create_directories(folder_ / "there");
  const std::pair<const char*, const char*> cases[] = {
      {"fork a.wcap --source none.cu --to f", "none.cu"},
      {"fork a.wcap --source other.cu --to f", "it has no kernel “add”"},
      {"fork a.wcap --to there", "the folder exists already and is not overwritten"},
      {"fork a.wcap --define STEP --to f", "“STEP” is not NAME=VALUE"},
      {"fork a.wcap --elements f31 --to f", "“f31” is not an element type"},
      {"fork a.wcap n=3 --to f", "a capture has no axes: n=3"},
      {"fork csrmm/warp_row --source other.cu --to f",
       "--source replaces the kernel of a capture"}};
  for (const auto& [words, said] : cases) {
    const Ran ran = warpscope(words);
    EXPECT_EQ(ran.status, 2) << words << ran.errors;
    EXPECT_THAT(ran.errors, HasSubstr(said)) << words;
    EXPECT_FALSE(is_there("f")) << words;
  }
}

TEST_F(CaptureProgramTest, TheOtherShapesOverwriteNoFileEither) {
  std::ofstream(folder_ / "a-2.wcap") << "mine";
  const Ran ran = capture("--every-shape --out a.wcap");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_EQ(own_.text("a-2.wcap"), "mine");
  EXPECT_TRUE(opened("a-3.wcap"));
  EXPECT_EQ(capture("--every-shape --launch 2").status, 2);  // one of them would be ignored
  EXPECT_EQ(capture("--slowest --every-shape").status, 2);
}

TEST_F(CaptureProgramTest, TheSlowestIsSoughtInsideTheRangeAlone) {
  const Ran ran = capture("--slowest --range forward");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.errors, HasSubstr("no launch that matches was timed"));
}

TEST_F(CaptureProgramTest, NothingIsLeftBesideTheFile) {
  ASSERT_EQ(capture("--kernel add --out a.wcap").status, 0);
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_))
    names.push_back(entry.path().filename().string());
  EXPECT_THAT(names, testing::UnorderedElementsAre("a.wcap", "out", "errors"));
}

TEST_F(CaptureProgramTest, AProgramThatUsesCuptiItselfIsSeenAtTheDriversEntryPoints) {
  const std::string taken = "FAKE_CUPTI_TAKEN=1";
  const Ran listed = capture("--no-cupti", "", taken);
  EXPECT_EQ(listed.status, 0) << listed.errors;
  EXPECT_THAT(listed.out, HasSubstr("       3  add(float const*, float*, int)"));
  EXPECT_THAT(listed.out, HasSubstr(kSum));
  EXPECT_EQ(listed.errors, "");
  // By the runtime's way as well, which asks for the driver's functions by name.
  const Ran asked = capture("--no-cupti --kernel add --launch 2 --out a.wcap", "asked", taken);
  EXPECT_EQ(asked.status, 0) << asked.errors;
  EXPECT_THAT(asked.out, HasSubstr(kSum));
  const Result<CaptureFile> file = opened("a.wcap");
  ASSERT_TRUE(file) << asked.errors;
  EXPECT_EQ(file->capture().number, 2);
  EXPECT_THAT(file->capture().notes, testing::Not(testing::Contains(HasSubstr("variables"))));
  EXPECT_FALSE(file->ptx()->empty());
  EXPECT_EQ(warpscope("verify a.wcap").status, 0);
}

TEST_F(CaptureProgramTest, LaunchesAreTakenWhileTheProgramRunsAndItGoesOn) {
  const Ran ran = live(
      "sleep 0.4; echo list; echo next add; sleep 0.6; echo slowest; sleep 0.6; echo take 1; "
      "sleep 0.6; echo end");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_THAT(ran.out, HasSubstr("step 200\n"));  // 1 s and more after the first one was taken
  EXPECT_THAT(ran.errors, HasSubstr("  1 "));
  EXPECT_THAT(ran.errors, HasSubstr("waiting for the next launch of a kernel with “add”"));
  EXPECT_THAT(ran.errors,
              HasSubstr("waiting for the next launch of add(float const*, float*, int), "));
  for (const char* name : {"add.wcap", "add-2.wcap", "add-3.wcap"}) {
    const Result<CaptureFile> file = opened(name);
    ASSERT_TRUE(file) << name << "\n" << ran.errors;
    // The program's own sums: y[0] has grown by 0.25 with each launch.
    float before = 0, after = 0;
    std::memcpy(&before, file->memory(0, CaptureFile::Side::before, 8192, 4)->data(), 4);
    std::memcpy(&after, file->memory(0, CaptureFile::Side::after, 8192, 4)->data(), 4);
    EXPECT_EQ(before, 0.25f * static_cast<float>(file->capture().number - 1)) << name;
    EXPECT_EQ(after, 0.25f * static_cast<float>(file->capture().number)) << name;
  }
  EXPECT_FALSE(is_there("add-4.wcap"));
}

TEST_F(CaptureProgramTest, ALaunchThatIsBeingSavedCanBeGivenUp) {
  const Ran ran =
      live("sleep 0.3; echo next; sleep 0.2; echo cancel; sleep 1; echo end", "FAKE_COPY_MS=500");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.errors, HasSubstr("was not captured: it was cancelled before it was saved"));
  EXPECT_FALSE(is_there("add.wcap"));
}

TEST_F(CaptureProgramTest, WhatALiveRunIsAskedInVainIsOneSentence) {
  const Ran ran = live(
      "echo slowest; echo next 'add('; echo next mul; echo next add; echo take 7; sleep 0.3; echo "
      "end");
  EXPECT_EQ(ran.status, 1);
  for (const char* said :
       {"no launch was timed yet; wait until a kernel was launched twice",
        "it is not a regular expression: “add(”",
        "a launch is waited for or being saved; wait for it, or cancel it",
        "the list has no kernel of this number: “7”",
        "the program ended before such a launch came: the next launch of a kernel with “mul”"})
    EXPECT_THAT(ran.errors, HasSubstr(said));
}

TEST_F(CaptureProgramTest, AFileIsNamedAfterItsKernel) {
  ASSERT_EQ(capture("--kernel add").status, 0);
  EXPECT_TRUE(is_there("add.wcap"));
  ASSERT_EQ(capture("--kernel add").status, 0);
  EXPECT_TRUE(is_there("add-2.wcap"));
}

}  // namespace
}  // namespace warpscope
