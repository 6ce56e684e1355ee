// tests/workbench/window/compiled_window_test.cpp: compiled files in the window: those with PTX
// run, others are listed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/folders.h"
#include "tests/scenes/folder_parts.h"
#include "tests/workbench/commands/run_warpscope.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/finish_work.h"
#include "workbench/client/own_binary.h"
#include "workbench/panels/launch/launch_form.h"
#include "workbench/window/files/kernel_list.h"
#include "workbench/window/open_dialog.h"
#include "workbench/workspace/trace_state.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class CompiledWindow : public testing::Test {
 protected:
  void SetUp() override {
    nvcc_ = toolkit_nvcc();
    if (!fs::exists(nvcc_)) GTEST_SKIP() << "there is no nvcc at " << nvcc_;
    if (!fs::exists(built_program("warpscope-engine"))) GTEST_SKIP() << "the engine is not built";
    folder_.write("stride.cu",
                  "extern \"C\" __global__ void stride(const double* x, unsigned* y, int n) {\n"
                  "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                  "  if (i < n) y[i] = x[i / 2];\n"
                  "}\n"
                  "__global__ void other(float* p) { p[threadIdx.x] = 1; }\n"
                  "int main() { other<<<1, 1>>>(nullptr); }\n");
  }
  // What nvcc makes of it; opened as a dropped file is.
  void open(const std::string& options, const std::string& name) {
    const std::string command = "cd " + folder_.path().string() + " && " + nvcc_ +
                                " -lineinfo stride.cu " + options + " -o " + name +
                                " > /dev/null 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    open_file(workspace_, window_.state, folder_.path() / name);
    workspace_.update();
  }
  const Trace* traced(const std::string& variant) {
    workspace_.selection.variant = variant;
    workspace_.requests.ask(request::Trace{variant});
    finish_work(workspace_);
    return trace_state(workspace_.view(), variant).trace;
  }
  // The same, with both kernels as variants: the trace of one.
  const Trace* opened(const std::string& options, const std::string& name) {
    open(options, name);
    EXPECT_EQ(workspace_.selection.wanted_panel, "launch") << name;
    EXPECT_NE(find_variant(workspace_.scene(), "other"), nullptr) << name;
    EXPECT_NE(find_variant(workspace_.scene(), "stride"), nullptr) << name;
    return traced("stride");
  }

  std::string nvcc_;
  OwnFolder folder_{std::string("compiled_window/") +
                    testing::UnitTest::GetInstance()->current_test_info()->name()};
  Workspace workspace_{{}, {built_program("warpscope-engine"), "--role", "emulate"}};
  NullWindow window_{1280, 720};
};

TEST_F(CompiledWindow, AFileWithPtxHasItsKernelsAFormAndADiagram) {
  for (const auto& [options, name] :
       {std::pair("-c -gencode arch=compute_90,code=[sm_90,compute_90]", "stride.o"),
        std::pair("-fatbin -gencode arch=compute_90,code=[sm_90,compute_90]", "both.fatbin")}) {
    const Trace* const trace = opened(options, name);
    ASSERT_NE(trace, nullptr) << name;
    EXPECT_THAT(window_.panel(workspace_, "launch"),
                AllOf(HasSubstr("stride"), HasSubstr("other"), HasSubstr("argument_1"),
                      HasSubstr("it ran, without a fault")));
    // The types of its parameters are in its accesses, as its name has none.
    const std::string& text = workspace_.catalogue()->text(workspace_.scene().name)->description;
    EXPECT_EQ(launch_form(text, "stride").buffers[0].type, "f64");
    EXPECT_EQ(launch_form(text, "stride").buffers[1].type, "u32");
    // A warp loads 16 doubles, 128 bytes in 4 sectors, and stores 32 words, as many.
    EXPECT_THAT(window_.panel(workspace_, "coalescing"), HasSubstr("stride.cu:3"));
    for (const AccessSite& site : trace->sites) {
      if (site.space != Space::global) continue;
      EXPECT_NEAR(site.totals.sectors_per_request(), 4, 0.2) << site.position.line;
    }
  }
}

TEST_F(CompiledWindow, AFileWithMachineCodeOfTheEmulatedArchitectureAloneHasADiagram) {
  for (const auto& [options, name] :
       {std::pair("-cubin -lineinfo -arch=sm_90", "stride.cubin"),
        std::pair("-fatbin -lineinfo -gencode arch=compute_90,code=sm_90 "
                  "-gencode arch=compute_80,code=sm_80",
                  "two.fatbin")}) {
    const Trace* const trace = opened(options, name);
    ASSERT_NE(trace, nullptr) << name;
    EXPECT_TRUE(trace->machine_code) << name;
    // Nothing says what its pointers point to: f32 is a guess, and the bytes are the same.
    EXPECT_THAT(window_.panel(workspace_, "coalescing"), HasSubstr("stride.cu:3"));
    int sites = 0;
    for (const AccessSite& site : trace->sites) {
      if (site.space != Space::global) continue;
      ++sites;
      EXPECT_NEAR(site.totals.sectors_per_request(), 4, 0.2) << site.position.line;
    }
    EXPECT_EQ(sites, 2) << name;
  }
}

TEST_F(CompiledWindow, AFileWithMachineCodeOfAnotherArchitectureAloneIsListed) {
  open("-cubin -arch=sm_110", "stride.cubin");
  ASSERT_TRUE(window_.state.open.kernels.has_value());
  ASSERT_EQ(window_.state.open.kernels->lines.size(), 2u);
  std::string words;
  for (int i = 0; i < 3; ++i) {
    words = window_.frame(
        [&] { static_cast<void>(draw_kernel_list(window_.state.open.kernels, window_.style)); });
  }
  EXPECT_THAT(words, AllOf(HasSubstr("stride"), HasSubstr("other"), HasSubstr("sm_110"),
                           HasSubstr("The file has machine code alone")));
}

}  // namespace
}  // namespace warpscope
