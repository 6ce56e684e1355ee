// tests/scenes/led_files_test.cpp: frames and patterns of `led` from files, good and broken.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "scenes/led/frame_files.h"
#include "scenes/led/led.h"

namespace warpscope {
namespace {

using Changes = std::map<std::string, std::string>;
namespace fs = std::filesystem;

class LedFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::temp_directory_path() / ("warpscope_led_" + std::to_string(std::random_device{}()));
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return (folder_ / name).string();
  }

  // A picture of one colour with one other pixel at (row 1, column 2).
  static std::string ppm(int rows, int columns, char value) {
    std::string pixels(static_cast<std::size_t>(3 * rows * columns), value);
    for (std::size_t c = 0; c < 3; ++c)
      pixels[static_cast<std::size_t>(3 * (columns + 2)) + c] = static_cast<char>(100 + c);
    return "P6\n" + std::to_string(columns) + " " + std::to_string(rows) + "\n255\n" + pixels;
  }

  static Result<Inputs> made(const Changes& more) {
    Changes changes = {{"leds", "2"},  {"channels", "3"}, {"height", "6"},   {"width", "8"},
                       {"block", "4"}, {"frames", "3"},   {"dtype", "uint8"}};
    for (const auto& [axis, value] : more) changes[axis] = value;
    const Scene scene = led_scene();
    const auto axes = with_values(scene.axes, with_defaults(scene.axes, {}), changes);
    if (!axes) return tl::unexpected(axes.error());
    if (Result<void> admitted = scene.admit(*axes); !admitted)
      return tl::unexpected(admitted.error());
    Inputs inputs;
    Facts facts;
    const auto groups = regenerate_inputs(scene, nullptr, *axes, inputs, facts);
    if (!groups) return tl::unexpected(groups.error());
    return inputs;
  }
  static std::string refusal(const Changes& more) {
    const Result<Inputs> inputs = made(more);
    return inputs ? "" : sentence(inputs.error());
  }

  fs::path folder_;
};

TEST_F(LedFiles, AFolderIsReadInNaturalOrderAndRepeats) {
  write("frame10.ppm", ppm(6, 8, 20));
  write("frame9.ppm", ppm(6, 8, 10));
  write("notes.txt", "no picture");
  const Result<Inputs> inputs = made({{"picture", "files"}, {"frame_files", folder_.string()}});
  ASSERT_TRUE(inputs) << sentence(inputs.error());
  const auto frames = inputs->at("frames").as<std::uint8_t>();
  const auto pixel = [&](std::size_t f, std::size_t c, std::size_t i) {
    return static_cast<int>(frames[(f * 3 + c) * 48 + i]);
  };
  EXPECT_EQ(pixel(0, 0, 0), 10);
  EXPECT_EQ(pixel(1, 2, 0), 20);
  EXPECT_EQ(pixel(2, 1, 0), 10) << "two files for three frames: the first again";
  for (std::size_t c = 0; c < 3; ++c)
    EXPECT_EQ(pixel(1, c, 8 + 2), 100 + static_cast<int>(c)) << "row 1, column 2 of plane " << c;
}

TEST_F(LedFiles, F32FramesAreTheBytesOver255AndOneChannelIsLuma) {
  const std::string file = write("a.ppm", ppm(6, 8, 51));
  const Result<Inputs> inputs =
      made({{"picture", "files"}, {"frame_files", file}, {"dtype", "fp32"}, {"channels", "1"}});
  ASSERT_TRUE(inputs) << sentence(inputs.error());
  const auto frames = inputs->at("frames").as<float>();
  EXPECT_FLOAT_EQ(frames[0], 51 / 255.0f);
  // 0.299·100 + 0.587·101 + 0.114·102 = 100.815
  EXPECT_FLOAT_EQ(frames[10], 101 / 255.0f);
}

TEST_F(LedFiles, AnotherSizeIsRefusedOrResampled) {
  const std::string file = write("a.ppm", ppm(3, 4, 30));
  const std::string refused = refusal({{"picture", "files"}, {"frame_files", file}});
  for (const char* part : {"a.ppm", "3×4", "6×8", "bilinear"})
    EXPECT_NE(refused.find(part), std::string::npos) << refused;
  const Result<Inputs> fitted =
      made({{"picture", "files"}, {"frame_files", file}, {"fit", "bilinear"}});
  ASSERT_TRUE(fitted) << sentence(fitted.error());
  EXPECT_EQ(fitted->at("frames").as<std::uint8_t>()[0], 30);
}

TEST_F(LedFiles, BrokenPicturesAreRefusedWithTheirName) {
  const std::string cut = write("cut.ppm", ppm(6, 8, 30).substr(0, 60));
  const std::string text = write("text.png", "not a picture");
  const std::string deep = write("deep.ppm", "P6\n8 6\n65535\n" + std::string(2 * 3 * 48, '\1'));
  for (const std::string& file : {cut, text, deep, (folder_ / "missing.png").string()}) {
    const std::string refused = refusal({{"picture", "files"}, {"frame_files", file}});
    EXPECT_NE(refused.find(fs::path(file).filename().string()), std::string::npos)
        << file << ": " << refused;
  }
  EXPECT_NE(refusal({{"picture", "files"}, {"frame_files", (folder_ / "deep.ppm").string()}})
                .find("16 bits"),
            std::string::npos);
  EXPECT_NE(refusal({{"picture", "files"}}), "");
  const std::string rgb = write("rgb.ppm", ppm(6, 8, 30));
  EXPECT_NE(refusal({{"picture", "files"}, {"frame_files", rgb}, {"channels", "4"}}).find("alpha"),
            std::string::npos);
}

TEST_F(LedFiles, RawPatternsMustHaveTheAxesLength) {
  const std::size_t values = 3 * 2 * 16;
  std::string places;
  for (int i = 0; i < 6; ++i) {
    for (const std::int32_t number : {i % 3, i % 5})
      places.append(reinterpret_cast<const char*>(&number), 4);
  }
  write("values.raw", std::string(values, '\7'));
  write("positions.raw", places);
  const Changes raw = {{"patterns", "raw files"}, {"pattern_folder", folder_.string()}};
  const Result<Inputs> inputs = made(raw);
  ASSERT_TRUE(inputs) << sentence(inputs.error());
  EXPECT_EQ(inputs->at("values").as<std::uint8_t>()[95], 7);
  EXPECT_EQ(inputs->at("positions").as<std::int32_t>()[11], 0);
  Changes more = raw;
  more["leds"] = "3";
  const std::string refused = refusal(more);
  for (const char* part : {"values.raw", "96 bytes", "144"})
    EXPECT_NE(refused.find(part), std::string::npos) << refused;
  write("positions.raw", places.replace(0, 1, "\3"));  // row 3 of 6 with blocks of 4
  EXPECT_NE(refusal(raw).find("LED 0"), std::string::npos) << refusal(raw);
}

TEST(LedNames, SortNumbersAsNumbers) {
  EXPECT_TRUE(led::natural_before("frame9", "frame10"));
  EXPECT_FALSE(led::natural_before("frame10", "frame9"));
  EXPECT_TRUE(led::natural_before("a2b3", "a2b12"));
  EXPECT_TRUE(led::natural_before("a", "a1"));
  EXPECT_FALSE(led::natural_before("a01", "a01"));
  EXPECT_NE(led::natural_before("a01", "a1"), led::natural_before("a1", "a01"));
}

}  // namespace
}  // namespace warpscope
