// tests/emulator/corpus/drawn_test.cpp: kernels in further styles of public code are right at sizes
// and block shapes drawn at random, without a finding.
#ifdef WARPSCOPE_WITH_COMPILER
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <set>

#include "profiling/engine/compile/entry_names.h"
#include "scenes/host/input_file.h"
#include "tests/emulator/corpus/corpus_text.h"
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

void expect_right(const Program& program, DrawnCall call, const std::string& what) {
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
  bench.options.compute_capability = 90;
  const std::string symbol = symbol_of(program.entries(), call.kernel);
  const Result<EmulatedRun> run =
      emulate(program, symbol, call.launch, bench.arguments, bench.memory, bench.options);
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

class DrawnCorpus : public testing::Test {
 protected:
  void SetUp() override {
    const Result<CompiledPtx>& compiled = corpus_ptx("drawn_kernels.cu");
    if (!compiled && compiled.error().kind == ErrorKind::environment)
      GTEST_SKIP() << sentence(compiled.error());
    ASSERT_TRUE(compiled) << sentence(compiled.error());
    program_ = Program::parse(compiled->ptx, "drawn_kernels.cu");
    ASSERT_TRUE(program_) << sentence(program_.error());
  }
  static std::vector<DrawCall> all() {
    std::vector<DrawCall> calls = drawn_orders();
    for (const auto& more : {drawn_fields(), drawn_numbers()})
      calls.insert(calls.end(), more.begin(), more.end());
    return calls;
  }
  Result<Program> program_;
};

// WARPSCOPE_DRAWS=30 draws each kernel 30 times, 1020 launches.
int draws() {
  const char* const given = std::getenv("WARPSCOPE_DRAWS");
  return given != nullptr ? std::atoi(given) : 3;
}

TEST_F(DrawnCorpus, KernelsAreRightAtRandomSizesWithoutAFinding) {
  std::set<std::string> kernels;
  for (int seed = 1; seed <= draws(); ++seed) {
    for (const DrawCall& make : all()) {
      Draw draw(static_cast<std::uint32_t>(seed));
      DrawnCall call = make(draw);
      kernels.insert(call.kernel);
      expect_right(*program_, std::move(call), "random seed " + std::to_string(seed));
    }
  }
  EXPECT_EQ(kernels.size(), program_->entries().size()) << "every kernel of the file is drawn";
}

TEST_F(DrawnCorpus, WithTheOtherFileTheCorpusHasEightyKernels) {
  const Result<CompiledPtx>& others = corpus_ptx("good_kernels.cu");
  ASSERT_TRUE(others) << sentence(others.error());
  const Result<Program> program = Program::parse(others->ptx, "good_kernels.cu");
  ASSERT_TRUE(program) << sentence(program.error());
  EXPECT_GE(program_->entries().size() + program->entries().size(), 80u);
}

// Ten kernels per text, each launched five times: 20 texts are 1000 launches.
TEST(RandomPrograms, EqualACpuToTheLastBit) {
  constexpr std::uint32_t kFirstSeed = 1000;
  const int texts = std::max(1, draws() - 2);
  for (int seed = 0; seed < texts; ++seed) {
    Draw draw(kFirstSeed + static_cast<std::uint32_t>(seed));
    std::vector<RandomProgram> programs;
    std::string text = random_program_head();
    for (int k = 0; k < 10; ++k) {
      programs.push_back(random_program(draw));
      text += programs.back().text("k" + std::to_string(k));
    }
    WARPSCOPE_COMPILE(ptx, text);
    const Result<Program> program = Program::parse(ptx, "test.cu");
    ASSERT_TRUE(program) << sentence(program.error());
    for (int launch = 0; launch < 50; ++launch) {
      const std::string name = "k" + std::to_string(launch % 10);
      const RandomProgram& one = programs[static_cast<std::size_t>(launch % 10)];
      expect_right(*program, one.call(name, draw), "random seed " + std::to_string(seed));
      if (testing::Test::HasFailure()) {
        FAIL() << random_program_head() << one.text(name);
      }
    }
  }
}

}  // namespace
}  // namespace warpscope
#endif
