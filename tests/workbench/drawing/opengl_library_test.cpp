// tests/workbench/drawing/opengl_library_test.cpp: without libGL a command is one sentence and
// status 3, not an assertion.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/workbench/commands/command_line.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

class OpenglLibrary : public CommandLine {};

TEST_F(OpenglLibrary, ThatCannotBeLoadedIsOneSentenceAndStatusThree) {
  // The loader looks here first, and takes no later library where one of the name is broken.
  for (const char* name : {"libGL.so", "libGL.so.1", "libGL.so.3"}) write(name, "");
  const std::string without = "LD_LIBRARY_PATH=" + path("");
  const std::string render = "render --panel roofline --out {folder}/a.png";
  const Ran able = run(render);
  if (able.status == 3) GTEST_SKIP() << able.err;
  fs::remove(path("a.png"));
  expect_statuses({{render,
                    3,
                    {"offscreen rendering: the OpenGL library libGL.so.1 cannot be loaded",
                     "install libgl1 and libgl1-mesa-dri"},
                    {"loader!", "Assertion"},
                    without}});
  EXPECT_FALSE(fs::exists(path("a.png")));
}

}  // namespace
}  // namespace warpscope
