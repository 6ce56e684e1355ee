// tests/scenes/unused_keys_test.cpp: a key that nothing reads where it stands is refused by name,
// never passed over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "scenes/catalogue.h"
#include "tests/scenes/folder_parts.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

const char* const kLaunch =
    "grid = \"ceil_div(n, 128)\"\nblock = 128\narguments = [\"x\", \"y\", \"i32:n\"]\n";
const char* const kStep =
    "{ entry = \"twice\", grid = \"ceil_div(n, 128)\", block = 128, "
    "arguments = [\"x\", \"y\", \"i32:n\"] }";

// The doubling scene with its variant's launch as a list of steps.
std::string in_steps(const std::string& beside, const std::string& first_step) {
  return replaced(kDoublingDescription, kLaunch,
                  beside + "steps = [" + first_step + ", " + kStep + "]\n");
}

Result<Scene> made_of(const std::string& description, UnusedKeys unused = UnusedKeys::refused) {
  SceneText text = doubling_text();
  text.description = description;
  return scene_of(text, unused);
}

TEST(UnusedKeys, AreRefusedByNameWithTheirLine) {
  const std::string clear = "{ memset = \"y\" }", base = kDoublingDescription;
  const struct {
    std::string description;
    const char *where, *words;
  } rows[] = {
      {in_steps("source = \"../other.cu\"\n", clear), "scene.toml:9, variants.twice.source",
       "not used with steps"},
      {in_steps("define = { Q = 3 }\n", clear), "variants.twice.define", "not used with steps"},
      {in_steps("entry = \"other\"\n", clear), "variants.twice.entry", "not used with steps"},
      {in_steps("grid = 1\n", clear), "variants.twice.grid", "not used with steps"},
      {in_steps("memset = \"y\"\n", clear), "variants.twice.memset", "not used with steps"},
      {in_steps("", "{ memset = \"y\", source = \"twice.cu\" }"), "steps 1.source",
       "not used with memset"},
      {in_steps("", "{ memset = \"y\", copy = \"x\", to = \"y\" }"), "steps 1.copy",
       "not used with memset"},
      {in_steps("", "{ memset = \"y\", constants = { c = \"x\" } }"), "steps 1.constants",
       "not used with memset"},
      {in_steps("", "{ copy = \"x\", to = \"y\", value = 3 }"), "steps 1.value",
       "not used with copy"},
      {in_steps("", "{ copy = \"x\", to = \"y\", block = 32 }"), "steps 1.block",
       "not used with copy"},
      {replaced(base, kLaunch, std::string(kLaunch) + "value = 7\n"), "variants.twice.value",
       "not used with a kernel"},
      {replaced(base, kLaunch, std::string(kLaunch) + "to = \"x\"\n"), "variants.twice.to",
       "not used with a kernel"},
      {replaced(base, "title", "axes.op = { choices = [\"a\"], range = [1, 2] }\ntitle"),
       "axes.op.range", "not used with choices"},
      {replaced(base, "title", "axes.op = { choices = [\"a\"], scale = \"log\" }\ntitle"),
       "axes.op.scale", "not used with choices"},
      {replaced(base, "range = [1, 65536]",
                "kind = \"integer\", choices = [\"1\"], range = [1, 65536]"),
       "axes.n.choices", "not used with a number"},
      {replaced(base, "scale = \"log\"", "defaults_of = { thrice = 4 }"),
       "axes.n.defaults_of.thrice", "there is no variant “thrice”"},
      {replaced(base, "bit_exact = true", "bit_exact = true\nabsolute = 1e-3"),
       "tolerance.absolute", "not used with bit_exact = true"},
      {replaced(base, "entry = \"exact\"", "files = { y = \"y.npy\" }\nentry = \"exact\""),
       "reference.files.y", "there is no file"},
      {base.substr(0, base.find("[reference]")) + "[tolerance]\nbit_exact = true\n", "tolerance",
       "not used with a missing [reference]"},
      {base.substr(0, base.find("[reference]")) + "tolerance = { absolute = 1 }\n",
       "variants.twice.tolerance", "not used with a missing [reference]"},
      {replaced(base, kLaunch, std::string(kLaunch) + "define = { \"Q=1 -I\" = 1 }\n"),
       "variants.twice.define", "is not the name of a macro"},
      {replaced(base, kLaunch, std::string(kLaunch) + "define = { \"A B\" = 1 }\n"),
       "variants.twice.define", "“A B”"},
      {replaced(base, kLaunch, std::string(kLaunch) + "define = { \"2x\" = 1 }\n"),
       "variants.twice.define", "“2x”"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.where);
    const Result<Scene> scene = made_of(row.description);
    ASSERT_FALSE(scene) << row.description;
    EXPECT_EQ(scene.error().kind, ErrorKind::input);
    EXPECT_THAT(scene.error().where, HasSubstr(row.where)) << sentence(scene.error());
    EXPECT_THAT(sentence(scene.error()), HasSubstr(row.words));
    EXPECT_FALSE(scene.error().remedy.empty());
  }
}

TEST(UnusedKeys, OfAReferenceAreThoseOfItsOtherForms) {
  const std::string base = replaced(
      kDoublingDescription, "[variants.twice]\n",
      "[variants.again]\nentry = \"twice\"\n" + std::string(kLaunch) + "[variants.twice]\n");
  const std::string of_variant =
      base.substr(0, base.find("entry = \"exact\"")) + "variant = \"twice\"\n";
  const std::string rest = "[tolerance]\nbit_exact = true\n";
  ASSERT_TRUE(made_of(of_variant + rest)) << sentence(made_of(of_variant + rest).error());
  for (const char* key : {"grid = 1\n", "source = \"twice.cu\"\n", "define = { A = 1 }\n"}) {
    const Result<Scene> scene = made_of(of_variant + key + rest);
    ASSERT_FALSE(scene) << key;
    EXPECT_THAT(sentence(scene.error()), HasSubstr("not used with variant"));
  }
}

// What an earlier version passed over keeps no session shut.
TEST(UnusedKeys, AreTakenInATextThatASessionCarries) {
  const std::string description = in_steps("source = \"twice.cu\"\n", "{ memset = \"y\" }");
  EXPECT_FALSE(made_of(description));
  EXPECT_TRUE(made_of(description, UnusedKeys::accepted));
  SceneText text = doubling_text("unused_in_session");
  text.description = description;
  text.sources = {kernel_source("unused_in_session/twice.cu", kDoublingKernel)};
  text.hash = scene_hash(text);
  EXPECT_TRUE(Catalogue().open_text(text));
}

TEST(UnusedKeys, AndOtherMistakesAreShownWithoutWhatWritesBackwardsOrEndsALine) {
  const std::string name = "\"t\\u202ewice\\u0000\\n\"";
  const Result<Scene> scene =
      made_of(replaced(kDoublingDescription, "[variants.twice]", "[variants." + name + "]"));
  ASSERT_FALSE(scene);
  const std::string said = sentence(scene.error());
  EXPECT_THAT(said, HasSubstr("scene.toml:"));
  EXPECT_EQ(said.find('\0'), std::string::npos);
  EXPECT_EQ(said.find("\u202e"), std::string::npos);
  EXPECT_EQ(said.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace warpscope
