// tests/scenes/csrmm_test.cpp: the scene's reference, work model, checks and rows hold what they
// say.
#include "scenes/csrmm/csrmm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "scenes/host/paths.h"

namespace warpscope {
namespace {

using Changes = std::map<std::string, std::string>;

const Scene& scene() {
  static const Scene made = csrmm_scene();
  return made;
}

Configuration configured(const Changes& changes) {
  return *with_values(scene().axes, with_defaults(scene().axes, {}), changes);
}

// A workload of fixed rows that name all columns, by arithmetic: nothing is generated.
Workload workload(const Changes& changes) {
  Workload w{configured(changes), {}};
  const double row = std::floor(w.real("k") * w.real("p") + 1e-6);
  w.facts = {{"nnz", w.real("m") * row},
             {"mean_row", row},
             {"distinct_columns", w.real("k")},
             {"longest_row", row},
             {"shortest_row", row},
             {"longest_column", row},
             {"row_segments", w.real("m")},
             {"column_segments", w.real("k")},
             {"empty_rows", 0},
             {"empty_columns", 0},
             {"duplicates", 0}};
  return w;
}

std::optional<double> term(const std::string& id, const Workload& w, const char* variant) {
  for (const WorkTerm& row : scene().work_terms) {
    if (row.id == id) return evaluate(row, w, *find_variant(scene(), variant));
  }
  ADD_FAILURE() << "no term " << id;
  return std::nullopt;
}

TEST(CsrmmWork, GivesTheNumbersOfTheSpecification) {
  struct Case {
    const char *m, *p, *n;
    double nnz, hetero_mb, homo_mb, gather_mb, seed_mb;
  };
  for (const Case& c : {Case{"10000", "0.02", "128", 2e6, 26.28, 18.28, 1088, 2048},
                        Case{"10000", "0.01", "64", 1e6, 13.16, 9.16, 272, 512},
                        Case{"10000", "0.02", "64", 2e6, 21.16, 13.16, 544, 1024},
                        Case{"5000", "0.05", "128", 1.25e6, 15.14, 10.14, 680, 1280}}) {
    const Changes changes = {{"m", c.m}, {"p", c.p}, {"n", c.n}};
    Changes homo = changes;
    homo["weights"] = "homo";
    const Workload w = workload(changes);
    EXPECT_EQ(w.fact("nnz"), c.nnz);
    const char* baseline = "warp_row_unroll4";
    EXPECT_NEAR(*term("model.dram_bytes", w, baseline) / 1e6, c.hetero_mb, 0.005);
    EXPECT_NEAR(*term("model.dram_bytes", workload(homo), baseline) / 1e6, c.homo_mb, 0.005);
    EXPECT_DOUBLE_EQ(*term("model.seed_bytes", w, baseline) / 1e6, c.seed_mb);
  }
}

TEST(CsrmmWork, CountsTheDefaultsArithmeticAndWavefronts) {
  const Workload w = workload({});
  EXPECT_DOUBLE_EQ(*term("model.flops", w, "warp_row_unroll4"), 512e6);
  EXPECT_DOUBLE_EQ(*term("model.useful_flops", w, "warp_row_unroll4"), 51.2e6);
  EXPECT_DOUBLE_EQ(*term("model.seed_flops", w, "warp_row_unroll4"), 51.2e6);
  // 16 sectors of a row of B, an index and a weight an entry; two pointers and 16 sectors of C a
  // row.
}

TEST(CsrmmWork, ChargesTheAtomicScatterForClearingC) {
  const Workload w = workload({{"op", "T"}});
  const double read_once = 2e6 * 8 + 4 * 10001 + 10000 * 512;
  EXPECT_DOUBLE_EQ(*term("model.dram_bytes", w, "t_scatter_atomics"), read_once + 2 * 10000 * 512);
  EXPECT_DOUBLE_EQ(*term("model.dram_bytes", w, "cusparse_t"), read_once + 10000 * 512);
}

TEST(CsrmmWork, SaysNothingOfTheInsideOfLibraries) {
  EXPECT_FALSE(term("model.l2_read_bytes", workload({}), "cusparse_alg3"));
  EXPECT_TRUE(term("model.flops", workload({}), "cusparse_alg3"));
}

// A = [2 0 −1; 0 0 0; 3 4 0], its rows unsorted; B = [1 0; 2 5; 4 −3].
struct Small {
  Workload w;
  Inputs inputs;
};

Small small(const char* op, const char* weights = "hetero") {
  Small s{{configured({{"m", "3"}, {"n", "2"}, {"op", op}, {"weights", weights}}), {}}, {}};
  s.w.facts = {{"nnz", 4}};
  const auto ints = [](std::vector<std::int32_t> values) {
    return HostArray::of<std::int32_t>(values);
  };
  const auto floats = [](std::vector<float> values) { return HostArray::of<float>(values); };
  s.inputs["indptr"] = ints({0, 2, 2, 4});
  s.inputs["indices"] = ints({0, 2, 1, 0});
  s.inputs["column_counts"] = ints({2, 1, 1});
  s.inputs["weights"] = std::string(weights) == "homo" ? floats({0.75f}) : floats({2, -1, 4, 3});
  s.inputs["b"] = floats({1, 0, 2, 5, 4, -3});
  return s;
}

std::vector<ReferenceValue> product(const Small& s, const char* reference) {
  const std::vector<std::int64_t> elements = {0, 1, 2, 3, 4, 5};
  std::vector<ReferenceValue> values(6, {-1e9, -1e9, -1e9});  // poison
  find_reference(scene(), reference)->host(s.w, s.inputs, "c", elements, values);
  return values;
}

void expect_product(const Small& s, const std::vector<double>& c, const std::vector<double>& scale,
                    const std::vector<double>& terms) {
  for (const char* reference : {"ieee", "skip_zero"}) {
    const auto values = product(s, reference);
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_DOUBLE_EQ(values[i].value, c[i]) << reference << " element " << i;
      EXPECT_DOUBLE_EQ(values[i].magnitude, scale[i]) << reference << " element " << i;
      EXPECT_DOUBLE_EQ(values[i].accumulation, scale[i] * std::sqrt(terms[i])) << reference << i;
    }
  }
}

TEST(CsrmmReference, MultipliesAThreeByThreeMatrixAsByHand) {
  expect_product(small("NT"), {-2, 3, 0, 0, 11, 20}, {6, 3, 0, 0, 11, 20}, {2, 2, 0, 0, 2, 2});
  expect_product(small("T"), {14, -9, 16, -12, -1, 0}, {14, 9, 16, 12, 1, 0}, {2, 2, 1, 1, 1, 1});
}

TEST(CsrmmReference, SharesOneWeightWhenHomogeneous) {
  expect_product(small("NT", "homo"), {3.75, -2.25, 0, 0, 2.25, 3.75},
                 {3.75, 2.25, 0, 0, 2.25, 3.75}, {2, 2, 0, 0, 2, 2});
}

TEST(CsrmmReference, SkipsZerosOfBOnlyInItsOwnClass) {
  for (const char* op : {"NT", "T"}) {
    Small s = small(op);
    s.inputs["weights"].as<float>()[0] = std::numeric_limits<float>::infinity();  // A[0, 0]
    EXPECT_TRUE(std::isnan(product(s, "ieee")[1].value)) << op;  // Inf · B[0, 1], which is 0
    EXPECT_EQ(product(s, "skip_zero")[1].value, std::string(op) == "NT" ? 3 : -9) << op;
    EXPECT_TRUE(std::isinf(product(s, "skip_zero")[0].value)) << op;
  }
}

TEST(CsrmmReference, HasDeviceStepsForEveryOutputBuffer) {
  for (const char* op : {"NT", "T"}) {
    for (const Reference& reference : scene().references) {
      std::set<std::string> written;
      for (const Step& step : reference.steps(workload({{"op", op}}))) {
        const auto* launch = std::get_if<KernelLaunch>(&step.action);
        if (launch == nullptr) continue;
        EXPECT_TRUE(read_kernel_source(launch->source)) << launch->source;
        EXPECT_GT(launch->launch.grid.x * launch->launch.grid.y, 0);
        EXPECT_LE(launch->launch.grid.y, 65535);
        for (const Argument& argument : launch->arguments) {
          if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
            written.insert(buffer->buffer);
          }
        }
      }
      for (const char* buffer : {"c.reference", "c.accumulation", "c.magnitude"}) {
        EXPECT_EQ(written.count(buffer), 1u) << reference.name << " " << op << " " << buffer;
      }
    }
  }
}

TEST(CsrmmScene, SaysWhenThereIsNothingToDo) {
  struct Case {
    Changes changes;
    bool empty;
  };
  for (const Case& c : {Case{{}, false}, Case{{{"n", "0"}}, true}, Case{{{"m", "0"}}, true},
                        Case{{{"m", "0"}, {"k", "5"}, {"op", "T"}}, true},
                        Case{{{"m", "5"}, {"k", "0"}, {"op", "T"}}, true},
                        Case{{{"m", "5"}, {"k", "0"}}, false}}) {  // k = 0: C is all zeros
    const auto text = scene().nothing_to_do(workload(c.changes));
    EXPECT_EQ(text.has_value(), c.empty) << problem_key(scene().axes, configured(c.changes));
    EXPECT_TRUE(!text || text->starts_with("empty: ")) << *text;
  }
}

TEST(CsrmmScene, RefusesWhatRowPointersCannotHold) {
  const auto refused = scene().admit(configured({{"m", "200000"}, {"p", "0.3"}}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "nnz does not fit in 32-bit row pointers");
  EXPECT_FALSE(refused.error().remedy.empty());
  EXPECT_FALSE(scene().admit(configured({{"m", "1000"}, {"k", "17000000"}, {"n", "65536"}})));
  EXPECT_TRUE(scene().admit(configured({})));
  // A band or a block bounds the entries whatever p is.
  EXPECT_TRUE(scene().admit(configured({{"m", "200000"}, {"p", "0.3"}, {"rows", "banded"}})));
  EXPECT_TRUE(
      scene().admit(configured({{"m", "200000"}, {"p", "0.3"}, {"rows", "block_diagonal"}})));
}

TEST(CsrmmScene, EveryPresetIsAdmitted) {
  std::set<std::string> names;
  for (const Preset& preset : scene().presets) {
    EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
    EXPECT_FALSE(preset.sentence.empty()) << preset.name;
    const auto axes = with_values(scene().axes, with_defaults(scene().axes, {}), preset.values);
    ASSERT_TRUE(axes) << preset.name << ": " << sentence(axes.error());
    EXPECT_TRUE(scene().admit(*axes)) << preset.name;
  }
  EXPECT_GE(names.size(), 8u);
}

TEST(CsrmmScene, EstimatesAllDeviceBytesOfItsBuffers) {
  for (const char* op : {"NT", "T"}) {
    const Workload w = workload({{"op", op}, {"k", "3000"}});
    std::int64_t bytes = 0;
    for (const BufferSpec& buffer : scene().buffers(w)) {
      bytes += buffer.count * element_bytes(buffer.type);
      if (buffer.role == BufferRole::output) bytes += 3 * 8 * buffer.count;  // f64 reference
      std::int64_t product = 1;
      for (const std::int64_t extent : buffer.shape) product *= extent;
      EXPECT_EQ(product, buffer.count) << buffer.name;
    }
    EXPECT_NEAR(static_cast<double>(scene().estimate_bytes(w.axes)), static_cast<double>(bytes),
                64);
  }
}

TEST(CsrmmScene, InputGroupsNameAxesAndGroupsThatExist) {
  std::set<std::string> made;
  for (const InputGroup& group : scene().input_groups) {
    for (const std::string& axis : group.axes) EXPECT_NE(find_axis(scene().axes, axis), nullptr);
    for (const std::string& other : group.after) EXPECT_EQ(made.count(other), 1u) << group.name;
    made.insert(group.name);
  }
}

TEST(CsrmmScene, EveryWorkTermIsExplained) {
  std::set<std::string> ids;
  for (const WorkTerm& row : scene().work_terms) {
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
    EXPECT_FALSE(row.label.empty() || row.unit.empty() || row.sentence.empty()) << row.id;
  }
}

TEST(CsrmmVariants, EveryRowIsExplainedAndHeldToAReference) {
  std::set<std::string> names;
  for (const Variant& v : scene().variants) {
    EXPECT_TRUE(names.insert(v.name).second) << v.name;
    EXPECT_FALSE(v.label.empty() || v.sentence.empty() || v.look_at.empty()) << v.name;
    EXPECT_FALSE(v.family.empty() || v.accuracy.empty()) << v.name;
    EXPECT_NE(find_reference(scene(), v.reference), nullptr) << v.name;
    EXPECT_GT(v.tolerance.accumulation, 0) << v.name;
  }
  EXPECT_EQ(names.count(scene().baseline), 1u);
  EXPECT_EQ(names.count(scene().library_baseline), 1u);
  // For op T the library's baseline is the one on the same prepared columns.
  const Configuration transposed = configured({{"op", "T"}});
  EXPECT_FALSE(applies(*find_variant(scene(), scene().library_baseline), transposed));
  EXPECT_TRUE(applies(*find_variant(scene(), scene().library_baseline_elsewhere), transposed));
}

// At every workload: the kernel exists, its grid is legal, and its buffers are declared.
TEST(CsrmmVariants, EveryStepNamesAKernelALegalGridAndDeclaredBuffers) {
  for (const Changes& changes :
       {Changes{}, Changes{{"op", "T"}}, Changes{{"weights", "homo"}, {"n", "33"}},
        Changes{{"op", "T"}, {"weights", "homo"}, {"n", "1"}}, Changes{{"p", "0.2"}}}) {
    const Workload all = workload(changes);
    for (const Variant& v : scene().variants) {
      Workload w = all;
      w.axes = for_variant(scene().axes, all.axes, v.name);  // without axes of other variants
      if (v.applies && !v.applies(w.axes)) continue;
      if (unavailable(v, w, {})) continue;
      std::set<std::string> declared;
      for (const BufferSpec& buffer : scene().buffers(w)) declared.insert(buffer.name);
      if (v.scratch) {
        for (const BufferSpec& buffer : v.scratch(w)) {
          EXPECT_GT(buffer.count, 0) << v.name;
          declared.insert(buffer.name);
        }
      }
      for (const WorkTerm& term : scene().work_terms) {
        EXPECT_NO_THROW(evaluate(term, w, v)) << v.name << " " << term.id;
      }
      const auto steps = v.steps(w);
      EXPECT_FALSE(steps.empty()) << v.name;
      for (const Step& step : steps) {
        EXPECT_FALSE(step.name.empty()) << v.name;
        if (const auto* launch = std::get_if<KernelLaunch>(&step.action)) {
          const auto source = read_kernel_source(launch->source);
          ASSERT_TRUE(source) << v.name << ": " << sentence(source.error());
          EXPECT_NE(source->find(launch->entry + "("), std::string::npos) << v.name;
          const Launch& l = launch->launch;
          EXPECT_TRUE(l.grid.x >= 1 && l.grid.x <= 2147483647 && l.grid.y >= 1 &&
                      l.grid.y <= 65535 && l.grid.z >= 1 && l.grid.z <= 65535)
              << v.name;
          const std::int64_t threads = l.block.x * l.block.y * l.block.z;
          EXPECT_TRUE(threads >= 1 && threads <= 1024) << v.name << ": " << threads;
          for (const Argument& argument : launch->arguments) {
            if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
              EXPECT_EQ(declared.count(buffer->buffer), 1u) << v.name << " " << buffer->buffer;
            }
            if (const auto* map = std::get_if<TensorMapArgument>(&argument)) {
              EXPECT_EQ(declared.count(map->buffer), 1u) << v.name << " " << map->buffer;
            }
          }
        } else if (const auto* call = std::get_if<LibraryCall>(&step.action)) {
          for (const auto& [operand, buffer] : call->buffers) {
            EXPECT_EQ(declared.count(buffer), 1u) << v.name << " " << operand << "=" << buffer;
          }
        } else if (const auto* memset = std::get_if<Memset>(&step.action)) {
          EXPECT_EQ(declared.count(memset->buffer), 1u) << v.name;
        }
      }
    }
  }
}

TEST(CsrmmVariants, ConstraintsGiveTheirNumbers) {
  const Variant& quads = *find_variant(scene(), "float4_columns");
  EXPECT_FALSE(unavailable(quads, workload({{"n", "128"}}), {}));
  for (const char* n : {"1", "31", "33", "127"}) {
    const auto reason = unavailable(quads, workload({{"n", n}}), {});
    ASSERT_TRUE(reason) << n;
    EXPECT_NE(reason->find(std::string("n = ") + n), std::string::npos) << *reason;
  }
  const Variant& vectors = *find_variant(scene(), "t_vector_reductions");
  const Workload scatter = workload({{"op", "T"}});
  EXPECT_FALSE(unavailable(vectors, scatter, {}));
  DeviceLimits older;
  older.compute_capability = 86;
  ASSERT_TRUE(unavailable(vectors, scatter, older));
  EXPECT_NE(unavailable(vectors, scatter, older)->find("8.6"), std::string::npos);
  EXPECT_TRUE(unavailable(*find_variant(scene(), "t_vector_reductions_2"),
                          workload({{"op", "T"}, {"n", "33"}}), {}));
  DeviceLimits little;
  little.free_bytes = 1 << 20;
  const auto reason =
      unavailable(*find_variant(scene(), "gather_segment_add"), workload({}), little);
  ASSERT_TRUE(reason);
  EXPECT_NE(reason->find("1.02 GB"), std::string::npos) << *reason;  // 2 M · 128 · 4 bytes
}

TEST(CsrmmVariants, ProductsOf32BitsStopWhereTheyDoNotFit) {
  const auto said = [&](const char* variant, const char* n, const char* width) {
    const Workload w = workload(
        {{"m", "300"}, {"k", "6000000"}, {"p", "0.00001"}, {"n", n}, {"index_width", width}});
    return unavailable(*find_variant(scene(), variant), w, {}).value_or("");
  };
  for (const char* variant : {"warp_row_unroll4", "warp_row_shuffle", "block_row_unroll4",
                              "length_dispatch", "block_row_zero_test"}) {
    EXPECT_EQ(said(variant, "357", "32"), "");  // k·n = 2 142 000 000 < 2 147 483 648
    EXPECT_EQ(said(variant, "358", "32"),
              "k·n = 2148000000 does not fit the 32-bit index of the published code, which ends "
              "at 2^31");
    EXPECT_EQ(said(variant, "358", "64"), "") << variant;
  }
}

TEST(CsrmmVariants, BlockRowsIndexIn32BitsOnlyWhereTheySuffice) {
  const auto wide = [&](const char* variant, const char* n) {
    const Workload w = workload({{"m", "300"}, {"k", "6000000"}, {"p", "0.00001"}, {"n", n}});
    const Step step = find_variant(scene(), variant)->steps(w).front();
    for (const auto& [name, value] : std::get<KernelLaunch>(step.action).defines) {
      if (name == "WIDE") return value;
    }
    return std::string("absent");
  };
  EXPECT_EQ(wide("block_row_narrow", "357"), "0");  // k·n = 2 142 000 000 < 2 147 483 648
  EXPECT_EQ(wide("block_row_narrow", "358"), "1");
  EXPECT_EQ(wide("block_row_unroll4", "32"), "0") << "as listed";
}

TEST(CsrmmVariants, CusparsePreparesNoMatrixWithARowLongerThanItIsWide) {
  const auto prepares = [](double longest_row) {
    Workload w{configured({{"m", "20"}, {"k", "10"}}), {}};
    w.facts = {{"nnz", 40}, {"k", 10}, {"longest_row", longest_row}};
    for (const Step& step : find_variant(scene(), "cusparse_alg3")->steps(w)) {
      const auto* call = std::get_if<LibraryCall>(&step.action);
      if (call != nullptr) return call->numbers.count("skip_preprocess") == 0;
    }
    return false;
  };
  EXPECT_TRUE(prepares(10));
  EXPECT_FALSE(prepares(11));
}

TEST(CsrmmVariants, LengthDispatchSaysWhichKernelItTakes) {
  const Variant& dispatch = *find_variant(scene(), "length_dispatch");
  const auto entry = [&](const Changes& changes) {
    return std::get<KernelLaunch>(dispatch.steps(workload(changes)).front().action).source;
  };
  EXPECT_EQ(entry({}), "csrmm/seed_warp_row.cu");
  EXPECT_EQ(entry({{"auto_threshold", "64"}}), "csrmm/block_row.cu");
  EXPECT_EQ(entry({{"auto_threshold", "200"}}), "csrmm/seed_warp_row.cu");  // mean 200: not over it
  EXPECT_NE(dispatch.choice(workload({})).find("warp-row"), std::string::npos);
  EXPECT_NE(dispatch.choice(workload({{"auto_threshold", "64"}})).find("block-row"),
            std::string::npos);
}

}  // namespace
}  // namespace warpscope
