// tests/workbench/commands/plans/devices_test.cpp: `warpscope devices` prints variants beside each
// other on the cards of a session.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "profiling/figures/csv_text.h"
#include "profiling/session/session.h"
#include "scenes/catalogue.h"
#include "tests/workbench/commands/command_line.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char *kFirst = "GPU-aaaaaaaa-0000", *kSecond = "GPU-bbbbbbbb-0000";

Measurement point(const std::string& variant, const std::string& uuid, double warm_ns,
                  const std::string& n) {
  const Scene& scene = **built_in_catalogue().find("csrmm");
  Measurement m;
  m.scene = "csrmm";
  m.variant = variant;
  m.axes = *configured(scene, variant, {{"n", n}});
  m.key = configuration_key(scene.axes, m.axes, variant);
  m.problem = "n=" + n;
  m.verdict = {Outcome::correct, "right", "", 0, 0, 1};
  m.warm = Timing{CacheState::warm, {warm_ns, warm_ns + 1, warm_ns - 1}};
  summarise(*m.warm);
  m.metrics = {{"time.warm", warm_ns, Origin::measured, "", ""},
               {"model.dram_bytes", warm_ns * 1e3, Origin::modelled, "", ""}};
  m.conditions.device = uuid == kFirst ? "NVIDIA H200" : "NVIDIA H100";
  m.conditions.device_uuid = uuid;
  m.conditions.toolkit = "13.0";
  return m;
}

class DevicesCommand : public CommandLine {
 protected:
  // The second card takes 1.5 times as long, and cannot run one of the variants.
  std::string session(bool roofs = false) {
    std::string text;
    for (const char* card : {kFirst, kSecond}) {
      const double factor = card == kFirst ? 1 : 1.5;
      if (roofs) {
        RoofSet set;
        set.roofs = {{Level::dram, 2e12, "B/s", "synthetic"}};
        set.conditions = point("row_split", card, 1, "64").conditions;
        text += to_line(set) + "\n";
      }
      for (const char* n : {"64", "128"})
        text += to_line(point("float4_columns", card, 20e3 * factor, n)) + "\n";
      Measurement other = point("row_split", card, 40e3 * factor, "64");
      if (card == kSecond) {
        other.verdict = {Outcome::cannot_run, "needs 96 KiB of shared memory per block"};
        other.warm.reset();
      }
      text += to_line(other) + "\n";
    }
    return write("two.wsj", text);
  }
};

TEST_F(DevicesCommand, SumsUpEachVariantOnEachCard) {
  const Ran ran = run("devices " + session(true));
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("A: NVIDIA H200 (GPU-aaaaaaaa)\n"),
                             HasSubstr("B: NVIDIA H100 (GPU-bbbbbbbb)\n"),
                             HasSubstr("csrmm, 2 configurations\n")));
  EXPECT_THAT(ran.out, testing::ContainsRegex("float4_columns +2 of 2 +≥ 50.00 % +2 of 2 +"
                                              "≥ 50.00 % +1.50× \\(1.50× to 1.50×\\)\n"));
  EXPECT_THAT(ran.out, testing::ContainsRegex("row_split +1 of 1 +≥ 50.00 % +0 of 1 +– +–\n"));
  EXPECT_THAT(ran.out,
              HasSubstr("row_split on B: cannot run: needs 96 KiB of shared memory per block\n"));
}

TEST_F(DevicesCommand, PrintsATablePerConfiguration) {
  const Ran ran = run("devices " + session(true) + " --each");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("p=0.02,n=64,"), HasSubstr("p=0.02,n=128,")));
  EXPECT_THAT(ran.out, testing::ContainsRegex("float4_columns +20.00 µs +≥ 50.00 % DRAM +30.00 µs +"
                                              "≥ 50.00 % DRAM +1.50×\n"));
  EXPECT_THAT(ran.out, testing::ContainsRegex("row_split +40.00 µs +≥ 50.00 % DRAM +cannot run +"));
}

TEST_F(DevicesCommand, SaysWhatIsMissingForRoofs) {
  const Ran ran = run("devices " + session());
  EXPECT_THAT(ran.out, HasSubstr("no roofs of this device in the session (NVIDIA H100): run "
                                 "`warpscope roofs --session FILE` on its machine"));
}

TEST_F(DevicesCommand, WritesAllOfItAsCsvAndJson) {
  const std::string file = session(true);
  const Ran csv = run("devices " + file + " --csv -");
  ASSERT_EQ(csv.status, 0) << csv.err;
  const auto rows = parse_csv(csv.out);
  ASSERT_TRUE(rows) << csv.out;
  EXPECT_EQ(rows->size(), 1u + 3 * 2);
  const Ran printed = run("devices " + file + " --json --only csrmm/row_split");
  const auto whole = nlohmann::json::parse(printed.out, nullptr, false);
  ASSERT_FALSE(whole.is_discarded()) << printed.out;
  ASSERT_EQ(whole.at("rows").size(), 1u);
  const auto& figures = whole.at("rows").at(0).at("figures");
  EXPECT_EQ(figures.at(0).at("time_ns"), 40e3);
  EXPECT_EQ(figures.at(1).at("verdict"), "cannot run");
  EXPECT_FALSE(figures.at(1).contains("time_ns"));
}

TEST_F(DevicesCommand, RefusesWhatWasNotMeasured) {
  const std::string file = session();
  Measurement emulated = point("row_split", "", 1, "64");
  emulated.conditions.device = "emulator";
  emulated.warm.reset();
  const std::string other = write("emulated.wsj", to_line(emulated) + "\n");
  expect_statuses({{"devices " + file + " --only csrmm/row_splits", 2, {"csrmm/row_split"}},
                   {"devices " + other, 2, {"nothing was measured on a GPU"}},
                   {"devices {folder}/no.wsj", 2, {"no such file"}}});
}

}  // namespace
}  // namespace warpscope
