// tests/profiling/agreement/agree_machine_code_test.cpp: figures of machine code must equal a
// device's, unless they depend on time.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "profiling/agreement/agree.h"
#include "profiling/session/session.h"
#include "tests/profiling/agreement/copied.h"

namespace warpscope {
namespace {

// `factor`: what a device counted, compared with the emulator's 1000 and 25.
std::vector<FigureMatch> of_machine_code(double factor, const char* instruction) {
  Trace trace = traced_copy();
  trace.warp_instructions = 1000;
  trace.machine_code.emplace();
  trace.machine_code->rows.push_back({instruction, {}, 1000, 32000, {}, false});
  Measurement m = measured_copy();
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
