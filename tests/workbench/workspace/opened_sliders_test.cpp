// tests/workbench/workspace/opened_sliders_test.cpp: every kernel, folder and capture that is
// opened has a slider of a size or of its launch that runs it again.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "scenes/catalogue.h"
#include "scenes/file_scene.h"
#include "tests/folders.h"
#include "workbench/client/program_catalogue.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

std::string words(const Dim3& d) {
  return std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + " ";
}

// What a run would be: launches with their constants, and how long each buffer is.
std::string what_runs(const Scene& scene, const Configuration& axes) {
  const Workload workload{axes, {}};
  std::string text;
  for (const BufferSpec& buffer : scene.buffers(workload))
    text += buffer.name + "[" + std::to_string(buffer.count) + "] ";
  for (const Variant& variant : scene.variants) {
    if (!applies(variant, axes)) continue;
    const Workload own{for_variant(scene.axes, axes, variant.name), {}};
    for (const Step& step : variant.steps(own)) {
      const auto* launch = std::get_if<KernelLaunch>(&step.action);
      if (launch == nullptr) continue;
      text += launch->entry + " " + words(launch->launch.grid) + words(launch->launch.block) +
              std::to_string(launch->launch.dynamic_shared_bytes) + " ";
      for (const auto& [name, value] : launch->defines) text += name + "=" + value + " ";
    }
  }
  return text;
}

// Values beside the one that a slider has.
std::vector<double> others(const Axis& axis) {
  const AxisValue& value = axis.default_value;
  const double here = std::holds_alternative<std::int64_t>(value)
                          ? static_cast<double>(std::get<std::int64_t>(value))
                          : std::get<double>(value);
  std::vector<double> all = {here * 2, here / 2, here + 1, here - 1, axis.minimum, axis.maximum};
  std::erase_if(all, [&](double v) { return v < axis.minimum || v > axis.maximum || v == here; });
  return all;
}

// The slider whose move makes another run that the scene admits; empty: there is none.
std::string slider_of(const Scene& scene) {
  const Configuration axes = default_configuration(scene.axes);
  const std::string before = what_runs(scene, axes);
  for (const Axis& axis : scene.axes) {
    if (axis.kind != AxisKind::integer && axis.kind != AxisKind::real) continue;
    for (const double value : others(axis)) {
      Configuration moved = axes;
      if (axis.kind == AxisKind::integer) {
        moved.set(axis.name, static_cast<std::int64_t>(value));
      } else {
        moved.set(axis.name, value);
      }
      if (scene.admit(moved) && what_runs(scene, moved) != before) return axis.name;
    }
  }
  return "";
}

// Those below a folder whose name ends so.
std::vector<fs::path> files_below(const fs::path& folder, const std::vector<std::string>& endings) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string ending = entry.path().extension().string();
    if (std::find(endings.begin(), endings.end(), ending) != endings.end())
      found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

void expect_sliders(const std::vector<fs::path>& files, std::size_t at_least) {
  std::size_t opened = 0;
  for (const fs::path& file : files) {
    const std::shared_ptr<Catalogue> catalogue = program_catalogue();
    const bool folder = file.filename() == "scene.toml";
    const auto scene =
        folder ? catalogue->open_folder(file.parent_path()) : catalogue->open_file(file);
    if (!scene) {
      EXPECT_FALSE(folder) << sentence(scene.error());
      continue;  // a header, or a text without a kernel that it launches
    }
    ++opened;
    EXPECT_NE(slider_of(**scene), "") << file << " has no slider that runs it again";
  }
  EXPECT_GE(opened, at_least);
}

TEST(OpenedSliders, OfEveryExampleRunItAgain) {
  expect_sliders(files_below(source_folder() / "assets" / "examples", {".toml", ".cu", ".wcap"}),
                 25);
}

TEST(OpenedSliders, OfEveryExerciseRunItAgain) {
  std::vector<fs::path> folders = files_below(source_folder() / "assets" / "exercises", {".toml"});
  std::erase_if(folders, [](const fs::path& path) { return path.filename() != "scene.toml"; });
  expect_sliders(folders, 8);
}

TEST(OpenedSliders, OfEverySituationRunItAgain) {
  expect_sliders(files_below(source_folder() / "tests" / "situations", {".cu", ".ptx"}), 35);
}

}  // namespace
}  // namespace warpscope
