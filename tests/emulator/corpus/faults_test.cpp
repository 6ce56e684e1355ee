// tests/emulator/corpus/faults_test.cpp: a planted fault is found on its line, and no other line
// has a finding.
#ifdef WARPSCOPE_WITH_COMPILER
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "tests/emulator/corpus/corpus_text.h"
#include "tests/emulator/fixture.h"

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

TEST(PlantedFaults, EachIsFoundOnItsLineAndNoOtherLineHasOne) {
  const Result<CompiledPtx>& ptx = corpus_ptx("faulty_kernels.cu");
  if (!ptx && ptx.error().kind == ErrorKind::environment) GTEST_SKIP() << sentence(ptx.error());
  ASSERT_TRUE(ptx) << sentence(ptx.error());
  const std::map<std::string, PlantedKernel> kernels = planted_kernels();
  std::size_t faults = 0;
  for (const auto& [name, kernel] : kernels) {
    std::vector<int> x(1000), out(1000);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i * 389 % 1000);
    Bench bench;
    bench.add("x", x);
    bench.add("out", out, false);
    bench.pass(std::int32_t{1000});
    const Trace trace = bench.run(ptx->ptx, kernel.launch, name, "faulty_kernels.cu");
    std::map<int, std::set<std::string>> found;
    for (const Fault& fault : trace.faults) found[fault.position.line].insert(to_text(fault.kind));
    for (const auto& [line, kind] : kernel.faults)
      EXPECT_EQ(found[line].count(kind), 1u) << name << ", line " << line << ": " << kind << "\n"
                                             << faults_text(trace);
    for (const auto& [line, kinds] : found)
      EXPECT_TRUE(kernel.faults.count(line) + kernel.also.count(line) > 0)
          << name << ", line " << line << "\n"
          << faults_text(trace);
    faults += kernel.faults.size();
  }
  EXPECT_GE(faults, 40u);
}

}  // namespace
}  // namespace warpscope
#endif
