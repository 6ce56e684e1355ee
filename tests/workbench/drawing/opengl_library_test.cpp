// tests/workbench/drawing/opengl_library_test.cpp: pictures need EGL and libOpenGL, and no libGL.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/workbench/commands/command_line.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

class OpenglLibrary : public CommandLine {};

// libGL brings GLX, which only a window asks for.
TEST_F(OpenglLibrary, GlIsNotNeededForAPicture) {
  const std::string render = "render --panel roofline --out {folder}/a.png";
  const Ran able = run(render);
  if (able.status == 3) GTEST_SKIP() << able.err;
  fs::remove(path("a.png"));
  // The loader looks here first, and takes no later library where one of the name is broken.
  for (const char* name : {"libGL.so", "libGL.so.1", "libGL.so.3"}) write(name, "");
  expect_statuses({{render, 0, {}, {"loader!", "Assertion"}, "LD_LIBRARY_PATH=" + path("")}});
  EXPECT_TRUE(fs::exists(path("a.png")));
}

}  // namespace
}  // namespace warpscope
