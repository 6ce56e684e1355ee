// scenes/autoencoder/training/training_set.cpp: the images of a training, drawn or of files.
#include "scenes/autoencoder/training/training_set.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "scenes/autoencoder/inputs/images.h"
#include "scenes/autoencoder/shapes.h"
#include "scenes/host/parallel.h"

namespace warpscope::autoencoder {
namespace {

namespace fs = std::filesystem;
using Pixels = std::vector<std::uint8_t>;

constexpr std::int64_t kMostHeldOut = 1000, kShareHeldOut = 8;
constexpr const char* kTestFile = "test_batch.bin";

Pixels drawn_pixels(const Configuration& axes, std::int64_t images) {
  const std::int64_t side = axes.integer("size"), pixels = side * side;
  const auto seed = static_cast<std::uint64_t>(axes.integer("seed"));
  Pixels bytes(static_cast<std::size_t>(images * kImageChannels * pixels));
  parallel_for(images, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t image = begin; image < end; ++image) {
      const DrawnImage drawn(seed, image);
      auto to = bytes.begin() + image * kImageChannels * pixels;
      for (std::int64_t i = 0; i < kImageChannels * pixels; ++i)
        *to++ = drawn.at(i / pixels, i / side % side, i % side, side);
    }
  });
  return bytes;
}

// A test file beside the five, where the axis names their folder.
std::optional<fs::path> test_file(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error) && fs::exists(path / kTestFile, error)) return path / kTestFile;
  return std::nullopt;
}

Result<Pixels> read_pixels(const fs::path& path, std::int64_t samples, std::int64_t held_out) {
  const Result<std::int64_t> there = count_cifar(path);
  if (!there) return tl::unexpected(there.error());
  const auto test = test_file(path);
  const std::int64_t wanted = samples + (test ? 0 : held_out);
  if (*there < wanted) {
    return failure(ErrorKind::usage,
                   "there are " + std::to_string(*there) + " images, and " +
                       std::to_string(samples) + " samples" +
                       (test ? "" : " with " + std::to_string(held_out) + " to hold out") +
                       " are asked for",
                   path.string(), "lower samples, or name the folder of all files");
  }
  Result<Pixels> pixels = read_cifar(path, wanted);
  if (!pixels || !test) return pixels;
  const Result<Pixels> behind = read_cifar(*test, held_out);
  if (!behind) return tl::unexpected(behind.error());
  pixels->insert(pixels->end(), behind->begin(), behind->end());
  return pixels;
}

}  // namespace

Result<TrainingSet> training_set(const Configuration& axes, std::int64_t samples) {
  const std::int64_t batch = axes.integer("batch");
  if (samples < batch) {
    return failure(
        ErrorKind::usage,
        std::to_string(samples) + " samples are fewer than a batch of " + std::to_string(batch),
        "samples", "raise samples, or lower batch to " + std::to_string(samples));
  }
  TrainingSet set;
  set.samples = samples / batch * batch;
  set.dropped = samples - set.samples;
  const std::int64_t most = std::max<std::int64_t>(1, kMostHeldOut / batch);
  set.held_out = batch * std::clamp<std::int64_t>(set.samples / batch / kShareHeldOut, 1, most);
  auto pixels = std::make_shared<Pixels>();
  if (from_file(axes)) {
    Result<Pixels> read = read_pixels(axes.text("data_file"), set.samples, set.held_out);
    if (!read) return tl::unexpected(read.error());
    *pixels = std::move(*read);
  } else {
    *pixels = drawn_pixels(axes, set.samples + set.held_out);
  }
  const std::int64_t image = image_values(axes) / batch;
  set.fill = [pixels, image](std::int64_t first, std::span<float> values) {
    constexpr float kMostByte = 255;
    const std::uint8_t* from = pixels->data() + first * image;
    std::transform(from, from + values.size(), values.begin(),
                   [](std::uint8_t byte) { return static_cast<float>(byte) / kMostByte; });
  };
  return set;
}

}  // namespace warpscope::autoencoder
