// tests/engine/deform_expected_test.cpp: what another program made of a dump of `deform`, beside
// the verdict.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "scenes/base/half.h"
#include "scenes/deform/deform.h"
#include "scenes/deform/inputs/inputs.h"
#include "scenes/deform/inputs/shapes.h"
#include "tests/engine/staged_scene.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

const Changes kSmall = {{"batch", "1"}, {"queries", "5"}, {"height0", "6"}, {"width0", "9"}};

class DeformExpected : public CompilingTest {
 protected:
  void SetUp() override {
    CompilingTest::SetUp();
    folder_ = fs::path(testing::TempDir()) / "deform_expected";
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const void* bytes, std::size_t count) const {
    std::ofstream(folder_ / name, std::ios::binary)
        .write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
  }
  template <typename T>
  void write(const std::string& name, const std::vector<T>& values) const {
    write(name, values.data(), values.size() * sizeof(T));
  }

  // The generator's inputs as a dump, and the baseline's output of them.
  std::vector<std::uint16_t> write_dump() const {
    StagedScene generated(deform_scene(), kSmall, {});
    const deform::Shape s = deform::shape_of(generated.axes());
    const std::map<std::string, std::pair<std::string, std::int64_t>> arrays = {
        {"value", {"value.bin", s.values()}},
        {"loc", {"sampling_locations.bin", 2 * s.samples()}},
        {"weight", {"attention_weights.bin", s.samples()}}};
    for (const auto& [array, file] : arrays) {
      std::vector<std::uint16_t> values(static_cast<std::size_t>(file.second));
      deform::make_elements({generated.axes(), {}}, array, 0,
                            std::as_writable_bytes(std::span(values)));
      write(file.first, values);
    }
    std::vector<std::int64_t> shapes, starts;
    for (const deform::Level& level : s.levels) {
      shapes.insert(shapes.end(), {level.height, level.width});
      starts.push_back(level.first_row);
    }
    write("spatial_shapes.bin", shapes);
    write("level_start_index.bin", starts);
    return generated.output<std::uint16_t>(
        *find_variant(generated.scene(), "interleaved_compile_time_points"), "out");
  }

  // What stands beside the verdict of pair_row_gather, of every reference.
  std::vector<ReportedError> reported(const std::string& expected_file) const {
    Scene scene = deform_scene();
    Changes changes = kSmall;
    changes.merge(Changes{{"inputs", "raw files"},
                          {"dump_folder", folder_.string()},
                          {"expected_file", expected_file}});
    const auto settled =
        scene.settle(configuration_of(scene, default_configuration(scene.axes), {}, changes));
    EXPECT_TRUE(settled) << sentence(settled.error());
    EmulatedStage stage;
    const Variant& variant = *find_variant(scene, "pair_row_gather");
    const Result<void> set = stage.set(scene, for_variant(scene.axes, *settled, variant.name));
    EXPECT_TRUE(set) << sentence(set.error());
    (void)values_after<std::uint16_t>(stage, variant, "out");
    const auto errors = stage.report(variant);
    EXPECT_TRUE(errors) << sentence(errors.error());
    return errors ? *errors : std::vector<ReportedError>{};
  }

  fs::path folder_;
};

TEST_F(DeformExpected, StandsBesideTheVerdictAndCountsWhatDiffers) {
  std::vector<std::uint16_t> outputs = write_dump();
  ASSERT_EQ(outputs.size(), 5u * 32);
  const std::string path = (folder_ / "expected.bin").string();
  ASSERT_EQ(reported("").size(), 1u);  // the exact reference's alone

  write("expected.bin", outputs);
  std::vector<ReportedError> errors = reported(path);
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[1].reference, "file");
  EXPECT_EQ(errors[1].mismatches, 0) << errors[1].sentence;
  EXPECT_EQ(errors[1].checked_elements, 160);

  for (const std::size_t bent : {3u, 77u}) outputs[bent] = to_f16(from_f16(outputs[bent]) + 1);
  write("expected.bin", outputs);
  errors = reported(path);
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[1].mismatches, 2) << errors[1].sentence;
}

}  // namespace
}  // namespace warpscope
