// tests/profiling/session/carried_scenes_test.cpp: scenes that a session carries are its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "profiling/points/point.h"
#include "profiling/session/session.h"
#include "tests/scenes/folder_parts.h"

namespace warpscope {
namespace {

// A session of a folder's scene, written as a program that measures writes it.
class CarriedScenes : public testing::Test {
 protected:
  void write(const SceneText& text) {
    const auto catalogue = std::make_shared<Catalogue>();
    const Result<const Scene*> scene = catalogue->open_text(text);
    ASSERT_TRUE(scene) << sentence(scene.error());
    Result<SessionFile> file = SessionFile::open(path_, catalogue);
    ASSERT_TRUE(file) << sentence(file.error());
    Measurement m;
    m.scene = text.name;
    m.variant = "twice";
    m.axes = default_configuration((*scene)->axes);
    m.key = configuration_key((*scene)->axes, m.axes, m.variant);
    m.verdict.outcome = Outcome::correct;
    ASSERT_TRUE(file->append(m));
  }
  OwnFolder folder_{"carried"};
  std::filesystem::path path_ = folder_.path() / "carried.wsj";
};

TEST_F(CarriedScenes, LeaveEveryOtherCatalogueAsItWas) {
  write(doubling_text("carried"));
  const auto window = std::make_shared<Catalogue>();
  ASSERT_TRUE(window->open_text(doubling_text("of_the_window")));
  const std::vector<const Scene*> before = window->all();
  const std::size_t built_in = built_in_catalogue().all().size();
  const Result<SessionReading> reading = read_session(path_);
  ASSERT_TRUE(reading) << sentence(reading.error());
  EXPECT_TRUE(reading->warnings.empty()) << reading->warnings.front();
  EXPECT_TRUE(reading->session.catalogue().find("carried"));
  EXPECT_EQ(window->all(), before);
  EXPECT_FALSE(window->find("carried"));
  EXPECT_EQ(built_in_catalogue().all().size(), built_in);
  EXPECT_FALSE(built_in_catalogue().find("carried"));
  EXPECT_EQ(window->text("carried"), nullptr);
  EXPECT_FALSE(window->kernel("carried/twice.cu"));
}

// Two sessions of one name and different axes: each point is completed by its own description.
TEST_F(CarriedScenes, OfTwoSessionsAreApart) {
  write(doubling_text("carried"));
  const Result<SessionReading> first = read_session(path_);
  std::filesystem::remove(path_);
  SceneText other = doubling_text("carried");
  other.description =
      replaced(other.description, "axes.n", "axes.m = { range = [1, 9], default = 3 }\naxes.n");
  other.hash = scene_hash(other);
  write(other);
  const Result<SessionReading> second = read_session(path_);
  ASSERT_TRUE(first && second);
  const auto key = [](const SessionReading& reading) {
    return reading.session.all_points().front()->key;
  };
  EXPECT_EQ(key(*first), "n=1000");
  EXPECT_EQ(key(*second), "m=3,n=1000");
  EXPECT_EQ((*first->session.catalogue().find("carried"))->axes.size(), 1u);
  EXPECT_EQ((*second->session.catalogue().find("carried"))->axes.size(), 2u);
}

// A point that was copied out of its session still knows its scene.
TEST_F(CarriedScenes, AreKnownToTheirPointsAsLongAsThese) {
  write(doubling_text("carried"));
  Measurement point;
  {
    const Result<SessionReading> reading = read_session(path_);
    ASSERT_TRUE(reading);
    point = *reading->session.all_points().front();
  }
  EXPECT_EQ((*catalogue_of(point).find("carried"))->title, "Twice");
  EXPECT_EQ(problem_of(point), "n=1000");
  point.catalogue = nullptr;
  EXPECT_FALSE(catalogue_of(point).find("carried"));
}

// A window reads into its own catalogue, in which a folder of the person's stays the newest.
TEST_F(CarriedScenes, AreOpenedWhereTheReaderWantsThem) {
  SceneText old = doubling_text("carried");
  old.description = replaced(old.description, "Twice", "Recorded");
  old.hash = scene_hash(old);
  write(old);
  folder_.write("scene.toml", kDoublingDescription);
  folder_.write("twice.cu", kDoublingKernel);
  const auto window = std::make_shared<Catalogue>();
  ASSERT_TRUE(window->open_folder(folder_.path()));
  const Result<SessionReading> reading = read_sessions({path_}, {.catalogue = window});
  ASSERT_TRUE(reading) << sentence(reading.error());
  EXPECT_EQ(&reading->session.catalogue(), window.get());
  EXPECT_EQ((*window->find("carried"))->title, "Twice");
  ASSERT_NE(window->find("carried", old.hash), nullptr);
  EXPECT_EQ(window->find("carried", old.hash)->title, "Recorded");
}

}  // namespace
}  // namespace warpscope
