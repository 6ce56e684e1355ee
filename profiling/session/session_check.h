// profiling/session/session_check.h: whether a session's file is whole, torn or altered.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "scenes/host/result.h"

namespace warpscope {

enum class FileState {
  whole,    // nothing is wrong with it
  torn,     // a program was stopped while it wrote, or the file ends early; the rest is as written
  altered,  // something in it is not what was written
};

struct FileCheck {
  FileState state = FileState::whole;
  std::vector<std::string> sentences;  // what is wrong, the first places; of whole files a remark
  std::int64_t lines = 0, messages = 0;
  std::int64_t sealed = 0;  // lines that a seal confirms
};

// Reads all of a .wsj, packed or not. A change in lines that no seal covers is seen only where it
// left no message. error: input: as read_session, where it is not a session at all.
Result<FileCheck> check_session(const std::filesystem::path& path);

}  // namespace warpscope
