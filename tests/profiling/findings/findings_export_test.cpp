// tests/profiling/findings/findings_export_test.cpp: findings as JSON, exactly, and as SARIF with
// all members that the standard requires.
#include "profiling/findings/findings_export.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/profiling/findings/one_access.h"

namespace warpscope {
namespace {

using nlohmann::json;

Trace strided_with_a_race() {
  Trace t = one_access::of({}, [](auto lane) { return lane * 64; });
  t.faults = {one_access::fault(FaultKind::shared_race, 31)};
  return t;
}

TEST(FindingsJson, HasEveryMemberOfAFinding) {
  const FindingList list = findings_of(strided_with_a_race());
  EXPECT_EQ(json::parse(findings_json(list)), json::parse(R"json([
      {"kind": "race", "severity": "error", "file": "s/k.cu", "line": 31, "column": 3,
       "what": "k.cu:31: something is wrong",
       "figure": {"count": 1, "unit": "times", "text": "shared race, once"},
       "better": "Put __syncthreads() between the two accesses, or let each thread use its own element."},
      {"kind": "uncoalesced-access", "severity": "warning", "file": "s/k.cu", "line": 10,
       "column": 5, "site": 0,
       "what": "Neighbouring lanes read addresses 64 B apart in A[m, k].",
       "figure": {"count": 28, "unit": "sectors", "all": 32, "share_ratio": 0.875,
         "text": "32.00 sectors per request, where 4.00 hold the bytes; 12.50 % of the 1.02 kB in these sectors are used"},
       "better": "Let threadIdx.x index the fastest dimension of A, or copy tiles through shared memory so that neighbouring lanes read neighbouring elements.",
       "gain": "at most 28 sectors fewer (87.50 % of the launch's)"
}])json"));
}

TEST(FindingsJson, IsAddedToTheLineOfATrace) {
  const FindingList list = findings_of(strided_with_a_race());
  const json line = json::parse(with_findings(R"({"type":"trace","sites":[{}]})", list));
  EXPECT_EQ(line["type"], "trace");
  EXPECT_EQ(line["findings"].size(), 2u);
  EXPECT_EQ(line["findings_scope"], list.scope);
}

// source: SARIF 2.1.0, sections 3.13 to 3.52: what each object must have, and which values are
// allowed.
TEST(Sarif, HasTheMembersThatTheStandardRequires) {
  const SarifLaunch launch{"s/v at n=64", findings_of(strided_with_a_race())};
  const json file = json::parse(
      sarif_text({&launch, 1}, [](const std::string& path) { return "kernels/" + path; }));
  EXPECT_EQ(file["version"], "2.1.0");
  EXPECT_TRUE(file["$schema"].is_string());
  ASSERT_EQ(file["runs"].size(), 1u);
  const json& driver = file["runs"][0]["tool"]["driver"];
  EXPECT_EQ(driver["name"], "Warpscope");
  ASSERT_EQ(driver["rules"].size(), finding_rules().size());
  for (const json& rule : driver["rules"]) {
    EXPECT_TRUE(rule["id"].is_string());
    EXPECT_FALSE(rule["help"]["text"].get<std::string>().empty());
    EXPECT_FALSE(rule["shortDescription"]["text"].get<std::string>().empty());
  }
  const std::set<std::string> levels = {"error", "warning", "note"};
  const json& results = file["runs"][0]["results"];
  ASSERT_EQ(results.size(), 2u);
  for (const json& result : results) {
    const int index = result["ruleIndex"];
    EXPECT_EQ(driver["rules"][static_cast<std::size_t>(index)]["id"], result["ruleId"]);
    EXPECT_EQ(levels.count(result["level"]), 1u);
    EXPECT_FALSE(result["message"]["text"].get<std::string>().empty());
    ASSERT_EQ(result["locations"].size(), 1u);
    const json& place = result["locations"][0]["physicalLocation"];
    EXPECT_EQ(place["artifactLocation"]["uri"], "kernels/s/k.cu");
    EXPECT_GE(place["region"]["startLine"].get<int>(), 1);
    if (result.contains("rank")) {
      EXPECT_GE(result["rank"].get<double>(), 0);
      EXPECT_LE(result["rank"].get<double>(), 100);
    }
  }
  EXPECT_EQ(results[0]["level"], "error");
  EXPECT_EQ(results[0]["locations"][0]["physicalLocation"]["region"]["startLine"], 31);
  EXPECT_EQ(results[1]["rank"], 87.5);
}

TEST(Sarif, LeavesOutTheRegionOfALineThatIsNotKnown) {
  SarifLaunch launch{"k", {}};
  launch.list.findings = {
      Finding{FindingKind::register_spill, FindingSeverity::note, {"k.cu", 0, 0}}};
  const json file =
      json::parse(sarif_text({&launch, 1}, [](const std::string& path) { return path; }));
  const json& place = file["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
  EXPECT_FALSE(place.contains("region")) << place;
}

TEST(Sarif, WritesPathsAsUris) {
  EXPECT_EQ(uri_of("kernels/csrmm/a.cu"), "kernels/csrmm/a.cu");
  EXPECT_EQ(uri_of("my kernels/50%.cu"), "my%20kernels/50%25.cu");
  EXPECT_EQ(uri_of("µ.cu"), "%C2%B5.cu");
  EXPECT_EQ(uri_of("/opt/a b.cu"), "file:///opt/a%20b.cu");
  EXPECT_EQ(uri_of("c:x.cu"), "c%3Ax.cu") << "a colon would name a scheme";
}

}  // namespace
}  // namespace warpscope
