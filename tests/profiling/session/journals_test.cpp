// tests/profiling/session/journals_test.cpp: shipped journals are sessions of iterations that name
// what exists.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "profiling/session/session.h"
#include "scenes/catalogue.h"
#include "tests/folders.h"

namespace warpscope {
namespace {

TEST(Journals, AreReadWholeAndNameVariantsThatExist) {
  int journals = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(source_folder() / "assets" / "journals")) {
    const Result<SessionReading> reading = read_session(entry.path());
    ASSERT_TRUE(reading) << sentence(reading.error());
    ++journals;
    std::set<std::int64_t> before = {0};
    const auto iterations = reading->session.outcomes().iterations();
    ASSERT_GE(iterations.size(), 2u) << entry.path();
    for (const Iteration* each : iterations) {
      const std::string place =
          entry.path().filename().string() + " " + std::to_string(each->number);
      EXPECT_EQ(before.count(each->parent), 1u) << place;
      before.insert(each->number);
      const Scene& scene = **built_in_catalogue().find(each->scene);
      EXPECT_NE(find_variant(scene, each->variant), nullptr) << place << ": " << each->variant;
      const auto axes = configured(scene, each->variant, each->axes);
      EXPECT_TRUE(axes) << place << ": " << sentence(axes.error());
      EXPECT_FALSE(each->hypothesis.empty() || each->said.empty() || each->verdict.empty())
          << place;
      // A figure has a device.
      EXPECT_TRUE(each->measured.empty() || !each->device.empty()) << place;
    }
  }
  EXPECT_GE(journals, 1);
}

}  // namespace
}  // namespace warpscope
