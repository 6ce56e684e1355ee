// tests/workbench/panels/own_scene_test.cpp: a person's kernel in the window of a machine without a
// GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>

#include "scenes/catalogue.h"
#include "tests/folders.h"
#include "tests/scenes/folder_parts.h"
#include "tests/workbench/window/null_window.h"
#include "workbench/workspace/trace_state.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// row_sums.cu, as `warpscope row_sums.cu` opens it, emulated.
class OwnScene : public testing::Test {
 protected:
  void SetUp() override {
    open(source_folder() / "assets" / "examples" / "programs" / "row_sums.cu", "thread_per_row");
  }
  void open(const std::filesystem::path& file, const std::string& variant) {
    const auto opened = workspace_.catalogue()->open_file(file);
    ASSERT_TRUE(opened) << sentence(opened.error());
    workspace_.selection.scene = (*opened)->name;
    workspace_.selection.live = false;
    ASSERT_TRUE(until([&] {
      const TraceState state = trace_state(workspace_.view(), variant);
      return state.freshness == Freshness::fresh && !workspace_.view().progress().busy;
    })) << "diagrams follow, whether live is on or not";
  }
  bool until(const std::function<bool()>& enough) {
    const auto start = std::chrono::steady_clock::now();
    while (!enough() && std::chrono::steady_clock::now() - start < std::chrono::seconds(60)) {
      workspace_.wait(0.02);
      workspace_.update();
    }
    return enough();
  }
  Workspace workspace_{{}, {built_program("warpscope-engine"), "--role", "emulate"}};
  NullWindow window_{1280, 720};
};

// Each of the 32 lanes reads a line of its own.
TEST_F(OwnScene, OverviewNamesTheWorstFindingAndTheirPanel) {
  const std::string words = window_.panel(workspace_, "overview");
  EXPECT_THAT(words, AllOf(HasSubstr("uncoalesced access in line 11: "), HasSubstr("Better: "),
                           HasSubstr("Findings")));
  EXPECT_EQ(workspace_.scene().title, "row_sums");
}

TEST_F(OwnScene, IsUncheckedInVariantsAndHasEmulatedFiguresInMetrics) {
  EXPECT_THAT(window_.panel(workspace_, "variants"),
              AllOf(HasSubstr("no reference: outputs"), HasSubstr("warp_per_row")));
  // 32 lanes that read 32 lines, one sector of each.
  EXPECT_THAT(window_.panel(workspace_, "metrics"),
              HasSubstr("sectors per load request, emulated | 32 |"));
  Workspace built_in({}, {});
  EXPECT_THAT(window_.panel(built_in, "variants"), Not(HasSubstr("unchecked")));
}

TEST_F(OwnScene, SaysOnceWhereItsFiguresAreFrom) {
  EXPECT_THAT(window_.panel(workspace_, "overview"), HasSubstr("the figures are emulated"));
  EXPECT_THAT(window_.panel(workspace_, "metrics"),
              AllOf(HasSubstr("2 097 152"), Not(HasSubstr("recorded"))));
  for (const char* panel : {"axes", "variants", "overview", "timing"}) {
    EXPECT_THAT(window_.panel(workspace_, panel), Not(HasSubstr("is recorded"))) << panel;
  }
  EXPECT_THAT(window_.panel_under(workspace_, "variants", "nothing says"),
              HasSubstr("no reference: nothing says what its output should be"));
  EXPECT_THAT(window_.window(workspace_),
              AllOf(HasSubstr("emulated: no GPU here"), Not(HasSubstr("nothing of this scene"))));
}

// All lanes read one offset together, and 32 elements side by side: those are the reads.
TEST_F(OwnScene, WarpMapShowsTheArrayThatMostIsReadOf) {
  const OwnFolder folder("own_scene");
  folder.write(
      "shift.cu",
      "extern \"C\" __global__ void shift(const int* offset, const int* in, int* out, int n)"
      "\n{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = "
      "offset[0] + in[i]; }\n");
  open(folder.path() / "shift.cu", "shift");
  EXPECT_THAT(window_.panel(workspace_, "warp_map"), HasSubstr("Right: what was read of in for"));
}

TEST_F(OwnScene, AMistakeStandsInOverviewAndTheLastGoodStateStays) {
  workspace_.say_mistake(Mistake{"row_sums/row_sums.cu", 10, "identifier “zero” is undefined"});
  const std::string words = window_.panel(workspace_, "overview");
  EXPECT_THAT(
      words, AllOf(HasSubstr("✕ row_sums.cu:10: identifier “zero” is undefined"),
                   HasSubstr("show in Source"), HasSubstr("What follows is of the last good text."),
                   Not(HasSubstr("Not known yet"))));
  EXPECT_THAT(words, HasSubstr("67.11 MB")) << "the bytes of 2 097 152 sectors";
  workspace_.say_mistake(std::nullopt);
  EXPECT_THAT(window_.panel(workspace_, "overview"), Not(HasSubstr("last good text")));
}

}  // namespace
}  // namespace warpscope
