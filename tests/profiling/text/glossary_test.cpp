// tests/profiling/text/glossary_test.cpp: terms are read of a page and found in sentences.
#include "profiling/text/glossary.h"

#include <gtest/gtest.h>

#include <set>

namespace warpscope {
namespace {

constexpr const char* kPage =
    "## Other\n\n| term | meaning |\n| --- | --- |\n| lane | not of the glossary |\n\n"
    "## Glossary\n\n| term | meaning |\n| --- | --- |\n"
    "| [axis](../axes.md) | a parameter, such as `n` |\n"
    "| [cold, warm](x.md#times) | *cold*: L2 is overwritten. [Two](y.md) metrics |\n"
    "| stop | a value of an axis |\n| stop mark | a mark below a slider |\n| mix | reads, writes "
    "|\n"
    "\n## After\n\n| roof | not of it either |\n";

// The parts of the text that are marked, with the names of their terms.
std::vector<std::pair<std::string, std::string>> found(const std::string& text) {
  static const Glossary page = Glossary::of_page(kPage);
  std::vector<std::pair<std::string, std::string>> parts;
  for (const TermMark& mark : page.find(text))
    parts.emplace_back(text.substr(mark.at, mark.length), page.terms()[mark.term].name);
  return parts;
}

using Parts = std::vector<std::pair<std::string, std::string>>;

TEST(Glossary, HasTheRowsOfItsOwnTableWithoutMarkdown) {
  const Glossary page = Glossary::of_page(kPage);
  ASSERT_EQ(page.terms().size(), 5u);
  EXPECT_EQ(page.terms()[0].name, "axis");
  EXPECT_EQ(page.terms()[0].meaning, "a parameter, such as n");
  EXPECT_EQ(page.terms()[1].name, "cold, warm");
  EXPECT_EQ(page.terms()[1].meaning, "cold: L2 is overwritten. Two metrics");
}

TEST(Glossary, FindsSingularAndPluralInAnyCaseOnceEach) {
  EXPECT_EQ(found("An axis; two axes."), (Parts{{"axis", "axis"}}));
  EXPECT_EQ(found("Axes have stops."), (Parts{{"Axes", "axis"}, {"stops", "stop"}}));
  EXPECT_EQ(found("mixes"), (Parts{{"mixes", "mix"}}));
  EXPECT_EQ(found("warm (cold)"), (Parts{{"warm", "cold, warm"}}));
}

TEST(Glossary, FindsTheLongestTermAlsoOverTheEndOfALine) {
  EXPECT_EQ(found("a stop mark"), (Parts{{"stop mark", "stop mark"}}));
  EXPECT_EQ(found("two stop\nmarks, one stop"),
            (Parts{{"stop\nmarks", "stop mark"}, {"stop", "stop"}}));
}

TEST(Glossary, LeavesOutVerbsAndPartsOfOtherWords) {
  EXPECT_EQ(found("to stop it, use unstoppable axis_y, time.cold or cold-start"), Parts{});
  EXPECT_EQ(found("“axis”, axis=5 and n.axis"), (Parts{{"axis", "axis"}}));
  EXPECT_EQ(found("into stop"), (Parts{{"stop", "stop"}}));
  EXPECT_EQ(found(""), Parts{});
}

TEST(Glossary, OfThisRepositoryHasEachTermOnceWithAMeaning) {
  std::set<std::string> names;
  for (const Term& term : glossary().terms()) {
    EXPECT_TRUE(names.insert(term.name).second) << term.name;
    EXPECT_GT(term.meaning.size(), 10u) << term.name;
    EXPECT_EQ(term.meaning.find("]("), std::string::npos) << term.meaning;
    EXPECT_FALSE(glossary().find("the " + term.name.substr(0, term.name.find(','))).empty())
        << term.name;
  }
  for (const char* name : {"scene", "variant", "axis", "baseline", "roof", "league"})
    EXPECT_TRUE(names.contains(name)) << name;
}

}  // namespace
}  // namespace warpscope
