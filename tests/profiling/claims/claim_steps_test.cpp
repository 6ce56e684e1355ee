// tests/profiling/claims/claim_steps_test.cpp: claims name figures of some steps of a run.
#include "profiling/claims/claim_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiling/claims/claim.h"
#include "scenes/catalogue.h"

namespace warpscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Scene& scene() { return *built_in_catalogue().find("autoencoder").value(); }

StepRecord step(const std::string& name, const std::string& layer, const std::string& phase,
                double time_ns, double sectors, double lanes) {
  StepRecord record;
  record.name = name;
  record.entry = name;
  record.tags = {{"layer", layer}, {"phase", phase}};
  record.time_ns = time_ns;
  record.metrics = {{"l1.sectors_load", sectors, Origin::measured, "", ""},
                    {"inst.executed", sectors, Origin::measured, "", ""},
                    {"inst.lanes", lanes, Origin::measured, "", ""},
                    {"occupancy.achieved", lanes, Origin::measured, "", ""}};
  return record;
}

Session session_of(std::vector<StepRecord> steps) {
  Measurement m;
  m.scene = "autoencoder";
  m.variant = "step_nchw";
  m.axes = for_variant(scene().axes, default_configuration(scene().axes), m.variant);
  m.axes.set("part", "step");
  m.key = configuration_key(scene().axes, m.axes, m.variant);
  m.problem = problem_key(scene().axes, m.axes);
  m.verdict.outcome = Outcome::correct;
  m.steps = std::move(steps);
  m.conditions.device = "a device";
  m.conditions.device_uuid = "GPU-1";
  Session session;
  session.apply(m);
  return session;
}

ClaimFigureText figure(const Session& session, const std::string& path) {
  const Result<Claim> claim = parse_claim("step_nchw@part=step." + path, scene());
  EXPECT_TRUE(claim) << sentence(claim.error());
  return figure_text(*claim, {&scene(), &session, default_configuration(scene().axes)});
}

TEST(ClaimSteps, SumTimesAndCountsOfTheStepsThatArePicked) {
  StepRecord prepared = step("to_nhwc", "Conv1", "forward", 500, 1, 1);
  prepared.phase = Phase::prepare;
  const Session session = session_of({step("conv", "Conv1", "forward", 1000, 10, 32),
                                      step("mask", "Conv1", "backward", 200, 20, 32),
                                      step("conv", "Conv2", "forward", 4000, 40, 32), prepared});
  EXPECT_EQ(figure(session, "layer.Conv1.time").text, "1.20 µs");
  EXPECT_EQ(figure(session, "layer.Conv1.phase.forward.time").text, "1.00 µs");
  EXPECT_EQ(figure(session, "phase.forward.layer.Conv2.time").text, "4.00 µs");
  EXPECT_EQ(figure(session, "phase.forward.time").text, "5.00 µs");
  EXPECT_EQ(figure(session, "kernel.conv.count").text, "2");
  EXPECT_EQ(figure(session, "steps.count").text, "3");
  EXPECT_EQ(figure(session, "steps.l1.sectors_load").text, "70");
}

TEST(ClaimSteps, HaveTheSharedMemoryOfTheKernelThatTakesLongest) {
  StepRecord short_one = step("conv", "Conv1", "forward", 1000, 10, 32);
  StepRecord long_one = step("conv", "Conv2", "forward", 4000, 40, 32);
  short_one.resources = KernelResources{.static_shared_bytes = 512};
  long_one.resources = KernelResources{.static_shared_bytes = 16384, .dynamic_shared_bytes = 128};
  const Session session = session_of({short_one, long_one});
  EXPECT_EQ(figure(session, "steps.shared_bytes").text, "16.51 kB");
  EXPECT_EQ(figure(session, "layer.Conv1.shared_bytes").text, "512.0 B");
  const Session none = session_of({step("conv", "Conv1", "forward", 1000, 10, 32)});
  EXPECT_THAT(figure(none, "steps.shared_bytes").why, HasSubstr("no compiled kernel"));
}

TEST(ClaimSteps, MeanRatiosByWhatTheyAreRatiosOf) {
  const Session session = session_of({step("conv", "Conv1", "forward", 3000, 10, 32),
                                      step("conv", "Conv2", "forward", 1000, 30, 16)});
  EXPECT_EQ(figure(session, "kernel.conv.inst.lanes").text, "20");               // by instructions
  EXPECT_EQ(figure(session, "kernel.conv.occupancy.achieved").text, "28.00 %");  // by time
  EXPECT_EQ(figure(session, "layer.Conv2.occupancy.achieved").text, "16.00 %");
}

TEST(ClaimSteps, HaveTheResourcesOfTheLongest) {
  std::vector<StepRecord> steps = {step("conv", "Conv1", "forward", 10, 1, 1),
                                   step("conv", "Conv2", "forward", 90, 1, 1)};
  for (const int i : {0, 1}) {
    steps[static_cast<std::size_t>(i)].resources = KernelResources{};
    steps[static_cast<std::size_t>(i)].resources->registers_per_thread = 40 + i;
    steps[static_cast<std::size_t>(i)].resources->theoretical_occupancy_ratio = 0.5 + 0.25 * i;
  }
  const Session session = session_of(steps);
  EXPECT_EQ(figure(session, "kernel.conv.registers").text, "41");
  EXPECT_EQ(figure(session, "layer.Conv1.registers").text, "40");
  EXPECT_EQ(figure(session, "steps.occupancy.theoretical").text, "75.00 %");
}

TEST(ClaimSteps, SayWhatIsMissing) {
  std::vector<StepRecord> steps = {step("conv", "Conv1", "forward", 10, 1, 1)};
  steps.front().time_ns.reset();
  const Session session = session_of(steps);
  EXPECT_THAT(figure(session, "layer.Conv3.time").why, HasSubstr("has no step of layer Conv3"));
  EXPECT_THAT(figure(session, "kernel.relu.time").why, HasSubstr("that launches relu"));
  EXPECT_THAT(figure(session, "layer.Conv1.time").why, HasSubstr("was not timed"));
  EXPECT_THAT(figure(session, "steps.registers").why, HasSubstr("no compiled kernel"));
  const ClaimFigureText uncounted = figure(session, "steps.dram.bytes_read");
  EXPECT_THAT(uncounted.why, HasSubstr("which was not collected"));
  EXPECT_EQ(uncounted.command,
            "warpscope measure autoencoder/step_nchw part=step --counters standard");
}

TEST(ClaimSteps, RefuseWhatNoStepHas) {
  for (const char* path :
       {"layer.Conv1", "layer.Conv1.tme", "kernel.conv.binds", "steps.outcome"}) {
    const Result<Claim> claim = parse_claim(std::string("step_nchw.") + path + " > 0", scene());
    EXPECT_FALSE(claim) << path;
  }
  const Result<Claim> nearest = parse_claim("step_nchw.layer.Conv1.tim > 0 ns", scene());
  ASSERT_FALSE(nearest);
  EXPECT_THAT(sentence(nearest.error()), HasSubstr("time"));
}

TEST(ClaimSteps, AskForWhatTheyAreMadeOf) {
  const auto asked = [](const char* text) {
    return needed_figures(*parse_claim(text, scene()), scene(), {});
  };
  EXPECT_THAT(asked("step_nchw.layer.Conv1.time > 0 ns"),
              ElementsAre(NeededFigure{"step_nchw", "time.warm"}));
  EXPECT_THAT(asked("step_nchw.kernel.sgd.occupancy.achieved > 0"),
              ElementsAre(NeededFigure{"step_nchw", "occupancy.achieved"}));
}

}  // namespace
}  // namespace warpscope
