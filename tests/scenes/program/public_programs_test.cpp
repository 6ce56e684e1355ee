// tests/scenes/program/public_programs_test.cpp: programs as people have them, where the folder
// shared is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenes/host/input_file.h"
#include "tests/folders.h"
#include "tests/scenes/program/shown_program.h"

namespace warpscope {
namespace {

struct FileCase {
  const char* file;
  std::vector<std::string> lines;
};

TEST(PublicPrograms, AreReadAsTheyLaunch) {
  const std::vector<FileCase> cases = {
      {"c01_norm_scratch.cu",
       {"rms_norm_kernel<4><<<[rows], [32, num_warps - 1], (num_warps - 1 + width) * 4>>>(in, "
        "gain, out, i32:width, "
        "i32:num_warps - 1, f32:1e-06)",
        "in: f32[rows * width] input = 0.5", "gain: f32[width] input random?",
        "out: f32[rows * width] output", "rows = 8 in line 57", "num_warps = 28 in line 57",
        "width = 3584 in line 57"}},
      {"c04_scan_loop.cu",
       {"place_valid<128><<<[1], [kThreads]>>>(valid, position, total, i32:count)",
        "valid: u8[count] input random?", "position: i32[count] output", "total: i32[1] output",
        "kThreads = 128 in line 6 fixed", "count = 1000 in line 27"}},
      {"c05_matmul_patterns.cu",
       {"walk_rows_and_columns<<<[floor(N / 32), floor(N / 16)], [32, 16]>>>(a, b, c)",
        "walk_rows<<<[floor(N / 32), floor(N / 16)], [32, 16]>>>(a, b, c)",
        "walk_columns<<<[floor(N / 32), floor(N / 16)], [32, 16]>>>(a, b, c)",
        "a: i32[N * N] input random?", "b: i32[N * N] input random?", "c: i32[N * N] output",
        "N = 1024 in line 4 fixed"}},
      {"c13_old_dot.cu",
       {"partial_dots<double><<<[8], [256]>>>({x, i32:n}, {y, i32:n}, sums)",
        "x: f64[n] input random?", "y: f64[n] input random?", "sums: f64[8] output",
        "n = 10000 in line 32"}}};
  int found = 0;
  for (const FileCase& each : cases) {
    for (const char* place : {"../shared", "../../shared"}) {
      const Result<std::string> text =
          read_input(source_folder() / place / "cases" / "public" / each.file, kMostTextFileBytes);
      if (!text) continue;
      ++found;
      EXPECT_THAT(shown(read_program(*text)), testing::ElementsAreArray(each.lines)) << each.file;
      break;
    }
  }
  if (found == 0) GTEST_SKIP() << "the folder shared is not here";
}

}  // namespace
}  // namespace warpscope
