// tests/scenes/source_test.cpp: kernel texts as values: read, found with their headers, hashed.
#include "scenes/base/source.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "scenes/base/texts/text_hash.h"
#include "tests/scenes/own_home.h"

namespace warpscope {
namespace {

std::vector<std::string> paths_of(const std::vector<KernelSource>& sources) {
  std::vector<std::string> paths;
  for (const KernelSource& source : sources) paths.push_back(source.path);
  return paths;
}

// source: the test vectors of xxHash 0.8.1, XXH3_128bits without a seed.
TEST(Source, HashesByThePublishedAlgorithm) {
  EXPECT_EQ(hash_of(""), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(kernel_source("a.cu", "").hash, hash_of(""));
  EXPECT_NE(hash_of("a"), hash_of("b"));
}

// source: FNV-1a test vectors of the reference implementation, Landon Curt Noll.
TEST(TextHash, IsThatOfTextsThatSessionsHold) {
  EXPECT_EQ(text_hash_of({kernel_source("a.cu", "a")}), "af63dc4c8601ec8c");
  EXPECT_EQ(text_hash_of({kernel_source("a.cu", "foobar")}), "85944171f73967e8");
  EXPECT_EQ(text_hash_of({kernel_source("a.cu", "foobar  // a comment")}), "85944171f73967e8");
  // A header follows with its name between two ends of lines.
  EXPECT_EQ(text_hash_of({kernel_source("a.cu", "text"), kernel_source("h", "header")}),
            text_hash_of({kernel_source("a.cu", "text\nh\nheader")}));
}

TEST(TextHash, StaysWhereTheSameCodeIsOnTheSameLines) {
  const auto hash = [](const std::string& text) {
    return text_hash_of({kernel_source("k", text)});
  };
  const std::pair<const char*, const char*> same[] = {
      {"// a\nint k;  // b\n", "// another\nint k;  // comment\n"},
      {"// a\nint k;  // b\n", "\nint k;\n"},
      {"/* a\n b */ int k;", "/* c\n d */ int k;"},
      {"int k;  \n", "int k;\n"},
  };
  for (const auto& [a, b] : same) EXPECT_EQ(hash(a), hash(b)) << a << "\n" << b;
  const std::pair<const char*, const char*> others[] = {
      {"// a\nint k;", "// a\n// one line more\nint k;"},
      {"/* a */ int k;", "/* a\n */ int k;"},
      {"int a; int b;", "int a;\nint b;"},
      {"int a;\nint b;", "int a;\nint c;"},
      {"s = \"// a\";", "s = \"// b\";"},
      {"c = '//';", "c = '/*';"},
      {"s = R\"(\n// a)\";", "s = R\"(\n// b)\";"},
      {"int k;", "// int k;"},
  };
  for (const auto& [a, b] : others) EXPECT_NE(hash(a), hash(b)) << a << "\n" << b;
  // A comment of a header counts as little as one of the kernel.
  EXPECT_EQ(text_hash_of({kernel_source("k", "int k;"), kernel_source("h", "int h;  // a")}),
            text_hash_of({kernel_source("k", "int k;"), kernel_source("h", "int h;")}));
  // Machine code, as letters and digits, has no comments.
  EXPECT_NE(text_hash_of({kernel_source("k.ptx.cubin", "f0VM//AA")}),
            text_hash_of({kernel_source("k.ptx.cubin", "f0VM//BB")}));
}

// source: FNV-1a of these bytes, by a program of its own with the constants of the reference.
TEST(TextHash, OfTheWholeTextIsRecognisedAsSessionsOfEarlierVersionsStoredIt) {
  const TextHashes hashes = text_hashes_of({kernel_source("a.cu", "foobar  // a comment")});
  EXPECT_TRUE(hashes.include("85944171f73967e8")) << "of its code alone";
  EXPECT_TRUE(hashes.include("d52ddeb47c021694")) << "with the comment";
  EXPECT_FALSE(hashes.include("7f62a34401f31ced")) << "with another comment";
  EXPECT_FALSE(hashes.include(""));
}

TEST(Source, FindsWhatATextIncludesInQuotes) {
  const std::vector<std::string> expected = {"a.cuh", "b/c.cuh", "d.cuh"};
  EXPECT_EQ(quoted_includes("#include \"a.cuh\"\n  #  include\t\"b/c.cuh\" // \"not\" this\n"
                            "#include <cuda_fp16.h>\nint x;  // #include \"no.cuh\"\n"
                            "#include \"\"\n#define include \"e\"\n#include \"d.cuh\""),
            expected);
}

TEST(Source, ComesWithItsHeadersOnceEachDepthFirst) {
  const SourceLookup find = sources_among(
      {kernel_source("k.cu", "#include \"a.cuh\"\n#include \"b.cuh\"\n#include \"absent.cuh\"\n"),
       kernel_source("a.cuh", "#include \"c.cuh\"\n"), kernel_source("unused.cuh", ""),
       kernel_source("b.cuh", "#include \"c.cuh\"\n#include \"b.cuh\"\n"),
       kernel_source("c.cuh", "#include \"a.cuh\"\n")});
  const auto sources = find("k.cu");
  ASSERT_TRUE(sources) << sentence(sources.error());
  const std::vector<std::string> expected = {"k.cu", "a.cuh", "c.cuh", "b.cuh"};
  EXPECT_EQ(paths_of(*sources), expected);
  const auto absent = find("other.cu");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().kind, ErrorKind::environment);
  EXPECT_EQ(absent.error().where, "other.cu");
}

TEST(Source, ReadsATextAnewWhenItsFileChanges) {
  const OwnHome home("source-change");
  home.write("own/kernel.cu", "int a;\n");
  ASSERT_TRUE(read_kernel("own/kernel.cu"));
  EXPECT_EQ(read_kernel("own/kernel.cu")->text, "int a;\n");
  // At once and of the same length: the file's time may be the same as well.
  home.write("own/kernel.cu", "int b;\n");
  EXPECT_EQ(read_kernel("own/kernel.cu")->text, "int b;\n");
  home.remove("own/kernel.cu");
  const auto gone = read_kernel("own/kernel.cu");
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().kind, ErrorKind::environment);
}

TEST(Source, OfASceneIsItsFolderAndWhatThatIncludes) {
  const OwnHome home("source-scene");
  home.write("own/b.cu", "#include \"own/b.cuh\"\n#include \"top.cuh\"\n");
  home.write("own/a.cu", "#include \"top.cuh\"\n");
  home.write("own/b.cuh", "");
  home.write("own/unused.cuh", "");
  home.write("top.cuh", "");
  home.write("other/c.cu", "");
  const auto sources = sources_of_scene("own");
  ASSERT_TRUE(sources) << sentence(sources.error());
  const std::vector<std::string> expected = {"own/a.cu", "top.cuh", "own/b.cu", "own/b.cuh"};
  EXPECT_EQ(paths_of(*sources), expected);
  EXPECT_TRUE(sources_of_scene("absent")->empty());
}

// After two seconds a file's stamp is believed: what has not changed is not read again.
TEST(Source, NoticesAChangeOfFilesThatHaveLainForAWhile) {
  const OwnHome home("source-settled");
  home.write("own/a.cu", "#include \"later.cuh\"\nint a;\n");
  home.write("own/b.cu", "int b;\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(2100));
  const std::vector<std::string> without = {"own/a.cu", "own/b.cu"};
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(read_kernel("own/b.cu")->text, "int b;\n");
    EXPECT_EQ(paths_of(*sources_of_scene("own")), without);
  }
  home.write("own/b.cu", "int c;\n");  // as long as before
  EXPECT_EQ(read_kernel("own/b.cu")->text, "int c;\n");
  EXPECT_EQ(sources_of_scene("own")->back().text, "int c;\n");
  // A header that was not there before.
  std::this_thread::sleep_for(std::chrono::milliseconds(2100));
  EXPECT_EQ(paths_of(*sources_of_scene("own")), without);
  home.write("later.cuh", "int later;");
  const std::vector<std::string> with = {"own/a.cu", "later.cuh", "own/b.cu"};
  EXPECT_EQ(paths_of(*sources_of_scene("own")), with);
}

TEST(Source, OfAPersonsOwnFileComesWithTheHeadersBesideIt) {
  const OwnHome home("source-own");
  home.write("top.cuh", "int top;");
  home.write_anywhere("mine/k.cu",
                      "#include \"near.cuh\"\n#include \"below/far.cuh\"\n#include \"top.cuh\"\n");
  home.write_anywhere("mine/near.cuh", "int near;");
  home.write_anywhere("mine/below/far.cuh", "#include \"beside_far.cuh\"\n");
  home.write_anywhere("mine/below/beside_far.cuh", "int beside;");
  const std::string file = home.path("mine/k.cu");
  const auto sources = read_own_kernel(file);
  ASSERT_TRUE(sources) << sentence(sources.error());
  const std::vector<std::string> expected = {file, "near.cuh", "below/far.cuh", "beside_far.cuh",
                                             "top.cuh"};
  EXPECT_EQ(paths_of(*sources), expected);
  const auto absent = read_own_kernel(home.path("mine/absent.cu"));
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().kind, ErrorKind::input);
}

}  // namespace
}  // namespace warpscope
