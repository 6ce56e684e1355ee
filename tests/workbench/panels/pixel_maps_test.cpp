// tests/workbench/panels/pixel_maps_test.cpp: what a warp reads of the pictures in an array.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenes/catalogue.h"
#include "tests/profiling/access/synthetic_trace.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kVariant = "interleaved_compile_time_points";

// Each request of the trace by hand reads 512 bytes in a row of `value`: eight pixels, or nine
// where it begins within one.
Trace deform_trace() {
  const Scene& scene = **built_in_catalogue().find("deform");
  Trace trace = synthetic_trace();
  trace.scene = "deform";
  trace.variant = kVariant;
  trace.step = "sample";
  trace.key = configuration_key(scene.axes, default_configuration(scene.axes), kVariant);
  for (TracedBuffer& buffer : trace.buffers) {
    if (buffer.name != "b") continue;
    buffer.name = "value";
    buffer.symbol = "value[Bt, S, heads, C]";
    buffer.type = ElementType::f16;
    buffer.shape = {48, 20522, 1, 32};
    buffer.bytes = 48LL * 20522 * 64;
  }
  for (AccessSite& site : trace.sites) {
    if (site.buffer == "b") site.buffer = "value";
  }
  return trace;
}

std::unique_ptr<Workspace> with_trace(const std::vector<Message>& messages) {
  auto workspace = sample::recorded(messages);
  EXPECT_TRUE(workspace->choose_scene("deform"));
  workspace->selection.variant = kVariant;
  workspace->update();
  return workspace;
}

TEST(PixelMapsPanel, DrawsEveryLevelAndSaysHowMuchIsRead) {
  NullWindow window{700, 700};
  const auto workspace = with_trace({deform_trace()});
  const std::string words = window.panel(*workspace, "pictures");
  for (const char* level : {"level 0", "level 1", "level 2", "level 3"})
    EXPECT_THAT(words, HasSubstr(level));
  // Six requests of a warp: four of eight pixels, two that straddle nine; half of the lanes of
  // four.
  const PixelMaps maps = workspace->scene().pixel_maps(
      {for_variant(workspace->scene().axes, workspace->selection.axes, kVariant), {}});
  const PixelView view = pixel_view(deform_trace(), maps, 0);
  EXPECT_GT(view.warp_pixels, 6 * 4);
  EXPECT_LE(view.warp_pixels, 4 * 8 + 2 * 9);
  EXPECT_THAT(words, HasSubstr("Warp 0 reads " + std::to_string(view.warp_pixels) + " pixels"));
}

TEST(PixelMapsPanel, FollowsTheSelectedWarp) {
  NullWindow window{700, 700};
  const auto workspace = with_trace({deform_trace()});
  static_cast<void>(window.panel(*workspace, "pictures"));
  workspace->selection.trace.warp = 3;
  workspace->selection.trace.request = requests_of_warp(deform_trace(), 3).first;
  EXPECT_THAT(window.panel(*workspace, "pictures"),
              AllOf(HasSubstr("Warp 3 reads "), Not(HasSubstr("Warp 0 reads "))));
}

TEST(PixelMapsPanel, SaysWhoReadsThePixelUnderThePointerAndAClickChoosesTheRequest) {
  NullWindow window{700, 700};
  const auto workspace = with_trace({deform_trace()});
  static_cast<void>(window.panel(*workspace, "pictures"));
  EXPECT_THAT(window.panel_under(*workspace, "pictures", "read by lanes"),
              AllOf(HasSubstr("level "), HasSubstr("a click chooses the request")));
  const std::size_t before = workspace->selection.trace.request;
  window.hold_mouse(0, true);
  static_cast<void>(window.panel(*workspace, "pictures"));
  window.hold_mouse(0, false);
  static_cast<void>(window.panel(*workspace, "pictures"));
  const std::size_t after = workspace->selection.trace.request;
  const Trace trace = deform_trace();
  EXPECT_TRUE(after != before || trace.sites[trace.requests[before].site].buffer == "value");
  EXPECT_EQ(trace.sites[trace.requests[after].site].buffer, "value");
}

TEST(PixelMapsPanel, SaysThatThereIsNoTraceYet) {
  NullWindow window{700, 700};
  const auto workspace = with_trace({sample::roofs()});
  EXPECT_THAT(window.panel(*workspace, "pictures"), HasSubstr("has no trace here yet"));
}

TEST(PixelMapsPanel, OfAnotherConfigurationIsMarkedStale) {
  NullWindow window{700, 700};
  const auto workspace = with_trace({deform_trace()});
  static_cast<void>(window.panel(*workspace, "pictures"));
  workspace->selection.axes.set("batch", std::int64_t{6});
  workspace->update();
  EXPECT_THAT(window.panel(*workspace, "pictures"),
              AllOf(HasSubstr("stale: "), HasSubstr("Warp 0 reads ")));
}

}  // namespace
}  // namespace warpscope
