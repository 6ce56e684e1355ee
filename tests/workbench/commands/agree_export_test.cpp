// tests/workbench/commands/agree_export_test.cpp: JSON and advice of agree, outputs that are kept
// apart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/workbench/commands/command_line.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string kRecorded = recorded_csrmm();

TEST_F(CommandLine, AgreeInJsonAsInWords) {
  const Ran ran = run("agree model --session " + kRecorded + " --json");
  EXPECT_EQ(ran.status, 0) << ran.err;
  const nlohmann::json whole = nlohmann::json::parse(ran.out, nullptr, false);
  ASSERT_TRUE(whole.is_object()) << ran.out.substr(0, 200);
  EXPECT_GT(whole["compared"].get<int>(), 10);
  EXPECT_EQ(whole["unexplained"], 0);
  for (const auto& figure : whole["figures"]) {
    EXPECT_THAT(figure["device"].get<std::string>(), HasSubstr("GPU-"));
    EXPECT_EQ(figure["match"] == "not comparable", figure["difference_ratio"].is_null());
  }
  for (const char* what : {"ncu --csv x.csv", "sources"}) {
    const Ran refused = run(std::string("agree ") + what + " --json --session " + kRecorded);
    EXPECT_EQ(refused.status, 2) << what;
    EXPECT_THAT(refused.err, HasSubstr("no JSON form")) << what;
  }
}

TEST_F(CommandLine, AdviseNothingThatAPackedSessionRefuses) {
  const std::string plain = path("plain.wsj");
  ASSERT_EQ(run("export " + kRecorded + " --wsj " + plain).status, 0);
  const Ran packed = run("agree emulator --session " + kRecorded),
            unpacked = run("agree emulator --session " + plain);
  EXPECT_THAT(packed.err, HasSubstr("unpack it with `warpscope export " + kRecorded + " --wsj"));
  EXPECT_THAT(unpacked.err, AllOf(HasSubstr("append `warpscope trace"), Not(HasSubstr("unpack"))));
}

TEST_F(CommandLine, WriteNoOutputOverAnother) {
  for (const std::string& out : {"--csv " + path("a") + " --json " + path("a"),
                                 "--json " + path("a") + " --trace " + path("./a"),
                                 "--csv " + path("a") + " --wsj " + path("b/../a")}) {
    const Ran ran = run("export " + kRecorded + " " + out);
    EXPECT_EQ(ran.status, 2) << out;
    EXPECT_THAT(ran.err, HasSubstr("one output would overwrite the other")) << out;
    EXPECT_FALSE(fs::exists(path("a"))) << out;
  }
}

}  // namespace
}  // namespace warpscope
