// tests/profiling/access/counted_requests_test.cpp: requests to shared memory take the wavefronts
// that a device counted.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "profiling/access/access.h"
#include "tests/folders.h"

namespace warpscope {
namespace {

// 600 random requests; their masks and addresses are of many kinds.
TEST(Access, RequestsTakeTheWavefrontsThatAnH200Counted) {
  std::ifstream file(source_folder() / "tests/emulator/calibration/wavefronts/h200.txt");
  int loads = 0, stores = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    std::istringstream words(line);
    int width = 0, is_store = 0;
    std::int64_t counted = 0;
    WarpRequest r;
    words >> width >> is_store >> std::hex >> r.active >> std::dec >> counted;
    for (std::uint64_t& address : r.addresses) {
      words >> address;
      address *= static_cast<std::uint64_t>(width);
    }
    ASSERT_TRUE(words) << line;
    const AccessKind kind = is_store != 0 ? AccessKind::store : AccessKind::load;
    EXPECT_EQ(shared_cost(r, width, kind).wavefronts, counted) << line;
    EXPECT_EQ(std::ssize(wavefronts(r, width, kind)), counted) << line;
    ++(is_store != 0 ? stores : loads);
  }
  EXPECT_EQ(loads, 435);
  EXPECT_EQ(stores, 165);
}

}  // namespace
}  // namespace warpscope
