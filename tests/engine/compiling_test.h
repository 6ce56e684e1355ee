// tests/engine/compiling_test.h: tests that compile kernels.
#pragma once

#include <gtest/gtest.h>

#include "profiling/engine/compile/compiler.h"

namespace warpscope {

// Skipped with the reason where there is no compiler.
class CompilingTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const Result<std::string> version = nvrtc_version(); !version)
      GTEST_SKIP() << sentence(version.error());
  }
};

}  // namespace warpscope
