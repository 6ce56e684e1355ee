// tests/emulator/launch_limits_test.cpp: each limit of an architecture, on both sides of it.
#include "profiling/emulator/run/launch_limits.h"

#include <gmock/gmock.h>

#include "tests/emulator/fixture.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

struct Shape {
  Launch launch;
  int capability = 90;
};

// A kernel without arguments that does nothing but what `body` says.
std::string entry(const std::string& directives, const std::string& body,
                  const std::string& before = "", const std::string& target = "sm_90",
                  const std::string& version = "9.0", const std::string& parameters = "") {
  return ".version " + version + "\n.target " + target + "\n.address_size 64\n" + before +
         "\n.visible .entry k(" + parameters + ")\n" + directives + "\n{\n.reg .b32 %r<4>;\n" +
         body + "\nret;\n}\n";
}

Shape shape(Dim3 grid, Dim3 block, std::int64_t dynamic = 0) {
  return {{grid, block, dynamic, {}}, 90};
}
Shape usual() { return shape({1, 1, 1}, {32, 1, 1}); }

// Whether it would compile and start; the refusal is what `emulate` answers too.
Result<void> verdict(const std::string& ptx, const Shape& at = usual()) {
  const Result<Program> program = Program::parse(ptx, "test.ptx");
  if (!program) return tl::unexpected(program.error());
  const auto kernel = program->kernel("k");
  if (!kernel) return tl::unexpected(kernel.error());
  return within_limits(program->parsed(), **kernel, at.launch, at.capability);
}

// `inside` passes; `beyond` is refused with these words and with a remedy.
void expect_limit(const Result<void>& inside, const Result<void>& beyond, ErrorKind kind,
                  const std::string& words) {
  EXPECT_TRUE(inside) << sentence(inside.error());
  ASSERT_FALSE(beyond) << words;
  EXPECT_EQ(beyond.error().kind, kind);
  EXPECT_THAT(beyond.error().what, HasSubstr(words));
  EXPECT_NE(beyond.error().remedy, "");
  EXPECT_EQ(beyond.error().where, "k");
}

std::string shared_bytes(std::int64_t bytes) {
  return ".shared .align 4 .b8 s[" + std::to_string(bytes) + "];\nst.shared.u32 [s], 1;";
}

TEST(LaunchLimits, HoldStaticSharedMemoryToWhatPtxasTakes) {
  expect_limit(verdict(entry("", shared_bytes(49152))), verdict(entry("", shared_bytes(49156))),
               ErrorKind::input, "49156 bytes of static shared memory are more than the 49152");
}

TEST(LaunchLimits, HoldAllSharedMemoryOfABlockToItsArchitecture) {
  const std::string kernel = entry("", shared_bytes(1024));
  for (const ArchitectureLimits& row : all_architecture_limits()) {
    SCOPED_TRACE(row.compute_capability);
    const std::string text = entry("", shared_bytes(1024), "", "sm_70");
    Shape at = shape({1, 1, 1}, {32, 1, 1}, row.shared_bytes_per_block - 1024);
    at.capability = row.compute_capability;
    Shape more = at;
    more.launch.dynamic_shared_bytes += 1;
    expect_limit(verdict(text, at), verdict(text, more), ErrorKind::usage,
                 "bytes of shared memory do not fit a block on compute capability");
  }
  expect_limit(verdict(kernel, shape({1, 1, 1}, {32, 1, 1}, 0)),
               verdict(kernel, shape({1, 1, 1}, {32, 1, 1}, -1)), ErrorKind::usage,
               "do not fit a block");
}

// source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
TEST(LaunchLimits, AreTheOnesOfTheProgrammingGuide) {
  EXPECT_EQ(limits_of(90)->shared_bytes_per_block, 227 * 1024);
  EXPECT_EQ(limits_of(80)->shared_bytes_per_block, 163 * 1024);
  EXPECT_EQ(limits_of(86)->shared_bytes_per_block, 99 * 1024);
  EXPECT_EQ(limits_of(75)->shared_bytes_per_block, 64 * 1024);
  EXPECT_EQ(limits_of(88)->compute_capability, 87) << "the nearest older one";
  EXPECT_EQ(limits_of(61), nullptr);
  EXPECT_FALSE(limits_of(89)->has_clusters);
  EXPECT_TRUE(limits_of(90)->has_clusters);
  EXPECT_EQ(limits_of(90)->shared_bytes_per_block, DeviceLimits{}.shared_bytes_per_block);
}

TEST(LaunchLimits, HoldBlocksAndGridsToTheirExtents) {
  const std::string kernel = entry("", "");
  const auto block = [&](Dim3 extents) { return verdict(kernel, shape({1, 1, 1}, extents)); };
  const auto grid = [&](Dim3 extents) { return verdict(kernel, shape(extents, {32, 1, 1})); };
  const std::string no_block = "threads is not possible", no_grid = "blocks is not possible";
  expect_limit(block({1024, 1, 1}), block({1025, 1, 1}), ErrorKind::usage, no_block);
  expect_limit(block({1, 1024, 1}), block({1, 1025, 1}), ErrorKind::usage, no_block);
  expect_limit(block({16, 1, 64}), block({8, 1, 65}), ErrorKind::usage, no_block);
  expect_limit(block({32, 32, 1}), block({33, 32, 1}), ErrorKind::usage, no_block);
  expect_limit(block({1, 1, 1}), block({0, 1, 1}), ErrorKind::usage, no_block);
  expect_limit(grid({2147483647, 1, 1}), grid({2147483648, 1, 1}), ErrorKind::usage, no_grid);
  expect_limit(grid({1, 65535, 1}), grid({1, 65536, 1}), ErrorKind::usage, no_grid);
  expect_limit(grid({1, 1, 65535}), grid({1, 1, 65536}), ErrorKind::usage, no_grid);
  expect_limit(grid({1, 1, 1}), grid({1, 0, 1}), ErrorKind::usage, no_grid);
}

TEST(LaunchLimits, HoldBlocksToWhatTheKernelSaysOfThem) {
  const auto at = [](const std::string& directive, Dim3 block) {
    return verdict(entry(directive, ""), shape({1, 1, 1}, block));
  };
  expect_limit(at(".maxntid 128, 2, 1", {256, 1, 1}), at(".maxntid 128, 2, 1", {257, 1, 1}),
               ErrorKind::usage, "more than the kernel's launch bounds of 256");
  expect_limit(at(".reqntid 64, 2", {64, 2, 1}), at(".reqntid 64, 2", {128, 1, 1}),
               ErrorKind::usage, "requires blocks of 64 × 2 × 1 threads");
}

TEST(LaunchLimits, KnowWhoHasClustersAndOfWhatSize) {
  const auto at = [](Dim3 grid, Dim3 cluster, int capability = 90,
                     const std::string& directive = "") {
    Shape shape = usual();
    shape.launch.grid = grid;
    shape.launch.cluster = cluster;
    shape.capability = capability;
    return verdict(entry(directive, "", "", "sm_70"), shape);
  };
  expect_limit(at({16, 1, 1}, {16, 1, 1}), at({17, 1, 1}, {17, 1, 1}), ErrorKind::usage,
               "a cluster of 17 × 1 × 1 blocks is not possible");
  expect_limit(at({4, 4, 1}, {2, 2, 1}), at({4, 3, 1}, {2, 2, 1}), ErrorKind::usage,
               "not a multiple of the cluster");
  expect_limit(at({2, 1, 1}, {1, 1, 1}, 89), at({2, 1, 1}, {2, 1, 1}, 89), ErrorKind::usage,
               "there are no clusters of blocks on compute capability 8.9");
  expect_limit(at({4, 1, 1}, {4, 1, 1}, 90, ".reqnctapercluster 4"),
               at({4, 1, 1}, {2, 1, 1}, 90, ".reqnctapercluster 4"), ErrorKind::usage,
               "requires clusters of 4 × 1 × 1 blocks");
  // Launched without one, such a kernel gets its own.
  const Result<PtxModule> module =
      parse_ptx(entry(".reqnctapercluster 4", "", "", "sm_90"), "test.ptx");
  ASSERT_TRUE(module);
  EXPECT_EQ(with_own_cluster(*module, "k", Launch{}).cluster, (Dim3{4, 1, 1}));
}

TEST(LaunchLimits, HoldParametersToWhatTheirPtxCanSay) {
  const auto at = [](std::int64_t bytes, const std::string& version) {
    return verdict(entry("", "", "", "sm_70", version,
                         ".param .align 4 .b8 p[" + std::to_string(bytes) + "]"));
  };
  expect_limit(at(32764, "8.1"), at(32768, "8.1"), ErrorKind::input,
               "32768 bytes of parameters are more than the 32764");
  expect_limit(at(4352, "8.0"), at(4356, "8.0"), ErrorKind::input,
               "more than the 4352 that a kernel may have before PTX 8.1");
}

TEST(LaunchLimits, HoldConstantAndLocalMemoryToTheirBanks) {
  const auto constant = [](std::int64_t bytes) {
    return verdict(entry("", "", ".const .align 4 .b8 c[" + std::to_string(bytes) + "];"));
  };
  expect_limit(constant(65536), constant(65540), ErrorKind::input, "of the constant bank");
  const auto local = [](std::int64_t bytes) {
    return verdict(entry("", ".local .align 16 .b8 a[" + std::to_string(bytes) + "];"));
  };
  expect_limit(local(524288), local(524304), ErrorKind::usage, "local memory per thread");
}

TEST(LaunchLimits, KnowThatABlockHasSixteenBarriers) {
  const auto bar = [](const std::string& text) { return verdict(entry("", text)); };
  expect_limit(bar("bar.sync 15;"), bar("bar.sync 16;"), ErrorKind::input, "names barrier 16");
  expect_limit(bar("barrier.sync 15, 32;"), bar("barrier.arrive 16, 64;"), ErrorKind::input,
               "barriers 0 to 15");
  EXPECT_TRUE(bar("bar.warp.sync 65535;")) << "a mask is no number of a barrier";
}

TEST(LaunchLimits, RefuseATextForANewerArchitecture) {
  const auto at = [](const std::string& target, int capability) {
    Shape shape = usual();
    shape.capability = capability;
    return verdict(entry("", "", "", target), shape);
  };
  expect_limit(at("sm_90", 90), at("sm_100", 90), ErrorKind::input,
               "the text is for sm_100, which does not run on compute capability 9.0");
  expect_limit(at("sm_80", 90), at("sm_90", 80), ErrorKind::input, "sm_90");
  expect_limit(at("sm_90a", 90), at("sm_90a", 100), ErrorKind::input, "sm_90a");
  expect_limit(at("sm_100f", 103), at("sm_100f", 120), ErrorKind::input, "sm_100f");
}

TEST(LaunchLimits, AreWhatTheEmulatorAnswersBeforeItRuns) {
  const Result<Program> program = Program::parse(entry("", shared_bytes(200 * 1024)), "test.ptx");
  ASSERT_TRUE(program) << sentence(program.error());
  EmulatedMemory memory;
  const Result<EmulatedRun> run =
      emulate(*program, "k", usual().launch, {}, memory, EmulateOptions{});
  ASSERT_FALSE(run);
  EXPECT_EQ(sentence(run.error()),
            "k: 204800 bytes of static shared memory are more than the 49152 that ptxas allows; "
            "declare it extern __shared__ and set its bytes at launch");
}

TEST(LaunchLimits, HoldTheRegistersOfABlockInUnitsOfEightAThread) {
  const auto of = [](int registers, std::int64_t threads) {
    return within_registers(registers, shape({1, 1, 1}, {threads, 1, 1}).launch, "k");
  };
  expect_limit(of(64, 1024), of(65, 1024), ErrorKind::usage,
               "each thread 65 registers: a block of 1024 threads needs 73728");
  expect_limit(of(168, 384), of(169, 384), ErrorKind::usage, "a block of 384 threads needs 67584");
  // All lanes of a partial warp have registers, and warps come in fours.
  expect_limit(of(128, 512), of(128, 513), ErrorKind::usage, "a block of 513 threads needs 81920");
  expect_limit(of(80, 768), of(80, 800), ErrorKind::usage, "a block of 800 threads needs 71680");
  EXPECT_TRUE(of(255, kThreadsOfAnyKernel));
  EXPECT_FALSE(of(255, kThreadsOfAnyKernel + 1));
  EXPECT_THAT(of(65, 1024).error().remedy, HasSubstr("at most 896 threads"));
}

}  // namespace
}  // namespace warpscope
