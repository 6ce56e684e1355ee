// tests/workbench/commands/cheats_test.cpp: known ways to cheat a kernel benchmark are refused by
// name, and honest kernels are not.
//
// What device code and a description can express is here, and the emulator finds it without a GPU.
// Ruled out by design: whatever a host could do (streams that are not waited for, a clock that is
// patched, a launch that is skipped when it is timed), because no code of the person's runs there.
// Left to the engine's own settings, because no emulation sees it: lines that an access policy
// keeps in L2 (L2 is overwritten before every cold sample, and a kernel has no way to set a policy
// for its launch) and clocks (compared in cycles as well).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/folders.h"
#include "tests/scenes/folder_parts.h"
#include "tests/workbench/commands/run_warpscope.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// The whole gate without a GPU: as it is asked, and at the hard cases.
WarpscopeRun gate(const std::string& folder) {
  WarpscopeRun all{0, ""};
  for (const char* more : {"", " --hard"}) {
    const WarpscopeRun one = run_warpscope("verify " + folder + more);
    all.said += one.said;
    all.status = all.status < 0 || one.status < 0 ? -1 : std::max(all.status, one.status);
  }
  return all;
}

struct Cheat {
  const char* name;
  // What is replaced by what in the kernel and in the description of the doubling scene.
  const char *kernel_from, *kernel_to, *said_from, *said_to;
  const char* found;  // part of the sentence that names it
};

constexpr const char* kStore = "if (i < n) y[i] = 2 * x[i];";
constexpr const char* kLaunch =
    "grid = \"ceil_div(n, 128)\"\nblock = 128\narguments = [\"x\", "
    "\"y\", \"i32:n\"]";

constexpr const char* kBegin =
    "const float* x, float* y, int n) {\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  "
    "if (i < n) y[i] = 2 * x[i];";

const Cheat kCheats[] = {
    {"nothing_is_computed", kStore, ";", "", "", "was never written"},
    {"half_of_the_work_is_skipped", kStore, "if (i < n && i % 2 == 0) y[i] = 2 * x[i];", "", "",
     "at y[1], is not a number or was never written"},
    {"the_grid_is_smaller_than_said", "", "", "ceil_div(n, 128)", "ceil_div(n, 256)",
     "was never written"},
    {"the_size_is_smaller_than_said", "", "", "\"i32:n\"]\n\n[ref", "\"i32:n / 2\"]\n\n[ref",
     "was never written"},
    {"relies_on_zeros_in_the_output", kStore, "if (i < n) y[i] += 2 * x[i];", "", "",
     "reads y[0], which was never written"},
    {"reads_shared_memory_that_nobody_wrote", kStore,
     "__shared__ float kept[128]; if (i < n) y[i] = 2 * x[i] + 0 * kept[threadIdx.x];", "", "",
     "kept[0], which was never written"},
    {"answers_are_in_the_text", kStore, "if (i < n) y[i] = i == 0 ? 0.630335271f : 2 * x[i];", "",
     "", "other_inputs (n=1000): wrong"},
    {"a_result_is_kept_for_the_next_run", "extern \"C\" __global__ void twice(",
     "__device__ float cache[1 << 16];\n__device__ int filled[1 << 16];\nextern \"C\" __global__ "
     "void exact(const float*, double*, int);\nextern \"C\" __global__ void twice(",
     "", "", "the result depends on what a __device__ variable keeps"},
    {"writes_into_an_input", kBegin,
     "float* x, float* y, int n) {\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if "
     "(i < n) { y[i] = 0; x[i] = 0; }",
     "", "", "which is an input: kernels must not write to it"},
    {"reads_the_reference", "", "", "[\"x\", \"y\", \"i32:n\"]\n\n[ref",
     "[\"y.reference\", \"y\", \"i32:n\"]\n\n[ref",
     "there is no buffer “y.reference” to pass here"},
    {"looks_for_the_reference_behind_its_buffers", kStore,
     "if (i < n) y[i] = 2 * x[i] + 0 * y[n + i];", "", "", "beyond the 4000 bytes of y"},
    {"knows_only_the_default_size", kStore, "if (i < 1000 && n >= 1000) y[i] = 2 * x[i];", "", "",
     "odd_sizes (n=35): wrong"},
    {"no_number_passes_every_comparison", kStore, "if (i < n) y[i] = nanf(\"\");", "", "",
     "is not a number"},
    {"the_work_is_done_before_the_clock_starts", "", "", kLaunch,
     "steps = [{ phase = \"prepare\", entry = \"twice\", grid = \"ceil_div(n, 128)\", block = 128, "
     "arguments = [\"x\", \"y\", \"i32:n\"] }, { name = \"run\", entry = \"twice\", grid = 1, "
     "block = 1, arguments = [\"x\", \"y\", \"i32:0\"] }]",
     "preparation is not timed"},
    {"it_is_its_own_reference", "", "",
     "entry = \"exact\"\ngrid = \"ceil_div(n, 128)\"\nblock = "
     "128\narguments = [\"x\", \"y.reference\", \"i32:n\"]",
     "variant = \"twice\"", "the only variant would be compared with itself"},
    {"the_tolerance_lets_everything_pass", kStore, "if (i < n) y[i] = 0;", "bit_exact = true",
     "absolute = 100", "zeros in all of y would pass too"},
    {"nothing_holds_it", "", "", "[reference]", "[work]\nflops = \"1e15 * n\"\n#",
     "the scene has no reference to compare its outputs with"},
};

class Cheats : public testing::TestWithParam<Cheat> {
 protected:
  void SetUp() override {
    if (!fs::exists(built_program("warpscope-engine"))) GTEST_SKIP() << "the engine is not built";
  }
};

TEST_P(Cheats, AreRefusedByTheNameOfWhatWasFound) {
  const Cheat& cheat = GetParam();
  const OwnFolder folder(std::string("cheats/") + cheat.name);
  std::string kernel = replaced(kDoublingKernel, cheat.kernel_from, cheat.kernel_to);
  if (kernel.find("filled") != std::string::npos)
    kernel = replaced(kernel, kStore,
                      "if (i < n && filled[i]) { y[i] = cache[i]; return; }\n  if (i < n) { y[i] = "
                      "cache[i] = 2 * x[i]; filled[i] = 1; }");
  std::string description = replaced(kDoublingDescription, cheat.said_from, cheat.said_to);
  if (description.find("flops") != std::string::npos)  // no reference at all
    description.erase(description.find("#\nentry"));
  EXPECT_TRUE(kernel != kDoublingKernel || description != kDoublingDescription) << "no cheat";
  folder.write("twice.cu", kernel);
  folder.write("scene.toml", description);
  const WarpscopeRun refusal = gate(folder.path().string());
  if (refusal.said.find("NVRTC") != std::string::npos) GTEST_SKIP() << refusal.said;
  // A missing check is not a finding.
  EXPECT_TRUE(refusal.status != 0 || refusal.said.find("no reference") != std::string::npos)
      << refusal.said;
  EXPECT_THAT(refusal.said, HasSubstr(cheat.found)) << cheat.name;
}

INSTANTIATE_TEST_SUITE_P(, Cheats, testing::ValuesIn(kCheats),
                         [](const auto& info) { return std::string(info.param.name); });

// The same gate for kernels that do their work.
TEST(HonestKernels, PassTheSameGate) {
  if (!fs::exists(built_program("warpscope-engine"))) GTEST_SKIP() << "the engine is not built";
  int passed = 0;
  for (const auto& entry :
       fs::directory_iterator(source_folder() / "assets" / "examples" / "kernels")) {
    const WarpscopeRun said = gate(entry.path().string());
    if (said.said.find("NVRTC") != std::string::npos) GTEST_SKIP() << said.said;
    EXPECT_EQ(said.status, 0) << entry.path().filename() << "\n" << said.said;
    ++passed;
  }
  EXPECT_EQ(passed, 10);
}

// A ticket that the last block gives back is a __device__ variable, and honest.
TEST(HonestKernels, MayKeepACounterThatTheyLeaveAsTheyFoundIt) {
  if (!fs::exists(built_program("warpscope-engine"))) GTEST_SKIP() << "the engine is not built";
  const OwnFolder folder("cheats/honest_ticket");
  folder.write("scene.toml", kDoublingDescription);
  folder.write(
      "twice.cu",
      replaced(replaced(kDoublingKernel, "extern", "__device__ unsigned ticket;\nextern"), kStore,
               "if (i < n) y[i] = 2 * x[i];\n  if (threadIdx.x == 0) atomicInc(&ticket, "
               "gridDim.x - 1);"));
  const WarpscopeRun said = gate(folder.path().string());
  if (said.said.find("NVRTC") != std::string::npos) GTEST_SKIP() << said.said;
  EXPECT_EQ(said.status, 0) << said.said;
}

}  // namespace
}  // namespace warpscope
