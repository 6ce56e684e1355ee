// tests/scenes/fork_test.cpp: variants copied into folders, to be edited there.
#include "scenes/folder/fork/fork.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "scenes/base/hard_case.h"
#include "scenes/catalogue.h"
#include "scenes/host/input_file.h"
#include "scenes/read_folder.h"
#include "tests/scenes/folder_parts.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const Scene& built_in(const char* name) { return **built_in_catalogue().find(name); }

struct Opened {
  Fork fork;
  const Scene* scene = nullptr;
  const Variant& copy() const { return *find_variant(*scene, fork.variant); }
};

Opened forked(Catalogue& catalogue, const Scene& scene, const std::string& variant,
              const ForkWish& wish) {
  const Result<Fork> fork = write_fork(catalogue, scene, *find_variant(scene, variant), wish);
  EXPECT_TRUE(fork) << sentence(fork.error());
  const Result<const Scene*> opened = catalogue.open_folder(fork->folder);
  EXPECT_TRUE(opened) << sentence(opened.error());
  return {*fork, opened.value_or(nullptr)};
}

std::set<std::string> sources_of(const Scene& scene, const Variant& variant) {
  const Result<LaunchedKernels> launched = launched_kernels(scene, variant);
  EXPECT_TRUE(launched) << sentence(launched.error());
  return {launched->paths.begin(), launched->paths.end()};
}

std::string text_of(const fs::path& file) { return read_input(file, 1 << 20).value_or(""); }

TEST(Forks, OfABuiltInVariantStandBelowItWithTheirOwnTexts) {
  Catalogue catalogue;
  const OwnFolder folder("fork");
  const Scene& csrmm = built_in("csrmm");
  const Opened made =
      forked(catalogue, csrmm, "float4_columns", {folder.path() / "mine", {{"m", "300"}}});
  ASSERT_NE(made.scene, nullptr);
  EXPECT_EQ(made.fork.variant, "float4_columns_fork");
  EXPECT_EQ(made.scene->fork_of, "csrmm");
  EXPECT_EQ(made.scene->variants.size(), csrmm.variants.size() + 1);
  EXPECT_EQ((&made.copy() - 1)->name, "float4_columns") << "it stands below its parent";
  EXPECT_EQ(made.copy().parent, "float4_columns");
  EXPECT_EQ(default_configuration(made.scene->axes).integer("m"), 300);
  EXPECT_EQ(default_configuration(made.scene->axes),
            *with_values(csrmm.axes, default_configuration(csrmm.axes), {{"m", "300"}}))
      << "axes that are linked follow, as where it is typed";
  EXPECT_THAT(sources_of(*made.scene, made.copy()), ElementsAre("mine/float4_columns.cu"));
  EXPECT_THAT(sources_of(*made.scene, *find_variant(*made.scene, "float4_columns")),
              ElementsAre("csrmm/float4_columns.cu"));
  EXPECT_EQ(made.copy().tolerance.accumulation,
            find_variant(csrmm, "float4_columns")->tolerance.accumulation);
  EXPECT_EQ(made.copy().reference, find_variant(csrmm, "float4_columns")->reference);
}

TEST(Forks, HaveTheirParentsAxesWorkAndHardCases) {
  Catalogue catalogue;
  const OwnFolder folder("fork_axes");
  const Scene& csrmm = built_in("csrmm");
  const auto tuned = std::find_if(csrmm.axes.begin(), csrmm.axes.end(), [](const Axis& axis) {
    return !axis.of_variants.empty() && axis.kind == AxisKind::integer;
  });
  ASSERT_NE(tuned, csrmm.axes.end());
  const std::string parent = tuned->of_variants.front();
  const Opened made = forked(catalogue, csrmm, parent, {folder.path() / "tuned", {}});
  ASSERT_NE(made.scene, nullptr);
  EXPECT_TRUE(of_variant(*find_axis(made.scene->axes, tuned->name), made.fork.variant));
  EXPECT_EQ(default_of(*find_axis(made.scene->axes, tuned->name), made.fork.variant),
            default_of(*tuned, parent));
  const std::vector<HardCase> cases = hard_cases_of(*made.scene), own = hard_cases_of(csrmm);
  ASSERT_EQ(cases.size(), own.size() + 1);
  EXPECT_EQ(cases.back().name, "second_run") << "with fresh inputs, after a run with others";
  EXPECT_NE(cases.back().values.at("seed"), cases.back().behind->at("seed"));
  for (std::size_t i = 0; i < own.size(); ++i) {
    EXPECT_EQ(cases[i].left_out.count(made.fork.variant), own[i].left_out.count(parent));
    const auto runs = [](const HardCase& hard, const std::string& name) {
      return std::count(hard.variants.begin(), hard.variants.end(), name);
    };
    EXPECT_EQ(runs(cases[i], made.fork.variant), runs(own[i], parent));
  }
  const auto drawn = configured(*made.scene, made.fork.variant, {{"m", "64"}, {"k", "64"}});
  ASSERT_TRUE(drawn) << sentence(drawn.error());
  Inputs inputs;
  Facts facts;
  ASSERT_TRUE(regenerate_inputs(*made.scene, nullptr, *drawn, inputs, facts));
  for (const WorkTerm& term : made.scene->work_terms) {
    const Workload workload{*drawn, facts};
    EXPECT_EQ(evaluate(term, workload, made.copy()),
              evaluate(term, workload, *find_variant(*made.scene, parent)))
        << term.id;
  }
}

TEST(Forks, AnEditReachesNothingElse) {
  Catalogue catalogue;
  const OwnFolder folder("fork_header");
  const Scene& csrmm = built_in("csrmm");
  const Opened made =
      forked(catalogue, csrmm, "warp_row_branch_free", {folder.path() / "edited", {}});
  ASSERT_THAT(made.fork.files, ElementsAre("seed_warp_row.cu", "seed_reading.cuh", "rows_of_b.cuh",
                                           "stored.cuh", "element.cuh"));
  const std::string kernel = text_of(made.fork.folder / "seed_warp_row.cu");
  EXPECT_THAT(kernel, HasSubstr("#include \"stored.cuh\""));
  EXPECT_THAT(kernel, Not(HasSubstr("#include \"csrmm/")));
  std::ofstream(made.fork.folder / "element.cuh", std::ios::app) << "// edited\n";
  ASSERT_TRUE(catalogue.open_folder(made.fork.folder));
  const auto texts = catalogue.sources_of("edited");
  ASSERT_TRUE(texts);
  const SourceLookup find = sources_among(**texts);
  const auto header_of = [&](const std::string& path) {
    for (const KernelSource& source : find(path).value_or(std::vector<KernelSource>{})) {
      if (source.path.ends_with("element.cuh")) return source.text;
    }
    return std::string();
  };
  EXPECT_THAT(header_of("edited/seed_warp_row.cu"), HasSubstr("// edited"));
  EXPECT_THAT(header_of("csrmm/seed_warp_row.cu"), Not(HasSubstr("// edited")));
  EXPECT_EQ(catalogue.kernel("csrmm/seed_warp_row.cu")->text,
            text_of(source_folder() / "kernels" / "csrmm" / "seed_warp_row.cu"));
}

TEST(Forks, OfAFoldersVariantIsOneMoreOfThatFolder) {
  Catalogue catalogue;
  const OwnFolder folder("fork_of_folder/doubled_here");
  folder.write("scene.toml", kDoublingDescription);
  folder.write("twice.cu", kDoublingKernel);
  const Result<const Scene*> scene = catalogue.open_folder(folder.path());
  ASSERT_TRUE(scene) << sentence(scene.error());
  const Opened made = forked(catalogue, **scene, "twice", {});
  ASSERT_NE(made.scene, nullptr);
  EXPECT_EQ(made.fork.folder, folder.path());
  EXPECT_EQ(made.scene->name, "doubled_here");
  EXPECT_THAT(sources_of(*made.scene, made.copy()), ElementsAre("doubled_here/twice_fork.cu"));
  EXPECT_TRUE(made.copy().tolerance_at(default_configuration(made.scene->axes)).bit_exact);
  EXPECT_EQ(made.copy().reference, "reference");
  const Opened second = forked(catalogue, *made.scene, made.fork.variant, {});
  ASSERT_NE(second.scene, nullptr);
  EXPECT_EQ(second.fork.variant, "twice_fork_2");
  EXPECT_EQ(second.copy().parent, "twice_fork");
  EXPECT_EQ(second.scene->variants.back().name, "twice_fork_2");
  EXPECT_THAT(sources_of(*second.scene, second.copy()),
              ElementsAre("doubled_here/twice_fork_2.cu"));
  const Opened moved =
      forked(catalogue, *second.scene, "twice", {folder.path().parent_path() / "moved", {}});
  ASSERT_NE(moved.scene, nullptr);
  EXPECT_EQ(moved.scene->name, "moved");
  EXPECT_EQ(moved.scene->variants.size(), 4u);
  EXPECT_THAT(sources_of(*moved.scene, *find_variant(*moved.scene, "twice")),
              ElementsAre("moved/twice.cu"));
}

TEST(Forks, MayLaunchOtherwiseAndHaveAxesOfTheirOwn) {
  SceneText text;
  text.name = "wider";
  text.file = "wider/scene.toml";
  text.description = R"__(fork = "patterns"
[axes.threads]
range = [32, 1024]
default = 64
binds = "launch_shape"
[variants.coalesced_fork]
parent = "coalesced"
sources = { "patterns/coalesced.cu" = "mine.cu" }
)__";
  const Scene& patterns = built_in("patterns");
  const Variant& parent = patterns.variants.front();
  const std::string source = *sources_of(patterns, parent).begin();
  const std::string step = launched_kernels(patterns, parent)->steps.begin()->first;
  text.description = replaced(text.description, "\"coalesced\"", "\"" + parent.name + "\"");
  text.description = replaced(text.description, "patterns/coalesced.cu", source);
  text.sources = {kernel_source("wider/mine.cu", "// nothing")};
  text.description += "launch.\"" + step +
                      "\" = { grid = \"ceil_div(100, threads)\", block = \"threads\", define = { "
                      "WIDTH = \"threads / 2\" } }\n";
  const Result<Scene> scene = scene_of(text);
  ASSERT_TRUE(scene) << sentence(scene.error());
  const Variant& copy = *find_variant(*scene, "coalesced_fork");
  EXPECT_TRUE(of_variant(*find_axis(scene->axes, "threads"), "coalesced_fork"));
  EXPECT_FALSE(of_variant(*find_axis(scene->axes, "threads"), parent.name));
  const Result<Configuration> axes = configured(*scene, copy.name, {{"threads", "64"}});
  ASSERT_TRUE(axes) << sentence(axes.error());
  Inputs inputs;
  Facts facts;
  ASSERT_TRUE(regenerate_inputs(*scene, nullptr, *axes, inputs, facts));
  bool launches = false;
  for (const Step& each : copy.steps({*axes, facts})) {
    if (each.name != step) continue;
    launches = true;
    const auto& kernel = std::get<KernelLaunch>(each.action);
    EXPECT_EQ(kernel.source, "wider/mine.cu");
    EXPECT_EQ(kernel.launch.grid.x, 2);
    EXPECT_EQ(kernel.launch.block.x, 64);
    EXPECT_THAT(kernel.defines, testing::Contains(testing::Pair("WIDTH", "32")));
  }
  EXPECT_TRUE(launches);
}

TEST(Forks, WhatCannotBeCopiedIsSaidInASentence) {
  const OwnFolder folder("fork_refusals");
  const Scene& csrmm = built_in("csrmm");
  const auto why = [&](const char* variant, const ForkWish& wish) {
    const Result<Fork> fork =
        write_fork(built_in_catalogue(), csrmm, *find_variant(csrmm, variant), wish);
    return fork ? std::string("it was copied") : sentence(fork.error());
  };
  EXPECT_THAT(why("cusparse_alg2", {folder.path() / "a", {}}),
              HasSubstr("it calls a library, or runs on the host; fork one with a kernel: "));
  EXPECT_THAT(why("row_split", {folder.path(), {}}), HasSubstr("the folder exists already"));
  EXPECT_THAT(why("row_split", {folder.path() / "a b", {}}),
              HasSubstr("not a valid name for a scene"));
  EXPECT_THAT(why("row_split", {folder.path() / "c", {{"n", "many"}}}), HasSubstr("axis n"));
  EXPECT_TRUE(fs::is_empty(folder.path())) << "no file is left over";
}

TEST(Forks, ADescriptionThatIsWrongSaysWhere) {
  const auto why = [](const std::string& rest) {
    SceneText text;
    text.name = "wrong_fork";
    text.file = "scene.toml";
    text.sources = {kernel_source("wrong_fork/k.cu", "")};
    text.description = "fork = \"csrmm\"\n" + rest;
    const Result<Scene> scene = scene_of(text);
    return scene ? std::string("it is right") : sentence(scene.error());
  };
  EXPECT_EQ(why("[variants.x]\nparent = \"row_split\"\n"), "it is right");
  EXPECT_THAT(why("[variants.x]\nparent = \"row_spilt\"\n"), HasSubstr("did you mean row_split?"));
  EXPECT_THAT(why("[variants.x]\nlabel = \"x\"\n"), HasSubstr("which variant it copies"));
  EXPECT_THAT(why("[variants.row_cache]\nparent = \"row_split\"\n"),
              HasSubstr("the scene already has a variant of this name"));
  EXPECT_THAT(
      why("[variants.x]\nparent = \"row_split\"\nsources = { \"csrmm/row.cu\" = \"k.cu\" }\n"),
      HasSubstr("scene.toml:4"));
  EXPECT_THAT(why("[variants.x]\nparent = \"row_split\"\nsources = { \"csrmm/row_split.cu\" = "
                  "\"j.cu\" }\n"),
              HasSubstr("there is no file “j.cu”"));
  EXPECT_THAT(why("[defaults]\nmm = 3\n[variants.x]\nparent = \"row_split\"\n"),
              HasSubstr("defaults.mm"));
  EXPECT_THAT(why("[axes.m]\nrange = [1, 2]\ndefault = 1\n[variants.x]\nparent = \"row_split\"\n"),
              HasSubstr("csrmm has an axis of this name"));
}

TEST(Forks, AnUnknownStepToLaunchOtherwiseIsAnErrorWithTheKnownNames) {
  const auto why = [](const std::string& description, UnusedKeys unused = UnusedKeys::refused) {
    SceneText text;
    text.name = "launches";
    text.file = "scene.toml";
    text.sources = {kernel_source("launches/k.cu", "")};
    text.description = description;
    const Result<Scene> scene = scene_of(text, unused);
    return scene ? std::string("it is right") : sentence(scene.error());
  };
  const auto of_csrmm = [&](const std::string& parent, const std::string& step) {
    return why("fork = \"csrmm\"\n[variants.x]\nparent = \"" + parent + "\"\nlaunch.\"" + step +
               "\" = { block = 64 }\n");
  };
  EXPECT_EQ(of_csrmm("row_split", "multiply"), "it is right");
  EXPECT_THAT(of_csrmm("row_split", "multipyl"), HasSubstr("scene.toml:4"));
  EXPECT_THAT(of_csrmm("row_split", "multipyl"), HasSubstr("variants.x.launch.multipyl"));
  EXPECT_THAT(of_csrmm("row_split", "multipyl"), HasSubstr("did you mean multiply?"));
  EXPECT_THAT(of_csrmm("row_split", "nothing like it"), HasSubstr("there are "));
  EXPECT_THAT(of_csrmm("row_split", "nothing like it"), HasSubstr("multiply"));
  EXPECT_EQ(why("fork = \"csrmm\"\n[variants.x]\nparent = \"row_split\"\nlaunch.a.block = 64\n",
                UnusedKeys::accepted),
            "it is right")
      << "a session that was recorded with it opens";
  // Names with numbers, of which the defaults have a few.
  const std::string led =
      "fork = \"led\"\n[variants.x]\nparent = \"single_frame_repeated\"\nlaunch.";
  EXPECT_EQ(why(led + "\"frame 63\".block = 64\n"), "it is right");
  EXPECT_THAT(why(led + "\"fram 3\".block = 64\n"), HasSubstr("did you mean frame "));
  // A folder's own steps count at whatever sizes they apply, those that launch nothing do not.
  const std::string own = R"__(axes.n = { range = [1, 4096], default = 1 }
[buffers]
y = { type = "f32", count = "n", role = "output" }
[variants.a]
steps = [
  { entry = "k", grid = 1, block = 1, arguments = ["y"] },
  { name = "for many", applies = "n > 4000", entry = "k", grid = 1, block = 1, arguments = ["y"] },
  { memset = "y" },
]
[variants.b]
parent = "a"
[variants.c]
parent = "b"
launch.)__";
  EXPECT_EQ(why(own + "\"for many\".block = 64\n"), "it is right");
  EXPECT_THAT(why(own + "\"for man\".block = 64\n"), HasSubstr("did you mean for many?"));
  EXPECT_THAT(why(own + "\"clear y\".block = 64\n"), HasSubstr("no step of this name"));
}

// A shape in the comment is what the parent launches there; one that inputs decide is left out.
TEST(Forks, SayTheLaunchOfTheParentWhereTheyStand) {
  Catalogue catalogue;
  const OwnFolder folder("fork_launch");
  const Scene& csrmm = built_in("csrmm");
  const auto description = [&](const char* variant, const char* name) {
    return text_of(
        forked(catalogue, csrmm, variant, {folder.path() / name, {{"m", "500"}, {"n", "64"}}})
            .fork.folder /
        "scene.toml");
  };
  const Result<Configuration> axes =
      configured(csrmm, "warp_row_branch_free", {{"m", "500"}, {"n", "64"}});
  ASSERT_TRUE(axes);
  const std::string rows = description("warp_row_branch_free", "rows");
  int said = 0;
  for (const Step& step : find_variant(csrmm, "warp_row_branch_free")->steps({*axes, {}})) {
    const auto* kernel = std::get_if<KernelLaunch>(&step.action);
    if (kernel == nullptr) continue;
    const Dim3 &grid = kernel->launch.grid, &block = kernel->launch.block;
    EXPECT_THAT(rows, HasSubstr("\"" + step.name + "\" = { grid = [" + std::to_string(grid.x) +
                                ", " + std::to_string(grid.y) + ", " + std::to_string(grid.z) +
                                "], block = [" + std::to_string(block.x) + ","));
    ++said;
  }
  EXPECT_GT(said, 0);
  EXPECT_THAT(rows, Not(HasSubstr("huge_row"))) << "no list of all axes";
  EXPECT_THAT(rows, HasSubstr("grid = [500, ")) << "one warp per row";
  const std::string segments = description("row_split", "segments");
  EXPECT_THAT(segments, HasSubstr("# launch.\"multiply\" = { define"));
  EXPECT_THAT(segments, Not(HasSubstr("grid = ["))) << "as many as the entries make";
}

TEST(Forks, StandWhereTheirParentApplies) {
  Catalogue catalogue;
  const OwnFolder folder("fork_applies");
  const Scene& patterns = built_in("patterns");
  const Opened made = forked(catalogue, patterns, "transpose_tiled", {folder.path() / "tiled", {}});
  const Result<Configuration> axes = configured(*made.scene, made.fork.variant, {});
  ASSERT_TRUE(axes);
  EXPECT_EQ(axes->text("op"), "transpose");
  EXPECT_TRUE(applies(made.copy(), *axes));
  EXPECT_THAT(text_of(made.fork.folder / "scene.toml"), HasSubstr("op = \"transpose\""));
  const Opened copy = forked(catalogue, patterns, "copy_in_flight", {folder.path() / "copy", {}});
  EXPECT_THAT(text_of(copy.fork.folder / "scene.toml"), Not(HasSubstr("[defaults]")));
}

// Whatever has a kernel of ours can be copied, and the copy launches the copies alone.
TEST(SlowForks, OfEveryVariantOfEverySceneLaunchTheirOwnTexts) {
  const OwnFolder folder("fork_all");
  int copied = 0;
  for (const Scene& scene : built_in_catalogue().scenes()) {
    for (const Variant& variant : scene.variants) {
      if (!variant.own_kernels) continue;
      const std::string name = scene.name + "." + variant.name;
      const Result<Fork> fork =
          write_fork(built_in_catalogue(), scene, variant, {folder.path() / name, {}});
      if (!fork && variant.choice) {  // it may pick a library's row here
        EXPECT_THAT(sentence(fork.error()), HasSubstr("it has no kernel of Warpscope")) << name;
        continue;
      }
      ASSERT_TRUE(fork) << name << ": " << sentence(fork.error());
      Result<SceneText> text = read_scene_folder(fork->folder);
      ASSERT_TRUE(text) << name;
      // With the launches that stand there as comments.
      while (text->description.find("\n# launch.") != std::string::npos)
        text->description = replaced(text->description, "\n# launch.", "\nlaunch.");
      const Result<Scene> made = scene_of(*text);
      ASSERT_TRUE(made) << name << ": " << sentence(made.error());
      const std::set<std::string> launched = sources_of(*made, *find_variant(*made, fork->variant));
      EXPECT_FALSE(launched.empty()) << name;
      for (const std::string& path : launched)
        EXPECT_TRUE(path.starts_with(name + "/")) << name << " launches " << path;
      ++copied;
    }
  }
  EXPECT_GT(copied, 100);
}

}  // namespace
}  // namespace warpscope
