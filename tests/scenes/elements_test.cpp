// tests/scenes/elements_test.cpp: inputs made by page are those made whole, and cost what is read.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <set>
#include <thread>

#include "scenes/base/element_inputs.h"
#include "scenes/host/random.h"
#include "tests/scenes/small_configurations.h"
#include "tests/scenes/tested_scenes.h"

namespace warpscope {
namespace {

const InputGroup* group_that_makes(const Scene& scene, const std::string& array) {
  for (const InputGroup& group : scene.input_groups) {
    if (std::find(group.arrays.begin(), group.arrays.end(), array) != group.arrays.end())
      return &group;
  }
  return nullptr;
}

bool has_elements(const InputGroup& group, const Workload& w, const std::string& array) {
  return group.elements && (!group.by_index || group.by_index(w, array));
}

bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

class SceneElements : public testing::TestWithParam<TriedScene> {
 protected:
  const Scene& scene() const { return *GetParam().scene; }
  Configuration configured(const std::map<std::string, std::string>& changes) const {
    const auto axes = with_values(scene().axes, default_configuration(scene().axes), changes);
    if (!axes) throw std::runtime_error(sentence(axes.error()));
    return *axes;
  }
};
INSTANTIATE_TEST_SUITE_P(EveryScene, SceneElements,
                         testing::ValuesIn(tried_scenes(each_tested_scene())), by_name_of_tried);
INSTANTIATE_TEST_SUITE_P(SlowPairs, SceneElements,
                         testing::ValuesIn(scenes_in_pairs(each_tested_scene())), by_name_of_tried);

TEST_P(SceneElements, MakeEveryInputOrItIsSaidWhyNot) {
  std::set<std::string> by_index, all;
  for (const Configuration& axes : GetParam().configurations()) {
    Inputs inputs;
    Workload w{axes, {}};
    ASSERT_TRUE(regenerate_inputs(scene(), nullptr, axes, inputs, w.facts));
    for (const BufferSpec& spec : scene().buffers(w)) {
      if (spec.role != BufferRole::input) continue;
      const InputGroup* group = group_that_makes(scene(), spec.name);
      ASSERT_NE(group, nullptr) << spec.name;
      all.insert(spec.name);
      if (has_elements(*group, w, spec.name)) by_index.insert(spec.name);
      if (!has_elements(*group, w, spec.name)) {
        EXPECT_FALSE(group->whole_because.empty())
            << spec.name << " at " << problem_key(scene().axes, axes);
      }
    }
  }
  for (const std::string& array : all) {
    EXPECT_TRUE(by_index.count(array) != 0 ||
                !group_that_makes(scene(), array)->whole_because.empty())
        << array;
  }
}

// At every choice: pieces that begin and end anywhere, and page after page.
TEST_P(SceneElements, AreWhatGenerateMakesWhereverAPieceBegins) {
  std::uint32_t stream = 0;
  for (const Configuration& axes : GetParam().configurations()) {
    Inputs inputs;
    Workload w{axes, {}};
    ASSERT_TRUE(regenerate_inputs(scene(), nullptr, axes, inputs, w.facts));
    make_element_inputs(scene(), w, inputs);
    for (const BufferSpec& spec : scene().buffers(w)) {
      const InputGroup* group = group_that_makes(scene(), spec.name);
      if (spec.role != BufferRole::input || !has_elements(*group, w, spec.name)) continue;
      const std::string at = spec.name + " at " + problem_key(scene().axes, axes);
      const HostArray& whole = inputs.at(spec.name);
      ASSERT_EQ(whole.type(), spec.type) << at;
      ASSERT_EQ(whole.count(), spec.count) << at;
      const RandomStream random(7, stream++);
      const auto size = static_cast<std::size_t>(element_bytes(spec.type));
      for (std::uint64_t draw = 0; draw < 4 && spec.count > 0; ++draw) {
        const auto count = static_cast<std::uint64_t>(spec.count);
        const std::uint64_t first = random.below(2 * draw, count);
        const std::uint64_t length = 1 + random.below(2 * draw + 1, count - first);
        std::vector<std::byte> bytes(length * size, std::byte{0xA5});
        group->elements(w, spec.name, static_cast<std::int64_t>(first), bytes);
        ASSERT_TRUE(same_bytes(bytes, whole.bytes().subspan(first * size, bytes.size())))
            << at << ", " << length << " elements from " << first << " on";
      }
    }
  }
}

// What is made whole lies in memory that nobody set before.
TEST_P(SceneElements, WholeAreTheSameInMemoryOfAnyContents) {
  constexpr int kNeverMapped = 1 << 30, kUsual = 128 << 10;
  for (const Configuration& axes : GetParam().configurations()) {
    Inputs made[2];
    for (const int at : {0, 1}) {
      mallopt(M_MMAP_THRESHOLD, kNeverMapped);  // pages of the system are zeros
      mallopt(M_PERTURB, at == 0 ? 0xA5 : 0x5A);
      Workload w{axes, {}};
      const auto done = regenerate_inputs(scene(), nullptr, axes, made[at], w.facts);
      if (done) make_element_inputs(scene(), w, made[at]);
      mallopt(M_PERTURB, 0);
      mallopt(M_MMAP_THRESHOLD, kUsual);
      ASSERT_TRUE(done) << sentence(done.error());
    }
    for (const auto& [name, array] : made[0]) {
      ASSERT_TRUE(same_bytes(array.bytes(), made[1].at(name).bytes()))
          << name << " at " << problem_key(scene().axes, axes);
    }
  }
}

TEST_P(SceneElements, ByPageAreTheSameInputsAndFacts) {
  for (const Configuration& axes : GetParam().configurations()) {
    const std::string key = problem_key(scene().axes, axes);
    Inputs whole, paged;
    Workload w{axes, {}}, by_page;
    ASSERT_TRUE(regenerate_inputs(scene(), nullptr, axes, whole, w.facts));
    make_element_inputs(scene(), w, whole);
    ASSERT_TRUE(regenerate_inputs_by_page(scene(), axes, {}, by_page, paged));
    EXPECT_EQ(by_page.axes, axes);
    for (const BufferSpec& spec : scene().buffers(w)) {
      if (spec.role != BufferRole::input) continue;
      ASSERT_EQ(paged.count(spec.name), 1u) << spec.name << " at " << key;
      EXPECT_EQ(paged.at(spec.name).type(), whole.at(spec.name).type());
      EXPECT_TRUE(same_bytes(std::as_const(paged.at(spec.name)).bytes(),
                             std::as_const(whole.at(spec.name)).bytes()))
          << spec.name << " at " << key;
    }
    EXPECT_EQ(by_page.all_facts(), w.facts) << key;
  }
}

// One axis moves after the other, as a slider does: what was not made again is still right.
TEST_P(SceneElements, ByPageFollowMovedAxes) {
  const std::vector<Configuration> all = GetParam().configurations();
  Inputs paged;
  Workload w;
  std::optional<Configuration> before;
  const RandomStream random(11, 0);
  for (std::uint64_t step = 0; step < 40; ++step) {
    const Configuration& axes = all[random.below(step, all.size())];
    ASSERT_TRUE(regenerate_inputs_by_page(scene(), axes, before, w, paged));
    before = axes;
    Inputs whole;
    Workload anew{axes, {}};
    ASSERT_TRUE(regenerate_inputs(scene(), nullptr, axes, whole, anew.facts));
    make_element_inputs(scene(), anew, whole);
    for (const BufferSpec& spec : scene().buffers(w)) {
      if (spec.role != BufferRole::input) continue;
      ASSERT_TRUE(same_bytes(std::as_const(paged.at(spec.name)).bytes(),
                             std::as_const(whole.at(spec.name)).bytes()))
          << spec.name << " at " << problem_key(scene().axes, axes);
    }
    if (step % 8 == 0) {
      EXPECT_EQ(w.all_facts(), anew.facts);
    }
  }
}

// What plans its work by the columns of A, or a library by its nonzeros, which are counted for it.
// The automatic row may run one of them.
bool asks_for_columns(const std::string& variant) {
  return variant == "t_k_tiles" || variant == "auto" || variant.rfind("bitmap", 0) == 0 ||
         variant.rfind("cusparse_", 0) == 0;
}

// Sizes, steps, constraints and references never wait for sums over inputs that nobody reads.
TEST_P(SceneElements, NothingThatRunsAsksForALateFact) {
  for (const Configuration& axes : GetParam().configurations()) {
    Inputs inputs;
    Workload w;
    ASSERT_TRUE(regenerate_inputs_by_page(scene(), axes, {}, w, inputs));
    const Facts late = w.all_facts();
    bool asked = false;
    const auto watched = [&] {
      const auto make = [&](const Facts&) {
        asked = true;
        return std::optional(late);
      };
      return std::make_shared<const LateFacts>(
          Facts{}, LateFacts::Groups{std::make_shared<const LateFacts::Group>("all", make)});
    };
    w.late = watched();
    EXPECT_FALSE(scene().buffers(w).empty());
    if (scene().nothing_to_do) scene().nothing_to_do(w);
    for (const Variant& variant : scene().variants) {
      if (!applies(variant, axes)) continue;
      unavailable(variant, w, {});
      variant.steps(w);
      if (variant.scratch) variant.scratch(w);
      if (variant.choice) variant.choice(w);
      if (variant.expected_fault) variant.expected_fault(w);
      EXPECT_TRUE(!asked || asks_for_columns(variant.name))
          << variant.name << " at " << problem_key(scene().axes, axes);
      if (asked) w.late = watched();
      asked = false;
    }
    for (const Reference& reference : scene().references) reference.steps(w);
    EXPECT_FALSE(asked);
  }
}

TEST(LateFacts, MakeNoGroupAfterTheOneThatHasTheFact) {
  std::string made;
  const auto group = [&made](std::string name, std::optional<Facts> facts) {
    return std::make_shared<const LateFacts::Group>(
        name, [&made, name, facts](const Facts& before) {
          made += name + std::to_string(before.size()) + " ";
          return facts;
        });
  };
  const LateFacts late({{"known", 1}}, {group("a", Facts{{"x", 2}}), group("b", Facts{{"y", 3}}),
                                        group("c", std::nullopt), group("d", Facts{{"z", 4}})});
  EXPECT_EQ(late.find("y"), 3);
  EXPECT_EQ(made, "a1 b2 ");
  EXPECT_EQ(late.find("x"), 2);
  EXPECT_EQ(late.find("z"), std::nullopt) << "a group before it cannot be made";
  EXPECT_EQ(late.all(), (Facts{{"x", 2}, {"y", 3}}));
  EXPECT_EQ(made, "a1 b2 c3 ");
}

// Dragging n does not sum over the structure of A again.
TEST(LateFacts, OfAGroupThatDidNotMoveAreKept) {
  const Scene& scene = **built_in_catalogue().find("csrmm");
  const auto at = [&scene](const char* axis, const char* value) {
    return *with_values(scene.axes, default_configuration(scene.axes),
                        {{"m", "3000"}, {axis, value}});
  };
  Inputs inputs;
  Workload w;
  const Configuration small = at("n", "8"), large = at("n", "16"), other = at("seed", "3");
  ASSERT_TRUE(regenerate_inputs_by_page(scene, small, {}, w, inputs));
  const double distinct = w.fact("distinct_columns");
  const std::shared_ptr<const LateFacts::Group> structure = w.late->groups().at(0);
  ASSERT_TRUE(regenerate_inputs_by_page(scene, large, small, w, inputs));
  EXPECT_EQ(w.late->groups().at(0), structure);
  EXPECT_EQ(w.fact("distinct_columns"), distinct);
  ASSERT_TRUE(regenerate_inputs_by_page(scene, other, large, w, inputs));
  EXPECT_NE(w.late->groups().at(0), structure);
  Inputs fresh_inputs;
  Workload fresh;
  ASSERT_TRUE(regenerate_inputs_by_page(scene, other, {}, fresh, fresh_inputs));
  EXPECT_EQ(w.all_facts(), fresh.all_facts());
}

// The host's reference of a few elements of a large workload reads the pages they need.
TEST(Elements, AReferenceOfChosenElementsReadsFewPages) {
  const struct {
    const char* scene;
    std::map<std::string, std::string> changes;
    std::map<std::string, std::int64_t> most_pages;  // of arrays made by page
  } cases[] = {
      // 8 outputs: with one entry each; with 40 entries per row; with 32 rows of a block and its
      // frame.
      {"patterns", {{"n", "33554432"}}, {{"x", 8}}},
      {"patterns", {{"op", "gather"}, {"n", "33554432"}}, {{"x", 8}, {"index", 8}}},
      {"csrmm", {{"m", "20000"}, {"p", "0.002"}, {"n", "1024"}}, {{"b", 8 * 40}, {"weights", 16}}},
      {"led",
       {{"leds", "3000"}, {"height", "1080"}, {"width", "1920"}, {"block", "32"}},
       {{"values", 16}, {"frames", 8 * 32 * 2}}},
  };
  for (const auto& c : cases) {
    const Scene& scene = **built_in_catalogue().find(c.scene);
    const auto axes = with_values(scene.axes, default_configuration(scene.axes), c.changes);
    ASSERT_TRUE(axes) << sentence(axes.error());
    Inputs paged;
    Workload w;
    ASSERT_TRUE(regenerate_inputs_by_page(scene, *axes, {}, w, paged));
    for (const BufferSpec& spec : scene.buffers(w)) {
      if (spec.role != BufferRole::output) continue;
      std::vector<std::int64_t> elements;
      for (std::int64_t i = 0; i < 8; ++i) elements.push_back(spec.count / 8 * i + i);
      std::vector<ReferenceValue> values(elements.size());
      scene.references[0].host(w, paged, spec.name, elements, values);
      EXPECT_TRUE(std::any_of(values.begin(), values.end(),
                              [](const ReferenceValue& v) { return v.magnitude > 0; }));
    }
    for (const auto& [array, most] : c.most_pages) {
      const PagedBytes* pages = paged.at(array).pages();
      ASSERT_NE(pages, nullptr) << array;
      EXPECT_GT(pages->made_bytes(), 0) << array;
      EXPECT_LE(pages->made_bytes(), most * PagedBytes::page_bytes) << c.scene << " " << array;
      EXPECT_LT(pages->made_bytes(), pages->size()) << c.scene << " " << array;
    }
  }
}

TEST(PagedBytes, MakesAPageOnceForAllThreadsThatAskForIt) {
  constexpr std::int64_t kPages = 64, kBytes = kPages * PagedBytes::page_bytes - 100;
  std::vector<std::atomic<int>> made(kPages);
  const PagedBytes bytes(kBytes, [&](std::int64_t first, std::span<std::byte> page) {
    made[static_cast<std::size_t>(first / PagedBytes::page_bytes)] += 1;
    for (std::size_t i = 0; i < page.size(); ++i) {
      page[i] = static_cast<std::byte>((static_cast<std::size_t>(first) + i) * 7 % 251);
    }
  });
  EXPECT_EQ(bytes.made_bytes(), 0);
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        const RandomStream random(5, t);
        for (std::uint64_t i = 0; i < 4000; ++i) {
          const auto at =
              static_cast<std::int64_t>(random.below(i, static_cast<std::uint64_t>(kBytes - 512)));
          bytes.make(at, 512);
          for (std::int64_t k = at; k < at + 512; k += 73)
            wrong += bytes.data()[k] != static_cast<std::byte>(k * 7 % 251);
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
  for (const std::atomic<int>& count : made) EXPECT_LE(count, 1);
  bytes.make_all();
  for (const std::atomic<int>& count : made) EXPECT_EQ(count, 1);
  EXPECT_TRUE(bytes.whole());
  EXPECT_EQ(bytes.made_bytes(), kBytes);
}

TEST(PagedBytes, TakesMemoryForTouchedPagesAndKeepsThemInCopies) {
  const auto ones = [](std::int64_t, std::span<std::byte> page) {
    std::fill(page.begin(), page.end(), std::byte{1});
  };
  PagedBytes bytes(std::int64_t{1} << 40, ones);  // more than any machine of ours has
  bytes.make((std::int64_t{1} << 39) - 2, 4);
  EXPECT_EQ(bytes.made_bytes(), 2 * PagedBytes::page_bytes);
  bytes.data()[std::int64_t{1} << 39] = std::byte{9};
  PagedBytes small(100000, ones);
  small.make(0, 1);
  small.data()[5] = std::byte{7};
  PagedBytes copy = small;
  EXPECT_EQ(copy.made_bytes(), PagedBytes::page_bytes);
  copy.make_all();
  EXPECT_EQ(copy.data()[5], std::byte{7});
  EXPECT_EQ(copy.data()[99999], std::byte{1});
  EXPECT_EQ(small.made_bytes(), PagedBytes::page_bytes);
  const std::byte* const at = copy.data();
  copy.refill([](std::int64_t, std::span<std::byte> page) {
    std::fill(page.begin(), page.end(), std::byte{3});
  });
  EXPECT_EQ(copy.made_bytes(), 0);
  copy.make_all();
  EXPECT_EQ(copy.data(), at);
  EXPECT_EQ(copy.data()[5], std::byte{3});
  const PagedBytes none(0, ones);
  none.make_all();
  EXPECT_TRUE(none.whole());
}

TEST(HostArray, OfPagesIsTheSameArrayToWhoAsksForAllOfIt) {
  const auto squares = [](std::int64_t first, std::span<std::byte> bytes) {
    const std::span<std::int32_t> elements = elements_in<std::int32_t>(bytes);
    for (std::size_t e = 0; e < elements.size(); ++e) {
      const auto i = static_cast<std::int32_t>(first) + static_cast<std::int32_t>(e);
      elements[e] = i * i;
    }
  };
  constexpr std::int64_t kCount = 40000;
  const HostArray whole = HostArray::whole(ElementType::i32, kCount, squares);
  const HostArray paged = HostArray::by_page(ElementType::i32, kCount, squares);
  EXPECT_EQ(paged.count(), kCount);
  EXPECT_EQ(paged.elements<std::int32_t>()[39999], 39999 * 39999);
  EXPECT_EQ(paged.pages()->made_bytes(), PagedBytes::page_bytes);
  EXPECT_TRUE(same_bytes(whole.bytes(), paged.bytes()));
}

}  // namespace
}  // namespace warpscope
