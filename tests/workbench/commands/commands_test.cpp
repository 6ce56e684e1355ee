// tests/workbench/commands/commands_test.cpp: exit statuses and sentences of the real warpscope.
#include "workbench/commands/commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "profiling/figures/metric.h"
#include "scenes/catalogue.h"
#include "tests/folders.h"
#include "tests/workbench/commands/command_line.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

const std::string kRecorded = recorded_csrmm();
const std::string kFake = fake_engine();

// The lines of the recorded session, unpacked.
std::string recorded_text() { return session_text(kRecorded).value_or(""); }

TEST_F(CommandLine, ExplainThemselvesWithStatusZero) {
  EXPECT_EQ(run("--help").status, 0);
  EXPECT_EQ(run("--version").status, 0);
  EXPECT_EQ(run("list").status, 0);
  for (const CommandRow& row : all_command_rows()) {
    const Ran ran = run(std::string(row.name) + " --help");
    EXPECT_EQ(ran.status, 0) << row.name;
    EXPECT_THAT(ran.out, HasSubstr(row.sentence)) << row.name;
  }
}

TEST_F(CommandLine, ListOneSceneInWordsThatHoldOnAnyDevice) {
  const Ran words = run("list led"), json = run("list led --json");
  EXPECT_EQ(words.status, 0);
  EXPECT_THAT(words.out, HasSubstr("Third cause: the batch breaks coalescing."));
  EXPECT_EQ(words.out.find("csrmm"), std::string::npos);
  EXPECT_EQ(words.out.find("[["), std::string::npos);
  EXPECT_THAT(json.out, HasSubstr("\"claim\": \"direct_global.time.cold < "));
  const Ran nobody = run("list leds");
  EXPECT_EQ(nobody.status, 2);
  EXPECT_THAT(nobody.err, HasSubstr("led"));
}

TEST_F(CommandLine, ListEveryMetricWithItsUnitAndSentence) {
  const Ran words = run("list --metrics"), json = run("list --metrics --json");
  EXPECT_EQ(words.status, 0);
  for (const Metric& metric : all_metrics()) {
    EXPECT_THAT(words.out, HasSubstr("  " + metric.id + " "));
    EXPECT_THAT(words.out, HasSubstr(metric.sentence)) << metric.id;
  }
  EXPECT_EQ(nlohmann::json::parse(json.out).size(), all_metrics().size());
  EXPECT_EQ(run("list csrmm --metrics").status, 2);
}

TEST_F(CommandLine, ListPublishedKernelsByTheWordThatTheWindowHas) {
  const Scene& led = **built_in_catalogue().find("led");
  const Variant& published = *find_variant(led, "single_frame_repeated");
  ASSERT_NE(published.family, "published");
  const Ran words = run("list led"), json = run("list led --json");
  EXPECT_THAT(words.out, ContainsRegex(published.name + " +published "));
  EXPECT_THAT(words.out, Not(ContainsRegex(published.name + " +" + published.family)));
  // Ids stay: claims name families by them.
  EXPECT_THAT(json.out, HasSubstr("\"family\": \"" + published.family + "\""));
}

TEST_F(CommandLine, RefuseWhatDoesNotExistInOneSentence) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"measure csrrm", "csrmm"},
      {"measure csrmm/float5_columns", "float4_columns"},
      {"measure csrmm nn=3", "nn"},
      {"measure csrmm n=many", "many"},
      {"measure csrmm n=-4", "-4"},
      {"measure csrmm op=X", "NT"},
      {"measure csrmm 256", "axis=value"},
      {"measure csrmm --counters sectrs", "sectrs"},
      {"sweep csrmm n=1:2:x", "n"},
      {"render --axis n=3 n=4 --out " + path("a.png"), "twice"},
  };
  for (const auto& [arguments, words] : rows) {
    const Ran ran = run_fake(arguments, "good");
    EXPECT_EQ(ran.status, 2) << arguments << "\n" << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(words)) << arguments;
    EXPECT_EQ(ran.sentences(), 1) << arguments << "\n" << ran.err;
    EXPECT_EQ(ran.out, "") << arguments;
  }
  EXPECT_EQ(run("measure").status, 2);
  EXPECT_EQ(run("mesure csrmm").status, 2);
  EXPECT_EQ(run("list --no-such-option").status, 2);
}

TEST_F(CommandLine, RefuseAnAxisThatIsGivenTwice) {
  for (const char* command : {"measure", "sweep", "verify"}) {
    const Ran ran = run_fake(std::string(command) + " csrmm n=3 p=0.1 n=4", "good");
    EXPECT_EQ(ran.status, 2) << command;
    EXPECT_THAT(ran.err, HasSubstr("n: the axis is given twice")) << command;
    EXPECT_EQ(ran.sentences(), 1) << command;
  }
}

TEST_F(CommandLine, SayWhatIsWrongWithASession) {
  const std::string text = recorded_text();
  ASSERT_GT(text.size(), 100000u);
  const std::string torn = write("torn.wsj", text.substr(0, text.size() / 2));
  const Ran read = run("export " + torn + " --csv " + path("torn.csv"));
  EXPECT_EQ(read.status, 0) << read.err;
  EXPECT_THAT(read.err, HasSubstr("is torn and was skipped"));
  EXPECT_EQ(read.sentences(), 1);
  EXPECT_GT(fs::file_size(path("torn.csv")), 1000u);
  const Ran empty = run("export " + write("empty.wsj", "") + " --csv " + path("a.csv"));
  EXPECT_EQ(empty.status, 2);
  EXPECT_THAT(empty.err, HasSubstr("the file is empty"));
  const Ran other = run("report " + write("other.wsj", "a\nb\nc\nd\n") + " --out " + path("r"));
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("is not a session"));
  const Ran missing = run("compare " + path("missing.wsj") + " " + kRecorded);
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.err, HasSubstr("there is no such file"));
  for (const Ran& ran : {empty, other, missing}) EXPECT_EQ(ran.sentences(), 1) << ran.err;
}

TEST_F(CommandLine, ReadTheRecordedSession) {
  EXPECT_EQ(run("compare " + kRecorded + " " + kRecorded).status, 0);
  const Ran exported = run("export " + kRecorded + " --csv " + path("m.csv") + " --json " +
                           path("m.json") + " --trace " + path("t.json"));
  EXPECT_EQ(exported.status, 0) << exported.err;
  for (const char* name : {"m.csv", "m.json", "t.json"})
    EXPECT_GT(fs::file_size(path(name)), 1000u) << name;
  const Ran report = run("report " + kRecorded + " --out " + path("report"), "", 120);
  EXPECT_EQ(report.status, 0) << report.err;
  EXPECT_TRUE(fs::exists(path("report/report.html")));
}

TEST_F(CommandLine, AgreeUnlessAFigureDiffersWithoutAReason) {
  const Ran agrees = run("agree model --session " + kRecorded);
  EXPECT_EQ(agrees.status, 0) << agrees.out;
  EXPECT_THAT(agrees.out, HasSubstr("L1 keeps the last 150 KB of rows of B"));
  EXPECT_THAT(agrees.out, HasSubstr(", 0 differ without one"));
  // The same session with ten times the bytes from L2.
  std::string text = recorded_text();
  const std::string counter = "\"id\":\"l2.bytes_to_sm\",\"value\":";
  for (std::size_t at = text.find(counter); at != std::string::npos;
       at = text.find(counter, at + counter.size()))
    text.insert(at + counter.size(), "9");
  const Ran differs = run("agree model --session " + write("more.wsj", text));
  EXPECT_EQ(differs.status, 1);
  EXPECT_THAT(differs.out, HasSubstr("DIFFERS        model.l2_read_bytes"));
  EXPECT_THAT(differs.out, HasSubstr("it is more than the known reason explains"));
  // No traces were recorded.
  const Ran emulator = run("agree emulator --session " + kRecorded);
  EXPECT_EQ(emulator.status, 2);
  EXPECT_THAT(emulator.err, HasSubstr("no figure has counters beside it"));
}

TEST_F(CommandLine, SayThatTheDiskIsFull) {
  const Ran ran = run("export " + kRecorded + " --csv /dev/full");
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.err, HasSubstr("No space left on device"));
  EXPECT_EQ(ran.sentences(), 1) << ran.err;
}

TEST_F(CommandLine, LoseNothingWhenTheDiskIsFullWhileTheyRecord) {
  // A limit for the size of files, 64 KiB, in place of a disk; the session is nearly as large.
  constexpr std::size_t kLimit = 64 << 10, kRoom = 100;
  const std::string text = recorded_text();
  std::string before = text.substr(0, text.find('\n') + 1);
  ASSERT_LT(before.size(), kLimit - kRoom);
  before.resize(kLimit - kRoom, '\n');
  const std::string session = write("run.wsj", before);
  const std::string engine = "WARPSCOPE_ENGINE=" + kFake + " FAKE_ENGINE_MODE=good ";
  const std::string limited = "bash -c 'trap \"\" XFSZ; ulimit -f 64; exec \"$@\"' bash ";
  const Ran ran =
      run("measure csrmm/float4_columns --session " + session + " --csv " + path("m.csv"),
          engine + limited);
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.err, HasSubstr("run.wsj: the session cannot be written: File too large"));
  EXPECT_EQ(ran.sentences(), 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("float4_columns"));
  EXPECT_THAT(text_of(path("m.csv")), HasSubstr("time.warm"));
  EXPECT_TRUE(text_of(session).starts_with(before)) << "what was there is kept";
}

TEST_F(CommandLine, SayWhatStoodInForTheInputsOfAStepTracedAlone) {
  const std::string what = "trace csrmm/float4_columns", sentence = "B is all ones";
  const Ran alone = run_fake(what + " --step multiply", "traces");
  EXPECT_EQ(alone.status, 0) << alone.err;
  EXPECT_THAT(alone.out, HasSubstr("stand-in: B is all ones: it changes no address\n"));
  EXPECT_THAT(run_fake(what, "traces").out, Not(HasSubstr("stand-in")));
  const Ran json = run_fake(what + " --step multiply --json", "traces");
  const Result<Message> message = parse_line(json.out.substr(0, json.out.find('\n')));
  ASSERT_TRUE(message) << json.out.substr(0, 300);
  ASSERT_EQ(std::get<Trace>(*message).stand_ins.size(), 1u);
  EXPECT_THAT(std::get<Trace>(*message).stand_ins[0], HasSubstr(sentence));
}

TEST_F(CommandLine, SayOnceThatThereIsNoGpu) {
  for (const char* arguments : {"measure csrmm", "sweep csrmm n=1,2", "verify csrmm", "roofs"}) {
    const Ran ran = run_fake(arguments, "bare");
    EXPECT_EQ(ran.status, 3) << arguments;
    EXPECT_THAT(ran.err, HasSubstr("there is no GPU")) << arguments;
    EXPECT_EQ(ran.sentences(), 1) << arguments << "\n" << ran.err;
  }
}

TEST_F(CommandLine, SayOnceThatThereIsNoEngine) {
  const Ran missing = run("measure csrmm --engine /nonexistent/warpscope-engine");
  EXPECT_EQ(missing.status, 3);
  EXPECT_THAT(missing.err, HasSubstr("No such file or directory"));
  EXPECT_THAT(missing.err, HasSubstr("--engine"));
  EXPECT_EQ(missing.sentences(), 1) << missing.err;
  EXPECT_EQ(missing.out, "");
  const Ran window = run("--engine /nonexistent/warpscope-engine");
  EXPECT_EQ(window.status, 3);
  EXPECT_THAT(window.err,
              testing::AllOf(HasSubstr("No such file or directory"), HasSubstr("--engine")));
  EXPECT_EQ(window.sentences(), 1) << window.err;
  const Ran crashing = run_fake("measure csrmm", "crashes");
  EXPECT_EQ(crashing.status, 3);
  EXPECT_THAT(crashing.err, HasSubstr("times in a row"));
  EXPECT_EQ(crashing.sentences(), 1) << crashing.err;
  EXPECT_EQ(crashing.out, "");
}

TEST_F(CommandLine, TakeTheEngineThatIsNamed) {
  const Ran ran = run("measure csrmm/float4_columns --engine " + kFake,
                      "WARPSCOPE_ENGINE=/nonexistent/warpscope-engine");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("float4_columns"));
}

TEST_F(CommandLine, ShowBandwidthAndTheBindingRoof) {
  const Ran plain = run_fake("measure csrmm/float4_columns", "good");
  EXPECT_EQ(plain.status, 0) << plain.err;
  EXPECT_THAT(plain.out, HasSubstr("1000 GB/s model"));  // 1 MB in 1 µs
  EXPECT_THAT(plain.out, HasSubstr("give --roofs"));
  // From compulsory bytes alone no roof is named.
  const Ran open = run_fake("measure csrmm/float4_columns --roofs", "good");
  EXPECT_EQ(open.status, 0) << open.err;
  EXPECT_THAT(open.out, Not(HasSubstr("% DRAM")));
  EXPECT_THAT(open.out, HasSubstr("--counters standard will tell which roof limits it"));
  const Ran held = run_fake("measure csrmm/float4_columns --roofs --counters live", "good");
  EXPECT_EQ(held.status, 0) << held.err;
  EXPECT_THAT(held.out, HasSubstr("50.00 % DRAM"));  // the synthetic roof is 2 TB/s
}

TEST_F(CommandLine, SayFirstThatAPointIsAboveItsRoof) {
  const std::string point = "measure csrmm/warp_row_zero_test m=100 k=100 n=32 --roofs --counters ";
  // 6 MB in 1 µs, over 2 TB/s.
  const Ran above = run_fake(point + "standard", "counts");
  EXPECT_EQ(above.status, 1) << "a point above a roof is an error until it is explained";
  EXPECT_THAT(above.out, HasSubstr("above DRAM"));
  EXPECT_THAT(above.out, HasSubstr("warp_row_zero_test: above the DRAM copy roof: "));
  EXPECT_THAT(above.out, HasSubstr("6.00 TB/s, the roof is 2.00 TB/s"));
  const Ran reads = run_fake(point + "dram.bytes_read", "counts");
  EXPECT_THAT(reads.out, Not(HasSubstr("% DRAM")));
  EXPECT_THAT(reads.out, HasSubstr("was not measured at this mix of reads and writes"));
}

TEST_F(CommandLine, SayWhyNoRoofIsNamedAsTheCountersHaveIt) {
  const Ran ran =
      run_fake("measure csrmm/warp_row_zero_test --roofs --counters standard", "forbidden");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("only root may read counters: run the engine as root"));
  EXPECT_THAT(ran.out, Not(HasSubstr("--counters standard will tell")));
}

TEST_F(CommandLine, SweepEveryPointWithTheVariantsThatApplyToIt) {
  const Ran ran = run_fake("sweep csrmm op=NT,T --json", "good");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto points = nlohmann::json::parse(ran.out, nullptr, false);
  ASSERT_TRUE(points.is_array());
  std::multiset<std::pair<std::string, std::string>> expected, measured;
  const Scene& scene = built_in_catalogue().scenes().front();
  for (const std::string op : {"NT", "T"}) {
    Configuration axes = with_defaults(scene.axes, {});
    axes.set("op", op);
    for (const Variant& variant : scene.variants) {
      if (!variant.applies || variant.applies(axes)) expected.emplace(op, variant.name);
    }
  }
  for (const auto& point : points) measured.emplace(point.at("axes").at("op"), point.at("variant"));
  EXPECT_EQ(measured, expected);
}

TEST_F(CommandLine, DoctorSaysByItsStatusWhetherThisMachineMeasures) {
  const Ran good = run_fake("doctor", "good");
  EXPECT_EQ(good.status, 0) << good.out;
  const Ran bare = run_fake("doctor", "bare");
  EXPECT_EQ(bare.status, 3);
  const std::string reason = "there is no GPU; use a machine with one";
  EXPECT_THAT(bare.out, HasSubstr(reason));
  EXPECT_EQ(bare.out.find(reason), bare.out.rfind(reason)) << "said once:\n" << bare.out;
  const Ran none = run("doctor --engine /nonexistent/warpscope-engine");
  EXPECT_EQ(none.status, 3);
  EXPECT_THAT(none.out, HasSubstr("name it with --engine"));
}

TEST_F(CommandLine, VerifySaysWhereNothingWasVerified) {
  if (!std::filesystem::exists(built_program("warpscope-engine")))
    GTEST_SKIP() << "the engine is not built";
  const Ran library = run("verify csrmm/cublas_dense_tf32 m=8 k=8 n=8");
  EXPECT_THAT(library.out, HasSubstr("library calls cannot be emulated"));
  EXPECT_THAT(library.out, Not(HasSubstr("verified on the emulator alone")));
  if (library.out.find("GPU  ") == std::string::npos) {
    EXPECT_THAT(library.out, HasSubstr("nothing was verified"));
  }
}

TEST_F(CommandLine, ReadAHundredMegabytesInBoundedTime) {
  const std::string text = recorded_text();
  ASSERT_FALSE(text.empty());
  const std::string large = path("large.wsj");
  {
    std::ofstream file(large, std::ios::binary);
    for (std::size_t written = 0; written < 100'000'000; written += text.size()) file << text;
  }
  const Ran ran = run("export " + large + " --csv " + path("large.csv"), "", 120);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_GT(fs::file_size(path("large.csv")), 1000u);
}

TEST_F(CommandLine, PackASessionAndReadItAsBefore) {
  const std::string packed = path("packed.wsj.gz"), again = path("again.wsj.gz");
  const std::string plain = path("plain.wsj"), renamed = path("renamed.wsj");
  for (const std::string& out : {packed, plain}) {
    const Ran ran = run("export " + kRecorded + " --wsj " + out);
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
  }
  EXPECT_TRUE(text_of(plain) == recorded_text()) << "a line was changed";
  EXPECT_LT(fs::file_size(packed), fs::file_size(plain) / 4);
  EXPECT_EQ(run("export " + packed + " --wsj " + again).status, 0);
  EXPECT_TRUE(text_of(again) == text_of(packed)) << "the same lines, and other bytes";
  EXPECT_EQ(run("export " + packed + " --wsj " + renamed).status, 0);
  EXPECT_TRUE(text_of(renamed) == text_of(plain));
  // What gzip makes of it, and it of ours.
  const std::string unpacked = path("unpacked.wsj"), with_name = path("with-name.wsj");
  ASSERT_EQ(std::system(("gzip -dc " + packed + " >" + unpacked).c_str()), 0);
  EXPECT_TRUE(text_of(unpacked) == text_of(plain));
  ASSERT_EQ(std::system(("gzip -c " + plain + " >" + with_name).c_str()), 0);
  for (const std::string& session : {packed, with_name}) {
    const Ran same = run("compare " + session + " " + plain);
    EXPECT_EQ(same.status, 0) << same.err;
    EXPECT_EQ(same.err, "");
    EXPECT_EQ(run("export " + session + " --csv " + path("packed.csv")).status, 0);
    EXPECT_EQ(run("export " + plain + " --csv " + path("plain.csv")).status, 0);
    EXPECT_TRUE(text_of(path("packed.csv")) == text_of(path("plain.csv")));
  }
}

TEST_F(CommandLine, SayWhatIsWrongWithAPackedSession) {
  const std::string packed = path("packed.wsj.gz");
  ASSERT_EQ(run("export " + kRecorded + " --wsj " + packed).status, 0);
  const std::string bytes = text_of(packed);
  const std::string torn = write("torn.wsj.gz", bytes.substr(0, bytes.size() / 2));
  const std::string saved = path("saved.wsj");
  const Ran ran = run("export " + torn + " --wsj " + saved);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("the packed file ends early"));
  EXPECT_EQ(ran.sentences(), 1) << ran.err;
  EXPECT_GT(fs::file_size(saved), 100000u);
  EXPECT_TRUE(recorded_text().starts_with(text_of(saved)));
  EXPECT_TRUE(text_of(saved).ends_with("}\n"));
  const Ran clean = run("export " + saved + " --csv " + path("a.csv"));
  EXPECT_EQ(clean.err, "") << "what is torn was dropped";
  const Ran nothing = run("export " + write("b.wsj.gz", bytes.substr(0, 20)) + " --wsj " + saved);
  EXPECT_EQ(nothing.status, 2);
  EXPECT_THAT(nothing.err, HasSubstr("the packed file ends before its first line does; copy"));
  EXPECT_EQ(nothing.sentences(), 1) << nothing.err;
}

TEST_F(CommandLine, DoNotOverwriteWhatTheyExport) {
  const std::string text = recorded_text().substr(0, 200000);
  const std::string session = write("run.wsj", text.substr(0, text.rfind('\n') + 1));
  fs::create_hard_link(session, path("link.wsj"));
  const std::string before = text_of(session);
  for (const std::string& out :
       {"--wsj " + session,
        "--wsj " + path("../") + fs::path(session).parent_path().filename().string() + "/run.wsj",
        "--wsj " + path("link.wsj"), "--csv " + session,
        "--csv " + path("b.csv") + " --json " + session}) {
    const Ran ran = run("export " + session + " " + out);
    EXPECT_EQ(ran.status, 2) << out;
    EXPECT_THAT(ran.err, HasSubstr("would overwrite the session")) << out;
    EXPECT_THAT(ran.err, HasSubstr("choose another file")) << out;
    EXPECT_EQ(ran.sentences(), 1) << ran.err;
    EXPECT_TRUE(text_of(session) == before) << out;
  }
  EXPECT_FALSE(fs::exists(path("b.csv"))) << "a part was written";
  for (const char* full : {"/dev/full", "/nonexistent/run.wsj.gz"}) {
    const Ran ran = run("export " + session + " --wsj " + full);
    EXPECT_EQ(ran.status, 3) << full;
    EXPECT_THAT(ran.err, HasSubstr("the file cannot be written")) << full;
    EXPECT_EQ(ran.sentences(), 1) << ran.err;
  }
}

TEST_F(CommandLine, AppendNothingToAPackedSession) {
  const std::string packed = path("packed.wsj.gz"), renamed = path("renamed.wsj");
  ASSERT_EQ(run("export " + kRecorded + " --wsj " + packed).status, 0);
  fs::copy_file(packed, renamed);
  const std::string before = text_of(packed);
  const std::string lesson = write(
      "lesson.json", R"({"title": "A lesson", "scene": "csrmm", "steps": [{"text": "One."}]})");
  for (const std::string& session : {packed, renamed}) {
    for (const char* arguments :
         {"measure csrmm/float4_columns --session ", "sweep csrmm/float4_columns n=1,2 --session ",
          "verify csrmm/float4_columns --session ", "roofs --session ",
          "trace csrmm/float4_columns --session ",
          "trace csrmm/float4_columns --measured --session ", "--record "}) {
      const Ran ran = run_fake(arguments + session, "good");
      EXPECT_EQ(ran.status, 2) << arguments << ran.err;
      EXPECT_THAT(ran.err, HasSubstr("nothing can be appended to a packed session; unpack it with "
                                     "`gunzip`, or choose another file"))
          << arguments;
      EXPECT_EQ(ran.sentences(), 1) << ran.err;
    }
    EXPECT_TRUE(text_of(session) == before) << "the file was touched";
  }
  const Ran played = run_fake(
      "play " + lesson + " --offscreen --out " + path("o") + " --record " + packed, "good");
  EXPECT_EQ(played.status, 2) << played.err;
  const Ran made = run_fake("measure csrmm/float4_columns --session " + path("new.wsj.gz"), "good");
  EXPECT_EQ(made.status, 2);
  EXPECT_THAT(made.err, HasSubstr("a session is recorded unpacked, but the name ends in .gz"));
  EXPECT_EQ(made.sentences(), 1) << made.err;
  EXPECT_FALSE(fs::exists(path("new.wsj.gz")));
}

// An ssh that runs the command on this machine, as the real one has the other machine's shell do.
class CommandLineOverSsh : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    fs::create_directories(path("bin"));
    write("bin/ssh",
          "#!/bin/sh\n"
          "while [ $# -gt 0 ] && [ \"$1\" != -- ]; do shift; done\n"
          "shift; host=$1; shift\n"
          "if [ \"$host\" = refused ]; then\n"
          "  echo 'ssh: connect to host refused port 22: Connection refused' >&2; exit 255\n"
          "fi\n"
          "exec /bin/sh -c \"$*\"\n");
    fs::permissions(path("bin/ssh"), fs::perms::owner_all);
  }
  Ran run_over_ssh(const std::string& arguments) const {
    return run(arguments, "PATH=" + path("bin") + " WARPSCOPE_ENGINE=/nonexistent/engine");
  }
};

TEST_F(CommandLineOverSsh, MeasureOnTheOtherMachine) {
  fs::create_symlink(kFake, path("bin/warpscope-engine"));
  const Ran ran = run_over_ssh("measure csrmm/float4_columns --host there");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("1000 GB/s model"));
  EXPECT_EQ(ran.err, "");
}

TEST_F(CommandLineOverSsh, RunTheEngineThatIsNamedThere) {
  fs::create_directories(path("a folder"));
  fs::create_symlink(kFake, path("a folder/engine"));
  const Ran ran = run_over_ssh("measure csrmm/float4_columns --host there --engine '" +
                               path("a folder/engine") + "'");
  EXPECT_EQ(ran.status, 0) << ran.err;
}

TEST_F(CommandLineOverSsh, PlayALessonOnTheOtherMachine) {
  fs::create_symlink(kFake, path("bin/warpscope-engine"));
  const std::string lesson = write(
      "lesson.json", R"({"title": "A lesson", "scene": "csrmm", "steps": [{"text": "One."}]})");
  const std::string play = "play " + lesson + " --offscreen --out " + path("out-folder");
  const Ran ran = run_over_ssh(play + " --host there");
  if (ran.err.find("offscreen") != std::string::npos) GTEST_SKIP() << ran.err;
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(text_of(path("out-folder/metrics.csv")), HasSubstr("synthetic device"));
  const Ran refused = run_over_ssh(play + " --host refused");
  EXPECT_EQ(refused.status, 3);
  EXPECT_THAT(refused.err, HasSubstr("Connection refused"));
  EXPECT_EQ(refused.sentences(), 1) << refused.err;
}

TEST_F(CommandLineOverSsh, SayInOneSentenceWhatIsMissing) {
  const Ran refused = run_over_ssh("measure csrmm --host refused");
  EXPECT_EQ(refused.status, 3);
  EXPECT_THAT(refused.err, HasSubstr("the connection to refused failed: connect to host refused "
                                     "port 22: Connection refused; try `ssh refused` by hand"));
  const Ran bare = run_over_ssh("measure csrmm --host there");
  EXPECT_EQ(bare.status, 3);
  EXPECT_THAT(bare.err, HasSubstr("there is no warpscope-engine to run on there; install"));
  fs::remove(path("bin/ssh"));
  const Ran no_ssh = run_over_ssh("measure csrmm --host there");
  EXPECT_EQ(no_ssh.status, 3);
  EXPECT_THAT(no_ssh.err, HasSubstr("ssh is not installed on this machine; install"));
  for (const Ran& ran : {refused, bare, no_ssh}) EXPECT_EQ(ran.sentences(), 1) << ran.err;
}

}  // namespace
}  // namespace warpscope
