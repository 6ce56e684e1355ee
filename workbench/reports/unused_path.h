// workbench/reports/unused_path.h: a name for a file that overwrites none.
#pragma once

#include <filesystem>
#include <string>

namespace warpscope {

// The path itself where nothing is there, else the first of "name-2.csv", "name-3.csv" … that is
// free.
std::filesystem::path unused_path(const std::filesystem::path& path);

// "wrote warpscope-metrics.csv to runs/today": a file that was written, with its whole folder.
std::string wrote_words(const std::filesystem::path& path);

}  // namespace warpscope
