// tests/profiling/capture/beside_program_test.cpp: PTX, machine code and sources of a captured
// kernel are found in what the program loaded, and beside it.
#include "profiling/capture/beside_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/profiling/binaries/made_binaries.h"
#include "tests/profiling/capture/made_capture.h"

namespace warpscope {
namespace {

// A capture of the kernel k, whose program loaded this image.
CaptureAdditions found(const CaptureFolder& folder, const std::string& image,
                       const std::string& code = "") {
  Capture c = made_capture();
  c.symbol = "k";
  Result<CaptureWriter> writer = CaptureWriter::create(folder("a.wcap"));
  EXPECT_TRUE(writer->write_section("IMAG", image));
  EXPECT_TRUE(code.empty() || writer->write_section("CODE", code));
  EXPECT_TRUE(writer->finish(c));
  const Result<CaptureFile> file = CaptureFile::open(folder("a.wcap"));
  EXPECT_TRUE(file);
  return found_beside(*file);
}

// Plain PTX in a fat binary begins within its first bytes, and is not all of it.
TEST(BesideProgramTest, PtxIsTakenOutOfAFatBinary) {
  const CaptureFolder folder;
  const std::string cubin = made_cubin("k").bytes(), ptx(kMadePtx);
  const CaptureAdditions plain = found(folder, made_fat_binary({{1, ptx, 90}, {2, cubin, 90}}));
  EXPECT_EQ(plain.ptx, ptx);
  EXPECT_EQ(plain.ptx_origin, "in the program's own code");
  // An entry of a fat binary is padded with zeros to a multiple of 8 bytes.
  EXPECT_EQ(plain.code.substr(0, cubin.size()), cubin);
  EXPECT_LT(plain.code.size(), cubin.size() + 8);
  EXPECT_EQ(plain.code.find_first_not_of('\0', cubin.size()), std::string::npos);
  EXPECT_TRUE(plain.notes.empty());
}

TEST(BesideProgramTest, ALaunchThatChangedNothingIsNoted) {
  const CaptureFolder folder;
  const auto notes = [&](std::uint32_t after) {
    const Capture c = made_capture();
    Result<CaptureWriter> writer = CaptureWriter::create(folder("a.wcap"));
    for (std::size_t i = 0; i < c.memory.size(); ++i) {
      const auto bytes = static_cast<std::size_t>(c.memory[i].bytes);
      EXPECT_TRUE(writer->add_memory(i, CaptureWriter::Side::before, counted_words(1, bytes)));
      EXPECT_TRUE(writer->add_memory(i, CaptureWriter::Side::after,
                                     counted_words(i == 0 ? after : 1, bytes)));
    }
    EXPECT_TRUE(writer->write_section("PTX ", kMadePtx));
    EXPECT_TRUE(writer->finish(c));
    std::string all;
    for (const std::string& note : found_beside(*CaptureFile::open(folder("a.wcap"))).notes)
      all += note;
    return all;
  };
  EXPECT_THAT(notes(1), testing::HasSubstr("the launch left its memory as it was"));
  EXPECT_THAT(notes(2), testing::Not(testing::HasSubstr("as it was")));
}

TEST(BesideProgramTest, PtxThatTheProgramGaveIsTakenWhole) {
  const CaptureFolder folder;
  const CaptureAdditions given = found(folder, std::string(kMadePtx));
  EXPECT_EQ(given.ptx, kMadePtx);
  EXPECT_EQ(given.ptx_origin, "as the program gave it to the driver");
}

TEST(BesideProgramTest, MachineCodeOfAnotherArchitectureIsNotTaken) {
  const CaptureFolder folder;
  const CaptureAdditions other = found(folder, made_fat_binary({{2, made_cubin("k").bytes(), 80}}));
  EXPECT_EQ(other.code, "");
  EXPECT_EQ(other.ptx, "");
  EXPECT_EQ(other.notes.size(), 1u);
}

TEST(BesideProgramTest, PtxBesideTheSameCubinInTritonsCacheIsTaken) {
  const CaptureFolder folder;
  std::filesystem::create_directories(folder("cache/ABC"));
  ::setenv("TRITON_CACHE_DIR", folder("cache").c_str(), 1);
  const std::string cubin = made_cubin("k").bytes();
  std::string other = cubin;
  other[other.size() / 2] = static_cast<char>(other[other.size() / 2] ^ 1);
  write_bytes(folder("cache/ABC/other.cubin"), other);
  write_bytes(folder("cache/ABC/other.ptx"), "other");
  EXPECT_EQ(found(folder, cubin).ptx, "");
  write_bytes(folder("cache/ABC/k.cubin"), cubin);
  write_bytes(folder("cache/ABC/k.ptx"), std::string(kMadePtx));
  const CaptureAdditions cached = found(folder, cubin);
  ::unsetenv("TRITON_CACHE_DIR");
  EXPECT_EQ(cached.ptx, kMadePtx);
  EXPECT_EQ(cached.code, cubin);
  EXPECT_EQ(cached.ptx_origin, "beside its machine code in Triton's cache");
}

TEST(BesideProgramTest, SourcesThatThePtxNamesAreTaken) {
  const CaptureFolder folder;
  write_bytes(folder("k.cu"), "the text");
  const std::string ptx = std::string(kMadePtx) + "\t.file\t1 \"" + folder("k.cu") +
                          "\"\n\t.file\t2 \"" + folder("gone.cuh") + "\", 12, 13\n";
  EXPECT_THAT(files_named_in(ptx), testing::ElementsAre(folder("k.cu"), folder("gone.cuh")));
  const CaptureAdditions given = found(folder, ptx);
  ASSERT_EQ(given.sources.size(), 1u);
  EXPECT_EQ(given.sources[0].name, folder("k.cu"));
  EXPECT_EQ(given.sources[0].text, "the text");
}

}  // namespace
}  // namespace warpscope
