// tests/engine/named_kernels_test.cpp: kernels by their C++ names, structures by value and
// variables by name, without a device: what is compiled, found and emulated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiling/binaries/cubin.h"
#include "profiling/engine/compile/compiler.h"
#include "profiling/engine/compile/entry_names.h"
#include "profiling/engine/compile/nvcc.h"
#include "profiling/engine/compile/resources.h"
#include "profiling/engine/run/emulated/emulated_stage.h"
#include "scenes/catalogue.h"
#include "tests/engine/named_scene.h"

namespace warpscope {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

class NamedKernels : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (!nvrtc_version()) GTEST_SKIP() << sentence(nvrtc_version().error());
    if (GetParam() && !find_nvcc()) GTEST_SKIP() << sentence(find_nvcc().error());
  }
  CompileRequest request() const {
    CompileRequest wanted{"named/named.cu", {}, 90};
    wanted.any_text = true;
    return wanted;
  }
  std::vector<KernelSource> sources() const { return named_text("named", GetParam()).sources; }
};

TEST_P(NamedKernels, AnInstanceThatTheTextDoesNotUseIsCompiled) {
  CompileRequest wanted = request();
  wanted.instances = {"net::axpy<float, 128>", "plain<float>", "plain<double>"};
  const Result<Compiled> code = compile(wanted, sources());
  ASSERT_TRUE(code) << sentence(code.error());
  const std::vector<std::string> symbols = kernel_symbols(code->cubin);
  EXPECT_THAT(missing_instances(wanted.instances, symbols), IsEmpty());
  EXPECT_EQ(symbol_of(symbols, "net::axpy<float, 128>"),
            "_ZN3net4axpyIfLi128EEEvNS_4ViewIT_EEPS2_");
  EXPECT_EQ(symbol_of(symbols, "plain<double>"), "_Z5plainIdEvPKT_PS0_S0_i");
  EXPECT_EQ(symbol_of(symbols, "overloaded"), "_Z10overloadedPKfPfi");
  const auto kernel = kernel_in_cubin(code->cubin, symbol_of(symbols, "axpy<float,128>"));
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->parameters.size(), 2u);
}

TEST_P(NamedKernels, VariablesAreFoundWithAndWithoutTheirNamespace) {
  CompileRequest wanted = request();
  wanted.instances = {"plain<float>"};
  const Result<Compiled> code = compile(wanted, sources());
  ASSERT_TRUE(code) << sentence(code.error());
  const std::vector<std::string> symbols = variable_symbols(code->cubin);
  EXPECT_EQ(variable_symbol(symbols, "table"), "_ZN3net5tableE");
  EXPECT_EQ(variable_symbol(symbols, "net::table"), "_ZN3net5tableE");
  EXPECT_EQ(variable_symbol(symbols, "shift"), "_ZN3net5shiftE");
  EXPECT_EQ(variable_symbol(symbols, "absent"), "absent");
}

TEST_P(NamedKernels, AnInstanceThatCannotBeMadeIsRefusedWithItsName) {
  CompileRequest wanted = request();
  wanted.instances = {"plain<no_such_type>"};
  const Result<Compiled> code = compile(wanted, sources());
  ASSERT_FALSE(code);
  EXPECT_THAT(code.error().what, HasSubstr("no_such_type"));
}

TEST_P(NamedKernels, EveryVariantOfTheSceneIsRightEmulated) {
  const SceneText text = named_text(GetParam() ? "named_host" : "named_device", GetParam());
  Catalogue catalogue;
  const Result<const Scene*> scene = catalogue.open_text(text);
  ASSERT_TRUE(scene) << sentence(scene.error());
  EmulatedStage stage;
  stage.use(sources_among(text.sources));
  const Configuration axes = default_configuration((*scene)->axes);
  ASSERT_TRUE(stage.set(**scene, axes));
  for (const char* name : kNamedVariants) {
    const Variant& variant = *find_variant(**scene, name);
    EmulatedStage::View view;
    view.sums = false;
    const Result<EmulatedStage::Run> run = stage.run(variant, view);
    ASSERT_TRUE(run) << name << ": " << sentence(run.error());
    for (const Fault& fault : run->faults) ADD_FAILURE() << name << ": " << fault.sentence;
    const Result<Verdict> verdict = stage.check(variant);
    ASSERT_TRUE(verdict) << sentence(verdict.error());
    EXPECT_EQ(verdict->outcome, Outcome::correct) << name << ": " << verdict->sentence;
  }
}

TEST_P(NamedKernels, RegistersAreReportedByCppName) {
  const SceneText text = named_text(GetParam() ? "registers_host" : "registers_device", GetParam());
  Catalogue catalogue;
  const Result<const Scene*> scene = catalogue.open_text(text);
  ASSERT_TRUE(scene) << sentence(scene.error());
  Workload workload;
  workload.axes = default_configuration((*scene)->axes);
  const std::vector<Step> steps = find_variant(**scene, "by_structure")->steps(workload);
  const std::vector<StepRecord> records = compiled_steps(steps, 90, sources_among(text.sources));
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].refusal, "");
  ASSERT_TRUE(records[0].resources);
  EXPECT_GT(records[0].resources->registers_per_thread, 0);
}

INSTANTIATE_TEST_SUITE_P(Compilers, NamedKernels, testing::Values(false, true),
                         [](const auto& info) { return info.param ? "Nvcc" : "Nvrtc"; });

}  // namespace
}  // namespace warpscope
