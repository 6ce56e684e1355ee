// tests/workbench/lessons/captures_are_read.cpp: what the workbench does when it starts: lessons
// may open a scene with a capture.
#include "profiling/capture/capture_scene.h"
#include "scenes/file_scene.h"

namespace warpscope {
namespace {

// Before the lessons are listed, which the tests' parameters are.
[[maybe_unused]] const bool kAreRead = [] {
  read_captures_by(&capture_scene);
  return true;
}();

}  // namespace
}  // namespace warpscope
