// tests/profiling/agreement/agree_machine_code_test.cpp: figures of machine code must equal a
// device's, unless they depend on time.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "profiling/agreement/agree.h"
#include "profiling/session/session.h"

namespace warpscope {
namespace {

// `factor`: what a device counted, compared with the emulator's 1000 and 25.
std::vector<FigureMatch> of_machine_code(double factor, const char* instruction) {
  Trace trace;
  trace.scene = "patterns", trace.variant = "copy", trace.key = "n=800", trace.step = "copy";
  trace.scope.grid = true;
  trace.warp_instructions = 1000;
  trace.machine_code.emplace();
  trace.machine_code->rows.push_back({instruction, {}, 1000, 32000, {}, false});
  AccessSite site;
  site.totals.requests = 25;
  site.totals.sectors = 100;
  trace.sites = {site};
  Measurement m;
  m.scene = "patterns", m.variant = "copy", m.key = "n=800";
  m.verdict.outcome = Outcome::correct;
  m.steps.resize(1);
  m.steps[0].name = "copy";
  m.steps[0].kind = "kernel";
  for (const auto& [counter, value] :
       {std::pair("inst.executed", 1000.0), {"l1.requests_load", 25}})
    m.metrics.push_back({counter, value * factor, Origin::measured, "", ""});
  Session session;
  session.apply(m);
  session.apply(trace);
  std::vector<FigureMatch> list = agree_with_emulator(session);
  std::erase_if(list, [](const FigureMatch& pair) {
    return pair.figure != "emulated.inst.executed" && pair.figure != "emulated.l1.requests_load";
  });
  return list;
}

TEST(AgreeWithEmulator, HoldsMachineCodeToEqualFigures) {
  for (const char* text :
       {"IADD3 R0, R0, R1, RZ", "@!P0 SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R4], R5"}) {
    const std::vector<FigureMatch> equal = of_machine_code(1, text);
    ASSERT_EQ(equal.size(), 2u) << text;
    for (const FigureMatch& pair : equal) EXPECT_EQ(pair.match, Match::agrees) << text;
  }
  for (const FigureMatch& pair : of_machine_code(1.001, "IADD3 R0, R0, R1, RZ"))
    EXPECT_EQ(pair.match, Match::differs) << pair.figure;
  for (const FigureMatch& pair :
       of_machine_code(1.001, "@!P0 SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R4], R5")) {
    const bool instructions = pair.figure == "emulated.inst.executed";
    EXPECT_EQ(pair.match, instructions ? Match::not_comparable : Match::differs) << pair.figure;
  }
}

}  // namespace
}  // namespace warpscope
