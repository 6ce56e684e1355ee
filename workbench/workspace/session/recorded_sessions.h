// workbench/workspace/session/recorded_sessions.h: session files: those in assets/, and torn ones.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace warpscope {

// What a person should know before lines are appended to a session file whose last one is torn,
// because its writer was killed; no value if it is whole.
std::optional<std::string> torn_end(const std::filesystem::path& path);

// assets/sessions/*.wsj and *.wsj.gz, the first scene's last; of two that differ in .gz alone the
// packed one. Empty when there are none.
std::vector<std::filesystem::path> recorded_sessions();
std::optional<std::filesystem::path> recorded_session_of(const std::string& scene);

}  // namespace warpscope
