// tests/scenes/autoencoder_files_test.cpp: images of `autoencoder` from CIFAR-10's binary files,
// good and broken.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "scenes/autoencoder/autoencoder.h"
#include "scenes/autoencoder/inputs/images.h"
#include "tests/folders.h"

namespace warpscope {
namespace {

using namespace autoencoder;
using Bytes = std::vector<std::uint8_t>;
namespace fs = std::filesystem;

class AutoencoderFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("warpscope_autoencoder_" + std::to_string(std::random_device{}()));
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const Bytes& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    return folder_ / name;
  }

  static void expect_refused(const fs::path& path, std::int64_t images,
                             const std::vector<std::string>& words) {
    const auto read = read_cifar(path, images);
    ASSERT_FALSE(read) << path;
    EXPECT_EQ(read.error().kind, ErrorKind::input);
    for (const std::string& word : words)
      EXPECT_NE(sentence(read.error()).find(word), std::string::npos) << sentence(read.error());
  }

  fs::path folder_;
};

TEST_F(AutoencoderFiles, DrawnRecordsAreReadAsTheyWereWritten) {
  const Bytes records = drawn_records(42, 5);
  const fs::path path = write("data_batch_1.bin", records);
  EXPECT_EQ(count_cifar(path).value(), 5);
  const Bytes pixels = read_cifar(path, 4).value();
  ASSERT_EQ(pixels.size(), 4u * 3072);
  for (std::size_t i = 0; i < pixels.size(); ++i)
    ASSERT_EQ(pixels[i], records[i / 3072 * 3073 + 1 + i % 3072]) << i;
}

TEST_F(AutoencoderFiles, TheFiveFilesOfAFolderFollowEachOther) {
  for (int file = 1; file <= 5; ++file) {
    if (file == 5) {
      expect_refused(folder_, 1, {"no data_batch_5.bin", "cifar-10-batches-bin"});
    }
    write("data_batch_" + std::to_string(file) + ".bin",
          drawn_records(static_cast<std::uint64_t>(file), 2));
  }
  EXPECT_EQ(count_cifar(folder_).value(), 10);
  const Bytes pixels = read_cifar(folder_, 3).value();
  const Bytes second = drawn_records(2, 1);
  ASSERT_EQ(pixels.size(), 3u * 3072);
  EXPECT_TRUE(std::equal(pixels.begin() + 2 * 3072, pixels.end(), second.begin() + 1));
}

TEST_F(AutoencoderFiles, RefusesWhatIsNoFileOfRecords) {
  expect_refused("", 1, {"no file is named", "https://www.cs.toronto.edu/~kriz/cifar.html"});
  expect_refused(folder_ / "nothing.bin", 1, {"nothing.bin", "unpack the binary version"});
  expect_refused(write("empty.bin", {}), 1, {"empty"});
  Bytes cut = drawn_records(1, 2);
  cut.resize(cut.size() - 100);
  expect_refused(write("cut.bin", cut), 1, {"6046 bytes", "multiple of 3073", "1 whole records"});
  expect_refused(write("cifar100.bin", Bytes(2 * 3074, 0)), 1,
                 {"looks like CIFAR-100 (two label bytes)"});
  expect_refused(write("packed.bin", {0x1f, 0x8b, 8, 0}), 1, {"gzip", "unpack first"});
  Bytes tar(1024, 0);
  std::copy_n("ustar", 5, tar.begin() + 257);
  expect_refused(write("archive.bin", tar), 1, {"tar", "unpack first"});
  expect_refused(write("pickled.bin", {0x80, 2, '}', 'q'}), 1,
                 {"Python pickle", "use the binary version"});
  Bytes labelled = drawn_records(1, 3);
  labelled[2 * 3073] = 10;
  const fs::path path = write("labels.bin", labelled);
  expect_refused(path, 3, {"record 2 has label 10"});
  EXPECT_TRUE(read_cifar(path, 2)) << "the record is not read";
}

TEST_F(AutoencoderFiles, NamesTheLargestBatchThatFits) {
  const fs::path path = write("few.bin", drawn_records(1, 3));
  expect_refused(path, 4, {"3 images", "largest batch that fits is 3"});
  const Scene scene = autoencoder_scene();
  const auto configured_at = [&](const char* batch) {
    return configured(scene, "naive_nhwc",
                      {{"data", "file"}, {"data_file", path.string()}, {"batch", batch}});
  };
  EXPECT_TRUE(configured_at("3"));
  const auto refused = configured_at("4");
  ASSERT_FALSE(refused);
  EXPECT_NE(sentence(refused.error()).find("largest batch that fits is 3"), std::string::npos);
}

TEST_F(AutoencoderFiles, AFilesImagesAreTheInputAndTheLosssTarget) {
  const Bytes records = drawn_records(9, 2);
  const fs::path path = write("two.bin", records);
  const Scene scene = autoencoder_scene();
  for (const auto& [part, array] : {std::pair("conv", "x"), std::pair("loss", "t")}) {
    const auto axes = with_values(scene.axes, with_defaults(scene.axes, {}),
                                  {{"part", part},
                                   {"data", "file"},
                                   {"data_file", path.string()},
                                   {"batch", "2"},
                                   {"channels", "4"}});
    ASSERT_TRUE(axes) << sentence(axes.error());
    Inputs inputs;
    Facts facts;
    ASSERT_TRUE(regenerate_inputs(scene, nullptr, *axes, inputs, facts));
    const auto values = inputs.at(array).as<float>();
    ASSERT_EQ(values.size(), 2u * 3072);
    EXPECT_EQ(values[0], static_cast<float>(records[1]) / 255.0f);
    EXPECT_EQ(values[3072], static_cast<float>(records[3074]) / 255.0f);
  }
}

// The thousand real images that lie beside the tree on some machines; their labels are all 0.
TEST_F(AutoencoderFiles, ReadsRealImages) {
  const fs::path path = source_folder() / "../shared/data/cifar10/first_1000_images.bin";
  if (!fs::exists(path)) GTEST_SKIP() << "no " << path << " here";
  EXPECT_EQ(count_cifar(path).value(), 1000);
  const Bytes pixels = read_cifar(path, 1000).value();
  ASSERT_EQ(pixels.size(), 1000u * 3072);
  double sum = 0;
  for (const std::uint8_t pixel : pixels) sum += pixel;
  EXPECT_NEAR(sum / static_cast<double>(pixels.size()), 121, 10) << "of CIFAR-10's mean, 0.473";
  expect_refused(path, 1001, {"largest batch that fits is 1000"});
}

}  // namespace
}  // namespace warpscope
