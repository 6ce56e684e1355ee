// tests/fuzz/serve_test.cpp: no line, however broken, is anything but a request or a refusal with a
// remedy, and every answer is one line of JSON.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/fuzz/mutation.h"
#include "workbench/serve/serve_protocol.h"

namespace warpscope {
namespace {

TEST(FuzzServe, AnyLineIsARequestOrIsExplained) {
  std::vector<std::string> seeds = {
      "{\"id\": 1, \"request\": \"verify\", \"variant\": \"csrmm/x\", \"axes\": {\"m\": 500}}",
      "{\"id\": \"a\", \"request\": \"edit\", \"scene\": \"s\", \"file\": \"k.cu\", \"lines\": "
      "[{\"from\": 1, \"to\": 0, \"text\": \"// \\u20ac\"}]}",
      "{\"request\": \"list\"}", "{\"id\": null, \"request\": \"quit\", \"more\": [1, {}]}"};
  seeds.push_back(std::string(20000, '['));
  const std::vector<std::string> words = {
      "{",  "}",    "[",       "]",  ":",    ",",      "\"",          "null",       "1e999",
      "-1", "true", "\\u0000", "\n", "\xff", "\"id\"", "\"request\"", "\"cancel\"", "[[[[[["};
  for_mutations(seeds, words, [](const std::string& text) {
    const auto request = parse_request(text);
    const std::string line = request ? answer_line(request->id, request->fields)
                                     : refusal_line(request.error().id, request.error().error);
    EXPECT_EQ(line.find('\n'), std::string::npos) << text;
    const auto answer = nlohmann::json::parse(line, nullptr, false);
    ASSERT_TRUE(answer.is_object()) << text;
    EXPECT_EQ(answer["version"], kServeVersion);
    EXPECT_EQ(answer["ok"], request.has_value());
    if (request) {
      ASSERT_NE(request->row, nullptr);
      EXPECT_EQ(against_rows(request->row->takes, request->fields), "") << text;
    } else {
      EXPECT_FALSE(answer["error"]["what"].get<std::string>().empty()) << text;
      EXPECT_FALSE(answer["error"]["remedy"].get<std::string>().empty()) << text;
      EXPECT_NE(request.error().error.kind, ErrorKind::internal) << text;
    }
  });
}

}  // namespace
}  // namespace warpscope
