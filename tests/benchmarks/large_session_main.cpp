// tests/benchmarks/large_session_main.cpp: writes a session as large as one likes.
//
//   build/bin/warpscope_large_session RECORDED POINTS FILE.wsj
//
// RECORDED is a .wsj or .wsj.gz file, whose points are repeated at other axes until there are
// POINTS of them: see large_session.h.
#include <charconv>
#include <cstdio>
#include <string_view>

#include "tests/benchmarks/large_session.h"

int main(int count, char** words) {
  std::int64_t points = 0;
  const std::string_view number = count == 4 ? words[2] : "";
  const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), points);
  if (code != std::errc() || end != number.data() + number.size() || points < 1) {
    std::fprintf(stderr, "usage: warpscope_large_session RECORDED POINTS FILE.wsj\n");
    return 2;
  }
  if (const auto written = warpscope::write_large_session(words[1], points, words[3]); !written) {
    std::fprintf(stderr, "warpscope_large_session: %s\n",
                 warpscope::sentence(written.error()).c_str());
    return warpscope::exit_status(written.error().kind);
  }
  return 0;
}
