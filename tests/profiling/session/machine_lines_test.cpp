// tests/profiling/session/machine_lines_test.cpp: registers in use and counters of machine
// instructions survive the way through a line of JSON.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "profiling/messages/protocol.h"

namespace warpscope {
namespace {

template <typename T>
T through_a_line(const T& message) {
  const Result<Message> read = parse_line(to_line(message));
  EXPECT_TRUE(read) << sentence(read.error());
  return read ? std::get<T>(*read) : T{};
}

TEST(MachineLines, OfAListingKeepRegistersInUse) {
  Listing listing;
  listing.ptx_lines = true;
  listing.live = {{3, 2, 1, 1, "R0-R2 UR4-UR5 P0 UP1"}, {}};
  listing.guessed = {"QUUX"};
  const Listing read = through_a_line(listing);
  EXPECT_TRUE(read.ptx_lines);
  EXPECT_EQ(read.live, listing.live);
  EXPECT_EQ(read.guessed, listing.guessed);
}

TEST(MachineLines, OfATraceKeepRegistersInUse) {
  Trace trace;
  trace.launch.grid = trace.launch.block = {1, 1, 1};
  trace.machine_code.emplace();
  MachineRow with, without;
  with.text = "MOV R1, R2";
  with.live = {2, 0, 0, 0, "R1-R2"};
  without.text = "EXIT";
  trace.machine_code->rows = {with, without};
  EXPECT_EQ(through_a_line(trace).machine_code, trace.machine_code);
}

TEST(MachineLines, OfATraceOfAnEarlierVersionHaveTheirNumberAlone) {
  Trace trace;
  trace.launch.grid = trace.launch.block = {1, 1, 1};
  trace.machine_code.emplace();
  trace.machine_code->rows.resize(1);
  nlohmann::json object = nlohmann::json::parse(to_line(trace));
  object["machine_code"]["rows"] = {{"EXIT", 0, 0, 8, 256, 9, false}};
  const Result<Message> read = parse_line(object.dump());
  ASSERT_TRUE(read) << sentence(read.error());
  const MachineRow& row = std::get<Trace>(*read).machine_code->rows.at(0);
  EXPECT_EQ(row.live.general, 9);
  EXPECT_EQ(row.live.names, "");
  EXPECT_EQ(row.threads, 256);
}

TEST(MachineLines, KeepWhatWasCountedAtEachInstruction) {
  Measurement measurement;
  StepRecord step;
  step.name = "multiply";
  step.kind = "kernel";
  step.lines.passes = 1;
  step.lines.rows.resize(1);
  InstructionCount count;
  count.offset = 0x30;
  count.figures[LineMetric::sectors] = 128;
  count.figures[LineMetric::threads] = 32;
  count.figures[LineMetric::threads_on] = 0;
  step.lines.instructions = {count, {0x50, {}}};
  measurement.steps = {step};
  const Measurement read = through_a_line(measurement);
  ASSERT_EQ(read.steps.size(), 1U);
  EXPECT_EQ(read.steps[0].lines.instructions, step.lines.instructions);
}

}  // namespace
}  // namespace warpscope
