// profiling/points/roof.cpp: measured ceilings: found by name, and by the mix of reads and writes.
#include "profiling/points/roof.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

namespace warpscope {
namespace {

// The best rate of each mix that streams: those that are trusted, where there are any.
std::map<double, const Roof*> streaming_mixes(const RoofSet& set) {
  const auto streams = [](const Roof& roof) {
    return roof.level == Level::dram && roof.scene.empty() && roof.mix.segment_bytes == 0 &&
           roof.value > 0;
  };
  const bool any_trusted = std::any_of(set.roofs.begin(), set.roofs.end(), [&](const Roof& roof) {
    return streams(roof) && roof.trusted;
  });
  std::map<double, const Roof*> best;
  for (const Roof& roof : set.roofs) {
    if (!streams(roof) || roof.trusted != any_trusted) continue;
    const Roof*& present = best[roof.mix.write_share];
    if (present == nullptr || roof.value > present->value) present = &roof;
  }
  return best;
}

}  // namespace

std::string label(const Roof& roof) {
  if (!roof.library.empty()) {
    // The library chooses the instruction: the type is what it is known by.
    const std::string pipe = to_text(roof.pipe);
    return roof.library + " " + pipe.substr(pipe.rfind(' ') + 1);
  }
  if (!roof.scene.empty()) return roof.scene + " " + roof.name;
  if (roof.level == Level::pipe) return to_text(roof.pipe);
  return roof.level == Level::dram ? "DRAM " + roof.mix.name : to_text(roof.level);
}

const Roof* find_roof(const RoofSet& set, Level level) {
  for (const Roof& roof : set.roofs) {
    if (roof.level == level && roof.scene.empty() && roof.library.empty()) return &roof;
  }
  return nullptr;
}

const Roof* find_roof(const RoofSet& set, Pipe pipe) {
  for (const Roof& roof : set.roofs) {
    if (roof.level == Level::pipe && roof.pipe == pipe && roof.library.empty()) return &roof;
  }
  switch (pipe) {
    case Pipe::wgmma_f16:
      return find_roof(set, Pipe::mma_f16);
    case Pipe::wgmma_bf16:
      return find_roof(set, Pipe::mma_bf16);
    case Pipe::wgmma_tf32:
      return find_roof(set, Pipe::mma_tf32);
    case Pipe::wgmma_s8:
      return find_roof(set, Pipe::mma_s8);
    default:
      return nullptr;
  }
}

bool holds_mixes(const RoofSet& set) {
  const auto has = [&set](double write_share) {
    return std::any_of(set.roofs.begin(), set.roofs.end(), [&](const Roof& roof) {
      return roof.level == Level::dram && roof.mix.segment_bytes == 0 &&
             roof.mix.write_share == write_share;
    });
  };
  return has(0) && has(1);
}

const Roof* find_roof(const RoofSet& set, const std::string& scene, const std::string& name) {
  if (name.empty()) return nullptr;
  for (const Roof& roof : set.roofs) {
    if (roof.scene == scene && roof.name == name) return &roof;
  }
  return nullptr;
}

std::optional<DramCeiling> dram_ceiling(const RoofSet& set, double write_share) {
  const std::map<double, const Roof*> mixes = streaming_mixes(set);
  if (mixes.empty()) return std::nullopt;
  constexpr double kNear = 0.05;  // of a mix: kernels write a little of what they count besides
  const auto& [first, lowest] = *mixes.begin();
  const auto& [last, highest] = *mixes.rbegin();
  DramCeiling ceiling;
  ceiling.write_share = write_share;
  ceiling.measured = write_share >= first - kNear && write_share <= last + kNear;
  if (write_share <= first || write_share >= last) {
    ceiling.value = (write_share <= first ? lowest : highest)->value;
  } else {
    const auto above = mixes.upper_bound(write_share), below = std::prev(above);
    const double part = (write_share - below->first) / (above->first - below->first);
    ceiling.value = 1 / ((1 - part) / below->second->value + part / above->second->value);
  }
  const long percent = std::lround(100 * write_share);
  ceiling.name = mixes.size() == 1 ? "DRAM " + lowest->mix.name + " roof"
                 : percent == 0    ? "DRAM read roof"
                 : percent == 100  ? "DRAM write roof"
                                   : "DRAM roof at " + std::to_string(percent) + " % writes";
  return ceiling;
}

std::optional<double> best_dram_rate(const RoofSet& set) {
  std::optional<double> best;
  for (const auto& [share, roof] : streaming_mixes(set))
    best = std::max(best.value_or(0), roof->value);
  return best;
}

const Roof* gather_roof(const RoofSet& set, double sectors_per_line) {
  // 1 sector is a segment of 32 bytes, 2 are one of 64; halfway belongs to the longer.
  const int segment = sectors_per_line < 1.5 ? 32 : sectors_per_line < 2.5 ? 64 : 0;
  for (const Roof& roof : set.roofs) {
    if (segment != 0 && roof.level == Level::dram && roof.mix.segment_bytes == segment)
      return &roof;
  }
  return nullptr;
}

}  // namespace warpscope
