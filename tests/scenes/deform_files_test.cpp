// tests/scenes/deform_files_test.cpp: inputs of `deform` from raw dumps, good and broken.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "scenes/base/element_inputs.h"
#include "scenes/deform/deform.h"
#include "scenes/deform/inputs/dump_files.h"
#include "scenes/deform/inputs/shapes.h"

namespace warpscope {
namespace {

using Changes = std::map<std::string, std::string>;
namespace fs = std::filesystem;

const Scene& scene() {
  static const Scene made = deform_scene();
  return made;
}

const Changes kSizes = {{"batch", "2"}, {"points", "4"}, {"channels", "8"}, {"heads", "2"}};

class DeformFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::temp_directory_path() / ("warpscope_deform_" + std::to_string(std::random_device{}()));
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static Configuration configured(Changes changes) {
    changes.insert(kSizes.begin(), kSizes.end());
    const auto axes = with_values(scene().axes, with_defaults(scene().axes, {}), changes);
    EXPECT_TRUE(axes) << sentence(axes.error());
    return *axes;
  }

  // Generated inputs: 9 queries of three levels.
  static Inputs generated() {
    Workload w{configured({{"queries", "9"},
                           {"levels", "3"},
                           {"height0", "6"},
                           {"width0", "9"},
                           {"weights", "softmax"}}),
               {}};
    Inputs inputs;
    EXPECT_TRUE(regenerate_inputs(scene(), nullptr, w.axes, inputs, w.facts));
    make_element_inputs(scene(), w, inputs);
    return inputs;
  }

  void write(const std::string& name, const HostArray& array, std::int64_t bytes = -1) {
    const auto all = array.bytes();
    std::ofstream(folder_ / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(all.data()),
               bytes < 0 ? static_cast<std::streamsize>(all.size()) : bytes);
  }
  void write_dump(const Inputs& inputs, bool other_names) {
    write(other_names ? "value_data.bin" : "value.bin", inputs.at("value"));
    write(other_names ? "spatial_shapes_data.bin" : "spatial_shapes.bin", inputs.at("shapes"));
    write(other_names ? "level_start_index_data.bin" : "level_start_index.bin",
          inputs.at("starts"));
    write(other_names ? "sampling_loc_data.bin" : "sampling_locations.bin", inputs.at("loc"));
    write(other_names ? "attn_weight_data.bin" : "attention_weights.bin", inputs.at("weight"));
  }

  Result<Configuration> settled(Changes changes = {}) const {
    changes.merge(Changes{{"inputs", "raw files"}, {"dump_folder", folder_.string()}});
    return scene().settle(configured(changes));
  }
  void expect_refused(const Changes& changes, const std::vector<std::string>& words) const {
    const Result<Configuration> axes = settled(changes);
    ASSERT_FALSE(axes);
    EXPECT_EQ(axes.error().kind, ErrorKind::input);
    const std::string said = sentence(axes.error());
    for (const std::string& word : words) EXPECT_NE(said.find(word), std::string::npos) << said;
    EXPECT_FALSE(axes.error().remedy.empty()) << said;
  }

  fs::path folder_;
};

TEST_F(DeformFiles, AnExpectedOutputIsReadOrRefusedByItsLength) {
  const Inputs made = generated();
  write_dump(made, false);
  HostArray outputs(ElementType::f16, 9 * 32);
  const auto all = outputs.as<std::uint16_t>();
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  write("out.bin", outputs);
  const std::string path = (folder_ / "out.bin").string();
  const Result<Configuration> axes = settled({{"expected_file", path}});
  ASSERT_TRUE(axes) << sentence(axes.error());
  Inputs inputs;
  Facts facts;
  const auto groups = regenerate_inputs(scene(), nullptr, *axes, inputs, facts);
  ASSERT_TRUE(groups) << sentence(groups.error());
  const auto found = inputs.at("expected").as<std::uint16_t>();
  ASSERT_EQ(found.size(), all.size());
  EXPECT_TRUE(std::equal(found.begin(), found.end(), all.begin()));

  write("out.bin", outputs, 100);
  expect_refused({{"expected_file", path}}, {"100 bytes, expected 576", "9 queries"});
  expect_refused({{"expected_file", path + "x"}}, {"out.binx"});
}

TEST_F(DeformFiles, ADumpUnderEitherSetOfNamesReadsBackAsItWasWritten) {
  const Inputs made = generated();
  for (const bool other_names : {false, true}) {
    for (const auto& entry : fs::directory_iterator(folder_)) fs::remove(entry);
    write_dump(made, other_names);
    const Result<Configuration> axes = settled();
    ASSERT_TRUE(axes) << sentence(axes.error());
    EXPECT_EQ(axes->integer("queries"), 9);
    EXPECT_EQ(axes->text("level_list"), "6,9,3,5,2,3");
    ASSERT_TRUE(scene().admit(*axes));
    Inputs inputs;
    Facts facts;
    const auto groups = regenerate_inputs(scene(), nullptr, *axes, inputs, facts);
    ASSERT_TRUE(groups) << sentence(groups.error());
    EXPECT_EQ(facts.at("valid_ratio"), 1);
    for (const char* array : {"value", "shapes", "starts", "loc", "weight"}) {
      const auto expected = made.at(array).bytes();
      const auto found = std::as_const(inputs.at(array)).bytes();
      ASSERT_EQ(found.size(), expected.size()) << array;
      EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin())) << array;
    }
  }
}

TEST_F(DeformFiles, FilesThatAreMissingOrMixedAreNamed) {
  expect_refused({{"dump_folder", ""}}, {"no folder"});
  expect_refused({}, {"no file value.bin"});
  const Inputs made = generated();
  write_dump(made, false);
  fs::remove(folder_ / "attention_weights.bin");
  expect_refused({}, {"no file attention_weights.bin"});
  write("attn_weight_data.bin", made.at("weight"));
  expect_refused({}, {"mixes two sets", "attn_weight_data.bin", "value.bin"});
}

TEST_F(DeformFiles, LengthsThatDoNotFitAreNamedWithBothSizes) {
  const Inputs made = generated();
  write_dump(made, false);
  write("value.bin", made.at("value"), 1001);
  expect_refused({}, {"value.bin", "1001 bytes", "multiple of 64"});
  write("value.bin", made.at("value"), made.at("value").size_bytes() - 64);
  expect_refused({}, {"rows of values, expected 143", "142", "or 75 without rings"});
  write("value.bin", made.at("value"));
  write("sampling_locations.bin", made.at("loc"), made.at("loc").size_bytes() - 4);
  expect_refused({}, {"sampling_locations.bin", std::to_string(made.at("loc").size_bytes() - 4),
                      std::to_string(made.at("loc").size_bytes()), "9 queries"});
  write("attention_weights.bin", made.at("weight"), made.at("weight").size_bytes() - 2);
  expect_refused({}, {"attention_weights.bin", "multiple of"});
  write("spatial_shapes.bin", made.at("shapes"), 40);
  expect_refused({}, {"spatial_shapes.bin", "40 bytes", "multiple of 16"});
  expect_refused({{"dtype", "fp32"}}, {"dump holds f16"});
}

// What the generator made, without its rings.
TEST_F(DeformFiles, ValuesWithoutRingsGetRingsOfZeros) {
  Inputs made = generated();
  const deform::Shape shape = deform::shape_of(
      configured({{"queries", "9"}, {"levels", "3"}, {"height0", "6"}, {"width0", "9"}}));
  const std::int64_t pixel = 2 * shape.heads * shape.channels;
  std::vector<std::byte> bare;
  std::vector<std::int64_t> starts;
  for (std::int64_t image = 0; image < shape.batch; ++image) {
    std::int64_t pixels = 0;
    for (const deform::Level& level : shape.levels) {
      if (image == 0) starts.push_back(pixels);
      pixels += level.height * level.width;
      for (std::int64_t y = 1; y <= level.height; ++y) {
        for (std::int64_t x = 1; x <= level.width; ++x) {
          const auto one = made.at("value").part(
              (image * shape.rows + level.first_row + y * level.columns() + x) * pixel, pixel);
          bare.insert(bare.end(), one.begin(), one.end());
        }
      }
    }
  }
  HostArray values(ElementType::f16, static_cast<std::int64_t>(bare.size()) / 2),
      begins(ElementType::i64, static_cast<std::int64_t>(starts.size()));
  std::copy(bare.begin(), bare.end(), values.bytes().begin());
  std::copy(starts.begin(), starts.end(), begins.as<std::int64_t>().begin());
  write_dump(made, false);
  write("value.bin", values);
  expect_refused({}, {"75 rows of values, expected 143", "or 75 without rings"});
  write("level_start_index.bin", begins);
  const Result<Configuration> axes = settled();
  ASSERT_TRUE(axes) << sentence(axes.error());
  Inputs inputs;
  Facts facts;
  const auto groups = regenerate_inputs(scene(), nullptr, *axes, inputs, facts);
  ASSERT_TRUE(groups) << sentence(groups.error());
  for (const char* array : {"value", "starts"}) {
    const auto expected = std::as_const(made.at(array)).bytes();
    const auto found = std::as_const(inputs.at(array)).bytes();
    ASSERT_EQ(found.size(), expected.size()) << array;
    EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin())) << array;
  }
}

TEST_F(DeformFiles, LevelsThatDoNotFollowEachOtherAreRefused) {
  const auto refusal = [](std::vector<std::int64_t> shapes, std::vector<std::int64_t> starts,
                          std::int64_t rows) {
    const auto levels = deform::levels_of_dump(shapes, starts, rows);
    return levels ? std::string() : sentence(levels.error());
  };
  EXPECT_EQ(refusal({6, 9, 3, 5}, {0, 88}, 123), "");
  EXPECT_EQ(refusal({6, 9, 3, 5}, {0, 54}, 69), "");
  for (const std::string& neither :
       {refusal({6, 9, 3, 5}, {0, 55}, 69), refusal({6, 9, 3, 5, 2, 3}, {0, 88, 69}, 75)}) {
    EXPECT_NE(neither.find("begins at row"), std::string::npos) << neither;
    EXPECT_NE(neither.find(" without rings"), std::string::npos) << neither;
  }
  EXPECT_NE(refusal({6, 9, 3, 5}, {0, 54}, 123).find("or 69 without rings"), std::string::npos);
  EXPECT_NE(refusal({6, 9, 3}, {0, 88}, 123).find("3 sizes and 2 starts"), std::string::npos);
  EXPECT_NE(refusal({6, -9}, {0}, 88).find("6×-9"), std::string::npos);
  EXPECT_NE(refusal({1LL << 62, 4}, {0}, 88), "");
  EXPECT_NE(refusal({6, 9}, {0}, 89).find("89 rows of values, expected 88"), std::string::npos);
}

}  // namespace
}  // namespace warpscope
