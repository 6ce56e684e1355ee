// profiling/text/json_text.h: JSON that people and other programs wrote, parsed with its depth
// bounded, and what is wrong with it in this program's words.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "scenes/host/result.h"

namespace warpscope {

// Values are copied, printed and freed by recursion. Nothing that Warpscope reads nests ten deep.
inline constexpr int kMostJsonNesting = 64;

// Whether lists and objects are nested more than `most` deep. Found without recursion. Brackets in
// texts do not count.
bool nested_deeper(std::string_view json, int most);

// error: input: it is not JSON, or is nested more than kMostJsonNesting deep; with line and column.
Result<nlohmann::json> parse_json(std::string_view text, const std::string& name);

// "a field that must be a text is a number", of what a wrong type or a missing field throws.
std::string words_of(const nlohmann::json::exception& error);

}  // namespace warpscope
