// tests/scenes/nesting_test.cpp: texts whose tables are nested without end are refused with their
// line, and nothing that only looks like nesting is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "scenes/folder/description_node.h"
#include "tests/scenes/folder_parts.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

std::string repeated(const std::string& piece, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += piece;
  return all;
}

// A thread's stack is gone at some ten thousand levels; 256 KiB of text have room for more.
constexpr int kDeep = 50'000;

TEST(Nesting, WithoutEndIsRefusedWithItsLineInEveryFormThatTomlHas) {
  const std::string dots = repeated("a.", kDeep);
  const struct {
    const char* form;
    std::string text;
    int line;
  } rows[] = {
      {"a table's header", "x = 1\n[" + dots + "a]\ny = 2\n", 2},
      {"a list of tables", "\n\n[[" + dots + "a]]\n", 3},
      {"a dotted key", dots + "a = 1\n", 1},
      {"a dotted key in a table", "[let]\nb = 1\n" + dots + "a = 1\n", 3},
      {"quoted parts", repeated("'a'. ", kDeep) + "\"b\" = 1\n", 1},
      {"a dotted key in an inline table", "a = { b = 1, " + dots + "a = 1 }\n", 1},
      {"lists", "a = " + repeated("[", kDeep), 1},
      {"inline tables", repeated("a = {", kDeep), 1},
      {"a header and keys of some depth each",
       "[" + repeated("a.", 40) + "a]\n" + repeated("b.", 40) + "b = 1\n", 2},
      {"inline tables with keys of some depth",
       repeated("a.b.c.d.e = { ", 20) + repeated("}", 20) + "\n", 1},
      {"lists over lines with keys of some depth", "a = [\n" + repeated("[ { a.b.c = [\n", 30), 14},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.form);
    EXPECT_EQ(line_nested_deeper(row.text, kMostKeyNesting), row.line);
    const Result<Node> read = parse_description(row.text, "scene.toml");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().kind, ErrorKind::input);
    EXPECT_THAT(read.error().where, HasSubstr("scene.toml:" + std::to_string(row.line)));
    EXPECT_THAT(read.error().what, HasSubstr("nested"));
    EXPECT_FALSE(read.error().remedy.empty());
  }
}

TEST(Nesting, IsNotSeenInTextsAndComments) {
  const std::string dots = repeated("a.[{", kDeep / 10);
  for (const std::string& text :
       {"a = \"" + dots + "\"\n", "a = '" + dots + "'\n", "# " + dots + "\na = 1\n",
        "a = \"\"\"\n" + dots + "\\\"\"\"\n\"" + dots + "\"\"\"\"\"\nb = 1\n",
        "a = '''" + dots + "''\n" + dots + "'''\n", "a = \"\\\\\" # " + dots + "\n",
        repeated("a.b = [1.5, 2.5, { c.d = 1 }]\n", 1),
        repeated("[[a.b]]\nc.d = [[1], [2]]\n", 500), std::string(kDoublingDescription)}) {
    EXPECT_FALSE(line_nested_deeper(text, kMostKeyNesting)) << text.substr(0, 60);
    const Result<Node> read = parse_description(text, "scene.toml");
    EXPECT_TRUE(read) << sentence(read.error());
  }
}

TEST(Nesting, CountsFromTheRootToTheValue) {
  EXPECT_FALSE(line_nested_deeper("[a.b]\nc.d = { e = [1] }\n", 6));
  EXPECT_EQ(line_nested_deeper("[a.b]\nc.d = { e = [1] }\n", 5), 2);
}

TEST(Nesting, ASceneWhoseDescriptionIsTooDeepIsNotMade) {
  SceneText text = doubling_text();
  text.description += "[let." + repeated("z.", kDeep) + "z]\n";
  const Result<Scene> scene = scene_of(text);
  ASSERT_FALSE(scene);
  EXPECT_THAT(sentence(scene.error()), HasSubstr("doubling/scene.toml:21"));
  EXPECT_TRUE(data_files_of(text.description).empty());
}

}  // namespace
}  // namespace warpscope
