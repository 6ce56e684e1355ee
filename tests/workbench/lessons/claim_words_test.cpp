// tests/workbench/lessons/claim_words_test.cpp: what states a relation in a text stands in a claim.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

#include "profiling/claims/claim_text.h"
#include "profiling/session/session.h"
#include "scenes/article_table.h"
#include "tests/recorded_session.h"
#include "tests/workbench/window/every_text.h"

namespace warpscope {
namespace {

// Cells and notes of the tables that a report fills.
std::vector<NamedText> texts_of_tables() {
  std::vector<NamedText> texts;
  for (const Scene& scene : built_in_catalogue().scenes()) {
    if (!scene.tables) continue;
    for (const ArticleTable& table : scene.tables()) {
      const std::string where = scene.name + " table “" + table.title + "”";
      const auto add = [&](const std::string& text) {
        texts.push_back({where, &scene, text, default_configuration(scene.axes)});
      };
      add(table.note);
      for (const std::vector<std::string>& row : table.rows)
        std::for_each(row.begin(), row.end(), add);
    }
  }
  return texts;
}

std::vector<NamedText> texts_and_tables() {
  std::vector<NamedText> texts = every_text();
  for (NamedText& text : texts_of_tables()) texts.push_back(std::move(text));
  return texts;
}

TEST(ClaimWords, EveryTextCanBeReadAndEveryClaimIsARelation) {
  EXPECT_GE(texts_of_tables().size(), 100u);
  for (const NamedText& text : texts_and_tables()) {
    const Result<void> good = check_text(text.text, *text.scene);
    EXPECT_TRUE(good) << text.where << ": " << sentence(good.error());
  }
  for (const Scene& scene : built_in_catalogue().scenes()) {
    for (const ArticleClaim& claim : scene.article) {
      const Result<Claim> read = parse_claim(claim.expression, scene);
      EXPECT_TRUE(read) << scene.name << ": " << sentence(read.error());
      const Result<void> good = check_text(claim.shown, scene);
      EXPECT_TRUE(good) << scene.name << ": " << sentence(good.error());
    }
  }
}

// Words that are true on one device and false on another.
const std::regex kRelation(
    "\\b(faster|slower|fastest|slowest|fits?|most|best|worst|least|only|never|always|twice|half|"
    "halves|third|quarter|[a-z]+fold|fewer|less|more|every byte|all bytes|wins?|loses?|beats?|"
    "binds)\\b",
    std::regex::icase);
// What is no more than the opposite of the relation that did not hold.
const std::regex kNegation("\\b(no|not|nothing) ([a-z]+ ){0,2}(faster|slower|fewer|less|more)\\b");

// Phrases outside of claims that are true on every device, each with the reason.
struct Allowed {
  const char* phrase;
  const char* reason;
};
constexpr Allowed kAllowed[] = {
    {"straddles one sector more", "128 bytes from a start inside a sector touch five"},
    {"More sectors per request are not worse", "what a request asks for decides, by definition"},
    {"Adding halves", "how the kernel adds"},
    {"The upper half is added to the lower half", "how the kernel adds"},
    {"Half of the lanes here read their own element and half any element",
     "the axis locality is 0.5"},
    {"which of them wins.", "a question"},
    {"multiplies only where b is not zero", "what the kernel's text does"},
    {"more than the {} of L2", "the opposite of “less than L2 has”"},
    {"though the authors found it slower", "what the article reported"},
    {"on the article's device it was slower", "what the article reported"},
    {"the article found it slower", "what the article reported"},
    {"The article claimed to be 7 times faster than cuSPARSE", "what the article reported"},
    {"To go faster, a row of B must be used more than once", "a condition, with no figure"},
    {"two lanes always have an entry whose tile is there", "how the order is prepared"},
    {"eight lanes of a quarter warp", "eight of 32 lanes"},
    {"they always cover all 32 banks", "by the addresses of the rotated order"},
    {"the least there can be", "512 bytes in wavefronts of 128"},
    {"segments of at most twice the mean", "how rows are cut"},
    {"a third dimension", "an ordinal"},
    {"Third guess", "an ordinal"},
    {"so few fit on a multiprocessor", "shared memory a multiprocessor over that of a block"},
    {"more than with it on this device", "the opposite of “not slower”"},
    {"is faster here all the same", "the opposite of “not slower”"},
    {"The fastest of cuSPARSE's own products, {}", "the figure names which"},
    {"The library's fastest product of the same accuracy, {}", "the figure names which"},
    {"the library's fastest of the same accuracy, {}", "the figure names which"},
    {"the batch does not lose", "the opposite of “loses”"},
    {"{} is faster", "the opposite of “none is faster”, and the figure names which"},
    {"wait for its slowest", "what a barrier does"},
    {"shrink fourfold", "four bytes against one"},
    {"If all of it fits in L2", "a condition"},
    {"fit in L2 depends on", "says that it depends"},
    {"A quarter of the requests for the same sectors", "four times the bytes per lane"},
    {"read in halves of four fields", "how the kernel reads"},
    {"for as many frames as fit", "how the kernel chooses"},
    {"instead of read-only ones", "the name of an instruction"},
    {"for read-only loads", "the name of an instruction"},
    {"through read-only loads", "the name of an instruction"},
    {"at most 4096 blocks", "the launch"},
    {"a block skips eight k only if all its warps skip them", "what the kernel's text does"},
    {"one in ten if a quarter of the joint bits is set at random", "0.75⁸ is 0.10"},
    {"Twice the tensor work for eight more bits", "two products instead of one, 16 bits for 8"},
    {"at 10 % density a third of the lanes has a nonzero", "1 − 0.9⁴ is 0.34"},
    {"At 10 % density a third of the quads has a nonzero", "1 − 0.9⁴ is 0.34"},
    {"so half the bit counts remain", "a count for two columns instead of one"},
    {"No gather reads from L2 any more", "B stands in shared memory"},
    {"reads only rows of A whose b is not zero", "what the kernel's text does"},
    {"gives the same results faster?", "a question"},
    {"frames of the largest window fit together", "arithmetic of the window and the block"},
    {"Poor (stride K): worse", "what the article says"},
    {"16 lines: worse by lines", "by the addresses: 16 lines per request and not 4"},
    {"sectors per request, half used", "by the addresses: 16 bytes of each sector"},
};

std::vector<std::string> relations_in(std::string text, std::set<std::string>& used) {
  text = std::regex_replace(text, std::regex("\\{[^}]*\\}"), "{}");
  for (const Allowed& allowed : kAllowed) {
    for (std::size_t at = text.find(allowed.phrase); at != std::string::npos;
         at = text.find(allowed.phrase)) {
      text.erase(at, std::string(allowed.phrase).size());
      used.insert(allowed.phrase);
    }
  }
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), kRelation), end; it != end; ++it)
    found.push_back("“" + it->str() + "” in “" + text + "”");
  return found;
}

// The words of a text that no relation stands before.
std::vector<std::string> unchecked_words(const std::string& text) {
  std::vector<std::string> words;
  for (const ClaimPart& part : parts_of(text)) {
    if (!part.is_claim()) {
      words.push_back(part.plain);
      continue;
    }
    words.push_back(part.unknown);
    if (part.cases.back().expression.empty())
      words.push_back(std::regex_replace(part.cases.back().words, kNegation, ""));
  }
  return words;
}

TEST(ClaimWords, NoRelationStandsOutsideOfAClaim) {
  std::vector<NamedText> texts = texts_and_tables();
  for (const Scene& scene : built_in_catalogue().scenes()) {
    // Choices as they are made at every configuration that is recorded.
    if (!std::filesystem::exists(recorded_session(scene.name))) continue;
    const Result<SessionReading> reading = read_session(recorded_session(scene.name));
    ASSERT_TRUE(reading) << scene.name;
    for (const Measurement* point : reading->session.all_points()) {
      const Variant* variant = find_variant(scene, point->variant);
      if (variant == nullptr || !variant->choice || point->facts.empty()) continue;
      const Configuration axes = with_defaults(scene.axes, point->axes);
      texts.push_back({scene.name + "/" + variant->name + " choice", &scene,
                       variant->choice({axes, point->facts}), axes});
    }
  }
  std::set<std::string> used;
  for (const NamedText& text : texts) {
    for (const std::string& words : unchecked_words(text.text)) {
      for (const std::string& relation : relations_in(words, used))
        ADD_FAILURE() << text.where << ": " << relation
                      << " is not a claim: write [[relation => words | other words || neutral]]";
    }
  }
  for (const Allowed& allowed : kAllowed)
    EXPECT_EQ(used.count(allowed.phrase), 1u) << allowed.phrase << " is allowed and nowhere";
}

TEST(ClaimWords, ARelationInPlainWordsIsFound) {
  std::set<std::string> used;
  const auto found = [&](const std::string& text) {
    std::size_t count = 0;
    for (const std::string& words : unchecked_words(text))
      count += relations_in(words, used).size();
    return count;
  };
  EXPECT_EQ(found("It is faster."), 1u);
  EXPECT_EQ(found("Everything fits in L2, and every byte is used."), 2u);
  EXPECT_EQ(found("[[axis.n = 3 => It is faster. | It is slower. || It is the best.]]"), 2u);
  EXPECT_EQ(found("[[axis.n = 3 => It is faster. | It is no faster. || See it.]]"), 0u);
}

}  // namespace
}  // namespace warpscope
