// tests/profiling/binaries/binary_file_test.cpp: kernels of compiled files that are written byte by
// byte.
#include "profiling/binaries/binary_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "profiling/binaries/elf.h"
#include "profiling/binaries/fat_binary.h"
#include "profiling/binaries/unpack.h"
#include "tests/profiling/binaries/made_binaries.h"

namespace warpscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Cubin, SaysWhatItsKernelTakes) {
  const Result<Cubin> cubin = read_cubin(made_cubin().bytes(), "k.cubin");
  ASSERT_TRUE(cubin) << sentence(cubin.error());
  EXPECT_EQ(cubin->compute_capability, 90);
  EXPECT_FALSE(cubin->relocatable);
  ASSERT_EQ(cubin->kernels.size(), 1u);
  const BinaryKernel& k = cubin->kernels.front();
  EXPECT_EQ(k.symbol, "k");
  EXPECT_EQ(k.registers, 40);
  EXPECT_EQ(k.local_bytes, 16);
  EXPECT_EQ(k.static_shared_bytes, 512);
  EXPECT_EQ(k.constant_bytes, 0x21c);
  EXPECT_EQ(k.code_bytes, 128);
  EXPECT_EQ(k.most_threads, 256);
  EXPECT_EQ(k.parameter_bytes, 12);
  ASSERT_EQ(k.parameters.size(), 2u);  // by ordinal, not by their place in the file
  EXPECT_EQ(k.parameters[0].bytes, 8);
  EXPECT_EQ(k.parameters[1].offset, 8);
  EXPECT_EQ(k.parameters[1].bytes, 4);
}

TEST(Cubin, TakesRegistersWithoutARecordFromTheCode) {
  MadeElf elf = made_cubin();
  elf.sections[3].bytes.clear();
  elf.sections[2].info = 56U << 24 | 1;
  EXPECT_EQ(kernel_in_cubin(elf.bytes(), "k")->registers, 56);
}

TEST(Cubin, KeepsAllSharedBytesBeforeSm90) {
  MadeElf old = made_cubin();
  old.flags = 0x6005604;  // sm_86
  EXPECT_EQ(kernel_in_cubin(old.bytes(), "k")->static_shared_bytes, 1536);
}

TEST(Cubin, KnowsTheArchitectureOfBothAbiVersions) {
  struct Row {
    std::uint8_t version;
    std::uint32_t flags;
    int capability;
    char features;
  };
  // As ptxas 11.8 (sm_50, sm_90), 12.4 (sm_90a) and 13.0 (sm_75, sm_120) write them.
  for (const Row& row :
       {Row{7, 0x320532, 50, 0}, Row{7, 0x5a055a, 90, 0}, Row{7, 0x5a0d5a, 90, 'a'},
        Row{8, 0x6004b04, 75, 0}, Row{8, 0x6007802, 120, 0}}) {
    MadeElf elf = made_cubin();
    elf.abi_version = row.version;
    elf.flags = row.flags;
    const Result<Cubin> cubin = read_cubin(elf.bytes(), "k.cubin");
    ASSERT_TRUE(cubin);
    EXPECT_EQ(cubin->compute_capability, row.capability);
    EXPECT_EQ(cubin->features, row.features);
  }
}

TEST(Cubin, ReadsTheCompilerAndItsArchitectureFromTheNote) {
  MadeElf elf = made_cubin();
  std::string note = "ptxas|Cuda compilation tools, release 13.0, V13.0.88|-arch sm_90a -m 64 |";
  std::replace(note.begin(), note.end(), '|', '\0');
  elf.sections.push_back({".note.nv.tkinfo", note});
  const Result<Cubin> noted = read_cubin(elf.bytes(), "k.cubin");
  ASSERT_TRUE(noted);
  EXPECT_EQ(noted->compiler, "ptxas 13.0");
  EXPECT_EQ(noted->features, 'a');
}

TEST(Cubin, ASectionOfRecordsThatIsCutOffIsDamage) {
  for (const std::size_t cut : {1u, 5u}) {
    MadeElf elf = made_cubin();
    std::string& records = elf.sections[4].bytes;
    records.resize(records.size() - cut);
    const Result<Cubin> cubin = read_cubin(elf.bytes(), "k.cubin");
    ASSERT_FALSE(cubin);
    EXPECT_THAT(cubin.error().what, HasSubstr("damaged"));
    EXPECT_FALSE(kernel_in_cubin(elf.bytes(), "k"));
  }
  EXPECT_FALSE(kernel_in_cubin(made_cubin().bytes(), "absent"));
  EXPECT_FALSE(kernel_in_cubin("no machine code", "k"));
}

TEST(Elf, RefusesWhatIsCutOffOrOfAnotherClass) {
  const std::string whole = made_cubin().bytes();
  ASSERT_TRUE(read_elf(whole, "k.cubin"));
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(read_elf(std::string_view(whole).substr(0, size), "k.cubin")) << size;
  std::string small = whole;
  small[4] = 1;  // ELFCLASS32
  EXPECT_THAT(sentence(read_elf(small, "k.cubin").error()), HasSubstr("64 bits"));
}

TEST(Elf, FindsMoreSectionsThanTheHeaderCanCount) {
  std::string whole = made_cubin().bytes();
  const std::uint64_t table = whole.size() - 9 * 64;
  const std::string zero(2, '\0');
  whole.replace(0x3C, 2, zero);        // e_shnum
  whole.replace(0x3E, 2, "\xff\xff");  // e_shstrndx
  whole.replace(table + 32, 8, little_endian<std::uint64_t>(9));
  whole.replace(table + 40, 4, little_endian<std::uint32_t>(8));
  EXPECT_EQ(kernel_in_cubin(whole, "k")->registers, 40);
}

TEST(Unpack, GivesTheTextOfBothForms) {
  const std::string text(kMadePtx);
  EXPECT_EQ(unpack_lz4(lz4_plain(text), text.size(), "a").value_or(""), text);
  EXPECT_EQ(unpack_zstd(zstd_plain(text), text.size(), "a").value_or(""), text);
  EXPECT_EQ(unpack_zstd(zstd_run('x', 1000), 1000, "a").value_or(""), std::string(1000, 'x'));
  // "ab", then ten bytes from two back, then "c".
  const std::string overlapping(
      "\x26"
      "ab\x02\x00\x10"
      "c",
      7);
  EXPECT_EQ(unpack_lz4(overlapping, 13, "a").value_or(""), "ababababababc");
}

TEST(Unpack, RefusesWrongSizesDistancesAndBombs) {
  const std::string text(kMadePtx);
  for (const std::uint64_t size : {std::uint64_t{0}, text.size() - 1, text.size() + 1}) {
    EXPECT_FALSE(unpack_lz4(lz4_plain(text), size, "a"));
    EXPECT_FALSE(unpack_zstd(zstd_plain(text), size, "a"));
  }
  for (const char distance : {'\x00', '\x03'}) {
    const std::string block = std::string(
                                  "\x26"
                                  "ab") +
                              distance +
                              std::string(
                                  "\x00\x10"
                                  "c",
                                  3);
    EXPECT_FALSE(unpack_lz4(block, 13, "a"));
  }
  const std::string packed = lz4_plain(text);
  for (std::size_t size = 0; size < packed.size(); ++size)
    EXPECT_FALSE(unpack_lz4(std::string_view(packed).substr(0, size), text.size(), "a"));
  const auto bomb = unpack_lz4("\x1f", std::uint64_t{1} << 40, "a");
  ASSERT_FALSE(bomb);
  EXPECT_EQ(bomb.error().kind, ErrorKind::resource);
}

TEST(FatBinary, HasPtxAndMachineCodeInEveryForm) {
  const std::string cubin = made_cubin().bytes(), ptx(kMadePtx);
  const std::vector<MadeEntry> forms = {
      {1, ptx, 90},
      {1, lz4_plain(ptx), 90, 0x2011, ptx.size()},
      {1, zstd_plain(ptx), 90, 0x8011, ptx.size()},
  };
  for (const MadeEntry& form : forms) {
    const std::string fat = made_fat_binary({form, {2, cubin, 90}});
    for (const std::string& file :
         {fat, made_object(fat), made_object(fat, 2), made_object(fat, 3)}) {
      const Result<BinaryFile> read = read_binary(file, "f");
      ASSERT_TRUE(read) << sentence(read.error());
      ASSERT_EQ(read->kernels.size(), 1u);
      const NamedKernel& k = read->kernels.front();
      ASSERT_EQ(k.compiled.size(), 1u);
      EXPECT_EQ(k.compiled[0].code.registers, 40);
      EXPECT_EQ(machine_name(k.compiled[0].target), "sm_90");
      ASSERT_EQ(k.ptx.size(), 1u);
      EXPECT_EQ(ptx_name(k.ptx[0]), "compute_90");
      EXPECT_THAT(read->not_read, IsEmpty());
      EXPECT_EQ(ptx_of(file, *read, "k", "f").value_or(""), ptx);
    }
  }
}

TEST(FatBinary, NamesWhatItDoesNotDecode) {
  const std::string ptx(kMadePtx);
  const std::string fat = made_fat_binary({{8, "intermediate", 90, 0x18011, 100},
                                           {1, "not zstd", 90, 0x8011, 100},
                                           {77, "what", 90},
                                           {1, ptx, 90}});
  const Result<BinaryFile> read = read_binary(fat, "f");
  ASSERT_TRUE(read);
  EXPECT_THAT(read->not_read,
              ElementsAre(HasSubstr("-dlto"), HasSubstr("unknown way"), HasSubstr("kind 77")));
  EXPECT_EQ(read->kernels.size(), 1u);
}

TEST(FatBinary, PtxForTheEmulatorIsTheHighestUpToCompute90) {
  const auto ptx_for = [](int capability, char mark) {
    return MadeEntry{1, std::string(kMadePtx) + "// " + mark,
                     static_cast<std::uint32_t>(capability)};
  };
  const auto chosen = [&](const std::vector<MadeEntry>& entries) {
    const std::string fat = made_fat_binary(entries);
    const Result<BinaryFile> read = read_binary(fat, "f");
    return read ? ptx_of(fat, *read, "", "f").value_or("?").back() : '?';
  };
  EXPECT_EQ(chosen({ptx_for(75, 'a'), ptx_for(90, 'b'), ptx_for(120, 'c')}), 'b');
  EXPECT_EQ(chosen({ptx_for(120, 'a'), ptx_for(80, 'b'), ptx_for(75, 'c')}), 'b');
  EXPECT_EQ(chosen({ptx_for(120, 'a'), ptx_for(100, 'b')}), 'b');
}

TEST(FatBinary, AKernelWithoutPtxIsOneSentence) {
  const std::string fat = made_fat_binary({{2, made_cubin().bytes(), 90}});
  const Result<BinaryFile> read = read_binary(fat, "f.fatbin");
  ASSERT_TRUE(read);
  const Result<std::string> ptx = ptx_of(fat, *read, "k", "f.fatbin");
  ASSERT_FALSE(ptx);
  EXPECT_EQ(ptx.error().kind, ErrorKind::input);
  EXPECT_THAT(ptx.error().what, HasSubstr("has k only as machine code for sm_90"));
  EXPECT_THAT(ptx.error().what, HasSubstr("machine code is not emulated yet"));
  EXPECT_THAT(ptx_of(fat, *read, "other", "f.fatbin").error().what, HasSubstr("no kernel other"));
}

TEST(Archive, HasTheKernelsOfAllItsMembers) {
  const auto member = [](const std::string& bytes) {
    std::string size = std::to_string(bytes.size());
    size.resize(10, ' ');
    return std::string(48, ' ') + size + "`\n" + bytes + std::string(bytes.size() % 2, '\n');
  };
  const std::string archive =
      "!<arch>\n" + member("a table of names") + member("odd") +
      member(made_object(made_fat_binary({{2, made_cubin("first").bytes(), 90}}))) +
      member(made_cubin("second").bytes());
  const Result<BinaryFile> read = read_binary(archive, "lib.a");
  ASSERT_TRUE(read) << sentence(read.error());
  ASSERT_EQ(read->kernels.size(), 2u);
  EXPECT_EQ(read->kernels[0].symbol, "first");
  EXPECT_EQ(read->kernels[1].symbol, "second");
}

TEST(BinaryFile, SaysWhyThereIsNothing) {
  EXPECT_THAT(sentence(read_binary("text", "f").error()), HasSubstr("no kind"));
  EXPECT_THAT(sentence(read_binary("MZ", "f").error()), HasSubstr("Windows"));
  EXPECT_THAT(sentence(read_binary(made_object(""), "f").error()), HasSubstr("no GPU code"));
  const std::string fat = made_fat_binary({{2, made_cubin().bytes(), 90}});
  EXPECT_THAT(sentence(read_binary(fat.substr(0, 200), "f").error()), HasSubstr("cut off"));
}

TEST(PtxEntries, AreThoseOutsideOfCommentsAndTexts) {
  EXPECT_THAT(ptx_entries("// .entry no\n.visible .entry a(\n/* .entry no */ .entry\n\tb$1 ()\n"
                          ".file 1 \".entry no\"\n.entryway c\n.weak .entry %d{"),
              ElementsAre("a", "b$1", "%d"));
}

TEST(KernelName, LeavesTagsOfNumbaOut) {
  const KernelName name = kernel_name_of("_ZN8__main__5saxpyB2v1B3cwXEfi");
  EXPECT_EQ(name.name, "__main__::saxpy");
  ASSERT_TRUE(name.types);
  EXPECT_THAT(*name.types, ElementsAre("float", "int"));
}

// sum<float, 256u, true>, as a program writes it.
TEST(KernelName, IsFoundWithoutTheSuffixesOfItsNumbers) {
  const std::vector<std::string> symbols = {"_Z3sumIfLj256ELb1EEvPT_", "_Z3sumIfLj25ELb1EEvPT_"};
  EXPECT_EQ(demangled(symbols[0]), "void sum<float, 256u, true>(float*)");
  EXPECT_EQ(symbol_of(symbols, "sum<float, 256, true>"), symbols[0]);
  EXPECT_EQ(symbol_of(symbols, "sum<float, 25U, true>"), symbols[1]);
}

TEST(KernelName, WithArgumentsThatAreNotKnownIsTheMostAlikeInstance) {
  std::vector<ListedKernel> kernels;
  for (const char* name :
       {"net::sum<int, 1024u, true>", "net::sum<int, 256u, false>", "net::sum<int, 256u, true>",
        "net::sum<float, 256u, true>", "other<1>"}) {
    ListedKernel kernel;
    kernel.symbol = kernel.name = name;
    kernels.push_back(kernel);
  }
  const auto found = [&](const char* wanted) {
    const ListedKernel* kernel = most_alike(kernels, wanted);
    return kernel == nullptr ? std::string() : kernel->name;
  };
  EXPECT_EQ(found("sum<T, 256, true>"), "net::sum<int, 256u, true>");
  EXPECT_EQ(found("sum<float, 256, true>"), "net::sum<float, 256u, true>");
  EXPECT_EQ(found("net::sum"), "net::sum<int, 1024u, true>");
  EXPECT_EQ(found("product<T>"), "");
}

TEST(Demangled, StopsBeforeANameThatDoublesItself) {
  EXPECT_EQ(demangled("_Z4plusPfi"), "plus(float*, int)");
  EXPECT_EQ(demangled("saxpy"), "saxpy");
  // t<a, a>, then t<of it, of it>, 26 times: GCC's demangler writes 1.7 GB.
  std::string bomb = "_Z1f1a1tIS_S_E";
  for (int level = 0; level < 26; ++level) {
    const std::string last =
        "S" + std::string(1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[level + 1]) + "_";
    bomb += "S0_I" + last + last + "E";
  }
  EXPECT_EQ(demangled(bomb), bomb);
}

}  // namespace
}  // namespace warpscope
