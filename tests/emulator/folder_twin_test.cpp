// tests/emulator/folder_twin_test.cpp: a built-in scene and the same as a folder have the same
// figures.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "scenes/catalogue.h"
#include "tests/emulator/emulated_scene.h"
#include "tests/scenes/folder_parts.h"

namespace warpscope {
namespace {

constexpr const char* kBuiltIn = "patterns";
constexpr const char* kTwin = "patterns_twin";

Catalogue& catalogue() {
  static Catalogue all;
  return all;
}

const Scene& twin() {
  static const OwnFolder folder(kTwin);
  static const Result<const Scene*> opened = [] {
    write_patterns_twin(folder);
    return catalogue().open_folder(folder.path());
  }();
  if (!opened) throw std::runtime_error(sentence(opened.error()));
  return **opened;
}

struct Place {
  const char* name;
  Changes changes;
};

// Every operation at sizes that blocks divide and at others, and what an axis of it changes.
std::vector<Place> places() {
  return {
      {"copy", {{"op", "copy"}, {"n", "8192"}}},
      {"copy_strided", {{"op", "copy"}, {"n", "10001"}, {"stride", "8"}, {"offset", "1"}}},
      {"copy_wide", {{"op", "copy"}, {"n", "8190"}, {"width", "16"}, {"offset", "4"}}},
      {"structures", {{"op", "structures"}, {"n", "8200"}, {"fields", "5"}}},
      {"transpose", {{"op", "transpose"}, {"rows", "65"}, {"columns", "100"}}},
      {"reduction", {{"op", "reduction"}, {"n", "10004"}}},
      {"gather_near", {{"op", "gather"}, {"n", "8192"}, {"locality", "0.9"}}},
      {"gather_far", {{"op", "gather"}, {"n", "9000"}, {"locality", "0"}}},
      {"atomics", {{"op", "atomics"}, {"n", "9000"}, {"bins", "100"}, {"contention", "8"}}},
  };
}

class FolderTwin : public testing::TestWithParam<Place> {};

// The terms of the work model, by id; those of a gather ask for facts of its inputs, which an
// expression does not see.
std::map<std::string, std::optional<double>> work_of(const Scene& scene, const Variant& variant,
                                                     const Configuration& axes) {
  std::map<std::string, std::optional<double>> values;
  Inputs inputs;
  Workload workload{axes, {}};
  if (!regenerate_inputs(scene, nullptr, axes, inputs, workload.facts)) return values;
  for (const WorkTerm& term : scene.work_terms) values[term.id] = evaluate(term, workload, variant);
  if (axes.text("op") == "gather") {
    values.erase("model.dram_bytes");
    values.erase("model.dram_read_bytes");
  }
  return values;
}

TEST_P(FolderTwin, HasTheFiguresOfTheBuiltInScene) {
  if (!nvrtc_version()) GTEST_SKIP() << sentence(nvrtc_version().error());
  const Scene &ours = **built_in_catalogue().find(kBuiltIn), &theirs = twin();
  ASSERT_EQ(ours.variants.size(), theirs.variants.size());
  int compared = 0;
  for (const Variant& variant : ours.variants) {
    const Configuration axes = *configured(ours, variant.name, GetParam().changes);
    const Configuration twins = *configured(theirs, variant.name, GetParam().changes);
    EXPECT_EQ(configuration_key(ours.axes, axes, variant.name),
              configuration_key(theirs.axes, twins, variant.name));
    const Variant* other = find_variant(theirs, variant.name);
    ASSERT_NE(other, nullptr) << variant.name;
    ASSERT_EQ(applies(variant, axes), applies(*other, twins)) << variant.name;
    const Workload w{axes, {}}, v{twins, {}};
    const bool runs = applies(variant, axes) && !unavailable(variant, w, {});
    EXPECT_EQ(runs, applies(*other, twins) && !unavailable(*other, v, {})) << variant.name;
    if (!runs) continue;
    EXPECT_EQ(work_of(ours, variant, axes), work_of(theirs, *other, twins)) << variant.name;
    if (!variant.own_kernels) continue;
    const EmulatedCounts a = counts_of(kBuiltIn, variant.name, GetParam().changes);
    const EmulatedCounts b = counts_of(kTwin, variant.name, GetParam().changes, catalogue());
    ASSERT_EQ(a.traces.size(), b.traces.size()) << variant.name;
    for (std::size_t t = 0; t < a.traces.size(); ++t) {
      EXPECT_GT(a.traces[t].warp_instructions, 0);
      EXPECT_EQ(a.traces[t].warp_instructions, b.traces[t].warp_instructions) << variant.name;
      ASSERT_EQ(a.traces[t].sites.size(), b.traces[t].sites.size()) << variant.name;
      for (std::size_t s = 0; s < a.traces[t].sites.size(); ++s) {
        const AccessSite &mine = a.traces[t].sites[s], &its = b.traces[t].sites[s];
        EXPECT_EQ(mine.position.line, its.position.line) << variant.name;
        EXPECT_EQ(mine.totals.requests, its.totals.requests) << variant.name;
        EXPECT_EQ(mine.totals.sectors, its.totals.sectors) << variant.name;
        EXPECT_EQ(mine.totals.wavefronts, its.totals.wavefronts) << variant.name;
        EXPECT_EQ(mine.totals.lanes, its.totals.lanes) << variant.name;
      }
    }
    ++compared;
  }
  EXPECT_GT(compared, 1);
}

INSTANTIATE_TEST_SUITE_P(, FolderTwin, testing::ValuesIn(places()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace warpscope
