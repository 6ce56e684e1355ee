// tests/scenes/unseen_characters_test.cpp: a description whose names or texts have characters that
// cannot be seen is refused at their line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenes/folder/description_node.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

// What stands in the third line, in TOML's escapes.
TEST(UnseenCharacters, InADescriptionAreRefusedAtTheirLine) {
  for (const std::string& line : std::vector<std::string>{
           R"([variants."twice\u0000"])", R"([variants."t\u202ewice"])", R"(["vari\u0000ants".a])",
           R"(name = "mine\u0000")", R"(file = "z.npy\u0000.txt")", R"(source = "\u0000k.cu")",
           R"(label = "\u001b]0;title\u0007")", R"(list = ["a", "b\u007f"])",
           R"(axis = { "n\u0009" = 1 })", R"(story = "\u2067x")"}) {
    const Result<Node> root = parse_description("title = \"A\"\n\n" + line + "\n", "f/scene.toml");
    ASSERT_FALSE(root) << line;
    EXPECT_EQ(root.error().kind, ErrorKind::input) << line;
    EXPECT_EQ(root.error().where, "f/scene.toml:3") << line;
    EXPECT_THAT(root.error().what, HasSubstr("control characters")) << line;
    EXPECT_EQ(root.error().what.find('\0'), std::string::npos) << line;
  }
}

TEST(UnseenCharacters, AreNotLettersAndNotTheEndsOfLines) {
  const Result<Node> root = parse_description(
      "story = \"\"\"two\nlines\twith µ, ≤ and שלום\"\"\"\n[variants.\"größer als\"]\n",
      "scene.toml");
  EXPECT_TRUE(root) << sentence(root.error());
}

}  // namespace
}  // namespace warpscope
