// tests/fuzz/training_files_test.cpp: no file of images, weights, codes or a training, however
// broken, gets past its reader half-right.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "profiling/training/checkpoint.h"
#include "profiling/training/weight_files.h"
#include "scenes/autoencoder/inputs/images.h"
#include "scenes/base/npy_array.h"
#include "scenes/host/input_file.h"
#include "tests/fuzz/budget.h"
#include "tests/fuzz/mutation.h"
#include "tests/profiling/training/training_state.h"

namespace warpscope {
namespace {

// The path has the process id of the writer, since tests run side by side.
std::filesystem::path written(const std::string& name, const std::string& text) {
  const std::filesystem::path path = testing::TempDir() + std::to_string(::getpid()) + "-" + name;
  std::ofstream(path, std::ios::binary) << text;
  name_path(path.string());  // a person chose it, whatever sessions were read before
  return path;
}

void expect_explained(const Error& error) {
  EXPECT_FALSE(error.what.empty() || error.remedy.empty()) << error.what;
  EXPECT_EQ(error.kind, ErrorKind::input) << error.what;
}

std::string text_of(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

const Training& training() { return *sample::learning_scene().training; }

TEST(Fuzz, AFileOfImagesGivesWholeRecordsOrASentence) {
  using namespace autoencoder;
  const std::string two = text_of(drawn_records(1, 2));
  const std::vector<std::string> seeds = {two, two.substr(0, kCifarRecordBytes),
                                          two + two.substr(0, 100)};
  const std::vector<std::string> words = {std::string(1, '\x0a'),     std::string("\x1f\x8b", 2),
                                          std::string("\x80\x04", 2), std::string(3073, '\0'),
                                          std::string(3073, '\x09'),  std::string(1, '\0')};
  std::int64_t read = 0, refused = 0;
  for_mutations(seeds, words, [&](const std::string& text) {
    const auto path = written("images.bin", text);
    const Result<std::int64_t> count = count_cifar(path);
    const Result<std::vector<std::uint8_t>> pixels = read_cifar(path, count.value_or(1));
    if (!pixels) {
      ++refused;
      expect_explained(pixels.error());
      return;
    }
    ++read;
    ASSERT_TRUE(count);
    ASSERT_EQ(*count * kCifarRecordBytes, static_cast<std::int64_t>(text.size()));
    ASSERT_EQ(*count * kCifarPixelBytes, static_cast<std::int64_t>(pixels->size()));
    for (std::int64_t i = 0; i < *count; ++i)
      ASSERT_LE(static_cast<unsigned char>(text[static_cast<std::size_t>(i * kCifarRecordBytes)]),
                9);
  });
  EXPECT_GT(read, 2);
  EXPECT_GT(refused, read);
}

TEST(Fuzz, ACheckpointIsTheOneThatWasWrittenOrASentence) {
  const std::string good = checkpoint_text(sample::training_state());
  TrainingState later = sample::training_state();
  later.step = 11;
  const std::vector<std::string> seeds = {good, checkpoint_text(later)};
  const std::vector<std::string> words = {
      "warpscope checkpoint 1 ", "\n", "\"step\":", "1e999", "-1", "{", std::string(64, '['),
      std::string(1, '\0')};
  std::int64_t refused = 0;
  for_mutations(seeds, words, [&](const std::string& text) {
    const Result<TrainingState> state = parse_checkpoint(text, "run.checkpoint");
    if (state) {
      ASSERT_TRUE(text == seeds[0] || text == seeds[1]);
      return;
    }
    ++refused;
    expect_explained(state.error());
  });
  EXPECT_GT(refused, kLeastCases / 2);
}

// A forger knows the hash, so the content is still checked against the scene.
TEST(Fuzz, ACheckpointWithARightHashHasWeightsOfItsAxesOrIsRefused) {
  std::int64_t read = 0, refused = 0;
  const std::vector<std::string> seeds = {"4", "8", "2", "512", "step", "cpu_sequential"};
  const std::vector<std::string> words = {
      "-1", "0", "1e9", "99999999999999999999", "nan", "3", "{}", "\"", "csrmm", "built-in"};
  for_mutations(seeds, words, [&](const std::string& text) {
    for (const char* axis : {"channels", "batch", "size", "part", "data", "lr", "unheard_of"}) {
      TrainingState state = sample::training_state();
      state.axes[axis] = text;
      const Result<TrainingState> parsed = parse_checkpoint(checkpoint_text(state), "f");
      if (!parsed) {
        ++refused;
        expect_explained(parsed.error());
        continue;
      }
      ++read;
      ASSERT_EQ(4 * weight_count(training(), sample::axes_of(*parsed)),
                static_cast<std::int64_t>(parsed->weights.size()));
    }
  });
  EXPECT_GT(read, 2);
  EXPECT_GT(refused, read);
}

TEST(Fuzz, AFileOfWeightsOrCodesGivesAllOfThemOrASentence) {
  const TrainingState state = sample::training_state();
  const Configuration axes = sample::axes_of(state);
  const std::string raw = text_of(state.weights);
  const std::vector<std::int64_t> shape = {2, 2, 2, 2};
  const std::vector<std::string> seeds = {
      raw, npy_text(ElementType::f32, shape, std::as_bytes(std::span(state.weights).first(64))),
      raw.substr(0, 100)};
  const std::vector<std::string> words = {
      "'<f8'",    "True", "(2, 2, 2, 2)", "(99999999999, 2)", "(-1,)", std::string(4, '\0'),
      "\x93NUMPY"};
  std::int64_t read = 0, refused = 0;
  for_mutations(seeds, words, [&](const std::string& text) {
    const auto path = written("weights.f32", text);
    if (const auto weights = read_weights(path, training(), axes, text.size() % 2 == 0)) {
      ++read;
      ASSERT_EQ(text.size(), state.weights.size());
      ASSERT_EQ(weights->size(), state.weights.size());
    } else {
      ++refused;
      expect_explained(weights.error());
    }
    if (const Result<Latents> codes = read_latents(path, training(), axes)) {
      ++read;
      ASSERT_EQ(static_cast<std::int64_t>(codes->values.size()), 4 * 8 * codes->shape.front());
    } else {
      ++refused;
      expect_explained(codes.error());
    }
  });
  EXPECT_GT(read, 2);
  EXPECT_GT(refused, read);
}

TEST(TrainingFilesBudget, HoldsForWhatLooksLikeOne) {
  const auto fills = [](std::string head, const std::string& part) {
    while (head.size() + part.size() <= static_cast<std::size_t>(most_input_bytes)) head += part;
    return head;
  };
  const TrainingState state = sample::training_state();
  const Configuration axes = sample::axes_of(state);
  for (const std::string& text :
       {fills("warpscope checkpoint 1 ", "0"), fills("warpscope checkpoint 1 x\n", "[0,"),
        fills("", std::string(3073, '\0')), fills("\x93NUMPY\x01", std::string(1, '\xff')),
        fills("\x93NUMPY\x01\x00v", "{'shape': ("), fills("", "warpscope checkpoint 1 \n")}) {
    const auto path = written("budget.bin", text);
    expect_within_budget(std::to_string(text.size()) + " bytes of " + text.substr(0, 12), [&] {
      static_cast<void>(read_checkpoint(path));
      static_cast<void>(read_weights(path, training(), axes, true));
      static_cast<void>(read_latents(path, training(), axes));
      if (const auto count = autoencoder::count_cifar(path))
        static_cast<void>(autoencoder::read_cifar(path, *count));
    });
  }
}

}  // namespace
}  // namespace warpscope
