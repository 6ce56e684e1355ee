// profiling/emulator/memory/shared_stores.cpp: lanes of one instruction that store to one shared
// address.
#include <bit>

#include "profiling/emulator/memory/access_path.h"

namespace warpscope {
namespace {

std::uint32_t bit(int lane) { return 1u << lane; }

// The lanes of one store by the addresses that they share.
struct MeetingLanes {
  std::uint32_t lowest = 0;  // lanes that no lower one shares its address with
  std::uint32_t at[32];      // of those: all lanes at their address
};
// Whether any of `lanes` share an address; fills `meeting` then. Addresses are multiples of
// `width`, a power of two.
bool lanes_meet(const std::uint64_t* address, std::uint32_t lanes, int width,
                MeetingLanes& meeting) {
  // Addresses a row or an odd stride apart tell themselves from each other by six bits.
  const int shift = std::countr_zero(static_cast<unsigned>(width));
  std::uint64_t seen = 0;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    seen |= 1ull << (address[std::countr_zero(rest)] >> shift & 63);
  }
  if (std::popcount(seen) == lane_count(lanes)) return false;
  constexpr std::uint32_t entries = 128;
  std::uint8_t lane_at[entries] = {};  // a lane and one; 0: none
  meeting.lowest = 0;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto unit = static_cast<std::uint32_t>(address[lane] >> shift);
    std::uint32_t entry = unit * 0x9e3779b1u >> 25;
    while (lane_at[entry] != 0 && address[lane_at[entry] - 1] != address[lane]) {
      entry = (entry + 1) % entries;
    }
    if (lane_at[entry] == 0) {
      lane_at[entry] = static_cast<std::uint8_t>(lane + 1);
      meeting.lowest |= bit(lane);
      meeting.at[lane] = 0;
    }
    meeting.at[lane_at[entry] - 1] |= bit(lane);
  }
  return meeting.lowest != lanes;
}

// A store of `together`, all lanes at one address, of which `lane` is one.
SharedFinding tell_of_store(Warp& warp, const Instruction& i, const Access& access, int lane,
                            int width, std::uint32_t together, const MemoryBuffer* buffer) {
  SharedShadow& shadow = warp.worker->shadow;
  const auto index = static_cast<int>(warp.index);
  const std::uint32_t changed = access.changed_bytes(warp, i, lane, width);
  if (buffer == nullptr) {
    return shadow.write(index, lane, warp.sync_count,
                        static_cast<std::int64_t>(access.address[lane]), width,
                        AccessStrength::weak, together, changed);
  }
  const LineSegment segment =
      segment_of(*buffer, access.address[lane] - buffer->address, width, lane);
  return shadow.write_line(index, warp.sync_count, segment, false, together,
                           changed_elements(changed, width, segment.count));
}

}  // namespace

bool store_together(Warp& warp, const Instruction& i, const Access& access, std::uint32_t lanes,
                    int width, int element, const MemoryBuffer* buffer) {
  MeetingLanes meeting;
  if (!warp.worker->run->options->check_races ||
      !lanes_meet(access.address, lanes, width, meeting)) {
    return false;
  }
  SharedShadow& shadow = warp.worker->shadow;
  const auto note = [&](SharedFinding finding, int lane, std::int64_t offset, int other_lane) {
    if (buffer != nullptr) {
      note_global_finding(warp, i, finding, lane, *buffer, offset, AccessIntent::write, other_lane);
    } else {
      note_shared_finding(warp, i, finding, lane, offset, element, AccessIntent::write, other_lane);
    }
  };
  for (std::uint32_t rest = meeting.lowest; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t base = buffer == nullptr ? 0 : buffer->address;
    const auto offset = static_cast<std::int64_t>(access.address[lane] - base);
    const std::uint32_t together = meeting.at[lane], others = together & ~bit(lane);
    std::uint32_t different = 0;
    for (std::uint32_t each = others; each != 0; each &= each - 1) {
      const int other = std::countr_zero(each);
      if (!access.same_value(warp, i, lane, other)) different |= bit(other);
    }
    const SharedFinding finding = tell_of_store(warp, i, access, lane, width, together, buffer);
    if (finding != SharedFinding::none) {
      // What a lane did before is not a race with itself but with those that store beside it.
      const bool own = finding == SharedFinding::race_in_warp && shadow.story().lane == lane;
      note(finding, own && others != 0 ? std::countr_zero(others) : lane, offset, -1);
    }
    if (different == 0) continue;
    note(SharedFinding::different_values, std::countr_zero(different), offset, lane);
  }
  return true;
}

}  // namespace warpscope
