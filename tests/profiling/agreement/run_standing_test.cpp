// tests/profiling/agreement/run_standing_test.cpp: a launch that the hardware cannot hold is told
// apart from a wrong output.
#include "profiling/agreement/run_standing.h"

#include <gtest/gtest.h>

#include "profiling/points/occupancy.h"

namespace warpscope {
namespace {

// A run of one kernel step whose launch has this many threads per block.
Measurement run_of(Outcome outcome, int registers, std::int64_t threads,
                   std::int64_t shared_bytes = 0) {
  Measurement m;
  m.verdict.outcome = outcome;
  StepRecord step;
  step.kind = "kernel";
  step.launch = {{1, 1, 1}, {threads, 1, 1}, shared_bytes};
  step.resources = KernelResources{};
  step.resources->registers_per_thread = registers;
  m.steps = {step};
  return m;
}

RunStanding standing(const Measurement& m, const Variant& variant = {}) {
  return standing_of(variant, {}, m, limits_of_architecture(90));
}

// An SM has 65 536 registers: 16 warps of 8192, 16 of 4608, 28 of 2816 and 32 of 2304 are more.
TEST(RunStandings, ALaunchThatLacksRegistersIsALaunchFailureAndNotWrong) {
  for (const auto& [registers, threads] :
       {std::pair(253, 512), std::pair(141, 512), std::pair(81, 800), std::pair(66, 1024)}) {
    EXPECT_EQ(standing(run_of(Outcome::launch_failed, registers, threads)),
              RunStanding::launch_fails)
        << registers << " × " << threads;
  }
  // 227 KB are what a block may have at compute capability 9.0.
  EXPECT_EQ(standing(run_of(Outcome::launch_failed, 32, 128, (227 << 10) + 1)),
            RunStanding::launch_fails);
}

TEST(RunStandings, ARefusedLaunchThatWouldFitIsWrong) {
  EXPECT_EQ(standing(run_of(Outcome::launch_failed, 128, 512)), RunStanding::wrong);
  EXPECT_EQ(standing(run_of(Outcome::launch_failed, 255, 256)), RunStanding::wrong);
  EXPECT_EQ(standing(run_of(Outcome::launch_failed, 32, 128, 227 << 10)), RunStanding::wrong);
  Measurement unknown = run_of(Outcome::launch_failed, 253, 512);
  unknown.steps[0].resources.reset();
  EXPECT_EQ(standing(unknown), RunStanding::wrong) << "nothing foretells it";
}

TEST(RunStandings, OtherVerdictsAreNotExcusedByRegisters) {
  for (const Outcome outcome : {Outcome::wrong, Outcome::faulted, Outcome::timed_out,
                                Outcome::compile_failed, Outcome::unchecked})
    EXPECT_EQ(standing(run_of(outcome, 253, 512)), RunStanding::wrong) << to_text(outcome);
  EXPECT_EQ(standing(run_of(Outcome::correct, 128, 256)), RunStanding::correct);
  EXPECT_EQ(standing(run_of(Outcome::cannot_run, 128, 256)), RunStanding::not_run);
  EXPECT_EQ(standing(run_of(Outcome::nothing_to_do, 128, 256)), RunStanding::not_run);
}

TEST(RunStandings, WhatTheSceneStatesIsAsStatedForItsKindOfFailureAlone) {
  Variant launches;
  launches.expected_launch_failure = [](const Workload&) {
    return std::optional<std::string>("x");
  };
  EXPECT_EQ(standing(run_of(Outcome::launch_failed, 253, 512), launches), RunStanding::as_stated);
  EXPECT_EQ(standing(run_of(Outcome::wrong, 253, 512), launches), RunStanding::wrong);
  Variant faulty;
  faulty.expected_fault = [](const Workload&) { return std::optional<std::string>("x"); };
  EXPECT_EQ(standing(run_of(Outcome::wrong, 40, 128), faulty), RunStanding::as_stated);
  EXPECT_EQ(standing(run_of(Outcome::launch_failed, 40, 128), faulty), RunStanding::wrong);
}

}  // namespace
}  // namespace warpscope
