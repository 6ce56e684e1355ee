// tests/engine/captures/made/capture_runs.h: runs of `warpscope capture` with a program whose
// driver and CUPTI are made for it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "profiling/capture/reader.h"
#include "tests/folders.h"
#include "tests/scenes/folder_parts.h"

namespace warpscope {

struct Ran {
  int status = -1;
  std::string out, errors;
};

// Each test has a folder of its own, in which commands run.
class CaptureProgramTest : public testing::Test {
 protected:
  // `warpscope WORDS`, with the made toolkit.
  Ran warpscope(const std::string& words, const std::string& variables = "") const {
    const std::string command = "cd '" + folder_.string() + "' && " + variables + " CUDA_HOME='" +
                                built_program("fake_cuda") + "' WARPSCOPE_CUDA_ROOT= '" +
                                built_program("warpscope") + "' " + words +
                                " >out 2>errors </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128, own_.text("out"), own_.text("errors")};
  }
  Ran capture(const std::string& options, const std::string& program = "",
              const std::string& variables = "") const {
    return warpscope(
        "capture " + options + " -- '" + built_program("fake_program") + "' " + program, variables);
  }
  // `warpscope capture --live` of the program “loop”, with what these shell commands write.
  Ran live(const std::string& commands, const std::string& variables = "") const {
    const std::string command =
        "cd '" + folder_.string() + "' && (" + commands + ") | " + variables + " CUDA_HOME='" +
        built_program("fake_cuda") + "' WARPSCOPE_CUDA_ROOT= '" + built_program("warpscope") +
        "' capture --live -- '" + built_program("fake_program") + "' loop >out 2>errors";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128, own_.text("out"), own_.text("errors")};
  }
  Result<CaptureFile> opened(const std::string& name) const {
    return CaptureFile::open((folder_ / name).string());
  }
  bool is_there(const std::string& name) const { return std::filesystem::exists(folder_ / name); }

  OwnFolder own_{"captures"};
  const std::filesystem::path folder_ = own_.path();
};

// Three launches of y += x over 1000 elements, x[i] = i + 0.25: the sum is 3 · (499500 + 250).
inline constexpr const char* kSum = "sum 1499250.00\n";

}  // namespace warpscope
