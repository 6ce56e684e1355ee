// tests/workbench/docking/layouts_test.cpp: layouts are kept in a file, and one that is broken is
// said in one sentence and ignored.
#include "workbench/docking/layouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

namespace warpscope {
namespace {

class Layouts : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("warpscope-layouts-" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
    setenv("XDG_CONFIG_HOME", folder_.c_str(), 1);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path file() const { return folder_ / "warpscope/layouts.json"; }
  void write(const std::string& text) const {
    std::filesystem::create_directories(file().parent_path());
    std::ofstream(file(), std::ios::binary) << text;
  }
  std::string saved_text() const {
    std::ifstream in(file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // What a file with this text leads to: one sentence, and the layout that was there before.
  static void expect_refused(const std::string& which) {
    LayoutBook book;
    Arrangement present = first_look();
    const Result<void> loaded = load_layouts(book, present);
    ASSERT_FALSE(loaded) << which;
    const std::string words = sentence(loaded.error());
    EXPECT_THAT(words, testing::HasSubstr("layouts.json")) << which;
    EXPECT_THAT(words, testing::HasSubstr("first layout")) << which;
    EXPECT_THAT(words, testing::Not(testing::HasSubstr("\n"))) << which;
    EXPECT_EQ(present.root.name, "split-left") << which;
    EXPECT_EQ(book.chosen, "first look") << which;
    EXPECT_TRUE(book.own.empty()) << which;
  }

  std::filesystem::path folder_;
};

void save_some() {
  LayoutBook book;
  Arrangement present = first_look();
  dock(present, "source", "right", DockSide::below);
  close_panel(present, "engine");
  tear_off(present, {"metrics", 10, 20, 300, 400});
  ASSERT_TRUE(keep_layout(book, "mine", present));
  close_panel(present, "steps");
  ASSERT_TRUE(save_layouts(book, present));
}

TEST_F(Layouts, ComeBackAsTheyWereSaved) {
  save_some();
  LayoutBook book;
  Arrangement present;
  const Result<void> loaded = load_layouts(book, present);
  ASSERT_TRUE(loaded) << sentence(loaded.error());
  EXPECT_EQ(book.chosen, "mine");
  EXPECT_FALSE(is_open(present, "steps"));
  Arrangement own = layout_named(book, "mine");
  EXPECT_TRUE(is_open(own, "steps"));
  EXPECT_FALSE(is_open(own, "engine"));
  EXPECT_EQ(leaf_with(own, "source")->name, "place-1");
  ASSERT_NE(window_of(own, "metrics"), nullptr);
  EXPECT_EQ(window_of(own, "metrics")->height, 400);
}

TEST_F(Layouts, AreNoErrorWhereThereAreNone) {
  LayoutBook book;
  Arrangement present;
  EXPECT_TRUE(load_layouts(book, present));
}

TEST_F(Layouts, OfATornFileAreSaidAndIgnored) {
  save_some();
  const std::string whole = saved_text();
  ASSERT_GT(whole.size(), 100u);
  for (std::size_t length = 0; length + 2 < whole.size(); length += 7) {
    write(whole.substr(0, length));
    expect_refused(std::to_string(length) + " bytes");
  }
}

TEST_F(Layouts, OfRandomBytesAreSaidAndIgnored) {
  std::mt19937 random(1);
  for (int i = 0; i < 50; ++i) {
    std::string bytes(random() % 4000, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    write(bytes);
    expect_refused("random bytes " + std::to_string(i));
  }
}

TEST_F(Layouts, ThatNameAPanelTwiceOrOneThatIsNotThereAreSaidAndIgnored) {
  save_some();
  const std::string whole = saved_text();
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  for (const std::string& text :
       {with("\"banks\"", "\"coalescing\""), with("\"banks\"", "\"nowhere\""),
        with("\"beside\": true", "\"beside\": 1"), with("\"parts\"", "\"others\""),
        with("\"ratio\": 0.", "\"ratio\": 7."), std::string("[]"), std::string("{}")}) {
    write(text);
    expect_refused(text.substr(0, 200));
  }
}

TEST_F(Layouts, RefuseNamesThatCannotBeChosen) {
  LayoutBook book;
  for (const char* name :
       {"", "   ", "expert", "a name that is longer than forty bytes is too long"})
    EXPECT_FALSE(keep_layout(book, name, first_look())) << name;
  EXPECT_TRUE(keep_layout(book, "Vorlesung – Speicher", first_look()));
  EXPECT_EQ(book.chosen, "Vorlesung – Speicher");
}

TEST_F(Layouts, ThatShipShowEveryPanel) {
  for (const ShippedLayout& shipped : shipped_layouts()) {
    const Arrangement a = shipped.make();
    for (const PanelRow& panel : all_panels())
      EXPECT_TRUE(is_open(a, panel.name)) << shipped.name << ", " << panel.name;
  }
}

}  // namespace
}  // namespace warpscope
