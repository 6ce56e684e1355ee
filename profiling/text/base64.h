// profiling/text/base64.h: bytes as printable characters and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warpscope {

// source: RFC 4648, section 4.
std::string base64(std::string_view bytes);
// No value: a character that is not one of the alphabet's, or a length that no text has. Newlines
// are passed over.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace warpscope
