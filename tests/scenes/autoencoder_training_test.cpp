// tests/scenes/autoencoder_training_test.cpp: what `autoencoder` learns from, and in which order
// its weights lie.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "scenes/autoencoder/inputs/images.h"
#include "scenes/autoencoder/training/training_pictures.h"
#include "scenes/autoencoder/training/training_set.h"
#include "scenes/catalogue.h"

namespace warpscope {
namespace {

using namespace autoencoder;
using testing::HasSubstr;
using Changes = std::map<std::string, std::string>;

const Scene& scene() { return *built_in_catalogue().find("autoencoder").value(); }
const Training& training() { return *scene().training; }

Configuration axes(Changes changes, const char* variant = "step_nchw") {
  changes.insert({"part", "step"});
  const auto made = configured(scene(), variant, changes);
  EXPECT_TRUE(made) << sentence(made.error());
  return *made;
}

std::filesystem::path folder_of(const char* name) {
  const std::filesystem::path folder = testing::TempDir() + name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

void write_images(const std::filesystem::path& path, std::uint64_t seed, std::int64_t images) {
  const std::vector<std::uint8_t> bytes = drawn_records(seed, images);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

TEST(AutoencoderTraining, LearnsFromWholeBatchesAndHoldsAnEighthOut) {
  struct Row {
    const char* batch;
    std::int64_t samples, used, held_out;
  };
  for (const Row& row : {Row{"64", 1000, 960, 64}, Row{"64", 4096, 4096, 512},
                         Row{"64", 20000, 19968, 960}, Row{"1", 8, 8, 1}, Row{"1", 40, 40, 5}}) {
    const TrainingSet set = *training_set(axes({{"batch", row.batch}, {"size", "8"}}), row.samples);
    EXPECT_EQ(set.samples, row.used) << row.samples;
    EXPECT_EQ(set.dropped, row.samples - row.used);
    EXPECT_EQ(set.held_out, row.held_out) << row.samples;
  }
  const auto few = training_set(axes({{"batch", "64"}}), 63);
  ASSERT_FALSE(few);
  EXPECT_THAT(sentence(few.error()), HasSubstr("63 samples are fewer than a batch of 64"));
  EXPECT_THAT(few.error().remedy, HasSubstr("lower batch to 63"));
}

TEST(AutoencoderTraining, DrawsTheImagesOfAMeasuredStepFirst) {
  const Configuration c = axes({{"batch", "2"}, {"size", "8"}});
  const TrainingSet set = *training_set(c, 16);
  std::vector<float> pixels(2 * 3 * 64);
  for (const std::int64_t first : {0, 6, 16}) {
    set.fill(first, pixels);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      const auto in_image = static_cast<std::int64_t>(i) % 192;
      const DrawnImage drawn(42, first + static_cast<std::int64_t>(i) / 192);
      ASSERT_EQ(
          pixels[i],
          static_cast<float>(drawn.at(in_image / 64, in_image / 8 % 8, in_image % 8, 8)) / 255);
    }
  }
}

TEST(AutoencoderTraining, HoldsOutTheImagesBehindTheSamplesOfAFile) {
  const std::filesystem::path file = folder_of("one_file") / "some.bin";
  write_images(file, 7, 20);
  const Configuration c = axes({{"batch", "4"}, {"data", "file"}, {"data_file", file.string()}});
  const TrainingSet set = *training_set(c, 16);
  EXPECT_EQ(set.held_out, 4);
  std::vector<float> pixels(4 * 3072);
  set.fill(16, pixels);
  EXPECT_EQ(pixels.front(), static_cast<float>(DrawnImage(7, 16).at(0, 0, 0, 32)) / 255);
  const auto all = training_set(c, 20);
  ASSERT_FALSE(all);
  EXPECT_THAT(sentence(all.error()), HasSubstr("20 samples with 4 to hold out"));
}

TEST(AutoencoderTraining, HoldsOutTheTestFileOfAFolder) {
  const std::filesystem::path folder = folder_of("five_files");
  for (int i = 1; i <= 5; ++i)
    write_images(folder / ("data_batch_" + std::to_string(i) + ".bin"), 7, 4);
  const Configuration c = axes({{"batch", "4"}, {"data", "file"}, {"data_file", folder.string()}});
  EXPECT_FALSE(training_set(c, 20)) << "all images are samples, and there is no test file";
  write_images(folder / "test_batch.bin", 8, 4);
  const Result<TrainingSet> set = training_set(c, 20);
  ASSERT_TRUE(set) << sentence(set.error());
  std::vector<float> pixels(4 * 3072);
  set->fill(20, pixels);
  EXPECT_EQ(pixels.back(), static_cast<float>(DrawnImage(8, 3).at(2, 31, 31, 32)) / 255);
  std::filesystem::resize_file(folder / "test_batch.bin", 3073 * 4 - 1);
  EXPECT_FALSE(training_set(c, 20));
}

TEST(AutoencoderTraining, HasTheWeightsOfEveryRungInOneOrder) {
  const Configuration c = axes({{"channels", "4"}, {"size", "8"}, {"batch", "1"}});
  std::vector<float> numbers(static_cast<std::size_t>(weight_count(training(), c)));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  std::set<std::string> buffers;
  int rungs = 0;
  for (const Variant& variant : scene().variants) {
    const Workload w{c, {}};
    if (cannot_learn(training(), variant, w, DeviceLimits{})) continue;
    ++rungs;
    buffers.insert(training().weights(variant, w));
    const std::vector<float> laid = training().to_buffer(variant, w, numbers);
    EXPECT_EQ(training().from_buffer(variant, w, laid), numbers) << variant.name;
    EXPECT_EQ(laid == numbers, !channels_innermost(variant, w)) << variant.name;
  }
  EXPECT_GE(rungs, 5);
  EXPECT_EQ(buffers, (std::set<std::string>{"parameters", "parameters_nhwc"}));
}

// The processor's rung is measured with one image only to save time; that does not keep it from
// learning with more.
TEST(AutoencoderTraining, LearnsOnTheProcessorWithAnyBatch) {
  const Workload w{axes({{"batch", "16"}}, "cpu_sequential"), {}};
  const Variant& cpu = *find_variant(scene(), "cpu_sequential");
  EXPECT_TRUE(unavailable(cpu, w, DeviceLimits{}));
  EXPECT_EQ(cannot_learn(training(), cpu, w, DeviceLimits{}), std::nullopt);
  const Workload large{axes({{"batch", "256"}}), {}};
  EXPECT_THAT(
      cannot_learn(training(), *find_variant(scene(), "step_nchw"), large, DeviceLimits{}).value(),
      HasSubstr("grid z"));
}

TEST(AutoencoderTraining, HasTenTensorsAnd8192Codes) {
  const Configuration c = axes({});
  EXPECT_EQ(training().tensors(c).size(), 10u);
  EXPECT_EQ(weight_count(training(), c), 751875);
  std::int64_t codes = 1;
  for (const std::int64_t extent : training().latent_shape(c)) codes *= extent;
  EXPECT_EQ(codes, 8192);
  EXPECT_NEAR(training().quality_of(0.01), 20, 1e-12);
}

TEST(AutoencoderTraining, TurnsMapsWhoseChannelsAreInnermost) {
  // Two images, two channels, one row of two pixels on either side.
  std::vector<float> innermost;
  for (int image = 0; image < 2; ++image) {
    for (int pixel = 0; pixel < 4; ++pixel) {
      for (int channel = 0; channel < 2; ++channel)
        innermost.push_back(static_cast<float>(100 * image + 10 * channel + pixel));
    }
  }
  EXPECT_EQ(
      as_planes(innermost, 2, 2, 2, true),
      (std::vector<float>{0, 1, 2, 3, 10, 11, 12, 13, 100, 101, 102, 103, 110, 111, 112, 113}));
  EXPECT_EQ(as_planes(innermost, 2, 2, 2, false), innermost);
}

}  // namespace
}  // namespace warpscope
