// profiling/listings/active_lines.h: which lines of a text the preprocessor leaves out.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Conditions are evaluated as C++ has them (source: N4861, 15.2), of the constants a kernel is
// compiled with, of what the text and its own headers define, and of nothing else: a name of the
// compiler's or the toolkit's (it begins with an underscore or with CUDA) has no value here, and a
// condition that hangs on one is not decided. What is not decided leaves out no line.
//
//   for (const std::size_t line : inactive_lines(lines, {{"TYPE", "2"}}, header)) dim(line);

namespace warpscope {

using Defines = std::vector<std::pair<std::string, std::string>>;
// The text of a header by the name in quotes; no value if it is not one of ours.
using HeaderLookup = std::function<std::optional<std::string>(const std::string& name)>;

// Lines, from 0 and rising, of branches that are not compiled; directives are never among them.
std::vector<std::size_t> inactive_lines(const std::vector<std::string>& lines,
                                        const Defines& defines, const HeaderLookup& header = {});

}  // namespace warpscope
