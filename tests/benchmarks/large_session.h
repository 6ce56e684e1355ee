// tests/benchmarks/large_session.h: a recorded session made as large as one likes.
#pragma once

#include <cstdint>
#include <filesystem>

#include "scenes/host/result.h"

namespace warpscope {

// Writes the lines of a recorded session, then its points again and again until there are `points`
// of them. The repeats differ from the recorded points in two whole numbers among the axes of their
// problem, so that no two points are at one place; each has the job and the end of its original.
// The same session and count give the same bytes. error: as read_session; input (no measurement has
// a whole number among its problem's axes); environment (the file cannot be written).
Result<void> write_large_session(const std::filesystem::path& recorded, std::int64_t points,
                                 const std::filesystem::path& to);

}  // namespace warpscope
