// tests/workbench/commands/ci_command_test.cpp: the real gate with real kernels, without a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/folders.h"
#include "tests/workbench/commands/command_line.h"

namespace warpscope {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kDescription = R"toml(title = "Twice"
[axes.n]
label = "elements"
range = [1, 65536]
default = 12800
[buffers]
x = { type = "f32", count = "n", element = "uniform(1, i)" }
y = { type = "f32", count = "n", role = "output" }
[variants]
twice = { grid = "ceil_div(n, 128)", block = 128, arguments = ["x", "y", "i32:n"] }
)toml";

constexpr const char* kKernel =
    R"cuda(extern "C" __global__ void twice(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float value = x[i];
  if (i < n) y[i] = 2 * value;
}
)cuda";

// 12 800 elements are 100 blocks of 128: 400 requests of 4 sectors each to load.
constexpr const char* kGate = R"(# what a pull request must not make worse
architectures = [90, 80]
[[kernel]]
scene = "twice/twice"   # all of the grid
)";

class CiCommand : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    std::filesystem::create_directories(path("twice"));
    write("twice/scene.toml", kDescription);
    write("twice/twice.cu", kKernel);
    write("gate.toml", kGate);
    const Ran first = run("ci {folder}/gate.toml --update");
    if (first.status == 3) GTEST_SKIP() << "there is no NVRTC here: " << first.err;
    EXPECT_EQ(first.status, 0) << first.err;
  }
  Ran gate(const std::string& options = "", const std::string& before = "") const {
    return run("ci {folder}/gate.toml " + options, before);
  }
  // The kernel with a part of its text replaced.
  void change(const std::string& from, const std::string& to) const {
    std::string text = kKernel;
    ASSERT_NE(text.find(from), std::string::npos);
    write("twice/twice.cu", text.replace(text.find(from), from.size(), to));
  }
};

TEST_F(CiCommand, RecordsCountsThatFollowFromTheKernel) {
  const std::string text = text_of(path("gate.toml"));
  EXPECT_TRUE(text.starts_with(kGate)) << "the person's part and its comments stay";
  EXPECT_THAT(text,
              AllOf(HasSubstr("global_requests = 800"), HasSubstr("global_sectors = 3200"),
                    HasSubstr("faults = 0"), HasSubstr("shared_wavefronts = 0"),
                    HasSubstr("shared_bytes = 0"), HasSubstr("resident_warps = 64"),
                    HasSubstr("[[sm_80]]"), HasSubstr("text = \"const float value = x[i];\"")));
  EXPECT_THAT(text, Not(HasSubstr(path("")))) << "nothing of this machine";
  const Ran same = gate();
  EXPECT_EQ(same.status, 0) << same.out << same.err;
  EXPECT_EQ(same.out, "2 records compared: none is worse\n");
}

TEST_F(CiCommand, ComparesWhatAPlansEmulatorsAnswered) {
  write("gate.toml", text_of(path("gate.toml")));
  const Ran planned = run("plan --gate {folder}/gate.toml --out {folder}/g.plan");
  ASSERT_EQ(planned.status, 0) << planned.err;
  EXPECT_EQ(planned.out, "1 kernel to emulate, of unknown time\n");
  EXPECT_THAT(text_of(path("g.plan")),
              HasSubstr("ci " + path("gate.toml") + " --kernel twice/twice\n"));
  const Ran swept = run("sweep --plan {folder}/g.plan --devices emulated,emulated");
  ASSERT_EQ(swept.status, 0) << swept.err;
  EXPECT_THAT(swept.out, HasSubstr("1 of 1 point"));
  // Nothing is emulated: there is no engine.
  const Ran same = gate("--from {folder}/g.wsj", "WARPSCOPE_ENGINE=/nowhere");
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_EQ(same.out, "2 records compared: none is worse\n");
  EXPECT_EQ(same.err, "");
  const Ran again = run("sweep --resume {folder}/g.plan --devices emulated");
  EXPECT_THAT(again.out, HasSubstr("1 of 1 point, 1 of them from before"));
  // Answers of an earlier text are not those of the kernel.
  change("2 * value", "2 * x[i]");
  const Ran other = gate("--from {folder}/g.wsj");
  EXPECT_EQ(other.status, 1) << other.out << other.err;
  EXPECT_THAT(other.err, HasSubstr("2 jobs of 2 are emulated here"));
  EXPECT_THAT(run("sweep --resume {folder}/g.plan --devices emulated").err,
              HasSubstr("are not those of the plan"));
}

TEST_F(CiCommand, SaysHowAPlanOfItIsRun) {
  ASSERT_EQ(run("plan --gate {folder}/gate.toml --out {folder}/g.plan").status, 0);
  expect_statuses({
      {"sweep --plan {folder}/g.plan --devices 0",
       2,
       {"emulated, not measured", "--devices emulated"}},
      {"plan --gate {folder}/no.toml --out {folder}/b.plan", 2, {"no such file"}},
      {"plan --gate {folder}/gate.toml csrmm --out {folder}/b.plan", 2, {"--gate"}},
      {"plan --out {folder}/b.plan", 2, {"scene"}},
  });
}

// Two blocks of a hundred load twice: 8 requests more than 800, 32 sectors more than 3200.
TEST_F(CiCommand, FindsOnePerCentMoreWithItsLine) {
  change("  const float value = x[i];\n",
         "  float value = x[i];\n"
         "  if (blockIdx.x / 2 == 3) value += 0 * static_cast<const volatile float*>(x)[i];\n");
  const Ran worse =
      gate("--junit {folder}/g.xml --sarif {folder}/g.sarif --markdown {folder}/g.md");
  EXPECT_EQ(worse.status, 1) << worse.out << worse.err;
  EXPECT_THAT(worse.out, AllOf(HasSubstr("twice/twice (sm_90)"),
                               HasSubstr("FAILED  requests to global memory: 800 → 808 (+8, +1 %)"),
                               HasSubstr("FAILED  sectors of global memory"),
                               HasSubstr("(+32, +1 %)"), HasSubstr("twice/twice.cu:4: 0 → 8 (+8)"),
                               HasSubstr("if (blockIdx.x / 2 == 3)")));
  EXPECT_THAT(text_of(path("g.xml")), AllOf(HasSubstr("<testsuite "), HasSubstr("<failure ")));
  EXPECT_THAT(text_of(path("g.md")), HasSubstr("| FAILED |"));
  const json sarif = json::parse(text_of(path("g.sarif")));
  const json& place = sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
  EXPECT_THAT(place["artifactLocation"]["uri"].get<std::string>(), HasSubstr("twice/twice.cu"));
  const json all = json::parse(gate("--json").out);
  EXPECT_EQ(all["fails"], true);
  // A person who wants it so records it, or allows it.
  write("gate.toml",
        "allow = { instructions = \"90%\", global_requests = 8, global_sectors = \"1%\", "
        "registers = 9 }\n" +
            text_of(path("gate.toml")));
  const Ran allowed = gate();
  EXPECT_EQ(allowed.status, 0) << allowed.out;
  EXPECT_THAT(allowed.out, HasSubstr("allowed  requests to global memory"));
}

TEST_F(CiCommand, TellsWhatIsBetterAndOtherBits) {
  change("y[i] = 2 * value", "y[i] = 3 * value");
  const Ran bits = gate();
  EXPECT_EQ(bits.status, 1);
  EXPECT_THAT(bits.out, HasSubstr("FAILED  the output y has other bits"));
  change("  const float value = x[i];\n", "  const float value = i < 6400 ? x[i] : 1;\n");
  const Ran better = gate();
  EXPECT_THAT(better.out, AllOf(HasSubstr("better  sectors of global memory: 3 200 → 2 400"),
                                HasSubstr("twice/twice.cu")));
}

TEST_F(CiCommand, AFaultIsWorseThanNone) {
  write("twice/scene.toml", std::string(kDescription)
                                .replace(std::string(kDescription).find("count = \"n\", element"),
                                         11, "count = \"n - 1\""));
  const Ran faulty = gate();
  EXPECT_EQ(faulty.status, 1) << faulty.err;
  EXPECT_THAT(faulty.out, AllOf(HasSubstr("FAILED  faults: 0 → 1"), HasSubstr("twice/twice.cu:3")));
}

TEST_F(CiCommand, AKernelWithAFunctionOfTheHostsLibraryHasNoHash) {
  change("2 * value", "exp2f(value)");
  ASSERT_EQ(gate("--update").status, 0);
  EXPECT_THAT(text_of(path("gate.toml")),
              AllOf(HasSubstr("no_hash = \"the last bit of ex2."), Not(HasSubstr("hash = \"\""))));
  EXPECT_EQ(gate().status, 0);
}

// Blocks add in the order of their indices, whatever the machine has: sums of other orders have
// other bits.
TEST_F(CiCommand, IsTheSameToTheLastByteForAnyNumberOfThreads) {
  std::string sums = kDescription;
  const std::string output = "role = \"output\"";
  write("twice/scene.toml",
        sums.replace(sums.find(output), output.size(), "role = \"state\", element = \"0\""));
  change("if (i < n) y[i] = 2 * value;", "if (i < n) atomicAdd(y + i % 3, value);");
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  int processor = 0;
  while (!CPU_ISSET(processor, &allowed)) ++processor;
  const std::string one = "taskset -c " + std::to_string(processor);
  std::string first;
  for (const std::string& processors : {one, std::string(), one, std::string("nice")}) {
    write("gate.toml", kGate);
    const Ran ran = gate("--update", processors);
    ASSERT_EQ(ran.status, 0) << ran.err;
    const std::string text = text_of(path("gate.toml"));
    if (first.empty()) first = text;
    EXPECT_EQ(text, first) << processors;
  }
  EXPECT_THAT(first, HasSubstr("{ name = \"y\", hash = "));
}

TEST_F(CiCommand, TakesAScenesVariantsALaunchFileAndAFile) {
  write("launch.toml",
        "source = \"twice/twice.cu\"\ngrid = [\"blocks\"]\nblock = [128]\n[let]\nblocks = 4\n"
        "[[argument]]\nname = \"x\"\ntype = \"f32\"\ncount = \"128 * blocks\"\nfill = \"random\"\n"
        "[[argument]]\nname = \"y\"\ntype = \"f32\"\ncount = \"128 * blocks\"\nfill = \"unset\"\n"
        "[[argument]]\nvalue = \"i32:1024\"\n");
  write("gate.toml",
        "[[kernel]]\nscene = \"twice\"\naxes = { n = 256 }\n"
        "[[kernel]]\nname = \"four blocks\"\nlaunch = \"launch.toml\"\nvalues = { blocks = 8 }\n"
        "[[kernel]]\nscene = \"twice/twice.cu\"\n"
        "[[kernel]]\nscene = \"patterns/copy\"\naxes = { n = 4096 }\n");
  const Ran made = gate("--update");
  ASSERT_EQ(made.status, 0) << made.err;
  const std::string text = text_of(path("gate.toml"));
  EXPECT_THAT(text,
              AllOf(HasSubstr("kernel = \"twice n=256\""), HasSubstr("kernel = \"four blocks\""),
                    HasSubstr("kernel = \"patterns/copy n=4096\""),
                    HasSubstr("file = \"twice/twice.cu\"")));
  EXPECT_THAT(text, Not(HasSubstr(path(""))));
  EXPECT_EQ(gate().status, 0);
}

TEST_F(CiCommand, MistakesAreOneSentenceWithARemedy) {
  const std::string good = text_of(path("gate.toml"));
  write("none.toml", kGate);
  write("torn.toml", good.substr(0, good.size() - 20));
  write("newer.toml", std::string(good).replace(good.find("version = 1"), 11, "version = 9"));
  write("scene.toml",
        "[[kernel]]\nscene = \"no_such/kernel\"\n" + good.substr(good.find("# ----")));
  write("variant.toml",
        "[[kernel]]\nscene = \"twice/thrice\"\n" + good.substr(good.find("# ----")));
  write("more.toml", std::string(good).replace(good.find("90, 80"), 6, "90, 80, 86"));
  expect_statuses({{"ci {folder}/missing.toml", 2, {"there is no such file"}, {}},
                   {"ci {folder}/none.toml", 2, {"nothing is recorded", "--update"}, {}},
                   {"ci {folder}/torn.toml", 2, {"torn or was edited", "--update"}, {}},
                   {"ci {folder}/newer.toml", 2, {"version 9", "--update"}, {}},
                   {"ci {folder}/scene.toml", 2, {"scene.toml:1", "no_such"}, {}},
                   {"ci {folder}/variant.toml", 2, {"variant.toml:1", "thrice", "twice"}, {}},
                   {"ci {folder}/more.toml", 2, {"sm_86 is not recorded", "--update"}, {}}});
}

TEST_F(CiCommand, AVariantThatCannotRunIsLeftOutOfASceneAndRefusedByName) {
  write("twice/scene.toml",
        kDescription +
            std::string("by_four = { entry = \"twice\", grid = \"ceil_div(n, 128)\", block = 128, "
                        "arguments = [\"x\", \"y\", \"i32:n\"], constraints = [{ holds = "
                        "\"n % 4 == 0\", sentence = \"n must be a multiple of 4\" }] }\n"));
  write("gate.toml", "[[kernel]]\nscene = \"twice\"\naxes = { n = 1001 }\n");
  const Ran all = gate("--update");
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_THAT(all.err, HasSubstr("by_four is left out: by_four: n must be a multiple of 4"));
  EXPECT_THAT(text_of(path("gate.toml")),
              AllOf(HasSubstr("kernel = \"twice n=1001/twice\""), Not(HasSubstr("by_four"))));
  write("gate.toml", "[[kernel]]\nscene = \"twice/by_four\"\naxes = { n = 1001 }\n");
  const Ran named = gate("--update");
  EXPECT_EQ(named.status, 2);
  EXPECT_THAT(named.err, HasSubstr("n must be a multiple of 4"));
}

TEST_F(CiCommand, AKernelThatVanishedFails) {
  std::string renamed = kGate;
  renamed += "name = \"other\"\n";
  const std::string all = text_of(path("gate.toml"));
  write("gate.toml", renamed + all.substr(all.find("# ----")));
  const Ran vanished = gate();
  EXPECT_EQ(vanished.status, 1) << vanished.err;
  EXPECT_THAT(vanished.out, AllOf(HasSubstr("other (sm_90)\n  FAILED  it is not recorded"),
                                  HasSubstr("it is recorded, and not there any more")));
}

}  // namespace
}  // namespace warpscope
