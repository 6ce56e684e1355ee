// tests/scenes/step_buffers_test.cpp: parts of buffers, what the host must hold, lazy inputs.
#include "scenes/base/step_buffers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "scenes/base/element_inputs.h"

namespace warpscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

TEST(BufferParts, LieInsideTheirBuffer) {
  const auto range = [](std::int64_t offset, std::int64_t bytes) {
    return range_of({offset, bytes}, 40, "w");
  };
  EXPECT_EQ(range(0, -1)->bytes, 40);
  EXPECT_EQ(range(16, -1)->bytes, 24);
  EXPECT_EQ(range(40, -1)->bytes, 0);
  EXPECT_EQ(range(8, 32)->offset, 8);
  EXPECT_EQ(range_of({0, -1}, 0, "empty")->bytes, 0);
  for (const auto& [offset, bytes] : {std::pair{std::int64_t{9}, std::int64_t{32}},
                                      {std::int64_t{41}, std::int64_t{-1}},
                                      {std::int64_t{-1}, std::int64_t{4}},
                                      {std::int64_t{0}, std::int64_t{-2}},
                                      {std::int64_t{8}, kMost},
                                      {kMost, std::int64_t{8}},
                                      {kMost, std::int64_t{-1}}}) {
    EXPECT_FALSE(range(offset, bytes)) << offset << " " << bytes;
  }
  EXPECT_EQ(range(16, 32).error().what,
            "a part of 32 bytes from byte 16 on is not inside the 40 bytes of w");
}

TEST(BufferParts, OfACopyHaveOneSizeAndDoNotOverlap) {
  EXPECT_TRUE(ranges_of({"a", "b", {0, 8}, {4, 8}}, 16, 12));
  EXPECT_THAT(ranges_of({"a", "b", {}, {}}, 16, 12).error().what,
              HasSubstr("a copy of 16 bytes of a into 12 of b"));
  EXPECT_TRUE(ranges_of({"a", "a", {0, 8}, {8, 8}}, 16, 16));
  EXPECT_THAT(ranges_of({"a", "a", {0, 8}, {4, 8}}, 16, 16).error().what, HasSubstr("overlap"));
}

HostStep host_step(std::vector<std::string> reads, std::vector<std::string> writes) {
  HostStep step;
  step.function.reads = std::move(reads);
  step.function.writes = std::move(writes);
  return step;
}

TEST(HostSideOfSteps, NamesTheMirrorsAndWhatOnlyTheHostHas) {
  const std::vector<BufferSpec> buffers = {{"x", ElementType::f32, 4, BufferRole::input},
                                           {"w", ElementType::f32, 4, BufferRole::state},
                                           {"y", ElementType::f32, 4, BufferRole::output},
                                           {"z", ElementType::f32, 4, BufferRole::output}};
  const Result<HostSide> side = host_side_of(
      {{"on host", Phase::run, host_step({"x", "w"}, {"y"})}, {"clear", Phase::run, Memset{"z"}}},
      buffers);
  ASSERT_TRUE(side);
  EXPECT_THAT(side->mirrors, ElementsAre("w", "x", "y"));
  EXPECT_THAT(side->left_on_host, ElementsAre("y"));
  const Result<HostSide> copied =
      host_side_of({{"on host", Phase::run, host_step({"x"}, {"y"})},
                    {"up", Phase::run, HostCopy{"y", HostCopy::Direction::to_device, {}}}},
                   buffers);
  ASSERT_TRUE(copied);
  EXPECT_TRUE(copied->left_on_host.empty());
  EXPECT_TRUE(host_side_of({{"clear", Phase::run, Memset{"z"}}}, buffers)->mirrors.empty());
}

TEST(HostSideOfSteps, RefusesWhatTheOtherSideAloneHas) {
  const std::vector<BufferSpec> buffers = {{"w", ElementType::f32, 4, BufferRole::state},
                                           {"y", ElementType::f32, 4, BufferRole::output}};
  const auto what = [&](const std::vector<Step>& steps) {
    const Result<HostSide> side = host_side_of(steps, buffers);
    return side ? std::string("nothing") : side.error().what;
  };
  EXPECT_THAT(what({{"h", Phase::run, host_step({"y"}, {})}}), HasSubstr("only the device has"));
  // A step on the device may have changed the state: the mirror is of before.
  EXPECT_THAT(what({{"clear", Phase::run, Memset{"w"}}, {"h", Phase::run, host_step({"w"}, {})}}),
              HasSubstr("only the device has"));
  EXPECT_THAT(what({{"h", Phase::run, host_step({}, {"y"})}, {"clear", Phase::run, Memset{"y"}}}),
              HasSubstr("only the host has"));
  EXPECT_THAT(what({{"up", Phase::run, HostCopy{"y", HostCopy::Direction::to_device, {}}}}),
              HasSubstr("no earlier step wrote"));
  EXPECT_THAT(what({{"h", Phase::run, host_step({"q"}, {})}}), HasSubstr("not declared: q"));
  // Prepare steps run first, wherever they stand.
  EXPECT_EQ(
      what({{"h", Phase::run, host_step({"y"}, {})}, {"p", Phase::prepare, host_step({}, {"y"})}}),
      "nothing");
}

TEST(FitsConstant, WhatIsNoLargerThanTheArray) {
  EXPECT_TRUE(fits_constant("table", 16, 16));
  EXPECT_TRUE(fits_constant("table", 16, 0));
  const Result<void> larger = fits_constant("table", 16, 17);
  ASSERT_FALSE(larger);
  EXPECT_EQ(larger.error().kind, ErrorKind::usage);
  EXPECT_THAT(larger.error().what, HasSubstr("17 bytes into the constants table, which have 16"));
}

TEST(Covers, TheStatesWhoseReferenceIsWritten) {
  Reference reference;
  reference.steps = [](const Workload&) -> std::vector<Step> {
    return {{"r", Phase::run, Memset{"w.reference"}}};
  };
  const auto covered = [&](const char* name, BufferRole role) {
    return covers(reference, {}, {name, ElementType::f32, 1, role});
  };
  EXPECT_TRUE(covered("y", BufferRole::output));
  EXPECT_TRUE(covered("w", BufferRole::state));
  EXPECT_FALSE(covered("moments", BufferRole::state));
  EXPECT_FALSE(covered("w", BufferRole::scratch));
}

Scene counting(std::int64_t n, bool generates) {
  Scene scene;
  InputGroup group;
  group.name = "numbers";
  group.arrays = {"a", "b"};
  group.axes = {"n"};
  group.elements = [](const Workload&, const std::string& array, std::int64_t first,
                      std::span<std::byte> bytes) {
    auto* values = reinterpret_cast<std::int64_t*>(bytes.data());
    for (std::size_t i = 0; i < bytes.size() / sizeof *values; ++i)
      values[i] = first++ * (array == "a" ? 3 : 5);
  };
  if (generates) {
    group.generate = [](const Configuration&, Inputs& inputs, Facts& facts) -> Result<void> {
      facts["known"] = 1;
      inputs["b"] = HostArray(ElementType::i64, 2);
      return {};
    };
  }
  scene.input_groups = {group};
  scene.buffers = [n](const Workload&) -> std::vector<BufferSpec> {
    return {{"a", ElementType::i64, n}, {"b", ElementType::i64, 2}};
  };
  return scene;
}

TEST(ElementInputs, AreMadeWhereNobodyMadeThemYet) {
  Configuration axes;
  axes.set("n", std::int64_t{300'000});
  for (const bool generates : {false, true}) {
    const Scene scene = counting(300'000, generates);
    Inputs inputs;
    inputs["a"] = HostArray(ElementType::i64, 1);  // of another configuration
    Facts facts;
    ASSERT_TRUE(regenerate_inputs(scene, nullptr, axes, inputs, facts));
    EXPECT_EQ(inputs.count("a"), 0u) << "what is out of date is gone";
    make_element_inputs(scene, {axes, facts}, inputs);
    ASSERT_EQ(inputs.at("a").count(), 300'000);
    EXPECT_EQ(inputs.at("a").as<std::int64_t>()[299'999], 3 * 299'999);
    EXPECT_EQ(inputs.at("b").as<std::int64_t>()[1], generates ? 0 : 5);
  }
}

TEST(ElementInputs, StayOutOfMemoryBeyondTheLimit) {
  Inputs inputs;
  make_element_inputs(counting(1000, false), {}, inputs, 8 * 1000 - 1);
  EXPECT_EQ(inputs.count("a"), 0u);
  EXPECT_EQ(inputs.count("b"), 1u);
}

TEST(ElementInputs, ComeInPiecesThatAreTheWhole) {
  const Scene scene = counting(1000, false);
  std::vector<std::byte> whole;
  ASSERT_TRUE(
      element_pieces(scene.input_groups[0], {}, scene.buffers({})[0], 8 * 96,
                     [&](std::int64_t offset, std::span<const std::byte> piece) -> Result<void> {
                       EXPECT_EQ(offset, static_cast<std::int64_t>(whole.size()));
                       EXPECT_LE(piece.size(), 8u * 96);
                       whole.insert(whole.end(), piece.begin(), piece.end());
                       return {};
                     }));
  ASSERT_EQ(whole.size(), 8000u);
  EXPECT_EQ(reinterpret_cast<const std::int64_t*>(whole.data())[999], 2997);
}

}  // namespace
}  // namespace warpscope
