// tests/fuzz/mutation_test.cpp: a mutant is in a file while it is checked, if that was asked for.
#include "tests/fuzz/mutation.h"

#include <cstdlib>
#include <filesystem>
#include <iterator>

namespace warpscope {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Mutants, AreInAFileWhileTheyAreChecked) {
  std::string folder = (std::filesystem::temp_directory_path() / "kept-mutants-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  ::setenv("WARPSCOPE_FUZZ_KEPT", folder.c_str(), 1);
  ::setenv("WARPSCOPE_FUZZ_CASES", "3", 1);
  ::setenv("WARPSCOPE_FUZZ_FROM", "40", 1);
  std::vector<std::string> names;
  for_mutations({std::string("a seed\0with a zero", 18)}, {"word"}, [&](const std::string& text) {
    const std::filesystem::directory_iterator files(folder);
    ASSERT_NE(files, std::filesystem::directory_iterator());
    const std::filesystem::directory_entry file = *files;
    names.push_back(file.path().filename());
    EXPECT_EQ(content(file.path()), text);
  });
  for (const char* name : {"KEPT", "CASES", "FROM"})
    ::unsetenv((std::string("WARPSCOPE_FUZZ_") + name).c_str());
  const std::string test = "Mutants.AreInAFileWhileTheyAreChecked.";
  EXPECT_EQ(names, (std::vector<std::string>{test + "-1", test + "40", test + "41", test + "42"}));
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace warpscope
