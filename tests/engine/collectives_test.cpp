// tests/engine/collectives_test.cpp: lanes exchange values on the GPU as the references say.
#include "tests/emulator/collectives.h"

#include "scenes/host/input_file.h"
#include "tests/engine/gpu_fixture.h"
#include "tests/folders.h"

namespace warpscope {
namespace {

using GpuCollectives = GpuTest;

// The same text that tests/emulator/collectives_test.cpp holds the emulator to.
TEST_F(GpuCollectives, EveryKernelGivesWhatItsReferenceGives) {
  if (device_->description().compute_capability < 80)
    GTEST_SKIP() << "redux.sync needs compute capability 8.0";
  const CudaDriver& driver = device_->driver();
  for (const Collective& kernel : collectives()) {
    SCOPED_TRACE(kernel.entry);
    const std::vector<std::int32_t> in = collective_input(kernel);
    std::vector<std::int32_t> out = collective_poison();
    buffers_.clear();
    for (const auto& [name, values] :
         {std::pair{"in", &in}, std::pair{"out", &std::as_const(out)}}) {
      Result<DeviceBuffer> buffer =
          DeviceBuffer::allocate(*device_, static_cast<std::int64_t>(values->size() * 4));
      ASSERT_TRUE(buffer) << sentence(buffer.error());
      ASSERT_EQ(driver.cuMemcpyHtoD(buffer->address(), values->data(), values->size() * 4),
                CUDA_SUCCESS);
      buffers_.emplace(name, std::move(*buffer));
    }
    const KernelLaunch launch{
        collective_source,
        kernel.entry,
        {},
        collective_launch(kernel),
        {BufferArgument{"in"}, BufferArgument{"out"}, static_cast<std::int32_t>(in.size())}};
    const Result<BoundStep> step =
        BoundStep::bind(*device_, *kernels_, Step{kernel.entry, Phase::run, launch},
                        [this](const std::string& name) { return &buffers_.at(name); });
    ASSERT_TRUE(step) << sentence(step.error());
    const Result<void> ran = run(*step);
    ASSERT_TRUE(ran) << sentence(ran.error());
    ASSERT_EQ(driver.cuMemcpyDtoH(out.data(), buffers_.at("out").address(), out.size() * 4),
              CUDA_SUCCESS);
    const std::vector<std::int32_t> expected = collective_reference(kernel);
    EXPECT_NE(out, collective_poison());
    for (std::size_t k = 0; k < out.size(); ++k) {
      EXPECT_EQ(out[k], expected[k])
          << "element " << k % collective_plane << " of plane " << k / collective_plane;
      if (out[k] != expected[k]) break;
    }
  }
}

// Lets these tests read the kernels that lie beside them.
class KernelsBesideEngineTests : public testing::Environment {
  void SetUp() override { ASSERT_TRUE(allow_folder(source_folder() / "tests")); }
};
const testing::Environment* const kKernelsBesideEngineTests =
    testing::AddGlobalTestEnvironment(new KernelsBesideEngineTests);

}  // namespace
}  // namespace warpscope
