// profiling/listings/condition.h: the condition of an #if, evaluated as far as it is decided.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace warpscope {

// What names stand for where a condition is read.
struct Macros {
  std::map<std::string, std::string> texts;  // of those that are defined: "TYPE" → "2"
  std::set<std::string> open;                // whether they are defined, or as what, is not known
};

enum class Decided { no, yes, open };
// Whether a name is defined.
Decided is_defined(const Macros& macros, const std::string& name);

// The value of a condition. No value if the condition depends on a name of unknown value, or cannot
// be read.
std::optional<std::int64_t> value_of_condition(std::string_view condition, const Macros& macros);

}  // namespace warpscope
