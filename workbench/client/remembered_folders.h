// workbench/client/remembered_folders.h: folders that the person allowed once and for all.
#pragma once

#include <filesystem>
#include <vector>

#include "scenes/host/result.h"

// What a kernel includes beyond its own folder and the toolkit is read where the person allowed the
// folder (scenes/host/input_file.h). An answer to keep is a line of `allowed_folders` in the
// person's configuration. A session, a scene or a launch file cannot write there.

namespace warpscope {

// error: environment: no folder for it, or it cannot be written; usage: there is no such folder.
Result<void> remember_folder(const std::filesystem::path& folder);
// Those that are still there; a file that cannot be read has none.
std::vector<std::filesystem::path> remembered_folders();
// Allows all of them, for the rest of the run.
void allow_remembered_folders();

}  // namespace warpscope
