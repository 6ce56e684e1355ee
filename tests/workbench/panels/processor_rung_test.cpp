// tests/workbench/panels/processor_rung_test.cpp: a variant that runs on the processor has no
// kernel, and no panel takes it for a library's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"

namespace warpscope {
namespace {

TEST(ProcessorRung, HasNoKernelInAnyPanel) {
  NullWindow window;
  const auto workspace = sample::recorded({sample::roofs()});
  ASSERT_TRUE(workspace->choose_scene("autoencoder"));
  workspace->selection.axes.set("part", std::string("step"));
  workspace->selection.axes.set("batch", std::int64_t{1});
  workspace->selection.variant = "cpu_sequential";
  workspace->update();
  for (const char* panel :
       {"coalescing", "banks", "warp_map", "divergence", "overview", "source", "occupancy"}) {
    const std::string words = window.panel(*workspace, panel);
    EXPECT_THAT(words, testing::HasSubstr("runs on the processor: it has no kernel")) << panel;
    EXPECT_THAT(words, testing::Not(testing::HasSubstr("library"))) << panel;
  }
}

}  // namespace
}  // namespace warpscope
