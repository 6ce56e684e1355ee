// tests/fuzz/binaries_test.cpp: no compiled file, however broken, crashes the reader of kernels or
// takes more than its budget.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "profiling/binaries/binary_file.h"
#include "tests/fuzz/budget.h"
#include "tests/fuzz/mutation.h"
#include "tests/profiling/binaries/made_binaries.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

void try_all(const std::string& bytes) {
  const Result<BinaryFile> file = read_binary(bytes, "fuzz");
  if (!file) {
    EXPECT_FALSE(file.error().what.empty());
    EXPECT_NE(file.error().kind, ErrorKind::internal);
    return;
  }
  for (const NamedKernel& kernel : file->kernels) {
    EXPECT_FALSE(kernel.name.name.empty());
    const Result<std::string> ptx = ptx_of(bytes, *file, kernel.symbol, "fuzz");
    EXPECT_TRUE(!ptx || !ptx->empty());
  }
}

std::string whole_archive() {
  const std::string ptx(kMadePtx), cubin = made_cubin().bytes();
  const std::string object =
      made_object(made_fat_binary({{1, ptx, 90},
                                   {1, lz4_plain(ptx), 90, 0x2011, ptx.size()},
                                   {1, zstd_plain(ptx), 90, 0x8011, ptx.size()},
                                   {2, cubin, 90}}));
  std::string size = std::to_string(object.size());
  size.resize(10, ' ');
  return "!<arch>\n" + std::string(48, ' ') + size + "`\n" + object;
}

// What nvcc makes of a small kernel; empty where there is no nvcc.
std::vector<std::string> compiled_files() {
  const char* const root = std::getenv("CUDA_HOME");
  const std::string nvcc = (root == nullptr ? "/usr/local/cuda" : std::string(root)) + "/bin/nvcc";
  if (!fs::exists(nvcc)) return {};
  const fs::path folder =
      fs::temp_directory_path() / ("warpscope-fuzz-" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "k.cu") << "template <class T> __global__ void k(T* p, float4 v) {\n"
                                    "  __shared__ T s[32];\n"
                                    "  s[threadIdx.x] = v.x;\n"
                                    "  __syncthreads();\n"
                                    "  p[threadIdx.x] = s[31 - threadIdx.x];\n"
                                    "}\n"
                                    "template __global__ void k<float>(float*, float4);\n";
  std::vector<std::string> files;
  for (const char* const way : {"-cubin -arch=sm_90", "-c -arch=sm_80",
                                "-fatbin -gencode arch=compute_75,code=[sm_75,compute_75]"}) {
    const std::string out = (folder / "out").string();
    const std::string command =
        "cd " + folder.string() + " && " + nvcc + " " + way + " k.cu -o out > /dev/null 2>&1";
    if (std::system(command.c_str()) != 0) continue;
    std::ostringstream text;
    text << std::ifstream(out, std::ios::binary).rdbuf();
    files.push_back(text.str());
  }
  fs::remove_all(folder);
  return files;
}

TEST(Fuzz, CompiledFilesAreReadOrRefusedWithASentence) {
  std::vector<std::string> seeds = {made_cubin().bytes(), whole_archive()};
  for (std::string& file : compiled_files()) seeds.push_back(std::move(file));
  const std::vector<std::string> words = {std::string(8, '\0'),
                                          std::string(8, '\xff'),
                                          std::string("\x50\xed\x55\xba\x01\x00\x10\x00", 8),
                                          std::string("\x7f"
                                                      "ELF\x02\x01"),
                                          little_endian<std::uint64_t>(1),
                                          little_endian<std::uint64_t>(64),
                                          little_endian<std::uint64_t>(0x7fffffff),
                                          parameter_record(0, 0, 8),
                                          ".entry k",
                                          ".nv.info.k",
                                          "_ZN1aIS_S_E",
                                          zstd_run('x', 100)};
  const std::int64_t cases = for_mutations(seeds, words, try_all);
  EXPECT_GE(cases, kLeastCases);
}

TEST(Fuzz, ACompiledFileThatIsCutOffAnywhereIsRefusedOrRead) {
  for (const std::string& whole : {made_cubin().bytes(), whole_archive()})
    for (std::size_t size = 0; size < whole.size(); size += 3) try_all(whole.substr(0, size));
}

// A frame of Zstandard that unpacks to `count` times one byte, in blocks of 128 KB.
std::string zstd_bomb(char byte, std::uint32_t count) {
  constexpr std::uint32_t kBlock = 1 << 17;
  std::string frame = std::string("\x28\xb5\x2f\xfd") + '\xa0' + little_endian(count);
  for (std::uint32_t left = count; left > 0;) {
    const std::uint32_t size = std::min(left, kBlock);
    left -= size;
    frame += little_endian<std::uint32_t>((left == 0 ? 1 : 0) | 1 << 1 | size << 3, 3) + byte;
  }
  return frame;
}

TEST(BudgetOfBinaries, CompiledFiles) {
  std::vector<std::pair<const char*, std::string>> inputs;
  constexpr std::uint32_t kLarge = 200'000'000, kMedium = 60'000'000;
  inputs.emplace_back("PTX of 200 MB of spaces in 6 KB",
                      made_fat_binary({{1, zstd_bomb(' ', kLarge), 90, 0x8011, kLarge}}));
  inputs.emplace_back("PTX of 60 MB of spaces in 2 KB",
                      made_fat_binary({{1, zstd_bomb(' ', kMedium), 90, 0x8011, kMedium}}));
  inputs.emplace_back("100 entries that say 200 MB each",
                      made_fat_binary(std::vector<MadeEntry>(
                          100, {1, zstd_bomb(' ', kLarge), 90, 0x8011, kLarge})));
  std::string entries;
  for (int k = 0; entries.size() < 1'900'000; ++k) entries += ".entry k" + std::to_string(k) + "\n";
  inputs.emplace_back("150 000 entries", made_fat_binary({{1, entries, 90}}));
  // 2^17 symbols whose names are the ends of one long name.
  MadeElf elf = made_cubin();
  std::string symbols, names(1'000'000, 'k');
  for (std::uint32_t i = 0; symbols.size() < 900'000; ++i)
    symbols +=
        little_endian(i) + "\x12\x10" + little_endian<std::uint16_t>(3) + std::string(16, '\0');
  elf.sections[0].bytes = names;
  elf.sections[1].bytes = symbols;
  inputs.emplace_back("symbols that share a name of 1 MB", elf.bytes());
  // As many sections as the header can count, all of the same bytes.
  elf = made_cubin();
  std::string records;
  while (records.size() < 100'000) records += parameter_record(0, 0, 8);
  elf.sections[4].bytes = records;
  for (int k = 0; k < 20'000; ++k) elf.sections.push_back({".nv.info.k" + std::to_string(k), ""});
  std::string many = elf.bytes();
  inputs.emplace_back("20 000 sections", many);
  for (auto& [what, bytes] : inputs) {
    ASSERT_LE(bytes.size(), static_cast<std::size_t>(most_input_bytes)) << what;
    expect_within_budget(what, [&] {
      const Result<BinaryFile> file = read_binary(bytes, "f");
      if (file) (void)ptx_of(bytes, *file, "k0", "f");
    });
  }
}

}  // namespace
}  // namespace warpscope
