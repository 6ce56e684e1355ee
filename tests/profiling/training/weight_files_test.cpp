// tests/profiling/training/weight_files_test.cpp: weights and codes are read as they were written;
// wrong sizes are refused.
#include "profiling/training/weight_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "scenes/autoencoder/inputs/net_reference.h"
#include "scenes/base/npy_array.h"
#include "scenes/host/input_file.h"
#include "tests/profiling/training/training_state.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

const Training& training() { return *sample::learning_scene().training; }

fs::path folder_of(const char* name) {
  const fs::path folder = testing::TempDir() + name;
  fs::remove_all(folder);
  return folder;
}

std::vector<float> floats_of(const std::vector<std::uint8_t>& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(WeightFiles, AreReadAsTheyWereWrittenRawAndAsArrays) {
  const TrainingState state = sample::training_state();
  const Configuration axes = sample::axes_of(state);
  const fs::path folder = folder_of("weights");
  ASSERT_TRUE(write_weights(folder, training(), axes, state.weights));
  // Ten tensors, and all of them in one.
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 11);
  EXPECT_EQ(*read_weights(folder, training(), axes, false), state.weights);
  EXPECT_EQ(*read_weights(folder / kRawWeights, training(), axes, false), state.weights);
  fs::remove(folder / "w_of_Conv3.npy");
  EXPECT_EQ(*read_weights(folder, training(), axes, false), state.weights);
}

TEST(WeightFiles, HaveTheSizeOfTheWholeNetwork) {
  const Configuration axes = *configured(sample::learning_scene(), "step_nchw", {{"part", "step"}});
  EXPECT_EQ(weight_count(training(), axes), 751875);
  const fs::path folder = folder_of("whole_weights");
  ASSERT_TRUE(write_weights(folder, training(), axes, std::vector<std::uint8_t>(4 * 751875)));
  EXPECT_EQ(fs::file_size(folder / kRawWeights), 3007500u);
}

TEST(WeightFiles, OfTheOtherLayoutAreTurned) {
  const TrainingState state = sample::training_state();
  const Configuration axes = sample::axes_of(state);
  const std::vector<float> own = floats_of(state.weights);
  std::vector<float> innermost(own.size());
  for (std::size_t i = 0; i < own.size(); ++i)
    innermost[i] =
        own[static_cast<std::size_t>(autoencoder::as_nchw(axes, static_cast<std::int64_t>(i)))];
  const fs::path path = testing::TempDir() + "innermost.f32";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(innermost.data()),
             static_cast<std::streamsize>(innermost.size() * sizeof(float)));
  EXPECT_EQ(*read_weights(path, training(), axes, true), state.weights);
  EXPECT_NE(*read_weights(path, training(), axes, false), state.weights);
}

TEST(WeightFiles, OfAWrongSizeNameBothSizesAndBothLayouts) {
  const TrainingState state = sample::training_state();
  const fs::path path = testing::TempDir() + "short.f32";
  std::ofstream(path, std::ios::binary) << std::string(100, 'x');
  const auto read = read_weights(path, training(), sample::axes_of(state), false);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::input);
  EXPECT_THAT(sentence(read.error()),
              AllOf(HasSubstr("has 100 bytes"), HasSubstr("1644 are expected"),
                    HasSubstr("[out, in, 3, 3]"), HasSubstr("[out, 3, 3, in]")));
}

TEST(WeightFiles, OfAnotherShapeAreRefused) {
  const TrainingState state = sample::training_state();
  const Configuration axes = sample::axes_of(state);
  const fs::path folder = folder_of("other_shape");
  ASSERT_TRUE(write_weights(folder, training(), axes, state.weights));
  const auto read = read_weights(folder, training(), axes, true);
  ASSERT_FALSE(read);
  EXPECT_THAT(sentence(read.error()), AllOf(HasSubstr("w_of_Conv2"), HasSubstr("(2, 4, 3, 3)"),
                                            HasSubstr("(2, 3, 3, 4) is expected")));
}

TEST(LatentFiles, AreReadAsTheyWereWritten) {
  const Configuration axes = sample::axes_of(sample::training_state());
  std::vector<Latents> parts;
  std::vector<std::uint8_t> all;
  for (const std::int64_t first : {0, 2}) {
    Latents part{1, first, {2, 2, 2, 2}, {}};
    for (int i = 0; i < 64; ++i) part.values.push_back(static_cast<std::uint8_t>(i + first));
    all.insert(all.end(), part.values.begin(), part.values.end());
    parts.push_back(part);
  }
  const fs::path path = testing::TempDir() + "latents.npy";
  ASSERT_TRUE(write_latents(path, parts));
  const Result<Latents> read = read_latents(path, training(), axes);
  ASSERT_TRUE(read) << sentence(read.error());
  EXPECT_EQ(read->shape, (std::vector<std::int64_t>{4, 2, 2, 2}));
  EXPECT_EQ(read->values, all);
  // The file belongs to a network with other channels.
  const Configuration wide = *configured(sample::learning_scene(), "step_nchw",
                                         {{"part", "step"}, {"channels", "8"}, {"size", "8"}});
  const Result<Latents> other = read_latents(path, training(), wide);
  ASSERT_FALSE(other);
  EXPECT_THAT(sentence(other.error()),
              AllOf(HasSubstr("(4, 2, 2, 2)"), HasSubstr("(4, 4, 2, 2) is expected")));
}

TEST(Npy, BeginsItsElementsAtAMultipleOf64Bytes) {
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{3}, {64, 128, 8, 8}, {1, 2}, {1000000, 1}}) {
    const std::string text = npy_text(ElementType::f32, shape, {});
    EXPECT_EQ(text.size() % 64, 0u);
    EXPECT_EQ(text.back(), '\n');
  }
}

}  // namespace
}  // namespace warpscope
