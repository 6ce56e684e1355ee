// tests/profiling/points/output_pair_test.cpp: compares the outputs of two variants, bit by bit, of
// every type.
#include "profiling/points/output_pair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "profiling/export/compiled_table.h"
#include "scenes/base/half.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

template <typename T>
StoredOutput output_of(ElementType type, const std::vector<T>& values,
                       const std::string& name = "out") {
  StoredOutput output;
  const auto count = static_cast<std::int64_t>(values.size());
  output.spec = {name, type, count, BufferRole::output, {count}, ""};
  output.bytes.resize(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(output.bytes.data(), values.data(), output.bytes.size());
  return output;
}

template <typename T>
OutputDifference compared(ElementType type, const std::vector<T>& a, const std::vector<T>& b) {
  const auto found = output_differences({output_of(type, a)}, {output_of(type, b)});
  EXPECT_EQ(found.size(), 1u);
  return found.empty() ? OutputDifference{} : found.front();
}

TEST(OutputPairs, EqualBitsAreEqualWhateverTheyMean) {
  const float nan = std::nanf("");
  const OutputDifference d =
      compared<float>(ElementType::f32, {1, nan, -0.0f, INFINITY}, {1, nan, -0.0f, INFINITY});
  EXPECT_EQ(d.bit_equal, 4);
  EXPECT_EQ(d.not_numbers, 0);
  EXPECT_EQ(d.most_ulps, 0);
  EXPECT_TRUE(d.at.empty());
  EXPECT_EQ(sentence_of(d), "out: every bit of 4 elements is equal");
}

TEST(OutputPairs, StepsAreCountedInTheTypeOfTheOutput) {
  // Neighbours of 1 in each type are one step apart, and three are three.
  const auto f32 = [](int steps) {
    float value = 1;
    for (int i = 0; i < steps; ++i) value = std::nextafter(value, 2.0f);
    return value;
  };
  EXPECT_EQ(compared<float>(ElementType::f32, {1, 1}, {f32(1), f32(3)}).most_ulps, 3);
  EXPECT_EQ(compared<double>(ElementType::f64, {1}, {std::nextafter(1.0, 2.0)}).most_ulps, 1);
  const std::uint16_t half = to_f16(1.0f), bf16 = to_bf16(1.0f);
  const auto up = [](std::uint16_t bits, int steps) {
    return static_cast<std::uint16_t>(bits + steps);
  };
  EXPECT_EQ(compared<std::uint16_t>(ElementType::f16, {half}, {up(half, 3)}).most_ulps, 3);
  EXPECT_EQ(compared<std::uint16_t>(ElementType::bf16, {bf16}, {up(bf16, 3)}).most_ulps, 3);
  EXPECT_EQ(compared<std::int32_t>(ElementType::i32, {-2}, {5}).most_ulps, 7);
  // Across zero the steps go on: from the least negative number to the least positive one.
  const float least = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(compared<float>(ElementType::f32, {-least}, {least}).most_ulps, 3);
  EXPECT_EQ(compared<float>(ElementType::f32, {-0.0f}, {0.0f}).most_ulps, 1);
  EXPECT_EQ(compared<float>(ElementType::f32, {-0.0f}, {0.0f}).bit_equal, 0);
}

TEST(OutputPairs, NameThePlaceOfTheFarthestAndCountWhatIsNoNumber) {
  const float nan = std::nanf("");
  StoredOutput first = output_of<float>(ElementType::f32, {1, 2, 3, 4, 5, nan}),
               second = output_of<float>(ElementType::f32, {1, 2, 3.5f, 4.0000005f, nan, 7});
  first.spec.shape = second.spec.shape = {2, 3};
  const OutputDifference d = output_differences({first}, {second}).at(0);
  EXPECT_EQ(d.elements, 6);
  EXPECT_EQ(d.bit_equal, 2);
  EXPECT_EQ(d.not_numbers, 2);
  EXPECT_EQ(d.most_ulps, 1 << 21);  // half of a unit, where a step is 2⁻²²
  EXPECT_EQ(d.at, "out[0, 2]");
  EXPECT_EQ(d.here, 3);
  EXPECT_EQ(d.there, 3.5);
  EXPECT_EQ(sentence_of(d),
            "out: 2 of 6 elements bit-equal; at most 2097152 ulps apart, first at out[0, 2]: 3 and "
            "3.5; 2 that differ are NaN in one or both");
}

TEST(OutputPairs, OfAnotherTypeOrSizeAreNotHeldToEachOther) {
  const StoredOutput f32 = output_of<float>(ElementType::f32, {1, 2}),
                     f64 = output_of<double>(ElementType::f64, {1, 2}),
                     longer = output_of<float>(ElementType::f32, {1, 2, 3}),
                     other = output_of<float>(ElementType::f32, {1, 2}, "loss");
  EXPECT_TRUE(output_differences({f32}, {f64}).empty());
  EXPECT_TRUE(output_differences({f32}, {longer}).empty());
  EXPECT_TRUE(output_differences({f32}, {other}).empty());
  EXPECT_EQ(output_differences({other, f32}, {f32, other}).size(), 2u);
}

OutputPair pair_of_sums() {
  OutputPair pair;
  pair.job = 7;
  pair.first = {"scene", "a", "n=1", "code a", "GPU-1"};
  pair.second = {"scene", "b", "n=1,tile=4", "code b", "GPU-1"};
  pair.conditions.device = "a card";
  pair.conditions.device_uuid = "GPU-1";
  pair.first_verdict.outcome = pair.second_verdict.outcome = Outcome::correct;
  pair.outputs = output_differences({output_of<float>(ElementType::f32, {1, 2})},
                                    {output_of<float>(ElementType::f32, {1, 2.5})});
  return pair;
}

TEST(OutputPairs, AreMessagesOfASessionTheNewestOfTwoPoints) {
  const Result<Message> read = parse_line(to_line(pair_of_sums()));
  ASSERT_TRUE(read) << sentence(read.error());
  Session session;
  session.apply(*read);
  OutputPair newer = pair_of_sums();
  newer.job = 8;
  session.apply(newer);
  ASSERT_EQ(session.outcomes().pairs().size(), 1u);
  const OutputPair* kept = session.outcomes().pair_of({"scene", "a", "n=1", "", ""},
                                                      {"scene", "b", "n=1,tile=4", "", ""});
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(kept->job, 8);
  EXPECT_EQ(kept->outputs.at(0).bit_equal, 1);
  EXPECT_EQ(kept->outputs.at(0).there, 2.5);
  EXPECT_EQ(kept->second.code_id, "code b");
  EXPECT_FALSE(all_equal(*kept));
  // The other way round is another pair, and so is another device's.
  EXPECT_EQ(session.outcomes().pair_of(kept->second, kept->first), nullptr);
  PointId elsewhere = kept->first;
  elsewhere.device_uuid = "GPU-2";
  EXPECT_EQ(session.outcomes().pair_of(elsewhere, kept->second), nullptr);
  EXPECT_THAT(output_pairs_csv(session.outcomes().pairs()),
              HasSubstr("out,f32,2,1,0,2097152,out[1],2,2.5,correct,correct,"));
  OutputPair none = pair_of_sums();
  none.outputs.clear();
  none.refusal = "b: it does not start";
  EXPECT_THAT(output_pairs_csv({&none}),
              HasSubstr(",,,,,,,,,correct,correct,b: it does not start"));
}

TEST(Compilations, AreMessagesOfASessionTheNewestOfAPointAndArchitecture) {
  Compilation made;
  made.point = {"scene", "a", "n=1", "code", ""};
  made.axes.set("n", std::int64_t{1});
  made.facts = {{"nnz", 4}};
  made.compute_capability = 86;
  made.toolkit = "13.0";
  StepRecord step;
  step.name = "sum";
  step.kind = "kernel";
  step.entry = "k";
  step.launch = {{4, 1, 1}, {512, 1, 1}, 0};
  KernelResources r;
  r.registers_per_thread = 255;
  r.spill_store_bytes = 12;
  r.spill_load_bytes = 20;
  r.most_block_threads = 1024;
  step.resources = r;
  StepRecord refused = step;
  refused.name = "product";
  refused.resources.reset();
  refused.refusal = "it is written for sm_90a alone";
  made.steps = {step, refused};
  const Result<Message> read = parse_line(to_line(made));
  ASSERT_TRUE(read) << sentence(read.error());
  Session session;
  session.apply(*read);
  session.apply(made);
  made.compute_capability = 80;
  session.apply(made);
  const auto kept = session.outcomes().compilations_of({"scene", "a", "n=1", "", "GPU-1"});
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0]->compute_capability, 80);
  EXPECT_EQ(kept[1]->steps.at(0).resources->spill_load_bytes, 20);
  EXPECT_EQ(kept[1]->steps.at(0).resources->most_block_threads, 1024);
  EXPECT_EQ(kept[1]->steps.at(1).refusal, refused.refusal);
  EXPECT_EQ(kept[1]->facts.at("nnz"), 4);
  EXPECT_TRUE(session.outcomes().compilations_of({"scene", "a", "n=2", "", ""}).empty());
  const std::string csv = compiled_csv(built_in_catalogue(), {kept[1]});
  EXPECT_THAT(csv, HasSubstr("scene,a,n=1,sum,k,sm_86,255,12,20,0,0,0,512,,,,launch failed,\"255 "
                             "registers × 32 lanes = 8 160 per warp, allocated as 8 192 (in units "
                             "of 256); × 16 warps = 131 072 registers"));
  EXPECT_THAT(csv,
              HasSubstr("product,k,sm_86,,,,,,,,,,,not compiled,it is written for sm_90a alone"));
}

}  // namespace
}  // namespace warpscope
