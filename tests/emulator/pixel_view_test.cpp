// tests/emulator/pixel_view_test.cpp: the pixels that a warp reads are the corners of its places.
#include "profiling/overview/pixel_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "tests/engine/compiling_test.h"

#ifdef WARPSCOPE_WITH_COMPILER

#include "profiling/engine/run/emulated/emulated_stage.h"
#include "scenes/base/half.h"
#include "scenes/catalogue.h"

namespace warpscope {
namespace {

using Pixel = std::tuple<std::size_t, std::int64_t, std::int64_t>;  // map, row, column
using Pixels = std::map<int, std::set<Pixel>>;                      // by lane

class PixelViews : public CompilingTest {
 protected:
  // 16 queries for each of two images, 8 a warp, that look anywhere in two levels.
  void look(const char* variant) {
    const std::map<std::string, std::string> changes = {{"batch", "2"},   {"queries", "16"},
                                                        {"levels", "2"},  {"height0", "9"},
                                                        {"width0", "14"}, {"locality", "uniform"}};
    const Scene& scene = **built_in_catalogue().find("deform");
    const auto axes = with_values(scene.axes, default_configuration(scene.axes), changes);
    EmulatedStage stage;
    ASSERT_TRUE(stage.set(scene, for_variant(scene.axes, *axes, variant)));
    Result<EmulatedStage::Run> run = stage.run(*find_variant(scene, variant), {});
    ASSERT_TRUE(run) << sentence(run.error());
    trace_ = std::move(run->traces.back());
    maps_ = scene.pixel_maps({for_variant(scene.axes, *axes, variant), {}});
  }
  Trace trace_;
  PixelMaps maps_;
};

TEST_F(PixelViews, AreTheFourCornersOfEachLanesPlaces) {
  look("interleaved_compile_time_points");
  ASSERT_EQ(maps_.maps.size(), 2u);
  for (const std::uint32_t warp : {0u, 1u, 2u, 3u}) {
    const PixelView view = pixel_view(trace_, maps_, warp);
    Pixels corners, read;
    for (const PlaceTouch& place : view.places) {
      // The kernel's coordinates are halves: near a pixel's edge they may lie in the next one.
      const auto in_half = [](double at) {
        return static_cast<std::int64_t>(std::floor(from_f16(to_f16(static_cast<float>(at)))));
      };
      const std::int64_t row = in_half(place.at.y), column = in_half(place.at.x);
      for (const std::int64_t down : {0, 1}) {
        for (const std::int64_t right : {0, 1})
          corners[place.lane].emplace(place.at.map, row + down, column + right);
      }
    }
    for (const PixelTouch& touch : view.touches) {
      read[touch.lane].emplace(touch.map, touch.row, touch.column);
      EXPECT_EQ(touch.image, warp / 2) << "two warps have the queries of an image";
    }
    EXPECT_EQ(corners.size(), 32u) << "every lane reads the places of its query";
    EXPECT_EQ(read, corners) << "warp " << warp;
  }
}

TEST_F(PixelViews, HaveTheWindowsThatHoldThem) {
  look("interleaved_compile_time_points");
  const PixelView view = pixel_view(trace_, maps_, 0);
  EXPECT_EQ(view.all_pixels, 11 * 16 + 7 * 9) << "both levels with their rings";
  std::set<Pixel> all;
  for (const PixelTouch& touch : view.touches) {
    const PixelWindow& window = view.of_warp.at(touch.map);
    EXPECT_TRUE(touch.row >= window.first_row && touch.row <= window.last_row);
    EXPECT_TRUE(touch.column >= window.first_column && touch.column <= window.last_column);
    all.emplace(touch.map, touch.row, touch.column);
  }
  EXPECT_EQ(view.warp_pixels, static_cast<std::int64_t>(all.size()));
  EXPECT_GT(view.block_pixels, view.warp_pixels);
  EXPECT_THAT(describe(view, maps_, 0), testing::HasSubstr(" of 7 × 9."));
}

TEST_F(PixelViews, OfAnArrayThatIsNotReadAreEmpty) {
  look("unpadded_values");
  const PixelView view = pixel_view(trace_, {"nothing", 1, 0, maps_.maps, "", nullptr}, 0);
  EXPECT_TRUE(view.touches.empty());
  EXPECT_TRUE(view.places.empty());
}

}  // namespace
}  // namespace warpscope

#endif  // WARPSCOPE_WITH_COMPILER
