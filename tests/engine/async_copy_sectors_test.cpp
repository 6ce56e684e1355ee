// tests/engine/async_copy_sectors_test.cpp: sectors of asynchronous copies, as a device counts
// them.
#include <optional>
#include <string>
#include <vector>

#include "profiling/access/access.h"
#include "profiling/figures/metric.h"
#include "tests/engine/gpu_fixture.h"

namespace warpscope {
namespace {

constexpr int kPiece = 16;  // bytes of a lane's copy
constexpr const char* kSectors = "cupti:l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";

// `lanes` lanes copy rows of `pieces` pieces, from and to places `…_pitch` bytes apart.
struct Copy {
  int from = 0, to = 0, lanes = 32, pieces = 32, from_pitch = 0, to_pitch = 0;
  std::string text() const {
    return std::to_string(from) + "," + std::to_string(to) + "," + std::to_string(lanes) + "," +
           std::to_string(pieces) + "," + std::to_string(from_pitch) + "," +
           std::to_string(to_pitch);
  }
};

std::vector<Copy> copies() {
  std::vector<Copy> list;
  for (const int lanes : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 32}) {
    for (const int from : {0, 16, 32, 80, 112}) {
      for (int to = 0; to < 128; to += kPiece) list.push_back({from, to, lanes, 32, 0, 0});
    }
  }
  // Rows of a window, as window_strips copies them: frames side by side in shared memory.
  for (const int pieces : {2, 3, 5, 7, 8, 11}) {
    for (const int to_pitch : {96, 176, 224, 256}) {
      if (to_pitch < pieces * kPiece) continue;
      for (const int from : {0, 16}) list.push_back({from, 0, 32, pieces, 800, to_pitch});
    }
  }
  return list;
}

std::int64_t emulated(const Copy& copy) {
  std::uint64_t from[32] = {}, to[32] = {};
  for (int lane = 0; lane < copy.lanes; ++lane) {
    const int row = lane / copy.pieces, piece = lane % copy.pieces;
    from[lane] = static_cast<std::uint64_t>(copy.from + row * copy.from_pitch + piece * kPiece);
    to[lane] = static_cast<std::uint64_t>(copy.to + row * copy.to_pitch + piece * kPiece);
  }
  const std::uint32_t mask = copy.lanes == 32 ? ~0u : (1u << copy.lanes) - 1;
  return copied_sectors(from, to, mask);
}

class GpuAsyncCopies : public GpuTest {};

TEST_F(GpuAsyncCopies, CountTheSectorsThatTheEmulatorSays) {
  open_counters();
  if (counters_ == nullptr) return;
  for (const char* name : {"x", "y"}) {
    Result<DeviceBuffer> buffer = DeviceBuffer::allocate(*device_, 1 << 16);
    ASSERT_TRUE(buffer) << sentence(buffer.error());
    buffers_.emplace(name, std::move(*buffer));
  }
  std::vector<BoundStep> steps;
  for (const Copy& copy : copies()) {
    const KernelLaunch launch{"../tests/emulator/calibration/async.cu",
                              "async_pieces",
                              {},
                              {{1, 1, 1}, {32, 1, 1}, 0, {}},
                              {BufferArgument{"x"}, BufferArgument{"y"}, copy.from, copy.to,
                               copy.lanes, copy.pieces, copy.from_pitch, copy.to_pitch}};
    Result<BoundStep> step =
        BoundStep::bind(*device_, *kernels_, Step{copy.text(), Phase::run, launch},
                        [this](const std::string& name) { return &buffers_.at(name); });
    ASSERT_TRUE(step) << sentence(step.error());
    steps.push_back(std::move(*step));
  }
  const Result<CounterPlan> plan = counters_->plan({kSectors});
  ASSERT_TRUE(plan) << sentence(plan.error());
  const auto ranges = counters_->collect(
      *plan, static_cast<int>(steps.size()),
      [&](RangeMarks& marks) -> Result<void> {
        for (const BoundStep& step : steps) {
          Result<void> ran =
              marks.push(step.step().name).and_then([&] { return run(step); }).and_then([&] {
                return marks.pop();
              });
          if (!ran) return ran;
        }
        return {};
      },
      [](int, int) { return true; });
  ASSERT_TRUE(ranges) << sentence(ranges.error());
  for (const Copy& copy : copies()) {
    std::optional<double> counted;
    for (const RangeCounters& range : *ranges) {
      if (range.range == copy.text()) counted = value_of(range.values, kSectors);
    }
    ASSERT_TRUE(counted) << copy.text();
    EXPECT_EQ(*counted, static_cast<double>(emulated(copy)))
        << "from, to, lanes, pieces, pitches: " << copy.text();
  }
}

}  // namespace
}  // namespace warpscope
