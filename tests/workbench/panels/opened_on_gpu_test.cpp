// tests/workbench/panels/opened_on_gpu_test.cpp: a program that is opened in the window is timed
// and counted on the GPU as it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include <chrono>
#include <cstdlib>

#include "tests/folders.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/finish_work.h"
#include "workbench/client/engine_command.h"
#include "workbench/client/own_binary.h"
#include "workbench/window/offscreen.h"
#include "workbench/window/open_dialog.h"

// With $WARPSCOPE_PICTURES set to a folder, the window is kept there as PNG files.

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class GpuOpenedFile : public testing::Test {
 protected:
  void SetUp() override {
    const auto start = std::chrono::steady_clock::now();
    while (!workspace_.view().engines.engine_ready() && !workspace_.view().engines.trouble() &&
           std::chrono::steady_clock::now() - start < std::chrono::seconds(60)) {
      workspace_.wait(0.05);
      workspace_.update();
    }
    if (!workspace_.view().has_device()) GTEST_SKIP() << "the engine has no device here";
    workspace_.selection.counters = "standard";
  }
  void open(const char* file) {
    open_file(workspace_, state_, source_folder() / "tests" / "situations" / file);
    finish_work(workspace_);
  }
  void look_at(const std::string& variant) {
    workspace_.selection.variant = variant;
    finish_work(workspace_);
    workspace_.requests.ask(request::Measure{variant});
    workspace_.requests.ask(request::Trace{variant});
    finish_work(workspace_);
  }
  std::string panel(const char* name) {
    NullWindow window(1600, 900);
    return window.panel(workspace_, name);
  }
  void picture(const std::string& name, int width, int height, float scale) {
    const char* folder = std::getenv("WARPSCOPE_PICTURES");
    if (folder == nullptr) return;
    auto screen = Offscreen::create(width, height);
    ASSERT_TRUE(screen) << sentence(screen.error());
    FrameState state;
    PanelStates panels;
    const Style style = make_style(Theme::dark, scale);
    Style drawn = style;
    load_fonts(drawn);
    apply_style(drawn);
    for (int i = 0; i < 30; ++i) {
      workspace_.update();
      (*screen)->frame(1.0 / 30, [&] { draw_workbench(workspace_, panels, drawn, state); });
    }
    EXPECT_TRUE((*screen)->save_png(std::string(folder) + "/" + name + ".png"));
  }

  FrameState state_;
  Workspace workspace_{engine_command({}),
                       {built_program("warpscope-engine"), "--role", "emulate"}};
};

// Lanes beside each other read 4 sectors per request, one word for all lanes 1, one of each 2.5.
TEST_F(GpuOpenedFile, HasItsTimeAndTheSectorsThatItsAddressesAskFor) {
  open("public/c05_matmul_patterns.cu");
  const std::pair<const char*, const char*> sectors[] = {
      {"walk_rows_and_columns", "2.5"}, {"walk_rows", "1"}, {"walk_columns", "4"}};
  for (const auto& [variant, each] : sectors) {
    look_at(variant);
    const std::string words = panel("metrics");
    EXPECT_THAT(words, HasSubstr(std::string("sectors per load request | ") + each)) << variant;
    EXPECT_THAT(panel("overview"), AllOf(HasSubstr("µs"), Not(HasSubstr("no time")))) << variant;
    picture(std::string("opened-") + variant, 1600, 900, 1);
  }
  picture("opened-small", 1280, 720, 1);
  picture("opened-2x", 2560, 1440, 2);
}

// Columns of an unpadded tile lie in one bank: each read of 32 lanes takes 32 wavefronts.
TEST_F(GpuOpenedFile, OfTwoInstancesHasBothInVariantsWithTheirTimes) {
  open("memory/transpose_tile.cu");
  for (const Variant& variant : workspace_.scene().variants) look_at(variant.name);
  EXPECT_EQ(workspace_.scene().variants.size(), 2U);
  const std::string words = panel("variants");
  EXPECT_THAT(words, AllOf(HasSubstr("transpose |"), HasSubstr("transpose_1 |")));
  for (const Variant& variant : workspace_.scene().variants) {
    look_at(variant.name);
    picture("opened-" + variant.name, 1600, 900, 1);
    picture("opened-light-" + variant.name, 1280, 720, 1);
  }
  EXPECT_THAT(words, HasSubstr("µs"));
}

}  // namespace
}  // namespace warpscope
