// tests/emulator/corpus/faults_test.cpp: a planted fault is found on its line, and no other line
// has a finding.
#ifdef WARPSCOPE_WITH_COMPILER
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "scenes/host/input_file.h"
#include "tests/emulator/corpus/corpus_code.h"
#include "tests/emulator/fixture.h"
#include "tests/folders.h"

namespace warpscope {
namespace {

struct PlantedKernel {
  Launch launch = launch_of(4, 256);
  std::map<int, std::string> faults;  // by line
  std::set<int> also;                 // the other ends of races
};

// What the comments of the file say.
std::map<std::string, PlantedKernel> planted_kernels() {
  std::map<std::string, PlantedKernel> kernels;
  const Result<std::string> text =
      read_input(source_folder() / "tests/emulator/corpus/faulty_kernels.cu", kMostTextFileBytes);
  if (!text) return kernels;
  std::istringstream lines(*text);
  std::string line, name;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.starts_with("K ")) {
      name = line.substr(2, line.find('(') - 2);
      PlantedKernel& kernel = kernels[name];
      if (const std::size_t at = line.find("// LAUNCH "); at != std::string::npos) {
        std::istringstream words(line.substr(at + 10));
        std::int64_t blocks = 1, threads = 1, shared = 0;
        words >> blocks >> threads >> shared;
        kernel.launch = launch_of(blocks, threads, shared);
      }
    }
    if (const std::size_t at = line.find("// FAULT "); at != std::string::npos)
      kernels[name].faults[number] = line.substr(at + 9);
    if (line.ends_with("// ALSO")) kernels[name].also.insert(number);
  }
  return kernels;
}

// What machine code does not show of these kernels' faults, and why.
struct Unseen {
  const char* kernel;
  const char* why;
};
constexpr Unseen kUnseen[] = {
    {"barrier_in_branch", "the other lanes have ended, and a barrier does not wait for them"},
    {"early_reset", "the race is found at its other end"},
    {"mask_without_itself", "ptxas leaves out the mask of a vote"},
    {"read_only_load", "the element is not written yet: an uninitialised read of the same line"},
    {"rows_of_odd_width", "ptxas narrows the load to the words that are used"},
    {"shuffle_in_branch", "the other lanes have ended, and WARPSYNC does not wait for them"},
    {"warp_without_sync", "machine code does not tell how lanes of a warp are ordered"}};
const char* why_unseen(const std::string& kernel) {
  for (const Unseen& unseen : kUnseen) {
    if (kernel == unseen.kernel) return unseen.why;
  }
  return nullptr;
}

class PlantedFaults : public testing::TestWithParam<EmulatedAs> {};

TEST_P(PlantedFaults, EachIsFoundOnItsLineAndNoOtherLineHasOne) {
  const Result<CorpusCode>& code = CorpusCode::of_file("faulty_kernels.cu", GetParam());
  if (!code && code.error().kind == ErrorKind::environment) GTEST_SKIP() << sentence(code.error());
  ASSERT_TRUE(code) << sentence(code.error());
  const std::map<std::string, PlantedKernel> kernels = planted_kernels();
  std::size_t faults = 0;
  for (const auto& [name, kernel] : kernels) {
    std::vector<int> x(1000), out(1000);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i * 389 % 1000);
    Bench bench;
    bench.add("x", x);
    bench.add("out", out, false);
    bench.pass(std::int32_t{1000});
    const Result<EmulatedRun> run = code->run(name, kernel.launch, bench);
    ASSERT_TRUE(run) << name << ": " << sentence(run.error());
    std::map<int, std::set<std::string>> found;
    for (const Fault& fault : run->trace.faults)
      found[fault.position.line].insert(to_text(fault.kind));
    const char* const unseen =
        GetParam() == EmulatedAs::machine_code ? why_unseen(name) : nullptr;
    for (const auto& [line, kind] : kernel.faults)
      EXPECT_EQ(found[line].count(kind), unseen == nullptr ? 1u : 0u)
          << name << ", line " << line << ": " << kind << "\n"
          << faults_text(run->trace);
    for (const auto& [line, kinds] : found) {
      if (kinds.empty()) continue;
      EXPECT_TRUE(kernel.faults.count(line) + kernel.also.count(line) > 0)
          << name << ", line " << line << "\n"
          << faults_text(run->trace);
    }
    faults += kernel.faults.size();
  }
  EXPECT_GE(faults, 40u);
}

INSTANTIATE_TEST_SUITE_P(Ptx, PlantedFaults, testing::Values(EmulatedAs::ptx));
INSTANTIATE_TEST_SUITE_P(SlowMachineCode, PlantedFaults, testing::Values(EmulatedAs::machine_code));

}  // namespace
}  // namespace warpscope
#endif
