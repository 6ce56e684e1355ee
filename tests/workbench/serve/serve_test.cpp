// tests/workbench/serve/serve_test.cpp: the real program, asked by a script: every answer has what
// the schema says, and the gate is in force.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "scenes/host/input_file.h"
#include "tests/scenes/folder_parts.h"
#include "tests/workbench/serve/served.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

TEST_F(Serve, TheSchemaThatShipsIsThatOfTheRows) {
  const Result<std::string> shipped =
      read_input(source_folder() / "assets" / "serve.schema.json", 1 << 20);
  ASSERT_TRUE(shipped) << sentence(shipped.error());
  EXPECT_EQ(*shipped, serve_schema().dump(2) + "\n")
      << "write it anew: warpscope serve --schema > assets/serve.schema.json";
}

TEST_F(Serve, RefusesByNameAndIgnoresWhatItDoesNotKnow) {
  Served served;
  EXPECT_EQ(served.hello["result"]["serves"], "warpscope");
  EXPECT_EQ(served.hello["result"]["requests"].size(), serve_rows().size());
  const json unknown = served.ask({{"request", "vary"}});
  EXPECT_EQ(unknown["error"]["kind"], "usage");
  EXPECT_THAT(unknown["error"]["what"].get<std::string>(), HasSubstr("no request “vary”"));
  const std::string all =
      "list, fork, edit, verify, trace, measure, stalls, warps, compare, journal, note, go_back, "
      "tune, cancel, "
      "quit";
  EXPECT_EQ(unknown["error"]["remedy"], "did you mean verify? There are " + all);
  EXPECT_EQ(served.ask({{"request", "improve"}})["error"]["remedy"], "There are " + all);
  EXPECT_EQ(served.ask({{"what", "verify"}})["error"]["remedy"],
            "send \"request\" with one of " + all);
  served.send("no json");
  EXPECT_EQ(served.answer()["error"]["kind"], "input");
  const json lacking = served.ask({{"request", "verify"}, {"hard", false}, {"variant", "nope/x"}});
  EXPECT_EQ(lacking["ok"], false);
  const json listed =
      served.ask({{"request", "list"}, {"scene", "csrmm"}, {"a field of tomorrow", 1}});
  ASSERT_EQ(listed["ok"], true) << listed;
  EXPECT_EQ(listed["result"]["scenes"][0]["name"], "csrmm");
  served.send("{\"id\": 9, \"request\": \"verify\"}");
  EXPECT_THAT(served.answer()["error"]["what"].get<std::string>(), HasSubstr("it lacks “variant”"));
  served.send("{\"id\": 9, \"request\": \"verify\", \"variant\": \"csrmm\", \"hard\": \"yes\"}");
  EXPECT_THAT(served.answer()["error"]["what"].get<std::string>(),
              HasSubstr("“hard” must be of type boolean"));
  EXPECT_EQ(served.ask({{"request", "quit"}})["ok"], true);
}

TEST_F(Serve, ForksEditsVerifiesAndTracesWithTheGateInForce) {
  const OwnFolder folder("serve");
  Served served;
  const json traced = served.ask({{"request", "trace"},
                                  {"variant", "csrmm/float4_columns"},
                                  {"axes", {{"m", 10}, {"k", 10}, {"n", 4}}}});
  if (traced["ok"] == false && traced["error"]["kind"] == "environment")
    GTEST_SKIP() << "there is no NVRTC here";
  ASSERT_EQ(traced["ok"], true) << traced;
  EXPECT_GT(traced["result"]["steps"][0]["lines"].size(), 0u);
  const std::string to = (folder.path() / "served").string();
  const json made = served.ask({{"request", "fork"},
                                {"variant", "csrmm/warp_row_branch_free"},
                                {"axes", {{"m", 200}, {"n", "32"}}},
                                {"to", to},
                                {"hypothesis", "fewer loads"}});
  ASSERT_EQ(made["ok"], true) << made;
  const json again =
      served.ask({{"request", "fork"}, {"variant", "csrmm/warp_row_branch_free"}, {"to", to}});
  EXPECT_EQ(again["error"]["remedy"], "give another one with \"to\", or move it away");
  const std::string copy = to + "/" + made["result"]["variant"].get<std::string>();
  const json good = served.ask({{"request", "verify"}, {"variant", copy}, {"hard", true}});
  ASSERT_EQ(good["ok"], true) << good;
  EXPECT_EQ(good["result"]["right"], true) << good;
  EXPECT_GT(good["result"]["verdicts"].size(), 5u) << "hard cases, too";
  // A patch by lines: the sum begins at one.
  const std::string text = read_input(to + "/seed_warp_row.cu", 1 << 20).value_or("");
  const std::size_t at = text.find("  Sum sum = 0;");
  ASSERT_NE(at, std::string::npos);
  const auto line =
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
  const json edited =
      served.ask({{"request", "edit"},
                  {"scene", to},
                  {"file", "seed_warp_row.cu"},
                  {"hypothesis", "one more costs nothing"},
                  {"lines", {{{"from", line}, {"to", line}, {"text", "  Sum sum = 1;"}}}}});
  ASSERT_EQ(edited["ok"], true) << edited;
  EXPECT_EQ(read_input(to + "/seed_warp_row.cu", 1 << 20).value_or(""),
            replaced(text, "Sum sum = 0;", "Sum sum = 1;"));
  const json wrong = served.ask({{"request", "verify"}, {"variant", copy}});
  ASSERT_EQ(wrong["ok"], true) << wrong;
  EXPECT_EQ(wrong["result"]["right"], false);
  EXPECT_EQ(wrong["result"]["verdicts"][0]["outcome"], "wrong");
  const json whole = served.ask(
      {{"request", "edit"}, {"scene", "served"}, {"file", "seed_warp_row.cu"}, {"text", text}});
  ASSERT_EQ(whole["ok"], true) << whole;
  const json restored = served.ask({{"request", "verify"}, {"variant", copy}});
  EXPECT_EQ(restored["result"]["right"], true);
  EXPECT_EQ(restored["result"]["iteration"], 4);
  const json outside =
      served.ask({{"request", "edit"}, {"scene", "served"}, {"file", "../x.cu"}, {"text", ""}});
  EXPECT_EQ(outside["error"]["kind"], "usage");
  const json built_in =
      served.ask({{"request", "edit"}, {"scene", "csrmm"}, {"file", "warp_row.cu"}, {"text", ""}});
  EXPECT_THAT(built_in["error"]["remedy"].get<std::string>(), HasSubstr("fork"));
  const json broken = served.ask(
      {{"request", "edit"}, {"scene", "served"}, {"file", "scene.toml"}, {"text", "fork = 3"}});
  EXPECT_EQ(broken["error"]["kind"], "input");
  EXPECT_THAT(broken["error"]["where"].get<std::string>(), HasSubstr("scene.toml:1"));
  const json noted = served.ask({{"request", "journal"}, {"scene", "served"}});
  ASSERT_EQ(noted["ok"], true) << noted;
  ASSERT_EQ(noted["result"]["iterations"].size(), 4u) << noted;
  EXPECT_EQ(noted["result"]["iterations"][1]["hypothesis"], "fewer loads");
  const json& third = noted["result"]["iterations"][2];
  EXPECT_EQ(third["parent"], 2);
  EXPECT_EQ(third["hypothesis"], "one more costs nothing");
  EXPECT_THAT(third["diff"].get<std::string>(), HasSubstr("+  Sum sum = 1;"));
  EXPECT_THAT(third["verdict"].get<std::string>(), HasSubstr("wrong"));
}

// The journal is what serve is for: it says what was tried, and nothing that was answered is lost.
TEST_F(Serve, NotesIterationsAndGoesBackToAnyOfThem) {
  const OwnFolder folder("serve_notes");
  folder.write("scene.toml", kDoublingDescription);
  folder.write("twice.cu", kDoublingKernel);
  const std::string here = folder.path().string(), variant = here + "/twice";
  const auto text = [&] { return read_input(here + "/twice.cu", 1 << 20).value_or(""); };
  const std::string other = replaced(kDoublingKernel, "2 * x[i]", "x[i] + x[i]");
  {
    Served served;
    // Nothing of the folder was judged before its first edit.
    const json edited = served.ask({{"request", "edit"},
                                    {"scene", here},
                                    {"file", "twice.cu"},
                                    {"text", other},
                                    {"hypothesis", "an addition is cheaper"}});
    ASSERT_EQ(edited["ok"], true) << edited;
    const json judged = served.ask({{"request", "verify"}, {"variant", variant}});
    if (judged["ok"] == false && judged["error"]["kind"] == "environment")
      GTEST_SKIP() << "there is no NVRTC here";
    ASSERT_EQ(judged["ok"], true) << judged;
    EXPECT_EQ(judged["result"]["iteration"], 2);
    const json again = served.ask({{"request", "verify"}, {"variant", variant}});
    EXPECT_FALSE(again["result"].contains("iteration")) << "it is noted once";
    served.kill();
  }
  Served served;
  const json noted = served.ask({{"request", "journal"}, {"scene", here}});
  ASSERT_EQ(noted["ok"], true) << noted;
  ASSERT_EQ(noted["result"]["iterations"].size(), 2u) << noted;
  EXPECT_EQ(noted["result"]["iterations"][1]["hypothesis"], "an addition is cheaper");
  EXPECT_THAT(noted["result"]["iterations"][1]["diff"].get<std::string>(),
              HasSubstr("-  if (i < n) y[i] = 2 * x[i];\n+  if (i < n) y[i] = x[i] + x[i];"));
  const json decided =
      served.ask({{"request", "note"}, {"scene", here}, {"number", 2}, {"decision", "reverted"}});
  ASSERT_EQ(decided["ok"], true) << decided;
  EXPECT_EQ(decided["result"]["iteration"]["decision"], "reverted");
  const json undecided =
      served.ask({{"request", "note"}, {"scene", here}, {"number", 2}, {"decision", "perhaps"}});
  EXPECT_EQ(undecided["error"]["remedy"], "write kept, reverted or open");
  const json nowhere = served.ask({{"request", "go_back"}, {"scene", here}, {"number", 9}});
  EXPECT_THAT(nowhere["error"]["what"].get<std::string>(), HasSubstr("no iteration 9"));
  // What stands there is noted before it goes.
  std::ofstream(here + "/twice.cu") << other << "// by hand\n";
  const json back = served.ask({{"request", "go_back"}, {"scene", here}, {"number", 1}});
  ASSERT_EQ(back["ok"], true) << back;
  EXPECT_EQ(text(), kDoublingKernel);
  EXPECT_EQ(back["result"]["noted"], 3);
  ASSERT_EQ(served.ask({{"request", "go_back"}, {"scene", here}, {"number", 3}})["ok"], true);
  EXPECT_EQ(text(), other + "// by hand\n");
  const json all = served.ask({{"request", "journal"}, {"scene", here}});
  ASSERT_EQ(all["result"]["iterations"].size(), 3u);
}

// Times come after the whole gate, even if a single run is right.
TEST_F(Serve, MeasuresNothingThatTheGateRefuses) {
  const OwnFolder folder("serve_gate");
  folder.write("scene.toml", kDoublingDescription);
  folder.write("twice.cu",
               replaced(replaced(kDoublingKernel, "extern \"C\" __global__ void twice",
                                 "__device__ float cache[1 << 16];\n__device__ int filled[1 << "
                                 "16];\nextern \"C\" __global__ void twice"),
                        "if (i < n) y[i] = 2 * x[i];",
                        "if (i < n && !filled[i]) { cache[i] = 2 * x[i]; filled[i] = 1; }\n  if "
                        "(i < n) y[i] = cache[i];"));
  Served served;
  const std::string variant = folder.path().string() + "/twice";
  const json judged = served.ask({{"request", "verify"}, {"variant", variant}});
  if (judged["ok"] == false && judged["error"]["kind"] == "environment")
    GTEST_SKIP() << "there is no NVRTC here";
  EXPECT_EQ(judged["result"]["right"], true) << "alone it is right: " << judged;
  const json measured = served.ask({{"request", "measure"}, {"variant", variant}});
  ASSERT_EQ(measured["ok"], false) << measured;
  EXPECT_THAT(measured["error"]["what"].get<std::string>(),
              HasSubstr("the result depends on what a __device__ variable keeps"));
}

// What is judged is what stands on the disk, or nothing is.
TEST_F(Serve, ARefusedEditLeavesTheDiskAndAFolderThatDoesNotOpenIsNotJudged) {
  const OwnFolder folder("serve_refused");
  const std::string to = (folder.path() / "kept").string(), copy = to + "/row_split_fork";
  Served served;
  const json made = served.ask({{"request", "fork"}, {"variant", "csrmm/row_split"}, {"to", to}});
  ASSERT_EQ(made["ok"], true) << made;
  const auto text = [&](const std::string& file) {
    return read_input(to + "/" + file, 1 << 20).value_or("");
  };
  const std::string description = text("scene.toml");
  const auto edit = [&](const std::string& file, const std::string& with) {
    return served.ask({{"request", "edit"}, {"scene", "kept"}, {"file", file}, {"text", with}});
  };
  EXPECT_EQ(edit("scene.toml", "fork = 3")["ok"], false);
  EXPECT_EQ(text("scene.toml"), description);
  EXPECT_EQ(edit("scene.toml", description + "# a remark\n")["ok"], true);
  EXPECT_EQ(text("scene.toml"), description + "# a remark\n");
  // Another program breaks it: an edit that does not mend that is refused whole.
  std::ofstream(to + "/scene.toml") << "fork = 3";
  EXPECT_EQ(edit("more.cu", "int a;")["ok"], false);
  EXPECT_FALSE(fs::exists(to + "/more.cu"));
  for (const char* request : {"verify", "trace", "measure"}) {
    for (const std::string& name : {copy, std::string("kept/row_split_fork")}) {
      const json said = served.ask({{"request", request}, {"variant", name}});
      ASSERT_EQ(said["ok"], false) << said;
      EXPECT_THAT(said["error"]["where"].get<std::string>(), HasSubstr("scene.toml:1")) << name;
    }
  }
  const json mended = served.ask(
      {{"request", "edit"}, {"scene", to}, {"file", "scene.toml"}, {"text", description}});
  EXPECT_EQ(mended["ok"], true) << mended;
  EXPECT_EQ(text("scene.toml"), description);
}

TEST_F(Serve, WithoutADeviceMeasureAnswersWithTheReason) {
  Served served;
  const json measured = served.ask({{"request", "measure"}, {"variant", "csrmm/row_split"}});
  if (measured["ok"] == true) GTEST_SKIP() << "there is a GPU here";
  EXPECT_EQ(measured["error"]["kind"], "environment") << measured;
  EXPECT_FALSE(measured["error"]["what"].get<std::string>().empty());
  const json tuned = served.ask({{"request", "tune"},
                                 {"variant", "csrmm/rows_per_block"},
                                 {"axes", {{"m", 200}}},
                                 {"points", 3}});
  EXPECT_EQ(tuned["error"]["kind"], "environment") << tuned;
  const json nothing = served.ask({{"request", "tune"}, {"variant", "csrmm/cusparse_alg2"}});
  EXPECT_EQ(nothing["error"]["kind"], "usage") << nothing;
  const json compared = served.ask(
      {{"request", "compare"}, {"baseline", "csrmm/row_split"}, {"candidate", "csrmm/row_cache"}});
  EXPECT_THAT(compared["error"]["what"].get<std::string>(), HasSubstr("was not measured here"));
}

TEST_F(Serve, CancelEndsWhatRunsAndWhatWaits) {
  Served served;
  served.send(
      "{\"id\": \"long\", \"request\": \"verify\", \"variant\": \"csrmm/warp_row_branch_free\", "
      "\"axes\": {\"m\": 20000, \"k\": 20000, \"n\": 512}}");
  served.send("{\"id\": \"behind\", \"request\": \"list\"}");
  ::usleep(300'000);
  served.send("{\"id\": \"stop\", \"request\": \"cancel\"}");
  std::set<std::string> cancelled;
  for (int i = 0; i < 3; ++i) {
    const json said = served.answer();
    if (said["ok"] == true) {
      EXPECT_EQ(said["result"]["cancelled"], true) << said;
    } else {
      EXPECT_EQ(said["error"]["kind"], "resource") << said;
      cancelled.insert(said["id"].get<std::string>());
    }
  }
  EXPECT_EQ(cancelled, (std::set<std::string>{"long", "behind"}));
}

}  // namespace
}  // namespace warpscope
