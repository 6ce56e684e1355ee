// scenes/deform/roofs.cpp: the ceilings of deform's own access shapes.
#include "scenes/deform/roofs.h"

#include <string>
#include <utility>

#include "scenes/base/kernel_parts.h"

namespace warpscope::deform {
namespace {

constexpr std::int64_t kWindowBytes = 200 << 10;  // what the headline samples look into, rounded
constexpr std::int64_t kThreads = 1024, kTurns = 200, kInFlight = 8, kLaneBytes = 16;

SceneRoof roof_of(std::string name, std::string sentence, std::int64_t segment_bytes) {
  const auto bytes = [](const DeviceLimits& device) {
    return static_cast<double>(device.multiprocessors * kThreads * kTurns * kInFlight * kLaneBytes);
  };
  SceneRoof roof;
  roof.name = std::move(name);
  roof.sentence = std::move(sentence);
  roof.level = warpscope::Level::l1;
  roof.buffers = [](const DeviceLimits&) -> std::vector<BufferSpec> {
    return {{"from", ElementType::f32, kWindowBytes / 4, BufferRole::input},
            {"sink", ElementType::f32, 64, BufferRole::scratch}};
  };
  roof.steps = [segment_bytes](const DeviceLimits& device) -> std::vector<Step> {
    return {
        run_kernel("gather", {"deform/gather_window.cu",
                              "gather_window",
                              {define("SEGMENT", segment_bytes), define("WINDOW", kWindowBytes)},
                              {{device.multiprocessors, 1, 1}, {kThreads, 1, 1}, 0, {}},
                              {BufferArgument{"from"}, BufferArgument{"sink"}, as_int(kTurns)}})};
  };
  roof.bytes = bytes;
  roof.counts = [bytes](const DeviceLimits& device) {
    return std::map<std::string, double>{
        {"l1.sectors_load", bytes(device) / static_cast<double>(kSectorBytes)}};
  };
  return roof;
}

}  // namespace

std::vector<SceneRoof> roofs() {
  return {
      roof_of("gather_64",
              "16-byte lanes, random 64-byte segments inside a window of 200 KB that all blocks "
              "share",
              64),
      roof_of("gather_pairs",
              "16-byte lanes, random 128-byte segments that begin at multiples of 64 bytes, "
              "inside a window of 200 KB that all blocks share",
              128)};
}

}  // namespace warpscope::deform
