// tests/scenes/patterns_test.cpp: references, inputs and work model of the teaching scene hold.
#include "scenes/patterns/patterns.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "scenes/patterns/shapes.h"

namespace warpscope {
namespace {

using Changes = std::map<std::string, std::string>;

const Scene& scene() {
  static const Scene made = patterns_scene();
  return made;
}

Configuration configured(const Changes& changes) {
  return *with_values(scene().axes, with_defaults(scene().axes, {}), changes);
}

struct Made {
  Workload w;
  Inputs inputs;
  std::span<const float> x() const { return inputs.at("x").as<float>(); }
  std::span<const std::int32_t> ints(const char* name) const {
    return inputs.at(name).as<std::int32_t>();
  }
};

Made make(const Changes& changes) {
  Made made{{configured(changes), {}}, {}};
  const auto groups = regenerate_inputs(scene(), nullptr, made.w.axes, made.inputs, made.w.facts);
  EXPECT_TRUE(groups) << sentence(groups.error());
  return made;
}

std::optional<double> term(const std::string& id, const Workload& w, const char* variant) {
  for (const WorkTerm& row : scene().work_terms) {
    if (row.id == id) return evaluate(row, w, *find_variant(scene(), variant));
  }
  ADD_FAILURE() << "no term " << id;
  return std::nullopt;
}

std::optional<double> term(const std::string& id, const Changes& changes, const char* variant) {
  return term(id, Workload{configured(changes), {}}, variant);
}

// Terms of each element of y as indices of x, written the other way round than the reference: by
// walking x.
std::vector<std::vector<std::size_t>> terms_of(const Made& made) {
  const Workload& w = made.w;
  const std::size_t size = made.x().size();
  std::vector<std::vector<std::size_t>> y(
      static_cast<std::size_t>(patterns::output_elements(w.axes)));
  const std::string op = w.text("op");
  if (op == "copy") {
    const std::size_t part = std::stoul(w.text("width")) / 4;
    std::size_t to = 0;
    for (std::size_t from = static_cast<std::size_t>(w.integer("offset")); from + part <= size;
         from += part * static_cast<std::size_t>(w.integer("stride"))) {
      for (std::size_t e = 0; e < part; ++e) y.at(to++) = {from + e};
    }
    EXPECT_EQ(to, y.size());
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (op == "structures" && i / 8 < y.size() &&
        i % 8 < static_cast<std::size_t>(w.integer("fields")))
      y[i / 8].push_back(i);
    if (op == "transpose") {
      const auto rows = static_cast<std::size_t>(w.integer("rows"));
      const auto columns = static_cast<std::size_t>(w.integer("columns"));
      y[i % columns * rows + i / columns] = {i};
    }
    if (op == "reduction") y[i / 256].push_back(i);
    if (op == "gather") y[i] = {static_cast<std::size_t>(made.ints("index")[i])};
    if (op == "atomics") y[static_cast<std::size_t>(made.ints("key")[i])].push_back(i);
  }
  return y;
}

TEST(PatternsReference, EqualsTheNaiveResultOfEveryOperation) {
  for (const Changes& changes :
       {Changes{{"n", "300"}}, Changes{{"n", "300"}, {"stride", "7"}, {"offset", "5"}},
        Changes{{"n", "301"}, {"stride", "3"}, {"offset", "8"}, {"width", "16"}},
        Changes{{"n", "64"}, {"width", "8"}}, Changes{{"op", "structures"}, {"n", "100"}},
        Changes{{"op", "structures"}, {"n", "96"}, {"fields", "8"}},
        Changes{{"op", "transpose"}, {"rows", "37"}, {"columns", "21"}},
        Changes{{"op", "reduction"}, {"n", "600"}}, Changes{{"op", "reduction"}, {"n", "1"}},
        Changes{{"op", "gather"}, {"n", "333"}, {"locality", "0.5"}},
        Changes{{"op", "atomics"}, {"n", "500"}, {"bins", "17"}, {"contention", "3"}}}) {
    const Made made = make(changes);
    const auto terms = terms_of(made);
    ASSERT_FALSE(terms.empty());
    std::vector<std::int64_t> elements;
    for (std::size_t i = 0; i < terms.size(); ++i) elements.push_back(static_cast<std::int64_t>(i));
    std::vector<ReferenceValue> values(terms.size(), {-1e9, -1e9, -1e9});  // poison
    find_reference(scene(), "exact")->host(made.w, made.inputs, "y", elements, values);
    for (std::size_t i = 0; i < terms.size(); ++i) {
      double sum = 0, magnitude = 0;
      for (const std::size_t from : terms[i]) {
        sum += static_cast<double>(made.x()[from]);
        magnitude += std::abs(static_cast<double>(made.x()[from]));
      }
      const std::string at = problem_key(scene().axes, made.w.axes);
      ASSERT_DOUBLE_EQ(values[i].value, sum) << at << " element " << i;
      ASSERT_DOUBLE_EQ(values[i].magnitude, magnitude) << at << " element " << i;
      ASSERT_DOUBLE_EQ(values[i].accumulation,
                       magnitude * std::sqrt(static_cast<double>(terms[i].size())))
          << at << " element " << i;
    }
  }
}

TEST(PatternsWork, CountsCopiesAsByHand) {
  const double n = 1 << 24;
  EXPECT_DOUBLE_EQ(*term("model.dram_bytes", Changes{}, "copy"), 8 * n);
  EXPECT_DOUBLE_EQ(*term("model.useful_bytes", Changes{}, "copy"), 8 * n);
  // What is read: 64 bytes a fetch. An H200 counted 67.12 MB at strides of 1, 8 and 16, 33.55
  // at 32.
  EXPECT_DOUBLE_EQ(*term("model.dram_read_bytes", Changes{}, "copy"), 4 * n);
  EXPECT_DOUBLE_EQ(*term("model.dram_read_bytes", Changes{{"stride", "8"}}, "copy"), 4 * n);
  EXPECT_DOUBLE_EQ(*term("model.dram_read_bytes", Changes{{"stride", "16"}}, "copy"), 4 * n);
  EXPECT_DOUBLE_EQ(*term("model.dram_read_bytes", Changes{{"stride", "32"}}, "copy"), 2 * n);
  EXPECT_FALSE(term("model.flops", Changes{}, "copy"));
  // Stride 8: an eighth of the elements, each in a sector of its own.
  const Changes eight = {{"stride", "8"}};
  EXPECT_DOUBLE_EQ(*term("model.dram_bytes", eight, "copy"), n / 8 * (32 + 4));
  EXPECT_DOUBLE_EQ(*term("model.useful_bytes", eight, "copy"), n / 8 * (4 + 4));
  EXPECT_DOUBLE_EQ(*term("model.dram_bytes", Changes{{"offset", "1"}}, "copy"), 8 * n);
}

// The closed forms against a walk over all lanes with a set of sectors for every warp.
TEST(PatternsWork, EqualsAWalkOverAllLanesOfACopy) {
  for (const std::int64_t width : {4, 8, 16}) {
    for (const std::int64_t stride : {1, 2, 3, 5, 8, 9}) {
      for (const std::int64_t offset : {0, 4, 12}) {
        const Workload w{configured({{"n", "1000"},
                                     {"width", std::to_string(width)},
                                     {"stride", std::to_string(stride)},
                                     {"offset", std::to_string(offset)}}),
                         {}};
        std::set<std::int64_t> all_read, all_written;
        const std::int64_t count = patterns::copied_vectors(w.axes);
        for (std::int64_t i = 0; i < count; ++i) {
          const std::int64_t from = (offset * 4 + i * stride * width) / 32, to = i * width / 32;
          all_read.insert(from);
          all_written.insert(to);
        }
        EXPECT_DOUBLE_EQ(*term("model.dram_bytes", w, "copy"),
                         32.0 * static_cast<double>(all_read.size() + all_written.size()));
      }
    }
  }
}

TEST(PatternsWork, CountsLayoutsOfStructuresAsByHand) {
  const double count = 1 << 21;  // of 8 fields in 2^24 elements
  const Changes three = {{"op", "structures"}, {"fields", "3"}};
  EXPECT_DOUBLE_EQ(*term("model.flops", three, "structures_fields"), 2 * count);
  EXPECT_DOUBLE_EQ(*term("model.dram_bytes", three, "structures_arrays"), (3 * 4 + 4) * count);
}

TEST(PatternsWork, CountsTransposesAsByHand) {
  const double n = 1 << 24;
  const Changes square = {{"op", "transpose"}};
  EXPECT_DOUBLE_EQ(*term("model.dram_bytes", square, "transpose_naive"), 8 * n);
}

TEST(PatternsWork, CountsReductionsAsByHand) {
  const double n = 1 << 24, pieces = 1 << 16;
  const Changes sums = {{"op", "reduction"}};
  EXPECT_DOUBLE_EQ(*term("model.flops", sums, "reduction_shuffle"), n - pieces);
  EXPECT_DOUBLE_EQ(*term("model.dram_bytes", sums, "reduction_warp"), 4 * n + 4 * pieces);
}

TEST(PatternsWork, CountsGathersByTheirIndices) {
  const Made local = make({{"op", "gather"}, {"n", "256"}, {"locality", "1"}});
  EXPECT_DOUBLE_EQ(local.w.fact("gather_sectors"), 8 * 4);
  EXPECT_DOUBLE_EQ(local.w.fact("quad_sectors"), 2 * 4 * 16);
  EXPECT_DOUBLE_EQ(local.w.fact("distinct_sectors"), 32);
  EXPECT_DOUBLE_EQ(*term("model.dram_bytes", local.w, "gather"), 3 * 4 * 256);

  const Made mixed = make({{"op", "gather"}, {"n", "1000"}, {"locality", "0.5"}});
  const auto index = mixed.ints("index");
  double by_one = 0, by_four = 0;
  std::set<std::int32_t> all;
  for (std::size_t first = 0; first < index.size(); first += 128) {
    for (std::size_t part = 0; part < 4; ++part) {
      std::set<std::int32_t> one, four;
      for (std::size_t lane = 0; lane < 32; ++lane) {
        const std::size_t a = first + part * 32 + lane, b = first + lane * 4 + part;
        if (a < index.size()) one.insert(index[a] / 8);
        if (b < index.size()) four.insert(index[b] / 8);
      }
      by_one += static_cast<double>(one.size());
      by_four += static_cast<double>(four.size());
      all.insert(one.begin(), one.end());
    }
  }
  EXPECT_EQ(mixed.w.fact("gather_sectors"), by_one);
  EXPECT_EQ(mixed.w.fact("quad_sectors"), by_four);
  EXPECT_EQ(mixed.w.fact("distinct_sectors"), static_cast<double>(all.size()));
}

TEST(PatternsWork, CountsAtomicsByTheirBins) {
  const Made made = make({{"op", "atomics"}, {"n", "1000"}, {"bins", "50"}, {"contention", "8"}});
  const auto key = made.ints("key"), counts = made.ints("bin_counts");
  double warp_bins = 0;
  std::vector<std::int32_t> count(50, 0);
  for (std::size_t first = 0; first < key.size(); first += 32) {
    std::set<std::int32_t> bins;
    for (std::size_t i = first; i < std::min<std::size_t>(first + 32, key.size()); ++i) {
      bins.insert(key[i]);
      ++count.at(static_cast<std::size_t>(key[i]));
    }
    EXPECT_LE(bins.size(), 4u);  // 32 lanes in groups of 8
    warp_bins += static_cast<double>(bins.size());
  }
  EXPECT_TRUE(std::equal(counts.begin(), counts.end(), count.begin(), count.end()));
  EXPECT_EQ(made.w.fact("warp_bins"), warp_bins);
  EXPECT_EQ(made.w.fact("busiest_bin"), *std::max_element(count.begin(), count.end()));
}

TEST(PatternsInputs, AreSeededAndStayWhereOtherAxesMove) {
  const Changes gather = {{"op", "gather"}, {"n", "5000"}, {"locality", "0.5"}};
  const auto bytes = [](const Made& made, const char* name) {
    const auto b = made.inputs.at(name).bytes();
    return std::vector<std::byte>(b.begin(), b.end());
  };
  Changes other_seed = gather, other_locality = gather;
  other_seed["seed"] = "43";
  other_locality["locality"] = "0.25";
  const Made made = make(gather);
  EXPECT_EQ(bytes(made, "x"), bytes(make(gather), "x"));
  EXPECT_EQ(bytes(made, "index"), bytes(make(gather), "index"));
  EXPECT_NE(bytes(made, "x"), bytes(make(other_seed), "x"));
  EXPECT_NE(bytes(made, "index"), bytes(make(other_seed), "index"));
  EXPECT_EQ(bytes(made, "x"), bytes(make(other_locality), "x"));
  for (const float value : made.x()) ASSERT_TRUE(value >= -1 && value < 1);
  const Changes atomics = {{"op", "atomics"}, {"n", "5000"}};
  EXPECT_EQ(bytes(make(atomics), "key"), bytes(make(atomics), "key"));
}

TEST(PatternsInputs, KeepTheShareOfNeighboursThatLocalityAsksFor) {
  const Made made = make({{"op", "gather"}, {"n", "40000"}, {"locality", "0.75"}});
  std::size_t stayed = 0;
  for (std::size_t i = 0; i < made.ints("index").size(); ++i)
    stayed += static_cast<std::size_t>(made.ints("index")[i]) == i;
  const double sigma = std::sqrt(0.75 * 0.25 / 40000);
  EXPECT_NEAR(static_cast<double>(stayed) / 40000, 0.75, 5 * sigma);
}

TEST(PatternsInputs, AreMadeAgainOnlyWhereTheyMust) {
  struct Case {
    const char *axis, *value;
    std::vector<std::string> groups;
  };
  for (const Case& c : {Case{"stride", "4", {}}, Case{"width", "16", {}}, Case{"fields", "2", {}},
                        Case{"locality", "0.1", {"index"}}, Case{"contention", "2", {"keys"}},
                        Case{"op", "gather", {"values", "index", "keys"}}}) {
    Made made = make({{"n", "1000"}});
    const Configuration next = *with_values(scene().axes, made.w.axes, {{c.axis, c.value}});
    const auto groups = regenerate_inputs(scene(), &made.w.axes, next, made.inputs, made.w.facts);
    ASSERT_TRUE(groups);
    EXPECT_EQ(*groups, c.groups) << c.axis;
  }
}

TEST(PatternsVariants, ConstraintsGiveTheirNumbers) {
  struct Case {
    const char* variant;
    Changes bad, good;
    const char* says;
  };
  for (const Case& c :
       {Case{"copy",
             {{"width", "16"}, {"offset", "1"}},
             {{"width", "16"}, {"offset", "8"}},
             "byte 4"},
        Case{"copy_driver", {{"stride", "2"}}, {}, "x has 16777216 elements and y 8388608"},
        Case{"reduction_warp",
             {{"op", "reduction"}, {"n", "601"}},
             {{"op", "reduction"}},
             "n = 601"},
        Case{"gather_in_flight", {{"op", "gather"}, {"n", "6"}}, {{"op", "gather"}}, "n = 6"},
        Case{"atomics_shared",
             {{"op", "atomics"}, {"bins", "65536"}},
             {{"op", "atomics"}},
             "262144 bytes"}}) {
    const Variant& v = *find_variant(scene(), c.variant);
    const auto reason = unavailable(v, {configured(c.bad), {}}, {});
    ASSERT_TRUE(reason) << c.variant;
    EXPECT_NE(reason->find(c.says), std::string::npos) << *reason;
    EXPECT_FALSE(unavailable(v, {configured(c.good), {}}, {})) << c.variant;
  }
}

TEST(PatternsScene, SaysWhenThereIsNothingToDo) {
  for (const Changes& changes :
       {Changes{{"n", "0"}}, Changes{{"n", "7"}, {"offset", "8"}},
        Changes{{"n", "3"}, {"width", "16"}}, Changes{{"op", "structures"}, {"n", "7"}},
        Changes{{"op", "transpose"}, {"rows", "0"}}}) {
    const auto text = scene().nothing_to_do({configured(changes), {}});
    ASSERT_TRUE(text) << problem_key(scene().axes, configured(changes));
    EXPECT_TRUE(text->starts_with("empty: ")) << *text;
  }
  EXPECT_FALSE(scene().nothing_to_do({configured({{"n", "1"}}), {}}));
}

TEST(PatternsScene, RefusesMatricesThatAreTooLarge) {
  const auto refused =
      scene().admit(configured({{"op", "transpose"}, {"rows", "65536"}, {"columns", "65536"}}));
  ASSERT_FALSE(refused);
  EXPECT_NE(sentence(refused.error()).find("4294967296 elements"), std::string::npos);
  EXPECT_TRUE(scene().admit(configured({{"rows", "65536"}, {"columns", "65536"}})));  // a copy
}

}  // namespace
}  // namespace warpscope
