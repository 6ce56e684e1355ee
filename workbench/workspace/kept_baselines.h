// workbench/workspace/kept_baselines.h: named baselines between the selection, the session and
// files.
#pragma once

#include <filesystem>
#include <string>

#include "workbench/workspace/session_view.h"

namespace warpscope {

// Keeps the variant's point at the selected configuration as a baseline and chooses it. Without
// such a point a notice says why there is none.
void keep_baseline(const SessionView& view, Selection& selection, const std::string& variant);

// Adds the baselines of the scene that a session file has; of a file without any, its point of the
// variant in focus at the selected configuration. What it is chosen as is the last one added.
// error: as read_session; input: it has neither.
Result<void> take_baselines(const std::filesystem::path& path, const SessionView& view,
                            Selection& selection);

// All of them as the text of a session, a line each.
std::string session_of(const NamedBaselines& baselines);

}  // namespace warpscope
