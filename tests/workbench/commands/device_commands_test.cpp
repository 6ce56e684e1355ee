// tests/workbench/commands/device_commands_test.cpp: commands on sessions of several devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "profiling/figures/csv_text.h"
#include "profiling/session/session.h"
#include "scenes/catalogue.h"
#include "tests/workbench/commands/command_line.h"
#include "workbench/client/engine_command.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char *kFirst = "GPU-aaaaaaaa-0000", *kSecond = "GPU-bbbbbbbb-0000";

Measurement point(const std::string& variant, const std::string& uuid, double warm_ns,
                  const std::map<std::string, std::string>& changes = {}) {
  const Scene& scene = **built_in_catalogue().find("csrmm");
  Measurement m;
  m.scene = "csrmm";
  m.variant = variant;
  m.axes = *configured(scene, variant, changes);
  m.key = configuration_key(scene.axes, m.axes, variant);
  m.verdict = {Outcome::correct, "right", "", 0, 0, 1};
  m.warm = Timing{CacheState::warm, {warm_ns, warm_ns + 1, warm_ns - 1}};
  summarise(*m.warm);
  m.metrics = {{"time.warm", warm_ns, Origin::measured, "", ""}};
  m.conditions.device = "NVIDIA H200";
  m.conditions.device_uuid = uuid;
  m.conditions.toolkit = "13.0";
  return m;
}

class DeviceCommands : public CommandLine {
 protected:
  std::string session(const std::string& name, const std::string& uuid, double factor) {
    return write(name, to_line(point("warp_row_zero_test", uuid, 1000 * factor)) + "\n" +
                           to_line(point("float4_columns", uuid, 500 * factor)) + "\n");
  }
  std::string text(const std::string& name) {
    std::ifstream file(path(name));
    std::ostringstream all;
    all << file.rdbuf();
    return all.str();
  }
};

TEST_F(DeviceCommands, JoinSessionsOfTwoCardsOfOneName) {
  const std::string a = session("a.wsj", kFirst, 1), b = session("b.wsj", kSecond, 3);
  const Ran ran =
      run("export " + a + " " + b + " --csv " + path("both.csv") + " --wsj " + path("both.wsj"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto rows = *parse_csv(text("both.csv"));
  const auto column = [&rows](const std::string& name) {
    return static_cast<std::size_t>(std::find(rows[0].begin(), rows[0].end(), name) -
                                    rows[0].begin());
  };
  std::set<std::pair<std::string, std::string>> seen;
  for (std::size_t at = 1; at < rows.size(); ++at)
    seen.emplace(rows[at].at(column("device_uuid")), rows[at].at(column("value")));
  EXPECT_EQ(seen, (std::set<std::pair<std::string, std::string>>{
                      {kFirst, "1000"}, {kFirst, "500"}, {kSecond, "3000"}, {kSecond, "1500"}}));
  const Ran again = run("export " + path("both.wsj") + " --csv " + path("again.csv"));
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(text("again.csv"), text("both.csv"));
}

TEST_F(DeviceCommands, ReadWhatOneDeviceMeasured) {
  const std::string a = session("a.wsj", kFirst, 1), b = session("b.wsj", kSecond, 3);
  const Ran one = run("export " + a + " " + b + " --device-uuid GPU-bbbb --csv " + path("b.csv"));
  ASSERT_EQ(one.status, 0) << one.err;
  EXPECT_THAT(text("b.csv"), AllOf(HasSubstr(kSecond), Not(HasSubstr(kFirst))));
  const Ran none = run("export " + a + " --device-uuid GPU-cc --csv " + path("c.csv"));
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, AllOf(HasSubstr("no measurement of such a device"), HasSubstr(kFirst)));
  EXPECT_EQ(none.sentences(), 1) << none.err;
  const Ran both = run("export " + a + " " + b + " --device-uuid GPU --csv " + path("c.csv"));
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.err, HasSubstr("several devices"));
}

TEST_F(DeviceCommands, CompareNothingAcrossDevices) {
  const std::string a = session("a.wsj", kFirst, 1), b = session("b.wsj", kSecond, 3);
  const Ran across = run("compare " + a + " " + b);
  EXPECT_EQ(across.status, 1);
  EXPECT_THAT(across.out, AllOf(HasSubstr("measured on another device: NVIDIA H200 (GPU-aaaaaaaa) "
                                          "here, NVIDIA H200 (GPU-bbbbbbbb) there"),
                                Not(HasSubstr("slower"))));
}

TEST_F(DeviceCommands, SayWhichFileOfTwoLacksTheDevice) {
  const std::string a = session("a.wsj", kFirst, 1), b = session("b.wsj", kSecond, 3);
  const Ran ran = run("compare " + a + " " + b + " --device-uuid GPU-aaaa");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("no measurement of such a device"), HasSubstr("b.wsj"),
                             Not(HasSubstr("a.wsj"))));
}

TEST_F(DeviceCommands, ListTheSourcesOfTheDeviceThatWasAskedFor) {
  const std::string a = session("a.wsj", kFirst, 1), b = session("b.wsj", kSecond, 3);
  ASSERT_EQ(run("export " + a + " " + b + " --wsj " + path("both.wsj")).status, 0);
  const Ran all = run("agree sources --session " + path("both.wsj"));
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_THAT(all.out, AllOf(HasSubstr("on NVIDIA H200 (GPU-aaaaaaaa): "),
                             HasSubstr("on NVIDIA H200 (GPU-bbbbbbbb): ")));
  const Ran one = run("agree sources --device-uuid GPU-bbbb --session " + path("both.wsj"));
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_THAT(one.out, AllOf(Not(HasSubstr("GPU-aaaa")), HasSubstr("2 points: ")));
}

// After `warpscope verify --session` the emulator's points are the last of a session.
TEST_F(DeviceCommands, HoldNcuToTheDeviceThatMeasuredLast) {
  const auto counted = [](const std::string& uuid, double sectors, const std::string& date) {
    Measurement m = point("warp_row_zero_test", uuid, 1000);
    StepRecord step;
    step.kind = "kernel";
    step.entry = "warp_row";
    step.metrics = {{"l1.sectors_load", sectors, Origin::measured, "", ""}};
    m.steps = {step};
    m.conditions.date = date;
    return to_line(m) + "\n";
  };
  Measurement verified = point("warp_row_zero_test", "", 1000);
  verified.warm.reset();
  verified.metrics.clear();
  verified.conditions.device = "emulator";
  verified.conditions.date = "2026-01-03T00:00:00Z";
  const std::string file = write("both.wsj", counted(kFirst, 111, "2026-01-02T00:00:00Z") +
                                                 counted(kSecond, 222, "2026-01-01T00:00:00Z") +
                                                 to_line(verified) + "\n");
  const std::string csv = write("ncu.csv",
                                "\"ID\",\"Kernel Name\","
                                "\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\"\n"
                                "\"\",\"\",\"sector\"\n\"0\",\"warp_row\",\"111\"\n");
  const Ran ran = run("agree ncu --csv " + csv + " --session " + file);
  EXPECT_THAT(ran.err, HasSubstr("NVIDIA H200 (GPU-aaaaaaaa) is used"));
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
}

TEST_F(DeviceCommands, ReportEachDeviceInTablesOfItsOwn) {
  const std::string a = session("a.wsj", kFirst, 1), b = session("b.wsj", kSecond, 3);
  const Ran ran = run("report " + a + " " + b + " --out " + path("r"), "", 120);
  EXPECT_EQ(ran.status, 0) << ran.err;
  const std::string report = text("r/report.md");
  for (const char* device : {"GPU\\-aaaaaaaa", "GPU\\-bbbbbbbb"})
    EXPECT_THAT(report,
                testing::AnyOf(HasSubstr(device), HasSubstr("GPU-" + std::string(device + 5))));
  // Each card is twice as fast as itself, and never thrice or six times as another: among the
  // conclusions, in its table, and twice where the fastest stand (the second is the baseline).
  std::size_t twice = 0;
  for (std::size_t at = report.find("2.00×"); at != std::string::npos;
       at = report.find("2.00×", at + 1))
    ++twice;
  EXPECT_EQ(twice, 8u) << report;
  EXPECT_THAT(report,
              AllOf(Not(HasSubstr("3.00×")), Not(HasSubstr("6.00×")), Not(HasSubstr("1.50×"))));
}

TEST_F(DeviceCommands, NameTheDeviceThatMeasuresToTheEngine) {
  EngineChoice choice;
  choice.path = "engine";
  choice.device_uuid = "GPU-aaaa";
  const std::vector<std::string> command = engine_command(choice);
  const auto at = std::find(command.begin(), command.end(), "--device-uuid");
  ASSERT_NE(at, command.end());
  EXPECT_EQ(*(at + 1), "GPU-aaaa");
}

}  // namespace
}  // namespace warpscope
