// profiling/export/json_rows.h: long lists as indented JSON, row by row.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "scenes/host/write_file.h"

namespace warpscope {

// The rows as nlohmann::json::dump(2) writes a list of them, indented by `indent` and between
// what stands before and after it. Strings of JSON hold no line ends, so that every one in a row's
// text begins a line of it.
template <typename Rows, typename Encode>
void write_rows(const std::string& indent, const Rows& rows, std::string_view behind,
                const TextSink& write, const Encode& encode_row) {
  const std::string line_begin = ",\n  " + indent;
  bool first = true;
  write("[");
  for (const auto& row : rows) {
    std::string text =
        encode_row(row).dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
    write(first ? std::string_view(line_begin).substr(1) : std::string_view(line_begin));
    first = false;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      write(std::string_view(text).substr(at, end - at));
      if (end < text.size()) write(std::string_view(line_begin).substr(1));
      at = end + 1;
    }
  }
  if (!first) write("\n" + indent);
  write("]");
  write(behind);
}

}  // namespace warpscope
