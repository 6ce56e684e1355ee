// tests/scenes/esmm_files_test.cpp: A and B of `esmm` from files: sizes, padding, refusals.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "scenes/base/element_inputs.h"
#include "scenes/esmm/esmm.h"

namespace warpscope {
namespace {

using Changes = std::map<std::string, std::string>;
using Floats = std::vector<float>;

class EsmmFiles : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) / (std::string("esmm_") + test->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string raw(const std::string& name, const Floats& values) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(float)));
    return path;
  }
  std::string text(const std::string& name, const std::string& words) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path) << words;
    return path;
  }
  // The configuration that the files decide.
  Result<Configuration> settled(const Changes& changes) const {
    return with_values(scene_.axes, default_configuration(scene_.axes), changes)
        .and_then([this](const Configuration& axes) { return scene_.settle(axes); });
  }

  Scene scene_ = esmm_scene();
  std::filesystem::path folder_;
};

TEST_F(EsmmFiles, DecideTheSizesAndHoldTheValues) {
  const Floats a = {1, 0, 2, 0, 0, 0, 3, 4};
  const auto axes = settled(
      {{"a_zeros", "file"}, {"a_file", raw("a.f32", a)}, {"a_raw_shape", "2,4"}, {"n", "8"}});
  ASSERT_TRUE(axes) << sentence(axes.error());
  EXPECT_EQ(axes->integer("m"), 2);
  EXPECT_EQ(axes->integer("k"), 4);
  Inputs inputs;
  Workload w{*axes, {}};
  ASSERT_TRUE(regenerate_inputs(scene_, nullptr, *axes, inputs, w.facts));
  const auto values = inputs.at("a").as<float>();
  EXPECT_EQ(Floats(values.begin(), values.end()), a);
  EXPECT_EQ(w.fact("a_nonzeros"), 4);
  EXPECT_EQ(w.fact("a_bits_32"), 3) << "k 0, 2 and 3";
  Inputs paged;
  Workload by_page;
  ASSERT_TRUE(regenerate_inputs_by_page(scene_, *axes, {}, by_page, paged));
  EXPECT_EQ(by_page.all_facts(), w.facts);
  EXPECT_EQ(paged.at("a").as<float>()[7], 4);
}

TEST_F(EsmmFiles, ArePaddedWithZerosWhereThatIsAskedFor) {
  const std::string file = raw("b.f32", Floats(3 * 5, 1.0f));
  const auto axes = settled(
      {{"b_zeros", "file"}, {"b_file", file}, {"b_raw_shape", "3,5"}, {"pad", "on"}, {"m", "16"}});
  ASSERT_TRUE(axes) << sentence(axes.error());
  EXPECT_EQ(axes->integer("m"), 128);
  EXPECT_EQ(axes->integer("n"), 128);
  EXPECT_EQ(axes->integer("k"), 8);
  Inputs inputs;
  Facts facts;
  ASSERT_TRUE(regenerate_inputs(scene_, nullptr, *axes, inputs, facts));
  const auto b = inputs.at("b").as<float>();
  ASSERT_EQ(b.size(), 8u * 128u);
  for (std::size_t i = 0; i < b.size(); ++i)
    ASSERT_EQ(b[i], i / 128 < 3 && i % 128 < 5 ? 1.0f : 0.0f) << i;
}

TEST_F(EsmmFiles, OfMatrixMarketAddUpWhatIsNamedTwice) {
  const std::string file = text("a.mtx",
                                "%%MatrixMarket matrix coordinate real general\n"
                                "3 4 4\n1 1 2\n3 4 5\n1 1 0.5\n2 3 -1\n");
  const auto axes = settled({{"a_zeros", "file"}, {"a_file", file}, {"n", "4"}});
  ASSERT_TRUE(axes) << sentence(axes.error());
  Inputs inputs;
  Facts facts;
  ASSERT_TRUE(regenerate_inputs(scene_, nullptr, *axes, inputs, facts));
  const auto a = inputs.at("a").as<float>();
  EXPECT_EQ(Floats(a.begin(), a.end()), (Floats{2.5, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 5}));
}

TEST_F(EsmmFiles, AreRefusedInWords) {
  const auto said = [this](const Changes& changes) {
    const auto axes = settled(changes);
    return axes ? "" : sentence(axes.error());
  };
  const std::string six = raw("six.f32", Floats(6, 1.0f)), four = raw("four.f32", Floats(4, 1.0f));
  EXPECT_NE(
      said({{"a_zeros", "file"}, {"a_file", six}, {"a_raw_shape", "2,4"}}).find("32 bytes, not 24"),
      std::string::npos);
  EXPECT_NE(said({{"a_zeros", "file"}}).find("no file is chosen"), std::string::npos);
  EXPECT_NE(said({{"a_zeros", "file"},
                  {"a_file", six},
                  {"a_raw_shape", "2,3"},
                  {"b_zeros", "file"},
                  {"b_file", four},
                  {"b_raw_shape", "2,2"}})
                .find("A has 3 columns and B 2 rows"),
            std::string::npos);
  EXPECT_NE(said({{"a_zeros", "file"}, {"a_file", (folder_ / "none.npy").string()}}), "");
  EXPECT_NE(
      said({{"a_zeros", "file"}, {"a_file", text("c.npy", "no numbers")}}).find("does not begin"),
      std::string::npos);
}

}  // namespace
}  // namespace warpscope
