// tests/engine/cubin_test.cpp: how many parameters a kernel takes, by its machine code.
#include "profiling/engine/compile/cubin.h"

#include <gtest/gtest.h>

#include "profiling/engine/compile/compiler.h"

namespace warpscope {
namespace {

struct Case {
  CompileRequest request;
  std::string entry;
};
const std::vector<Case> kCases = {
    {{"engine/selftest.cu", {}, 90}, "selftest_copy"},
    {{"engine/block.cu", {}, 75}, "block_stream"},
    {{"engine/read_all.cu", {}, 100}, "read_all"},
    {{"csrmm/warp_row.cu", {{"UNROLL", "1"}, {"HOMO", "1"}, {"READ_ONLY", "1"}}, 90}, "warp_row"},
    {{"csrmm/gather_add.cu", {}, 90}, "scatter_add"},  // one of four entries of a source
};

// The parameters in the head of the entry's PTX.
std::size_t parameters_in(const std::string& ptx, const std::string& entry) {
  const std::size_t begin = ptx.find(".entry " + entry + "(");
  const std::size_t end = ptx.find(')', begin);
  std::size_t count = 0;
  for (std::size_t at = ptx.find(".param", begin); at < end; at = ptx.find(".param", at + 1))
    ++count;
  return count;
}

TEST(Cubin, CountsTheParametersThatThePtxDeclares) {
  if (Result<std::string> version = nvrtc_version(); !version)
    GTEST_SKIP() << sentence(version.error());
  for (const Case& c : kCases) {
    const Result<Compiled> code = compile(c.request);
    ASSERT_TRUE(code) << sentence(code.error());
    const Result<CompiledPtx> ptx = compile_to_ptx(c.request);
    ASSERT_TRUE(ptx) << sentence(ptx.error());
    const std::size_t declared = parameters_in(ptx->ptx, c.entry);
    EXPECT_GT(declared, 0u) << c.entry;
    EXPECT_EQ(parameter_count(code->cubin, c.entry), declared) << c.entry;
    EXPECT_FALSE(parameter_count(code->cubin, "absent"));
  }
}

// A file of a section table, the names and one section of records, as cubin_sections reads it.
std::string cubin_with(const std::string& name, const std::string& records) {
  const std::string names = std::string("\0.names\0", 8) + name + '\0';
  std::string file(64, '\0');
  const auto put = [&file](std::size_t at, std::uint64_t value, std::size_t bytes) {
    std::memcpy(&file[at], &value, bytes);
  };
  file.replace(0, 6,
               "\x7F"
               "ELF\x02\x01",
               6);
  const std::size_t names_at = file.size(), records_at = names_at + names.size();
  file += names + records;
  const std::size_t table = file.size();
  file.resize(table + 2 * 64);
  put(0x28, table, 8), put(0x3A, 64, 2), put(0x3C, 2, 2), put(0x3E, 0, 2);
  put(table, 1, 4), put(table + 24, names_at, 8), put(table + 32, names.size(), 8);
  put(table + 64, 8, 4), put(table + 88, records_at, 8), put(table + 96, records.size(), 8);
  return file;
}

TEST(Cubin, CountsRecordsOfBothFormsAndNoOthers) {
  const std::string of_small = std::string("\x04\x17\x0c\0", 4) + std::string(12, '\x45'),
                    of_large = std::string("\x04\x45\x0c\0", 4) + std::string(12, '\x17'),
                    other = std::string("\x03\x17\x0c\0", 4);
  const std::string records = other + of_small + of_large + other + of_small;
  EXPECT_EQ(parameter_count(cubin_with(".nv.info.k", records), "k"), 3u);
  EXPECT_EQ(parameter_count(cubin_with(".nv.info.k", other), "k"), 0u);
  EXPECT_FALSE(parameter_count(cubin_with(".nv.info.other", records), "k"));
  // Torn: within a record's head, and within its bytes.
  for (const std::size_t cut : {1u, 5u}) {
    const std::string torn = records.substr(0, records.size() - cut);
    EXPECT_FALSE(parameter_count(cubin_with(".nv.info.k", torn), "k"));
    EXPECT_FALSE(
        parameter_count(cubin_with(".nv.info.k", records + std::string(cut % 4, '\4')), "k"));
  }
  EXPECT_FALSE(parameter_count("no machine code", "k"));
}

}  // namespace
}  // namespace warpscope
