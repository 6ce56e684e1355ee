// tests/engine/captures/tensor_map_capture_test.cpp: launches with tensor maps, captured from a
// program whose driver is made for it, and emulated.
#include "profiling/engine/compile/disassembly.h"
#include "profiling/engine/compile/nvcc.h"
#include "tests/engine/captures/made/capture_runs.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

// Both memories are compared, in every bit.
constexpr const char* kEqual = "as_captured                     correct";

TEST_F(CaptureProgramTest, ATensorMapIsKeptAsTheProgramDescribedIt) {
  for (const auto& [options, program] :
       {std::pair("", "boxes"), std::pair("--no-cupti", "boxes"), std::pair("", "moved-boxes"),
        std::pair("--no-cupti", "moved-boxes"), std::pair("", "boxes-inside")}) {
    SCOPED_TRACE(std::string(options) + " " + program);
    std::filesystem::remove(folder_ / "a.wcap");
    const Ran ran = capture("--kernel tensor_box --out a.wcap " + std::string(options), program);
    EXPECT_EQ(ran.status, 0) << ran.errors;
    EXPECT_THAT(ran.out, HasSubstr("boxes 1 0\n"));
    const Result<CaptureFile> file = opened("a.wcap");
    ASSERT_TRUE(file) << sentence(file.error());
    const Capture& c = file->capture();
    ASSERT_EQ(c.tensor_maps.size(), 1u);
    const CapturedTensorMap& map = c.tensor_maps[0];
    EXPECT_EQ(map.parameter, 0u);
    EXPECT_EQ(map.at, program == std::string("boxes-inside") ? 128u : 0u);
    EXPECT_EQ(map.type, 7);  // CU_TENSOR_MAP_DATA_TYPE_FLOAT32
    EXPECT_EQ(map.extents, (std::vector<std::uint64_t>{40, 24}));
    EXPECT_EQ(map.strides, (std::vector<std::uint64_t>{160}));
    EXPECT_EQ(map.box, (std::vector<std::uint32_t>{32, 16}));
    EXPECT_EQ(map.steps, (std::vector<std::uint32_t>{1, 1}));
    EXPECT_EQ(map.l2_promotion, 2);
    EXPECT_EQ(map.address, c.memory[0].address + 256);
    const Ran good = warpscope("verify a.wcap");
    EXPECT_EQ(good.status, 0) << good.out << good.errors;
    EXPECT_THAT(good.out, HasSubstr(kEqual)) << good.errors;
  }
}

// The machine code of the same PTX, alone.
TEST_F(CaptureProgramTest, MachineCodeReadsATensorMapToo) {
  if (!find_disassembler()) GTEST_SKIP() << sentence(find_disassembler().error());
  ASSERT_EQ(capture("--kernel tensor_box --out a.wcap", "boxes").status, 0);
  const Result<CaptureFile> file = opened("a.wcap");
  ASSERT_TRUE(file);
  const Result<CompilerAnswer> cubin = run_ptxas(*file->ptx(), "sm_90", {}, 60);
  if (!cubin && cubin.error().kind == ErrorKind::environment)
    GTEST_SKIP() << sentence(cubin.error());
  ASSERT_TRUE(cubin) << sentence(cubin.error());
  ASSERT_TRUE(cubin->compiled) << cubin->log;
  Result<CaptureWriter> writer = CaptureWriter::create((folder_ / "b.wcap").string());
  for (std::size_t i = 0; i < file->capture().memory.size(); ++i) {
    for (const auto& [side, from] :
         {std::pair{CaptureWriter::Side::before, CaptureFile::Side::before},
          std::pair{CaptureWriter::Side::after, CaptureFile::Side::after}})
      ASSERT_TRUE(writer->add_memory(i, side, *file->memory(i, from)));
  }
  ASSERT_TRUE(writer->write_section("CODE", cubin->code));
  ASSERT_TRUE(writer->finish(file->capture()));
  const Ran good = warpscope("verify b.wcap");
  EXPECT_EQ(good.status, 0) << good.out << good.errors;
  EXPECT_THAT(good.out, HasSubstr(kEqual)) << good.errors;
}

// As captures were before maps were kept: the emulator cannot know what the bytes mean.
TEST_F(CaptureProgramTest, WithoutTheDescriptionTheEmulatorSaysThatThereIsNoMap) {
  ASSERT_EQ(capture("--kernel tensor_box --out a.wcap", "boxes").status, 0);
  const Result<CaptureFile> file = opened("a.wcap");
  ASSERT_TRUE(file);
  Capture old = file->capture();
  old.tensor_maps.clear();
  Result<CaptureWriter> writer = CaptureWriter::create((folder_ / "old.wcap").string());
  for (std::size_t i = 0; i < old.memory.size(); ++i) {
    ASSERT_TRUE(writer->add_memory(i, CaptureWriter::Side::before,
                                   *file->memory(i, CaptureFile::Side::before)));
    ASSERT_TRUE(writer->add_memory(i, CaptureWriter::Side::after,
                                   *file->memory(i, CaptureFile::Side::after)));
  }
  ASSERT_TRUE(writer->write_section("PTX ", *file->ptx()));
  ASSERT_TRUE(writer->finish(old));
  const Ran bad = warpscope("verify old.wcap");
  EXPECT_EQ(bad.status, 1) << bad.out;
  EXPECT_THAT(bad.out + bad.errors, HasSubstr("has an address without a tensor map"));
}

}  // namespace
}  // namespace warpscope
