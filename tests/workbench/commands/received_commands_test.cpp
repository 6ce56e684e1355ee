// tests/workbench/commands/received_commands_test.cpp: folders and sessions that came from somebody
// else, given to the real programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "profiling/messages/protocol.h"
#include "scenes/host/input_file.h"
#include "tests/folders.h"
#include "tests/scenes/folder_parts.h"
#include "tests/workbench/commands/run_warpscope.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

const char* const kSecret = "__device__ int a_secret = 4711;\n";

class ReceivedCommands : public testing::Test {
 protected:
  ReceivedCommands() {
    fs::create_directories(folder_.path() / "doubled");
    fs::create_directories(folder_.path() / "other");
    folder_.write("doubled/scene.toml", kDoublingDescription);
    folder_.write("doubled/twice.cu", kDoublingKernel);
    folder_.write("other/secret.h", kSecret);
  }
  std::string path(const std::string& below) const { return (folder_.path() / below).string(); }
  static bool engine_is_here() {
    return fs::exists(built_program("warpscope-engine")) &&
           run_warpscope("trace csrmm/float4_columns m=10 k=10 n=4").status != 3;
  }
  std::string text_of(const std::string& below) const {
    return read_input(path(below), 1 << 24).value_or("");
  }
  OwnFolder folder_{"commands/received"};
};

TEST_F(ReceivedCommands, NestedKeysWithoutEndAreASentenceEverywhere) {
  std::string key = "[let.z";
  for (int i = 0; i < 40'000; ++i) key += ".z";
  folder_.write("doubled/scene.toml", kDoublingDescription + key + "]\n");
  for (const char* command : {"list ", "verify ", "trace ", "measure ", "fork ", "journal "}) {
    const WarpscopeRun ran = run_warpscope(command + path("doubled"));
    EXPECT_EQ(ran.status, 2) << command << ran.said;
    EXPECT_THAT(ran.said, HasSubstr("nested more than")) << command;
  }
  // As a session carries it.
  SceneText text = doubling_text("deep");
  text.description += key + "]\n";
  text.hash = scene_hash(text);
  folder_.write("deep.wsj", to_line(text) + "\n" +
                                R"({"type":"log","level":"info","text":"a","job":0})" + "\n");
  for (const char* command : {"journal ", "compare a b ", "export --csv /dev/null "}) {
    const std::string words = command == std::string("compare a b ")
                                  ? "compare " + path("deep.wsj") + " "
                                  : std::string(command);
    const WarpscopeRun ran = run_warpscope(words + path("deep.wsj"));
    EXPECT_NE(ran.status, -1) << words << ran.said;
    EXPECT_LT(ran.status, 100) << words << ran.said;
    EXPECT_THAT(ran.said, HasSubstr("nested more than")) << words;
  }
}

TEST_F(ReceivedCommands, AnIncludeOfAnotherFolderLeavesNoTraceInASession) {
  if (!engine_is_here()) GTEST_SKIP() << "the engine is not built, or there is no NVRTC";
  fs::create_symlink(path("other/secret.h"), path("doubled/linked.h"));
  for (const std::string& name :
       {path("other/secret.h"), std::string("../other/secret.h"), std::string("linked.h")}) {
    folder_.write("doubled/twice.cu", "#include \"" + name + "\"\n" + kDoublingKernel);
    fs::remove(path("run.wsj"));
    const WarpscopeRun ran =
        run_warpscope("verify " + path("doubled") + " --session " + path("run.wsj"));
    EXPECT_NE(ran.status, 0) << ran.said;
    EXPECT_THAT(ran.said, HasSubstr("is outside the kernel's folder")) << name;
    EXPECT_THAT(ran.said + text_of("run.wsj"), Not(HasSubstr("4711"))) << name;
    const WarpscopeRun allowed =
        run_warpscope("verify " + path("doubled") + " -I " + path("other"));
    EXPECT_EQ(allowed.status, 0) << allowed.said;
  }
  const WarpscopeRun absent = run_warpscope("verify " + path("doubled") + " -I " + path("absent"));
  EXPECT_EQ(absent.status, 2);
  EXPECT_THAT(absent.said, HasSubstr("there is no such folder"));
}

TEST_F(ReceivedCommands, ASessionsTextOpensNoFileThatItNames) {
  if (!engine_is_here()) GTEST_SKIP() << "the engine is not built, or there is no NVRTC";
  const WarpscopeRun ran =
      run_warpscope("trace " + path("doubled/twice") + " n=64 --session " + path("run.wsj"));
  ASSERT_EQ(ran.status, 0) << ran.said;
  const std::string good = text_of("run.wsj");
  const std::string secret = path("other/secret.h");
  for (const std::string& line :
       {"#include \\\"" + secret + "\\\"", "#define F <" + secret + ">\\n#include F"}) {
    const std::string from = "\\nextern \\\"C\\\" __global__ void twice";
    const std::string changed = replaced(good, from, "\\n" + line + from);
    ASSERT_NE(changed, good);
    folder_.write("received.wsj", changed);
    const WarpscopeRun drawn = run_warpscope("render " + path("received.wsj") +
                                             " --scene doubled --panel coalescing "
                                             "--out " +
                                             path("out.png"));
    EXPECT_NE(drawn.status, -1) << drawn.said;
    EXPECT_THAT(drawn.said, Not(HasSubstr("4711")));
  }
}

TEST_F(ReceivedCommands, ACopiedProgramKnowsNoFolderOfItsBuild) {
  const std::string copy = path("warpscope");
  fs::copy_file(built_program("warpscope"), copy);
  FILE* pipe = popen(("env -u WARPSCOPE_HOME XDG_CACHE_HOME=" + path("cache") + " " + copy +
                      " doctor 2>&1 </dev/null")
                         .c_str(),
                     "r");
  ASSERT_NE(pipe, nullptr);
  std::string said;
  char chunk[4096];
  while (std::fgets(chunk, sizeof chunk, pipe) != nullptr) said += chunk;
  pclose(pipe);
  EXPECT_THAT(said, Not(HasSubstr(source_folder().string())));
  EXPECT_THAT(said, HasSubstr("WARPSCOPE_HOME"));
}

TEST_F(ReceivedCommands, ACommandLineThatIsWrongIsToldOfInThisProgramsWords) {
  const struct {
    const char *words, *said;
  } rows[] = {{"verify csrmm --device two", "--device takes a number, not “two”"},
              {"verify csrmm --device", "--device needs a value after it"},
              {"verify csrmm --device -1", "--device takes no number below 0: -1"},
              {"verify csrmm --limit 0", "--limit takes 0.1 to 1000000, not 0"},
              {"verify csrmm --colour red", "there is no such option or argument here"},
              {"--recrod a.wsj", "argument here: --recrod; did you mean --record? See `"},
              {"measure csrmm --conters=all", "--conters=all; did you mean --counters? See `"},
              {"mesure csrmm n=64", "there is no command mesure; did you mean measure? See `"},
              {"verify csrmm n=4 -q", "argument here: -q; see `"},
              {"list csrmm --metrics", "cannot be given together"},
              {"fork", "variant is missing"}};
  for (const auto& row : rows) {
    const WarpscopeRun ran = run_warpscope(row.words);
    EXPECT_EQ(ran.status, 2) << row.words;
    EXPECT_THAT(ran.said, HasSubstr(row.said)) << row.words;
  }
}

TEST_F(ReceivedCommands, AForkThatFailsLeavesNothing) {
  const std::string mine = path("mine"), taken = path("taken/patterns");
  const WarpscopeRun taken_name = run_warpscope("fork csrmm/warp_row_branch_free --to " + taken);
  EXPECT_EQ(taken_name.status, 2) << taken_name.said;
  EXPECT_FALSE(fs::exists(taken));
  const WarpscopeRun homeless =
      run_warpscope("fork csrmm/warp_row_branch_free",
                    "env -u HOME -u XDG_DATA_HOME XDG_CACHE_HOME=" + path("cache") + " ");
  EXPECT_EQ(homeless.status, 2) << homeless.said;
  EXPECT_THAT(homeless.said, HasSubstr("HOME is not set"));
  EXPECT_THAT(homeless.said, HasSubstr("--to"));
  // A full disk in the middle of it.
  const WarpscopeRun full = run_warpscope("fork csrmm/warp_row_branch_free --to " + mine + " ; }",
                                          "{ trap '' XFSZ; ulimit -f 1; ");
  EXPECT_NE(full.status, 0) << full.said;
  EXPECT_FALSE(fs::exists(mine)) << full.said;
}

}  // namespace
}  // namespace warpscope
