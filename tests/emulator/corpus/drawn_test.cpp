// tests/emulator/corpus/drawn_test.cpp: kernels in further styles of public code are right at sizes
// and block shapes drawn at random, without a finding.
#ifdef WARPSCOPE_WITH_COMPILER
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <set>

#include "tests/emulator/corpus/drawn_call.h"
#include "tests/emulator/corpus/random_program.h"

namespace warpscope {
namespace {

template <typename T>
void expect_elements(const std::vector<T>& got, const DrawnBuffer& buffer,
                     const std::string& what) {
  ASSERT_EQ(got.size(), buffer.expected.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double wanted = buffer.expected[i], off = std::abs(static_cast<double>(got[i]) - wanted);
    ASSERT_TRUE(off <= buffer.tolerance * (1 + std::abs(wanted)))
        << what << ", at " << i << ": " << static_cast<double>(got[i]) << ", not " << wanted;
  }
}

std::string shape_text(const DrawnCall& call) {
  const Dim3 &g = call.launch.grid, &b = call.launch.block;
  std::string text = " <<<(" + std::to_string(g.x) + ", " + std::to_string(g.y) + ", " +
                     std::to_string(g.z) + "), (" + std::to_string(b.x) + ", " +
                     std::to_string(b.y) + ", " + std::to_string(b.z) + ")>>>(";
  for (const auto& parameter : call.parameters) {
    if (const auto* number = std::get_if<std::int32_t>(&parameter))
      text += " " + std::to_string(*number);
  }
  return text + ")";
}

}  // namespace

void expect_right(const CorpusCode& code, DrawnCall call, const std::string& what) {
  const std::string name = call.kernel + shape_text(call) + ", " + what;
  Bench bench;
  for (std::size_t p = 0; p < call.parameters.size(); ++p) {
    if (auto* number = std::get_if<std::int32_t>(&call.parameters[p])) {
      bench.pass(*number);
      continue;
    }
    auto& buffer = std::get<DrawnBuffer>(call.parameters[p]);
    std::visit([&](auto& values) { bench.add("p" + std::to_string(p), values, !buffer.unset); },
               buffer.values);
  }
  const Result<EmulatedRun> run = code.run(call.kernel, call.launch, bench);
  ASSERT_TRUE(run) << name << ": " << sentence(run.error());
  EXPECT_EQ(faults_text(run->trace), "") << name;
  for (const auto& parameter : call.parameters) {
    const auto* buffer = std::get_if<DrawnBuffer>(&parameter);
    if (buffer == nullptr || !buffer->checked) continue;
    std::visit([&](const auto& values) { expect_elements(values, *buffer, name); },
               buffer->values);
  }
}

namespace {

class DrawnCorpus : public testing::TestWithParam<EmulatedAs> {
 protected:
  void SetUp() override {
    if (!code_ && code_.error().kind == ErrorKind::environment)
      GTEST_SKIP() << sentence(code_.error());
    ASSERT_TRUE(code_) << sentence(code_.error());
  }
  static std::vector<DrawCall> all() {
    std::vector<DrawCall> calls = drawn_orders();
    for (const auto& more : {drawn_fields(), drawn_numbers()})
      calls.insert(calls.end(), more.begin(), more.end());
    return calls;
  }
  const Result<CorpusCode>& code_ = CorpusCode::of_file("drawn_kernels.cu", GetParam());
};

// WARPSCOPE_DRAWS=30 draws each kernel 30 times, 1020 launches.
int draws() {
  const char* const given = std::getenv("WARPSCOPE_DRAWS");
  return given != nullptr ? std::atoi(given) : 3;
}

TEST_P(DrawnCorpus, KernelsAreRightAtRandomSizesWithoutAFinding) {
  std::set<std::string> kernels;
  for (int seed = 1; seed <= draws(); ++seed) {
    for (const DrawCall& make : all()) {
      Draw draw(static_cast<std::uint32_t>(seed));
      DrawnCall call = make(draw);
      kernels.insert(call.kernel);
      expect_right(*code_, std::move(call), "random seed " + std::to_string(seed));
    }
  }
  EXPECT_EQ(kernels.size(), code_->entries().size()) << "every kernel of the file is drawn";
}

TEST_P(DrawnCorpus, WithTheOtherFileTheCorpusHasEightyKernels) {
  const Result<CorpusCode>& others = CorpusCode::of_file("good_kernels.cu", GetParam());
  ASSERT_TRUE(others) << sentence(others.error());
  EXPECT_GE(code_->entries().size() + others->entries().size(), 80u);
}

INSTANTIATE_TEST_SUITE_P(Ptx, DrawnCorpus, testing::Values(EmulatedAs::ptx));
// sm_75 has no product of 16 by 8 by 16.
INSTANTIATE_TEST_SUITE_P(SlowMachineCode, DrawnCorpus,
                         testing::Values(EmulatedAs::machine_code, EmulatedAs::sm_80,
                                         EmulatedAs::sm_86, EmulatedAs::sm_89, EmulatedAs::sm_100, EmulatedAs::sm_103, EmulatedAs::sm_120, EmulatedAs::sm_121));

// `kernels` per text, each launched five times.
void expect_random_programs(EmulatedAs as, std::uint32_t seed, int kernels) {
  Draw draw(seed);
  std::vector<RandomProgram> programs;
  std::string text = random_program_head();
  for (int k = 0; k < kernels; ++k) {
    programs.push_back(random_program(draw));
    text += programs.back().text("k" + std::to_string(k));
  }
  const Result<CorpusCode> code = CorpusCode::read("test.cu", text, as);
  if (!code && code.error().kind == ErrorKind::environment) GTEST_SKIP() << sentence(code.error());
  ASSERT_TRUE(code) << sentence(code.error());
  for (int launch = 0; launch < 5 * kernels; ++launch) {
    const std::string name = "k" + std::to_string(launch % kernels);
    const RandomProgram& one = programs[static_cast<std::size_t>(launch % kernels)];
    expect_right(*code, one.call(name, draw), "random seed " + std::to_string(seed));
    if (testing::Test::HasFailure()) {
      FAIL() << random_program_head() << one.text(name);
    }
  }
}

// 20 texts are 1000 launches.
constexpr std::uint32_t kFirstSeed = 1000;
constexpr int kKernels = 10;

TEST(RandomPrograms, EqualACpuToTheLastBit) {
  const auto texts = static_cast<std::uint32_t>(std::max(1, draws() - 2));
  for (std::uint32_t t = 0; t < texts; ++t)
    expect_random_programs(EmulatedAs::ptx, kFirstSeed + t, kKernels);
}

// The one of ten that is small stands for the slow test in every check.
TEST(RandomPrograms, EqualACpuToTheLastBitAsMachineCode) {
  expect_random_programs(EmulatedAs::machine_code, kFirstSeed, 1);
}

TEST(RandomPrograms, EqualACpuToTheLastBitAsMachineCodeOfOtherArchitectures) {
  for (const EmulatedAs as : {EmulatedAs::sm_75, EmulatedAs::sm_80, EmulatedAs::sm_86,
                              EmulatedAs::sm_89, EmulatedAs::sm_100, EmulatedAs::sm_120})
    expect_random_programs(as, kFirstSeed, 1);
}

TEST(SlowMachineCode, OfRandomProgramsEqualsACpuToTheLastBit) {
  const auto texts = static_cast<std::uint32_t>(std::max(4, draws()));
  for (std::uint32_t t = 0; t < texts; ++t)
    expect_random_programs(EmulatedAs::machine_code, kFirstSeed + t, kKernels);
}

}  // namespace
}  // namespace warpscope
#endif
