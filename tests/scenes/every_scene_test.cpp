// tests/scenes/every_scene_test.cpp: what every scene must hold, row by row.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "scenes/base/element_inputs.h"
#include "scenes/base/texts/code_id.h"
#include "scenes/host/paths.h"
#include "tests/scenes/small_configurations.h"
#include "tests/scenes/tested_scenes.h"

namespace warpscope {
namespace {

class TestedScene : public testing::TestWithParam<const Scene*> {
 protected:
  const Scene& scene() const { return *GetParam(); }
};

// Its inputs, those too that are functions of an element's index.
Result<void> make_inputs(const Scene& scene, Workload& w, Inputs& inputs) {
  const auto made = regenerate_inputs(scene, nullptr, w.axes, inputs, w.facts);
  if (!made) return tl::unexpected(made.error());
  make_element_inputs(scene, w, inputs);
  return {};
}

INSTANTIATE_TEST_SUITE_P(All, TestedScene, testing::ValuesIn(each_tested_scene()), by_scene_name);

// What must hold at every choice, in the slow tests at every pair of choices.
class SceneAtEveryChoice : public testing::TestWithParam<TriedScene> {
 protected:
  const Scene& scene() const { return *GetParam().scene; }
};
INSTANTIATE_TEST_SUITE_P(All, SceneAtEveryChoice,
                         testing::ValuesIn(tried_scenes(each_tested_scene())), by_name_of_tried);
INSTANTIATE_TEST_SUITE_P(SlowPairs, SceneAtEveryChoice,
                         testing::ValuesIn(scenes_in_pairs(each_tested_scene())), by_name_of_tried);

TEST_P(TestedScene, HasANameATitleAStoryAndABaseline) {
  EXPECT_FALSE(scene().title.empty() || scene().story.empty());
  EXPECT_NE(find_variant(scene(), scene().baseline), nullptr);
  EXPECT_TRUE(scene().library_baseline.empty() ||
              find_variant(scene(), scene().library_baseline) != nullptr);
  EXPECT_TRUE(applies(*find_variant(scene(), scene().baseline), with_defaults(scene().axes, {})));
}

// Exhibits are off unless they are asked for, by one axis in every scene.
TEST_P(TestedScene, ShowsNothingThatIsWrongOnPurposeUnlessItIsAskedFor) {
  const Configuration plain = with_defaults(scene().axes, {});
  for (const Variant& variant : scene().variants) {
    if (!variant.expected_fault) continue;
    const Axis* broken = find_axis(scene().axes, "broken");
    ASSERT_NE(broken, nullptr) << variant.name;
    EXPECT_EQ(default_of(*broken, variant.name), AxisValue(std::string("off")));
    if (applies(variant, plain)) {
      EXPECT_FALSE(variant.expected_fault({plain, {}})) << variant.name;
    }
  }
}

// A list of steps is then made without inputs: a fact that is asked for is not there.
TEST_P(TestedScene, AsksForFactsOnlyWhereItSaysSo) {
  if (scene().steps_need_facts) return;  // they may
  std::vector<Configuration> all = {with_defaults(scene().axes, {})};
  for (const Preset& preset : scene().presets) {
    const auto axes = with_values(scene().axes, all.front(), preset.values);
    ASSERT_TRUE(axes) << sentence(axes.error());
    all.push_back(*axes);
  }
  for (const Configuration& axes : all) {
    for (const Variant& v : scene().variants) {
      const Workload w{for_variant(scene().axes, axes, v.name), {}};
      if (!applies(v, w.axes) || unavailable(v, w, {})) continue;
      EXPECT_NO_THROW(v.steps(w)) << v.name;
      EXPECT_NO_THROW(scene().buffers(w)) << v.name;
    }
  }
}

TEST_P(TestedScene, HasAxesWithWordsAndDefaultsInsideTheirRanges) {
  std::set<std::string> names;
  for (const Axis& axis : scene().axes) {
    EXPECT_TRUE(names.insert(axis.name).second) << axis.name;
    EXPECT_FALSE(axis.label.empty() || axis.description.empty()) << axis.name;
    EXPECT_TRUE(axis.linked_to.empty() || find_axis(scene().axes, axis.linked_to) != nullptr);
    if (axis.kind == AxisKind::file) continue;
    const auto again = parse_axis_value(axis, to_text(axis.default_value));
    ASSERT_TRUE(again) << sentence(again.error());
    EXPECT_EQ(*again, axis.default_value) << axis.name;
    for (const double stop : axis.stops) {
      EXPECT_GE(stop, axis.typed_minimum) << axis.name;
      EXPECT_LE(stop, axis.typed_maximum) << axis.name;
    }
  }
}

TEST_P(TestedScene, NamesItsOwnVariantsAtTheirAxes) {
  for (const Axis& axis : scene().axes) {
    for (const std::string& variant : axis.of_variants)
      EXPECT_NE(find_variant(scene(), variant), nullptr) << axis.name << " of " << variant;
    for (const auto& [variant, value] : axis.defaults_of) {
      EXPECT_TRUE(find_variant(scene(), variant) != nullptr && of_variant(axis, variant))
          << axis.name << " of " << variant;
      EXPECT_TRUE(parse_axis_value(axis, to_text(value))) << axis.name << " of " << variant;
    }
  }
}

// What a constraint says to change mends it, and what that leaves is another value that may be
// typed.
TEST_P(TestedScene, MendsWhatCannotRunByTheChangeThatItOffers) {
  std::vector<Configuration> odd = small_configurations(scene(), Choices::one_by_one);
  // One of each choice, with every size a little other than it was.
  std::map<std::string, Configuration> of_choices;
  for (const Configuration& small : odd) {
    for (const Axis& axis : scene().axes) {
      if (!axis.choices.empty() && small.has(axis.name))
        of_choices.emplace(axis.name + "=" + small.text(axis.name), small);
    }
  }
  for (const auto& [choice, small] : of_choices) {
    for (const Axis& axis : scene().axes) {
      if (axis.kind != AxisKind::integer || axis.name == "seed") continue;
      for (const std::int64_t by : {-1, 1, 5}) {
        Configuration changed = small;
        changed.set(axis.name, small.integer(axis.name) + by);
        if (parse_axis_value(axis, to_text(changed.at(axis.name))) && scene().admit(changed))
          odd.push_back(changed);
      }
    }
  }
  DeviceLimits device;
  device.shared_bytes_per_block = 512;
  // Many changes lead to one configuration, whose inputs are made once.
  std::map<std::map<std::string, AxisValue>, Facts> known;
  const auto facts_at = [&](const Configuration& axes) -> Facts {
    const auto [at, added] = known.try_emplace(axes.values());
    Inputs inputs;
    EXPECT_TRUE(!added || regenerate_inputs(scene(), nullptr, axes, inputs, at->second));
    return at->second;
  };
  std::set<std::string> offered;
  for (const Configuration& all : odd) {
    const Facts facts = facts_at(all);
    for (const Variant& v : scene().variants) {
      if (!applies(v, all)) continue;
      const Workload w{for_variant(scene().axes, all, v.name), facts};
      for (const Constraint& c : v.constraints) {
        if (!c.remedy || !c.violated(w, device)) continue;
        const std::optional<AxisChange> change = c.remedy(w, device);
        if (!change) continue;
        SCOPED_TRACE(v.name + ": " + c.rule + " at " + problem_key(scene().axes, all));
        offered.insert(c.rule);
        const auto mended = with_values(scene().axes, all, change->values);
        ASSERT_TRUE(mended) << sentence(mended.error());
        ASSERT_TRUE(scene().admit(*mended)) << change->sentence;
        const Workload there{for_variant(scene().axes, *mended, v.name), facts_at(*mended)};
        EXPECT_FALSE(c.violated(there, device)) << change->sentence;
        EXPECT_TRUE(applies(v, *mended));
      }
    }
  }
  const std::map<std::string, std::size_t> least = {{"csrmm", 5}, {"led", 3}, {"patterns", 3}};
  const auto expected = least.find(scene().name);
  EXPECT_GE(offered.size(), expected == least.end() ? 0 : expected->second);
}

// A variant reads no axis that is another one's: it would not be in its key.
TEST_P(SceneAtEveryChoice, MakesEveryVariantsStepsFromItsOwnAxes) {
  for (const Configuration& all : GetParam().configurations()) {
    Inputs inputs;
    Facts facts;
    ASSERT_TRUE(regenerate_inputs(scene(), nullptr, all, inputs, facts));
    for (const Variant& v : scene().variants) {
      if (!applies(v, all)) continue;
      const Workload w{for_variant(scene().axes, all, v.name), facts};
      SCOPED_TRACE(v.name + " at " + configuration_key(scene().axes, all, v.name));
      if (unavailable(v, w, DeviceLimits{})) continue;
      EXPECT_NO_THROW(v.steps(w));
      if (v.scratch) {
        EXPECT_NO_THROW(v.scratch(w));
      }
      if (v.choice) {
        EXPECT_NO_THROW(v.choice(w));
      }
      for (const WorkTerm& term : scene().work_terms)
        EXPECT_NO_THROW(evaluate(term, w, v)) << term.id;
    }
  }
}

TEST_P(TestedScene, AdmitsItsDefaultAndEveryPreset) {
  EXPECT_TRUE(scene().admit(with_defaults(scene().axes, {})));
  std::set<std::string> names;
  for (const Preset& preset : scene().presets) {
    EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
    EXPECT_FALSE(preset.sentence.empty()) << preset.name;
    const auto axes = with_values(scene().axes, with_defaults(scene().axes, {}), preset.values);
    ASSERT_TRUE(axes) << preset.name << ": " << sentence(axes.error());
    EXPECT_TRUE(scene().admit(*axes)) << preset.name;
    EXPECT_NE(variant_at(scene(), *axes, ""), nullptr) << preset.name;
    for (const auto& [name, value] : preset.values)
      EXPECT_TRUE(applies(*find_axis(scene().axes, name), *axes)) << preset.name << ": " << name;
  }
}

TEST_P(TestedScene, ExplainsEveryVariantAndHoldsItToAReference) {
  std::set<std::string> names, labels;
  for (const Variant& v : scene().variants) {
    EXPECT_TRUE(names.insert(v.name).second) << v.name;
    EXPECT_TRUE(labels.insert(v.label).second) << v.label;
    EXPECT_FALSE(v.sentence.empty() || v.look_at.empty()) << v.name;
    EXPECT_FALSE(v.family.empty() || v.accuracy.empty()) << v.name;
    EXPECT_NE(find_reference(scene(), v.reference), nullptr) << v.name;
    for (const Constraint& constraint : v.constraints) EXPECT_FALSE(constraint.rule.empty());
    const auto somewhere = where_applies(scene(), v, with_defaults(scene().axes, {}));
    ASSERT_TRUE(somewhere) << v.name << " applies nowhere";
    EXPECT_TRUE(applies(v, *somewhere)) << v.name;
  }
}

TEST_P(TestedScene, ExplainsEveryWorkTermAndSharesUnitsWithOtherScenes) {
  std::set<std::string> ids;
  for (const WorkTerm& term : scene().work_terms) {
    EXPECT_TRUE(ids.insert(term.id).second) << term.id;
    EXPECT_TRUE(term.id.starts_with("model.")) << term.id;
    EXPECT_FALSE(term.label.empty() || term.unit.empty() || term.sentence.empty()) << term.id;
    for (const Scene& other : built_in_catalogue().scenes()) {
      for (const WorkTerm& theirs : other.work_terms) {
        EXPECT_TRUE(theirs.id != term.id || theirs.unit == term.unit) << term.id;
      }
    }
  }
  EXPECT_EQ(ids.count("model.flops"), 1u);
  EXPECT_EQ(ids.count("model.dram_bytes"), 1u);
}

TEST_P(TestedScene, HasInputGroupsOfAxesAndGroupsThatExist) {
  std::set<std::string> made;
  for (const InputGroup& group : scene().input_groups) {
    for (const std::string& axis : group.axes)
      EXPECT_NE(find_axis(scene().axes, axis), nullptr) << axis;
    for (const std::string& other : group.after) EXPECT_EQ(made.count(other), 1u) << group.name;
    made.insert(group.name);
  }
}

void expect_legal(const Step& step, const std::set<std::string>& declared, const std::string& at) {
  EXPECT_FALSE(step.name.empty()) << at;
  const auto known = [&](const std::string& buffer) {
    EXPECT_EQ(declared.count(buffer), 1u) << at << " names " << buffer;
  };
  if (const auto* memset = std::get_if<Memset>(&step.action)) known(memset->buffer);
  if (const auto* copy = std::get_if<DeviceCopy>(&step.action)) {
    known(copy->from);
    known(copy->to);
  }
  if (const auto* call = std::get_if<LibraryCall>(&step.action)) {
    for (const auto& [operand, buffer] : call->buffers) known(buffer);
  }
  const auto* launch = std::get_if<KernelLaunch>(&step.action);
  if (launch == nullptr) return;
  const auto source = read_kernel_source(launch->source);
  ASSERT_TRUE(source) << at << ": " << sentence(source.error());
  EXPECT_NE(source->find(launch->entry + "("), std::string::npos) << at << " " << launch->entry;
  const Dim3 &grid = launch->launch.grid, &block = launch->launch.block;
  EXPECT_TRUE(grid.x >= 1 && grid.x <= 2147483647 && grid.y >= 1 && grid.y <= 65535 &&
              grid.z >= 1 && grid.z <= 65535)
      << at;
  const std::int64_t threads = block.x * block.y * block.z;
  EXPECT_TRUE(threads >= 1 && threads <= 1024) << at << ": " << threads;
  for (const Argument& argument : launch->arguments) {
    if (const auto* buffer = std::get_if<BufferArgument>(&argument)) known(buffer->buffer);
    if (const auto* map = std::get_if<TensorMapArgument>(&argument)) known(map->buffer);
  }
}

std::vector<BufferSpec> scratch_of(const Reference& reference, const Workload& w) {
  return reference.scratch ? reference.scratch(w) : std::vector<BufferSpec>{};
}

// At every choice: inputs are as declared, kernels exist, grids are legal, buffers are declared,
// the work model gives finite numbers, and the host reference sets every element it is asked for.
TEST_P(SceneAtEveryChoice, MakesItsInputsStepsTermsAndReferencesAtEveryChoice) {
  std::set<std::string> reached;
  for (const Configuration& axes : GetParam().configurations()) {
    const std::string key = all_axes(scene(), axes);
    Inputs inputs;
    Workload w{axes, {}};
    const auto made = make_inputs(scene(), w, inputs);
    ASSERT_TRUE(made) << key << ": " << sentence(made.error());
    ASSERT_FALSE(scene().nothing_to_do && scene().nothing_to_do(w)) << key;
    std::set<std::string> declared, references;
    std::int64_t bytes = 0;
    for (const BufferSpec& buffer : scene().buffers(w)) {
      EXPECT_TRUE(declared.insert(buffer.name).second) << key << " " << buffer.name;
      EXPECT_FALSE(buffer.symbol.empty()) << buffer.name;
      std::int64_t product = 1;
      for (const std::int64_t extent : buffer.shape) product *= extent;
      EXPECT_EQ(product, buffer.count) << key << " " << buffer.name;
      bytes += buffer.count * element_bytes(buffer.type);
      if (buffer.role == BufferRole::input) {
        ASSERT_EQ(inputs.count(buffer.name), 1u) << key << " " << buffer.name;
        EXPECT_EQ(inputs.at(buffer.name).count(), buffer.count) << key << " " << buffer.name;
        EXPECT_EQ(inputs.at(buffer.name).type(), buffer.type) << key << " " << buffer.name;
        continue;
      }
      bytes += 3 * 8 * buffer.count;
      EXPECT_TRUE(buffer.type == ElementType::f32 || buffer.type == ElementType::f16 ||
                  buffer.type == ElementType::bf16 || buffer.type == ElementType::f64 ||
                  buffer.type == ElementType::u32)
          << "the engine compares floating-point outputs and u32";
      for (const char* part : {".reference", ".accumulation", ".magnitude"})
        references.insert(buffer.name + part);
      const std::vector<std::int64_t> elements = {0, buffer.count / 2, buffer.count - 1};
      for (const Reference& reference : scene().references) {
        if (!applies(reference, axes)) continue;
        const double poison = std::nan("");
        std::vector<ReferenceValue> values(3, {poison, poison, poison});
        reference.host(w, inputs, buffer.name, elements, values);
        for (const ReferenceValue& v : values) {
          EXPECT_TRUE(std::isfinite(v.value) && v.magnitude >= std::abs(v.value) * (1 - 1e-12) &&
                      v.accumulation >= v.magnitude * (1 - 1e-12))
              << key << " " << reference.name;
        }
      }
    }
    std::int64_t most_scratch = 0;  // references are made one after the other
    for (const Reference& reference : scene().references) {
      std::int64_t scratch = 0;
      for (const BufferSpec& buffer : scratch_of(reference, w)) {
        EXPECT_EQ(declared.count(buffer.name) + references.count(buffer.name), 0u) << buffer.name;
        scratch += buffer.count * element_bytes(buffer.type);
      }
      most_scratch = std::max(most_scratch, scratch);
    }
    bytes += most_scratch;
    EXPECT_GE(scene().estimate_bytes(axes), bytes * 0.6) << key;
    EXPECT_LE(scene().estimate_bytes(axes), bytes * 1.6) << key;
    for (const Reference& reference : scene().references) {
      if (!applies(reference, axes)) continue;
      std::set<std::string> known = declared;
      known.insert(references.begin(), references.end());
      for (const BufferSpec& buffer : scratch_of(reference, w)) known.insert(buffer.name);
      for (const Step& step : reference.steps(w)) expect_legal(step, known, key + " reference");
    }
    for (const Variant& v : scene().variants) {
      if (!applies(v, axes) || unavailable(v, w, {})) continue;
      reached.insert(v.name);
      std::set<std::string> known = declared;
      if (v.scratch) {
        for (const BufferSpec& buffer : v.scratch(w)) known.insert(buffer.name);
      }
      const std::vector<Step> steps = v.steps(w);
      EXPECT_FALSE(steps.empty()) << v.name;
      for (const Step& step : steps) expect_legal(step, known, key + " " + v.name);
      for (const WorkTerm& term : scene().work_terms) {
        const auto value = evaluate(term, w, v);
        EXPECT_TRUE(!value || (std::isfinite(*value) && *value >= 0)) << term.id << " " << v.name;
      }
    }
  }
  for (const Variant& v : scene().variants) {
    EXPECT_EQ(reached.count(v.name), 1u) << v.name << " ran at no small configuration";
  }
}

TEST_P(SceneAtEveryChoice, NamesEveryKernelFileOfItsFolder) {
  const auto home = home_folder();
  ASSERT_TRUE(home);
  std::set<std::string> used;
  for (const Configuration& axes : GetParam().configurations()) {
    Inputs inputs;
    Workload w{axes, {}};
    ASSERT_TRUE(regenerate_inputs(scene(), nullptr, axes, inputs, w.facts));
    const auto use = [&used](const std::vector<Step>& steps) {
      for (const Step& step : steps) {
        if (const auto* launch = std::get_if<KernelLaunch>(&step.action))
          used.insert(launch->source);
      }
    };
    for (const Variant& v : scene().variants) {
      if (!applies(v, axes)) continue;
      use(v.steps(w));
      // And with the last of each choice of its own.
      Workload last = w;
      for (const Axis& axis : scene().axes) {
        const auto& owners = axis.of_variants;
        if (!axis.choices.empty() && std::count(owners.begin(), owners.end(), v.name) > 0)
          last.axes.set(axis.name, axis.choices.back());
      }
      use(v.steps(last));
    }
    for (const Reference& reference : scene().references) use(reference.steps(w));
    for (const SceneRoof& roof : scene().roofs) use(roof.steps({}));
  }
  for (const auto& entry : std::filesystem::directory_iterator(*home / "kernels" / scene().name)) {
    if (entry.path().extension() != ".cu") continue;
    const std::string source = scene().name + "/" + entry.path().filename().string();
    EXPECT_EQ(used.count(source), 1u) << source << " belongs to no variant and no roof";
  }
}

// Jobs carry the texts of a scene's folder: an engine has no others.
TEST_P(SceneAtEveryChoice, LaunchesKernelsOfItsOwnFolderAlone) {
  const auto carried = sources_of_scene(scene().name);
  ASSERT_TRUE(carried) << sentence(carried.error());
  const SourceLookup find = sources_among(*carried);
  std::set<std::string> compared;
  const auto expect_carried = [&](const std::vector<Step>& steps, const std::string& name) {
    for (const Step& step : steps) {
      const auto* launch = std::get_if<KernelLaunch>(&step.action);
      if (launch == nullptr || !compared.insert(launch->source).second) continue;
      const auto sources = find(launch->source), files = sources_on_disk()(launch->source);
      ASSERT_TRUE(sources) << name << ": " << sentence(sources.error());
      ASSERT_TRUE(files) << name;
      EXPECT_EQ(*sources, *files) << name;
    }
  };
  std::set<std::string> with_kernels;
  for (const Configuration& axes : GetParam().configurations()) {
    Inputs inputs;
    Workload w{axes, {}};
    ASSERT_TRUE(regenerate_inputs(scene(), nullptr, axes, inputs, w.facts));
    for (const Variant& v : scene().variants) {
      if (!applies(v, axes)) continue;
      expect_carried(v.steps(w), v.name);
      if (runs_kernels(v, w)) with_kernels.insert(v.name);
    }
    for (const Reference& reference : scene().references)
      expect_carried(reference.steps(w), reference.name);
    for (const InputGroup& group : scene().input_groups) {
      if (group.device_steps) expect_carried(group.device_steps(w), group.name);
    }
  }
  for (const SceneRoof& roof : scene().roofs) expect_carried(roof.steps({}), roof.name);
  // What is traced live, and shown as source, is what the steps say. A row that chooses may call
  // the library at every small size.
  for (const Variant& v : scene().variants) {
    if (v.choice && v.own_kernels && with_kernels.count(v.name) == 0) continue;
    EXPECT_EQ(v.own_kernels, with_kernels.count(v.name) != 0) << v.name;
  }
}

TEST(Scenes, PutsAnotherVariantInThePlaceOfOneThatDoesNotApply) {
  const Scene& scene = **built_in_catalogue().find("patterns");
  Configuration axes = with_defaults(scene.axes, {});
  EXPECT_EQ(variant_at(scene, axes, "copy_in_flight")->name, "copy_in_flight");
  EXPECT_EQ(variant_at(scene, axes, "gather")->name, "copy");
  axes.set("op", std::string("transpose"));
  EXPECT_EQ(variant_at(scene, axes, "copy")->name, "transpose_naive");
  EXPECT_EQ(where_applies(scene, *find_variant(scene, "gather"), axes)->text("op"), "gather");
}

}  // namespace
}  // namespace warpscope
