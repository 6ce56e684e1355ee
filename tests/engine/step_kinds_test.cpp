// tests/engine/step_kinds_test.cpp: every kind of step, buffer and submission on the emulator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>

#include "profiling/engine/compile/compiler.h"
#include "profiling/engine/run/emulation.h"
#include "profiling/points/compare_output.h"
#include "scenes/base/half.h"
#include "scenes/host/input_file.h"
#include "tests/engine/step_scenes.h"
#include "tests/folders.h"

namespace warpscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class StepKinds : public testing::Test {
 protected:
  void SetUp() override {
    if (Result<std::string> version = nvrtc_version(); !version)
      GTEST_SKIP() << sentence(version.error());
    scenes_ = step_scenes();
  }

  // What an emulating engine answers.
  std::vector<Message> answers(Job job) {
    std::vector<Message> said;
    JobChannel channel;
    channel.send = [&](const Message& message) { said.push_back(message); };
    channel.interrupted = [] { return false; };
    job.sources = {step_kernels()};
    const Catalogue catalogue(scenes_);
    Emulation emulation(catalogue);
    error_ = {};
    if (const Result<void> done = emulation.run(job, channel); !done) error_ = done.error();
    return said;
  }
  template <typename T>
  static std::vector<T> of(const std::vector<Message>& messages) {
    std::vector<T> found;
    for (const Message& message : messages) {
      if (const T* one = std::get_if<T>(&message)) found.push_back(*one);
    }
    return found;
  }
  Measurement verified(const std::string& scene, const std::string& variant,
                       const std::map<std::string, std::string>& axes = {}) {
    Job job;
    job.work = VerifyJob{};
    job.scene = scene;
    job.variant = variant;
    job.axes = axes;
    said_ = answers(job);
    const std::vector<Measurement> found = of<Measurement>(said_);
    EXPECT_EQ(found.size(), 1u) << sentence(error_);
    return found.empty() ? Measurement{} : found.front();
  }
  std::vector<Trace> traced(const std::string& scene, const std::string& variant,
                            const std::string& step = "") {
    Job job;
    job.work = TraceJob{};
    job.scene = scene;
    job.variant = variant;
    job.as<TraceJob>()->step = step;
    return of<Trace>(answers(job));
  }

  std::vector<Scene> scenes_;
  std::vector<Message> said_;
  Error error_;
};

TEST_F(StepKinds, AStateThatARunChangesIsHeldToItsReference) {
  for (const char* variant : {"stream", "graph", "on_host", "both"}) {
    const Measurement m = verified("training", variant);
    EXPECT_EQ(m.verdict.outcome, Outcome::correct) << variant << ": " << m.verdict.sentence;
    // x·y, w, and the loss of both steps.
    EXPECT_EQ(m.verdict.checked_elements, 100 + 100 + 2) << variant;
  }
  const Measurement wrong = verified("training", "forgets_to_learn");
  EXPECT_EQ(wrong.verdict.outcome, Outcome::wrong);
}

TEST_F(StepKinds, AStateIsRestoredBeforeEveryRun) {
  EmulatedStage stage;
  stage.use(sources_among({step_kernels()}));
  const Scene& scene = scenes_[0];
  ASSERT_TRUE(stage.set(scene, default_configuration(scene.axes)));
  EmulatedStage::View view;
  view.sums = false;
  std::vector<std::byte> first;
  for (int run = 0; run < 2; ++run) {
    const Result<EmulatedStage::Run> ran = stage.run(scene.variants[0], view);
    ASSERT_TRUE(ran) << sentence(ran.error());
    EXPECT_TRUE(ran->faults.empty());
    const std::span<const std::byte> w = stage.bytes_of("w");
    if (run == 0) first.assign(w.begin(), w.end());
    EXPECT_TRUE(std::equal(w.begin(), w.end(), first.begin(), first.end()));
  }
}

TEST_F(StepKinds, ARunThatIsRightLeavesItsCurvesAndPictures) {
  const Measurement m = verified("training", "stream");
  const std::vector<Series> series = of<Series>(said_);
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].name, "loss");
  EXPECT_EQ(series[0].point.variant, "stream");
  EXPECT_THAT(series[0].x, ElementsAre(1, 2));
  ASSERT_EQ(series[0].y.size(), 2u);
  EXPECT_NEAR(series[0].y[0], 0.25, 1e-6);           // (0.5 · 1 − 1)²
  EXPECT_NEAR(series[0].y[1], 0.375 * 0.375, 1e-6);  // w = 0.625 then
  const std::vector<Picture> pictures = of<Picture>(said_);
  ASSERT_EQ(pictures.size(), 1u);
  EXPECT_EQ(pictures[0].width, 100);
  EXPECT_EQ(pictures[0].rgb.size(), 300u);
  EXPECT_EQ(pictures[0].rgb[0], static_cast<std::uint8_t>(0.625 * 255));
  verified("training", "forgets_to_learn");
  EXPECT_TRUE(of<Series>(said_).empty()) << "a wrong run has no curve";
}

TEST_F(StepKinds, ConstantsAreSeenByLaunchesOfTheSameTextAndDefines) {
  for (const char* variant : {"filled", "refilled", "takes_places"}) {
    const Measurement m = verified("constants", variant);
    EXPECT_EQ(m.verdict.outcome, Outcome::correct) << variant << ": " << m.verdict.sentence;
  }
  const Measurement other = verified("constants", "of_another_module");
  EXPECT_EQ(other.verdict.outcome, Outcome::faulted) << "its module was not filled";
  EXPECT_THAT(other.verdict.sentence,
              HasSubstr("reads table[0], a __constant__ array without values"));
  const Measurement large = verified("constants", "too_large");
  EXPECT_EQ(large.verdict.outcome, Outcome::cannot_run);
  EXPECT_THAT(large.verdict.sentence,
              HasSubstr("a copy of 32 bytes into the constants table, which have 16"));
  const Measurement none = verified("constants", "no_such_array");
  EXPECT_EQ(none.verdict.outcome, Outcome::cannot_run);
  EXPECT_THAT(none.verdict.sentence, HasSubstr("the source has no array tables"));
}

TEST_F(StepKinds, PartsOfBuffersAreCopiedAndSetAndNothingBesides) {
  for (const char* cuts : {"48,80", "0,200", "0,0", "199,200"}) {
    const Measurement m = verified("pieces", "pieces", {{"cuts", cuts}});
    EXPECT_EQ(m.verdict.outcome, Outcome::correct) << cuts << ": " << m.verdict.sentence;
    EXPECT_EQ(m.verdict.sentence, "every bit of 200 elements of c equals the reference");
  }
}

TEST_F(StepKinds, APartOutsideOfItsBufferIsRefusedWithItsBytes) {
  const Measurement m = verified("pieces", "beyond");
  EXPECT_EQ(m.verdict.outcome, Outcome::cannot_run);
  EXPECT_THAT(m.verdict.sentence,
              HasSubstr("8 bytes from byte 796 on is not inside the 800 bytes of c"));
}

TEST_F(StepKinds, AnExactOutputCountsItsBitEqualElements) {
  const Measurement m = verified("pieces", "ends_early");
  EXPECT_EQ(m.verdict.outcome, Outcome::wrong);
  EXPECT_EQ(m.verdict.mismatches, 1);
  EXPECT_EQ(m.verdict.sentence,
            "199 of 200 elements of c are bit-equal; the farthest, at c[199], by 1: -48260969 "
            "in place of -48260968");
}

TEST_F(StepKinds, AReferenceThatIsOnlyReportedJudgesNothing) {
  const Measurement m = verified("pieces", "pieces");
  EXPECT_EQ(m.verdict.outcome, Outcome::correct) << m.verdict.sentence;
  ASSERT_EQ(m.reported.size(), 1u);
  EXPECT_EQ(m.reported[0].reference, "two_more_at_3");
  EXPECT_EQ(m.reported[0].mismatches, 1);
  EXPECT_EQ(m.reported[0].worst_error_ratio, 2);
  EXPECT_THAT(m.reported[0].sentence, HasSubstr("against two_more_at_3: 199 of 200"));
  scenes_[1].variants[0].reference = "two_more_at_3";
  Job job;
  job.work = VerifyJob{};
  job.scene = "pieces";
  job.variant = "pieces";
  answers(job);
  EXPECT_THAT(error_.what, HasSubstr("is only reported"));
}

TEST_F(StepKinds, StepsBehindALibraryCallRunOnWhatItsFunctionLeaves) {
  EXPECT_EQ(verified("library", "with_function").verdict.outcome, Outcome::correct);
  const std::vector<Trace> traces = traced("library", "with_function");
  ASSERT_EQ(traces.size(), 1u) << sentence(error_);
  EXPECT_TRUE(traces[0].stand_ins.empty());
}

TEST_F(StepKinds, ALibraryCallWithoutAFunctionSaysWhatIsMissing) {
  const Measurement m = verified("library", "without");
  EXPECT_EQ(m.verdict.outcome, Outcome::cannot_run);
  EXPECT_THAT(m.verdict.sentence, HasSubstr("library calls cannot be emulated"));
  EXPECT_TRUE(traced("library", "without").empty());
  EXPECT_THAT(error_.what, HasSubstr("step twice uses c, which cublas.gemm.fp32 writes"));
  EXPECT_THAT(error_.remedy, HasSubstr("stand-in"));
}

TEST_F(StepKinds, AStandInTakesThePlaceOfALibraryCallInTracesAlone) {
  for (const char* step : {"", "twice"}) {
    const std::vector<Trace> traces = traced("library", "stands_in", step);
    ASSERT_EQ(traces.size(), 1u) << sentence(error_);
    EXPECT_THAT(traces[0].stand_ins, ElementsAre("C is all ones: it changes no address"));
    EXPECT_TRUE(traces[0].faults.empty());
    EXPECT_GT(traces[0].warp_instructions, 0);
    // The sentence stands with the trace wherever it goes.
    const Result<Message> again = parse_line(to_line(traces[0]));
    ASSERT_TRUE(again);
    EXPECT_EQ(std::get<Trace>(*again).stand_ins, traces[0].stand_ins);
  }
  EXPECT_EQ(verified("library", "stands_in").verdict.outcome, Outcome::cannot_run)
      << "no verdict rests on a stand-in";
}

TEST_F(StepKinds, AStandInIsRefusedBeforeItTakesMoreMemoryThanTheEmulatorMay) {
  const auto library = std::find_if(scenes_.begin(), scenes_.end(),
                                    [](const Scene& scene) { return scene.name == "library"; });
  ASSERT_NE(library, scenes_.end());
  Variant& variant = library->variants[2];
  ASSERT_EQ(variant.name, "stands_in");
  variant.scratch = [](const Workload&) -> std::vector<BufferSpec> {
    constexpr std::int64_t kTwelveGigabytes = 3LL << 30;  // elements of 4 bytes
    return {{"c", ElementType::f32, kTwelveGigabytes, BufferRole::scratch, {}, "C[i]"}};
  };
  bool filled = false;
  const auto steps = variant.steps;
  variant.steps = [steps, &filled](const Workload& w) {
    std::vector<Step> list = steps(w);
    list[1].stand_ins[0].fill = [&filled](std::span<std::byte>) { filled = true; };
    return list;
  };
  EXPECT_TRUE(traced("library", "stands_in", "twice").empty());
  EXPECT_FALSE(filled);
  EXPECT_EQ(error_.kind, ErrorKind::resource) << sentence(error_);
  EXPECT_THAT(error_.what, HasSubstr("the emulator takes at most"));
}

TEST_F(StepKinds, AStepTracedAloneWithStandInsRunsNothingThatItDoesNotNeed) {
  // A step before it that cannot run shows whether it was run.
  Variant& variant = scenes_[0].variants[0];
  const auto steps = variant.steps;
  variant.steps = [steps](const Workload& w) {
    std::vector<Step> list = steps(w);
    std::get<KernelLaunch>(list[0].action).source = "no_such_file.cu";
    return list;
  };
  const std::vector<Trace> traces = traced("training", "stream", "shade");
  ASSERT_EQ(traces.size(), 1u) << sentence(error_);
  EXPECT_THAT(traces[0].stand_ins, ElementsAre("y is all ones: it changes no address"));
  EXPECT_TRUE(traced("training", "stream").empty());
  EXPECT_FALSE(error_.what.empty()) << "all steps need the first";
}

TEST_F(StepKinds, TracesOfAllStepsComputeTheirInputsAndNeedNoStandIn) {
  const std::vector<Trace> traces = traced("training", "graph");
  ASSERT_EQ(traces.size(), 3u) << sentence(error_);
  for (const Trace& trace : traces) {
    EXPECT_TRUE(trace.stand_ins.empty()) << trace.step;
    EXPECT_TRUE(trace.faults.empty()) << trace.step;
  }
}

// What a stand-in makes is computed by nobody, so the steps before run in part.
TEST_F(StepKinds, TracesOfSampledBlocksTakeStandInsForWhatNoOtherStepNeeds) {
  Job job;
  job.work = TraceJob{};
  job.scene = "training";
  job.variant = "graph";
  job.as<TraceJob>()->grid = false;
  job.as<TraceJob>()->sample_instructions = 1000;
  const std::vector<Trace> sampled = of<Trace>(answers(job));
  ASSERT_EQ(sampled.size(), 3u) << sentence(error_);
  EXPECT_TRUE(sampled[0].stand_ins.empty() && sampled[1].stand_ins.empty());
  EXPECT_THAT(sampled[2].stand_ins, ElementsAre("y is all ones: it changes no address"));
  // A product on the host is left out where a stand-in takes its place.
  job.scene = "library";
  job.variant = "stands_in";
  const std::vector<Trace> behind = of<Trace>(answers(job));
  ASSERT_EQ(behind.size(), 1u) << sentence(error_);
  EXPECT_THAT(behind[0].stand_ins, ElementsAre("C is all ones: it changes no address"));
  // A later step uses what this one makes, so it has to be right.
  const auto steps = scenes_[0].variants[1].steps;
  ASSERT_EQ(scenes_[0].variants[1].name, "graph");
  scenes_[0].variants[1].steps = [steps](const Workload& w) {
    std::vector<Step> list = steps(w);
    list[1].stand_ins = list[2].stand_ins;
    list[2].stand_ins = {};
    return list;
  };
  job.scene = "training";
  job.variant = "graph";
  for (const Trace& trace : of<Trace>(answers(job)))
    EXPECT_TRUE(trace.stand_ins.empty()) << trace.step;
}

// Nor does a block alone wait for steps that other blocks would need.
TEST_F(StepKinds, ATraceOfOneBlockTakesStandInsAsSampledBlocksDo) {
  Job job;
  job.work = TraceJob{};
  job.as<TraceJob>()->grid = false;
  for (const auto& [scene, variant, sentence] :
       {std::tuple("training", "graph", "y is all ones: it changes no address"),
        {"library", "stands_in", "C is all ones: it changes no address"}}) {
    job.scene = scene;
    job.variant = variant;
    const std::vector<Trace> alone = of<Trace>(answers(job));
    ASSERT_FALSE(alone.empty()) << scene;
    EXPECT_THAT(alone.back().stand_ins, ElementsAre(sentence)) << scene;
    EXPECT_TRUE(alone.back().faults.empty()) << scene;
  }
}

// Who moves a slider waits for no whole training step; who asks for its trace gets all of it.
TEST_F(StepKinds, ALiveTraceOfManyKernelsIsOfTheCostliestAlone) {
  Job job;
  job.work = TraceJob{};
  job.scene = "autoencoder";
  job.variant = "step_nchw";
  job.axes = {{"part", "step"}, {"batch", "1"}, {"channels", "64"}, {"size", "8"}};
  job.as<TraceJob>()->block = "0";
  job.sources = *sources_of_scene("autoencoder");
  const auto traced = [&] {
    std::vector<std::string> steps;
    JobChannel channel;
    channel.send = [&](const Message& message) {
      const auto* trace = std::get_if<Trace>(&message);
      if (trace == nullptr) return;
      steps.push_back(trace->step);
      const bool said = !trace->stand_ins.empty() &&
                        trace->stand_ins[0].find("alone represents all") != std::string::npos;
      EXPECT_EQ(said, job.as<TraceJob>()->live) << trace->step;
    };
    channel.interrupted = [] { return false; };
    channel.host_work = [](double) {};
    Emulation emulation;
    const Result<void> done = emulation.run(job, channel);
    EXPECT_TRUE(done) << sentence(done.error());
    return steps;
  };
  job.as<TraceJob>()->live = true;
  EXPECT_THAT(traced(), ElementsAre("Conv2 forward"));
  job.as<TraceJob>()->live = false;
  EXPECT_GT(traced().size(), 20u);
}

TEST_F(StepKinds, TracesSayOfWhichCodeTheyAre) {
  const std::string code = verified("training", "graph").conditions.code_id;
  ASSERT_EQ(code.size(), 32u);
  const std::vector<Trace> traces = traced("training", "graph");
  ASSERT_EQ(traces.size(), 3u) << sentence(error_);
  for (const Trace& trace : traces) EXPECT_EQ(trace.source_hash, code) << trace.step;
}

TEST_F(StepKinds, WhatOnlyTheHostHasIsNoInputOfTheDevice) {
  Variant& variant = scenes_[0].variants[3];
  const auto steps = variant.steps;
  const auto without = [&](const char* name) {
    variant.steps = [steps, name](const Workload& w) {
      std::vector<Step> list = steps(w);
      std::erase_if(list, [&](const Step& step) { return step.name == name; });
      return list;
    };
    return verified("training", "both").verdict;
  };
  const Verdict down = without("y to the host"), up = without("y back");
  EXPECT_EQ(down.outcome, Outcome::cannot_run);
  EXPECT_THAT(down.sentence, HasSubstr("step halve: a step on the host reads y, which only the "
                                       "device has"));
  EXPECT_EQ(up.outcome, Outcome::cannot_run);
  EXPECT_THAT(up.sentence, HasSubstr("step double: a step on the device uses y, which only the "
                                     "host has"));
}

// The kernel that compares on the device gives the same as the function that compares on the host.
TEST_F(StepKinds, TheDevicesComparisonCountsAsTheHostsInEveryType) {
  const Result<std::string> text =
      read_input(source_folder().string() + "/kernels/engine/compare.cu", 1 << 20);
  ASSERT_TRUE(text);
  constexpr ElementType kTypes[] = {
      ElementType::f32, ElementType::f16, ElementType::bf16, ElementType::u32, ElementType::i32,
      ElementType::u16, ElementType::u8,  ElementType::i8,   ElementType::i64, ElementType::f64};
  const double references[] = {0,     -0.0,  1,    2,
                               -3,    100,   0.1,  300,
                               1e10,  7,     -128, std::numeric_limits<double>::quiet_NaN(),
                               65504, 1e300, 5,    9};
  for (const ElementType type : kTypes) {
    const std::string define = std::to_string(comparison_type(type));
    const Result<CompiledPtx> ptx =
        compile_to_ptx({"engine/compare.cu", {{"TYPE", define}}, 90}, *text);
    ASSERT_TRUE(ptx) << sentence(ptx.error());
    const Result<Program> program = Program::parse(ptx->ptx, "engine/compare.cu");
    ASSERT_TRUE(program) << sentence(program.error());
    const std::int64_t size = element_bytes(type), count = std::size(references);
    // Small bit patterns and, of floating types, numbers near the references.
    std::vector<std::byte> out(static_cast<std::size_t>(size * count));
    std::vector<ReferenceValue> expected;
    for (std::int64_t i = 0; i < count; ++i) {
      const double value = references[i];
      expected.push_back({value, 0.5, 1});
      const auto place = out.data() + i * size;
      const auto put = [&](auto number) { std::memcpy(place, &number, sizeof number); };
      const bool finite = std::abs(value) < 1e9;
      if (type == ElementType::f32) put(static_cast<float>(value));
      if (type == ElementType::f64) put(value);
      if (type == ElementType::f16) put(to_f16(static_cast<float>(value)));
      if (type == ElementType::bf16) put(to_bf16(static_cast<float>(value)));
      if (type == ElementType::u32) put(static_cast<std::uint32_t>(finite ? std::abs(value) : 4));
      if (type == ElementType::i32) put(static_cast<std::int32_t>(finite ? value : 4));
      if (type == ElementType::u16) put(static_cast<std::uint16_t>(finite ? std::abs(value) : 4));
      if (type == ElementType::u8) put(static_cast<std::uint8_t>(finite ? std::abs(value) : 4));
      if (type == ElementType::i8) put(static_cast<std::int8_t>(std::abs(value) < 128 ? value : 4));
      if (type == ElementType::i64) put(static_cast<std::int64_t>(finite ? value : 4));
      if (i == 14) place[0] ^= std::byte{1};            // the neighbour of 5
      if (i == 15) place[size - 1] ^= std::byte{0x80};  // far from 9
    }
    for (const bool exact : {true, false}) {
      Tolerance tolerance{0.001, 0.01, 0.001, 1e-3, exact};
      OutputComparison on_host;
      compare_elements(type, out, expected, tolerance, 0, on_host);
      std::vector<std::vector<double>> parts(3);
      for (const ReferenceValue& value : expected) {
        parts[0].push_back(value.value);
        parts[1].push_back(value.accumulation);
        parts[2].push_back(value.magnitude);
      }
      std::vector<std::uint64_t> result(3);
      EmulatedMemory memory;
      std::vector<ArgumentBytes> arguments = {
          argument_of(memory.add({"out", "out", type, {count}}, out, true))};
      for (std::vector<double>& part : parts) {
        arguments.push_back(argument_of(memory.add({"part", "part", ElementType::f64, {count}},
                                                   std::as_writable_bytes(std::span(part)), true)));
      }
      arguments.push_back(argument_of(count));
      for (const double bound :
           {tolerance.accumulation, tolerance.magnitude, tolerance.reference, tolerance.absolute}) {
        arguments.push_back(argument_of(bound));
      }
      arguments.push_back(argument_of(std::int32_t{exact}));
      arguments.push_back(argument_of(memory.add({"result", "result", ElementType::i64, {3}},
                                                 std::as_writable_bytes(std::span(result)), true)));
      const Result<EmulatedRun> run = emulate(*program, "compare", {{1, 1, 1}, {32, 1, 1}, 0, {}},
                                              arguments, memory, EmulateOptions{});
      ASSERT_TRUE(run) << sentence(run.error());
      EXPECT_TRUE(run->trace.faults.empty()) << to_text(type);
      const std::string place = std::string(to_text(type)) + (exact ? " exact" : " bounded");
      EXPECT_EQ(static_cast<std::int64_t>(result[0]), on_host.mismatches) << place;
      EXPECT_DOUBLE_EQ(std::bit_cast<double>(result[2]), on_host.worst_error_ratio) << place;
      EXPECT_GT(on_host.mismatches, 0) << place;
      if (exact) {
        EXPECT_LT(on_host.mismatches, count) << place;
      }
    }
  }
}

// The number by which a device tells that a run wrote into an input.
TEST_F(StepKinds, TheSumOfABufferTellsItFromEveryOtherThatAWriteLeaves) {
  const Result<std::string> text =
      read_input(source_folder().string() + "/kernels/engine/sum_bytes.cu", 1 << 20);
  ASSERT_TRUE(text);
  const Result<CompiledPtx> ptx = compile_to_ptx({"engine/sum_bytes.cu", {}, 90}, *text);
  ASSERT_TRUE(ptx) << sentence(ptx.error());
  const Result<Program> program = Program::parse(ptx->ptx, "engine/sum_bytes.cu");
  ASSERT_TRUE(program) << sentence(program.error());
  const auto sum_of = [&](std::vector<std::byte> bytes, std::int64_t blocks) {
    const auto count = static_cast<std::int64_t>(bytes.size());
    std::vector<std::uint64_t> sums(3);
    EmulatedMemory memory;
    const std::vector<ArgumentBytes> arguments = {
        argument_of(memory.add({"bytes", "bytes", ElementType::u8, {count}}, bytes, true)),
        argument_of(count),
        argument_of(memory.add({"sums", "sums", ElementType::i64, {3}},
                               std::as_writable_bytes(std::span(sums)), true)),
        argument_of(std::int32_t{1})};
    const Result<EmulatedRun> run =
        emulate(*program, "sum_bytes", {{blocks, 1, 1}, {256, 1, 1}, 0, {}}, arguments, memory, {});
    EXPECT_TRUE(run && run->trace.faults.empty());
    EXPECT_EQ(sums[0] + sums[2], 0u) << "beside its place";
    return sums[1];
  };
  std::vector<std::byte> bytes(4099);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(37 * i + i / 7);
  const std::uint64_t before = sum_of(bytes, 2);
  EXPECT_EQ(sum_of(bytes, 5), before) << "whatever blocks add first";
  for (const std::size_t at : {std::size_t{0}, std::size_t{1027}, bytes.size() - 1}) {
    std::vector<std::byte> written = bytes;
    written[at] ^= std::byte{1};
    EXPECT_NE(sum_of(written, 2), before) << at;
  }
  std::vector<std::byte> swapped = bytes;
  std::swap_ranges(swapped.begin(), swapped.begin() + 4, swapped.begin() + 400);
  EXPECT_NE(sum_of(swapped, 2), before) << "two words that change places";
  EXPECT_NE(sum_of(std::vector<std::byte>(4099), 2), sum_of(std::vector<std::byte>(4100), 2));
}

}  // namespace
}  // namespace warpscope
