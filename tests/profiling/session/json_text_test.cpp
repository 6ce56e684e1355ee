// tests/profiling/session/json_text_test.cpp: JSON of any depth and any mistake has a sentence of
// this program's.
#include "profiling/text/json_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "profiling/session/session.h"
#include "profiling/text/quick_json.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string brackets(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') +
         std::string(static_cast<std::size_t>(depth), ']');
}

TEST(JsonText, OfAnyDepthIsReadOrRefusedWithASentence) {
  EXPECT_TRUE(parse_json(brackets(kMostJsonNesting), "a.json"));
  for (const int depth : {kMostJsonNesting + 1, 1'000'000}) {
    const auto read = parse_json("{\"steps\": " + brackets(depth) + "}", "a.json");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().kind, ErrorKind::input);
    EXPECT_THAT(sentence(read.error()), HasSubstr("a.json: lists and objects are nested"));
  }
  EXPECT_TRUE(parse_json("\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\"",
                         "brackets in a text"));
}

TEST(JsonText, ThatIsBrokenIsPlacedByLineAndColumn) {
  const auto comma = parse_json("{\"a\": 1,\n \"b\" 2}", "a.json");
  ASSERT_FALSE(comma);
  EXPECT_THAT(comma.error().what, HasSubstr("not JSON from line 2, column 6 on"));
  const auto end = parse_json("[1,\n", "a.json");
  ASSERT_FALSE(end);
  EXPECT_THAT(end.error().what, HasSubstr("ends too early, at line 2, column 1"));
  for (const auto& error : {comma.error(), end.error()})
    EXPECT_THAT(sentence(error), Not(HasSubstr("json.exception")));
}

TEST(JsonText, WithAWrongFieldIsToldOfInThisProgramsWords) {
  const nlohmann::json object = {{"a", 1}, {"b", "text"}};
  const auto said = [](const auto& act) -> std::string {
    try {
      act();
    } catch (const nlohmann::json::exception& error) {
      return words_of(error);
    }
    return "";
  };
  EXPECT_EQ(said([&] { static_cast<void>(object.at("a").get<std::string>()); }),
            "a field that must be a text is a number");
  EXPECT_EQ(said([&] { static_cast<void>(object.at("b").get<int>()); }),
            "a field that must be a number is a text");
  EXPECT_EQ(said([&] { static_cast<void>(object.at("c")); }), "the field “c” is missing");
  EXPECT_EQ(said([&] { static_cast<void>(object.at("b").at(0)); }),
            "a field has a value that it cannot have");
}

// nlohmann's parser is the reference; the dump keeps numbers apart by their type.
TEST(QuickJson, GivesWhatTheOtherParserGives) {
  for (const char* text :
       {"{}", "[]", "null", "true", "0", "-1", "9223372036854775807", "9223372036854775808",
        "18446744073709551615", "-9223372036854775808", "0.1", "1.0", "-0.0", "1e300", "4.9e-324",
        R"({"a":1,"a":2,"b":[1,[2.5,{"c":null}],"é \u00e9 \ud83d\ude00 \n"]})",
        R"(["\u0000",""])"}) {
    const std::optional<nlohmann::json> quick = quick_json(text);
    const nlohmann::json other = nlohmann::json::parse(text);
    ASSERT_TRUE(quick) << text;
    EXPECT_EQ(*quick, other) << text;
    EXPECT_EQ(quick->type(), other.type()) << text;
    EXPECT_EQ(quick->dump(), other.dump());
  }
}

TEST(QuickJson, LeavesToTheOtherParserWhatIsLongOrNoJson) {
  for (const char* text : {"", "{", "[1,]", "{\"a\":}", "nul", "01", "\"\xff\"", "1 2", "1e999"})
    EXPECT_FALSE(quick_json(text)) << text;
  const auto text_of = [](std::size_t bytes) { return "\"" + std::string(bytes - 2, 'a') + "\""; };
  EXPECT_TRUE(quick_json(text_of(1 << 20)));
  EXPECT_FALSE(quick_json(text_of((1 << 20) + 1)));
}

// Joining prints lines anew, which nests as deep as they do.
TEST(JsonText, OfALineThatNestsWithoutEndJoinsNoSession) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const std::string process = std::to_string(::getpid());
  std::vector<std::filesystem::path> paths;
  for (const char* name : {"first", "second"}) {
    paths.push_back(folder / ("warpscope-deep-" + process + "-" + name + ".wsj"));
    std::ofstream(paths.back()) << R"({"type":"log","level":"info","text":"a","job":1})"
                                << "\n"
                                << R"({"type":"new one","job":2,"x":)" << brackets(100'000)
                                << "}\n";
  }
  const Result<void> joined = write_joined(
      paths, [](std::string_view) {}, 1 << 26);
  for (const std::filesystem::path& path : paths) std::filesystem::remove(path);
  EXPECT_TRUE(joined || !joined.error().remedy.empty());
}

}  // namespace
}  // namespace warpscope
